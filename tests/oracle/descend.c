/* SPDX-License-Identifier: Apache-2.0 */
/* descend.c: one vertex of a level over many more levels, by plain subdivision of what is around it. The point of a
 * vertex and those around it depend on the two rings of faces around it on the level before, so all else is cut off
 * before each step. */
#include "tests/oracle/naive.h"
#include <math.h>
#include <stdlib.h>

/* Marks the vertices of all faces that touch a marked vertex. */
static void grow(const struct naive_mesh *m, unsigned char *face, unsigned char *vertex)
{
    for (int64_t c = 0; c < m->n_corners; c++)
        face[m->corner_face[c]] |= vertex[m->corner_vertex[c]];
    for (int64_t c = 0; c < m->n_corners; c++)
        vertex[m->corner_vertex[c]] |= face[m->corner_face[c]];
}

/* Numbers what is marked; returns how many there are. */
static int32_t number(const unsigned char *mark, int64_t n, int32_t *to)
{
    int32_t count = 0;
    for (int64_t i = 0; i < n; i++)
        to[i] = mark[i] ? count++ : -1;
    return count;
}

/* The two rings of faces around *v, which gets its number in them. Points are then from where *v is, so that digits are
 * left when they come close; `point` is moved there. */
static struct naive_mesh cut(const struct naive_mesh *m, int32_t *v, double point[3])
{
    unsigned char *face = xalloc(m->n_faces, 1), *vertex = xalloc(m->n_vertices, 1), *edge = xalloc(m->n_edges, 1);
    int32_t *vertices = xalloc(m->n_vertices, sizeof *vertices), *edges = xalloc(m->n_edges, sizeof *edges), k = 0;
    struct naive_mesh r = {.chaikin = m->chaikin, .triangles = m->triangles};
    vertex[*v] = 1;
    grow(m, face, vertex);
    grow(m, face, vertex);
    for (int64_t c = 0; c < m->n_corners; c++)
        if (face[m->corner_face[c]]) {
            edge[m->corner_edge[c]] = 1;
            r.n_corners++;
        }
    for (int64_t f = 0; f < m->n_faces; f++)
        r.n_faces += face[f];
    r.n_vertices = number(vertex, m->n_vertices, vertices);
    r.n_edges = number(edge, m->n_edges, edges);
    naive_alloc(&r, 0);
    for (int64_t f = 0, c = 0; f < m->n_faces; f++) {
        for (int32_t i = m->face_first[f]; i < m->face_first[f + 1] && face[f]; i++, c++) {
            r.corner_vertex[c] = vertices[m->corner_vertex[i]];
            r.corner_edge[c] = edges[m->corner_edge[i]];
            r.corner_face[c] = k;
        }
        k += face[f];
        r.face_first[k] = (int32_t)c;
    }
    for (int64_t i = 0; i < m->n_vertices; i++)
        if (vertex[i]) {
            for (int k = 0; k < 3; k++)
                r.points[3 * vertices[i] + k] = m->points[3 * i + k] - m->points[3 * *v + k];
            r.vertex_s[vertices[i]] = m->vertex_s[i];
        }
    for (int64_t e = 0; e < m->n_edges; e++)
        for (int i = 0; i < 2 && edge[e]; i++) {
            r.edge_ends[2 * edges[e] + i] = vertices[m->edge_ends[2 * e + i]];
            r.edge_s[edges[e]] = m->edge_s[e];
        }
    naive_connect(&r);
    for (int k = 0; k < 3; k++)
        point[k] += m->points[3 * *v + k];
    *v = vertices[*v];
    free(face), free(vertex), free(edge), free(vertices), free(edges);
    return r;
}

static int32_t beside(const struct naive_mesh *m, int32_t c, int step)
{
    int32_t first = m->face_first[m->corner_face[c]], n = m->face_first[m->corner_face[c] + 1] - first;
    return first + (c - first + n + step) % n;
}

/* The corner of v whose face follows edge e, or -1. */
static int32_t corner_after(const struct naive_mesh *m, int32_t v, int32_t e)
{
    for (int32_t i = m->vertex_corners.first[v]; i < m->vertex_corners.first[v + 1]; i++)
        if (m->corner_edge[m->vertex_corners.items[i]] == e)
            return m->vertex_corners.items[i];
    return -1;
}

static void cross(const double a[3], const double b[3], double to[3])
{
    for (int k = 0; k < 3; k++)
        to[k] += a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* The unit normal from the ring of v. If it closes and nothing is sharp there, the first harmonic of its edges stands
 * in the plane of tangents, because the rules are the same for all of them; what bends the surface is in the others,
 * which fade slowly where many edges meet. Elsewhere it is the sum of the faces' cross products. Returns 0 where they
 * fold back, so that on no level they come near a plane. */
static int ring_normal(const struct naive_mesh *m, int32_t v, int smooth, double normal[3])
{
    int32_t first = m->vertex_corners.first[v], n = m->vertex_corners.first[v + 1] - first, j = 0;
    double sum[3] = {0}, t[2][3] = {{0}}, size = 0, turn = 6.283185307179586 / n, length = 0;
    for (int32_t c = m->vertex_corners.items[first]; j < n && c >= 0; j++) {
        double e[2][3];
        for (int k = 0; k < 3; k++) {
            e[0][k] = m->points[3 * m->corner_vertex[beside(m, c, 1)] + k] - m->points[3 * v + k];
            t[0][k] += cos(j * turn) * e[0][k];
            t[1][k] += sin(j * turn) * e[0][k];
        }
        c = corner_after(m, v, m->corner_edge[beside(m, c, -1)]);
    }
    for (int32_t i = first; i < first + n; i++) {
        int32_t c = m->vertex_corners.items[i];
        double e[2][3], square[2] = {0};
        for (int side = 0; side < 2; side++)
            for (int k = 0; k < 3; k++) {
                e[side][k] = m->points[3 * m->corner_vertex[beside(m, c, side ? -1 : 1)] + k] - m->points[3 * v + k];
                square[side] += e[side][k] * e[side][k];
            }
        cross(e[0], e[1], sum);
        size += sqrt(square[0] * square[1]);
    }
    int folds = !(sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]) > 0.2 * size);
    if (smooth) {
        sum[0] = sum[1] = sum[2] = 0;
        cross(t[0], t[1], sum);
    }
    length = sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
    for (int k = 0; k < 3; k++)
        normal[k] = length > 0 ? sum[k] / length : 0;
    return length > 0 && !folds;
}

int naive_descend(const struct naive_mesh *m, int32_t v, int steps, double point[3], double normal[3])
{
    point[0] = point[1] = point[2] = 0;
    struct naive_mesh at = cut(m, &v, point);
    for (int i = 0; i < steps; i++) {
        struct naive_mesh next = naive_step(&at, 0);
        naive_free(&at);
        at = cut(&next, &v, point);
        naive_free(&next);
    }
    int32_t sharp[2], n_faces = at.vertex_corners.first[v + 1] - at.vertex_corners.first[v];
    int32_t n_edges = at.vertex_edges.first[v + 1] - at.vertex_edges.first[v];
    enum naive_rule rule = naive_vertex_rule(&at, NULL, at.vertex_s[v], v, sharp);
    int flat = rule == NAIVE_CORNER ? n_faces == 1 : rule == NAIVE_CREASE ? n_edges > n_faces : n_faces > 2;
    flat = ring_normal(&at, v, rule == NAIVE_SMOOTH, normal) && flat;
    naive_free(&at);
    return flat;
}
