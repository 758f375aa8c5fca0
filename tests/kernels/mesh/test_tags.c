/* SPDX-License-Identifier: Apache-2.0 */
/* Oracles of the kernels that apply tags and boundary rules (SEMANTICS section 1): crease_keys, crease_apply,
 * corner_apply, hole_apply, edge_implicit, vertex_implicit, boundary_none_faces, visible_corners. Random tags over the
 * shapes and random meshes, row by row in the order they were given: a later row wins. */
#include "tests/kernels/faces.h"
#include "tests/kernels/launch.h"
#include "gpu/mesh/kernels/corner_apply.k.h"
#include "gpu/mesh/kernels/crease_apply.k.h"
#include "gpu/mesh/kernels/crease_keys.k.h"
#include "gpu/mesh/kernels/edge_implicit.k.h"
#include "gpu/mesh/kernels/hole_apply.k.h"
#include "gpu/mesh/kernels/visible_corners.k.h"
#include "gpu/mesh/kernels/boundary_none_faces.k.h"
#include "gpu/mesh/kernels/vertex_implicit.k.h"
#include "tests/kernels/brute.h"
#include "tests/kernels/poly.h"
#include <stdlib.h>
#include <string.h>

#define N_RANDOM 100
#define MOST_ROWS 300

static const float sharpness[] = {0, 0.3f, 1, 2.5f, 9.5f, 9.9999990f, 10, 10.0000010f, 11, 1e30f};

struct rows { /* tags as a client sends them, and sorted as the library does */
    int64_t n;
    int32_t item[2 * MOST_ROWS], row[MOST_ROWS];
    uint64_t key[MOST_ROWS];
    float sharp[MOST_ROWS];
};

/* Rows by key, equal keys in the order of the rows: plain insertion. */
static void sort_rows(struct rows *t)
{
    for (int32_t i = 0; i < t->n; i++) {
        uint64_t key = t->key[i];
        int32_t k = i;
        for (; k > 0 && t->key[k - 1] > key; k--) {
            t->key[k] = t->key[k - 1];
            t->row[k] = t->row[k - 1];
        }
        t->key[k] = key;
        t->row[k] = i;
    }
}

static float *random_floats(int64_t n, uint64_t *r)
{
    float *p = xalloc(n, sizeof *p);
    for (int64_t i = 0; i < n; i++)
        p[i] = sharpness[random_below(r, 10)];
    return p;
}

static uint32_t *random_flags(int64_t n, int odds, uint64_t *r)
{
    uint32_t *p = xalloc(n, sizeof *p);
    for (int64_t i = 0; i < n; i++)
        p[i] = random_below(r, odds) == 0;
    return p;
}

/* ---- creases --------------------------------------------------------------------------------------------------- */
static int64_t find_edge(const struct brute *b, int32_t u, int32_t v)
{
    for (int64_t e = 0; e < b->E; e++) {
        int32_t x = (int32_t)b->vert[b->edge_corner[e]], y = (int32_t)b->vert[b->next[b->edge_corner[e]]];
        if ((x == u && y == v) || (x == v && y == u))
            return e;
    }
    return -1;
}

static uint64_t key_of(int32_t u, int32_t v, int bits)
{
    return u < v ? ((uint64_t)u << bits) + (uint64_t)v : ((uint64_t)v << bits) + (uint64_t)u;
}

static int bits_for(int64_t n)
{
    int bits = 1;
    while (((int64_t)1 << bits) < n)
        bits++;
    return bits;
}

/* Edges at random, named from either end, some more than once. */
static void random_creases(const struct brute *b, struct rows *t, uint64_t *r)
{
    t->n = 1 + random_below(r, b->C < MOST_ROWS ? b->C : MOST_ROWS);
    for (int64_t i = 0; i < t->n; i++) {
        uint32_t c = (uint32_t)random_below(r, b->C), turn = (uint32_t)random_below(r, 2);
        t->item[2 * i + turn] = (int32_t)b->vert[c];
        t->item[2 * i + 1 - turn] = (int32_t)b->vert[b->next[c]];
        t->sharp[i] = sharpness[random_below(r, 10)];
    }
}

static void check_keys(const struct brute *b, const struct rows *t, int bits)
{
    uint64_t error = LAUNCH_NO_ERROR;
    struct crease_keys_args a = {.pair = launch_in(t->item, 2 * t->n, 4), .n_vertices = (uint32_t)b->V, .bits = bits};
    a.key = launch_out(t->n, 8), a.value = launch_out(t->n, 4), a.error = launch_error();
    LAUNCH(crease_keys, &a, t->n);
    const uint64_t *key = launch_got(a.key);
    const int32_t *value = launch_got(a.value);
    for (int64_t i = 0; i < t->n; i++) {
        int32_t u = t->item[2 * i], v = t->item[2 * i + 1], good = u >= 0 && u < b->V && v >= 0 && v < b->V;
        uint64_t low = key[i] & (((uint64_t)1 << bits) - 1);
        if (!good && error == LAUNCH_NO_ERROR)
            error = (uint64_t)i;
        if (value[i] != i || (good && key[i] != key_of(u, v, bits)))
            fail_msg("%s: crease %lld (%d, %d) has key %llx", launch_case(), (long long)i, u, v,
                     (unsigned long long)key[i]);
        if (!good && low != key[i] >> bits)
            fail_msg("%s: bad crease %lld has the key of an edge", launch_case(), (long long)i);
    }
    launch_word(a.error, error, "error");
    launch_end();
}

static void check_apply(const struct brute *b, struct rows *t, int bits, uint64_t *r)
{
    uint64_t error = LAUNCH_NO_ERROR;
    float *edge_sharp = random_floats(b->E, r);
    struct crease_apply_args a = {.edge_sharp = launch_inout(edge_sharp, b->E, 4)};
    for (int64_t i = 0; i < t->n; i++) {
        int64_t e = find_edge(b, t->item[2 * i], t->item[2 * i + 1]);
        t->key[i] = key_of(t->item[2 * i], t->item[2 * i + 1], bits);
        if (e >= 0)
            edge_sharp[e] = t->sharp[i] < 10 ? t->sharp[i] : 10;
        else if (error == LAUNCH_NO_ERROR)
            error = (uint64_t)i;
    }
    sort_rows(t);
    a.key = launch_in(t->key, t->n, 8), a.row = launch_in(t->row, t->n, 4), a.sharpness = launch_in(t->sharp, t->n, 4);
    a.edge_corner = launch_in(b->edge_corner, b->E, 4), a.vert = launch_in(b->vert, b->C, 4);
    a.faces = faces_in(b, b->C), a.error = launch_error();
    a.n_creases = t->n, a.n_edges = b->E, a.bits = bits;
    LAUNCH(crease_apply, &a, t->n);
    launch_word(a.error, error, "error");
    launch_same(a.edge_sharp, edge_sharp, "edge_sharp");
    launch_end();
    free(edge_sharp);
}

static void check_creases(const struct poly *p)
{
    static struct rows t;
    struct brute b;
    brute_init(&b, &p->desc);
    uint64_t r = (uint64_t)b.C + 17;
    for (int k = 0; k < 4; k++) { /* good rows, then rows whose edge is missing, then vertices that are missing */
        int bits = k % 2 ? 32 : bits_for(b.V);
        random_creases(&b, &t, &r);
        check_apply(&b, &t, bits, &r);
        for (int32_t miss = 0; miss < 3 && k >= 2; miss++) {
            int32_t row = random_below(&r, t.n), u = random_below(&r, b.V), v = random_below(&r, b.V);
            t.item[2 * row] = u;
            t.item[2 * row + 1] = miss ? v : u;
        }
        for (int64_t i = 0, seen = 0; i < t.n; i++) /* a missing edge once: for more see test_missing_twice */
            if (find_edge(&b, t.item[2 * i], t.item[2 * i + 1]) < 0 && seen++ > 0)
                t.n = i;
        check_keys(&b, &t, bits);
        check_apply(&b, &t, bits, &r);
        const int32_t bad[] = {-1, (int32_t)b.V, INT32_MAX, INT32_MIN};
        for (int miss = 0; miss < k; miss++)
            t.item[random_below(&r, 2 * t.n)] = bad[random_below(&r, 4)];
        check_keys(&b, &t, bits);
    }
    brute_fini(&b);
}

static void test_creases(void **state)
{
    (void)state, poly_each(N_RANDOM, 400, check_creases);
}

/* error is the first row that names a missing edge, also when a later row names the same one. */
static void test_missing_twice(void **state)
{
    static struct rows t = {.n = 5, .item = {0, 1, 9, 2, 1, 2, 0, 1, 2, 9}, .sharp = {1, 2, 3, 4, 5}};
    const int32_t counts[] = {4, 3}, vertices[] = {0, 1, 2, 3, 7, 8, 9};
    struct sdd_mesh_desc d = {.n_vertices = 10, .n_faces = 2, .n_corners = 7};
    struct brute b;
    uint64_t r = 3;
    (void)state;
    d.face_counts = counts, d.face_vertices = vertices;
    launch_say("rows 1 and 4 name the missing edge (2, 9)");
    brute_init(&b, &d);
    check_apply(&b, &t, 4, &r);
    brute_fini(&b);
}

/* ---- corners and holes ----------------------------------------------------------------------------------------- */
static void check_corners(const struct poly *p)
{
    static struct rows t;
    struct brute b;
    brute_init(&b, &p->desc);
    uint64_t r = (uint64_t)b.C + 23;
    for (int k = 0; k < 3; k++) {
        float *vert_sharp = random_floats(b.V, &r);
        uint64_t error = LAUNCH_NO_ERROR;
        struct corner_apply_args a = {.vert_sharp = launch_inout(vert_sharp, b.V, 4), .n_vertices = (uint32_t)b.V};
        t.n = 1 + random_below(&r, b.V < MOST_ROWS ? b.V : MOST_ROWS);
        for (int64_t i = 0; i < t.n; i++) {
            uint32_t v = k && random_below(&r, 6) == 0 ? (k == 1 ? (uint32_t)b.V : BRUTE_NONE - (uint32_t)(i % 3))
                                                       : (uint32_t)random_below(&r, b.V);
            t.key[i] = v;
            t.sharp[i] = sharpness[random_below(&r, 10)];
            if (v < b.V)
                vert_sharp[v] = t.sharp[i] < 10 ? t.sharp[i] : 10;
            else if (error == LAUNCH_NO_ERROR)
                error = (uint64_t)i;
        }
        sort_rows(&t);
        a.key = launch_in(t.key, t.n, 8), a.row = launch_in(t.row, t.n, 4), a.sharpness = launch_in(t.sharp, t.n, 4);
        a.error = launch_error(), a.n_tags = t.n;
        LAUNCH(corner_apply, &a, t.n);
        launch_word(a.error, error, "error");
        launch_same(a.vert_sharp, vert_sharp, "vert_sharp");
        launch_end();
        free(vert_sharp);
    }
    brute_fini(&b);
}

static void test_corners(void **state)
{
    (void)state, poly_each(N_RANDOM, 1000, check_corners);
}

static void test_holes(void **state)
{
    const int32_t n_faces = 777, bad[] = {-1, 777, INT32_MAX, INT32_MIN};
    uint64_t r = 5;
    (void)state;
    for (int k = 0; k < 40; k++) {
        static int32_t list[MOST_ROWS];
        uint32_t *hole = random_flags(n_faces, 9, &r);
        uint64_t error = LAUNCH_NO_ERROR;
        int64_t n = random_below(&r, MOST_ROWS);
        struct hole_apply_args a = {.hole = launch_inout(hole, n_faces, 4), .n_faces = (uint32_t)n_faces};
        for (int64_t i = 0; i < n; i++) {
            list[i] = k >= 10 && random_below(&r, 20) == 0 ? bad[k % 4] : random_below(&r, n_faces);
            if (list[i] >= 0 && list[i] < n_faces)
                hole[list[i]] = 1;
            else if (error == LAUNCH_NO_ERROR)
                error = (uint64_t)i;
        }
        launch_say("%lld holes, round %d", (long long)n, k);
        a.list = launch_in(list, n, 4), a.error = launch_error();
        LAUNCH(hole_apply, &a, n);
        launch_same(a.hole, hole, "hole");
        launch_word(a.error, error, "error");
        launch_end();
        free(hole);
    }
}

/* ---- what boundaries imply ------------------------------------------------------------------------------------- */
static void check_edges(const struct brute *b, int with_soft, uint64_t *r)
{
    float *edge_sharp = random_floats(b->E, r);
    uint32_t *soft = random_flags(b->V, 30, r);
    struct edge_implicit_args a = {.edge_sharp = launch_inout(edge_sharp, b->E, 4)};
    a.soft = with_soft ? launch_inout(soft, b->V, 4) : NULL;
    for (int64_t e = 0; e < b->E; e++) {
        uint32_t c = b->edge_corner[e];
        if (b->real_twin[c] != BRUTE_NONE)
            continue;
        if (edge_sharp[e] < 10)
            soft[b->vert[c]] = soft[b->vert[b->next[c]]] = 1;
        edge_sharp[e] = 10;
    }
    a.edge_corner = launch_in(b->edge_corner, b->E, 4), a.vert = launch_in(b->vert, b->C, 4);
    a.faces = faces_in(b, b->C), a.n_corners = (uint32_t)b->C;
    const int with_ghosts = random_below(r, 2); /* An update has them already. */
    a.twin = with_ghosts ? launch_in(b->twin, b->C + b->B, 4) : launch_in(b->real_twin, b->C, 4);
    LAUNCH(edge_implicit, &a, b->E);
    launch_same(a.edge_sharp, edge_sharp, "edge_sharp");
    if (with_soft)
        launch_same(a.soft, soft, "soft");
    launch_end();
    free(edge_sharp), free(soft);
}

static void check_vertices(const struct brute *b, uint64_t *r)
{
    float *vert_sharp = random_floats(b->V, r);
    struct vertex_implicit_args a = {.begin = launch_in(b->vert_begin, b->V, 4)};
    a.end = launch_in(b->vert_end, b->V, 4), a.vert_sharp = launch_inout(vert_sharp, b->V, 4);
    for (int64_t v = 0; v < b->V; v++)
        if (b->valence[v] == 1)
            vert_sharp[v] = 10;
    LAUNCH(vertex_implicit, &a, b->V);
    launch_same(a.vert_sharp, vert_sharp, "vert_sharp");
    launch_end();
    free(vert_sharp);
}

static void check_shown(const struct brute *b, uint64_t *r)
{
    uint32_t *soft = random_flags(b->V, 12, r), *hole = random_flags(b->F, 12, r);
    int32_t *flag = xalloc(b->C, sizeof *flag);
    struct boundary_none_faces_args a = {.end = launch_in(b->end, b->F, 4), .vert = launch_in(b->vert, b->C, 4)};
    a.soft = launch_in(soft, b->V, 4), a.hole = launch_inout(hole, b->F, 4);
    for (int64_t c = 0; c < b->C; c++)
        hole[b->face[c]] |= soft[b->vert[c]];
    LAUNCH(boundary_none_faces, &a, b->F);
    launch_same(a.hole, hole, "hole");
    launch_end();
    for (int64_t c = 0; c < b->C; c++)
        flag[c] = hole[b->face[c]] ? 0 : 1;
    struct visible_corners_args shown = {.faces = faces_in(b, b->C), .hole = launch_in(hole, b->F, 4)};
    shown.flag = launch_out(b->C, 4);
    LAUNCH(visible_corners, &shown, b->C);
    launch_same(shown.flag, flag, "flag");
    launch_end();
    free(soft), free(hole), free(flag);
}

static void check_implied(const struct poly *p)
{
    struct brute b;
    brute_init(&b, &p->desc);
    uint64_t r = (uint64_t)b.C + 31;
    check_edges(&b, 0, &r);
    check_edges(&b, 1, &r);
    check_vertices(&b, &r);
    check_shown(&b, &r);
    brute_fini(&b);
}

static void test_implied(void **state)
{
    (void)state, poly_each(N_RANDOM, 100000, check_implied);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_creases), cmocka_unit_test(test_missing_twice), cmocka_unit_test(test_corners),
        cmocka_unit_test(test_holes),   cmocka_unit_test(test_implied),
    };
    return LAUNCH_GROUP("kernels of tags", tests);
}
