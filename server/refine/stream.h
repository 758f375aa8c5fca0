/* SPDX-License-Identifier: Apache-2.0 */
/* stream.h: a frame of positions alone that is made while it is sent, in pieces of some rows, three of which exist at a
 * time. The compute thread does other work between two pieces, so a client that does not read delays nobody else. The
 * stream has a mesh of its own, so that one answer never mixes versions.
 *
 *   stream_create (compute thread) -> stream_response -> MHD reads, sleeps, reads ... -> stream_left, freed by MHD
 *
 * Threads  the loop, except stream_create, which runs on the compute thread */
#ifndef SUBDD_STREAM_H
#define SUBDD_STREAM_H
#include "server/jobs/fair.h"
#include "server/resident/payload.h"
#include "server/base/metrics.h"

#define STREAM_PIECES 3
#define STREAM_ROW_BYTES 12 /* The bytes of one position. */

struct MHD_Response;
struct request;
struct sending;
struct service;
struct stream;

struct stream_ask {
    sdd_mesh *mesh;           /* Taken by the call, also on error. */
    sdd_plan *plan;           /* The plan of the whole block. It is taken, also on error. */
    const atomic_int *cancel; /* Cancels the first piece. */
    struct payload payload;   /* A frame whose block has no data. It is taken, also on error. */
    int64_t first, length;    /* The bytes of the frame that the answer has. */
    int64_t rows;             /* The rows of a piece. */
    int scheme;
    struct fair_claim claim; /* That of the job. */
};
/* stream_create: makes the first piece. `phases` gets the time that it took, and *by the method that made it
 * (sdd_result_info). The errors are those of sdd_refine. */
int stream_create(struct service *s, const struct stream_ask *ask, double phases[N_PHASES], const char **by,
                  struct stream **out, struct sdd_error *err) SDD_MUST_CHECK;
void stream_close(struct stream *s); /* Closes a stream that has no response. NULL is fine. */
/* stream_response: makes the answer of `length` bytes to r, which owns the stream from now on. Returns NULL when out of
 * memory; then the caller still owns the stream. */
struct MHD_Response *stream_response(struct stream *s, int64_t length, struct request *r);
void stream_left(struct stream *s); /* Tells the stream that its request is over. */
/* stream_waits: called four times a second while the request waits for the next piece. It fails the stream when the
 * client is gone or has waited as long as a request may. */
void stream_waits(struct stream *s);
/* stream_fail: ends the connection before the end of the body. */
void stream_fail(struct stream *s);
void streams_fail(struct sending *s); /* Fails all streams. */

#endif
