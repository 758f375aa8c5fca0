/* SPDX-License-Identifier: Apache-2.0 */
/* Oracles of the kernels that read points and faces: point_check, face_ends, face_corners, vertex_keys,
 * vertex_heads. Each gets the oracle's arrays (brute.h), so no kernel is judged by another
 * one's output. Meshes: the shapes, random ones, and both with errors put in. */
#include "tests/kernels/faces.h"
#include "tests/kernels/launch.h"
#include "gpu/mesh/kernels/face_corners.k.h"
#include "gpu/mesh/kernels/face_ends.k.h"
#include "gpu/mesh/kernels/point_check.k.h"
#include "gpu/mesh/kernels/vertex_heads.k.h"
#include "gpu/mesh/kernels/vertex_keys.k.h"
#include "tests/kernels/brute.h"
#include "tests/kernels/poly.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N_RANDOM 200
#define ALL_CORNERS 100000

/* ---- points and faces ------------------------------------------------------------------------------------------ */
static void check_points(const float *p, int64_t n, float limit, uint64_t first_bad)
{
    struct point_check_args a = {launch_in(p, 3 * n, sizeof *p), launch_error(), limit};
    LAUNCH(point_check, &a, n);
    launch_word(a.error, first_bad, "error");
    launch_end();
}

static void test_points(void **state)
{
    const float limit = 1e30f, bad[] = {NAN, -NAN, INFINITY, -INFINITY, nextafterf(1e30f, 2e30f), -2e30f};
    const int64_t n = 9000;
    float *p = xalloc(3 * n, sizeof *p);
    uint64_t r = 7;
    (void)state;
    for (int64_t i = 0; i < 3 * n; i++)
        p[i] = i % 5 == 0 ? limit : i % 7 == 0 ? -limit : random_unit(&r);
    launch_say("good points");
    check_points(p, n, limit, LAUNCH_NO_ERROR);
    check_points(p, 0, limit, LAUNCH_NO_ERROR);
    for (size_t k = 0; k < 18; k++) { /* later ones do not hide the first */
        int64_t at = random_below(&r, n);
        float kept[3];
        memcpy(kept, p + 3 * at, sizeof kept);
        p[3 * at + (int64_t)k % 3] = bad[k / 3];
        p[3 * n - 1] = NAN;
        launch_say("bad point %lld, %g", (long long)at, (double)bad[k / 3]);
        check_points(p, n, limit, (uint64_t)at);
        memcpy(p + 3 * at, kept, sizeof kept);
    }
    free(p);
}

static void test_face_ends(void **state)
{
    const int64_t n = 3000, sizes[] = {3, 4, 65535};
    int32_t *want = xalloc(n, sizeof *want);
    (void)state;
    for (int k = 0; k < 3; k++) {
        int64_t sum = 0;
        for (int64_t f = 0; f < n; f++)
            want[f] = (int32_t)(sum += sizes[k]);
        launch_say("faces of %lld corners", (long long)sizes[k]);
        struct face_ends_args a = {launch_out(n, sizeof *want), sizes[k]};
        LAUNCH(face_ends, &a, n);
        launch_same(a.end, want, "end");
        launch_end();
    }
    free(want);
}

struct face_case {
    struct face_corners_args a;
    const struct sdd_mesh_desc *d;
    uint64_t error;
};

static void launch_corners(struct face_case *k, const int32_t *end)
{
    const struct sdd_mesh_desc *d = k->d;
    int64_t C = d->n_corners;
    struct face_corners_args a = {.end = launch_in(end, d->n_faces, 4), .input = launch_in(d->face_vertices, C, 4)};
    a.vert = launch_out(C, 4), a.face = launch_out(C, 4), a.next = launch_out(C, 4), a.prev = launch_out(C, 4);
    a.error = launch_error();
    a.n_vertices = (uint32_t)d->n_vertices;
    a.left_handed = d->options.orientation == SDD_LEFT_HANDED;
    LAUNCH(face_corners, &a, d->n_faces);
    launch_word(a.error, k->error, "error");
    k->a = a;
}

static void check_corners(const struct poly *p)
{
    for (int side = 0; side < 2; side++) {
        struct sdd_mesh_desc d = p->desc;
        struct brute b;
        d.options.orientation ^= side;
        brute_init(&b, &d);
        struct face_case k = {.d = &d, .error = LAUNCH_NO_ERROR};
        launch_corners(&k, b.end);
        launch_same(k.a.vert, b.vert, "vert");
        launch_same(k.a.face, b.face, "face");
        launch_same(k.a.next, b.next, "next");
        launch_same(k.a.prev, b.prev, "prev");
        launch_end();
        if (d.n_uvs) { /* a channel: values are its vertices, and there are no tables */
            struct face_corners_args uv = {.end = launch_in(b.end, d.n_faces, 4),
                                           .input = launch_in(d.uv_indices, d.n_corners, 4),
                                           .vert = launch_out(d.n_corners, 4),
                                           .error = launch_error(),
                                           .n_vertices = (uint32_t)d.n_uvs,
                                           .left_handed = d.options.orientation == SDD_LEFT_HANDED};
            LAUNCH(face_corners, &uv, d.n_faces);
            launch_word(uv.error, LAUNCH_NO_ERROR, "error");
            launch_same(uv.vert, b.uv, "uv");
            launch_end();
        }
        brute_fini(&b);
    }
}

static void test_face_corners(void **state)
{
    (void)state, poly_each(N_RANDOM, ALL_CORNERS, check_corners);
}

/* The first bad index counts in the order it was given, whatever the handedness. */
static void test_face_corners_errors(void **state)
{
    int32_t counts[] = {4, 3, 5, 3}, end[] = {4, 7, 12, 15}, vertices[15];
    const int32_t bad_vertex[] = {-1, 9, INT32_MAX, INT32_MIN};
    struct sdd_mesh_desc d = {.n_vertices = 9, .n_faces = 4, .n_corners = 15};
    (void)state;
    d.face_counts = counts, d.face_vertices = vertices;
    for (int i = 0; i < 2 * 15 * 15; i++) {
        int at = i / 30, other = i / 2 % 15, first = at < other ? at : other;
        for (int c = 0; c < 15; c++)
            vertices[c] = 8 - c % 9;
        vertices[at] = bad_vertex[i % 4], vertices[other] = 9;
        d.options.orientation = i % 2 ? SDD_LEFT_HANDED : SDD_RIGHT_HANDED;
        launch_say("bad corners %d and %d, orientation %d", at, other, i % 2);
        struct face_case k = {.d = &d, .error = (uint64_t)first};
        launch_corners(&k, end);
        (void)launch_got(k.a.vert);
        (void)launch_got(k.a.face), (void)launch_got(k.a.next), (void)launch_got(k.a.prev);
        launch_end();
    }
}

/* ---- vertices -------------------------------------------------------------------------------------------------- */
static void check_keys(const struct brute *b)
{
    uint64_t *key = xalloc(b->C, sizeof *key);
    int32_t *value = xalloc(b->C, sizeof *value);
    for (int32_t c = 0; c < b->C; c++) {
        key[c] = b->vert[c];
        value[c] = c;
    }
    struct vertex_keys_args a = {launch_in(b->vert, b->C, 4), launch_out(b->C, 8), launch_out(b->C, 4)};
    LAUNCH(vertex_keys, &a, b->C);
    launch_same(a.key, key, "key");
    launch_same(a.value, value, "value");
    launch_end();
    free(key), free(value);
}

struct item {
    uint64_t key;
    int32_t corner;
};

static int item_order(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->corner < y->corner ? -1 : 1;
}

/* Vertices without corners keep what was there; vertices out of range stay out of the arrays. */
static void check_heads(const struct brute *b)
{
    struct item *item = xalloc(b->C, sizeof *item);
    uint64_t *key = xalloc(b->C, sizeof *key);
    int32_t *corner = xalloc(b->C, sizeof *corner);
    uint32_t *begin = poisoned(b->V, sizeof *begin), *end = poisoned(b->V, sizeof *end);
    for (int32_t c = 0; c < b->C; c++)
        item[c] = (struct item){b->vert[c], c};
    qsort(item, (size_t)b->C, sizeof *item, item_order);
    for (int64_t i = 0; i < b->C; i++) {
        key[i] = item[i].key;
        corner[i] = item[i].corner;
        if (key[i] >= (uint64_t)b->V)
            continue;
        if (begin[key[i]] == LAUNCH_POISON32)
            begin[key[i]] = (uint32_t)i;
        end[key[i]] = (uint32_t)i + 1;
    }
    struct vertex_heads_args a = {.key = launch_in(key, b->C, 8), .corner = launch_in(corner, b->C, 4)};
    a.faces = faces_in(b, b->C), a.begin = launch_out(b->V, 4), a.end = launch_out(b->V, 4);
    a.error = launch_error(), a.n_corners = b->C, a.n_vertices = (uint32_t)b->V;
    LAUNCH(vertex_heads, &a, b->C);
    launch_same(a.begin, begin, "begin");
    launch_same(a.end, end, "end");
    launch_word(a.error, (uint64_t)b->bad_repeat, "error");
    launch_end();
    free(item), free(key), free(corner), free(begin), free(end);
}

static void check_vertices(const struct poly *p)
{
    struct brute b;
    uint64_t r = (uint64_t)p->desc.n_corners + 1;
    brute_init(&b, &p->desc);
    check_keys(&b);
    check_heads(&b);
    for (int k = 0; k < 3; k++)
        b.vert[random_below(&r, b.C)] = k ? BRUTE_NONE : (uint32_t)b.V;
    check_keys(&b);
    check_heads(&b);
    brute_fini(&b);
}

static void test_vertices(void **state)
{
    (void)state, poly_each(N_RANDOM, ALL_CORNERS, check_vertices);
}

/* A corner or two of some face name a vertex that the face has already. */
static void check_repeats(const struct poly *p)
{
    uint64_t r = (uint64_t)p->desc.n_corners + 1;
    int32_t *vertices = xalloc(p->desc.n_corners, sizeof *vertices);
    struct sdd_mesh_desc d = p->desc;
    struct brute b;
    d.face_vertices = memcpy(vertices, p->desc.face_vertices, (size_t)d.n_corners * sizeof *vertices);
    for (int k = 0; k < 2; k++) {
        int32_t f = random_below(&r, d.n_faces), first = 0, n = d.face_counts[f];
        for (int32_t i = 0; i < f; i++)
            first += d.face_counts[i];
        int32_t from = random_below(&r, n), to = (from + 1 + random_below(&r, n - 1)) % n;
        vertices[first + to] = vertices[first + from];
    }
    brute_init(&b, &d);
    assert_true(b.bad_repeat >= 0);
    check_heads(&b);
    brute_fini(&b);
    free(vertices);
}

static void test_repeats(void **state)
{
    (void)state, poly_each(N_RANDOM, 1000, check_repeats);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points),       cmocka_unit_test(test_face_ends),
        cmocka_unit_test(test_face_corners), cmocka_unit_test(test_face_corners_errors),
        cmocka_unit_test(test_vertices),     cmocka_unit_test(test_repeats),
    };
    return LAUNCH_GROUP("kernels of points and faces", tests);
}
