/* SPDX-License-Identifier: Apache-2.0 */
/* Oracles of the kernels that join faces: edge_keys, run_heads, edge_ids, edge_twins, vertex_fan. Each gets
 * the oracle's arrays (brute.h), so no kernel is judged by another one's output. Meshes: the shapes, random ones, both
 * with edges and vertices spoiled, shapes that are not manifold and soups (nonmanifold.h). */
#include "tests/kernels/faces.h"
#include "tests/kernels/launch.h"
#include "gpu/mesh/kernels/edge_ids.k.h"
#include "gpu/mesh/kernels/edge_keys.k.h"
#include "gpu/mesh/kernels/edge_twins.k.h"
#include "gpu/mesh/isolated_flags.k.h"
#include "gpu/kernel/run_heads.k.h"
#include "gpu/mesh/kernels/vertex_fan.k.h"
#include "tests/kernels/nonmanifold.h"
#include <stdlib.h>
#include <string.h>

#define N_RANDOM 200
#define ALL_CORNERS 100000

/* ---- edges ----------------------------------------------------------------------------------------------------- */
struct edges { /* what a sort makes of edge_keys */
    uint64_t *key;
    int32_t *corner, *head, *id;
};

static struct edges edges_of(const struct brute *b, int bits)
{
    struct edges e = {xalloc(b->C, 8), xalloc(b->C, 4), xalloc(b->C, 4), xalloc(b->C, 4)};
    for (int64_t i = 0; i < b->C; i++) {
        e.key[i] = ((uint64_t)b->half[i].low << bits) + b->half[i].high;
        e.corner[i] = b->half[i].corner;
        e.id[i] = (int32_t)b->edge[e.corner[i]] + 1;
        e.head[i] = b->edge_corner[b->edge[e.corner[i]]] == (uint32_t)e.corner[i];
    }
    return e;
}

static void edges_free(struct edges *e)
{
    free(e->key), free(e->corner), free(e->head), free(e->id);
}

static void check_keys(const struct brute *b, int bits)
{
    struct edges e = edges_of(b, bits);
    uint64_t *key = xalloc(b->C, sizeof *key);
    int32_t *value = xalloc(b->C, sizeof *value);
    for (int64_t i = 0; i < b->C; i++) {
        key[e.corner[i]] = e.key[i];
        value[i] = (int32_t)i;
    }
    struct edge_keys_args a = {.vert = launch_in(b->vert, b->C, 4), .faces = faces_in(b, b->C)};
    a.key = launch_out(b->C, 8), a.value = launch_out(b->C, 4), a.bits = bits;
    LAUNCH(edge_keys, &a, b->C);
    launch_same(a.key, key, "key");
    launch_same(a.value, value, "value");
    launch_end();
    free(key), free(value);
    edges_free(&e);
}

/* Bad edges have no twins and are no boundaries. */
static void check_twins(const struct brute *b)
{
    struct edges e = edges_of(b, 32);
    int32_t *boundary = xalloc(b->C, sizeof *boundary);
    for (int64_t c = 0; c < b->C; c++)
        boundary[c] = b->real_twin[c] == BRUTE_NONE && !b->bad_edge[c];
    struct edge_twins_args a = {.key = launch_in(e.key, b->C, 8), .corner = launch_in(e.corner, b->C, 4)};
    a.vert = launch_in(b->vert, b->C, 4), a.faces = faces_in(b, b->C), a.n_corners = b->C;
    a.twin = launch_out(b->C, 4), a.boundary = launch_out(b->C, 4), a.error = launch_error();
    LAUNCH(edge_twins, &a, b->C);
    launch_word(a.error, (uint64_t)b->bad_corner, "error");
    launch_same(a.twin, b->real_twin, "twin");
    launch_same(a.boundary, boundary, "boundary");
    launch_end();
    free(boundary);
    edges_free(&e);
}

static void check_edges(const struct poly *p)
{
    struct brute b;
    brute_init(&b, &p->desc);
    struct edges e = edges_of(&b, 31);
    struct run_heads_args heads = {launch_in(e.key, b.C, 8), launch_out(b.C, 4)};
    LAUNCH(run_heads, &heads, b.C);
    launch_same(heads.flag, e.head, "flag");
    launch_end();
    struct edge_ids_args ids = {.id = launch_in(e.id, b.C, 4), .corner = launch_in(e.corner, b.C, 4)};
    ids.edge = launch_out(b.C, 4), ids.edge_corner = launch_out(b.E, 4);
    LAUNCH(edge_ids, &ids, b.C);
    launch_same(ids.edge, b.edge, "edge");
    launch_same(ids.edge_corner, b.edge_corner, "edge_corner");
    launch_end();
    edges_free(&e);
    int bits = 1;
    while (((int64_t)1 << bits) < b.V)
        bits++;
    check_keys(&b, bits);
    check_keys(&b, 32);
    check_twins(&b);
    brute_fini(&b);
}

static void test_edges(void **state)
{
    (void)state, poly_each(N_RANDOM, ALL_CORNERS, check_edges);
}

/* A random face once more, or two: the same way round (edges of two faces in one direction, of three and four)
 * or the other way (edges of three faces). */
static void check_bad_edges(const struct poly *p)
{
    uint64_t r = (uint64_t)p->desc.n_corners + 5;
    for (int k = 0; k < 4; k++) {
        struct sdd_mesh_desc d = p->desc;
        int32_t *counts = xalloc(d.n_faces + 2, 4), *vertices = xalloc(3 * d.n_corners, 4);
        memcpy(counts, d.face_counts, (size_t)d.n_faces * 4);
        memcpy(vertices, d.face_vertices, (size_t)d.n_corners * 4);
        for (int times = 0; times < 1 + k / 2; times++) {
            int32_t f = random_below(&r, p->desc.n_faces), first = 0, n = counts[f];
            for (int32_t i = 0; i < f; i++)
                first += counts[i];
            for (int32_t i = 0; i < n; i++)
                vertices[d.n_corners + i] = vertices[first + (k % 2 ? n - 1 - i : i)];
            counts[d.n_faces++] = n;
            d.n_corners += n;
        }
        struct brute b;
        d.face_counts = counts, d.face_vertices = vertices, d.n_uvs = d.n_creases = d.n_corner_tags = d.n_holes = 0;
        brute_init(&b, &d);
        check_twins(&b);
        brute_fini(&b);
        free(counts), free(vertices);
    }
}

static void test_bad_edges(void **state)
{
    (void)state, poly_each(N_RANDOM, 280, check_bad_edges);
}

/* One face that uses an edge twice, in the same direction or not, or three times, or has edges with
 * equal ends; alone, and with one neighbour and two. */
static void test_edges_of_one_face(void **state)
{
    static const int32_t faces[][6] = {{0, 1, 0, 1, 2, 3}, {0, 1, 0, 2, 2, 1}, {0, 1, 0, 1, 0, 1}, {0, 0, 1, 2, 1, 0},
                                       {0, 0, 0, 0, 0, 0}, {3, 0, 2, 5, 2, 1}, {2, 2, 2, 1, 0, 1}};
    static const int32_t counts[] = {6, 3, 3};
    static const uint64_t bad[] = {0, 0, 0, 0, 0, 2, 0};
    (void)state;
    for (size_t i = 0; i < 7 * 3; i++) {
        int32_t vertices[12] = {0, 0, 0, 0, 0, 0, 1, 0, 4, 0, 1, 5};
        struct sdd_mesh_desc d = {.n_vertices = 6, .n_faces = 1 + (int64_t)(i % 3), .face_counts = counts};
        struct brute b;
        memcpy(vertices, faces[i / 3], sizeof faces[0]);
        d.n_corners = 3 + 3 * d.n_faces, d.face_vertices = vertices;
        launch_say("face %zu, %zu neighbours", i / 3, i % 3);
        brute_init(&b, &d);
        assert_int_equal(b.bad_corner, bad[i / 3]);
        check_twins(&b);
        brute_fini(&b);
    }
}

/* ---- fans ------------------------------------------------------------------------------------------------------ */
static void check_fans(const struct brute *b)
{
    int32_t *isolated = xalloc(b->V, sizeof *isolated), *edges = xalloc(b->V, sizeof *edges);
    uint64_t most = LAUNCH_NO_ERROR;
    for (int64_t c = 0; c < b->C; c++) { /* an edge leaves a vertex once, and ends there unseen on a boundary */
        edges[b->vert[c]]++;
        if (b->real_twin[c] == BRUTE_NONE)
            edges[b->vert[b->next[c]]]++;
    }
    for (int64_t v = 0; v < b->V; v++) {
        uint64_t mine = (0xffffffffu - (uint64_t)edges[v]) << 32 | (uint64_t)v;
        isolated[v] = b->valence[v] == 0;
        if (edges[v] > 0 && mine < most)
            most = mine;
    }
    struct vertex_fan_args a = {.begin = launch_in(b->vert_begin, b->V, 4), .end = launch_in(b->vert_end, b->V, 4)};
    a.twin = launch_in(b->real_twin, b->C, 4), a.faces = faces_in(b, b->C);
    a.corner = launch_in(b->vert_corner, b->C, 4);
    a.fan_error = launch_error(), a.most_edges = launch_error();
    LAUNCH(vertex_fan, &a, b->V);
    launch_word(a.fan_error, (uint64_t)b->bad_vertex, "fan_error");
    if (b->bad_vertex < 0)
        launch_word(a.most_edges, most, "most_edges");
    else
        (void)launch_got(a.most_edges);
    struct isolated_flags_args flags = {a.begin, a.end, launch_out(b->V, 4)};
    LAUNCH(isolated_flags, &flags, b->V);
    launch_same(flags.flag, isolated, "isolated");
    launch_end();
    free(isolated), free(edges);
}

static void check_good_fans(const struct poly *p)
{
    struct brute b;
    brute_init(&b, &p->desc);
    assert_true(b.bad_vertex < 0);
    check_fans(&b);
    brute_fini(&b);
}

static void test_fans(void **state)
{
    (void)state, poly_each(N_RANDOM, ALL_CORNERS, check_good_fans);
}

static int64_t n_bow_ties;

/* Two vertices of a good mesh become one. Where no edge suffers that is a bow-tie: of two closed fans, two
 * open ones, or one of each. */
static void check_bow_ties(const struct poly *p)
{
    uint64_t r = (uint64_t)p->desc.n_corners * 3 + 1;
    int32_t *vertices = xalloc(p->desc.n_corners, sizeof *vertices);
    for (int k = 0; k < 6; k++) {
        struct sdd_mesh_desc d = p->desc;
        struct brute b;
        int32_t u = random_below(&r, d.n_vertices), v = random_below(&r, d.n_vertices);
        for (int64_t c = 0; c < d.n_corners; c++)
            vertices[c] = d.face_vertices[c] == u ? v : d.face_vertices[c];
        d.face_vertices = vertices, d.n_creases = 0;
        brute_init(&b, &d);
        if (b.bad_repeat < 0 && b.bad_corner < 0) { /* what vertex_fan needs */
            n_bow_ties += b.bad_vertex >= 0;
            check_fans(&b);
        }
        brute_fini(&b);
    }
    free(vertices);
}

static void test_bow_ties(void **state)
{
    (void)state;
    n_bow_ties = 0;
    poly_each(N_RANDOM, 300, check_bow_ties);
    assert_true(n_bow_ties > 200);
}

/* Fans end, and are counted, whatever the edges are like: there they have no twins. */
static void check_odd(const struct poly *p)
{
    struct brute b;
    brute_init(&b, &p->desc);
    check_twins(&b);
    check_fans(&b);
    brute_fini(&b);
}

static void test_odd(void **state)
{
    (void)state, soup_each(2 * N_RANDOM, ALL_CORNERS, check_odd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edges), cmocka_unit_test(test_bad_edges), cmocka_unit_test(test_edges_of_one_face),
        cmocka_unit_test(test_fans),  cmocka_unit_test(test_bow_ties),  cmocka_unit_test(test_odd),
    };
    return LAUNCH_GROUP("kernels of edges and fans", tests);
}
