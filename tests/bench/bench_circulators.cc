/* SPDX-License-Identifier: Apache-2.0 */
/* bench_circulators.cc: each vertex goes to the mean of its neighbours, by OpenMesh's circulators and by a step of
 * uniform smoothing, which gathers over rows of VV and looks for boundaries. On a closed grid of a million triangles,
 * row after row and shuffled, on the device that SUBDD_TEST_BACKEND names (default: cuda where there is one; with cpu,
 * OMP_NUM_THREADS says by how many threads). Checked first: both make the same points. Medians of 11, of kernels alone.
 * Without OpenMesh (libopenmesh-dev) it says so. */
#include "tests/bench/timing.h"
#include <cstdio>
#include <cstdlib>
extern "C" {
#include "tests/env.h"
#include "gpu/sdd/sdd_fields.h"
}
#if __has_include(<OpenMesh/Core/Mesh/TriMesh_ArrayKernelT.hh>)
#include <OpenMesh/Core/Mesh/TriMesh_ArrayKernelT.hh>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace
{

constexpr int runs = 11, side = 724;

struct triangles {
    std::vector<int32_t> counts, vertices;
    std::vector<float> points;
};

[[noreturn]] void die(const char *why)
{
    std::fprintf(stderr, "bench_circulators: %s\n", why);
    std::exit(1);
}

/* A torus of quads, each cut in two, whose vertices and faces are in row order or shuffled. */
triangles make(bool shuffled)
{
    torus quads;
    torus_make(side, side, &quads);
    std::vector<int32_t> vertex((size_t)quads.desc.n_vertices), face((size_t)quads.desc.n_faces * 2);
    std::iota(vertex.begin(), vertex.end(), 0);
    std::iota(face.begin(), face.end(), 0);
    std::mt19937 random(1);
    if (shuffled) {
        std::shuffle(vertex.begin(), vertex.end(), random);
        std::shuffle(face.begin(), face.end(), random);
    }
    triangles t{std::vector<int32_t>(face.size(), 3), std::vector<int32_t>(face.size() * 3),
                std::vector<float>(vertex.size() * 3)};
    for (size_t f = 0; f < face.size(); f++)
        for (size_t k = 0; k < 3; k++)
            t.vertices[3 * (size_t)face[f] + k] =
                vertex[(size_t)quads.desc.face_vertices[f / 2 * 4 + (k ? k + f % 2 : 0)]];
    for (size_t v = 0; v < vertex.size(); v++)
        for (size_t k = 0; k < 3; k++)
            t.points[3 * (size_t)vertex[v] + k] = quads.points[3 * v + k];
    torus_free(&quads);
    return t;
}

double time_openmesh(const triangles &t, std::vector<float> *out)
{
    using mesh = OpenMesh::TriMesh_ArrayKernelT<>;
    mesh m;
    for (size_t i = 0; i < t.points.size(); i += 3)
        m.add_vertex(mesh::Point(t.points[i], t.points[i + 1], t.points[i + 2]));
    for (size_t c = 0; c < t.vertices.size(); c += 3)
        m.add_face(mesh::VertexHandle(t.vertices[c]), mesh::VertexHandle(t.vertices[c + 1]),
                   mesh::VertexHandle(t.vertices[c + 2]));
    double ms[runs];
    out->resize(t.points.size());
    for (double &one : ms) {
        const double start = now_ms();
        for (const auto v : m.vertices()) {
            mesh::Point sum(0, 0, 0);
            float n = 0;
            for (auto w = m.cvv_iter(v); w.is_valid(); ++w, n++)
                sum += m.point(*w);
            for (size_t k = 0; k < 3; k++)
                (*out)[3 * (size_t)v.idx() + k] = sum[k] / n;
        }
        one = now_ms() - start;
    }
    return median(ms, runs);
}

/* The time of a step, of twenty. */
double time_ours(sdd_mesh *m, std::vector<float> *out)
{
    double ms[runs];
    sdd_error err = {};
    sdd_values *v;
    sdd_smooth_request r = {};
    r.method = SDD_SMOOTH_UNIFORM;
    r.strength = 1;
    for (double &one : ms) {
        r.iterations = 20;
        if (sdd_smooth(m, &r, nullptr, &v, &err))
            die(err.text);
        one = 1e3 * sdd_values_info(v)->device_seconds / r.iterations;
        sdd_values_free(v);
    }
    r.iterations = 1;
    if (sdd_smooth(m, &r, nullptr, &v, &err))
        die(err.text);
    const struct sdd_values_info *i = sdd_values_info(v);
    out->assign(i->values, i->values + 3 * i->n_rows);
    sdd_values_free(v);
    return median(ms, runs);
}

void bench(sdd_device *d, bool shuffled)
{
    const triangles t = make(shuffled);
    sdd_mesh_desc desc = {};
    desc.n_vertices = (int64_t)t.points.size() / 3;
    desc.n_faces = (int64_t)t.counts.size();
    desc.n_corners = (int64_t)t.vertices.size();
    desc.face_counts = t.counts.data();
    desc.face_vertices = t.vertices.data();
    sdd_topology *topology;
    sdd_mesh *m;
    sdd_error err = {};
    if (sdd_topology_create(d, &desc, &topology, &err) || sdd_mesh_create(topology, t.points.data(), nullptr, &m, &err))
        die(err.text);
    std::vector<float> theirs, ours;
    const double circulators = time_openmesh(t, &theirs), rows = time_ours(m, &ours);
    for (size_t i = 0; i < ours.size(); i++)
        if (std::fabs(ours[i] - theirs[i]) > 1e-4f * (1 + std::fabs(theirs[i])))
            die("the points differ");
    std::printf("  %lld triangles, %-13s circulators %8.2f ms, ours %8.3f ms: %.1f times as fast\n",
                (long long)desc.n_faces, shuffled ? "shuffled:" : "row by row:", circulators, rows, circulators / rows);
    sdd_mesh_free(m);
    sdd_topology_unref(topology);
}

} // namespace

int main()
{
    sdd_device_config config = {};
    struct sdd_device_info info;
    sdd_error err = {};
    sdd_device *d;
    config.backend = std::getenv("SUBDD_TEST_BACKEND");
    config.module_path = test_module_path();
    if (sdd_device_open(&config, &d, &err))
        die(err.text);
    sdd_device_info(d, &info);
    std::printf("%s, %d threads\n", info.name, info.threads);
    bench(d, false);
    bench(d, true);
    sdd_device_close(d);
    return 0;
}
#else
int main()
{
    std::printf("OpenMesh is not installed (deploy/install-deps openmesh)\n");
    return 0;
}
#endif
