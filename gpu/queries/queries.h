/* SPDX-License-Identifier: Apache-2.0 */
/* queries.h: the rows of a relation on the device and the meshes of refined levels, for rooms that gather over them.
 * sdd_queries.h is what users see of this room. */
#ifndef SDD_QUERIES_H
#define SDD_QUERIES_H
#include "gpu/tiles/query.h"
#include "gpu/tiles/tiles.h"

/* How rows are made. The first lets the rule choose (rule.c). */
enum query_way { QUERY_BY_RULE, QUERY_FLAT, QUERY_TRANSPOSE, QUERY_KEPT };

/* All rows of a relation, for kernels of queries. */
struct device_rows {
    struct device_block block; /* Flat rows; tiles and kept rows belong to the topology. */
    struct sdd_query_rows rows;
    int way;   /* That it became. */
    int64_t n; /* Elements or tiles: what a launch is of. */
};

/* queries_rows: makes the rows of a relation other than FF for so many launches of a kernel of queries. A way that
 * tiles do not serve, since one of them is flat, becomes the flat one. The caller gives out->block back.
 * Errors  SDD_ETOO_LARGE from 2^32 ids on; SDD_ENO_MEMORY, SDD_ECANCELLED, SDD_EDEVICE */
int queries_rows(sdd_topology *t, int relation, int way, int launches, const struct sdd_run *run,
                 struct device_rows *out, struct sdd_error *err) SDD_MUST_CHECK;
/* QUERY_LAUNCH: launches the form of a kernel of queries that the rows are for. args->rows is a copy of r->rows. */
#define QUERY_LAUNCH(d, name, args, r)                                                                                 \
    (DEV_CLEAR_PADDING(args), dev_launch((d),                                                                          \
                                         (r)->way == QUERY_KEPT        ? SDD_K_##name##_kept                           \
                                         : (r)->way == QUERY_TRANSPOSE ? SDD_K_##name##_staged                         \
                                                                       : SDD_K_##name,                                 \
                                         (args), sizeof(struct name##_args), (r)->n))
/* queries_level: the topology of a refined level, or `t` itself for level 0. It is kept with `t` until another level is
 * asked for.
 * Errors  SDD_EQUERY (level), SDD_ETOO_LARGE (level), those of sdd_refine and sdd_topology_create */
int queries_level(sdd_topology *t, int level, const struct sdd_run *run, sdd_topology **out,
                  struct sdd_error *err) SDD_MUST_CHECK;

#endif
