/* SPDX-License-Identifier: Apache-2.0 */
/* table_tri_class.h: the dense table of one class of level-1 triangles under Loop, as table_class.h has those of quads
 * under Catmull-Clark. */
#ifndef SDD_TABLE_TRI_CLASS_H
#define SDD_TABLE_TRI_CLASS_H
#include "gpu/engines/tabulated/class.h"

/* What surrounds one of the four triangles that a control triangle makes on level 1. Three have one of its corners: the
 * fan of triangles around that is a table_class (whose k is not looked at); the fourth, the middle one, has three points
 * of control edges, each as sharp beyond as before it. Nothing else near is irregular. */
struct table_tri_class {
    int32_t turn;           /* which of the corners it has, 0 .. 2; 3: the middle one */
    struct table_class fan; /* unless it is the middle one                           */
    float edge[3];          /* of the middle one: sharpness on level 1 of the control edge after corner i, .. */
    int32_t has_across[3];  /* .. and is there a triangle across? Boundaries have 10 whatever is written     */
};

/* table_tri_columns: K. With the triangle at a corner the columns are, on the lattice whose places (0, 0), (1, 0), (0, 1)
 * are its corners, counterclockwise, the fan's vertex at (0, 0), E = n + open:
 *   0         the vertex
 *   1 + i     the far end of edge i, i < E: (1, 0) is that of edge `own`
 *   3 points  (2, 0), (1, 1), (0, 2)
 *   (2, -1)   unless edge `own` is a boundary
 *   (-1, 2)   unless the next edge is one
 * and of the middle one, of which corner i is on the control edge after corner i of the control triangle:
 *   6 points  its corners, then those of the control triangle: (-1, 1), (1, -1), (1, 1)
 *   2 points  across each edge that has a triangle there: (-1, 0), (0, -1); (2, -1), (2, 0); (0, 2), (-1, 2)
 * Points that are one in the mesh keep a column each. */
int table_tri_columns(const struct table_tri_class *c);

/* table_tri_pairs: of how many products the normals of the class are sums at most: 1, or 2 where a sum over the faces
 * around takes the place of masks. */
int table_tri_pairs(const struct table_tri_class *c, int steps, int limit);
/* table_tri_shared: is the normal of the fan's vertex but the piece's own part of a sum over all that meet there? */
int table_tri_shared(const struct table_tri_class *c, int steps, int limit);

/* table_tri_table: the points `steps` levels on, of a side of h = 2^steps; limit: the limit points of those. away, unless
 * NULL: what leads away from those points, times h: for each pair t1, then t2, so that the sum of t1 x t2 has the
 * direction of the normal that mesh-matrix makes there: the limit surface's where it has one, else the sum over the
 * faces around.
 * Shapes  out[K][rows] f32, away[2 pairs][K][rows] f32, those of kernels/table_tri_pieces.h, zeros in the
 *         place of the middle one's sides; rows of `away` sum to zero
 * Cost    16 K (h + 4)^2 bytes meanwhile; about 4 K (h + 4)^2 additions and multiplications in double
 * Errors  SDD_ENO_MEMORY
 * Source  Loop 1987; OpenSubdiv's semi-sharp rules (table_rule.h) and limit tangents (sdc/loopScheme.h)
 * Threads any */
int table_tri_table(const struct table_tri_class *c, int steps, int limit, float *out, float *away,
                    struct sdd_error *err) SDD_MUST_CHECK;

#endif
