/* SPDX-License-Identifier: Apache-2.0 */
/* basis_table.c: subdivides the uniform cubic B-spline curve of each control point to get the tables of weights that
 * engines hand to their kernels. */
#include "gpu/bspline/basis_table.h"

void table_basis(int steps, enum table_basis_of of, struct sdd_table_basis *out)
{
    double p[2][(1 << TABLE_BASIS_STEPS) + 3][4];
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++)
            p[0][i][k] = i == k;
    for (int step = 0; step < steps; step++) {
        int side = 2 << step;
        double(*from)[4] = p[step % 2], (*to)[4] = p[(step + 1) % 2];
        for (int x = 0; x < side + 3; x++) /* Entry x is place x - 1. */
            for (int k = 0; k < 4; k++)
                to[x][k] = x % 2 ? (from[x / 2][k] + 6.0 * from[x / 2 + 1][k] + from[x / 2 + 2][k]) / 8.0
                                 : (from[x / 2][k] + from[x / 2 + 1][k]) / 2.0;
    }
    double(*last)[4] = p[steps % 2];
    for (int x = 0; x <= 1 << steps; x++)
        for (int k = 0; k < 4; k++) {
            double before = last[x][k], at = last[x + 1][k], after = last[x + 2][k];
            out[x].s[k] = (float)(of == TABLE_LIMIT   ? (before + 4.0 * at + after) / 6.0
                                  : of == TABLE_SLOPE ? (after - before) * (1 << steps)
                                                      : at);
        }
}
