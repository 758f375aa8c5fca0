/* SPDX-License-Identifier: Apache-2.0 */
/* internal.h: scheme sqrt3 of engine mesh-matrix-spla: scratch and run as in engine_api.h; and what it shares with the
 * other schemes there. */
#ifndef SDD_SPLA_INTERNAL_H
#define SDD_SPLA_INTERNAL_H
#include "gpu/device/sizes.h"
#include "gpu/engines/spla/algebra.h"
#include "gpu/engine_api/engine_api.h"

/* spla_sqrt3_terms: of the largest product that a run makes. */
int64_t spla_sqrt3_terms(const sdd_topology *t, const struct sdd_refine_request *r);
int64_t spla_sqrt3_scratch(const sdd_topology *t, const struct sdd_refine_request *r);
int spla_sqrt3_run(const struct engine_run *run, struct sdd_error *err) SDD_MUST_CHECK;

/* spla_faces_of: F = M [Q, gamma] M^T (4.6). Entry (i, j): the first column in which j follows i. */
struct sdd_product spla_faces_of(const struct sdd_spla *m);
/* spla_check_size: has a product as many entries as its formula says? SDD_EUNSUPPORTED: the mesh is a pillow. */
int spla_check_size(const sdd_topology *t, const struct sdd_spla *product, struct sdd_error *err) SDD_MUST_CHECK;

#endif
