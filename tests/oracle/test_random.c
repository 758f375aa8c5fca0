/* SPDX-License-Identifier: Apache-2.0 */
/* test_random.c: every small shape again with random tags and options against the naive witness. A failure prints the
 * seed; SUBDD_SEED=n runs the seeds n + 1000 i of shape i alone, SUBDD_SEEDS=n that many a shape. */
#include "tests/env.h"
#include "tests/oracle/cases.h"
#include "tests/oracle/dice.h"
#include "tests/oracle/naive.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct tolerances tolerance = {1e-5, 1e-5, 5e-3};
static const float values[] = {0.1f, 0.3f, 0.5f, 0.75f, 1, 1.2f, 1.5f, 2, 2.7f, 3, 4.4f, 9.5f, 9.99f, 10, 12};

struct tags {
    int32_t *edges, *corners, *holes;
    float *sharp, *corner_sharp;
};

static float sharpness(struct dice *d)
{
    return values[dice_next(d) % (sizeof values / sizeof *values)];
}

/* Replaces all tags and options of the description; how dense they are is drawn too. */
static struct tags randomise(struct sdd_mesh_desc *m, uint64_t seed)
{
    struct grid g;
    struct dice d = dice_of(seed);
    grid_init(&g, m);
    struct tags t = {xalloc(2 * g.n_edges, sizeof *t.edges), xalloc(m->n_vertices, sizeof *t.corners),
                     xalloc(m->n_faces, sizeof *t.holes), xalloc(g.n_edges, sizeof *t.sharp),
                     xalloc(m->n_vertices, sizeof *t.corner_sharp)};
    uint32_t edge_rate = 1 + dice_next(&d) % 6, corner_rate = 3 + dice_next(&d) % 20;
    uint32_t hole_rate = dice_one_in(&d, 3) ? 5 : UINT32_MAX;
    m->n_creases = m->n_corner_tags = m->n_holes = 0;
    for (int64_t e = 0; e < g.n_edges; e++)
        if (dice_one_in(&d, edge_rate)) {
            int turn = dice_one_in(&d, 2);
            t.edges[2 * m->n_creases] = g.ends[2 * e + turn];
            t.edges[2 * m->n_creases + 1] = g.ends[2 * e + !turn];
            t.sharp[m->n_creases++] = sharpness(&d);
        }
    for (int32_t v = 0; v < m->n_vertices; v++)
        if (dice_one_in(&d, corner_rate)) {
            t.corners[m->n_corner_tags] = v;
            t.corner_sharp[m->n_corner_tags++] = sharpness(&d);
        }
    for (int32_t f = 0; f < m->n_faces; f++)
        if (dice_one_in(&d, hole_rate))
            t.holes[m->n_holes++] = f;
    m->crease_edges = t.edges;
    m->crease_sharpness = t.sharp;
    m->corner_vertices = t.corners;
    m->corner_sharpness = t.corner_sharp;
    m->hole_faces = t.holes;
    m->options.boundary = (int32_t)(dice_next(&d) % 3);
    m->options.triangle_rule = (int32_t)(dice_next(&d) % 2);
    m->options.orientation = (int32_t)(dice_next(&d) % 2);
    m->options.crease_method = (int32_t)(dice_next(&d) % 2);
    grid_fini(&g);
    return t;
}

static void tags_free(struct tags *t)
{
    free(t->edges);
    free(t->corners);
    free(t->holes);
    free(t->sharp);
    free(t->corner_sharp);
}

static int check(sdd_device *device, const char *method, const struct shape *s, uint64_t seed, int level)
{
    struct sdd_mesh_desc d = s->desc;
    struct tags t = randomise(&d, seed);
    struct sdd_error err = {0};
    struct refined got, want;
    char label[160];
    int bad = 1;
    snprintf(label, sizeof label, "%s seed %llu level %d %s", s->name, (unsigned long long)seed, level, method);
    if (library_refine(device, method, &d, s->points, s->uvs, level, &got, &err) != SDD_OK) {
        bad = strcmp(method, "edge-friend") != 0 || !strstr(err.text, "does not do creaseMethod chaikin");
        if (bad)
            printf("%s: refused: %s: %s\n", label, sdd_err_code(err.code), err.text);
    } else {
        naive_refine(&d, s->points, s->uvs, level, &want);
        bad = compare_refined(label, &got, &want, s->diagonal, 1, tolerance);
        refined_free(&want);
    }
    refined_free(&got);
    tags_free(&t);
    return bad;
}

static void test_random(void **state)
{
    (void)state;
    size_t n;
    const char *only = getenv("SUBDD_SEED"), *count = getenv("SUBDD_SEEDS");
    uint64_t first = only ? strtoull(only, NULL, 10) : 1, seeds = only ? 1 : count ? strtoull(count, NULL, 10) : 3;
    char **names = shape_list(test_shapes_dir(), &n);
    sdd_device *device = open_device(0);
    int bad = 0;
    assert_true(n > 100);
    for (size_t i = 0; i < n; i++) {
        struct shape s;
        struct sdd_error err = {0};
        assert_int_equal(shape_load(test_shapes_dir(), names[i], &s, &err), SDD_OK);
        for (uint64_t seed = first; seed < first + seeds && s.desc.n_corners < 400; seed++)
            for (int k = 0; k < 2; k++)
                bad += check(device, k ? "mesh-matrix" : "edge-friend", &s, seed + 1000 * i, 1 + (int)(seed % 4));
        shape_free(&s);
    }
    sdd_device_close(device);
    shape_list_free(names);
    assert_int_equal(bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    return cmocka_run_group_tests_name("random tags", tests, NULL, NULL);
}
