/* SPDX-License-Identifier: Apache-2.0 */
/* fair_dots: the first half of sums of products, one sum for each of several vectors.
 * Shapes  mass[n] f64 or NULL, a and b f64: item i of vector j is a[i a_step + j a_stride], or 1 where a is NULL; b
 *         likewise -> part[vectors][n_tiles] f64
 * Launch  tile, vectors * n_tiles tiles of FAIR_LANES items; n_tiles = ceil(n / FAIR_LANES)
 * Cost    16 to 24 B read an item
 * Result  The sums of mass a b over the items of each tile, in a fixed tree.
 * Threads any queue */
#ifndef SDD_K_FAIR_DOTS_H
#define SDD_K_FAIR_DOTS_H
#include "gpu/fair/fair.dev.h"

struct fair_dots_args {
    const double *mass, *a, *b;
    double *part;
    int64_t a_step, a_stride, b_step, b_stride, n, n_tiles;
};

enum { fair_dots_threads = FAIR_LANES };

SDD_FN void k_fair_dots(int64_t tile, const struct fair_dots_args *a)
{
    SDD_SHARED(double, sum, FAIR_LANES);
    const int64_t j = tile / a->n_tiles, first = tile % a->n_tiles * FAIR_LANES;
    SDD_EACH (lane, FAIR_LANES) {
        const int64_t i = first + lane;
        double value = 0.0;
        if (i < a->n) {
            value = a->mass ? a->mass[i] : 1.0;
            value = a->a ? value * a->a[i * a->a_step + j * a->a_stride] : value;
            value = a->b ? value * a->b[i * a->b_step + j * a->b_stride] : value;
        }
        sum[lane] = value;
    }
    SDD_SYNC;
    fair_tree(sum);
    SDD_EACH (lane, 1)
        a->part[tile] = sum[lane];
}
#endif
