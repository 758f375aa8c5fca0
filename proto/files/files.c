/* SPDX-License-Identifier: Apache-2.0 */
/* files.c: the table of formats, their limits, and files that are opened, read row by row and closed (files.h). */
#include "proto/files/parts.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct surface_format formats[] = {
    {".obj", "model/obj", true, true, true, false, "", 0, "constant varying vertex", false, " materialBind group ",
     obj_build},
    {".ply", "model/ply", true, true, false, false, "vertex varying uniform", 0, "constant varying vertex uniform",
     false, "*", ply_build},
    {".usda", "model/vnd.usda", true, true, true, false, "constant uniform varying vertex faceVarying", 0,
     "constant uniform varying vertex faceVarying", true, "*", usda_build},
    {".glb", "model/gltf-binary", true, true, true, true, "vertex varying", 4,
     "constant uniform varying vertex faceVarying", true, " materialBind ", glb_build},
    {".stl", "model/stl", false, false, false, true, "", 0, "", false, "", stl_build},
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
    /* In PLY one byte counts the corners, and one their UVs' numbers. Nowhere may the row of a face become too long. */
    const int most = format->build == ply_build && s->uvs.count ? MOST_CORNERS / 2 : MOST_CORNERS;
    for (int64_t i = 0; !format->triangles && !s->face_size && i < s->n_faces; i++)
        if (s->face_sizes[i] > most)
            *why = most < MOST_CORNERS ? "a face with UVs has more than 127 corners; ask for another format"
                                       : "a face has more than 255 corners; ask for another format";
    return *why ? SURFACE_EUNSUPPORTED : SURFACE_OK;
}

int64_t surface_memory(const struct surface_format *format, const struct surface *s)
{
    int64_t bytes = 0;
    for (int i = 0; i < s->n_primvars; i++) /* The faces in the order of their sets. */
        bytes += s->primvars[i].sets.n ? 4 * s->n_faces + 24 * s->primvars[i].sets.n : 0;
    /* Two numbers a vertex, a copy of three numbers for each corner at most, and the first corner or the face of each
     * corner; glb.c says why. */
    return bytes + (format->build == glb_build ? 8 * s->positions.count + 20 * s->n_corners : 0);
}

enum { LOSSES_SIZE = SURFACE_MAX_PRIMVARS * sizeof(struct surface_primvar) };
/* Adds one more name to a list; that of a primvar with its class. */
static void lose(char names[LOSSES_SIZE], const char *class, const char *name)
{
    const size_t n = strlen(names);
    (void)snprintf(names + n, LOSSES_SIZE - n, "%s%s%s%s", n ? ", " : "", class, *class ? " primvar " : "", name);
}

static void warn_of_losses(struct surface_file *f)
{
    const struct surface *s = &f->surface;
    const struct surface_format *format = f->format;
    char names[LOSSES_SIZE] = "";
    if (s->normals.data && !format->normals)
        lose(names, "", "normals");
    if (s->uvs.data && s->uvs_asked && !format->uvs)
        lose(names, "", "uvs");
    for (int i = 0; i < s->n_others; i++)
        lose(names, "", s->others[i]);
    for (int i = 0; i < s->n_primvars; i++)
        if (!surface_carries(format, &s->primvars[i]))
            lose(names, s->primvars[i].interpolation, s->primvars[i].name);
    if (*names)
        surface_warn(f, "%s files cannot carry %s: left out", format->suffix, names);
}

/* Normals that are split nowhere are those of the vertices, in the same rows. */
static void take_normals(struct surface_file *f)
{
    struct surface *s = &f->surface;
    if (!s->normal_corners)
        return;
    if (s->normals.count != s->positions.count && !f->format->split_normals)
        s->normals.data = NULL;
    if (!s->normals.data)
        surface_warn(f, "%s files cannot carry split normals: left out; ask for normals of vertices",
                     f->format->suffix);
    if (!s->normals.data || s->normals.count == s->positions.count)
        s->normal_corners = NULL;
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
    take_normals(f);
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

int64_t surface_file_bytes(const struct surface_file *f)
{
    return f->bytes;
}

void surface_file_again(struct surface_file *f)
{
    f->part = 0;
    f->row = f->done = 0;
    f->walk = (struct walk){0};
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

const char *surface_source(const struct surface *s, char out[SURFACE_SOURCE_SIZE])
{
    *out = 0;
    if (s->level > 0)
        (void)snprintf(out, SURFACE_SOURCE_SIZE, " version %lld level %d", (long long)s->version, s->level);
    return out;
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
