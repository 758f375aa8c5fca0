/* SPDX-License-Identifier: Apache-2.0 */
/* table_update_pairs: brings an array of pairs of numbers from an old mesh to the new one: its rows move, and what they
 * name has other numbers.
 * Shapes  in[..][2] u32, runs from new rows to old ones, and from old values to new ones for either number -> out[n][2]
 * Launch  tile, ceil(n / TABLE_UPDATE_PAIRS)
 * Cost    8 B read and 8 B written a row; a search in the runs of values a number, and one in those of rows where a
 *         tile lies in several of them
 * Result  Numbers without runs stay as they are. Rows that come hold nothing of use.
 * Threads any queue */
#ifndef SDD_K_TABLE_UPDATE_PAIRS_H
#define SDD_K_TABLE_UPDATE_PAIRS_H
#include "gpu/kernel/tile.h"
#include "gpu/mesh/update.dev.h"

#define TABLE_UPDATE_PAIRS 512
enum { table_update_pairs_threads = 128 };

struct table_update_pairs_args {
    const uint32_t *in;
    uint32_t *out;
    struct sdd_runs rows, values[2];
    int64_t n;
};

SDD_FN void k_table_update_pairs(int64_t tile, const struct table_update_pairs_args *a)
{
    const int64_t first = tile * TABLE_UPDATE_PAIRS;
    const int32_t n = a->n - first < TABLE_UPDATE_PAIRS ? (int32_t)(a->n - first) : TABLE_UPDATE_PAIRS;
    const int32_t low = sdd_run_of(&a->rows, 0, a->rows.n - 1, (uint32_t)first);
    const int32_t high = sdd_run_of(&a->rows, low, a->rows.n - 1, (uint32_t)(first + n - 1));
    SDD_EACH (i, n) {
        const uint32_t row = (uint32_t)(first + i);
        const uint32_t *from =
            a->in + 2 * (size_t)(uint32_t)(row + a->rows.shift[sdd_run_of(&a->rows, low, high, row)]);
        uint32_t *to = a->out + 2 * (size_t)row;
        for (int32_t k = 0; k < 2; k++) {
            const struct sdd_runs *v = a->values + k;
            to[k] = from[k] + (v->n ? v->shift[sdd_run_of(v, 0, v->n - 1, from[k])] : 0);
        }
    }
}
#endif
