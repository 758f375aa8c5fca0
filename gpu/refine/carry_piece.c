/* SPDX-License-Identifier: Apache-2.0 */
/* carry_piece.c: cuts the piece of a control mesh that a change reaches out of the mesh, for carry.c.
 *
 * A vertex that has moved, or whose tags or edges have other sharpness, changes no refined point, limit or normal
 * beyond the second ring of faces around it; and what is in these faces depends on nothing beyond one more ring, or two
 * under chaikin, by which the middle of an edge depends on the other edges at both its ends. The piece has all of them.
 * Its rows are in the order of the mesh, so that every sum in it is made in the order of the mesh too. */
#include "gpu/refine/carry.h"
#include "gpu/device/device.h"
#include <stdlib.h>
#include <string.h>

/* A piece has at most this part of the corners of the mesh, and of its vertices at most this part has changed. */
enum { CHANGED_RINGS = 2, MOST_OF_MESH = 4 };

/* Marks of vertices and faces: 0 for far away, else 1 + the ring; changed vertices are ring 0. */
struct marks {
    unsigned char *vertex, *face;
    int32_t *row; /* Shape [V]: the row in the piece, or -1. */
    int64_t n_changed, n_vertices, n_faces, n_corners;
};

static int same(const void *a, const void *b, int64_t bytes)
{
    return a == b || bytes == 0 || memcmp(a, b, (size_t)bytes) == 0; /* Versions share arrays. */
}

static int has_same_faces(const struct sdd_mesh_desc *a, const struct sdd_mesh_desc *b)
{
    return a->n_vertices == b->n_vertices && a->n_faces == b->n_faces && a->n_corners == b->n_corners && !a->n_holes &&
           !b->n_holes && memcmp(&a->options, &b->options, sizeof a->options) == 0 &&
           same(a->face_counts, b->face_counts, a->n_faces * (int64_t)sizeof *a->face_counts) &&
           same(a->face_vertices, b->face_vertices, a->n_corners * (int64_t)sizeof *a->face_vertices);
}

/* Boundary faces that are dropped are holes too, which leave no rows in the indices. */
static int takes(const struct sdd_options *o)
{
    return (o->scheme == SDD_SCHEME_CATMULL_CLARK || o->scheme == SDD_SCHEME_LOOP) && o->boundary != SDD_BOUNDARY_NONE;
}

/* ---- what has changed ------------------------------------------------------------------------------------------- */
static void mark(struct marks *m, int32_t vertex)
{
    m->n_changed += !m->vertex[vertex];
    m->vertex[vertex] = 1;
}

/* Edges or vertices with a sharpness, one after the other. An edge has two rows of `vertices`, a vertex one. */
struct tags {
    int64_t n;
    const int32_t *vertices;
    const float *sharpness;
    int width;
};

static struct tags creases_of(const struct sdd_mesh_desc *d)
{
    return (struct tags){d->n_creases, d->crease_edges, d->crease_sharpness, 2};
}

static struct tags corners_of(const struct sdd_mesh_desc *d)
{
    return (struct tags){d->n_corner_tags, d->corner_vertices, d->corner_sharpness, 1};
}

static int64_t key_of(const struct tags *t, int64_t i)
{
    const int32_t *v = t->vertices + i * t->width;
    return t->width == 2 ? (int64_t)v[0] << 32 | v[1] : v[0];
}

static int ascend(const struct tags *t, int64_t n_vertices)
{
    for (int64_t i = 0; i < t->n; i++) {
        const int32_t *v = t->vertices + i * t->width, last = v[t->width - 1];
        if (v[0] < 0 || last >= n_vertices || (t->width == 2 && v[0] >= last) ||
            (i && key_of(t, i) <= key_of(t, i - 1)))
            return 0;
    }
    return 1;
}

static void mark_tag(struct marks *m, const struct tags *t, int64_t i)
{
    for (int k = 0; k < t->width; k++)
        mark(m, t->vertices[i * t->width + k]);
}

/* Goes along both lists, which ascend. Returns 0 when one does not. */
static int mark_tags(struct marks *m, struct tags a, struct tags b, int64_t n_vertices)
{
    int64_t i = 0, k = 0;
    if (!ascend(&a, n_vertices) || !ascend(&b, n_vertices))
        return 0;
    while (i < a.n || k < b.n) {
        const int64_t x = i < a.n ? key_of(&a, i) : INT64_MAX, y = k < b.n ? key_of(&b, k) : INT64_MAX;
        if (x != y || memcmp(a.sharpness + i, b.sharpness + k, sizeof *a.sharpness) != 0)
            mark_tag(m, x <= y ? &a : &b, x <= y ? i : k);
        i += x <= y;
        k += y <= x;
    }
    return 1;
}

static int mark_changed(struct marks *m, const struct sdd_cage *now, const struct sdd_cage *before)
{
    const struct sdd_mesh_desc *a = now->desc, *b = before->desc;
    const int64_t most = a->n_vertices / MOST_OF_MESH;
    for (int64_t v = 0; v < a->n_vertices && now->points != before->points && m->n_changed <= most; v++)
        if (memcmp(now->points + 3 * v, before->points + 3 * v, 3 * sizeof(float)) != 0)
            mark(m, (int32_t)v);
    return m->n_changed <= most && mark_tags(m, creases_of(a), creases_of(b), a->n_vertices) &&
           mark_tags(m, corners_of(a), corners_of(b), a->n_vertices);
}

/* ---- rings ------------------------------------------------------------------------------------------------------ */
/* Adds the faces at vertices of earlier rings, and then their vertices. */
static void add_ring(struct marks *m, const struct sdd_mesh_desc *d, unsigned char ring)
{
    const int32_t *v = d->face_vertices;
    for (int64_t f = 0; f < d->n_faces; v += d->face_counts[f++])
        for (int32_t k = 0; k < d->face_counts[f] && !m->face[f]; k++)
            if (m->vertex[v[k]] && m->vertex[v[k]] <= ring)
                m->face[f] = ring + 1;
    v = d->face_vertices;
    for (int64_t f = 0; f < d->n_faces; v += d->face_counts[f++])
        for (int32_t k = 0; k < d->face_counts[f] && m->face[f]; k++)
            if (!m->vertex[v[k]])
                m->vertex[v[k]] = ring + 1;
}

/* Numbers the vertices of the piece. Returns 0 when it is too large, or when a vertex without faces has changed. */
static int number(struct marks *m, const struct sdd_mesh_desc *d)
{
    int64_t changed = 0;
    const int32_t *v = d->face_vertices;
    memset(m->row, 0xff, (size_t)d->n_vertices * sizeof *m->row);
    for (int64_t f = 0; f < d->n_faces; v += d->face_counts[f++]) {
        m->n_faces += m->face[f] != 0;
        m->n_corners += m->face[f] ? d->face_counts[f] : 0;
        for (int32_t k = 0; k < d->face_counts[f] && m->face[f]; k++)
            m->row[v[k]] = 0;
    }
    for (int64_t i = 0; i < d->n_vertices; i++)
        if (m->row[i] == 0) {
            changed += m->vertex[i] == 1;
            m->row[i] = (int32_t)m->n_vertices++;
        }
    return changed == m->n_changed && m->n_corners <= d->n_corners / MOST_OF_MESH;
}

/* ---- the piece -------------------------------------------------------------------------------------------------- */
/* The sharpness that a list has for these vertices, of which the first is the lower one; 0 for none. */
static float sharpness_of(const struct tags *t, int64_t key)
{
    int64_t first = 0, end = t->n;
    while (first < end) {
        const int64_t middle = first + (end - first) / 2;
        if (key_of(t, middle) < key)
            first = middle + 1;
        else
            end = middle;
    }
    return first < t->n && key_of(t, first) == key ? t->sharpness[first] : 0;
}

/* The arrays of the piece, which it owns. */
struct arrays {
    int32_t *face_counts, *face_vertices, *crease_edges, *corner_vertices;
    float *crease_sharpness, *corner_sharpness;
};

static int allocate(const struct marks *m, struct arrays *a, struct carry_piece *p)
{
    const size_t corners = (size_t)m->n_corners, vertices = (size_t)m->n_vertices, faces = (size_t)m->n_faces;
    *a = (struct arrays){malloc(faces * 4),    malloc(corners * 4), malloc(corners * 8),
                         malloc(vertices * 4), malloc(corners * 4), malloc(vertices * 4)};
    p->points = malloc(vertices * 12);
    p->runs = malloc(faces * sizeof *p->runs);
    p->desc.face_counts = a->face_counts;
    p->desc.face_vertices = a->face_vertices;
    p->desc.crease_edges = a->crease_edges;
    p->desc.crease_sharpness = a->crease_sharpness;
    p->desc.corner_vertices = a->corner_vertices;
    p->desc.corner_sharpness = a->corner_sharpness;
    return a->face_counts && a->face_vertices && a->crease_edges && a->corner_vertices && a->crease_sharpness &&
           a->corner_sharpness && p->points && p->runs;
}

/* Copies a face and the sharpness of its edges. If the mesh has any, the piece has one too, if need be of 0: there may
 * be other kernels for meshes without. */
static void add_face(const struct marks *m, const struct sdd_mesh_desc *d, const int32_t *v, int32_t n,
                     const struct arrays *a, struct carry_piece *p)
{
    const struct tags creases = creases_of(d);
    struct sdd_mesh_desc *to = &p->desc;
    for (int32_t k = 0; k < n; k++) {
        const int32_t x = v[k], y = v[k + 1 < n ? k + 1 : 0], low = x < y ? x : y, high = x < y ? y : x;
        const float sharpness = sharpness_of(&creases, (int64_t)low << 32 | high);
        a->face_vertices[to->n_corners++] = m->row[x];
        if (sharpness <= 0 && (to->n_creases || !(d->n_creases || d->n_corner_tags)))
            continue;
        a->crease_edges[2 * to->n_creases] = m->row[low];
        a->crease_edges[2 * to->n_creases + 1] = m->row[high];
        a->crease_sharpness[to->n_creases++] = sharpness;
    }
    a->face_counts[to->n_faces++] = n;
}

static void fill(const struct marks *m, const struct sdd_cage *now, const struct arrays *a, struct carry_piece *p)
{
    const struct sdd_mesh_desc *d = now->desc;
    const struct tags corners = corners_of(d);
    const int32_t *v = d->face_vertices;
    for (int64_t f = 0; f < d->n_faces; v += d->face_counts[f++]) {
        const int64_t to = v - d->face_vertices, from = p->desc.n_corners;
        struct carry_run *last = p->n_runs ? p->runs + p->n_runs - 1 : NULL;
        if (!m->face[f])
            continue;
        add_face(m, d, v, d->face_counts[f], a, p);
        if (m->face[f] > 1 + CHANGED_RINGS)
            continue;
        if (last && last->to + last->n == to && last->from + last->n == from)
            last->n += d->face_counts[f];
        else
            p->runs[p->n_runs++] = (struct carry_run){to, from, d->face_counts[f]};
    }
    for (int64_t i = 0; i < d->n_vertices; i++) {
        const float sharpness = m->row[i] < 0 ? 0 : sharpness_of(&corners, i);
        if (m->row[i] < 0)
            continue;
        memcpy(p->points + 3 * m->row[i], now->points + 3 * i, 3 * sizeof(float));
        if (sharpness <= 0)
            continue;
        a->corner_vertices[p->desc.n_corner_tags] = m->row[i];
        a->corner_sharpness[p->desc.n_corner_tags++] = sharpness;
    }
    p->desc.n_vertices = m->n_vertices;
}

static int make(sdd_device *device, struct marks *m, const struct sdd_cage *now, const struct sdd_cage *before,
                struct carry_piece *out)
{
    const struct sdd_mesh_desc *d = now->desc;
    const int rings = CHANGED_RINGS + (d->options.crease_method == SDD_CREASE_CHAIKIN ? 2 : 1);
    struct arrays a;
    if (!mark_changed(m, now, before))
        return 0;
    for (int ring = 1; ring <= rings && m->n_changed; ring++) {
        dev_pause(device);
        add_ring(m, d, (unsigned char)ring);
    }
    dev_pause(device);
    if (!number(m, d))
        return 0;
    dev_pause(device);
    if (m->n_changed && !allocate(m, &a, out))
        return 0;
    if (m->n_changed)
        fill(m, now, &a, out);
    return 1;
}

int carry_piece_make(sdd_device *device, const struct sdd_cage *now, const struct sdd_cage *before,
                     struct carry_piece *out)
{
    const struct sdd_mesh_desc *d = now->desc;
    *out = (struct carry_piece){.desc.options = d->options};
    if (!takes(&d->options) || !has_same_faces(d, before->desc))
        return 0;
    struct marks m = {calloc((size_t)d->n_vertices + 1, 1),
                      calloc((size_t)d->n_faces + 1, 1),
                      malloc(((size_t)d->n_vertices + 1) * sizeof *m.row),
                      0,
                      0,
                      0,
                      0};
    const int ok = m.vertex && m.face && m.row && make(device, &m, now, before, out);
    free(m.vertex);
    free(m.face);
    free(m.row);
    if (!ok)
        carry_piece_free(out);
    return ok;
}

void carry_piece_free(struct carry_piece *p)
{
    const struct sdd_mesh_desc *d = &p->desc;
    const void *arrays[] = {d->face_counts,     d->face_vertices,    d->crease_edges, d->crease_sharpness,
                            d->corner_vertices, d->corner_sharpness, p->points,       p->runs};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free((void *)(uintptr_t)arrays[i]);
    *p = (struct carry_piece){0};
}
