/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/oracle/planes.h"
#include <math.h>
#include <stddef.h>

static double length(const float *v)
{
    return sqrt((double)v[0] * (double)v[0] + (double)v[1] * (double)v[1] + (double)v[2] * (double)v[2]);
}

/* t1 x t2 as a unit vector. Returns the sine of the angle between the two: so much clearer than a rounding is their
 * plane; 0, and then no normal, where they are zero or one line. */
static double plane_normal(const float tangents[6], double normal[3])
{
    const float *s = tangents, *t = tangents + 3;
    double sine = 0;
    for (int x = 0; x < 3; x++) {
        int y = (x + 1) % 3, z = (x + 2) % 3;
        normal[x] = (double)s[y] * (double)t[z] - (double)s[z] * (double)t[y];
        sine += normal[x] * normal[x];
    }
    sine = sqrt(sine);
    for (int x = 0; x < 3 && sine > 0; x++)
        normal[x] /= sine;
    return sine;
}

const char *plane_fault(const float tangents[6], const float normal[3])
{
    double made[3], sine = plane_normal(tangents, made), off = 0;
    if (length(normal) == 0)
        return length(tangents) == 0 && length(tangents + 3) == 0 ? NULL : "they are not zero where the normal is";
    if (!(fabs(length(tangents) - 1) <= 1e-6) || !(fabs(length(tangents + 3) - 1) <= 1e-6))
        return "they are not of length 1";
    for (int x = 0; x < 3; x++)
        off = fmax(off, fabs(made[x] - (double)normal[x]));
    return off * sine <= fmax(1e-5 * sine, 3e-7) ? NULL : "their cross product is not along the normal";
}
