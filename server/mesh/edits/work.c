/* SPDX-License-Identifier: Apache-2.0 */
/* work.c: what all files of edits/ need of the working copy: lists and arrays that grow, rows that may be written, and
 * the rows of ids and of corners. */
#include "server/base/pool.h"
#include "server/base/shared.h"
#include "server/base/size.h"
#include "server/mesh/edits/work.h"
#include <stdlib.h>
#include <string.h>

static int no_memory(int64_t bytes, struct sdd_error *err)
{
    int rc = sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for %lld bytes", (long long)bytes);
    if (err)
        err->needed = bytes;
    return rc;
}

void *edits_grown(int64_t room, int64_t bytes, struct sdd_error *err)
{
    int64_t total;
    void *p = size_mul(room, bytes, &total) && claim_draw(total) ? calloc(total ? (size_t)total : 1, 1) : NULL;
    if (!p)
        (void)no_memory(total, err);
    return p;
}

int edits_regrow(void *array, int64_t n, int64_t more, int64_t *room, int64_t bytes, struct sdd_error *err)
{
    char *old;
    const int64_t need = n + more, from = *room, to = need > from + from / 2 ? need : from + from / 2;
    if (need <= from)
        return SDD_OK;
    memcpy(&old, array, sizeof old);
    char *grown = !claim_draw((to - from) * bytes) ? NULL
                  : from                           ? realloc(old, (size_t)(to * bytes))
                                                   : calloc((size_t)to, (size_t)bytes);
    if (!grown)
        return no_memory(to * bytes, err);
    if (from)
        memset(grown + from * bytes, 0, (size_t)((to - from) * bytes));
    memcpy(array, &grown, sizeof grown);
    *room = to;
    return SDD_OK;
}

int edits_add(struct ints *list, int32_t value, struct sdd_error *err)
{
    int rc = list->n < list->room ? SDD_OK : edits_regrow(&list->v, list->n, 64, &list->room, sizeof value, err);
    if (!rc)
        list->v[list->n++] = value;
    return rc;
}

static int compare(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

void edits_sort(struct ints *list)
{
    int64_t i = 1;
    while (i < list->n && list->v[i - 1] <= list->v[i])
        i++;
    if (i < list->n)
        qsort(list->v, (size_t)list->n, sizeof *list->v, compare);
}

int edits_write(void *array, int64_t rows, int64_t first, int64_t n, int64_t bytes, struct sdd_error *err)
{
    void *old, *own;
    int64_t total;
    memcpy(&old, array, sizeof old);
    own = size_mul(rows, bytes, &total) ? shared_own(old, (size_t)total, (size_t)(n * bytes)) : NULL;
    if (!own)
        return no_memory(total, err);
    memcpy(array, &own, sizeof own);
    if ((own != old && !claim_draw(total)) || !shared_touch(own, (size_t)(first * bytes), (size_t)(n * bytes)))
        return no_memory(total, err);
    return SDD_OK;
}

int64_t edits_face_at(const struct edit_work *w, int64_t corner)
{
    int64_t low = 0, high = (w->n_faces + EDIT_BLOCK - 1) / EDIT_BLOCK;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (w->first[middle] <= corner)
            low = middle;
        else
            high = middle;
    }
    int64_t f = low * EDIT_BLOCK;
    for (int64_t c = w->first[low]; c + w->face_counts[f] <= corner; f++)
        c += w->face_counts[f];
    return f;
}

/* The row of an id among ids[n], or -1. The first n_old rows are in the map unless it is empty, which means that their
 * ids ascend. The ids behind them always ascend. A negative id -1-k is row n_old + k. */
static int64_t find_id(const struct id_map *map, const int32_t *ids, int64_t n, int64_t n_old, int32_t id)
{
    if (id < 0) {
        int64_t row = n_old + (-1 - (int64_t)id);
        return row < n ? row : -1;
    }
    if (id < n && ids[id] == id)
        return id; /* This is the common case, in which no row before it was ever removed or moved. */
    int64_t low = 0, high = n;
    if (map->rows) {
        int64_t row = id_map_find(map, ids, id);
        if (row >= 0)
            return row;
        low = n_old;
    }
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (ids[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && ids[low] == id ? low : -1;
}

int edits_find_vertex(const struct edit_work *w, int32_t id, int64_t *row, struct sdd_error *err)
{
    *row = find_id(&w->vertex_map, w->vertex_ids, w->n_vertices, w->n_old_vertices, id);
    if (*row >= 0 && !(w->vertex_state[*row] & VERTEX_DEAD))
        return SDD_OK;
    return sdd_fail(err, SDD_EMESH, "edits", "edits[%lld]: %s vertex %d", (long long)w->edit,
                    *row < 0 ? "there is no" : "this batch has already removed", id);
}

int edits_find_face(const struct edit_work *w, int32_t id, int64_t *row, struct sdd_error *err)
{
    *row = find_id(&w->face_map, w->face_ids, w->n_faces, w->n_old_faces, id);
    if (*row >= 0 && !(w->face_state[*row] & FACE_DEAD))
        return SDD_OK;
    return sdd_fail(err, SDD_EMESH, "edits", "edits[%lld]: %s face %d", (long long)w->edit,
                    *row < 0 ? "there is no" : "this batch has already removed", id);
}
