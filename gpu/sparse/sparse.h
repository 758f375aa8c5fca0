/* SPDX-License-Identifier: Apache-2.0 */
/* sparse.h: the door of sparse matrices on a device, for engines and solvers alike. A matrix is made in two launches of
 * one kernel, which counts the terms of each row and then writes them (matrix_row.h); between them sparse_row_ends says
 * where the rows end. It is applied by matrix_apply.k.h, as compressed rows, or in ELL with the rest in COO. Nothing
 * here knows meshes: the room stands on device/ and kernel/ alone. */
#ifndef SDD_SPARSE_H
#define SDD_SPARSE_H
#include "gpu/device/device.h"

#define SPARSE_MAX_ENTRIES INT32_MAX

/* sparse_row_ends: of n counts of terms the ends of their rows, in the same place; *total: of all rows, in 64 bits.
 * Where these are more than SPARSE_MAX_ENTRIES, the counts stay. Waits.
 * Errors  SDD_ENO_MEMORY, SDD_EDEVICE */
int sparse_row_ends(sdd_device *d, int32_t *count, int64_t n, int64_t *total, struct sdd_error *err) SDD_MUST_CHECK;

#endif
