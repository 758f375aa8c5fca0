/* SPDX-License-Identifier: Apache-2.0 */
/* gaps.c: closes arrays up over removed rows. Rows in front of the first gap stay where they are, and are shared with
 * the old mesh; where most of the array would move, a new one is made in one pass. */
#include "server/base/shared.h"
#include "server/mesh/edits/work.h"
#include <stdlib.h>
#include <string.h>

enum { SORTED_PART = 32, COUNTED = 8, CHUNK = 512 };

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

int edits_shift(const struct ints *removed, int64_t n, struct edit_shift *out, struct sdd_error *err)
{
    *out = (struct edit_shift){removed->v, removed->n, NULL};
    if (removed->n <= COUNTED)
        return SDD_OK;
    out->map = mesh_alloc(n, sizeof *out->map, err);
    if (!out->map)
        return SDD_ENO_MEMORY;
    for (int64_t i = 0, gone = 0; i < n; i++) {
        out->map[i] = (int32_t)(i - gone);
        gone += gone < removed->n && removed->v[gone] == i;
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

/* Copies n indices, renumbered. `to` may be in front of `from` in the same array. */
static void shift(int32_t *to, const int32_t *from, int64_t n, const struct edit_shift *s)
{
    int32_t in[CHUNK], less[CHUNK];
    if (!s || !s->n) {
        memmove(to, from, (size_t)n * sizeof *to);
        return;
    }
    for (int64_t i = 0; i < n && s->map; i++)
        to[i] = s->map[from[i]];
    for (int64_t i = 0; i < n && !s->map; i += CHUNK) {
        const int part = n - i < CHUNK ? (int)(n - i) : CHUNK;
        memcpy(in, from + i, (size_t)part * sizeof *in);
        memset(less, 0, sizeof less);
        for (int64_t k = 0; k < s->n; k++)
            for (int j = 0; j < part; j++)
                less[j] += in[j] > s->removed[k];
        for (int j = 0; j < part; j++)
            to[i + j] = in[j] - less[j];
    }
}

/* The first of n indices that renumbering changes, or n. */
static int64_t first_shifted(const int32_t *indices, int64_t n, const struct edit_shift *s)
{
    if (!s || !s->n)
        return n;
    for (int64_t i = 0; i < n; i += CHUNK) {
        const int64_t end = n - i < CHUNK ? n : i + CHUNK;
        int32_t most = -1;
        for (int64_t j = i; j < end; j++)
            most = indices[j] > most ? indices[j] : most;
        if (most > s->removed[0])
            return i;
    }
    return n;
}

/* Copies the rows of [from, n) that are in no gap, and of indices renumbers them. */
static void close_up(char *to, const char *rows, int64_t from, int64_t n, int64_t bytes, const struct edit_gaps *g,
                     const struct edit_shift *s)
{
    int64_t at = from;
    for (int64_t i = 0; i <= g->n; i++) {
        const int64_t end = i < g->n ? g->v[2 * i] : n;
        if (end > from) {
            if (s)
                shift((int32_t *)(void *)to + at, (const int32_t *)(const void *)rows + from, end - from, s);
            else
                memmove(to + at * bytes, rows + from * bytes, (size_t)((end - from) * bytes));
            at += end - from;
        }
        if (i < g->n)
            from = g->v[2 * i + 1] > from ? g->v[2 * i + 1] : from;
    }
}

static int close_array(void *array, int64_t n, int64_t bytes, int64_t from, const struct edit_gaps *g,
                       const struct edit_shift *s, struct sdd_error *err)
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
        close_up(rows, rows, from, n, bytes, g, s);
        return edits_write(array, n - g->rows, 0, 0, bytes, err);
    }
    char *made = mesh_array(n - g->rows, bytes, err);
    if (!made)
        return SDD_ENO_MEMORY;
    memcpy(made, rows, (size_t)(from * bytes));
    close_up(made, rows, from, n, bytes, g, s);
    shared_free(rows);
    memcpy(array, &made, sizeof made);
    return SDD_OK;
}

int edits_close_rows(void *array, int64_t n, int64_t bytes, const struct edit_gaps *g, struct sdd_error *err)
{
    return close_array(array, n, bytes, g->n ? g->v[0] : n, g, NULL, err);
}

int edits_close_indices(int32_t **array, int64_t n, const struct edit_gaps *g, const struct edit_shift *s,
                        struct sdd_error *err)
{
    const int64_t shifted = first_shifted(*array, n, s), from = g->n && g->v[0] < shifted ? g->v[0] : shifted;
    return close_array(array, n, sizeof **array, from, g, s, err);
}
