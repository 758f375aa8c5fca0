/* SPDX-License-Identifier: Apache-2.0 */
/* row_stream.h: how a CPU writes rows that follow each other, as floats or in 16 bits a number. It writes whole cache
 * lines past the caches, since a result is larger than they are. */
#ifndef SDD_ROW_STREAM_H
#define SDD_ROW_STREAM_H
#include "gpu/kernel/rows_out.h"
#include "gpu/kernel/wide.h"

#ifndef __CUDACC__
#include <string.h>

#define SDD_STREAM_WAITING 128          /* Floats that may wait. Longer bursts stall memory, and then the processor. */
#define SDD_STREAM_ROOM 1024            /* The most floats that one call may add. */
#define SDD_STREAM_OVER (2 * SDD_LANES) /* Floats that the last register may write beyond those. */

/* Floats [end - n, end) of the rows of a block, which are gathered as long as they follow each other. */
struct sdd_row_stream {
    float *to;
    struct sdd_rows_as as;
    size_t end;
    int32_t width, n; /* The floats of a row, and the floats that wait. */
    float at[SDD_STREAM_WAITING + SDD_STREAM_ROOM + SDD_STREAM_OVER] __attribute__((aligned(64)));
};

static inline void sdd_stream_open(struct sdd_row_stream *s, float *to, struct sdd_rows_as as, int32_t width)
{
    s->to = to;
    s->as = as;
    s->end = 0;
    s->width = width;
    s->n = 0;
}

/* Writes n floats and returns how many were written. With `more`, others will follow, so floats that do not fill a
 * cache line wait for them. */
static inline int32_t sdd_stream_floats(float *to, const float *at, int32_t n, int more)
{
    int32_t i = 0;
    for (; i < n && ((uintptr_t)(to + i) & 63); i++)
        to[i] = at[i];
    for (; i + 16 <= n; i += 16)
        for (int32_t k = i; k < i + 16; k += SDD_LANES)
            sdd_wide_stream(to + k, sdd_wide_load(at + k));
    for (; i < n && !more; i++)
        to[i] = at[i];
    return i;
}

static inline void sdd_stream_flush(struct sdd_row_stream *s, int more)
{
    const size_t first = s->end - (size_t)s->n;
    int32_t i;
    if (s->as.format == SDD_ROWS_F32)
        i = sdd_stream_floats(s->to + first, s->at, s->n, more);
    else
        i = s->width * sdd_rows_out(s->to, &s->as, (uint32_t)(first / (size_t)s->width), s->n / s->width, s->at, more);
    s->n -= i;
    sdd_wide_copy(s->at, s->at + i, s->n);
}

/* Writes what is left, and waits until all is in memory. An item ends with it. */
static inline void sdd_stream_close(struct sdd_row_stream *s)
{
    sdd_stream_flush(s, 0);
#ifdef __FMA__
    _mm_sfence();
#endif
}

/* Returns room for floats [first, first + n) of the rows, n at most SDD_STREAM_ROOM, and for SDD_STREAM_OVER more. */
SDD_FN float *sdd_stream_room(struct sdd_row_stream *s, size_t first, int32_t n)
{
    if (s->end != first && s->n > 0)
        sdd_stream_flush(s, 0);
    else if (s->n > SDD_STREAM_WAITING)
        sdd_stream_flush(s, 1);
    s->end = first + (size_t)n;
    s->n += n;
    return s->at + s->n - n;
}
#endif
#endif
