/* SPDX-License-Identifier: Apache-2.0 */
/* cli_stl.c: writes the surface of a refined frame as binary STL, for the verb refine. A file is a header of text, the
 * number of triangles, and for each triangle its normal, its corners and two bytes that are 0, all little-endian. */
#include "cli.h"
#include <math.h>
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

void cli_write_stl(struct cli_writer *w, const struct subd_frame *f)
{
    struct cli_surface s = cli_surface_of(f);
    const float(*points)[3] = s.positions->data;
    uint32_t n = (uint32_t)s.triangles;
    char header[CLI_ROW] = {0}, name[FILE_NAME_SIZE], *p;
    if (s.triangles > UINT32_MAX) {
        cli_refuse(w, "STL counts at most 4,294,967,295 triangles");
        return;
    }
    snprintf(header, sizeof header, "subdd %.40s version %lld level %d: %s", f->mesh_id, (long long)f->version,
             f->level, file_name_valid(FILE_NAME_STL, w->mesh_name, name));
    cli_put(w, header, HEADER); /* A long name is cut off there. */
    cli_put(w, &n, sizeof n);
    for (int64_t i = 0; i < s.triangles && !w->failed; i++) {
        uint32_t corners[3];
        const uint32_t *face = cli_surface_triangle(&s, i, corners);
        float row[12]; /* The normal, then the corners. */
        for (int k = 0; k < 3; k++)
            memcpy(row + 3 + 3 * k, points[face[corners[k]]], 12); /* libsubd has checked the indices. */
        unit_normal(row + 3, row + 6, row + 9, row);
        p = cli_room(w);
        memcpy(p, row, sizeof row);
        memset(p + sizeof row, 0, ROW - sizeof row);
        cli_took(w, p + ROW);
        cli_step(i, s.triangles);
    }
}
