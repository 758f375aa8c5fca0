/* SPDX-License-Identifier: Apache-2.0 */
/* capabilities.c: the feature table, what a request needs of it, and the sentences about what no engine can do, for
 * refine/ and its callers. */
#include "gpu/engine_api/capabilities.h"
#include <stdio.h>
#include <string.h>

const struct sdd_feature_info sdd_feature_table[] = {
    [FEATURE_MANIFOLD] = {"subdivisionScheme", "manifold meshes"},
    [FEATURE_ANY_TOPOLOGY] = {"faceVertexIndices", "meshes that are not manifold"},
    [FEATURE_EDGE_AND_CORNER] = {"interpolateBoundary", "interpolateBoundary edgeAndCorner"},
    [FEATURE_EDGE_ONLY] = {"interpolateBoundary", "interpolateBoundary edgeOnly"},
    [FEATURE_BOUNDARY_NONE] = {"interpolateBoundary", "interpolateBoundary none"},
    [FEATURE_CREASES] = {"creaseSharpnesses", "creases and corners, of any sharpness"},
    [FEATURE_CHAIKIN] = {"creaseMethod", "creaseMethod chaikin"},
    [FEATURE_SMOOTH_TRIANGLES] = {"triangleSubdivisionRule", "triangleSubdivisionRule smooth"},
    [FEATURE_HOLES] = {"holeIndices", "holes"},
    [FEATURE_LEFT_HANDED] = {"orientation", "orientation leftHanded"},
    [FEATURE_NORMALS] = {"include", "normals and tangents"},
    [FEATURE_SPLIT_NORMALS] = {"normals", "split normals"},
    [FEATURE_LIMIT] = {"surface", "the limit surface"},
    [FEATURE_FVAR_LINEAR] = {"faceVaryingLinearInterpolation", "UVs and faceVarying primvars, all"},
    [FEATURE_FVAR_SMOOTH] = {"faceVaryingLinearInterpolation", "UVs and faceVarying primvars, the other five"},
    [FEATURE_COPIED] = {"primvars", "constant and uniform primvars, face_params"},
    [FEATURE_VARYING] = {"primvars", "varying primvars"},
    [FEATURE_VERTEX] = {"primvars", "vertex primvars"},
    [N_FEATURES] = {NULL, NULL},
};
_Static_assert(N_FEATURES <= 32, "features are the bits of a word");

static uint32_t needed_by_primvars(const sdd_topology *t, const struct sdd_refine_request *r)
{
    int linear = t->info.options.fvar == SDD_FVAR_ALL || t->scheme->is_linear;
    uint32_t fvar = 1u << (linear ? FEATURE_FVAR_LINEAR : FEATURE_FVAR_SMOOTH), needed = 0;
    if (r->include & (SDD_UVS | SDD_UV_INDICES))
        needed |= fvar;
    if (r->include & SDD_FACE_PARAMS)
        needed |= 1u << FEATURE_COPIED;
    if (!(r->include & (SDD_PRIMVARS | SDD_PRIMVAR_INDICES)))
        return needed;
    for (int k = 0; k < r->n_primvars; k++) {
        int32_t interpolation = r->primvar_shapes[k].interpolation;
        if (r->primvars >> k & 1)
            needed |= interpolation <= SDD_UNIFORM        ? 1u << FEATURE_COPIED
                      : interpolation == SDD_FACE_VARYING ? fvar
                      : interpolation == SDD_VARYING      ? 1u << FEATURE_VARYING
                                                          : 1u << FEATURE_VERTEX;
    }
    return needed;
}

uint32_t features_needed(const sdd_topology *t, const struct sdd_refine_request *r)
{
    const struct sdd_topology_info *i = &t->info;
    const struct sdd_options *o = &i->options;
    const int boundary[] = {FEATURE_EDGE_AND_CORNER, FEATURE_EDGE_ONLY, FEATURE_BOUNDARY_NONE};
    uint32_t needed = 1u << (i->manifold ? FEATURE_MANIFOLD : FEATURE_ANY_TOPOLOGY) | needed_by_primvars(t, r);
    if (i->n_boundary_edges > 0)
        needed |= 1u << boundary[o->boundary];
    if (i->has_creases && !t->scheme->is_linear)
        needed |= 1u << FEATURE_CREASES;
    if (t->n_semisharp > 0)
        needed |= 1u << FEATURE_CHAIKIN;
    if (o->triangle_rule == SDD_TRIANGLE_SMOOTH && o->scheme == SDD_SCHEME_CATMULL_CLARK && i->min_face_size == 3)
        needed |= 1u << FEATURE_SMOOTH_TRIANGLES;
    if (i->n_holes > 0)
        needed |= 1u << FEATURE_HOLES;
    if (o->orientation == SDD_LEFT_HANDED)
        needed |= 1u << FEATURE_LEFT_HANDED;
    if (r->include & (SDD_NORMALS | SDD_TANGENTS))
        needed |= 1u << FEATURE_NORMALS;
    if (r->include & SDD_NORMAL_INDICES)
        needed |= 1u << FEATURE_SPLIT_NORMALS;
    if (r->surface != SDD_SURFACE_REFINED)
        needed |= 1u << FEATURE_LIMIT;
    return needed;
}

uint32_t features_missing(const sdd_topology *t, const struct sdd_engine_info *e, uint32_t needed)
{
    uint32_t missing = 0;
    for (int k = 0; k < N_FEATURES; k++)
        if ((needed >> k & 1) && !(e->schemes[k] >> t->info.options.scheme & 1))
            missing |= 1u << k;
    return missing;
}

static int first_of(uint32_t features)
{
    int k = 0;
    while (!(features >> k & 1))
        k++;
    return k;
}

/* Writes the names of the engines that lack at most `most` of the features that the request needs. Of engines that
 * lack none, it names those that take the mesh. Engine `but` is left out. */
static void name_engines(const struct engine *const *engines, const sdd_topology *t, const struct sdd_refine_request *r,
                         int most, const struct engine *but, char *out, size_t size)
{
    const uint32_t needed = features_needed(t, r);
    size_t used = 0;
    out[0] = 0;
    for (const struct engine *const *e = engines; *e; e++) {
        const struct sdd_engine_info *info = &(*e)->info;
        struct sdd_error why;
        if (*e == but || __builtin_popcount(features_missing(t, info, needed)) > most ||
            (most == 0 && engine_check(*e, t, r, &why)))
            continue;
        if (used < size)
            used += (size_t)snprintf(out + used, size - used, "%s%s", used ? " and " : "", info->name);
    }
}

static int fewest(const struct engine *const *engines, const sdd_topology *t, uint32_t needed, uint32_t *missing)
{
    int least = N_FEATURES + 1;
    for (const struct engine *const *e = engines; *e; e++) {
        uint32_t lacks = features_missing(t, &(*e)->info, needed);
        if (__builtin_popcount(lacks) < least) {
            least = __builtin_popcount(lacks);
            *missing = lacks;
        }
    }
    return least;
}

int features_add_engines(const struct engine *const *engines, const sdd_topology *t, const struct sdd_refine_request *r,
                         const struct engine *but, struct sdd_error *err)
{
    char others[120];
    const size_t used = strlen(err->text);
    name_engines(engines, t, r, 0, but, others, sizeof others);
    if (*others)
        (void)snprintf(err->text + used, sizeof err->text - used, "; engines that do: %s", others);
    return err->code;
}

int features_fail(const struct engine *const *engines, const sdd_topology *t, const struct sdd_refine_request *r,
                  const struct sdd_engine_info *method, struct sdd_error *err)
{
    uint32_t missing = 0;
    const uint32_t needed = features_needed(t, r);
    char others[120];
    int most = fewest(engines, t, needed, &missing);
    const char *scheme = sdd_option_token(&t->info.options, 0);
    name_engines(engines, t, r, most, NULL, others, sizeof others);
    if (method)
        missing = features_missing(t, method, needed);
    const struct sdd_feature_info *f = sdd_feature_table + first_of(missing);
    int no_scheme = f == sdd_feature_table + FEATURE_MANIFOLD;
    int nonmanifold = f == sdd_feature_table + FEATURE_ANY_TOPOLOGY;
    const char *what = no_scheme ? "scheme" : f->what, *under = no_scheme ? "" : "under ";
    if (!method)
        return sdd_fail(err, SDD_EUNSUPPORTED, f->option, "no engine does %s %s%s; all else that is asked %s do", what,
                        under, scheme, others);
    return sdd_fail(err, SDD_EUNSUPPORTED, "method", "%s%sengine %s does not do %s %s%s%s%s",
                    nonmanifold ? t->fault : "", nonmanifold && *t->fault ? "; " : "", method->name, what, under,
                    scheme,
                    !*others ? ""
                    : most   ? "; closest: "
                             : "; engines that do: ",
                    others);
}
