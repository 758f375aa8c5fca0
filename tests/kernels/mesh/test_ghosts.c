/* SPDX-License-Identifier: Apache-2.0 */
/* Oracles of the kernels that close a surface along its boundary loops: ghost_corners, ghost_jump,
 * ghost_heads, ghost_faces. Meshes: boundary loops of 3, 4, 64 and 100 edges, the shapes and random meshes.
 * The oracle (brute.h) finds the ghost after a ghost by trying all of them, and walks each loop step by step. */
#include "tests/kernels/faces.h"
#include "tests/kernels/launch.h"
#include "gpu/mesh/kernels/ghost_corners.k.h"
#include "gpu/mesh/kernels/ghost_faces.k.h"
#include "gpu/mesh/kernels/ghost_heads.k.h"
#include "gpu/mesh/kernels/ghost_jump.k.h"
#include "tests/kernels/brute.h"
#include "tests/kernels/poly.h"
#include <stdlib.h>
#include <string.h>

#define N_RANDOM 200
#define ALL_CORNERS 100000

/* The first C rows of an array of C + B, poison behind them. */
static uint32_t *real_rows(const struct brute *b, const uint32_t *all)
{
    uint32_t *p = poisoned(b->C + b->B, sizeof *p);
    return memcpy(p, all, (size_t)b->C * sizeof *p);
}

static void *upload_real(const struct brute *b, const uint32_t *all)
{
    uint32_t *p = real_rows(b, all);
    void *device = launch_inout(p, b->C + b->B, sizeof *p);
    free(p);
    return device;
}

static void check_corners(const struct brute *b)
{
    int32_t *rank = xalloc(b->C, sizeof *rank);
    uint32_t *label = xalloc(b->B, sizeof *label), *jump = xalloc(b->B, sizeof *jump);
    for (int32_t c = 0, n = 0; c < b->C; c++)
        rank[c] = n += b->real_twin[c] == BRUTE_NONE;
    for (uint32_t g = 0; g < b->B; g++) {
        label[g] = g;
        jump[g] = b->next[b->C + g] - (uint32_t)b->C;
    }
    struct ghost_corners_args a = {.border = launch_in(b->border, b->B, 4), .rank = launch_in(rank, b->C, 4)};
    a.real_twin = launch_in(b->real_twin, b->C, 4);
    a.vert = upload_real(b, b->vert), a.edge = upload_real(b, b->edge), a.faces = faces_in(b, b->C);
    a.next = launch_out(b->B, 4), a.prev = launch_out(b->B, 4), a.twin = upload_real(b, b->real_twin);
    a.label = launch_out(b->B, 4), a.jump = launch_out(b->B, 4), a.n_corners = (uint32_t)b->C;
    LAUNCH(ghost_corners, &a, b->B);
    launch_same(a.vert, b->vert, "vert");
    launch_same(a.edge, b->edge, "edge");
    launch_same(a.next, b->next + b->C, "next");
    launch_same(a.prev, b->prev + b->C, "prev");
    launch_same(a.twin, b->twin, "twin");
    launch_same(a.label, label, "label");
    launch_same(a.jump, jump, "jump");
    launch_end();
    free(rank), free(label), free(jump);
}

/* label: the least of the `reach` ghosts from g on; jump: the ghost that many steps on. */
static void walk(const struct brute *b, int64_t reach, uint32_t *label, uint32_t *jump)
{
    for (uint32_t g = 0; g < b->B; g++) {
        uint32_t h = g;
        label[g] = g;
        for (int64_t i = 0; i < reach; i++) {
            label[g] = h < label[g] ? h : label[g];
            h = b->next[b->C + h] - (uint32_t)b->C;
        }
        jump[g] = h;
    }
}

static void check_jumps(const struct brute *b)
{
    uint32_t *label[2] = {xalloc(b->B, 4), xalloc(b->B, 4)}, *jump[2] = {xalloc(b->B, 4), xalloc(b->B, 4)};
    walk(b, 1, label[0], jump[0]);
    for (int64_t reach = 2; reach < 4 * b->B; reach *= 2) {
        walk(b, reach, label[1], jump[1]);
        struct ghost_jump_args a = {.label = launch_in(label[0], b->B, 4), .jump = launch_in(jump[0], b->B, 4)};
        a.new_label = launch_out(b->B, 4), a.new_jump = launch_out(b->B, 4);
        LAUNCH(ghost_jump, &a, b->B);
        launch_same(a.new_label, label[1], "new_label");
        launch_same(a.new_jump, jump[1], "new_jump");
        launch_end();
        memcpy(label[0], label[1], (size_t)b->B * 4);
        memcpy(jump[0], jump[1], (size_t)b->B * 4);
    }
    if (b->B > 0)
        assert_memory_equal(label[0], b->loop, (size_t)b->B * 4); /* enough rounds: loops have one name */
    free(label[0]), free(label[1]), free(jump[0]), free(jump[1]);
}

static void check_faces(const struct brute *b)
{
    int32_t *flag = xalloc(b->B, sizeof *flag), *rank = xalloc(b->B, sizeof *rank), n = 0;
    for (int64_t h = 0; h < b->H; h++)
        flag[b->ghost_first[h] - b->C] = 1;
    for (int64_t g = 0; g < b->B; g++)
        rank[g] = n += flag[g];
    struct ghost_heads_args heads = {launch_in(b->loop, b->B, 4), launch_out(b->B, 4)};
    LAUNCH(ghost_heads, &heads, b->B);
    launch_same(heads.flag, flag, "flag");
    launch_end();
    struct ghost_faces_args a = {.label = launch_in(b->loop, b->B, 4), .rank = launch_in(rank, b->B, 4)};
    a.face = launch_out(b->B, 4), a.first = launch_out(b->H, 4);
    a.n_corners = (uint32_t)b->C, a.n_faces = (uint32_t)b->F;
    LAUNCH(ghost_faces, &a, b->B);
    launch_same(a.face, b->face + b->C, "face");
    launch_same(a.first, b->ghost_first, "first");
    launch_end();
    free(flag), free(rank);
}

static void check_ghosts(const struct poly *p)
{
    struct brute b;
    brute_init(&b, &p->desc);
    check_corners(&b);
    check_jumps(&b);
    check_faces(&b);
    brute_fini(&b);
}

static void test_discs(void **state)
{
    const int32_t sizes[] = {3, 4, 64, 100};
    int64_t lengths[101] = {0};
    struct poly p;
    struct brute b;
    (void)state;
    launch_say("discs and rings");
    poly_discs(&p, sizes, 4);
    brute_init(&b, &p.desc);
    assert_int_equal(b.H, 12);
    for (int64_t g = 0; g < b.B; g++)
        lengths[b.loop[g] == g ? 0 : 1]++;
    assert_int_equal(lengths[0], 12);
    assert_int_equal(lengths[1], 3 * (3 + 4 + 64 + 100) - 12);
    brute_fini(&b);
    check_ghosts(&p);
    poly_free(&p);
}

static void test_ghosts(void **state)
{
    (void)state, poly_each(N_RANDOM, ALL_CORNERS, check_ghosts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_discs), cmocka_unit_test(test_ghosts)};
    return LAUNCH_GROUP("kernels of boundary loops", tests);
}
