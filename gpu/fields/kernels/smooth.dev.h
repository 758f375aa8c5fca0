/* SPDX-License-Identifier: Apache-2.0 */
/* smooth.dev.h: what steps of smoothing share: boundaries, and the way of a point. */
#ifndef SDD_SMOOTH_DEV_H
#define SDD_SMOOTH_DEV_H
#include "gpu/fields/kernels/field_ring.dev.h"
#include "gpu/tiles/query.h"

enum sdd_smooth_method { SDD_BY_MEAN, SDD_BY_COTANGENTS, SDD_BY_HEIGHTS, SDD_BY_CURVATURE };

/* Whether the edge from v to w is a boundary. */
SDD_FN int sdd_is_rim_edge(const struct sdd_neighbors *q, uint32_t v, uint32_t w)
{
    const struct sdd_control *m = &q->mesh;
    for (uint32_t k = m->begin[v]; k < m->end[v]; k++) {
        const uint32_t c = m->corner[k], p = sdd_prev(&m->faces, c);
        if ((m->vert[sdd_next(&m->faces, c)] == w && sdd_n_uses(q, m->edge[c]) == 1) ||
            (m->vert[p] == w && sdd_n_uses(q, m->edge[p]) == 1))
            return 1;
    }
    return 0;
}

SDD_FN struct sdd_real3 sdd_mean(struct sdd_real3 sum, double n)
{
    return n > 0.0 ? sdd_real3_of(sum.x / n, sum.y / n, sum.z / n) : sum;
}

/* The way from p to the mean of its neighbours along the boundary. */
SDD_FN struct sdd_real3 sdd_way_along_rim(const struct sdd_neighbors *q, const float *from, uint32_t v,
                                          struct sdd_query_row row, int32_t n, struct sdd_real3 p)
{
    struct sdd_real3 sum = sdd_real3_of(0.0, 0.0, 0.0);
    double count = 0.0;
    for (int32_t k = 0; k < n; k++) {
        if (!sdd_is_rim_edge(q, v, sdd_neighbor(row, k)))
            continue;
        sum = sdd_plus(sum, 1.0, sdd_minus(sdd_point_of(from, sdd_neighbor(row, k)), p));
        count += 1.0;
    }
    return sdd_mean(sum, count);
}

/* Writes where p goes: a part of the way, and none of it where the way is zero. */
SDD_FN void sdd_smooth_to(float *to, uint32_t v, struct sdd_real3 p, double strength, struct sdd_real3 way)
{
    if (way.x != 0.0 || way.y != 0.0 || way.z != 0.0)
        p = sdd_plus(p, strength, way);
    sdd_put_vec3(to, v, sdd_vec3_of((float)p.x, (float)p.y, (float)p.z));
}
#endif
