/* SPDX-License-Identifier: Apache-2.0 */
/* naive.h: Catmull-Clark and Loop in double precision straight from the rules, level by level, for any manifold mesh.
 *
 * The witness where OpenSubdiv is absent: explicit faces, edges and fans at every level, no formula for any index,
 * nothing shared with the library. Creases by both methods, corners, the three boundary rules, holes, smooth triangles,
 * UVs under faceVaryingLinearInterpolation `all`; there are none under other rules. Slow and plain on purpose. */
#ifndef TESTS_ORACLE_NAIVE_H
#define TESTS_ORACLE_NAIVE_H
#include "tests/oracle/refined.h"
#ifdef __cplusplus
extern "C" {
#endif

struct naive_list { /* rows of varying length: items[first[i] .. first[i + 1]) */
    int32_t *first, *items;
};
struct naive_mesh { /* one level; faces are counter-clockwise */
    int64_t n_vertices, n_faces, n_edges, n_corners;
    int32_t *face_first, *corner_vertex, *corner_edge, *corner_face; /* the edge follows the corner        */
    int32_t *edge_ends, *edge_faces;                                 /* [E][2]; faces[1] < 0: a boundary   */
    double *edge_s, *vertex_s;                                       /* sharpness; 10 is infinite          */
    int chaikin, triangles;                                          /* triangles: scheme loop             */
    unsigned char *hole;
    struct naive_list vertex_edges, vertex_corners;
    double *points, *uvs; /* [V][3], [C][2] or NULL             */
};

void naive_refine(const struct sdd_mesh_desc *desc, const float *points, const float *uvs, int level,
                  struct refined *out);
/* naive_control and naive_step: the control mesh, and the next level of a mesh; vertex v keeps its number. They are all
 * that there is of Loop. */
struct naive_mesh naive_control(const struct sdd_mesh_desc *desc, const float *points, const float *uvs);
struct naive_mesh naive_step(const struct naive_mesh *m, int smooth_triangles);
void naive_free(struct naive_mesh *m);
/* naive_alloc: a mesh of m's counts, all zero; naive_connect makes its lists and edge_faces from corners and ends. */
void naive_alloc(struct naive_mesh *m, int with_uvs);
void naive_connect(struct naive_mesh *m);
/* naive_descend: where vertex v of mesh m and the normal that its ring has there come to after
 * `steps` more steps; only what is within two faces of v is refined. Returns 0 where there is no plane of tangents. */
int naive_descend(const struct naive_mesh *m, int32_t v, int steps, double point[3], double normal[3]);

/* naive_limit: limit points and normals by the rules at level m, in m's own order. */
void naive_limit(const struct naive_mesh *m, double *limits, double *normals, unsigned char *normal_ok);

enum naive_rule { NAIVE_SMOOTH, NAIVE_DART, NAIVE_CREASE, NAIVE_CORNER };
/* naive_vertex_rule: the rule of v, by the sharpness of its edges or (half_s, [E][2] as edge_ends) by that of their
 * halves there; sharp[2] get the first two sharp edges. */
enum naive_rule naive_vertex_rule(const struct naive_mesh *m, const double *half_s, double vertex_s, int32_t v,
                                  int32_t sharp[2]);
int32_t naive_far_end(const struct naive_mesh *m, int32_t edge, int32_t v);

#ifdef __cplusplus
}
#endif
#endif
