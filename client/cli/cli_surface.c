/* SPDX-License-Identifier: Apache-2.0 */
/* cli_surface.c: what the writers of refined surfaces share: finding blocks, the box, triangles, progress. */
#include "cli.h"
#include <errno.h>
#include <math.h>

#define STEP 65536 /* Progress is shown after so many rows. */

struct cli_surface cli_surface_of(const struct subd_frame *f)
{
    struct cli_surface s = {.positions = subd_frame_find(f, SUBD_POSITIONS),
                            .normals = subd_frame_find(f, SUBD_NORMALS),
                            .faces = subd_frame_find(f, SUBD_INDICES),
                            .uvs = subd_frame_find(f, SUBD_UVS),
                            .uv_faces = subd_frame_find(f, SUBD_UV_INDICES)};
    if (!s.uvs || !s.uv_faces || s.uv_faces->components != s.faces->components || s.uv_faces->count != s.faces->count)
        s.uvs = s.uv_faces = NULL;
    s.triangles = s.faces->count * (s.faces->components - 2);
    return s;
}

void cli_surface_box(const struct cli_surface *s, float box[6])
{
    const float *p = s->positions->data;
    for (int k = 0; k < 6; k++)
        box[k] = k < 3 ? INFINITY : -INFINITY;
    for (int64_t i = 0; i < s->positions->count; i++)
        for (int k = 0; k < 3; k++, p++) {
            box[k] = fminf(box[k], *p);
            box[k + 3] = fmaxf(box[k + 3], *p);
        }
}

const uint32_t *cli_surface_triangle(const struct cli_surface *s, int64_t i, uint32_t corners[3])
{
    int n = s->faces->components - 2;
    const uint32_t *face = (const uint32_t *)s->faces->data + i / n * (n + 2);
    corners[0] = 0;
    corners[1] = (uint32_t)(i % n) + 1;
    corners[2] = corners[1] + 1;
    return face;
}

void cli_step(int64_t done, int64_t rows)
{
    if (done % STEP == 0)
        cli_progress_local("writing", done, rows);
}

void cli_refuse(struct cli_writer *w, const char *why)
{
    w->failed = EFBIG;
    w->why = why;
}
