/* SPDX-License-Identifier: Apache-2.0 */
/* delta.h: what makes one frame of another (proto/README.md, "Deltas"): for each block the runs of rows that the base
 * has as well, and the other rows. A run is found by guessing and then by comparing bytes, so a guess may be wrong. */
#ifndef SUBDD_DELTA_H
#define SUBDD_DELTA_H
#include "server/resident/cache.h"

/* delta_make: makes the delta of two frames of one query, all of whose bytes are there, of this level. `counts` are the
 * vertices, faces, edges and corners of the control mesh that `frame` is of.
 * Threads  any; it only reads the frames
 * Result   SDD_OK with *body NULL when the frame itself is smaller, or has other blocks than the base
 * Owner    *body is malloc'ed and the caller's
 * Errors   SDD_ENO_MEMORY */
int delta_make(const struct cached *base, int64_t base_version, const struct cached *frame, int level,
               const uint32_t counts[4], unsigned char **body, int64_t *bytes, struct sdd_error *err) SDD_MUST_CHECK;

#endif
