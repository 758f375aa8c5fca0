/* SPDX-License-Identifier: Apache-2.0 */
/* mm_follow and loop_follow: a vertex has one limit, whichever level it is made from. Levels are the oracles' (wild.h,
 * loop.h), so a rule that is followed over one step too many, too few or with another weight shows. What comes out at
 * level 36 is for tests/engines/test_limit.c. */
#include "gpu/levels/level_follow.ks.h"
#include "tests/kernels/launch.h"
#include "tests/kernels/loop.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_RINGS = 7, MOST_CORNERS = 200, N_RANDOM = 60 };

static int64_t n_followed, n_compared;

/* What a level says: limits and normals by the masks, and the same where points have been followed. */
struct said {
    float *masks, *limit, *normal;
    int64_t n;
};

static void said_free(struct said *s)
{
    free(s->masks), free(s->limit), free(s->normal);
}

static float *copy_of(const float *from, int64_t n)
{
    float *to = xalloc(3 * n, sizeof *to);
    memcpy(to, from, (size_t)(3 * n) * sizeof *to);
    return to;
}

static struct sdd_follow follow_of(const struct wild_case *k, int64_t first_edge, int64_t n_inner)
{
    const uint32_t stride = (uint32_t)(2 * wild_most(k));
    struct sdd_follow f = {.rings = {launch_out((int64_t)N_RINGS * stride, sizeof(struct sdd_spoke)), N_RINGS, stride}};
    f.width = sdd_xyz();
    f.n_points = (uint32_t)(k->b.V + n_inner);
    f.first_edge = (uint32_t)first_edge;
    return f;
}

/* LEVEL: both launches over a level of a scheme. */
#define LEVEL(finish_kernel, follow_kernel, a, f, rows, to)                                                            \
    do {                                                                                                               \
        struct follow_kernel##_args follow_ = {a, f};                                                                  \
        LAUNCH(finish_kernel, &(a), rows);                                                                             \
        (to).masks = copy_of(launch_got((a).out), rows);                                                               \
        LAUNCH(follow_kernel, &follow_, N_RINGS);                                                                      \
        (to).limit = copy_of(launch_got((a).out), rows), (to).normal = copy_of(launch_got((a).normal), rows);          \
        (void)launch_got((f).rings.spoke);                                                                             \
        (to).n = rows;                                                                                                 \
        launch_end();                                                                                                  \
    } while (0)

/* Limits of the vertices that both levels have are the same; what is not followed is left as it was. */
static void compare(const struct wild_case *k, int level, const struct said *low, const struct said *high)
{
    if (!low->masks || !low->limit || !high->limit) {
        fail();
        return;
    }
    for (int64_t v = 0; v < k->b.V; v++) {
        double off = 0, turned = 0;
        if (k->b.valence[v] == 0)
            continue;
        for (int x = 0; x < 3; x++) {
            off = fmax(off, fabs((double)low->limit[3 * v + x] - (double)high->limit[3 * v + x]));
            turned = fmax(turned, fabs((double)low->masks[3 * v + x] - (double)low->limit[3 * v + x]));
        }
        n_compared++;
        n_followed += turned > 1e-4 * k->magnitude;
        if (!(off <= 4e-6 * k->magnitude))
            fail_msg("%s: vertex %lld goes elsewhere from level %d than from the next, by %g", launch_case(),
                     (long long)v, level, off);
    }
    for (int64_t i = 0; i < 3 * low->n; i++)
        assert_true(isfinite(low->limit[i]) || !isfinite(low->masks[i]));
}

static void check_quads(const struct poly *p)
{
    struct wild_case k;
    struct wild w, next;
    struct said before = {0};
    wild_case_init(&k, p, 0);
    wild_control(&k, &w);
    for (; w.level < 3; w = next) {
        struct said now = {0};
        wild_next(&k, &w, &next);
        wild_fini(&w);
        float *from = wild_points(&next);
        struct mm_finish_args a = {.mesh = wild_upload(&k, 1), .from = launch_in(from, 3 * next.V, 4)};
        struct sdd_follow f = follow_of(&k, k.b.V + k.b.F, (k.o.E << next.level) - k.o.E);
        a.angle = wild_upload_angles(&k), a.level = next.level, a.limit = SDD_LIMIT;
        a.out = launch_out(3 * next.V, 4), a.normal = launch_out(3 * next.V, 4);
        LEVEL(mm_finish, mm_follow, a, f, next.V, now);
        if (next.level > 1)
            compare(&k, next.level - 1, &before, &now);
        said_free(&before);
        before = now;
        free(from);
    }
    said_free(&before);
    wild_fini(&w);
    wild_case_fini(&k);
}

static void check_triangles(const struct poly *p)
{
    struct wild_case k;
    struct loop w, next;
    struct said before = {0};
    wild_case_init(&k, p, 0);
    loop_control(&k, &w);
    for (; w.level < 3; w = next) {
        struct said now = {0};
        loop_next(&k, &w, &next);
        loop_fini(&w);
        float *from = loop_points(&next);
        struct loop_finish_args a = {.mesh = wild_upload(&k, 1), .from = launch_in(from, 3 * next.V, 4)};
        struct sdd_follow f = follow_of(&k, k.b.V, (k.o.E << next.level) - k.o.E);
        a.weights = loop_upload_weights(&k), a.angle = wild_upload_angles(&k), a.level = next.level;
        a.limit = SDD_LIMIT, a.out = launch_out(3 * next.V, 4), a.normal = launch_out(3 * next.V, 4);
        LEVEL(loop_finish, loop_follow, a, f, next.V, now);
        if (next.level > 1)
            compare(&k, next.level - 1, &before, &now);
        said_free(&before);
        before = now;
        free(from);
    }
    said_free(&before);
    loop_fini(&w);
    wild_case_fini(&k);
}

static void say(void)
{
    print_message("%lld limits, %lld of them not where the masks of their level put them\n", (long long)n_compared,
                  (long long)n_followed);
    assert_true(n_followed > 100);
    n_compared = n_followed = 0;
}

static void test_quads(void **state)
{
    (void)state;
    poly_each(N_RANDOM, MOST_CORNERS, check_quads);
    say();
    soup_each(N_RANDOM, MOST_CORNERS, check_quads);
    print_message("%lld limits of meshes that are not manifold\n", (long long)n_compared);
}

static void test_triangles(void **state)
{
    (void)state;
    n_compared = n_followed = 0;
    loop_each(N_RANDOM, MOST_CORNERS, check_triangles);
    say();
    loop_each_odd(N_RANDOM, MOST_CORNERS, check_triangles);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_quads), cmocka_unit_test(test_triangles)};
    return LAUNCH_GROUP("mm_follow and loop_follow", tests);
}
