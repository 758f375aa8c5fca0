/* SPDX-License-Identifier: Apache-2.0 */
/* linear_lines.h: what grid_uvs and tri_uvs have in common: rows of values that are linear over the control faces, and
 * how a CPU makes a line of them at once. */
#ifndef SDD_LINEAR_LINES_H
#define SDD_LINEAR_LINES_H
#include "gpu/kernels/row_stream.h"

#define SDD_LINEAR_EACH 1024 /* rows of an item */

SDD_FN float sdd_mix(float a, float b, float t)
{
    return fmaf(t, b - a, a);
}

#ifndef __CUDACC__
#define SDD_LINEAR_FLOATS 1024 /* of a line */
_Static_assert(SDD_LINEAR_FLOATS <= SDD_STREAM_ROOM, "a line fits");

/* Does it pay, and have they room? Else rows are made one by one. along: rows of a line. */
SDD_FN int sdd_linear_is_lines(int32_t width, int64_t along)
{
    return along > 1 && width * along <= SDD_LINEAR_FLOATS;
}

/* Rows [low, high) of a line of values, whose first row is `first`. */
static inline void sdd_linear_put(const float *values, int32_t width, int64_t first, int64_t low, int64_t high,
                                  struct sdd_row_stream *s)
{
    const int32_t n = (int32_t)(high - low) * width;
    memcpy(sdd_stream_room(s, (size_t)(low * width), n), values + (low - first) * width, sizeof(float) * (size_t)n);
}

/* The lines of a face: `step` leads from one to another, which is as far away as the face is high. */
struct sdd_linear_lines {
    float low[SDD_LINEAR_FLOATS], step[SDD_LINEAR_FLOATS];
};

/* Of the line t of the way. */
static inline void sdd_linear_mix(const struct sdd_linear_lines *l, float t, int32_t width, int64_t first, int64_t low,
                                  int64_t high, struct sdd_row_stream *s)
{
    const int32_t n = (int32_t)(high - low) * width;
    const float *from = l->low + (low - first) * width, *step = l->step + (low - first) * width;
    float *to = sdd_stream_room(s, (size_t)(low * width), n);
    for (int32_t k = 0; k < n; k++)
        to[k] = fmaf(t, step[k], from[k]);
}
#endif
#endif
