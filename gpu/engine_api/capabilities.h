/* SPDX-License-Identifier: Apache-2.0 */
/* capabilities.h: compares what a request on a topology needs with what each engine says it does. refine/ chooses an
 * engine by it, and engines fill their tables with it. */
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
    FEATURE_SPLIT_NORMALS,
    FEATURE_LIMIT,
    FEATURE_FVAR_LINEAR,
    FEATURE_FVAR_SMOOTH,
    FEATURE_COPIED,
    FEATURE_VARYING,
    FEATURE_VERTEX,
    N_FEATURES
};

/* Schemes, as bits of an entry of an engine's table. */
#define UNDER_CATMULL_CLARK (1u << SDD_SCHEME_CATMULL_CLARK)
#define UNDER_LOOP (1u << SDD_SCHEME_LOOP)
#define UNDER_BILINEAR (1u << SDD_SCHEME_BILINEAR)
#define UNDER_SQRT3 (1u << SDD_SCHEME_SQRT3)
/* The entries of what every engine does alike under its schemes. What boundaries, holes and orientation mean belongs
 * to the topology, and what is refined besides positions to refine/primvars.c. */
#define FEATURES_OF_ALL(schemes)                                                                                       \
    [FEATURE_MANIFOLD] = (schemes), [FEATURE_EDGE_AND_CORNER] = (schemes), [FEATURE_EDGE_ONLY] = (schemes),            \
    [FEATURE_BOUNDARY_NONE] = (schemes), [FEATURE_HOLES] = (schemes), [FEATURE_LEFT_HANDED] = (schemes),               \
    [FEATURE_NORMALS] = (schemes), [FEATURE_SPLIT_NORMALS] = (schemes) & ~UNDER_SQRT3, [FEATURE_LIMIT] = (schemes),    \
    [FEATURE_FVAR_LINEAR] = (schemes), [FEATURE_FVAR_SMOOTH] = (schemes) & ~(UNDER_SQRT3 | UNDER_BILINEAR),            \
    [FEATURE_COPIED] = (schemes), [FEATURE_VARYING] = (schemes) & ~UNDER_SQRT3,                                        \
    [FEATURE_VERTEX] = (schemes) & ~UNDER_SQRT3

/* features_needed: the features, as bits, that a refine needs. Only those count that change its result, so that
 * nothing is refused for an option that has no effect on the mesh. */
uint32_t features_needed(const sdd_topology *t, const struct sdd_refine_request *r);
/* features_missing: those of the needed features that the engine lacks under the topology's scheme. */
uint32_t features_missing(const sdd_topology *t, const struct sdd_engine_info *e, uint32_t needed);
/* features_fail: fails with SDD_EUNSUPPORTED. It names the first feature that engine `method` lacks or, where method
 * is NULL, says that no engine has them all and which ones come closest. `engines` is the engine table, which ends
 * with NULL. */
int features_fail(const struct engine *const *engines, const sdd_topology *t, const struct sdd_refine_request *r,
                  const struct sdd_engine_info *method, struct sdd_error *err);
/* features_add_engines: adds to an error that says why engine `but` cannot take this mesh the engines that can.
 * Returns the error's code. `engines` is the engine table, which ends with NULL. */
int features_add_engines(const struct engine *const *engines, const sdd_topology *t, const struct sdd_refine_request *r,
                         const struct engine *but, struct sdd_error *err);

#endif
