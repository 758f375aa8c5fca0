/* SPDX-License-Identifier: Apache-2.0 */
/* points.h: a level of the edge-friend structure with points, as the oracle has it: structure from levels.h,
 * points from the witness in double precision (tests/oracle/naive.h), put together by the grid place of each
 * corner. Rounded to float it is what a kernel gets; loop starts are any corner of the slot, real where there
 * is one. */
#ifndef TESTS_POINTS_H
#define TESTS_POINTS_H
#include "gpu/engines/edge_friend/kernels/ef_level.dev.h"
#include "gpu/grid/grid.h"
#include "tests/kernels/edge_friend/levels.h"
#include "tests/kernels/poly.h"

struct points {
    struct brute b;
    struct level_quads q;
    struct refined r;             /* the witness's level, in grid order                                   */
    uint32_t *row;                /* [n_slots] grid row of a slot; BRUTE_NONE where it touches ghosts only */
    struct sdd_slot *slot;        /* [n_slots] NaN where the row is none                                  */
    struct level_marks marks;     /* of all that is sharp                                                 */
    int edge_sharp, vertex_sharp; /* has the control mesh any? Else the kernels get no array          */
    double magnitude;             /* largest coordinate of the control mesh                           */
    uint64_t random;
};
void points_first(struct points *o, const struct poly *p, uint64_t seed);
void points_next(struct points *o, const struct points *from, const struct poly *p);
void points_fini(struct points *o);

/* Uploaded, as the kernels want them. */
struct ef_level points_level(const struct points *o);
struct sdd_grid points_grid(const struct points *o, int level);

#endif
