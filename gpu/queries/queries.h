/* SPDX-License-Identifier: Apache-2.0 */
/* queries.h: the rows of a relation on the device and the meshes of refined levels, for rooms that gather over them.
 * sdd_queries.h is what users see of this room. */
#ifndef SDD_QUERIES_H
#define SDD_QUERIES_H
#include "gpu/tiles/tiles.h"

/* All rows of a relation. Row i is ids[offset[i]] to ids[offset[i + 1] - 1]. */
struct device_rows {
    struct device_block block;
    const uint32_t *offset, *ids;
};

/* queries_rows: makes the rows of a relation other than FF. The caller gives out->block back.
 * Errors  SDD_ETOO_LARGE from 2^32 ids on; SDD_ENO_MEMORY, SDD_ECANCELLED, SDD_EDEVICE */
int queries_rows(sdd_topology *t, int relation, const struct sdd_run *run, struct device_rows *out,
                 struct sdd_error *err) SDD_MUST_CHECK;
/* queries_level: the topology of a refined level, or `t` itself for level 0. It is kept with `t` until another level is
 * asked for.
 * Errors  SDD_EQUERY (level), SDD_ETOO_LARGE (level), those of sdd_refine and sdd_topology_create */
int queries_level(sdd_topology *t, int level, const struct sdd_run *run, sdd_topology **out,
                  struct sdd_error *err) SDD_MUST_CHECK;

#endif
