/* SPDX-License-Identifier: Apache-2.0 */
/* Oracles of what the edge-friend kernels say about structure: quads, friends, sharpness and loop starts from
 * ef_quads, ef_faces, ef_edges, ef_vertices and, level by level, ef_step. The quads must be the paper's;
 * friends, loops, unused slots and counts are then judged by the quads alone (levels.h). Points:
 * test_points.c. */
#include "tests/kernels/faces.h"
#include "tests/kernels/launch.h"
#include "gpu/engines/edge_friend/kernels/ef_edges.k.h"
#include "gpu/engines/edge_friend/kernels/ef_faces.k.h"
#include "gpu/engines/edge_friend/kernels/ef_quads.k.h"
#include "gpu/engines/edge_friend/kernels/ef_step.k.h"
#include "gpu/engines/edge_friend/kernels/ef_vertices.k.h"
#include "tests/kernels/edge_friend/levels.h"
#include "tests/kernels/poly.h"
#include <stdlib.h>
#include <string.h>

#define LAST 4

/* ---- judging a level ------------------------------------------------------------------------------------------- */
/* Paper, Algorithm 1: around a vertex from corner to corner. */
static uint32_t next_corner(const struct level_quads *q, uint32_t c)
{
    int i = c % 4 == 1 || c % 4 == 2 ? 0 : 1;
    return 2 * q->friends[c / 4][i] + c % 2;
}

/* A loop starts at a corner of its vertex, of a real quad where there is one, and meets every quad there
 * exactly once. */
static void check_loop(const struct level_quads *q, int64_t slot, uint32_t loop)
{
    int64_t n = q->first[slot + 1] - q->first[slot], met = 0;
    uint32_t c = loop;
    if (n == 0) {
        if (loop != SDD_NONE)
            fail_msg("%s level %d: unused slot %lld starts at %u", launch_case(), q->level, (long long)slot, loop);
        return;
    }
    if (loop >= 4 * q->n_quads || q->v[loop / 4][loop % 4] != slot)
        fail_msg("%s level %d: %u is no corner of slot %lld", launch_case(), q->level, loop, (long long)slot);
    if (loop >= 4 * q->n_real && level_is_real(q, slot))
        fail_msg("%s level %d: slot %lld starts at ghost %u", launch_case(), q->level, (long long)slot, loop);
    do {
        if (q->v[c / 4][c % 4] != slot)
            fail_msg("%s level %d: the loop of slot %lld leaves it", launch_case(), q->level, (long long)slot);
        c = next_corner(q, c);
        met++;
    } while (c != loop && met <= n); /* the step is one-to-one: corners met before the return are different ones */
    if (met != n)
        fail_msg("%s level %d: the loop of slot %lld meets %lld of %lld quads", launch_case(), q->level,
                 (long long)slot, (long long)met, (long long)n);
}

/* Component of each control corner and ghost, by its vertex, and V - E + F of each component, boundary loops
 * closed. */
struct parts {
    int32_t *of_corner;
    int64_t *euler, *used, *quads; /* [V], by the component's vertex */
    int64_t total, n_isolated;
};

static int32_t root(int32_t *parent, int32_t v)
{
    while (parent[v] != v)
        v = parent[v] = parent[parent[v]];
    return v;
}

static void parts_init(struct parts *p, const struct brute *b)
{
    int32_t *parent = xalloc(b->V, sizeof *parent);
    *p = (struct parts){xalloc(b->C + b->B, 4), xalloc(b->V, 8), xalloc(b->V, 8), xalloc(b->V, 8), 0, 0};
    for (int32_t v = 0; v < b->V; v++)
        parent[v] = v;
    for (int64_t c = 0; c < b->C; c++)
        parent[root(parent, (int32_t)b->vert[c])] = root(parent, (int32_t)b->vert[b->next[c]]);
    for (int64_t c = 0; c < b->C + b->B; c++)
        p->of_corner[c] = root(parent, (int32_t)b->vert[c]);
    for (int32_t v = 0; v < b->V; v++) {
        p->n_isolated += b->valence[v] == 0;
        p->euler[root(parent, v)] += b->valence[v] > 0;
    }
    for (int64_t e = 0; e < b->E; e++)
        p->euler[p->of_corner[b->edge_corner[e]]]--;
    for (int64_t f = 0; f < b->F; f++)
        p->euler[p->of_corner[b->end[f] - 1]]++;
    for (int64_t h = 0; h < b->H; h++)
        p->euler[p->of_corner[b->ghost_first[h]]]++;
    for (int32_t v = 0; v < b->V; v++) {
        assert_true(p->euler[v] <= 2 && p->euler[v] % 2 == 0); /* 2 - 2 genus: closed and orientable */
        p->total += p->euler[v];
    }
    free(parent);
}

static void parts_fini(struct parts *p)
{
    free(p->of_corner), free(p->euler), free(p->used), free(p->quads);
}

/* Each component has V = (2 - 2 genus) + F; slots are left over only for isolated vertices and, where there
 * are fewer vertices than quads, one for each quad that has no vertex to share a chunk with. `spare` counts
 * those. */
static void check_counts(struct parts *p, const struct brute *b, const struct level_quads *q, int64_t spare)
{
    int64_t used = 0;
    memset(p->used, 0, (size_t)b->V * sizeof *p->used);
    memset(p->quads, 0, (size_t)b->V * sizeof *p->quads);
    for (int64_t i = 0; i < q->n_quads; i++)
        p->quads[p->of_corner[q->home[i]]]++;
    for (int64_t s = 0; s < q->n_slots; s++)
        if (level_is_used(q, s)) {
            p->used[p->of_corner[q->home[q->corner[q->first[s]] / 4]]]++;
            used++;
        }
    for (int64_t v = 0; v < b->V; v++)
        assert_int_equal(p->used[v], p->quads[v] ? p->euler[v] + p->quads[v] : 0);
    assert_int_equal(used, p->total + q->n_quads);
    assert_int_equal(q->n_slots - used, p->n_isolated + spare);
    assert_true(spare == 0 || p->total < 0);
}

/* ---- launching ------------------------------------------------------------------------------------------------- */
static void check_quads(const struct brute *b, const struct level_quads *q, int with_sharp)
{
    int64_t n = b->C + b->B;
    struct level_marks marks = level_marked(q, with_sharp ? b : NULL);
    struct ef_quads_args a = {.vert = launch_in(b->vert, n, 4), .edge = launch_in(b->edge, n, 4)};
    a.faces = faces_in(b, n), a.twin = launch_in(b->twin, n, 4);
    a.edge_sharp = with_sharp ? launch_in(b->edge_sharp, b->E, 4) : NULL;
    a.quad = launch_out(n, sizeof *a.quad), a.friends = launch_out(n, sizeof *a.friends);
    a.sharp = with_sharp ? launch_out(n, sizeof *a.sharp) : NULL;
    a.n_vertices = (uint32_t)b->V, a.n_faces = (uint32_t)b->F, a.n_edges = (uint32_t)b->E;
    LAUNCH(ef_quads, &a, n);
    launch_same(a.quad, q->v, "quad");
    launch_same(a.friends, marks.friends, "friends");
    if (with_sharp)
        launch_same(a.sharp, marks.sharp, "sharp");
    launch_end();
    level_marks_free(&marks);
}

/* The slots of level 1 as the three kernels leave them; the caller frees. */
static struct sdd_slot *first_slots(const struct poly *p, const struct brute *b, const struct level_quads *q)
{
    int64_t n = b->C + b->B;
    const float *points = launch_in(p->points, 3 * b->V, 4), *sharp = launch_in(b->edge_sharp, b->E, 4);
    uint32_t *vert = launch_in(b->vert, n, 4), *twin = launch_in(b->twin, n, 4);
    struct sdd_faces with_ghosts = faces_in(b, n);
    uint32_t V = (uint32_t)b->V, F = (uint32_t)b->F;
    struct sdd_slot *slot = launch_out(q->n_slots, sizeof *slot), *copy = xalloc(q->n_slots, sizeof *copy);
    struct ef_faces_args faces = {launch_in(b->end, F, 4), vert, launch_in(b->ghost_first, b->H, 4), points, slot, V, F,
                                  (uint32_t)b->E};
    struct ef_edges_args edges = {
        launch_in(b->edge_corner, b->E, 4), vert, twin, with_ghosts, NULL, points, sharp, slot, V, F};
    struct ef_vertices_args a = {.vert = vert, .faces = with_ghosts, .twin = twin, .p = points, .slot = slot};
    a.begin = launch_in(b->vert_begin, V, 4), a.end = launch_in(b->vert_end, V, 4);
    a.corner = launch_in(b->vert_corner, b->C, 4), a.edge = launch_in(b->edge, n, 4);
    a.edge_sharp = sharp, a.vert_sharp = launch_in(b->vert_sharp, V, 4);
    unsigned char *is_feature =
        feature_flags(b->vert, b->next, b->edge_corner, b->edge_sharp, b->E, b->vert_sharp, b->V);
    a.feature_vertices = features_in(is_feature, b->V);
    free(is_feature);
    a.n_vertices = V, a.n_faces = F, a.n_corners = (uint32_t)b->C;
    LAUNCH(ef_faces, &faces, b->F + b->H);
    LAUNCH(ef_edges, &edges, b->E);
    LAUNCH(ef_vertices, &a, V + a.feature_vertices.n_items);
    memcpy(copy, launch_got(slot), (size_t)q->n_slots * sizeof *copy);
    launch_end();
    return copy;
}

/* One step over the oracle's level and the slots of before; gives the next level's slots. */
static struct sdd_slot *step(const struct brute *b, const struct level_quads *q, const struct level_quads *to,
                             const struct sdd_slot *slot, int with_sharp)
{
    const struct brute *sharp = with_sharp ? b : NULL;
    struct level_marks marks = level_marked(q, sharp), next = level_marked(to, sharp);
    struct sdd_slot *copy = xalloc(to->n_slots, sizeof *copy);
    struct ef_step_args a = {.slot = launch_out(to->n_slots, sizeof *a.slot)};
    a.from.slot = launch_in(slot, q->n_slots, sizeof *slot);
    a.from.quad = launch_in(q->v, q->n_quads, sizeof *a.from.quad);
    a.from.friends = launch_in(marks.friends, q->n_quads, sizeof *a.from.friends);
    a.from.sharp = with_sharp ? launch_in(marks.sharp, q->n_quads, sizeof *marks.sharp) : NULL;
    a.from.vert_sharp = with_sharp ? launch_in(b->vert_sharp, b->V, 4) : NULL;
    a.from.n_slots = (uint32_t)q->n_slots, a.from.n_quads = (uint32_t)q->n_quads, a.from.level = q->level;
    a.from.n_first_quads = (uint32_t)(b->C + b->B), a.from.n_vertices = (uint32_t)b->V;
    a.quad = launch_out(to->n_quads, sizeof *a.quad), a.friends = launch_out(to->n_quads, sizeof *a.friends);
    a.sharp = with_sharp ? launch_out(to->n_quads, sizeof *a.sharp) : NULL;
    a.n_real_quads = q->n_real;
    LAUNCH(ef_step, &a, q->n_slots > q->n_quads ? q->n_slots : q->n_quads);
    launch_same(a.quad, to->v, "quad");
    launch_same(a.friends, next.friends, "friends");
    if (with_sharp)
        launch_same(a.sharp, next.sharp, "sharp");
    memcpy(copy, launch_got(a.slot), (size_t)to->n_slots * sizeof *copy);
    launch_end();
    level_marks_free(&marks), level_marks_free(&next);
    return copy;
}

static int64_t n_spare, n_negative; /* that a test met */

static void check_levels(const struct poly *p, int last, int with_sharp)
{
    struct brute b;
    struct parts parts;
    struct level_quads q;
    int64_t spare = 0;
    brute_init(&b, &p->desc);
    parts_init(&parts, &b);
    level_first(&q, &b);
    check_quads(&b, &q, with_sharp);
    struct sdd_slot *slot = first_slots(p, &b, &q);
    for (;;) {
        for (int64_t s = 0; s < q.n_slots; s++)
            check_loop(&q, s, slot[s].loop);
        check_counts(&parts, &b, &q, spare);
        if (q.level == last)
            break;
        struct level_quads to;
        level_next(&q, &to);
        struct sdd_slot *next = step(&b, &q, &to, slot, with_sharp);
        spare += q.n_quads > q.n_slots ? q.n_quads - q.n_slots : 0;
        free(slot);
        level_fini(&q);
        slot = next;
        q = to;
    }
    n_spare += spare > 0;
    n_negative += parts.total < 0;
    free(slot);
    level_fini(&q);
    parts_fini(&parts);
    brute_fini(&b);
}

static void check_mesh(const struct poly *p)
{
    check_levels(p, p->desc.n_corners <= 250 ? LAST : p->desc.n_corners <= 1000 ? 3 : 2, 1);
    check_levels(p, 2, 0);
}

static void test_levels(void **state)
{
    (void)state;
    poly_each(80, 100000, check_mesh);
    assert_true(n_spare > 5 && n_negative >= n_spare); /* meshes of genus 2 and up were among them */
}

static void test_discs(void **state)
{
    const int32_t sizes[] = {3, 4, 64, 100};
    struct poly p;
    (void)state;
    launch_say("discs and rings");
    poly_discs(&p, sizes, 4);
    check_mesh(&p);
    poly_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_levels), cmocka_unit_test(test_discs)};
    return LAUNCH_GROUP("structure of edge-friend levels", tests);
}
