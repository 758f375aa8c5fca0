/* SPDX-License-Identifier: Apache-2.0 */
/* subd_patches.h: the surface as patches. Where it is a B-spline surface it comes as such, which is exact and small;
 * only the rest comes as faces. Part of libsubd; subd.h says what holds for every call.
 *
 *   subd_open -> subd_push -> subd_patches -> subd_patch_evaluate, ... -> subd_frame_free -> subd_close */
#ifndef SUBD_PATCHES_H
#define SUBD_PATCHES_H
#include "subd.h"

#ifdef __cplusplus
extern "C" {
#endif
#define SUBD_MAX_PATCH_LEVEL 10
/* Further values of subd_block.semantic. */
enum subd_patch_semantic { SUBD_PATCHES = 32, SUBD_PATCH_PARAMS = 64 };
/* The last four members mean what they mean in struct subd_refine. */
struct subd_patches {
    size_t size;
    int level;           /* 1 to SUBD_MAX_PATCH_LEVEL: the level at which splitting stops. */
    const char *surface; /* Where the points of the remaining faces lie: as subd_refine has it. */
    const char *if_none_match;
    int skip_digests;
    void *(*place)(void *arg, const struct subd_frame *frame, const struct subd_block *b);
    void *place_arg;
};
/* The last column of patch_params and face_params holds the level and these flags. Flags of edge i, which runs from
 * corner i to i + 1, are shifted left by i.
 * BOUNDARY    the surface ends at the edge or has an infinitely sharp crease there. The four control points beyond the
 *             edge do not exist: their entries repeat points of the edge, and 2 P(edge) - P(inner) stands for them.
 * TRANSITION  the neighbour across the edge is split once more, so that this edge meets two of its edges. A
 *             non-manifold edge never has this flag.
 * OF_POLYGON  the parent face is not a quad. */
#define SUBD_PATCH_LEVEL_MASK 0xfu
#define SUBD_PATCH_BOUNDARY 0x10u
#define SUBD_PATCH_TRANSITION 0x100u
#define SUBD_PATCH_OF_POLYGON 0x1000u
/* subd_patches: GET patches. Result and errors are those of subd_refine. The frame has five blocks:
 *   positions    [vertices][3] f32: control points, points of the levels and, with a limit surface, limit points
 *   patches      [p][16] u32 rows of positions: a bicubic uniform B-spline, 4j + i with i along u and j along v
 *   patch_params [p][4] u32: parent face; its corner, 0 when the parent is a quad; u | v << 16; level and flags
 *   indices      [k][4] u32 rows of positions: the remaining faces of the last level; p + k is frame->faces
 *   face_params  [k][4] u32: as patch_params
 * A quad is a grid of 2^level x 2^level that starts at its corner 0, with u towards corner 1. Each corner of another
 * face has a grid of 2^(level-1), with u towards the middle of the edge after the corner. The corners of a patch are
 * (u, v), (u+1, v), (u+1, v+1), (u, v+1). Patches and faces together tile the surface once. The library checks that
 * rows are below `vertices`, that no level is above the frame's, and that u and v lie inside the grid. */
SUBD_API int subd_patches(subd_client *c, const char *id, const struct subd_patches *r, struct subd_frame *frame,
                          struct subd_error *err) SUBD_MUST_CHECK;
/* subd_patch_points: the 16 control points of a patch, including those beyond a boundary.
 * Errors  SUBD_EUSAGE when the frame is not from subd_patches or has no such patch */
SUBD_API int subd_patch_points(const struct subd_frame *f, int64_t patch, float points[16][3]) SUBD_MUST_CHECK;
/* subd_patch_evaluate: the limit surface at (u, v), and its derivatives by u and v (du or dv may be NULL). Corner 0 of
 * the patch is (0, 0) and corner 2 is (1, 1). It computes in double.
 * Errors   SUBD_EUSAGE as subd_patch_points, and when u or v is outside [0, 1]
 * Threads  any number may read one frame */
SUBD_API int subd_patch_evaluate(const struct subd_frame *f, int64_t patch, float u, float v, float point[3],
                                 float du[3], float dv[3]) SUBD_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
