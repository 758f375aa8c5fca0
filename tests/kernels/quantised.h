/* SPDX-License-Identifier: Apache-2.0 */
/* quantised.h: checks kernels that write rows of 16 bits a number against the floats of the same kernels. Each row must
 * be what quantise_rows makes of its floats, and directions as near; quantise_rows has an oracle of its own. A row that
 * is poison among the floats must be poison here too. */
#ifndef TESTS_QUANTISED_H
#define TESTS_QUANTISED_H
#include "gpu/kernel/rows_out.h"

struct quantised {
    struct sdd_rows_as as; /* For the arguments of the launch. */
    float *to;             /* Likewise. */
    struct sdd_quantise_facts facts;
};

/* quantised_begin: prepares n rows of an enum sdd_rows_format, in a box that holds most of [-1, 1]. */
struct quantised quantised_begin(int32_t format, int64_t n);
/* quantised_check: compares with `rows`, the floats, three in each row, or two under F16. */
void quantised_check(const struct quantised *q, const float *rows, int64_t n);

#endif
