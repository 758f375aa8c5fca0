/* SPDX-License-Identifier: Apache-2.0 */
/* table_class.h: the dense table of one class of quads under Catmull-Clark. What refines to points inside a quad is a
 * fixed linear map of the K points around it, whatever mesh it stands in: made here in double, rounded once. */
#ifndef SDD_TABLE_CLASS_H
#define SDD_TABLE_CLASS_H
#include "gpu/sdd/sdd.h"

#define TABLE_MAX_VALENCE 32
#define TABLE_MAX_CLASSES 4096              /* of a mesh */
#define TABLE_MAX_FLOATS ((int64_t)8 << 20) /* of its tables of one level */

/* What surrounds a quad of a level on which all faces are quads and at most its first and its third corner are
 * extraordinary. The quads around the first corner ("vertex") form one fan, counted counterclockwise; edge i of the fan
 * comes before quad i, so quad i lies between edges i and i + 1 (closed: modulo n). Nothing is sharp but the vertex and
 * the fan's edges, each as sharp beyond its far end as before it; no boundary is near but the open fan's own. */
struct table_class {
    int32_t n; /* quads of the fan, 1 .. TABLE_MAX_VALENCE                                                          */
    int32_t k; /* quads around the third corner (the point of a control face of k corners), 3 .. TABLE_MAX_VALENCE  */
    int32_t open; /* 1: the fan ends on both sides, with n + 1 edges, the first and the last being boundaries; else 0 */
    int32_t own;  /* the quad's place in the fan; 0 where it is closed                                               */
    int several;  /* 1: other fans meet at the vertex too */
    float vertex; /* sharpness on this level, 0 .. 10 (10: infinite, never decays)                                   */
    float
        edge[TABLE_MAX_VALENCE + 1]; /* of the n + open edges, likewise; boundaries have 10 whatever is written       */
};

/* table_refuse: SDD_EUNSUPPORTED: for such a mesh tables do not pay, or cannot be. */
int table_refuse(struct sdd_error *err, const char *why);

/* table_class_of: from its numbers, sdd_table_words of kernels/table_ring_quad.h. */
struct table_class table_class_of(const float *words);

/* table_class_columns: K. Let the quad be [0, 1]^2 with the vertex at (0, 0), (1, 0) the far end of edge `own` and (0, 1)
 * that of the next; the face around the third corner has corners v0 (the vertex), v1, .. and middles of edges e0
 * (between v0 and v1), e1, ... The columns, with E = n + open:
 *   0               the vertex
 *   1 + i           the far end of edge i, i < E
 *   1 + E + i       the point of quad i across from the vertex, i < n; that of `own` is the third corner
 *   2 k - 3 points  v1 at (2, 0), e1 at (2, 1), v2, e2, .. e(k-2) at (1, 2), v(k-1) at (0, 2)
 *   (2, -1)         unless edge `own` is a boundary
 *   (-1, 2)         unless the next edge is one
 * Points that are one in the mesh (fans of one or two quads) keep a column each. */
int table_class_columns(const struct table_class *c);

/* table_class_table: the points `steps` levels on, with side = 2^steps; limit: the limit points of those. t1, t2, unless
 * NULL: what leads away from those points, along x and y more or less, times side, so that t1 x t2 has the direction of
 * the normal that mesh-matrix makes there: the limit surface's where it has one, else the sum over the faces around.
 * Shapes  out, t1, t2 [K][rows] f32, rows = (side + 1)^2: row y (side + 1) + x is the point at (x, y) / side; rows of
 *         t1 and t2 sum to zero
 * Cost    16 K (side + 3)^2 bytes meanwhile; about 12 K (side + 2)^2 additions and multiplications in double, three
 *         times as many with t1 and t2
 * Errors  SDD_ENO_MEMORY
 * Source  Catmull and Clark 1978; Halstead et al. 1993; OpenSubdiv's semi-sharp rules (kernels/crease_rule.h)
 * Threads any */
int table_class_table(const struct table_class *c, int steps, int limit, float *out, float *t1, float *t2,
                      struct sdd_error *err) SDD_MUST_CHECK;

/* table_class_shared: at which corners of the quad t1 x t2 is but the quad's own part of a sum over all that meet there:
 * bit 0 the first, bit 1 the third. */
int table_class_shared(const struct table_class *c, int steps, int limit);

#endif
