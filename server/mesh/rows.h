/* SPDX-License-Identifier: Apache-2.0 */
/* rows.h: tags as rows that can be sorted, so that creases, corners and holes are normalised by the same code. */
#ifndef SUBDD_MESH_ROWS_H
#define SUBDD_MESH_ROWS_H
#include "server/mesh/mesh.h"

struct mesh_row {
    uint64_t key;   /* The mesh_row_edge of an edge, or the row of a vertex or a face. */
    uint32_t order; /* The place in the authored order: of equal keys the highest wins. */
    float sharpness;
};

/* mesh_row_edge: the key of an edge, the same in both directions. The lower vertex is in the high half. */
static inline uint64_t mesh_row_edge(int32_t a, int32_t b)
{
    return (uint64_t)(uint32_t)(a < b ? a : b) << 32 | (uint32_t)(a < b ? b : a);
}

/* mesh_rows_last: sorts the rows by key, keeps the last authored one of each key, and clamps sharpness to 10.
 * mesh_rows_clean also drops rows whose sharpness is 0.
 * Result  the number of rows left
 * Cost    linear when the rows are in order already, else n log n */
int64_t mesh_rows_last(struct mesh_row *rows, int64_t n);
int64_t mesh_rows_clean(struct mesh_row *rows, int64_t n);
/* mesh_row_find: finds a key in sorted rows by binary search. Returns NULL when no row has it. */
struct mesh_row *mesh_row_find(struct mesh_row *rows, int64_t n, uint64_t key);

#endif
