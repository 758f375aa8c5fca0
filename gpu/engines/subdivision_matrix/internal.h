/* SPDX-License-Identifier: Apache-2.0 */
/* internal.h: rows of a matrix while it is made (matrix.c), and the form in which it stays (matrix_pack.c). For this
 * room alone, and its bench. */
#ifndef SDD_SUBDIVISION_MATRIX_INTERNAL_H
#define SDD_SUBDIVISION_MATRIX_INTERNAL_H
#include "gpu/engines/subdivision_matrix/subdivision_matrix.h"

/* Compressed rows in double, while they are made. */
struct csr {
    struct device_block ends, entries;
    int64_t n_rows, n_entries;
    int32_t *end;
    uint32_t *column;
    double *weight;
};
/* matrix_pack: the form in which it is applied. matrix_pack_as: that of k terms in ELL, or MATRIX_COMPRESSED rows.
 * matrix_model: the k that Bell and Garland's model says, without trying. Errors  SDD_ENO_MEMORY, SDD_EDEVICE */
#define MATRIX_COMPRESSED (-1)
int matrix_pack_as(sdd_device *d, const struct csr *from, int k, struct matrix *out,
                   struct sdd_error *err) SDD_MUST_CHECK;
int matrix_model(sdd_device *d, const struct csr *from, int *k, struct sdd_error *err) SDD_MUST_CHECK;
int matrix_pack(sdd_device *d, const struct csr *from, int64_t n_columns, struct matrix *out,
                struct sdd_error *err) SDD_MUST_CHECK;

#endif
