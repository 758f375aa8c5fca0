/* SPDX-License-Identifier: Apache-2.0 */
/* cli_weld.c: makes vertices of one position one vertex, and keeps values for each corner where they differ. Many
 * formats have a vertex for each corner, or one for each side of a UV seam: subdivided so, a mesh falls to shreds. */
#include "cli_import.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is known while a mesh is welded. A corner or a face that stays has the row here that it had in `from`. */
struct weld {
    const struct subd_mesh *from;
    struct cli_cage *to;
    int32_t *vertex;  /* Shape [from->n_vertices]: its row afterwards. */
    int32_t *first;   /* Shape [from->n_vertices]: the row before that its vertex takes the position of. */
    int32_t *corners; /* Shape [to->mesh.n_corners]. */
    int32_t *faces;   /* Shape [to->mesh.n_faces]. */
    int32_t *face;    /* Shape [from->n_faces]: its row afterwards, -1 when it is gone. */
};

/* Rows in chains, one chain for each hash. */
struct chains {
    int32_t *head, *next;
    uint64_t mask;
};

static uint64_t mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * 0x9E3779B97F4A7C15u;
    return h ^ h >> 29;
}

static int chains_init(struct chains *c, struct cli_cage *memory, int64_t rows)
{
    uint64_t n = 16;
    while (n < (uint64_t)rows * 2)
        n *= 2;
    c->head = cli_cage_rows(memory, (int64_t)n, sizeof *c->head);
    c->next = cli_cage_rows(memory, rows, sizeof *c->next);
    c->mask = n - 1;
    if (!c->head || !c->next)
        return -1;
    memset(c->head, 0xff, (size_t)n * sizeof *c->head);
    return 0;
}

static void chains_add(struct chains *c, uint64_t hash, int32_t row)
{
    c->next[row] = c->head[hash & c->mask];
    c->head[hash & c->mask] = row;
}

/* 0 and -0 are equal and have one hash; so are two NaN of the same bits. */
static uint64_t hash_floats(uint64_t h, const float *v, int n)
{
    for (int k = 0; k < n; k++) {
        const float plain = v[k] + 0.0f;
        uint32_t bits;
        memcpy(&bits, &plain, sizeof bits);
        h = mix(h, bits);
    }
    return h;
}

static int equal_floats(const float *a, const float *b, int n)
{
    for (int k = 0; k < n; k++)
        if (!(a[k] == b[k] || memcmp(&a[k], &b[k], sizeof *a) == 0))
            return 0;
    return 1;
}

/* ---- vertices ---------------------------------------------------------------------------------------------------- */

static int32_t find_equal(const struct weld *w, const struct chains *c, uint64_t hash, const float *p)
{
    int32_t row = c->head[hash & c->mask];
    while (row >= 0 && !equal_floats(&w->from->points[3 * (int64_t)row], p, 3))
        row = c->next[row];
    return row;
}

static uint64_t hash_cell(const double cell[3], int x, int y, int z)
{
    const double at[3] = {cell[0] + x, cell[1] + y, cell[2] + z};
    uint64_t h = 0, bits;
    for (int k = 0; k < 3; k++) {
        const double plain = at[k] + 0.0;
        memcpy(&bits, &plain, sizeof bits);
        h = mix(h, bits);
    }
    return h;
}

static int is_within(const float *a, const float *b, double distance)
{
    double square = 0;
    for (int k = 0; k < 3; k++)
        square += ((double)a[k] - b[k]) * ((double)a[k] - b[k]);
    return square <= distance * distance;
}

/* The lowest row among the kept ones that is near, in the cell of a point and those around it. */
static int32_t find_near(const struct weld *w, const struct chains *c, const double cell[3], const float *p,
                         double distance)
{
    int32_t found = -1;
    for (int i = 0; i < 27; i++) {
        const uint64_t hash = hash_cell(cell, i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1);
        for (int32_t row = c->head[hash & c->mask]; row >= 0; row = c->next[row])
            if ((found < 0 || row < found) && is_within(&w->from->points[3 * (int64_t)row], p, distance))
                found = row;
    }
    return found;
}

/* Sets w->first. A point that is not finite is near to none. */
static int find_first(struct weld *w, double distance)
{
    struct chains c;
    if (chains_init(&c, w->to, w->from->n_vertices) != 0)
        return -1;
    for (int32_t i = 0; i < w->from->n_vertices; i++) {
        const float *p = &w->from->points[3 * (int64_t)i];
        const int finite = isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]);
        double cell[3] = {0};
        uint64_t hash = hash_floats(0, p, 3);
        int32_t same = -1;
        if (distance > 0 && finite) {
            for (int k = 0; k < 3; k++)
                cell[k] = floor((double)p[k] / distance);
            hash = hash_cell(cell, 0, 0, 0);
            same = find_near(w, &c, cell, p, distance);
        } else if (distance <= 0)
            same = find_equal(w, &c, hash, p);
        w->first[i] = same >= 0 ? same : i;
        if (same < 0 && (finite || distance <= 0))
            chains_add(&c, hash, i);
    }
    return 0;
}

/* ---- seams ------------------------------------------------------------------------------------------------------- */

static int32_t root_of(int32_t *up, int32_t row)
{
    while (up[row] != row)
        row = up[row] = up[up[row]];
    return row;
}

/* Makes two rows one vertex, which is that of the lower one. */
static void join(int32_t *up, int32_t a, int32_t b)
{
    a = root_of(up, a);
    b = root_of(up, b);
    up[a > b ? a : b] = a > b ? b : a;
}

/* Half-edges of a mesh: each goes from the row of a corner to that of the next one of its face. */
struct edges {
    const int32_t *from;
    int32_t *to;
    uint8_t *closed; /* Another face of the file runs back between the same rows. */
};

static uint64_t hash_edge(int32_t from, int32_t to)
{
    return mix(mix(0, (uint64_t)from), (uint64_t)to);
}

/* Sets edges->closed. */
static int close_edges(struct weld *w, struct edges *e)
{
    struct chains c;
    if (chains_init(&c, w->to, w->from->n_corners) != 0)
        return -1;
    for (int32_t i = 0; i < w->from->n_corners; i++) {
        int32_t *at = &c.head[hash_edge(e->to[i], e->from[i]) & c.mask];
        while (*at >= 0 && (e->from[*at] != e->to[i] || e->to[*at] != e->from[i]))
            at = &c.next[*at];
        if (*at < 0) {
            chains_add(&c, hash_edge(e->from[i], e->to[i]), i);
            continue;
        }
        e->closed[i] = e->closed[*at] = 1;
        *at = c.next[*at];
    }
    return 0;
}

/* Joins the rows at both ends of open edges that lie on each other. */
static int join_edges(struct weld *w, const struct edges *e, int32_t *up)
{
    struct chains c;
    if (chains_init(&c, w->to, w->from->n_corners) != 0)
        return -1;
    for (int32_t i = 0; i < w->from->n_corners; i++) {
        const int32_t a = w->first[e->from[i]], b = w->first[e->to[i]];
        const uint64_t hash = a < b ? hash_edge(a, b) : hash_edge(b, a);
        int32_t k = c.head[hash & c.mask];
        if (e->closed[i])
            continue;
        if (a == b)
            join(up, e->from[i], e->to[i]);
        while (k >= 0 && !(w->first[e->from[k]] == a && w->first[e->to[k]] == b) &&
               !(w->first[e->from[k]] == b && w->first[e->to[k]] == a))
            k = c.next[k];
        if (k < 0) {
            chains_add(&c, hash, i);
            continue;
        }
        const int same = w->first[e->from[k]] == a;
        join(up, e->from[i], same ? e->from[k] : e->to[k]);
        join(up, e->to[i], same ? e->to[k] : e->from[k]);
    }
    return 0;
}

/* Leaves rows of one position apart but where open edges of theirs lie on each other: there a format has split one
 * vertex. Elsewhere surfaces touch, which their file keeps apart. */
static int keep_seams(struct weld *w)
{
    const struct subd_mesh *m = w->from;
    struct edges e = {m->face_vertices, cli_cage_rows(w->to, m->n_corners, sizeof *e.to),
                      cli_cage_rows(w->to, m->n_corners, 1)};
    int32_t *up = cli_cage_rows(w->to, m->n_vertices, sizeof *up);
    if (!e.to || !e.closed || !up)
        return -1;
    for (int64_t f = 0, at = 0; f < m->n_faces; at += m->face_counts[f++])
        for (int64_t k = 0, n = m->face_counts[f]; k < n; k++)
            e.to[at + k] = m->face_vertices[at + (k + 1 < n ? k + 1 : 0)];
    for (int32_t i = 0; i < m->n_vertices; i++)
        up[i] = i;
    if (close_edges(w, &e) != 0 || join_edges(w, &e, up) != 0)
        return -1;
    for (int32_t i = 0; i < m->n_vertices; i++)
        w->first[i] = root_of(up, i);
    return 0;
}

static int has_welded(const struct weld *w)
{
    int64_t i = 0;
    while (i < w->from->n_vertices && w->first[i] == i)
        i++;
    return i < w->from->n_vertices;
}

static int weld_vertices(struct weld *w, double distance)
{
    const int64_t n = w->from->n_vertices;
    struct subd_mesh *m = &w->to->mesh;
    float *points;
    w->vertex = cli_cage_rows(w->to, n, sizeof *w->vertex);
    w->first = cli_cage_rows(w->to, n, sizeof *w->first);
    points = cli_cage_rows(w->to, n, 3 * sizeof *points);
    if (!w->vertex || !w->first || !points)
        return -1;
    for (int32_t i = 0; i < n; i++)
        w->first[i] = i;
    if (distance > CLI_APART && find_first(w, distance) != 0)
        return -1;
    if (distance < 0 && has_welded(w) && keep_seams(w) != 0)
        return -1;
    m->n_vertices = 0;
    for (int64_t i = 0; i < n; i++) {
        if (w->first[i] == i) {
            memcpy(&points[3 * m->n_vertices], &w->from->points[3 * i], 3 * sizeof *points);
            w->vertex[i] = (int32_t)m->n_vertices++;
        } else
            w->vertex[i] = w->vertex[w->first[i]];
    }
    m->points = points;
    return 0;
}

/* ---- faces ------------------------------------------------------------------------------------------------------- */

/* Writes the corners of a face that its neighbours have not become one with. Returns how many there are. */
static int64_t keep_corners(const struct weld *w, int64_t at, int64_t size, int32_t *corners)
{
    const int32_t *v = &w->from->face_vertices[at];
    int64_t n = 0;
    for (int64_t k = 0; k < size; k++)
        if (n == 0 || w->vertex[v[k]] != w->vertex[w->from->face_vertices[corners[n - 1]]])
            corners[n++] = (int32_t)(at + k);
    while (n > 1 && w->vertex[w->from->face_vertices[corners[n - 1]]] == w->vertex[v[0]])
        n--;
    return n;
}

static int weld_faces(struct weld *w, struct cli_welded *told)
{
    const struct subd_mesh *from = w->from;
    struct subd_mesh *m = &w->to->mesh;
    int32_t *counts = cli_cage_rows(w->to, from->n_faces, sizeof *counts),
            *vertices = cli_cage_rows(w->to, from->n_corners, sizeof *vertices);
    w->corners = cli_cage_rows(w->to, from->n_corners, sizeof *w->corners);
    w->faces = cli_cage_rows(w->to, from->n_faces, sizeof *w->faces);
    w->face = cli_cage_rows(w->to, from->n_faces, sizeof *w->face);
    if (!counts || !vertices || !w->corners || !w->faces || !w->face)
        return -1;
    m->n_faces = m->n_corners = 0;
    for (int64_t f = 0, at = 0; f < from->n_faces; at += from->face_counts[f++]) {
        const int64_t n = keep_corners(w, at, from->face_counts[f], &w->corners[m->n_corners]);
        told->faces_lost += n < 3;
        told->faces_cut += n >= 3 && n < from->face_counts[f];
        w->face[f] = n < 3 ? -1 : (int32_t)m->n_faces;
        if (n < 3)
            continue;
        w->faces[m->n_faces] = (int32_t)f;
        counts[m->n_faces++] = (int32_t)n;
        m->n_corners += n;
    }
    for (int64_t i = 0; i < m->n_corners; i++)
        vertices[i] = w->vertex[from->face_vertices[w->corners[i]]];
    m->face_counts = counts;
    m->face_vertices = vertices;
    return 0;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* Values of corners: rows[corner] names a row of values before; *indices and *out get them afterwards. Two corners
 * share a row when vertex and value are equal. `rows` is indexed by corners as they were, or, where it is NULL, a
 * corner has the row of its vertex. Returns the number of rows, or -1 without memory. */
static int64_t spread(struct weld *w, const float *values, const int32_t *rows, int width, int32_t **indices,
                      float **out)
{
    const struct subd_mesh *m = &w->to->mesh;
    int32_t *of = cli_cage_rows(w->to, m->n_corners, sizeof *of), *vertex = cli_cage_rows(w->to, m->n_corners, 4);
    struct chains c;
    int32_t n = 0;
    *indices = cli_cage_rows(w->to, m->n_corners, sizeof **indices);
    *out = cli_cage_rows(w->to, m->n_corners, (size_t)width * sizeof **out);
    if (!of || !vertex || !*indices || !*out || chains_init(&c, w->to, m->n_corners) != 0)
        return -1;
    for (int64_t i = 0; i < m->n_corners; i++) {
        const int32_t at = rows ? rows[w->corners[i]] : w->from->face_vertices[w->corners[i]];
        const float *value = &values[(int64_t)at * width];
        const uint64_t hash = hash_floats(mix(0, (uint64_t)m->face_vertices[i]), value, width);
        int32_t row = c.head[hash & c.mask];
        while (row >= 0 && (vertex[row] != m->face_vertices[i] ||
                            (of[row] != at && !equal_floats(&(*out)[(int64_t)row * width], value, width))))
            row = c.next[row];
        if (row < 0) {
            row = n++;
            of[row] = at;
            vertex[row] = m->face_vertices[i];
            memcpy(&(*out)[(int64_t)row * width], value, (size_t)width * sizeof *value);
            chains_add(&c, hash, row);
        }
        (*indices)[i] = row;
    }
    return n;
}

static int weld_uvs(struct weld *w)
{
    struct subd_mesh *m = &w->to->mesh;
    int32_t *indices;
    float *uvs;
    if (m->n_uvs == 0)
        return 0;
    m->n_uvs = spread(w, w->from->uvs, w->from->uv_indices, 2, &indices, &uvs);
    m->uvs = uvs;
    m->uv_indices = indices;
    return m->n_uvs < 0 ? -1 : 0;
}

static int spread_primvar(struct weld *w, struct subd_primvar *p, const int32_t *rows)
{
    int32_t *indices;
    float *values;
    const int64_t n = spread(w, p->values, rows, p->width, &indices, &values);
    p->interpolation = "faceVarying";
    p->values = values;
    p->n_values = n * p->width;
    p->indices = indices;
    p->n_indices = w->to->mesh.n_corners;
    return n < 0 ? -1 : 0;
}

static int64_t row_of(const struct subd_primvar *p, int64_t element)
{
    return p->n_indices ? p->indices[element] : element;
}

/* Copies the rows of `n` elements, which are those of elements[] before. */
static int take_rows(struct weld *w, struct subd_primvar *p, const int32_t *elements, int64_t n)
{
    char *values = cli_cage_rows(w->to, n, (size_t)p->width * 4);
    const char *from = p->values;
    const size_t bytes = (size_t)p->width * 4;
    if (!values)
        return -1;
    for (int64_t i = 0; i < n; i++)
        memcpy(&values[(size_t)i * bytes], &from[(size_t)row_of(p, elements[i]) * bytes], bytes);
    p->values = values;
    p->n_values = n * p->width;
    p->indices = NULL;
    p->n_indices = 0;
    return 0;
}

/* Do all vertices that became one have one value? */
static int is_agreed(const struct weld *w, const struct subd_primvar *p)
{
    const float *values = p->values;
    for (int64_t i = 0; i < w->from->n_vertices; i++)
        if (!equal_floats(&values[row_of(p, i) * p->width], &values[row_of(p, w->first[i]) * p->width], p->width))
            return 0;
    return 1;
}

static int weld_vertex_primvar(struct weld *w, struct subd_primvar *p, struct cli_welded *told)
{
    const int64_t n = w->from->n_vertices;
    int32_t *kept = cli_cage_rows(w->to, n, sizeof *kept);
    if (!kept)
        return -1;
    if (!is_agreed(w, p)) {
        told->spread++;
        if (p->n_indices && take_rows(w, p, w->first, n) != 0)
            return -1;
        return spread_primvar(w, p, NULL);
    }
    for (int64_t i = 0, k = 0; i < n; i++)
        if (w->first[i] == i)
            kept[k++] = (int32_t)i;
    return take_rows(w, p, kept, w->to->mesh.n_vertices);
}

static int weld_primvars(struct weld *w, struct cli_welded *told)
{
    struct subd_mesh *m = &w->to->mesh;
    for (int i = 0; i < m->n_primvars; i++) {
        struct subd_primvar *p = &w->to->primvars[i];
        int rc = 0;
        *p = w->from->primvars[i];
        p->width = p->width ? p->width : 1;
        if (strcmp(p->interpolation, "faceVarying") == 0)
            rc = spread_primvar(w, p, p->indices);
        else if (strcmp(p->interpolation, "uniform") == 0)
            rc = take_rows(w, p, w->faces, m->n_faces);
        else if (strcmp(p->interpolation, "constant") != 0)
            rc = weld_vertex_primvar(w, p, told);
        if (rc != 0)
            return -1;
    }
    m->primvars = w->to->primvars;
    return 0;
}

/* ---- tags -------------------------------------------------------------------------------------------------------- */

/* Creases become edges. One whose ends became one is gone. */
static int weld_creases(struct weld *w)
{
    const struct subd_mesh *from = w->from;
    struct subd_mesh *m = &w->to->mesh;
    const int64_t n = from->n_crease_indices - from->n_creases;
    const int per_edge = from->n_crease_sharpnesses == n;
    int32_t *ends = cli_cage_rows(w->to, n, 2 * sizeof *ends), *lengths = cli_cage_rows(w->to, n, sizeof *lengths);
    float *sharpnesses = cli_cage_rows(w->to, n, sizeof *sharpnesses);
    int64_t kept = 0;
    if (!ends || !lengths || !sharpnesses)
        return -1;
    for (int64_t c = 0, at = 0, edge = 0; c < from->n_creases; at += from->crease_lengths[c++])
        for (int32_t k = 1; k < from->crease_lengths[c]; k++, edge++) {
            const int32_t a = w->vertex[from->crease_indices[at + k - 1]], b = w->vertex[from->crease_indices[at + k]];
            if (a == b)
                continue;
            ends[2 * kept] = a;
            ends[2 * kept + 1] = b;
            lengths[kept] = 2;
            sharpnesses[kept++] = from->crease_sharpnesses[per_edge ? edge : c];
        }
    m->crease_indices = ends;
    m->crease_lengths = lengths;
    m->crease_sharpnesses = sharpnesses;
    m->n_crease_indices = 2 * kept;
    m->n_creases = m->n_crease_sharpnesses = kept;
    return 0;
}

static int weld_elements(struct weld *w)
{
    const struct subd_mesh *from = w->from;
    struct subd_mesh *m = &w->to->mesh;
    int32_t *vertices = cli_cage_rows(w->to, from->n_corner_tags, sizeof *vertices),
            *holes = cli_cage_rows(w->to, from->n_holes, sizeof *holes);
    if (!vertices || !holes)
        return -1;
    for (int64_t i = 0; i < from->n_corner_tags; i++)
        vertices[i] = w->vertex[from->corner_vertices[i]];
    m->n_holes = 0;
    for (int64_t i = 0; i < from->n_holes; i++)
        if (w->face[from->hole_faces[i]] >= 0)
            holes[m->n_holes++] = w->face[from->hole_faces[i]];
    m->corner_vertices = vertices;
    m->hole_faces = holes;
    return 0;
}

/* Does each corner have UVs of its own, of which many are equal? */
static int is_unshared(const struct subd_mesh *m)
{
    return m->n_uvs > m->n_vertices && m->n_uvs == m->n_corners;
}

int cli_weld(const struct subd_mesh *from, double distance, struct cli_cage *to, struct cli_welded *told)
{
    struct weld w = {.from = from, .to = to};
    int rc;
    *told = (struct cli_welded){.before = from->n_vertices, .after = from->n_vertices};
    *to = (struct cli_cage){.mesh = *from};
    rc = weld_vertices(&w, distance);
    if (rc == 0 && !has_welded(&w) && !is_unshared(from)) {
        to->mesh = *from;
        return 0;
    }
    if (rc != 0 || weld_faces(&w, told) != 0 || weld_uvs(&w) != 0 || weld_primvars(&w, told) != 0 ||
        weld_creases(&w) != 0 || weld_elements(&w) != 0) {
        cli_cage_free(to);
        return -1;
    }
    told->after = to->mesh.n_vertices;
    return 0;
}
