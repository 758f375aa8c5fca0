/* SPDX-License-Identifier: Apache-2.0 */
/* field_math.dev.h: arithmetic of fields in double precision. Angles and exponentials are made of + - * / sqrt, so that
 * they have the same bits on every backend. */
#ifndef SDD_FIELD_MATH_DEV_H
#define SDD_FIELD_MATH_DEV_H
#include "gpu/tiles/neighbors.h"

#define SDD_PI 3.14159265358979323846

struct sdd_real3 {
    double x, y, z;
};

SDD_FN struct sdd_real3 sdd_real3_of(double x, double y, double z)
{
    struct sdd_real3 r;
    r.x = x;
    r.y = y;
    r.z = z;
    return r;
}

SDD_FN struct sdd_real3 sdd_point_of(const float *points, uint32_t v)
{
    const float *p = points + 3 * (size_t)v;
    return sdd_real3_of(p[0], p[1], p[2]);
}

SDD_FN struct sdd_real3 sdd_minus(struct sdd_real3 a, struct sdd_real3 b)
{
    return sdd_real3_of(a.x - b.x, a.y - b.y, a.z - b.z);
}

/* Returns a + s b. */
SDD_FN struct sdd_real3 sdd_plus(struct sdd_real3 a, double s, struct sdd_real3 b)
{
    return sdd_real3_of(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

SDD_FN double sdd_dot(struct sdd_real3 a, struct sdd_real3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

SDD_FN struct sdd_real3 sdd_cross(struct sdd_real3 a, struct sdd_real3 b)
{
    return sdd_real3_of(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

SDD_FN double sdd_length(struct sdd_real3 a)
{
    return sqrt(sdd_dot(a, a));
}

/* The arc tangent of x >= 0. Halving the angle three times leaves at most tan(pi / 32), where eight terms of the series
 * are exact to the last bits. */
SDD_FN double sdd_arctan(double x)
{
    const int inverse = x > 1.0;
    double t = inverse ? 1.0 / x : x, sum = 0.0;
    for (int32_t k = 0; k < 3; k++)
        t = t / (1.0 + sqrt(1.0 + t * t));
    const double t2 = t * t;
    for (int32_t k = 8; k >= 0; k--)
        sum = (k % 2 ? -1.0 : 1.0) / (2.0 * k + 1.0) + t2 * sum;
    const double angle = 8.0 * t * sum;
    return inverse ? SDD_PI / 2.0 - angle : angle;
}

/* The angle between two vectors, 0 to pi. It is 0 where one of them has no length. */
SDD_FN double sdd_angle(struct sdd_real3 a, struct sdd_real3 b)
{
    const double sine = sdd_length(sdd_cross(a, b)), cosine = sdd_dot(a, b);
    const double length = sqrt(sine * sine + cosine * cosine);
    if (sine == 0.0)
        return cosine < 0.0 ? SDD_PI : 0.0;
    if (cosine >= 0.0)
        return 2.0 * sdd_arctan(sine / (length + cosine));
    return SDD_PI - 2.0 * sdd_arctan(sine / (length - cosine));
}

/* e to the power of -x, for x >= 0: a series for x / 1024, and ten squarings. */
SDD_FN double sdd_decay(double x)
{
    const double t = (x < 700.0 ? x : 700.0) / 1024.0;
    double sum = 1.0;
    for (int32_t k = 9; k > 0; k--)
        sum = 1.0 - t / (double)k * sum;
    for (int32_t k = 0; k < 10; k++)
        sum *= sum;
    return sum;
}
#endif
