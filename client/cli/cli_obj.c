/* SPDX-License-Identifier: Apache-2.0 */
/* cli_obj.c: writes a frame as Wavefront OBJ: polygons for the verb refine, B-spline surfaces for patches. */
#include "cli.h"
#include <string.h>

static void put_rows(struct cli_writer *w, const char *tag, const struct subd_block *b, int64_t done, int64_t rows)
{
    const float *v = b->data;
    for (int64_t i = 0; i < b->count && !w->failed; i++) {
        char *p = cli_room(w);
        for (const char *t = tag; *t; t++)
            *p++ = *t;
        for (int k = 0; k < b->components; k++) {
            *p++ = ' ';
            p = cli_put_float(p, *v++);
        }
        *p++ = '\n';
        cli_took(w, p);
        cli_step(done + i, rows);
    }
}

/* Writes lines of `f` with corners v, v/t, v//n or v/t/n. Each vertex has one normal, so n is v. */
static void put_faces(struct cli_writer *w, const struct subd_block *faces, const struct subd_block *uvs, int normals,
                      int64_t done, int64_t rows)
{
    const uint32_t *v = faces->data, *t = uvs ? uvs->data : NULL;
    for (int64_t i = 0; i < faces->count && !w->failed; i++) {
        char *p = cli_room(w);
        *p++ = 'f';
        for (int k = 0; k < faces->components; k++, v++) {
            *p++ = ' ';
            p = cli_put_count(p, (uint64_t)*v + 1);
            if (t || normals)
                *p++ = '/';
            if (t)
                p = cli_put_count(p, (uint64_t)*t++ + 1);
            if (normals) {
                *p++ = '/';
                p = cli_put_count(p, (uint64_t)*v + 1);
            }
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

void cli_write_obj(struct cli_writer *w, const struct subd_frame *f)
{
    struct cli_surface s = cli_surface_of(f);
    int64_t rows =
                s.positions->count + (s.normals ? s.normals->count : 0) + (s.uvs ? s.uvs->count : 0) + s.faces->count,
            done = s.positions->count;
    char *p = cli_room(w);
    cli_took(w, p + snprintf(p, CLI_ROW, "# subdd %s version %lld, level %d, %s surface by %s\n", f->mesh_id,
                             (long long)f->version, f->level, f->surface, f->method));
    put_object(w);
    put_rows(w, "v", s.positions, 0, rows);
    if (s.uvs)
        put_rows(w, "vt", s.uvs, done, rows);
    done += s.uvs ? s.uvs->count : 0;
    if (s.normals)
        put_rows(w, "vn", s.normals, done, rows);
    done += s.normals ? s.normals->count : 0;
    put_faces(w, s.faces, s.uv_faces, s.normals != NULL, done, rows);
}

/* ---- patches ----------------------------------------------------------------------------------------------------- */

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
            char *p = cli_room(w);
            if (!beyond(row[i][3], k))
                continue;
            *p++ = 'v';
            for (int axis = 0; axis < 3; axis++) {
                *p++ = ' ';
                p = cli_put_float(p, points[k][axis]);
            }
            *p++ = '\n';
            cli_took(w, p);
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
            p = cli_put_count(p, beyond(params[3], k) ? ++extra : (uint64_t)*v + 1);
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
    put_rows(w, "v", positions, 0, rows);
    done += put_beyond(w, f, done, rows);
    put_surfaces(w, f, done, rows);
    put_faces(w, faces, NULL, 0, done + n_patches, rows);
}
