/* SPDX-License-Identifier: Apache-2.0 */
/* topology_build.h: the device work behind sdd_topology_create. */
#ifndef SDD_TOPOLOGY_BUILD_H
#define SDD_TOPOLOGY_BUILD_H
#include "gpu/topology.h"

/* topology_build: fills t from desc, whose array shapes have been checked. On error t holds what sdd_topology_unref
 * frees. */
int topology_build(sdd_topology *t, const struct sdd_mesh_desc *desc, struct sdd_error *err) SDD_MUST_CHECK;

#endif
