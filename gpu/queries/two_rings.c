/* SPDX-License-Identifier: Apache-2.0 */
/* two_rings.c: rings of two steps by tiles, for queries.c. A tile makes the rows for which its ribbon suffices
 * (two_rings.tile.h), and the others go round by round (rings.c). Both are the same bytes. */
#include "gpu/queries/internal.h"
#include <stdlib.h>
#include <string.h>

/* A plan of its own for n of the rows that need rounds, and its work. */
struct rest {
    sdd_query_plan plan;
    struct query_work work;
};

static void rest_free(struct rest *r)
{
    free(r->plan.list);
    free(r->plan.offset);
}

static int rest_take(const struct query_work *w, const uint32_t *rest, int64_t n, struct rest *r, struct sdd_error *err)
{
    const sdd_query_plan *p = w->plan;
    *r = (struct rest){.plan = {.request = p->request, .info = p->info, .way = QUERY_FLAT}, .work = *w};
    r->plan.info.n_rows = n;
    r->plan.request.first = 0;
    r->plan.list = malloc((size_t)n * sizeof *r->plan.list + 1);
    r->plan.offset = malloc(((size_t)n + 1) * sizeof *r->plan.offset);
    r->work.plan = &r->plan;
    r->work.is_part = 1;
    if (!r->plan.list || !r->plan.offset) {
        rest_free(r);
        return query_no_memory("the rows that need rounds", err);
    }
    for (int64_t i = 0; i < n; i++)
        r->plan.list[i] = p->list ? p->list[rest[i]] : (uint32_t)(p->request.first + rest[i]);
    r->plan.offset[0] = 0;
    return SDD_OK;
}

/* Counts the rows whose length is -1. The plan is given their list. */
static int count_rest(struct query_work *w, sdd_query_plan *p, int32_t *count, struct sdd_error *err)
{
    struct rest r;
    int64_t n = 0;
    for (int64_t i = 0; i < p->info.n_rows; i++)
        n += count[i] < 0;
    p->rest = calloc((size_t)n + 1, sizeof *p->rest);
    if (!p->rest)
        return query_no_memory("a list of rows", err);
    for (int64_t i = 0; i < p->info.n_rows; i++)
        if (count[i] < 0)
            p->rest[p->n_rest++] = (uint32_t)i;
    int rc = rest_take(w, p->rest, n, &r, err);
    if (rc)
        return rc;
    r.work.offset = r.plan.offset;
    rc = ring_count(&r.work, err);
    for (int64_t i = 0; !rc && i < n; i++)
        count[p->rest[i]] = (int32_t)(r.plan.offset[i + 1] - r.plan.offset[i]);
    w->most_held = r.work.most_held;
    rest_free(&r);
    return rc;
}

int two_rings_count(struct query_work *w, sdd_query_plan *p, struct sdd_error *err)
{
    const struct tiles *tiles;
    int32_t *count = malloc((size_t)p->info.n_rows * sizeof *count + 1);
    int rc = count ? tiles_get(w->topology, &w->neighbors, w->cancel, &tiles, err)
                   : query_no_memory("the lengths of rows", err);
    if (!rc)
        rc = tiled_lengths(w, tiles, count, err);
    if (!rc)
        rc = count_rest(w, p, count, err);
    if (!rc)
        query_counted(w, 0, p->info.n_rows, count);
    free(count);
    return rc;
}

/* Makes n rows by rounds, and puts them between those that tiles have made. */
static int fill_rest(struct query_work *w, const uint32_t *rest, int64_t n, const struct query_output *out,
                     struct sdd_error *err)
{
    const int64_t *offset = w->plan->offset;
    struct query_output own = {0};
    struct rest r;
    void *memory = NULL;
    int rc = rest_take(w, rest, n, &r, err);
    if (rc)
        return rc;
    for (int64_t i = 0; i < n; i++)
        r.plan.offset[i + 1] = r.plan.offset[i] + offset[rest[i] + 1] - offset[rest[i]];
    const int64_t bytes = r.plan.offset[n] * (int64_t)sizeof *own.ids + 1;
    rc = dev_host_alloc(w->device, bytes, 1, &memory, err);
    own.ids = memory;
    if (!rc)
        rc = ring_fill(&r.work, 0, n, &own, err);
    for (int64_t i = 0; !rc && i < n; i++)
        memcpy(out->ids + (offset[rest[i]] - offset[out->first]), own.ids + r.plan.offset[i],
               (size_t)(r.plan.offset[i + 1] - r.plan.offset[i]) * sizeof *own.ids);
    w->seconds = r.work.seconds;
    if (memory)
        w->device->b->host_free(w->device->dev, memory, bytes);
    rest_free(&r);
    return rc;
}

int two_rings_fill(struct query_work *w, int64_t first, int64_t n, const struct query_output *out,
                   struct sdd_error *err)
{
    const uint32_t *rest = w->plan->rest;
    int64_t from = 0, to;
    while (from < w->plan->n_rest && rest[from] < first)
        from++;
    for (to = from; to < w->plan->n_rest && rest[to] < first + n;)
        to++;
    int rc = tiled_fill(w, QUERY_TRANSPOSE, first, n, out, err);
    return !rc && to > from ? fill_rest(w, rest + from, to - from, out, err) : rc;
}
