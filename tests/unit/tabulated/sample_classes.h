/* SPDX-License-Identifier: Apache-2.0 */
/* sample_classes.h: classes of quads, with all that a class can have, and their tables as tests read them. */
#ifndef SDD_TESTS_SAMPLE_CLASSES_H
#define SDD_TESTS_SAMPLE_CLASSES_H
#include "gpu/engines/tabulated/class.h"
#include "gpu/rules/limit_rule.h"

enum { N_SAMPLE_CLASSES = 31, MAX_SAMPLE_COLUMNS = 64 };

/* The first is the regular one. */
extern const struct table_class sample_classes[N_SAMPLE_CLASSES];

struct table {
    int side, columns;
    float *weight; /* the caller frees it */
};

struct table table_of(const struct table_class *c, int steps, int limit);
double weight(const struct table *t, int column, int x, int y);
/* expect: fails the test unless the weight is w, but for the rounding of one that is near 1. */
void expect(const struct table *t, int column, int x, int y, double w);

#endif
