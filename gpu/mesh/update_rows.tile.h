/* SPDX-License-Identifier: Apache-2.0 */
/* update_rows: brings an array of row numbers from an old mesh to the new one: its rows move, and what they name has
 * other numbers.
 * Shapes  in u32 from row in_first on, begin u32 or NULL, runs from new rows to old ones and from old values to new
 *         ones -> out u32, rows [out_first, n), new_begin u32
 * Launch  tile, ceil((n - out_first) / UPDATE_ROWS)
 * Cost    4 B read and 4 B written a row, and a search in the runs where a tile lies in several of them
 * Result  SDD_NONE stays SDD_NONE. With `ends` 1 a value is the end of a range, and goes where the row before it goes;
 *         a range that ends at 0 is empty and stays so. Without runs of values they stay as they are.
 *         With `begin`, where ranges begin, new_begin keeps their lengths.
 * Threads any queue */
#ifndef SDD_K_UPDATE_ROWS_H
#define SDD_K_UPDATE_ROWS_H
#include "gpu/kernel/tile.h"
#include "gpu/mesh/update.dev.h"

#define UPDATE_LANES 128
#define UPDATE_ROWS 512 /* Where an edit is in many places, larger tiles would lie in several runs. */
enum { update_rows_threads = UPDATE_LANES };

struct update_rows_args {
    const uint32_t *in;
    uint32_t *out;
    struct sdd_runs rows, values;
    int64_t n;
    uint32_t in_first, out_first, ends;
    const uint32_t *begin;
    uint32_t *new_begin;
};

/* Where rows of a tile come from. */
struct sdd_update_source {
    const uint32_t *in;
    int32_t low, high; /* The runs in which the rows lie. */
    uint32_t first;    /* The new number of the tile's first row. */
    uint32_t ends;
};

/* The old row of row i of a tile, counted from a->in_first. */
SDD_FN uint32_t sdd_update_row(const struct update_rows_args *a, const struct sdd_update_source *s, int32_t i)
{
    const uint32_t row = s->first + (uint32_t)i;
    return row + a->rows.shift[sdd_run_of(&a->rows, s->low, s->high, row)] - a->in_first;
}

SDD_FN uint32_t sdd_update_value(const struct update_rows_args *a, const struct sdd_update_source *s, int32_t i)
{
    return s->in[sdd_update_row(a, s, i)] - s->ends;
}

/* Writes where the ranges of n rows begin, as these end already. */
SDD_FN void sdd_update_begins(const struct update_rows_args *a, const struct sdd_update_source *s, int32_t n)
{
    const uint32_t *to = a->out + ((int64_t)s->first - (int64_t)a->out_first);
    uint32_t *begin = a->new_begin + ((int64_t)s->first - (int64_t)a->out_first);
    SDD_EACH (i, n) {
        const uint32_t row = sdd_update_row(a, s, i);
        begin[i] = to[i] - (a->in[row] - a->begin[row]);
    }
}

SDD_FN void k_update_rows(int64_t tile, const struct update_rows_args *a)
{
    SDD_SHARED(uint32_t, least, UPDATE_LANES);
    SDD_SHARED(uint32_t, most, UPDATE_LANES);
    struct sdd_update_source s = {a->in, 0, a->rows.n - 1, a->out_first + (uint32_t)tile * UPDATE_ROWS, a->ends};
    const int64_t left = a->n - (int64_t)s.first;
    const int32_t n = left < UPDATE_ROWS ? (int32_t)left : UPDATE_ROWS;
    s.low = sdd_run_of(&a->rows, 0, a->rows.n - 1, s.first);
    s.high = sdd_run_of(&a->rows, s.low, a->rows.n - 1, s.first + (uint32_t)n - 1);
    const int in_line = s.low == s.high; /* Then the rows are next to each other in the old mesh, too. */
    const uint32_t *from = a->in + (int64_t)(uint32_t)(s.first + a->rows.shift[s.low]) - (int64_t)a->in_first;
    uint32_t *to = a->out + ((int64_t)s.first - (int64_t)a->out_first);

    if (a->values.n == 0) {
        SDD_EACH (i, n)
            to[i] = in_line ? from[i] : sdd_update_value(a, &s, i);
        return;
    }
    /* A lane reads what it wrote itself. */
    SDD_EACH (lane, UPDATE_LANES) {
        least[lane] = SDD_NONE;
        most[lane] = 0;
    }
    for (int32_t row = 0; row < n; row += UPDATE_LANES) {
        const int32_t some = n - row < UPDATE_LANES ? n - row : UPDATE_LANES;
        if (in_line) {
            SDD_EACH (lane, some) {
                const uint32_t v = from[row + lane] - s.ends;
                least[lane] = v < least[lane] ? v : least[lane];
                most[lane] = v > most[lane] ? v : most[lane];
            }
        } else {
            SDD_EACH (lane, some) {
                const uint32_t v = sdd_update_value(a, &s, row + lane);
                least[lane] = v < least[lane] ? v : least[lane];
                most[lane] = v > most[lane] ? v : most[lane];
            }
        }
    }
    SDD_SYNC;
    for (int32_t half = UPDATE_LANES / 2; half > 0; half /= 2) {
        SDD_EACH (lane, half) {
            least[lane] = least[lane + half] < least[lane] ? least[lane + half] : least[lane];
            most[lane] = most[lane + half] > most[lane] ? most[lane + half] : most[lane];
        }
        SDD_SYNC;
    }
    const uint32_t low = least[0], high = most[0];
    const int32_t first_run = sdd_run_of(&a->values, 0, a->values.n - 1, low);
    const int32_t last_run = sdd_run_of(&a->values, first_run, a->values.n - 1, high);
    const uint32_t shift = a->values.shift[first_run];
    if (in_line && first_run == last_run && high != SDD_NONE) {
        SDD_EACH (i, n)
            to[i] = from[i] + shift;
    } else {
        SDD_EACH (i, n) {
            const uint32_t v = sdd_update_value(a, &s, i);
            to[i] = v + s.ends;
            if (v != SDD_NONE)
                to[i] += a->values.shift[sdd_run_of(&a->values, first_run, last_run, v)];
        }
    }
    if (a->begin) /* Row i is of the same thread as before. */
        sdd_update_begins(a, &s, n);
}
#endif
