/* SPDX-License-Identifier: Apache-2.0 */
/* test_fair_matrices.c: the pattern and the matrices of conformal flow, against angles, cotangents, and quaternions as
 * 4 x 4 matrices. Laws: X is L at rho = 0, X is self-adjoint, and what is constant is in the kernel of L. */
#include "gpu/fair/kernels/fair_dirac.k.h"
#include "gpu/fair/kernels/fair_entries.k.h"
#include "gpu/fair/kernels/fair_flat.k.h"
#include "gpu/fair/kernels/fair_keys.k.h"
#include "gpu/fair/kernels/fair_load.k.h"
#include "gpu/fair/kernels/fair_multiply.tile.h"
#include "gpu/fair/kernels/fair_rim.k.h"
#include "gpu/fair/kernels/fair_store.k.h"
#include "gpu/fair/kernels/fair_vertices.k.h"
#include "tests/kernels/fair/fair_case.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BITS 9 /* Rows are below 2^9. */
static struct fair_case c;

static void test_keys(void **state)
{
    static uint64_t key[CASE_TERMS];
    static int32_t term[CASE_TERMS];
    (void)state;
    for (int32_t i = 0; i < CASE_TERMS; i++) {
        key[i] = (uint64_t)c.triangle[i / 9 * 3 + i % 9 / 3] << BITS | c.triangle[i / 9 * 3 + i % 3];
        term[i] = i;
    }
    struct fair_keys_args a = {launch_in(c.triangle, CASE_TRIANGLES, 12), launch_out(CASE_TERMS, 8),
                               launch_out(CASE_TERMS, 4), BITS};
    LAUNCH(fair_keys, &a, CASE_TERMS);
    launch_same(a.key, key, "keys");
    launch_same(a.term, term, "terms");
    launch_end();
}

static void test_entries(void **state)
{
    static uint64_t key[CASE_TERMS];
    static int32_t flag[CASE_TERMS], rank[CASE_TERMS];
    (void)state;
    for (uint32_t row = 0; row < CASE_ROWS; row++)
        for (uint32_t e = c.row[row]; e < c.row[row + 1]; e++)
            for (uint32_t k = c.begin[e]; k < c.begin[e + 1]; k++) {
                key[k] = (uint64_t)row << BITS | c.column[e];
                flag[k] = k == c.begin[e];
                rank[k] = (int32_t)e + 1;
            }
    struct fair_entries_args a = {launch_in(key, CASE_TERMS, 8),
                                  launch_in(flag, CASE_TERMS, 4),
                                  launch_in(rank, CASE_TERMS, 4),
                                  launch_out(CASE_ROWS + 1, 4),
                                  launch_out(c.n_entries, 4),
                                  launch_out(c.n_entries + 1, 4),
                                  launch_out(CASE_ROWS, 4),
                                  CASE_TERMS,
                                  CASE_ROWS,
                                  BITS};
    LAUNCH(fair_entries, &a, CASE_TERMS);
    launch_same(a.row, c.row, "rows");
    launch_same(a.column, c.column, "columns");
    launch_same(a.begin, c.begin, "terms");
    launch_same(a.diagonal, c.diagonal, "diagonals");
    launch_end();
}

static void test_rim(void **state)
{
    (void)state;
    struct fair_rim_args a = {fair_case_mesh(&c), launch_out(CASE_ROWS, 4)};
    LAUNCH(fair_rim, &a, CASE_ROWS);
    launch_same(a.rim, c.rim, "the rim");
    launch_end();
}

static void test_load_and_store(void **state)
{
    static const uint32_t vertex[2] = {2, 0};
    static const float points[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9.5f}, stored[9] = {0.5f, 3, 5, 4, 5, 6, -1, 2, 0.1f};
    static const double loaded[8] = {0, 7, 8, 9.5, 0, 1, 2, 3}, from[8] = {0, -1, 2, 0.1, 0, 0.5, 3, 5};
    (void)state;
    const uint32_t *rows = launch_in(vertex, 2, 4);
    struct fair_load_args load = {rows, launch_in(points, 3, 12), launch_out(2, 32)};
    struct fair_store_args store = {rows, launch_in(from, 2, 32), launch_inout(points, 3, 12)};
    LAUNCH(fair_load, &load, 2);
    LAUNCH(fair_store, &store, 2);
    launch_same(load.out, loaded, "loaded");
    launch_same(store.points, stored, "stored");
    launch_end();
}

static void test_flat(void **state)
{
    static uint32_t face[CASE_TRIANGLES];
    (void)state;
    for (uint32_t i = 0; i < CASE_TRIANGLES; i++)
        face[i] = CASE_TRIANGLES - i;
    for (int flat = 0; flat < 2; flat++) {
        struct fair_case *bad = malloc(sizeof *bad);
        assert_non_null(bad);
        *bad = c;
        if (flat) /* Two triangles along the diagonal of the first square lose their area. */
            memcpy(bad->points, bad->points + 4 * (CASE_SIDE + 1), 4 * sizeof *bad->points);
        struct fair_flat_args a = {launch_in(c.triangle, CASE_TRIANGLES, 12), launch_in(face, CASE_TRIANGLES, 4),
                                   launch_in(bad->points, CASE_ROWS, 32), launch_error()};
        LAUNCH(fair_flat, &a, CASE_TRIANGLES);
        launch_word(a.error, flat ? CASE_TRIANGLES - 1 : LAUNCH_NO_ERROR, "the first flat triangle");
        launch_end();
        free(bad);
    }
}

/* What fair_vertices must make, by angles and cotangents. */
static struct vertices {
    double laplacian[CASE_TERMS], diagonal[CASE_ROWS], relax[CASE_ROWS], mass[CASE_ROWS], curvature[CASE_ROWS],
        basis[4 * CASE_ROWS];
} want;

static uint32_t entry_at(uint32_t i, uint32_t j)
{
    uint32_t e = c.row[i];
    while (c.column[e] != j)
        e++;
    return e;
}

static void make_vertices(struct vertices *w)
{
    memset(w, 0, sizeof *w);
    for (uint32_t k = 0; k < CASE_TRIANGLES; k++) {
        const uint32_t *v = c.triangle + 3 * k;
        const struct oracle_triangle t = oracle_triangle_of(v, c.points);
        for (int j = 0; j < 3; j++) {
            const uint32_t a = v[(j + 1) % 3], b = v[(j + 2) % 3];
            w->laplacian[entry_at(a, b)] -= t.cotangent[j] / 2;
            w->laplacian[entry_at(b, a)] -= t.cotangent[j] / 2;
            w->diagonal[a] += t.cotangent[j] / 2;
            w->diagonal[b] += t.cotangent[j] / 2;
            w->mass[v[j]] += t.area / 3;
            for (uint32_t x = 0; x < 3; x++)
                w->basis[(1 + x) * CASE_ROWS + v[j]] += t.angle[j] * t.normal[x];
        }
    }
    for (uint32_t i = 0; i < CASE_ROWS; i++) {
        double size = 0, h = 0;
        w->laplacian[c.diagonal[i]] = w->diagonal[i];
        w->relax[i] = 0.67 / w->diagonal[i];
        w->basis[i] = 1;
        for (uint32_t x = 1; x < 4; x++)
            size += w->basis[x * CASE_ROWS + i] * w->basis[x * CASE_ROWS + i];
        for (uint32_t x = 1; x < 4; x++) {
            w->basis[x * CASE_ROWS + i] /= sqrt(size);
            for (uint32_t e = c.row[i]; e < c.row[i + 1]; e++)
                h += w->basis[x * CASE_ROWS + i] * w->laplacian[e] * c.points[4 * c.column[e] + x];
        }
        w->curvature[i] = c.rim[i] ? 0 : h / (2 * w->mass[i]);
    }
}

static void test_vertices(void **state)
{
    const uint32_t n = c.n_entries;
    (void)state;
    make_vertices(&want);
    struct fair_vertices_args a = {.mesh = fair_case_mesh(&c),
                                   .points = launch_in(c.points, CASE_ROWS, 32),
                                   .laplacian = launch_out(n, 8),
                                   .diagonal = launch_out(CASE_ROWS, 8),
                                   .relax = launch_out(CASE_ROWS, 8),
                                   .mass = launch_out(CASE_ROWS, 8),
                                   .curvature = launch_out(CASE_ROWS, 8),
                                   .basis = launch_out(4 * CASE_ROWS, 8),
                                   .stride = CASE_ROWS};
    LAUNCH(fair_vertices, &a, 100); /* Parts begin anywhere. */
    a.first = 100;
    LAUNCH(fair_vertices, &a, CASE_ROWS - 100);
    fair_near(a.laplacian, want.laplacian, n, 10, "L");
    fair_near(a.diagonal, want.diagonal, CASE_ROWS, 10, "the diagonal of L");
    fair_near(a.relax, want.relax, CASE_ROWS, 10, "the damping over the diagonal");
    fair_near(a.mass, want.mass, CASE_ROWS, 10, "masses");
    fair_near(a.curvature, want.curvature, CASE_ROWS, 10, "curvature");
    fair_near(a.basis, want.basis, 4 * CASE_ROWS, 10, "normals");
    launch_end();
}

/* D^T A D by blocks of 4 x 4, added to out[entries][4][4]. */
static void add_dirac(const double *rho, double (*out)[4][4])
{
    for (uint32_t k = 0; k < CASE_TRIANGLES; k++) {
        const uint32_t *v = c.triangle + 3 * k;
        const struct oracle_triangle t = oracle_triangle_of(v, c.points);
        double d[3][4][4];
        for (int j = 0; j < 3; j++) {
            const double s = -1 / (2 * t.area), *e = t.edge[j];
            const double q[4] = {-rho[v[j]] / 3, s * e[0], s * e[1], s * e[2]};
            oracle_left(q, d[j]);
        }
        for (int ij = 0; ij < 9; ij++)
            for (int x = 0; x < 64; x++)
                out[entry_at(v[ij / 3], v[ij % 3])][x / 16][x / 4 % 4] +=
                    t.area * d[ij / 3][x % 4][x / 16] * d[ij % 3][x % 4][x / 4 % 4];
    }
}

static void launch_dirac(const double *rho, double shift, double *out)
{
    struct fair_dirac_args a = {.mesh = fair_case_mesh(&c),
                                .points = launch_in(c.points, CASE_ROWS, 32),
                                .rho = launch_in(rho, CASE_ROWS, 8),
                                .mass = launch_in(c.mass, CASE_ROWS, 8),
                                .dirac = launch_out(c.n_entries, 32),
                                .shift = shift};
    LAUNCH(fair_dirac, &a, 500);
    a.first = 500;
    LAUNCH(fair_dirac, &a, c.n_entries - 500);
    memcpy(out, launch_got(a.dirac), 4 * c.n_entries * sizeof *out);
    launch_end();
}

static double got[4 * CASE_TERMS];

static void test_dirac(void **state)
{
    static double block[CASE_TERMS][4][4];
    (void)state;
    add_dirac(c.rho, block);
    launch_dirac(c.rho, 0.125, got);
    for (uint32_t i = 0; i < CASE_ROWS; i++)
        for (uint32_t e = c.row[i]; e < c.row[i + 1]; e++) {
            double m[4][4];
            const double *q = got + 4 * e, *back = got + 4 * entry_at(c.column[e], i);
            oracle_left(q, m);
            for (int x = 0; x < 16; x++) {
                const double shift = e == c.diagonal[i] && x % 5 == 0 ? 0.125 * c.mass[i] : 0;
                assert_true(fabs(m[x / 4][x % 4] - shift - block[e][x / 4][x % 4]) < 1e-11);
            }
            assert_true(q[0] == back[0] && q[1] == -back[1] && q[2] == -back[2] && q[3] == -back[3]);
        }
}

static void test_dirac_without_rho(void **state)
{
    static const double zeros[CASE_ROWS];
    (void)state;
    make_vertices(&want);
    launch_dirac(zeros, 0, got);
    for (uint32_t e = 0; e < c.n_entries; e++)
        assert_true(fabs(got[4 * e] - want.laplacian[e]) < 1e-11);
}

/* A row of a product, by the matrices of quaternions. */
static void oracle_row(uint32_t i, const double *matrix, int width, const double *x, double *out)
{
    memset(out, 0, 4 * sizeof *out);
    for (uint32_t e = c.row[i]; e < c.row[i + 1]; e++) {
        double m[4][4], q[4] = {0};
        memcpy(q, matrix + (size_t)width * e, (size_t)width * sizeof *q);
        oracle_left(q, m);
        for (int k = 0; k < 16; k++)
            out[k / 4] += m[k / 4][k % 4] * x[4 * c.column[e] + (uint32_t)(k % 4)];
    }
}

static void check_product(int width, uint32_t held)
{
    enum { N_TILES = (CASE_ROWS + FAIR_LANES - 1) / FAIR_LANES };
    static double product[4 * CASE_ROWS], parts[N_TILES];
    double *matrix = fair_random(4 * (int64_t)c.n_entries, 5);
    memset(parts, 0, sizeof parts);
    for (uint32_t i = 0; i < CASE_ROWS; i++) {
        oracle_row(i, matrix, width, c.lambda, product + 4 * i);
        for (uint32_t k = 0; k < 4; k++) {
            product[4 * i + k] = c.rim[i] && held >> k & 1 ? 0 : product[4 * i + k];
            parts[i / FAIR_LANES] += product[4 * i + k] * c.lambda[4 * i + k];
        }
    }
    const double *on_device = launch_in(matrix, c.n_entries, (size_t)width * 8);
    struct fair_multiply_args a = {.mesh = fair_case_mesh(&c),
                                   .laplacian = width == 1 ? on_device : NULL,
                                   .dirac = width == 4 ? on_device : NULL,
                                   .in = launch_in(c.lambda, CASE_ROWS, 32),
                                   .out = launch_out(CASE_ROWS, 32),
                                   .part = launch_out(N_TILES, 8),
                                   .n = CASE_ROWS,
                                   .held = held};
    LAUNCH(fair_multiply, &a, N_TILES);
    fair_near(a.out, product, 4 * CASE_ROWS, 10, "product");
    fair_near(a.part, parts, N_TILES, 1e3, "its sum");
    launch_end();
    free(matrix);
}

static void test_multiply(void **state)
{
    (void)state;
    check_product(1, 0);
    check_product(1, 0xf);
    check_product(4, 0);
    check_product(4, 0xe);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_keys),
                                       cmocka_unit_test(test_entries),
                                       cmocka_unit_test(test_rim),
                                       cmocka_unit_test(test_load_and_store),
                                       cmocka_unit_test(test_flat),
                                       cmocka_unit_test(test_vertices),
                                       cmocka_unit_test(test_dirac),
                                       cmocka_unit_test(test_multiply),
                                       cmocka_unit_test(test_dirac_without_rho)};
    fair_case_make(&c, 1);
    return LAUNCH_GROUP("fair matrices", tests);
}
