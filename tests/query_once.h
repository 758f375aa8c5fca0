/* SPDX-License-Identifier: Apache-2.0 */
/* query_once.h: one query by a plan of its own and by one way, of which only a digest is kept. */
#ifndef TESTS_QUERY_ONCE_H
#define TESTS_QUERY_ONCE_H
#include "gpu/queries/internal.h"

static inline int query_once(sdd_topology *t, const struct sdd_query_request *r, int way, uint64_t *digest,
                             struct sdd_error *err)
{
    sdd_query_plan *plan;
    sdd_rows *rows = NULL;
    int rc = query_plan_by(t, r, way, NULL, &plan, err);
    if (!rc)
        rc = sdd_query(t, plan, 0, sdd_query_plan_info(plan)->n_rows, NULL, &rows, err);
    if (!rc) {
        const struct sdd_query_info *i = sdd_query_plan_info(plan);
        const struct sdd_rows_info *all = sdd_rows_info(rows);
        *digest = sdd_digest(all->offsets, i->offsets_bytes) * 31 + sdd_digest(all->ids, i->ids_bytes);
        *digest = *digest * 31 + (all->signs ? sdd_digest(all->signs, i->signs_bytes) : 0);
    }
    sdd_rows_free(rows);
    sdd_query_plan_free(plan);
    return rc;
}

#endif
