/* SPDX-License-Identifier: Apache-2.0 */
/* Oracles of the kernels behind sdd_patches (patch_case.h), on shapes, random meshes and soups: patch_vertices,
 * patch_corners, patch_first, patch_children, patch_split, patch_keys, patch_corner_keys, patch_locations,
 * patch_rows, patch_faces; and of the points: patch_gather, patch_points, patch_limits. Laws: a vertex is regular on an
 * explicit level exactly from the level that the control mesh tells; keys sort as rows do. */
#include "tests/kernels/launch.h"
#include "gpu/levels/level_follow.ks.h"
#include "gpu/patches/kernels/patch_follow.k.h"
#include "gpu/patches/kernels/patch_children.k.h"
#include "gpu/patches/kernels/patch_corner_keys.k.h"
#include "gpu/patches/kernels/patch_corners.k.h"
#include "gpu/patches/kernels/patch_faces.k.h"
#include "gpu/patches/kernels/patch_first.k.h"
#include "gpu/patches/kernels/patch_gather.k.h"
#include "gpu/patches/kernels/patch_keys.k.h"
#include "gpu/patches/kernels/patch_limits.k.h"
#include "gpu/patches/kernels/patch_locations.k.h"
#include "gpu/patches/patch_points.k.h"
#include "gpu/patches/kernels/patch_rows.k.h"
#include "gpu/patches/kernels/patch_split.k.h"
#include "gpu/patches/kernels/patch_vertices.k.h"
#include "tests/kernels/patches/patch_case.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N_RANDOM 60
#define N_SOUPS 150
#define MOST_CORNERS 300
#define BASE 1000 /* the row of a level's first point */

struct common { /* of a control mesh, for all its levels */
    int32_t *regular;
    unsigned char *hole;
    uint32_t *visible;
    int64_t n_visible;
    uint64_t random;
};

/* ---- the control mesh ------------------------------------------------------------------------------------------ */
static void check_control(const struct patch_case *c, const struct common *m)
{
    const struct brute *b = &c->k->b;
    for (int no_arrays = 0; no_arrays < 2; no_arrays++) {
        struct patch_vertices_args a = {wild_upload(c->k, no_arrays), launch_out(b->V, 4)};
        LAUNCH(patch_vertices, &a, b->V);
        launch_same(a.regular, m->regular, "regular");
        launch_end();
    }
    int32_t *patch = xalloc(b->C, 4), *split = xalloc(b->C, 4);
    uint32_t *list = xalloc(b->C, 4);
    uint64_t *cell = xalloc(b->C, 8);
    int64_t n = 0;
    for (int32_t f = 0; f < b->F; f++)
        for (int32_t k = c->w->first[f]; k < c->w->first[f + 1]; k++) {
            split[k] = patch_is_split(c, f);
            patch[k] = !split[k] && !m->hole[f] && k == c->w->first[f];
            if (!split[k])
                continue;
            int32_t first = c->w->first[f];
            cell[n] = c->w->first[f + 1] - first == 4 ? 4 * (uint64_t)first + (uint64_t)(k - first) : 4 * (uint64_t)k;
            list[n++] = (uint32_t)k;
        }
    struct patch_corners_args corners = {patch_upload(c, m->regular, m->visible, m->n_visible), launch_out(b->C, 4),
                                         launch_out(b->C, 4)};
    LAUNCH(patch_corners, &corners, b->C);
    launch_same(corners.patch, patch, "patch");
    launch_same(corners.split, split, "split");
    launch_end();
    struct patch_first_args first = {wild_upload(c->k, 1), launch_in(list, n, 4), launch_out(n, 8)};
    LAUNCH(patch_first, &first, n);
    launch_same(first.cell, cell, "cell");
    launch_end();
    free(patch), free(split), free(list), free(cell);
}

/* ---- a level --------------------------------------------------------------------------------------------------- */
static int is_visible(const struct patch_case *c, const struct common *m, int32_t f)
{
    return !m->hole[c->w->level ? c->k->b.face[c->w->home[f]] : (uint32_t)f];
}

static void check_split(const struct patch_case *c, const struct common *m)
{
    const int64_t F = c->w->F;
    int32_t *patch = xalloc(F, 4), *split = xalloc(F, 4);
    for (int last = 0; last < 2; last++) {
        for (int32_t f = 0; f < F; f++) {
            int is = patch_is_split(c, f), visible = is_visible(c, m, f);
            split[f] = is && (visible || !last);
            patch[f] = !is && visible;
        }
        struct patch_split_args a = {.features = patch_upload(c, m->regular, m->visible, m->n_visible)};
        a.cell = launch_in(c->cell, F, 8), a.patch = launch_out(F, 4), a.split = launch_out(F, 4);
        a.level = c->w->level, a.last = last;
        LAUNCH(patch_split, &a, F);
        launch_same(a.patch, patch, "patch");
        launch_same(a.split, split, "split");
        launch_end();
    }
    free(patch), free(split);
}

static void check_keys(const struct patch_case *c, const struct common *m)
{
    const struct wild *w = c->w;
    const int64_t F = w->F;
    uint64_t *key = xalloc(16 * F, 8), *corner = xalloc(4 * F, 8);
    uint32_t *list = xalloc(F, 4);
    int32_t *value = xalloc(16 * F, 4);
    for (int32_t i = 0; i < 16 * F; i++)
        value[i] = i;
    for (int bare = 0; bare < 2; bare++) {
        for (int32_t f = 0; f < F; f++) {
            int32_t vertex[16];
            (void)patch_square(c, f, vertex);
            list[f] = (uint32_t)((f * 7 + 3) % F);
            for (int i = 0; i < 16; i++) {
                int32_t own = w->vert[w->first[f] + (c->lead[f] - w->first[f] + i) % 4];
                key[16 * f + i] = c->number[bare && patch_is_split(c, f) ? own : vertex[i]];
            }
        }
        struct patch_keys_args a = {.features = patch_upload(c, m->regular, NULL, 1)};
        a.cell = launch_in(c->cell, F, 8), a.key = launch_out(16 * F, 8), a.value = launch_out(16 * F, 4);
        a.level = w->level, a.bare = bare;
        LAUNCH(patch_keys, &a, F);
        launch_same(a.key, key, "key");
        launch_same(a.value, value, "value");
        launch_end();
    }
    for (int32_t k = 0; k < 4 * F; k++) {
        int32_t f = (int32_t)list[k / 4];
        corner[k] = c->number[w->vert[w->first[f] + (c->lead[f] - w->first[f] + k) % 4]];
    }
    struct patch_corner_keys_args a = {wild_upload(c->k, 1), launch_in(c->cell, F, 8), launch_in(list, F, 4),
                                       launch_out(4 * F, 8), launch_out(4 * F, 4),     w->level};
    LAUNCH(patch_corner_keys, &a, F);
    launch_same(a.key, corner, "key");
    launch_same(a.value, value, "value");
    launch_end();
    free(key), free(corner), free(list), free(value);
}

/* ---- rows ------------------------------------------------------------------------------------------------------ */
/* All keys of a level: they sort as rows do. */
static uint64_t *all_keys(const struct patch_case *c)
{
    uint64_t *key = xalloc(c->w->V, 8);
    for (int64_t v = 0; v < c->w->V; v++)
        key[c->w->row[v]] = c->number[v];
    for (int64_t i = 1; i < c->w->V; i++)
        assert_true(key[i - 1] < key[i]);
    return key;
}

static struct sdd_quad param_of(const struct patch_case *c, int32_t f, uint32_t flags)
{
    const struct brute *b = &c->k->b;
    int level = c->w->level;
    uint32_t base = (uint32_t)(c->cell[f] >> (2 * level)), parent = b->face[base], u = 0, v = 0;
    int32_t first = parent ? b->end[parent - 1] : 0;
    for (int bit = 0; bit < level; bit++) {
        u |= (uint32_t)(c->cell[f] >> (2 * bit) & 1) << bit;
        v |= (uint32_t)(c->cell[f] >> (2 * bit + 1) & 1) << bit;
    }
    return (struct sdd_quad){{parent, base - (uint32_t)first, u | v << 16,
                              flags | (uint32_t)level | (b->end[parent] - first == 4 ? 0 : SDD_PATCH_OF_POLYGON)}};
}

/* Places at random: the kernels only pass them on. */
static uint32_t *random_places(int64_t n, uint64_t *random)
{
    uint32_t *place = xalloc(n, 4);
    for (int64_t i = 0; i < n; i++)
        place[i] = (uint32_t)random_below(random, 1 << 20);
    return place;
}

static void check_rows(const struct patch_case *c, struct common *m, int last)
{
    const struct wild *w = c->w;
    uint32_t *list = xalloc(w->F, 4), *place = random_places(16 * w->F, &m->random);
    struct sdd_quad *patch = xalloc(4 * w->F, 16), *param = xalloc(w->F, 16);
    int64_t n = 0;
    for (int32_t f = 0; f < w->F; f++) {
        int32_t vertex[16];
        if (patch_is_split(c, f))
            continue;
        uint32_t flags = (uint32_t)patch_square(c, f, vertex) << 4;
        for (int i = 0; i < 4; i++) {
            int32_t beside = patch_neighbour(c, f, i);
            if (beside >= 0 && !last && patch_is_split(c, beside) && is_visible(c, m, beside))
                flags |= SDD_PATCH_TRANSITION << i;
        }
        for (int i = 0; i < 16; i++)
            patch[4 * n + i / 4].v[i % 4] = w->level ? BASE + place[16 * f + i] : (uint32_t)vertex[i];
        param[n] = param_of(c, f, flags);
        list[n++] = w->level ? (uint32_t)f : (uint32_t)c->cell[f];
    }
    struct patch_rows_args a = {.features = patch_upload(c, m->regular, m->visible, m->n_visible)};
    a.cell = w->level ? launch_in(c->cell, w->F, 8) : NULL,
    a.location = w->level ? launch_in(place, 16 * w->F, 4) : NULL;
    a.list = launch_in(list, n, 4), a.patch = launch_out(4 * n, 16), a.param = launch_out(n, 16);
    a.base = BASE, a.level = w->level, a.last = last;
    LAUNCH(patch_rows, &a, n);
    launch_same(a.patch, patch, "patch");
    launch_same(a.param, param, "param");
    launch_end();
    free(list), free(place), free(patch), free(param);
}

static void check_faces(const struct patch_case *c, struct common *m, int limits)
{
    const struct wild *w = c->w;
    uint32_t *list = xalloc(w->F, 4), *place = random_places(16 * w->F, &m->random);
    struct sdd_quad *index = xalloc(w->F, 16), *param = xalloc(w->F, 16);
    for (int32_t i = 0; i < w->F; i++) {
        int32_t f = (int32_t)w->F - 1 - i;
        list[i] = (uint32_t)f;
        for (int k = 0; k < 4; k++)
            index[i].v[k] = BASE + place[(limits ? 4 * i : 16 * f) + k];
        param[i] = param_of(c, f, 0);
    }
    struct patch_faces_args a = {.mesh = wild_upload(c->k, 1), .cell = launch_in(c->cell, w->F, 8)};
    a.location = launch_in(place, (limits ? 4 : 16) * w->F, 4), a.list = launch_in(list, w->F, 4);
    a.index = launch_out(w->F, 16), a.param = launch_out(w->F, 16);
    a.base = BASE, a.level = w->level, a.limits = limits;
    LAUNCH(patch_faces, &a, w->F);
    launch_same(a.index, index, "index");
    launch_same(a.param, param, "param");
    launch_end();
    free(list), free(place), free(index), free(param);
}

/* ---- points ---------------------------------------------------------------------------------------------------- */
static void near(const struct patch_case *c, const char *kernel, const float *got, const double *want, int64_t row)
{
    for (int x = 0; x < 3; x++)
        if (!(fabs((double)got[x] - want[x]) <= 1e-6 * c->k->magnitude))
            fail_msg("%s level %d: %s: point %lld is (%.9g, %.9g, %.9g), not (%.9g, %.9g, %.9g)", launch_case(),
                     c->w->level, kernel, (long long)row, (double)got[0], (double)got[1], (double)got[2], want[0],
                     want[1], want[2]);
}

/* About every third point of the next level. */
static void check_points(const struct patch_case *c, const struct patch_case *next)
{
    const struct wild *w = c->w, *to = next->w;
    uint64_t *key = all_keys(c), *to_key = xalloc(to->V, 8);
    float *from = wild_points(w);
    int32_t *vertex = xalloc(to->V, 4);
    int64_t n = 0;
    for (int32_t v = 0; v < to->V; v += 1 + v % 4)
        vertex[n] = v, to_key[n++] = next->number[v];
    struct patch_points_args a = {.mesh = wild_upload(c->k, 1), .key = launch_in(key, w->V, 8)};
    a.from = launch_in(from, 3 * w->V, 4), a.to_key = launch_in(to_key, n, 8), a.to = launch_out(3 * n, 4);
    a.n_from = (uint32_t)w->V, a.level = w->level;
    LAUNCH(patch_points, &a, n);
    for (int64_t i = 0; i < n; i++)
        near(c, "patch_points", (const float *)launch_got(a.to) + 3 * i, to->p + 3 * (int64_t)vertex[i], i);
    launch_end();
    free(key), free(to_key), free(from), free(vertex);
}

/* patch_follow makes the bits of mm_follow, over what patch_limits left. */
static void check_follow(const struct patch_case *c, const struct patch_limits_args *of, const float *from)
{
    const struct wild *w = c->w;
    const uint32_t stride = (uint32_t)(2 * wild_most(c->k));
    struct sdd_limit_rings rings = {launch_out((int64_t)3 * stride, sizeof(struct sdd_spoke)), 3, stride};
    struct patch_follow_args a = {*of, rings, w->V};
    struct mm_finish_args finish = {.mesh = of->mesh, .from = launch_in(from, 3 * w->V, 4), .level = w->level};
    struct mm_follow_args same = {.follow = {rings, NULL, sdd_xyz(), (uint32_t)w->V, (uint32_t)c->k->b.V}};
    finish.out = launch_out(3 * w->V, 4), finish.limit = a.limits.limit = SDD_LIMIT;
    same.finish = finish;
    LAUNCH(patch_limits, &a.limits, w->V);
    LAUNCH(mm_finish, &finish, w->V);
    LAUNCH(patch_follow, &a, 3);
    LAUNCH(mm_follow, &same, 3);
    const float *got = launch_got(of->to), *want = launch_got(finish.out);
    for (int64_t v = 0; v < w->V; v++)
        assert_memory_equal(got + 3 * v, want + 3 * w->row[v], 3 * sizeof *got);
    (void)launch_got(rings.spoke);
}

static void check_limits(const struct patch_case *c)
{
    const struct wild *w = c->w;
    uint64_t *key = all_keys(c);
    float *from = wild_points(w);
    struct wild_limits limits;
    wild_limits(c->k, w, &limits);
    struct patch_limits_args a = {.mesh = wild_upload(c->k, 1), .key = launch_in(key, w->V, 8)};
    a.from = launch_in(from, 3 * w->V, 4), a.to_key = launch_in(c->number, w->V, 8), a.to = launch_out(3 * w->V, 4);
    a.n_from = (uint32_t)w->V, a.level = w->level, a.limit = SDD_LIMIT_AT_LEVEL;
    LAUNCH(patch_limits, &a, w->V);
    for (int64_t v = 0; v < w->V; v++)
        near(c, "patch_limits", (const float *)launch_got(a.to) + 3 * v, limits.p + 3 * v, v);
    check_follow(c, &a, from);
    launch_end();
    free(key), free(from), free(limits.p), free(limits.normal), free(limits.normal_ok);
}

static void check_mesh(const struct poly *p)
{
    struct wild_case k;
    struct wild w, next;
    struct patch_case c, to;
    wild_case_init(&k, p, 0);
    wild_control(&k, &w);
    patch_case_init(&c, &k, &w);
    struct common m = {xalloc(k.b.V, 4), xalloc(k.b.F, 1), xalloc(k.b.C, 4), 0, (uint64_t)p->desc.n_corners + 77};
    patch_levels(&c, m.regular);
    m.n_visible = patch_holes(&c, &m.random, m.hole, m.visible);
    check_control(&c, &m);
    check_rows(&c, &m, 0);
    for (int level = 1; level <= (p->desc.n_corners <= 60 ? 3 : 2); level++) {
        wild_next(&k, &w, &next);
        patch_case_init(&to, &k, &next);
        if (level > 1)
            check_points(&c, &to);
        for (int32_t v = 0; v < k.b.V; v++)
            if (k.b.valence[v] > 0 && to.regular[v] != (m.regular[v] <= level))
                fail_msg("%s: vertex %d is regular from level %d, on level %d: %d", launch_case(), v, m.regular[v],
                         level, to.regular[v]);
        patch_case_fini(&c), wild_fini(&w);
        w = next, c = to, c.w = &w;
        check_split(&c, &m);
        check_keys(&c, &m);
        check_rows(&c, &m, level == 2);
        check_faces(&c, &m, level & 1);
        check_limits(&c);
    }
    patch_case_fini(&c), wild_fini(&w), wild_case_fini(&k);
    free(m.regular), free(m.hole), free(m.visible);
}

static void test_shapes(void **state)
{
    (void)state, poly_each(N_RANDOM, MOST_CORNERS, check_mesh);
}

static void test_odd(void **state)
{
    (void)state, soup_each(N_SOUPS, MOST_CORNERS, check_mesh);
}

/* ---- lists ----------------------------------------------------------------------------------------------------- */
static void test_lists(void **state)
{
    uint64_t random = 5, key[500], child[2000];
    int32_t rank[500], n = 0;
    uint32_t list[500];
    float from[3 * 500], to[3 * 500];
    (void)state;
    launch_say("lists");
    for (int i = 0; i < 500; i++) {
        key[i] = (uint64_t)i << 41 | random_next(&random);
        list[i] = (uint32_t)random_below(&random, 500);
        rank[i] = n += random_below(&random, 3) == 0;
        for (int x = 0; x < 3; x++)
            from[3 * i + x] = random_unit(&random);
    }
    for (int i = 0; i < 2000; i++)
        child[i] = 4 * key[list[i / 4]] + (uint64_t)(i % 4);
    struct patch_children_args children = {launch_in(key, 500, 8), launch_in(list, 500, 4), launch_out(2000, 8)};
    LAUNCH(patch_children, &children, 2000);
    launch_same(children.child, child, "child");
    int32_t value[500];
    uint32_t place[500];
    for (int i = 0; i < 500; i++) {
        value[i] = i * 7 % 500; /* each once */
        place[value[i]] = (uint32_t)rank[i] - 1;
    }
    struct patch_locations_args places = {launch_in(value, 500, 4), launch_in(rank, 500, 4), launch_out(500, 4)};
    LAUNCH(patch_locations, &places, 500);
    launch_same(places.location, place, "place");
    for (int i = 0; i < 500; i++) {
        key[i] = list[i];
        memcpy(to + 3 * i, from + 3 * list[i], 12);
    }
    struct patch_gather_args gather = {launch_in(key, 500, 8), launch_in(from, 1500, 4), launch_out(1500, 4)};
    LAUNCH(patch_gather, &gather, 500);
    launch_same(gather.to, to, "to");
    launch_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shapes), cmocka_unit_test(test_odd),
                                       cmocka_unit_test(test_lists)};
    return LAUNCH_GROUP("patches", tests);
}
