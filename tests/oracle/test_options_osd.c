/* SPDX-License-Identifier: Apache-2.0 */
/* test_options_osd.c: every shape under every option that can change its result, at levels 1 to 4, by every engine
 * against OpenSubdiv. What cannot change the result is left out, by the rules in factors_of. */
#include "tests/env.h"
#include "tests/oracle/judge.h"
#include "tests/oracle/osd.h"
#include "tests/oracle/triangles.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BOUNDARY, TRIANGLES, CREASES, FVAR, ORIENTATION, N_FACTORS };
enum { MOST_VALUES = 6, LAST_LEVEL = 4, MOST_VERTICES = 1000000 };

static struct judge against_osd = {.witness = osd_refine};
static int64_t n_ran, n_left_out;

struct entry {
    const char *dir, *name;
};
struct factors { /* the values of each that matter */
    int n[N_FACTORS], value[N_FACTORS][MOST_VALUES];
};

static int has_triangles(const struct sdd_mesh_desc *d)
{
    int any = 0;
    for (int64_t f = 0; f < d->n_faces; f++)
        any |= d->face_counts[f] == 3;
    return any;
}

static int has_semi_sharp(const struct sdd_mesh_desc *d)
{
    int any = 0;
    for (int64_t i = 0; i < d->n_creases; i++)
        any |= d->crease_sharpness[i] > 0 && d->crease_sharpness[i] < SDD_SHARPNESS_INFINITE;
    return any;
}

/* 0: no edge of one face; 1: there are; 2: and a vertex of one face. */
static int open_kind(const struct sdd_mesh_desc *d)
{
    struct grid g;
    grid_init(&g, d);
    int32_t *edge_uses = xalloc(g.n_edges, sizeof *edge_uses), *vertex_uses = xalloc(g.n_vertices, sizeof *vertex_uses);
    int kind = 0;
    for (int64_t c = 0; c < g.n_corners; c++) {
        edge_uses[g.edge[c]]++;
        vertex_uses[g.vertices[c]]++;
    }
    for (int64_t e = 0; e < g.n_edges; e++)
        kind |= edge_uses[e] == 1;
    for (int64_t v = 0; v < g.n_vertices && kind; v++)
        kind |= (vertex_uses[v] == 1) << 1;
    free(edge_uses);
    free(vertex_uses);
    grid_fini(&g);
    return kind > 1 ? 2 : kind;
}

static void take_all(struct factors *f, int factor, int n)
{
    f->n[factor] = n;
    for (int i = 0; i < n; i++)
        f->value[factor][i] = i;
}

/* Boundary rules need an edge of one face, and tell edgeAndCorner from edgeOnly at a vertex of one face; the triangle
 * rule needs a triangle and catmullClark, the crease method a semi-sharp edge, the modes of UVs some UVs. Under
 * bilinear UVs are always linear and nothing else matters either. */
static struct factors factors_of(const struct sdd_mesh_desc *d)
{
    struct factors f;
    const struct sdd_options *o = &d->options;
    const int own[N_FACTORS] = {o->boundary, o->triangle_rule, o->crease_method, o->fvar, o->orientation};
    const int open = open_kind(d), bilinear = o->scheme == SDD_SCHEME_BILINEAR;
    for (int i = 0; i < N_FACTORS; i++) {
        f.n[i] = 1;
        f.value[i][0] = own[i];
    }
    if (!bilinear && open == 2)
        take_all(&f, BOUNDARY, 3);
    if (!bilinear && open == 1) {
        f.n[BOUNDARY] = 2;
        f.value[BOUNDARY][0] = SDD_BOUNDARY_EDGE_ONLY;
        f.value[BOUNDARY][1] = SDD_BOUNDARY_NONE;
    }
    if (o->scheme == SDD_SCHEME_CATMULL_CLARK && has_triangles(d))
        take_all(&f, TRIANGLES, 2);
    if (!bilinear && has_semi_sharp(d))
        take_all(&f, CREASES, 2);
    if (!bilinear && d->n_uvs > 0)
        take_all(&f, FVAR, 6);
    take_all(&f, ORIENTATION, 2);
    return f;
}

/* Combination k of the values, at one level. */
static int check(const struct shape *s, struct sdd_mesh_desc *d, const struct factors *f, int k, int level)
{
    struct sdd_options *o = &d->options;
    int32_t *const option[N_FACTORS] = {&o->boundary, &o->triangle_rule, &o->crease_method, &o->fvar, &o->orientation};
    char label[256];
    for (int i = 0; i < N_FACTORS; k /= f->n[i++])
        *option[i] = f->value[i][k % f->n[i]];
    size_t n = (size_t)snprintf(label, sizeof label, "%s level %d", s->name, level);
    for (int row = 0; row < sdd_n_options && n < sizeof label; row++)
        n += (size_t)snprintf(label + n, sizeof label - n, " %s", sdd_option_token(o, row));
    n_ran++;
    return judge_differs(&against_osd, label, d, s->points, s->uvs, level);
}

static int check_scheme(const struct shape *s, int scheme)
{
    struct sdd_mesh_desc d = s->desc;
    struct triangles t = {0};
    d.options.scheme = scheme;
    if (scheme == SDD_SCHEME_LOOP && !triangles_only(&d))
        t = triangles_cut(&d);
    const struct factors f = factors_of(&d);
    int n = 1, all = 3 * 2 * 2 * 6 * 2, last = level_that_fits(&d, LAST_LEVEL, MOST_VERTICES), bad = 0;
    for (int i = 0; i < N_FACTORS; i++)
        n *= f.n[i];
    for (int level = 1; level <= last; level++)
        for (int k = 0; k < n; k++)
            bad += check(s, &d, &f, k, level);
    n_left_out += (all - n) * last;
    triangles_free(&t);
    assert_int_equal(last, LAST_LEVEL);
    return bad;
}

static void test_shape(void **state)
{
    const struct entry *e = *state;
    struct shape s;
    struct sdd_error err = {0};
    int bad = 0;
    if (shape_load(e->dir, e->name, &s, &err) != SDD_OK)
        fail_msg("%s: not read: %s", s.name, err.text);
    if (uv_bow_tie(&s.desc)) {
        printf("%s: without UVs, they have bow-ties\n", s.name);
        s.desc.n_uvs = 0;
    }
    for (int scheme = SDD_SCHEME_CATMULL_CLARK; scheme <= SDD_SCHEME_BILINEAR; scheme++)
        bad += check_scheme(&s, scheme);
    shape_free(&s);
    assert_int_equal(bad, 0);
}

static void test_many(void **state)
{
    (void)state;
    const char *filter = getenv("SUBDD_TEST_FILTER");
    printf("%lld combinations of shape, scheme, options and level ran; %lld more cannot change a result\n",
           (long long)n_ran, (long long)n_left_out);
    judge_tell(&against_osd);
    if (!filter || !*filter) /* else a few were picked by name */
        assert_true(n_ran > 10000);
}

int main(void)
{
    static const char *const below[] = {"", "/nonmanifold"};
    struct CMUnitTest tests[1024];
    struct entry entries[1024];
    char **names[2], dirs[2][4096];
    size_t n, count = 0;
    for (int i = 0; i < 2; i++) {
        snprintf(dirs[i], sizeof dirs[i], "%s%s", test_shapes_dir(), below[i]);
        names[i] = shape_list(dirs[i], &n);
        for (size_t k = 0; names[i] && k < n && count < 1023; k++, count++) {
            entries[count] = (struct entry){dirs[i], names[i][k]};
            tests[count] =
                (struct CMUnitTest){.name = names[i][k], .test_func = test_shape, .initial_state = &entries[count]};
        }
    }
    if (count < 100)
        oracle_die("%s has %zu shapes", dirs[0], count);
    tests[count++] = (struct CMUnitTest){.name = "how many ran", .test_func = test_many};
    against_osd.device = open_device(1); /* small meshes: threads would wait for each other */
    int failed = _cmocka_run_group_tests("every option against OpenSubdiv", tests, count, NULL, NULL);
    sdd_device_close(against_osd.device);
    shape_list_free(names[0]);
    shape_list_free(names[1]);
    return failed;
}
