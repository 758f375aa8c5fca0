/* SPDX-License-Identifier: Apache-2.0 */
/* ghost_corners: makes one ghost corner for each boundary edge, so that the surface is closed.
 * Shapes  border[B] u32 (corners on the boundary), rank[C] i32 (the inclusive scan of their flags), faces, vert, edge,
 *         twin [C + B] u32 -> rows [C, C + B) of vert, edge, twin, twin of the border corners, next, prev, label, jump
 *         [B] u32
 * Launch  item, n = B
 * Cost    a walk of the vertex's fan
 * Result  Ghost corner C + g runs along border[g]'s edge the other way; next is the ghost that begins where it ends.
 *         label[g] = g and jump start the search for boundary loops (ghost_jump).
 * Threads any queue
 * Source  Kuth et al. 2023, section 3.5 */
#ifndef SDD_K_GHOST_CORNERS_H
#define SDD_K_GHOST_CORNERS_H
#include "gpu/grid/faces.h"

struct ghost_corners_args {
    const uint32_t *border;
    const int32_t *rank;
    const uint32_t *real_twin; /* Shape [C], SDD_NONE on the boundary; it stays as it is. */
    struct sdd_faces faces;
    uint32_t *vert, *edge, *twin;
    uint32_t *next, *prev; /* Shape [B]. */
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
    /* Walks around c's vertex to the border corner whose edge ends there. */
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
