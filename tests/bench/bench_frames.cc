/* SPDX-License-Identifier: Apache-2.0 */
/* bench_frames.cc: frames in which positions alone change: new points, then refine, of meshes that stay. Device time of
 * the engine by method, level and what is asked for, against what the same device writes in the same run, against the
 * floor (an empty launch, then the output at that rate), and against OpenSubdiv's stencil tables on this host's CPU.
 *
 * Arguments are methods; without any, mesh-matrix, edge-friend, tabulated and subdivision-matrix.
 * SUBDD_TEST_BACKEND=cuda leaves the CPU out, PEER=0 OpenSubdiv, ROWS="beast,spot_quadrangulated 5" other meshes and
 * levels. Real meshes come from $SUBDD_SHARED/data. Medians of 15 after 5 that warm up, two poses in turn. Checked: the
 * mesh's own vertices lie where OpenSubdiv puts them, or where it makes none (it stops at 4 M stencils) the first
 * method. */
#include "tests/bench/frames_osd.h"
#include "tests/bench/thesis.h"
#include "tests/env.h"
#include "tests/oracle/refined.h"
#include "tests/oracle/triangles.h"
#include "tests/refine_once.h"
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace
{

struct cage {
    const char *file;          /* of the shared folder, or a torus of nx * ny quads */
    int nx, ny, level, scheme; /* under loop, cut into triangles */
};
constexpr cage cages[] = {{"spot_quadrangulated", 61, 48, 3, SDD_SCHEME_CATMULL_CLARK},
                          {"spot_quadrangulated", 61, 48, 5, SDD_SCHEME_CATMULL_CLARK},
                          {"spot_quadrangulated", 61, 48, 6, SDD_SCHEME_CATMULL_CLARK},
                          {"beast", 186, 174, 4, SDD_SCHEME_CATMULL_CLARK},
                          {nullptr, 60, 50, 3, SDD_SCHEME_CATMULL_CLARK},
                          {"spot_quadrangulated", 61, 48, 3, SDD_SCHEME_LOOP},
                          {"spot_quadrangulated", 61, 48, 5, SDD_SCHEME_LOOP}};

struct output {
    const char *name;
    int surface, include, compact;
};
constexpr output outputs[] = {
    {"positions", SDD_SURFACE_REFINED, SDD_POSITIONS, 0},
    {"limit", SDD_SURFACE_LIMIT, SDD_POSITIONS, 0},
    {"limit, normals", SDD_SURFACE_LIMIT, SDD_POSITIONS | SDD_NORMALS, 0},
    {"the same, compact", SDD_SURFACE_LIMIT, SDD_POSITIONS | SDD_NORMALS, SDD_POSITIONS | SDD_NORMALS}};

/* OpenSubdiv 3.6's CUDA evaluator, 3 floats: H100 80GB HBM3 (SXM), CUDA 13, 2026-11-21. Said on that device alone. */
struct anchor {
    const char *mesh;
    int level;
    double ms;
};
constexpr anchor anchors[] = {
    {"spot_quadrangulated", 3, 0.0164}, {"spot_quadrangulated", 5, 0.180}, {"beast", 4, 0.475}};

double anchor_of(const char *device, const char *mesh, int level)
{
    for (const anchor &a : anchors)
        if (strstr(device, "H100 80GB HBM3") && strcmp(a.mesh, mesh) == 0 && a.level == level)
            return a.ms;
    return 0;
}

struct machine {
    sdd_device *device;
    struct sdd_device_info info;
    double write, copy, launch; /* GB/s, ms */
};

struct frame {
    double ms = 0, first_ms = -1, digest_ms = 0; /* on the device; of the first call, in all; beside it */
    int64_t n_vertices = 0, bytes = 0;
    std::vector<float> images; /* of a float block's first rows */
    std::string refused;
};

frame frame_time(sdd_mesh *mesh, const sdd_refine_request &r, const std::vector<float> poses[2])
{
    const int64_t n = (int64_t)poses[0].size() / 3;
    frame f;
    std::vector<double> digests;
    f.ms = frames::median_of(poses, [&](const float *points) {
        sdd_error err = {};
        sdd_result *result = nullptr;
        if (!f.refused.empty())
            return 0.0;
        const double start = now_ms();
        if (sdd_mesh_set_points(mesh, 0, n, points, &err) || refine_once(mesh, &r, &result, &err)) {
            f.refused = err.text;
            return 0.0;
        }
        f.first_ms = f.first_ms < 0 ? now_ms() - start : f.first_ms;
        const struct sdd_result_info *info = sdd_result_info(result);
        const float *p = (const float *)info->plan.blocks[0].data;
        const double ms = info->refine_seconds * 1e3;
        digests.push_back(info->digest_seconds * 1e3);
        f.n_vertices = info->plan.n_vertices, f.bytes = info->plan.host_bytes;
        if (!r.compact)
            f.images.assign(p, p + 3 * n);
        sdd_result_free(result);
        return ms;
    });
    if (!digests.empty())
        f.digest_ms = median(digests.data(), (int)digests.size());
    return f;
}

void check_images(const char *name, const std::vector<float> &ours, const std::vector<float> &theirs)
{
    const std::vector<double> all(theirs.begin(), theirs.end());
    const double diagonal = refined_diagonal(all.data(), (int64_t)all.size() / 3);
    for (size_t i = 0; i < theirs.size(); i++)
        if (!(std::fabs(ours[i] - theirs[i]) <= 1e-5 * diagonal))
            oracle_die("%s: vertex %zu is not where OpenSubdiv puts it; nothing is measured", name, i / 3);
}

void print_frame(const machine &m, const bench_mesh &mesh, int level, const char *method, const output &o,
                 const frame &f, double osd_ms)
{
    const double rate = (double)f.bytes / f.ms * 1e-6, floor_ms = m.launch + (double)f.bytes / m.write * 1e-6;
    const bool alike = o.include == SDD_POSITIONS && o.surface == SDD_SURFACE_REFINED; /* what the peers make */
    const double anchor_ms = alike ? anchor_of(m.info.name, mesh.name, level) : 0;
    char json[128] = "";
    int used = 0;
    printf("  %-4s %-18s %-18s %9.4f %9.3f %8.1f %7.1f %% %7.2f %9.4f   %s  %s\n", m.info.backend, method, o.name, f.ms,
           (double)f.n_vertices / f.ms * 1e-6, rate, 100 * rate / m.write, f.ms / floor_ms, f.digest_ms,
           thesis::times(alike ? osd_ms : 0, f.ms).c_str(), thesis::times(anchor_ms, f.ms).c_str());
    if (alike && osd_ms > 0)
        used = snprintf(json, sizeof json, ",\"osd_ms\":%.4f", osd_ms);
    if (anchor_ms > 0)
        snprintf(json + used, sizeof json - (size_t)used, ",\"anchor_ms\":%.4f", anchor_ms);
    printf("{\"bench\":\"frames\",\"device\":\"%s\",\"mesh\":\"%s\",\"level\":%d,\"method\":\"%s\",\"output\":\"%s\","
           "\"vertices\":%lld,\"bytes\":%lld,\"ms\":%.5f,\"digest_ms\":%.5f,\"gb_per_s\":%.1f,\"write_gb_per_s\":%.1f,"
           "\"floor_ms\":%.5f%s}\n",
           m.info.name, mesh.name, level, method, o.name, (long long)f.n_vertices, (long long)f.bytes, f.ms,
           f.digest_ms, rate, m.write, floor_ms, json);
}

int64_t kept_bytes(const sdd_topology *topology)
{
    struct sdd_topology_info info = {};
    sdd_topology_info(topology, &info);
    return info.device_bytes;
}

/* A product reads the matrix and the control points and writes the frame: how fast, against a copy in the same run. */
void print_product(const machine &m, const char *method, int64_t matrix_bytes, int64_t n_vertices, const frame &f)
{
    const double rate = (double)(matrix_bytes + 12 * n_vertices + f.bytes) / f.ms * 1e-6;
    printf("  %-4s %-18s matrix of %.1f MB, with its vectors %.1f GB/s, %.1f %% of a copy's %.1f\n", m.info.backend,
           method, (double)matrix_bytes * 1e-6, rate, 100 * rate / m.copy, m.copy);
}

void measure_device(const machine &m, const bench_mesh &mesh, int level, const std::vector<const char *> &methods,
                    const std::vector<float> poses[2], const frames::peer &p)
{
    sdd_error err = {};
    sdd_topology *topology = nullptr;
    sdd_mesh *resident = nullptr;
    if (sdd_topology_create(m.device, &mesh.desc, &topology, &err) ||
        sdd_mesh_create(topology, mesh.points, nullptr, &resident, &err))
        oracle_die("%s: %s", mesh.name, err.text);
    std::vector<float> images = p.images; /* of the mesh's own vertices, once somebody has made them */
    for (const char *method : methods)
        for (const output &o : outputs) {
            sdd_refine_request r = {};
            r.level = level, r.surface = o.surface, r.include = o.include, r.compact = o.compact, r.method = method;
            const int64_t kept = kept_bytes(topology);
            const frame f = frame_time(resident, r, poses);
            if (!f.refused.empty()) {
                printf("  %-4s %-18s %-18s skip: %s\n", m.info.backend, method, o.name, f.refused.c_str());
                continue;
            }
            if (&o == outputs && strcmp(method, "subdivision-matrix") == 0)
                print_product(m, method, kept_bytes(topology) - kept, mesh.desc.n_vertices, f);
            if (&o == outputs)
                printf("  %-4s %-18s first frame %.2f ms, with what it builds\n", m.info.backend, method, f.first_ms);
            if (&o == outputs && images.empty())
                images = f.images;
            else if (&o == outputs)
                check_images(mesh.name, f.images, images);
            print_frame(m, mesh, level, method, o, f, p.ms);
        }
    sdd_mesh_free(resident);
    sdd_topology_unref(topology);
}

void measure(const std::vector<machine> &machines, const cage &c, const std::vector<const char *> &methods)
{
    bench_mesh mesh;
    bench_mesh_open(&mesh, c.file, c.nx, c.ny);
    struct triangles cut = {};
    mesh.desc.options.scheme = c.scheme;
    if (c.scheme == SDD_SCHEME_LOOP) {
        cut = triangles_cut(&mesh.desc);
        snprintf(mesh.name + strlen(mesh.name), sizeof mesh.name - strlen(mesh.name), ", triangles, loop");
    }
    std::vector<float> poses[2];
    poses[0].assign(mesh.points, mesh.points + 3 * mesh.desc.n_vertices);
    for (float x : poses[0])
        poses[1].push_back(1.25f * x);
    grid g;
    grid_init(&g, &mesh.desc);
    const int64_t n_vertices = grid_n_vertices(&g, c.level);
    grid_fini(&g);
    printf("%s to level %d: %lld vertices\n", mesh.name, c.level, (long long)n_vertices);
    const frames::peer p = frames::peer_time(mesh.desc, poses, c.level, n_vertices);
    for (const machine &m : machines)
        measure_device(m, mesh, c.level, methods, poses, p);
    triangles_free(&cut);
    bench_mesh_close(&mesh);
}

/* Bandwidths and empty launches come first: all ratios are to them. */
void open_machine(const char *backend, std::vector<machine> *machines)
{
    const bool gpu = strcmp(backend, "cuda") == 0;
    const sdd_device_config config = {backend, test_module_path(), gpu ? 0 : frames::threads, 0, 0, 0};
    machine m = {};
    sdd_error err = {};
    if (sdd_device_open(&config, &m.device, &err)) {
        printf("skip: %s: %s\n", backend, err.text);
        return;
    }
    sdd_device_info(m.device, &m.info);
    m.write =
        gpu ? device_bandwidth(m.device, (int64_t)1 << 30).write : store_bandwidth(frames::threads, (int64_t)1 << 30);
    m.copy = device_bandwidth(m.device, (int64_t)1 << 30).copy;
    m.launch = launch_ms(m.device);
    double probes[frames::runs];
    for (double &ms : probes) {
        const double start = now_ms();
        if (sdd_device_probe(m.device, &err))
            oracle_die("%s: %s", m.info.name, err.text);
        ms = now_ms() - start;
    }
    const double probe = median(probes, frames::runs);
    printf("%s: write %.1f GB/s, empty launch %.4f ms, sdd_device_probe %.4f ms\n", m.info.name, m.write, m.launch,
           probe);
    printf("{\"bench\":\"frames\",\"device\":\"%s\",\"write_gb_per_s\":%.1f,\"launch_ms\":%.5f,\"probe_ms\":%.5f}\n",
           m.info.name, m.write, m.launch, probe);
    machines->push_back(m);
}

std::vector<const char *> methods_of(int argc, char **argv)
{
    std::vector<const char *> asked(argv + 1, argv + argc), known;
    if (asked.empty())
        asked = {"mesh-matrix", "edge-friend", "tabulated", "subdivision-matrix"};
    for (const char *method : asked) {
        int row = 0;
        while (sdd_engine(row) && strcmp(sdd_engine(row)->name, method) != 0)
            row++;
        if (sdd_engine(row))
            known.push_back(method);
        else
            printf("skip: there is no engine %s\n", method);
    }
    return known;
}

} // namespace

int main(int argc, char **argv)
{
    const std::vector<const char *> methods = methods_of(argc, argv);
    const char *backend = getenv("SUBDD_TEST_BACKEND");
    std::vector<machine> machines;
    for (const char *each : {"cpu", "cuda"})
        if (!backend || !*backend || strcmp(backend, each) == 0)
            open_machine(each, &machines);
    printf("  %-4s %-18s %-18s %9s %9s %8s %9s %7s %9s   %s  %s\n", "", "method", "output", "ms", "G vert/s", "GB/s",
           "of write", "x floor", "digest ms", "OSD/ours", "anchor");
    size_t number = 0;
    for (const cage &c : cages)
        if (!machines.empty() &&
            thesis::is_chosen(++number, std::string(c.file ? c.file : "torus") + " " + std::to_string(c.level) +
                                            (c.scheme == SDD_SCHEME_LOOP ? " loop" : "")))
            measure(machines, c, methods);
    for (const machine &m : machines)
        sdd_device_close(m.device);
    return 0;
}
