/* SPDX-License-Identifier: Apache-2.0 */
/* glb.c: writes a surface as binary glTF 2.0, in metres and Y up where the surface says how long its units are and
 * which way is up (glb_split.c).
 *
 *   header | JSON chunk | BIN chunk: an array for each attribute of the vertices, then the indices
 *
 * A face set of materialBind is a primitive with a material of its name; the faces of no set are one without. */
#include "proto/files/glb.h"
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FLOATS = 5126, UINTS = 5125, VERTICES = 34962, INDICES = 34963 }; /* glTF defines these. */

/* The header of a file and of its JSON chunk, and that of the BIN chunk. */
struct heads {
    char magic[4];
    uint32_t version_bytes_json[3];
    char json[4];
};
struct chunk {
    uint32_t bytes;
    char tag[4];
};

/* ---- what vertices have ------------------------------------------------------------------------------------------ */
static struct glb_column *add_column(struct glb *t, enum glb_kind kind, const struct surface_rows *rows,
                                     const uint32_t *corners, const char *name)
{
    struct glb_column *c = &t->columns[t->n_columns++];
    *c = (struct glb_column){.kind = kind, .rows = rows, .corners = corners};
    (void)snprintf(c->name, sizeof c->name, "%s", name);
    return c;
}

/* The face of each corner, for colours of faces. */
static const uint32_t *faces_of_corners(struct surface_file *f)
{
    const struct surface *s = &f->surface;
    uint32_t *faces = surface_keep(f, s->n_corners, sizeof *faces);
    for (int64_t face = 0, c = 0; faces && face < s->n_faces; face++)
        for (int k = 0; k < surface_face_size(s, face); k++)
            faces[c++] = (uint32_t)face;
    return faces;
}

static void add_primvar(struct surface_file *f, struct glb *t, const struct surface_primvar *p, int *n_uvs)
{
    char name[80];
    const bool uniform = strcmp(p->interpolation, "uniform") == 0;
    if (p == surface_colour(f)) {
        const uint32_t *corners = uniform ? faces_of_corners(f) : p->corners;
        add_column(t, GLB_COLOUR, &p->values, corners, "COLOR_0")->constant = strcmp(p->interpolation, "constant") == 0;
    } else if (surface_is_uvs(p->name, p->interpolation, p->values.components, p->integers)) {
        (void)snprintf(name, sizeof name, "TEXCOORD_%d", (*n_uvs)++);
        add_column(t, GLB_UV, &p->values, p->corners, name);
    } else if (surface_carries(f->format, p) && !uniform) {
        (void)snprintf(name, sizeof name, "_%s", p->name); /* What glTF does not define must have a '_' there. */
        add_column(t, GLB_OTHER, &p->values, NULL, name);
    }
}

static void add_columns(struct surface_file *f, struct glb *t)
{
    const struct surface *s = &f->surface;
    int n_uvs = 0;
    add_column(t, GLB_POSITION, &s->positions, NULL, "POSITION");
    if (s->normals.data)
        add_column(t, GLB_NORMAL, &s->normals, s->normal_corners, "NORMAL");
    if (s->uv_corners) {
        add_column(t, GLB_UV, &s->uvs, s->uv_corners, "TEXCOORD_0");
        n_uvs = 1;
    }
    for (int i = 0; i < s->n_primvars && !f->failed; i++)
        add_primvar(f, t, &s->primvars[i], &n_uvs);
}

/* ---- the JSON chunk ------------------------------------------------------------------------------------------- */

struct layout {
    cJSON *views, *accessors, *materials;
    int n_views, n_accessors, n_materials;
    int64_t bytes;
    bool failed; /* Memory was out, so something is missing. */
};

static void put_number(struct layout *l, cJSON *o, const char *key, double v)
{
    l->failed |= !cJSON_AddNumberToObject(o, key, v);
}

static void put_string(struct layout *l, cJSON *o, const char *key, const char *v)
{
    l->failed |= !cJSON_AddStringToObject(o, key, v);
}

/* Gives the object a member, which it owns from then on, or which is freed. */
static void put_item(struct layout *l, cJSON *o, const char *key, cJSON *item)
{
    if (cJSON_AddItemToObject(o, key, item))
        return;
    cJSON_Delete(item);
    l->failed = true;
}

/* Adds an object to an array. */
static cJSON *append(struct layout *l, cJSON *array)
{
    cJSON *item = cJSON_CreateObject();
    if (cJSON_AddItemToArray(array, item))
        return item;
    cJSON_Delete(item);
    l->failed = true;
    return NULL;
}

/* Adds an array whose only item is a new object, and returns the object. */
static cJSON *put_list(struct layout *l, cJSON *o, const char *key)
{
    return append(l, cJSON_AddArrayToObject(o, key));
}

static void put_numbers(struct layout *l, cJSON *o, const char *key, const double *v, int n)
{
    cJSON *array = cJSON_AddArrayToObject(o, key);
    for (int k = 0; k < n; k++) {
        cJSON *item = cJSON_CreateNumber(v[k]);
        if (cJSON_AddItemToArray(array, item))
            continue;
        cJSON_Delete(item);
        l->failed = true;
    }
}

/* Adds room at the end of the BIN chunk. */
static void add_view(struct layout *l, int64_t bytes, int target)
{
    cJSON *view = append(l, l->views);
    put_number(l, view, "buffer", 0);
    put_number(l, view, "byteOffset", (double)l->bytes);
    put_number(l, view, "byteLength", (double)bytes);
    put_number(l, view, "target", target);
    l->n_views++;
    l->bytes += bytes;
}

/* Adds an accessor into the last view. */
static cJSON *add_accessor(struct layout *l, int64_t at, int64_t count, const char *type, int component)
{
    cJSON *accessor = append(l, l->accessors);
    put_number(l, accessor, "bufferView", l->n_views - 1);
    if (at)
        put_number(l, accessor, "byteOffset", (double)at);
    put_number(l, accessor, "componentType", component);
    put_number(l, accessor, "count", (double)count);
    put_string(l, accessor, "type", type);
    l->n_accessors++;
    return accessor;
}

static void put_box(struct layout *l, cJSON *accessor, const struct surface_file *f, const struct glb *t)
{
    const float *p = f->surface.positions.data;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int64_t i = 0; i < f->surface.positions.count; i++, p += 3) {
        float at[3];
        glb_point(t, p, at);
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], (double)at[k]);
            high[k] = fmax(high[k], (double)at[k]);
        }
    }
    put_numbers(l, accessor, "min", low, 3);
    put_numbers(l, accessor, "max", high, 3);
}

/* Lays out the attributes in the order in which add_arrays adds them. */
static cJSON *describe_attributes(const struct surface_file *f, const struct glb *t, struct layout *l)
{
    static const char *const types[] = {"SCALAR", "VEC2", "VEC3", "VEC4"};
    const int64_t n = t->n_vertices + t->n_copies;
    cJSON *attributes = cJSON_CreateObject();
    for (int k = 0; k < t->n_columns; k++) {
        const struct glb_column *c = &t->columns[k];
        put_number(l, attributes, c->name, l->n_accessors);
        add_view(l, n * c->rows->components * 4, VERTICES);
        cJSON *accessor = add_accessor(l, 0, n, types[c->rows->components - 1], FLOATS);
        if (c->kind == GLB_POSITION)
            put_box(l, accessor, f, t);
    }
    return attributes;
}

/* Adds a primitive of `triangles` triangles from byte `at` of the indices on. */
static cJSON *add_primitive(struct layout *l, cJSON *primitives, const cJSON *attributes, int64_t at, int64_t triangles)
{
    cJSON *primitive = append(l, primitives);
    put_item(l, primitive, "attributes", cJSON_Duplicate(attributes, 1));
    put_number(l, primitive, "indices", l->n_accessors);
    add_accessor(l, at, 3 * triangles, "SCALAR", UINTS);
    return primitive;
}

static int64_t triangles_of(const struct surface_file *f, const struct glb *t, int64_t set)
{
    int64_t n = 0;
    for (int64_t i = t->sorted.first[set]; i < t->sorted.first[set + 1]; i++)
        n += surface_face_size(&f->surface, t->sorted.faces[i]) - 2;
    return n;
}

static void describe_primitives(const struct surface_file *f, const struct glb *t, struct layout *l, cJSON *mesh)
{
    cJSON *attributes = describe_attributes(f, t, l), *primitives = cJSON_AddArrayToObject(mesh, "primitives");
    const char *name = t->materials ? t->materials->sets.text : NULL;
    add_view(l, 12 * surface_triangles(&f->surface), INDICES);
    if (!t->materials)
        (void)add_primitive(l, primitives, attributes, 0, surface_triangles(&f->surface));
    for (int64_t set = 0, at = 0; t->materials && set <= t->materials->sets.n; set++) {
        const int64_t n = triangles_of(f, t, set);
        cJSON *primitive = n ? add_primitive(l, primitives, attributes, at, n) : NULL;
        at += 12 * n;
        if (primitive && set) {
            put_number(l, primitive, "material", l->n_materials++);
            cJSON *material = append(l, l->materials);
            put_string(l, material, "name", name);
            put_number(l, cJSON_AddObjectToObject(material, "pbrMetallicRoughness"), "metallicFactor", 0);
        }
        name += set ? strlen(name) + 1 : 0;
    }
    cJSON_Delete(attributes);
}

/* Makes the JSON; l->failed says whether it is incomplete. */
static cJSON *describe(const struct surface_file *f, const struct glb *t, struct layout *l)
{
    static const double zero = 0;
    cJSON *o = cJSON_CreateObject(), *asset = cJSON_AddObjectToObject(o, "asset");
    put_string(l, asset, "version", "2.0");
    put_string(l, asset, "generator", "subdd");
    put_number(l, o, "scene", 0);
    put_numbers(l, put_list(l, o, "scenes"), "nodes", &zero, 1);
    cJSON *node = put_list(l, o, "nodes");
    put_number(l, node, "mesh", 0);
    put_string(l, node, "name", f->surface.name);
    if (t->has_node)
        put_numbers(l, node, "matrix", t->node, 16);
    l->views = cJSON_AddArrayToObject(o, "bufferViews");
    l->accessors = cJSON_AddArrayToObject(o, "accessors");
    l->materials = cJSON_CreateArray();
    cJSON *mesh = put_list(l, o, "meshes");
    put_string(l, mesh, "name", f->surface.name);
    describe_primitives(f, t, l, mesh);
    if (l->n_materials) /* glTF has no empty lists. */
        put_item(l, o, "materials", l->materials);
    else
        cJSON_Delete(l->materials);
    put_number(l, put_list(l, o, "buffers"), "byteLength", (double)l->bytes);
    return o;
}

/* ---- the BIN chunk -------------------------------------------------------------------------------------------- */

static bool is_none(const float n[3])
{
    return n[0] == 0 && n[1] == 0 && n[2] == 0;
}

/* Writes the row of a vertex or a copy. glTF allows no zero normals, which vertices without a face have: those get
 * (0, 0, 1). It counts v from the top of the image. A vertex without a face has (0, 0) there. */
static char *put_row(struct surface_file *f, const struct part *p, int64_t i, char *to)
{
    static const float up[3] = {0, 0, 1};
    const struct glb *t = f->own;
    const struct glb_column *c = p->data;
    const int n = c->rows->components;
    const int64_t row = glb_row(t, c, i);
    const float *from = row == GLB_NONE ? NULL : (const float *)c->rows->data + row * n;
    float out[4] = {0, 0, 0, 0};
    for (int k = 0; k < n && from && c->kind == GLB_COLOUR; k++)
        out[k] = fminf(fmaxf(from[k], 0), 1);
    if (c->kind == GLB_POSITION)
        glb_point(t, from, out);
    else if (c->kind == GLB_NORMAL && (!from || is_none(from)))
        memcpy(out, up, sizeof up);
    else if (c->kind == GLB_NORMAL)
        glb_normal(t, from, out);
    else if (from && c->kind != GLB_COLOUR)
        memcpy(out, from, 4 * (size_t)n);
    if (from && c->kind == GLB_UV)
        out[1] = 1 - out[1];
    memcpy(to, out, 4 * (size_t)n);
    return to + 4 * n;
}

/* The corners of the next triangle, in the order of the materials. */
static void next_triangle(struct surface_file *f, const struct glb *t, int64_t corners[3])
{
    struct walk *w = &f->walk;
    const struct surface *s = &f->surface;
    if (!t->materials) {
        surface_next_triangle(f, corners);
        return;
    }
    while (w->triangle == surface_face_size(s, t->sorted.faces[w->face]) - 2) {
        w->face++;
        w->triangle = 0;
    }
    const int64_t face = t->sorted.faces[w->face];
    corners[0] = t->face_first ? t->face_first[face] : face * s->face_size;
    corners[1] = corners[0] + ++w->triangle;
    corners[2] = corners[1] + 1;
}

static char *put_triangle(struct surface_file *f, const struct part *p, int64_t i, char *to)
{
    const struct surface *s = &f->surface;
    const struct glb *t = f->own;
    int64_t corners[3];
    uint32_t row[3];
    (void)p, (void)i;
    next_triangle(f, t, corners);
    for (int k = 0; k < 3; k++)
        row[t->flips && k ? 3 - k : k] = glb_find(t, s->corners[corners[k]], (uint32_t)corners[k]);
    memcpy(to, row, sizeof row);
    return to + sizeof row;
}

static void warn_of_normals(struct surface_file *f)
{
    const float(*normals)[3] = f->surface.normals.data;
    int64_t n_none = 0;
    for (int64_t i = 0; normals && i < f->surface.normals.count; i++)
        n_none += is_none(normals[i]);
    if (n_none)
        surface_warn(f, "glTF has no zero normals: that of %lld vertices without one is (0, 0, 1)", (long long)n_none);
}

static void add_arrays(struct surface_file *f, const struct glb *t)
{
    for (int k = 0; k < t->n_columns; k++)
        part_add(f, (struct part){.put = put_row, .rows = t->n_vertices + t->n_copies, .data = &t->columns[k]});
    part_add(f, (struct part){.put = put_triangle, .rows = surface_triangles(&f->surface)});
}

static void add_file(struct surface_file *f, struct glb *t)
{
    struct layout l = {0};
    struct heads *heads = surface_keep(f, 1, sizeof *heads);
    struct chunk *bin = surface_keep(f, 1, sizeof *bin);
    cJSON *o = describe(f, t, &l);
    char *json = l.failed || !heads || !bin ? NULL : cJSON_PrintUnformatted(o);
    const int64_t text = json ? (int64_t)strlen(json) : 0, padded = (text + 3) / 4 * 4, total = 28 + padded + l.bytes;
    cJSON_Delete(o);
    if (!json)
        f->failed = SURFACE_ENO_MEMORY;
    else if (total > UINT32_MAX)
        surface_refuse(f, SURFACE_ETOO_LARGE,
                       "a binary glTF file has at most 4 GiB; ask for a lower level or for another format");
    else {
        *heads = (struct heads){{'g', 'l', 'T', 'F'}, {2, (uint32_t)total, (uint32_t)padded}, {'J', 'S', 'O', 'N'}};
        *bin = (struct chunk){(uint32_t)l.bytes, {'B', 'I', 'N', 0}};
        f->bytes = total;
        part_bytes(f, heads, sizeof *heads);
        part_text(f, "%s%.*s", json, (int)(padded - text), "   ");
        part_bytes(f, bin, sizeof *bin);
        add_arrays(f, t);
    }
    cJSON_free(json);
}

/* Sorts the faces by materials. */
static void sort_materials(struct surface_file *f, struct glb *t)
{
    const struct surface *s = &f->surface;
    t->materials = surface_face_sets(f, "materialBind");
    if (!t->materials || !surface_sort_faces(f, t->materials, &t->sorted) || s->face_size)
        return;
    t->face_first = surface_keep(f, s->n_faces, sizeof *t->face_first);
    for (int64_t i = 0, c = 0; t->face_first && i < s->n_faces; c += s->face_sizes[i++])
        t->face_first[i] = (uint32_t)c;
}

static void free_glb(void *own)
{
    struct glb *t = own;
    free(t->corner);
    free(t->first);
    free(t->copies);
    free(t);
}

void glb_build(struct surface_file *f)
{
    struct glb *t = calloc(1, sizeof *t);
    if (!t) {
        f->failed = SURFACE_ENO_MEMORY;
        return;
    }
    f->own = t;
    f->free_own = free_glb;
    t->n_vertices = f->surface.positions.count;
    warn_of_normals(f);
    glb_place(f, t);
    add_columns(f, t);
    if (!f->failed)
        sort_materials(f, t);
    if (!f->failed)
        glb_split(f, t);
    if (!f->failed)
        add_file(f, t);
}
