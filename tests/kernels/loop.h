/* SPDX-License-Identifier: Apache-2.0 */
/* loop.h: Loop subdivision of any mesh of triangles, manifold or not, in double precision, straight from the rules,
 * with explicit faces and edges at every level: the oracle of the Loop kernels. Connectivity and sharpness of the
 * control mesh are odd.h's (in a wild_case); grid rows come from the grid order in words (tests/oracle/refined.h), by
 * following each triangle down. Nothing is shared with gpu/ but the structs of arguments. */
#ifndef TESTS_LOOP_H
#define TESTS_LOOP_H
#include "tests/kernels/wild.h"

struct loop { /* one level */
    int level;
    int64_t V, F, E;
    int32_t (*vert)[3], (*edge)[3]; /* [F] the edge after each corner                                 */
    int32_t (*ends)[2];             /* [E] the lower vertex first at level 0, the older one later     */
    uint32_t *kind;                 /* [E] enum wild_edge_kind, from the control edge                       */
    int32_t *control_edge;          /* [E] that it is part of, -1                                     */
    double *edge_s, *vert_s, *p;    /* [E], [V], [V][3]                                               */
    int32_t *home, (*at)[3][2];     /* [F] the control triangle, grid places seen from its corner 0   */
    int32_t *row;                   /* [V] in grid order; vertices of level 0 keep their numbers      */
};
void loop_control(const struct wild_case *k, struct loop *w);
void loop_next(const struct wild_case *k, const struct loop *w, struct loop *to);
void loop_fini(struct loop *w);

/* loop_limits: as wild_limits. */
void loop_limits(const struct wild_case *k, const struct loop *w, struct wild_limits *out);
/* loop_beta: Loop's weight of each of n neighbours. loop_across: the tangent across a boundary at a vertex of n
 * faces, by weights of the vertex (w[0]) and of its n + 1 neighbours. */
double loop_beta(int64_t n);
void loop_across(int64_t n, double *w);
enum loop_rule { LOOP_SMOOTH, LOOP_CREASE, LOOP_CORNER };
enum loop_rule loop_rule_of(double s, int n_sharp);

/* The level's points in grid order: in double, and rounded; the caller frees. */
double *loop_rows(const struct loop *w);
float *loop_points(const struct loop *w);
/* loop_upload_weights: beta and the limit's weight by valence, as the kernels want them; NaN where they need none. */
const struct sdd_float2 *loop_upload_weights(const struct wild_case *k);

/* loop_each, loop_each_odd: as poly_each and soup_each, with every face cut into a fan of triangles.
 * loop_valences: two pyramids of n sides base to base, and a fan of n triangles in half a turn, with some tags. */
void loop_each(int n_random, int64_t most_corners, poly_check *check);
void loop_each_odd(int n_random, int64_t most_corners, poly_check *check);
void loop_valences(int32_t n, poly_check *check);

#endif
