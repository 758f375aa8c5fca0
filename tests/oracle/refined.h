/* SPDX-License-Identifier: Apache-2.0 */
/* refined.h: what a witness (OpenSubdiv or the naive one) says a refined mesh is, in grid order and double precision.
 *
 * The grid order is derived here from its description (proto/README.md, "Grid order"), on purpose without any header
 * of the library: a witness refines with numbers of its own, and grid_walk carries them over by structure - the child
 * of a vertex, of an edge, of a face - so two results compare array to array. Every function ends the process when the
 * structure does not fit, with the reason: a witness that cannot be read is no witness. */
#ifndef TESTS_ORACLE_REFINED_H
#define TESTS_ORACLE_REFINED_H
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
#include "gpu/sdd/sdd.h"

/* Faces leave holes out. uvs is NULL without UVs, limit_uvs too where a witness does not make them. Normals are unit,
 * (0, 0, 0) where undefined (normal_ok). */
struct refined {
    int64_t n_vertices, n_faces;
    int size;                          /* corners of a face: 4, or 3 under scheme loop */
    double *points, *limits, *normals; /* [n_vertices][3]              */
    unsigned char *normal_ok;          /* [n_vertices]                 */
    double *tangents;                  /* [n_vertices][6] of the limit, unit, NaN: no one answer; NULL: no answers */
    uint32_t *faces;                   /* [n_faces][size]              */
    double *uvs, *limit_uvs;           /* [n_faces][size][2], NaN: the witness cannot say */
};
void refined_free(struct refined *r);

/* The control mesh as the grid order needs it: corners in reading order (a left-handed face a b c d reads a d c b). */
struct grid {
    int64_t n_vertices, n_faces, n_corners, n_edges;
    int triangles;        /* scheme loop                                 */
    int32_t *first;       /* [F + 1]                                     */
    int32_t *vertices;    /* [C]                                         */
    int32_t *authored;    /* [C] the corner of the description it was    */
    int32_t *corner_face; /* [C]                                         */
    int32_t *edge;        /* [C] of the edge that follows the corner     */
    int32_t *ends;        /* [E][2] lower, higher                        */
};
void grid_init(struct grid *g, const struct sdd_mesh_desc *desc);
void grid_fini(struct grid *g);
int64_t grid_n_vertices(const struct grid *g, int level);
/* grid_vertex: the id of point (i, j), 0 <= i, j <= 2^(level - 1), of the level-1 quad of corner c. */
uint32_t grid_vertex(const struct grid *g, int level, int64_t c, int64_t i, int64_t j);

/* One level of a witness, in its own numbers. A face's children stand in the order of its corners. */
struct walk_level {
    const int32_t *face_first;   /* [F + 1] of the parent level       */
    const int32_t *face_verts;   /* parent corners                    */
    const int32_t *face_child;   /* child face at each parent corner  */
    const int32_t *vertex_child; /* [V] of the parent level           */
    const int32_t *child_verts;  /* [child faces][4]                  */
};
struct grid_walk {
    const struct grid *grid;
    int level; /* 0 before the first step */
    int64_t n_rows;
    int32_t *face;       /* [n_rows] the witness's face for row c m m + j m + i           */
    unsigned char *turn; /* [n_rows] its corner that is the row's first                   */
    int32_t *image;      /* [V] the witness's vertex for each control vertex              */
};
void grid_walk_init(struct grid_walk *w, const struct grid *g);
void grid_walk_step(struct grid_walk *w, const struct walk_level *level);
/* grid_walk_map: grid id -> the witness's vertex. face_verts are the last step's child_verts. The caller frees. */
int32_t *grid_walk_map(const struct grid_walk *w, const int32_t *face_verts, int64_t n_vertices);
void grid_walk_fini(struct grid_walk *w);

/* Scheme loop: point (i, j), 0 <= i + j <= 2^level, seen from corner c: i along the edge after it, j along the one
 * before. tri_cell: the three points of face `row` of a triangle, so seen from its first corner. */
uint32_t tri_vertex(const struct grid *g, int level, int64_t c, int64_t i, int64_t j);
void tri_cell(int level, int64_t row, int64_t at[3][2]);

double refined_diagonal(const double *points, int64_t n);  /* of the bounding box */
double refined_magnitude(const double *points, int64_t n); /* the largest coordinate */
/* refined_normal: the unit normal of two tangents; 0 where they have collapsed, so that the rounding to float of
 * coordinates of that magnitude would decide. */
int refined_normal(const double s[3], const double t[3], double magnitude, double out[3]);

void *xalloc(int64_t n, size_t size); /* zeroed; ends the process when memory is out */
void oracle_die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

#ifdef __cplusplus
}
#endif
#endif
