/* SPDX-License-Identifier: Apache-2.0 */
/* stream_file.c: a frame as a file of another format (proto/files) that is made while it is sent (stream.h), by a
 * worker, so that neither the loop nor the compute thread spends its time on digits. */
#include "proto/files/files.h"
#include "server/refine/refine.h"
#include "server/refine/stream.h"
#include <stdlib.h>

#define PIECE_NS (10 * FILE_PIECE_BYTES) /* An estimate of the time that a piece takes. */

struct file_stream {
    struct stream base;
    struct cached *frame; /* The loop's: the stream has a reference to it. NULL without one. */
    /* The worker owns the rest while the stream is busy. */
    struct surface_file *file;
    int64_t size;  /* Of the whole file, or 0 where it is not known. */
    int64_t bytes; /* How many were made. */
    bool whole;    /* All of them. */
};

static bool take(struct stream *base)
{
    return !((const struct file_stream *)base)->whole;
}

static void make(struct stream *base, const atomic_int *cancel)
{
    struct file_stream *s = (struct file_stream *)base;
    const uint64_t start = uv_hrtime();
    int64_t all;
    if (atomic_load(cancel)) {
        base->rc = sdd_fail(&base->err, SDD_ECANCELLED, "", "the client went away");
        return;
    }
    char *data = malloc(FILE_PIECE_BYTES);
    if (!data) {
        base->rc = sdd_fail(&base->err, SDD_ENO_MEMORY, "", "out of memory");
        return;
    }
    const int64_t n = (int64_t)surface_file_read(s->file, data, FILE_PIECE_BYTES);
    base->made = (struct stream_piece){data, s->bytes, s->bytes + n, (const unsigned char *)data};
    s->bytes += n;
    s->whole = surface_file_progress(s->file, &all) == all;
    base->phases[PHASE_ENCODE] = (double)(uv_hrtime() - start) * 1e-9;
}

static void leave(struct stream *base)
{
    struct file_stream *s = (struct file_stream *)base;
    if (s->frame)
        cached_unref(&base->service->memory->cache, s->frame);
    s->frame = NULL;
}

static void free_stream(struct stream *base)
{
    surface_file_close(((struct file_stream *)base)->file);
    free(base);
}

/* Makes the file to count its bytes, and begins it anew. */
static int count_bytes(struct file_stream *s, const atomic_int *cancel, struct sdd_error *err)
{
    char *data = malloc(FILE_PIECE_BYTES);
    if (!data)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "out of memory");
    for (size_t n; !atomic_load(cancel) && (n = surface_file_read(s->file, data, FILE_PIECE_BYTES)) > 0;)
        s->size += (int64_t)n;
    surface_file_again(s->file);
    free(data);
    return atomic_load(cancel) ? sdd_fail(err, SDD_ECANCELLED, "", "the client went away") : SDD_OK;
}

int file_open(struct service *service, const struct surface_format *format, const struct surface *surface,
              int64_t claim, bool count, const struct fair_claim *fair, struct text *warnings, struct stream **out,
              struct sdd_error *err)
{
    static const struct stream_kind kind = {take, make, free, leave, free_stream};
    static const int codes[] = {[SURFACE_ENO_MEMORY] = SDD_ENO_MEMORY,
                                [SURFACE_ETOO_LARGE] = SDD_ETOO_LARGE,
                                [SURFACE_EUNSUPPORTED] = SDD_EUNSUPPORTED};
    double phases[N_PHASES] = {0}; /* The step that calls this is timed as a whole. */
    struct file_stream *s = calloc(1, sizeof *s);
    const char *why = "out of memory";
    int rc = s ? surface_file_open(format, surface, &s->file, &why) : SURFACE_ENO_MEMORY;
    *out = NULL;
    if (rc) {
        free(s);
        pool_give(&service->memory->pool, POOL_FRAMES, claim);
        return sdd_fail(err, codes[rc], rc == SURFACE_ENO_MEMORY ? "" : "accept", "%s", why);
    }
    s->size = surface_file_bytes(s->file);
    if (!s->size && count && (rc = count_bytes(s, fair->cancel, err))) {
        free_stream(&s->base);
        pool_give(&service->memory->pool, POOL_FRAMES, claim);
        return rc;
    }
    text_puts(warnings, surface_file_warnings(s->file));
    s->base.kind = &kind;
    s->base.claim = claim;
    s->base.task.claim = *fair;
    s->base.task.claim.cost_ns = PIECE_NS;
    rc = stream_begin(&s->base, service, service->jobs->host, fair->cancel, phases, err);
    if (!rc)
        *out = &s->base;
    return rc;
}

void file_hold(struct stream *base, struct cached *frame)
{
    cached_ref(frame);
    ((struct file_stream *)base)->frame = frame;
}

int64_t file_bytes(const struct stream *base)
{
    const struct file_stream *s = (const struct file_stream *)base;
    return file_whole(base) ? base->ready.row[0].end : s->size;
}

void file_from(struct stream *base, int64_t first)
{
    base->first = first;
}

const void *file_whole(const struct stream *base)
{
    const struct file_stream *s = (const struct file_stream *)base;
    return s->whole && base->ready.n == 1 ? base->ready.row[0].data : NULL;
}
