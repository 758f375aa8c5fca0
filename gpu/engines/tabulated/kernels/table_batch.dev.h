/* SPDX-License-Identifier: Apache-2.0 */
/* table_batch.dev.h: the meshes of a batch, which share one topology. One launch makes rows for all of them. */
#ifndef SDD_TABLE_BATCH_H
#define SDD_TABLE_BATCH_H
#include "gpu/kernel/kernel.h"

#define SDD_TABLE_BATCH 64 /* The most meshes of one launch. */

struct sdd_table_batch {
    const float *from[SDD_TABLE_BATCH]; /* The rows that each mesh is made from. */
    float *to[SDD_TABLE_BATCH];         /* Where the rows of each mesh go. */
    int32_t n;                          /* The number of meshes. */
};

/* The mesh that item i belongs to, where each mesh has n items and all of them together have fewer than 2^32. */
SDD_FN int32_t sdd_batch_mesh(const struct sdd_table_batch *a, int64_t i, uint32_t n)
{
    return a->n > 1 ? (int32_t)((uint32_t)i / n) : 0; /* A single mesh is spared the division. */
}
#endif
