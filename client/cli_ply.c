/* SPDX-License-Identifier: Apache-2.0 */
/* cli_ply.c: a refined frame as binary little-endian PLY: vertices with normals, faces with MeshLab's texture corners.
 * */
#include "cli.h"
#include <string.h>

static void put_header(struct cli_writer *w, const struct subd_frame *f, int normals, int textured)
{
    char *p = cli_room(w);
    int n =
        snprintf(p, CLI_ROW,
                 "ply\nformat binary_little_endian 1.0\ncomment subdd %s version %lld level %d\nelement vertex %lld\n"
                 "property float x\nproperty float y\nproperty float z\n%s",
                 f->mesh_id, (long long)f->version, f->level, (long long)f->vertices,
                 normals ? "property float nx\nproperty float ny\nproperty float nz\n" : "");
    cli_took(w, p + n);
    p = cli_room(w);
    /* Readers know "int" best; only a mesh of two thousand million vertices needs the other. */
    n = snprintf(p, CLI_ROW, "element face %lld\nproperty list uchar %s vertex_indices\n%send_header\n",
                 (long long)f->faces, f->vertices > INT32_MAX ? "uint" : "int",
                 textured ? "property list uchar float texcoord\n" : "");
    cli_took(w, p + n);
}

static void put_vertices(struct cli_writer *w, const struct subd_block *positions, const struct subd_block *normals,
                         int64_t rows)
{
    const char *v = positions->data, *n = normals ? normals->data : NULL;
    if (!n && !w->failed)
        cli_put(w, v, (size_t)positions->bytes);
    for (int64_t i = 0; n && i < positions->count && !w->failed; i++, v += 12, n += 12) {
        char *p = cli_room(w);
        memcpy(p, v, 12);
        memcpy(p + 12, n, 12);
        cli_took(w, p + 24);
        cli_step(i, rows);
    }
}

static void put_faces(struct cli_writer *w, const struct subd_block *faces, const struct subd_block *uvs,
                      const struct subd_block *uv_faces, int64_t done, int64_t rows)
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
                memcpy(p, uv[*t++], 8); /* libsubd has checked the indices */
        }
        cli_took(w, p);
        cli_step(done + i, rows);
    }
}

void cli_write_ply(struct cli_writer *w, const struct subd_frame *f)
{
    struct cli_surface s = cli_surface_of(f);
    int64_t rows = s.positions->count + s.faces->count;
    put_header(w, f, s.normals != NULL, s.uvs != NULL);
    put_vertices(w, s.positions, s.normals, rows);
    put_faces(w, s.faces, s.uvs, s.uv_faces, s.positions->count, rows);
}
