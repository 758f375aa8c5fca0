/* SPDX-License-Identifier: Apache-2.0 */
/* peers.dev.h: the kernels of bench_queries: plain structures to measure tiles against, and a kernel of queries of its
 * own, in the kernel language. peers.c and peers.cu compile them for the CPU and for CUDA. They are no part of libsdd.
 *   peer_gather   sums of points or numbers over rows, and a Laplacian step: a kernel of queries, in its three forms
 *   peer_copy     rows as lists, from flat rows
 *   peer_directed the same and lists by directed edges (Campagna, Kobbelt and Seidel 1998), of triangles
 *   peer_normals  vertex normals (Max 1999), gathered over flat rows of VF */
#ifndef TESTS_BENCH_PEERS_DEV_H
#define TESTS_BENCH_PEERS_DEV_H
#include "gpu/fields/kernels/field_math.dev.h"
#include "gpu/tiles/query.h"

enum peer_kernel { PEER_GATHER, PEER_GATHER_KEPT, PEER_GATHER_STAGED, PEER_COPY, PEER_DIRECTED, PEER_NORMALS, N_PEERS };

/* The one symbol of the CUDA module of peers.cu: launches a kernel of enum peer_kernel, waits, and says how
 * long it took. Returns 0, or what CUDA says. */
#define PEER_LAUNCH_SYMBOL "peer_launch"
typedef int peer_launch_fn(int kernel, const void *args, size_t args_bytes, int64_t n, double *seconds);

struct peer_gather_args {
    struct sdd_query_rows rows;
    const float *value; /* [of the kind in the rows][width] */
    float *to;          /* [rows][width]                    */
    int32_t width;      /* 3 or 1                           */
    int32_t step;       /* a step of one half to the mean   */
};

SDD_FN void k_peer_gather(int64_t x, struct sdd_query_row row, int32_t n, const struct peer_gather_args *a)
{
    if (a->width == 1) {
        float sum = 0.0f;
        SDD_UNROLL(4)
        for (int32_t k = 0; k < n; k++)
            sum += a->value[sdd_neighbor(row, k)];
        a->to[x] = sum;
        return;
    }
    float sum[3] = {0.0f, 0.0f, 0.0f};
    SDD_UNROLL(4)
    for (int32_t k = 0; k < n; k++) {
        const float *p = a->value + 3 * (size_t)sdd_neighbor(row, k);
        for (int32_t d = 0; d < 3; d++)
            sum[d] += p[d];
    }
    for (int32_t d = 0; d < 3; d++) {
        if (a->step && n > 0)
            sum[d] = 0.5f * a->value[3 * x + d] + 0.5f * sum[d] / (float)n;
        a->to[3 * x + d] = sum[d];
    }
}

struct peer_copy_args {
    struct sdd_query_rows rows;
    uint32_t *ids;
};

SDD_FN void k_peer_copy(int64_t i, const struct peer_copy_args *a)
{
    const uint32_t *offset = a->rows.first.offset;
    for (uint32_t k = offset[i]; k < offset[i + 1]; k++)
        a->ids[k] = a->rows.first.ids[k];
}

/* Triangles: edge h runs from vertex vert[h] in triangle h / 3. */
struct peer_directed_args {
    const uint32_t *vert, *twin, *edge;
    const uint32_t *first;       /* [V] an edge that leaves the vertex; at a boundary the one without a twin */
    const uint32_t *edge_corner; /* [E] one of its directed edges */
    const uint32_t *offset;      /* where lists go */
    const float *value;          /* for sums, else NULL */
    uint32_t *ids;
    float *to;
    uint32_t n_corners;
    int32_t relation;
};

struct peer_sink {
    const struct peer_directed_args *a;
    uint32_t *ids;
    float sum[3];
    int32_t n;
};

SDD_FN void peer_take(struct peer_sink *s, uint32_t id)
{
    const float *value = s->a->value;
    if (!value) {
        s->ids[s->n] = id;
    } else if (s->a->relation != SDD_RELATION_VV) {
        s->sum[0] += value[id];
    } else {
        for (int32_t d = 0; d < 3; d++)
            s->sum[d] += value[3 * (size_t)id + (size_t)d];
    }
    s->n++;
}

SDD_FN uint32_t peer_before(uint32_t h)
{
    return h % 3 ? h - 1 : h + 2;
}

SDD_FN void peer_around(const struct peer_directed_args *a, uint32_t v, struct peer_sink *s)
{
    const uint32_t first = a->first[v];
    uint32_t h = first;
    if (first == SDD_NONE)
        return;
    do {
        const uint32_t before = peer_before(h);
        if (a->relation == SDD_RELATION_VF)
            peer_take(s, h / 3);
        else
            peer_take(s, a->relation == SDD_RELATION_VE ? a->edge[h] : a->vert[peer_before(before)]);
        h = a->twin[before];
        if (h >= a->n_corners && a->relation != SDD_RELATION_VF)
            peer_take(s, a->relation == SDD_RELATION_VE ? a->edge[before] : a->vert[before]);
    } while (h < a->n_corners && h != first);
}

SDD_FN void k_peer_directed(int64_t i, const struct peer_directed_args *a)
{
    struct peer_sink s;
    s.a = a;
    s.ids = a->value ? NULL : a->ids + a->offset[i];
    s.n = 0;
    s.sum[0] = s.sum[1] = s.sum[2] = 0.0f;
    if (a->relation <= SDD_RELATION_VF) {
        peer_around(a, (uint32_t)i, &s);
    } else if (a->relation == SDD_RELATION_EF) {
        const uint32_t h = a->edge_corner[i], twin = a->twin[h];
        peer_take(&s, h / 3);
        if (twin < a->n_corners)
            peer_take(&s, twin / 3);
    } else {
        for (uint32_t h = 3 * (uint32_t)i; h < 3 * (uint32_t)i + 3; h++)
            if (a->twin[h] < a->n_corners)
                peer_take(&s, a->twin[h] / 3);
    }
    if (a->value && a->relation != SDD_RELATION_VV)
        a->to[i] = s.sum[0];
    else if (a->value)
        for (int32_t d = 0; d < 3; d++)
            a->to[3 * i + d] = s.sum[d];
}

struct peer_normals_args {
    struct sdd_query_rows rows; /* VF */
    const uint32_t *vert;       /* of triangles */
    const float *value;
    float *to;
};

SDD_FN void k_peer_normals(int64_t v, const struct peer_normals_args *a)
{
    const uint32_t *offset = a->rows.first.offset;
    const struct sdd_real3 p = sdd_point_of(a->value, (uint32_t)v);
    struct sdd_real3 sum = sdd_real3_of(0.0, 0.0, 0.0);
    for (uint32_t k = offset[v]; k < offset[v + 1]; k++) {
        const uint32_t *t = a->vert + 3 * (size_t)a->rows.first.ids[k];
        const int32_t at = t[0] == (uint32_t)v ? 0 : t[1] == (uint32_t)v ? 1 : 2;
        const struct sdd_real3 x = sdd_minus(sdd_point_of(a->value, t[at < 2 ? at + 1 : 0]), p);
        const struct sdd_real3 y = sdd_minus(sdd_point_of(a->value, t[at > 0 ? at - 1 : 2]), p);
        const double w = sdd_dot(x, x) * sdd_dot(y, y);
        if (w > 0.0)
            sum = sdd_plus(sum, 1.0 / w, sdd_cross(x, y));
    }
    const double length = sdd_length(sum);
    for (int32_t d = 0; d < 3; d++)
        a->to[3 * v + d] = (float)(length > 0.0 ? (d == 0 ? sum.x : d == 1 ? sum.y : sum.z) / length : 0.0);
}
#endif
