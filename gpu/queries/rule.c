/* SPDX-License-Identifier: Apache-2.0 */
/* rule.c: which way the rows of a query are made, for queries.c and device_rows.c. All ways make the same bytes. */
#include "gpu/device/sizes.h"
#include "gpu/queries/internal.h"
#include <string.h>

/* Milliseconds that all rows of a relation take, by each way, of a million triangles (make bench T=queries prints
 * them): as lists, in its columns `mesh`, `transpose` and `kept`; and gathered over by a kernel of queries that sums
 * points or numbers, in `flat`, `transpose` and `kept`. `made` is what flat rows take that are made for such a
 * kernel, with the host's part of counting; the bench prints it too. FF has no such rows. `rounds` and `two_rings` are
 * all rows of two steps of VV and FF, round by round and by tiles.
 * on_cpu: one core of the Xeon beside that H100. on_cuda: an H100 80GB. Both 1.1 M in Morton order, of one run on
 * 2026-11-27; VE and VF gathered are as VV. */
static const struct costs {
    struct cost {
        int relation;
        float flat, transpose, kept;
        float made, gather, staged, gather_kept;
    } of[5];
    struct {
        float sort, sort_million; /* For a list: what its sorting by tiles takes, and what a million rows of it add. */
        float rounds[2], two_rings[2];
    } more;
} on_cpu = {{{SDD_VV, 47.7f, 29.4f, 4.3f, 75.2f, 5.7f, 38.1f, 6.4f},
             {SDD_VE, 46.1f, 33.9f, 4.4f, 72.3f, 5.7f, 38.1f, 6.4f},
             {SDD_VF, 13.4f, 44.6f, 4.9f, 16.9f, 5.7f, 38.1f, 6.4f},
             {SDD_EF, 19.8f, 43.1f, 7.5f, 49.0f, 6.8f, 46.6f, 8.1f},
             {SDD_FF, 121.2f, 172.4f, 5.5f, 0.0f, 0.0f, 0.0f, 0.0f}},
            {0.0f, 116.0f, {2659.0f, 1717.0f}, {1095.0f, 740.0f}}},
  on_cuda = {{{SDD_VV, 0.074f, 0.074f, 0.048f, 1.5f, 0.025f, 0.065f, 0.028f},
              {SDD_VE, 0.072f, 0.082f, 0.047f, 1.6f, 0.025f, 0.065f, 0.028f},
              {SDD_VF, 0.030f, 0.088f, 0.046f, 1.6f, 0.025f, 0.065f, 0.028f},
              {SDD_EF, 0.039f, 0.076f, 0.044f, 3.9f, 0.025f, 0.067f, 0.038f},
              {SDD_FF, 0.149f, 0.100f, 0.034f, 0.0f, 0.0f, 0.0f, 0.0f}},
             {0.11f, 0.57f, {7.46f, 9.82f}, {3.47f, 2.40f}}};

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
 * makes them. Rows of some elements cost their share of flat rows and of kept ones. But a tile is transposed for one of
 * its elements as for all of them, and in a shuffled mesh each row may be of another tile. */
int query_way(const struct query_work *w, int64_t n)
{
    if (w->plan->way != QUERY_BY_RULE)
        return w->plan->way;
    if (!query_may_tile(w) || !tiles_are_made(w->topology))
        return QUERY_FLAT;
    const struct costs *all = costs_of(w->device);
    const struct cost *c = cost_of(w->device, w->plan->request.relation);
    const float rows = (float)n / (float)larger(w->plan->info.n_elements, 1);
    const float most = (float)n * TILE_FACES / (float)larger(w->topology->info.n_faces, 1);
    const float list = w->plan->list ? all->more.sort + all->more.sort_million * 1e-6f * (float)n : 0.0f;
    const float transpose = list + (most < 1.0f ? most : 1.0f) * c->transpose;
    if (w->plan->request.ring == 2) {
        const int k = c->relation == SDD_FF;
        return transpose + rows * all->more.two_rings[k] < rows * all->more.rounds[k] ? QUERY_TRANSPOSE : QUERY_FLAT;
    }
    const float flat = rows * c->flat, kept = list + rows * c->kept;
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
