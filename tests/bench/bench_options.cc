/* SPDX-License-Identifier: Apache-2.0 */
/* bench_options.cc: what options cost: the same torus with 5 % of its edges creased, with holes, with boundaries, and
 * with UVs in charts of 16 x 16 faces, against the plain one, by each engine that takes it, on the CPU and on the GPU.
 * Variants take turns in one run, caches emptied before each; medians of the device time of a call.
 * SUBDD_TEST_BACKEND=cuda and FACES=50000 leave the rest out, and so do methods as arguments. Results are not looked
 * at: that is for the tests. */
#include "tests/bench/thesis.h"
#include "tests/env.h"
#include "tests/oracle/cases.h"
#include "tests/oracle/dice.h"
#include "tests/refine_once.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace
{

constexpr int runs = 11, last_level = 5, chart = 16;

/* Points into itself: not to be copied. */
struct bench_case {
    std::string name;
    thesis::model mesh;
    std::vector<int32_t> creases, holes, uv_indices;
    std::vector<float> sharpness, uvs;
    sdd_mesh_desc desc = {};
    int include = SDD_POSITIONS;
    bool per_vertex = false; /* another mesh than the plain one: time a refined vertex is compared */
};

/* Half of the creased edges are rings around the torus, half lie alone, so that they end in darts. */
void add_creases(bench_case *c, int nx, int ny)
{
    static const float values[] = {0.3f, 1, 1.5f, 2, 4.7f, 9.5f, 10};
    dice d = dice_of(1);
    auto add = [&](int a, int b, float s) {
        c->creases.insert(c->creases.end(), {a, b});
        c->sharpness.push_back(s);
    };
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++) {
            const int v = j * nx + i, right = j * nx + (i + 1) % nx, up = (j + 1) % ny * nx + i;
            if (j % 20 == 0)
                add(v, right, values[(size_t)(j / 20) % 7]);
            else if (dice_one_in(&d, 40))
                add(v, right, values[dice_next(&d) % 7]);
            if (dice_one_in(&d, 40))
                add(v, up, values[dice_next(&d) % 7]);
        }
}

/* One quad in 49, or a triangle of it, is taken away; no two of them touch. */
void open_boundaries(bench_case *c, int nx, size_t size)
{
    std::vector<int32_t> kept;
    for (size_t f = 0; f < c->mesh.counts.size(); f++)
        if (c->mesh.vertices[size * f] % nx % 7 != 3 || c->mesh.vertices[size * f] / nx % 7 != 3 ||
            (size == 3 && f % 2))
            kept.insert(kept.end(), &c->mesh.vertices[size * f], &c->mesh.vertices[size * f] + size);
    c->mesh.vertices.swap(kept);
    c->mesh.counts.resize(c->mesh.vertices.size() / size);
}

void add_holes(bench_case *c)
{
    dice d = dice_of(1);
    for (int f = 0; f < (int)c->mesh.counts.size(); f++)
        if (dice_one_in(&d, 50))
            c->holes.push_back(f);
}

/* A value for each vertex and chart that it is in: seams all around every chart. */
void add_uvs(bench_case *c, int nx, int ny, size_t size)
{
    const int across = (nx + chart - 1) / chart, side = chart + 1, quads_per = size == 3 ? 2 : 1;
    c->uvs.assign((size_t)across * (size_t)((ny + chart - 1) / chart) * (size_t)(2 * side * side), 0);
    for (size_t k = 0; k < c->mesh.vertices.size(); k++) {
        const int q = (int)(k / size) / quads_per, i = q % nx, j = q / nx, v = c->mesh.vertices[k];
        const int right = v % nx != i, up = v / nx != j, x = i % chart + right, y = j % chart + up;
        const int row = ((j / chart * across + i / chart) * side + y) * side + x;
        c->uv_indices.push_back(row);
        c->uvs[2 * (size_t)row] = (float)(i + right) / (float)nx;
        c->uvs[2 * (size_t)row + 1] = (float)(j + up) / (float)ny;
    }
    c->include |= SDD_UVS;
}

std::vector<bench_case> cases_of(int64_t faces, int scheme)
{
    const bool triangles = scheme == SDD_SCHEME_LOOP;
    const size_t size = triangles ? 3 : 4;
    const thesis::model plain = thesis::model_torus(faces, triangles);
    const int64_t quads = triangles ? faces / 2 : faces;
    const int nx = (int)std::sqrt((double)quads), ny = (int)(quads / nx);
    std::vector<bench_case> all(7);
    static const char *const names[] = {
        "plain",          "5 % creases", "creases, holes", "creases, boundaries", "UVs cornersPlus1",
        "UVs boundaries", "UVs all"};
    static const int modes[] = {SDD_FVAR_CORNERS_PLUS1, SDD_FVAR_BOUNDARIES, SDD_FVAR_ALL};
    for (size_t i = 0; i < all.size(); i++) {
        all[i].name = names[i];
        all[i].mesh = plain;
        if (i > 0 && i < 4)
            add_creases(&all[i], nx, ny);
        if (i >= 4)
            add_uvs(&all[i], nx, ny, size);
    }
    add_holes(&all[2]);
    open_boundaries(&all[3], nx, size);
    all[3].per_vertex = true;
    for (size_t i = 0; i < all.size(); i++) {
        bench_case &c = all[i];
        c.desc = c.mesh.desc(scheme);
        c.desc.n_creases = (int64_t)c.sharpness.size();
        c.desc.crease_edges = c.creases.data();
        c.desc.crease_sharpness = c.sharpness.data();
        c.desc.n_holes = (int64_t)c.holes.size();
        c.desc.hole_faces = c.holes.data();
        c.desc.n_uvs = (int64_t)c.uvs.size() / 2;
        c.desc.uv_indices = c.uv_indices.data();
        c.desc.options.fvar = i < 4 ? SDD_FVAR_ALL : modes[i - 4];
    }
    return all;
}

struct resident {
    sdd_topology *topology = nullptr;
    sdd_mesh *mesh = nullptr;
    sdd_error err = {};
};

resident upload(sdd_device *device, const bench_case &c)
{
    resident r;
    if (sdd_topology_create(device, &c.desc, &r.topology, &r.err) != SDD_OK ||
        sdd_mesh_create(r.topology, c.mesh.points.data(), c.uvs.data(), &r.mesh, &r.err) != SDD_OK)
        oracle_die("%s: %s", c.name.c_str(), r.err.text);
    return r;
}

struct figure {
    double ms = 0, ratio = 1; /* to the plain one: the median of the rounds' ratios, for what slows a round slows all */
    int64_t n_vertices = 0;
    std::string refused;
};

std::vector<figure> measure(std::vector<resident> &meshes, const std::vector<bench_case> &cases, const char *method,
                            int level, cooler *cool)
{
    std::vector<std::vector<double>> times(cases.size());
    std::vector<figure> out(cases.size());
    for (int run = -1; run < runs; run++)
        for (size_t i = 0; i < cases.size(); i++) {
            if (!out[i].refused.empty())
                continue;
            sdd_refine_request r = {};
            r.level = level;
            r.include = cases[i].include;
            r.method = method;
            sdd_result *result = nullptr;
            sdd_error err = {};
            cooler_run(cool);
            if (refine_once(meshes[i].mesh, &r, &result, &err) != SDD_OK) {
                out[i].refused = err.text;
                continue;
            }
            if (run >= 0)
                times[i].push_back(sdd_result_info(result)->refine_seconds * 1e3);
            out[i].n_vertices = sdd_result_info(result)->plan.n_vertices;
            sdd_result_free(result);
        }
    for (size_t i = cases.size(); i-- > 0 && out[0].refused.empty();) {
        if (!out[i].refused.empty())
            continue;
        const double per = cases[i].per_vertex ? (double)out[0].n_vertices / (double)out[i].n_vertices : 1;
        double ratios[runs];
        for (size_t k = 0; k < runs; k++)
            ratios[k] = times[i][k] / times[0][k] * per;
        out[i].ratio = median(ratios, runs);
        out[i].ms = median(times[i].data(), runs); /* sorts them: the plain one last */
    }
    return out;
}

/* Ratios to the plain torus; under each row the same for programs. */
void print_row(const char *device, const std::string &method, int64_t faces, int level,
               const std::vector<bench_case> &cases, const std::vector<figure> &f)
{
    std::string json;
    printf("  %-22s %7lld %d %9lld %9.3f", method.c_str(), (long long)faces, level, (long long)f[0].n_vertices,
           f[0].ms);
    for (size_t i = 1; i < f.size(); i++) {
        if (!f[i].refused.empty()) {
            printf("       -");
            continue;
        }
        printf(" %7.2f", f[i].ratio);
        json += ",\"" + cases[i].name + "\":" + std::to_string(f[i].ratio);
    }
    printf("\n{\"bench\":\"options\",\"device\":\"%s\",\"row\":\"%s\",\"faces\":%lld,\"level\":%d,"
           "\"plain_ms\":%.4f%s}\n",
           device, method.c_str(), (long long)faces, level, f[0].ms, json.c_str());
}

/* Levels while the result is not larger than the device is good for. */
void measure_torus(sdd_device *device, const char *method, int scheme, int64_t faces, int64_t most, cooler *cool)
{
    const std::vector<bench_case> cases = cases_of(faces, scheme);
    const std::string row = std::string(method) + (scheme == SDD_SCHEME_LOOP ? ", loop" : "");
    std::vector<resident> meshes;
    struct sdd_device_info info;
    sdd_device_info(device, &info);
    for (const bench_case &c : cases)
        meshes.push_back(upload(device, c));
    std::vector<figure> f;
    if (strcmp(method, "mesh-matrix-spla") == 0)
        most /= 16; /* the reference has other aims */
    for (int level = 1; level <= last_level && (faces << (2 * level)) < most; level++) {
        f = measure(meshes, cases, method, level, cool);
        if (f[0].refused.empty())
            print_row(info.name, row, faces, level, cases, f);
    }
    for (size_t i = 0; i < f.size(); i++)
        if (!f[i].refused.empty())
            printf("  skip: %s, %s: %s\n", row.c_str(), cases[i].name.c_str(), f[i].refused.c_str());
    for (const resident &r : meshes) {
        sdd_mesh_free(r.mesh);
        sdd_topology_unref(r.topology);
    }
}

void measure_device(const char *backend, const std::vector<std::string> &methods)
{
    const sdd_device_config config = {backend, test_module_path(), 0, 0, 0, 0};
    const bool gpu = strcmp(backend, "cuda") == 0;
    sdd_device *device = nullptr;
    sdd_error err = {};
    cooler cool;
    if (sdd_device_open(&config, &device, &err) != SDD_OK) {
        printf("skip: %s: %s\n", backend, err.text);
        return;
    }
    cooler_open(&cool, device, (int64_t)1 << (gpu ? 28 : 26));
    const char *text = getenv("FACES");
    const int64_t only = text ? strtoll(text, nullptr, 10) : 0;
    for (int64_t faces : {3000, 50000, 800000})
        for (int scheme : {SDD_SCHEME_CATMULL_CLARK, SDD_SCHEME_LOOP})
            for (int row = 0; const sdd_engine_info *e = !only || only == faces ? sdd_engine(row) : nullptr; row++)
                if (methods.empty() || std::count(methods.begin(), methods.end(), e->name))
                    measure_torus(device, e->name, scheme, faces, gpu ? 30000000 : 4000000, &cool);
    cooler_close(&cool);
    sdd_device_close(device);
}

} // namespace

int main(int argc, char **argv)
{
    printf("time of the plain torus, and how many times that the others take (with boundaries: a refined vertex);\n"
           "UVs: positions with UVs over positions alone, in charts of %d x %d faces\n"
           "  %-22s %7s L %9s %9s %7s %7s %7s %7s %7s %7s\n",
           chart, chart, "engine", "faces", "vertices", "ms", "creases", "+holes", "+open", "plus1", "bounds", "all");
    const char *backend = getenv("SUBDD_TEST_BACKEND");
    for (const char *each : {"cpu", "cuda"})
        if (!backend || !*backend || strcmp(backend, each) == 0)
            measure_device(each, std::vector<std::string>(argv + 1, argv + argc));
    return 0;
}
