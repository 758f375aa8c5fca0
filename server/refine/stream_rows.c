/* SPDX-License-Identifier: Apache-2.0 */
/* stream_rows.c: frames of positions alone that are made while they are sent (stream.h): the compute thread makes some
 * rows of them at a time. */
#include "server/refine/refine.h"
#include "server/refine/stream.h"
#include <stdlib.h>

struct row_stream {
    struct stream base;
    struct payload payload;
    int64_t rows;              /* The rows of a piece. */
    int64_t next_row, end_row; /* Rows [next_row, end_row) have not been requested yet. */
    /* The compute thread owns the rest while the stream is busy. */
    sdd_mesh *mesh;
    sdd_plan *plan; /* The plan of the whole block, from which each piece derives a plan of its rows. */
    int64_t first_row, n_rows;
    enum metric vertices;
};

/* Takes the next rows, at most those of a piece. */
static bool take(struct stream *base)
{
    struct row_stream *s = (struct row_stream *)base;
    const int64_t left = s->end_row - s->next_row;
    s->first_row = s->next_row;
    s->n_rows = left < s->rows ? left : s->rows;
    s->next_row += s->n_rows;
    return s->n_rows > 0;
}

/* Makes the piece that begins with first_row. */
static void make(struct stream *base, const atomic_int *cancel)
{
    struct row_stream *s = (struct row_stream *)base;
    struct service *service = base->service;
    const int64_t at = s->payload.blocks[0].offset + s->first_row * STREAM_ROW_BYTES;
    const struct sdd_run how = {.cancel = cancel, .soon_freed = 1};
    sdd_result *result = NULL;
    sdd_plan *rows;
    base->rc = sdd_plan_create_for_rows(s->plan, s->first_row, s->n_rows, &rows, &base->err);
    if (base->rc)
        return;
    do
        base->rc = sdd_refine(s->mesh, rows, &how, &result, &base->err);
    while (base->rc == SDD_ENO_MEMORY && residency_make_room(service->memory->residency, NULL, base->err.needed));
    sdd_plan_free(rows);
    if (base->rc == SDD_ENO_MEMORY)
        metrics_add(service->metrics, M_DEVICE_ERRORS_MEMORY, 1);
    residency_publish(service->memory->residency);
    base->made.made = result;
    if (base->rc)
        return;
    const struct sdd_result_info *info = sdd_result_info(result);
    base->made.at = at;
    base->made.end = at + info->plan.blocks[0].bytes;
    base->made.data = info->plan.blocks[0].data;
    base->phases[PHASE_REFINE] = info->refine_seconds;
    base->phases[PHASE_DIGEST] = info->digest_seconds;
    base->phases[PHASE_DOWNLOAD] = info->download_seconds;
    metrics_add(service->metrics, s->vertices, s->n_rows);
    if (executor_was_paused(service->jobs->compute))
        return;
    estimate_learn(service->estimate, info->plan.method, info->plan.blocks[0].bytes,
                   info->refine_seconds + info->digest_seconds + info->download_seconds);
}

static void free_result(void *result)
{
    sdd_result_free(result);
}

static void free_stream(struct stream *base)
{
    struct row_stream *s = (struct row_stream *)base;
    sdd_mesh_free(s->mesh);
    sdd_plan_free(s->plan);
    payload_fini(&s->payload);
    residency_publish(base->service->memory->residency);
    free(s);
}

static void lay_out(struct row_stream *s, int64_t first, int64_t length, int64_t rows)
{
    const int64_t block = s->payload.blocks[0].offset, begin = first > block ? first - block : 0;
    const int64_t end = first + length > block ? first + length - block : 0;
    s->base.head = s->payload.head;
    s->base.head_bytes = block;
    s->base.first = first;
    s->rows = rows;
    s->next_row = begin / STREAM_ROW_BYTES;
    s->end_row = (end + STREAM_ROW_BYTES - 1) / STREAM_ROW_BYTES;
}

int rows_open(struct service *service, const struct stream_ask *ask, double phases[N_PHASES], const char **by,
              struct stream **out, struct sdd_error *err)
{
    static const struct stream_kind kind = {take, make, free_result, NULL, free_stream};
    struct row_stream *s = calloc(1, sizeof *s);
    struct payload payload = ask->payload;
    *out = NULL;
    if (!s) {
        sdd_mesh_free(ask->mesh);
        sdd_plan_free(ask->plan);
        payload_fini(&payload);
        pool_give(&service->memory->pool, POOL_FRAMES, ask->claim);
        return sdd_fail(err, SDD_ENO_MEMORY, "", "out of memory");
    }
    s->base.kind = &kind;
    s->mesh = ask->mesh;
    s->payload = payload;
    s->plan = ask->plan;
    s->vertices = (enum metric)(M_REFINED_CATMULL_CLARK + ask->scheme);
    lay_out(s, ask->first, ask->length, ask->rows);
    s->base.claim = ask->claim;
    s->base.task.claim = ask->fair;
    s->base.task.claim.cost_ns = (int64_t)(1e9 * estimate_any(service->estimate, ask->rows * STREAM_ROW_BYTES));
    int rc = stream_begin(&s->base, service, service->jobs->compute, ask->cancel, phases, err);
    if (rc)
        return rc;
    if (s->base.ready.n)
        *by = sdd_result_info(s->base.ready.row[0].made)->by;
    *out = &s->base;
    return SDD_OK;
}
