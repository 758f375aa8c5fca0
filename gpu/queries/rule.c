/* SPDX-License-Identifier: Apache-2.0 */
/* rule.c: which way the rows of a query are made, for queries.c. All ways make the same bytes. */
#include "gpu/queries/internal.h"
#include <string.h>

/* What a million ids cost, in microseconds, by each way, when all rows of a relation are written as lists. A relation
 * that tiles do not transpose has only the flat way. */
static const struct cost {
    int relation;
    float flat, transpose, kept;
} on_cpu[] =
    {
        {SDD_VV, 1, 2, 2}, {SDD_VE, 1, 2, 2}, {SDD_VF, 1, 2, 2}, {SDD_EF, 1, 2, 2}, {SDD_FF, 1, 2, 2},
},
  on_cuda[] = {
      {SDD_VV, 1, 2, 2}, {SDD_VE, 1, 2, 2}, {SDD_VF, 1, 2, 2}, {SDD_EF, 1, 2, 2}, {SDD_FF, 1, 2, 2},
};

enum { MOST_IDS_AT_ONCE = 1 << 26 }; /* Tiles make all rows together. */

int query_may_tile(const struct query_work *w)
{
    const struct sdd_query_request *r = &w->plan->request;
    const struct sdd_query_info *i = &w->plan->info;
    const int transposed = r->relation <= SDD_VF || r->relation == SDD_EF || r->relation == SDD_FF;
    return transposed && r->ring == 1 && !r->oriented && w->neighbors.level == 0 && !w->plan->list &&
           i->n_rows == i->n_elements && w->topology->info.n_corners * 4 <= MOST_IDS_AT_ONCE;
}

int query_way(const struct query_work *w)
{
    const struct cost *c = strcmp(w->device->b->name, "cuda") == 0 ? on_cuda : on_cpu;
    if (w->plan->way != QUERY_BY_RULE)
        return w->plan->way;
    if (!query_may_tile(w))
        return QUERY_FLAT;
    while (c->relation != w->plan->request.relation)
        c++;
    if (tiled_is_kept(w->topology, c->relation) && c->kept < c->flat && c->kept < c->transpose)
        return QUERY_KEPT;
    return c->transpose < c->flat ? QUERY_TRANSPOSE : QUERY_FLAT;
}
