/* SPDX-License-Identifier: Apache-2.0 */
/* descend.c: one vertex of a level over many more levels, by plain subdivision of what is around it. The point of a
 * vertex and those around it depend on the two rings of faces around it on the level before, so all else is cut off
 * before each step. */
#include "tests/oracle/naive.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* The two rings of faces around *v, which gets its number in them. */
static struct naive_mesh cut(const struct naive_mesh *m, int32_t *v)
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
            memcpy(r.points + 3 * vertices[i], m->points + 3 * i, 3 * sizeof(double));
            r.vertex_s[vertices[i]] = m->vertex_s[i];
        }
    for (int64_t e = 0; e < m->n_edges; e++)
        for (int i = 0; i < 2 && edge[e]; i++) {
            r.edge_ends[2 * edges[e] + i] = vertices[m->edge_ends[2 * e + i]];
            r.edge_s[edges[e]] = m->edge_s[e];
        }
    naive_connect(&r);
    *v = vertices[*v];
    free(face), free(vertex), free(edge), free(vertices), free(edges);
    return r;
}

/* The sum of the cross products at the corners of v, as a unit vector. Returns 0 where the faces fold back, so that on
 * no level they come near the plane of the limit. */
static int sum_of_faces(const struct naive_mesh *m, int32_t v, double normal[3])
{
    double sum[3] = {0}, size = 0, length;
    for (int32_t i = m->vertex_corners.first[v]; i < m->vertex_corners.first[v + 1]; i++) {
        int32_t c = m->vertex_corners.items[i], first = m->face_first[m->corner_face[c]];
        int32_t n = m->face_first[m->corner_face[c] + 1] - first;
        const double *on = m->points + 3 * m->corner_vertex[first + (c - first + 1) % n], *at = m->points + 3 * v,
                     *off = m->points + 3 * m->corner_vertex[first + (c - first + n - 1) % n];
        double a[3] = {on[0] - at[0], on[1] - at[1], on[2] - at[2]};
        double b[3] = {off[0] - at[0], off[1] - at[1], off[2] - at[2]};
        for (int k = 0; k < 3; k++)
            sum[k] += a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
        size += sqrt((a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) * (b[0] * b[0] + b[1] * b[1] + b[2] * b[2]));
    }
    length = sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
    for (int k = 0; k < 3; k++)
        normal[k] = length > 0 ? sum[k] / length : 0;
    return length > 0.2 * size;
}

int naive_descend(const struct naive_mesh *m, int32_t v, int steps, double point[3], double normal[3])
{
    struct naive_mesh at = cut(m, &v);
    for (int i = 0; i < steps; i++) {
        struct naive_mesh next = naive_step(&at, 0);
        naive_free(&at);
        at = cut(&next, &v);
        naive_free(&next);
    }
    int32_t sharp[2], n_faces = at.vertex_corners.first[v + 1] - at.vertex_corners.first[v];
    int32_t n_edges = at.vertex_edges.first[v + 1] - at.vertex_edges.first[v];
    enum naive_rule rule = naive_vertex_rule(&at, NULL, at.vertex_s[v], v, sharp);
    int flat = rule == NAIVE_CORNER ? n_faces == 1 : rule == NAIVE_CREASE ? n_edges > n_faces : n_faces > 2;
    memcpy(point, at.points + 3 * v, 3 * sizeof(double));
    flat = sum_of_faces(&at, v, normal) && flat;
    naive_free(&at);
    return flat;
}
