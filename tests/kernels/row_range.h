/* SPDX-License-Identifier: Apache-2.0 */
/* row_range.h: random ranges of the rows of a level, for kernels that make any rows without the others. A range is
 * checked by offering what its rows may be: a row that several grids have may be that of any of them. */
#ifndef TESTS_ROW_RANGE_H
#define TESTS_ROW_RANGE_H
#include "tests/oracle/refined.h"

struct row_range {
    int64_t first, n;
    int32_t each;      /* rows of an item */
    int64_t items;     /* of the launch   */
    int inside, pad;   /* inside: does it begin at a row inside a grid? pad: rows of `out` before `to` and behind it */
    float *out, *to;   /* of the backend: row `first` is at `to` */
    const float *got;  /* [n][3] in host memory */
    unsigned char *is; /* [n] is the row one that was offered? */
};
/* row_range_init: the whole level, one row, some; at most `most` rows. Allocates `out` (launch.h). */
void row_range_init(struct row_range *r, const struct grid *g, int level, int64_t most, uint64_t *seed);
/* row_range_got: after the launch; nothing may have been written around the range. */
void row_range_got(struct row_range *r);
int row_range_has(const struct row_range *r, int64_t row);
/* row_range_offer: a row of the range may be `value`, and each component off by `most`. */
void row_range_offer(struct row_range *r, int64_t row, const double *value, const double *most);
/* row_range_same: row first + i has these bits. */
void row_range_same(const struct row_range *r, int64_t i, const float *p);
/* row_range_fini: each row must be one of those that were offered. */
void row_range_fini(struct row_range *r);

#endif
