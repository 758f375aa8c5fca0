/* SPDX-License-Identifier: Apache-2.0 */
/* rings.c: rings of more than one step, for queries.c. All rows of a chunk go round by round. A round has a key for
 * each element that is new to its row: row << bits | element. Its neighbours are candidates for the next round. Those
 * that are in this round or in the one before it are not new, and no others can be old, because VV and FF are
 * symmetric. Sorting finds them, so that rows of any length take the same way. */
#include "gpu/device/sizes.h"
#include "gpu/kernel/compact_keys.k.h"
#include "gpu/queries/internal.h"
#include "gpu/queries/kernels/ring_count.k.h"
#include "gpu/queries/kernels/ring_expand.k.h"
#include "gpu/queries/kernels/ring_flags.k.h"
#include "gpu/queries/kernels/ring_rows.k.h"
#include "gpu/queries/kernels/ring_start.k.h"
#include <stdlib.h>

/* Limits of a chunk; one row alone may pass them, because its candidates are at most twice as many as corners. */
enum { MOST_ROWS = 1 << 16, MOST_KEYS = 1 << 22 };
enum { MARK_BEGUN, MARK_ENDED };

struct keys {
    struct device_block block;
    uint64_t *key;
    int64_t n;
};

struct rounds {
    struct query_work *w;
    int64_t first, n_rows; /* The chunk. */
    int64_t longest;       /* No element has more candidates. */
    int bits, sort_bits;
    int too_many; /* Set when the chunk passes the limits. */
    struct keys before, front, all;
};

static int keys_take(struct query_work *w, int64_t n, struct keys *k, struct sdd_error *err)
{
    int rc = query_hold(w, larger(n, 1) * (int64_t)sizeof *k->key, &k->block, err);
    k->key = k->block.memory;
    k->n = rc ? 0 : n;
    return rc;
}

static void keys_give(struct query_work *w, struct keys *k)
{
    query_give(w, &k->block);
    k->n = 0;
}

/* ---- one step ---------------------------------------------------------------------------------------------------- */
struct counting {
    int32_t *count;
    void *scratch;
};

static void lay_out_counting(const sdd_device *d, int64_t n, struct arena *a, struct counting *m)
{
    m->count = ARENA(a, int32_t, n);
    m->scratch = ARENA(a, char, d->b->scan_scratch(d->dev, n));
}

struct sorting {
    uint64_t *keys, *sorted;
    int32_t *values, *flag; /* The flags take the place of the values once these have been sorted. */
    int32_t *sorted_values, *rank;
    uint32_t *ids;
    void *scratch;
};

static void lay_out_sorting(const sdd_device *d, int bits, int64_t n, int64_t n_ids, struct arena *a, struct sorting *m)
{
    m->keys = ARENA(a, uint64_t, n);
    m->sorted = ARENA(a, uint64_t, n);
    m->values = m->flag = ARENA(a, int32_t, n);
    m->sorted_values = m->rank = ARENA(a, int32_t, n);
    m->ids = ARENA(a, uint32_t, n_ids);
    m->scratch = ARENA(a, char, larger(d->b->sort_scratch(d->dev, n, bits), d->b->scan_scratch(d->dev, n)));
}

/* Makes the candidates, sorts them with the old keys, and takes those that are new to `next`. */
static int sort_candidates(struct rounds *r, int relation, const struct keys *from, const struct keys *const old[2],
                           const int32_t *end, int32_t n_candidates, struct keys *next, struct sdd_error *err)
{
    struct query_work *w = r->w;
    sdd_device *d = w->device;
    const int64_t n_old[2] = {old[0] ? old[0]->n : 0, old[1] ? old[1]->n : 0};
    const int64_t first = n_old[0] + n_old[1], n = first + n_candidates;
    struct device_block block = {0};
    struct arena a = {NULL, 0};
    struct sorting m;
    int32_t n_new = 0;
    lay_out_sorting(d, r->sort_bits, n, n_candidates, &a, &m);
    int rc = query_hold(w, a.used, &block, err);
    if (rc)
        return rc;
    a = (struct arena){block.memory, 0};
    lay_out_sorting(d, r->sort_bits, n, n_candidates, &a, &m);
    struct ring_expand_args expand = {w->neighbors,   from->key,        end,      m.ids,
                                      m.keys + first, m.values + first, relation, r->bits};
    struct ring_flags_args flags = {m.sorted, m.sorted_values, m.flag};
    for (int k = 0; k < 2; k++)
        dev_copy(d, m.keys + (k ? n_old[0] : 0), old[k] ? old[k]->key : NULL, n_old[k] * (int64_t)sizeof *m.keys);
    dev_fill(d, m.values, 0, first * (int64_t)sizeof *m.values);
    DEV_LAUNCH(d, ring_expand, &expand, from->n);
    dev_sort(d, m.keys, m.sorted, m.values, m.sorted_values, n, r->sort_bits, m.scratch);
    DEV_LAUNCH(d, ring_flags, &flags, n);
    dev_scan(d, m.flag, m.rank, n, m.scratch);
    dev_download(d, &n_new, m.rank + n - 1, sizeof n_new);
    rc = dev_finish(d, err);
    if (!rc)
        rc = keys_take(w, n_new, next, err);
    if (!rc) {
        struct compact_keys_args compact = {m.sorted, m.flag, m.rank, next->key};
        DEV_LAUNCH(d, compact_keys, &compact, n);
        rc = dev_finish(d, err);
    }
    query_give(w, &block);
    return rc;
}

/* The neighbours of the elements in `from`, without those in `old`. Sets too_many instead where a chunk has to be
 * smaller. */
static int step(struct rounds *r, int relation, const struct keys *from, const struct keys *const old[2],
                struct keys *next, struct sdd_error *err)
{
    struct query_work *w = r->w;
    sdd_device *d = w->device;
    struct device_block block = {0};
    struct arena a = {NULL, 0};
    struct counting m;
    int32_t n_candidates = 0;
    if (r->n_rows > 1 && from->n > INT32_MAX / r->longest) { /* Their sum must fit a scan. */
        r->too_many = 1;
        return SDD_OK;
    }
    lay_out_counting(d, from->n, &a, &m);
    int rc = query_hold(w, a.used, &block, err);
    if (rc)
        return rc;
    a = (struct arena){block.memory, 0};
    lay_out_counting(d, from->n, &a, &m);
    struct ring_count_args count = {w->neighbors, from->key, m.count, relation, r->bits};
    DEV_LAUNCH(d, ring_count, &count, from->n);
    dev_scan(d, m.count, m.count, from->n, m.scratch);
    dev_download(d, &n_candidates, m.count + from->n - 1, sizeof n_candidates);
    rc = dev_finish(d, err);
    if (!rc && r->n_rows > 1 && n_candidates > MOST_KEYS)
        r->too_many = 1;
    else if (!rc && n_candidates > 0)
        rc = sort_candidates(r, relation, from, old, m.count, n_candidates, next, err);
    query_give(w, &block);
    return rc;
}

/* The next round. Where many faces may share an edge, FF goes by way of the edges, each of which then counts once. */
static int next_round(struct rounds *r, struct keys *next, struct sdd_error *err)
{
    const int relation = r->w->plan->request.relation;
    const struct keys *const old[2] = {&r->before, &r->front}, *const none[2] = {NULL, NULL};
    struct keys edges = {0};
    if (relation == SDD_VV || !r->w->neighbors.use_begin)
        return step(r, relation, &r->front, old, next, err);
    int rc = step(r, SDD_FE, &r->front, none, &edges, err);
    if (!rc && edges.n > 0)
        rc = step(r, SDD_EF, &edges, old, next, err);
    keys_give(r->w, &edges);
    return rc;
}

/* Adds a round to all that have been found. */
static int collect(struct rounds *r, const struct keys *round, struct sdd_error *err)
{
    sdd_device *d = r->w->device;
    struct keys sum = {0};
    if (r->n_rows > 1 && r->all.n + round->n > MOST_KEYS) {
        r->too_many = 1;
        return SDD_OK;
    }
    int rc = keys_take(r->w, r->all.n + round->n, &sum, err);
    if (rc)
        return rc;
    dev_copy(d, sum.key, r->all.key, r->all.n * (int64_t)sizeof *sum.key);
    dev_copy(d, sum.key + r->all.n, round->key, round->n * (int64_t)sizeof *sum.key);
    keys_give(r->w, &r->all);
    r->all = sum;
    return SDD_OK;
}

/* ---- a chunk ----------------------------------------------------------------------------------------------------- */
static int first_round(struct rounds *r, struct sdd_error *err)
{
    struct query_work *w = r->w;
    struct keys list = {0}; /* As many bytes as the list needs, and more. */
    int rc = keys_take(w, r->n_rows, &r->front, err);
    if (!rc && w->plan->list)
        rc = keys_take(w, r->n_rows, &list, err);
    if (rc)
        return rc;
    struct ring_start_args start = {query_subjects(w, r->first, r->n_rows, (uint32_t *)list.key), r->front.key,
                                    r->bits};
    DEV_LAUNCH(w->device, ring_start, &start, r->n_rows);
    rc = dev_finish(w->device, err);
    keys_give(w, &list);
    return rc;
}

static int all_rounds(struct rounds *r, struct sdd_error *err)
{
    int rc = first_round(r, err);
    for (int k = 0; !rc && !r->too_many && k < r->w->plan->request.ring && r->front.n > 0; k++) {
        struct keys next = {0};
        rc = query_cancelled(r->w, err);
        if (!rc)
            rc = next_round(r, &next, err);
        if (!rc && !r->too_many)
            rc = collect(r, &next, err);
        keys_give(r->w, &r->before);
        r->before = r->front;
        r->front = next;
    }
    return rc;
}

struct gathering {
    uint64_t *sorted;
    int32_t *values, *sorted_values;
    uint32_t *begin, *end, *ids;
    void *scratch;
};

static void lay_out_gathering(const struct rounds *r, struct arena *a, struct gathering *m)
{
    const sdd_device *d = r->w->device;
    const int64_t n = larger(r->all.n, 1);
    m->sorted = ARENA(a, uint64_t, n);
    m->values = ARENA(a, int32_t, n);
    m->sorted_values = ARENA(a, int32_t, n);
    m->begin = ARENA(a, uint32_t, r->n_rows);
    m->end = ARENA(a, uint32_t, r->n_rows);
    m->ids = ARENA(a, uint32_t, n);
    m->scratch = ARENA(a, char, d->b->sort_scratch(d->dev, n, r->sort_bits));
}

/* Brings the rows of the chunk to host memory: how long they are, or their ids where `out` is given. */
static int gather(struct rounds *r, int32_t *count, uint32_t *ends, const struct query_output *out,
                  struct sdd_error *err)
{
    struct query_work *w = r->w;
    sdd_device *d = w->device;
    const int64_t bytes = r->n_rows * (int64_t)sizeof(uint32_t);
    struct device_block block = {0};
    struct arena a = {NULL, 0};
    struct gathering m;
    lay_out_gathering(r, &a, &m);
    int rc = query_hold(w, a.used, &block, err);
    if (rc)
        return rc;
    a = (struct arena){block.memory, 0};
    lay_out_gathering(r, &a, &m);
    struct ring_rows_args rows = {m.sorted, m.begin, m.end, m.ids, r->all.n, r->bits};
    dev_fill(d, m.begin, 0, bytes);
    dev_fill(d, m.end, 0, bytes);
    dev_fill(d, m.values, 0, r->all.n * (int64_t)sizeof *m.values);
    dev_sort(d, r->all.key, m.sorted, m.values, m.sorted_values, r->all.n, r->sort_bits, m.scratch);
    DEV_LAUNCH(d, ring_rows, &rows, r->all.n);
    dev_mark(d, MARK_ENDED);
    if (out)
        dev_download(d, out->ids + (w->plan->offset[r->first] - w->plan->offset[out->first]), m.ids,
                     r->all.n * (int64_t)sizeof *m.ids);
    dev_download(d, count, m.begin, bytes);
    dev_download(d, ends, m.end, bytes);
    w->seconds += dev_elapsed(d, MARK_BEGUN, MARK_ENDED);
    rc = dev_finish(d, err);
    for (int64_t i = 0; !rc && i < r->n_rows; i++)
        count[i] = (int32_t)(ends[i] - (uint32_t)count[i]);
    query_give(w, &block);
    return rc;
}

static int chunk(struct rounds *r, int32_t *count, uint32_t *ends, const struct query_output *out,
                 struct sdd_error *err)
{
    dev_mark(r->w->device, MARK_BEGUN);
    r->too_many = 0;
    int rc = all_rounds(r, err);
    if (!rc && !r->too_many)
        rc = gather(r, count, ends, out, err);
    if (rc)
        dev_drain(r->w->device);
    keys_give(r->w, &r->before);
    keys_give(r->w, &r->front);
    keys_give(r->w, &r->all);
    return rc;
}

/* Makes or counts rows [first, first + n), in chunks that become smaller until one fits. */
static int all_chunks(struct query_work *w, int64_t first, int64_t n, const struct query_output *out,
                      struct sdd_error *err)
{
    const struct sdd_topology_info *t = &w->topology->info;
    struct rounds r = {
        .w = w,
        .bits = id_bits(larger(larger(t->n_vertices, t->n_edges), larger(t->n_faces, w->plan->info.n_elements)))};
    int64_t most = n < MOST_ROWS ? n : MOST_ROWS;
    int32_t *count = malloc((size_t)most * sizeof *count + 1);
    uint32_t *ends = malloc((size_t)most * sizeof *ends + 1);
    int rc = count && ends ? SDD_OK : query_no_memory("the lengths of rows", err);
    r.longest = larger(2 * (int64_t)t->max_valence, larger(t->max_face_size, 4));
    r.sort_bits = r.bits + id_bits(MOST_ROWS);
    for (int64_t at = first; !rc && at < first + n;) {
        r.first = at;
        r.n_rows = first + n - at < most ? first + n - at : most;
        rc = chunk(&r, count, ends, out, err);
        if (!rc && r.too_many) {
            most = r.n_rows / 2;
            continue;
        }
        if (!rc && !out) {
            query_counted(w, at, r.n_rows, count);
            rc = query_within(w, at + r.n_rows, err);
        }
        at += r.n_rows;
    }
    free(count);
    free(ends);
    return rc;
}

int ring_count(struct query_work *w, struct sdd_error *err)
{
    return all_chunks(w, 0, w->plan->info.n_rows, NULL, err);
}

int ring_fill(struct query_work *w, int64_t first, int64_t n, const struct query_output *out, struct sdd_error *err)
{
    return all_chunks(w, first, n, out, err);
}
