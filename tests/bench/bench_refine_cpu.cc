/* SPDX-License-Identifier: Apache-2.0 */
/* bench_refine_cpu.cc: breadth-first refine to level 5 on two threads against OpenSubdiv's RefineUniform and
 * PrimvarRefiner in this process, interleaved. OpenSubdiv's base topology and its vertex buffers are made outside its
 * time; ours has the whole call (allocation, engine, digest) beside the engine alone. */
#include "tests/bench/timing.h"
#include "tests/oracle/cases.h"
#include "tests/oracle/osd.h"
#include "tests/refine_once.h"
#include <cstdio>
#include <memory>
#include <vector>
#include <opensubdiv/far/primvarRefiner.h>
#include <opensubdiv/far/topologyDescriptor.h>
#include <opensubdiv/far/topologyRefiner.h>

using namespace OpenSubdiv;

namespace
{

constexpr int level = 5, runs = 15, threads = 2;

struct vertex {
    float x[3];
    void Clear()
    {
        x[0] = x[1] = x[2] = 0;
    }
    void AddWithWeight(const vertex &v, float w)
    {
        for (int k = 0; k < 3; k++)
            x[k] += w * v.x[k];
    }
};

struct peer {
    std::unique_ptr<Far::TopologyRefiner> refiner;
    std::vector<std::vector<vertex>> buffers;
};

std::unique_ptr<Far::TopologyRefiner> base_of(const sdd_mesh_desc &d)
{
    Far::TopologyDescriptor t;
    t.numVertices = (int)d.n_vertices;
    t.numFaces = (int)d.n_faces;
    t.numVertsPerFace = d.face_counts;
    t.vertIndicesPerFace = d.face_vertices;
    Sdc::Options options;
    options.SetVtxBoundaryInterpolation(Sdc::Options::VTX_BOUNDARY_EDGE_AND_CORNER);
    using factory = Far::TopologyRefinerFactory<Far::TopologyDescriptor>;
    return std::unique_ptr<Far::TopologyRefiner>(factory::Create(t, factory::Options(Sdc::SCHEME_CATMARK, options)));
}

double peer_run(const sdd_mesh_desc &d, const float *points, peer *p)
{
    p->refiner = base_of(d);
    p->buffers.resize(level + 1);
    p->buffers[0].resize((size_t)d.n_vertices);
    for (size_t v = 0; v < p->buffers[0].size(); v++)
        p->buffers[0][v] = {{points[3 * v], points[3 * v + 1], points[3 * v + 2]}};
    double start = now_ms();
    p->refiner->RefineUniform(Far::TopologyRefiner::UniformOptions(level));
    double refined = now_ms();
    for (int n = 1; n <= level; n++) /* the first run makes the buffers, later ones find them warm */
        p->buffers[(size_t)n].resize((size_t)p->refiner->GetLevel(n).GetNumVertices());
    double buffers = now_ms();
    Far::PrimvarRefiner primvar(*p->refiner);
    for (int n = 1; n <= level; n++)
        primvar.Interpolate(n, p->buffers[(size_t)n - 1], p->buffers[(size_t)n]);
    return now_ms() - start - (buffers - refined);
}

struct ours {
    double call, engine;
};

ours our_run(sdd_mesh *mesh, int include)
{
    sdd_error err = {};
    sdd_result *result = nullptr;
    sdd_refine_request r = {};
    r.level = level;
    r.include = include;
    r.method = "edge-friend";
    double start = now_ms();
    if (refine_once(mesh, &r, &result, &err) != SDD_OK)
        oracle_die("refine: %s", err.text);
    ours t = {now_ms() - start, sdd_result_info(result)->refine_seconds * 1e3};
    sdd_result_free(result);
    return t;
}

void check(sdd_device *device, const bench_mesh &m)
{
    refined got, want;
    sdd_error err = {};
    if (library_refine(device, "edge-friend", &m.desc, m.points, nullptr, level, &got, &err) != SDD_OK)
        oracle_die("refine: %s", err.text);
    osd_refine(&m.desc, m.points, nullptr, level, &want);
    double diagonal = refined_diagonal(want.points, want.n_vertices);
    if (compare_refined(m.name, &got, &want, diagonal, 0, {1e-5, 1e-5, 5e-3}))
        oracle_die("the results differ; nothing is measured");
    printf("%s to level %d: %lld vertices, %lld faces, equal to OpenSubdiv's\n", m.name, level,
           (long long)want.n_vertices, (long long)want.n_faces);
    refined_free(&got);
    refined_free(&want);
}

} // namespace

int main()
{
    bench_mesh m;
    sdd_error err = {};
    sdd_device *device = nullptr;
    sdd_topology *topology = nullptr;
    sdd_mesh *mesh = nullptr;
    sdd_device_config config = {};
    config.backend = "cpu";
    config.threads = threads;
    bench_mesh_open(&m, "spot_quadrangulated", 61, 48);
    if (sdd_device_open(&config, &device, &err) != SDD_OK ||
        sdd_topology_create(device, &m.desc, &topology, &err) != SDD_OK ||
        sdd_mesh_create(topology, m.points, nullptr, &mesh, &err) != SDD_OK)
        oracle_die("%s", err.text);
    check(device, m);
    double osd[runs], call[runs], engine[runs], call_indices[runs], engine_indices[runs];
    peer p;
    for (int i = -1; i < runs; i++) { /* one round to warm up */
        int at = i < 0 ? 0 : i;
        osd[at] = peer_run(m.desc, m.points, &p);
        ours a = our_run(mesh, SDD_POSITIONS), b = our_run(mesh, SDD_POSITIONS | SDD_INDICES);
        call[at] = a.call;
        engine[at] = a.engine;
        call_indices[at] = b.call;
        engine_indices[at] = b.engine;
    }
    double base = median(osd, runs), c = median(call, runs), e = median(engine, runs);
    double ci = median(call_indices, runs), ei = median(engine_indices, runs);
    printf("  %-52s %9.2f ms\n", "OpenSubdiv RefineUniform + PrimvarRefiner, 1 thread", base);
    printf("  %-52s %9.2f ms  %6.2f x\n", "edge-friend engine, 2 threads: positions", e, base / e);
    printf("  %-52s %9.2f ms  %6.2f x\n", "  the whole call, with allocation and digest", c, base / c);
    printf("  %-52s %9.2f ms  %6.2f x\n", "edge-friend engine: positions and indices", ei, base / ei);
    printf("  %-52s %9.2f ms  %6.2f x\n", "  the whole call", ci, base / ci);
    printf("{\"bench\":\"refine_cpu\",\"mesh\":\"%s\",\"level\":%d,\"threads\":%d,\"runs\":%d,\"osd_ms\":%.3f,\"engine_"
           "ms\":%.3f,"
           "\"call_ms\":%.3f,\"engine_indices_ms\":%.3f,\"call_indices_ms\":%.3f,\"ratio\":%.2f,\"ratio_call\":%.2f}\n",
           m.name, level, threads, runs, base, e, c, ei, ci, base / e, base / c);
    sdd_mesh_free(mesh);
    sdd_topology_unref(topology);
    sdd_device_close(device);
    bench_mesh_close(&m);
    return 0;
}
