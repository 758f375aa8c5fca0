/* SPDX-License-Identifier: Apache-2.0 */
/* build.c: makes a normalised mesh of authored arrays, for the codecs, for edits and for the store. It checks that the
 * lengths of the arrays agree. */
#include "server/mesh/id_map.h"
#include "server/mesh/rows.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int row_compare(const void *pa, const void *pb)
{
    const struct mesh_row *a = pa, *b = pb;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

int64_t mesh_rows_clean(struct mesh_row *rows, int64_t n)
{
    bool sorted = true;
    for (int64_t i = 1; i < n && sorted; i++)
        sorted = row_compare(&rows[i - 1], &rows[i]) < 0;
    if (!sorted)
        qsort(rows, (size_t)n, sizeof *rows, row_compare);
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++) {
        bool last = i + 1 == n || rows[i + 1].key != rows[i].key;
        if (!last || !(rows[i].sharpness > 0))
            continue;
        rows[kept] = rows[i];
        if (rows[kept].sharpness > SDD_SHARPNESS_INFINITE)
            rows[kept].sharpness = SDD_SHARPNESS_INFINITE;
        kept++;
    }
    return kept;
}

struct mesh_row *mesh_row_find(struct mesh_row *rows, int64_t n, uint64_t key)
{
    int64_t low = 0, high = n;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (rows[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && rows[low].key == key ? &rows[low] : NULL;
}

static void *copy_rows(const void *from, int64_t n, int64_t bytes, struct sdd_error *err)
{
    void *p = mesh_alloc(n, bytes, err);
    if (p && n)
        memcpy(p, from, (size_t)(n * bytes));
    return p;
}

static int check_rows(int64_t n, const char *field, struct sdd_error *err)
{
    if (n <= INT32_MAX)
        return SDD_OK;
    int rc = sdd_fail(err, SDD_ETOO_LARGE, field, "%s has %lld rows of at most %d", field, (long long)n, INT32_MAX);
    if (err)
        err->needed = n, err->available = INT32_MAX;
    return rc;
}

static int check_multiple(int64_t n, int of, const char *field, struct sdd_error *err)
{
    if (n % of == 0)
        return check_rows(n / of, field, err);
    return sdd_fail(err, SDD_EMESH, field, "%s has %lld numbers, which is no multiple of %d", field, (long long)n, of);
}

static int check_sharpness(float s, int64_t i, const char *field, struct sdd_error *err)
{
    if (isfinite(s) && s >= 0)
        return SDD_OK;
    return sdd_fail(err, SDD_EMESH, field, "%s[%lld] is %g; sharpness is a finite number of at least 0", field,
                    (long long)i, (double)s);
}

static int check_ids(struct i32s ids, int64_t n, int64_t next, const char *field, struct sdd_error *err)
{
    if (!ids.n)
        return SDD_OK;
    if (ids.n != n)
        return sdd_fail(err, SDD_EMESH, field, "%s has %lld rows for %lld elements", field, (long long)ids.n,
                        (long long)n);
    for (int64_t i = 0; i < n; i++)
        if (ids.v[i] < 0 || ids.v[i] >= next)
            return sdd_fail(err, SDD_EMESH, field, "%s[%lld] is %d; ids are at least 0 and stay below %lld", field,
                            (long long)i, ids.v[i], (long long)next);
    struct id_map map;
    int64_t twice;
    int rc = id_map_init(&map, ids.v, n, &twice, err);
    id_map_fini(&map);
    if (!rc && twice >= 0)
        rc = sdd_fail(err, SDD_EMESH, field, "%s[%lld] is %d, which is there already; each id names one element", field,
                      (long long)twice, ids.v[twice]);
    return rc;
}

static int check_shape(const struct mesh_arrays *a, struct sdd_error *err)
{
    int rc = check_multiple(a->points.n, 3, "points", err);
    if (!rc)
        rc = check_rows(a->face_counts.n, "faceVertexCounts", err);
    if (!rc)
        rc = check_rows(a->face_vertices.n, "faceVertexIndices", err);
    if (!rc)
        rc = check_multiple(a->uvs.n, 2, "st", err);
    if (rc)
        return rc;
    int64_t corners = 0;
    for (int64_t f = 0; f < a->face_counts.n; f++) {
        if (a->face_counts.v[f] < 1)
            return sdd_fail(err, SDD_EMESH, "faceVertexCounts", "face %lld has %d vertices", (long long)f,
                            a->face_counts.v[f]);
        corners += a->face_counts.v[f];
    }
    if (corners != a->face_vertices.n)
        return sdd_fail(err, SDD_EMESH, "faceVertexIndices", "faceVertexCounts sum to %lld, faceVertexIndices has %lld",
                        (long long)corners, (long long)a->face_vertices.n);
    if (a->uv_indices.n != (a->uvs.n ? corners : 0))
        return sdd_fail(err, SDD_EMESH, "stIndices",
                        "stIndices has %lld rows; %lld face corners and %lld st values want %lld",
                        (long long)a->uv_indices.n, (long long)corners, (long long)a->uvs.n / 2,
                        (long long)(a->uvs.n ? corners : 0));
    rc = check_ids(a->vertex_ids, a->points.n / 3, a->next_vertex_id, "vertexIds", err);
    return rc ? rc : check_ids(a->face_ids, a->face_counts.n, a->next_face_id, "faceIds", err);
}

/* Counts the edges of all creases. *per_edge tells whether each edge has a sharpness of its own, or each crease has one
 * for all its edges. */
static int crease_shape(const struct mesh_arrays *a, int64_t *n_edges, bool *per_edge, struct sdd_error *err)
{
    int64_t indices = 0, chains = a->crease_lengths.n;
    for (int64_t c = 0; c < chains; c++) {
        if (a->crease_lengths.v[c] < 2)
            return sdd_fail(err, SDD_EMESH, "creaseLengths",
                            "creaseLengths[%lld] is %d; a crease has 2 vertices or more", (long long)c,
                            a->crease_lengths.v[c]);
        indices += a->crease_lengths.v[c];
    }
    *n_edges = indices - chains;
    if (a->crease_pairs) {
        indices = a->crease_indices.n / 2 * 2;
        *n_edges = chains = indices / 2;
    }
    if (indices != a->crease_indices.n)
        return sdd_fail(err, SDD_EMESH, "creaseIndices", "creaseLengths sum to %lld, creaseIndices has %lld",
                        (long long)indices, (long long)a->crease_indices.n);
    *per_edge = a->crease_sharpnesses.n == *n_edges;
    if (!*per_edge && a->crease_sharpnesses.n != chains)
        return sdd_fail(err, SDD_EMESH, "creaseSharpnesses",
                        "creaseSharpnesses has %lld rows; %lld creases want %lld or %lld",
                        (long long)a->crease_sharpnesses.n, (long long)chains, (long long)chains, (long long)*n_edges);
    return check_rows(*n_edges, "creaseIndices", err);
}

static int set_creases(struct mesh *m, const struct mesh_arrays *a, struct sdd_error *err)
{
    int64_t n = 0, edge = 0, vertex = 0;
    bool per_edge = false;
    int rc = crease_shape(a, &n, &per_edge, err);
    for (int64_t i = 0; i < a->crease_sharpnesses.n && !rc; i++)
        rc = check_sharpness(a->crease_sharpnesses.v[i], i, "creaseSharpnesses", err);
    if (rc)
        return rc;
    struct mesh_row *rows = mesh_alloc(n, sizeof *rows, err);
    if (!rows)
        return SDD_ENO_MEMORY;
    for (int64_t c = 0; edge < n; c++, vertex++)
        for (int64_t end = vertex + (a->crease_pairs ? 1 : a->crease_lengths.v[c] - 1); vertex < end; vertex++, edge++)
            rows[edge] = (struct mesh_row){mesh_row_edge(a->crease_indices.v[vertex], a->crease_indices.v[vertex + 1]),
                                           (uint32_t)edge, a->crease_sharpnesses.v[per_edge ? edge : c]};
    m->n_creases = mesh_rows_clean(rows, n);
    m->crease_edges = mesh_alloc(m->n_creases, 2 * sizeof(int32_t), err);
    m->crease_sharpness = mesh_alloc(m->n_creases, sizeof(float), err);
    rc = m->crease_edges && m->crease_sharpness ? SDD_OK : SDD_ENO_MEMORY;
    for (int64_t i = 0; i < m->n_creases && !rc; i++) {
        m->crease_edges[2 * i] = (int32_t)(rows[i].key >> 32);
        m->crease_edges[2 * i + 1] = (int32_t)(uint32_t)rows[i].key;
        m->crease_sharpness[i] = rows[i].sharpness;
    }
    free(rows);
    return rc;
}

/* Sets the corner tags or the holes, which name one element per row. Holes have no sharpness: both pointers to it are
 * NULL. */
static int set_elements(struct i32s elements, const float *sharpnesses, int64_t *n_out, int32_t **elements_out,
                        float **sharpness_out, struct sdd_error *err)
{
    struct mesh_row *rows = mesh_alloc(elements.n, sizeof *rows, err);
    if (!rows)
        return SDD_ENO_MEMORY;
    for (int64_t i = 0; i < elements.n; i++)
        rows[i] = (struct mesh_row){(uint32_t)elements.v[i], (uint32_t)i, sharpnesses ? sharpnesses[i] : 1};
    int64_t n = mesh_rows_clean(rows, elements.n);
    *elements_out = mesh_alloc(n, sizeof(int32_t), err);
    if (sharpness_out)
        *sharpness_out = mesh_alloc(n, sizeof(float), err);
    int rc = *elements_out && (!sharpness_out || *sharpness_out) ? SDD_OK : SDD_ENO_MEMORY;
    for (int64_t i = 0; i < n && !rc; i++) {
        (*elements_out)[i] = (int32_t)(uint32_t)rows[i].key;
        if (sharpness_out)
            (*sharpness_out)[i] = rows[i].sharpness;
    }
    free(rows);
    *n_out = n;
    return rc;
}

static int set_corners(struct mesh *m, const struct mesh_arrays *a, struct sdd_error *err)
{
    int rc = check_rows(a->corner_indices.n, "cornerIndices", err);
    if (!rc && a->corner_indices.n != a->corner_sharpnesses.n)
        rc = sdd_fail(err, SDD_EMESH, "cornerSharpnesses", "cornerSharpnesses has %lld rows, cornerIndices %lld",
                      (long long)a->corner_sharpnesses.n, (long long)a->corner_indices.n);
    for (int64_t i = 0; i < a->corner_sharpnesses.n && !rc; i++)
        rc = check_sharpness(a->corner_sharpnesses.v[i], i, "cornerSharpnesses", err);
    return rc ? rc
              : set_elements(a->corner_indices, a->corner_sharpnesses.v, &m->n_corner_tags, &m->corner_vertices,
                             &m->corner_sharpness, err);
}

static int32_t *make_ids(struct i32s ids, int64_t n, struct sdd_error *err)
{
    if (ids.n)
        return copy_rows(ids.v, n, sizeof(int32_t), err);
    int32_t *out = mesh_alloc(n, sizeof(int32_t), err);
    for (int64_t i = 0; out && i < n; i++)
        out[i] = (int32_t)i;
    return out;
}

static int set_arrays(struct mesh *m, const struct mesh_arrays *a, struct sdd_error *err)
{
    m->options = a->options;
    m->n_vertices = a->points.n / 3;
    m->n_faces = a->face_counts.n;
    m->n_corners = a->face_vertices.n;
    m->n_uvs = a->uvs.n / 2;
    m->next_vertex_id = a->next_vertex_id ? a->next_vertex_id : m->n_vertices;
    m->next_face_id = a->next_face_id ? a->next_face_id : m->n_faces;
    m->points = copy_rows(a->points.v, m->n_vertices, 3 * sizeof(float), err);
    m->face_counts = copy_rows(a->face_counts.v, m->n_faces, sizeof(int32_t), err);
    m->face_vertices = copy_rows(a->face_vertices.v, m->n_corners, sizeof(int32_t), err);
    m->uvs = copy_rows(a->uvs.v, m->n_uvs, 2 * sizeof(float), err);
    if (m->n_uvs)
        m->uv_indices = copy_rows(a->uv_indices.v, m->n_corners, sizeof(int32_t), err);
    m->vertex_ids = make_ids(a->vertex_ids, m->n_vertices, err);
    m->face_ids = make_ids(a->face_ids, m->n_faces, err);
    bool all = m->points && m->face_counts && m->face_vertices && m->uvs && (m->uv_indices || !m->n_uvs) &&
               m->vertex_ids && m->face_ids;
    return all ? SDD_OK : SDD_ENO_MEMORY;
}

int mesh_build(const struct mesh_arrays *a, struct mesh **out, struct sdd_error *err)
{
    *out = NULL;
    int rc = check_shape(a, err);
    if (rc)
        return rc;
    struct mesh *m = calloc(1, sizeof *m);
    if (!m)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for a mesh");
    rc = set_arrays(m, a, err);
    if (!rc)
        rc = set_creases(m, a, err);
    if (!rc)
        rc = set_corners(m, a, err);
    if (!rc)
        rc = check_rows(a->hole_indices.n, "holeIndices", err);
    if (!rc)
        rc = set_elements(a->hole_indices, NULL, &m->n_holes, &m->hole_faces, NULL, err);
    if (!rc)
        rc = primvars_build(m, a, err);
    if (rc)
        mesh_free(m);
    else
        *out = m;
    return rc;
}
