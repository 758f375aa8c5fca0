/* SPDX-License-Identifier: Apache-2.0 */
/* wild.h: Catmull-Clark and bilinear subdivision of any polygon mesh, manifold or not, in double precision, straight
 * from the rules, with explicit faces and edges at every level: the oracle of the mesh-matrix kernels. Connectivity and
 * sharpness of the control mesh are odd.h's; grid rows come from the grid order in words (tests/oracle/refined.h), by
 * following each level-1 quad down. Nothing is shared with gpu/ but the structs of arguments. */
#ifndef TESTS_WILD_H
#define TESTS_WILD_H
#include "gpu/grid/interleave.h"
#include "gpu/grid/quad_location.h"
#include "tests/kernels/nonmanifold.h"

/* One level. Edge ends of a quad: ends[0] is the lower vertex at level 0, the older one later. */
struct wild {
    int level;
    int64_t V, F, E, C;
    int32_t *first, *vert, *edge, *face; /* [F + 1], [C], [C] the edge after the corner, [C]             */
    int32_t (*ends)[2], (*sides)[2];     /* [E] vertices; two of its faces, the second -1 where it has one */
    uint32_t *kind;                      /* [E] enum wild_edge_kind, from the control edge                     */
    int32_t *control_edge;               /* [E] that it is part of, -1                                   */
    double *edge_s, *vert_s, *p;         /* [E], [V], [V][3]                                             */
    int32_t *home, (*at)[4][2];          /* [F] the control corner, grid places (level > 0)              */
    int32_t *row;                        /* [V] in grid order; vertices of level 0 keep their numbers    */
};
struct wild_case { /* a control mesh and what kernels get of it */
    const struct poly *p;
    struct brute b;
    struct odd o;
    double magnitude;
    int smooth_triangles, linear, edge_sharp, vert_sharp; /* the last two: has it any?                   */
};
void wild_case_init(struct wild_case *k, const struct poly *p, int linear);
void wild_case_fini(struct wild_case *k);

void wild_control(const struct wild_case *k, struct wild *w);
void wild_next(const struct wild_case *k, const struct wild *w, struct wild *to);
void wild_fini(struct wild *w);
/* wild_limits: of the vertices of a level of quads. normal_ok: is there a tangent plane by the rules? At edges that are
 * not manifold normals are those of the edge's first face; at such vertices there are none. In the level's numbers. */
struct wild_limits {
    double *p, *normal;       /* [V][3]                                            */
    unsigned char *normal_ok; /* [V] 1: yes; 2: there is one, but rounding hides it */
};
void wild_limits(const struct wild_case *k, const struct wild *w, struct wild_limits *out);

/* The level's points in grid order, rounded; the caller frees. wild_upload: the control mesh as kernels want it;
 * arrays of zeros where no_arrays is 0 and nothing is sharp. */
float *wild_points(const struct wild *w);
/* wild_ruled: what feature_vertices says of each vertex; the caller frees. */
unsigned char *wild_ruled(const struct wild_case *k);
struct sdd_control wild_upload(const struct wild_case *k, int no_arrays);
/* wild_check_rows: rows [begin, end) are `want`'s, the others as they were `before`. */
struct wild_rows {
    const double *want; /* [n][3] */
    int64_t n, begin, end;
    int level;
};
void wild_check_rows(const struct wild_case *k, const struct wild_rows *rows, const char *kernel, const float *got,
                     const float *before);
/* wild_most: the largest valence or face size, at least 6. wild_upload_angles: cos and sin of 2 pi / n, for n up to
 * twice that. */
int64_t wild_most(const struct wild_case *k);
const struct sdd_float2 *wild_upload_angles(const struct wild_case *k);
/* wild_interleave: how many items walk over both lists, cut in one way or another. */
int64_t wild_interleave(int64_t n_a, int64_t n_b, struct sdd_interleave *out);

#endif
