/* SPDX-License-Identifier: Apache-2.0 */
/* gaps.c: closes arrays up over removed rows. Rows in front of the first gap stay where they are, and are shared with
 * the old mesh; where most of the array would move, a new one is made in one pass. */
#include "server/base/shared.h"
#include "server/mesh/edits/close.h"
#include <stdlib.h>
#include <string.h>

enum { SORTED_PART = 32, COUNTED = 16, BLOCK = 32 };

void edits_list_marked(struct ints *list, const unsigned char *state, unsigned char flag, int64_t n)
{
    if (list->n < n / SORTED_PART) {
        edits_sort(list);
        return;
    }
    list->n = 0;
    for (int64_t i = 0; i < n; i++)
        if (state[i] & flag)
            list->v[list->n++] = (int32_t)i;
}

int edits_gaps(const struct edit_work *w, const struct ints *rows, bool corners, struct edit_gaps *out,
               struct sdd_error *err)
{
    *out = (struct edit_gaps){.v = mesh_alloc(rows->n, 2 * sizeof *out->v, err)};
    if (!out->v)
        return SDD_ENO_MEMORY;
    for (int64_t i = 0; i < rows->n; i++) {
        const int64_t row = rows->v[i], from = corners ? edits_first(w, row) : row,
                      to = from + (corners ? w->face_counts[row] : 1);
        if (out->n && out->v[2 * out->n - 1] == from) {
            out->v[2 * out->n - 1] = to;
        } else {
            out->v[2 * out->n] = from;
            out->v[2 * out->n++ + 1] = to;
        }
        out->rows += to - from;
    }
    return SDD_OK;
}

void edits_shift_rows(int32_t *rows, int64_t n, const struct ints *removed)
{
    for (int64_t i = 0, gone = 0; i < n; i++) {
        while (gone < removed->n && removed->v[gone] < rows[i])
            gone++;
        rows[i] -= (int32_t)gone;
    }
}

/* How many of the removed rows are below a row. */
static int64_t below(const struct ints *removed, int32_t row)
{
    int64_t low = 0, high = removed->n;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (removed->v[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Copies n indices, BLOCK at most, with those above removed rows moved down. `to` may be in front of `from` in the same
 * array. Indices that are near each other mostly have the same rows below them. */
static void shift_block(int32_t *to, const int32_t *from, int n, const struct ints *removed)
{
    int32_t in[BLOCK], out[BLOCK], least = from[0], most = from[0];
    for (int i = 0; i < BLOCK && n < BLOCK; i++)
        in[i] = from[i < n ? i : 0];
    if (n == BLOCK)
        memcpy(in, from, sizeof in);
    for (int i = 0; i < BLOCK; i++) {
        least = in[i] < least ? in[i] : least;
        most = in[i] > most ? in[i] : most;
    }
    const int64_t high = most > removed->v[0] ? below(removed, most) : 0,
                  low = high && least <= removed->v[high - 1] ? below(removed, least) : high;
    for (int i = 0; i < BLOCK; i++)
        out[i] = in[i] - (int32_t)low;
    for (int64_t k = low; k < high && high - low <= COUNTED; k++)
        for (int i = 0; i < BLOCK; i++)
            out[i] -= in[i] > removed->v[k];
    for (int i = 0; i < BLOCK && high - low > COUNTED; i++)
        out[i] = in[i] - (int32_t)below(removed, in[i]);
    memcpy(to, out, (size_t)n * sizeof *out);
}

static void shift(int32_t *to, const int32_t *from, int64_t n, const struct ints *removed)
{
    for (int64_t i = 0; i < n; i += BLOCK)
        shift_block(to + i, from + i, n - i < BLOCK ? (int)(n - i) : BLOCK, removed);
}

/* The first of n indices that renumbering changes, or one not far in front of it; n when there is none. */
static int64_t first_shifted(const int32_t *indices, int64_t n, const struct ints *removed)
{
    for (int64_t i = 0; i < n && removed->n;) {
        size_t bytes = (size_t)(n - i) * sizeof *indices;
        const int32_t *part = shared_read(indices, (size_t)i * sizeof *indices, &bytes);
        const int64_t end = i + (int64_t)(bytes / sizeof *indices);
        for (; i < end; i += BLOCK, part += BLOCK) {
            int32_t above = 0;
            for (int k = 0; k < BLOCK && i + BLOCK > end; k++)
                above |= i + k < end && part[k] > removed->v[0];
            for (int k = 0; k < BLOCK && i + BLOCK <= end; k++)
                above |= part[k] > removed->v[0];
            if (above)
                return i;
        }
        i = end;
    }
    return n;
}

/* Copies bytes [from, end) of an array, and of indices renumbers them. Returns where `to` goes on. */
static char *copy(char *to, const char *array, int64_t from, int64_t end, const struct ints *removed)
{
    while (from < end) {
        size_t n = (size_t)(end - from);
        const void *part = shared_read(array, (size_t)from, &n);
        if (removed)
            shift((int32_t *)(void *)to, part, (int64_t)(n / sizeof(int32_t)), removed);
        else
            memmove(to, part, n);
        to += n;
        from += (int64_t)n;
    }
    return to;
}

/* Copies the rows of [from, n) that are in no gap. */
static void close_up(char *to, const char *array, int64_t from, int64_t n, int64_t bytes, const struct edit_gaps *g,
                     const struct ints *removed)
{
    to += from * bytes;
    for (int64_t i = 0; i <= g->n; i++) {
        const int64_t end = i < g->n ? g->v[2 * i] : n;
        if (end > from)
            to = copy(to, array, from * bytes, end * bytes, removed);
        if (i < g->n && g->v[2 * i + 1] > from)
            from = g->v[2 * i + 1];
    }
}

/* Closes an array up, of which rows behind `from` alone change. */
static int close_array(void *array, int64_t n, int64_t bytes, int64_t from, const struct edit_gaps *g,
                       const struct ints *removed, struct sdd_error *err)
{
    char *rows;
    memcpy(&rows, array, sizeof rows);
    if (from >= n)
        return SDD_OK;
    if (!shared_dear(rows, (size_t)((n - from) * bytes))) {
        int rc = edits_write(array, n, from, n - from, bytes, err);
        if (rc)
            return rc;
        memcpy(&rows, array, sizeof rows);
        close_up(rows, rows, from, n, bytes, g, removed);
        return edits_write(array, n - g->rows, 0, 0, bytes, err);
    }
    char *made = mesh_array(n - g->rows, bytes, err);
    if (!made)
        return SDD_ENO_MEMORY;
    (void)copy(made, rows, 0, from * bytes, NULL);
    close_up(made, rows, from, n, bytes, g, removed);
    shared_free(rows);
    memcpy(array, &made, sizeof made);
    return SDD_OK;
}

int edits_close_rows(void *array, int64_t n, int64_t bytes, const struct edit_gaps *g, struct sdd_error *err)
{
    return close_array(array, n, bytes, g->n ? g->v[0] : n, g, NULL, err);
}

int edits_close_indices(int32_t **array, int64_t n, const struct edit_gaps *g, const struct ints *removed,
                        struct sdd_error *err)
{
    const int64_t shifted = first_shifted(*array, n, removed), from = g->n && g->v[0] < shifted ? g->v[0] : shifted;
    return close_array(array, n, sizeof **array, from, g, removed->n ? removed : NULL, err);
}
