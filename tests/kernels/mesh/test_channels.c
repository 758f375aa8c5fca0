/* SPDX-License-Identifier: Apache-2.0 */
/* Oracles of what smooth face-varying channels are built by: channel_keys, channel_extras, channel_split, channel_runs,
 * channel_twins, channel_edges, channel_values on random corners; channel_vertices on a cube of islands and at a vertex
 * of two values, where all is known (tests/oracle/test_options_osd and test_random_osd hold its rules against
 * OpenSubdiv). */
#include "tests/kernels/launch.h"
#include "gpu/mesh/kernels/channel_edges.k.h"
#include "gpu/mesh/kernels/channel_extras.k.h"
#include "gpu/mesh/kernels/channel_keys.k.h"
#include "gpu/mesh/kernels/channel_runs.k.h"
#include "gpu/mesh/kernels/channel_split.k.h"
#include "gpu/mesh/kernels/channel_twins.k.h"
#include "gpu/mesh/kernels/channel_values.k.h"
#include "gpu/mesh/kernels/channel_vertices.k.h"
#include "tests/kernels/wild.h"
#include <stdlib.h>
#include <string.h>

enum { MOST = 400, BITS = 9 };
struct corners { /* of a channel; sorted: by value, vertex and number */
    int32_t n, n_values, n_vertices, n_extra;
    uint32_t value[MOST], vert[MOST], sorted[MOST], row[MOST], extra_value[MOST];
    uint64_t key[MOST], sorted_key[MOST];
    int32_t flag[MOST], rank[MOST];
};
static const struct corners *sorting;

static int key_order(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (sorting->key[x] != sorting->key[y])
        return sorting->key[x] < sorting->key[y] ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* A row is new where neither the value's lowest vertex nor an earlier corner in the order has it. */
static void corners_of(struct corners *k, uint64_t seed)
{
    memset(k, 0, sizeof *k);
    k->n = 1 + random_below(&seed, MOST), k->n_values = 1 + random_below(&seed, 60);
    k->n_vertices = 1 + random_below(&seed, 1 << BITS);
    for (int32_t c = 0; c < k->n; c++) {
        k->value[c] = (uint32_t)random_below(&seed, k->n_values),
        k->vert[c] = (uint32_t)random_below(&seed, k->n_vertices);
        k->key[c] = (uint64_t)k->value[c] * (1 << BITS) + k->vert[c];
        k->sorted[c] = (uint32_t)c;
    }
    sorting = k;
    qsort(k->sorted, (size_t)k->n, sizeof *k->sorted, key_order);
    for (int32_t i = 0; i < k->n; i++) {
        uint32_t c = k->sorted[i], lowest = UINT32_MAX;
        for (int32_t d = 0; d < k->n; d++)
            if (k->value[d] == k->value[c] && k->vert[d] < lowest)
                lowest = k->vert[d];
        k->sorted_key[i] = k->key[c];
        k->flag[i] = k->vert[c] != lowest && (i == 0 || k->key[k->sorted[i - 1]] != k->key[c]);
        if (k->flag[i])
            k->extra_value[k->n_extra++] = k->value[c];
        k->rank[i] = k->n_extra;
        k->row[c] = k->vert[c] == lowest ? k->value[c] : (uint32_t)(k->n_values + k->n_extra - 1);
    }
}

static void check_sort(const struct corners *k)
{
    int32_t *number = xalloc(k->n, sizeof *number);
    for (int32_t c = 0; c < k->n; c++)
        number[c] = c;
    struct channel_keys_args keys = {launch_in(k->value, k->n, 4), launch_in(k->vert, k->n, 4), launch_out(k->n, 8),
                                     launch_out(k->n, 4), BITS};
    LAUNCH(channel_keys, &keys, k->n);
    launch_same(keys.key, k->key, "key"), launch_same(keys.corner, number, "corner");
    launch_end();
    free(number);
    struct channel_extras_args extras = {launch_in(k->sorted_key, k->n, 8), launch_out(k->n, 4), BITS};
    LAUNCH(channel_extras, &extras, k->n);
    launch_same(extras.flag, k->flag, "flag");
    launch_end();
    struct channel_split_args split = {.key = launch_in(k->sorted_key, k->n, 8),
                                       .corner = launch_in(k->sorted, k->n, 4),
                                       .rank = launch_in(k->rank, k->n, 4),
                                       .row = launch_inout(k->value, k->n, 4),
                                       .value = launch_out(k->n_extra + 1, 4),
                                       .n_values = (uint32_t)k->n_values,
                                       .bits = BITS};
    LAUNCH(channel_split, &split, k->n);
    launch_same(split.row, k->row, "row");
    assert_memory_equal(launch_got(split.value), k->extra_value, (size_t)k->n_extra * 4);
    launch_end();
}

static void check_runs(const struct corners *k)
{
    const int32_t rows = k->n_values + k->n_extra;
    uint32_t *zero = xalloc(rows, 4), *begin = xalloc(rows, 4), *end = xalloc(rows, 4);
    for (int32_t i = 0; i < k->n; i++) {
        uint32_t row = k->row[k->sorted[i]];
        begin[row] = end[row] ? begin[row] : (uint32_t)i, end[row] = (uint32_t)i + 1;
    }
    struct channel_runs_args runs = {launch_in(k->sorted, k->n, 4), launch_in(k->row, k->n, 4),
                                     launch_inout(zero, rows, 4), launch_inout(zero, rows, 4), k->n};
    LAUNCH(channel_runs, &runs, k->n);
    launch_same(runs.begin, begin, "begin"), launch_same(runs.end, end, "end");
    launch_end();
    float *p = xalloc(3 * rows, 4), *want = xalloc(3 * rows, 4);
    for (int32_t i = 0; i < 3 * rows; i++) {
        int32_t row = i / 3;
        p[i] = row < k->n_values ? (float)i : 0;
        want[i] = row < k->n_values ? p[i] : (float)(3 * (int32_t)k->extra_value[row - k->n_values] + i % 3);
    }
    struct channel_values_args values = {launch_in(k->extra_value, k->n_extra + 1, 4), launch_inout(p, 3 * rows, 4),
                                         k->n_values, 3};
    LAUNCH(channel_values, &values, k->n_extra);
    launch_same(values.p, want, "values");
    launch_end();
    free(zero), free(begin), free(end), free(p), free(want);
}

/* Twins of random pairs of corners; edges of the channel are their values, edges of the mesh their vertices. */
static void check_edges(const struct corners *k)
{
    uint32_t twin[MOST], want[MOST];
    float sharp[1 << BITS], edges[MOST];
    for (int32_t c = 0; c < k->n; c++)
        twin[c] = c % 3 == 0 || (c ^ 1) >= k->n ? SDD_NONE : (uint32_t)(c ^ 1);
    for (int32_t i = 0; i < 1 << BITS; i++)
        sharp[i] = (float)(i % 11);
    for (int32_t c = 0; c < k->n; c++) {
        want[c] = twin[c] == SDD_NONE || k->value[twin[c]] != k->value[c] ? SDD_NONE : twin[c];
        edges[c] = want[c] == SDD_NONE ? 10 : sharp[k->vert[c]];
    }
    struct channel_twins_args twins = {launch_in(twin, k->n, 4), launch_in(k->value, k->n, 4), launch_out(k->n, 4),
                                       (uint32_t)k->n};
    LAUNCH(channel_twins, &twins, k->n);
    launch_same(twins.out, want, "twin");
    launch_end();
    uint32_t *own = xalloc(k->n, 4);
    for (int32_t c = 0; c < k->n; c++)
        own[c] = (uint32_t)c;
    struct channel_edges_args each = {launch_in(own, k->n, 4), launch_in(want, k->n, 4), launch_in(k->vert, k->n, 4),
                                      launch_in(sharp, 1 << BITS, 4), launch_out(k->n, 4)};
    LAUNCH(channel_edges, &each, k->n);
    launch_same(each.out, edges, "sharpness");
    launch_end();
    free(own);
}

static void test_random(void **state)
{
    static struct corners k;
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        launch_say("seed %d", (int)seed);
        corners_of(&k, seed);
        check_sort(&k), check_runs(&k), check_edges(&k);
    }
}

/* Every face of a cube an island: each value has one face, which makes it a corner, but under `none`; the vertex itself
 * is as sharp as it is. */
static void test_islands(void **state)
{
    static const int32_t counts[6] = {4, 4, 4, 4, 4, 4};
    static const int32_t vertices[24] = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4, 1, 3, 7, 5, 3, 2, 6, 7, 2, 0, 4, 6};
    float points[24] = {0}, want[24], none[24], zero[24] = {0};
    uint32_t own[24], end[24], no_twin[24];
    struct poly p = {.desc = {.n_vertices = 8, .n_faces = 6, .n_corners = 24}, .points = points};
    struct wild_case k;
    (void)state;
    p.desc.face_counts = counts, p.desc.face_vertices = vertices;
    for (uint32_t c = 0; c < 24; c++)
        own[c] = c, end[c] = c + 1, no_twin[c] = SDD_NONE, none[c] = 0, want[c] = 10;
    wild_case_init(&k, &p, 0);
    for (int mode = SDD_MODE_CORNERS_PLUS1; mode <= SDD_MODE_BOUNDARIES; mode++) {
        struct channel_vertices_args a = {.mesh = wild_upload(&k, 1), .mode = mode};
        launch_say("mode %d", mode);
        a.channel = a.mesh;
        a.channel.vert = a.channel.edge = a.channel.edge_corner = a.channel.corner = a.channel.begin =
            launch_in(own, 24, 4);
        a.channel.end = launch_in(end, 24, 4), a.channel.twin = launch_in(no_twin, 24, 4);
        a.channel.edge_sharp = launch_in(want, 24, 4), a.sharp = launch_inout(zero, 24, 4);
        LAUNCH(channel_vertices, &a, 8);
        launch_same(a.sharp, mode == SDD_MODE_NONE ? none : want, "sharpness");
        launch_end();
    }
    wild_case_fini(&k);
}

/* Around vertex 0 six triangles, three a value. Inside of one value are edges of 2 and 1, and one of its seams is sharp
 * too; the other value waits for it, here step by step by hand. Uniformly 2 and 1 leave 1 and 0, and that 1 vanishes in
 * step 2. Under chaikin they leave 0.75 and 0.25, which vanish in step 2 with a mean of 0.5; with a seam of 4 there are
 * 1.125, 0.5 and 2.375, then 0.203125, 0 and 0.984375, which all vanish in step 3; a seam of 6 outlasts them by one. */
static void test_waits(void **state)
{
    static const struct {
        float seam, want;
        int32_t chaikin;
    } cases[] = {{0, 2, 0}, {6, 2 + 0x1p-20f, 0}, {0, 1.5f, 1}, {4, 2.203125f, 1}, {6, 3 + 0x1p-20f, 1}, {10, 1.5f, 1}};
    static const int32_t counts[6] = {3, 3, 3, 3, 3, 3}, creases[6] = {0, 5, 0, 6, 0, 1};
    static const uint32_t begin[2] = {0, 3}, end[2] = {3, 6}, corner[6] = {0, 3, 6, 9, 12, 15};
    float points[21] = {0}, zero[2] = {0};
    int32_t vertices[18];
    uint32_t vert[18], edge[18], twin[18];
    (void)state;
    for (int32_t c = 0; c < 18; c++) {
        int32_t f = c / 3, before = 3 * ((f + 5) % 6) + 2, seam = f % 3 == 0;
        vertices[c] = c % 3 == 0 ? 0 : (f + c % 3 - 1) % 6 + 1;
        vert[c] = c % 3 == 0 ? (uint32_t)(f / 3) : 1 + (uint32_t)c;
        edge[c] = (uint32_t)(c % 3 == 2 && f % 3 != 2 ? c + 1 : c);
        twin[c] = c % 3 == 0 && !seam ? (uint32_t)before : SDD_NONE;
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const float sharpness[3] = {2, 1, cases[i].seam}, want[2] = {cases[i].want, 0};
        float sharp[18] = {[0] = 10, [9] = 10, [12] = 2, [15] = 1};
        struct poly p = {.desc = {.n_vertices = 7, .n_faces = 6, .n_corners = 18, .n_creases = 2 + (cases[i].seam > 0)},
                         .points = points};
        struct wild_case k;
        p.desc.face_counts = counts, p.desc.face_vertices = vertices;
        p.desc.crease_edges = creases, p.desc.crease_sharpness = sharpness;
        launch_say("case %d", (int)i);
        wild_case_init(&k, &p, 0);
        struct channel_vertices_args a = {.mesh = wild_upload(&k, 1),
                                          .sharp = launch_inout(zero, 2, 4),
                                          .mode = SDD_MODE_CORNERS_PLUS1,
                                          .chaikin = cases[i].chaikin};
        a.channel = a.mesh;
        a.channel.vert = launch_in(vert, 18, 4), a.channel.edge = launch_in(edge, 18, 4);
        a.channel.twin = launch_in(twin, 18, 4), a.channel.edge_sharp = launch_in(sharp, 18, 4);
        a.channel.begin = launch_in(begin, 2, 4), a.channel.end = launch_in(end, 2, 4);
        a.channel.corner = launch_in(corner, 6, 4);
        LAUNCH(channel_vertices, &a, 1);
        launch_same(a.sharp, want, "sharpness");
        launch_end();
        wild_case_fini(&k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_islands),
                                       cmocka_unit_test(test_waits)};
    return LAUNCH_GROUP("face-varying channels", tests);
}
