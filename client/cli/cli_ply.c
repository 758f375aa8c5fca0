/* SPDX-License-Identifier: Apache-2.0 */
/* cli_ply.c: writes a refined frame as binary little-endian PLY, for the verb refine. Vertices have normals, faces have
 * UVs as MeshLab's `texcoord` lists, and both have primvars. */
#include "cli.h"
#include <string.h>

/* The primvars that become properties of vertices, or of faces. */
struct columns {
    const struct subd_block *blocks[SUBD_MAX_PRIMVARS];
    int n;
};
enum { NAME_SIZE = sizeof((struct subd_block *)0)->name + SUBD_MAX_PRIMVARS + 1, PROPERTY_SIZE = NAME_SIZE + 8 };

static struct columns columns_of(const struct subd_frame *f, const char *classes)
{
    struct columns c = {.n = 0};
    for (int i = 0; i < f->n_blocks && c.n < SUBD_MAX_PRIMVARS; i++)
        if (f->blocks[i].semantic == SUBD_PRIMVAR && strstr(classes, f->blocks[i].interpolation))
            c.blocks[c.n++] = &f->blocks[i];
    return c;
}

/* A primvar of width 3 has properties like displayColor_0 to displayColor_2, one of width 1 just its name. */
static void property_name(char out[PROPERTY_SIZE], const char *name, const struct subd_block *b, int k)
{
    if (b->components > 1)
        snprintf(out, PROPERTY_SIZE, "%s_%d", name, k);
    else
        snprintf(out, PROPERTY_SIZE, "%s", name);
}

/* Finds a name for a primvar whose properties no other thing of the element has, by adding '_' until it is free. */
static void own_name(struct cli_names *taken, const struct subd_block *b, char name[NAME_SIZE])
{
    char property[PROPERTY_SIZE];
    size_t n = (size_t)snprintf(name, NAME_SIZE, "%s", b->name);
    for (int k = 0; k < b->components;) {
        property_name(property, name, b, k++);
        if (cli_name_is_free(taken, property))
            continue;
        memcpy(name + n++, "_", 2);
        k = 0;
    }
    for (int k = 0; k < b->components; k++) {
        property_name(property, name, b, k);
        cli_name_take(taken, property);
    }
    if (strcmp(name, b->name) != 0)
        cli_warn("the primvar %s is called %s: its properties would have the names of others", b->name, name);
}

/* Declares the properties of the primvars. `fixed` lists the names of the element's other properties. */
static void put_properties(struct cli_writer *w, const struct columns *c, const char *const *fixed)
{
    struct cli_names taken = {NULL};
    for (; *fixed; fixed++)
        cli_name_take(&taken, *fixed);
    for (int i = 0; i < c->n; i++) {
        const struct subd_block *b = c->blocks[i];
        char name[NAME_SIZE], property[PROPERTY_SIZE];
        own_name(&taken, b, name);
        for (int k = 0; k < b->components; k++) {
            char *p = cli_room(w);
            property_name(property, name, b, k);
            cli_took(w, p + snprintf(p, CLI_ROW, "property %s %s\n", strcmp(b->type, "i32") == 0 ? "int" : "float",
                                     property));
        }
    }
    cli_names_free(&taken);
}

static void put_columns(struct cli_writer *w, const struct columns *c, int64_t row)
{
    for (int i = 0; i < c->n; i++) {
        size_t bytes = 4 * (size_t)c->blocks[i]->components;
        cli_put(w, (const char *)c->blocks[i]->data + (size_t)row * bytes, bytes);
    }
}

static void put_header(struct cli_writer *w, const struct subd_frame *f, int normals, int textured,
                       const struct columns *vertices, const struct columns *faces)
{
    const char *const of_vertices[] = {"x", "y", "z", normals ? "nx" : NULL, "ny", "nz", NULL},
                      *const of_faces[] = {"vertex_indices", textured ? "texcoord" : NULL, NULL};
    char *p = cli_room(w);
    int n = snprintf(p, CLI_ROW,
                     "ply\nformat binary_little_endian 1.0\ncomment subdd %s version %lld level %d\ncomment name %s\n",
                     f->mesh_id, (long long)f->version, f->level, w->mesh_name);
    cli_took(w, p + n);
    p = cli_room(w);
    n = snprintf(p, CLI_ROW, "element vertex %lld\nproperty float x\nproperty float y\nproperty float z\n%s",
                 (long long)f->vertices, normals ? "property float nx\nproperty float ny\nproperty float nz\n" : "");
    cli_took(w, p + n);
    put_properties(w, vertices, of_vertices);
    p = cli_room(w);
    /* More readers know "int"; only a mesh of more than 2^31 vertices needs "uint". */
    n = snprintf(p, CLI_ROW, "element face %lld\nproperty list uchar %s vertex_indices\n%s", (long long)f->faces,
                 f->vertices > INT32_MAX ? "uint" : "int", textured ? "property list uchar float texcoord\n" : "");
    cli_took(w, p + n);
    put_properties(w, faces, of_faces);
    cli_put(w, "end_header\n", 11);
}

static void put_vertices(struct cli_writer *w, const struct subd_block *positions, const struct subd_block *normals,
                         const struct columns *columns, int64_t rows)
{
    const char *v = positions->data, *n = normals ? normals->data : NULL;
    if (!n && !columns->n) {
        cli_put(w, v, (size_t)positions->bytes);
        return;
    }
    for (int64_t i = 0; i < positions->count && !w->failed; i++, v += 12) {
        char *p = cli_room(w);
        memcpy(p, v, 12);
        if (n)
            memcpy(p + 12, n + 12 * i, 12);
        cli_took(w, p + (n ? 24 : 12));
        put_columns(w, columns, i);
        cli_step(i, rows);
    }
}

static void put_faces(struct cli_writer *w, const struct subd_block *faces, const struct subd_block *uvs,
                      const struct subd_block *uv_faces, const struct columns *columns, int64_t done, int64_t rows)
{
    const uint32_t *v = faces->data, *t = uvs ? uv_faces->data : NULL;
    const float(*uv)[2] = uvs ? uvs->data : NULL;
    size_t n = (size_t)faces->components;
    for (int64_t i = 0; i < faces->count && !w->failed; i++, v += n) {
        char *p = cli_room(w);
        *p++ = (char)n;
        memcpy(p, v, n * 4);
        p += n * 4;
        if (t) {
            *p++ = (char)(n * 2);
            for (size_t k = 0; k < n; k++, p += 8)
                memcpy(p, uv[*t++], 8); /* libsubd has checked the indices. */
        }
        cli_took(w, p);
        put_columns(w, columns, i);
        cli_step(done + i, rows);
    }
}

void cli_write_ply(struct cli_writer *w, const struct subd_frame *f)
{
    struct cli_surface s = cli_surface_of(f);
    int64_t rows = s.positions->count + s.faces->count;
    struct columns vertices = columns_of(f, "vertex varying"), faces = columns_of(f, "uniform");
    put_header(w, f, s.normals != NULL, s.uvs != NULL, &vertices, &faces);
    put_vertices(w, s.positions, s.normals, &vertices, rows);
    put_faces(w, s.faces, s.uvs, s.uv_faces, &faces, s.positions->count, rows);
}
