/* SPDX-License-Identifier: Apache-2.0 */
/* subd_fields.h: values at the vertices of a mesh (normals, curvatures, distances), and smoothing. Part of libsubd;
 * subd.h says what holds for every call. */
#ifndef SUBD_FIELDS_H
#define SUBD_FIELDS_H
#include "subd.h"

#ifdef __cplusplus
extern "C" {
#endif
/* Further values of subd_block.semantic. */
enum subd_field_semantic { SUBD_GAUSSIAN = 32768, SUBD_MEAN = 65536, SUBD_GEODESIC = 131072 };
/* The last four members mean what they mean in struct subd_refine. */
struct subd_fields {
    size_t size;
    unsigned what;           /* Bits: SUBD_NORMALS and those of enum subd_field_semantic. */
    int level;               /* 0 is the control mesh; 1 to SUBD_MAX_LEVEL are refined. */
    const uint32_t *sources; /* Shape [n_sources]: of SUBD_GEODESIC the vertices that distances are from. */
    int64_t n_sources;
    const char *if_none_match;
    int skip_digests;
    void *(*place)(void *arg, const struct subd_frame *frame, const struct subd_block *b);
    void *place_arg;
};
/* subd_fields: GET fields. The frame has a block for each bit, with a row of f32 for each vertex in frame->vertices:
 *   normals    [3] of length 1, or zero     gaussian   the angle defect
 *   mean       the cotangent mean curvature, positive on a sphere
 *   geodesic   the distance over the surface from the nearest source; +inf where none reaches
 * Result  SUBD_OK, or SUBD_UNCHANGED with *frame as it was
 * Errors  SUBD_EUSAGE (what, level, n_sources), SUBD_EHTTP 422 invalid_query; *frame as after one of subd_refine */
SUBD_API int subd_fields(subd_client *c, const char *id, const struct subd_fields *r, struct subd_frame *frame,
                         struct subd_error *err) SUBD_MUST_CHECK;

struct subd_smooth {
    size_t size;
    const char *method;   /* "uniform", "cotangent", "bilateral", "curvatureFlow" or "implicitFlow". */
    int iterations;       /* 1 to 1,000; 0 is 1. */
    double strength;      /* Above 0, up to 1; 0 is 0.5. */
    const char *boundary; /* "kept" or "along"; NULL is "kept". */
    int level;            /* 0 is the control mesh; 1 to SUBD_MAX_LEVEL are refined, and cannot be stored. */
};
/* subd_smooth: POST smooth. The frame has the block positions of the control mesh or the level, which the server does
 * not keep. With version 0 it takes any version of the mesh, else only this one.
 * Errors  SUBD_EUSAGE (method, level), SUBD_EHTTP 422 invalid_query */
SUBD_API int subd_smooth(subd_client *c, const char *id, int64_t version, const struct subd_smooth *r,
                         struct subd_frame *frame, struct subd_error *err) SUBD_MUST_CHECK;
/* subd_smooth_store: the smoothed positions become a new version of this version, which is not 0. out may be NULL.
 * Errors  SUBD_EHTTP 412 with current_version when the mesh has another version */
SUBD_API int subd_smooth_store(subd_client *c, const char *id, int64_t version, const struct subd_smooth *r,
                               struct subd_mesh_info *out, struct subd_error *err) SUBD_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
