/* SPDX-License-Identifier: Apache-2.0 */
/* rows_out.h: how kernels write rows of results: as floats or in 16 bits a number (quantise16.h). The latter are never
 * in memory as floats. */
#ifndef SDD_ROWS_OUT_H
#define SDD_ROWS_OUT_H
#include "gpu/kernel/quantise16.h"
#include "gpu/kernel/rows.h"

enum sdd_rows_format { SDD_ROWS_F32, SDD_ROWS_UNORM16, SDD_ROWS_OCT16, SDD_ROWS_F16 };

struct sdd_rows_as {
    int32_t format;
    struct sdd_quantise_facts *facts; /* UNORM16 reads low and scale, F16 writes overflow; else it may be NULL. */
};

/* Returns the number of 4-byte words from a row to the next. `stride` is that of rows of floats. Rows of 16 bits a
 * number have no gaps. */
SDD_FN int32_t sdd_rows_words(const struct sdd_rows_as *as, int32_t stride)
{
    return as->format == SDD_ROWS_UNORM16 ? 2 : as->format == SDD_ROWS_OCT16 || as->format == SDD_ROWS_F16 ? 1 : stride;
}

SDD_FN struct sdd_u16x4 sdd_unorm16_row(const struct sdd_quantise_facts *f, struct sdd_vec3 p)
{
    struct sdd_u16x4 out;
    out.v[0] = sdd_unorm16(p.x, f->low[0], f->scale[0]);
    out.v[1] = sdd_unorm16(p.y, f->low[1], f->scale[1]);
    out.v[2] = sdd_unorm16(p.z, f->low[2], f->scale[2]);
    out.v[3] = 0;
    return out;
}

SDD_FN struct sdd_u16x2 sdd_f16_row(struct sdd_quantise_facts *f, float u, float v)
{
    struct sdd_u16x2 out;
    out.v[0] = sdd_f16(u);
    out.v[1] = sdd_f16(v);
    if ((out.v[0] & 0x7fffu) == SDD_F16_INFINITE || (out.v[1] & 0x7fffu) == SDD_F16_INFINITE)
        sdd_mark(&f->overflow);
    return out;
}

SDD_FN void sdd_word_out(float *to, uint32_t word)
{
    union sdd_float_bits b;
    b.u = word;
    *to = b.f;
}

/* Writes one row. `w` is the width that it has as floats. */
SDD_FN void sdd_row_out(float *to, const struct sdd_rows_as *as, uint32_t row, struct sdd_width w, struct sdd_vec3 p)
{
    switch (as->format) {
    case SDD_ROWS_UNORM16: ((struct sdd_u16x4 *)(void *)to)[row] = sdd_unorm16_row(as->facts, p); break;
    case SDD_ROWS_OCT16: sdd_word_out(to + row, sdd_oct16(p.x, p.y, p.z)); break;
    case SDD_ROWS_F16: ((struct sdd_u16x2 *)(void *)to)[row] = sdd_f16_row(as->facts, p.x, p.y); break;
    default: sdd_row_put(to, row, w, p); break;
    }
}

#ifndef __CUDACC__
#ifdef __FMA__
/* Writes eight rows in 16 bits a number, of which the first is a multiple of eight. One float after the last row of
 * `from` is read too. The stores bypass the caches, because a result is larger than they are. */
static inline void sdd_rows_eight(float *to, const struct sdd_rows_as *as, size_t row, const float *from)
{
    __m256i out[2];
    to += row * (size_t)sdd_rows_words(as, 0);
    if (as->format == SDD_ROWS_UNORM16) {
        sdd_unorm16_eight(from, as->facts, out);
        _mm256_stream_si256((__m256i *)(void *)(to + 8), out[1]);
    } else if (as->format == SDD_ROWS_OCT16) {
        out[0] = sdd_oct16_eight(from);
    } else if (sdd_f16_eight(from, out)) {
        sdd_mark(&as->facts->overflow);
    }
    _mm256_stream_si256((__m256i *)(void *)to, out[0]);
}
#endif

/* Writes n rows in 16 bits a number from `row` on, and returns how many were written. With `more`, others will follow,
 * so rows after the last multiple of eight wait for them. The stores bypass the caches, so the caller ends with
 * _mm_sfence. */
static inline int32_t sdd_rows_out(float *to, const struct sdd_rows_as *as, uint32_t row, int32_t n, const float *from,
                                   int more)
{
    const int32_t width = as->format == SDD_ROWS_F16 ? 2 : 3;
    const struct sdd_width w = sdd_width_of(width, width);
    int32_t i = 0;
#ifdef __FMA__
    const int32_t begin = n < (int32_t)(-row % 8) ? n : (int32_t)(-row % 8);
    for (; i < begin; i++)
        sdd_row_out(to, as, row + (uint32_t)i, w, sdd_row_load(from, (uint32_t)i, w));
    for (; i + 8 < n; i += 8) /* The last eight are excluded, because no float may follow them. */
        sdd_rows_eight(to, as, row + (uint32_t)i, from + width * i);
    if (more)
        return i;
#else
    (void)more;
#endif
    for (; i < n; i++)
        sdd_row_out(to, as, row + (uint32_t)i, w, sdd_row_load(from, (uint32_t)i, w));
    return i;
}
#endif
#endif
