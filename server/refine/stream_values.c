/* SPDX-License-Identifier: Apache-2.0 */
/* stream_values.c: frames of values at vertices (stream.h). All values are made before the answer begins, because an
 * error in any of them is the answer; they are sent from where the compute library put them, to which they go back on
 * the compute thread. */
#include "server/refine/refine.h"
#include "server/refine/stream.h"
#include <stdlib.h>

struct value_stream {
    struct stream base;
    struct payload payload;
    int64_t next, end; /* Bytes [next, end) of the frame have not been requested yet. */
    int64_t at, piece_end;
    sdd_values *values[SDD_N_FIELDS];
};

static bool take(struct stream *base)
{
    struct value_stream *s = (struct value_stream *)base;
    int64_t n;
    if (s->next >= s->end)
        return false;
    s->at = s->next;
    (void)payload_span(&s->payload, s->at, &n);
    s->next = s->piece_end = s->at + n;
    return true;
}

static void make(struct stream *base, const atomic_int *cancel)
{
    static const unsigned char padding[PAYLOAD_ALIGN];
    struct value_stream *s = (struct value_stream *)base;
    int64_t n;
    const unsigned char *from = payload_span(&s->payload, s->at, &n);
    (void)cancel;
    base->made = (struct stream_piece){NULL, s->at, s->piece_end, from ? from : padding};
}

static void free_piece(void *made)
{
    (void)made; /* The stream has the values until its end. */
}

static void free_stream(struct stream *base)
{
    struct value_stream *s = (struct value_stream *)base;
    for (int i = 0; i < SDD_N_FIELDS; i++)
        sdd_values_free(s->values[i]);
    payload_fini(&s->payload);
    residency_publish(base->service->memory->residency);
    free(s);
}

int values_open(struct service *service, const struct values_ask *ask, double phases[N_PHASES], struct stream **out,
                struct sdd_error *err)
{
    static const struct stream_kind kind = {take, make, free_piece, NULL, free_stream};
    struct value_stream *s = calloc(1, sizeof *s);
    struct payload payload = ask->payload;
    *out = NULL;
    if (!s) {
        for (int i = 0; i < SDD_N_FIELDS; i++)
            sdd_values_free(ask->values[i]);
        payload_fini(&payload);
        pool_give(&service->memory->pool, POOL_FRAMES, ask->claim);
        return sdd_fail(err, SDD_ENO_MEMORY, "", "out of memory");
    }
    s->base.kind = &kind;
    s->payload = payload;
    for (int i = 0; i < SDD_N_FIELDS; i++)
        s->values[i] = ask->values[i];
    s->base.head = payload.head;
    s->base.head_bytes = (int64_t)payload.head_bytes;
    s->base.first = ask->first;
    s->next = ask->first > s->base.head_bytes ? ask->first : s->base.head_bytes;
    s->end = ask->first + ask->length;
    s->base.claim = ask->claim;
    s->base.task.claim = ask->fair;
    s->base.task.claim.cost_ns = 0; /* A piece is there already. */
    int rc = stream_begin(&s->base, service, service->jobs->compute, ask->cancel, phases, err);
    if (!rc)
        *out = &s->base;
    return rc;
}
