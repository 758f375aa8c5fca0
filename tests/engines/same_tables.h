/* SPDX-License-Identifier: Apache-2.0 */
/* same_tables.h: whether what the engine `tabulated` keeps with two topologies of a device is the same: every number,
 * every array, every bit. Failures are cmocka's. */
#ifndef TESTS_SAME_TABLES_H
#define TESTS_SAME_TABLES_H
#include "gpu/sdd/sdd.h"

/* same_tables: prepares both for a level of a surface, of the control mesh and, where these are smooth, of the
 * channels, and fails unless all that is kept is the same, or both are refused for the same reason. `what` is told with
 * the first difference. Returns how many meshes of `b` were made from those of an older topology. */
int same_tables(const sdd_topology *a, const sdd_topology *b, int level, int surface, int normals, const char *what);

#endif
