/* SPDX-License-Identifier: Apache-2.0 */
/* cli_glb.c: writes a refined frame as binary glTF 2.0, for the verb refine. glTF has triangles, and each vertex has
 * one position, one normal and one UV.
 *
 *   header | JSON chunk | BIN chunk: positions, normals, UVs, primvars, indices
 *
 * A vertex at a seam has several UVs. The vertex itself keeps the first one; each further one gets a copy of the vertex
 * behind all vertices. Each vertex has a list of its copies, which is searched by the value of the UV. */
#include "cli.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX                                                  /* glTF does not allow this index either. */
enum { FLOATS = 5126, UINTS = 5125, VERTICES = 34962, INDICES = 34963 }; /* glTF defines these. */

/* The vertices after those at UV seams have been split. */
struct split {
    struct copy {
        uint32_t vertex, uv;
        uint32_t next; /* The next copy of the same vertex; NONE at the end. */
    } * copies;
    uint32_t *uv;    /* The row of UVs that each vertex keeps; NONE without one. */
    uint32_t *first; /* The first copy of each vertex; NONE without one. */
    int64_t n_vertices, n_copies, room;
};

/* Are these two rows of UVs equal? */
static int same(const struct cli_surface *s, uint32_t a, uint32_t b)
{
    const float(*uv)[2] = s->uvs->data;
    return a == b || memcmp(uv[a], uv[b], sizeof uv[a]) == 0;
}

/* Finds which has this UV: the vertex itself, one of its copies, or NONE of them. */
static uint32_t find(const struct split *t, const struct cli_surface *s, uint32_t vertex, uint32_t uv)
{
    if (t->uv[vertex] == NONE || same(s, t->uv[vertex], uv))
        return vertex;
    for (uint32_t i = t->first[vertex]; i != NONE; i = t->copies[i].next)
        if (same(s, t->copies[i].uv, uv))
            return (uint32_t)t->n_vertices + i;
    return NONE;
}

static void add_copy(struct split *t, struct cli_writer *w, uint32_t vertex, uint32_t uv)
{
    if (t->n_vertices + t->n_copies >= NONE) {
        cli_refuse(w, "with its UV seams the surface has too many vertices for the 32-bit indices of glTF");
        return;
    }
    if (t->n_copies == t->room) {
        int64_t room = 2 * t->room;
        struct copy *grown = realloc(t->copies, (size_t)room * sizeof *grown);
        if (!grown) {
            w->failed = ENOMEM;
            return;
        }
        t->copies = grown;
        t->room = room;
    }
    t->copies[t->n_copies] = (struct copy){vertex, uv, t->first[vertex]};
    t->first[vertex] = (uint32_t)t->n_copies++;
}

static void split_seams(struct split *t, struct cli_writer *w, const struct cli_surface *s)
{
    size_t bytes = (size_t)t->n_vertices * sizeof *t->uv;
    if (!s->uvs)
        return;
    const uint32_t *v = s->faces->data, *uv = s->uv_faces->data;
    t->room = 1024;
    t->uv = malloc(bytes + 1);
    t->first = malloc(bytes + 1);
    t->copies = calloc((size_t)t->room, sizeof *t->copies);
    if (!t->uv || !t->first || !t->copies) {
        w->failed = ENOMEM;
        return;
    }
    memset(t->uv, 0xff, bytes); /* All bits set is NONE. */
    memset(t->first, 0xff, bytes);
    for (int64_t i = 0, n = s->faces->count * s->faces->components; i < n && !w->failed; i++, v++, uv++) {
        uint32_t at = find(t, s, *v, *uv);
        if (at == NONE)
            add_copy(t, w, *v, *uv);
        else if (at == *v)
            t->uv[*v] = *uv;
    }
}

/* ---- the JSON chunk ------------------------------------------------------------------------------------------- */

struct layout {
    cJSON *views, *accessors;
    int64_t bytes;
};

/* Adds an array at the end of the BIN chunk, and returns its accessor. */
static cJSON *add_array(struct layout *l, int64_t count, const char *type, int width, int component, int target)
{
    cJSON *view = cJSON_CreateObject(), *accessor = cJSON_CreateObject();
    cJSON_AddNumberToObject(accessor, "bufferView", cJSON_GetArraySize(l->views));
    cJSON_AddNumberToObject(accessor, "componentType", component);
    cJSON_AddNumberToObject(accessor, "count", (double)count);
    cJSON_AddStringToObject(accessor, "type", type);
    cJSON_AddItemToArray(l->accessors, accessor);
    cJSON_AddNumberToObject(view, "buffer", 0);
    cJSON_AddNumberToObject(view, "byteOffset", (double)l->bytes);
    cJSON_AddNumberToObject(view, "byteLength", (double)(count * width * 4));
    cJSON_AddNumberToObject(view, "target", target);
    cJSON_AddItemToArray(l->views, view);
    l->bytes += count * width * 4;
    return accessor;
}

static cJSON *in_array(cJSON *item)
{
    cJSON *array = cJSON_CreateArray();
    cJSON_AddItemToArray(array, item);
    return array;
}

/* A vertex or varying primvar of 1 to 4 numbers can be a vertex attribute. */
static int is_attribute(const struct subd_block *b)
{
    return b->semantic == SUBD_PRIMVAR && b->components <= 4 &&
           (strcmp(b->interpolation, "vertex") == 0 || strcmp(b->interpolation, "varying") == 0);
}

/* An attribute that glTF does not define must have a name that begins with '_'. */
static void add_primvar(struct layout *l, cJSON *attributes, const struct subd_block *b, int64_t n)
{
    static const char *const types[] = {"SCALAR", "VEC2", "VEC3", "VEC4"};
    char name[sizeof b->name + 1];
    int color = strcmp(b->name, "displayColor") == 0 && b->components >= 3;
    snprintf(name, sizeof name, "_%s", b->name);
    cJSON_AddNumberToObject(attributes, color ? "COLOR_0" : name, cJSON_GetArraySize(l->accessors));
    add_array(l, n, types[b->components - 1], b->components, FLOATS, VERTICES);
}

/* Makes the JSON. It lays the arrays out in *l in the order in which put_file writes them. */
static cJSON *describe(const char *name, const struct subd_frame *f, const struct cli_surface *s, const struct split *t,
                       struct layout *l)
{
    int64_t n = t->n_vertices + t->n_copies;
    cJSON *o = cJSON_CreateObject(), *asset = cJSON_AddObjectToObject(o, "asset"), *node = cJSON_CreateObject();
    cJSON *mesh = cJSON_CreateObject(), *primitive = cJSON_CreateObject(), *buffer = cJSON_CreateObject(), *positions;
    cJSON *attributes = cJSON_AddObjectToObject(primitive, "attributes");
    float box[6];
    cJSON_AddStringToObject(asset, "version", "2.0");
    cJSON_AddStringToObject(asset, "generator", "subdd");
    cJSON_AddNumberToObject(o, "scene", 0);
    cJSON_AddItemToObject(node, "nodes", in_array(cJSON_CreateNumber(0)));
    cJSON_AddItemToObject(o, "scenes", in_array(node));
    cJSON_AddNumberToObject(mesh, "mesh", 0);
    cJSON_AddStringToObject(mesh, "name", name);
    cJSON_AddItemToObject(o, "nodes", in_array(mesh));
    l->views = cJSON_AddArrayToObject(o, "bufferViews");
    l->accessors = cJSON_AddArrayToObject(o, "accessors");
    cJSON_AddNumberToObject(attributes, "POSITION", 0);
    positions = add_array(l, n, "VEC3", 3, FLOATS, VERTICES);
    cli_surface_box(s, box);
    for (int side = 0; side < 2; side++) {
        cJSON *bound = cJSON_AddArrayToObject(positions, side ? "max" : "min");
        for (int k = 0; k < 3; k++)
            cJSON_AddItemToArray(bound, cJSON_CreateNumber((double)box[3 * side + k]));
    }
    if (s->normals) {
        cJSON_AddNumberToObject(attributes, "NORMAL", cJSON_GetArraySize(l->accessors));
        add_array(l, n, "VEC3", 3, FLOATS, VERTICES);
    }
    if (s->uvs) {
        cJSON_AddNumberToObject(attributes, "TEXCOORD_0", cJSON_GetArraySize(l->accessors));
        add_array(l, n, "VEC2", 2, FLOATS, VERTICES);
    }
    for (int i = 0; i < f->n_blocks; i++)
        if (is_attribute(&f->blocks[i]))
            add_primvar(l, attributes, &f->blocks[i], n);
    cJSON_AddNumberToObject(primitive, "indices", cJSON_GetArraySize(l->accessors));
    add_array(l, 3 * s->triangles, "SCALAR", 1, UINTS, INDICES);
    mesh = cJSON_CreateObject();
    cJSON_AddStringToObject(mesh, "name", name);
    cJSON_AddItemToObject(mesh, "primitives", in_array(primitive));
    cJSON_AddItemToObject(o, "meshes", in_array(mesh));
    cJSON_AddNumberToObject(buffer, "byteLength", (double)l->bytes);
    cJSON_AddItemToObject(o, "buffers", in_array(buffer));
    return o;
}

/* ---- the BIN chunk -------------------------------------------------------------------------------------------- */

/* Writes the rows of the frame's vertices, then those of the copies. */
static void put_rows(struct cli_writer *w, const struct split *t, const struct subd_block *b)
{
    size_t row = (size_t)b->components * sizeof(float);
    cli_put(w, b->data, (size_t)b->bytes);
    for (int64_t i = 0; i < t->n_copies && !w->failed; i++)
        cli_put(w, (const char *)b->data + t->copies[i].vertex * row, row);
}

/* glTF does not allow zero normals, but vertices without a face have them in a frame. They get (0, 0, 1). */
static void put_normals(struct cli_writer *w, const struct split *t, const struct subd_block *b)
{
    static const float up[3] = {0, 0, 1};
    const float(*normals)[3] = b->data;
    int64_t n_none = 0;
    for (int64_t i = 0; i < t->n_vertices + t->n_copies && !w->failed; i++) {
        const float *n = normals[i < t->n_vertices ? i : t->copies[i - t->n_vertices].vertex];
        int is_none = n[0] == 0 && n[1] == 0 && n[2] == 0;
        n_none += is_none && i < t->n_vertices;
        cli_put(w, is_none ? up : n, sizeof up);
    }
    if (n_none && !w->failed)
        cli_warn("glTF has no zero normals: that of %lld vertices without one is (0, 0, 1)", (long long)n_none);
}

/* glTF counts v from the top of the image. A vertex without a face has no UV and gets (0, 0). */
static void put_uvs(struct cli_writer *w, const struct split *t, const struct cli_surface *s)
{
    const float(*uvs)[2] = s->uvs->data;
    for (int64_t i = 0; i < t->n_vertices + t->n_copies && !w->failed; i++) {
        uint32_t row = i < t->n_vertices ? t->uv[i] : t->copies[i - t->n_vertices].uv;
        float uv[2] = {0, 0};
        if (row != NONE) {
            uv[0] = uvs[row][0];
            uv[1] = 1 - uvs[row][1];
        }
        cli_put(w, uv, sizeof uv);
    }
}

static void put_triangles(struct cli_writer *w, const struct split *t, const struct cli_surface *s)
{
    for (int64_t i = 0; i < s->triangles && !w->failed; i++) {
        uint32_t corners[3], row[3];
        const uint32_t *face = cli_surface_triangle(s, i, corners), *uv = NULL;
        if (s->uvs)
            uv = (const uint32_t *)s->uv_faces->data + (face - (const uint32_t *)s->faces->data);
        for (int k = 0; k < 3; k++)
            row[k] = uv ? find(t, s, face[corners[k]], uv[corners[k]]) : face[corners[k]];
        cli_put(w, row, sizeof row);
        cli_step(i, s->triangles);
    }
}

static void put_chunk(struct cli_writer *w, const char *tag, int64_t bytes)
{
    uint32_t size = (uint32_t)bytes;
    cli_put(w, &size, sizeof size);
    cli_put(w, tag, 4);
}

static void put_file(struct cli_writer *w, const struct subd_frame *f, const struct cli_surface *s,
                     const struct split *t)
{
    struct layout l = {0};
    cJSON *o = describe(w->mesh_name, f, s, t, &l);
    char *json = cJSON_PrintUnformatted(o);
    int64_t text = json ? (int64_t)strlen(json) : 0, padded = (text + 3) / 4 * 4, total = 28 + padded + l.bytes;
    uint32_t head[2] = {2, (uint32_t)total};
    cJSON_Delete(o);
    if (!json) {
        w->failed = ENOMEM;
    } else if (total > UINT32_MAX) {
        cli_refuse(w, "a binary glTF file has at most 4 GiB");
    } else {
        cli_put(w, "glTF", 4);
        cli_put(w, head, sizeof head);
        put_chunk(w, "JSON", padded);
        cli_put(w, json, (size_t)text);
        cli_put(w, "   ", (size_t)(padded - text));
        put_chunk(w, "BIN", l.bytes); /* The fourth byte of the tag is the NUL. */
        put_rows(w, t, s->positions);
        if (s->normals)
            put_normals(w, t, s->normals);
        if (s->uvs)
            put_uvs(w, t, s);
        for (int i = 0; i < f->n_blocks; i++)
            if (is_attribute(&f->blocks[i]))
                put_rows(w, t, &f->blocks[i]);
        put_triangles(w, t, s);
    }
    cJSON_free(json);
}

void cli_write_glb(struct cli_writer *w, const struct subd_frame *f)
{
    struct cli_surface s = cli_surface_of(f);
    struct split t = {.n_vertices = s.positions->count};
    if (!s.faces->count) {
        cli_refuse(w, "the surface has no faces, and glTF no empty meshes");
        return;
    }
    split_seams(&t, w, &s);
    if (!w->failed)
        put_file(w, f, &s, &t);
    free(t.uv);
    free(t.first);
    free(t.copies);
}
