/* SPDX-License-Identifier: Apache-2.0 */
/* Oracles of the kernels that make a topology from an older one: update_rows, update_bytes, update_gather,
 * update_patch, update_find, update_lowest, update_fans, update_valences, update_features, ghost_labels and
 * face_tables. Runs and rows are random; meshes are the shapes and random ones. The oracles look at all rows one by
 * one. */
#include "gpu/mesh/kernels/face_tables.k.h"
#include "gpu/mesh/kernels/ghost_labels.k.h"
#include "gpu/mesh/kernels/update_bytes.tile.h"
#include "gpu/mesh/kernels/update_fans.k.h"
#include "gpu/mesh/kernels/update_features.k.h"
#include "gpu/mesh/kernels/update_find.k.h"
#include "gpu/mesh/update_gather.k.h"
#include "gpu/mesh/kernels/update_lowest.k.h"
#include "gpu/mesh/update_patch.k.h"
#include "gpu/mesh/update_rows.tile.h"
#include "gpu/mesh/kernels/update_valences.k.h"
#include "tests/kernels/brute.h"
#include "tests/kernels/faces.h"
#include "tests/kernels/launch.h"
#include "tests/kernels/poly.h"
#include "tests/kernels/row_map.h"
#include "tests/kernels/wild.h"
#include <stdlib.h>
#include <string.h>

enum { N_RANDOM = 150, ALL_CORNERS = 100000, MOST_ROWS = 20000 };

/* ---- rows -------------------------------------------------------------------------------------------------------- */
/* Runs over [0, n), each of which maps into [0, n_to), which has to be as large. */
static void random_map(struct map *m, int64_t n, int64_t n_to, uint64_t *r)
{
    m->n = 0;
    for (int64_t at = 0; at < n && m->n < MOST_RUNS; at += 1 + random_below(r, random_below(r, 3) ? 40 : n)) {
        m->start[m->n] = (uint32_t)at;
        m->shift[m->n++] = (uint32_t)(random_below(r, at + n_to - n + 1) - at);
    }
}

/* Values in clusters, as those of a mesh are, some of them at random. */
static uint32_t random_value(int64_t i, int64_t n, uint64_t *r)
{
    if (random_below(r, 3000) == 0)
        return (uint32_t)random_below(r, n);
    const int64_t v = i + random_below(r, 9) - 4;
    return (uint32_t)(v < 0 ? 0 : v >= n ? n - 1 : v);
}

static void check_rows(int64_t n, int64_t first, int how, uint64_t *r)
{
    const int64_t n_old = n + random_below(r, 100), n_values = n_old + 7;
    struct map rows, values;
    uint32_t *in = xalloc(n_old, 4), *begin = xalloc(n_old, 4), *want = xalloc(n, 4), *begins = xalloc(n, 4);
    random_map(&rows, n, n_old, r);
    random_map(&values, n_values, n_values + 50, r);
    for (int64_t i = 0; i < n_old; i++) {
        in[i] = random_value(i, n_values, r) + (how == 2);
        if (random_below(r, 500) == 0 && how > 0)
            in[i] = how == 2 ? 0 : SDD_NONE;
        begin[i] = in[i] > 3 ? in[i] - (uint32_t)random_below(r, 3) : in[i];
    }
    for (int64_t i = 0; i < n; i++) {
        const uint32_t row = mapped(&rows, (uint32_t)i), v = in[row];
        want[i] = how == 3        ? v
                  : how == 2      ? (v ? mapped(&values, v - 1) + 1 : 0)
                  : v == SDD_NONE ? v
                                  : mapped(&values, v);
        begins[i] = want[i] - (v - begin[row]);
    }
    struct update_rows_args a = {.in = launch_in(in, n_old, 4), .rows = runs_in(&rows), .n = n, .ends = how == 2};
    a.values = how == 3 ? (struct sdd_runs){NULL, NULL, 0} : runs_in(&values);
    a.out_first = (uint32_t)first, a.out = launch_out(n - first, 4);
    a.begin = how == 2 ? launch_in(begin, n_old, 4) : NULL;
    a.new_begin = how == 2 ? launch_out(n - first, 4) : NULL;
    LAUNCH(update_rows, &a, (n - first + UPDATE_ROWS - 1) / UPDATE_ROWS);
    launch_same(a.out, want + first, "out");
    if (how == 2)
        launch_same(a.new_begin, begins + first, "begin");
    launch_end();
    free(in), free(begin), free(want), free(begins);
}

static void test_rows(void **state)
{
    static const int64_t sizes[] = {1, 127, 128, 129, 4095, 4096, 4097, MOST_ROWS};
    uint64_t r = 5;
    (void)state;
    for (int round = 0; round < 200; round++) {
        const int64_t n = round < 8 ? sizes[round] : 1 + random_below(&r, MOST_ROWS);
        launch_say("round %d, %lld rows", round, (long long)n);
        check_rows(n, round % 3 ? 0 : random_below(&r, n), round % 4, &r);
    }
}

static void test_bytes(void **state)
{
    uint64_t r = 7;
    (void)state;
    for (int round = 0; round < 60; round++) {
        const int64_t n = 1 + random_below(&r, MOST_ROWS), n_old = n + random_below(&r, 100);
        struct map rows;
        uint8_t *in = xalloc(n_old, 1), *want = xalloc(n, 1);
        launch_say("round %d, %lld bytes", round, (long long)n);
        random_map(&rows, n, n_old, &r);
        for (int64_t i = 0; i < n_old; i++)
            in[i] = (uint8_t)random_below(&r, 256);
        for (int64_t i = 0; i < n; i++)
            want[i] = in[mapped(&rows, (uint32_t)i)];
        struct update_bytes_args a = {launch_in(in, n_old, 1), launch_out(n, 1), runs_in(&rows), n};
        LAUNCH(update_bytes, &a, (n + UPDATE_BYTES - 1) / UPDATE_BYTES);
        launch_same(a.out, want, "bytes");
        launch_end();
        free(in), free(want);
    }
}

static void test_single_rows(void **state)
{
    enum { N = 1000 };
    uint32_t in[N], row[N / 3], value[N / 3], got[N / 3], patched[N], zeroed[N];
    uint64_t r = 11;
    (void)state;
    launch_say("single rows");
    for (uint32_t i = 0; i < N; i++)
        in[i] = patched[i] = zeroed[i] = random_next(&r);
    for (uint32_t i = 0; i < N / 3; i++) {
        row[i] = 3 * i + (uint32_t)random_below(&r, 3);
        value[i] = random_next(&r);
        got[i] = in[row[i]];
        patched[row[i]] = value[i];
        zeroed[row[i]] = 0;
    }
    struct update_gather_args gather = {launch_in(in, N, 4), launch_in(row, N / 3, 4), launch_out(N / 3, 4)};
    LAUNCH(update_gather, &gather, N / 3);
    launch_same(gather.out, got, "gathered");
    launch_end();
    struct update_patch_args patch = {launch_in(row, N / 3, 4), launch_in(value, N / 3, 4), launch_inout(in, N, 4)};
    LAUNCH(update_patch, &patch, N / 3);
    launch_same(patch.out, patched, "patched");
    launch_end();
    struct update_patch_args zero = {launch_in(row, N / 3, 4), NULL, launch_inout(in, N, 4)};
    LAUNCH(update_patch, &zero, N / 3);
    launch_same(zero.out, zeroed, "zeroed");
    launch_end();
}

static void test_lowest(void **state)
{
    enum { N = 5000, EDGES = 40 };
    uint32_t edge[N], wanted[EDGES], gone[N], low[EDGES], none[EDGES];
    uint64_t r = 13;
    (void)state;
    for (int round = 0; round < 20; round++) {
        uint32_t n_wanted = 0, n_gone = 0;
        launch_say("round %d", round);
        for (uint32_t e = 0; e < EDGES; e++)
            if (random_below(&r, 3) == 0 || e == EDGES / 2)
                wanted[n_wanted++] = e;
        memset(low, 0xff, sizeof low);
        memset(none, 0xff, sizeof none);
        for (uint32_t c = 0; c < N; c++) {
            edge[c] = (uint32_t)random_below(&r, round % 2 ? EDGES : 4000);
            const int goes = random_below(&r, round % 5 + 1) > 0;
            for (uint32_t i = 0; i < n_wanted && !goes; i++)
                low[i] = wanted[i] == edge[c] && c < low[i] ? c : low[i];
            if (goes)
                gone[n_gone++] = c;
        }
        struct update_lowest_args a = {launch_in(edge, N, 4),
                                       launch_in(wanted, n_wanted, 4),
                                       launch_in(gone, n_gone, 4),
                                       launch_inout(none, n_wanted, 4),
                                       n_wanted,
                                       n_gone};
        LAUNCH(update_lowest, &a, N);
        launch_same(a.low, low, "lowest");
        launch_end();
    }
}

/* ---- meshes ------------------------------------------------------------------------------------------------------ */
static int is_manifold(const struct brute *b)
{
    return b->bad_repeat < 0 && b->bad_corner < 0 && b->bad_vertex < 0;
}

static uint64_t doubled(uint32_t high, uint32_t low, uint32_t half)
{
    return ((uint64_t)(2 * high + 1) << 32 | (2 * low + 1)) - half;
}

/* The keys of all rows, and those just before them. */
static void check_find(const struct brute *b, int what, int64_t n, const uint32_t *list, const uint64_t *rows)
{
    uint64_t *key = xalloc(2 * n, sizeof *key);
    uint32_t *place = xalloc(2 * n, 4), *found = xalloc(6 * n, 4);
    for (int64_t i = 0; i < 2 * n; i++) {
        const int is_row = i % 2 == 0;
        const uint32_t c = list[i / 2];
        key[i] = rows[i / 2] - (uint64_t)!is_row;
        place[i] = (uint32_t)(i / 2);
        found[3 * i] = is_row || what == SDD_FIND_SLOTS ? c : SDD_NONE;
        found[3 * i + 1] = found[3 * i] == SDD_NONE ? SDD_NONE : b->twin[c];
        found[3 * i + 2] = found[3 * i] == SDD_NONE ? SDD_NONE : b->vert[c];
    }
    struct update_find_args a = {.key = launch_in(key, 2 * n, 8), .place = launch_out(2 * n, 4), .what = what};
    a.found = what == SDD_FIND_GHOSTS ? NULL : launch_out(6 * n, 4);
    a.list = launch_in(list, n, 4), a.n_rows = n, a.faces = faces_in(b, b->C);
    a.vert = launch_in(b->vert, b->C, 4), a.twin = launch_in(b->twin, b->C, 4), a.owner = a.vert;
    LAUNCH(update_find, &a, 2 * n);
    launch_same(a.place, place, "place");
    if (a.found)
        launch_same(a.found, found, "found");
    launch_end();
    free(key), free(place), free(found);
}

static void check_finds(const struct brute *b)
{
    uint64_t *key = xalloc(b->C + b->E + b->B, sizeof *key);
    for (int64_t e = 0; e < b->E; e++) {
        const uint32_t u = b->vert[b->edge_corner[e]], v = b->vert[b->next[b->edge_corner[e]]];
        key[e] = u < v ? doubled(u, v, 0) : doubled(v, u, 0);
    }
    check_find(b, SDD_FIND_EDGES, b->E, b->edge_corner, key);
    for (int64_t i = 0; i < b->C; i++)
        key[i] = doubled(b->vert[b->vert_corner[i]], (uint32_t)b->vert_corner[i], 0);
    check_find(b, SDD_FIND_SLOTS, b->C, (const uint32_t *)b->vert_corner, key);
    for (int64_t g = 0; g < b->B; g++)
        key[g] = 2 * (uint64_t)b->border[g] + 1;
    check_find(b, SDD_FIND_GHOSTS, b->B, b->border, key);
    free(key);
}

static struct sdd_control control_in(const struct brute *b)
{
    struct sdd_control m = {.n_vertices = (uint32_t)b->V, .n_corners = (uint32_t)b->C, .faces = faces_in(b, b->C)};
    m.twin = launch_in(b->twin, b->C + b->B, 4), m.vert = launch_in(b->vert, b->C + b->B, 4);
    m.begin = launch_in(b->vert_begin, b->V, 4), m.end = launch_in(b->vert_end, b->V, 4);
    m.corner = launch_in(b->vert_corner, b->C, 4);
    return m;
}

/* All vertices are looked at, so that all ghosts are linked. The tables begin at the ghosts. */
static void check_fans(const struct brute *b)
{
    uint32_t *all = xalloc(b->V, 4);
    uint64_t most = LAUNCH_NO_ERROR;
    for (int64_t v = 0; v < b->V; v++) {
        const uint32_t n = b->vert_end[v] - b->vert_begin[v];
        uint32_t edges = n;
        all[v] = (uint32_t)v;
        for (int64_t g = 0; g < b->B; g++)
            edges += b->vert[b->C + g] == (uint32_t)v;
        const uint64_t word = (uint64_t)~edges << 32 | (uint64_t)v;
        most = n > 0 && word < most ? word : most;
    }
    struct update_fans_args a = {.vertex = launch_in(all, b->V, 4), .mesh = control_in(b)};
    a.next = launch_out(b->B, 4), a.prev = launch_out(b->B, 4);
    uint32_t *next = a.next, *prev = a.prev;
    a.next -= a.mesh.faces.n_uniform > 0 ? 0 : b->C, a.prev -= a.mesh.faces.n_uniform > 0 ? 0 : b->C;
    a.fan_error = launch_error(), a.most_edges = launch_error();
    LAUNCH(update_fans, &a, b->V);
    launch_same(next, b->next + b->C, "next");
    launch_same(prev, b->prev + b->C, "prev");
    launch_word(a.fan_error, LAUNCH_NO_ERROR, "fan_error");
    launch_word(a.most_edges, most, "most_edges");
    launch_end();
    struct update_valences_args v = {launch_in(b->vert_begin, b->V, 4), launch_in(b->vert_end, b->V, 4),
                                     launch_in(b->vert + b->C, b->B, 4), launch_error(), b->V};
    LAUNCH(update_valences, &v, b->V + b->B);
    launch_word(v.most_edges, most, "most_edges of all");
    launch_end();
    free(all);
}

static void check_tables(const struct brute *b)
{
    uint32_t *label = xalloc(b->B, 4), *jump = xalloc(b->B, 4);
    for (uint32_t g = 0; g < b->B; g++) {
        label[g] = g;
        jump[g] = b->next[b->C + g] - (uint32_t)b->C;
    }
    struct face_tables_args t = {launch_in(b->end, b->F, 4), launch_out(b->C, 4), launch_out(b->C, 4),
                                 launch_out(b->C, 4)};
    LAUNCH(face_tables, &t, b->F);
    launch_same(t.face, b->face, "face");
    launch_same(t.next, b->next, "next");
    launch_same(t.prev, b->prev, "prev");
    launch_end();
    struct ghost_labels_args a = {launch_in(b->next + b->C, b->B, 4), launch_out(b->B, 4), launch_out(b->B, 4),
                                  (uint32_t)b->C};
    LAUNCH(ghost_labels, &a, b->B);
    launch_same(a.label, label, "label");
    launch_same(a.jump, jump, "jump");
    launch_end();
    free(label), free(jump);
}

static int64_t n_manifold, n_bad_fans;

/* The first vertex whose faces are no fan is told. Such a mesh has ghosts here, although the oracle has none. */
static void check_bad_fans(const struct brute *b)
{
    uint32_t *all = xalloc(b->V, 4), *twin = xalloc(2 * b->C, 4), *rows = poisoned(2 * b->C, 4);
    uint32_t n = (uint32_t)b->C;
    for (int64_t v = 0; v < b->V; v++)
        all[v] = (uint32_t)v;
    for (uint32_t c = 0; c < b->C; c++)
        if (b->real_twin[c] == BRUTE_NONE) {
            twin[c] = n;
            twin[n++] = c;
        } else {
            twin[c] = b->real_twin[c];
        }
    struct update_fans_args a = {.vertex = launch_in(all, b->V, 4), .mesh = control_in(b)};
    a.mesh.twin = launch_in(twin, n, 4);
    a.next = launch_inout(rows, n, 4), a.prev = launch_inout(rows, n, 4);
    a.fan_error = launch_error(), a.most_edges = launch_error();
    LAUNCH(update_fans, &a, b->V);
    launch_word(a.fan_error, (uint64_t)b->bad_vertex, "fan_error");
    (void)launch_got(a.next), (void)launch_got(a.prev), (void)launch_got(a.most_edges);
    launch_end();
    free(all), free(twin), free(rows);
    n_bad_fans++;
}

static void check_mesh(const struct poly *p)
{
    struct brute b;
    brute_init(&b, &p->desc);
    if (is_manifold(&b)) {
        n_manifold++;
        check_finds(&b);
        check_fans(&b);
        check_tables(&b);
    } else if (b.bad_repeat < 0 && b.bad_corner < 0) {
        check_bad_fans(&b);
    }
    brute_fini(&b);
}

static void test_meshes(void **state)
{
    (void)state;
    poly_each(N_RANDOM, ALL_CORNERS, check_mesh);
    soup_each(N_RANDOM, ALL_CORNERS, check_mesh);
    assert_true(n_manifold > N_RANDOM && n_bad_fans > 0);
}

/* The mesh as its own channel: each row is a vertex. Every second vertex is looked at. */
static void check_features(const struct poly *p)
{
    struct wild_case k;
    wild_case_init(&k, p, 0);
    unsigned char *want = wild_ruled(&k);
    uint32_t *some = xalloc(k.b.V, 4);
    int64_t n = 0;
    for (int64_t v = 0; v < k.b.V; v++) {
        if (v % 2 == 0 && k.b.vert_begin[v] < k.b.vert_end[v])
            some[n++] = (uint32_t)v;
        else
            want[v] = LAUNCH_POISON;
    }
    struct update_features_args a = {wild_upload(&k, 0), wild_upload(&k, 0), launch_in(some, n, 4),
                                     launch_out(k.b.V, 1)};
    LAUNCH(update_features, &a, n);
    launch_same(a.is_feature, want, "features");
    launch_end();
    free(want), free(some);
    wild_case_fini(&k);
}

static void test_features(void **state)
{
    (void)state, poly_each(N_RANDOM, ALL_CORNERS, check_features);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows),        cmocka_unit_test(test_bytes),
                                       cmocka_unit_test(test_single_rows), cmocka_unit_test(test_lowest),
                                       cmocka_unit_test(test_meshes),      cmocka_unit_test(test_features)};
    return LAUNCH_GROUP("kernels of topology updates", tests);
}
