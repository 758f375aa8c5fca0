/* SPDX-License-Identifier: Apache-2.0 */
/* subd_patches.h: the surface as patches: where it is B-spline it comes as such, exact and small, and only the rest as
 * faces. Part of libsubd; subd.h says what holds for all of it.
 *
 *   subd_open -> subd_push -> subd_patches -> subd_patch_evaluate, ... -> subd_frame_free -> subd_close */
#ifndef SUBD_PATCHES_H
#define SUBD_PATCHES_H
#include "subd.h"

#ifdef __cplusplus
extern "C" {
#endif
#define SUBD_MAX_PATCH_LEVEL 10
enum subd_patch_semantic { SUBD_PATCHES = 32, SUBD_PATCH_PARAMS = 64 }; /* of blocks, with SUBD_FACE_PARAMS */
struct subd_patches {
    int level;                 /* 1 .. SUBD_MAX_PATCH_LEVEL: where it stops to split            */
    const char *surface;       /* of the faces that are left: "refined" or "limit"; NULL: refined */
    const char *if_none_match; /* this and what follows: as in subd_refine                      */
    int skip_digests;
    void *(*place)(void *arg, const struct subd_frame *frame, const struct subd_block *b);
    void *place_arg;
};
/* Flags of a patch or face; those of its edge i, from corner i to i + 1, are shifted left by i.
 * BOUNDARY: the surface ends there, or has an infinitely sharp crease: the four points beyond the edge are not there,
 * their entries repeat points of the edge, and 2 P(edge) - P(inner) stands for them. TRANSITION: what lies across has
 * been split once more, so this edge meets two (never said of an edge that is not manifold). OF_POLYGON: the parent
 * face is no quad. */
#define SUBD_PATCH_LEVEL_MASK 0xfu
#define SUBD_PATCH_BOUNDARY 0x10u
#define SUBD_PATCH_TRANSITION 0x100u
#define SUBD_PATCH_OF_POLYGON 0x1000u
/* subd_patches: GET patches. Result and errors as subd_refine. The frame has five blocks:
 *   positions    [vertices][3] f32: control points, points of the levels, with surface = limit the limit points
 *   patches      [p][16] u32 rows of positions: bicubic uniform B-spline, 4j + i with i along u and j along v
 *   patch_params [p][4] u32: parent face, its corner, u | v << 16, flags
 *   indices      [k][4] u32 rows of positions: the faces of the last level that are left, p + k = frame->faces
 *   face_params  [k][4] u32: as patch_params
 * A quad is a grid of 2^level x 2^level with its origin in corner 0 and u towards corner 1; of another face each
 * corner has a grid of 2^(level-1), u towards the middle of the edge after it. A patch's corners are (u, v), (u+1, v),
 * (u+1, v+1), (u, v+1). Patches and faces tile the surface once. It is checked that the rows are below `vertices`,
 * levels no higher than the frame's and u, v inside the grid. */
SUBD_API int subd_patches(subd_client *c, const char *id, const struct subd_patches *r, struct subd_frame *frame,
                          struct subd_error *err) SUBD_MUST_CHECK;
/* subd_patch_points: the 16 control points of a patch, those beyond a boundary put in.
 * Errors  SUBD_EUSAGE: the frame is not of subd_patches, or has no such patch */
SUBD_API int subd_patch_points(const struct subd_frame *f, int64_t patch, float points[16][3]) SUBD_MUST_CHECK;
/* subd_patch_evaluate: the limit surface at (u, v), from (0, 0) in the patch's corner 0 to (1, 1) in its corner 2, and
 * its derivatives by them (du or dv may be NULL); in double inside. All threads may read one frame.
 * Errors  SUBD_EUSAGE: as subd_patch_points, or u or v is outside [0, 1] */
SUBD_API int subd_patch_evaluate(const struct subd_frame *f, int64_t patch, float u, float v, float point[3],
                                 float du[3], float dv[3]) SUBD_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
