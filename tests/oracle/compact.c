/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/oracle/compact.h"
#include <math.h>

void compact_position(const uint16_t q[4], const float low[3], const float high[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = (double)low[k] + (double)q[k] * ((double)high[k] - (double)low[k]) / 65535;
}

static double sign(double x)
{
    return x < 0 ? -1 : 1;
}

void compact_normal(const uint16_t q[2], double out[3])
{
    const double a = (int16_t)q[0], b = (int16_t)q[1], u = a / 32767, v = b / 32767, w = 1 - fabs(u) - fabs(v);
    out[0] = w < 0 ? (1 - fabs(v)) * sign(u) : u;
    out[1] = w < 0 ? (1 - fabs(u)) * sign(v) : v;
    out[2] = w;
    const double length = a == -32768 && b == -32768 ? INFINITY : sqrt(out[0] * out[0] + out[1] * out[1] + w * w);
    for (int k = 0; k < 3; k++)
        out[k] /= length;
}

double compact_half(uint16_t h)
{
    const int exponent = h / 1024 % 32, m = h % 1024;
    const double magnitude = exponent == 31 ? (m ? NAN : INFINITY)
                             : exponent     ? ldexp(1 + m / 1024.0, exponent - 15)
                                            : ldexp(m / 1024.0, -14);
    return h >= 32768 ? -magnitude : magnitude;
}

double compact_degrees(const double a[3], const double b[3])
{
    double cross = 0, dot = 0;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const double c = a[j] * b[k] - a[k] * b[j];
        cross += c * c;
        dot += a[i] * b[i];
    }
    return atan2(sqrt(cross), dot) * 180 / acos(-1);
}

double compact_half_error(double v)
{
    return fmax(fabs(v) * 0x1p-11, 0x1p-25);
}
