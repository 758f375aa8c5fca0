/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle of tile_vertex_faces: random meshes of polygons, cut into tiles here; beside them the sums by a walk over
 * all faces in order. They must agree in every bit, however a mesh is cut. */
#include "tests/kernels/launch.h"
#include "gpu/tiles/kernels/tile_vertex_faces.tile.h"
#include "tests/oracle/refined.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_CORNERS = 6, N_RANDOM = 40 };

static uint64_t seed = 11;

struct mesh {
    int32_t n_faces, n_vertices;
    int32_t *n_corners, (*vertex)[MOST_CORNERS]; /* of each face */
    int32_t *owner;                              /* the tile of each vertex, -1: it has no face */
    float *value;
};

/* Faces of three to six of the `near` vertices around their place; hub: all faces have vertex 0, too. */
static void make_mesh(struct mesh *m, int32_t n_faces, int32_t near, int hub)
{
    m->n_faces = n_faces;
    m->n_vertices = n_faces + near + 1;
    m->n_corners = xalloc(n_faces, sizeof *m->n_corners);
    m->vertex = xalloc(n_faces, sizeof *m->vertex);
    m->owner = xalloc(m->n_vertices, sizeof *m->owner);
    m->value = xalloc(3 * n_faces, sizeof *m->value);
    for (int32_t f = 0; f < n_faces; f++) {
        const int32_t n = 3 + random_below(&seed, MOST_CORNERS - 2);
        int32_t first = random_below(&seed, near - MOST_CORNERS + 1);
        m->n_corners[f] = n;
        for (int32_t k = 0; k < n; k++)
            m->vertex[f][k] = f + 1 + first + (k + f) % n;
        if (hub)
            m->vertex[f][f % n] = 0;
    }
    for (int32_t i = 0; i < 3 * n_faces; i++) /* of magnitudes so far apart that the order of a sum shows */
        m->value[i] = (2 * random_unit(&seed) - 1) * (float)(1 << random_below(&seed, 20));
}

static void free_mesh(struct mesh *m)
{
    free(m->n_corners), free(m->vertex), free(m->owner), free(m->value);
}

/* The tiles of a mesh, as the kernel takes them. */
struct cut {
    int32_t n, n_faces, n_corners, n_vertices;
    struct sdd_tile *tile;
    uint32_t *face, *vertex;
    uint16_t *face_end, *corner_vertex;
};

static int has_own(const struct mesh *m, int32_t f, int32_t tile)
{
    for (int32_t k = 0; k < m->n_corners[f]; k++)
        if (m->owner[m->vertex[f][k]] == tile)
            return 1;
    return 0;
}

static int32_t add_vertex(struct cut *c, struct sdd_tile *t, int32_t *local, int32_t vertex)
{
    if (local[vertex] < 0) {
        local[vertex] = t->n_vertices++;
        c->vertex[c->n_vertices++] = (uint32_t)vertex;
    }
    return local[vertex];
}

static void add_face(const struct mesh *m, struct cut *c, struct sdd_tile *t, int32_t *local, int32_t f)
{
    for (int32_t k = 0; k < m->n_corners[f]; k++)
        c->corner_vertex[c->n_corners++] = (uint16_t)add_vertex(c, t, local, m->vertex[f][k]);
    t->n_corners = c->n_corners - t->first_corner;
    c->face_end[c->n_faces] = (uint16_t)t->n_corners;
    c->face[c->n_faces++] = (uint32_t)f;
    t->n_faces++;
}

/* Tile `nth`, of faces [low, high): its vertices are those that no tile before it owns; then its faces, then the others
 * around its vertices. */
static void make_tile(struct mesh *m, struct cut *c, int32_t nth, int32_t low, int32_t high)
{
    struct sdd_tile *t = c->tile + nth;
    int32_t *local = xalloc(m->n_vertices, sizeof *local);
    memset(local, -1, (size_t)m->n_vertices * sizeof *local);
    *t = (struct sdd_tile){c->n_faces, 0, c->n_corners, 0, c->n_vertices, 0, 0};
    for (int32_t v = 0; v < m->n_vertices; v++)
        if (m->owner[v] == nth)
            (void)add_vertex(c, t, local, v);
    t->n_owned = t->n_vertices;
    for (int32_t f = low; f < high; f++)
        add_face(m, c, t, local, f);
    for (int32_t f = 0; f < m->n_faces; f++)
        if ((f < low || f >= high) && has_own(m, f, nth))
            add_face(m, c, t, local, f);
    assert_true(t->n_faces <= SDD_TILE_FACES && t->n_vertices <= SDD_TILE_VERTICES && t->n_corners <= SDD_TILE_CORNERS);
    free(local);
}

static void make_cut(struct mesh *m, struct cut *c, int32_t each)
{
    memset(c, 0, sizeof *c);
    c->n = (m->n_faces + each - 1) / each;
    const int64_t most = (int64_t)c->n * SDD_TILE_CORNERS;
    c->tile = xalloc(c->n, sizeof *c->tile);
    c->face = xalloc(most, sizeof *c->face), c->vertex = xalloc(most, sizeof *c->vertex);
    c->face_end = xalloc(most, sizeof *c->face_end), c->corner_vertex = xalloc(most, sizeof *c->corner_vertex);
    for (int32_t v = 0; v < m->n_vertices; v++)
        m->owner[v] = -1;
    for (int32_t f = 0; f < m->n_faces; f++)
        for (int32_t k = 0; k < m->n_corners[f]; k++)
            if (m->owner[m->vertex[f][k]] < 0)
                m->owner[m->vertex[f][k]] = f / each;
    for (int32_t t = 0; t < c->n; t++)
        make_tile(m, c, t, t * each, (t + 1) * each < m->n_faces ? (t + 1) * each : m->n_faces);
}

static void free_cut(struct cut *c)
{
    free(c->tile), free(c->face), free(c->vertex), free(c->face_end), free(c->corner_vertex);
}

static void check_cut(const struct mesh *m, const struct cut *c)
{
    const int64_t V = m->n_vertices;
    float *sum = poisoned(3 * V, sizeof *sum);
    int32_t *count = poisoned(V, sizeof *count);
    for (int32_t v = 0; v < V; v++)
        if (m->owner[v] >= 0)
            sum[3 * v] = sum[3 * v + 1] = sum[3 * v + 2] = 0.0f, count[v] = 0;
    for (int32_t f = 0; f < m->n_faces; f++)
        for (int32_t k = 0; k < m->n_corners[f]; k++) {
            const int32_t v = m->vertex[f][k];
            for (int32_t i = 0; i < 3; i++)
                sum[3 * v + i] += m->value[3 * f + i];
            count[v]++;
        }
    struct tile_vertex_faces_args a = {{launch_in(c->tile, c->n, sizeof *c->tile),
                                        launch_in(c->face, c->n_faces, sizeof *c->face),
                                        launch_in(c->face_end, c->n_faces, sizeof *c->face_end),
                                        launch_in(c->corner_vertex, c->n_corners, sizeof *c->corner_vertex),
                                        launch_in(c->vertex, c->n_vertices, sizeof *c->vertex)},
                                       launch_in(m->value, m->n_faces, 3 * sizeof *m->value),
                                       launch_out(V, 3 * sizeof *sum),
                                       launch_out(V, sizeof *count)};
    LAUNCH(tile_vertex_faces, &a, c->n);
    launch_same(a.sum, sum, "sum");
    launch_same(a.count, count, "count");
    launch_end();
    free(sum), free(count);
}

static void check_mesh(int32_t n_faces, int32_t near, int hub, int32_t each)
{
    struct mesh m;
    struct cut c;
    launch_say("%d faces, %d a tile, vertices within %d%s", n_faces, each, near, hub ? ", with a hub" : "");
    make_mesh(&m, n_faces, near, hub);
    make_cut(&m, &c, each);
    check_cut(&m, &c);
    free_cut(&c);
    make_cut(&m, &c, n_faces < 512 ? n_faces : each / 2 + 1); /* the same sums of the same mesh cut another way */
    check_cut(&m, &c);
    free_cut(&c);
    free_mesh(&m);
}

static void test_random(void **state)
{
    (void)state;
    for (int round = 0; round < N_RANDOM; round++)
        check_mesh(1 + random_below(&seed, 2000), MOST_CORNERS + random_below(&seed, 60), 0,
                   1 + random_below(&seed, 512));
}

/* A row as long as a tile has faces, and tiles as full as they may be. */
static void test_full(void **state)
{
    (void)state;
    check_mesh(600, 300, 1, 600);
    check_mesh(700, MOST_CORNERS, 0, 700);
    check_mesh(1, MOST_CORNERS, 0, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_full)};
    return LAUNCH_GROUP("tiles", tests);
}
