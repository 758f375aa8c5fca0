/* SPDX-License-Identifier: Apache-2.0 */
/* cli_obj.c: writes patches as B-spline surfaces in Wavefront OBJ, and as polygons what is no patch. */
#include "cli.h"
#include "proto/files/files.h"
#include <string.h>

static char *put_point(char *p, const float *v)
{
    *p++ = 'v';
    for (int k = 0; k < 3; k++) {
        *p++ = ' ';
        p = surface_put_float(p, v[k]);
    }
    *p++ = '\n';
    return p;
}

static void put_points(struct cli_writer *w, const struct subd_block *b, int64_t rows)
{
    const float(*v)[3] = b->data;
    for (int64_t i = 0; i < b->count && !w->failed; i++) {
        cli_took(w, put_point(cli_room(w), v[i]));
        cli_step(i, rows);
    }
}

static void put_faces(struct cli_writer *w, const struct subd_block *faces, int64_t done, int64_t rows)
{
    const uint32_t *v = faces->data;
    for (int64_t i = 0; i < faces->count && !w->failed; i++) {
        char *p = cli_room(w);
        *p++ = 'f';
        for (int k = 0; k < faces->components; k++) {
            *p++ = ' ';
            p = surface_put_count(p, (uint64_t)*v++ + 1);
        }
        *p++ = '\n';
        cli_took(w, p);
        cli_step(done + i, rows);
    }
}

static void put_object(struct cli_writer *w)
{
    char name[FILE_NAME_SIZE], *p = cli_room(w);
    cli_took(w, p + snprintf(p, CLI_ROW, "o %s\n", file_name_valid(FILE_NAME_OBJ, w->mesh_name, name)));
}

/* Is entry k of a patch's 16 beyond a boundary, so that the frame has no row for it? */
static int beyond(uint32_t flags, int k)
{
    uint32_t sides = (k / 4 == 0 ? 1u : 0) | (k % 4 == 3 ? 2u : 0) | (k / 4 == 3 ? 4u : 0) | (k % 4 == 0 ? 8u : 0);
    return (flags & SUBD_PATCH_BOUNDARY * sides) != 0;
}

/* Writes a vertex for each control point that a patch has beyond a boundary. */
static int64_t put_beyond(struct cli_writer *w, const struct subd_frame *f, int64_t done, int64_t rows)
{
    const struct subd_block *params = subd_frame_find(f, SUBD_PATCH_PARAMS);
    const uint32_t(*row)[4] = params->data;
    for (int64_t i = 0; i < params->count && !w->failed; i++) {
        float points[16][3];
        if (!(row[i][3] & SUBD_PATCH_BOUNDARY * 15) || subd_patch_points(f, i, points) != SUBD_OK)
            continue;
        for (int k = 0; k < 16; k++) {
            if (beyond(row[i][3], k))
                cli_took(w, put_point(cli_room(w), points[k]));
        }
        cli_step(done + i, rows);
    }
    return params->count;
}

/* With the knots -3 to 4 a cubic has all four basis functions on one span alone, 0 to 1, which is the patch. */
static void put_surfaces(struct cli_writer *w, const struct subd_frame *f, int64_t done, int64_t rows)
{
    static const char tail[] = "\nparm u -3 -2 -1 0 1 2 3 4\nparm v -3 -2 -1 0 1 2 3 4\nend\n";
    const struct subd_block *patches = subd_frame_find(f, SUBD_PATCHES);
    const uint32_t *v = patches->data, *params = subd_frame_find(f, SUBD_PATCH_PARAMS)->data;
    uint64_t extra = (uint64_t)f->vertices;
    if (patches->count)
        cli_put(w, "cstype bspline\ndeg 3 3\n", 23);
    for (int64_t i = 0; i < patches->count && !w->failed; i++, params += 4) {
        char *p = cli_room(w);
        memcpy(p, "surf 0 1 0 1", 12);
        p += 12;
        for (int k = 0; k < 16; k++, v++) {
            *p++ = ' ';
            p = surface_put_count(p, beyond(params[3], k) ? ++extra : (uint64_t)*v + 1);
        }
        memcpy(p, tail, sizeof tail - 1);
        cli_took(w, p + sizeof tail - 1);
        cli_step(done + i, rows);
    }
}

void cli_write_surfaces(struct cli_writer *w, const struct subd_frame *f)
{
    const struct subd_block *positions = subd_frame_find(f, SUBD_POSITIONS), *faces = subd_frame_find(f, SUBD_INDICES);
    int64_t n_patches = subd_frame_find(f, SUBD_PATCHES)->count, done = positions->count,
            rows = done + 2 * n_patches + faces->count;
    char *p = cli_room(w);
    cli_took(w, p + snprintf(p, CLI_ROW, "# subdd %s version %lld, patches to level %d, %s surface by %s\n", f->mesh_id,
                             (long long)f->version, f->level, f->surface, f->method));
    put_object(w);
    put_points(w, positions, rows);
    done += put_beyond(w, f, done, rows);
    put_surfaces(w, f, done, rows);
    put_faces(w, faces, done + n_patches, rows);
}
