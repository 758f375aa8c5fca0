/* SPDX-License-Identifier: Apache-2.0 */
/* contents.c: what tiles hold besides the faces of their clusters, for tiles.c. Ribbons are found by sorting keys of
 * tile and face, vertices and edges by sorting one key for each corner of a tile; the place of a key among those of its
 * tile is the 16-bit number of its element. */
#include "gpu/kernel/compact_keys.k.h"
#include "gpu/kernel/run_heads.k.h"
#include "gpu/tiles/internal.h"
#include "gpu/tiles/cluster_bounds.k.h"
#include "gpu/tiles/kernels/ribbon_count.k.h"
#include "gpu/tiles/kernels/ribbon_fill.k.h"
#include "gpu/tiles/kernels/tile_edges.k.h"
#include "gpu/tiles/kernels/tile_faces.k.h"
#include "gpu/tiles/kernels/tile_keys.k.h"
#include "gpu/tiles/kernels/tile_locals.k.h"
#include "gpu/tiles/kernels/tile_numbers.k.h"
#include "gpu/tiles/kernels/tile_records.k.h"
#include "gpu/tiles/kernels/tile_sizes.k.h"

/* Keys that are sorted and then have a rank each, by runs of equal ones. */
struct ranked {
    uint64_t *keys, *sorted;
    int32_t *values, *sorted_values, *flag, *rank;
    void *scratch;
};

struct contents {
    struct tiles *out;
    const struct clusters *c;
    int64_t n_ribbon, n_keys;
    struct device_block small, ribbon, corner, number;
    /* In `small`. */
    int32_t *count; /* Shape [C]. */
    uint32_t *flat, *ribbon_begin, *ribbon_end, *any_flat;
    int32_t *faces_end; /* Shape [n]. */
    struct sdd_tile_numbers vertices, edges;
    void *scratch;
    /* In `ribbon`. */
    struct ranked r;
    uint64_t *ribbon_key; /* Takes the place of r.keys. */
    /* In `corner`. */
    uint32_t *slot_tile;
    int32_t *corner_end;
    void *slot_scratch;
    /* In `number`, with r. */
    uint16_t *local_vertex, *local_edge;
    uint32_t *vertex, *edge; /* With room for one at each corner. */
};

static int64_t bytes_of(int64_t n)
{
    return n * (int64_t)sizeof(uint32_t);
}

static void lay_out_numbers(const struct tiling *w, struct arena *a, struct sdd_tile_numbers *n)
{
    n->first = ARENA(a, uint32_t, w->n);
    n->own = ARENA(a, uint32_t, w->n);
    n->end = ARENA(a, uint32_t, w->n);
}

static void lay_out_small(const struct tiling *w, struct arena *a, void *what)
{
    struct contents *m = what;
    const struct sdd_backend *b = w->device->b;
    m->count = ARENA(a, int32_t, w->C);
    m->faces_end = ARENA(a, int32_t, w->n);
    m->flat = ARENA(a, uint32_t, w->n);
    m->ribbon_begin = ARENA(a, uint32_t, w->n);
    m->ribbon_end = ARENA(a, uint32_t, w->n);
    m->any_flat = ARENA(a, uint32_t, 1);
    lay_out_numbers(w, a, &m->vertices);
    lay_out_numbers(w, a, &m->edges);
    m->scratch = ARENA(a, char, larger(b->scan_scratch(w->device->dev, w->C), b->scan_scratch(w->device->dev, w->n)));
}

static void lay_out_ranked(const struct tiling *w, struct arena *a, int64_t n, int bits, struct ranked *r)
{
    const struct sdd_backend *b = w->device->b;
    r->keys = ARENA(a, uint64_t, n);
    r->sorted = ARENA(a, uint64_t, n);
    r->values = r->flag = ARENA(a, int32_t, n);
    r->sorted_values = ARENA(a, int32_t, n);
    r->rank = ARENA(a, int32_t, n);
    r->scratch = ARENA(a, char, larger(b->sort_scratch(w->device->dev, n, bits), b->scan_scratch(w->device->dev, n)));
}

/* Sorts the keys, of which the low `bits` bits count, and ranks them. */
static void rank_keys(struct tiling *w, struct ranked *r, int64_t n, int bits)
{
    struct run_heads_args heads = {r->sorted, r->flag};
    dev_sort(w->device, r->keys, r->sorted, r->values, r->sorted_values, n, bits, r->scratch);
    DEV_LAUNCH(w->device, run_heads, &heads, n);
    dev_scan(w->device, r->flag, r->rank, n, r->scratch);
}

static int read_last(struct tiling *w, const int32_t *array, int64_t n, int64_t *out, struct sdd_error *err)
{
    int32_t last = 0;
    if (n > 0)
        dev_download(w->device, &last, array + n - 1, sizeof last);
    int rc = dev_finish(w->device, err);
    *out = last;
    return rc;
}

/* ---- ribbons ----------------------------------------------------------------------------------------------------- */
static void lay_out_ribbon(const struct tiling *w, struct arena *a, void *what)
{
    struct contents *m = what;
    lay_out_ranked(w, a, larger(m->n_keys, 1), w->face_bits + id_bits(w->n), &m->r);
    m->ribbon_key = m->r.keys;
}

static int find_ribbons(struct tiling *w, struct contents *m, struct sdd_error *err)
{
    sdd_device *d = w->device;
    const struct sdd_ribbon ribbon = {w->neighbors, m->c->label, w->face_bits};
    struct ribbon_count_args count = {ribbon, m->count, m->flat};
    dev_fill(d, m->flat, 0, bytes_of(w->n));
    dev_fill(d, m->ribbon_begin, 0, bytes_of(w->n));
    dev_fill(d, m->ribbon_end, 0, bytes_of(w->n));
    DEV_LAUNCH(d, ribbon_count, &count, w->C);
    dev_scan(d, m->count, m->count, w->C, m->scratch);
    int rc = read_last(w, m->count, w->C, &m->n_keys, err);
    if (!rc)
        rc = tiling_allocate(w, lay_out_ribbon, m, &m->ribbon, err);
    if (rc)
        return rc;
    struct ribbon_fill_args fill = {ribbon, m->count, m->r.keys, m->r.values};
    struct compact_keys_args compact = {m->r.sorted, m->r.flag, m->r.rank, m->ribbon_key};
    DEV_LAUNCH(d, ribbon_fill, &fill, w->C);
    rank_keys(w, &m->r, m->n_keys, w->face_bits + id_bits(w->n));
    DEV_LAUNCH(d, compact_keys, &compact, m->n_keys);
    rc = read_last(w, m->r.rank, m->n_keys, &m->n_ribbon, err);
    struct cluster_bounds_args bounds = {m->ribbon_key, m->ribbon_begin, m->ribbon_end, m->n_ribbon, w->face_bits};
    if (!rc)
        DEV_LAUNCH(d, cluster_bounds, &bounds, m->n_ribbon);
    return rc;
}

/* ---- faces ------------------------------------------------------------------------------------------------------- */
static void lay_out_corner(const struct tiling *w, struct arena *a, void *what)
{
    struct contents *m = what;
    const int64_t n = larger(m->out->n_faces, 1);
    m->slot_tile = ARENA(a, uint32_t, n);
    m->corner_end = ARENA(a, int32_t, n);
    m->out->arrays.face = ARENA(a, uint32_t, n); /* They move to where they stay once all sizes are known. */
    m->slot_scratch = ARENA(a, char, w->device->b->scan_scratch(w->device->dev, n));
}

static int place_faces(struct tiling *w, struct contents *m, struct sdd_error *err)
{
    sdd_device *d = w->device;
    struct tile_faces_args faces = {.of = {m->c->begin, m->c->end, (const uint32_t *)m->c->face, m->ribbon_begin,
                                           m->ribbon_end, m->ribbon_key, w->neighbors.mesh.face_end, m->faces_end,
                                           m->flat, w->face_bits},
                                    .faces_end = m->faces_end};
    DEV_LAUNCH(d, tile_sizes, &faces.of, w->n);
    dev_scan(d, m->faces_end, m->faces_end, w->n, m->scratch);
    int rc = read_last(w, m->faces_end, w->n, &m->out->n_faces, err);
    if (!rc)
        rc = tiling_allocate(w, lay_out_corner, m, &m->corner, err);
    if (rc)
        return rc;
    faces.face = (uint32_t *)(uintptr_t)m->out->arrays.face;
    faces.slot_tile = m->slot_tile;
    faces.size = m->corner_end;
    DEV_LAUNCH(d, tile_faces, &faces, w->n);
    dev_scan(d, m->corner_end, m->corner_end, m->out->n_faces, m->slot_scratch);
    return read_last(w, m->corner_end, m->out->n_faces, &m->out->n_corners, err);
}

/* ---- vertices and edges ------------------------------------------------------------------------------------------ */
static int element_bits(const struct tiling *w)
{
    return id_bits(larger(w->topology->info.n_vertices, w->topology->info.n_edges));
}

static void lay_out_number(const struct tiling *w, struct arena *a, void *what)
{
    struct contents *m = what;
    const int64_t n = larger(m->out->n_corners, 1);
    lay_out_ranked(w, a, n, element_bits(w) + 1 + id_bits(w->n), &m->r);
    m->local_vertex = ARENA(a, uint16_t, n);
    m->local_edge = ARENA(a, uint16_t, n);
    m->vertex = ARENA(a, uint32_t, n);
    m->edge = ARENA(a, uint32_t, n);
}

static int number(struct tiling *w, struct contents *m, int edges, int64_t *n_elements, struct sdd_error *err)
{
    sdd_device *d = w->device;
    const int bits = element_bits(w);
    const int64_t n = m->out->n_corners;
    struct sdd_tile_numbers *to = edges ? &m->edges : &m->vertices;
    struct tile_keys_args keys = {w->neighbors, m->c->label,   m->out->arrays.face,
                                  m->slot_tile, m->corner_end, m->r.keys,
                                  m->r.values,  edges,         bits};
    struct tile_numbers_args numbers = {
        m->r.sorted, m->r.rank, to->first, to->own, to->end, edges ? m->edge : m->vertex, n, bits};
    struct tile_locals_args locals = {
        m->r.sorted, m->r.sorted_values, m->r.rank, to->first, edges ? m->local_edge : m->local_vertex, bits};
    dev_fill(d, to->first, 0, bytes_of(w->n));
    dev_fill(d, to->own, 0, bytes_of(w->n));
    dev_fill(d, to->end, 0, bytes_of(w->n));
    DEV_LAUNCH(d, tile_keys, &keys, m->out->n_faces);
    rank_keys(w, &m->r, n, bits + 1 + id_bits(w->n));
    DEV_LAUNCH(d, tile_numbers, &numbers, n);
    DEV_LAUNCH(d, tile_locals, &locals, n);
    return read_last(w, m->r.rank, n, n_elements, err);
}

/* ---- what stays -------------------------------------------------------------------------------------------------- */
struct staying {
    const struct contents *m;
    struct sdd_tile *tile;
    uint32_t *label, *face, *edge, *vertex;
    uint16_t *face_end, *face_edge;
    struct sdd_tile_ends *edge_vertex;
};

static void lay_out_staying(const struct tiling *w, struct arena *a, void *what)
{
    struct staying *s = what;
    const struct tiles *out = s->m->out;
    s->tile = ARENA(a, struct sdd_tile, w->n);
    s->label = ARENA(a, uint32_t, w->F);
    s->face = ARENA(a, uint32_t, out->n_faces);
    s->edge = ARENA(a, uint32_t, out->n_edges);
    s->vertex = ARENA(a, uint32_t, out->n_vertices);
    s->face_end = w->topology->faces.size ? NULL : ARENA(a, uint16_t, out->n_faces);
    s->face_edge = ARENA(a, uint16_t, out->n_corners);
    s->edge_vertex = ARENA(a, struct sdd_tile_ends, out->n_edges);
}

static int keep(struct tiling *w, struct contents *m, struct sdd_error *err)
{
    sdd_device *d = w->device;
    struct tiles *out = m->out;
    struct staying s = {.m = m};
    struct device_block block = {0};
    uint32_t any_flat = 0;
    int rc = tiling_allocate(w, lay_out_staying, &s, &block, err);
    if (rc)
        return rc;
    struct tile_edges_args edges = {w->neighbors,    out->arrays.face, m->slot_tile,   m->corner_end,
                                    m->local_vertex, m->local_edge,    m->edges.first, m->faces_end,
                                    s.face_edge,     s.face_end,       s.edge_vertex};
    struct tile_records_args records = {m->faces_end, m->corner_end, m->c->begin, m->c->end,  m->flat,
                                        m->vertices,  m->edges,      s.tile,      m->any_flat};
    dev_fill(d, m->any_flat, 0, sizeof any_flat);
    dev_copy(d, s.label, m->c->label, bytes_of(w->F));
    dev_copy(d, s.face, out->arrays.face, bytes_of(out->n_faces));
    dev_copy(d, s.edge, m->edge, bytes_of(out->n_edges));
    dev_copy(d, s.vertex, m->vertex, bytes_of(out->n_vertices));
    DEV_LAUNCH(d, tile_edges, &edges, out->n_faces);
    DEV_LAUNCH(d, tile_records, &records, w->n);
    dev_download(d, &any_flat, m->any_flat, sizeof any_flat);
    rc = dev_finish(d, err);
    if (rc) {
        block_give(d, &block);
        return rc;
    }
    out->any_flat = any_flat != 0;
    out->n = w->n;
    out->block = block;
    out->arrays = (struct sdd_tiles){
        s.tile, s.label, s.face, s.edge, s.vertex, s.face_end, s.face_edge, s.edge_vertex, w->topology->faces.size};
    return SDD_OK;
}

int contents_make(struct tiling *w, const struct clusters *c, struct tiles *out, struct sdd_error *err)
{
    struct contents m = {.out = out, .c = c};
    int rc = tiling_allocate(w, lay_out_small, &m, &m.small, err);
    if (!rc)
        rc = find_ribbons(w, &m, err);
    if (!rc)
        rc = place_faces(w, &m, err);
    block_give(w->device, &m.ribbon);
    if (!rc)
        rc = tiling_allocate(w, lay_out_number, &m, &m.number, err);
    if (!rc)
        rc = number(w, &m, 0, &out->n_vertices, err);
    if (!rc)
        rc = number(w, &m, 1, &out->n_edges, err);
    if (!rc)
        rc = keep(w, &m, err);
    if (rc)
        dev_drain(w->device);
    block_give(w->device, &m.small);
    block_give(w->device, &m.ribbon);
    block_give(w->device, &m.corner);
    block_give(w->device, &m.number);
    return rc;
}
