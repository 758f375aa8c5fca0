/* SPDX-License-Identifier: Apache-2.0 */
/* queries.h: the door of queries/, which answers which elements of a mesh are neighbours. sdd_queries.h is what users
 * see of it; this is for rooms that gather over rows on the device. queries.c plans and checks, rows.c makes flat rows,
 * rings.c goes round by round, and uses.c finds the corners of each edge where twins do not say it. */
#ifndef SDD_QUERIES_H
#define SDD_QUERIES_H
#include "gpu/mesh/topology.h"
#include "gpu/queries/neighbors.h"

/* queries_neighbors: the control mesh as kernels of queries see it. Of a mesh that is not manifold it makes the list of
 * the uses of each edge, and keeps it with the topology.
 * Errors  SDD_ENO_MEMORY, SDD_EDEVICE */
int queries_neighbors(const sdd_topology *t, struct sdd_neighbors *out, struct sdd_error *err) SDD_MUST_CHECK;

#endif
