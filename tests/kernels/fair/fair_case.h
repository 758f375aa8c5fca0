/* SPDX-License-Identifier: Apache-2.0 */
/* fair_case.h: a small surface with the pattern of its matrices, made by brute force, and sums in plain order, for the
 * tests of the kernels of conformal flow. */
#ifndef TESTS_FAIR_CASE_H
#define TESTS_FAIR_CASE_H
#include "gpu/fair/fair.dev.h"
#include "tests/kernels/launch.h"

enum { CASE_SIDE = 18, CASE_ROWS = CASE_SIDE * CASE_SIDE, CASE_TRIANGLES = 2 * (CASE_SIDE - 1) * (CASE_SIDE - 1) };
enum { CASE_TERMS = 9 * CASE_TRIANGLES };

/* A hilly sheet of triangles, all in host memory. Terms of an entry ascend. */
struct fair_case {
    uint32_t triangle[3 * CASE_TRIANGLES], row[CASE_ROWS + 1], column[CASE_TERMS], begin[CASE_TERMS + 1];
    uint32_t term[CASE_TERMS], diagonal[CASE_ROWS], rim[CASE_ROWS];
    uint32_t n_entries;
    double points[4 * CASE_ROWS], rho[CASE_ROWS], lambda[4 * CASE_ROWS], mass[CASE_ROWS];
};

void fair_case_make(struct fair_case *c, uint64_t seed);
/* fair_case_mesh: uploads the pattern. */
struct fair_mesh fair_case_mesh(const struct fair_case *c);
double *fair_random(int64_t n, uint64_t seed); /* Numbers in [-1, 1), in memory that the caller frees. */
/* fair_near: fails unless the output is `want` to 1e-12 of `scale`. */
void fair_near(const double *device, const double *want, int64_t n, double scale, const char *what);

/* The oracle's quaternions are 4 x 4 matrices of p -> q p, and its geometry is made of angles and cotangents. */
struct oracle_triangle {
    double edge[3][3], area, angle[3], cotangent[3], normal[3];
};
struct oracle_triangle oracle_triangle_of(const uint32_t *v, const double *points);
void oracle_left(const double q[4], double out[4][4]);

#endif
