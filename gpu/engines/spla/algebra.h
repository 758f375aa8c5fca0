/* SPDX-License-Identifier: Apache-2.0 */
/* algebra.h: sparse linear algebra with action maps on a device (Mlakar 2018, chapter 3), what scheme after scheme is
 * written in. Matrices are struct sdd_spla (kernels/spla.h): compressed columns, or the reduced form.
 *
 * Everything gathers: a sum has one writer, which meets its terms in a fixed order, so the bits are the same on every
 * run and backend. Functions queue their steps (device.h); memory is laid out by the caller with an arena, so that its
 * size is known beforehand: `..._work` says how much temporary memory a step needs, free again for the next one. */
#ifndef SDD_ALGEBRA_H
#define SDD_ALGEBRA_H
#include "gpu/device/device.h"
#include "gpu/engines/spla/kernels/spla.dev.h"

/* algebra_matrix: room for a matrix with column pointers, rows and values. algebra_reduced: for rows alone; its columns
 * have `size` entries each. algebra_identity: needs none. */
struct sdd_spla algebra_matrix(struct arena *a, int64_t n_rows, int64_t n_cols, int64_t n_entries);
struct sdd_spla algebra_reduced(struct arena *a, int64_t n_rows, int64_t n_cols, int32_t size);
struct sdd_spla algebra_identity(int64_t n);

/* algebra_transpose: out = m^T, by a stable sort: with m in compressed columns these are m's rows.
 * Shapes  out = algebra_matrix(m.n_cols, m.n_rows, m.n_entries)
 * Result  rows ascend in each column of out */
int64_t algebra_transpose_work(sdd_device *d, const struct sdd_spla *m);
void algebra_transpose(sdd_device *d, const struct sdd_spla *m, const struct sdd_spla *out, void *work);

/* algebra_product: out = A [Q, gamma] B^T in two passes, count and fill; the collisions are brought together by a
 * stable sort and combined by gamma in the order of the columns of A and B. No hash, no race.
 * Shapes  out = algebra_matrix(a.n_rows, b.n_rows, entries); n_collisions is exact, a formula of the mesh
 * Result  rows ascend in each column. Were there fewer entries than out has room for, the last column pointer tells
 * Source  algorithm 2, equations 3.7, 4.6 and 4.16 */
int64_t algebra_product_work(sdd_device *d, const struct sdd_product *p, int64_t n_collisions);
void algebra_product(sdd_device *d, const struct sdd_product *p, const struct sdd_spla *out, int64_t n_collisions,
                     void *work);

/* algebra_multiply: y = M^T x, a column's gather: map stands for M's values, points have three components. With the
 * transposed matrix for M it makes M x (algorithm 1 without its atomics). algebra_add: sum += M^T x in double, where
 * `first` is set sum = M^T x; y, if not NULL, is the rounded sum.
 * Shapes  x[m.n_rows][3] f32, sum[m.n_cols][3] f64 -> y[m.n_cols][3] f32      Result  x and y do not overlap */
void algebra_multiply(sdd_device *d, const struct sdd_spla *m, struct sdd_weights map, const float *x, float *y);
void algebra_add(sdd_device *d, const struct sdd_spla *m, struct sdd_weights map, const float *x, double *sum,
                 int first, float *y);
struct sdd_weights algebra_constant(double w);                        /* every value -> w                  */
struct sdd_weights algebra_mean(void);                                /* val -> 1 / (entries of the column) */
struct sdd_weights algebra_values(double w0, double w1, double w2);   /* (0, 1, 2) -> (w0, w1, w2)          */
struct sdd_weights algebra_by_column(const double *weight_of_column); /* val_i -> weight_of_column[i]       */

/* algebra_number: numbers the entries above the diagonal of a symmetric matrix from 1, column by column.
 * Shapes  number[m.n_entries] i32, meaningful at those entries      Source  section 4.2.2 */
int64_t algebra_number_work(sdd_device *d, const struct sdd_spla *m);
void algebra_number(sdd_device *d, const struct sdd_spla *m, int32_t *number, void *work);

#endif
