/* SPDX-License-Identifier: Apache-2.0 */
/* query.h: the kernel language's third shape. A kernel of queries is one header gpu/ROOM/kernels/NAME.q.k.h with a
 * struct NAME_args whose first member is `struct sdd_query_rows rows`, and a body k_NAME(element, row, n, args) for one
 * element, which gets its neighbours, in valid C11 and valid CUDA C++: sdd_neighbor(row, k) for k < n.
 * What fetches the row is written once, here, in three forms, which are three kernels with the same arguments:
 *   NAME         from flat rows; gcc makes a parallel loop over elements, nvcc a thread for each
 *   NAME_kept    from rows that are kept in 16 bits; a tile is a block or a turn of a loop
 *   NAME_staged  from what each tile holds, staged and transposed in fast memory (tile_rows.dev.h); not of FF
 * queries_rows (gpu/queries/queries.h) makes `rows` for one of them, and QUERY_LAUNCH launches that. Tiles visit the
 * elements that they own, and what is launched after the last tile visits isolated vertices, whose rows are empty; the
 * last two are for meshes without flat tiles. A body that wants a second relation finds that in `rows` too, flat
 * (sdd_second_row).
 *
 * Rules: those of kernel.h. Sums over a row run in its order, from its first neighbour to its last, so they do not
 * depend on how rows were made. The body writes only what its element owns, and no SDD_SYNC stands in it. */
#ifndef SDD_QUERY_H
#define SDD_QUERY_H
#include "gpu/tiles/tile_rows.dev.h"

/* The rows of one relation: row i is ids[offset[i]] to ids[offset[i + 1] - 1]. */
struct sdd_rows_of {
    const uint32_t *offset, *ids;
};

/* The rows of one relation in 16 bits: that of element i of tile t is locals[begin[own_first[t] + i]] to
 * locals[begin[own_first[t] + i + 1] - 1], in numbers of the tile. */
struct sdd_rows_kept {
    const uint32_t *own_first, *begin;
    const uint16_t *locals;
};

struct sdd_query_rows {
    struct sdd_rows_of first, second; /* The second has NULLs where the kernel asks for one relation. */
    struct sdd_tiles tiles;           /* Of NAME_kept and NAME_staged, instead of `first`; and so is what follows. */
    struct sdd_rows_kept kept;
    const uint32_t *isolated; /* Shape [n_isolated]: vertices; none where other elements have the rows. */
    uint32_t n_tiles, n_isolated;
    int32_t relation;
};

/* The row that a body gets. */
struct sdd_query_row {
    const uint32_t *ids;
    const uint16_t *locals; /* Neighbour k is ids[locals[k]], or where this is NULL, ids[k]. */
};

SDD_FN uint32_t sdd_neighbor(struct sdd_query_row r, int32_t k)
{
    return r.locals ? r.ids[r.locals[k]] : r.ids[k];
}

/* Returns the row of an element in the second relation, and its length. */
SDD_FN const uint32_t *sdd_second_row(const struct sdd_query_rows *r, int64_t element, int32_t *n)
{
    *n = (int32_t)(r->second.offset[element + 1] - r->second.offset[element]);
    return r->second.ids + r->second.offset[element];
}

SDD_FN struct sdd_query_row sdd_flat_row(const struct sdd_query_rows *q, int64_t i, int32_t *n)
{
    struct sdd_query_row row;
    row.ids = q->first.ids + q->first.offset[i];
    row.locals = NULL;
    *n = (int32_t)(q->first.offset[i + 1] - q->first.offset[i]);
    return row;
}

/* The row of element i that tile number `tile` owns; `id` has the mesh's numbers of what is in its rows, which are few
 * and near: caches hold them, and staging them first would be a wait more. */
SDD_FN struct sdd_query_row sdd_kept_row(const struct sdd_rows_kept *k, int64_t tile, int32_t i, const uint32_t *id,
                                         int32_t *n)
{
    const uint32_t *begin = k->begin + k->own_first[tile] + i;
    struct sdd_query_row row;
    row.ids = id;
    row.locals = k->locals + begin[0];
    *n = (int32_t)(begin[1] - begin[0]);
    return row;
}

SDD_FN struct sdd_query_row sdd_staged_row(const struct sdd_tile_view *v, int32_t i, int32_t *n)
{
    const int32_t first = i > 0 ? v->end[i - 1] : 0;
    struct sdd_query_row row;
    *n = sdd_tile_order(v->row + first, v->end[i] - first, v->id);
    row.ids = v->id;
    row.locals = v->row + first;
    return row;
}

/* Of the blocks of NAME_staged, and of those of NAME_kept, which do nothing but visit some hundred elements. */
enum { query_threads = 256, query_kept_threads = 128 };

/* How many isolated vertices what is launched as tile number `tile` visits: none if it is a tile. The first of them is
 * isolated[sdd_first_isolated]. */
SDD_FN uint32_t sdd_first_isolated(const struct sdd_query_rows *q, int64_t tile)
{
    return (uint32_t)(tile - q->n_tiles) * query_threads;
}

SDD_FN int32_t sdd_n_isolated_of(const struct sdd_query_rows *q, int64_t tile)
{
    const uint32_t left = q->n_isolated - sdd_first_isolated(q, tile);
    return (int32_t)(left < query_threads ? left : query_threads);
}

/* Makes the bodies of the three forms: q_NAME of an item, q_NAME_kept and q_NAME_staged of tiles. */
#define SDD_QUERY_BODY(name)                                                                                           \
    SDD_FN void q_##name(int64_t i, const struct name##_args *a)                                                       \
    {                                                                                                                  \
        int32_t n;                                                                                                     \
        const struct sdd_query_row row = sdd_flat_row(&a->rows, i, &n);                                                \
        k_##name(i, row, n, a);                                                                                        \
    }                                                                                                                  \
    SDD_FN void q_##name##_isolated(int64_t tile, const struct name##_args *a)                                         \
    {                                                                                                                  \
        struct sdd_query_row none;                                                                                     \
        none.ids = NULL;                                                                                               \
        none.locals = NULL;                                                                                            \
        SDD_EACH (i, sdd_n_isolated_of(&a->rows, tile))                                                                \
            k_##name((int64_t)a->rows.isolated[sdd_first_isolated(&a->rows, tile) + (uint32_t)i], none, 0, a);         \
    }                                                                                                                  \
    SDD_FN void q_##name##_kept(int64_t tile, const struct name##_args *a)                                             \
    {                                                                                                                  \
        if (tile >= a->rows.n_tiles) {                                                                                 \
            q_##name##_isolated(tile, a);                                                                              \
            return;                                                                                                    \
        }                                                                                                              \
        const struct sdd_tile t = a->rows.tiles.tile[tile];                                                            \
        const uint32_t *id = sdd_tile_numbers_of(&a->rows.tiles, &t, a->rows.relation);                                \
        SDD_EACH (i, sdd_tile_owns(&t, a->rows.relation)) {                                                            \
            int32_t n;                                                                                                 \
            const struct sdd_query_row row = sdd_kept_row(&a->rows.kept, tile, i, id, &n);                             \
            k_##name((int64_t)sdd_tile_element(&a->rows.tiles, &t, a->rows.relation, i), row, n, a);                   \
        }                                                                                                              \
    }                                                                                                                  \
    SDD_FN void q_##name##_staged(int64_t tile, const struct name##_args *a)                                           \
    {                                                                                                                  \
        SDD_SHARED(struct sdd_tile_memory, memory, 1);                                                                 \
        if (tile >= a->rows.n_tiles) {                                                                                 \
            q_##name##_isolated(tile, a);                                                                              \
            return;                                                                                                    \
        }                                                                                                              \
        const struct sdd_tile_view v = sdd_tile_stage(&a->rows.tiles, tile, a->rows.relation, memory);                 \
        SDD_EACH (i, sdd_tile_owns(&v.tile, a->rows.relation)) {                                                       \
            int32_t n;                                                                                                 \
            const struct sdd_query_row row = sdd_staged_row(&v, i, &n);                                                \
            k_##name((int64_t)sdd_tile_element(&a->rows.tiles, &v.tile, a->rows.relation, i), row, n, a);              \
        }                                                                                                              \
    }
#endif
