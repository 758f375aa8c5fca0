/* SPDX-License-Identifier: Apache-2.0 */
/* positions.h: the new positions of ranges of vertex rows that a request brings. */
#ifndef SUBDD_POSITIONS_H
#define SUBDD_POSITIONS_H
#include "server/base/arena.h"
#include "server/mesh/mesh.h"

struct position_range {
    int64_t first, n;    /* The vertex rows [first, first + n). */
    const float *points; /* [n][3] They are borrowed from the request's body or lie in the arena. */
};
struct positions {
    int64_t n_ranges;
    struct position_range *ranges; /* In the request's order; where two overlap, the later one wins. */
    struct arena *arena;           /* It holds all of this, the struct itself included. */
};

void positions_free(struct positions *p); /* NULL is fine. */
/* positions_own: copies all points into the arena, so that nothing is borrowed any more. Errors  SDD_ENO_MEMORY */
int positions_own(struct positions *p, struct sdd_error *err) SDD_MUST_CHECK;
/* positions_check: checks that every range lies inside n_vertices rows; with `whole`, that there is exactly one range
 * and it covers them all. sdd_mesh_set_points checks that coordinates are finite and not too large.
 * Errors  SDD_EINVALID when there is nothing to move, SDD_EMESH naming the range */
int positions_check(const struct positions *p, int64_t n_vertices, int whole, struct sdd_error *err) SDD_MUST_CHECK;
/* positions_open: makes the rows of m that the ranges cover, as positions_check has accepted them, writable. The values
 * stay. Errors  SDD_ENO_MEMORY */
int positions_open(const struct positions *p, struct mesh *m, struct sdd_error *err) SDD_MUST_CHECK;
/* positions_apply: writes the ranges into m, for which positions_open has made them writable. */
void positions_apply(const struct positions *p, struct mesh *m);

#endif
