/* SPDX-License-Identifier: Apache-2.0 */
/* algebra.h: sparse linear algebra with action maps on a device (Mlakar 2018, chapter 3), in which engine.c and
 * spla_sqrt3.c write the schemes. Matrices are struct sdd_spla (kernels/spla.dev.h), in compressed columns or in the
 * reduced form.
 *
 * Everything gathers: a sum has one writer, which meets its terms in a fixed order, so the bits are the same on
 * every run and backend. Functions queue their steps (device.h). The caller lays memory out with an arena, so that
 * its size is known beforehand. Each `..._work` says how much temporary memory a step needs; the next step may use
 * it again. */
#ifndef SDD_ALGEBRA_H
#define SDD_ALGEBRA_H
#include "gpu/device/device.h"
#include "gpu/engines/spla/kernels/spla.dev.h"

/* algebra_matrix: lays out a matrix with column pointers, rows and values. */
struct sdd_spla algebra_matrix(struct arena *a, int64_t n_rows, int64_t n_cols, int64_t n_entries);
/* algebra_reduced: lays out a matrix that has only rows, whose columns have `size` entries each. */
struct sdd_spla algebra_reduced(struct arena *a, int64_t n_rows, int64_t n_cols, int32_t size);
/* algebra_identity: the identity, which needs no memory. */
struct sdd_spla algebra_identity(int64_t n);

/* algebra_transpose: makes out = m^T by a stable sort. In compressed columns these are the rows of m.
 * Shapes  out = algebra_matrix(m.n_cols, m.n_rows, m.n_entries)
 * Result  Rows ascend in each column of out. */
int64_t algebra_transpose_work(sdd_device *d, const struct sdd_spla *m);
void algebra_transpose(sdd_device *d, const struct sdd_spla *m, const struct sdd_spla *out, void *work);

/* algebra_product: makes out = A [Q, gamma] B^T in two passes, count and fill. A stable sort brings the collisions next
 * to each other, and gamma combines them in the order of the columns of A and B. It needs no hash table and has no
 * race.
 * Shapes  out = algebra_matrix(a.n_rows, b.n_rows, entries); n_collisions is exact, a formula of the mesh
 * Result  Rows ascend in each column. If there are fewer entries than out has room for, the last column pointer tells.
 * Source  algorithm 2, equations 3.7, 4.6 and 4.16 */
int64_t algebra_product_work(sdd_device *d, const struct sdd_product *p, int64_t n_collisions);
void algebra_product(sdd_device *d, const struct sdd_product *p, const struct sdd_spla *out, int64_t n_collisions,
                     void *work);

/* algebra_multiply: makes y = M^T x; each column gathers, and `map` stands for the values of M. With the transposed
 * matrix for M it makes M x (algorithm 1 without its atomics).
 * Shapes  x[m.n_rows][3] f32 -> y[m.n_cols][3] f32; x and y do not overlap */
void algebra_multiply(sdd_device *d, const struct sdd_spla *m, struct sdd_weights map, const float *x, float *y);
/* algebra_add: adds M^T x to `sum` in double or, where `first` is set, writes it there. If y is not NULL, it gets the
 * rounded sum.
 * Shapes  x[m.n_rows][3] f32, sum[m.n_cols][3] f64 -> y[m.n_cols][3] f32; x and y do not overlap */
void algebra_add(sdd_device *d, const struct sdd_spla *m, struct sdd_weights map, const float *x, double *sum,
                 int first, float *y);
struct sdd_weights algebra_constant(double w); /* Every value becomes w. */
struct sdd_weights algebra_mean(void);         /* Every value becomes 1 / (entries of its column). */
struct sdd_weights algebra_values(double w0, double w1, double w2); /* The values 0, 1 and 2 become w0, w1 and w2. */
/* Every value of column i becomes weight_of_column[i]. */
struct sdd_weights algebra_by_column(const double *weight_of_column);

/* algebra_number: numbers the entries above the diagonal of a symmetric matrix from 1, column by column.
 * Shapes  number[m.n_entries] i32, meaningful at those entries
 * Source  section 4.2.2 */
int64_t algebra_number_work(sdd_device *d, const struct sdd_spla *m);
void algebra_number(sdd_device *d, const struct sdd_spla *m, int32_t *number, void *work);

#endif
