/* SPDX-License-Identifier: Apache-2.0 */
/* subd_compact.c: the 16-bit forms of blocks, and subd_block_decode, which turns them into floats for users of libsubd.
 * It computes in double, so that the format is the only source of error. */
#include "subd_internal.h"
#include <math.h>
#include <string.h>

static const struct subd_compact formats[] = {
    {SUBD_POSITIONS, "unorm16", 4, 3}, {SUBD_NORMALS, "oct16", 2, 3}, {SUBD_UVS, "f16", 2, 2}};
enum { N_FORMATS = sizeof formats / sizeof *formats };

const struct subd_compact *subd_compact_find(int semantic)
{
    for (int i = 0; i < N_FORMATS; i++)
        if (formats[i].semantic == semantic)
            return &formats[i];
    return NULL;
}

static void decode_position(const struct subd_block *b, const uint16_t q[4], float out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = (float)((double)b->low[k] + q[k] * ((double)b->high[k] - (double)b->low[k]) / 65535);
}

static void decode_normal(const uint16_t q[2], float out[3])
{
    const int16_t a = (int16_t)q[0], b = (int16_t)q[1];
    double u = a / 32767.0, v = b / 32767.0, w = 1 - fabs(u) - fabs(v), length;
    if (a == INT16_MIN && b == INT16_MIN) {
        out[0] = out[1] = out[2] = 0;
        return;
    }
    if (w < 0) {
        double folded = copysign(1 - fabs(v), u);
        v = copysign(1 - fabs(u), v);
        u = folded;
    }
    length = sqrt(u * u + v * v + w * w);
    out[0] = (float)(u / length);
    out[1] = (float)(v / length);
    out[2] = (float)(w / length);
}

static float half(uint16_t h)
{
    int exponent = h >> 10 & 31;
    float m = (float)(h & 1023), v;
    if (exponent == 31)
        v = m > 0 ? NAN : INFINITY;
    else
        v = exponent ? ldexpf(1024 + m, exponent - 25) : ldexpf(m, -24);
    return h & 0x8000 ? -v : v;
}

int subd_block_decode(const struct subd_block *b, int64_t first, int64_t n, float *out)
{
    const struct subd_compact *format = b && out ? subd_compact_find(b->semantic) : NULL;
    const uint16_t *q = format ? b->data : NULL;
    if (!q || first < 0 || n < 0 || first > b->count || n > b->count - first)
        return SUBD_EUSAGE;
    if (strcmp(b->type, format->type) != 0) {
        memcpy(out, (const float *)b->data + first * format->width, (size_t)(n * format->width) * sizeof *out);
        return SUBD_OK;
    }
    q += first * format->components;
    for (int64_t i = 0; i < n; i++, q += format->components, out += format->width) {
        if (b->semantic == SUBD_POSITIONS)
            decode_position(b, q, out);
        else if (b->semantic == SUBD_NORMALS)
            decode_normal(q, out);
        else
            out[0] = half(q[0]), out[1] = half(q[1]);
    }
    return SUBD_OK;
}
