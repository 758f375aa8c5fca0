/* SPDX-License-Identifier: Apache-2.0 */
/* bench_patches.cc: table 6.5 of the mesh matrix thesis (Mlakar 2018): feature-adaptive Catmull-Clark to level 6 of
 * meshes of some thousand faces. OpenSubdiv's RefineAdaptive + stencil table + evaluation, and its patch table, against
 * sdd_patches, which makes all of that in one call; beside both the topology, built anew. Real meshes come from
 * $SUBDD_SHARED/data; one is made: a torus of triangles, each cut into three quads, irregular everywhere.
 *
 * SUBDD_TEST_BACKEND names the device. Ours is wall time of the call (copies to the host are in it), and the device's.
 * Medians of 11 after a warm-up. Checked first: as many regular patches as OpenSubdiv makes. */
#include "tests/bench/thesis.h"
#include "tests/env.h"
#include "tests/oracle/osd_refiner.h"
#include "tests/oracle/refined.h"
#include "tests/refine_once.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <opensubdiv/far/patchTableFactory.h>
#include <opensubdiv/far/stencilTableFactory.h>
#include <opensubdiv/osd/cpuEvaluator.h>
#include <opensubdiv/osd/cpuVertexBuffer.h>

using namespace OpenSubdiv;
using thesis::model;

namespace
{

constexpr int runs = 11, level = 6;

double median_of(const std::function<double()> &once)
{
    double ms[runs];
    (void)once();
    for (double &t : ms)
        t = once();
    return median(ms, runs);
}

struct theirs {
    double topology, refine, stencils, eval, patches;
    int64_t n_patches, bytes;
};

theirs measure_osd(const sdd_mesh_desc &d, const float *points)
{
    theirs best = {};
    double all[runs][5];
    for (int run = -1; run < runs; run++) {
        theirs t = {};
        double at[6] = {now_ms()};
        osd_refiner_ptr r = osd_refiner(&d, false);
        at[1] = now_ms();
        Far::PatchTableFactory::Options o(level);
        o.useInfSharpPatch = true;
        o.generateLegacySharpCornerPatches = false;
        o.SetEndCapType(Far::PatchTableFactory::Options::ENDCAP_NONE);
        r->RefineAdaptive(o.GetRefineAdaptiveOptions());
        at[2] = now_ms();
        Far::StencilTableFactory::Options so;
        so.generateIntermediateLevels = true;
        so.generateOffsets = true;
        std::unique_ptr<const Far::StencilTable> s(Far::StencilTableFactory::Create(*r, so));
        at[3] = now_ms();
        std::unique_ptr<const Far::PatchTable> p(Far::PatchTableFactory::Create(*r, o));
        at[4] = now_ms();
        const int n = (int)d.n_vertices;
        std::unique_ptr<Osd::CpuVertexBuffer> from(Osd::CpuVertexBuffer::Create(3, n)),
            to(Osd::CpuVertexBuffer::Create(3, s->GetNumStencils()));
        from->UpdateData(points, 0, n);
        const Osd::BufferDescriptor three(0, 3, 3);
        Osd::CpuEvaluator::EvalStencils(from.get(), three, to.get(), three, s.get()); /* its pages are fresh */
        double start = now_ms();
        Osd::CpuEvaluator::EvalStencils(from.get(), three, to.get(), three, s.get());
        at[5] = now_ms() - start;
        for (int k = 0; k < 4 && run >= 0; k++)
            all[run][k] = at[k + 1] - at[k];
        if (run >= 0)
            all[run][4] = at[5];
        for (const Far::PatchParam &at : p->GetPatchParamTable())
            t.n_patches += at.IsRegular();
        t.bytes = (int64_t)s->GetControlIndices().size() * 8 + (int64_t)s->GetNumStencils() * 20 +
                  (int64_t)p->GetPatchControlVerticesTable().size() * 4;
        best = t;
    }
    double column[5];
    for (int k = 0; k < 5; k++) {
        double one[runs];
        for (int run = 0; run < runs; run++)
            one[run] = all[run][k];
        column[k] = median(one, runs);
    }
    best.topology = column[0], best.refine = column[1], best.stencils = column[2], best.patches = column[3];
    best.eval = column[4];
    return best;
}

struct ours {
    double topology, call, device;
    int64_t n_patches, n_faces, device_bytes, host_bytes, n_launches;
};

ours measure_ours(sdd_device *device, const sdd_mesh_desc &d, const float *points)
{
    ours o = {};
    sdd_error err = {};
    sdd_topology *t = nullptr;
    sdd_mesh *m = nullptr;
    o.topology = median_of([&] {
        sdd_mesh_free(m);
        sdd_topology_unref(t);
        double start = now_ms();
        if (sdd_topology_create(device, &d, &t, &err) || sdd_mesh_create(t, points, nullptr, &m, &err))
            oracle_die("%s", err.text);
        return now_ms() - start;
    });
    std::vector<double> on_device;
    o.call = median_of([&] {
        const sdd_patches_request r = {level, SDD_SURFACE_REFINED, 0, nullptr};
        sdd_result *result;
        double start = now_ms();
        if (sdd_patches(m, &r, &result, &err))
            oracle_die("%s", err.text);
        double ms = now_ms() - start;
        const struct sdd_result_info *info = sdd_result_info(result);
        on_device.push_back(info->refine_seconds * 1e3);
        o.n_patches = info->plan.blocks[1].count, o.n_faces = info->plan.blocks[3].count;
        o.device_bytes = info->plan.device_bytes, o.host_bytes = info->plan.host_bytes;
        o.n_launches = info->n_launches;
        sdd_result_free(result);
        return ms;
    });
    o.device = median(on_device.data() + 1, (int)on_device.size() - 1);
    sdd_mesh_free(m);
    sdd_topology_unref(t);
    return o;
}

void measure(sdd_device *device, const char *name, const sdd_mesh_desc &d, const float *points)
{
    printf("%s, %lld faces, adaptive to level %d\n", name, (long long)d.n_faces, level);
    theirs t = measure_osd(d, points);
    ours o = measure_ours(device, d, points);
    if (o.n_patches != t.n_patches)
        oracle_die("%s: %lld patches, OpenSubdiv makes %lld; nothing is measured", name, (long long)o.n_patches,
                   (long long)t.n_patches);
    double all = t.refine + t.stencils + t.eval, with_patches = all + t.patches;
    printf("  OpenSubdiv %9.2f ms: refine %.2f + stencils %.2f + evaluation %.2f; with patch table %.2f ms; topology "
           "%.2f ms; %.2f MB\n",
           all, t.refine, t.stencils, t.eval, with_patches, t.topology, (double)t.bytes * 1e-6);
    printf("  ours       %9.2f ms,%s, with patch table%s; on the device %.2f ms in %lld launches; topology %.2f ms; "
           "%.2f MB on the device, %.2f MB result\n",
           o.call, thesis::times(all, o.call).c_str(), thesis::times(with_patches, o.call).c_str(), o.device,
           (long long)o.n_launches, o.topology, (double)o.device_bytes * 1e-6, (double)o.host_bytes * 1e-6);
    printf("  %lld patches in both, %lld faces are left\n", (long long)o.n_patches, (long long)o.n_faces);
    printf(
        "{\"bench\":\"patches\",\"mesh\":\"%s\",\"faces\":%lld,\"level\":%d,\"peer_ms\":%.3f,\"peer_patches_ms\":%.3f,"
        "\"call_ms\":%.3f,\"device_ms\":%.3f,\"topology_ms\":%.3f,\"device_bytes\":%lld,\"patches\":%lld}\n",
        name, (long long)d.n_faces, level, all, t.patches, o.call, o.device, o.topology, (long long)o.device_bytes,
        (long long)o.n_patches);
}

/* Each triangle cut into three quads: face points of valence 3, vertices of valence 6. */
model split_torus(sdd_device *device, int64_t triangles)
{
    model from = thesis::model_torus(triangles, true), out;
    sdd_mesh_desc d = from.desc(SDD_SCHEME_CATMULL_CLARK);
    sdd_error err = {};
    sdd_topology *t;
    sdd_mesh *m;
    sdd_result *result;
    sdd_refine_request r = {};
    r.level = 1;
    r.include = SDD_POSITIONS | SDD_INDICES;
    if (sdd_topology_create(device, &d, &t, &err) || sdd_mesh_create(t, from.points.data(), nullptr, &m, &err) ||
        refine_once(m, &r, &result, &err))
        oracle_die("%s", err.text);
    const sdd_block *b = sdd_result_info(result)->plan.blocks;
    const float *p = (const float *)b[0].data;
    const uint32_t *q = (const uint32_t *)b[1].data;
    out.points.assign(p, p + 3 * b[0].count);
    out.vertices.assign(q, q + 4 * b[1].count);
    out.counts.assign((size_t)b[1].count, 4);
    sdd_result_free(result);
    sdd_mesh_free(m);
    sdd_topology_unref(t);
    return out;
}

void measure_shared(sdd_device *device, const char *name)
{
    char dir[4096];
    shape s;
    sdd_error err = {};
    if (!test_shared_dir()) {
        printf("skip: no %s here (SUBDD_SHARED)\n", name);
        return;
    }
    snprintf(dir, sizeof dir, "%s/data", test_shared_dir());
    if (shape_load(dir, name, &s, &err)) {
        printf("skip: %s: %s\n", name, err.text);
        return;
    }
    s.desc.n_uvs = 0;
    measure(device, name, s.desc, s.points);
    shape_free(&s);
}

} // namespace

int main()
{
    sdd_error err = {};
    sdd_device *device;
    sdd_device_config config = {};
    const char *backend = getenv("SUBDD_TEST_BACKEND");
    config.backend = backend ? backend : "auto";
    config.module_path = test_module_path();
    if (sdd_device_open(&config, &device, &err)) {
        printf("skip: %s\n", err.text);
        return 0;
    }
    for (const char *name : {"suzanne", "spot_quadrangulated", "spot_control_mesh"})
        measure_shared(device, name);
    for (int64_t triangles : {340, 1300}) {
        model m = split_torus(device, triangles);
        measure(device, "torus of triangles cut into quads", m.desc(SDD_SCHEME_CATMULL_CLARK), m.points.data());
    }
    sdd_device_close(device);
    return 0;
}
