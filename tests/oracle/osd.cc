/* SPDX-License-Identifier: Apache-2.0 */
/* osd.cc: OpenSubdiv's answer, carried over to grid order. */
#include "tests/oracle/osd.h"
#include <cstdlib>
#include <memory>
#include <vector>
#include <opensubdiv/far/primvarRefiner.h>
#include <opensubdiv/far/topologyDescriptor.h>
#include <opensubdiv/far/topologyRefiner.h>

using namespace OpenSubdiv;
using refiner_ptr = std::unique_ptr<Far::TopologyRefiner>;

namespace
{

template <int N> struct vec {
    double x[N];
    void Clear()
    {
        for (double &c : x)
            c = 0;
    }
    void AddWithWeight(const vec &v, double w)
    {
        for (int k = 0; k < N; k++)
            x[k] += w * v.x[k];
    }
};
using vec2 = vec<2>;
using vec3 = vec<3>;

/* OpenSubdiv numbers the boundary rules 0 none, 1 edge only, 2 edge and corner; not USD's order nor the OBJ tag's. */
Sdc::Options options_of(const sdd_options &o)
{
    using S = Sdc::Options;
    static const S::VtxBoundaryInterpolation boundary[] = {S::VTX_BOUNDARY_EDGE_AND_CORNER, S::VTX_BOUNDARY_EDGE_ONLY,
                                                           S::VTX_BOUNDARY_NONE};
    static const S::FVarLinearInterpolation fvar[] = {S::FVAR_LINEAR_CORNERS_PLUS1, S::FVAR_LINEAR_NONE,
                                                      S::FVAR_LINEAR_CORNERS_ONLY,  S::FVAR_LINEAR_CORNERS_PLUS2,
                                                      S::FVAR_LINEAR_BOUNDARIES,    S::FVAR_LINEAR_ALL};
    S out;
    out.SetVtxBoundaryInterpolation(boundary[o.boundary]);
    out.SetFVarLinearInterpolation(fvar[o.fvar]);
    out.SetCreasingMethod(o.crease_method == SDD_CREASE_CHAIKIN ? S::CREASE_CHAIKIN : S::CREASE_UNIFORM);
    out.SetTriangleSubdivision(o.triangle_rule == SDD_TRIANGLE_SMOOTH ? S::TRI_SUB_SMOOTH : S::TRI_SUB_CATMARK);
    return out;
}

refiner_ptr refiner_of(const sdd_mesh_desc *d, bool with_uvs)
{
    if (d->options.scheme != SDD_SCHEME_CATMULL_CLARK)
        oracle_die("only Catmull-Clark is compared");
    Far::TopologyDescriptor t;
    Far::TopologyDescriptor::FVarChannel channel;
    t.numVertices = (int)d->n_vertices;
    t.numFaces = (int)d->n_faces;
    t.numVertsPerFace = d->face_counts;
    t.vertIndicesPerFace = d->face_vertices;
    t.numCreases = (int)d->n_creases;
    t.creaseVertexIndexPairs = d->crease_edges;
    t.creaseWeights = d->crease_sharpness;
    t.numCorners = (int)d->n_corner_tags;
    t.cornerVertexIndices = d->corner_vertices;
    t.cornerWeights = d->corner_sharpness;
    t.numHoles = (int)d->n_holes;
    t.holeIndices = d->hole_faces;
    t.isLeftHanded = d->options.orientation == SDD_LEFT_HANDED;
    if (with_uvs) {
        channel.numValues = (int)d->n_uvs;
        channel.valueIndices = d->uv_indices;
        t.numFVarChannels = 1;
        t.fvarChannels = &channel;
    }
    using factory = Far::TopologyRefinerFactory<Far::TopologyDescriptor>;
    refiner_ptr r(factory::Create(t, factory::Options(Sdc::SCHEME_CATMARK, options_of(d->options))));
    if (!r)
        oracle_die("OpenSubdiv refuses the mesh");
    return r;
}

std::vector<int32_t> face_verts_of(const Far::TopologyLevel &l)
{
    std::vector<int32_t> out;
    out.reserve((size_t)l.GetNumFaceVertices());
    for (int f = 0; f < l.GetNumFaces(); f++)
        for (int v : l.GetFaceVertices(f))
            out.push_back(v);
    return out;
}

void walk_levels(const Far::TopologyRefiner &r, int level, grid_walk *w)
{
    std::vector<int32_t> verts = face_verts_of(r.GetLevel(0));
    for (int n = 0; n < level; n++) {
        const Far::TopologyLevel &l = r.GetLevel(n);
        std::vector<int32_t> child_verts = face_verts_of(r.GetLevel(n + 1)), first{0}, child, image;
        for (int f = 0; f < l.GetNumFaces(); f++) {
            first.push_back(first.back() + l.GetFaceVertices(f).size());
            for (int c : l.GetFaceChildFaces(f))
                child.push_back(c);
        }
        for (int v = 0; v < l.GetNumVertices(); v++)
            image.push_back(l.GetVertexChildVertex(v));
        const walk_level step = {first.data(), verts.data(), child.data(), image.data(), child_verts.data()};
        grid_walk_step(w, &step);
        verts.swap(child_verts);
    }
}

template <class T> std::vector<T> load(const float *data, int64_t n)
{
    std::vector<T> out((size_t)n);
    constexpr size_t k = sizeof out[0].x / sizeof out[0].x[0];
    for (size_t i = 0; i < out.size(); i++)
        for (size_t c = 0; c < k; c++)
            out[i].x[c] = (double)data[k * i + c];
    return out;
}

/* A vertex with faces, and so one at every bad edge, is non-manifold to OpenSubdiv. */
bool is_manifold(const Far::TopologyLevel &l)
{
    for (int v = 0; v < l.GetNumVertices(); v++)
        if (l.IsVertexNonManifold(v) && l.GetVertexFaces(v).size() > 0)
            return false;
    return true;
}

/* Where a limit normal is defined (SEMANTICS.md, end of section 4) and its tangents have not collapsed. */
bool normal_defined(const Far::TopologyLevel &l, int v)
{
    int n = l.GetVertexFaces(v).size();
    if (n == 0 || l.IsVertexNonManifold(v))
        return false;
    switch (l.GetVertexRule(v)) {
    case Sdc::Crease::RULE_SMOOTH:
    case Sdc::Crease::RULE_DART: return n != 2;
    case Sdc::Crease::RULE_CREASE: return l.IsVertexBoundary(v);
    default: return n == 1;
    }
}

void limits_of(const Far::TopologyRefiner &r, const Far::PrimvarRefinerReal<double> &primvar,
               const std::vector<vec3> &points, const int32_t *map, refined *out)
{
    const Far::TopologyLevel &l = r.GetLevel(r.GetMaxLevel());
    std::vector<vec3> limit(points.size()), s(points.size()), t(points.size());
    double magnitude = refined_magnitude(out->points, out->n_vertices);
    bool manifold = is_manifold(r.GetLevel(0));
    if (manifold)
        primvar.Limit(points, limit, s, t);
    else
        primvar.Limit(points, limit);
    for (int64_t id = 0; id < out->n_vertices; id++) {
        size_t v = (size_t)map[id];
        for (int k = 0; k < 3; k++)
            out->limits[3 * id + k] = limit[v].x[k];
        out->normal_ok[id] =
            manifold && normal_defined(l, map[id]) && refined_normal(s[v].x, t[v].x, magnitude, &out->normals[3 * id]);
    }
}

void faces_of(const Far::TopologyLevel &l, const grid_walk &w, const int32_t *map, const std::vector<vec2> &uvs,
              refined *out)
{
    std::vector<int32_t> back((size_t)out->n_vertices);
    for (int64_t id = 0; id < out->n_vertices; id++)
        back[(size_t)map[id]] = (int32_t)id;
    for (int64_t row = 0; row < w.n_rows; row++) {
        int f = w.face[row];
        if (l.IsFaceHole(f))
            continue;
        for (int k = 0; k < 4; k++) {
            int at = (k + w.turn[row]) & 3;
            int64_t to = 4 * out->n_faces + k;
            out->faces[to] = (uint32_t)back[(size_t)l.GetFaceVertices(f)[at]];
            if (!out->uvs)
                continue;
            const vec2 &uv = uvs[(size_t)l.GetFaceFVarValues(f)[at]];
            out->uvs[2 * to] = uv.x[0];
            out->uvs[2 * to + 1] = uv.x[1];
        }
        out->n_faces++;
    }
}

} // namespace

void osd_refine(const sdd_mesh_desc *desc, const float *points, const float *uvs, int level, refined *out)
{
    bool with_uvs = uvs && desc->n_uvs > 0;
    refiner_ptr r = refiner_of(desc, with_uvs);
    Far::TopologyRefiner::UniformOptions options(level);
    options.fullTopologyInLastLevel = true;
    r->RefineUniform(options);

    Far::PrimvarRefinerReal<double> primvar(*r);
    std::vector<vec3> p = load<vec3>(points, desc->n_vertices);
    std::vector<vec2> u = load<vec2>(uvs, with_uvs ? desc->n_uvs : 0);
    for (int n = 1; n <= level; n++) {
        std::vector<vec3> next((size_t)r->GetLevel(n).GetNumVertices());
        primvar.Interpolate(n, p, next);
        p.swap(next);
        if (!with_uvs)
            continue;
        std::vector<vec2> next_uv((size_t)r->GetLevel(n).GetNumFVarValues());
        primvar.InterpolateFaceVarying(n, u, next_uv);
        u.swap(next_uv);
    }

    grid g;
    grid_walk w;
    grid_init(&g, desc);
    grid_walk_init(&w, &g);
    walk_levels(*r, level, &w);
    const Far::TopologyLevel &last = r->GetLevel(level);
    std::vector<int32_t> verts = face_verts_of(last);
    int32_t *map = grid_walk_map(&w, verts.data(), last.GetNumVertices());

    *out = refined{};
    out->n_vertices = last.GetNumVertices();
    out->points = (double *)xalloc(3 * out->n_vertices, sizeof(double));
    out->limits = (double *)xalloc(3 * out->n_vertices, sizeof(double));
    out->normals = (double *)xalloc(3 * out->n_vertices, sizeof(double));
    out->normal_ok = (unsigned char *)xalloc(out->n_vertices, 1);
    out->faces = (uint32_t *)xalloc(4 * w.n_rows, sizeof(uint32_t));
    out->uvs = with_uvs ? (double *)xalloc(8 * w.n_rows, sizeof(double)) : nullptr;
    for (int64_t id = 0; id < out->n_vertices; id++)
        for (int k = 0; k < 3; k++)
            out->points[3 * id + k] = p[(size_t)map[id]].x[k];
    limits_of(*r, primvar, p, map, out);
    faces_of(last, w, map, u, out);
    free(map);
    grid_walk_fini(&w);
    grid_fini(&g);
}
