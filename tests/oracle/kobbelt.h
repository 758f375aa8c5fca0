/* SPDX-License-Identifier: Apache-2.0 */
/* kobbelt.h: sqrt3 subdivision in double precision straight from Kobbelt 2000: each step puts a vertex into every
 * triangle, joins it to the corners, then flips the old edges; every second step cuts the lines in three. Explicit
 * faces, edges and sides at every level; nothing shared with the library, no formula for a twin. */
#ifndef TESTS_ORACLE_KOBBELT_H
#define TESTS_ORACLE_KOBBELT_H
#include "tests/oracle/refined.h"
#ifdef __cplusplus
extern "C" {
#endif

#define KOBBELT_NONMANIFOLD 20.0 /* sharpness of vertices that are not manifold */

struct kobbelt_edge {
    int32_t ends[2], face[2]; /* the first face runs along it from ends[0]           */
    int n_sides, is_line;     /* is_line: since the pair of steps began              */
    double s;                 /* sharpness, 10 is infinite; boundary edges have it   */
    int32_t border;           /* its number among the boundary edges, -1 inside      */
    int several;              /* several faces of the control mesh use it and share nothing: no boundary to `none` */
};
struct kobbelt { /* one level, numbered as proto/README.md, "Grid order", says */
    int level;
    int64_t V, F, E;
    int32_t (*vert)[3], (*edge)[3]; /* [F], counter-clockwise; the edge after each corner */
    struct kobbelt_edge *edges;     /* [E]; n_sides = 0: there is no such edge           */
    double (*p)[3], *vs;            /* [V]; sharpness of vertices                         */
    int64_t n_borders, n_edges;     /* boundary edges, edges that there are               */
    int32_t *first, *incident;      /* [V + 1], the edges of each vertex                  */
};
void kobbelt_control(const struct sdd_mesh_desc *desc, const float *points, struct kobbelt *out, unsigned char *hole);
void kobbelt_step(const struct kobbelt *m, struct kobbelt *out);
void kobbelt_free(struct kobbelt *m);
/* UVs by corner of the faces. kobbelt_next_uvs: one or two steps after even level m; NAN two steps after a face that
 * uses a vertex twice. Both are the caller's. */
typedef struct kobbelt_uv {
    double at[3][2];
} kobbelt_uv;
kobbelt_uv *kobbelt_first_uvs(const struct sdd_mesh_desc *desc, const float *uvs);
kobbelt_uv *kobbelt_next_uvs(const struct kobbelt *m, const struct kobbelt *to, const kobbelt_uv *uv);
/* kobbelt_refine: a witness (cases.h). */
void kobbelt_refine(const struct sdd_mesh_desc *desc, const float *points, const float *uvs, int level,
                    struct refined *out);
/* kobbelt_limit: of the first n vertices of an even level. */
void kobbelt_limit(const struct kobbelt *m, int64_t n, struct refined *out);

enum kobbelt_rule { KOBBELT_SMOOTH, KOBBELT_CURVE, KOBBELT_FIXED };
/* kobbelt_rule: ends[2] get the neighbours along the curve. */
enum kobbelt_rule kobbelt_rule(const struct kobbelt *m, int32_t v, int32_t ends[2]);
int32_t kobbelt_far(const struct kobbelt *m, int32_t edge, int32_t v);

#ifdef __cplusplus
}
#endif
#endif
