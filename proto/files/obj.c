/* SPDX-License-Identifier: Apache-2.0 */
/* obj.c: writes a surface as Wavefront OBJ. */
#include "proto/files/parts.h"

static char *put_row(struct surface_file *f, const struct part *p, int64_t i, char *to)
{
    const int n = p->from->components;
    const float *v = (const float *)p->from->data + i * n;
    (void)f;
    for (const char *t = p->tag; *t; t++)
        *to++ = *t;
    for (int k = 0; k < n; k++) {
        *to++ = ' ';
        to = surface_put_float(to, v[k]);
    }
    *to++ = '\n';
    return to;
}

/* Writes corners as v, v/t, v//n or v/t/n. Each vertex has one normal, so n is v. */
static char *put_face(struct surface_file *f, const struct part *p, int64_t i, char *to)
{
    const struct surface *s = &f->surface;
    const bool normals = s->normals.data;
    int n;
    const int64_t first = surface_next_face(f, &n);
    const uint32_t *v = s->corners + first, *t = s->uv_corners ? s->uv_corners + first : NULL;
    (void)p, (void)i;
    *to++ = 'f';
    for (int k = 0; k < n; k++) {
        const uint64_t vertex = (uint64_t)v[k] + 1;
        *to++ = ' ';
        to = surface_put_count(to, vertex);
        if (t || normals)
            *to++ = '/';
        if (t)
            to = surface_put_count(to, (uint64_t)t[k] + 1);
        if (normals) {
            *to++ = '/';
            to = surface_put_count(to, vertex);
        }
    }
    *to++ = '\n';
    return to;
}

static void add_rows(struct surface_file *f, const char *tag, const struct surface_rows *rows)
{
    if (rows->data)
        part_add(f, (struct part){.put = put_row, .rows = rows->count, .from = rows, .tag = tag});
}

void obj_build(struct surface_file *f)
{
    const struct surface *s = &f->surface;
    char name[FILE_NAME_SIZE];
    part_text(f, "# subdd %s version %lld, level %d, %s surface by %s\n", s->id, (long long)s->version, s->level,
              s->kind, s->method);
    part_text(f, "o %s\n", file_name_valid(FILE_NAME_OBJ, s->name, name));
    add_rows(f, "v", &s->positions);
    add_rows(f, "vt", &s->uvs);
    add_rows(f, "vn", &s->normals);
    part_add(f, (struct part){.put = put_face, .rows = s->n_faces});
}
