/* SPDX-License-Identifier: Apache-2.0 */
/* id_map.h: from id to row where ids do not ascend, as in a mesh whose rows were put in another order. Where they do
 * ascend nothing is built, and a binary search is the way. */
#ifndef SUBDD_ID_MAP_H
#define SUBDD_ID_MAP_H
#include "gpu/sdd/err.h"
#include <stdint.h>

struct id_map {    /* open addressing over rows */
    int32_t *rows; /* -1: free; NULL: ids ascend */
    int bits;
};

/* id_map_init: *twice gets the first row whose id an earlier row has (or -1), and then the map is not to be used.
 * Cost    a look at each id where they ascend; else linear, 8 to 16 bytes an id
 * Errors  SDD_ENO_MEMORY, SDD_ETOO_LARGE */
int id_map_init(struct id_map *map, const int32_t *ids, int64_t n, int64_t *twice, struct sdd_error *err);
void id_map_fini(struct id_map *map);
/* id_map_find: the row of an id that is not negative, -1 when there is none. map->rows must not be NULL. */
int64_t id_map_find(const struct id_map *map, const int32_t *ids, int32_t id);

#endif
