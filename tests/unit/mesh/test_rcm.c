/* SPDX-License-Identifier: Apache-2.0 */
/* sdd_order_rcm: permutations, bandwidth as counted from the definition, order of components and isolated vertices. */
#include "gpu/sdd/sdd.h"
#include "tests/env.h"
#include "tests/oracle/shape.h"
#include "tests/unit/sample.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct sdd_order order_of(const struct sdd_mesh_desc *d)
{
    struct sdd_order o;
    struct sdd_error err = {0};
    if (sdd_order_rcm(d, &o, &err))
        fail_msg("%s", err.text);
    return o;
}

/* max of |i - j| over all pairs of entries of a row, and of a column; every pair is looked at. */
static int64_t distance(const struct sdd_mesh_desc *d, const int64_t *row_of, const int64_t *column_of)
{
    int64_t b = 0, *face = calloc((size_t)d->n_corners + 1, sizeof *face);
    assert_non_null(face);
    for (int64_t f = 0, c = 0; f < d->n_faces; f++)
        for (int64_t end = c + d->face_counts[f]; c < end; c++)
            face[c] = f;
    for (int64_t i = 0; i < d->n_corners; i++)
        for (int64_t j = 0; j < d->n_corners; j++) {
            int32_t v = d->face_vertices[i], w = d->face_vertices[j];
            int64_t rows = face[i] == face[j] ? llabs(row_of[v] - row_of[w]) : 0;
            int64_t columns = v == w ? llabs(column_of[face[i]] - column_of[face[j]]) : 0;
            b = rows > b ? rows : b;
            b = columns > b ? columns : b;
        }
    free(face);
    return b;
}

static int64_t *inverse(const int32_t *of_row, int64_t n)
{
    int64_t *row_of = calloc((size_t)(n + 1), sizeof *row_of);
    assert_non_null(row_of);
    for (int64_t i = 0; i < n; i++)
        row_of[i] = -1;
    for (int64_t i = 0; i < n; i++) {
        assert_in_range(of_row[i], 0, n - 1);
        assert_int_equal(row_of[of_row[i]], -1);
        row_of[of_row[i]] = i;
    }
    return row_of;
}

static int64_t least(const struct sdd_mesh_desc *d, const int64_t *row_of, int32_t face)
{
    int64_t first = 0, low = d->n_vertices;
    for (int32_t f = 0; f < face; f++)
        first += d->face_counts[f];
    for (int64_t c = first; c < first + d->face_counts[face]; c++)
        low = row_of[d->face_vertices[c]] < low ? row_of[d->face_vertices[c]] : low;
    return low;
}

static void check(const struct sdd_mesh_desc *d, const struct sdd_order *o)
{
    int64_t *row_of = inverse(o->vertex_of_row, d->n_vertices), *column_of = inverse(o->face_of_row, d->n_faces);
    for (int64_t i = 1; i < d->n_faces && d->n_faces < 2000; i++) {
        int64_t a = least(d, row_of, o->face_of_row[i - 1]), b = least(d, row_of, o->face_of_row[i]);
        assert_true(a < b || (a == b && o->face_of_row[i - 1] < o->face_of_row[i]));
    }
    if (d->n_corners < 3000) {
        assert_int_equal(o->bandwidth_after, distance(d, row_of, column_of));
        for (int64_t i = 0; i < d->n_vertices; i++)
            row_of[i] = i;
        for (int64_t i = 0; i < d->n_faces; i++)
            column_of[i] = i;
        assert_int_equal(o->bandwidth_before, distance(d, row_of, column_of));
    }
    free(row_of);
    free(column_of);
}

/* Faces of two corners are edges alone: the path 2 - 0 - 1 and the pair 3 - 5; 4 is isolated. */
static void test_by_hand(void **state)
{
    static const int32_t counts[] = {2, 2, 2}, vertices[] = {0, 1, 3, 5, 2, 0};
    static const int32_t rows[] = {1, 0, 2, 3, 5, 4}, faces[] = {0, 2, 1};
    const struct sdd_mesh_desc d = {
        .n_vertices = 6, .n_faces = 3, .n_corners = 6, .face_counts = counts, .face_vertices = vertices};
    (void)state;
    struct sdd_order o = order_of(&d);
    check(&d, &o);
    assert_memory_equal(o.vertex_of_row, rows, sizeof rows);
    assert_memory_equal(o.face_of_row, faces, sizeof faces);
    assert_int_equal(o.bandwidth_before, 2);
    assert_int_equal(o.bandwidth_after, 1);
    sdd_order_free(&o);
    assert_null(o.vertex_of_row);
}

static uint32_t next_random(uint32_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 17;
    *s ^= *s << 5;
    return *s;
}

static int32_t *shuffled(int64_t n, uint32_t seed)
{
    int32_t *p = calloc((size_t)(n + 1), sizeof *p);
    assert_non_null(p);
    for (int64_t i = 0; i < n; i++)
        p[i] = (int32_t)i;
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = (int64_t)next_random(&seed) % (i + 1);
        int32_t swap = p[i];
        p[i] = p[j];
        p[j] = swap;
    }
    return p;
}

/* The same faces in another order and over renamed vertices; counts and vertices are the caller's to free. */
static struct sdd_mesh_desc shuffle(const struct sdd_mesh_desc *d, uint32_t seed)
{
    int32_t *name = shuffled(d->n_vertices, seed), *face = shuffled(d->n_faces, seed + 1);
    int32_t *counts = malloc((size_t)(d->n_faces + 1) * 4), *vertices = malloc((size_t)(d->n_corners + 1) * 4);
    int64_t *first = calloc((size_t)d->n_faces + 1, sizeof *first), n = 0;
    for (int64_t f = 0; f < d->n_faces; f++)
        first[f + 1] = first[f] + d->face_counts[f];
    for (int64_t i = 0; i < d->n_faces; i++) {
        counts[i] = d->face_counts[face[i]];
        for (int64_t c = first[face[i]]; c < first[face[i] + 1]; c++)
            vertices[n++] = name[d->face_vertices[c]];
    }
    free(name);
    free(face);
    free(first);
    struct sdd_mesh_desc out = {.n_vertices = d->n_vertices, .n_faces = d->n_faces, .n_corners = d->n_corners};
    out.face_counts = counts;
    out.face_vertices = vertices;
    return out;
}

static void desc_free(struct sdd_mesh_desc *d)
{
    free((void *)(uintptr_t)d->face_counts);
    free((void *)(uintptr_t)d->face_vertices);
}

/* A path of quads has a row of n + 1 steps of two vertices: 3 is the least that any order has; a grid of n x n at least
 * about n. */
static void test_grids(void **state)
{
    static const int32_t sizes[][3] = {{200, 1, 3}, {20, 20, 42}, {60, 60, 123}, {300, 40, 84}};
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct mesh *m = sample_grid(sizes[i][0], sizes[i][1]);
        struct sdd_mesh_desc d;
        mesh_desc(m, &d);
        for (uint32_t seed = 1; seed < 4; seed++) {
            struct sdd_mesh_desc s = shuffle(&d, seed);
            struct sdd_order o = order_of(&s), again = order_of(&s);
            check(&s, &o);
            print_message("%d x %d: %lld -> %lld\n", sizes[i][0], sizes[i][1], (long long)o.bandwidth_before,
                          (long long)o.bandwidth_after);
            assert_true(o.bandwidth_before > d.n_vertices / 2);
            assert_in_range(o.bandwidth_after, 1, sizes[i][2]);
            assert_memory_equal(o.vertex_of_row, again.vertex_of_row, (size_t)d.n_vertices * 4);
            assert_memory_equal(o.face_of_row, again.face_of_row, (size_t)d.n_faces * 4);
            sdd_order_free(&again);
            sdd_order_free(&o);
            desc_free(&s);
        }
        mesh_free(m);
    }
}

static void each_shape(const char *dir, int shared)
{
    size_t n;
    char **names = shape_list(dir, &n);
    assert_non_null(names);
    for (size_t i = 0; i < n; i++) {
        struct shape s;
        struct sdd_error err;
        if (shape_load(dir, names[i], &s, &err))
            continue;
        struct sdd_mesh_desc shuffle_of = shuffle(&s.desc, 7);
        struct sdd_order o = order_of(&s.desc), p = order_of(&shuffle_of);
        check(&s.desc, &o);
        check(&shuffle_of, &p);
        if (shared)
            print_message("%s: %lld -> %lld; shuffled %lld -> %lld\n", names[i], (long long)o.bandwidth_before,
                          (long long)o.bandwidth_after, (long long)p.bandwidth_before, (long long)p.bandwidth_after);
        sdd_order_free(&o);
        sdd_order_free(&p);
        desc_free(&shuffle_of);
        shape_free(&s);
    }
    shape_list_free(names);
}

static void test_shapes(void **state)
{
    char dir[512];
    (void)state;
    each_shape(test_shapes_dir(), 0);
    snprintf(dir, sizeof dir, "%s/nonmanifold", test_shapes_dir());
    each_shape(dir, 0);
    if (!test_shared_dir())
        return;
    snprintf(dir, sizeof dir, "%s/data", test_shared_dir());
    each_shape(dir, 1);
}

/* Grids side by side in one mesh, with isolated vertices between: each lies together, the isolated ones are last. */
static void test_components(void **state)
{
    struct mesh *m = sample_grid(5, 5);
    struct sdd_mesh_desc d, all = {0};
    int32_t counts[75], vertices[300];
    (void)state;
    mesh_desc(m, &d);
    for (int32_t k = 0; k < 3; k++)
        for (int32_t i = 0; i < 100; i++) {
            counts[25 * k + i / 4] = 4;
            vertices[100 * k + i] = 3 * d.face_vertices[i] + k + (d.face_vertices[i] >= 20 ? 9 : 0);
        }
    all = (struct sdd_mesh_desc){
        .n_vertices = 120, .n_faces = 75, .n_corners = 300, .face_counts = counts, .face_vertices = vertices};
    struct sdd_order o = order_of(&all);
    check(&all, &o);
    assert_in_range(o.bandwidth_after, 5, 12);
    for (int32_t i = 0; i < 108; i++) /* in component i / 36, which is the rest by 3 */
        assert_int_equal(o.vertex_of_row[i] % 3, o.vertex_of_row[i / 36 * 36] % 3);
    for (int32_t i = 0; i < 9; i++)
        assert_int_equal(o.vertex_of_row[108 + i], 60 + i);
    for (int32_t i = 0; i < 3; i++)
        assert_int_equal(o.vertex_of_row[117 + i], 117 + i);
    sdd_order_free(&o);
    mesh_free(m);
}

static void test_nothing_and_refusals(void **state)
{
    static const int32_t counts[] = {3}, bad[] = {0, 1, 4}, below[] = {0, -1, 2}, once[] = {1}, same[] = {2, 2, 2};
    struct sdd_mesh_desc d = {0};
    struct sdd_error err;
    (void)state;
    struct sdd_order o = order_of(&d);
    assert_int_equal(o.bandwidth_before, 0);
    sdd_order_free(&o);
    d.n_vertices = 4; /* all isolated */
    o = order_of(&d);
    for (int i = 0; i < 4; i++)
        assert_int_equal(o.vertex_of_row[i], i);
    sdd_order_free(&o);
    d.n_faces = 1;
    d.n_corners = 3;
    d.face_counts = counts;
    d.face_vertices = same; /* no edge joins two vertices */
    o = order_of(&d);
    assert_int_equal(o.bandwidth_after, 0);
    sdd_order_free(&o);
    d.face_vertices = bad;
    assert_int_equal(sdd_order_rcm(&d, &o, &err), SDD_EMESH);
    assert_non_null(strstr(err.text, "face 0 uses vertex 4, and the mesh has 4"));
    assert_null(o.vertex_of_row);
    d.face_vertices = below;
    assert_int_equal(sdd_order_rcm(&d, &o, NULL), SDD_EMESH);
    d.face_vertices = once;
    d.n_corners = 1;
    assert_int_equal(sdd_order_rcm(&d, &o, &err), SDD_EMESH);
    assert_string_equal(err.field, "faceVertexCounts");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_by_hand), cmocka_unit_test(test_grids),
                                       cmocka_unit_test(test_shapes), cmocka_unit_test(test_components),
                                       cmocka_unit_test(test_nothing_and_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
