/* SPDX-License-Identifier: Apache-2.0 */
/* stream_neighbors.c: frames of neighbours that are made while they are sent (stream.h). The plan of the query knows
 * all offsets, so these go with the header; the compute thread makes some rows of ids, and then of signs, at a time. */
#include "server/refine/refine.h"
#include "server/refine/stream.h"
#include <stdlib.h>
#include <string.h>

enum { OFFSETS, IDS, SIGNS }; /* The blocks of the frame. */

/* The most bytes of ids and of offsets in a piece, unless one row alone has more. */
#define PIECE_BYTES ((int64_t)REFINE_PIECE_BYTES)
#define PIECE_ROWS (PIECE_BYTES / 8)

struct neighbor_stream {
    struct stream base;
    struct payload payload;
    int64_t next, end; /* Bytes [next, end) of the frame have not been requested yet. */
    /* The compute thread owns the rest while the stream is busy. */
    sdd_topology *topology;
    sdd_query_plan *plan;
    int block;             /* That of the piece; OFFSETS for the padding between two blocks. */
    int64_t at, piece_end; /* The bytes of the piece. */
    int64_t first_row, n_rows;
};

/* The row that has the id of this index. Rows are in ascending order of their offsets, so it is found by halving. */
static int64_t row_of(const sdd_query_plan *plan, int64_t index)
{
    int64_t low = 0, high = sdd_query_plan_info(plan)->n_rows; /* It is in [low, high). */
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (sdd_query_offset(plan, middle) <= index)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The end of a piece that begins with this row. */
static int64_t piece_end(const sdd_query_plan *plan, int64_t row, int64_t end)
{
    const int64_t most = sdd_query_offset(plan, row) + PIECE_BYTES / (int64_t)sizeof(uint32_t);
    const int64_t last = sdd_query_offset(plan, end) > most ? row_of(plan, most) : end;
    if (last <= row)
        return row + 1;
    return last - row < PIECE_ROWS ? last : row + PIECE_ROWS;
}

static bool take(struct stream *base)
{
    struct neighbor_stream *s = (struct neighbor_stream *)base;
    const struct payload *f = &s->payload;
    s->at = s->next;
    if (s->next >= s->end)
        return false;
    s->block = s->next < f->blocks[IDS].offset + f->blocks[IDS].bytes ? IDS : SIGNS;
    if (s->next < f->blocks[s->block].offset) {
        s->block = OFFSETS;
        s->next = s->piece_end = f->blocks[SIGNS].offset;
        return true;
    }
    const int64_t offset = f->blocks[s->block].offset, block_end = offset + f->blocks[s->block].bytes;
    const int64_t width = s->block == IDS ? (int64_t)sizeof(uint32_t) : 1;
    const int64_t last = (s->end < block_end ? s->end : block_end) - 1;
    s->first_row = row_of(s->plan, (s->next - offset) / width);
    s->n_rows = piece_end(s->plan, s->first_row, row_of(s->plan, (last - offset) / width) + 1) - s->first_row;
    s->at = offset + sdd_query_offset(s->plan, s->first_row) * width;
    s->next = s->piece_end = offset + sdd_query_offset(s->plan, s->first_row + s->n_rows) * width;
    return true;
}

static void make(struct stream *base, const atomic_int *cancel)
{
    static const unsigned char padding[PAYLOAD_ALIGN];
    struct neighbor_stream *s = (struct neighbor_stream *)base;
    struct service *service = base->service;
    const struct sdd_run how = {.cancel = cancel, .soon_freed = 1};
    sdd_rows *rows = NULL;
    base->made = (struct stream_piece){NULL, s->at, s->piece_end, padding};
    if (s->block == OFFSETS)
        return;
    do
        base->rc = sdd_query(s->topology, s->plan, s->first_row, s->n_rows, &how, &rows, &base->err);
    while (base->rc == SDD_ENO_MEMORY && residency_make_room(service->memory->residency, NULL, base->err.needed));
    if (base->rc == SDD_ENO_MEMORY)
        metrics_add(service->metrics, M_DEVICE_ERRORS_MEMORY, 1);
    residency_publish(service->memory->residency);
    base->made.made = rows;
    if (base->rc)
        return;
    const struct sdd_rows_info *info = sdd_rows_info(rows);
    base->made.data = s->block == IDS ? (const unsigned char *)info->ids : info->signs;
    base->phases[PHASE_REFINE] = info->device_seconds;
}

static void free_rows(void *rows)
{
    sdd_rows_free(rows);
}

static void free_stream(struct stream *base)
{
    struct neighbor_stream *s = (struct neighbor_stream *)base;
    sdd_topology_unref(s->topology);
    sdd_query_plan_free(s->plan);
    payload_fini(&s->payload);
    residency_publish(base->service->memory->residency);
    free(s);
}

/* Puts the offsets behind the header of the payload. Returns false when out of memory. */
static bool add_offsets(struct payload *f, const sdd_query_plan *plan)
{
    const struct sdd_query_info *info = sdd_query_plan_info(plan);
    const int64_t bytes = f->blocks[IDS].offset;
    unsigned char *head = realloc(f->head, (size_t)bytes), *to = head ? head + f->blocks[OFFSETS].offset : NULL;
    if (!head)
        return false;
    f->head = head;
    memset(head + f->head_bytes, 0, (size_t)bytes - f->head_bytes);
    for (int64_t row = 0; row <= info->n_rows; row++, to += info->offset_bytes) {
        const uint64_t offset = (uint64_t)sdd_query_offset(plan, row); /* The low half comes first. */
        memcpy(to, &offset, (size_t)info->offset_bytes);
    }
    return true;
}

int64_t neighbors_claim(const sdd_query_plan *plan, const struct payload *f)
{
    const struct sdd_query_info *info = sdd_query_plan_info(plan);
    int64_t longest = 0;
    for (int64_t row = 0; row < info->n_rows; row++) {
        const int64_t n = sdd_query_offset(plan, row + 1) - sdd_query_offset(plan, row);
        longest = n > longest ? n : longest;
    }
    const int64_t ids = longest > PIECE_BYTES / 4 ? longest : PIECE_BYTES / 4;
    const int64_t pieces = STREAM_PIECES * (ids * (4 + (info->signs_bytes > 0)) + PIECE_BYTES);
    const int64_t whole = info->host_bytes * (info->signs_bytes > 0 ? 2 : 1); /* Each block has pieces of its own. */
    return f->blocks[IDS].offset + (pieces < whole ? pieces : whole);
}

int neighbors_open(struct service *service, const struct neighbors_ask *ask, double phases[N_PHASES],
                   struct stream **out, struct sdd_error *err)
{
    static const struct stream_kind kind = {take, make, free_rows, NULL, free_stream};
    struct neighbor_stream *s = calloc(1, sizeof *s);
    struct payload payload = ask->payload;
    *out = NULL;
    if (!s || !add_offsets(&payload, ask->plan)) {
        free(s);
        sdd_query_plan_free(ask->plan);
        payload_fini(&payload);
        pool_give(&service->memory->pool, POOL_FRAMES, ask->claim);
        return sdd_fail(err, SDD_ENO_MEMORY, "", "out of memory");
    }
    s->base.kind = &kind;
    s->topology = sdd_topology_ref(ask->topology);
    s->plan = ask->plan;
    s->payload = payload;
    s->base.head = payload.head;
    s->base.head_bytes = payload.blocks[IDS].offset;
    s->base.first = ask->first;
    s->next = ask->first > s->base.head_bytes ? ask->first : s->base.head_bytes;
    s->end = ask->first + ask->length;
    s->base.claim = ask->claim;
    s->base.task.claim = ask->fair;
    s->base.task.claim.cost_ns = (int64_t)(1e9 * estimate_any(service->estimate, PIECE_BYTES));
    int rc = stream_begin(&s->base, service, service->jobs->compute, ask->cancel, phases, err);
    if (!rc)
        *out = &s->base;
    return rc;
}
