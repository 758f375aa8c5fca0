/* SPDX-License-Identifier: Apache-2.0 */
/* tile_rows.dev.h: rows of relations inside a tile, from its edges and faces in fast memory. */
#ifndef SDD_TILE_ROWS_DEV_H
#define SDD_TILE_ROWS_DEV_H
#include "gpu/kernel/tile.h"
#include "gpu/tiles/tile_arrays.h"

/* What becomes of a row. Its place is its number in the answer (tile_asked.dev.h), or where own_first is given,
 * own_first[tile] and the element's number in the tile. */
struct sdd_rows_to {
    int32_t *count;         /* If it is given, only the length is wanted. */
    const uint32_t *offset; /* Where each row begins. */
    uint32_t *ids;          /* The mesh's numbers; or, where it is NULL, numbers of the tile. */
    uint16_t *locals;
    const uint32_t *own_first;
};

/* A tile in fast memory. */
struct sdd_tile_view {
    struct sdd_tiles tiles;
    struct sdd_tile tile;
    int32_t relation;
    /* What is transposed: the ends of each edge; of VF the vertex of each corner; of EF and FF the edge after it. */
    const struct sdd_tile_ends *ends;
    const uint16_t *corner;
    uint16_t *row;
    const int32_t *end;
    const uint32_t *id;
};

SDD_FN int32_t sdd_tile_owns(const struct sdd_tile *t, int32_t relation)
{
    return relation <= SDD_RELATION_VF ? t->own_vertices : relation <= SDD_RELATION_EF ? t->own_edges : t->own_faces;
}

/* How many elements of the kind that is in the rows a tile holds, and their numbers. */
SDD_FN int32_t sdd_tile_ids(const struct sdd_tile *t, int32_t relation)
{
    return relation == SDD_RELATION_VV ? t->n_vertices : relation == SDD_RELATION_VE ? t->n_edges : t->n_faces;
}

SDD_FN const uint32_t *sdd_tile_numbers_of(const struct sdd_tiles *a, const struct sdd_tile *t, int32_t relation)
{
    if (relation == SDD_RELATION_VV)
        return a->vertex + t->first_vertex;
    return relation == SDD_RELATION_VE ? a->edge + t->first_edge : a->face + t->first_face;
}

/* The numbers in the mesh of the elements that have rows, of which the tile owns the first. */
SDD_FN const uint32_t *sdd_tile_elements(const struct sdd_tiles *a, const struct sdd_tile *t, int32_t relation)
{
    if (relation <= SDD_RELATION_VF)
        return a->vertex + t->first_vertex;
    return relation <= SDD_RELATION_EF ? a->edge + t->first_edge : a->face + t->first_face;
}

SDD_FN uint32_t sdd_tile_element(const struct sdd_tiles *a, const struct sdd_tile *t, int32_t relation, int32_t i)
{
    return sdd_tile_elements(a, t, relation)[i];
}

/* Where the corners of face f of the tile begin, or those of the last one end, counted in the tile. */
SDD_FN int32_t sdd_tile_corner(const struct sdd_tile_view *v, int32_t f)
{
    if (v->tiles.size)
        return f * (int32_t)v->tiles.size;
    return f > 0 ? v->tiles.face_end[v->tile.first_face + (uint32_t)f - 1] : 0;
}

/* Adds what edge or face i says to the rows of the transpose: to their lengths, or where `row` is given, to them. */
SDD_FN void sdd_tile_place(const struct sdd_tile_view *v, int32_t i, int32_t *end, uint16_t *row)
{
    if (v->relation == SDD_RELATION_VV || v->relation == SDD_RELATION_VE) {
        const struct sdd_tile_ends e = v->ends[i];
        for (int32_t k = 0; k < 2; k++) {
            if (e.v[0] == e.v[1] && (k == 1 || v->relation == SDD_RELATION_VV))
                continue;
            const int32_t at = sdd_tile_add(end + e.v[k], 1);
            if (row)
                row[at] = v->relation == SDD_RELATION_VE ? (uint16_t)i : e.v[1 - k];
        }
        return;
    }
    for (int32_t c = sdd_tile_corner(v, i); c < sdd_tile_corner(v, i + 1); c++) {
        const int32_t at = sdd_tile_add(end + v->corner[c], 1);
        if (row)
            row[at] = (uint16_t)i;
    }
}

/* The fast memory in which the rows of a tile are made. It is small, so that a GPU has room for many tiles at once. */
struct sdd_tile_memory {
    union {
        uint16_t corner[SDD_TILE_CORNERS];
        struct sdd_tile_ends ends[SDD_TILE_EDGES];
    } from;
    uint16_t row[SDD_TILE_CORNERS]; /* The rows of the transpose, one after the other. */
    int32_t end[SDD_TILE_EDGES];    /* Where each of them ends. */
    uint32_t id[SDD_TILE_EDGES];    /* The mesh's numbers of what is in the rows. */
    int32_t scratch[SDD_SCAN_SCRATCH];
};

/* A phase that brings the mesh's numbers of what is in the rows of a tile. */
SDD_FN void sdd_stage_numbers(const struct sdd_tiles *tiles, const struct sdd_tile *t, int32_t relation, uint32_t *id)
{
    const int32_t n = sdd_tile_ids(t, relation);
    const uint32_t *ids = sdd_tile_numbers_of(tiles, t, relation);
    SDD_EACH (i, n)
        id[i] = ids[i];
}

/* Stages a tile and transposes it: row i of the transpose is row[end[i - 1]] to row[end[i] - 1], in no order. Of FF the
 * transpose is that of EF. All threads of a block call it, and the rows are complete when it returns. */
SDD_FN struct sdd_tile_view sdd_tile_stage(const struct sdd_tiles *tiles, int64_t tile, int32_t relation,
                                           struct sdd_tile_memory *m)
{
    const struct sdd_tile t = tiles->tile[tile];
    const int by_faces = relation == SDD_RELATION_VF || relation == SDD_RELATION_EF || relation == SDD_RELATION_FF;
    const int32_t n_rows = relation <= SDD_RELATION_VF ? t.n_vertices : t.n_edges;
    const int32_t n_from = by_faces ? t.n_faces : t.n_edges;
    struct sdd_tile_view v;
    v.tiles = *tiles;
    v.tile = t;
    v.relation = relation;
    v.ends = m->from.ends;
    v.corner = m->from.corner;
    v.row = m->row;
    v.end = m->end;
    v.id = m->id;
    SDD_EACH (c, by_faces ? t.n_corners : 0) {
        const uint32_t edge = tiles->face_edge[t.first_corner + (uint32_t)c];
        m->from.corner[c] = (uint16_t)(edge >> 1);
        if (relation == SDD_RELATION_VF)
            m->from.corner[c] = tiles->edge_vertex[t.first_edge + (edge >> 1)].v[edge & 1];
    }
    SDD_EACH (e, by_faces ? 0 : t.n_edges)
        m->from.ends[e] = tiles->edge_vertex[t.first_edge + (uint32_t)e];
    sdd_stage_numbers(tiles, &t, relation, m->id);
    SDD_EACH (i, n_rows)
        m->end[i] = 0;
    SDD_SYNC;
    SDD_EACH (i, n_from)
        sdd_tile_place(&v, i, m->end, NULL);
    SDD_SYNC;
    sdd_tile_scan(m->end, m->scratch, n_rows);
    SDD_EACH (i, n_from) /* Each entry of `end` moves from the start of its row to its end. */
        sdd_tile_place(&v, i, m->end, m->row);
    SDD_SYNC;
    return v;
}

/* Puts a row in ascending order of the mesh's numbers, each once, and returns how many there are. */
SDD_FN int32_t sdd_tile_order(uint16_t *row, int32_t n, const uint32_t *id)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < n; i++) {
        const uint16_t x = row[i];
        int32_t at = kept;
        while (at > 0 && id[row[at - 1]] > id[x])
            at--;
        if (at > 0 && row[at - 1] == x)
            continue;
        for (int32_t k = kept; k > at; k--)
            row[k] = row[k - 1];
        row[at] = x;
        kept++;
    }
    return kept;
}

SDD_FN void sdd_tile_put(const struct sdd_rows_to *to, uint32_t at, uint16_t x, uint32_t id)
{
    if (to->ids)
        to->ids[at] = id;
    else
        to->locals[at] = x;
}

/* The next face, by the mesh's numbers from `least` on, that shares an edge with face f; SDD_NONE if there is none. */
SDD_FN uint32_t sdd_tile_next_face(const struct sdd_tile_view *v, int32_t f, uint32_t least, uint16_t *local)
{
    uint32_t best = SDD_NONE;
    for (int32_t c = sdd_tile_corner(v, f); c < sdd_tile_corner(v, f + 1); c++) {
        const int32_t e = v->corner[c];
        for (int32_t k = e > 0 ? v->end[e - 1] : 0; k < v->end[e]; k++) {
            const uint32_t id = v->id[v->row[k]];
            if (v->row[k] == f || id < least || id >= best)
                continue;
            best = id;
            *local = v->row[k];
        }
    }
    return best;
}

#define SDD_NO_LOCAL 0xffffu

/* Orders the row of element i, which stays in the transpose; where an element was there more than once, SDD_NO_LOCAL
 * follows it. Rows of FF are found in the transpose as it is. */
SDD_FN void sdd_tile_settle(const struct sdd_tile_view *v, int32_t i)
{
    const int32_t first = i > 0 ? v->end[i - 1] : 0, n = v->end[i] - first;
    if (v->relation == SDD_RELATION_FF)
        return;
    const int32_t kept = sdd_tile_order(v->row + first, n, v->id);
    if (kept < n)
        v->row[first + kept] = SDD_NO_LOCAL;
}

/* The row of element i, which the tile owns and sdd_tile_settle has ordered, to `place`. */
SDD_FN void sdd_tile_answer(const struct sdd_tile_view *v, uint32_t place, int32_t i, const struct sdd_rows_to *to)
{
    const uint32_t at = to->count ? 0 : to->offset[place];
    int32_t n = 0;
    if (v->relation == SDD_RELATION_FF) {
        uint16_t local = 0;
        for (uint32_t id = 0; (id = sdd_tile_next_face(v, i, id, &local)) != SDD_NONE; id++, n++)
            if (!to->count)
                sdd_tile_put(to, at + (uint32_t)n, local, id);
    } else {
        for (int32_t k = i > 0 ? v->end[i - 1] : 0; k < v->end[i] && v->row[k] != SDD_NO_LOCAL; k++, n++)
            if (!to->count)
                sdd_tile_put(to, at + (uint32_t)n, v->row[k], v->id[v->row[k]]);
    }
    if (to->count)
        to->count[place] = n;
}
#endif
