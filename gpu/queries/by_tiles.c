/* SPDX-License-Identifier: Apache-2.0 */
/* by_tiles.c: all rows of a relation at once by the tiles of a mesh, for queries.c: by transposing what each tile
 * holds, or from rows in 16 bits that are kept with the topology. Rows of elements that flat tiles own are made without
 * tiles. */
#include "gpu/queries/internal.h"
#include "gpu/queries/kernels/kept_rows.tile.h"
#include "gpu/queries/kernels/query_count.k.h"
#include "gpu/queries/kernels/query_fill.k.h"
#include "gpu/queries/kernels/tile_rows.tile.h"
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

static const struct kept_ops kept_relations_ops = {kept_create, kept_bytes_of, kept_free_all};

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

/* Queues the rows of all tiles, or their lengths, to where `to` says. */
static void queue_transposes(struct query_work *w, const struct tiles *tiles, struct sdd_rows_to to)
{
    struct tile_rows_args rows = {tiles->arrays, to, w->plan->request.relation};
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
    queue_transposes(w, m->tiles, (struct sdd_rows_to){NULL, k.begin, NULL, k.locals, k.own_first});
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
        queue_transposes(w, tiles, (struct sdd_rows_to){m.count, NULL, NULL, NULL, m.own_first});
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

struct answering {
    uint32_t *offset, *ids;
    int32_t *count;
};

static void lay_out_answer(const struct query_work *w, int only_count, struct arena *a, struct answering *m)
{
    const sdd_query_plan *p = w->plan;
    m->count = only_count ? ARENA(a, int32_t, p->info.n_rows) : NULL;
    m->offset = only_count ? NULL : ARENA(a, uint32_t, p->info.n_rows);
    m->ids = only_count || w->device->b->unified ? NULL : ARENA(a, uint32_t, p->info.n_ids);
}

/* Queues the rows of elements that flat tiles own. */
static void queue_rest(struct query_work *w, const struct tiles *tiles, const struct answering *m)
{
    const int relation = w->plan->request.relation;
    const struct sdd_subjects all = {NULL, 0};
    const struct sdd_flat_only only = {tiles->arrays.tile, tiles->arrays.label};
    struct query_count_args count = {w->neighbors, all, only, m->count, relation};
    struct query_fill_args fill = {w->neighbors, all, only, m->offset, m->ids, NULL, NULL, relation};
    if (tiles->any_flat && m->count)
        DEV_LAUNCH(w->device, query_count, &count, w->plan->info.n_rows);
    else if (tiles->any_flat)
        DEV_LAUNCH(w->device, query_fill, &fill, w->plan->info.n_rows);
}

int tiled_count(struct query_work *w, struct sdd_error *err)
{
    sdd_device *d = w->device;
    const int64_t n = w->plan->info.n_rows;
    const struct tiles *tiles;
    struct device_block block = {0};
    struct arena a = {NULL, 0};
    struct answering m;
    int32_t *count = malloc((size_t)n * sizeof *count + 1);
    lay_out_answer(w, 1, &a, &m);
    int rc = count ? tiles_get(w->topology, &w->neighbors, w->cancel, &tiles, err)
                   : query_no_memory("the lengths of rows", err);
    if (!rc && tiles->any_flat && w->plan->request.relation == SDD_FF) {
        free(count);
        return flat_count(w, err);
    }
    if (!rc)
        rc = query_hold(w, a.used, &block, err);
    if (!rc) {
        a = (struct arena){block.memory, 0};
        lay_out_answer(w, 1, &a, &m);
        dev_fill(d, m.count, 0, n * (int64_t)sizeof *count);
        queue_transposes(w, tiles, (struct sdd_rows_to){m.count, NULL, NULL, NULL, NULL});
        queue_rest(w, tiles, &m);
        dev_download(d, count, m.count, n * (int64_t)sizeof *count);
        rc = dev_finish(d, err);
    }
    if (!rc)
        query_counted(w, 0, n, count);
    query_give(w, &block);
    free(count);
    return rc;
}

/* Queues all rows and their way to host memory. */
static void queue_rows(struct query_work *w, const struct tiles *tiles, const struct kept_relation *kept,
                       const struct answering *m)
{
    sdd_device *d = w->device;
    dev_mark(d, MARK_BEGUN);
    if (kept) {
        struct kept_rows_args rows = {tiles->arrays, rows_kept(kept), m->offset, m->ids, w->plan->request.relation};
        DEV_LAUNCH(d, kept_rows, &rows, tiles->n);
    } else {
        queue_transposes(w, tiles, (struct sdd_rows_to){NULL, m->offset, m->ids, NULL, NULL});
    }
    queue_rest(w, tiles, m);
    dev_mark(d, MARK_ENDED);
}

int tiled_fill(struct query_work *w, int way, const struct query_output *out, struct sdd_error *err)
{
    sdd_device *d = w->device;
    const sdd_query_plan *p = w->plan;
    const struct tiles *tiles;
    const struct kept_relation *kept = NULL;
    struct device_block block = {0};
    struct arena a = {NULL, 0};
    struct answering m;
    uint32_t *offset = malloc((size_t)p->info.n_rows * sizeof *offset + 1);
    lay_out_answer(w, 0, &a, &m);
    int rc = offset ? tiles_get(w->topology, &w->neighbors, w->cancel, &tiles, err)
                    : query_no_memory("the places of rows", err);
    if (!rc && tiles->any_flat && p->request.relation == SDD_FF) {
        free(offset); /* Rows of FF that are made without tiles need room of their own. */
        return flat_fill(w, 0, p->info.n_rows, out, err);
    }
    if (!rc && way == QUERY_KEPT)
        rc = get_kept(w, tiles, &kept, err);
    if (!rc)
        rc = query_hold(w, a.used, &block, err);
    if (!rc) {
        a = (struct arena){block.memory, 0};
        lay_out_answer(w, 0, &a, &m);
        const int direct = !m.ids;
        m.ids = direct ? out->ids : m.ids;
        for (int64_t i = 0; i < p->info.n_rows; i++)
            offset[i] = (uint32_t)p->offset[i];
        dev_upload(d, m.offset, offset, p->info.n_rows * (int64_t)sizeof *offset);
        queue_rows(w, tiles, kept, &m);
        if (!direct)
            dev_download(d, out->ids, m.ids, p->info.n_ids * (int64_t)sizeof *m.ids);
        w->seconds += dev_elapsed(d, MARK_BEGUN, MARK_ENDED);
        rc = dev_finish(d, err);
    }
    query_give(w, &block);
    free(offset);
    return rc;
}
