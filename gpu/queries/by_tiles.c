/* SPDX-License-Identifier: Apache-2.0 */
/* by_tiles.c: rows by the tiles of a mesh, for queries.c: by transposing what each tile holds, or from rows in 16 bits
 * that are kept with the topology. Tiles that own nothing of what is asked for are skipped. Rows of elements that flat
 * tiles own are made without tiles; two_rings.c does so for rings of two steps. */
#include "gpu/device/sizes.h"
#include "gpu/queries/internal.h"
#include "gpu/queries/kernels/asked_keys.k.h"
#include "gpu/queries/kernels/kept_rows.tile.h"
#include "gpu/queries/kernels/query_count.k.h"
#include "gpu/queries/kernels/query_fill.k.h"
#include "gpu/queries/kernels/tile_rows.tile.h"
#include "gpu/queries/kernels/two_rings.tile.h"
#include "gpu/tiles/cluster_bounds.k.h"
#include <stdlib.h>

/* ---- kept rows --------------------------------------------------------------------------------------------------- */
struct kept_relation {
    struct device_block block;
    uint32_t *own_first; /* Shape [tiles]: the place of the first element that each tile owns. */
    uint32_t *begin;     /* Shape [n_own + 1]: where the row of each place begins. */
    uint16_t *locals;
};

static struct sdd_rows_kept rows_kept(const struct kept_relation *k)
{
    return (struct sdd_rows_kept){k->own_first, k->begin, k->locals};
}

struct kept_relations {
    struct kept_relation of[SDD_N_RELATIONS];
};

static void *kept_create(void)
{
    return calloc(1, sizeof(struct kept_relations));
}

static int64_t kept_bytes_of(const void *what)
{
    int64_t bytes = 0;
    for (int k = 0; k < SDD_N_RELATIONS; k++)
        bytes += ((const struct kept_relations *)what)->of[k].block.bytes;
    return bytes;
}

static void kept_free_all(sdd_device *d, void *what)
{
    for (int k = 0; k < SDD_N_RELATIONS; k++)
        block_give(d, &((struct kept_relations *)what)->of[k].block);
    free(what);
}

static const struct kept_ops kept_relations_ops = {
    .create = kept_create, .bytes = kept_bytes_of, .free = kept_free_all};

/* What kept rows are made with. */
struct keeping {
    const struct tiles *tiles;
    int64_t n_own, n_ids;
    uint32_t *own_first, *begin;
    int32_t *count;
    void *scratch;
};

static void lay_out_keeping(const sdd_device *d, struct arena *a, struct keeping *m)
{
    m->own_first = ARENA(a, uint32_t, m->tiles->n);
    m->begin = ARENA(a, uint32_t, m->n_own + 1);
    m->count = ARENA(a, int32_t, m->n_own);
    m->scratch = ARENA(a, char, d->b->scan_scratch(d->dev, m->n_own));
}

static void lay_out_kept(const struct keeping *m, struct arena *a, struct kept_relation *k)
{
    k->own_first = ARENA(a, uint32_t, m->tiles->n);
    k->begin = ARENA(a, uint32_t, m->n_own + 1);
    k->locals = ARENA(a, uint16_t, m->n_ids);
}

/* Says how many elements of a kind the tiles before each one own. The caller frees *own_first. */
static int count_own(struct query_work *w, struct keeping *m, uint32_t **own_first, struct sdd_error *err)
{
    const int64_t n = m->tiles->n;
    struct sdd_tile *tile = malloc((size_t)n * sizeof *tile);
    *own_first = malloc((size_t)n * sizeof **own_first);
    int rc = tile && *own_first ? SDD_OK : query_no_memory("a list of tiles", err);
    if (!rc) {
        dev_download(w->device, tile, m->tiles->arrays.tile, n * (int64_t)sizeof *tile);
        rc = dev_finish(w->device, err);
    }
    for (int64_t t = 0; !rc && t < n; t++) {
        (*own_first)[t] = (uint32_t)m->n_own;
        m->n_own += sdd_tile_owns(tile + t, w->plan->request.relation);
    }
    free(tile);
    return rc;
}

static const struct sdd_asked all_elements = {.end = SDD_NONE};

/* Queues the rows that are asked for, or their lengths, to where `to` says. */
static void queue_transposes(struct query_work *w, const struct tiles *tiles, struct sdd_asked asked,
                             struct sdd_rows_to to)
{
    struct tile_rows_args rows = {tiles->arrays, asked, to, w->plan->request.relation};
    DEV_LAUNCH(w->device, tile_rows, &rows, tiles->n);
}

static int fill_kept(struct query_work *w, const struct keeping *m, struct kept_relation *kept, struct sdd_error *err)
{
    sdd_device *d = w->device;
    struct arena a = {NULL, 0};
    struct kept_relation k = {0};
    lay_out_kept(m, &a, &k);
    int rc = block_take(d, a.used, &k.block, err);
    if (rc)
        return rc;
    a = (struct arena){k.block.memory, 0};
    lay_out_kept(m, &a, &k);
    dev_copy(d, k.own_first, m->own_first, m->tiles->n * (int64_t)sizeof *k.own_first);
    dev_copy(d, k.begin, m->begin, (m->n_own + 1) * (int64_t)sizeof *k.begin);
    queue_transposes(w, m->tiles, all_elements, (struct sdd_rows_to){NULL, k.begin, NULL, k.locals, k.own_first});
    rc = dev_finish(d, err);
    if (rc)
        block_give(d, &k.block);
    else
        *kept = k;
    return rc;
}

static int make_kept(struct query_work *w, const struct tiles *tiles, struct kept_relation *kept, struct sdd_error *err)
{
    sdd_device *d = w->device;
    struct keeping m = {.tiles = tiles};
    struct device_block block = {0};
    struct arena a = {NULL, 0};
    uint32_t *own_first, n_ids = 0;
    int rc = count_own(w, &m, &own_first, err);
    lay_out_keeping(d, &a, &m);
    if (!rc)
        rc = query_hold(w, a.used, &block, err);
    if (!rc) {
        a = (struct arena){block.memory, 0};
        lay_out_keeping(d, &a, &m);
        dev_upload(d, m.own_first, own_first, tiles->n * (int64_t)sizeof *own_first);
        dev_fill(d, m.begin, 0, sizeof *m.begin);
        queue_transposes(w, tiles, all_elements, (struct sdd_rows_to){m.count, NULL, NULL, NULL, m.own_first});
        dev_scan(d, m.count, (int32_t *)m.begin + 1, m.n_own, m.scratch);
        dev_download(d, &n_ids, m.begin + m.n_own, sizeof n_ids);
        rc = dev_finish(d, err);
        m.n_ids = n_ids;
    }
    if (!rc)
        rc = fill_kept(w, &m, kept, err);
    query_give(w, &block);
    free(own_first);
    return rc;
}

static int get_kept(struct query_work *w, const struct tiles *tiles, const struct kept_relation **out,
                    struct sdd_error *err)
{
    struct kept_relations *all = topology_kept_get(w->topology, NULL, &kept_relations_ops, err);
    if (!all)
        return SDD_ENO_MEMORY;
    struct kept_relation *kept = all->of + w->plan->request.relation;
    *out = kept;
    return kept->block.memory ? SDD_OK : make_kept(w, tiles, kept, err);
}

int tiled_keep(struct query_work *w, struct sdd_error *err)
{
    const struct tiles *tiles;
    const struct kept_relation *kept;
    int rc = tiles_get(w->topology, &w->neighbors, w->cancel, &tiles, err);
    return rc ? rc : get_kept(w, tiles, &kept, err);
}

int tiled_is_kept(const sdd_topology *t, int relation)
{
    const struct kept_relations *all = topology_kept_find(t, NULL, &kept_relations_ops);
    return all && all->of[relation].block.memory;
}

/* ---- rows for kernels of queries --------------------------------------------------------------------------------- */
int tiled_rows(struct query_work *w, int way, struct device_rows *out, struct sdd_error *err)
{
    const struct tiles *tiles;
    const struct kept_relation *kept = NULL;
    int rc = tiles_get(w->topology, &w->neighbors, w->cancel, &tiles, err);
    out->way = QUERY_FLAT;
    if (rc || tiles->any_flat)
        return rc;
    if (way == QUERY_KEPT)
        rc = get_kept(w, tiles, &kept, err);
    if (rc)
        return rc;
    out->rows.tiles = tiles->arrays;
    out->rows.relation = w->plan->request.relation;
    if (kept)
        out->rows.kept = rows_kept(kept);
    out->rows.isolated = w->topology->isolated;
    out->rows.n_tiles = (uint32_t)tiles->n;
    out->rows.n_isolated = w->plan->request.relation <= SDD_VF ? (uint32_t)w->topology->info.n_isolated : 0;
    out->way = way;
    out->n = tiles->n + (out->rows.n_isolated + query_threads - 1) / query_threads;
    return SDD_OK;
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */
enum { MARK_BEGUN, MARK_ENDED };

/* A chunk: rows [first, first + n) of the plan. */
struct answering {
    const struct tiles *tiles;
    int64_t first, n;
    uint32_t *offset, *ids; /* Where rows go; */
    int32_t *count;         /* or their lengths. */
    /* Of a list of elements: the list, and its entries by tile, of which the last stands for no tile. */
    uint32_t *list, *key_begin, *key_end;
    uint64_t *key, *sorted;
    int32_t *value, *sorted_value;
    void *scratch;
};

static int element_bits(const struct query_work *w)
{
    return id_bits(w->plan->info.n_elements);
}

static int sort_bits(const struct query_work *w, const struct tiles *tiles)
{
    return element_bits(w) + id_bits(tiles->n + 1);
}

static void lay_out_answer(const struct query_work *w, int64_t n_ids, int only_count, struct arena *a,
                           struct answering *m)
{
    m->count = only_count ? ARENA(a, int32_t, m->n) : NULL;
    m->offset = only_count ? NULL : ARENA(a, uint32_t, m->n);
    m->ids = only_count || w->device->b->unified ? NULL : ARENA(a, uint32_t, n_ids);
    if (!w->plan->list)
        return;
    m->list = ARENA(a, uint32_t, m->n);
    m->key_begin = ARENA(a, uint32_t, m->tiles->n + 1);
    m->key_end = ARENA(a, uint32_t, m->tiles->n + 1);
    m->key = ARENA(a, uint64_t, m->n);
    m->sorted = ARENA(a, uint64_t, m->n);
    m->value = ARENA(a, int32_t, m->n);
    m->sorted_value = ARENA(a, int32_t, m->n);
    m->scratch = ARENA(a, char, w->device->b->sort_scratch(w->device->dev, m->n, sort_bits(w, m->tiles)));
}

/* Takes the memory of a chunk, as `block`. */
static int answer_take(struct query_work *w, int64_t n_ids, int only_count, struct answering *m,
                       struct device_block *block, struct sdd_error *err)
{
    struct arena a = {NULL, 0};
    lay_out_answer(w, n_ids, only_count, &a, m);
    int rc = query_hold(w, a.used, block, err);
    if (rc)
        return rc;
    a = (struct arena){block->memory, 0};
    lay_out_answer(w, n_ids, only_count, &a, m);
    return SDD_OK;
}

/* Where the chunk ends that begins at row `from`. A list has a key for each row; without one the tiles do all. */
static int64_t tiled_chunk_end(const struct query_work *w, const int64_t *offset, int64_t from, int64_t end)
{
    return w->plan->list ? query_chunk_end(offset, from, end) : end;
}

int64_t tiled_bytes(const struct query_work *w, const struct tiles *tiles)
{
    const int64_t n_rows = w->plan->info.n_rows;
    struct answering m = {.tiles = tiles, .n = n_rows};
    struct arena a = {NULL, 0};
    if (w->plan->list && n_rows > QUERY_CHUNK_ROWS)
        m.n = QUERY_CHUNK_ROWS;
    lay_out_answer(w, w->plan->list ? query_most_ids(w) : w->plan->offset[n_rows], 0, &a, &m);
    return larger(w->most_held, a.used);
}

/* Uploads what the rows of a chunk ask for, and sorts a list by tiles. */
static struct sdd_asked queue_asked(struct query_work *w, const struct answering *m)
{
    sdd_device *d = w->device;
    const struct sdd_subjects s = query_subjects(w, m->first, m->n, m->list);
    struct sdd_asked asked = {.first = s.first, .end = s.first + (uint32_t)m->n};
    if (!m->list)
        return asked;
    const int64_t bytes = (m->tiles->n + 1) * (int64_t)sizeof *m->key_begin;
    struct asked_keys_args keys = {.neighbors = w->neighbors,
                                   .label = m->tiles->arrays.label,
                                   .list = m->list,
                                   .key = m->key,
                                   .value = m->value,
                                   .n_tiles = (uint32_t)m->tiles->n,
                                   .relation = w->plan->request.relation,
                                   .bits = element_bits(w)};
    struct cluster_bounds_args bounds = {m->sorted, m->key_begin, m->key_end, m->n, element_bits(w)};
    dev_fill(d, m->key_begin, 0, bytes);
    dev_fill(d, m->key_end, 0, bytes);
    DEV_LAUNCH(d, asked_keys, &keys, m->n);
    dev_sort(d, m->key, m->sorted, m->value, m->sorted_value, m->n, sort_bits(w, m->tiles), m->scratch);
    DEV_LAUNCH(d, cluster_bounds, &bounds, m->n);
    asked.key = m->sorted;
    asked.row = m->sorted_value;
    asked.key_begin = m->key_begin;
    asked.key_end = m->key_end;
    asked.bits = element_bits(w);
    return asked;
}

/* Queues the rows of elements that flat tiles own. */
static void queue_rest(struct query_work *w, const struct answering *m)
{
    const int relation = w->plan->request.relation;
    const struct sdd_subjects s = {m->list, (uint32_t)(w->plan->request.first + m->first)};
    const struct sdd_flat_only only = {m->tiles->arrays.tile, m->tiles->arrays.label};
    struct query_count_args count = {w->neighbors, s, only, m->count, relation};
    struct query_fill_args fill = {w->neighbors, s, only, m->offset, m->ids, NULL, NULL, relation};
    if (m->tiles->any_flat && m->count)
        DEV_LAUNCH(w->device, query_count, &count, m->n);
    else if (m->tiles->any_flat)
        DEV_LAUNCH(w->device, query_fill, &fill, m->n);
}

/* Queues the rows of a chunk, or their lengths. Of two rings, those that tiles do not serve have length -1. */
static void queue_answer(struct query_work *w, const struct kept_relation *kept, const struct answering *m)
{
    sdd_device *d = w->device;
    const struct sdd_query_request *r = &w->plan->request;
    const struct sdd_rows_to to = {m->count, m->offset, m->ids, NULL, NULL};
    if (m->count)
        dev_fill(d, m->count, r->ring > 1 ? 0xff : 0, m->n * (int64_t)sizeof *m->count);
    dev_mark(d, MARK_BEGUN);
    const struct sdd_asked asked = queue_asked(w, m);
    if (r->ring > 1) {
        struct two_rings_args rings = {m->tiles->arrays, asked, to, r->relation};
        DEV_LAUNCH(d, two_rings, &rings, m->tiles->n);
    } else if (kept) {
        struct kept_rows_args rows = {m->tiles->arrays, asked, rows_kept(kept), m->offset, m->ids, r->relation};
        DEV_LAUNCH(d, kept_rows, &rows, m->tiles->n);
    } else {
        queue_transposes(w, m->tiles, asked, to);
    }
    if (r->ring == 1)
        queue_rest(w, m);
    dev_mark(d, MARK_ENDED);
}

static int count_answer(struct query_work *w, struct answering *m, int32_t *count, struct sdd_error *err)
{
    struct device_block block = {0};
    int rc = answer_take(w, 0, 1, m, &block, err);
    if (!rc) {
        queue_answer(w, NULL, m);
        dev_download(w->device, count, m->count, m->n * (int64_t)sizeof *count);
        rc = dev_finish(w->device, err);
    }
    query_give(w, &block);
    return rc;
}

int tiled_lengths(struct query_work *w, const struct tiles *tiles, int32_t *count, struct sdd_error *err)
{
    const int64_t n_rows = w->plan->info.n_rows;
    int rc = SDD_OK;
    for (int64_t at = 0, end; !rc && at < n_rows; at = end) {
        end = w->plan->list && n_rows - at > QUERY_CHUNK_ROWS ? at + QUERY_CHUNK_ROWS : n_rows;
        struct answering m = {.tiles = tiles, .first = at, .n = end - at};
        rc = query_cancelled(w, err);
        if (!rc)
            rc = count_answer(w, &m, count + at, err);
    }
    return rc;
}

int tiled_count(struct query_work *w, struct sdd_error *err)
{
    const int64_t n = w->plan->info.n_rows;
    const struct tiles *tiles;
    int rc = tiles_get(w->topology, &w->neighbors, w->cancel, &tiles, err);
    if (rc)
        return rc;
    if (tiles->any_flat && w->plan->request.relation == SDD_FF) /* Their rows need room of their own. */
        return flat_count(w, err);
    int32_t *count = malloc((size_t)n * sizeof *count + 1);
    rc = count ? tiled_lengths(w, tiles, count, err) : query_no_memory("the lengths of rows", err);
    if (!rc)
        query_counted(w, 0, n, count);
    free(count);
    return rc;
}

/* Makes the rows of a chunk; `relative` has room for where they begin. */
static int fill_answer(struct query_work *w, const struct kept_relation *kept, struct answering *m,
                       const struct query_output *out, uint32_t *relative, struct sdd_error *err)
{
    sdd_device *d = w->device;
    const int64_t *offset = w->plan->offset + m->first, n_ids = offset[m->n] - offset[0];
    uint32_t *ids = out->ids + (offset[0] - w->plan->offset[out->first]);
    struct device_block block = {0};
    int rc = answer_take(w, n_ids, 0, m, &block, err);
    if (rc)
        return rc;
    const int direct = !m->ids;
    m->ids = direct ? ids : m->ids;
    query_upload_offsets(d, m->offset, offset, m->n, relative);
    queue_answer(w, kept, m);
    if (!direct)
        dev_download(d, ids, m->ids, n_ids * (int64_t)sizeof *ids);
    w->seconds += dev_elapsed(d, MARK_BEGUN, MARK_ENDED);
    rc = dev_finish(d, err);
    query_give(w, &block);
    return rc;
}

int tiled_fill(struct query_work *w, int way, int64_t first, int64_t n, const struct query_output *out,
               struct sdd_error *err)
{
    const struct sdd_query_request *r = &w->plan->request;
    const struct tiles *tiles;
    const struct kept_relation *kept = NULL;
    int rc = tiles_get(w->topology, &w->neighbors, w->cancel, &tiles, err);
    if (!rc && tiles->any_flat && r->relation == SDD_FF && r->ring == 1)
        return flat_fill(w, first, n, out, err);
    if (!rc && way == QUERY_KEPT && r->ring == 1)
        rc = get_kept(w, tiles, &kept, err);
    if (rc)
        return rc;
    uint32_t *relative = malloc((size_t)n * sizeof *relative + 1);
    rc = relative ? SDD_OK : query_no_memory("the places of rows", err);
    for (int64_t at = first, end; !rc && at < first + n; at = end) {
        end = tiled_chunk_end(w, w->plan->offset, at, first + n);
        struct answering m = {.tiles = tiles, .first = at, .n = end - at};
        rc = query_cancelled(w, err);
        if (!rc)
            rc = fill_answer(w, kept, &m, out, relative, err);
    }
    free(relative);
    return rc;
}
