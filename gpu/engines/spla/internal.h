/* SPDX-License-Identifier: Apache-2.0 */
/* internal.h: scheme sqrt3 of engine mesh-matrix-spla, whose scratch and run are those of engine_api.h, and what it
 * shares with the other schemes. For this room alone. */
#ifndef SDD_SPLA_INTERNAL_H
#define SDD_SPLA_INTERNAL_H
#include "gpu/device/sizes.h"
#include "gpu/engines/spla/algebra.h"
#include "gpu/engine_api/engine_api.h"

/* spla_sqrt3_terms: the number of terms in the largest product that a run makes. */
int64_t spla_sqrt3_terms(const sdd_topology *t, const struct sdd_refine_request *r);
int64_t spla_sqrt3_scratch(const sdd_topology *t, const struct sdd_refine_request *r);
int spla_sqrt3_run(const struct engine_run *run, struct sdd_error *err) SDD_MUST_CHECK;

/* spla_faces_of: the product F = M [Q, gamma] M^T (4.6). Its entry (i, j) is the first column in which j follows i. */
struct sdd_product spla_faces_of(const struct sdd_spla *m);
/* spla_check_size: checks that a product has as many entries as its formula says, and waits.
 * Errors  SDD_EUNSUPPORTED (the mesh is two triangles back to back), SDD_EDEVICE */
int spla_check_size(const sdd_topology *t, const struct sdd_spla *product, struct sdd_error *err) SDD_MUST_CHECK;

#endif
