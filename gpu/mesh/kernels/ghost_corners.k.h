/* SPDX-License-Identifier: Apache-2.0 */
/* ghost_corners: one ghost corner for each boundary edge, so that the surface is closed (edge-friend paper, 3.5).
 * Shapes  border[B] u32 (corners on the boundary), rank[C] i32 (their inclusive scan), faces, vert, edge, twin
 *         [C + B] u32 -> rows [C, C + B) of vert, edge, twin, twin of the border corners, next, prev, label [B] u32
 * Shape   item, n = B      Cost  a walk of the vertex's fan
 * Result  ghost corner C + g runs along border[g]'s edge the other way; next is the ghost that begins where it ends;
 *         label[g] = g starts the search for loops (ghost_jump)
 * Source  Kuth et al. 2023, section 3.5      Threads any queue */
#ifndef SDD_K_GHOST_CORNERS_H
#define SDD_K_GHOST_CORNERS_H
#include "gpu/grid/faces.h"

struct ghost_corners_args {
    const uint32_t *border;
    const int32_t *rank;
    const uint32_t *real_twin; /* [C], SDD_NONE on the boundary: stays unchanged */
    struct sdd_faces faces;
    uint32_t *vert, *edge, *twin;
    uint32_t *next, *prev; /* [B] */
    uint32_t *label, *jump;
    uint32_t n_corners;
};

SDD_FN void k_ghost_corners(int64_t g, const struct ghost_corners_args *a)
{
    uint32_t c = a->border[g], ghost = a->n_corners + (uint32_t)g;
    a->vert[ghost] = a->vert[sdd_next(&a->faces, c)];
    a->edge[ghost] = a->edge[c];
    a->twin[ghost] = c;
    a->twin[c] = ghost;
    /* the border corner whose edge ends at c's vertex: turn around that vertex from c */
    uint32_t p = sdd_prev(&a->faces, c), across;
    while ((across = a->real_twin[p]) != SDD_NONE)
        p = sdd_prev(&a->faces, across);
    uint32_t after = (uint32_t)a->rank[p] - 1;
    a->next[g] = a->n_corners + after;
    a->prev[after] = ghost;
    a->label[g] = (uint32_t)g;
    a->jump[g] = after;
}
#endif
