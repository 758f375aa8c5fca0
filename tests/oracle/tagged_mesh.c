/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/oracle/tagged_mesh.h"
#include "server/mesh/mesh.h"
#include "server/mesh/formats/codec.h"
#include "tests/oracle/refined.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tagged_desc(const struct tagged_mesh *m, struct sdd_mesh_desc *out)
{
    *out = (struct sdd_mesh_desc){.n_vertices = m->n_vertices,
                                  .n_faces = m->n_faces,
                                  .n_corners = m->n_corners,
                                  .face_counts = m->counts,
                                  .face_vertices = m->vertices,
                                  .n_creases = m->n_creases,
                                  .crease_edges = m->creases[0],
                                  .crease_sharpness = m->sharpness,
                                  .n_corner_tags = m->n_corner_tags,
                                  .corner_vertices = m->corners,
                                  .corner_sharpness = m->corner_sharpness,
                                  .n_holes = m->n_holes,
                                  .hole_faces = m->holes,
                                  .n_uvs = m->n_uvs,
                                  .uv_indices = m->uv_indices,
                                  .options = m->options};
}

/* ---- edges ---------------------------------------------------------------------------------------------------- */
int32_t tagged_next(const struct tagged_mesh *m, int32_t c)
{
    int32_t first = 0, f = 0;
    while (c >= first + m->counts[f])
        first += m->counts[f++];
    return c + 1 < first + m->counts[f] ? c + 1 : first;
}

struct use {
    int32_t a, b, corner;
};

static int by_ends(const void *x, const void *y)
{
    const struct use *p = x, *q = y;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    if (p->b != q->b)
        return p->b < q->b ? -1 : 1;
    return p->corner < q->corner ? -1 : 1;
}

int32_t tagged_edges(const struct tagged_mesh *m, struct tagged_edge *edges, int32_t *uses)
{
    struct use *all = xalloc(m->n_corners, sizeof *all);
    int32_t n = 0, n_edges = 0;
    for (int32_t f = 0, first = 0; f < m->n_faces; first += m->counts[f++])
        for (int32_t k = 0; k < m->counts[f]; k++) {
            int32_t a = m->vertices[first + k], b = m->vertices[first + (k + 1) % m->counts[f]];
            if (a != b)
                all[n++] = (struct use){a < b ? a : b, a < b ? b : a, first + k};
        }
    qsort(all, (size_t)n, sizeof *all, by_ends);
    for (int32_t i = 0; i < n; i++) {
        if (i == 0 || all[i].a != all[i - 1].a || all[i].b != all[i - 1].b)
            edges[n_edges++] = (struct tagged_edge){all[i].a, all[i].b, i, 0};
        edges[n_edges - 1].n_uses++;
        uses[i] = all[i].corner;
    }
    free(all);
    return n_edges;
}

int32_t tagged_find(int32_t *parent, int32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

int32_t tagged_corner(const struct tagged_mesh *m, int32_t c, int32_t v)
{
    return m->vertices[c] == v ? c : tagged_next(m, c);
}

/* ---- cutting down ------------------------------------------------------------------------------------------- */
static int has_edge(const struct tagged_mesh *m, int32_t a, int32_t b)
{
    for (int32_t f = 0, first = 0; f < m->n_faces; first += m->counts[f++])
        for (int32_t k = 0; k < m->counts[f]; k++) {
            int32_t p = m->vertices[first + k], q = m->vertices[first + (k + 1) % m->counts[f]];
            if ((p == a && q == b) || (p == b && q == a))
                return 1;
        }
    return 0;
}

void tagged_keep_faces(struct tagged_mesh *m, const unsigned char *keep)
{
    int32_t row[TAGGED_FACES] = {0}, n_faces = 0, n_corners = 0, n = 0;
    for (int32_t f = 0, first = 0; f < m->n_faces; f++) {
        int32_t size = m->counts[f];
        row[f] = keep[f] ? n_faces : -1;
        for (int32_t k = 0; k < size && keep[f]; k++) {
            m->uv_indices[n_corners] = m->uv_indices[first + k];
            m->vertices[n_corners++] = m->vertices[first + k];
        }
        first += size;
        if (keep[f])
            m->counts[n_faces++] = size;
    }
    m->n_faces = n_faces;
    m->n_corners = n_corners;
    for (int32_t i = 0; i < m->n_holes; i++)
        if (row[m->holes[i]] >= 0)
            m->holes[n++] = row[m->holes[i]];
    m->n_holes = n;
    n = 0;
    for (int32_t i = 0; i < m->n_creases; i++)
        if (has_edge(m, m->creases[i][0], m->creases[i][1])) {
            memcpy(m->creases[n], m->creases[i], sizeof m->creases[i]);
            m->sharpness[n++] = m->sharpness[i];
        }
    m->n_creases = n;
}

/* New rows of what is used, in order; -1 for the rest. Returns how many are used. */
static int32_t number_used(const int32_t *indices, int32_t n, int32_t *row, int32_t n_rows)
{
    int32_t used = 0;
    for (int32_t i = 0; i < n_rows; i++)
        row[i] = -1;
    for (int32_t i = 0; i < n; i++)
        row[indices[i]] = 0;
    for (int32_t i = 0; i < n_rows; i++)
        if (row[i] == 0)
            row[i] = used++;
    return used;
}

void tagged_compact(struct tagged_mesh *m)
{
    int32_t row[TAGGED_UVS], used = number_used(m->vertices, m->n_corners, row, m->n_vertices), n = 0;
    for (int32_t v = 0; v < m->n_vertices; v++)
        if (row[v] >= 0)
            memmove(m->points[row[v]], m->points[v], sizeof m->points[v]);
    m->n_vertices = used;
    for (int32_t c = 0; c < m->n_corners; c++)
        m->vertices[c] = row[m->vertices[c]];
    for (int32_t i = 0; i < 2 * m->n_creases; i++)
        m->creases[i / 2][i % 2] = row[m->creases[i / 2][i % 2]];
    for (int32_t i = 0; i < m->n_corner_tags; i++)
        if (row[m->corners[i]] >= 0) {
            m->corner_sharpness[n] = m->corner_sharpness[i];
            m->corners[n++] = row[m->corners[i]];
        }
    m->n_corner_tags = n;
    if (m->n_uvs == 0)
        return;
    used = number_used(m->uv_indices, m->n_corners, row, m->n_uvs);
    for (int32_t u = 0; u < m->n_uvs; u++)
        if (row[u] >= 0)
            memmove(m->uvs[row[u]], m->uvs[u], sizeof m->uvs[u]);
    m->n_uvs = used;
    for (int32_t c = 0; c < m->n_corners; c++)
        m->uv_indices[c] = row[m->uv_indices[c]];
}

/* ---- telling ---------------------------------------------------------------------------------------------------- */
const char *tagged_options(const struct tagged_mesh *m, char *text, size_t size)
{
    size_t n = 0;
    for (int row = 0; row < sdd_n_options && n < size; row++)
        n += (size_t)snprintf(text + n, size - n, "%s %s, ", sdd_option_table[row].name,
                              sdd_option_token(&m->options, row));
    if (n < size)
        snprintf(text + n, size - n, "level %d", m->level);
    return text;
}

void tagged_write(const struct tagged_mesh *m, const char *path)
{
    const struct mesh_arrays a = {.options = m->options,
                                  .points = {m->points[0], 3 * m->n_vertices},
                                  .face_counts = {m->counts, m->n_faces},
                                  .face_vertices = {m->vertices, m->n_corners},
                                  .crease_indices = {m->creases[0], 2 * m->n_creases},
                                  .crease_sharpnesses = {m->sharpness, m->n_creases},
                                  .crease_pairs = 1,
                                  .corner_indices = {m->corners, m->n_corner_tags},
                                  .corner_sharpnesses = {m->corner_sharpness, m->n_corner_tags},
                                  .hole_indices = {m->holes, m->n_holes},
                                  .uvs = {m->uvs[0], 2 * m->n_uvs},
                                  .uv_indices = {m->uv_indices, m->n_uvs ? m->n_corners : 0}};
    struct sdd_error err = {0};
    struct mesh *mesh = NULL;
    void *text = NULL;
    size_t bytes = 0;
    char options[512];
    FILE *out = fopen(path, "wb");
    if (!out || mesh_build(&a, &mesh, &err) != SDD_OK || mesh_to_obj(mesh, &text, &bytes, NULL, &err) != SDD_OK)
        oracle_die("%s cannot be written: %s", path, err.text);
    fprintf(out, "# %s\n", tagged_options(m, options, sizeof options));
    fwrite(text, 1, bytes, out);
    fclose(out);
    free(text);
    mesh_free(mesh);
}
