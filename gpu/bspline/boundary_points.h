/* SPDX-License-Identifier: Apache-2.0 */
/* boundary_points.h: makes those of the 4 x 4 points of a bicubic patch that lie beyond its open sides, at which the
 * surface ends. They are 2 P(edge) - P(inner), so that the patch ends in the boundary curve, as OpenSubdiv's patches
 * do. */
#ifndef SDD_BOUNDARY_POINTS_H
#define SDD_BOUNDARY_POINTS_H
#include "gpu/kernel/kernel.h"

/* Is point k = 4 y + x beyond one of the `open` sides, whose bits 0 to 3 stand for y = 0, x = 3, y = 3 and x = 0? Then
 * *dx and *dy become the steps back to the patch along x and y, where `next` is the step to the next point along x. */
SDD_FN int sdd_is_boundary_point(uint32_t open, int32_t k, int32_t next, int32_t *dx, int32_t *dy)
{
    int32_t x = k % 4, y = k / 4;
    *dx = x == 0 && (open & 8) ? next : x == 3 && (open & 2) ? -next : 0;
    *dy = y == 0 && (open & 1) ? 4 * next : y == 3 && (open & 4) ? -4 * next : 0;
    return *dx != 0 || *dy != 0;
}

/* Returns a component of such a point, which belongs at p, from those of the points inside. All four rotations of the
 * patch give the same bits. */
SDD_FN float sdd_boundary_points(const float *p, int32_t dx, int32_t dy)
{
    const float *edge = p + dx + dy, *inner = edge + dx + dy;
    if (dx == 0 || dy == 0)
        return 2.0f * *edge - *inner;
    return 2.0f * (2.0f * *edge - (edge[dx] + edge[dy])) + *inner;
}
#endif
