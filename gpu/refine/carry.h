/* SPDX-License-Identifier: Apache-2.0 */
/* carry.h: the piece of a control mesh that has to be refined again after a change, for carry.c. */
#ifndef SDD_CARRY_H
#define SDD_CARRY_H
#include "gpu/sdd/sdd_carry.h"

/* Faces whose refined rows are to be taken from the piece; both ranges are of rows of control faces' corners. */
struct carry_run {
    int64_t to, from, n; /* The first corner in the mesh and in the piece, and how many corners. */
};
struct carry_piece {
    struct sdd_mesh_desc desc; /* Its arrays are the piece's own. No faces when nothing has changed. */
    float *points;
    int64_t n_runs;
    struct carry_run *runs; /* They ascend. */
};
/* carry_piece_make: finds what has changed and makes the piece. Other work gets the device between its scans.
 * Result  1, or 0 when the result cannot be carried, or hardly pays: then there is nothing to free
 * Errors  SDD_ENO_MEMORY counts as 0 */
int carry_piece_make(sdd_device *device, const struct sdd_cage *now, const struct sdd_cage *before,
                     struct carry_piece *out);
void carry_piece_free(struct carry_piece *p);

#endif
