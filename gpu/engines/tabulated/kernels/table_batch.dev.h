/* SPDX-License-Identifier: Apache-2.0 */
/* table_batch.h: rows of meshes of one topology that a launch makes together, each from its own to its own. */
#ifndef SDD_TABLE_ABREAST_H
#define SDD_TABLE_ABREAST_H
#include "gpu/kernel/kernel.h"

#define SDD_TABLE_ABREAST 64 /* meshes */

struct sdd_batch_of {
    const float *from[SDD_TABLE_ABREAST];
    float *to[SDD_TABLE_ABREAST];
    int32_t n;
};

/* Which mesh has item i, when each has n: fewer than 2^32 of all. */
SDD_FN int32_t sdd_batch_mesh(const struct sdd_batch_of *a, int64_t i, uint32_t n)
{
    return a->n > 1 ? (int32_t)((uint32_t)i / n) : 0; /* one mesh waits for no division */
}
#endif
