/* SPDX-License-Identifier: Apache-2.0 */
/* block_rows: the rows of a relation, some hundred at a time. They are made in fast memory, where putting them in order
 * is cheap, and go from there to where they stay as one run of words. Where they are too long for that, each is made
 * where it stays.
 * Shapes  neighbors, subjects, offset[n + 1] u32 -> ids[offset[n] - offset[0]] u32, signs u8 (of FE; else NULL)
 * Launch  tile, (n + BLOCK_ROWS - 1) / BLOCK_ROWS blocks
 * Cost    as query_count, and 4 B read a row and written an id
 * Result  as query_fill, of all relations but FF on level 0, whose rows have other lengths than query_count says
 * Threads any queue */
#ifndef SDD_K_BLOCK_ROWS_H
#define SDD_K_BLOCK_ROWS_H
#include "gpu/kernel/tile.h"
#include "gpu/queries/kernels/query_row.dev.h"

enum { block_rows_threads = 256, BLOCK_ROWS = 256, BLOCK_IDS = 4096 };

struct block_rows_args {
    struct sdd_neighbors neighbors;
    struct sdd_subjects subjects;
    const uint32_t *offset;
    uint32_t *ids;
    uint8_t *signs;
    int64_t n;
    int32_t relation;
};

SDD_FN void k_block_rows(int64_t block, const struct block_rows_args *a)
{
    SDD_SHARED(uint32_t, staged, BLOCK_IDS);
    const int64_t first = block * BLOCK_ROWS, left = a->n - first;
    const int32_t n = (int32_t)(left < BLOCK_ROWS ? left : BLOCK_ROWS);
    const uint32_t begin = a->offset[first], n_ids = a->offset[first + n] - begin;
    const int32_t n_staged = (int32_t)(n_ids <= BLOCK_IDS ? n_ids : 0);
    uint32_t *to = n_staged > 0 ? staged : a->ids + begin;
    SDD_EACH (i, n) {
        const uint32_t at = a->offset[first + i];
        struct sdd_row r;
        r.ids = to + (at - begin);
        r.signs = a->signs ? a->signs + at : NULL;
        r.n = 0;
        sdd_row_collect(&r, &a->neighbors, a->relation, sdd_subject(&a->subjects, first + i));
        sdd_row_finish(&r, a->relation);
    }
    SDD_SYNC;
    SDD_EACH (i, n_staged)
        a->ids[begin + (uint32_t)i] = staged[i];
}
#endif
