/* SPDX-License-Identifier: Apache-2.0 */
/* positions.h: new positions for ranges of vertex rows, as a request asked for them. */
#ifndef SUBDD_POSITIONS_H
#define SUBDD_POSITIONS_H
#include "server/base/arena.h"
#include "server/mesh/mesh.h"

struct position_range {
    int64_t first, n;    /* vertex rows [first, first + n)                                         */
    const float *points; /* [n][3]; borrowed from the request's body or from the arena             */
};
struct positions {
    int64_t n_ranges;
    struct position_range *ranges; /* in order; where two overlap the later wins */
    struct arena *arena;           /* owns all of this                           */
};

void positions_free(struct positions *p); /* NULL is fine */
/* positions_own: takes a copy of points that were borrowed from elsewhere. Errors  SDD_ENO_MEMORY */
int positions_own(struct positions *p, struct sdd_error *err) SDD_MUST_CHECK;
/* positions_check: every range inside n_vertices rows; with `whole`, exactly one range that is all of them.
 * Errors  SDD_EINVALID when there is nothing to move, SDD_EMESH naming the range.
 *         NaN and magnitude are sdd_mesh_set_points' to say. */
int positions_check(const struct positions *p, int64_t n_vertices, int whole, struct sdd_error *err) SDD_MUST_CHECK;
/* positions_apply: writes checked ranges into m. */
void positions_apply(const struct positions *p, struct mesh *m);

#endif
