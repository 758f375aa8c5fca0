/* SPDX-License-Identifier: Apache-2.0 */
/* work.c: what all files of edits/ need of the working copy: arrays with room to grow, and the rows of ids. */
#include "server/mesh/edits/work.h"
#include <string.h>

void *edits_grown(const void *from, int64_t n, int64_t room, int64_t bytes, struct sdd_error *err)
{
    char *p = mesh_alloc(room, bytes, err);
    if (!p)
        return NULL;
    if (n && from)
        memcpy(p, from, (size_t)(n * bytes));
    memset(p + (from ? n * bytes : 0), 0, (size_t)((room - (from ? n : 0)) * bytes));
    return p;
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
    if (*row >= 0 && !w->vertex_state[*row])
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
