/* SPDX-License-Identifier: Apache-2.0 */
/* sdd_carry.h: makes the result of a mesh from the result of the mesh before a change that kept its faces: of positions
 * moved, and of other creases and corners. Only what is near to the change is refined again, as a small mesh of its
 * own; all else is taken over. */
#ifndef SDD_SDD_CARRY_H
#define SDD_SDD_CARRY_H
#include "sdd.h"

/* A control mesh, borrowed. Its creases ascend by (lower, higher) vertex and its corner tags by vertex, each once. */
struct sdd_cage {
    const struct sdd_mesh_desc *desc;
    const float *points; /* Shape [V][3]. */
};
/* sdd_carry: makes the result of m by `plan`; `now` is its control mesh. `base` is the result of `before`
 * by a plan of the same request. It may share blocks with *out from then on, each of which is freed by itself.
 * Cost    the device makes a result of the faces within two or three rings around the change; the host looks at both
 *         cages and copies the rows of vertices, with pauses (sdd_pause.h). It is fast where run->keep_pieces was
 *         set for the base
 * Result  bit for bit that of sdd_refine. *out is NULL where it cannot be carried, or hardly pays, and sdd_refine has
 *         to make it: when faces, options or blocks differ or faces are holes; when more than a quarter of the mesh is
 *         near to the change; of other engines than mesh-matrix, other schemes than catmullClark and loop, and of other
 *         blocks than positions, normals, indices and face_params, without the indices or in 16 bits
 * Errors  SDD_ECANCELLED, SDD_EDEVICE */
int sdd_carry(const sdd_mesh *m, const sdd_plan *plan, const struct sdd_cage *now, const struct sdd_cage *before,
              sdd_result *base, const struct sdd_run *run, sdd_result **out, struct sdd_error *err) SDD_MUST_CHECK;
/* sdd_result_changed: for a result that sdd_carry made from `base`, a byte for each 1,024 bytes of block k, which is 0
 * where these are the base's. NULL of any other result. */
const unsigned char *sdd_result_changed(const sdd_result *r, const sdd_result *base, int k);

#endif
