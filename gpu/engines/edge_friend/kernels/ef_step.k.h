/* SPDX-License-Identifier: Apache-2.0 */
/* ef_step: one Catmull-Clark step in one launch: item i is quad task i and vertex task i.
 * Shapes  a level of F quads and N slots -> the next: 4F quads, max(4F, 3F + N) slots
 * Launch  item, n = max(F, N)
 * Cost    about 60 B read (cached neighbours) and 160 B written a quad and its vertex
 * Result  Every slot, quad and friend of the next level is written exactly once, and sharpness where there is any.
 *         Tasks only gather.
 * Threads any queue
 * Source  Kuth et al. 2023, section 3.2, Algorithm 1 */
#ifndef SDD_K_EF_STEP_H
#define SDD_K_EF_STEP_H
#include "gpu/engines/edge_friend/kernels/ef_level.dev.h"

struct ef_step_args {
    struct ef_level from;
    struct sdd_slot *slot;
    struct sdd_quad *quad;
    struct sdd_pair *friends;
    float *sharp;         /* NULL where from.sharp is NULL. */
    int64_t n_real_quads; /* The real quads of `from`. */
};

SDD_FN void sdd_put_slot(struct sdd_slot *to, struct sdd_vec3 p, uint32_t loop)
{
    *to = sdd_slot_of(p, loop);
}

SDD_FN void sdd_put_quad(struct sdd_quad *to, uint32_t v0, uint32_t v1, uint32_t v2, uint32_t v3)
{
    struct sdd_quad q;
    q.v[0] = v0;
    q.v[1] = v1;
    q.v[2] = v2;
    q.v[3] = v3;
    *to = q;
}

SDD_FN void sdd_step_quad(uint32_t q, const struct ef_step_args *a)
{
    const struct ef_level *l = &a->from;
    struct ef_quad_points r = sdd_quad_task(l, q);
    uint32_t g0 = r.friends.g[0], g1 = r.friends.g[1], q0 = 4 * q, q1 = q0 + 1, q2 = q0 + 2, q3 = q0 + 3;
    uint32_t f = 4 * q + 1, on0 = 4 * q + 2, on1 = 4 * q + 3;
    uint32_t e0 = 4 * (g0 >> 1) + 2 + (g0 & 1), e1 = 4 * (g1 >> 1) + 2 + (g1 & 1);
    uint32_t n2 = 4 * (g0 >> 1) + 2 * (g0 & 1), n1 = n2 + 1, n0 = 4 * (g1 >> 1) + 2 * (g1 & 1), n3 = n0 + 1;

    /* Loops start in the quad with the smaller number, which is a real one where there is one. */
    sdd_put_slot(a->slot + f, r.face, 4 * q0 + 2);
    sdd_put_slot(a->slot + e0, r.edge[0], q <= g0 >> 1 ? 4 * q1 + 1 : 4 * n2 + 1);
    sdd_put_slot(a->slot + e1, r.edge[1], q <= g1 >> 1 ? 4 * q3 + 1 : 4 * n0 + 1);

    sdd_put_quad(a->quad + q0, sdd_child_slot(l, r.v.v[0]), on0, f, e1);
    sdd_put_quad(a->quad + q1, sdd_child_slot(l, r.v.v[1]), e0, f, on0);
    sdd_put_quad(a->quad + q2, sdd_child_slot(l, r.v.v[2]), on1, f, e0);
    sdd_put_quad(a->quad + q3, sdd_child_slot(l, r.v.v[3]), e1, f, on1);

    a->friends[q0].g[0] = 2 * q1 + 1;
    a->friends[q1].g[0] = 2 * q2 + 1;
    a->friends[q2].g[0] = 2 * q3 + 1;
    a->friends[q3].g[0] = 2 * q0 + 1;
    float sharp = sdd_decay(r.sharp);
    uint32_t mark = sharp > 0.0f ? SDD_SHARP : 0;
    a->friends[q0].g[1] = 2 * n0 | mark;
    a->friends[n1].g[1] = 2 * q1;
    a->friends[q2].g[1] = 2 * n2;
    a->friends[n3].g[1] = 2 * q3 | mark;
    if (mark)
        a->sharp[q0] = a->sharp[n3] = sharp;
}

SDD_FN void k_ef_step(int64_t i, const struct ef_step_args *a)
{
    const struct ef_level *l = &a->from;
    uint32_t v = (uint32_t)i;
    sdd_prefetch_tasks(l, v);
    if (v < l->n_quads)
        sdd_step_quad(v, a);
    if (v < l->n_slots) {
        struct sdd_slot s = sdd_slot_at(l, v);
        struct sdd_slot *to = a->slot + sdd_child_slot(l, v);
        if (s.loop == SDD_NONE)
            sdd_put_slot(to, sdd_slot_point(s), SDD_NONE);
        else if (s.loop >> 2 >= a->n_real_quads) /* Only ghosts touch it, so nothing outside reads it. */
            sdd_put_slot(to, sdd_slot_point(s), 4 * s.loop);
        else
            sdd_put_slot(to, sdd_vertex_task(l, v, s), 4 * s.loop);
    } else {
        /* There are fewer vertices than quads (genus 2 and up), so the first of the quad's four slots stays unused. */
        sdd_put_slot(a->slot + 4 * v, sdd_vec3_of(0.0f, 0.0f, 0.0f), SDD_NONE);
    }
}
#endif
