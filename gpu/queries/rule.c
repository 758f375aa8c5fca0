/* SPDX-License-Identifier: Apache-2.0 */
/* rule.c: which way the rows of a query are made, for queries.c and device_rows.c. All ways make the same bytes. */
#include "gpu/device/sizes.h"
#include "gpu/queries/internal.h"
#include <string.h>

/* Milliseconds that all rows of a relation take, by each way, of a million triangles (make bench T=queries prints
 * them): as lists, in its columns `mesh`, `transpose` and `kept`; and gathered over by a kernel of queries that sums
 * points or numbers, in `flat`, `transpose` and `kept`. `made` is what flat rows take that are made for such a
 * kernel, with the host's part of counting; the bench prints it too. FF has no such rows.
 * on_cpu: one core of an EPYC, 1.1 M in Morton order, 2026-11-27; VE and VF gathered are as VV, and `made` is twice
 * the lists, as it was in another run.
 * on_cuda: an H100 80GB, 1.1 M in Morton order, 2026-11-27; VE and VF gathered are as VV. */
static const struct costs {
    struct cost {
        int relation;
        float flat, transpose, kept;
        float made, gather, staged, gather_kept;
    } of[5];
    struct {
        float list, rounds[2], two_rings[2];
    } more;
} on_cpu = {{{SDD_VV, 82.0f, 31.8f, 8.7f, 156.0f, 7.6f, 23.4f, 10.3f},
             {SDD_VE, 75.3f, 34.2f, 8.9f, 147.0f, 7.6f, 23.4f, 10.3f},
             {SDD_VF, 8.7f, 41.6f, 9.0f, 17.0f, 7.6f, 23.4f, 10.3f},
             {SDD_EF, 23.3f, 41.7f, 12.4f, 38.0f, 7.2f, 28.8f, 9.0f},
             {SDD_FF, 97.8f, 120.6f, 10.0f, 0.0f, 0.0f, 0.0f, 0.0f}},
            {0.0f, {0.0f, 0.0f}, {0.0f, 0.0f}}},
  on_cuda = {{{SDD_VV, 0.107f, 0.086f, 0.042f, 1.9f, 0.023f, 0.093f, 0.029f},
              {SDD_VE, 0.106f, 0.096f, 0.047f, 1.8f, 0.023f, 0.093f, 0.029f},
              {SDD_VF, 0.067f, 0.112f, 0.046f, 1.8f, 0.023f, 0.093f, 0.029f},
              {SDD_EF, 0.047f, 0.094f, 0.040f, 4.6f, 0.026f, 0.097f, 0.036f},
              {SDD_FF, 0.176f, 0.128f, 0.032f, 0.0f, 0.0f, 0.0f, 0.0f}},
             {0.0f, {0.0f, 0.0f}, {0.0f, 0.0f}}};

static const struct costs *costs_of(const sdd_device *d)
{
    return strcmp(d->b->name, "cuda") == 0 ? &on_cuda : &on_cpu;
}

static const struct cost *cost_of(const sdd_device *d, int relation)
{
    const struct cost *c = costs_of(d)->of;
    while (c->relation != relation)
        c++;
    return c;
}

enum { MOST_IDS_AT_ONCE = 1 << 26 }; /* Tiles make all rows together. */
enum { TILE_FACES = 250 };           /* That a tile owns, about. */

int query_is_tiled(int relation)
{
    return relation == SDD_VV || relation == SDD_VE || relation == SDD_VF || relation == SDD_EF || relation == SDD_FF;
}

int query_may_tile(const struct query_work *w)
{
    const struct sdd_query_request *r = &w->plan->request;
    const int two_rings = r->ring == 2 && (r->relation == SDD_VV || r->relation == SDD_FF);
    return query_is_tiled(r->relation) && (r->ring == 1 || two_rings) && !r->oriented && w->neighbors.level == 0 &&
           w->topology->info.n_corners * 4 <= MOST_IDS_AT_ONCE;
}

/* Tiles are not made for one answer, nor for the launches below: what they take pays after hundreds. sdd_query_keep
 * makes them. Rows of some elements cost their share of flat rows, but a tile is staged for one of its elements as for
 * all of them, and in a shuffled mesh each row may be of another tile. */
int query_way(const struct query_work *w, int64_t n)
{
    if (w->plan->way != QUERY_BY_RULE)
        return w->plan->way;
    if (!query_may_tile(w) || !tiles_are_made(w->topology))
        return QUERY_FLAT;
    const struct cost *c = cost_of(w->device, w->plan->request.relation);
    const float rows = (float)n / (float)larger(w->plan->info.n_elements, 1);
    const float most = (float)n * TILE_FACES / (float)larger(w->topology->info.n_faces, 1);
    const float tiles = most < 1.0f ? most : 1.0f;
    const float list = w->plan->list ? costs_of(w->device)->more.list * 1e-6f * (float)n : 0.0f;
    if (w->plan->request.ring == 2) {
        const int k = c->relation == SDD_FF;
        const float rounds = costs_of(w->device)->more.rounds[k], by_tiles = costs_of(w->device)->more.two_rings[k];
        return list + tiles * c->transpose + rows * by_tiles < rows * rounds ? QUERY_TRANSPOSE : QUERY_FLAT;
    }
    const float flat = rows * c->flat, kept = list + tiles * c->kept, transpose = list + tiles * c->transpose;
    if (tiled_is_kept(w->topology, c->relation) && kept < flat && kept < transpose)
        return QUERY_KEPT;
    return transpose < flat ? QUERY_TRANSPOSE : QUERY_FLAT;
}

int query_gather_way(const sdd_topology *t, int relation, int launches)
{
    if (!query_is_tiled(relation) || relation == SDD_FF || !tiles_are_made(t))
        return QUERY_FLAT;
    const struct cost *c = cost_of(t->device, relation);
    const float n = (float)launches, flat = c->made + n * c->gather;
    if (tiled_is_kept(t, relation) && n * c->gather_kept < flat && c->gather_kept < c->staged)
        return QUERY_KEPT;
    return n * c->staged < flat ? QUERY_TRANSPOSE : QUERY_FLAT;
}
