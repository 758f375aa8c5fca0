/* SPDX-License-Identifier: Apache-2.0 */
/* cli_usda.c: writes a refined frame as USDA, for the verb refine: a Mesh of polygons with primvars, with the scheme
 * "none", so that no reader subdivides it again. */
#include "cli.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define PER_LINE 12 /* Numbers in a line. */

static void put_text(struct cli_writer *w, const char *text)
{
    cli_put(w, text, strlen(text));
}

static char *put_number(char *to, const struct subd_block *b, int64_t i)
{
    const int32_t *ints = b->data;
    const float *floats = b->data;
    if (strcmp(b->type, "i32") != 0)
        return cli_put_float(to, floats[i]);
    if (ints[i] < 0)
        *to++ = '-';
    return cli_put_count(to, (uint64_t)llabs((long long)ints[i]));
}

/* Writes `head` and an array such as [(x, y, z), (x, y, z)]. Rows of one number, or of more than four, have no
 * parentheses. */
static void put_rows(struct cli_writer *w, const char *head, const struct subd_block *b, int64_t *done, int64_t rows)
{
    int tuple = b->components <= 4 ? b->components : 1;
    put_text(w, head);
    put_text(w, "[");
    for (int64_t i = 0, n = b->count * b->components; i < n && !w->failed; i++) {
        char *p = cli_room(w);
        for (const char *t = !i ? "" : i % PER_LINE ? ", " : ",\n        "; *t;)
            *p++ = *t++;
        if (tuple > 1 && i % tuple == 0)
            *p++ = '(';
        p = put_number(p, b, i);
        if (tuple > 1 && i % tuple == tuple - 1)
            *p++ = ')';
        cli_took(w, p);
        if (i % b->components == 0)
            cli_step((*done)++, rows);
    }
    put_text(w, "]");
}

/* Ends the array that `head` has opened: the indices, one face in a line, or with `counts` the size of each face. */
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

/* A prim that cannot have the mesh's name shows it to people. */
static void put_display_name(struct cli_writer *w, const char *name)
{
    put_text(w, " (\n    displayName = \"");
    for (; *name; name++) {
        if (*name == '"' || *name == '\\')
            put_text(w, "\\");
        cli_put(w, name, 1);
    }
    put_text(w, "\"\n)");
}

static void put_head(struct cli_writer *w, const struct subd_frame *f, const struct cli_surface *s)
{
    char name[FILE_NAME_SIZE], id[FILE_NAME_SIZE], text[CLI_ROW];
    float box[6];
    file_name_valid(FILE_NAME_USD, w->mesh_name, name);
    file_name_valid(FILE_NAME_USD, f->mesh_id, id); /* Ids are valid names, but the server is not trusted. */
    snprintf(text, sizeof text, "#usda 1.0\n(\n    defaultPrim = \"%s\"\n", name);
    put_text(w, text);
    snprintf(text, sizeof text, "    doc = \"subdd %s version %lld, level %d\"\n)\n\n", id, (long long)f->version,
             f->level);
    put_text(w, text);
    snprintf(text, sizeof text, "def Mesh \"%s\"", name);
    put_text(w, text);
    if (strcmp(name, w->mesh_name) != 0)
        put_display_name(w, w->mesh_name);
    put_text(w, "\n{\n    uniform token subdivisionScheme = \"none\"\n");
    if (!s->positions->count)
        return;
    cli_surface_box(s, box);
    struct subd_block extent = {.components = 3, .count = 2, .data = box, .type = "f32"};
    int64_t done = 1;
    put_rows(w, "    float3[] extent = ", &extent, &done, 0);
    put_text(w, "\n");
}

enum { NAME_SIZE = 2 * sizeof((struct subd_block *)0)->name + SUBD_MAX_BLOCKS };
/* Makes a valid USD name. The parts between colons must begin with a letter or '_', and the last one must not be
 * "indices", which would name the indices of another primvar. A '_' before the part mends both. A name that is taken
 * gets '_' at its end. */
static void usd_name(struct cli_names *taken, const char *name, char out[NAME_SIZE])
{
    char *to = out;
    for (const char *at = name; *at; at++) {
        *to++ = *at;
        if (*at == ':' && (!(isalpha((unsigned char)at[1]) || at[1] == '_') || strcmp(at + 1, "indices") == 0))
            *to++ = '_';
    }
    for (*to = 0; !cli_name_is_free(taken, out); *to = 0)
        *to++ = '_';
    cli_name_take(taken, out);
    if (strcmp(name, out) != 0)
        cli_warn("the primvar %s is called %s: USD cannot have one of that name, or another has it", name, out);
}

static void put_primvar(struct cli_writer *w, const struct subd_frame *f, const struct subd_block *b,
                        struct cli_names *taken, int64_t *done, int64_t rows)
{
    const struct subd_block *indices = subd_frame_primvar(f, b->name, SUBD_PRIMVAR_INDICES);
    static const char *const widths[] = {"", "", "2", "3", "4"};
    char name[NAME_SIZE], text[CLI_ROW];
    int tuple = b->components <= 4 ? b->components : 1;
    usd_name(taken, b->name, name);
    snprintf(text, sizeof text, "    %s%s[] primvars:%s = ", strcmp(b->type, "i32") == 0 ? "int" : "float",
             widths[tuple], name);
    put_rows(w, text, b, done, rows);
    snprintf(text, sizeof text, " (\n        interpolation = \"%s\"\n", b->interpolation);
    put_text(w, text);
    if (tuple != b->components) {
        snprintf(text, sizeof text, "        elementSize = %d\n", b->components);
        put_text(w, text);
    }
    put_text(w, "    )\n");
    snprintf(text, sizeof text, "    int[] primvars:%s:indices = [", name);
    if (indices)
        put_faces(w, text, indices, 0, done, rows);
}

void cli_write_usda(struct cli_writer *w, const struct subd_frame *f)
{
    struct cli_surface s = cli_surface_of(f);
    struct cli_names taken = {NULL};
    int64_t done = 0, rows = s.faces->count; /* faceVertexCounts has no block of its own. */
    for (int i = 0; i < f->n_blocks; i++)
        rows += f->blocks[i].count;
    put_head(w, f, &s);
    put_faces(w, "    int[] faceVertexCounts = [", s.faces, 1, &done, rows);
    put_faces(w, "    int[] faceVertexIndices = [", s.faces, 0, &done, rows);
    put_rows(w, "    point3f[] points = ", s.positions, &done, rows);
    put_text(w, "\n");
    if (s.normals) {
        put_rows(w, "    normal3f[] normals = ", s.normals, &done, rows);
        put_text(w, " (\n        interpolation = \"vertex\"\n    )\n");
    }
    if (s.uvs) {
        put_rows(w, "    texCoord2f[] primvars:st = ", s.uvs, &done, rows);
        put_text(w, " (\n        interpolation = \"faceVarying\"\n    )\n");
        put_faces(w, "    int[] primvars:st:indices = [", s.uv_faces, 0, &done, rows);
    }
    for (int i = 0; i < f->n_blocks; i++)
        if (f->blocks[i].semantic == SUBD_PRIMVAR)
            put_primvar(w, f, &f->blocks[i], &taken, &done, rows);
    cli_names_free(&taken);
    put_text(w, "}\n");
}
