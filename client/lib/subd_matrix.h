/* SPDX-License-Identifier: Apache-2.0 */
/* subd_matrix.h: subdivision matrices for analysis, as Matrix Market text. Part of libsubd; subd.h says what holds for
 * all of it. */
#ifndef SUBD_MATRIX_H
#define SUBD_MATRIX_H
#include "subd.h"

#ifdef __cplusplus
extern "C" {
#endif
struct subd_matrix {
    int level;           /* 1 .. what the server allows                                 */
    const char *surface; /* "refined" or "limit"; NULL: refined                         */
    const char *what;    /* "points", or of the limit "tangent1", "tangent2"; NULL: points */
    int (*sink)(void *arg, const void *p, size_t n); /* gets the text as it comes; not 0 cancels */
    void *sink_arg;
};
/* subd_matrix: GET matrix: "coordinate real general", a row for each refined vertex in grid order
 * (proto/README.md), a column for each control vertex, both counted from 1. Points: the product with the control points
 * is the block `positions` of subd_refine but for rounding; tangents: along the block's; rows without a mask are empty.
 * The text itself is not checked. Errors  as subd_refine; after an error the sink may have got a part */
SUBD_API int subd_matrix(subd_client *c, const char *id, const struct subd_matrix *r,
                         struct subd_error *err) SUBD_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
