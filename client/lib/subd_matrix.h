/* SPDX-License-Identifier: Apache-2.0 */
/* subd_matrix.h: subdivision matrices for analysis, as Matrix Market text. Part of libsubd; subd.h says what holds for
 * every call. */
#ifndef SUBD_MATRIX_H
#define SUBD_MATRIX_H
#include "subd.h"

#ifdef __cplusplus
extern "C" {
#endif
struct subd_matrix {
    size_t size;
    int level;           /* 1 to SUBD_MAX_LEVEL, or less where the server has a lower limit. */
    const char *surface; /* "refined", "limit" or "limitAtLevel"; NULL is "refined". */
    const char *what;    /* "points"; with a limit surface also "tangent1" or "tangent2". NULL is "points". */
    /* Gets the text piece by piece, as it arrives. A return value other than 0 cancels the call. */
    int (*sink)(void *arg, const void *p, size_t n);
    void *sink_arg;
};
/* subd_matrix: GET matrix: "coordinate real general", with a row for each refined vertex in grid order
 * (proto/README.md) and a column for each control vertex, both counted from 1.
 * Result  for points, the product with the control points is the block `positions` of subd_refine up to rounding. For
 *         tangents, the products are parallel to the block `tangents`; rows of vertices without a limit mask are empty.
 *         The text itself is not checked
 * Errors  SUBD_EUSAGE (level, sink). After an error the sink may have got a part of the text */
SUBD_API int subd_matrix(subd_client *c, const char *id, const struct subd_matrix *r,
                         struct subd_error *err) SUBD_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
