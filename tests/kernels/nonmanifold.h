/* SPDX-License-Identifier: Apache-2.0 */
/* nonmanifold.h: edges, kinds and sharpness of a mesh that need not be manifold, by trying everything, as OpenSubdiv
 * has them: a further use of an edge by one face is an edge of its own, and so is each use with equal ends but the
 * first; edges that are not manifold are infinitely sharp, and so are such vertices but for an interior crease (two
 * such edges, and more than two fans of faces from the one to the other, as since OpenSubdiv 3.6.1). The oracle of
 * nonmanifold_split_flags, nonmanifold_split_edges, nonmanifold_vertices and of all that mesh-matrix does. Nothing is
 * shared with gpu/. */
#ifndef TESTS_ODD_H
#define TESTS_ODD_H
#include "tests/kernels/brute.h"
#include "tests/kernels/poly.h"

enum wild_edge_kind { WILD_BOUNDARY = 1, WILD_NONMANIFOLD = 2 }; /* one face; not manifold */

struct odd {
    int64_t E, n_runs;
    int32_t *run, *own;             /* [C] by place in brute.half: its run, from 1; an edge of its own?     */
    int32_t *run_first;             /* [n_runs]                                                             */
    uint32_t *edge;                 /* [C]                                                                  */
    uint32_t *edge_corner, *kind;   /* [E] the lowest corner; enum wild_edge_kind, or-ed                          */
    int32_t *n_edges;               /* [V] edge ends                                                        */
    unsigned char *vertex, *crease; /* [V] not manifold; and then an interior crease                        */
    unsigned char *coming_back;     /* [V] no crease, but would be one if fans were only counted            */
    float *edge_sharp, *vert_sharp; /* [E], [V] authored and implied, at most 10                            */
};
void odd_init(struct odd *o, const struct brute *b, const struct sdd_mesh_desc *desc);
void odd_fini(struct odd *o);

/* soup_random: a mesh that is hardly ever manifold: faces of any vertices, or a random mesh (poly.h) whose vertices are
 * merged and whose faces come twice, turned round or not. poly_free frees it.
 * soup_each: `check` on every shape of shapes/nonmanifold and on n_random soups. */
void soup_random(struct poly *p, uint64_t seed);
void soup_each(int n_random, int64_t most_corners, poly_check *check);

#endif
