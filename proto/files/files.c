/* SPDX-License-Identifier: Apache-2.0 */
/* files.c: the table of formats, and files as lists of parts that are read row by row (files.h). */
#include "proto/files/parts.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define CHUNK 4096 /* The bytes of a row of a part that is copied. */

static const struct surface_format formats[] = {
    {".obj", "model/obj", true, true, false, "", 0, obj_build},
    {".ply", "model/ply", true, true, false, "vertex varying uniform", 0, ply_build},
    {".usda", "model/vnd.usda", true, true, false, "constant uniform varying vertex faceVarying", 0, usda_build},
    {".glb", "model/gltf-binary", true, true, true, "vertex varying", 4, glb_build},
    {".stl", "model/stl", false, false, true, "", 0, stl_build},
};
enum { N_FORMATS = sizeof formats / sizeof *formats, MOST_CORNERS = 255 };

const struct surface_format *surface_format_at(int row)
{
    return row < N_FORMATS ? &formats[row] : NULL;
}

const struct surface_format *surface_format_named(const char *name)
{
    for (int i = 0; i < N_FORMATS; i++)
        if (strcasecmp(formats[i].suffix, name) == 0 || strcmp(formats[i].media_type, name) == 0)
            return &formats[i];
    return NULL;
}

/* ---- limits and losses ------------------------------------------------------------------------------------------ */
int surface_admits(const struct surface_format *format, const struct surface *s, const char **why)
{
    const int64_t triangles = surface_triangles(s);
    *why = NULL;
    if (format->build == stl_build && triangles > UINT32_MAX)
        *why = "STL counts at most 4,294,967,295 triangles; ask for a lower level or for another format";
    /* Without its normals, UVs and header a file is even smaller, and so many bytes are 4 GiB already. */
    if (format->build == glb_build && 12 * s->positions.count + 12 * triangles > UINT32_MAX)
        *why = "a binary glTF file has at most 4 GiB; ask for a lower level or for another format";
    if (*why)
        return SURFACE_ETOO_LARGE;
    if (format->build == glb_build && s->n_faces == 0)
        *why = "the surface has no faces, and glTF no empty meshes; ask for another format";
    /* In PLY one byte counts the corners, and nowhere may the row of a face become too long. */
    for (int64_t i = 0; !format->triangles && !s->face_size && i < s->n_faces; i++)
        if (s->face_sizes[i] > MOST_CORNERS)
            *why = "a face has more than 255 corners; ask for another format";
    return *why ? SURFACE_EUNSUPPORTED : SURFACE_OK;
}

bool surface_carries(const struct surface_format *format, const struct surface_primvar *p)
{
    return strstr(format->classes, p->interpolation) && (!format->width || p->values.components <= format->width);
}

static void warn_of_losses(struct surface_file *f)
{
    const struct surface *s = &f->surface;
    const struct surface_format *format = f->format;
    const int largest = s->face_size ? s->face_size : s->n_corners > 3 * s->n_faces ? 4 : 3;
    if (s->normals.data && !format->normals)
        surface_warn(f, "%s files cannot carry normals: left out", format->suffix);
    if (s->uvs.data && !format->uvs)
        surface_warn(f, "%s files cannot carry uvs: left out", format->suffix);
    for (int i = 0; i < s->n_others; i++)
        surface_warn(f, "%s files cannot carry %s: left out", format->suffix, s->others[i]);
    for (int i = 0; i < s->n_primvars; i++)
        if (!surface_carries(format, &s->primvars[i]))
            surface_warn(f, "%s files cannot carry %s primvar %s: left out", format->suffix,
                         s->primvars[i].interpolation, s->primvars[i].name);
    if (format->triangles && largest > 3)
        surface_warn(f, "%s files have triangles alone: each %s", format->suffix,
                     s->face_size ? "quad becomes two" : "larger face becomes several");
}

void surface_warn(struct surface_file *f, const char *format, ...)
{
    char *before = f->warnings, *line = NULL;
    va_list args;
    va_start(args, format);
    if (vasprintf(&line, format, args) < 0)
        line = NULL;
    va_end(args);
    if (!line || asprintf(&f->warnings, "%s%s\n", before ? before : "", line) < 0) {
        f->warnings = before;
        f->failed = SURFACE_ENO_MEMORY;
    } else
        free(before);
    free(line);
}

void surface_refuse(struct surface_file *f, int code, const char *why)
{
    f->failed = code;
    f->why = why;
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */
void part_add(struct surface_file *f, struct part part)
{
    if (f->n_parts == f->room) {
        const int room = f->room ? 2 * f->room : 16;
        struct part *grown = realloc(f->parts, (size_t)room * sizeof *grown);
        if (!grown) {
            f->failed = SURFACE_ENO_MEMORY;
            if (part.owned)
                free((void *)(uintptr_t)part.data);
            return;
        }
        f->parts = grown;
        f->room = room;
    }
    f->parts[f->n_parts++] = part;
    f->all += part.rows;
}

static char *put_chunk(struct surface_file *f, const struct part *p, int64_t i, char *to)
{
    const int64_t at = i * CHUNK, n = p->bytes - at < CHUNK ? p->bytes - at : CHUNK;
    (void)f;
    memcpy(to, (const char *)p->data + at, (size_t)n);
    return to + n;
}

void part_bytes(struct surface_file *f, const void *data, int64_t bytes)
{
    part_add(f, (struct part){.put = put_chunk, .rows = (bytes + CHUNK - 1) / CHUNK, .data = data, .bytes = bytes});
}

void part_text(struct surface_file *f, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    const int n = vasprintf(&text, format, args);
    va_end(args);
    if (n < 0)
        f->failed = SURFACE_ENO_MEMORY;
    else
        part_add(f, (struct part){
                        .put = put_chunk, .rows = (n + CHUNK - 1) / CHUNK, .data = text, .bytes = n, .owned = true});
}

/* ---- faces ------------------------------------------------------------------------------------------------------- */
int64_t surface_next_face(struct surface_file *f, int *size)
{
    struct walk *w = &f->walk;
    const int64_t corner = w->corner;
    *size = surface_face_size(&f->surface, w->face++);
    w->corner += *size;
    return corner;
}

void surface_next_triangle(struct surface_file *f, int64_t corners[3])
{
    struct walk *w = &f->walk;
    int size = surface_face_size(&f->surface, w->face);
    for (; w->triangle == size - 2; size = surface_face_size(&f->surface, w->face)) {
        w->corner += size;
        w->face++;
        w->triangle = 0;
    }
    corners[0] = w->corner;
    corners[1] = w->corner + ++w->triangle;
    corners[2] = corners[1] + 1;
}

void surface_box(const struct surface *s, float box[6])
{
    const float *p = s->positions.data;
    for (int k = 0; k < 6; k++)
        box[k] = k < 3 ? INFINITY : -INFINITY;
    for (int64_t i = 0; i < s->positions.count; i++)
        for (int k = 0; k < 3; k++, p++) {
            box[k] = fminf(box[k], *p);
            box[k + 3] = fmaxf(box[k + 3], *p);
        }
}

/* ---- files ------------------------------------------------------------------------------------------------------- */
int surface_file_open(const struct surface_format *format, const struct surface *s, struct surface_file **out,
                      const char **why)
{
    struct surface_file *f;
    *out = NULL;
    int rc = surface_admits(format, s, why);
    if (rc)
        return rc;
    *why = "out of memory";
    if (!(f = calloc(1, sizeof *f)))
        return SURFACE_ENO_MEMORY;
    f->surface = *s;
    f->format = format;
    format->build(f);
    warn_of_losses(f);
    if (!f->failed) {
        *out = f;
        return SURFACE_OK;
    }
    rc = f->failed;
    if (f->why)
        *why = f->why;
    surface_file_close(f);
    return rc;
}

size_t surface_file_read(struct surface_file *f, char *out, size_t room)
{
    char *to = out;
    while (f->part < f->n_parts && (size_t)(to - out) + SURFACE_ROW_BYTES <= room) {
        const struct part *p = &f->parts[f->part];
        if (f->row == p->rows) {
            f->part++;
            f->row = 0;
            f->walk = (struct walk){0};
            continue;
        }
        to = p->put(f, p, f->row++, to);
        f->done++;
    }
    return (size_t)(to - out);
}

int64_t surface_file_progress(const struct surface_file *f, int64_t *all)
{
    *all = f->all;
    return f->done;
}

const char *surface_file_warnings(const struct surface_file *f)
{
    return f->warnings ? f->warnings : "";
}

void surface_file_close(struct surface_file *f)
{
    if (!f)
        return;
    for (int i = 0; i < f->n_parts; i++)
        if (f->parts[i].owned)
            free((void *)(uintptr_t)f->parts[i].data);
    if (f->free_own)
        f->free_own(f->own);
    free(f->parts);
    free(f->warnings);
    free(f);
}
