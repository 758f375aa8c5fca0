/* SPDX-License-Identifier: Apache-2.0 */
/* test_osd_patches.cc: sdd_patches against OpenSubdiv's RefineAdaptive and PatchTable (infinitely sharp patches on, no
 * end caps): the same regular patches at the same places, with the same boundaries, transitions and control points. But
 * OpenSubdiv judges the faces of the last level one by one: those at semi-sharp features that have not decayed are
 * patches too, as if they were smooth, and so are those on the regular side of an infinitely sharp crease at a vertex
 * whose other side is irregular. Ours are left as faces there. */
#include "tests/env.h"
#include "tests/oracle/cases.h"
#include "tests/oracle/osd_refiner.h"
#include <cmath>
#include <csetjmp>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <opensubdiv/far/patchTableFactory.h>
#include <opensubdiv/far/primvarRefiner.h>
#include <set>
#include <tuple>
#include <vector>
extern "C" {
#include <cmocka.h>
}

using namespace OpenSubdiv;
using vec3 = osd_vec<3>;

namespace
{

constexpr double close = 2e-6;                                         /* of the bounding box */
using place = std::tuple<int, uint32_t, uint32_t, uint32_t, uint32_t>; /* level, face, corner, u, v */
struct patch {
    uint32_t boundary, transition;
    vec3 p[16];
};
using patches = std::map<place, patch>;

sdd_device *device;
int64_t n_same, n_only_theirs;

/* OpenSubdiv counts ptex faces: one a quad, else one a corner. */
std::vector<std::pair<uint32_t, uint32_t>> parents_of(const sdd_mesh_desc &d)
{
    std::vector<std::pair<uint32_t, uint32_t>> out;
    for (int64_t f = 0; f < d.n_faces; f++)
        for (uint32_t k = 0; k < (d.face_counts[f] == 4 ? 1u : (uint32_t)d.face_counts[f]); k++)
            out.push_back({(uint32_t)f, k});
    return out;
}

std::vector<vec3> points_of(const Far::TopologyRefiner &r, const shape &s)
{
    std::vector<vec3> p((size_t)r.GetNumVerticesTotal());
    for (size_t i = 0; i < (size_t)s.desc.n_vertices * 3; i++)
        p[i / 3].x[i % 3] = (double)s.points[i];
    Far::PrimvarRefinerReal<double> primvar(r);
    vec3 *from = p.data();
    for (int level = 1; level <= r.GetMaxLevel(); level++) {
        vec3 *to = from + r.GetLevel(level - 1).GetNumVertices();
        primvar.Interpolate(level, from, to);
        from = to;
    }
    return p;
}

patches theirs_of(const shape &s, int level)
{
    osd_refiner_ptr r = osd_refiner(&s.desc, false);
    Far::PatchTableFactory::Options o((unsigned)level);
    o.useInfSharpPatch = true;
    o.generateLegacySharpCornerPatches = false;
    o.SetEndCapType(Far::PatchTableFactory::Options::ENDCAP_NONE);
    r->RefineAdaptive(o.GetRefineAdaptiveOptions());
    std::unique_ptr<const Far::PatchTable> table(Far::PatchTableFactory::Create(*r, o));
    std::vector<vec3> p = points_of(*r, s);
    auto parents = parents_of(s.desc);
    patches out;
    for (int a = 0; a < table->GetNumPatchArrays(); a++)
        for (int k = 0; k < table->GetNumPatches(a); k++) {
            const Far::PatchParam at = table->GetPatchParam(a, k);
            if (table->GetPatchArrayDescriptor(a).GetType() != Far::PatchDescriptor::REGULAR || !at.IsRegular())
                continue;
            auto [face, corner] = parents[(size_t)at.GetFaceId()];
            patch one = {(uint32_t)at.GetBoundary(), (uint32_t)at.GetTransition(), {}};
            Far::ConstIndexArray v = table->GetPatchVertices(a, k);
            for (int i = 0; i < 16; i++)
                one.p[i] = p[(size_t)(v[i] < 0 ? v[5] : v[i])];
            out[{at.GetDepth(), face, corner, at.GetU(), at.GetV()}] = one;
        }
    return out;
}

patches ours_of(sdd_mesh *m, int level, std::set<place> *left)
{
    const sdd_patches_request r = {level, SDD_SURFACE_REFINED, 0, nullptr};
    sdd_error err = {};
    sdd_result *result;
    if (sdd_patches(m, &r, &result, &err))
        fail_msg("%s", err.text);
    const sdd_block *b = sdd_result_info(result)->plan.blocks;
    const float *point = (const float *)b[0].data;
    const uint32_t *row = (const uint32_t *)b[1].data, *param = (const uint32_t *)b[2].data;
    patches out;
    for (int64_t k = 0; k < b[1].count; k++, row += 16, param += 4) {
        patch one = {param[3] >> 4 & 15, param[3] >> 8 & 15, {}};
        for (int i = 0; i < 48; i++)
            one.p[i / 3].x[i % 3] = (double)point[3 * (size_t)row[i / 3] + (size_t)(i % 3)];
        out[{(int)(param[3] & 15), param[0], param[1], param[2] & 0xffff, param[2] >> 16}] = one;
    }
    param = (const uint32_t *)b[4].data;
    for (int64_t k = 0; k < b[4].count; k++, param += 4)
        left->insert({(int)(param[3] & 15), param[0], param[1], param[2] & 0xffff, param[2] >> 16});
    sdd_result_free(result);
    return out;
}

/* Points beyond a boundary are made up. */
bool is_made_up(uint32_t boundary, int i)
{
    return (boundary & 1 && i < 4) || (boundary & 4 && i >= 12) || (boundary & 8 && i % 4 == 0) ||
           (boundary & 2 && i % 4 == 3);
}

void same(const shape &s, int level, const place &at, const patch &a, const patch &b)
{
    if (a.boundary != b.boundary)
        fail_msg("%s level %d: boundary %x, not %x, of patch (%d, %u, %u, %u, %u)", s.name, level, a.boundary,
                 b.boundary, std::get<0>(at), std::get<1>(at), std::get<2>(at), std::get<3>(at), std::get<4>(at));
    if (a.transition != b.transition)
        fail_msg("%s level %d: transition %x, not %x, of patch (%d, %u, %u, %u, %u)", s.name, level, a.transition,
                 b.transition, std::get<0>(at), std::get<1>(at), std::get<2>(at), std::get<3>(at), std::get<4>(at));
    for (int i = 0; i < 16; i++)
        for (int x = 0; x < 3 && !is_made_up(a.boundary, i); x++)
            if (!(fabs(a.p[i].x[x] - b.p[i].x[x]) <= close * (s.diagonal > 0 ? s.diagonal : 1)))
                fail_msg("%s level %d: control point %d of patch (%d, %u, %u, %u, %u) is %g, not %g", s.name, level, i,
                         std::get<0>(at), std::get<1>(at), std::get<2>(at), std::get<3>(at), std::get<4>(at),
                         a.p[i].x[x], b.p[i].x[x]);
    n_same++;
}

void check_level(const shape &s, sdd_mesh *m, int level)
{
    std::set<place> left;
    patches ours = ours_of(m, level, &left), theirs = theirs_of(s, level);
    int64_t only_theirs = 0;
    for (auto &[at, one] : ours) {
        auto found = theirs.find(at);
        if (found == theirs.end())
            fail_msg("%s level %d: a patch of level %d in face %u is ours alone", s.name, level, std::get<0>(at),
                     std::get<1>(at));
        same(s, level, at, one, found->second);
    }
    for (auto &[at, one] : theirs)
        if (ours.find(at) == ours.end()) {
            only_theirs++;
            if (std::get<0>(at) != level || left.find(at) == left.end() ||
                (s.desc.n_creases == 0 && s.desc.n_corner_tags == 0))
                fail_msg("%s level %d: a patch of level %d in face %u is OpenSubdiv's alone", s.name, level,
                         std::get<0>(at), std::get<1>(at));
        }
    n_only_theirs += only_theirs;
}

void test_shape(void **state)
{
    shape s;
    sdd_error err = {};
    sdd_topology *t = nullptr;
    sdd_mesh *m = nullptr;
    if (shape_load(test_shapes_dir(), (const char *)*state, &s, &err) ||
        sdd_topology_create(device, &s.desc, &t, &err) || sdd_mesh_create(t, s.points, s.uvs, &m, &err))
        fail_msg("%s", err.text);
    for (int level = 1; level <= 4; level++)
        if (s.desc.n_corners << (2 * level) < 100000)
            check_level(s, m, level);
    sdd_mesh_free(m);
    sdd_topology_unref(t);
    shape_free(&s);
}

void test_figures(void **)
{
    print_message("%lld patches in both, %lld in OpenSubdiv's alone, on the last level\n", (long long)n_same,
                  (long long)n_only_theirs);
    assert_true(n_same > 10000);
}

} // namespace

int main()
{
    size_t n;
    char **names = shape_list(test_shapes_dir(), &n);
    std::vector<CMUnitTest> tests;
    for (size_t i = 0; i < n; i++)
        tests.push_back({names[i], test_shape, nullptr, nullptr, names[i]});
    tests.push_back({"figures", test_figures, nullptr, nullptr, nullptr});
    device = open_device(1);
    int failed = _cmocka_run_group_tests("patches against OpenSubdiv", tests.data(), tests.size(), nullptr, nullptr);
    sdd_device_close(device);
    shape_list_free(names);
    return failed;
}
