/* SPDX-License-Identifier: Apache-2.0 */
/* scheme.c: the table of schemes, and how many points, faces and edges each of them makes, for all host code that
 * plans memory. */
#include "gpu/mesh/topology.h"

static int64_t points(const sdd_topology *t, int level)
{
    return t->scheme->grid_points(&t->info, t->info.n_vertices, t->info.n_edges, level);
}

static int64_t uvs(const sdd_topology *t, int level)
{
    return t->info.n_uvs ? topology_channel_points(t, t->channel, level) : 0;
}

/* ---- quads ------------------------------------------------------------------------------------------------------- */
static int64_t quad_points(const struct sdd_topology_info *i, int64_t n_vertices, int64_t n_edges, int level)
{
    const int64_t m = (int64_t)1 << (level - 1), C = i->n_corners;
    return n_vertices + i->n_faces + n_edges + (2 * n_edges + C) * (m - 1) + C * (m - 1) * (m - 1);
}

static void count_quads(const sdd_topology *t, int level, struct scheme_counts *out)
{
    const int64_t m = (int64_t)1 << (level - 1), C = t->info.n_corners;
    *out = (struct scheme_counts){points(t, level), t->n_visible * m * m,
                                  (2 * t->info.n_edges + C) * m + 2 * C * m * (m - 1), uvs(t, level)};
}

/* ---- triangles --------------------------------------------------------------------------------------------------- */
static int64_t triangle_points(const struct sdd_topology_info *i, int64_t n_vertices, int64_t n_edges, int level)
{
    const int64_t m = (int64_t)1 << level;
    return n_vertices + n_edges * (m - 1) + i->n_faces * ((m - 1) * (m - 2) / 2);
}

static void count_triangles(const sdd_topology *t, int level, struct scheme_counts *out)
{
    const int64_t m = (int64_t)1 << level;
    *out = (struct scheme_counts){points(t, level), t->n_visible / 3 * m * m,
                                  t->info.n_edges * m + t->info.n_corners * (m * (m - 1) / 2), uvs(t, level)};
}

/* ---- sqrt3 ------------------------------------------------------------------------------------------------------- */
/* Each step adds a vertex for each face. Every second step also cuts each boundary edge in three, which adds one
 * more vertex for it beside the face's. */
static int64_t sqrt3_points(const sdd_topology *t, int level)
{
    int64_t V = t->info.n_vertices, F = t->info.n_faces, B = t->n_open;
    for (int k = 0; k < level; k++, F *= 3) {
        V += F + (k % 2 ? B : 0);
        B *= k % 2 ? 3 : 1;
    }
    return V;
}

/* The first step adds three edges for each face. From the second step on every face has its boundary edges to
 * itself, so a level has (3 F + B) / 2 edges. */
static void count_sqrt3(const sdd_topology *t, int level, struct scheme_counts *out)
{
    const struct sdd_topology_info *i = &t->info;
    int64_t each = 1, B = t->n_open;
    for (int k = 0; k < level; k++, each *= 3)
        B *= k % 2 ? 3 : 1;
    const int64_t faces = t->n_visible / 3 * each;
    *out = (struct scheme_counts){sqrt3_points(t, level), faces,
                                  level == 1 ? i->n_edges + 3 * i->n_faces : (3 * each * i->n_faces + B) / 2,
                                  i->n_uvs ? 3 * faces : 0};
}

#define OF_QUADS                                                                                                       \
    .kind = SCHEME_QUADS, .face_corners = 4, .most_corners = SDD_MAX_FACE_SIZE, .first_level = 1, .has_grids = 1,      \
    .grid_points = quad_points, .points = points, .count = count_quads

const struct scheme scheme_table[] = {
    [SDD_SCHEME_CATMULL_CLARK] = {OF_QUADS, .refines_values = 1},
    [SDD_SCHEME_BILINEAR] = {OF_QUADS, .is_linear = 1},
    [SDD_SCHEME_LOOP] = {.kind = SCHEME_TRIANGLES,
                         .face_corners = 3,
                         .most_corners = 3,
                         .refines_values = 1,
                         .has_grids = 1,
                         .grid_points = triangle_points,
                         .points = points,
                         .count = count_triangles},
    [SDD_SCHEME_SQRT3] = {.kind = SCHEME_SQRT3,
                          .face_corners = 3,
                          .most_corners = 3,
                          .grid_points = triangle_points,
                          .points = sqrt3_points,
                          .count = count_sqrt3},
};
