/* SPDX-License-Identifier: Apache-2.0 */
/* spla_vertex_weights: the maps of the vertex update, val_i -> a weight that depends on the vertex's valence n_i.
 * Shapes  rows of the mesh matrix (a column for each vertex); beta[n_beta] (loop_rule.h, or NULL for Catmull-Clark) ->
 *         own[V], others[V] f64
 * Launch  item, n = V
 * Cost    8 B read, 16 B written
 * Result  Catmull-Clark gives 1 - 2 / n and 1 / n^2, Loop 1 - n beta and beta; a vertex without faces gets 1 and 0.
 *         Valences beyond the table are those of new vertices: 6, or those of a boundary, which is mended.
 * Threads any queue
 * Source  Mlakar 2018, equations 4.11, 4.29 */
#ifndef SDD_K_SPLA_VERTEX_WEIGHTS_H
#define SDD_K_SPLA_VERTEX_WEIGHTS_H
#include "gpu/engines/spla/kernels/spla.dev.h"

struct spla_vertex_weights_args {
    struct sdd_spla rows;
    const struct sdd_float2 *beta;
    double *own, *others;
    int32_t n_beta;
};

SDD_FN void k_spla_vertex_weights(int64_t v, const struct spla_vertex_weights_args *a)
{
    int32_t faces = sdd_spla_size(&a->rows, (uint32_t)v);
    double n = (double)faces, own = 1.0, others = 0.0;
    if (faces > 0 && a->beta) {
        others = faces < a->n_beta ? (double)a->beta[faces].s[0] : 0.0625;
        own = 1.0 - n * others;
    } else if (faces > 0) {
        others = 1.0 / (n * n);
        own = 1.0 - 2.0 / n;
    }
    a->own[v] = own;
    a->others[v] = others;
}
#endif
