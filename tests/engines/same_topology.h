/* SPDX-License-Identifier: Apache-2.0 */
/* same_topology.h: whether two topologies of a device are the same in all that they hold: every number, every array,
 * every bit. Failures are cmocka's. */
#ifndef TESTS_SAME_TOPOLOGY_H
#define TESTS_SAME_TOPOLOGY_H
#include "gpu/sdd/sdd.h"

/* same_topology: fails unless a and b are the same. `what` is told with the first difference. */
void same_topology(const sdd_topology *a, const sdd_topology *b, const char *what);

#endif
