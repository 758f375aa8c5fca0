/* SPDX-License-Identifier: Apache-2.0 */
/* naive.h: the rows of the eight relations of any polygons by trying every pair, as ../shared/oracles/mesh_queries.py
 * defines them: the witness of queries. Nothing is shared with gpu/ but the numbers of the relations. */
#ifndef TESTS_NAIVE_H
#define TESTS_NAIVE_H
#include "gpu/sdd/sdd_queries.h"

struct naive {
    int64_t V, F, C, E;
    int32_t *first;     /* [F + 1]                                       */
    uint32_t *vert;     /* [C] in reading order                          */
    uint32_t *edge;     /* [C] the edge after the corner                 */
    uint32_t (*end)[2]; /* [E] lower, higher                             */
    unsigned char *hit; /* scratch: a mark for each element of any kind  */
};
/* naive_init: left_handed: faces a b c d are read as a d c b. */
void naive_init(struct naive *n, int64_t n_vertices, int64_t n_faces, const int32_t *counts, const int32_t *vertices,
                int left_handed);
void naive_fini(struct naive *n);

int64_t naive_count(const struct naive *n, int relation); /* elements that have rows */
int64_t naive_most(const struct naive *n);                /* ids that a row may have */
/* Each writes the row of element x, and returns how long it is. naive_fan: oriented; -1 where there is no order. */
int64_t naive_row(const struct naive *n, int relation, int64_t x, uint32_t *out);
int64_t naive_ring(const struct naive *n, int relation, int64_t x, int ring, uint32_t *out);
int64_t naive_fan(const struct naive *n, int relation, int64_t x, uint32_t *out);
/* naive_sign: of the edge after corner c. */
int naive_sign(const struct naive *n, int64_t c);

#endif
