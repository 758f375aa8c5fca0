/* SPDX-License-Identifier: Apache-2.0 */
/* ef_level.dev.h: one level of the edge-friend structure, and the two tasks of a subdivision step over it.
 *
 * Corner c = 4q + k is corner k of quad q. The quad's on-edges are 2q (corners 0, 1) and 2q + 1 (corners 2, 3). From c,
 * corner c ^ 2 is across the quad, c ^ 3 along the off-edge and c ^ 1 along the on-edge.
 *
 * friends[q] names the on-edges, in other quads, that are q's off-edges (v1, v2) and (v3, v0). The first of these ends
 * in a face point and is never sharp. For the second, the word says with SDD_SHARP whether it is sharp, and then
 * sharp[q] says how sharp.
 *
 * From level 2 on, slot 4i is the child of slot i, 4i + 1 the face point of quad i, 4i + 2 and 4i + 3 the edge points
 * of its on-edges; the children of slots beyond the quads follow at 3F + i. Real quads come before ghosts, and a slot's
 * loop corner lies in a real quad wherever the vertex touches one.
 * Source  Kuth et al. 2023, sections 3.1 to 3.5 (with the misprints of the text mended) */
#ifndef SDD_EF_LEVEL_H
#define SDD_EF_LEVEL_H
#include "gpu/rules/crease_rule.h"

#define SDD_SHARP 0x80000000u /* A bit that ids of on-edges leave free. */

struct ef_level {
    const struct sdd_slot *slot;    /* Shape [n_slots]. */
    const struct sdd_quad *quad;    /* Shape [n_quads]. */
    const struct sdd_pair *friends; /* Shape [n_quads]. */
    const float *sharp;             /* Shape [n_quads]; read where SDD_SHARP is set. */
    const float *vert_sharp;        /* Shape [V], of the control vertices; NULL where none is sharp. */
    uint32_t n_slots, n_quads;
    uint32_t n_first_quads; /* The quads of level 1, ghosts included. */
    uint32_t n_vertices;    /* The control vertices. */
    int32_t level;
};

SDD_FN struct sdd_slot sdd_slot_at(const struct ef_level *l, uint32_t v)
{
#ifdef __CUDA_ARCH__ /* This is one 16-byte load, even where the loop is not used. */
    float4 t = __ldg((const float4 *)l->slot + v);
    struct sdd_slot s;
    s.x = t.x;
    s.y = t.y;
    s.z = t.z;
    s.loop = __float_as_uint(t.w);
    return s;
#else
    return l->slot[v];
#endif
}

SDD_FN struct sdd_vec3 sdd_point_at(const struct ef_level *l, uint32_t v)
{
    return sdd_slot_point(sdd_slot_at(l, v));
}

SDD_FN struct sdd_quad sdd_quad_at(const struct ef_level *l, uint32_t q)
{
#ifdef __CUDA_ARCH__
    uint4 t = __ldg((const uint4 *)l->quad + q);
    struct sdd_quad r;
    r.v[0] = t.x;
    r.v[1] = t.y;
    r.v[2] = t.z;
    r.v[3] = t.w;
    return r;
#else
    return l->quad[q];
#endif
}

/* The vertex of corner c, whose quad is q. On the GPU it is picked from the registers that one wide load filled,
 * because an index that is not known at compile time would put the quad in memory. On the CPU a load is as cheap as the
 * picking. */
SDD_FN uint32_t sdd_vertex_of(const struct ef_level *l, struct sdd_quad q, uint32_t c)
{
#ifdef __CUDACC__
    uint32_t low = c & 1 ? q.v[1] : q.v[0], high = c & 1 ? q.v[3] : q.v[2];
    (void)l;
    return c & 2 ? high : low;
#else
    (void)q;
    return l->quad[c >> 2].v[c & 3];
#endif
}

/* Prefetches what tasks v + 12 and v + 24 will read, because their friends may lie anywhere. On the CPU this is worth
 * 20 % at 3 M vertices. */
SDD_FN void sdd_prefetch_tasks(const struct ef_level *l, uint32_t v)
{
#ifndef __CUDACC__
    if (v + 24 < l->n_quads && v + 24 < l->n_slots) {
        struct sdd_pair soon = l->friends[v + 12], later = l->friends[v + 24];
        uint32_t loop = l->slot[v + 24].loop;
        __builtin_prefetch(l->quad + (later.g[0] >> 1));
        __builtin_prefetch(l->quad + ((later.g[1] & ~SDD_SHARP) >> 1));
        if (loop != SDD_NONE) {
            __builtin_prefetch(l->quad + (loop >> 2));
            __builtin_prefetch(l->friends + (loop >> 2));
        }
        for (int32_t k = 0; k < 4; k++) {
            __builtin_prefetch(l->slot + l->quad[soon.g[0] >> 1].v[k]);
            __builtin_prefetch(l->slot + l->quad[(soon.g[1] & ~SDD_SHARP) >> 1].v[k]);
        }
    }
#else
    (void)l, (void)v;
#endif
}

/* The slot of the next level that slot v's vertex moves to. */
SDD_FN uint32_t sdd_child_slot(const struct ef_level *l, uint32_t v)
{
    return v < l->n_quads ? 4 * v : 3 * l->n_quads + v;
}

/* The sharpness of the vertex in slot v. Only control vertices have any, so the slot is followed back to level 1. */
SDD_FN float sdd_vertex_sharpness(const struct ef_level *l, uint32_t v)
{
    if (!l->vert_sharp)
        return 0.0f;
    for (int32_t d = l->level - 1; d >= 1; d--) {
        uint32_t n = l->n_first_quads << (2 * (d - 1)); /* The quads of level d. */
        if (v >= 4 * n)
            v -= 3 * n;
        else if (v & 3)
            return 0.0f;
        else
            v >>= 2;
    }
    if (v >= l->n_vertices)
        return 0.0f;
    float s = l->vert_sharp[v];
    for (int32_t d = 0; d < l->level && s > 0.0f; d++)
        s = sdd_decay(s);
    return s;
}

/* What the quad task makes: the face point and the points of the two off-edges. */
struct ef_quad_points {
    struct sdd_pair friends;
    struct sdd_quad v; /* The quad's own vertices, read through its friends. */
    struct sdd_vec3 face, edge[2];
    float sharp; /* The sharpness of off-edge 1. */
};

SDD_FN struct ef_quad_points sdd_quad_task(const struct ef_level *l, uint32_t q)
{
    struct ef_quad_points r;
    r.friends = l->friends[q];
    r.sharp = r.friends.g[1] & SDD_SHARP ? l->sharp[q] : 0.0f;
    r.friends.g[1] &= ~SDD_SHARP;
    struct sdd_vec3 near[2], far[2];
    for (int32_t i = 0; i < 2; i++) {
        uint32_t g = r.friends.g[i], c = 2 * g;
        struct sdd_quad a = sdd_quad_at(l, g >> 1);
        uint32_t first = sdd_vertex_of(l, a, c), second = sdd_vertex_of(l, a, c + 1);
        r.v.v[i ? 0 : 2] = first;
        r.v.v[i ? 3 : 1] = second;
        near[i] = sdd_add(sdd_point_at(l, first), sdd_point_at(l, second));
        far[i] =
            sdd_add(sdd_point_at(l, sdd_vertex_of(l, a, c ^ 3)), sdd_point_at(l, sdd_vertex_of(l, a, (c + 1) ^ 3)));
    }
    r.face = sdd_scale(0.25f, sdd_add(near[0], near[1]));
    for (int32_t i = 0; i < 2; i++) { /* The smooth rule is (a + b)/4 + face/4 + (a + b + a' + b')/16. */
        struct sdd_vec3 smooth = sdd_scale(0.25f, sdd_fma(0.25f, sdd_add(near[i], far[i]), sdd_add(near[i], r.face)));
        r.edge[i] = sdd_edge_point(near[i], sdd_uniform(i ? r.sharp : 0.0f), smooth);
    }
    return r;
}

/* The next corner around c's vertex. *sharp becomes the sharpness of the off-edge that is crossed. */
SDD_FN uint32_t sdd_next_around(const struct ef_level *l, uint32_t c, float *sharp)
{
    uint32_t g = l->friends[c >> 2].g[((c + 1) & 2) == 0]; /* Corners 1 and 2 lie on off-edge 0. */
    *sharp = g & SDD_SHARP ? l->sharp[c >> 2] : 0.0f;
    return 2 * g + (c & 1); /* Doubling shifts SDD_SHARP out. */
}

/* The vertex task: the new position of the vertex in slot v, whose slot holds s. The walk is bounded, although level-1
 * rings close by construction and later ones by induction; no ring is longer than the quads of its level. */
SDD_FN struct sdd_vec3 sdd_vertex_task(const struct ef_level *l, uint32_t v, struct sdd_slot s)
{
    struct sdd_vec3 at = sdd_slot_point(s), edges = sdd_vec3_of(0.0f, 0.0f, 0.0f), diagonals = edges;
    struct sdd_ring ring = sdd_ring_empty();
    uint32_t c = s.loop;
    int32_t n = 0;
    float sharp;
    do {
        struct sdd_quad q = sdd_quad_at(l, c >> 2);
        struct sdd_vec3 end = sdd_point_at(l, sdd_vertex_of(l, q, c ^ 3));
        edges = sdd_add(edges, end);
        diagonals = sdd_add(diagonals, sdd_point_at(l, sdd_vertex_of(l, q, c ^ 2)));
        n++;
        c = sdd_next_around(l, c, &sharp);
        sdd_ring_edge(&ring, sdd_uniform(sharp), end);
    } while (c != s.loop && (uint32_t)n < l->n_quads);
    struct sdd_vec3 smooth = sdd_smooth_point(at, n, edges, diagonals);
    if (!l->sharp && !l->vert_sharp)
        return smooth;
    return sdd_vertex_point(at, sdd_vertex_sharpness(l, v), smooth, &ring);
}
#endif
