/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/oracle/osd_refiner.h"
#include "tests/oracle/refined.h"

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

osd_refiner_ptr osd_refiner(const sdd_mesh_desc *d, bool with_uvs)
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
