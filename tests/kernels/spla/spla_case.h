/* SPDX-License-Identifier: Apache-2.0 */
/* spla_case.h: sparse matrices for tests of the algebra, and the same as plain tables: what a product is, is told by
 * going through all rows and columns. Nothing is shared with gpu/ but the structs of arguments. */
#ifndef TESTS_SPLA_CASE_H
#define TESTS_SPLA_CASE_H
#include "gpu/engines/spla/kernels/spla.dev.h"

/* Host arrays. has[row * n_cols + column] and value[..] say the same as ptr, rid, val. */
struct spla_case {
    int n_rows, n_cols, n_entries, size; /* size > 0: reduced form */
    int32_t *ptr, *val;                  /* NULL where the form has none */
    uint32_t *rid;
    int *column; /* [n_entries]  */
    int *at;     /* [n_rows][n_cols] the entry there, -1 */
};

/* spla_case_random: each column has up to `most` different rows, some columns have none. form 0: with values below
 * the column's size, rows in any order; 1: without values; 2: reduced, `most` rows in each column. */
void spla_case_random(struct spla_case *c, uint64_t *seed, int n_rows, int n_cols, int most, int form);
void spla_case_free(struct spla_case *c);
int spla_case_size(const struct spla_case *c, int column);
int spla_case_value(const struct spla_case *c, int entry);
/* spla_case_in: the matrix as a kernel's input (launch.h). */
struct sdd_spla spla_case_in(const struct spla_case *c);

/* spla_case_map: Q(i, j) in a face of n corners, from its definition; the map's table is a host array here. */
int spla_case_map(const struct sdd_map *q, int i, int j, int n);
/* One entry of a product: what all pairs in row i of A and row j of B come to. */
struct spla_term {
    int n, sum, bits, face; /* n: collisions; face: the first column */
};
struct spla_term spla_case_term(const struct spla_case *a, const struct spla_case *b, const struct sdd_map *q, int i,
                                int j);

#endif
