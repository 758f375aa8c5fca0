/* SPDX-License-Identifier: Apache-2.0 */
/* positions.c: copies, checks and applies the ranges of new positions that a codec has read from a request. */
#include "server/mesh/positions.h"
#include "server/base/shared.h"
#include <string.h>

void positions_free(struct positions *p)
{
    if (p)
        arena_free(p->arena);
}

int positions_own(struct positions *p, struct sdd_error *err)
{
    for (int64_t i = 0; i < p->n_ranges; i++) {
        struct position_range *r = &p->ranges[i];
        float *copy = arena_array(p->arena, r->n, 3 * sizeof(float));
        if (!copy)
            return arena_fail(p->arena, "positions", err);
        if (r->n)
            memcpy(copy, r->points, (size_t)r->n * 3 * sizeof(float));
        r->points = copy;
    }
    return SDD_OK;
}

int positions_check(const struct positions *p, int64_t n_vertices, int whole, struct sdd_error *err)
{
    if (!p->n_ranges)
        return sdd_fail(err, SDD_EINVALID, "ranges", "ranges is missing or empty");
    for (int64_t i = 0; i < p->n_ranges; i++)
        if (!p->ranges[i].n)
            return sdd_fail(err, SDD_EINVALID, "points", "ranges[%lld] has no points", (long long)i);
    if (whole && (p->n_ranges != 1 || p->ranges[0].first != 0))
        return sdd_fail(err, SDD_EMESH, "ranges", "a pose is one range, from vertex 0 on, of all %lld vertices",
                        (long long)n_vertices);
    if (whole && p->ranges[0].n != n_vertices)
        return sdd_fail(err, SDD_EMESH, "points", "%lld vertices are given; the mesh has %lld and all are needed",
                        (long long)p->ranges[0].n, (long long)n_vertices);
    for (int64_t i = 0; i < p->n_ranges; i++) {
        const struct position_range *r = &p->ranges[i];
        int64_t end;
        if (!size_add(r->first, r->n, &end) || end > n_vertices)
            return sdd_fail(err, SDD_EMESH, "ranges", "ranges[%lld] is %lld vertices from %lld on; the mesh has %lld",
                            (long long)i, (long long)r->n, (long long)r->first, (long long)n_vertices);
    }
    return SDD_OK;
}

int positions_open(const struct positions *p, struct mesh *m, struct sdd_error *err)
{
    const size_t row = 3 * sizeof(float);
    size_t written = 0;
    for (int64_t i = 0; i < p->n_ranges; i++)
        written += (size_t)p->ranges[i].n * row;
    float *points = shared_own(m->points, (size_t)m->n_vertices * row, written);
    bool open = points != NULL;
    m->points = open ? points : m->points;
    for (int64_t i = 0; i < p->n_ranges && open; i++)
        open = shared_touch(points, (size_t)p->ranges[i].first * row, (size_t)p->ranges[i].n * row);
    return open ? SDD_OK : sdd_fail(err, SDD_ENO_MEMORY, "positions", "no memory for a copy of the positions");
}

void positions_apply(const struct positions *p, struct mesh *m)
{
    for (int64_t i = 0; i < p->n_ranges; i++) {
        const struct position_range *r = &p->ranges[i];
        if (r->n)
            memcpy(m->points + 3 * r->first, r->points, (size_t)r->n * 3 * sizeof(float));
    }
}
