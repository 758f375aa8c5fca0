/* SPDX-License-Identifier: Apache-2.0 */
/* smooth_step: a step of smoothing.
 * Shapes  rows: VV, neighbors, from[V][3] f32, rate[1] f64 (smooth_rate) -> to[V][3] f32
 * Launch  query, n = V
 * Cost    about 16 B (cached) read a neighbour, by cotangents 40 B a triangle of the vertex; 12 B written
 * Result  as sdd_fields.h tells of each method. Sums run in the order of the row. Vertices without neighbours stay.
 * Threads any queue
 * Source  Fleishman et al. 2003, bilateral mesh denoising; Desbrun et al. 1999 */
#ifndef SDD_K_SMOOTH_STEP_H
#define SDD_K_SMOOTH_STEP_H
#include "gpu/fields/kernels/field_ring.dev.h"
#include "gpu/tiles/query.h"

enum sdd_smooth_method { SDD_BY_MEAN, SDD_BY_COTANGENTS, SDD_BY_HEIGHTS, SDD_BY_CURVATURE };

struct smooth_step_args {
    struct sdd_query_rows rows;
    struct sdd_neighbors neighbors;
    const float *from;
    const double *rate; /* Of SDD_BY_CURVATURE (smooth_rate). */
    float *to;
    double strength;
    int32_t method, keeps_rim;
};

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

/* The way from p to the mean of its neighbours, or of those along the boundary. */
SDD_FN struct sdd_real3 sdd_way_to_mean(const struct smooth_step_args *a, uint32_t v, struct sdd_query_row row,
                                        int32_t n, struct sdd_real3 p, int rim)
{
    struct sdd_real3 sum = sdd_real3_of(0.0, 0.0, 0.0);
    double count = 0.0;
    for (int32_t k = 0; k < n; k++) {
        if (rim && !sdd_is_rim_edge(&a->neighbors, v, sdd_neighbor(row, k)))
            continue;
        sum = sdd_plus(sum, 1.0, sdd_minus(sdd_point_of(a->from, sdd_neighbor(row, k)), p));
        count += 1.0;
    }
    return count > 0.0 ? sdd_real3_of(sum.x / count, sum.y / count, sum.z / count) : sum;
}

/* The bilateral mean of the heights of the neighbours above the tangent plane, along the normal. */
SDD_FN struct sdd_real3 sdd_way_by_heights(const struct smooth_step_args *a, uint32_t v, struct sdd_query_row row,
                                           int32_t n, struct sdd_real3 p)
{
    const struct sdd_real3 normal = sdd_normal_of(&a->neighbors, a->from, v);
    double far2 = 0.0, high2 = 0.0, sum = 0.0, weights = 0.0;
    for (int32_t k = 0; k < n; k++) {
        const struct sdd_real3 way = sdd_minus(sdd_point_of(a->from, sdd_neighbor(row, k)), p);
        const double h = sdd_dot(way, normal);
        far2 += sdd_dot(way, way) / (double)n;
        high2 += h * h / (double)n;
    }
    for (int32_t k = 0; k < n; k++) {
        const struct sdd_real3 way = sdd_minus(sdd_point_of(a->from, sdd_neighbor(row, k)), p);
        const double h = sdd_dot(way, normal), d2 = sdd_dot(way, way);
        const double w =
            (far2 > 0.0 ? sdd_decay(d2 / (2.0 * far2)) : 1.0) * (high2 > 0.0 ? sdd_decay(h * h / (2.0 * high2)) : 1.0);
        sum += w * h;
        weights += w;
    }
    return sdd_plus(sdd_real3_of(0.0, 0.0, 0.0), weights > 0.0 ? sum / weights : 0.0, normal);
}

SDD_FN void k_smooth_step(int64_t v, struct sdd_query_row row, int32_t n, const struct smooth_step_args *a)
{
    const struct sdd_real3 p = sdd_point_of(a->from, (uint32_t)v);
    const int rim = sdd_on_rim(&a->neighbors, (uint32_t)v);
    struct sdd_real3 way = sdd_real3_of(0.0, 0.0, 0.0);
    if (rim && !a->keeps_rim) {
        way = sdd_way_to_mean(a, (uint32_t)v, row, n, p, 1);
    } else if (!rim && a->method == SDD_BY_MEAN) {
        way = sdd_way_to_mean(a, (uint32_t)v, row, n, p, 0);
    } else if (!rim && a->method == SDD_BY_HEIGHTS) {
        way = sdd_way_by_heights(a, (uint32_t)v, row, n, p);
    } else if (!rim) {
        const struct sdd_cotangents c = sdd_cotangents_of(&a->neighbors, a->from, (uint32_t)v);
        const double by = a->method == SDD_BY_CURVATURE ? *a->rate / c.area : 1.0 / c.weight;
        if (c.area > 0.0 && c.weight > 0.0)
            way = sdd_plus(way, by, c.pull);
    }
    if (way.x != 0.0 || way.y != 0.0 || way.z != 0.0)
        way = sdd_plus(p, a->strength, way);
    else
        way = p;
    sdd_put_vec3(a->to, (uint32_t)v, sdd_vec3_of((float)way.x, (float)way.y, (float)way.z));
}
#endif
