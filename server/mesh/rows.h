/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_rows.h: tags as sortable rows, so that creases, corners and holes are cleaned by one rule. */
#ifndef SUBDD_MESH_ROWS_H
#define SUBDD_MESH_ROWS_H
#include "server/mesh/mesh.h"

struct mesh_row {
    uint64_t key;   /* mesh_row_edge, or a vertex or face */
    uint32_t order; /* of authoring                       */
    float sharpness;
};

/* mesh_row_edge: the key of an edge, whichever way round; the lower vertex is in the high half. */
static inline uint64_t mesh_row_edge(int32_t a, int32_t b)
{
    return (uint64_t)(uint32_t)(a < b ? a : b) << 32 | (uint32_t)(a < b ? b : a);
}

/* mesh_rows_clean: sorts by key, keeps the last authored row of each key, clamps sharpness to 10, drops zeros.
 * Result  the number of rows left. Cost  linear when already in order */
int64_t mesh_rows_clean(struct mesh_row *rows, int64_t n);
/* mesh_row_find: binary search; NULL when no row has the key. */
struct mesh_row *mesh_row_find(struct mesh_row *rows, int64_t n, uint64_t key);

#endif
