/* SPDX-License-Identifier: Apache-2.0 */
/* row_map.h: a map from rows of one array to those of another, in runs, as kernels of updates get it. */
#ifndef TESTS_ROW_MAP_H
#define TESTS_ROW_MAP_H
#include "gpu/mesh/update.dev.h"
#include "tests/kernels/launch.h"

enum { MOST_RUNS = 40 };
struct map {
    uint32_t start[MOST_RUNS], shift[MOST_RUNS];
    int32_t n;
};

/* What a row maps to, found by looking at one run after the other. */
static inline uint32_t mapped(const struct map *m, uint32_t row)
{
    int32_t k = 0;
    while (k + 1 < m->n && m->start[k + 1] <= row)
        k++;
    return row + m->shift[k];
}

static inline struct sdd_runs runs_in(const struct map *m)
{
    return (struct sdd_runs){launch_in(m->start, m->n, 4), launch_in(m->shift, m->n, 4), m->n};
}

#endif
