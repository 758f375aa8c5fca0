/* SPDX-License-Identifier: Apache-2.0 */
/* update_bytes: moves the rows of an array of bytes from an old mesh to the new one.
 * Shapes  in u8, runs from new rows to old ones -> out[n] u8
 * Launch  tile, ceil(n / UPDATE_BYTES)
 * Cost    1 B read and 1 B written a row, and a search in the runs where a tile lies in several of them
 * Result  out[i] = in[the old row of i]
 * Threads any queue */
#ifndef SDD_K_UPDATE_BYTES_H
#define SDD_K_UPDATE_BYTES_H
#include "gpu/kernel/tile.h"
#include "gpu/mesh/update.dev.h"

#define UPDATE_BYTES 4096
enum { update_bytes_threads = 128 };

struct update_bytes_args {
    const uint8_t *in;
    uint8_t *out;
    struct sdd_runs rows;
    int64_t n;
};

SDD_FN void k_update_bytes(int64_t tile, const struct update_bytes_args *a)
{
    const uint32_t first = (uint32_t)tile * UPDATE_BYTES;
    const int32_t n = a->n - first < UPDATE_BYTES ? (int32_t)(a->n - first) : UPDATE_BYTES;
    const int32_t low = sdd_run_of(&a->rows, 0, a->rows.n - 1, first);
    const int32_t high = sdd_run_of(&a->rows, low, a->rows.n - 1, first + (uint32_t)n - 1);
    const uint8_t *from = a->in + (uint32_t)(first + a->rows.shift[low]);
    uint8_t *to = a->out + first;
    if (low == high) {
        SDD_EACH (i, n)
            to[i] = from[i];
        return;
    }
    SDD_EACH (i, n) {
        const uint32_t row = first + (uint32_t)i;
        to[i] = a->in[(uint32_t)(row + a->rows.shift[sdd_run_of(&a->rows, low, high, row)])];
    }
}
#endif
