/* SPDX-License-Identifier: Apache-2.0 */
/* sdd_fields.h: values at the vertices of a mesh that follow from its neighbours: normals, curvatures and distances;
 * and smoothing. sdd.h says what holds for every call. Sums are gathered in the order of rows, in double precision, so
 * they have the same bits on every backend and for any number of threads. Where a rule needs triangles, a polygon is
 * cut from its corner 0. */
#ifndef SDD_SDD_FIELDS_H
#define SDD_SDD_FIELDS_H
#include "sdd.h"

/*   normals   [V][3] of length 1: each corner's cross product over the squared lengths of its two edges (Max 1999);
 *             0 0 0 where there is none
 *   gaussian  [V] the angle defect: 2 pi less the angles around a vertex, pi less them on a boundary
 *   mean      [V] the cotangent Laplacian of the points along the normal, over twice the vertex's third of the area
 *             around it: positive on a sphere
 *   geodesic  [V] the distance over the surface from the nearest source, by Jacobi rounds over triangles until nothing
 *             changes by more than 1e-6 of itself; +inf where no source reaches
 * Vertices without faces have 0, but for geodesic. */
enum sdd_field { SDD_FIELD_NORMALS, SDD_FIELD_GAUSSIAN, SDD_FIELD_MEAN, SDD_FIELD_GEODESIC, SDD_N_FIELDS };
const char *sdd_field_name(int field); /* "normals" of SDD_FIELD_NORMALS; NULL for what is no field. */
/* sdd_field_find: the field of that name.
 * Errors  SDD_EQUERY, which lists the names */
int sdd_field_find(const char *name, int *out, struct sdd_error *err) SDD_MUST_CHECK;
struct sdd_field_request {
    int what;               /* A value of enum sdd_field. */
    const int64_t *sources; /* Shape [n_sources]: vertices, of geodesic alone. */
    int64_t n_sources;
    int64_t max_bytes; /* Limit of the values; 0 is no limit. */
    int level;         /* 0 is the control mesh; 1 to SDD_MAX_LEVEL are refined, with the rows of sdd_refine. */
};

/* Methods of smoothing. p is a point, q its neighbours, s the strength.
 *   uniform         p + s (mean of q - p), 0 < s <= 1
 *   cotangent       p + s (mean of q - p by the cotangents of the angles across each edge), 0 < s <= 1
 *   bilateral       p + s (mean of the heights of q above the tangent plane) n, with weights exp(-d^2 / 2 c^2)
 *                   exp(-h^2 / 2 h0^2) of the distance d and the height h; c and h0 are their root mean squares around
 *                   p (Fleishman 2003); 0 < s <= 1
 *   curvature flow  an explicit step of mean curvature flow, of s times the longest time that is stable for the whole
 *                   mesh: the least of area / (sum of cotangent weights) over its vertices; 0 < s <= 1
 *   implicit flow   an implicit step of it: (M + t L) p' = M p with the cotangent Laplacian L, a third of the area
 *                   around each vertex as M, and the time t = s area / 4 pi, so that a sphere has 1 / (1 + 2 s) of its
 *                   radius after a step (Desbrun 1999); 0 < s <= 1. For manifold meshes */
enum sdd_smoothing {
    SDD_SMOOTH_UNIFORM,
    SDD_SMOOTH_COTANGENT,
    SDD_SMOOTH_BILATERAL,
    SDD_SMOOTH_CURVATURE_FLOW,
    SDD_SMOOTH_IMPLICIT_FLOW,
    SDD_N_SMOOTHINGS
};
const char *sdd_smoothing_name(int method); /* "uniform", ..., "implicitFlow"; NULL for what is none. */
int sdd_smoothing_find(const char *name, int *out, struct sdd_error *err) SDD_MUST_CHECK;
#define SDD_MAX_SMOOTHINGS 1000
enum sdd_smooth_boundary {
    SDD_SMOOTH_BOUNDARY_KEPT, /* Vertices on a boundary stay, bit for bit. */
    SDD_SMOOTH_BOUNDARY_ALONG /* Their neighbours are those along boundary edges, with equal weights. */
};
struct sdd_smooth_request {
    int method;     /* A value of enum sdd_smoothing. */
    int iterations; /* 1 to SDD_MAX_SMOOTHINGS. */
    float strength;
    int boundary; /* A value of enum sdd_smooth_boundary. */
    int64_t max_bytes;
    int level; /* As in struct sdd_field_request: the points of a refined level are smoothed over its faces. */
};

/* Values at vertices, in host memory aligned to 64 bytes. */
struct sdd_values_info {
    int64_t n_rows;
    int components;
    const float *values;   /* Shape [n_rows][components]. */
    int64_t bytes;         /* Of the values. */
    int64_t device_bytes;  /* Needed while they are made, besides what is kept with the topology. */
    int64_t n_unreached;   /* Vertices that no source reaches, of geodesic. */
    double device_seconds; /* Time of the kernels. */
};
typedef struct sdd_values sdd_values;
/* sdd_field_plan: the sizes that sdd_field will need, besides those of a refine to the level; `values` is NULL.
 * Errors  as sdd_field, but for those of single elements */
int sdd_field_plan(const sdd_mesh *m, const struct sdd_field_request *r, struct sdd_values_info *out,
                   struct sdd_error *err) SDD_MUST_CHECK;
/* sdd_field: the values of a field at the vertices of the control mesh, or of a refined level, whose connectivity is
 * made and kept as a query of its edges would (sdd_queries.h).
 * Errors  SDD_EQUERY with field what, level, sources (none, or the first that is out of range and how many vertices
 *         there are) or triangles (the first face with a triangle without area, where a cotangent is needed);
 *         SDD_ETOO_LARGE with field max_bytes and `needed`; SDD_ENO_MEMORY, SDD_ECANCELLED, SDD_EDEVICE */
int sdd_field(sdd_mesh *m, const struct sdd_field_request *r, const struct sdd_run *run, sdd_values **out,
              struct sdd_error *err) SDD_MUST_CHECK;
/* sdd_smooth: the points of the control mesh, or of a refined level, after smoothing. The mesh stays as it is.
 * Errors  SDD_EQUERY with field method (also for an implicit flow of a mesh that is not manifold), iterations (also
 *         for an implicit flow that leaves nothing of the surface), strength, boundary, level or triangles; else as
 *         sdd_field */
int sdd_smooth(sdd_mesh *m, const struct sdd_smooth_request *r, const struct sdd_run *run, sdd_values **out,
               struct sdd_error *err) SDD_MUST_CHECK;
const struct sdd_values_info *sdd_values_info(const sdd_values *v); /* Valid until sdd_values_free. */
void sdd_values_free(sdd_values *v);                                /* On the thread of its device; NULL is fine. */

#endif
