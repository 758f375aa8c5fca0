/* SPDX-License-Identifier: Apache-2.0 */
/* internal.h: the rows of a matrix while it is made (matrix.c), and the form in which it stays (matrix_pack.c). For
 * this room and its bench alone. */
#ifndef SDD_SUBDIVISION_MATRIX_INTERNAL_H
#define SDD_SUBDIVISION_MATRIX_INTERNAL_H
#include "gpu/engines/subdivision_matrix/subdivision_matrix.h"

/* Compressed rows in double, while a matrix is made. */
struct csr {
    struct device_block ends, entries;
    int64_t n_rows, n_entries;
    int32_t *end;
    uint32_t *column;
    double *weight;
};
#define MATRIX_COMPRESSED (-1) /* Stands in place of k for compressed rows. */
/* matrix_pack_as: makes the form with k terms of each row in ELL, or compressed rows. It queues the last launch.
 * Errors  SDD_ENO_MEMORY, SDD_EDEVICE */
int matrix_pack_as(sdd_device *d, const struct csr *from, int k, struct matrix *out,
                   struct sdd_error *err) SDD_MUST_CHECK;
/* matrix_model: the k that Bell and Garland's model says, without trying. It waits for the device.
 * Errors  SDD_ENO_MEMORY, SDD_EDEVICE */
int matrix_model(sdd_device *d, const struct csr *from, int *k, struct sdd_error *err) SDD_MUST_CHECK;
/* matrix_pack: chooses the form and makes it, as matrix_pack_as does.
 * Errors  SDD_ENO_MEMORY, SDD_EDEVICE */
int matrix_pack(sdd_device *d, const struct csr *from, int64_t n_columns, struct matrix *out,
                struct sdd_error *err) SDD_MUST_CHECK;

#endif
