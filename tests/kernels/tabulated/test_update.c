/* SPDX-License-Identifier: Apache-2.0 */
/* Oracles of the kernels that make the pieces of a mesh from those of an older one, and of table_locations with rows of
 * their own: table_touched, table_update_find, table_update_pieces, table_update_pairs,
 * table_read. Lists and runs are random; the oracles
 * look at all rows one by one. What the pieces are together: tests/engines/test_topology_random.c. */
#include "gpu/engines/tabulated/kernels/table_locations.k.h"
#include "gpu/engines/tabulated/kernels/table_read.k.h"
#include "gpu/engines/tabulated/kernels/table_touched.k.h"
#include "gpu/engines/tabulated/kernels/table_update_find.k.h"
#include "gpu/engines/tabulated/kernels/table_update_pairs.tile.h"
#include "gpu/engines/tabulated/kernels/table_update_pieces.tile.h"
#include "tests/kernels/brute.h"
#include "tests/kernels/faces.h"
#include "tests/kernels/launch.h"
#include "tests/kernels/row_map.h"
#include "tests/kernels/poly.h"
#include "tests/oracle/refined.h"
#include <stdlib.h>
#include <string.h>

enum { N_RANDOM = 100, ALL_CORNERS = 100000, MOST_PIECES = 5000, N_CLASSES = 40 };

static uint64_t seed = 20261128;

/* ---- touched faces ----------------------------------------------------------------------------------------------- */
static void check_touched(const struct poly *p)
{
    struct brute b;
    brute_init(&b, &p->desc);
    uint32_t *vertex = xalloc(b.V, 4), *flag = xalloc(b.F, 4), *zeros = xalloc(b.F, 4);
    unsigned char *is_listed = xalloc(b.V, 1);
    int64_t n = 0;
    for (int64_t v = 0; v < b.V; v++)
        if (random_below(&seed, 5) == 0) {
            is_listed[v] = 1;
            vertex[n++] = (uint32_t)v;
        }
    for (int64_t c = 0; c < b.C; c++)
        flag[b.face[c]] |= is_listed[b.vert[c]];
    struct table_touched_args a = {.vertex = launch_in(vertex, n, 4), .flag = launch_inout(zeros, b.F, 4)};
    a.mesh.faces = faces_in(&b, b.C);
    a.mesh.begin = launch_in(b.vert_begin, b.V, 4), a.mesh.end = launch_in(b.vert_end, b.V, 4);
    a.mesh.corner = launch_in(b.vert_corner, b.C, 4);
    LAUNCH(table_touched, &a, n);
    launch_same(a.flag, flag, "touched faces");
    launch_end();
    free(vertex), free(flag), free(zeros), free(is_listed);
    brute_fini(&b);
}

static void test_touched(void **state)
{
    (void)state;
    poly_each(N_RANDOM, ALL_CORNERS, check_touched);
}

/* ---- single pieces ----------------------------------------------------------------------------------------------- */
/* Corners that ascend. */
static struct sdd_table_quad *random_list(int64_t n, uint32_t *last)
{
    struct sdd_table_quad *list = xalloc(n, sizeof *list);
    uint32_t corner = 0;
    for (int64_t i = 0; i < n; i++) {
        list[i] = (struct sdd_table_quad){corner, random_next(&seed), random_next(&seed), random_next(&seed)};
        corner += 1 + (uint32_t)random_below(&seed, 4);
    }
    *last = corner;
    return list;
}

static void test_find(void **state)
{
    (void)state;
    for (int round = 0; round < 60; round++) {
        const int64_t n[2] = {1 + random_below(&seed, MOST_PIECES), 1 + random_below(&seed, 100)}, n_asks = 500;
        uint32_t last[2], place[500];
        struct sdd_table_ask ask[500];
        struct sdd_table_quad *list[2] = {random_list(n[0], last), random_list(n[1], last + 1)};
        launch_say("round %d", round);
        for (int64_t i = 0; i < n_asks; i++) {
            const uint32_t other = (uint32_t)random_below(&seed, 2);
            const uint32_t first = (uint32_t)random_below(&seed, n[other] + 1);
            const uint32_t end = first + (uint32_t)random_below(&seed, n[other] + 1 - first);
            ask[i] =
                (struct sdd_table_ask){(uint32_t)random_below(&seed, 2 * (int64_t)last[other] + 2), first, end, other};
            place[i] = first;
            while (place[i] < end && 2 * list[other][place[i]].corner + 1 < ask[i].key)
                place[i]++;
        }
        struct table_update_find_args a = {launch_in(ask, n_asks, sizeof *ask), launch_in(list[0], n[0], sizeof **list),
                                           launch_in(list[1], n[1], sizeof **list), launch_out(n_asks, 4)};
        LAUNCH(table_update_find, &a, n_asks);
        launch_same(a.place, place, "places");
        launch_end();
        free(list[0]), free(list[1]);
    }
}

static void test_rows(void **state)
{
    enum { N = 3000, ROWS = 5000 };
    uint32_t column[N], read[ROWS] = {0}, zeros[ROWS] = {0}, piece[N / 3], at[N / 3], where[N], poison[N];
    (void)state;
    launch_say("rows");
    memset(where, LAUNCH_POISON, sizeof where);
    memset(poison, LAUNCH_POISON, sizeof poison);
    for (int i = 0; i < N; i++) {
        column[i] = (uint32_t)random_below(&seed, ROWS);
        read[column[i]] = 1;
    }
    for (uint32_t i = 0; i < N / 3; i++) {
        piece[i] = 3 * i + (uint32_t)random_below(&seed, 3);
        at[i] = (uint32_t)random_below(&seed, ROWS);
        where[piece[i]] = at[i] | SDD_TABLE_OTHER;
    }
    struct table_read_args r = {launch_in(column, N, 4), launch_inout(zeros, ROWS, 4)};
    LAUNCH(table_read, &r, N);
    launch_same(r.read, read, "read");
    launch_end();
    struct table_locations_args l = {launch_in(piece, N / 3, 4), launch_inout(poison, N, 4), SDD_TABLE_OTHER,
                                     launch_in(at, N / 3, 4)};
    LAUNCH(table_locations, &l, N / 3);
    launch_same(l.location, where, "locations");
    launch_end();
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */
/* Runs over [0, n), each of which maps into [0, n_to). */
static void random_map(struct map *m, int64_t n, int64_t n_to)
{
    m->n = 0;
    for (int64_t at = 0; at < n && m->n < MOST_RUNS;) {
        const int64_t left = n - at, some = random_below(&seed, 3) ? 1 + random_below(&seed, 700) : left;
        const int64_t len = m->n + 1 == MOST_RUNS || some > left ? left : some,
                      to = random_below(&seed, n_to - len + 1);
        m->start[m->n] = (uint32_t)at;
        m->shift[m->n++] = (uint32_t)(to - at);
        at += len;
    }
}

/* Some corners map beyond those of the new mesh, as those do that have gone. */
static void check_pieces(int64_t n, int has_classes)
{
    const int64_t n_old = n + random_below(&seed, 50), n_corners = 4 * n_old, n_edges = 2 * n_old;
    struct map rows, corners;
    struct sdd_table_quad *in = xalloc(n_old, sizeof *in), *want = xalloc(n, sizeof *want);
    uint32_t *edge = xalloc(n_corners, 4), class_of[N_CLASSES];
    for (int64_t c = 0; c < n_corners; c++)
        edge[c] = (uint32_t)random_below(&seed, n_edges);
    for (int k = 0; k < N_CLASSES; k++)
        class_of[k] = (uint32_t)random_below(&seed, 3000);
    for (int64_t i = 0; i < n_old; i++)
        in[i] = (struct sdd_table_quad){(uint32_t)random_below(&seed, n_corners),
                                        random_next(&seed) % (N_CLASSES << SDD_TABLE_CLASS), random_next(&seed),
                                        random_next(&seed)};
    random_map(&rows, n, n_old);
    random_map(&corners, n_corners, n_corners + 30);
    struct table_update_pieces_args a = {.in = launch_in(in, n_old, sizeof *in),
                                         .out = launch_out(n, sizeof *in),
                                         .rows = runs_in(&rows),
                                         .corners = runs_in(&corners),
                                         .class_of = has_classes ? launch_in(class_of, N_CLASSES, 4) : NULL,
                                         .n = n};
    a.mesh.edge = launch_in(edge, n_corners, 4);
    a.mesh.n_vertices = 1000, a.mesh.n_faces = (uint32_t)n_old, a.mesh.n_corners = (uint32_t)n_corners;
    a.mesh.faces.n_uniform = (uint32_t)n_corners, a.mesh.faces.size = 4;
    for (int64_t i = 0; i < n; i++) {
        struct sdd_table_quad q = in[mapped(&rows, (uint32_t)i)];
        q.corner = mapped(&corners, q.corner);
        if (q.corner < n_corners) {
            q.edge = 1000 + (uint32_t)n_old + edge[q.corner];
            q.face = 1000 + q.corner / 4;
        }
        if (has_classes)
            q.owns = q.owns % (1 << SDD_TABLE_CLASS) + (class_of[q.owns >> SDD_TABLE_CLASS] << SDD_TABLE_CLASS);
        want[i] = q;
    }
    LAUNCH(table_update_pieces, &a, (n + TABLE_UPDATE_PIECES - 1) / TABLE_UPDATE_PIECES);
    launch_same(a.out, want, "pieces");
    launch_end();
    free(in), free(want), free(edge);
}

static void test_pieces(void **state)
{
    static const int64_t sizes[] = {1, 127, 128, 129, 511, 512, 513, MOST_PIECES};
    (void)state;
    for (int round = 0; round < 100; round++) {
        const int64_t n = round < 8 ? sizes[round] : 1 + random_below(&seed, MOST_PIECES);
        launch_say("round %d, %lld pieces", round, (long long)n);
        check_pieces(n, round % 2);
    }
}

/* kinds: which of the two numbers have runs. */
static void check_pairs(int64_t n, int kinds)
{
    enum { VALUES = 9000 };
    const int64_t n_old = n + random_below(&seed, 50);
    struct map rows, values[2];
    uint32_t(*in)[2] = xalloc(n_old, sizeof *in), (*want)[2] = xalloc(n, sizeof *want);
    struct table_update_pairs_args a = {.n = n};
    for (int64_t i = 0; i < 2 * n_old; i++)
        in[i / 2][i % 2] = kinds >> i % 2 & 1 ? (uint32_t)random_below(&seed, VALUES) : random_next(&seed);
    random_map(&rows, n, n_old);
    for (int k = 0; k < 2; k++)
        random_map(values + k, VALUES, VALUES + 30);
    for (int64_t i = 0; i < 2 * n; i++) {
        const uint32_t v = in[mapped(&rows, (uint32_t)(i / 2))][i % 2];
        want[i / 2][i % 2] = kinds >> i % 2 & 1 ? mapped(values + i % 2, v) : v;
    }
    a.in = launch_in(in, n_old, sizeof *in);
    a.out = launch_out(n, sizeof *in);
    a.rows = runs_in(&rows);
    for (int k = 0; k < 2; k++)
        if (kinds >> k & 1)
            a.values[k] = runs_in(values + k);
    LAUNCH(table_update_pairs, &a, (n + TABLE_UPDATE_PAIRS - 1) / TABLE_UPDATE_PAIRS);
    launch_same(a.out, want, "pairs");
    launch_end();
    free(in), free(want);
}

static void test_pairs(void **state)
{
    static const int64_t sizes[] = {1, 127, 128, 129, 511, 512, 513, MOST_PIECES};
    (void)state;
    for (int round = 0; round < 100; round++) {
        const int64_t n = round < 8 ? sizes[round] : 1 + random_below(&seed, MOST_PIECES);
        launch_say("round %d, %lld pairs", round, (long long)n);
        check_pairs(n, round % 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_touched), cmocka_unit_test(test_find),
                                       cmocka_unit_test(test_rows), cmocka_unit_test(test_pieces),
                                       cmocka_unit_test(test_pairs)};
    return LAUNCH_GROUP("kernels of pieces after an edit", tests);
}
