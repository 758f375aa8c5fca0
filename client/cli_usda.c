/* SPDX-License-Identifier: Apache-2.0 */
/* cli_usda.c: a refined frame as USDA: a Mesh of polygons, which nobody is to subdivide again. */
#include "cli.h"
#include <ctype.h>
#include <string.h>

#define TUPLES 4 /* a line; with numbers of 24 bytes they fit a row of the writer */

static void put_text(struct cli_writer *w, const char *text)
{
    cli_put(w, text, strlen(text));
}

/* `head` and [(x, y, z), ...]. */
static void put_tuples(struct cli_writer *w, const char *head, const struct subd_block *b, int64_t *done, int64_t rows)
{
    const float *v = b->data;
    put_text(w, head);
    for (int64_t i = 0; i < b->count && !w->failed; i++) {
        char *p = cli_room(w);
        for (const char *t = i == 0 ? "[(" : i % TUPLES ? ", (" : ",\n        ("; *t;)
            *p++ = *t++;
        for (int k = 0; k < b->components; k++) {
            if (k)
                *p++ = ',', *p++ = ' ';
            p = cli_put_float(p, *v++);
        }
        *p++ = ')';
        cli_took(w, p);
        cli_step((*done)++, rows);
    }
    put_text(w, b->count ? "]" : "[]");
}

/* `head` and [a, b, ...], a face a line; without indices each row is the number of corners. */
static void put_faces(struct cli_writer *w, const char *head, const struct subd_block *b, int counts, int64_t *done,
                      int64_t rows)
{
    const uint32_t *v = b->data;
    put_text(w, head);
    for (int64_t i = 0; i < b->count && !w->failed; i++) {
        char *p = cli_room(w);
        if (i)
            *p++ = ',', *p++ = counts && i % 32 ? ' ' : '\n';
        if (counts)
            p = cli_put_count(p, (uint64_t)b->components);
        for (int k = 0; k < b->components && !counts; k++) {
            if (k)
                *p++ = ',', *p++ = ' ';
            p = cli_put_count(p, *v++);
        }
        cli_took(w, p);
        cli_step((*done)++, rows);
    }
    put_text(w, "]\n");
}

static void put_head(struct cli_writer *w, const struct subd_frame *f, const struct cli_surface *s)
{
    char name[sizeof f->mesh_id + 1] = "m", *p;
    float box[6];
    for (int i = 0; f->mesh_id[i]; i++) /* m_..., unless the server has ideas of its own */
        name[i] =
            isalpha((unsigned char)f->mesh_id[i]) || (i && isdigit((unsigned char)f->mesh_id[i])) ? f->mesh_id[i] : '_';
    p = cli_room(w);
    cli_took(w, p + snprintf(p, CLI_ROW,
                             "#usda 1.0\n(\n    defaultPrim = \"%s\"\n    doc = \"subdd version %lld, level %d\"\n)\n\n"
                             "def Mesh \"%s\"\n{\n    uniform token subdivisionScheme = \"none\"\n",
                             name, (long long)f->version, f->level, name));
    if (!s->positions->count)
        return;
    cli_surface_box(s, box);
    struct subd_block extent = {.components = 3, .count = 2, .data = box};
    int64_t done = 1;
    put_tuples(w, "    float3[] extent = ", &extent, &done, 0);
    put_text(w, "\n");
}

void cli_write_usda(struct cli_writer *w, const struct subd_frame *f)
{
    struct cli_surface s = cli_surface_of(f);
    int64_t done = 0, rows = s.positions->count + 2 * s.faces->count + (s.normals ? s.normals->count : 0) +
                             (s.uvs ? s.uvs->count + s.faces->count : 0);
    put_head(w, f, &s);
    put_faces(w, "    int[] faceVertexCounts = [", s.faces, 1, &done, rows);
    put_faces(w, "    int[] faceVertexIndices = [", s.faces, 0, &done, rows);
    put_tuples(w, "    point3f[] points = ", s.positions, &done, rows);
    put_text(w, "\n");
    if (s.normals) {
        put_tuples(w, "    normal3f[] normals = ", s.normals, &done, rows);
        put_text(w, " (\n        interpolation = \"vertex\"\n    )\n");
    }
    if (s.uvs) {
        put_tuples(w, "    texCoord2f[] primvars:st = ", s.uvs, &done, rows);
        put_text(w, " (\n        interpolation = \"faceVarying\"\n    )\n");
        put_faces(w, "    int[] primvars:st:indices = [", s.uv_faces, 0, &done, rows);
    }
    put_text(w, "}\n");
}
