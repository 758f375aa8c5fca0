/* SPDX-License-Identifier: Apache-2.0 */
/* osd.cc: OpenSubdiv's answer, carried over to grid order. */
#include "tests/oracle/osd_refiner.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <vector>
#include <opensubdiv/far/primvarRefiner.h>
#include <opensubdiv/far/topologyDescriptor.h>
#include <opensubdiv/far/topologyRefiner.h>

using namespace OpenSubdiv;

namespace
{

using vec2 = osd_vec<2>;
using vec3 = osd_vec<3>;

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

/* On a boundary tangents count from its leading edge; elsewhere OpenSubdiv's start at any. Bilinear points have none of
 * the surface. */
void tangents_of(const Far::TopologyLevel &l, int v, const vec3 *two, double *out)
{
    for (int i = 0; i < 2; i++) {
        const double *t = two[i].x, length = std::sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
        for (int k = 0; k < 3; k++)
            out[3 * i + k] = v >= 0 && l.IsVertexBoundary(v) ? t[k] / length : NAN;
    }
}

void limits_of(const Far::TopologyRefiner &r, const Far::PrimvarRefinerReal<double> &primvar,
               const std::vector<vec3> &points, const int32_t *map, refined *out)
{
    const Far::TopologyLevel &l = r.GetLevel(r.GetMaxLevel());
    const bool linear = r.GetSchemeType() == Sdc::SCHEME_BILINEAR;
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
        out->normal_ok[id] = manifold && normal_defined(l, map[id]) &&
                             !(linear && l.GetVertexFaces(map[id]).size() > 1) &&
                             refined_normal(s[v].x, t[v].x, magnitude, &out->normals[3 * id]);
        const vec3 two[2] = {s[v], t[v]};
        tangents_of(l, linear ? -1 : map[id], two, &out->tangents[6 * id]);
    }
}

/* The values of one face at row `to` of uvs[][2], its corner `turn` first. */
void add_uvs(const Far::TopologyLevel &l, int f, int turn, const std::vector<vec2> &values, int64_t to, double *uvs)
{
    auto indices = l.GetFaceFVarValues(f);
    for (int k = 0; k < indices.size(); k++)
        for (int x = 0; x < 2; x++)
            uvs[2 * (to + k) + x] = values[(size_t)indices[(k + turn) % indices.size()]].x[x];
}

/* One face of the refined mesh, its corner `turn` first. */
void add_face(const Far::TopologyLevel &l, int f, int turn, const int32_t *back, const std::vector<vec2> &uvs,
              const std::vector<vec2> &limit_uvs, refined *out)
{
    if (l.IsFaceHole(f))
        return;
    int64_t to = out->size * out->n_faces++;
    for (int k = 0; k < out->size; k++)
        out->faces[to + k] = (uint32_t)back[l.GetFaceVertices(f)[(k + turn) % out->size]];
    if (!out->uvs)
        return;
    add_uvs(l, f, turn, uvs, to, out->uvs);
    add_uvs(l, f, turn, limit_uvs, to, out->limit_uvs);
}

/* How the last level stands in grid order. */
struct order {
    std::vector<int32_t> map, back; /* grid id -> vertex, and the other way */
    std::vector<int> face, turn;    /* in the order of the faces            */
};

order quads_of(const Far::TopologyRefiner &r, const grid &g, int level)
{
    order o;
    grid_walk w;
    grid_walk_init(&w, &g);
    walk_levels(r, level, &w);
    const Far::TopologyLevel &last = r.GetLevel(level);
    std::vector<int32_t> verts = face_verts_of(last);
    int32_t *map = grid_walk_map(&w, verts.data(), last.GetNumVertices());
    o.map.assign(map, map + last.GetNumVertices());
    o.face.assign(w.face, w.face + w.n_rows);
    o.turn.assign(w.turn, w.turn + w.n_rows);
    free(map);
    grid_walk_fini(&w);
    return o;
}

struct place { /* of a vertex in a control triangle: steps along the edge after its first corner and before it */
    int64_t i, j;
    bool operator==(const place &) const = default;
};
using place3 = std::array<place, 3>;

/* Child k < 3 of a triangle has its corner k and the middles of the edges there; child 3 has the middles alone. */
void split(const Far::TopologyLevel &l, const Far::TopologyLevel &next, int f, const place3 &p, place3 *places)
{
    auto edges = l.GetFaceEdges(f), verts = l.GetFaceVertices(f), children = l.GetFaceChildFaces(f);
    int32_t mine[6];
    place at[6];
    for (int k = 0; k < 3; k++) {
        const place &a = p[(size_t)k], &b = p[(size_t)(k + 1) % 3];
        mine[k] = l.GetVertexChildVertex(verts[k]);
        at[k] = {2 * a.i, 2 * a.j};
        mine[3 + k] = l.GetEdgeChildVertex(edges[k]);
        at[3 + k] = {a.i + b.i, a.j + b.j};
    }
    static const int corner[4][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {4, 5, 3}};
    for (int k = 0; k < 4; k++)
        for (int c = 0; c < 3; c++) {
            if (next.GetFaceVertices(children[k])[c] != mine[corner[k][c]])
                oracle_die("child %d of triangle %d is another than expected", k, f);
            places[children[k]][(size_t)c] = at[corner[k][c]];
        }
}

order triangles_of(const Far::TopologyRefiner &r, const grid &g, int level)
{
    std::vector<place3> places((size_t)g.n_faces);
    std::vector<int> control((size_t)g.n_faces);
    for (size_t f = 0; f < places.size(); f++) {
        places[f] = {place{0, 0}, place{1, 0}, place{0, 1}};
        control[f] = (int)f;
    }
    for (int n = 0; n < level; n++) {
        const Far::TopologyLevel &l = r.GetLevel(n), &next = r.GetLevel(n + 1);
        std::vector<place3> children((size_t)next.GetNumFaces());
        std::vector<int> child_control(children.size());
        for (int f = 0; f < l.GetNumFaces(); f++) {
            split(l, next, f, places[(size_t)f], children.data());
            for (int c : l.GetFaceChildFaces(f))
                child_control[(size_t)c] = control[(size_t)f];
        }
        places.swap(children);
        control.swap(child_control);
    }
    const Far::TopologyLevel &last = r.GetLevel(level);
    int64_t rows = (int64_t)1 << (2 * level), m = (int64_t)1 << level;
    order o;
    o.map.assign((size_t)last.GetNumVertices(), -1);
    o.face.assign(places.size(), -1);
    o.turn.assign(places.size(), 0);
    for (int f = 0; f < last.GetNumFaces(); f++) {
        const place3 &p = places[(size_t)f];
        for (size_t k = 0; k < 3; k++) {
            int v = last.GetFaceVertices(f)[(int)k];
            int32_t &id = o.map[tri_vertex(&g, level, 3 * control[(size_t)f], p[k].i, p[k].j)];
            if (id >= 0 && id != v)
                oracle_die("a grid vertex is both %d and %d of the witness", id, v);
            id = v;
        }
        int64_t x = std::min({p[0].i, p[1].i, p[2].i}), y = std::min({p[0].j, p[1].j, p[2].j}), at[3][2];
        int64_t sum = p[0].i + p[1].i + p[2].i - 3 * x, row = sum == 1 ? y * m + x : (m - 1 - y) * m + m - 1 - x;
        tri_cell(level, row, at);
        size_t turn = 0;
        while (turn < 3 && !(p[turn] == place{at[0][0], at[0][1]}))
            turn++;
        int64_t to = control[(size_t)f] * rows + row;
        if (turn == 3 || o.face[(size_t)to] >= 0)
            oracle_die("triangle %d has no row of its own", f);
        o.face[(size_t)to] = f;
        o.turn[(size_t)to] = (int)turn;
    }
    for (int v = 0; v < (int)g.n_vertices; v++) { /* those without faces */
        int image = v;
        for (int n = 0; n < level; n++)
            image = r.GetLevel(n).GetVertexChildVertex(image);
        o.map[(size_t)v] = image;
    }
    return o;
}

} // namespace

void osd_refine(const sdd_mesh_desc *desc, const float *points, const float *uvs, int level, refined *out)
{
    bool with_uvs = uvs && desc->n_uvs > 0;
    osd_refiner_ptr r = osd_refiner(desc, with_uvs);
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
    std::vector<vec2> limit_uvs = u; /* bilinear ones are linear; OpenSubdiv rounds their seams with the crease mask */
    if (with_uvs && r->GetSchemeType() != Sdc::SCHEME_BILINEAR)
        primvar.LimitFaceVarying(u, limit_uvs);

    grid g;
    grid_init(&g, desc);
    const Far::TopologyLevel &last = r->GetLevel(level);
    order o = g.triangles ? triangles_of(*r, g, level) : quads_of(*r, g, level);
    if (grid_n_vertices(&g, level) != last.GetNumVertices())
        oracle_die("level %d: %d vertices", level, last.GetNumVertices());
    o.back.assign(o.map.size(), -1);
    for (size_t id = 0; id < o.map.size(); id++)
        o.back[(size_t)o.map[id]] = (int32_t)id;

    *out = refined{};
    out->size = g.triangles ? 3 : 4;
    out->n_vertices = last.GetNumVertices();
    int64_t corners = out->size * last.GetNumFaces();
    out->points = (double *)xalloc(3 * out->n_vertices, sizeof(double));
    out->limits = (double *)xalloc(3 * out->n_vertices, sizeof(double));
    out->normals = (double *)xalloc(3 * out->n_vertices, sizeof(double));
    out->tangents = (double *)xalloc(6 * out->n_vertices, sizeof(double));
    out->normal_ok = (unsigned char *)xalloc(out->n_vertices, 1);
    out->faces = (uint32_t *)xalloc(corners, sizeof(uint32_t));
    out->uvs = with_uvs ? (double *)xalloc(2 * corners, sizeof(double)) : nullptr;
    out->limit_uvs = with_uvs ? (double *)xalloc(2 * corners, sizeof(double)) : nullptr;
    for (int64_t id = 0; id < out->n_vertices; id++)
        for (int k = 0; k < 3; k++)
            out->points[3 * id + k] = p[(size_t)o.map[(size_t)id]].x[k];
    limits_of(*r, primvar, p, o.map.data(), out);
    for (size_t row = 0; row < o.face.size(); row++)
        add_face(last, o.face[row], o.turn[row], o.back.data(), u, limit_uvs, out);
    grid_fini(&g);
}

/* Is each face corner at the vertex once? OpenSubdiv looks a face's second corner up only behind its first one: where
 * the fan has other faces between the two, the first stands for both, and UVs are read there. */
static bool has_its_corners(const Far::TopologyLevel &l, int v)
{
    auto faces = l.GetVertexFaces(v);
    auto corners = l.GetVertexFaceLocalIndices(v);
    for (int i = 0; i < faces.size(); i++)
        for (int k = 0; k < i; k++)
            if (faces[k] == faces[i] && corners[k] == corners[i])
                return false;
    return true;
}

int osd_is_sound(const sdd_mesh_desc *desc)
{
    sdd_mesh_desc plain = *desc;
    plain.n_creases = 0; /* it warns of those that name an edge which it has lost */
    osd_refiner_ptr r = osd_refiner(&plain, false);
    const Far::TopologyLevel &l = r->GetLevel(0);
    bool sound = true;
    for (int e = 0; e < l.GetNumEdges(); e++)
        for (int v : l.GetEdgeVertices(e))
            sound = sound && l.GetVertexEdges(v).FindIndex(e) >= 0;
    for (int v = 0; v < l.GetNumVertices(); v++) {
        int faces = l.GetVertexFaces(v).size(), edges = l.GetVertexEdges(v).size();
        sound = sound && (l.IsVertexNonManifold(v) || edges == faces + l.IsVertexBoundary(v)) && has_its_corners(l, v);
    }
    return sound;
}
