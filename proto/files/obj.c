/* SPDX-License-Identifier: Apache-2.0 */
/* obj.c: writes a surface as Wavefront OBJ. Colours of vertices stand behind their coordinates; face sets become usemtl
 * and g, whose names the reader of OBJ gives back as they are. */
#include "proto/files/parts.h"
#include <string.h>

/* Face sets, the statement that names them, and the set of the face before. */
struct obj {
    struct obj_sets {
        const struct surface_primvar *p;
        const char **names, *statement;
        int64_t now;
    } sets[2];
    const struct surface_primvar *colour;
};

static char *put_word(const char *word, char *to)
{
    const size_t n = strlen(word);
    memcpy(to, word, n);
    return to + n;
}

static char *put_numbers(const float *v, int n, char *to)
{
    for (int k = 0; k < n; k++) {
        *to++ = ' ';
        to = surface_put_float(to, v[k]);
    }
    return to;
}

static char *put_row(struct surface_file *f, const struct part *p, int64_t i, char *to)
{
    const int n = p->from->components;
    const struct obj *o = f->own;
    to = put_numbers((const float *)p->from->data + i * n, n, put_word(p->tag, to));
    if (o->colour && p->from == &f->surface.positions)
        to = put_numbers((const float *)o->colour->values.data + (o->colour->values.count == 1 ? 0 : 3 * i), 3, to);
    *to++ = '\n';
    return to;
}

static char *put_set(struct obj_sets *s, int64_t face, char *to)
{
    char name[FILE_NAME_SIZE];
    if (face == 0)
        s->now = 0;
    const int64_t set = s->p ? surface_set_of(s->p, face) : 0;
    if (set == s->now)
        return to;
    s->now = set;
    to = put_word(s->statement, to);
    if (set)
        to = put_word(file_line_name(s->names[set - 1], name), put_word(" ", to));
    *to++ = '\n';
    return to;
}

/* Writes corners as v, v/t, v//n or v/t/n, behind the sets that the face begins. */
static char *put_face(struct surface_file *f, const struct part *p, int64_t i, char *to)
{
    const struct surface *s = &f->surface;
    struct obj *o = f->own;
    int n;
    const int64_t first = surface_next_face(f, &n);
    const uint32_t *v = s->corners + first, *t = s->uv_corners ? s->uv_corners + first : NULL,
                   *normal = !s->normals.data    ? NULL
                             : s->normal_corners ? s->normal_corners + first
                                                 : v;
    (void)p;
    for (int k = 0; k < 2; k++)
        to = put_set(&o->sets[k], i, to);
    *to++ = 'f';
    for (int k = 0; k < n; k++) {
        *to++ = ' ';
        to = surface_put_count(to, (uint64_t)v[k] + 1);
        if (t || normal)
            *to++ = '/';
        if (t)
            to = surface_put_count(to, (uint64_t)t[k] + 1);
        if (normal) {
            *to++ = '/';
            to = surface_put_count(to, (uint64_t)normal[k] + 1);
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
    static const char *const kinds[2][2] = {{"usemtl", "materialBind"}, {"g", "group"}};
    const struct surface *s = &f->surface;
    char name[FILE_NAME_SIZE];
    struct obj *o = surface_keep(f, 1, sizeof *o);
    if (!o)
        return;
    f->own = o;
    o->colour = surface_colour(f);
    for (int k = 0; k < 2; k++) {
        o->sets[k].p = surface_face_sets(f, kinds[k][1]);
        o->sets[k].statement = kinds[k][0];
        o->sets[k].names = o->sets[k].p ? surface_set_names(f, o->sets[k].p) : NULL;
    }
    part_text(f, "# subdd %s version %lld, level %d, %s surface by %s\n", s->id, (long long)s->version, s->level,
              s->kind, s->method);
    part_text(f, "o %s\n", file_name_valid(FILE_NAME_OBJ, s->name, name));
    add_rows(f, "v", &s->positions);
    add_rows(f, "vt", &s->uvs);
    add_rows(f, "vn", &s->normals);
    part_add(f, (struct part){.put = put_face, .rows = s->n_faces});
}
