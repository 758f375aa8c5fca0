/* SPDX-License-Identifier: Apache-2.0 */
/* cli_obj.c: a refined frame as Wavefront OBJ. */
#include "cli.h"

#define STEP 65536 /* rows between looks at the clock */

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
        if (i % STEP == 0)
            cli_progress_local("writing", done + i, rows);
    }
}

/* f v, v/t, v//n or v/t/n; normals are per vertex, so n is v. */
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
        if (i % STEP == 0)
            cli_progress_local("writing", done + i, rows);
    }
}

void cli_write_obj(struct cli_writer *w, const struct subd_frame *f)
{
    const struct subd_block *positions = subd_frame_find(f, SUBD_POSITIONS),
                            *normals = subd_frame_find(f, SUBD_NORMALS);
    const struct subd_block *faces = subd_frame_find(f, SUBD_INDICES);
    const struct subd_block *uvs = subd_frame_find(f, SUBD_UVS), *uv_faces = subd_frame_find(f, SUBD_UV_INDICES);
    int64_t rows = positions->count + (normals ? normals->count : 0) + (uvs ? uvs->count : 0) + faces->count,
            done = positions->count;
    char *p = cli_room(w);
    int textured = uvs && uv_faces && uv_faces->components == faces->components;
    cli_took(w, p + snprintf(p, CLI_ROW, "# subdd %s version %lld, level %d, %s surface by %s\n", f->mesh_id,
                             (long long)f->version, f->level, f->surface, f->method));
    put_rows(w, "v", positions, 0, rows);
    if (textured)
        put_rows(w, "vt", uvs, done, rows);
    done += textured ? uvs->count : 0;
    if (normals)
        put_rows(w, "vn", normals, done, rows);
    done += normals ? normals->count : 0;
    put_faces(w, faces, textured ? uv_faces : NULL, normals != NULL, done, rows);
}
