/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels behind formulas of refined levels, against naive.h: line_keys, line_places and fold_vertices;
 * and grid_inside against query_fill, which engines/test_queries_levels holds to the faces of levels. */
#include "tests/kernels/launch.h"
#include "gpu/queries/kernels/fold_vertices.k.h"
#include "gpu/queries/kernels/grid_inside.tile.h"
#include "gpu/queries/kernels/line_keys.k.h"
#include "gpu/queries/kernels/line_places.k.h"
#include "gpu/queries/kernels/query_fill.k.h"
#include "tests/kernels/queries/naive.h"
#include "tests/kernels/wild.h"
#include <stdlib.h>

enum { MOST_CORNERS = 300, N_RANDOM = 60 };

static int n_folds, n_meshes;

static void check_lines(const struct naive *n, const struct sdd_neighbors *q)
{
    uint64_t *key = xalloc(2 * n->E, sizeof *key);
    int32_t *value = xalloc(2 * n->E, sizeof *value), *uses = xalloc(n->E, sizeof *uses);
    for (int64_t i = 0; i < 2 * n->E; i++) {
        key[i] = n->end[i / 2][i % 2];
        value[i] = (int32_t)i;
    }
    for (int64_t c = 0; c < n->C; c++)
        uses[n->edge[c]]++;
    struct line_keys_args a = {*q, launch_out(2 * n->E, 8), launch_out(2 * n->E, 4), launch_out(n->E, 4)};
    LAUNCH(line_keys, &a, 2 * n->E);
    launch_same(a.key, key, "vertices of lines");
    launch_same(a.value, value, "lines");
    launch_same(a.uses, uses, "uses");
    free(key), free(value), free(uses);
}

/* The least vertex whose edges are two with two faces each, or none. */
static uint64_t first_fold(const struct naive *n)
{
    uint32_t *faces = xalloc(naive_most(n), sizeof *faces);
    uint64_t found = LAUNCH_NO_ERROR;
    for (int64_t v = 0; v < n->V && found == LAUNCH_NO_ERROR; v++) {
        const int64_t n_edges = naive_row(n, SDD_VE, v, faces), n_faces = naive_row(n, SDD_VF, v, faces);
        if (n_edges == 2 && n_faces == 2)
            found = (uint64_t)v;
    }
    free(faces);
    return found;
}

/* Rows of all vertices inside level-1 quads, and of some of them. */
static void check_inside(const struct naive *n, struct sdd_neighbors q, int level)
{
    const int64_t along = (1 << (level - 1)) - 1, n_rows = n->C * along * along;
    const int64_t outside = n->V + n->F + n->E + (2 * n->E + n->C) * along, skipped = n_rows / 3;
    uint32_t *offset = xalloc(n_rows + 1, sizeof *offset);
    for (int64_t i = 0; i <= n_rows; i++)
        offset[i] = (uint32_t)(4 * i);
    q.level = level;
    struct query_fill_args fill = {.neighbors = q,
                                   .subjects = {NULL, (uint32_t)outside},
                                   .offset = launch_in(offset, n_rows, 4),
                                   .ids = launch_out(4 * n_rows, 4),
                                   .relation = SDD_VV};
    struct grid_inside_args all = {q, launch_out(4 * n_rows, 4), n_rows, 0},
                            some = {q, launch_out(4 * (n_rows - skipped), 4), n_rows - skipped, (uint32_t)skipped};
    LAUNCH(query_fill, &fill, n_rows);
    LAUNCH(grid_inside, &all, (all.n + INSIDE_ROWS - 1) / INSIDE_ROWS);
    LAUNCH(grid_inside, &some, (some.n + INSIDE_ROWS - 1) / INSIDE_ROWS);
    const uint32_t *want = launch_got(fill.ids);
    launch_same(all.ids, want, "rows inside");
    launch_same(some.ids, want + 4 * skipped, "some rows inside");
    free(offset);
}

static void check_mesh(const struct poly *p)
{
    struct wild_case k;
    struct naive n;
    wild_case_init(&k, p, 1);
    if (k.b.bad_repeat < 0 && k.b.bad_corner < 0 && k.b.bad_vertex < 0) {
        naive_init(&n, p->desc.n_vertices, p->desc.n_faces, p->desc.face_counts, p->desc.face_vertices,
                   p->desc.options.orientation == SDD_LEFT_HANDED);
        struct sdd_neighbors q = {.mesh = wild_upload(&k, 1)};
        struct fold_vertices_args folds = {q, launch_error()};
        check_lines(&n, &q);
        check_inside(&n, q, 3 + n_meshes % 3);
        LAUNCH(fold_vertices, &folds, n.V);
        launch_word(folds.error, first_fold(&n), "the first vertex of two faces");
        n_folds += first_fold(&n) != LAUNCH_NO_ERROR;
        n_meshes++;
        launch_end();
        naive_fini(&n);
    }
    wild_case_fini(&k);
}

static void test_meshes(void **state)
{
    (void)state;
    poly_each(N_RANDOM, MOST_CORNERS, check_mesh);
    assert_true(n_folds > 0 && n_meshes > 60);
}

static void test_places(void **state)
{
    static const uint32_t line[] = {4, 0, 2, 5, 1, 3}, place[] = {1, 4, 2, 5, 0, 3};
    (void)state;
    struct line_places_args a = {launch_in(line, 6, 4), launch_out(6, 4)};
    LAUNCH(line_places, &a, 6);
    launch_same(a.place, place, "places");
    launch_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_meshes), cmocka_unit_test(test_places)};
    return LAUNCH_GROUP("lines of queries", tests);
}
