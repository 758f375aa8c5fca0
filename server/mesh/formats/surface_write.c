/* SPDX-License-Identifier: Apache-2.0 */
/* surface_write.c: writes the polygons of a control mesh in the formats of proto/files that know no subdivision: PLY,
 * binary glTF, STL (mesh_to_surface). Holes are left out, and all faces are right-handed, as those of refined surfaces
 * are. */
#include "proto/files/files.h"
#include "server/mesh/formats/codec.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BYTES ((size_t)256 << 10) /* The memory for a file grows from here. */

/* The faces that are no holes. */
struct faces {
    int64_t n_faces, n_corners;
    int32_t *rows;                       /* [n_faces] Their rows in the mesh. */
    int32_t *sizes;                      /* [n_faces] */
    uint32_t *corners;                   /* [n_corners] The corner of the mesh that stands here, and then its vertex. */
    uint32_t *uvs;                       /* [n_corners] */
    void *uniform[SDD_MAX_PRIMVARS];     /* The values of primvars that have a row for each face. */
    uint32_t *varying[SDD_MAX_PRIMVARS]; /* [n_corners] The rows of faceVarying primvars; NULL for others. */
};

static void free_faces(struct faces *f)
{
    for (int i = 0; i < SDD_MAX_PRIMVARS; i++)
        free(f->uniform[i]), free(f->varying[i]);
    free(f->rows);
    free(f->sizes);
    free(f->corners);
    free(f->uvs);
}

static void take_face(struct faces *f, const struct mesh *m, int64_t row, int64_t first)
{
    const int32_t n = m->face_counts[row];
    f->rows[f->n_faces] = (int32_t)row;
    f->sizes[f->n_faces++] = n;
    for (int32_t k = 0; k < n; k++) {
        const int64_t corner = first + (m->options.orientation == SDD_LEFT_HANDED && k ? n - k : k);
        f->corners[f->n_corners] = (uint32_t)m->face_vertices[corner];
        if (m->n_uvs)
            f->uvs[f->n_corners] = (uint32_t)m->uv_indices[corner];
        for (int i = 0; i < m->n_primvars; i++)
            if (f->varying[i])
                f->varying[i][f->n_corners] = (uint32_t)m->primvars[i].indices[corner];
        f->n_corners++;
    }
}

/* Copies the values of a uniform primvar that belong to these faces. */
static int take_values(struct faces *f, const struct primvar *p, void **out, struct sdd_error *err)
{
    const size_t bytes = 4 * (size_t)p->info.width;
    char *to = mesh_alloc(f->n_faces, (int64_t)bytes, err);
    *out = to;
    for (int64_t i = 0; to && i < f->n_faces; i++)
        memcpy(to + (size_t)i * bytes, (const char *)p->values + (size_t)f->rows[i] * bytes, bytes);
    return to ? SDD_OK : SDD_ENO_MEMORY;
}

static int take_faces(struct faces *f, const struct mesh *m, struct sdd_error *err)
{
    int rc = SDD_OK;
    f->rows = mesh_alloc(m->n_faces, 4, err);
    f->sizes = mesh_alloc(m->n_faces, 4, err);
    f->corners = mesh_alloc(m->n_corners, 4, err);
    f->uvs = mesh_alloc(m->n_corners, 4, err);
    if (!f->rows || !f->sizes || !f->corners || !f->uvs)
        return SDD_ENO_MEMORY;
    for (int i = 0; i < m->n_primvars; i++)
        if (m->primvars[i].indices && !(f->varying[i] = mesh_alloc(m->n_corners, 4, err)))
            return SDD_ENO_MEMORY;
    for (int64_t row = 0, first = 0, hole = 0; row < m->n_faces; first += m->face_counts[row++])
        if (hole < m->n_holes && m->hole_faces[hole] == row)
            hole++;
        else
            take_face(f, m, row, first);
    for (int i = 0; i < m->n_primvars && !rc; i++)
        if (m->primvars[i].info.interpolation == SDD_UNIFORM)
            rc = take_values(f, &m->primvars[i], &f->uniform[i], err);
    return rc;
}

static void surface_of(const struct mesh *m, const struct faces *f, struct surface *s)
{
    *s = (struct surface){.id = "control mesh", .positions = {m->points, m->n_vertices, 3}, .uvs_asked = true};
    (void)snprintf(s->name, sizeof s->name, "%s", m->name);
    if (m->n_uvs) {
        s->uvs = (struct surface_rows){m->uvs, m->n_uvs, 2};
        s->uv_corners = f->uvs;
    }
    s->stage.up_axis = *mesh_up_axis_name(m->stage.up_axis);
    s->stage.meters_per_unit = m->stage.meters_per_unit;
    s->stage.transform = m->stage.has_transform ? m->stage.transform : NULL;
    s->corners = f->corners;
    s->n_faces = f->n_faces;
    s->n_corners = f->n_corners;
    s->face_sizes = f->sizes;
    for (int i = 0; i < m->n_primvars; i++) {
        const struct primvar *from = &m->primvars[i];
        struct surface_primvar *p = &s->primvars[s->n_primvars++];
        (void)snprintf(p->name, sizeof p->name, "%s", from->info.name);
        (void)snprintf(p->interpolation, sizeof p->interpolation, "%s",
                       primvar_interpolation(from->info.interpolation));
        p->integers = from->info.type == PRIMVAR_I32;
        p->corners = f->varying[i];
        p->sets = (struct surface_sets){from->sets.text, from->sets.n};
        p->values = (struct surface_rows){f->uniform[i] ? f->uniform[i] : from->values,
                                          f->uniform[i] ? f->n_faces : from->info.n_values, from->info.width};
    }
}

static int write_file(struct surface_file *file, void **out, size_t *bytes, struct sdd_error *err)
{
    char *data = NULL;
    size_t at = 0, room = 0;
    for (size_t n = 1; n; at += n) {
        if (room - at < SURFACE_ROW_BYTES) {
            room = room ? 2 * room : FIRST_BYTES;
            char *grown = realloc(data, room);
            if (!grown) {
                free(data);
                return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for a mesh as a file");
            }
            data = grown;
        }
        n = surface_file_read(file, data + at, room - at);
    }
    *out = data;
    *bytes = at;
    return SDD_OK;
}

int mesh_to_surface(const struct mesh *m, const char *media_type, void **out, size_t *bytes, struct text *lost,
                    struct sdd_error *err)
{
    const struct surface_format *format = surface_format_named(media_type);
    struct faces faces = {0};
    struct surface_file *file = NULL;
    struct surface s;
    const char *why;
    *out = NULL;
    int rc = take_faces(&faces, m, err), refused = SURFACE_OK;
    if (!rc) {
        surface_of(m, &faces, &s);
        refused = surface_file_open(format, &s, &file, &why);
    }
    if (refused)
        rc = sdd_fail(err,
                      refused == SURFACE_ENO_MEMORY   ? SDD_ENO_MEMORY
                      : refused == SURFACE_ETOO_LARGE ? SDD_ETOO_LARGE
                                                      : SDD_EUNSUPPORTED,
                      "accept", "%s", why);
    if (!rc && lost) {
        text_printf(lost, "%s files carry the %s alone: options, sharpness, holes and ids are left out\n",
                    format->suffix, format->triangles ? "triangles" : "polygons");
        text_puts(lost, surface_file_warnings(file));
    }
    if (!rc)
        rc = write_file(file, out, bytes, err);
    surface_file_close(file);
    free_faces(&faces);
    return rc;
}
