/* SPDX-License-Identifier: Apache-2.0 */
/* subd_primvars.h: primvars, which are values on a mesh besides its positions: colours, weights, ids. Part of libsubd;
 * subd.h includes it.
 *
 *   USD's class   has a row for                     and is refined so
 *   constant      the mesh                          it stays as it is
 *   uniform       each face                         a refined face takes the row of its control face
 *   varying       each vertex                       linearly over the control faces
 *   vertex        each vertex                       like the positions
 *   faceVarying   what the index of a corner names  by the rules of UVs, with seams */
#ifndef SUBD_PRIMVARS_H
#define SUBD_PRIMVARS_H
#include <stdint.h>

#define SUBD_MAX_PRIMVARS 32 /* Limits the primvars of one mesh. */
/* A primvar that is sent with a mesh or an edit. */
struct subd_primvar {
    const char *name;          /* [A-Za-z_][A-Za-z0-9_:]*, at most 63 characters, not "st". */
    const char *interpolation; /* The class, such as "vertex". */
    const char *type;          /* "f32", or "i32" for constant and uniform primvars; NULL is "f32". */
    int width;                 /* Numbers in a row, 1 to 256; 0 is 1. */
    const void *values;        /* Shape [n_values], counted in numbers. */
    const int32_t *indices;    /* Shape [n_indices]: rows of values, one for each face corner or row of the class. */
    int64_t n_values;
    int64_t n_indices; /* With 0, row i takes value i; a faceVarying primvar needs one for each face corner. */
};
/* The names of face sets, such as materials or groups, of a uniform primvar of one i32: its value 0 is no set, and k is
 * the k-th name. */
struct subd_set_names {
    const char *const *names; /* Shape [n]: UTF-8, 1 to 255 bytes each. */
    int64_t n;
};
/* A primvar in the description of a mesh. */
struct subd_primvar_info {
    char name[64], interpolation[16], type[8];
    int width;
    int64_t values; /* Rows of values. */
    int64_t sets;   /* Names of face sets. */
    int64_t reserved[1];
};

#endif
