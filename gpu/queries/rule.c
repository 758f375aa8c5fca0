/* SPDX-License-Identifier: Apache-2.0 */
/* rule.c: which way the rows of a query are made, for queries.c. All ways make the same bytes. */
#include "gpu/queries/internal.h"
#include <string.h>

#define NOT_MEASURED 1e9f /* Such a way is not chosen. */

/* Milliseconds that all rows of a relation take, by each way: on a CPU as lists, of 1.05 M triangles in row order by
 * one core of an EPYC (make bench T=queries, 2026-11-27); on an H200 of 1.1 M in Morton order, VV as sums and VE as
 * lists (trials before this code, July 2026). A relation that tiles do not transpose has only the flat way. */
static const struct cost {
    int relation;
    float flat, transpose, kept;
} on_cpu[] = {{SDD_VV, 12.2f, 15.9f, 4.0f},
              {SDD_VE, 11.8f, 16.5f, 4.2f},
              {SDD_VF, 4.1f, 21.5f, 4.8f},
              {SDD_EF, 7.6f, 21.6f, 6.9f},
              {SDD_FF, 19.4f, 48.7f, 5.7f}},
  on_cuda[] = {{SDD_VV, 0.017f, 0.037f, 0.0185f},
               {SDD_VE, 0.030f, 0.044f, 0.034f},
               {SDD_VF, 0.0f, NOT_MEASURED, NOT_MEASURED},
               {SDD_EF, 0.0f, NOT_MEASURED, NOT_MEASURED},
               {SDD_FF, 0.0f, NOT_MEASURED, NOT_MEASURED}};

enum { MOST_IDS_AT_ONCE = 1 << 26 }; /* Tiles make all rows together. */

int query_is_tiled(int relation)
{
    return relation == SDD_VV || relation == SDD_VE || relation == SDD_VF || relation == SDD_EF || relation == SDD_FF;
}

int query_may_tile(const struct query_work *w)
{
    const struct sdd_query_request *r = &w->plan->request;
    const struct sdd_query_info *i = &w->plan->info;
    return query_is_tiled(r->relation) && r->ring == 1 && !r->oriented && w->neighbors.level == 0 && !w->plan->list &&
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
