/* SPDX-License-Identifier: Apache-2.0 */
/* row_range.h: random ranges of the rows of a level, for kernels that can make some rows without the others. To check a
 * range, a test offers values that each row may have: a row that several grids share may be that of any of them. */
#ifndef TESTS_ROW_RANGE_H
#define TESTS_ROW_RANGE_H
#include "tests/oracle/refined.h"

struct row_range {
    int64_t first, n;
    int32_t each;    /* The rows of an item. */
    int64_t items;   /* The items of the launch. */
    int inside, pad; /* Whether it begins inside a grid, and how many rows `out` has before `to` and after the range. */
    float *out, *to; /* Memory of the backend: row `first` is at `to`. */
    const float *got;  /* Shape [n][3], in host memory. */
    unsigned char *is; /* Shape [n]: whether the row has a value that was offered. */
};
/* row_range_init: chooses the whole level, one row or some rows, at most `most`, and allocates `out` (launch.h). */
void row_range_init(struct row_range *r, const struct grid *g, int level, int64_t most, uint64_t *seed);
/* row_range_got: fetches the rows after the launch, and fails if anything was written around the range. */
void row_range_got(struct row_range *r);
int row_range_has(const struct row_range *r, int64_t row);
/* row_range_offer: a row of the range may be `value`, where each component may be off by `most`. */
void row_range_offer(struct row_range *r, int64_t row, const double *value, const double *most);
/* row_range_same: row first + i must have these bits. */
void row_range_same(const struct row_range *r, int64_t i, const float *p);
/* row_range_fini: fails if a row has none of the values that were offered for it. */
void row_range_fini(struct row_range *r);

#endif
