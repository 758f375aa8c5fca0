/* SPDX-License-Identifier: Apache-2.0 */
/* bench_thesis.cc: the tables of the mesh matrix thesis (Mlakar 2018, 6.1 to 6.4) on this host: whole subdivisions
 * with a topology that has just changed, OpenSubdiv's refine + stencils + evaluation against ours, of generated meshes
 * of the thesis's sizes. SUBDD_TEST_BACKEND names the device (default: cuda where there is one); on a CPU the sizes
 * are smaller. ROWS=1,5,bee measures those rows alone: by number from 1, or by a part of the name. PEER=0 leaves the
 * peer out, so that there are no ratios.
 *
 * ours: topology build (with its upload), points, and each engine's device time (the time stamps of its queue); what is
 * copied back is not in it. Medians of 7 after a warm-up. */
#include "tests/bench/timing.h"
#include "tests/env.h"
#include "tests/oracle/refined.h"
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>
#include <opensubdiv/far/stencilTableFactory.h>
#include <opensubdiv/far/topologyDescriptor.h>
#include <opensubdiv/far/topologyRefiner.h>
#include <opensubdiv/osd/cpuEvaluator.h>
#include <opensubdiv/osd/cpuVertexBuffer.h>

using namespace OpenSubdiv;

namespace
{

struct row {
    const char *like; /* the thesis's mesh of this size */
    int64_t faces;
    int scheme, level;
    double thesis_osd, thesis_opt, thesis_gb; /* ms, ms, GB on its machine */
};

const row gpu_rows[] = {
    {"archer", 2000, SDD_SCHEME_CATMULL_CLARK, 6, 10060.15, 7.54, 0.31},
    {"coat", 6000, SDD_SCHEME_CATMULL_CLARK, 6, 33599.23, 22.65, 1.06},
    {"archer", 3000, SDD_SCHEME_LOOP, 6, 7934.09, 10.53, 0.39},
    {"coat", 11000, SDD_SCHEME_LOOP, 6, 26409.65, 34.46, 1.36},
    {"Embreea Orchid", 4000000, SDD_SCHEME_CATMULL_CLARK, 1, 3163.18, 8.30, 0.61},
    {"Embreea Orchid", 4000000, SDD_SCHEME_LOOP, 1, 2250.50, 5.21, 0.47},
    {"Eulaema Bee", 17000000, SDD_SCHEME_CATMULL_CLARK, 1, 14259.56, 34.78, 2.59},
    {"Eulaema Bee", 17000000, SDD_SCHEME_LOOP, 1, 10017.07, 21.75, 2.02},
};
const row cpu_rows[] = {
    {"archer", 3000, SDD_SCHEME_CATMULL_CLARK, 5, 0, 0, 0},
    {"archer", 6000, SDD_SCHEME_LOOP, 5, 0, 0, 0},
    {"angel", 200000, SDD_SCHEME_CATMULL_CLARK, 2, 0, 0, 0},
    {"angel", 400000, SDD_SCHEME_LOOP, 2, 0, 0, 0},
};

struct mesh {
    torus base;
    sdd_mesh_desc desc;
    std::vector<int32_t> counts, vertices; /* of the triangles */
};

void mesh_make(const row &r, mesh *m)
{
    bool triangles = r.scheme == SDD_SCHEME_LOOP;
    int64_t quads = triangles ? r.faces / 2 : r.faces;
    int nx = (int)std::sqrt((double)quads), ny = (int)(quads / nx);
    torus_make(nx, ny, &m->base);
    m->desc = m->base.desc;
    m->desc.options.scheme = r.scheme;
    if (!triangles)
        return;
    const int32_t *q = m->base.desc.face_vertices;
    m->counts.assign((size_t)(2 * m->desc.n_faces), 3);
    m->vertices.resize((size_t)(6 * m->desc.n_faces));
    for (size_t f = 0; f < (size_t)m->desc.n_faces; f++) {
        const int32_t v[6] = {q[4 * f], q[4 * f + 1], q[4 * f + 2], q[4 * f], q[4 * f + 2], q[4 * f + 3]};
        memcpy(&m->vertices[6 * f], v, sizeof v);
    }
    m->desc.n_faces *= 2;
    m->desc.n_corners = 3 * m->desc.n_faces;
    m->desc.face_counts = m->counts.data();
    m->desc.face_vertices = m->vertices.data();
}

struct peer {
    double refine, stencils, eval, bytes;
    std::vector<float> images; /* where the control vertices go */
};

peer peer_run(const mesh &m, int level)
{
    Far::TopologyDescriptor t;
    t.numVertices = (int)m.desc.n_vertices;
    t.numFaces = (int)m.desc.n_faces;
    t.numVertsPerFace = m.desc.face_counts;
    t.vertIndicesPerFace = m.desc.face_vertices;
    Sdc::Options options;
    options.SetVtxBoundaryInterpolation(Sdc::Options::VTX_BOUNDARY_EDGE_AND_CORNER);
    auto scheme = m.desc.options.scheme == SDD_SCHEME_LOOP ? Sdc::SCHEME_LOOP : Sdc::SCHEME_CATMARK;
    using factory = Far::TopologyRefinerFactory<Far::TopologyDescriptor>;
    std::unique_ptr<Far::TopologyRefiner> r(factory::Create(t, factory::Options(scheme, options)));
    peer p = {};
    double start = now_ms();
    r->RefineUniform(Far::TopologyRefiner::UniformOptions(level));
    p.refine = now_ms() - start;
    start = now_ms();
    Far::StencilTableFactory::Options o;
    o.generateIntermediateLevels = false;
    o.generateOffsets = true;
    std::unique_ptr<const Far::StencilTable> s(Far::StencilTableFactory::Create(*r, o));
    p.stencils = now_ms() - start;
    p.bytes = 8.0 * (double)s->GetControlIndices().size() + 8.0 * s->GetNumStencils();
    std::unique_ptr<Osd::CpuVertexBuffer> from(Osd::CpuVertexBuffer::Create(3, t.numVertices)),
        to(Osd::CpuVertexBuffer::Create(3, s->GetNumStencils()));
    from->UpdateData(m.base.points, 0, t.numVertices);
    const Osd::BufferDescriptor three(0, 3, 3);
    Osd::CpuEvaluator::EvalStencils(from.get(), three, to.get(), three, s.get()); /* its pages are fresh */
    start = now_ms();
    Osd::CpuEvaluator::EvalStencils(from.get(), three, to.get(), three, s.get());
    p.eval = now_ms() - start;
    for (int v = 0; v < t.numVertices; v++) {
        int image = v;
        for (int n = 0; n < level; n++)
            image = r->GetLevel(n).GetVertexChildVertex(image);
        const float *at = to->BindCpuBuffer() + 3 * (size_t)image;
        p.images.insert(p.images.end(), at, at + 3);
    }
    return p;
}

struct ours {
    double topology, engine;
    int64_t device_bytes, n_vertices;
};

constexpr int runs = 7;

/* A mesh on the device, and how long its topology and points took to get there. */
struct held {
    sdd_topology *topology;
    sdd_mesh *mesh;
    double ms;
};

held hold(sdd_device *device, const mesh &m)
{
    sdd_error err = {};
    held h = {};
    double start = now_ms();
    if (sdd_topology_create(device, &m.desc, &h.topology, &err) ||
        sdd_mesh_create(h.topology, m.base.points, nullptr, &h.mesh, &err))
        oracle_die("mesh: %s", err.text);
    h.ms = now_ms() - start;
    return h;
}

void drop(held *h)
{
    sdd_mesh_free(h->mesh);
    sdd_topology_unref(h->topology);
}

/* One refinement; returns its device time. */
double refine_once(const held &h, const char *method, int level, const std::vector<float> &want, ours *o)
{
    sdd_error err = {};
    sdd_result *result = nullptr;
    sdd_refine_request r = {};
    r.level = level;
    r.include = SDD_POSITIONS;
    r.method = method;
    if (sdd_refine(h.mesh, &r, &result, &err))
        oracle_die("%s: %s", method, err.text);
    const struct sdd_result_info *info = sdd_result_info(result);
    struct sdd_topology_info t;
    sdd_topology_info(h.topology, &t);
    o->device_bytes = t.device_bytes + info->plan.device_bytes;
    o->n_vertices = info->plan.n_vertices;
    double ms = info->refine_seconds * 1e3;
    const float *got = (const float *)info->plan.blocks[0].data;
    for (size_t i = 0; i < want.size(); i++)
        if (!(std::fabs(got[i] - want[i]) < 1e-4f))
            oracle_die("%s: vertex %zu differs from OpenSubdiv's; nothing is measured", method, i / 3);
    sdd_result_free(result);
    return ms;
}

ours our_median(sdd_device *device, const mesh &m, const char *method, int level, const peer &p)
{
    double topology[runs], engine[runs];
    ours o = {};
    held h = hold(device, m);
    refine_once(h, method, level, p.images, &o); /* and warms both up */
    for (double &ms : engine)
        ms = refine_once(h, method, level, {}, &o);
    for (double &ms : topology) {
        drop(&h);
        h = hold(device, m);
        ms = h.ms;
    }
    drop(&h);
    o.topology = median(topology, runs);
    o.engine = median(engine, runs);
    return o;
}

std::string ratio(double theirs, double ours)
{
    char text[32];
    snprintf(text, sizeof text, "%6.0fx", theirs / ours);
    return theirs > 0 ? text : "      -";
}

bool without_peer()
{
    const char *peer = getenv("PEER");
    return peer && strcmp(peer, "0") == 0;
}

/* Is the row, counted from 1, in the list? Everything is in an empty one. */
bool is_chosen(const char *list, size_t number, const char *name)
{
    std::string low;
    for (; *name; name++)
        low += (char)tolower(*name);
    bool any = false;
    for (const char *at = list ? list : ""; *at; at += strspn(at, ",")) {
        std::string item(at, strcspn(at, ","));
        at += item.size();
        for (char &c : item)
            c = (char)tolower(c);
        if (item == std::to_string(number) || (!isdigit(item[0]) && low.find(item) != std::string::npos))
            return true;
        any = true;
    }
    return !any;
}

void measure(sdd_device *device, const row &r)
{
    const bool loop = r.scheme == SDD_SCHEME_LOOP;
    mesh m;
    mesh_make(r, &m);
    peer p = {};
    printf("%s, %lld faces (as %s), level %d", loop ? "Loop" : "Catmull-Clark", (long long)m.desc.n_faces, r.like,
           r.level);
    if (without_peer()) {
        printf(": no peer\n");
    } else {
        p = peer_run(m, r.level);
        printf(": OpenSubdiv refine %.1f + stencils %.1f + evaluation %.1f = %.1f ms\n", p.refine, p.stencils, p.eval,
               p.refine + p.stencils + p.eval);
    }
    double osd = p.refine + p.stencils + p.eval;
    for (int i = 0; sdd_engine_table[i].name; i++) {
        const char *method = sdd_engine_table[i].name;
        if (loop && strcmp(method, "edge-friend") == 0)
            continue;
        ours o = our_median(device, m, method, r.level, p);
        double traffic = 12.0 * (double)(m.desc.n_vertices + o.n_vertices) / (o.engine * 1e6);
        printf("  %-17s %9.3f ms, %s; with topology and points %9.3f ms, %s; %.2f GB; points in and out %.1f GB/s\n",
               method, o.engine, ratio(osd, o.engine).c_str(), o.engine + o.topology,
               ratio(osd, o.engine + o.topology).c_str(), (double)o.device_bytes * 1e-9, traffic);
        printf("{\"bench\":\"thesis\",\"scheme\":\"%s\",\"faces\":%lld,\"level\":%d,\"method\":\"%s\",\"osd_ms\":%.2f,"
               "\"engine_ms\":%.4f,\"topology_ms\":%.3f,\"device_bytes\":%lld}\n",
               loop ? "loop" : "catmullClark", (long long)m.desc.n_faces, r.level, method, osd, o.engine, o.topology,
               (long long)o.device_bytes);
    }
    if (r.thesis_opt > 0)
        printf("  %-17s %9.3f ms, %6.0fx; %.2f GB (Titan X and its host, 2018)\n", "the thesis's opt", r.thesis_opt,
               r.thesis_osd / r.thesis_opt, r.thesis_gb);
    torus_free(&m.base);
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
    const row *rows = cpu ? cpu_rows : gpu_rows;
    size_t n = cpu ? sizeof cpu_rows / sizeof *cpu_rows : sizeof gpu_rows / sizeof *gpu_rows;
    for (size_t i = 0; i < n; i++)
        if (is_chosen(getenv("ROWS"), i + 1, rows[i].like))
            measure(device, rows[i]);
    struct bandwidth b = device_bandwidth(device, cpu ? 64 << 20 : (int64_t)1 << 30);
    printf("the device copies %.0f GB/s, writes %.0f GB/s\n", b.copy, b.write);
    sdd_device_close(device);
    return 0;
}
