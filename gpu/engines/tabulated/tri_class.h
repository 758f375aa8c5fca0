/* SPDX-License-Identifier: Apache-2.0 */
/* tri_class.h: the dense table of one class of level-1 triangles under Loop. class.h does the same for quads under
 * Catmull-Clark. */
#ifndef SDD_TABULATED_TRI_CLASS_H
#define SDD_TABULATED_TRI_CLASS_H
#include "gpu/engines/tabulated/class.h"

/* What surrounds one of the four triangles that a control triangle has on level 1. Three of them have a control vertex
 * at a corner, and the fan of triangles around that is a table_class whose k is not used. The corners of the fourth,
 * the middle triangle, are the points of the three control edges, and each edge is as sharp beyond its point as before
 * it. Nothing else that is near is irregular. */
struct table_tri_class {
    int32_t corner;         /* The corner of the control triangle that this one has, 0 to 2; 3 for the middle one. */
    struct table_class fan; /* The fan around that corner; zeros for the middle triangle. */
    /* Only the middle triangle uses the next two. */
    float edge[3];         /* The sharpness on level 1 of the control edge after corner i; a boundary counts as 10. */
    int32_t has_across[3]; /* 1 if there is a triangle across that edge; 0 if it is a boundary. */
};

/* table_tri_columns: K, the number of columns. They are points of a lattice on which the triangle has its corners at
 * (0, 0), (1, 0) and (0, 1), counterclockwise. For a triangle at a control vertex, which lies at (0, 0), the columns
 * are, with E = n + open:
 *   0         the vertex
 *   1 + i     the far end of edge i, i < E; that of edge `own` lies at (1, 0)
 *   3 points  (2, 0), (1, 1), (0, 2)
 *   (2, -1)   unless edge `own` is a boundary
 *   (-1, 2)   unless the next edge is a boundary
 * Corner i of the middle triangle is the point of the control edge after corner i of the control triangle. Its columns
 * are:
 *   6 points  its corners, then those of the control triangle: (-1, 1), (1, -1), (1, 1)
 *   2 points  across each edge that has a triangle there: (-1, 0), (0, -1); (2, -1), (2, 0); (0, 2), (-1, 2)
 * A point that the mesh has in several of these positions has a column for each. */
int table_tri_columns(const struct table_tri_class *c);

/* table_tri_pairs: of how many cross products the normals of the class are the sum, at most: 1, or 2 if at some points
 * a sum over several faces takes the place of the masks of the limit surface. */
int table_tri_pairs(const struct table_tri_class *c, int steps, int limit);
/* table_tri_shared: whether the normal at the control vertex is only this triangle's part of a sum over all faces that
 * meet there. */
int table_tri_shared(const struct table_tri_class *c, int steps, int limit);

/* table_tri_table: the points of the triangle after `steps` steps of refinement, or their limits if `limit` is set.
 * With h = 2^steps cells along a side, away gives vectors at these points, times h: t1 and then t2 of each pair. The
 * sum of t1 x t2 over the pairs has the direction of the normal that mesh-matrix makes there: of the normal of the
 * limit surface where it has one, else of the sum over the faces around the point. away may be NULL.
 * Shapes  out[K][rows] f32, away[2 pairs][K][rows] f32, with the rows of kernels/table_tri_pieces.dev.h; over the K
 *         columns, each row of `away` sums to zero; rows of sides are not written for the middle triangle, so the
 *         caller clears both
 * Cost    16 K (h + 4)^2 bytes of scratch; about 4 K (h + 4)^2 additions and multiplications in double
 * Errors  SDD_ENO_MEMORY
 * Source  Loop 1987; OpenSubdiv's semi-sharp rules (rule.h) and limit tangents (sdc/loopScheme.h)
 * Threads any */
int table_tri_table(const struct table_tri_class *c, int steps, int limit, float *out, float *away,
                    struct sdd_error *err) SDD_MUST_CHECK;

#endif
