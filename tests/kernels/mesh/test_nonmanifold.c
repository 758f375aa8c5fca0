/* SPDX-License-Identifier: Apache-2.0 */
/* Oracles of the kernels that meshes which are not manifold need: nonmanifold_split_flags, nonmanifold_split_edges,
 * nonmanifold_vertices, open_*, and edge_implicit with kinds. Each gets the oracle's arrays (nonmanifold.h), so no
 * kernel is judged by another one's output. Meshes: shapes that are not manifold, soups, and manifold ones, where
 * nothing is apart. */
#include "tests/kernels/faces.h"
#include "tests/kernels/launch.h"
#include "gpu/mesh/kernels/nonmanifold_split_flags.k.h"
#include "gpu/mesh/kernels/edge_implicit.k.h"
#include "gpu/mesh/kernels/nonmanifold_split_edges.k.h"
#include "gpu/mesh/kernels/open_flags.k.h"
#include "gpu/mesh/kernels/open_twins.k.h"
#include "gpu/mesh/kernels/nonmanifold_vertices.k.h"
#include "tests/kernels/nonmanifold.h"
#include <stdlib.h>
#include <string.h>

#define N_RANDOM 600
#define ALL_CORNERS 100000

static int64_t n_own, n_odd_edges, n_odd_vertices, n_creases, n_back; /* what the oracle has met */

static const int32_t *upload_corners(const struct brute *b)
{
    int32_t *corner = xalloc(b->C, sizeof *corner);
    for (int64_t i = 0; i < b->C; i++)
        corner[i] = b->half[i].corner;
    const int32_t *device = launch_in(corner, b->C, sizeof *corner);
    free(corner);
    return device;
}

static void check_flags(const struct brute *b, const struct odd *o)
{
    struct nonmanifold_split_flags_args a = {.corner = upload_corners(b), .run = launch_in(o->run, b->C, 4)};
    a.vert = launch_in(b->vert, b->C, 4), a.faces = faces_in(b, b->C);
    a.flag = launch_out(b->C, 4), a.run_first = launch_out(o->n_runs, 4);
    LAUNCH(nonmanifold_split_flags, &a, b->C);
    launch_same(a.flag, o->own, "flag");
    launch_same(a.run_first, o->run_first, "run_first");
    launch_end();
}

static void check_apart(const struct brute *b, const struct odd *o)
{
    int32_t *apart = xalloc(b->C, sizeof *apart), sum = 0;
    for (int64_t i = 0; i < b->C; i++)
        apart[i] = sum += o->own[i];
    assert_int_equal(o->E, o->n_runs + sum);
    struct nonmanifold_split_edges_args a = {.corner = upload_corners(b), .run = launch_in(o->run, b->C, 4)};
    a.apart = launch_in(apart, b->C, 4), a.run_first = launch_in(o->run_first, o->n_runs, 4);
    a.vert = launch_in(b->vert, b->C, 4), a.faces = faces_in(b, b->C);
    a.edge = launch_out(b->C, 4), a.edge_corner = launch_out(o->E, 4), a.kind = launch_out(o->E, 4);
    a.n_corners = b->C, a.n_runs = (int32_t)o->n_runs;
    LAUNCH(nonmanifold_split_edges, &a, b->C);
    launch_same(a.edge, o->edge, "edge");
    launch_same(a.edge_corner, o->edge_corner, "edge_corner");
    launch_same(a.kind, o->kind, "kind");
    launch_end();
    free(apart);
    n_own += sum;
}

/* Vertices that are manifold keep their sharpness, and so do interior creases, but under scheme sqrt3 (all). */
static void check_vertices(const struct brute *b, const struct odd *o, int all, uint64_t *r)
{
    float *sharp = xalloc(b->V, sizeof *sharp);
    uint64_t most = LAUNCH_NO_ERROR;
    for (int64_t v = 0; v < b->V; v++)
        sharp[v] = random_unit(r) * 3;
    struct nonmanifold_vertices_args a = {.begin = launch_in(b->vert_begin, b->V, 4),
                                          .end = launch_in(b->vert_end, b->V, 4)};
    a.edge = launch_in(o->edge, b->C, 4), a.twin = launch_in(b->real_twin, b->C, 4);
    a.faces = faces_in(b, b->C);
    a.edge_corner = launch_in(o->edge_corner, o->E, 4), a.kind = launch_in(o->kind, o->E, 4);
    a.corner = launch_in(b->vert_corner, b->C, 4);
    a.vert_sharp = launch_inout(sharp, b->V, 4), a.most_edges = launch_error(), a.all = all;
    for (int64_t v = 0; v < b->V; v++) {
        uint64_t mine = (0xffffffffu - (uint64_t)o->n_edges[v]) << 32 | (uint64_t)v;
        if (!o->vertex[v] || b->valence[v] == 0)
            continue;
        most = mine < most ? mine : most;
        sharp[v] = o->crease[v] && !all ? sharp[v] : 10.0f;
        n_odd_vertices++;
        n_creases += o->crease[v];
        n_back += o->coming_back[v];
    }
    LAUNCH(nonmanifold_vertices, &a, b->V);
    launch_same(a.vert_sharp, sharp, "vert_sharp");
    launch_word(a.most_edges, most, "most_edges");
    launch_end();
    free(sharp);
}

/* Edges without twins become sharp; only those of one face make their ends soft, if nobody made them sharp. */
static void check_implicit(const struct brute *b, const struct odd *o, int with_soft, uint64_t *r)
{
    const float all[] = {0, 0.5f, 2, 9.9999990f, 10};
    float *sharp = xalloc(o->E, sizeof *sharp);
    uint32_t *soft = xalloc(b->V, sizeof *soft);
    for (int64_t e = 0; e < o->E; e++)
        sharp[e] = all[random_below(r, 5)];
    for (int64_t v = 0; v < b->V; v++)
        soft[v] = random_below(r, 20) == 0;
    struct edge_implicit_args a = {.edge_sharp = launch_inout(sharp, o->E, 4)};
    a.soft = with_soft ? launch_inout(soft, b->V, 4) : NULL;
    a.edge_corner = launch_in(o->edge_corner, o->E, 4), a.kind = launch_in(o->kind, o->E, 4);
    a.vert = launch_in(b->vert, b->C, 4), a.faces = faces_in(b, b->C);
    a.twin = launch_in(b->real_twin, b->C, 4), a.n_corners = (uint32_t)b->C;
    for (int64_t e = 0; e < o->E; e++) {
        uint32_t c = o->edge_corner[e];
        n_odd_edges += (o->kind[e] & WILD_NONMANIFOLD) != 0;
        if ((o->kind[e] & WILD_BOUNDARY) && sharp[e] < 10)
            soft[b->vert[c]] = soft[b->vert[b->next[c]]] = 1;
        if (o->kind[e])
            sharp[e] = 10;
    }
    LAUNCH(edge_implicit, &a, o->E);
    launch_same(a.edge_sharp, sharp, "edge_sharp");
    if (with_soft)
        launch_same(a.soft, soft, "soft");
    launch_end();
    free(sharp), free(soft);
}

/* Corners without a face across are numbered from C. */
static void check_open(const struct brute *b)
{
    int32_t *flag = xalloc(b->C, sizeof *flag), *rank = xalloc(b->C, sizeof *rank), n = 0;
    uint32_t *twin = xalloc(b->C, sizeof *twin);
    for (int64_t c = 0; c < b->C; c++) {
        flag[c] = b->real_twin[c] == BRUTE_NONE;
        rank[c] = n += flag[c];
        twin[c] = flag[c] ? (uint32_t)(b->C + n - 1) : b->real_twin[c];
    }
    struct open_flags_args flags = {.twin = launch_in(b->real_twin, b->C, 4), .flag = launch_out(b->C, 4)};
    LAUNCH(open_flags, &flags, b->C);
    launch_same(flags.flag, flag, "flag");
    launch_end();
    struct open_twins_args twins = {.rank = launch_in(rank, b->C, 4), .twin = launch_inout(b->real_twin, b->C, 4)};
    twins.n_corners = (uint32_t)b->C;
    LAUNCH(open_twins, &twins, b->C);
    launch_same(twins.twin, twin, "twin");
    launch_end();
    free(flag), free(rank), free(twin);
}

static void check_mesh(const struct poly *p)
{
    struct brute b;
    struct odd o;
    uint64_t r = (uint64_t)p->desc.n_corners * 7 + 3;
    brute_init(&b, &p->desc);
    odd_init(&o, &b, &p->desc);
    check_flags(&b, &o);
    check_apart(&b, &o);
    check_vertices(&b, &o, 0, &r);
    check_vertices(&b, &o, 1, &r);
    check_open(&b);
    check_implicit(&b, &o, 0, &r);
    check_implicit(&b, &o, 1, &r);
    odd_fini(&o);
    brute_fini(&b);
}

static void test_odd(void **state)
{
    (void)state;
    n_own = n_odd_edges = n_odd_vertices = n_creases = n_back = 0;
    soup_each(N_RANDOM, ALL_CORNERS, check_mesh);
    print_message("%lld edges apart, %lld odd; %lld odd vertices, %lld of them creases, at %lld fans come back\n",
                  (long long)n_own, (long long)n_odd_edges, (long long)n_odd_vertices, (long long)n_creases,
                  (long long)n_back);
    assert_true(n_own > 1000 && n_odd_edges > 1000 && n_odd_vertices > 1000 && n_creases > 20 && n_back > 20);
}

/* Nothing is apart or odd; kinds tell boundaries. */
static void check_manifold(const struct poly *p)
{
    int64_t before = n_own + n_odd_edges + n_odd_vertices;
    check_mesh(p);
    assert_int_equal(n_own + n_odd_edges + n_odd_vertices, before);
}

static void test_manifold(void **state)
{
    (void)state, poly_each(100, ALL_CORNERS, check_manifold);
}

/* k faces (0, 1, ..) around one edge: an edge of k faces, its ends of k + 1 edges. */
static void test_many_faces(void **state)
{
    static const int64_t sizes[] = {1, 2, 3, 4, 63, 1000, 5000};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
        int64_t k = sizes[i / 2];
        struct poly p = {.desc = {.n_vertices = k + 2, .n_faces = k, .n_corners = 3 * k}};
        int32_t *counts = xalloc(k, 4), *vertices = xalloc(3 * k, 4);
        struct brute b;
        struct odd o;
        for (int32_t f = 0; f < k; f++) {
            int turn = i % 2 && f % 2; /* every second face the other way round */
            counts[f] = 3;
            vertices[3 * f] = turn;
            vertices[3 * f + 1] = !turn;
            vertices[3 * f + 2] = f + 2;
        }
        p.desc.face_counts = counts, p.desc.face_vertices = vertices;
        launch_say("%lld faces at an edge, %zu", (long long)k, i % 2);
        check_mesh(&p);
        brute_init(&b, &p.desc);
        odd_init(&o, &b, &p.desc);
        assert_int_equal(o.E, 2 * k + 1);
        assert_int_equal(o.kind[0], k == 1 ? WILD_BOUNDARY : k == 2 && i % 2 ? 0 : WILD_NONMANIFOLD);
        assert_int_equal(o.n_edges[0], k + 1);
        odd_fini(&o);
        brute_fini(&b);
        free(counts), free(vertices);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_odd), cmocka_unit_test(test_manifold),
                                       cmocka_unit_test(test_many_faces)};
    return LAUNCH_GROUP("kernels of meshes that are not manifold", tests);
}
