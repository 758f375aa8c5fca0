/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/oracle/osd_refiner.h"
#include "tests/oracle/refined.h"
#include <array>
#include <vector>

using namespace OpenSubdiv;

/* OpenSubdiv numbers the boundary rules 0 none, 1 edge only, 2 edge and corner; not USD's order nor the OBJ tag's. */
static Sdc::Options options_of(const sdd_options &o)
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

/* The two edges of a vertex in the i-th of its faces. */
static std::array<int, 2> edges_of(const Far::TopologyLevel &l, int v, int i)
{
    auto edges = l.GetFaceEdges(l.GetVertexFaces(v)[i]);
    int at = l.GetVertexFaceLocalIndices(v)[i];
    return {edges[at], edges[(at + edges.size() - 1) % edges.size()]};
}

/* Goes over the fan of the i-th face of a vertex, and notes the non-manifold edges where it ends. */
static void walk_fan(const Far::TopologyLevel &l, int v, int i, std::vector<bool> *seen, std::vector<int> *ends)
{
    (*seen)[(size_t)i] = true;
    for (int e : edges_of(l, v, i)) {
        if (l.IsEdgeNonManifold(e))
            ends->push_back(e);
        for (int k = 0; k < (int)seen->size() && !l.IsEdgeNonManifold(e); k++)
            if (!(*seen)[(size_t)k] && (edges_of(l, v, k)[0] == e || edges_of(l, v, k)[1] == e))
                walk_fan(l, v, k, seen, ends);
    }
}

/* Does OpenSubdiv before 3.6.1 take the vertex for an interior crease, because of how many faces it has, although some
 * fan of these does not lead from one of the two non-manifold edges to the other? From 3.6.1 on (pull request 1338)
 * such a vertex is sharp. */
static bool is_sharp_since_3_6_1(const Far::TopologyLevel &l, int v)
{
    auto edges = l.GetVertexEdges(v);
    int n_odd = 0, n_boundary = 0;
    for (int e : edges) {
        n_odd += l.IsEdgeNonManifold(e);
        n_boundary += l.IsEdgeBoundary(e);
    }
    if (n_odd != 2 || n_boundary > 0 || l.GetVertexFaces(v).size() <= edges.size())
        return false;
    std::vector<bool> seen((size_t)l.GetVertexFaces(v).size());
    for (int i = 0; i < (int)seen.size(); i++) {
        std::vector<int> ends;
        if (seen[(size_t)i])
            continue;
        walk_fan(l, v, i, &seen, &ends);
        if (ends.size() != 2 || ends[0] == ends[1])
            return true;
    }
    return false;
}

static osd_refiner_ptr refiner_of(const sdd_mesh_desc *d, bool with_uvs)
{
    static const Sdc::SchemeType scheme[] = {Sdc::SCHEME_CATMARK, Sdc::SCHEME_LOOP, Sdc::SCHEME_BILINEAR};
    if (d->options.scheme == SDD_SCHEME_SQRT3)
        oracle_die("OpenSubdiv has no scheme sqrt3");
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
    osd_refiner_ptr r(factory::Create(t, factory::Options(scheme[d->options.scheme], options_of(d->options))));
    if (!r)
        oracle_die("OpenSubdiv refuses the mesh");
    return r;
}

osd_refiner_ptr osd_refiner(const sdd_mesh_desc *d, bool with_uvs)
{
    osd_refiner_ptr r = refiner_of(d, with_uvs);
    std::vector<int32_t> corners(d->corner_vertices, d->corner_vertices + d->n_corner_tags);
    std::vector<float> sharp(d->corner_sharpness, d->corner_sharpness + d->n_corner_tags);
    for (int v = 0; v < r->GetLevel(0).GetNumVertices(); v++)
        if (is_sharp_since_3_6_1(r->GetLevel(0), v)) {
            corners.push_back(v);
            sharp.push_back(10);
        }
    if ((int64_t)corners.size() == d->n_corner_tags)
        return r;
    sdd_mesh_desc newer = *d;
    newer.n_corner_tags = (int64_t)corners.size();
    newer.corner_vertices = corners.data();
    newer.corner_sharpness = sharp.data();
    return refiner_of(&newer, with_uvs);
}
