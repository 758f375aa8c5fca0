/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c: flat rows, straight from the control mesh, for queries.c. Rows are made in chunks, so that device memory
 * does not grow with the answer. Where a row's length is known without making it, it is written where it stays. Rows
 * of FF are made with room to spare, because faces may share several edges, and then moved together. */
#include "gpu/device/sizes.h"
#include "gpu/queries/internal.h"
#include "gpu/queries/kernels/block_rows.tile.h"
#include "gpu/queries/kernels/fan_count.k.h"
#include "gpu/queries/kernels/fan_fill.k.h"
#include "gpu/queries/kernels/grid_inside.tile.h"
#include "gpu/queries/kernels/query_count.k.h"
#include "gpu/queries/kernels/query_fill.k.h"
#include "gpu/queries/kernels/query_pack.k.h"
#include <stdlib.h>

enum { MARK_BEGUN, MARK_ENDED };

/* Adds the time of the chunk, and waits for it. */
static int finish_chunk(struct query_work *w, struct sdd_error *err)
{
    w->seconds += dev_elapsed(w->device, MARK_BEGUN, MARK_ENDED);
    return dev_finish(w->device, err);
}

/* ---- counting ---------------------------------------------------------------------------------------------------- */
struct counting {
    uint32_t *list;
    int32_t *count;
    uint64_t *error;
};

static void lay_out_counting(const struct query_work *w, int64_t n, struct arena *a, struct counting *m)
{
    m->list = w->plan->list ? ARENA(a, uint32_t, n) : NULL;
    m->count = ARENA(a, int32_t, n);
    m->error = ARENA(a, uint64_t, 1);
}

static int fail_order(const struct query_work *w, int64_t row, struct sdd_error *err)
{
    const sdd_query_plan *p = w->plan;
    return sdd_fail(
        err, SDD_EQUERY, "oriented",
        "vertex %lld has an edge that is not manifold, so its neighbours have no order; ask without oriented",
        p->list ? (long long)p->list[row] : (long long)(p->request.first + row));
}

/* Counts the ids of rows [first, first + n), as query_count does. */
static int count_chunk(struct query_work *w, int64_t first, int64_t n, int32_t *count, struct sdd_error *err)
{
    sdd_device *d = w->device;
    const struct sdd_query_request *r = &w->plan->request;
    struct device_block block = {0};
    struct arena a = {NULL, 0};
    struct counting m;
    uint64_t error = ~0ull;
    lay_out_counting(w, n, &a, &m);
    int rc = query_hold(w, a.used, &block, err);
    if (rc)
        return rc;
    a = (struct arena){block.memory, 0};
    lay_out_counting(w, n, &a, &m);
    const struct sdd_subjects subjects = query_subjects(w, first, n, m.list);
    dev_mark(d, MARK_BEGUN);
    if (r->oriented) {
        struct fan_count_args fans = {w->neighbors, subjects, m.count, m.error, r->relation};
        dev_fill(d, m.error, 0xff, sizeof *m.error);
        DEV_LAUNCH(d, fan_count, &fans, n);
        dev_download(d, &error, m.error, sizeof error);
    } else {
        struct query_count_args counts = {w->neighbors, subjects, {NULL, NULL}, m.count, r->relation};
        DEV_LAUNCH(d, query_count, &counts, n);
    }
    dev_mark(d, MARK_ENDED);
    dev_download(d, count, m.count, n * (int64_t)sizeof *count);
    rc = finish_chunk(w, err);
    query_give(w, &block);
    return !rc && error != ~0ull ? fail_order(w, first + (int64_t)error, err) : rc;
}

/* ---- rows of a known length -------------------------------------------------------------------------------------- */
struct filling {
    uint32_t *list, *offset, *ids;
    uint8_t *signs;
    uint64_t *keys;
};

static void lay_out_filling(const struct query_work *w, int64_t n, int64_t n_ids, const struct query_output *out,
                            struct arena *a, struct filling *m)
{
    const int direct = w->device->b->unified;
    m->list = w->plan->list ? ARENA(a, uint32_t, n) : NULL;
    m->offset = ARENA(a, uint32_t, n + 1);
    m->ids = direct ? NULL : ARENA(a, uint32_t, n_ids);
    m->signs = direct || !out->signs ? NULL : ARENA(a, uint8_t, n_ids);
    m->keys = w->plan->request.oriented && w->neighbors.use_begin ? ARENA(a, uint64_t, n_ids) : NULL;
}

/* How many vertices of a refined level of quads are not inside a level-1 quad. Their numbers are the lowest. */
static int64_t count_outside(const struct query_work *w)
{
    const int64_t along = ((int64_t)1 << (w->neighbors.level - 1)) - 1;
    return w->plan->info.n_elements - w->topology->info.n_corners * along * along;
}

/* The first of the rows [first, first + n) that grid_inside makes; first + n if it makes none. */
static int64_t first_inside(const struct query_work *w, int64_t first, int64_t n)
{
    const struct sdd_query_request *r = &w->plan->request;
    const int64_t end = first + n;
    if (w->neighbors.level < 3 || w->neighbors.is_triangles || r->relation != SDD_VV || w->plan->list)
        return end;
    const int64_t inside = count_outside(w) - r->first;
    return inside <= first ? first : inside < end ? inside : end;
}

static void launch_filling(const struct query_work *w, int64_t first, int64_t n, const struct filling *m)
{
    const struct sdd_query_request *r = &w->plan->request;
    const struct sdd_subjects subjects = {m->list, (uint32_t)(r->first + first)};
    struct fan_fill_args fans = {w->neighbors, subjects, m->offset, m->ids, m->keys, r->relation};
    if (r->oriented) {
        DEV_LAUNCH(w->device, fan_fill, &fans, n);
        return;
    }
    const int64_t inside = first_inside(w, first, n), n_outside = inside - first;
    struct block_rows_args rows = {w->neighbors, subjects, m->offset, m->ids, m->signs, n_outside, r->relation};
    if (n_outside > 0)
        DEV_LAUNCH(w->device, block_rows, &rows, (n_outside + BLOCK_ROWS - 1) / BLOCK_ROWS);
    if (n_outside == n)
        return;
    struct grid_inside_args grid = {w->neighbors, m->ids + (w->plan->offset[inside] - w->plan->offset[first]),
                                    n - n_outside, (uint32_t)(r->first + inside - count_outside(w))};
    DEV_LAUNCH(w->device, grid_inside, &grid, (grid.n + INSIDE_ROWS - 1) / INSIDE_ROWS);
}

static int fill_chunk(struct query_work *w, int64_t first, int64_t n, const struct query_output *out,
                      uint32_t *relative, struct sdd_error *err)
{
    sdd_device *d = w->device;
    const int64_t *offset = w->plan->offset + first, n_ids = offset[n] - offset[0];
    const int64_t at = offset[0] - w->plan->offset[out->first];
    struct device_block block = {0};
    struct arena a = {NULL, 0};
    struct filling m;
    lay_out_filling(w, n, n_ids, out, &a, &m);
    int rc = query_hold(w, a.used, &block, err);
    if (rc)
        return rc;
    a = (struct arena){block.memory, 0};
    lay_out_filling(w, n, n_ids, out, &a, &m);
    const int direct = !m.ids;
    m.ids = direct ? out->ids + at : m.ids;
    m.signs = direct && out->signs ? out->signs + at : m.signs;
    (void)query_subjects(w, first, n, m.list);
    query_upload_offsets(d, m.offset, offset, n + 1, relative);
    dev_mark(d, MARK_BEGUN);
    launch_filling(w, first, n, &m);
    dev_mark(d, MARK_ENDED);
    if (!direct)
        dev_download(d, out->ids + at, m.ids, n_ids * (int64_t)sizeof *m.ids);
    if (!direct && out->signs)
        dev_download(d, out->signs + at, m.signs, n_ids);
    rc = finish_chunk(w, err);
    query_give(w, &block);
    return rc;
}

/* ---- rows that are made wide and then packed --------------------------------------------------------------------- */
struct widening {
    uint32_t *list, *from, *to, *wide, *ids;
    int32_t *count;
};

static void lay_out_widening(const struct query_work *w, int64_t n, int64_t room, int64_t n_ids, struct arena *a,
                             struct widening *m)
{
    m->list = w->plan->list ? ARENA(a, uint32_t, n) : NULL;
    m->from = ARENA(a, uint32_t, n);
    m->to = ARENA(a, uint32_t, n);
    m->count = ARENA(a, int32_t, n);
    m->wide = ARENA(a, uint32_t, room);
    m->ids = ARENA(a, uint32_t, n_ids);
}

/* Makes rows [first, first + n), which begin at wide[0] to wide[n - 1]. Without `out` it only counts them. */
static int widen_chunk(struct query_work *w, int64_t first, int64_t n, const int64_t *wide, int32_t *count,
                       const struct query_output *out, uint32_t *relative, struct sdd_error *err)
{
    sdd_device *d = w->device;
    const int64_t *offset = w->plan->offset + first, n_ids = out ? offset[n] - offset[0] : 0;
    struct device_block block = {0};
    struct arena a = {NULL, 0};
    struct widening m;
    lay_out_widening(w, n, wide[n] - wide[0], n_ids, &a, &m);
    int rc = query_hold(w, a.used, &block, err);
    if (rc)
        return rc;
    a = (struct arena){block.memory, 0};
    lay_out_widening(w, n, wide[n] - wide[0], n_ids, &a, &m);
    struct query_fill_args rows = {w->neighbors, query_subjects(w, first, n, m.list),
                                   {NULL, NULL}, m.from,
                                   m.wide,       NULL,
                                   m.count,      w->plan->request.relation};
    struct query_pack_args pack = {m.from, m.to, m.count, m.wide, m.ids};
    query_upload_offsets(d, m.from, wide, n, relative);
    if (out)
        query_upload_offsets(d, m.to, offset, n, relative);
    dev_mark(d, MARK_BEGUN);
    DEV_LAUNCH(d, query_fill, &rows, n);
    if (out)
        DEV_LAUNCH(d, query_pack, &pack, n);
    dev_mark(d, MARK_ENDED);
    if (out)
        dev_download(d, out->ids + (offset[0] - w->plan->offset[out->first]), m.ids, n_ids * (int64_t)sizeof *m.ids);
    else
        dev_download(d, count, m.count, n * (int64_t)sizeof *count);
    rc = finish_chunk(w, err);
    query_give(w, &block);
    return rc;
}

/* Host memory for the chunks of one call. */
struct chunks {
    int32_t *count;
    int64_t *wide;
    uint32_t *relative;
};

static void chunks_free(struct chunks *c)
{
    free(c->count);
    free(c->wide);
    free(c->relative);
}

static int chunks_take(struct chunks *c, int64_t n_rows, struct sdd_error *err)
{
    const size_t n = (size_t)(n_rows < QUERY_CHUNK_ROWS ? n_rows : QUERY_CHUNK_ROWS) + 1;
    *c = (struct chunks){malloc(n * sizeof *c->count), malloc(n * sizeof *c->wide), malloc(n * sizeof *c->relative)};
    if (c->count && c->wide && c->relative)
        return SDD_OK;
    chunks_free(c);
    return query_no_memory("the lengths of rows", err);
}

/* Makes or counts up to QUERY_CHUNK_ROWS rows of FF. c->count holds the room that each needs. */
static int widen(struct query_work *w, int64_t first, int64_t n, struct chunks *c, const struct query_output *out,
                 struct sdd_error *err)
{
    int rc = SDD_OK;
    c->wide[0] = 0;
    for (int64_t i = 0; i < n; i++)
        c->wide[i + 1] = c->wide[i] + c->count[i];
    for (int64_t at = 0, end; !rc && at < n; at = end) {
        end = query_chunk_end(c->wide, at, n);
        rc = query_cancelled(w, err);
        if (!rc)
            rc = widen_chunk(w, first + at, end - at, c->wide + at, c->count + at, out, c->relative, err);
        if (!rc && !out) {
            query_counted(w, first + at, end - at, c->count + at);
            rc = query_within(w, first + end, err);
        }
    }
    return rc;
}

/* ---- all rows ---------------------------------------------------------------------------------------------------- */
int flat_count(struct query_work *w, struct sdd_error *err)
{
    const int64_t n_rows = w->plan->info.n_rows;
    struct chunks c;
    int rc = chunks_take(&c, n_rows, err);
    if (rc)
        return rc;
    for (int64_t at = 0, n; !rc && at < n_rows; at += n) {
        n = n_rows - at < QUERY_CHUNK_ROWS ? n_rows - at : QUERY_CHUNK_ROWS;
        rc = query_cancelled(w, err);
        if (!rc)
            rc = count_chunk(w, at, n, c.count, err);
        if (!rc && w->plan->request.relation == SDD_FF)
            rc = widen(w, at, n, &c, NULL, err);
        else if (!rc)
            query_counted(w, at, n, c.count);
    }
    chunks_free(&c);
    return rc;
}

int64_t flat_bytes(const struct query_work *w)
{
    const sdd_query_plan *p = w->plan;
    const int64_t n_rows = p->info.n_rows, most_ids = query_most_ids(w);
    const struct query_output out = {.signs = p->request.relation == SDD_FE ? (uint8_t *)(uintptr_t)p->offset : NULL};
    struct arena a = {NULL, 0};
    struct filling m;
    if (p->request.relation == SDD_FF) { /* As for counting, and the packed ids. */
        (void)ARENA(&a, uint32_t, most_ids);
        return w->most_held + a.used;
    }
    lay_out_filling(w, n_rows < QUERY_CHUNK_ROWS ? n_rows : QUERY_CHUNK_ROWS, most_ids, &out, &a, &m);
    return larger(w->most_held, a.used);
}

static int fill_known(struct query_work *w, int64_t first, int64_t n, const struct query_output *out, struct chunks *c,
                      struct sdd_error *err)
{
    int rc = SDD_OK;
    for (int64_t at = first, end; !rc && at < first + n; at = end) {
        end = query_chunk_end(w->plan->offset, at, first + n);
        rc = query_cancelled(w, err);
        if (!rc)
            rc = fill_chunk(w, at, end - at, out, c->relative, err);
    }
    return rc;
}

int flat_fill(struct query_work *w, int64_t first, int64_t n, const struct query_output *out, struct sdd_error *err)
{
    struct chunks c;
    int rc = chunks_take(&c, n, err);
    if (rc)
        return rc;
    if (w->plan->request.relation != SDD_FF)
        rc = fill_known(w, first, n, out, &c, err);
    for (int64_t at = 0, some; !rc && w->plan->request.relation == SDD_FF && at < n; at += some) {
        some = n - at < QUERY_CHUNK_ROWS ? n - at : QUERY_CHUNK_ROWS;
        rc = count_chunk(w, first + at, some, c.count, err);
        if (!rc)
            rc = widen(w, first + at, some, &c, out, err);
    }
    chunks_free(&c);
    return rc;
}
