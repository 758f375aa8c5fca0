/* SPDX-License-Identifier: Apache-2.0 */
/* id_map.h: finds the row of an id in a mesh whose ids do not ascend, because its rows were put in another order. When
 * the ids ascend nothing is built, and callers use binary search. */
#ifndef SUBDD_ID_MAP_H
#define SUBDD_ID_MAP_H
#include "gpu/sdd/err.h"
#include <stdint.h>

/* A hash table with open addressing. */
struct id_map {
    int32_t *rows; /* The row in each slot, or -1 in a free one; NULL when the ids ascend. */
    int bits;
};

/* id_map_init: builds the map. *twice becomes the first row whose id an earlier row has, or -1. When it is not -1, the
 * map must not be used.
 * Cost    one comparison per id when they ascend, else linear time and 8 to 16 bytes per id
 * Errors  SDD_ENO_MEMORY, SDD_ETOO_LARGE */
int id_map_init(struct id_map *map, const int32_t *ids, int64_t n, int64_t *twice, struct sdd_error *err);
void id_map_fini(struct id_map *map);
/* id_map_find: the row of an id, or -1 when there is none. The id must not be negative and map->rows must not be NULL.
 * */
int64_t id_map_find(const struct id_map *map, const int32_t *ids, int32_t id);

#endif
