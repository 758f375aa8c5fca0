/* SPDX-License-Identifier: Apache-2.0 */
/* grid_frame.h: the rows of many points of one level-1 quad. A grid frame holds what sdd_grid_number would look up for
 * each point, so that picking a row reads no memory. */
#ifndef SDD_GRID_FRAME_H
#define SDD_GRID_FRAME_H
#include "gpu/grid/grid.h"

/* Rows are linear in x and y along each side and inside, for 0 <= x, y <= m. */
struct sdd_grid_frame {
    /* Point (x, y) inside the quad has row inside + y along + x. */
    uint32_t inside, along;
    /* The sides have rows bottom + x at (x, 0), left + y at (0, y), right - y at (m, y) and top - x at (x, m). */
    uint32_t bottom, left, right, top;
    uint32_t v00, vm0, vmm, v0m; /* The rows of the corners (0, 0), (m, 0), (m, m) and (0, m). */
    int32_t m;
};

/* The row of a point inside the quad. */
SDD_FN uint32_t sdd_grid_frame_inner(const struct sdd_grid_frame *f, int32_t x, int32_t y)
{
    return f->inside + (uint32_t)y * f->along + (uint32_t)x;
}

/* A grid frame for the points inside the quad alone. */
SDD_FN struct sdd_grid_frame sdd_grid_frame_inside(const struct sdd_grid *g, uint32_t c)
{
    struct sdd_grid_frame f;
    f.m = 1 << (g->level - 1);
    f.along = (uint32_t)(f.m - 1);
    f.inside = sdd_grid_inside(g, c, 0, 0);
    f.bottom = f.left = f.right = f.top = f.v00 = f.vm0 = f.vmm = f.v0m = 0;
    return f;
}

/* Adds the points on the quad's sides to the frame. */
SDD_FN void sdd_grid_frame_sides(struct sdd_grid_frame *f, const struct sdd_grid *g, uint32_t c)
{
    uint32_t n = sdd_next(&g->faces, c), p = sdd_prev(&g->faces, c), own = g->edge[c], before = g->edge[p];
    uint32_t middles = g->n_vertices + g->n_faces, lines = middles + g->n_edges - 1, spokes = 2 * g->n_edges;
    f->v00 = g->vert[c];
    f->vm0 = middles + own;
    f->v0m = middles + before;
    f->vmm = g->n_vertices + sdd_face(&g->faces, c);
    f->bottom = lines + (2 * own + (f->v00 > g->vert[n])) * f->along;
    /* They are equal at a collapsed edge, as in sdd_grid_number. */
    f->left = lines + (2 * before + (f->v00 >= g->vert[p])) * f->along;
    f->right = lines + (spokes + c) * f->along + (uint32_t)f->m;
    f->top = lines + (spokes + p) * f->along + (uint32_t)f->m;
}

/* The row of any point (x, y); the frame must have its sides. */
SDD_FN uint32_t sdd_grid_frame_row(const struct sdd_grid_frame *f, int32_t x, int32_t y)
{
    if ((uint32_t)(x - 1) < f->along && (uint32_t)(y - 1) < f->along)
        return sdd_grid_frame_inner(f, x, y);
    if (y == 0)
        return x == 0 ? f->v00 : x == f->m ? f->vm0 : f->bottom + (uint32_t)x;
    if (x == 0)
        return y == f->m ? f->v0m : f->left + (uint32_t)y;
    if (x == f->m)
        return y == f->m ? f->vmm : f->right - (uint32_t)y;
    return f->top - (uint32_t)x;
}
#endif
