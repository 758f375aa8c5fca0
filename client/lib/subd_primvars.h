/* SPDX-License-Identifier: Apache-2.0 */
/* subd_primvars.h: values that ride along with a mesh: colours, weights, ids. Part of libsubd; subd.h includes it.
 *
 *   USD's class   a row for                         refined
 *   constant      the mesh                          as it is
 *   uniform       each face                         each face has its control face's
 *   varying       each vertex                       linear over the control faces
 *   vertex        each vertex                       the way of the positions
 *   faceVarying   what a corner's index names       by the rules of UVs, with seams */
#ifndef SUBD_PRIMVARS_H
#define SUBD_PRIMVARS_H
#include <stdint.h>

#define SUBD_MAX_PRIMVARS 32 /* of a mesh */
struct subd_primvar {
    const char *name;          /* [A-Za-z_][A-Za-z0-9_:]*, 63 characters at most, not "st"            */
    const char *interpolation; /* the class: "vertex"                                                 */
    const char *type;          /* "f32", or "i32" of constant and uniform; NULL: f32                  */
    int width;                 /* numbers in a row, 1 to 256; 0: 1                                    */
    const void *values;        /* [n_values] numbers                                                  */
    const int32_t *indices;    /* [n_indices] rows of values, one a face corner (faceVarying), or a row of the class */
    int64_t n_values, n_indices; /* n_indices 0: row i is value i                                     */
};
struct subd_primvar_info {
    char name[64], interpolation[16], type[8];
    int width;
    int64_t values; /* rows */
};

#endif
