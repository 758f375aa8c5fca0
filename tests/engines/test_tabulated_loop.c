/* SPDX-License-Identifier: Apache-2.0 */
/* test_tabulated_loop.c: test_tabulated.c for triangles under Loop: on every shape, cut into triangles, at levels 1
 * to 6, what tables make is what mesh-matrix makes, but for rounding. */
#include "tests/engines/same_as.h"
#include "tests/refine_once.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOST_VERTICES 200000

static struct same_as by_tables = {.method = "tabulated", .normals = 6};
static int n_refused;

/* Are there tables at all? Where a vertex has more than 32 triangles there are none. */
static int has_tables(const struct shape *s)
{
    const struct sdd_refine_request r = {.level = 1, .include = SDD_POSITIONS, .method = "tabulated"};
    struct sdd_error err = {0};
    sdd_topology *t = NULL;
    sdd_mesh *m = NULL;
    if (sdd_topology_create(by_tables.device[0], &s->desc, &t, &err) || sdd_mesh_create(t, s->points, s->uvs, &m, &err))
        fail_msg("%s: %s", s->name, err.text);
    int rc = prepare_once(m, &r, NULL, &err);
    sdd_mesh_free(m);
    sdd_topology_unref(t);
    if (rc && (rc != SDD_EUNSUPPORTED || strncmp(err.text, "no tables: ", 11) != 0))
        fail_msg("%s: %s", s->name, err.text);
    n_refused += rc != SDD_OK;
    return rc == SDD_OK;
}

static void check_scheme(const struct shape *s, struct sdd_mesh_desc *d)
{
    struct shape loop = *s;
    if (d->options.scheme != SDD_SCHEME_LOOP)
        return;
    loop.desc = *d;
    loop.desc.options.crease_method = SDD_CREASE_UNIFORM;
    if (has_tables(&loop))
        same_as_shape(&by_tables, &loop, 1, level_that_fits(d, 6, MOST_VERTICES));
}

static void check_shape(const struct shape *s)
{
    for_each_scheme(s, check_scheme);
}

static void test_points(void **state)
{
    (void)state;
    for_each_shape("", 100, check_shape);
    by_tables.normals = 3; /* as in test_tabulated.c */
    for_each_shape("nonmanifold", 20, check_shape);
    assert_true(by_tables.n_compared > 2500 && by_tables.n_unsure < by_tables.n_normals / 20);
    print_message("%d shapes have no tables\n", n_refused);
}

/* Triangles that meet in a vertex alone, where it stays: to find that out takes no time for each pair of them. */
static void test_hub(void **state)
{
    enum { FANS = 20000 };
    int32_t *counts = calloc(FANS, sizeof *counts), *vertices = calloc(3 * FANS, sizeof *vertices);
    float *points = calloc(3 * (2 * FANS + 1), sizeof *points);
    struct shape hub = {.name = "hub", .points = points};
    (void)state;
    assert_true(counts && vertices && points);
    for (int32_t i = 0; i < FANS; i++) {
        const float a = 6.2831853f * (float)i / FANS, b = a + 3.0f / FANS;
        const float ends[6] = {cosf(a), sinf(a), 0.1f * (float)(i % 7), cosf(b), sinf(b), 0.1f * (float)(i % 5)};
        counts[i] = 3;
        memcpy(vertices + 3 * i, (const int32_t[3]){0, 2 * i + 1, 2 * i + 2}, sizeof(int32_t[3]));
        memcpy(points + 3 * (2 * i + 1), ends, sizeof ends);
    }
    hub.desc = (struct sdd_mesh_desc){.n_vertices = 2 * FANS + 1,
                                      .n_faces = FANS,
                                      .n_corners = 3 * FANS,
                                      .face_counts = counts,
                                      .face_vertices = vertices,
                                      .options = {.scheme = SDD_SCHEME_LOOP}};
    assert_true(has_tables(&hub));
    by_tables.normals = 0;
    same_as_shape(&by_tables, &hub, 3, 3);
    free(counts), free(vertices), free(points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_points), cmocka_unit_test(test_hub)};
    same_as_open(&by_tables);
    int failed = cmocka_run_group_tests_name("tabulated loop", tests, NULL, NULL);
    same_as_close(&by_tables);
    return failed;
}
