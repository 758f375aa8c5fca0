/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_matrix_sqrt3.h: scheme sqrt3 of engine mesh-matrix: check, scratch and run as in engine.h, and the faces that no
 * formula makes. */
#ifndef SDD_MESH_MATRIX_SQRT3_H
#define SDD_MESH_MATRIX_SQRT3_H
#include "gpu/engine.h"

int sqrt3_check(const sdd_topology *t, const struct sdd_refine_request *r, struct sdd_error *err) SDD_MUST_CHECK;
int64_t sqrt3_scratch(const sdd_topology *t, const struct sdd_refine_request *r);
int sqrt3_run(const struct engine_run *run, struct sdd_error *err) SDD_MUST_CHECK;

#endif
