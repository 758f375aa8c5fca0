/* SPDX-License-Identifier: Apache-2.0 */
/* stl.c: writes a surface as binary STL. A file is a header of text, the number of triangles, and for each triangle its
 * normal, its corners and two bytes that are 0, all little-endian. */
#include "proto/files/parts.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 80, ROW = 50 }; /* The bytes of the header and of a triangle. */

/* Computes the unit normal of triangle a b c, or zeros when the triangle has no area. */
static void unit_normal(const float *a, const float *b, const float *c, float out[3])
{
    double u[3], v[3], n[3], length = 0;
    for (int k = 0; k < 3; k++) {
        u[k] = (double)b[k] - (double)a[k];
        v[k] = (double)c[k] - (double)a[k];
    }
    for (int k = 0; k < 3; k++) {
        n[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
        length += n[k] * n[k];
    }
    length = sqrt(length);
    for (int k = 0; k < 3; k++)
        out[k] = length > 0 ? (float)(n[k] / length) : 0;
}

static char *put_triangle(struct surface_file *f, const struct part *p, int64_t i, char *to)
{
    const struct surface *s = &f->surface;
    const float(*points)[3] = s->positions.data;
    int64_t corners[3];
    float row[12]; /* The normal, then the corners. */
    (void)p, (void)i;
    surface_next_triangle(f, corners);
    for (int k = 0; k < 3; k++)
        memcpy(row + 3 + 3 * k, points[s->corners[corners[k]]], 12);
    unit_normal(row + 3, row + 6, row + 9, row);
    memcpy(to, row, sizeof row);
    memset(to + sizeof row, 0, ROW - sizeof row);
    return to + ROW;
}

void stl_build(struct surface_file *f)
{
    const struct surface *s = &f->surface;
    const uint32_t n = (uint32_t)surface_triangles(s);
    char *header = calloc(1, HEADER + sizeof n), text[FILE_NAME_SIZE + 2 * HEADER], name[FILE_NAME_SIZE];
    char source[SURFACE_SOURCE_SIZE];
    if (!header) {
        f->failed = SURFACE_ENO_MEMORY;
        return;
    }
    (void)snprintf(text, sizeof text, "subdd %.40s%s: %s", s->id, surface_source(s, source),
                   file_name_valid(FILE_NAME_STL, s->name, name));
    memcpy(header, text, strnlen(text, HEADER)); /* A long name is cut off there. */
    memcpy(header + HEADER, &n, sizeof n);
    part_bytes(f, header, HEADER + sizeof n);
    f->own = header;
    f->free_own = free;
    part_add(f, (struct part){.put = put_triangle, .rows = n});
    f->bytes = (int64_t)(HEADER + sizeof n) + (int64_t)ROW * n;
}
