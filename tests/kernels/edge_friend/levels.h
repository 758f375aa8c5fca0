/* SPDX-License-Identifier: Apache-2.0 */
/* levels.h: the closed quad mesh of one level, ghosts included: the oracle of the edge-friend kernels. Quads
 * come from the vertex layout of Kuth et al. 2023, sections 3.1 to 3.3 (a misprint mended: the edge point of
 * on-edge g stands at 4 EQUAD(g) + 2 + (g mod 2)); everything else comes from the quads alone: friends by
 * matching vertex pairs, the corners around a vertex by listing all corners, sharpness and grid places by
 * following each side and each cell down from the control mesh. Nothing is shared with gpu/. */
#ifndef TESTS_LEVELS_H
#define TESTS_LEVELS_H
#include "tests/kernels/brute.h"

struct level_quads {
    int level;
    int64_t n_quads, n_real, n_slots; /* the real quads come first                                       */
    uint32_t (*v)[4];                 /* [n_quads] slots                                                 */
    uint32_t (*friends)[2];           /* [n_quads] on-edges along sides 1 and 3                          */
    int32_t (*origin)[4];             /* [n_quads] the control edge that side k is part of, -1: none     */
    int32_t (*at)[4][2];              /* [n_quads] grid place of corner k, 0 .. 2^(level - 1)            */
    uint32_t *home;                   /* [n_quads] the control corner (ghosts: C and up)                 */
    int32_t *control;                 /* [n_slots] the control vertex that this slot is the image of, -1 */
    int64_t *first;                   /* [n_slots + 1] rows of corner                                    */
    uint32_t *corner;                 /* [4 n_quads] the corners at each slot, ascending: real ones first */
};

void level_first(struct level_quads *q, const struct brute *b);
void level_next(const struct level_quads *from, struct level_quads *to);
void level_fini(struct level_quads *q);
/* level_sharpness: of side k of quad i, by SEMANTICS section 2, uniform. level_vertex_sharpness: of a slot's
 * vertex. */
float level_sharpness(const struct level_quads *q, const struct brute *b, int64_t i, int k);
float level_vertex_sharpness(const struct level_quads *q, const struct brute *b, int64_t slot);
/* level_marked: friends with bit 31 where side 3 is sharp, and how sharp; elsewhere as launch_out leaves it. b NULL:
 * nothing is. level_marks_free: what it points to. */
struct level_marks {
    uint32_t (*friends)[2];
    float *sharp;
};
struct level_marks level_marked(const struct level_quads *q, const struct brute *b);
void level_marks_free(struct level_marks *m);
int level_is_used(const struct level_quads *q, int64_t slot);
int level_is_real(const struct level_quads *q, int64_t slot); /* does the vertex touch a real quad? */

#endif
