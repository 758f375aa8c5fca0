/* SPDX-License-Identifier: Apache-2.0 */
/* linear_lines.dev.h: what grid_uvs and tri_uvs have in common: rows of values that are linear over the control faces,
 * and how a CPU makes whole lines of them. */
#ifndef SDD_LINEAR_LINES_H
#define SDD_LINEAR_LINES_H
#include "gpu/kernel/row_stream.h"

#define SDD_LINEAR_EACH 1024 /* Rows of an item. */

SDD_FN float sdd_mix(float a, float b, float t)
{
    return fmaf(t, b - a, a);
}

#ifndef __CUDACC__
#define SDD_LINEAR_FLOATS 1024 /* The most floats of a line. */
#define SDD_LINEAR_BURST 128   /* Floats that are made and written at a time. */
_Static_assert(SDD_LINEAR_FLOATS <= SDD_STREAM_ROOM, "a line fits");

/* Whether lines pay and fit; else rows are made one by one. A line has `along` rows. */
SDD_FN int sdd_linear_is_lines(int32_t width, int64_t along)
{
    return along > 1 && width * along <= SDD_LINEAR_FLOATS;
}

/* How many lines of so many floats are made at a time. */
static inline int64_t sdd_linear_batch(int64_t floats)
{
    return floats > 0 && floats < SDD_LINEAR_BURST ? SDD_LINEAR_BURST / floats : 1;
}

/* Puts rows [low, high) of a line of values whose first row is `first`. */
static inline void sdd_linear_put(const float *values, int32_t width, int64_t first, int64_t low, int64_t high,
                                  struct sdd_row_stream *s)
{
    const int32_t n = (int32_t)(high - low) * width;
    memcpy(sdd_stream_room(s, (size_t)(low * width), n), values + (low - first) * width, sizeof(float) * (size_t)n);
}

/* The lines of a face: `low` is the first one, and `step` leads from it to the last. */
struct sdd_linear_lines {
    float low[SDD_LINEAR_FLOATS + SDD_LANES], step[SDD_LINEAR_FLOATS + SDD_LANES];
};

/* Makes n floats, from float `first` on, of the line at t between the first and the last. Up to SDD_LANES - 1 more are
 * written. */
SDD_FN void sdd_linear_mix(const struct sdd_linear_lines *l, float t, int32_t first, int32_t n, float *to)
{
    for (int32_t k = 0; k < n; k += SDD_LANES)
        sdd_wide_store(to + k, sdd_wide_fma(sdd_wide_of(t), sdd_wide_load(l->step + first + k),
                                            sdd_wide_load(l->low + first + k)));
}

/* Makes rows [low, high) of the line at t, whose first row is `first`. */
SDD_FN void sdd_linear_part(const struct sdd_linear_lines *l, float t, int32_t width, int64_t first, int64_t low,
                            int64_t high, struct sdd_row_stream *s)
{
    const int32_t n = (int32_t)(high - low) * width;
    sdd_linear_mix(l, t, (int32_t)(low - first) * width, n, sdd_stream_room(s, (size_t)(low * width), n));
}

/* Makes n whole lines from line y on, whose rows follow each other from `row` on. t is the distance from one line to
 * the next. */
SDD_FN void sdd_linear_whole(const struct sdd_linear_lines *l, float t, int64_t y, int64_t n, int32_t width,
                             int64_t along, int64_t row, struct sdd_row_stream *s)
{
    const int32_t floats = (int32_t)along * width;
    float *to = sdd_stream_room(s, (size_t)(row * width), (int32_t)n * floats);
    for (int64_t i = 0; i < n; i++) /* The floats that one line writes too many are overwritten by the next. */
        sdd_linear_mix(l, (float)(y + i) * t, 0, floats, to + i * floats);
}

/* A row of two floats, of which only the bits matter. */
typedef double sdd_linear_pair __attribute__((aligned(4), may_alias));

/* A row of two floats, repeated. */
SDD_FN sdd_wide sdd_wide_pair(const float *row)
{
#ifdef __FMA__
    return (sdd_wide)_mm256_castpd_ps(_mm256_set1_pd(*(const sdd_linear_pair *)row));
#else
    sdd_wide to[3];
    sdd_wide_repeat(row, 2, to);
    return to[0];
#endif
}

SDD_FN sdd_wide sdd_wide_mix(sdd_wide a, sdd_wide b, sdd_wide t)
{
    return sdd_wide_fma(t, b - a, a);
}

/* The products x * unit for rows x = first, first + 1 and so on, twice each. */
SDD_FN sdd_wide sdd_linear_along(int32_t first, float unit)
{
    sdd_wide x;
    for (int32_t i = 0; i < SDD_LANES; i++) {
        int32_t row = i / 2;
        x[i] = (float)row;
    }
    return (x + sdd_wide_of((float)first)) * sdd_wide_of(unit);
}
#endif
#endif
