/* SPDX-License-Identifier: Apache-2.0 */
/* id_map.c: a hash table from the ids of vertices or faces to their rows, for the checks of mesh_build and for edits.
 * */
#include "server/mesh/id_map.h"
#include "server/mesh/mesh.h"
#include <stdlib.h>
#include <string.h>

/* This is Fibonacci hashing. Ids that ended in the same low bits would otherwise collide, and a client can bring such a
 * set about by adding and removing elements. */
static uint64_t slot_of(const struct id_map *map, int32_t id)
{
    return ((uint64_t)(uint32_t)id * 0x9e3779b97f4a7c15u) >> (64 - map->bits);
}

static uint64_t after(const struct id_map *map, uint64_t slot)
{
    return (slot + 1) & ((UINT64_C(1) << map->bits) - 1);
}

int id_map_init(struct id_map *map, const int32_t *ids, int64_t n, int64_t *twice, struct sdd_error *err)
{
    int64_t row = 1;
    *map = (struct id_map){.bits = 1};
    *twice = -1;
    while (row < n && ids[row] > ids[row - 1])
        row++;
    if (row >= n)
        return SDD_OK;
    while ((INT64_C(1) << map->bits) < 2 * n)
        map->bits++;
    map->rows = mesh_alloc(INT64_C(1) << map->bits, sizeof *map->rows, err);
    if (!map->rows)
        return err && err->code == SDD_ETOO_LARGE ? SDD_ETOO_LARGE : SDD_ENO_MEMORY;
    memset(map->rows, 0xff, sizeof *map->rows << map->bits);
    for (row = 0; row < n; row++) {
        uint64_t slot = slot_of(map, ids[row]);
        while (map->rows[slot] >= 0 && ids[map->rows[slot]] != ids[row])
            slot = after(map, slot);
        if (map->rows[slot] < 0)
            map->rows[slot] = (int32_t)row;
        else if (*twice < 0)
            *twice = row;
    }
    return SDD_OK;
}

void id_map_fini(struct id_map *map)
{
    free(map->rows);
    map->rows = NULL;
}

int64_t id_map_find(const struct id_map *map, const int32_t *ids, int32_t id)
{
    uint64_t slot = slot_of(map, id);
    while (map->rows[slot] >= 0 && ids[map->rows[slot]] != id)
        slot = after(map, slot);
    return map->rows[slot];
}
