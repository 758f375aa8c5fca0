/* SPDX-License-Identifier: Apache-2.0 */
/* update_find: where keys belong among the rows of a topology that ascend by a key: its edges, the slots of vert_corner
 * or its ghosts. Keys are of doubled numbers, so that there is room between them for rows which are not there yet: the
 * row of number i has 2 i + 1, and what comes before it has 2 i.
 * Shapes  key[n] u64, list[rows] u32 (edge_corner, vert_corner or the twins of ghosts), vert, owner, twin [C] u32,
 *         faces -> place[n] u32, found[n][3] u32
 * Launch  item, n
 * Cost    log2 of the rows reads, each of one to three words
 * Result  place is the number of rows with a lower key. found is a corner, its twin and its owner: of the edge that has
 *         the key, or of the slot at the place; SDD_NONE three times where there is none.
 * Threads any queue */
#ifndef SDD_K_UPDATE_FIND_H
#define SDD_K_UPDATE_FIND_H
#include "gpu/grid/faces.h"

/* Edges ascend by (lower vertex, higher vertex), slots by (vertex, corner) and ghosts by the corner across. */
enum sdd_find { SDD_FIND_EDGES, SDD_FIND_SLOTS, SDD_FIND_GHOSTS };

struct update_find_args {
    const uint64_t *key;
    uint32_t *place;
    uint32_t *found; /* NULL where it is not asked for. */
    const uint32_t *list, *vert, *owner;
    const uint32_t *twin; /* NULL where corners have none. */
    struct sdd_faces faces;
    int64_t n_rows;
    int32_t what; /* A value of enum sdd_find. */
};

SDD_FN uint64_t sdd_update_pair(uint32_t high, uint32_t low)
{
    return (uint64_t)(2 * high + 1) << 32 | (2 * low + 1);
}

SDD_FN uint64_t sdd_update_key(const struct update_find_args *a, int64_t row)
{
    const uint32_t c = a->list[row];
    if (a->what == SDD_FIND_GHOSTS)
        return 2 * c + 1;
    const uint32_t v = a->vert[c];
    if (a->what == SDD_FIND_SLOTS)
        return sdd_update_pair(v, c);
    const uint32_t w = a->vert[sdd_next(&a->faces, c)];
    return v < w ? sdd_update_pair(v, w) : sdd_update_pair(w, v);
}

SDD_FN void k_update_find(int64_t i, const struct update_find_args *a)
{
    const uint64_t key = a->key[i];
    int64_t low = 0, high = a->n_rows;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (sdd_update_key(a, middle) < key)
            low = middle + 1;
        else
            high = middle;
    }
    a->place[i] = (uint32_t)low;
    if (!a->found)
        return;
    const int is_there = low < a->n_rows && (a->what != SDD_FIND_EDGES || sdd_update_key(a, low) == key);
    const uint32_t c = is_there ? a->list[low] : SDD_NONE;
    a->found[3 * i] = c;
    a->found[3 * i + 1] = is_there && a->twin ? a->twin[c] : SDD_NONE;
    a->found[3 * i + 2] = is_there ? a->owner[c] : SDD_NONE;
}
#endif
