/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of points over rows of one to three floats, mm_faces_n, mm_first_n, mm_inside_n, mm_seams_n, mm_limits_n,
 * loop_inside_n, loop_seams_n and loop_limits_n: each component comes out, to the bit, as the kernel of positions makes
 * it (which has oracles of its own), and what lies between the rows is left alone. */
#include "tests/kernels/launch.h"
#include "gpu/levels/kernels/level_widths.ks.h"
#include "gpu/levels/kernels/loop_limits_n.k.h"
#include "gpu/levels/kernels/mm_limits_n.k.h"
#include "tests/kernels/loop.h"
#include <stdlib.h>
#include <string.h>

static const struct sdd_width widths[] = {{1, 1}, {2, 2}, {2, 5}, {3, 3}, {3, 4}};
#define N_WIDTHS (sizeof widths / sizeof *widths)

/* Rows of w with the first components of p[n][3], 7 in between. */
static float *narrowed(const float *p, int64_t n, struct sdd_width w)
{
    float *rows = xalloc(n * w.stride, sizeof *rows);
    for (int64_t i = 0; i < n; i++)
        for (int32_t c = 0; c < w.stride; c++)
            rows[i * w.stride + c] = c < w.n ? p[3 * i + c] : 7;
    return rows;
}

static const float *narrow_in(const float *p, int64_t n, struct sdd_width w)
{
    float *rows = narrowed(p, n, w);
    const float *device = launch_in(rows, n * w.stride, 4);
    free(rows);
    return device;
}

static float *narrow_out(const float *p, int64_t n, struct sdd_width w)
{
    float *rows = narrowed(p, n, w), *device = launch_inout(rows, n * w.stride, 4);
    free(rows);
    return device;
}

static void check_rows(const char *kernel, const float *device, const float *want, int64_t n, struct sdd_width w)
{
    float *rows = narrowed(want, n, w);
    if (memcmp(launch_got(device), rows, (size_t)(n * w.stride) * 4) != 0)
        fail_msg("%s: %s has other bits over %d of %d floats", launch_case(), kernel, w.n, w.stride);
    free(rows);
    launch_end();
}

/* Points that no rule has made, of n rows. */
static float *some_points(int64_t n, uint64_t seed)
{
    float *p = xalloc(3 * n, sizeof *p);
    for (int64_t i = 0; i < 3 * n; i++)
        p[i] = random_unit(&seed) - 0.5f;
    return p;
}

/* BOTH: the kernel of positions, then the other one at each width; refresh: uploads the mesh again. */
#define BOTH(name, args, refresh, in, out, n_in, n_out, count)                                                         \
    do {                                                                                                               \
        float *from = some_points(n_in, 1), *before = some_points(n_out, 2), *want = xalloc(3 * (n_out), 4);           \
        refresh(args);                                                                                                 \
        (args).in = launch_in(from, 3 * (n_in), 4), (args).out = launch_inout(before, 3 * (n_out), 4);                 \
        LAUNCH(name, &(args), count);                                                                                  \
        memcpy(want, launch_got((args).out), (size_t)(n_out)*12);                                                      \
        launch_end();                                                                                                  \
        for (size_t i = 0; i < N_WIDTHS; i++) {                                                                        \
            struct name##_n_args wide = {args, widths[i]};                                                             \
            refresh(wide.base);                                                                                        \
            wide.base.in = narrow_in(from, n_in, widths[i]), wide.base.out = narrow_out(before, n_out, widths[i]);     \
            LAUNCH(name##_n, &wide, count);                                                                            \
            check_rows(#name "_n", wide.base.out, want, n_out, widths[i]);                                             \
        }                                                                                                              \
        free(from), free(before), free(want);                                                                          \
    } while (0)

/* LIMITS: the same for limits, whose kernels differ in their arguments. */
#define LIMITS(name, other, args, refresh, n)                                                                          \
    do {                                                                                                               \
        float *from = some_points(n, 3), *before = some_points(n, 4), *want = xalloc(3 * (n), 4);                      \
        refresh(args);                                                                                                 \
        (args).from = launch_in(from, 3 * (n), 4), (args).out = launch_inout(before, 3 * (n), 4);                      \
        LAUNCH(name, &(args), n);                                                                                      \
        memcpy(want, launch_got((args).out), (size_t)(n)*12);                                                          \
        launch_end();                                                                                                  \
        for (size_t i = 0; i < N_WIDTHS; i++) {                                                                        \
            struct other##_args wide = {.width = widths[i], .level = (args).level};                                    \
            refresh(wide);                                                                                             \
            wide.from = narrow_in(from, n, widths[i]), wide.out = narrow_out(before, n, widths[i]);                    \
            LAUNCH(other, &wide, n);                                                                                   \
            check_rows(#other, wide.out, want, n, widths[i]);                                                          \
        }                                                                                                              \
        free(from), free(before), free(want);                                                                          \
    } while (0)

static const struct wild_case *now;
/* Of the ways to meet the edges of a vertex, which sum in other orders, always the same. */
static uint32_t n_ruled;
#define MESH(args)                                                                                                     \
    ((args).mesh = wild_upload(now, 1), (args).mesh.edges = SDD_EDGES_ANY,                                             \
     n_ruled = (args).mesh.feature_vertices.n_items)
#define MESH_AND_WEIGHTS(args) (MESH(args), (args).weights = loop_upload_weights(now))
static struct sdd_control grid_mesh;
#define GRID(args) (grid_mesh = wild_upload(now, 1), (args).grid = sdd_grid_of(&grid_mesh, 2))

static void check_quads(const struct poly *p)
{
    struct wild_case k;
    wild_case_init(&k, p, 0);
    now = &k;
    const int64_t V = k.b.V, F = k.b.F, E = k.o.E, C = k.b.C, first = V + F + E, lines = 2 * E + C;
    const int64_t second = first + lines + C, third = first + 3 * lines + 9 * C; /* points of levels 2 and 3 */
    struct mm_faces_args faces = {0};
    struct mm_first_args rows = {0};
    struct mm_seams_args seams = {.level = 2};
    struct mm_inside_args inside = {0};
    struct mm_finish_args finish = {.level = 2, .limit = 1};
    int64_t n_items = wild_interleave(V, E, &rows.rows);
    BOTH(mm_faces, faces, MESH, p, out, V, first, F);
    BOTH(mm_first, rows, MESH, p, out, V, first, n_ruled + n_items);
    BOTH(mm_seams, seams, MESH, from, to, second, third, n_ruled + first + 2 * lines);
    BOTH(mm_inside, inside, GRID, from, to, second, third, 4 * C);
    LIMITS(mm_finish, mm_limits_n, finish, MESH, second);
    wild_case_fini(&k);
}

static void check_triangles(const struct poly *p)
{
    struct wild_case k;
    wild_case_init(&k, p, 0);
    now = &k;
    const int64_t V = k.b.V, F = k.b.F, E = k.o.E, second = V + 3 * E + 3 * F, third = V + 7 * E + 21 * F;
    struct loop_seams_args seams = {.level = 2};
    struct loop_inside_args inside = {0};
    struct loop_finish_args finish = {.level = 2, .limit = 1};
    int64_t n_items = wild_interleave(V, 4 * E, &seams.rows);
    BOTH(loop_seams, seams, MESH_AND_WEIGHTS, from, to, second, third, n_ruled + n_items);
    BOTH(loop_inside, inside, GRID, from, to, second, third, F << 4);
    LIMITS(loop_finish, loop_limits_n, finish, MESH_AND_WEIGHTS, second);
    wild_case_fini(&k);
}

static void test_quads(void **state)
{
    (void)state, poly_each(5, 300, check_quads), soup_each(10, 300, check_quads);
}

static void test_triangles(void **state)
{
    (void)state, loop_each(5, 300, check_triangles), loop_each_odd(10, 300, check_triangles);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_quads), cmocka_unit_test(test_triangles)};
    return LAUNCH_GROUP("rows of other widths", tests);
}
