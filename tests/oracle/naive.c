/* SPDX-License-Identifier: Apache-2.0 */
/* naive.c: one step of Catmull-Clark, or of Loop, as SEMANTICS.md sections 1 to 3 say it. */
#include "tests/oracle/naive.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void naive_free(struct naive_mesh *m)
{
    void *all[] = {m->face_first,
                   m->corner_vertex,
                   m->corner_edge,
                   m->corner_face,
                   m->edge_ends,
                   m->edge_faces,
                   m->edge_s,
                   m->vertex_s,
                   m->hole,
                   m->vertex_edges.first,
                   m->vertex_edges.items,
                   m->vertex_corners.first,
                   m->vertex_corners.items,
                   m->points,
                   m->uvs};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

void naive_alloc(struct naive_mesh *m, int with_uvs)
{
    m->face_first = xalloc(m->n_faces + 1, sizeof *m->face_first);
    m->corner_vertex = xalloc(m->n_corners, sizeof *m->corner_vertex);
    m->corner_edge = xalloc(m->n_corners, sizeof *m->corner_edge);
    m->corner_face = xalloc(m->n_corners, sizeof *m->corner_face);
    m->edge_ends = xalloc(2 * m->n_edges, sizeof *m->edge_ends);
    m->edge_faces = xalloc(2 * m->n_edges, sizeof *m->edge_faces);
    m->edge_s = xalloc(m->n_edges, sizeof *m->edge_s);
    m->vertex_s = xalloc(m->n_vertices, sizeof *m->vertex_s);
    m->hole = xalloc(m->n_faces, 1);
    m->points = xalloc(3 * m->n_vertices, sizeof *m->points);
    m->uvs = with_uvs ? xalloc(2 * m->n_corners, sizeof *m->uvs) : NULL;
}

/* Lists `width` keys an item (keys[item * width + k] names the row) in ascending order of the item. */
static struct naive_list list_by(const int32_t *keys, int width, int64_t n_items, int64_t n_rows)
{
    struct naive_list l = {xalloc(n_rows + 1, sizeof *l.first), xalloc(n_items * width, sizeof *l.items)};
    int32_t *at = xalloc(n_rows, sizeof *at);
    for (int64_t i = 0; i < n_items * width; i++)
        l.first[keys[i] + 1]++;
    for (int64_t r = 0; r < n_rows; r++)
        l.first[r + 1] += l.first[r];
    for (int64_t i = 0; i < n_items * width; i++)
        l.items[l.first[keys[i]] + at[keys[i]]++] = (int32_t)(i / width);
    free(at);
    return l;
}

/* Fills the faces of every edge and the fans of every vertex from the corners. */
void naive_connect(struct naive_mesh *m)
{
    for (int64_t e = 0; e < 2 * m->n_edges; e++)
        m->edge_faces[e] = -1;
    for (int64_t c = 0; c < m->n_corners; c++) {
        int32_t *two = &m->edge_faces[2 * m->corner_edge[c]];
        if (two[0] >= 0 && two[1] >= 0)
            oracle_die("edge %d has three faces", m->corner_edge[c]);
        two[two[0] >= 0] = m->corner_face[c];
    }
    m->vertex_edges = list_by(m->edge_ends, 2, m->n_edges, m->n_vertices);
    m->vertex_corners = list_by(m->corner_vertex, 1, m->n_corners, m->n_vertices);
}

static int64_t after(const struct naive_mesh *m, int64_t c)
{
    int32_t f = m->corner_face[c];
    return c + 1 < m->face_first[f + 1] ? c + 1 : m->face_first[f];
}
static int64_t before(const struct naive_mesh *m, int64_t c)
{
    int32_t f = m->corner_face[c];
    return c > m->face_first[f] ? c - 1 : m->face_first[f + 1] - 1;
}
static int is_boundary(const struct naive_mesh *m, int64_t e)
{
    return m->edge_faces[2 * e + 1] < 0;
}
int32_t naive_far_end(const struct naive_mesh *m, int32_t e, int32_t v)
{
    return m->edge_ends[2 * e] == v ? m->edge_ends[2 * e + 1] : m->edge_ends[2 * e];
}

/* ---- the control mesh --------------------------------------------------------------------------------------- */
static int32_t find_edge(const struct naive_mesh *m, int32_t a, int32_t b)
{
    for (int64_t e = 0; e < m->n_edges; e++)
        if ((m->edge_ends[2 * e] == a && m->edge_ends[2 * e + 1] == b) ||
            (m->edge_ends[2 * e] == b && m->edge_ends[2 * e + 1] == a))
            return (int32_t)e;
    oracle_die("no edge %d-%d", a, b);
}

static void set_tags(struct naive_mesh *m, const struct sdd_mesh_desc *d)
{
    for (int64_t i = 0; i < d->n_creases; i++)
        m->edge_s[find_edge(m, d->crease_edges[2 * i], d->crease_edges[2 * i + 1])] =
            fmin((double)d->crease_sharpness[i], 10);
    for (int64_t i = 0; i < d->n_corner_tags; i++)
        m->vertex_s[d->corner_vertices[i]] = fmin((double)d->corner_sharpness[i], 10);
    for (int64_t i = 0; i < d->n_holes; i++)
        m->hole[d->hole_faces[i]] = 1;
    if (d->options.boundary == SDD_BOUNDARY_NONE)
        for (int64_t e = 0; e < m->n_edges; e++)
            for (int k = 0; k < 2 && is_boundary(m, e) && m->edge_s[e] < 10; k++) {
                int32_t v = m->edge_ends[2 * e + k];
                for (int32_t i = m->vertex_corners.first[v]; i < m->vertex_corners.first[v + 1]; i++)
                    m->hole[m->corner_face[m->vertex_corners.items[i]]] = 1;
            }
    for (int64_t e = 0; e < m->n_edges; e++)
        if (is_boundary(m, e))
            m->edge_s[e] = 10;
    for (int64_t v = 0; v < m->n_vertices && d->options.boundary == SDD_BOUNDARY_EDGE_AND_CORNER; v++)
        if (m->vertex_corners.first[v + 1] - m->vertex_corners.first[v] == 1)
            m->vertex_s[v] = 10;
}

struct naive_mesh naive_control(const struct sdd_mesh_desc *d, const float *points, const float *uvs)
{
    struct grid g; /* its edge numbers are the order that the answer is in */
    grid_init(&g, d);
    struct naive_mesh m = {
        .n_vertices = g.n_vertices, .n_faces = g.n_faces, .n_edges = g.n_edges, .n_corners = g.n_corners};
    m.chaikin = d->options.crease_method == SDD_CREASE_CHAIKIN;
    m.triangles = d->options.scheme == SDD_SCHEME_LOOP;
    naive_alloc(&m, uvs && d->n_uvs > 0);
    memcpy(m.face_first, g.first, (size_t)(m.n_faces + 1) * sizeof *m.face_first);
    memcpy(m.corner_vertex, g.vertices, (size_t)m.n_corners * sizeof *m.corner_vertex);
    memcpy(m.corner_edge, g.edge, (size_t)m.n_corners * sizeof *m.corner_edge);
    memcpy(m.corner_face, g.corner_face, (size_t)m.n_corners * sizeof *m.corner_face);
    memcpy(m.edge_ends, g.ends, (size_t)(2 * m.n_edges) * sizeof *m.edge_ends);
    for (int64_t i = 0; i < 3 * m.n_vertices; i++)
        m.points[i] = (double)points[i];
    for (int64_t c = 0; c < m.n_corners && m.uvs; c++)
        for (int k = 0; k < 2; k++)
            m.uvs[2 * c + k] = (double)uvs[2 * d->uv_indices[g.authored[c]] + k];
    grid_fini(&g);
    naive_connect(&m);
    set_tags(&m, d);
    return m;
}

/* ---- rules -------------------------------------------------------------------------------------------------- */
static double decayed(double s)
{
    return s >= 10 ? 10 : s > 1 ? s - 1 : 0;
}

static double half_at(const struct naive_mesh *m, const double *half_s, int32_t e, int32_t v)
{
    return half_s[2 * e + (m->edge_ends[2 * e] != v)];
}

/* The semi-sharp edges of v, counter-clockwise from its first corner's, or all round its open fan: added in float and
 * in this order, as OpenSubdiv does, because what just vanishes is decided by the last bit. */
static float semi_sum(const struct naive_mesh *m, int32_t v, int *n)
{
    int32_t first = m->vertex_corners.first[v], size = m->vertex_corners.first[v + 1] - first, at = first;
    float sum = 0;
    for (int32_t i = first; i < first + size; i++)
        if (is_boundary(m, m->corner_edge[m->vertex_corners.items[i]]))
            at = i;
    *n = 0;
    for (int32_t k = 0; k < size; k++) {
        int32_t c = m->vertex_corners.items[at], next = m->corner_edge[before(m, c)];
        double s = m->edge_s[m->corner_edge[c]];
        if (s > 0 && s < 10)
            sum += (float)s, ++*n;
        for (at = first; at + 1 < first + size && m->corner_edge[m->vertex_corners.items[at]] != next; at++)
            ;
    }
    return sum;
}

/* What is left of edge e in its half at v. */
static double half_of(const struct naive_mesh *m, int32_t e, int32_t v)
{
    float s = (float)m->edge_s[e], sum;
    int n = 0;
    if (!m->chaikin || s <= 0 || s >= 10)
        return decayed(m->edge_s[e]);
    sum = semi_sum(m, v, &n);
    if (n > 1)
        s = 0.75f * s + 0.25f * ((sum - s) / (float)(n - 1));
    return decayed((double)s);
}

enum naive_rule naive_vertex_rule(const struct naive_mesh *m, const double *half_s, double vertex_s, int32_t v,
                                  int32_t sharp[2])
{
    int n = 0;
    for (int32_t i = m->vertex_edges.first[v]; i < m->vertex_edges.first[v + 1]; i++) {
        int32_t e = m->vertex_edges.items[i];
        if ((half_s ? half_at(m, half_s, e, v) : m->edge_s[e]) <= 0)
            continue;
        if (n < 2)
            sharp[n] = e;
        n++;
    }
    if (vertex_s > 0 || n > 2)
        return NAIVE_CORNER;
    return n == 2 ? NAIVE_CREASE : n == 1 ? NAIVE_DART : NAIVE_SMOOTH;
}

static void add(double *to, double w, const double *p)
{
    for (int k = 0; k < 3; k++)
        to[k] += w * p[k];
}

static void vertex_mask(const struct naive_mesh *m, const double *face_points, enum naive_rule rule,
                        const int32_t sharp[2], int32_t v, double w, double *to)
{
    const double *p = &m->points[3 * v];
    if (rule == NAIVE_CORNER) {
        add(to, w, p);
    } else if (rule == NAIVE_CREASE) {
        add(to, w * 3 / 4, p);
        for (int k = 0; k < 2; k++)
            add(to, w / 8, &m->points[3 * naive_far_end(m, sharp[k], v)]);
    } else if (m->triangles) {
        int32_t first = m->vertex_edges.first[v], n = m->vertex_edges.first[v + 1] - first;
        double turn = 3.0 / 8 + cos(6.283185307179586 / n) / 4, beta = (5.0 / 8 - turn * turn) / n;
        add(to, w * (1 - n * beta), p);
        for (int32_t i = first; i < first + n; i++)
            add(to, w * beta, &m->points[3 * naive_far_end(m, m->vertex_edges.items[i], v)]);
    } else {
        int32_t first = m->vertex_edges.first[v], n = m->vertex_edges.first[v + 1] - first;
        add(to, w * (n - 2) / n, p);
        for (int32_t i = first; i < first + n; i++)
            add(to, w / ((double)n * n), &m->points[3 * naive_far_end(m, m->vertex_edges.items[i], v)]);
        for (int32_t i = m->vertex_corners.first[v]; i < m->vertex_corners.first[v + 1]; i++)
            add(to, w / ((double)n * n), &face_points[3 * m->corner_face[m->vertex_corners.items[i]]]);
    }
}

static void vertex_point(const struct naive_mesh *m, const double *face_points, const double *half_s, int32_t v,
                         double *to)
{
    int32_t sharp[2] = {0, 0}, child_sharp[2] = {0, 0};
    if (m->vertex_edges.first[v] == m->vertex_edges.first[v + 1]) {
        add(to, 1, &m->points[3 * v]);
        return;
    }
    double s = m->vertex_s[v], sum = 0, n = 0;
    enum naive_rule parent = naive_vertex_rule(m, NULL, s, v, sharp);
    enum naive_rule child = naive_vertex_rule(m, half_s, decayed(s), v, child_sharp);
    if (parent <= NAIVE_DART || parent == child) {
        vertex_mask(m, face_points, parent, sharp, v, 1, to);
        return;
    }
    if (s > 0 && s <= 1)
        sum += s, n++;
    for (int32_t i = m->vertex_edges.first[v]; i < m->vertex_edges.first[v + 1]; i++) {
        int32_t e = m->vertex_edges.items[i];
        if (m->edge_s[e] > 0 && half_at(m, half_s, e, v) <= 0)
            sum += m->edge_s[e], n++;
    }
    double w = n > 0 ? fmin(1, sum / n) : 0;
    vertex_mask(m, face_points, parent, sharp, v, w, to);
    vertex_mask(m, face_points, child, child_sharp, v, 1 - w, to);
}

/* halves: what is left of the edge's two. */
static void edge_point(const struct naive_mesh *m, const double *face_points, const double halves[2],
                       int smooth_triangles, int64_t e, double *to)
{
    double crease = halves[0] > 0 && halves[1] > 0 ? 1 : m->edge_s[e], face = 0.25;
    if (!is_boundary(m, e) && smooth_triangles) {
        double sum = 0;
        for (int k = 0; k < 2; k++) {
            int32_t f = m->edge_faces[2 * e + k];
            sum += m->face_first[f + 1] - m->face_first[f] == 3 ? 0.470 : 0.25;
        }
        face = sum / 2;
    }
    for (int k = 0; k < 2; k++) {
        add(to, crease / 2 + (1 - crease) * (0.5 - face), &m->points[3 * m->edge_ends[2 * e + k]]);
        if (!is_boundary(m, e))
            add(to, (1 - crease) * face, &face_points[3 * m->edge_faces[2 * e + k]]);
    }
}

/* The corner of triangle f that edge e does not touch. */
static int32_t opposite(const struct naive_mesh *m, int32_t f, int64_t e)
{
    int32_t c = m->face_first[f];
    while (m->corner_edge[c] != e)
        c++;
    return m->corner_vertex[before(m, c)];
}

static void loop_edge_point(const struct naive_mesh *m, const double halves[2], int64_t e, double *to)
{
    double crease = halves[0] > 0 && halves[1] > 0 ? 1 : m->edge_s[e];
    for (int k = 0; k < 2; k++) {
        add(to, crease / 2 + (1 - crease) * 3 / 8, &m->points[3 * m->edge_ends[2 * e + k]]);
        if (!is_boundary(m, e))
            add(to, (1 - crease) / 8, &m->points[3 * opposite(m, m->edge_faces[2 * e + k], e)]);
    }
}

/* ---- one step ----------------------------------------------------------------------------------------------- */
static void child_face(const struct naive_mesh *m, int64_t c, struct naive_mesh *n)
{
    int64_t d = before(m, c);
    int32_t v = m->corner_vertex[c], f = m->corner_face[c], e = m->corner_edge[c], b = m->corner_edge[d];
    int32_t first_face = (int32_t)m->n_vertices, first_edge = (int32_t)(m->n_vertices + m->n_faces),
            inside = (int32_t)(2 * m->n_edges);
    int32_t corners[4] = {v, first_edge + e, first_face + f, first_edge + b};
    int32_t edges[4] = {2 * e + (m->edge_ends[2 * e] != v), inside + (int32_t)c, inside + (int32_t)d,
                        2 * b + (m->edge_ends[2 * b] != v)};
    for (int k = 0; k < 4; k++) {
        n->corner_vertex[4 * c + k] = corners[k];
        n->corner_edge[4 * c + k] = edges[k];
        n->corner_face[4 * c + k] = (int32_t)c;
    }
    n->face_first[c + 1] = (int32_t)(4 * (c + 1));
    n->hole[c] = m->hole[f];
    n->edge_ends[2 * edges[1]] = corners[1];
    n->edge_ends[2 * edges[1] + 1] = corners[2];
    if (!m->uvs)
        return;
    int64_t a = after(m, c), size = m->face_first[f + 1] - m->face_first[f];
    for (int k = 0; k < 2; k++) {
        double mean = 0;
        for (int64_t i = m->face_first[f]; i < m->face_first[f + 1]; i++)
            mean += m->uvs[2 * i + k] / (double)size;
        double four[4] = {m->uvs[2 * c + k], (m->uvs[2 * c + k] + m->uvs[2 * a + k]) / 2, mean,
                          (m->uvs[2 * c + k] + m->uvs[2 * d + k]) / 2};
        for (int i = 0; i < 4; i++)
            n->uvs[8 * c + 2 * i + k] = four[i];
    }
}

/* The halves of each edge, which end in the edge's point; points of edges are numbered from `first` on. */
static void child_edges(const struct naive_mesh *m, int64_t first, struct naive_mesh *n)
{
    for (int32_t e = 0; e < m->n_edges; e++)
        for (int k = 0; k < 2; k++) {
            n->edge_s[2 * e + k] = half_of(m, e, m->edge_ends[2 * e + k]);
            n->edge_ends[2 * (2 * e + k)] = m->edge_ends[2 * e + k];
            n->edge_ends[2 * (2 * e + k) + 1] = (int32_t)(first + e);
        }
}

static void child_vertices(const struct naive_mesh *m, const double *face_points, struct naive_mesh *n)
{
    for (int32_t v = 0; v < m->n_vertices; v++) {
        n->vertex_s[v] = decayed(m->vertex_s[v]);
        vertex_point(m, face_points, n->edge_s, v, &n->points[3 * v]);
    }
    naive_connect(n);
}

static struct naive_mesh quad_step(const struct naive_mesh *m, int smooth_triangles)
{
    struct naive_mesh n = {.n_vertices = m->n_vertices + m->n_faces + m->n_edges,
                           .n_faces = m->n_corners,
                           .n_edges = 2 * m->n_edges + m->n_corners,
                           .n_corners = 4 * m->n_corners,
                           .chaikin = m->chaikin};
    naive_alloc(&n, m->uvs != NULL);
    double *face_points = &n.points[3 * m->n_vertices], *edge_points = &n.points[3 * (m->n_vertices + m->n_faces)];
    child_edges(m, m->n_vertices + m->n_faces, &n);
    for (int64_t c = 0; c < m->n_corners; c++) {
        int32_t f = m->corner_face[c];
        child_face(m, c, &n);
        add(&face_points[3 * f], 1.0 / (m->face_first[f + 1] - m->face_first[f]), &m->points[3 * m->corner_vertex[c]]);
    }
    for (int64_t e = 0; e < m->n_edges; e++)
        edge_point(m, face_points, &n.edge_s[2 * e], smooth_triangles, e, &edge_points[3 * e]);
    child_vertices(m, face_points, &n);
    return n;
}

/* Child 4 f + k of triangle f has its corner k; child 4 f + 3 is the middle one. Edge 2 E + c cuts off corner c. */
static struct naive_mesh triangle_step(const struct naive_mesh *m)
{
    struct naive_mesh n = {.n_vertices = m->n_vertices + m->n_edges,
                           .n_faces = 4 * m->n_faces,
                           .n_edges = 2 * m->n_edges + m->n_corners,
                           .n_corners = 4 * m->n_corners,
                           .chaikin = m->chaikin,
                           .triangles = 1};
    naive_alloc(&n, 0);
    child_edges(m, m->n_vertices, &n);
    for (int32_t c = 0; c < m->n_corners; c++) {
        int32_t f = c / 3, k = c % 3, d = (int32_t)before(m, c), v = m->corner_vertex[c];
        int32_t a = m->corner_edge[c], b = m->corner_edge[d], cut = (int32_t)(2 * m->n_edges) + c;
        int32_t corners[3] = {v, (int32_t)m->n_vertices + a, (int32_t)m->n_vertices + b};
        int32_t edges[3] = {2 * a + (m->edge_ends[2 * a] != v), cut, 2 * b + (m->edge_ends[2 * b] != v)};
        for (int i = 0; i < 3; i++) {
            n.corner_vertex[3 * (4 * f + k) + i] = corners[i];
            n.corner_edge[3 * (4 * f + k) + i] = edges[i];
        }
        n.corner_vertex[3 * (4 * f + 3) + k] = corners[1];
        n.corner_edge[3 * (4 * f + 3) + k] = (int32_t)(2 * m->n_edges) + 3 * f + (k + 1) % 3;
        n.edge_ends[2 * cut] = corners[1];
        n.edge_ends[2 * cut + 1] = corners[2];
    }
    for (int32_t c = 0; c < n.n_corners; c++)
        n.corner_face[c] = c / 3;
    for (int32_t f = 0; f < n.n_faces; f++) {
        n.face_first[f + 1] = 3 * (f + 1);
        n.hole[f] = m->hole[f / 4];
    }
    for (int64_t e = 0; e < m->n_edges; e++)
        loop_edge_point(m, &n.edge_s[2 * e], e, &n.points[3 * (m->n_vertices + e)]);
    child_vertices(m, NULL, &n);
    return n;
}

struct naive_mesh naive_step(const struct naive_mesh *m, int smooth_triangles)
{
    return m->triangles ? triangle_step(m) : quad_step(m, smooth_triangles);
}

static void walk_step(struct grid_walk *w, const struct naive_mesh *m, const struct naive_mesh *n)
{
    int32_t *same = xalloc(m->n_corners > m->n_vertices ? m->n_corners : m->n_vertices, sizeof *same);
    for (int32_t i = 0; i < m->n_corners || i < m->n_vertices; i++)
        same[i] = i; /* child c belongs to corner c, vertex v to v */
    const struct walk_level step = {m->face_first, m->corner_vertex, same, same, n->corner_vertex};
    grid_walk_step(w, &step);
    free(same);
}

/* Carries the answer (limits and normals already in m's order) over to grid order. */
static void collect(const struct naive_mesh *m, const struct grid_walk *w, struct refined *own, struct refined *out)
{
    int32_t *map = grid_walk_map(w, m->corner_vertex, m->n_vertices), *back = xalloc(m->n_vertices, sizeof *back);
    *out = (struct refined){.n_vertices = m->n_vertices};
    out->size = 4;
    out->points = xalloc(3 * m->n_vertices, sizeof(double));
    out->limits = xalloc(3 * m->n_vertices, sizeof(double));
    out->normals = xalloc(3 * m->n_vertices, sizeof(double));
    out->normal_ok = xalloc(m->n_vertices, 1);
    out->faces = xalloc(4 * w->n_rows, sizeof *out->faces);
    out->uvs = m->uvs ? xalloc(8 * w->n_rows, sizeof(double)) : NULL;
    for (int32_t id = 0; id < m->n_vertices; id++) {
        back[map[id]] = id;
        add(&out->points[3 * id], 1, &m->points[3 * map[id]]);
        add(&out->limits[3 * id], 1, &own->limits[3 * map[id]]);
        add(&out->normals[3 * id], 1, &own->normals[3 * map[id]]);
        out->normal_ok[id] = own->normal_ok[map[id]];
    }
    for (int64_t row = 0; row < w->n_rows; row++) {
        if (m->hole[w->face[row]])
            continue;
        for (int k = 0; k < 4; k++) {
            int64_t from = 4 * (int64_t)w->face[row] + ((k + w->turn[row]) & 3), to = 4 * out->n_faces + k;
            out->faces[to] = (uint32_t)back[m->corner_vertex[from]];
            if (out->uvs)
                memcpy(&out->uvs[2 * to], &m->uvs[2 * from], 2 * sizeof(double));
        }
        out->n_faces++;
    }
    free(map);
    free(back);
}

void naive_refine(const struct sdd_mesh_desc *desc, const float *points, const float *uvs, int level,
                  struct refined *out)
{
    struct grid g;
    struct grid_walk w;
    struct naive_mesh m = naive_control(desc, points, desc->options.fvar == SDD_FVAR_ALL ? uvs : NULL);
    grid_init(&g, desc);
    grid_walk_init(&w, &g);
    for (int n = 0; n < level; n++) {
        struct naive_mesh next = naive_step(&m, n == 0 && desc->options.triangle_rule == SDD_TRIANGLE_SMOOTH);
        walk_step(&w, &m, &next);
        naive_free(&m);
        m = next;
    }
    struct refined own = {.limits = xalloc(3 * m.n_vertices, sizeof(double)),
                          .normals = xalloc(3 * m.n_vertices, sizeof(double)),
                          .normal_ok = xalloc(m.n_vertices, 1)};
    naive_limit(&m, own.limits, own.normals, own.normal_ok);
    collect(&m, &w, &own, out);
    refined_free(&own);
    naive_free(&m);
    grid_walk_fini(&w);
    grid_fini(&g);
}
