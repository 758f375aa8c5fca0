/* SPDX-License-Identifier: Apache-2.0 */
/* ply.c: writes a surface as binary little-endian PLY. Vertices have normals, faces have UVs as MeshLab's `texcoord`
 * lists, and both have primvars. displayColor becomes red, green and blue of 0 to 255, as readers look for; its values
 * are taken as they are, without a curve. Face sets are integers, and comments say which name each has. */
#include "proto/files/parts.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    NAME_SIZE = sizeof((struct surface_primvar *)0)->name + SURFACE_MAX_PRIMVARS + 1,
    PROPERTY_SIZE = NAME_SIZE + 8
};

/* Is the primvar a property of vertices, or with `of_faces` of faces? A colour of the whole mesh is one of vertices. */
static bool is_property(const struct surface_file *f, const struct surface_primvar *p, bool of_faces)
{
    const bool colour = p == surface_colour(f);
    return strstr(of_faces ? "uniform" : colour ? "vertex varying constant" : "vertex varying", p->interpolation);
}

static void add_colours(struct surface_file *f, bool of_faces)
{
    const struct surface_primvar *p = surface_colour(f);
    if (p && is_property(f, p, of_faces))
        part_text(f, "property uchar red\nproperty uchar green\nproperty uchar blue\n");
}

/* A primvar of width 3 has properties like displayColor_0 to displayColor_2, one of width 1 just its name. */
static void property_name(char out[PROPERTY_SIZE], const char *name, const struct surface_primvar *p, int k)
{
    if (p->values.components > 1)
        (void)snprintf(out, PROPERTY_SIZE, "%s_%d", name, k);
    else
        (void)snprintf(out, PROPERTY_SIZE, "%s", name);
}

/* Finds a name for a primvar whose properties no other thing of the element has, by adding '_' until it is free. */
static void own_name(struct surface_file *f, struct surface_names *taken, const struct surface_primvar *p,
                     char name[NAME_SIZE])
{
    char property[PROPERTY_SIZE];
    size_t n = (size_t)snprintf(name, NAME_SIZE, "%s", p->name);
    for (int k = 0; k < p->values.components;) {
        property_name(property, name, p, k++);
        if (surface_name_is_free(taken, property))
            continue;
        memcpy(name + n++, "_", 2);
        k = 0;
    }
    for (int k = 0; k < p->values.components; k++) {
        property_name(property, name, p, k);
        surface_name_take(taken, property);
    }
    if (strcmp(name, p->name) != 0)
        surface_warn(f, "the primvar %s is called %s: its properties would have the names of others", p->name, name);
}

/* Declares the properties of the primvars. `fixed` lists the names of the element's other properties. */
static void add_properties(struct surface_file *f, bool of_faces, const char *const *fixed)
{
    struct surface_names taken = {NULL};
    for (; *fixed; fixed++)
        surface_name_take(&taken, *fixed);
    add_colours(f, of_faces);
    for (int i = 0; i < f->surface.n_primvars; i++) {
        const struct surface_primvar *p = &f->surface.primvars[i];
        char name[NAME_SIZE], property[PROPERTY_SIZE];
        if (!is_property(f, p, of_faces) || p == surface_colour(f))
            continue;
        own_name(f, &taken, p, name);
        for (int k = 0; k < p->values.components; k++) {
            property_name(property, name, p, k);
            part_text(f, "property %s %s\n", p->integers ? "int" : "float", property);
        }
    }
    surface_names_free(&taken);
}

static char *put_primvars(const struct surface_file *f, bool of_faces, int64_t row, char *to)
{
    const struct surface_primvar *colour = surface_colour(f);
    if (colour && is_property(f, colour, of_faces)) {
        const float *rgb = (const float *)colour->values.data + (colour->values.count == 1 ? 0 : 3 * row);
        for (int k = 0; k < 3; k++)
            *to++ = (char)(unsigned char)(255 * fminf(fmaxf(rgb[k], 0), 1) + 0.5f);
    }
    for (int i = 0; i < f->surface.n_primvars; i++) {
        const struct surface_primvar *p = &f->surface.primvars[i];
        const size_t bytes = 4 * (size_t)p->values.components;
        if (!is_property(f, p, of_faces) || p == colour)
            continue;
        memcpy(to, (const char *)p->values.data + (size_t)row * bytes, bytes);
        to += bytes;
    }
    return to;
}

static char *put_vertex(struct surface_file *f, const struct part *p, int64_t i, char *to)
{
    const struct surface *s = &f->surface;
    (void)p;
    memcpy(to, (const char *)s->positions.data + 12 * i, 12);
    to += 12;
    if (s->normals.data) {
        memcpy(to, (const char *)s->normals.data + 12 * i, 12);
        to += 12;
    }
    return put_primvars(f, false, i, to);
}

static char *put_face(struct surface_file *f, const struct part *p, int64_t i, char *to)
{
    const struct surface *s = &f->surface;
    const float(*uvs)[2] = s->uvs.data;
    int n;
    const int64_t first = surface_next_face(f, &n);
    (void)p;
    *to++ = (char)n;
    memcpy(to, s->corners + first, (size_t)n * 4);
    to += n * 4;
    if (s->uv_corners) {
        *to++ = (char)(n * 2);
        for (int k = 0; k < n; k++, to += 8)
            memcpy(to, uvs[s->uv_corners[first + k]], 8);
    }
    return put_primvars(f, true, i, to);
}

/* Adds a comment for each face set: the primvar, the value, and the name. A name in one line stays as it is. */
static void add_set_names(struct surface_file *f)
{
    for (int i = 0; i < f->surface.n_primvars; i++) {
        const struct surface_primvar *p = &f->surface.primvars[i];
        const char *name = p->sets.text;
        for (int64_t k = 0; surface_has_sets(p) && k < p->sets.n; k++, name += strlen(name) + 1) {
            char line[FILE_NAME_SIZE], *to = line;
            for (const char *c = name; *c && to < line + sizeof line - 1; c++)
                *to++ = (char)((unsigned char)*c < ' ' ? '_' : *c);
            *to = 0;
            part_text(f, "comment %s %lld %s\n", p->name, (long long)k + 1, line);
        }
    }
}

void ply_build(struct surface_file *f)
{
    const struct surface *s = &f->surface;
    const struct surface_primvar *colour = surface_colour(f);
    const bool on_faces = colour && is_property(f, colour, true), on_vertices = colour && !on_faces;
    const char *const of_vertices[] = {"x",
                                       "y",
                                       "z",
                                       on_vertices ? "red" : "x",
                                       on_vertices ? "green" : "x",
                                       on_vertices ? "blue" : "x",
                                       s->normals.data ? "nx" : NULL,
                                       "ny",
                                       "nz",
                                       NULL},
                      *const of_faces[] = {"vertex_indices",
                                           on_faces ? "red" : "vertex_indices",
                                           on_faces ? "green" : "vertex_indices",
                                           on_faces ? "blue" : "vertex_indices",
                                           s->uvs.data ? "texcoord" : NULL,
                                           NULL};
    char source[SURFACE_SOURCE_SIZE];
    part_text(f, "ply\nformat binary_little_endian 1.0\ncomment subdd %s%s\ncomment name %s\n", s->id,
              surface_source(s, source), s->name);
    add_set_names(f);
    part_text(f, "element vertex %lld\nproperty float x\nproperty float y\nproperty float z\n%s",
              (long long)s->positions.count,
              s->normals.data ? "property float nx\nproperty float ny\nproperty float nz\n" : "");
    add_properties(f, false, of_vertices);
    /* More readers know "int"; only a mesh of more than 2^31 vertices needs "uint". */
    part_text(f, "element face %lld\nproperty list uchar %s vertex_indices\n%s", (long long)s->n_faces,
              s->positions.count > INT32_MAX ? "uint" : "int",
              s->uvs.data ? "property list uchar float texcoord\n" : "");
    add_properties(f, true, of_faces);
    part_text(f, "end_header\n");
    part_add(f, (struct part){.put = put_vertex, .rows = s->positions.count});
    part_add(f, (struct part){.put = put_face, .rows = s->n_faces});
}
