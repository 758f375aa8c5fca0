/* SPDX-License-Identifier: Apache-2.0 */
/* bench_thesis.cc: the tables of the mesh matrix thesis (Mlakar 2018) on this host, of generated meshes of its sizes:
 * whole subdivisions with a topology that has just changed (6.1 to 6.4: Catmull-Clark and Loop, against OpenSubdiv's
 * refine + stencils + evaluation; 6.7: sqrt3, against OpenMesh or CGAL where one was installed when this was built),
 * and meshes with shuffled rows before and after reverse Cuthill-McKee (6.8). On a CPU the sizes are smaller.
 *
 * Environment: SUBDD_TEST_BACKEND names the device (default: cuda where there is one). ROWS=1,bee,sqrt3 measures those
 * rows alone: by number, or by a part of their label. PEER=0 leaves the peers out, so that there are no ratios.
 *
 * Ours is the engine's device time (the time stamps of its queue; what is copied back is not in it), and beside it the
 * same with the topology build, its upload and points. Medians of 7 after a warm-up. */
#include "tests/bench/thesis.h"
#include "tests/bench/thesis_sqrt3.h"
#include "tests/env.h"
#include "tests/oracle/refined.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace thesis;

namespace
{

enum faces { QUADS, TRIANGLES };
enum scheme { CATMARK = SDD_SCHEME_CATMULL_CLARK, LOOP = SDD_SCHEME_LOOP, SQRT3 = SDD_SCHEME_SQRT3 };

struct row {
    const char *like; /* the thesis's mesh of this size */
    int64_t n_faces;
    faces kind;
    scheme by;
    int level;
    double thesis_peer, thesis_spla, thesis_opt, thesis_gb; /* ms, ms, ms, GB on its machine; 0: not in it */
};

/* Of the models of mixed faces quads are taken; Orchid and Bee are triangles in the thesis, too: 17 M faces to 51 M. */
const row gpu_rows[] = {
    {"archer", 2000, QUADS, CATMARK, 6, 10060.15, 248.26, 7.54, 0.31},
    {"coat", 6000, QUADS, CATMARK, 6, 33599.23, 812.88, 22.65, 1.06},
    {"archer", 3000, TRIANGLES, LOOP, 6, 7934.09, 292.73, 10.53, 0.39},
    {"coat", 11000, TRIANGLES, LOOP, 6, 26409.65, 981.96, 34.46, 1.36},
    {"Embreea Orchid", 4000000, TRIANGLES, CATMARK, 1, 3163.18, 167.76, 8.30, 0.61},
    {"Embreea Orchid", 4000000, TRIANGLES, LOOP, 1, 2250.50, 166.09, 5.21, 0.47},
    {"Eulaema Bee", 17000000, TRIANGLES, CATMARK, 1, 14259.56, 718.10, 34.78, 2.59},
    {"Eulaema Bee", 17000000, TRIANGLES, LOOP, 1, 10017.07, 708.60, 21.75, 2.02},
    {"fox", 622, TRIANGLES, SQRT3, 6, 157.55, 34.34, 1.07, 0},
    {"Hhomer", 10000, TRIANGLES, SQRT3, 6, 3055.23, 193.29, 10.36, 0},
    {"girl_bust", 61000, TRIANGLES, SQRT3, 6, 18959.06, 1173.01, 79.48, 0},
    {"Embreea Orchid", 4000000, TRIANGLES, SQRT3, 1, 1932.23, 145.17, 4.21, 0},
    {"Eulaema Bee", 17000000, TRIANGLES, SQRT3, 1, 8525.38, 621.24, 15.67, 0},
};
const row cpu_rows[] = {
    {"archer", 3000, QUADS, CATMARK, 5, 0, 0, 0, 0},
    {"archer", 6000, TRIANGLES, LOOP, 5, 0, 0, 0, 0},
    {"angel", 200000, QUADS, CATMARK, 2, 0, 0, 0, 0},
    {"angel", 400000, TRIANGLES, LOOP, 2, 0, 0, 0, 0},
    {"fox", 622, TRIANGLES, SQRT3, 6, 0, 0, 0, 0},
    {"Hhomer", 10000, TRIANGLES, SQRT3, 5, 0, 0, 0, 0},
    {"Embreea Orchid", 400000, TRIANGLES, SQRT3, 1, 0, 0, 0, 0},
};

/* Table 6.8: its models are scans in the order of their files; ours are shuffled. */
struct shuffled_row {
    const char *like;
    int64_t n_faces;
    int level;
    double thesis_osd[2], thesis_spla[2], thesis_opt[2]; /* ms, before and after */
};
const shuffled_row gpu_shuffled[] = {
    {"angel", 474000, 1, {562.80, 381.00}, {29.81, 25.93}, {3.69, 1.50}},
    {"angel", 474000, 2, {4669.25, 3412.05}, {168.92, 151.87}, {10.50, 5.07}},
    {"Hunter", 994000, 1, {1490.97, 807.27}, {68.75, 48.51}, {13.95, 2.48}},
    {"Hunter", 994000, 2, {11690.37, 7335.97}, {382.69, 308.79}, {36.16, 8.95}},
    {"Beetle", 2000000, 1, {3152.81, 1639.66}, {134.90, 89.70}, {42.90, 5.63}},
};
const shuffled_row cpu_shuffled[] = {
    {"angel", 200000, 1, {0}, {0}, {0}},
    {"angel", 200000, 2, {0}, {0}, {0}},
};

const char *name_of(scheme by)
{
    return by == SQRT3 ? "sqrt3" : by == LOOP ? "Loop" : "Catmull-Clark";
}

bool can(const char *method, scheme by)
{
    return by == CATMARK || strcmp(method, "edge-friend") != 0;
}

std::string label_of(const char *like, const char *what, int64_t n_faces, int level)
{
    char text[160];
    snprintf(text, sizeof text, "%s, %lld faces (as %s), level %d", what, (long long)n_faces, like, level);
    return text;
}

double copy_gbs; /* what the device reaches */

/* What the first step of a closed mesh has to move: points, its matrix by columns and by rows, the corners of edges and
 * across edges, each read once, and the points that it writes. */
double bytes_of_first_step(const row &r, const model &m, int64_t n_points)
{
    const double V = (double)m.points.size() / 3, F = (double)m.counts.size(), C = (double)m.vertices.size();
    const double E = (double)n_points - V - (r.by == LOOP ? 0 : F);
    return 12 * V + 3 * 4 * C + 4 * E + 8 * V + 12 * (double)n_points;
}

void print_ours(const row &r, const model &m, const char *method, const ours &o, double peer_ms)
{
    if (!o.refused.empty()) {
        printf("  %-17s %s\n", method, o.refused.c_str());
        return;
    }
    const double all = o.engine + o.topology, points = (double)m.points.size() / 3 + (double)o.n_vertices;
    printf("  %-17s %9.3f ms, %s; with topology and points %9.3f ms, %s; %.2f GB; points in and out %.1f GB/s\n",
           method, o.engine, times(peer_ms, o.engine).c_str(), all, times(peer_ms, all).c_str(),
           (double)o.device_bytes * 1e-9, 12.0 * points / (o.engine * 1e6));
    if (r.level == 1 && r.by != SQRT3 && strcmp(method, "mesh-matrix") == 0) {
        const double bytes = bytes_of_first_step(r, m, o.n_vertices), gbs = bytes / (o.engine * 1e6);
        printf("  %-17s %9.3f GB must move: %.0f GB/s, %.0f %% of a copy\n", "", bytes * 1e-9, gbs,
               100 * gbs / copy_gbs);
    }
    printf("{\"bench\":\"thesis\",\"scheme\":\"%s\",\"faces\":%zu,\"level\":%d,\"method\":\"%s\",\"peer_ms\":%.2f,"
           "\"engine_ms\":%.4f,\"topology_ms\":%.3f,\"device_bytes\":%lld}\n",
           name_of(r.by), m.counts.size(), r.level, method, peer_ms, o.engine, o.topology, (long long)o.device_bytes);
}

void measure(sdd_device *device, const row &r)
{
    const model m = model_torus(r.n_faces, r.kind == TRIANGLES);
    peer p = {};
    if (without_peer())
        printf("  no peer (PEER=0)\n");
    else if (r.by == SQRT3)
        p = peer_sqrt3(m, r.level);
    else
        p = peer_osd(m, r.by, r.level);
    if (p.total > 0 && r.by != SQRT3)
        printf("  %-17s %9.1f ms: refine %.1f + stencils %.1f + evaluation %.1f\n", "OpenSubdiv", p.total, p.refine,
               p.stencils, p.eval);
    else if (p.total > 0)
        printf("  %-17s %9.1f ms\n", sqrt3_peer_name, p.total);
    else if (!without_peer())
        printf("  no peer was there when this was built: deploy/install-deps openmesh\n");
    for (int i = 0; sdd_engine(i); i++) {
        const char *method = sdd_engine(i)->name;
        if (can(method, r.by))
            print_ours(r, m, method, our_time(device, m, r.by, method, r.level, p), p.total);
    }
    if (r.thesis_opt > 0)
        printf("  %-17s %9.3f ms, %s; SpLA %.2f ms, %s; %s %.2f ms; %.2f GB (Titan X and its host, 2018)\n",
               "the thesis's opt", r.thesis_opt, times(r.thesis_peer, r.thesis_opt).c_str(), r.thesis_spla,
               times(r.thesis_peer, r.thesis_spla).c_str(), r.by == SQRT3 ? "OpenMesh" : "OpenSubdiv", r.thesis_peer,
               r.thesis_gb);
}

void print_change(const char *who, const char *what, double before, double after)
{
    printf("  %-17s %-9s %10.3f ms to %10.3f ms, %s\n", who, what, before, after, times(before, after).c_str());
}

void measure(sdd_device *device, const shuffled_row &r)
{
    const model before = model_shuffled(model_torus(r.n_faces, true));
    const sdd_mesh_desc d = before.desc(CATMARK);
    struct sdd_order order;
    sdd_error err = {};
    double start = now_ms();
    if (sdd_order_rcm(&d, &order, &err))
        oracle_die("%s", err.text);
    printf("  %-17s bandwidth %lld to %lld, in %.1f ms\n", "order", (long long)order.bandwidth_before,
           (long long)order.bandwidth_after, now_ms() - start);
    const model after = model_reordered(before, order.vertex_of_row, order.face_of_row);
    sdd_order_free(&order);
    peer p[2] = {};
    if (!without_peer()) {
        p[0] = peer_osd(before, CATMARK, r.level);
        p[1] = peer_osd(after, CATMARK, r.level);
        print_change("OpenSubdiv", "", p[0].total, p[1].total);
    }
    for (int i = 0; sdd_engine(i); i++) {
        const char *method = sdd_engine(i)->name;
        const ours a = our_time(device, before, CATMARK, method, r.level, p[0]);
        const ours b = our_time(device, after, CATMARK, method, r.level, p[1]);
        print_change(method, "engine", a.engine, b.engine);
        if (i == 0) /* engines share it */
            print_change("", "topology", a.topology, b.topology);
        printf("{\"bench\":\"thesis-rcm\",\"faces\":%zu,\"level\":%d,\"method\":\"%s\",\"engine_ms\":[%.4f,%.4f],"
               "\"topology_ms\":[%.3f,%.3f]}\n",
               before.counts.size(), r.level, method, a.engine, b.engine, a.topology, b.topology);
    }
    if (r.thesis_opt[0] > 0) {
        print_change("the thesis's opt", "", r.thesis_opt[0], r.thesis_opt[1]);
        print_change("its SpLA", "", r.thesis_spla[0], r.thesis_spla[1]);
        print_change("its OpenSubdiv", "", r.thesis_osd[0], r.thesis_osd[1]);
    }
}

/* Rows count from 1 through all tables. */
template <typename Row, size_t N>
void each_row(sdd_device *device, const Row (&rows)[N], size_t *number, std::string (*label)(const Row &))
{
    for (const Row &r : rows) {
        if (is_chosen(++*number, label(r))) {
            printf("%zu. %s\n", *number, label(r).c_str());
            fflush(stdout);
            measure(device, r);
        }
    }
}

std::string label(const row &r)
{
    return label_of(r.like, name_of(r.by), r.n_faces, r.level);
}

std::string label(const shuffled_row &r)
{
    return label_of(r.like, "RCM: Catmull-Clark, shuffled rows", r.n_faces, r.level);
}

} // namespace

int main()
{
    const char *backend = getenv("SUBDD_TEST_BACKEND");
    sdd_error err = {};
    sdd_device *device = nullptr;
    sdd_device_config config = {};
    config.backend = backend && *backend ? backend : "auto";
    config.module_path = test_module_path();
    if (sdd_device_open(&config, &device, &err) != SDD_OK)
        oracle_die("%s", err.text);
    struct sdd_device_info info;
    sdd_device_info(device, &info);
    printf("%s (%s)\n", info.name, info.backend);
    const bool cpu = strcmp(info.backend, "cpu") == 0;
    const struct bandwidth b = device_bandwidth(device, cpu ? 64 << 20 : (int64_t)1 << 30);
    copy_gbs = b.copy;
    printf("the device copies %.0f GB/s, writes %.0f GB/s\n", b.copy, b.write);
    size_t number = 0;
    if (cpu) {
        each_row(device, cpu_rows, &number, label);
        each_row(device, cpu_shuffled, &number, label);
    } else {
        each_row(device, gpu_rows, &number, label);
        each_row(device, gpu_shuffled, &number, label);
    }
    sdd_device_close(device);
    return 0;
}
