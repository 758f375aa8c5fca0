/* SPDX-License-Identifier: Apache-2.0 */
/* refined.c: what both witnesses need besides the order. */
#include "tests/oracle/refined.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void oracle_die(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "oracle: ");
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n");
    va_end(args);
    abort();
}

void *xalloc(int64_t n, size_t size)
{
    void *p = calloc(n > 0 ? (size_t)n : 1, size);
    if (!p)
        oracle_die("no memory for %lld rows of %zu bytes", (long long)n, size);
    return p;
}

void refined_free(struct refined *r)
{
    free(r->points);
    free(r->limits);
    free(r->normals);
    free(r->tangents);
    free(r->normal_ok);
    free(r->faces);
    free(r->uvs);
    free(r->limit_uvs);
    memset(r, 0, sizeof *r);
}

double refined_diagonal(const double *p, int64_t n)
{
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t v = 0; v < n; v++) {
            low = fmin(low, p[3 * v + k]);
            high = fmax(high, p[3 * v + k]);
        }
        if (n > 0)
            sum += (high - low) * (high - low);
    }
    return sqrt(sum);
}

static double length(const double a[3])
{
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

double refined_magnitude(const double *p, int64_t n)
{
    double most = 0;
    for (int64_t i = 0; i < 3 * n; i++)
        most = fmax(most, fabs(p[i]));
    return most;
}

int refined_normal(const double s[3], const double t[3], double magnitude, double out[3])
{
    double n[3] = {s[1] * t[2] - s[2] * t[1], s[2] * t[0] - s[0] * t[2], s[0] * t[1] - s[1] * t[0]}, len = length(n);
    double height = len / fmax(length(s), length(t)); /* of the triangle that the tangents span; NaN when both are 0 */
    if (!(height > 5e-4 * magnitude && len > 0.05 * length(s) * length(t)))
        return 0;
    for (int k = 0; k < 3; k++)
        out[k] = n[k] / len;
    return 1;
}
