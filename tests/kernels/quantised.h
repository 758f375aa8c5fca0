/* SPDX-License-Identifier: Apache-2.0 */
/* quantised.h: kernels that write rows of 16 bits a number, against the same kernels' floats: row by row they are what
 * quantise_rows, which has an oracle of its own, makes of these, directions as near as that is; a row that is poison
 * there is so here. */
#ifndef TESTS_QUANTISED_H
#define TESTS_QUANTISED_H
#include "gpu/kernel/rows_out.h"

struct quantised {
    struct sdd_rows_as as; /* for the launch, .. */
    float *to;             /* .. as this */
    struct sdd_quantise_facts facts;
};

/* quantised_begin: n rows to be made as enum sdd_rows_format; in a box that holds most of [-1, 1]. */
struct quantised quantised_begin(int32_t format, int64_t n);
/* quantised_check: rows: the floats, of three or, under F16, two. */
void quantised_check(const struct quantised *q, const float *rows, int64_t n);

#endif
