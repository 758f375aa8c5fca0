/* SPDX-License-Identifier: Apache-2.0 */
/* stream.h: an answer that is made while it is sent, in pieces, three of which exist at a time. The thread that makes
 * them does other work between two pieces, so a client that does not read delays nobody else. These are made so:
 *
 *   stream_rows.c        a frame of positions alone, made by the compute thread. The stream has a mesh of its own, so
 *                        that one answer never mixes versions
 *   stream_file.c        a frame as a file of another format (proto/files), made by a worker
 *   stream_neighbors.c   a frame of neighbours, made by the compute thread. It holds on to the topology, which never
 *                        changes
 *   stream_values.c      a frame of values at vertices, which are there when the answer begins
 *
 *   rows_open and the like (on the thread that makes the pieces) -> stream_response -> MHD reads, sleeps, reads ...
 *   -> stream_left, freed by MHD
 *
 * Threads  the loop, except where a comment names another */
#ifndef SUBDD_STREAM_H
#define SUBDD_STREAM_H
#include "gpu/sdd/sdd_fields.h"
#include "gpu/sdd/sdd_queries.h"
#include "server/base/metrics.h"
#include "server/base/table.h"
#include "server/base/text.h"
#include "server/jobs/executor.h"
#include "server/operation/quarantine.h"
#include "server/resident/payload.h"
#include <stdatomic.h>

#define STREAM_PIECES 3
#define STREAM_ROW_BYTES 12 /* The bytes of one position. */
#define FILE_PIECE_BYTES ((int64_t)1 << 20)

struct cached;
struct MHD_Response;
struct request;
struct sending;
struct service;
struct stream;
struct surface;
struct surface_format;

struct stream_piece {
    void *made;      /* What holds the bytes; NULL when there is no piece. */
    int64_t at, end; /* The piece has bytes [at, end) of the body. */
    const unsigned char *data;
};
struct stream_pieces {
    int n;
    struct stream_piece row[STREAM_PIECES];
};
/* What a kind of stream does. Its struct has a struct stream as the first member. */
struct stream_kind {
    /* Takes the work of the next piece. Returns false when there is none. */
    bool (*take)(struct stream *s);
    /* Makes s->made of it. An error goes into s->rc and s->err. Threads  the one that makes pieces */
    void (*make)(struct stream *s, const atomic_int *cancel);
    void (*free_piece)(void *made);  /* Threads  the same */
    void (*leave)(struct stream *s); /* Nothing is made any more. NULL does nothing. */
    void (*free)(struct stream *s);  /* Frees what the kind has, and the stream. Threads  the one that makes pieces */
};
struct stream {
    struct evaluation evaluation; /* What the pieces are made of; zero where that is not a mesh. */
    struct task task;             /* The task that makes a piece, and at last the one that frees the stream. */
    struct list all;
    const struct stream_kind *kind;
    struct executor *executor;
    struct service *service;
    struct request *request;   /* NULL before the answer begins and after it is over. */
    const unsigned char *head; /* The bytes of the body before the pieces. */
    int64_t head_bytes;
    int64_t first; /* The byte of the body that the answer begins with. */
    int64_t claim; /* The bytes of the pool that are taken for the pieces. */
    struct stream_pieces ready, drained;
    bool busy, closed, failed;
    bool whole; /* All pieces have been made or are. */
    atomic_int cancel;
    /* The thread that makes pieces owns the rest while `busy` is set. */
    struct stream_pieces freed;
    struct stream_piece made;
    double phases[N_PHASES];
    struct sdd_error err;
    int rc;
};
/* stream_begin: prepares a stream whose kind, head, first byte and claims are set, and makes its first piece. On error
 * the stream is freed. `phases` gets the time that it took.
 * Threads  the one that makes pieces */
int stream_begin(struct stream *s, struct service *service, struct executor *executor, const atomic_int *cancel,
                 double phases[N_PHASES], struct sdd_error *err) SDD_MUST_CHECK;

/* stream_evaluates: has what a job notes of itself noted of the pieces that are still to be made. */
static inline void stream_evaluates(struct stream *s, const struct evaluation *e)
{
    s->evaluation = *e;
    s->evaluation.done = 0;
    s->evaluation.entry = 0;
}

struct stream_ask {
    sdd_mesh *mesh;           /* Taken by the call, also on error. */
    sdd_plan *plan;           /* The plan of the whole block. It is taken, also on error. */
    const atomic_int *cancel; /* Cancels the first piece. */
    struct payload payload;   /* A frame whose block has no data. It is taken, also on error. */
    int64_t first, length;    /* The bytes of the frame that the answer has. */
    int64_t claim; /* The bytes of the pool that are taken for the ring. They are taken over, also on error. */
    int64_t rows;  /* The rows of a piece. */
    int scheme;
    struct fair_claim fair; /* That of the job. */
};
/* rows_open: makes the first piece. `phases` gets the time that it took, and *by the method that made it
 * (sdd_result_info). The errors are those of sdd_refine.
 * Threads  the compute thread */
int rows_open(struct service *s, const struct stream_ask *ask, double phases[N_PHASES], const char **by,
              struct stream **out, struct sdd_error *err) SDD_MUST_CHECK;
struct neighbors_ask {
    sdd_topology *topology;   /* The call takes a reference of its own. */
    sdd_query_plan *plan;     /* Taken by the call, also on error. */
    const atomic_int *cancel; /* Cancels the first piece. */
    struct payload payload;   /* A frame whose blocks have no data. It is taken, also on error. */
    int64_t first, length;    /* The bytes of the frame that the answer has. */
    int64_t claim;            /* Bytes of the pool for all that it holds. They are taken over, also on error. */
    struct fair_claim fair;   /* That of the job. */
};
/* neighbors_claim: the bytes that the stream takes besides the plan.
 * neighbors_open: makes the first piece. `phases` gets the time that it took. The errors are those of sdd_query.
 * Threads  the compute thread */
int64_t neighbors_claim(const sdd_query_plan *plan, const struct payload *frame);
int neighbors_open(struct service *s, const struct neighbors_ask *ask, double phases[N_PHASES], struct stream **out,
                   struct sdd_error *err) SDD_MUST_CHECK;
struct values_ask {
    sdd_values *values[SDD_N_FIELDS]; /* NULL behind the last ones. Taken by the call, also on error. */
    const atomic_int *cancel;
    struct payload payload; /* A frame of their data. It is taken, also on error. */
    int64_t first, length;  /* The bytes of the frame that the answer has. */
    int64_t claim;          /* Bytes of the pool for the values. They are taken over, also on error. */
    struct fair_claim fair; /* That of the job. */
};
/* values_open: an answer of values. Threads  the compute thread */
int values_open(struct service *s, const struct values_ask *ask, double phases[N_PHASES], struct stream **out,
                struct sdd_error *err) SDD_MUST_CHECK;
/* file_open: makes the first piece of a file. `warnings` gets lines about what it does not carry. `claim` are the bytes
 * of the pool that are taken for it; they are taken over, also on error. `fair` is the claim of the job. With `count`
 * its size is found out before, for which a file of text is made once more.
 * Errors   SDD_ETOO_LARGE and SDD_EUNSUPPORTED (the format cannot hold the surface), SDD_ENO_MEMORY
 * Threads  a worker */
int file_open(struct service *s, const struct surface_format *format, const struct surface *surface, int64_t claim,
              bool count, const struct fair_claim *fair, struct text *warnings, struct stream **out,
              struct sdd_error *err) SDD_MUST_CHECK;
/* file_hold: keeps the frame that the surface is of until the stream makes nothing any more. */
void file_hold(struct stream *s, struct cached *frame);
/* file_bytes: the size of the file, or 0 where it is not known.
 * file_from: lets the answer begin with this byte. What comes before it is made and thrown away.
 * file_whole: the bytes of a file that is whole already, or NULL. */
int64_t file_bytes(const struct stream *s);
void file_from(struct stream *s, int64_t first);
const void *file_whole(const struct stream *s);

void stream_close(struct stream *s); /* Closes a stream that has no response. NULL is fine. */
/* stream_response: makes the answer of `length` bytes to r, which owns the stream from now on; -1 leaves the length to
 * be found out. Returns NULL when out of memory; then the caller still owns the stream. */
struct MHD_Response *stream_response(struct stream *s, int64_t length, struct request *r);
void stream_left(struct stream *s); /* Tells the stream that its request is over. */
/* stream_waits: called four times a second while the request waits for the next piece. It fails the stream when the
 * client is gone or has waited as long as a request may. */
void stream_waits(struct stream *s);
void streams_fail(struct sending *s); /* Fails all streams. */

#endif
