/* SPDX-License-Identifier: Apache-2.0 */
/* glb.c: writes a surface as binary glTF 2.0. glTF has triangles, and each vertex has one position, one normal and one
 * UV.
 *
 *   header | JSON chunk | BIN chunk: positions, normals, UVs, primvars, indices
 *
 * A vertex at a seam has several UVs. The vertex itself keeps the first one; each further one gets a copy of the vertex
 * behind all vertices. Each vertex has a list of its copies, which is searched by the value of the UV. */
#include "proto/files/parts.h"
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX                                                  /* glTF does not allow this index either. */
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

/* The vertices after those at UV seams have been split. */
struct split {
    struct copy {
        uint32_t vertex, uv;
        uint32_t next; /* The next copy of the same vertex; NONE at the end. */
    } * copies;
    uint32_t *uv;    /* The row of UVs that each vertex keeps; NONE without one. */
    uint32_t *first; /* The first copy of each vertex; NONE without one. */
    int64_t n_vertices, n_copies, room;
    struct heads heads;
    struct chunk bin;
};

/* Are these two rows of UVs equal? */
static int same(const struct surface *s, uint32_t a, uint32_t b)
{
    const float(*uv)[2] = s->uvs.data;
    return a == b || memcmp(uv[a], uv[b], sizeof uv[a]) == 0;
}

/* Finds which has this UV: the vertex itself, one of its copies, or NONE of them. */
static uint32_t find(const struct split *t, const struct surface *s, uint32_t vertex, uint32_t uv)
{
    if (t->uv[vertex] == NONE || same(s, t->uv[vertex], uv))
        return vertex;
    for (uint32_t i = t->first[vertex]; i != NONE; i = t->copies[i].next)
        if (same(s, t->copies[i].uv, uv))
            return (uint32_t)t->n_vertices + i;
    return NONE;
}

static void add_copy(struct split *t, struct surface_file *f, uint32_t vertex, uint32_t uv)
{
    if (t->n_vertices + t->n_copies >= NONE) {
        surface_refuse(f, SURFACE_ETOO_LARGE,
                       "with its UV seams the surface has too many vertices for the 32-bit indices of glTF; ask for a "
                       "lower level or for another format");
        return;
    }
    if (t->n_copies == t->room) {
        int64_t room = 2 * t->room;
        struct copy *grown = realloc(t->copies, (size_t)room * sizeof *grown);
        if (!grown) {
            f->failed = SURFACE_ENO_MEMORY;
            return;
        }
        t->copies = grown;
        t->room = room;
    }
    t->copies[t->n_copies] = (struct copy){vertex, uv, t->first[vertex]};
    t->first[vertex] = (uint32_t)t->n_copies++;
}

static void split_seams(struct split *t, struct surface_file *f)
{
    const struct surface *s = &f->surface;
    const size_t bytes = (size_t)t->n_vertices * sizeof *t->uv;
    if (!s->uv_corners)
        return;
    t->room = 1024;
    t->uv = malloc(bytes + 1);
    t->first = malloc(bytes + 1);
    t->copies = calloc((size_t)t->room, sizeof *t->copies);
    if (!t->uv || !t->first || !t->copies) {
        f->failed = SURFACE_ENO_MEMORY;
        return;
    }
    memset(t->uv, 0xff, bytes); /* All bits set is NONE. */
    memset(t->first, 0xff, bytes);
    for (int64_t i = 0; i < s->n_corners && !f->failed; i++) {
        const uint32_t vertex = s->corners[i], uv = s->uv_corners[i], at = find(t, s, vertex, uv);
        if (at == NONE)
            add_copy(t, f, vertex, uv);
        else if (at == vertex)
            t->uv[vertex] = uv;
    }
}

/* ---- the JSON chunk ------------------------------------------------------------------------------------------- */

struct layout {
    cJSON *views, *accessors;
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

/* Adds an array whose only item is a new object, and returns the object. */
static cJSON *put_list(struct layout *l, cJSON *o, const char *key)
{
    cJSON *array = cJSON_AddArrayToObject(o, key), *item = cJSON_CreateObject();
    if (cJSON_AddItemToArray(array, item))
        return item;
    cJSON_Delete(item);
    l->failed = true;
    return NULL;
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

static void put_numbers(struct layout *l, cJSON *o, const char *key, const float *v, int n)
{
    cJSON *array = cJSON_AddArrayToObject(o, key);
    for (int k = 0; k < n; k++) {
        cJSON *item = cJSON_CreateNumber((double)v[k]);
        if (cJSON_AddItemToArray(array, item))
            continue;
        cJSON_Delete(item);
        l->failed = true;
    }
}

/* Adds an array at the end of the BIN chunk, and returns its accessor. */
static cJSON *add_array(struct layout *l, int64_t count, const char *type, int width, int component, int target)
{
    const int row = cJSON_GetArraySize(l->views);
    cJSON *view = append(l, l->views), *accessor = append(l, l->accessors);
    put_number(l, accessor, "bufferView", row);
    put_number(l, accessor, "componentType", component);
    put_number(l, accessor, "count", (double)count);
    put_string(l, accessor, "type", type);
    put_number(l, view, "buffer", 0);
    put_number(l, view, "byteOffset", (double)l->bytes);
    put_number(l, view, "byteLength", (double)(count * width * 4));
    put_number(l, view, "target", target);
    l->bytes += count * width * 4;
    return accessor;
}

/* An attribute that glTF does not define must have a name that begins with '_'. */
static void add_primvar(struct layout *l, cJSON *attributes, const struct surface_primvar *b, int64_t n)
{
    static const char *const types[] = {"SCALAR", "VEC2", "VEC3", "VEC4"};
    char name[sizeof b->name + 1];
    int color = strcmp(b->name, "displayColor") == 0 && b->values.components >= 3;
    (void)snprintf(name, sizeof name, "_%s", b->name);
    put_number(l, attributes, color ? "COLOR_0" : name, cJSON_GetArraySize(l->accessors));
    add_array(l, n, types[b->values.components - 1], b->values.components, FLOATS, VERTICES);
}

/* Lays the arrays out in *l in the order in which add_arrays adds them, and describes them as a primitive. */
static void describe_arrays(const struct surface_file *f, const struct split *t, struct layout *l, cJSON *primitive)
{
    const struct surface *s = &f->surface;
    const int64_t n = t->n_vertices + t->n_copies;
    cJSON *attributes = cJSON_AddObjectToObject(primitive, "attributes");
    float box[6];
    put_number(l, attributes, "POSITION", 0);
    cJSON *positions = add_array(l, n, "VEC3", 3, FLOATS, VERTICES);
    surface_box(s, box);
    put_numbers(l, positions, "min", box, 3);
    put_numbers(l, positions, "max", box + 3, 3);
    if (s->normals.data) {
        put_number(l, attributes, "NORMAL", cJSON_GetArraySize(l->accessors));
        add_array(l, n, "VEC3", 3, FLOATS, VERTICES);
    }
    if (s->uv_corners) {
        put_number(l, attributes, "TEXCOORD_0", cJSON_GetArraySize(l->accessors));
        add_array(l, n, "VEC2", 2, FLOATS, VERTICES);
    }
    for (int i = 0; i < s->n_primvars; i++)
        if (surface_carries(f->format, &s->primvars[i]))
            add_primvar(l, attributes, &s->primvars[i], n);
    put_number(l, primitive, "indices", cJSON_GetArraySize(l->accessors));
    add_array(l, 3 * surface_triangles(s), "SCALAR", 1, UINTS, INDICES);
}

/* Makes the JSON; l->failed says whether it is incomplete. */
static cJSON *describe(const struct surface_file *f, const struct split *t, struct layout *l)
{
    static const float zero = 0;
    cJSON *o = cJSON_CreateObject(), *asset = cJSON_AddObjectToObject(o, "asset");
    put_string(l, asset, "version", "2.0");
    put_string(l, asset, "generator", "subdd");
    put_number(l, o, "scene", 0);
    put_numbers(l, put_list(l, o, "scenes"), "nodes", &zero, 1);
    cJSON *node = put_list(l, o, "nodes");
    put_number(l, node, "mesh", 0);
    put_string(l, node, "name", f->surface.name);
    l->views = cJSON_AddArrayToObject(o, "bufferViews");
    l->accessors = cJSON_AddArrayToObject(o, "accessors");
    cJSON *mesh = put_list(l, o, "meshes");
    put_string(l, mesh, "name", f->surface.name);
    describe_arrays(f, t, l, put_list(l, mesh, "primitives"));
    put_number(l, put_list(l, o, "buffers"), "byteLength", (double)l->bytes);
    return o;
}

/* ---- the BIN chunk -------------------------------------------------------------------------------------------- */

/* Writes the row of a vertex, or of the vertex that a copy is of. */
static int64_t source(const struct split *t, int64_t i)
{
    return i < t->n_vertices ? i : t->copies[i - t->n_vertices].vertex;
}

static char *put_row(struct surface_file *f, const struct part *p, int64_t i, char *to)
{
    const size_t bytes = 4 * (size_t)p->from->components;
    memcpy(to, (const char *)p->from->data + (size_t)source(f->own, i) * bytes, bytes);
    return to + bytes;
}

static bool is_none(const float n[3])
{
    return n[0] == 0 && n[1] == 0 && n[2] == 0;
}

/* glTF does not allow zero normals, but vertices without a face have them. They get (0, 0, 1). */
static char *put_normal(struct surface_file *f, const struct part *p, int64_t i, char *to)
{
    static const float up[3] = {0, 0, 1};
    const float *n = (const float *)p->from->data + 3 * source(f->own, i);
    memcpy(to, is_none(n) ? up : n, sizeof up);
    return to + sizeof up;
}

/* glTF counts v from the top of the image. A vertex without a face has no UV and gets (0, 0). */
static char *put_uv(struct surface_file *f, const struct part *p, int64_t i, char *to)
{
    const struct split *t = f->own;
    const float(*uvs)[2] = p->from->data;
    const uint32_t row = i < t->n_vertices ? t->uv[i] : t->copies[i - t->n_vertices].uv;
    float uv[2] = {0, 0};
    if (row != NONE) {
        uv[0] = uvs[row][0];
        uv[1] = 1 - uvs[row][1];
    }
    memcpy(to, uv, sizeof uv);
    return to + sizeof uv;
}

static char *put_triangle(struct surface_file *f, const struct part *p, int64_t i, char *to)
{
    const struct surface *s = &f->surface;
    int64_t corners[3];
    uint32_t row[3];
    (void)p, (void)i;
    surface_next_triangle(f, corners);
    for (int k = 0; k < 3; k++)
        row[k] =
            s->uv_corners ? find(f->own, s, s->corners[corners[k]], s->uv_corners[corners[k]]) : s->corners[corners[k]];
    memcpy(to, row, sizeof row);
    return to + sizeof row;
}

static void warn_of_normals(struct surface_file *f)
{
    const float(*normals)[3] = f->surface.normals.data;
    int64_t n_none = 0;
    for (int64_t i = 0; i < f->surface.normals.count; i++)
        n_none += is_none(normals[i]);
    if (n_none)
        surface_warn(f, "glTF has no zero normals: that of %lld vertices without one is (0, 0, 1)", (long long)n_none);
}

static void add_arrays(struct surface_file *f, const struct split *t)
{
    const struct surface *s = &f->surface;
    const int64_t n = t->n_vertices + t->n_copies;
    part_add(f, (struct part){.put = put_row, .rows = n, .from = &s->positions});
    if (s->normals.data)
        part_add(f, (struct part){.put = put_normal, .rows = n, .from = &s->normals});
    if (s->uv_corners)
        part_add(f, (struct part){.put = put_uv, .rows = n, .from = &s->uvs});
    for (int i = 0; i < s->n_primvars; i++)
        if (surface_carries(f->format, &s->primvars[i]))
            part_add(f, (struct part){.put = put_row, .rows = n, .from = &s->primvars[i].values});
    part_add(f, (struct part){.put = put_triangle, .rows = surface_triangles(s)});
}

static void add_file(struct surface_file *f, struct split *t)
{
    struct layout l = {0};
    cJSON *o = describe(f, t, &l);
    char *json = l.failed ? NULL : cJSON_PrintUnformatted(o);
    const int64_t text = json ? (int64_t)strlen(json) : 0, padded = (text + 3) / 4 * 4, total = 28 + padded + l.bytes;
    cJSON_Delete(o);
    if (!json)
        f->failed = SURFACE_ENO_MEMORY;
    else if (total > UINT32_MAX)
        surface_refuse(f, SURFACE_ETOO_LARGE,
                       "a binary glTF file has at most 4 GiB; ask for a lower level or for another format");
    else {
        const struct heads heads = {{'g', 'l', 'T', 'F'}, {2, (uint32_t)total, (uint32_t)padded}, {'J', 'S', 'O', 'N'}};
        t->heads = heads;
        t->bin = (struct chunk){(uint32_t)l.bytes, {'B', 'I', 'N', 0}};
        part_bytes(f, &t->heads, sizeof t->heads);
        part_text(f, "%s%.*s", json, (int)(padded - text), "   ");
        part_bytes(f, &t->bin, sizeof t->bin);
        add_arrays(f, t);
    }
    cJSON_free(json);
}

static void free_split(void *own)
{
    struct split *t = own;
    free(t->uv);
    free(t->first);
    free(t->copies);
    free(t);
}

void glb_build(struct surface_file *f)
{
    struct split *t = calloc(1, sizeof *t);
    if (!t) {
        f->failed = SURFACE_ENO_MEMORY;
        return;
    }
    f->own = t;
    f->free_own = free_split;
    t->n_vertices = f->surface.positions.count;
    warn_of_normals(f);
    split_seams(t, f);
    if (!f->failed)
        add_file(f, t);
}
