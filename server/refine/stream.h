/* SPDX-License-Identifier: Apache-2.0 */
/* stream.h: a frame of positions alone that is made while it is sent: pieces of some rows, three alive at a time. The
 * compute thread makes one, other work goes on, then it makes the next; a client that does not read holds its ring, and
 * nobody else. The mesh is the stream's own, so that one answer never mixes versions.
 *
 *   stream_create (compute thread) -> stream_response -> MHD reads, sleeps, reads ... -> stream_left, freed by MHD
 *
 * Threads  the loop, but for stream_create and what is said of others */
#ifndef SUBDD_STREAM_H
#define SUBDD_STREAM_H
#include "server/resident/payload.h"
#include "server/base/metrics.h"

#define STREAM_PIECES 3
#define STREAM_ROW_BYTES 12 /* of positions */

struct MHD_Response;
struct request;
struct sending;
struct service;
struct stream;

struct stream_ask {
    sdd_mesh *mesh;           /* taken, also on error                             */
    sdd_plan *plan;           /* of the whole block; taken, also on error                 */
    const atomic_int *cancel; /* of the first piece                                       */
    struct frame frame;       /* taken, also on error; its block has no data      */
    int64_t first, length;    /* bytes of the frame that the answer has           */
    int64_t rows;             /* of a piece                                       */
    int scheme;
};
/* stream_create: makes the first piece. phases gets the time it took, *by what made it (sdd_result_info). Errors as
 * sdd_refine. */
int stream_create(struct service *s, const struct stream_ask *ask, double phases[N_PHASES], const char **by,
                  struct stream **out, struct sdd_error *err) SDD_MUST_CHECK;
void stream_close(struct stream *s); /* one that has no response; NULL is fine */
/* stream_response: r's answer of `length` bytes, which owns the stream from now on. NULL: out of memory, and it is
 * still the caller's. */
struct MHD_Response *stream_response(struct stream *s, int64_t length, struct request *r);
void stream_left(struct stream *s); /* the request is over */
/* stream_waits: four times a second while its request waits for the next piece: fails it when its client is gone, or
 * has waited as long as a request may. */
void stream_waits(struct stream *s);
/* stream_fail: the connection ends before the body does. */
void stream_fail(struct stream *s);
void streams_fail(struct sending *s); /* all of them */

#endif
