/* SPDX-License-Identifier: Apache-2.0 */
/* capabilities.h: what a request on a topology needs, held against what each engine says it does. Shared inside gpu/.
 */
#ifndef SDD_CAPABILITIES_H
#define SDD_CAPABILITIES_H
#include "gpu/engine_api/engine_api.h"

/* Rows of sdd_feature_table. */
enum feature {
    FEATURE_MANIFOLD,
    FEATURE_ANY_TOPOLOGY,
    FEATURE_EDGE_AND_CORNER,
    FEATURE_EDGE_ONLY,
    FEATURE_BOUNDARY_NONE,
    FEATURE_CREASES,
    FEATURE_CHAIKIN,
    FEATURE_SMOOTH_TRIANGLES,
    FEATURE_HOLES,
    FEATURE_LEFT_HANDED,
    FEATURE_NORMALS,
    FEATURE_LIMIT,
    FEATURE_FVAR_LINEAR,
    FEATURE_FVAR_SMOOTH,
    FEATURE_COPIED,
    FEATURE_VARYING,
    FEATURE_VERTEX,
    N_FEATURES
};

/* Schemes, as bits of an engine's table. */
#define UNDER_CATMULL_CLARK (1u << SDD_SCHEME_CATMULL_CLARK)
#define UNDER_LOOP (1u << SDD_SCHEME_LOOP)
#define UNDER_BILINEAR (1u << SDD_SCHEME_BILINEAR)
#define UNDER_SQRT3 (1u << SDD_SCHEME_SQRT3)
/* The rows of what every engine does alike under its schemes: what boundaries, holes and sides mean belongs to the
 * topology, what refines along with the positions to primvars.c. */
#define FEATURES_OF_ALL(schemes)                                                                                       \
    [FEATURE_MANIFOLD] = (schemes), [FEATURE_EDGE_AND_CORNER] = (schemes), [FEATURE_EDGE_ONLY] = (schemes),            \
    [FEATURE_BOUNDARY_NONE] = (schemes), [FEATURE_HOLES] = (schemes), [FEATURE_LEFT_HANDED] = (schemes),               \
    [FEATURE_NORMALS] = (schemes), [FEATURE_LIMIT] = (schemes), [FEATURE_FVAR_LINEAR] = (schemes),                     \
    [FEATURE_FVAR_SMOOTH] = (schemes) & ~(UNDER_SQRT3 | UNDER_BILINEAR), [FEATURE_COPIED] = (schemes),                 \
    [FEATURE_VARYING] = (schemes) & ~UNDER_SQRT3, [FEATURE_VERTEX] = (schemes) & ~UNDER_SQRT3

/* Features that a refine needs, as bits: only what changes its result, so that nothing is refused for an option that
 * has no effect on the mesh. */
uint32_t features_needed(const sdd_topology *t, const struct sdd_refine_request *r);
/* features_missing: those of them that the engine lacks under the topology's scheme. */
uint32_t features_missing(const sdd_topology *t, const struct sdd_engine_info *e, uint32_t needed);
/* Below `engines` is the engine table, which ends with NULL.
 * features_fail: SDD_EUNSUPPORTED: names the first feature that engine `method` lacks, or when method is NULL that no
 * engine has them all, and which come closest. */
int features_fail(const struct engine *const *engines, const sdd_topology *t, const struct sdd_refine_request *r,
                  const struct sdd_engine_info *method, struct sdd_error *err);
/* features_add_engines: adds to the sentence of SDD_EUNSUPPORTED why an engine cannot take this mesh, those that can.
 * Returns that code. */
int features_add_engines(const struct engine *const *engines, const sdd_topology *t, const struct sdd_refine_request *r,
                         const struct engine *but, struct sdd_error *err);

#endif
