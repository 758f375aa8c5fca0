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

int64_t mesh_rows_last(struct mesh_row *rows, int64_t n)
{
    bool sorted = true;
    for (int64_t i = 1; i < n && sorted; i++)
        sorted = row_compare(&rows[i - 1], &rows[i]) < 0;
    if (!sorted)
        qsort(rows, (size_t)n, sizeof *rows, row_compare);
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++) {
        if (i + 1 < n && rows[i + 1].key == rows[i].key)
            continue;
        rows[kept] = rows[i];
        if (rows[kept].sharpness > SDD_SHARPNESS_INFINITE)
            rows[kept].sharpness = SDD_SHARPNESS_INFINITE;
        kept++;
    }
    return kept;
}

int64_t mesh_rows_clean(struct mesh_row *rows, int64_t n)
{
    int64_t kept = 0;
    n = mesh_rows_last(rows, n);
    for (int64_t i = 0; i < n; i++)
        if (rows[i].sharpness > 0)
            rows[kept++] = rows[i];
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
    void *p = mesh_array(n, bytes, err);
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

/* *ascend tells whether the ids do. */
static int check_ids(struct i32s ids, int64_t n, int64_t next, const char *field, bool *ascend, struct sdd_error *err)
{
    *ascend = true;
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
    *ascend = !map.rows;
    id_map_fini(&map);
    if (!rc && twice >= 0)
        rc = sdd_fail(err, SDD_EMESH, field, "%s[%lld] is %d, which is there already; each id names one element", field,
                      (long long)twice, ids.v[twice]);
    return rc;
}

static int check_shape(const struct mesh_arrays *a, struct mesh *m, struct sdd_error *err)
{
    int rc = check_multiple(a->points.n, 3, "points", err);
    if (!rc)
        rc = check_rows(a->face_counts.n, "faceVertexCounts", err);
    if (!rc)
        rc = check_rows(a->face_vertices.n, "faceVertexIndices", err);
    if (rc)
        return rc;
    int64_t corners = 0;
    for (int64_t f = 0; f < a->face_counts.n; f++) {
        if (a->face_counts.v[f] < 1)
            return sdd_fail(err, SDD_EMESH, "faceVertexCounts", "face %lld has %d vertices; a face has 3 or more",
                            (long long)f, a->face_counts.v[f]);
        corners += a->face_counts.v[f];
    }
    if (corners != a->face_vertices.n)
        return sdd_fail(err, SDD_EMESH, "faceVertexIndices", "faceVertexCounts sum to %lld, faceVertexIndices has %lld",
                        (long long)corners, (long long)a->face_vertices.n);
    rc = check_ids(a->vertex_ids, a->points.n / 3, a->next_vertex_id, "vertexIds", &m->vertex_ids_ascend, err);
    return rc ? rc : check_ids(a->face_ids, a->face_counts.n, a->next_face_id, "faceIds", &m->face_ids_ascend, err);
}

/* Copies ids or indices; without any, row i has i. */
static int32_t *make_ids(struct i32s ids, int64_t n, struct sdd_error *err)
{
    if (ids.n)
        return copy_rows(ids.v, n, sizeof(int32_t), err);
    int32_t *out = mesh_array(n, sizeof(int32_t), err);
    for (int64_t i = 0; out && i < n; i++)
        out[i] = (int32_t)i;
    return out;
}

/* ---- UVs --------------------------------------------------------------------------------------------------------- */
/* Finds the row of UVs of each corner: by stIndices, and without them by corner, or by vertex. */
static int find_uv_indices(const struct mesh_arrays *a, struct i32s *out, struct sdd_error *err)
{
    const int64_t corners = a->face_vertices.n, n = a->uvs.n / 2;
    *out = a->uv_indices;
    if (!out->n && n && n != corners && n == a->points.n / 3)
        *out = a->face_vertices;
    if (out->n == (n ? corners : 0) || (!out->n && n == corners))
        return SDD_OK;
    if (!out->n)
        return sdd_fail(
            err, SDD_EMESH, "st",
            "st has %lld rows and no stIndices; without these it has a row for each of %lld face corners, or "
            "for each of %lld vertices",
            (long long)n, (long long)corners, (long long)a->points.n / 3);
    return sdd_fail(err, SDD_EMESH, "stIndices",
                    "stIndices has %lld rows; %lld face corners and %lld st values want %lld", (long long)out->n,
                    (long long)corners, (long long)n, (long long)(n ? corners : 0));
}

/* Checks what the compute library would refuse of the UVs, so that a loss can be made of it. */
static int check_uvs(const struct mesh_arrays *a, struct i32s indices, struct sdd_error *err)
{
    for (int64_t i = 0; i < a->uvs.n; i++)
        if (!(fabsf(a->uvs.v[i]) <= SDD_MAX_COORDINATE))
            return sdd_fail(err, SDD_EMESH, "st", "st[%lld] is %g; it must be finite and within +-%g", (long long)i / 2,
                            (double)a->uvs.v[i], (double)SDD_MAX_COORDINATE);
    for (int64_t i = 0; i < indices.n; i++)
        if (indices.v[i] < 0 || indices.v[i] >= a->uvs.n / 2)
            return sdd_fail(err, SDD_EMESH, "stIndices", "stIndices[%lld] is %d of %lld", (long long)i, indices.v[i],
                            (long long)a->uvs.n / 2);
    return SDD_OK;
}

static int set_uvs(struct mesh *m, const struct mesh_arrays *a, struct sdd_error *err)
{
    struct sdd_error why = {0};
    struct i32s indices = {0};
    int bad = check_multiple(a->uvs.n, 2, "st", &why);
    if (!bad)
        bad = find_uv_indices(a, &indices, &why);
    if (!bad && a->losses)
        bad = check_uvs(a, indices, &why);
    int rc = losses_take(a->losses, bad, &why, "st", "the UVs are left out", err);
    if (rc)
        return rc;
    m->n_uvs = bad ? 0 : a->uvs.n / 2;
    m->uvs = copy_rows(a->uvs.v, m->n_uvs, 2 * sizeof(float), err);
    if (m->n_uvs)
        m->uv_indices = make_ids(indices, m->n_corners, err);
    return m->uvs && (m->uv_indices || !m->n_uvs) ? SDD_OK : SDD_ENO_MEMORY;
}

/* ---- tags -------------------------------------------------------------------------------------------------------- */
/* Counts the edges of all creases. *per_edge tells whether each edge has a sharpness of its own, or each crease has one
 * for all its edges. */
static int crease_shape(const struct mesh_arrays *a, int64_t *n_edges, bool *per_edge, struct sdd_error *err)
{
    int64_t indices = 0, chains = a->crease_lengths.n;
    struct sdd_error why = {0};
    int rc = SDD_OK;
    for (int64_t c = 0; c < chains && !rc; c++) {
        int32_t n = a->crease_lengths.v[c];
        if (n < 2)
            rc = sdd_fail(&why, SDD_EMESH, "creaseLengths",
                          "creaseLengths[%lld] is %d; a crease has 2 vertices or more", (long long)c, n);
        if (rc) /* A crease of one vertex has no edge; one of none or less does not say where the next one begins. */
            rc = losses_take(n == 1 ? a->losses : NULL, rc, &why, "crease", "it is left out", err);
        indices += n;
    }
    if (rc)
        return rc;
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

/* Lists the edges of all creases. *n becomes how many they are. A sharpness that is none is refused, or left out as a
 * loss. */
static int list_creases(const struct mesh_arrays *a, bool per_edge, struct mesh_row *rows, int64_t *n,
                        struct sdd_error *err)
{
    const int64_t edges = *n;
    int64_t edge = 0, vertex = 0;
    struct sdd_error why = {0};
    int rc = SDD_OK;
    *n = 0;
    for (int64_t c = 0; edge < edges && !rc; c++, vertex++) {
        int64_t end = vertex + (a->crease_pairs ? 1 : a->crease_lengths.v[c] - 1);
        for (; vertex < end && !rc; vertex++, edge++) {
            int64_t at = per_edge ? edge : c;
            float sharpness = a->crease_sharpnesses.v[at];
            int bad = check_sharpness(sharpness, at, "creaseSharpnesses", &why);
            if (bad)
                rc = losses_take(a->losses, bad, &why, "crease sharpness", "the crease is left out", err);
            else
                rows[(*n)++] =
                    (struct mesh_row){mesh_row_edge(a->crease_indices.v[vertex], a->crease_indices.v[vertex + 1]),
                                      (uint32_t)edge, sharpness};
        }
    }
    return rc;
}

/* Marks the ends of creases, and in the `order` of each row whether a face has its edge. A corner that names no vertex
 * is passed over: the compute library refuses the mesh for it. */
static void find_creases(const struct mesh *m, struct mesh_row *rows, unsigned char *ends)
{
    memset(ends, 0, (size_t)m->n_vertices);
    for (int64_t i = 0; i < m->n_creases; i++) {
        uint64_t a = rows[i].key >> 32, b = rows[i].key & UINT32_MAX;
        rows[i].order = 0;
        if (a < (uint64_t)m->n_vertices && b < (uint64_t)m->n_vertices)
            ends[a] = ends[b] = 1;
    }
    for (int64_t f = 0, first = 0; f < m->n_faces; first += m->face_counts[f++])
        for (int64_t c = first, end = first + m->face_counts[f]; c < end; c++) {
            int32_t v = m->face_vertices[c], next = m->face_vertices[c + 1 < end ? c + 1 : first];
            if (v < 0 || v >= m->n_vertices || !ends[v])
                continue;
            struct mesh_row *row = mesh_row_find(rows, m->n_creases, mesh_row_edge(v, next));
            if (row)
                row->order = 1;
        }
}

/* Drops the creases, which are sorted, whose edges the faces of m do not have. */
static int drop_creases(struct mesh *m, struct mesh_row *rows, struct losses *l, struct sdd_error *err)
{
    int64_t kept = 0;
    struct sdd_error why = {0};
    int rc = SDD_OK;
    if (!m->n_creases)
        return SDD_OK;
    unsigned char *ends = mesh_alloc(m->n_vertices, 1, err);
    if (!ends)
        return SDD_ENO_MEMORY;
    find_creases(m, rows, ends);
    free(ends);
    for (int64_t i = 0; i < m->n_creases && !rc; i++) {
        if (rows[i].order) {
            rows[kept++] = rows[i];
            continue;
        }
        rc = sdd_fail(&why, SDD_EMESH, "creaseIndices",
                      "a crease names the edge of vertices %d and %d, which no face has", (int32_t)(rows[i].key >> 32),
                      (int32_t)(uint32_t)rows[i].key);
        rc = losses_take(l, rc, &why, "crease", "it is left out", err);
    }
    m->n_creases = kept;
    return rc;
}

static int set_creases(struct mesh *m, const struct mesh_arrays *a, struct sdd_error *err)
{
    int64_t n = 0;
    bool per_edge = false;
    int rc = crease_shape(a, &n, &per_edge, err);
    if (rc)
        return rc;
    struct mesh_row *rows = mesh_alloc(n, sizeof *rows, err);
    if (!rows)
        return SDD_ENO_MEMORY;
    rc = list_creases(a, per_edge, rows, &n, err);
    m->n_creases = mesh_rows_clean(rows, n);
    if (!rc && a->losses)
        rc = drop_creases(m, rows, a->losses, err);
    if (rc) {
        free(rows);
        m->n_creases = 0;
        return rc;
    }
    m->crease_edges = mesh_array(m->n_creases, 2 * sizeof(int32_t), err);
    m->crease_sharpness = mesh_array(m->n_creases, sizeof(float), err);
    rc = m->crease_edges && m->crease_sharpness ? SDD_OK : SDD_ENO_MEMORY;
    for (int64_t i = 0; i < m->n_creases && !rc; i++) {
        m->crease_edges[2 * i] = (int32_t)(rows[i].key >> 32);
        m->crease_edges[2 * i + 1] = (int32_t)(uint32_t)rows[i].key;
        m->crease_sharpness[i] = rows[i].sharpness;
    }
    free(rows);
    return rc;
}

/* The tags that name one element per row: corners, or holes, which have no sharpness. */
struct tags {
    const char *kind, *of, *field; /* Words for a loss: "corner", "vertex", "cornerIndices". */
    struct i32s elements;
    const float *sharpnesses;
    int64_t n_elements; /* How many the mesh has. */
};

/* Lists the tags. With losses, those that are wrong are left out; without, the compute library refuses elements that
 * are not there. */
static int list_tags(const struct tags *t, struct losses *l, struct mesh_row *rows, int64_t *n, struct sdd_error *err)
{
    struct sdd_error why = {0};
    int rc = SDD_OK;
    *n = 0;
    for (int64_t i = 0; i < t->elements.n && !rc; i++) {
        int32_t v = t->elements.v[i];
        int bad = t->sharpnesses ? check_sharpness(t->sharpnesses[i], i, "cornerSharpnesses", &why) : SDD_OK;
        const char *kind = bad ? "corner sharpness" : t->kind;
        if (!bad && l && (v < 0 || v >= t->n_elements))
            bad = sdd_fail(&why, SDD_EMESH, t->field, "%s[%lld] is %s %d of %lld", t->field, (long long)i, t->of, v,
                           (long long)t->n_elements);
        if (bad)
            rc = losses_take(l, bad, &why, kind, "it is left out", err);
        else
            rows[(*n)++] = (struct mesh_row){(uint32_t)v, (uint32_t)i, t->sharpnesses ? t->sharpnesses[i] : 1};
    }
    return rc;
}

/* For holes sharpness_out is NULL. */
static int set_tags(const struct tags *t, struct losses *l, int64_t *n_out, int32_t **elements_out,
                    float **sharpness_out, struct sdd_error *err)
{
    int64_t n = 0;
    struct mesh_row *rows = mesh_alloc(t->elements.n, sizeof *rows, err);
    if (!rows)
        return SDD_ENO_MEMORY;
    int rc = list_tags(t, l, rows, &n, err);
    if (rc) {
        free(rows);
        return rc;
    }
    n = mesh_rows_clean(rows, n);
    *elements_out = mesh_array(n, sizeof(int32_t), err);
    if (sharpness_out)
        *sharpness_out = mesh_array(n, sizeof(float), err);
    rc = *elements_out && (!sharpness_out || *sharpness_out) ? SDD_OK : SDD_ENO_MEMORY;
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
    const struct tags t = {"corner",     "vertex", "cornerIndices", a->corner_indices, a->corner_sharpnesses.v,
                           m->n_vertices};
    int rc = check_rows(a->corner_indices.n, "cornerIndices", err);
    if (!rc && a->corner_indices.n != a->corner_sharpnesses.n)
        rc = sdd_fail(err, SDD_EMESH, "cornerSharpnesses", "cornerSharpnesses has %lld rows, cornerIndices %lld",
                      (long long)a->corner_sharpnesses.n, (long long)a->corner_indices.n);
    return rc ? rc : set_tags(&t, a->losses, &m->n_corner_tags, &m->corner_vertices, &m->corner_sharpness, err);
}

static int set_holes(struct mesh *m, const struct mesh_arrays *a, struct sdd_error *err)
{
    const struct tags t = {"hole", "face", "holeIndices", a->hole_indices, NULL, m->n_faces};
    int rc = check_rows(a->hole_indices.n, "holeIndices", err);
    return rc ? rc : set_tags(&t, a->losses, &m->n_holes, &m->hole_faces, NULL, err);
}

static int set_arrays(struct mesh *m, const struct mesh_arrays *a, struct sdd_error *err)
{
    m->options = a->options;
    m->n_vertices = a->points.n / 3;
    m->n_faces = a->face_counts.n;
    m->n_corners = a->face_vertices.n;
    m->next_vertex_id = a->next_vertex_id ? a->next_vertex_id : m->n_vertices;
    m->next_face_id = a->next_face_id ? a->next_face_id : m->n_faces;
    m->points = copy_rows(a->points.v, m->n_vertices, 3 * sizeof(float), err);
    m->face_counts = copy_rows(a->face_counts.v, m->n_faces, sizeof(int32_t), err);
    m->face_vertices = copy_rows(a->face_vertices.v, m->n_corners, sizeof(int32_t), err);
    m->vertex_ids = make_ids(a->vertex_ids, m->n_vertices, err);
    m->face_ids = make_ids(a->face_ids, m->n_faces, err);
    return m->points && m->face_counts && m->face_vertices && m->vertex_ids && m->face_ids ? SDD_OK : SDD_ENO_MEMORY;
}

int mesh_build(const struct mesh_arrays *a, struct mesh **out, struct sdd_error *err)
{
    *out = NULL;
    struct mesh *m = calloc(1, sizeof *m);
    if (!m)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for a mesh");
    int rc = check_shape(a, m, err);
    if (!rc)
        rc = set_arrays(m, a, err);
    if (!rc)
        rc = mesh_stage_copy(&a->stage, &m->stage, a->losses, err);
    if (!rc)
        rc = set_uvs(m, a, err);
    if (!rc)
        rc = set_creases(m, a, err);
    if (!rc)
        rc = set_corners(m, a, err);
    if (!rc)
        rc = set_holes(m, a, err);
    if (!rc)
        rc = primvars_build(m, a, err);
    mesh_seal(m);
    if (rc)
        mesh_free(m);
    else
        *out = m;
    return rc;
}
