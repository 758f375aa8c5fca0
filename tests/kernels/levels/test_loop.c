/* SPDX-License-Identifier: Apache-2.0 */
/* Oracles of the points of scheme loop: loop_seams and loop_inside, level by level. Each kernel gets the oracle's
 * points (loop.h: double precision, manifold or not), rounded to float; rows that it does not own keep what they
 * held. Laws: a single place stays that place, affine maps commute with a step, and the weights around a vertex are
 * Loop's numbers. */
#include "tests/kernels/launch.h"
#include "gpu/levels/kernels/loop_inside.k.h"
#include "gpu/levels/loop_seams.k.h"
#include "tests/kernels/loop.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N_RANDOM 100
#define N_SOUPS 300

static int64_t n_points;

static void check_rows(const struct wild_case *k, const struct loop *w, const char *kernel, const float *got,
                       const float *before, int64_t begin, int64_t end)
{
    double *want = loop_rows(w);
    const struct wild_rows rows = {want, w->V, begin, end, w->level};
    wild_check_rows(k, &rows, kernel, got, before);
    n_points += end - begin;
    free(want);
}

static struct sdd_grid grid_of(const struct sdd_control *m, int level)
{
    struct sdd_grid g = {.vert = m->vert, .edge = m->edge, .faces = m->faces};
    g.n_vertices = m->n_vertices, g.n_faces = m->n_faces, g.n_edges = m->n_edges, g.n_corners = m->n_corners;
    g.level = level;
    return g;
}

static int64_t seam_rows(const struct wild_case *k, int level)
{
    return k->b.V + k->o.E * (((int64_t)1 << level) - 1);
}

/* One step by both kernels, from a level of n points; the caller frees what comes back. */
static float *step(const struct wild_case *k, const float *from, int64_t n, int level, int64_t n_to)
{
    float *to = xalloc(3 * n_to, sizeof *to);
    struct loop_seams_args seams = {.mesh = wild_upload(k, 1), .from = launch_in(from, 3 * n, 4)};
    seams.weights = loop_upload_weights(k), seams.to = launch_out(3 * n_to, 4), seams.level = level;
    struct loop_inside_args inside = {grid_of(&seams.mesh, level), seams.from, seams.to};
    int64_t n_items = wild_interleave(k->b.V, k->o.E << level, &seams.rows);
    LAUNCH(loop_seams, &seams, seams.mesh.feature_vertices.n_items + n_items);
    LAUNCH(loop_inside, &inside, k->b.F << (2 * level));
    memcpy(to, launch_got(seams.to), (size_t)n_to * 12);
    launch_end();
    return to;
}

static void check_step(const struct wild_case *k, const struct loop *w, const struct loop *to, int no_arrays)
{
    const int64_t seam = seam_rows(k, to->level);
    float *from = loop_points(w), *before = poisoned(3 * to->V, sizeof *before);
    struct loop_seams_args seams = {.mesh = wild_upload(k, no_arrays), .from = launch_in(from, 3 * w->V, 4)};
    seams.weights = loop_upload_weights(k), seams.to = launch_inout(before, 3 * to->V, 4), seams.level = w->level;
    int64_t n_items = wild_interleave(k->b.V, k->o.E << w->level, &seams.rows);
    LAUNCH(loop_seams, &seams, seams.mesh.feature_vertices.n_items + n_items);
    const float *got = launch_got(seams.to);
    check_rows(k, to, "loop_seams", got, before, 0, seam);
    for (int64_t v = 0; v < k->b.V; v++) /* a vertex without faces keeps its place, to the bit */
        if (k->b.valence[v] == 0 && memcmp(got + 3 * v, from + 3 * v, 12) != 0)
            fail_msg("%s: isolated vertex %lld has moved", launch_case(), (long long)v);
    launch_end();
    struct sdd_control m = wild_upload(k, no_arrays);
    struct loop_inside_args cells = {.from = launch_in(from, 3 * w->V, 4), .to = launch_inout(before, 3 * to->V, 4)};
    cells.grid = grid_of(&m, w->level);
    LAUNCH(loop_inside, &cells, w->F);
    check_rows(k, to, "loop_inside", launch_got(cells.to), before, seam, to->V);
    launch_end();
    free(from), free(before);
}

static int last_level(const struct poly *p)
{
    return p->desc.n_corners <= 200 ? 5 : p->desc.n_corners <= 800 ? 4 : 2;
}

static void check_mesh(const struct poly *p)
{
    struct wild_case k;
    struct loop w, next;
    wild_case_init(&k, p, 0);
    loop_control(&k, &w);
    for (; w.level < last_level(p); w = next) {
        loop_next(&k, &w, &next);
        for (int no_arrays = 0; no_arrays < 2; no_arrays++)
            check_step(&k, &w, &next, no_arrays);
        loop_fini(&w);
    }
    loop_fini(&w);
    wild_case_fini(&k);
}

static void say(void)
{
    print_message("%lld points\n", (long long)n_points);
    n_points = 0;
}

static void test_shapes(void **state)
{
    (void)state, loop_each(N_RANDOM, 100000, check_mesh), say();
}

static void test_odd(void **state)
{
    (void)state, loop_each_odd(N_SOUPS, 100000, check_mesh), say();
}

static void test_valences(void **state)
{
    static const int32_t valences[] = {1, 2, 3, 4, 5, 6, 7, 8, 63, 1000, 3001};
    (void)state;
    for (size_t i = 0; i < sizeof valences / sizeof *valences; i++)
        loop_valences(valences[i], check_mesh);
    say();
}

/* ---- laws ------------------------------------------------------------------------------------------------------ */
static void near(const char *law, int64_t row, const float *got, const double *want, double tolerance)
{
    for (int x = 0; x < 3; x++)
        if (!(fabs((double)got[x] - want[x]) <= tolerance))
            fail_msg("%s: %s: point %lld is (%.9g, %.9g, %.9g), not (%.9g, %.9g, %.9g)", launch_case(), law,
                     (long long)row, (double)got[0], (double)got[1], (double)got[2], want[0], want[1], want[2]);
}

static void moved(const float *p, double *to)
{
    static const double map[3][4] = {{0.8, -0.3, 0.2, 4}, {0.5, 1.1, -0.4, -2}, {-0.1, 0.6, 0.9, 1}};
    for (int x = 0; x < 3; x++)
        to[x] = map[x][0] * (double)p[0] + map[x][1] * (double)p[1] + map[x][2] * (double)p[2] + map[x][3];
}

/* Three levels, where they are the kernels' own: of a single place, of the mesh and of the mesh moved. */
static void check_laws(const struct poly *p)
{
    const float place[3] = {0.3f, -1.7f, 2.9f};
    const double want_place[3] = {(double)place[0], (double)place[1], (double)place[2]};
    struct wild_case k;
    wild_case_init(&k, p, 0);
    int64_t n = k.b.V;
    float *at[3] = {xalloc(3 * n, 4), xalloc(3 * n, 4), xalloc(3 * n, 4)};
    for (int64_t i = 0; i < 3 * n; i++)
        at[0][i] = place[i % 3], at[1][i] = p->points[i];
    for (int64_t v = 0; v < n; v++) {
        double q[3];
        moved(at[1] + 3 * v, q);
        for (int x = 0; x < 3; x++)
            at[2][3 * v + x] = (float)q[x];
    }
    for (int level = 0; level < 3; level++) {
        int64_t m = (int64_t)2 << level, n_to = seam_rows(&k, level + 1) + k.b.F * (m - 1) * (m - 2) / 2;
        for (int i = 0; i < 3; i++) {
            float *to = step(&k, at[i], n, level, n_to);
            free(at[i]);
            at[i] = to;
        }
        n = n_to;
        for (int64_t row = 0; row < n; row++) {
            double q[3];
            near("a single place", row, at[0] + 3 * row, want_place, 2e-6);
            moved(at[1] + 3 * row, q);
            near("an affine map", row, at[2] + 3 * row, q, 3e-6 * (k.magnitude + 4));
        }
    }
    for (int i = 0; i < 3; i++)
        free(at[i]);
    wild_case_fini(&k);
}

static void test_laws(void **state)
{
    (void)state;
    loop_each(20, 3000, check_laws);
    loop_each_odd(60, 3000, check_laws);
    loop_valences(63, check_laws);
}

/* Where the tip of a pyramid over an open base goes, and its share in the points around: by Loop's numbers. */
static void test_weights(void **state)
{
    static const double tip[][2] = {{3, 7.0 / 16}, {4, 33.0 / 64}, {6, 5.0 / 8}};
    (void)state;
    for (size_t i = 0; i < sizeof tip / sizeof *tip; i++) {
        int32_t n = (int32_t)tip[i][0], counts[6], vertices[18];
        float points[21] = {0};
        struct poly p = {.desc = {.n_vertices = n + 1, .n_faces = n, .n_corners = 3 * n}, .points = points};
        for (int32_t f = 0; f < n; f++) {
            const int32_t v[3] = {f, (f + 1) % n, n};
            counts[f] = 3;
            memcpy(vertices + 3 * f, v, sizeof v);
        }
        p.desc.face_counts = counts, p.desc.face_vertices = vertices;
        p.desc.options.scheme = SDD_SCHEME_LOOP, p.desc.options.boundary = SDD_BOUNDARY_EDGE_ONLY;
        points[3 * n + 2] = 1; /* the tip, and only it, is not at zero */
        launch_say("a pyramid of %d", n);
        struct wild_case k;
        wild_case_init(&k, &p, 0);
        float *to = step(&k, points, n + 1, 0, n + 1 + k.o.E);
        for (int64_t row = 0; row < n + 1 + k.o.E; row++) {
            double want[3] = {0};
            if (row >= n) /* edges in the order of their ends: each vertex of the rim has one to the tip */
                want[2] = row == n ? tip[i][1] : k.o.kind[row - n - 1] & WILD_BOUNDARY ? 0 : 0.375;
            near("a weight", row, to + 3 * row, want, 1e-7);
        }
        free(to);
        wild_case_fini(&k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes), cmocka_unit_test(test_odd),     cmocka_unit_test(test_valences),
        cmocka_unit_test(test_laws),   cmocka_unit_test(test_weights),
    };
    return LAUNCH_GROUP("points of scheme loop", tests);
}
