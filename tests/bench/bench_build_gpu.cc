/* SPDX-License-Identifier: Apache-2.0 */
/* bench_build_gpu.cc: from nothing to the first frame of a mesh of a million quads: topology build and level 1 on the
 * device that SUBDD_TEST_BACKEND names (default: cuda where there is one), against OpenSubdiv's refine and stencils for
 * the same level on this host. Neither side reads files; both start from the same host arrays.
 * QUADS=n in the environment measures another size. */
#include "tests/env.h"
#include "tests/bench/timing.h"
#include "tests/oracle/refined.h"
#include "tests/refine_once.h"
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>
#include <opensubdiv/far/stencilTableFactory.h>
#include <opensubdiv/far/topologyDescriptor.h>
#include <opensubdiv/far/topologyRefiner.h>

using namespace OpenSubdiv;

namespace
{

constexpr int runs = 11, peer_runs = 3;

struct peer_time {
    double base, refine, stencils;
};

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

/* Vertices by origin, in OpenSubdiv's order: children of faces, edges, vertices have the same places in both. */
peer_time peer_run(const torus &m, std::vector<vertex> *out)
{
    Far::TopologyDescriptor t;
    t.numVertices = (int)m.desc.n_vertices;
    t.numFaces = (int)m.desc.n_faces;
    t.numVertsPerFace = m.desc.face_counts;
    t.vertIndicesPerFace = m.desc.face_vertices;
    Sdc::Options options;
    options.SetVtxBoundaryInterpolation(Sdc::Options::VTX_BOUNDARY_EDGE_AND_CORNER);
    using factory = Far::TopologyRefinerFactory<Far::TopologyDescriptor>;
    double start = now_ms();
    std::unique_ptr<Far::TopologyRefiner> r(factory::Create(t, factory::Options(Sdc::SCHEME_CATMARK, options)));
    double based = now_ms();
    r->RefineUniform(Far::TopologyRefiner::UniformOptions(1));
    double refined = now_ms();
    Far::StencilTableFactory::Options o;
    o.generateIntermediateLevels = false;
    o.generateOffsets = true;
    std::unique_ptr<const Far::StencilTable> stencils(Far::StencilTableFactory::Create(*r, o));
    peer_time time = {based - start, refined - based, now_ms() - refined};
    if (out) {
        std::vector<vertex> points((size_t)m.desc.n_vertices);
        for (size_t v = 0; v < points.size(); v++)
            points[v] = {{m.points[3 * v], m.points[3 * v + 1], m.points[3 * v + 2]}};
        std::vector<vertex> all((size_t)stencils->GetNumStencils());
        stencils->UpdateValues(points, all);
        out->resize(points.size()); /* grid order starts with the images of the control vertices */
        for (int v = 0; v < (int)points.size(); v++)
            (*out)[(size_t)v] = all[(size_t)r->GetLevel(0).GetVertexChildVertex(v)];
    }
    return time;
}

struct our_time {
    double topology, mesh, frame, engine;
    sdd_result *result;
};

our_time our_run(sdd_device *device, const torus &m)
{
    sdd_error err = {};
    sdd_topology *topology = nullptr;
    sdd_mesh *mesh = nullptr;
    our_time t = {};
    sdd_refine_request r = {};
    r.level = 1;
    r.include = SDD_POSITIONS;
    r.method = "auto";
    double start = now_ms();
    if (sdd_topology_create(device, &m.desc, &topology, &err) != SDD_OK)
        oracle_die("topology: %s", err.text);
    double built = now_ms();
    if (sdd_mesh_create(topology, m.points, nullptr, &mesh, &err) != SDD_OK)
        oracle_die("mesh: %s", err.text);
    double loaded = now_ms();
    if (refine_once(mesh, &r, &t.result, &err) != SDD_OK)
        oracle_die("refine: %s", err.text);
    t.frame = now_ms() - loaded;
    t.mesh = loaded - built;
    t.topology = built - start;
    t.engine = sdd_result_info(t.result)->refine_seconds * 1e3;
    sdd_mesh_free(mesh);
    sdd_topology_unref(topology);
    return t;
}

void check(sdd_device *device, const torus &m)
{
    std::vector<vertex> want;
    peer_run(m, &want);
    our_time t = our_run(device, m);
    const float *got = (const float *)sdd_result_info(t.result)->plan.blocks[0].data;
    for (size_t v = 0; v < want.size(); v++)
        for (size_t k = 0; k < 3; k++)
            if (!(std::fabs(got[3 * v + k] - want[v].x[k]) < 1e-4f))
                oracle_die("vertex %zu differs: %g, OpenSubdiv %g; nothing is measured", v, (double)got[3 * v + k],
                           (double)want[v].x[k]);
    sdd_result_free(t.result);
}

} // namespace

int main()
{
    const char *backend = getenv("SUBDD_TEST_BACKEND"), *quads = getenv("QUADS");
    int side = quads ? (int)std::sqrt(strtod(quads, nullptr)) : 1000;
    torus m;
    sdd_error err = {};
    sdd_device *device = nullptr;
    sdd_device_config config = {};
    config.backend = backend && *backend ? backend : "auto";
    config.module_path = test_module_path();
    if (sdd_device_open(&config, &device, &err) != SDD_OK)
        oracle_die("%s", err.text);
    struct sdd_device_info info;
    sdd_device_info(device, &info);
    torus_make(side, side, &m);
    check(device, m);
    double topology[runs], mesh[runs], frame[runs], total[runs], engine[runs], refine[peer_runs], stencils[peer_runs],
        base[peer_runs];
    for (int i = 0; i < runs; i++) {
        if (i % 4 == 0 && i / 4 < peer_runs) { /* interleaved; the peer takes seconds, so fewer times */
            peer_time p = peer_run(m, nullptr);
            base[i / 4] = p.base;
            refine[i / 4] = p.refine;
            stencils[i / 4] = p.stencils;
        }
        our_time t = our_run(device, m);
        topology[i] = t.topology;
        mesh[i] = t.mesh;
        frame[i] = t.frame;
        engine[i] = t.engine;
        total[i] = t.topology + t.mesh + t.frame;
        sdd_result_free(t.result);
    }
    double osd = median(refine, peer_runs) + median(stencils, peer_runs), ours = median(total, runs);
    printf("%lld quads, level 1, on %s (%s)\n", (long long)m.desc.n_faces, info.name, info.backend);
    printf("  OpenSubdiv: refine %.1f ms + stencils %.1f ms = %.1f ms (its base topology, %.1f ms, is not counted)\n",
           median(refine, peer_runs), median(stencils, peer_runs), osd, median(base, peer_runs));
    printf("  subdd: topology %.2f ms + points %.2f ms + first frame %.2f ms (engine %.3f ms) = %.2f ms: 1/%.0f\n",
           median(topology, runs), median(mesh, runs), median(frame, runs), median(engine, runs), ours, osd / ours);
    printf("{\"bench\":\"build_gpu\",\"backend\":\"%s\",\"device\":\"%s\",\"quads\":%lld,\"osd_ms\":%.2f,\"osd_base_"
           "ms\":%.2f,\"topology_ms\":%.3f,"
           "\"points_ms\":%.3f,\"frame_ms\":%.3f,\"engine_ms\":%.3f,\"total_ms\":%.3f,\"ratio\":%.1f}\n",
           info.backend, info.name, (long long)m.desc.n_faces, osd, median(base, peer_runs), median(topology, runs),
           median(mesh, runs), median(frame, runs), median(engine, runs), ours, osd / ours);
    torus_free(&m);
    sdd_device_close(device);
    return 0;
}
