/* SPDX-License-Identifier: Apache-2.0 */
/* subd_prims.h: what libsubd tells of USDA files of several Meshes. subd.h includes it and has the rules. */
#ifndef SUBD_PRIMS_H
#define SUBD_PRIMS_H
#include "subd.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A Mesh of a USDA file. */
struct subd_prim {
    const char *path;
    int64_t vertices, faces;
};
/* subd_prim: the i-th Mesh of the file that the last call was refused for because it has several, or not the one that
 * was asked for, in the file's order; `prim` of struct subd_push takes its path. Returns 0 when there are no more. The
 * path stays valid until the next call. */
SUBD_API int subd_prim(const subd_client *c, int i, struct subd_prim *out);

#ifdef __cplusplus
}
#endif
#endif
