/* SPDX-License-Identifier: Apache-2.0 */
/* class.h: the dense table of one class of level-1 quads under Catmull-Clark. The points inside a quad are a fixed
 * linear map of the K points around it, whatever mesh it belongs to. Tables are computed in double and rounded once. */
#ifndef SDD_TABULATED_CLASS_H
#define SDD_TABULATED_CLASS_H
#include "gpu/sdd/sdd.h"

#define TABLE_MAX_VALENCE 32
#define TABLE_MAX_CLASSES 4096              /* The most classes of one mesh. */
#define TABLE_MAX_FLOATS ((int64_t)8 << 20) /* The most numbers in the tables of one mesh and level. */

/* What surrounds a quad of a level on which all faces are quads, and on which at most the first and the third corner of
 * the quad are extraordinary. The quads around its first corner, the vertex, form a fan. They are numbered
 * counterclockwise, and so are the edges of the fan: quad i lies between edges i and i + 1, modulo n in a closed fan.
 * Only the vertex and the edges of the fan may be sharp, and each edge is as sharp beyond its far end as before it. No
 * boundary is near except those of the fan itself. */
struct table_class {
    int32_t n; /* The number of quads in the fan, 1 to TABLE_MAX_VALENCE. */
    /* The number of quads around the third corner, 3 to TABLE_MAX_VALENCE. That corner is the point of a control face
     * of k corners. */
    int32_t k;
    int32_t open; /* 1 for a fan with n + 1 edges, the first and the last being boundaries; 0 for a closed fan. */
    int32_t own;  /* The number of the quad itself in the fan; 0 in a closed fan. */
    int several;  /* 1 if other fans meet at the vertex too. */
    float vertex; /* The sharpness of the vertex on this level, 0 to 10. At 10 it is infinite and never decays. */
    /* The sharpness of the n + open edges on this level. Tables take boundaries as 10, whatever is written here. */
    float edge[TABLE_MAX_VALENCE + 1];
};

/* table_refuse: fails with SDD_EUNSUPPORTED and says why the mesh can have no tables or would gain nothing from
 * them. */
int table_refuse(struct sdd_error *err, const char *why);

/* table_class_of: a class from its numbers, which sdd_table_words of kernels/table_ring_quad.dev.h writes. */
struct table_class table_class_of(const float *words);

/* table_class_columns: K, the number of columns. Let the quad be [0, 1]^2 with the vertex at (0, 0), the far end of
 * edge `own` at (1, 0) and that of the next edge at (0, 1). Let the face around the third corner have the corners v0
 * (the vertex), v1, ... and the middles of edges e0 (between v0 and v1), e1, ... With E = n + open the columns are:
 *   0               the vertex
 *   1 + i           the far end of edge i, i < E
 *   1 + E + i       the corner of quad i opposite the vertex, i < n; that of quad `own` is the third corner
 *   2 k - 3 points  v1 at (2, 0), e1 at (2, 1), v2, e2, ... e(k-2) at (1, 2), v(k-1) at (0, 2)
 *   (2, -1)         unless edge `own` is a boundary
 *   (-1, 2)         unless the next edge is a boundary
 * A point that the mesh has in several of these positions (in fans of one or two quads) has a column for each. */
int table_class_columns(const struct table_class *c);

/* table_class_table: the points of the quad after `steps` steps of refinement, or their limits if `limit` is set. With
 * side = 2^steps, t1 and t2 give vectors at these points, roughly along x and y and times side. t1 x t2 has the
 * direction of the normal that mesh-matrix makes there: of the normal of the limit surface where it has one, else of
 * the sum over the faces around the point (table_class_shared tells where it is only part of that sum). t1 and t2 may
 * both be NULL.
 * Shapes  out, t1, t2 [K][rows] f32, rows = (side + 1)^2; row y (side + 1) + x is the point at (x, y) / side; over the
 *         K columns, each row of t1 and t2 sums to zero
 * Cost    16 K (side + 3)^2 bytes of scratch; about 12 K (side + 2)^2 additions and multiplications in double, and
 *         three times as many with t1 and t2
 * Errors  SDD_ENO_MEMORY
 * Source  Catmull and Clark 1978; Halstead et al. 1993; OpenSubdiv's semi-sharp rules (gpu/rules/crease_rule.h)
 * Threads any */
int table_class_table(const struct table_class *c, int steps, int limit, float *out, float *t1, float *t2,
                      struct sdd_error *err) SDD_MUST_CHECK;

/* table_class_shared: at which corners of the quad t1 x t2 is only this quad's part of a sum over all faces that meet
 * there. Bit 0 is the first corner, bit 1 the third. */
int table_class_shared(const struct table_class *c, int steps, int limit);

#endif
