/* SPDX-License-Identifier: Apache-2.0 */
/* ef_last: the last step, which makes points only, straight into grid order. Ghosts and unused slots write nothing.
 * Shapes  level L - 1: F quads, N slots -> out[n][3] f32, n grid points of level L
 * Launch  item, n = max(F, N)
 * Cost    about 60 B read (cached neighbours), 48 B written a quad and its vertex
 * Result  Every grid point except those of isolated control vertices is written exactly once.
 * Threads any queue */
#ifndef SDD_K_EF_LAST_H
#define SDD_K_EF_LAST_H
#include "gpu/engines/edge_friend/kernels/ef_level.dev.h"
#include "gpu/grid/grid.h"

struct ef_last_args {
    struct ef_level from;
    struct sdd_grid grid; /* The grid of level from.level + 1. */
    float *out;
    uint32_t n_real_quads;
};

/* The row of the middle of side k of a quad that lies at p, on a grid of two units a side. */
SDD_FN uint32_t sdd_side_row(const struct ef_last_args *a, struct sdd_grid_cell p, uint32_t k)
{
    uint32_t s = 2 * ((k + (uint32_t)p.rotation) & 3);
    int32_t x = 0x19 >> s & 3, y = 0x64 >> s & 3; /* Sides 0 to 3 have (1, 0), (2, 1), (1, 2) and (0, 1). */
    return sdd_grid_point(&a->grid, p.corner, 2 * p.x + x, 2 * p.y + y);
}

SDD_FN void k_ef_last(int64_t i, const struct ef_last_args *a)
{
    const struct ef_level *l = &a->from;
    uint32_t v = (uint32_t)i;
    sdd_prefetch_tasks(l, v);
    if (v < l->n_quads) {
        struct ef_quad_points r = sdd_quad_task(l, v);
        if (v < a->n_real_quads) {
            struct sdd_grid_cell p = sdd_grid_cell_of(v, l->level);
            sdd_put_vec3(a->out, sdd_grid_inside(&a->grid, p.corner, 2 * p.x + 1, 2 * p.y + 1), r.face);
            sdd_put_vec3(a->out, sdd_side_row(a, p, 1), r.edge[0]);
            sdd_put_vec3(a->out, sdd_side_row(a, p, 3), r.edge[1]);
        } else {
            for (int32_t k = 0; k < 2; k++) { /* A ghost computes the edge for its real friend. */
                uint32_t g = r.friends.g[k];
                if (g >> 1 < a->n_real_quads)
                    sdd_put_vec3(a->out, sdd_side_row(a, sdd_grid_cell_of(g >> 1, l->level), 2 * (g & 1)), r.edge[k]);
            }
        }
    }
    if (v < l->n_slots) {
        struct sdd_slot s = sdd_slot_at(l, v);
        if (s.loop != SDD_NONE && s.loop >> 2 < a->n_real_quads) {
            struct sdd_grid_cell p = sdd_grid_cell_of(s.loop >> 2, l->level);
            int32_t k = (int32_t)(s.loop & 3) + p.rotation;
            sdd_put_vec3(a->out, sdd_grid_point(&a->grid, p.corner, 2 * p.x + ((k + 1) & 2), 2 * p.y + (k & 2)),
                         sdd_vertex_task(l, v, s));
        }
    }
}
#endif
