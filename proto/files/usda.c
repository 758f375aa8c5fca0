/* SPDX-License-Identifier: Apache-2.0 */
/* usda.c: writes a surface as USDA: a Mesh of polygons with primvars, with the scheme "none", so that no reader
 * subdivides it again. Face sets are GeomSubsets, a family for each primvar; those of materialBind are bound to
 * Materials that have a name and nothing else. The names of these prims have their family's number where a set's own
 * name cannot be one, and then displayName has it. */
#include "proto/files/parts.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PER_LINE 12 /* Numbers in a line. */

/* Writes a number of an array such as [(x, y, z), (x, y, z)], whose brackets are parts of their own. Rows of one
 * number, or of more than four, have no parentheses. */
static char *put_number(struct surface_file *f, const struct part *p, int64_t i, char *to)
{
    const int tuple = p->from->components <= 4 ? p->from->components : 1;
    const int32_t *ints = p->from->data;
    (void)f;
    for (const char *t = !i ? "" : i % PER_LINE ? ", " : ",\n        "; *t;)
        *to++ = *t++;
    if (tuple > 1 && i % tuple == 0)
        *to++ = '(';
    if (p->integers && ints[i] < 0)
        *to++ = '-';
    to = p->integers ? surface_put_count(to, (uint64_t)llabs((long long)ints[i]))
                     : surface_put_float(to, ((const float *)p->from->data)[i]);
    if (tuple > 1 && i % tuple == tuple - 1)
        *to++ = ')';
    return to;
}

static char *put_size(struct surface_file *f, const struct part *p, int64_t i, char *to)
{
    (void)p;
    if (i)
        *to++ = ',', *to++ = i % 32 ? ' ' : '\n';
    return surface_put_count(to, (uint64_t)surface_face_size(&f->surface, i));
}

/* Writes the indices of the corners of a face, which have a line. */
static char *put_face(struct surface_file *f, const struct part *p, int64_t i, char *to)
{
    int n;
    const uint32_t *v = (const uint32_t *)p->data + surface_next_face(f, &n);
    if (i)
        *to++ = ',', *to++ = '\n';
    for (int k = 0; k < n; k++) {
        if (k)
            *to++ = ',', *to++ = ' ';
        to = surface_put_count(to, v[k]);
    }
    return to;
}

static void add_rows(struct surface_file *f, const char *head, const struct surface_rows *rows, bool integers)
{
    part_text(f, "%s[", head);
    part_add(f, (struct part){
                    .put = put_number, .rows = rows->count * rows->components, .from = rows, .integers = integers});
    part_text(f, "]");
}

static void add_indices(struct surface_file *f, const char *name, const uint32_t *corners)
{
    part_text(f, "    int[] %s = [", name);
    part_add(f, (struct part){.put = put_face, .rows = f->surface.n_faces, .data = corners});
    part_text(f, "]\n");
}

/* A prim that cannot have the mesh's name shows it to people. */
static void add_display_name(struct surface_file *f, const char *name)
{
    char text[2 * FILE_NAME_SIZE], *to = text;
    for (; *name; *to++ = *name++)
        if (*name == '"' || *name == '\\')
            *to++ = '\\';
    *to = 0;
    part_text(f, " (\n    displayName = \"%s\"\n)", text);
}

static void add_head(struct surface_file *f)
{
    const struct surface *s = &f->surface;
    char name[FILE_NAME_SIZE], id[FILE_NAME_SIZE];
    file_name_valid(FILE_NAME_USD, s->name, name);
    file_name_valid(FILE_NAME_USD, s->id, id); /* Ids are valid names, but subd does not trust the server. */
    part_text(f, "#usda 1.0\n(\n    defaultPrim = \"%s\"\n    doc = \"subdd %s version %lld, level %d\"\n", name, id,
              (long long)s->version, s->level);
    if (s->stage.up_axis)
        part_text(f, "    upAxis = \"%c\"\n", s->stage.up_axis);
    if (s->stage.meters_per_unit > 0)
        part_text(f, "    metersPerUnit = %.17g\n", s->stage.meters_per_unit);
    part_text(f, ")\n\n");
    part_text(f, "def Mesh \"%s\"", name);
    if (strcmp(name, s->name) != 0)
        add_display_name(f, s->name);
    part_text(f, "\n{\n    uniform token subdivisionScheme = \"none\"\n");
    for (int i = 0; i < s->n_primvars; i++)
        if (surface_has_sets(&s->primvars[i]))
            part_text(f, "    uniform token subsetFamily:%s:familyType = \"nonOverlapping\"\n", s->primvars[i].name);
    if (!s->stage.transform)
        return;
    part_text(f, "    matrix4d xformOp:transform = (");
    for (int i = 0; i < 16; i++)
        part_text(f, "%s%.17g%s", i % 4 ? ", " : i ? ", (" : "(", s->stage.transform[i], i % 4 == 3 ? ")" : "");
    part_text(f, ")\n    uniform token[] xformOpOrder = [\"xformOp:transform\"]\n");
}

/* The box is a surface_rows of its own, which lies behind its numbers. */
struct extent {
    float box[6];
    struct surface_rows rows;
};

static void add_extent(struct surface_file *f)
{
    if (!f->surface.positions.count)
        return;
    struct extent *e = malloc(sizeof *e);
    if (!e) {
        f->failed = SURFACE_ENO_MEMORY;
        return;
    }
    surface_box(&f->surface, e->box);
    e->rows = (struct surface_rows){e->box, 2, 3};
    f->own = e;
    f->free_own = free;
    add_rows(f, "    float3[] extent = ", &e->rows, false);
    part_text(f, "\n");
}

enum { NAME_SIZE = 2 * sizeof((struct surface_primvar *)0)->name + SURFACE_MAX_PRIMVARS + 1 };
/* Makes a valid USD name. The parts between colons must begin with a letter or '_', and the last one must not be
 * "indices", which would name the indices of another primvar. A '_' before the part mends both. A name that is taken
 * gets '_' at its end. */
static void usd_name(struct surface_file *f, struct surface_names *taken, const char *name, char out[NAME_SIZE])
{
    char *to = out;
    for (const char *at = name; *at; at++) {
        *to++ = *at;
        if (*at == ':' && (!(isalpha((unsigned char)at[1]) || at[1] == '_') || strcmp(at + 1, "indices") == 0))
            *to++ = '_';
    }
    for (*to = 0; !surface_name_is_free(taken, out); *to = 0)
        *to++ = '_';
    surface_name_take(taken, out);
    if (strcmp(name, out) != 0)
        surface_warn(f, "the primvar %s is called %s: USD cannot have one of that name, or another has it", name, out);
}

static void add_primvar(struct surface_file *f, const struct surface_primvar *p, struct surface_names *taken)
{
    static const char *const widths[] = {"", "", "2", "3", "4"};
    const int tuple = p->values.components <= 4 ? p->values.components : 1;
    const int n = p->values.components;
    char name[NAME_SIZE], text[NAME_SIZE + 64], type[16];
    usd_name(f, taken, p->name, name);
    (void)snprintf(type, sizeof type, "%s%s", p->integers ? "int" : "float", widths[tuple]);
    (void)snprintf(text, sizeof text, "    %s[] primvars:%s = ",
                   surface_is_colour(p->name, n, p->integers)                  ? "color3f"
                   : surface_is_uvs(p->name, p->interpolation, n, p->integers) ? "texCoord2f"
                                                                               : type,
                   name);
    add_rows(f, text, &p->values, p->integers);
    part_text(f, " (\n        interpolation = \"%s\"\n", p->interpolation);
    if (tuple != p->values.components)
        part_text(f, "        elementSize = %d\n", p->values.components);
    part_text(f, "    )\n");
    (void)snprintf(text, sizeof text, "primvars:%s:indices", name);
    if (p->corners)
        add_indices(f, text, p->corners);
}

/* ---- face sets --------------------------------------------------------------------------------------------------- */
/* Writes the i-th face of a set, from a list of faces. */
static char *put_set_face(struct surface_file *f, const struct part *p, int64_t i, char *to)
{
    (void)f;
    if (i)
        *to++ = ',', *to++ = i % 32 ? ' ' : '\n';
    return surface_put_count(to, ((const uint32_t *)p->data)[i]);
}

static void set_prim(struct surface_names *taken, const char *name, int family, int64_t set, char out[FILE_NAME_SIZE])
{
    bool own =
        *name && strcmp(file_name_valid(FILE_NAME_USD, name, out), name) == 0 && surface_name_is_free(taken, out);
    if (!own)
        (void)snprintf(out, FILE_NAME_SIZE, "set_%d_%lld", family, (long long)set);
    surface_name_take(taken, out);
}

/* Characters that would end a string or a line of it are left out of what people are shown. */
static void add_shown(struct surface_file *f, const char *name)
{
    char text[2 * FILE_NAME_SIZE], *to = text;
    for (; *name && to < text + sizeof text - 2; name++) {
        if (*name == '"' || *name == '\\')
            *to++ = '\\';
        if ((unsigned char)*name >= ' ')
            *to++ = *name;
    }
    *to = 0;
    part_text(f, "        displayName = \"%s\"\n", text);
}

static void add_set(struct surface_file *f, const struct surface_primvar *p, const char *name, const char *prim,
                    const struct surface_sorted *sorted, int64_t set)
{
    const bool materials = strcmp(p->name, "materialBind") == 0, shown = strcmp(name, prim) != 0;
    char mesh[FILE_NAME_SIZE];
    part_text(f, "\n    def GeomSubset \"%s\"%s", prim, materials || shown ? " (\n" : "\n");
    if (materials)
        part_text(f, "        prepend apiSchemas = [\"MaterialBindingAPI\"]\n");
    if (shown)
        add_shown(f, name);
    part_text(f, "%s    {\n        uniform token elementType = \"face\"\n        uniform token familyName = \"%s\"\n",
              materials || shown ? "    )\n" : "", p->name);
    part_text(f, "        int[] indices = [");
    part_add(f, (struct part){.put = put_set_face,
                              .rows = sorted->first[set + 1] - sorted->first[set],
                              .data = sorted->faces + sorted->first[set]});
    part_text(f, "]\n");
    if (materials)
        part_text(f, "        rel material:binding = </%s/set_materials/%s>\n",
                  file_name_valid(FILE_NAME_USD, f->surface.name, mesh), prim);
    part_text(f, "    }\n");
}

static void add_family(struct surface_file *f, const struct surface_primvar *p, int family, struct surface_names *taken)
{
    const bool materials = strcmp(p->name, "materialBind") == 0;
    struct surface_sorted sorted;
    const char *name = p->sets.text;
    char(*prims)[FILE_NAME_SIZE] = surface_keep(f, p->sets.n, sizeof *prims);
    if (!prims || !surface_sort_faces(f, p, &sorted))
        return;
    for (int64_t k = 0; k < p->sets.n; k++, name += strlen(name) + 1) {
        set_prim(taken, name, family, k + 1, prims[k]);
        add_set(f, p, name, prims[k], &sorted, k + 1);
    }
    if (!materials)
        return;
    part_text(f, "\n    def Scope \"set_materials\"\n    {\n");
    for (int64_t k = 0; k < p->sets.n; k++)
        part_text(f, "        def Material \"%s\"\n        {\n        }\n", prims[k]);
    part_text(f, "    }\n");
}

/* The sets of materials come first, so that theirs are the plain names. */
static void add_sets(struct surface_file *f)
{
    struct surface_names taken = {NULL};
    int family = 0;
    surface_name_take(&taken, "set_materials");
    for (int materials = 1; materials >= 0; materials--)
        for (int i = 0; i < f->surface.n_primvars; i++) {
            const struct surface_primvar *p = &f->surface.primvars[i];
            if (surface_has_sets(p) && materials == (strcmp(p->name, "materialBind") == 0))
                add_family(f, p, family++, &taken);
        }
    surface_names_free(&taken);
}

void usda_build(struct surface_file *f)
{
    const struct surface *s = &f->surface;
    struct surface_names taken = {NULL};
    add_head(f);
    add_extent(f);
    part_text(f, "    int[] faceVertexCounts = [");
    part_add(f, (struct part){.put = put_size, .rows = s->n_faces});
    part_text(f, "]\n");
    add_indices(f, "faceVertexIndices", s->corners);
    add_rows(f, "    point3f[] points = ", &s->positions, false);
    part_text(f, "\n");
    if (s->normals.data && s->normal_corners) {
        surface_name_take(&taken, "normals");
        add_rows(f, "    normal3f[] primvars:normals = ", &s->normals, false);
        part_text(f, " (\n        interpolation = \"faceVarying\"\n    )\n");
        add_indices(f, "primvars:normals:indices", s->normal_corners);
    } else if (s->normals.data) {
        add_rows(f, "    normal3f[] normals = ", &s->normals, false);
        part_text(f, " (\n        interpolation = \"vertex\"\n    )\n");
    }
    if (s->uvs.data) {
        add_rows(f, "    texCoord2f[] primvars:st = ", &s->uvs, false);
        part_text(f, " (\n        interpolation = \"faceVarying\"\n    )\n");
        add_indices(f, "primvars:st:indices", s->uv_corners);
    }
    for (int i = 0; i < s->n_primvars; i++)
        if (!surface_has_sets(&s->primvars[i]))
            add_primvar(f, &s->primvars[i], &taken);
    surface_names_free(&taken);
    add_sets(f);
    part_text(f, "}\n");
}
