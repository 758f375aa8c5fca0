/* SPDX-License-Identifier: Apache-2.0 */
/* same_as.h: is what an engine makes what mesh-matrix makes, but for rounding, and the same on any number of threads?
 * Positions, UVs and a vertex primvar of five floats, refined and limit; normals, where they are asked for. */
#ifndef TESTS_SAME_AS_H
#define TESTS_SAME_AS_H
#include "tests/oracle/cases.h"

struct same_as {
    const char *method;
    sdd_device *device[2]; /* of one thread and of two */
    int normals;           /* up to this level, of meshes that are not large */
    int n_compared;
    double worst; /* ulps of the largest coordinate or value; more than four fail the test */
    int64_t n_normals, n_unsure;
    double worst_normal;               /* how far components are apart; more than 0.005 at level 3 fail it */
    uint64_t digests, compact_digests; /* of all blocks; of those in 16 bits */
};

void same_as_open(struct same_as *a);
/* same_as_shape: at levels first to last. */
void same_as_shape(struct same_as *a, const struct shape *s, int first_level, int last_level);
void same_as_close(struct same_as *a); /* says what has been compared */

#endif
