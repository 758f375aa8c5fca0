/* SPDX-License-Identifier: Apache-2.0 */
/* Oracles of face_params and uniform_rows. The oracle walks: it divides each control face by its corners' quadrants (or
 * the triangle in four), level by level, and follows where the parts go. */
#include "gpu/refine/kernels/face_params.k.h"
#include "gpu/refine/kernels/uniform_rows.k.h"
#include "tests/kernels/brute.h"
#include "tests/kernels/launch.h"
#include "tests/kernels/poly.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_RANDOM 60
#define WIDTH 3

struct parents_case {
    const struct brute *b;
    uint32_t *visible; /* NULL: all corners */
    int64_t n_visible;
    int scheme, level;
    uint32_t *want; /* [n][4] */
    int64_t n;
};

/* The walk is by unit vectors: corner k's quadrant of a quad lies at its corner k and runs along the sides from there.
 */
static void want_quad(const struct parents_case *k, uint32_t c, int64_t side, int64_t x, int64_t y, uint32_t *w)
{
    static const int at[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    const struct brute *b = k->b;
    uint32_t f = b->face[c];
    int32_t first = f ? b->end[f - 1] : 0, corner = (int32_t)c - first;
    w[0] = f;
    w[1] = (uint32_t)corner;
    w[3] = (uint32_t)k->level;
    if (b->end[f] - first != 4) {
        w[2] = (uint32_t)(x | y << 16);
        w[3] |= SDD_PATCH_OF_POLYGON;
        return;
    }
    const int *o = at[corner], *on = at[(corner + 1) % 4], *off = at[(corner + 3) % 4];
    int64_t middle[2]; /* of the cell, doubled, in a grid of 2 side a side */
    for (int i = 0; i < 2; i++)
        middle[i] = o[i] * 4 * side + (on[i] - o[i]) * (2 * x + 1) + (off[i] - o[i]) * (2 * y + 1);
    w[2] = (uint32_t)(middle[0] / 2 | middle[1] / 2 << 16);
}

static void want_all(struct parents_case *k)
{
    int64_t side = (int64_t)1 << (k->scheme == SDD_PARENT_QUADS ? k->level - 1 : k->level), cells = side * side;
    int64_t step = k->scheme == SDD_PARENT_QUADS ? 1 : 3;
    if (k->scheme == SDD_PARENT_SQRT3)
        for (cells = 1; cells < 1 << 20 && side > 1; side /= 2)
            cells *= 3;
    side = (int64_t)1 << (k->scheme == SDD_PARENT_QUADS ? k->level - 1 : k->level);
    k->n = k->n_visible / step * cells;
    k->want = xalloc(4 * k->n, sizeof *k->want);
    uint32_t *w = k->want;
    for (int64_t run = 0; run < k->n_visible; run += step)
        for (int64_t i = 0; i < cells; i++, w += 4) {
            uint32_t c = k->visible ? k->visible[run] : (uint32_t)run;
            int64_t x = i % side, y = i / side;
            int turned = k->scheme == SDD_PARENT_TRIANGLES && x + y >= side;
            if (k->scheme == SDD_PARENT_QUADS) {
                want_quad(k, c, side, x, y, w);
                continue;
            }
            w[0] = k->b->face[c];
            w[3] = (uint32_t)k->level | (turned ? SDD_FACE_TURNED : 0);
            if (k->scheme == SDD_PARENT_TRIANGLES)
                w[2] = (uint32_t)((turned ? side - 1 - x : x) | (turned ? side - 1 - y : y) << 16);
        }
}

static struct sdd_parents upload(const struct parents_case *k)
{
    const struct brute *b = k->b;
    int triangles = k->scheme != SDD_PARENT_QUADS;
    int64_t runs = k->n_visible / (triangles ? 3 : 1);
    struct sdd_parents p = {.visible = k->visible ? launch_in(k->visible, k->n_visible, 4) : NULL,
                            .each = k->n / runs,
                            .corners = triangles ? 3 : 1,
                            .bits = triangles ? k->level : k->level - 1};
    p.faces.face = launch_in(b->face, b->C, 4);
    return p;
}

static void check_level(struct parents_case *k)
{
    want_all(k);
    const struct brute *b = k->b;
    uint32_t *value = xalloc(WIDTH * b->F, 4), *row = xalloc(WIDTH * k->n, 4);
    for (int64_t i = 0; i < WIDTH * b->F; i++)
        value[i] = (uint32_t)(i * 2654435761u);
    for (int64_t i = 0; i < k->n; i++)
        memcpy(row + WIDTH * i, value + WIDTH * (int64_t)k->want[4 * i], WIDTH * sizeof *row);
    struct sdd_parents parents = upload(k);
    struct face_params_args params = {parents, launch_in(b->end, b->F, 4), launch_out(4 * k->n, 4), k->level,
                                      k->scheme};
    struct uniform_rows_args rows = {parents, launch_in(value, WIDTH * b->F, 4), launch_out(WIDTH * k->n, 4), WIDTH};
    LAUNCH(face_params, &params, k->n);
    LAUNCH(uniform_rows, &rows, k->n);
    launch_same(params.param, k->want, "params");
    launch_same(rows.out, row, "rows");
    launch_end();
    free(value), free(row), free(k->want);
}

/* All corners, then those of every second face. */
static void check_schemes(const struct poly *p)
{
    struct brute b;
    brute_init(&b, &p->desc);
    int triangles = 1;
    for (int32_t f = 0; f < b.F; f++)
        triangles &= b.end[f] - (f ? b.end[f - 1] : 0) == 3;
    struct parents_case k = {.b = &b};
    uint32_t *shown = xalloc(b.C, sizeof *shown);
    int64_t half = 0;
    for (uint32_t c = 0; c < b.C; c++)
        if (b.face[c] % 2 == 0)
            shown[half++] = c;
    for (int holes = 0; holes < 2; holes++)
        for (k.scheme = 0; k.scheme <= (triangles ? SDD_PARENT_SQRT3 : SDD_PARENT_QUADS); k.scheme++)
            for (k.level = 1; k.level <= 4; k.level++) {
                k.visible = holes ? shown : NULL;
                k.n_visible = holes ? half : b.C;
                check_level(&k);
            }
    free(shown);
    brute_fini(&b);
}

static void test_parents(void **state)
{
    (void)state, poly_each(N_RANDOM, 2000, check_schemes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_parents)};
    return LAUNCH_GROUP("parents of refined faces", tests);
}
