/* SPDX-License-Identifier: Apache-2.0 */
/* fixture.h: a shape on a device of its own, for the contract's tests. Failures are cmocka's. */
#ifndef TESTS_FIXTURE_H
#define TESTS_FIXTURE_H
#include "tests/oracle/shape.h"

enum { EVERYTHING = SDD_POSITIONS | SDD_NORMALS | SDD_INDICES };

struct fixture {
    sdd_device *device;
    sdd_topology *topology;
    sdd_mesh *mesh;
    struct shape shape;
};

void fixture_open(struct fixture *f, const char *name, int threads, int64_t memory_limit);
int64_t fixture_used(const struct fixture *f); /* bytes of the device's memory */
/* fixture_close: after it the device held nothing. */
void fixture_close(struct fixture *f);

extern const char *fixture_method; /* the engine that is asked for */
struct sdd_refine_request fixture_ask(int level, int surface, int include);

#endif
