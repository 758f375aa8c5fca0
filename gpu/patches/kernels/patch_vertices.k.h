/* SPDX-License-Identifier: Apache-2.0 */
/* patch_vertices: the level from which the surface around a control vertex is made of bicubic B-splines. Blocked edges
 * (infinitely sharp ones and boundaries) divide the faces of a vertex into sectors that are independent of each other.
 * A smooth vertex needs four faces, one on a crease (two blocked edges) two faces in each sector, a corner one face in
 * each. Semi-sharp features must have decayed, and all faces must be quads if that level is 0.
 * Shapes  control mesh -> regular[V] i32, 0 to 10 or SDD_NEVER_REGULAR
 * Launch  item, n = V
 * Cost    about 40 B read a corner
 * Result  Non-manifold vertices are judged by the same rule: they are corners, or on creases.
 * Threads any queue
 * Source  Mlakar 2018, equation 4.34; OpenSubdiv's sdc/crease.cpp */
#ifndef SDD_K_PATCH_VERTICES_H
#define SDD_K_PATCH_VERTICES_H
#include "gpu/patches/kernels/patch_cells.dev.h"

struct patch_vertices_args {
    struct sdd_control mesh;
    int32_t *regular;
};

/* The first level on which nothing is left of a semi-sharp s. */
SDD_FN int32_t sdd_decay_level(float s)
{
    int32_t level = 0;
    while (s < 10.0f && sdd_decayed(s, level) > 0.0f)
        level++;
    return level;
}

/* What is around a vertex. */
struct sdd_star {
    int32_t n_blocked;
    int32_t from;     /* The level from which nothing is semi-sharp. */
    int32_t creased;  /* Whether each face has one blocked edge. */
    int32_t cornered; /* Whether each face has two blocked edges. */
};

SDD_FN void sdd_star_edge(const struct sdd_control *m, struct sdd_star *s, uint32_t own)
{
    uint32_t e = m->edge[own];
    int32_t blocked = sdd_is_blocked(m, own), level = blocked || !m->edge_sharp ? 0 : sdd_decay_level(m->edge_sharp[e]);
    s->n_blocked += blocked && m->edge_corner[e] == own; /* Each edge counts once, at the corner that stands for it. */
    s->from = level > s->from ? level : s->from;
}

SDD_FN void sdd_star_face(const struct sdd_control *m, struct sdd_star *s, uint32_t c)
{
    uint32_t p = sdd_prev(&m->faces, c), t = m->twin[p];
    int32_t own = sdd_is_blocked(m, c), before = sdd_is_blocked(m, p);
    sdd_star_edge(m, s, c);
    sdd_star_edge(m, s, p);
    s->cornered = s->cornered && own && before;
    s->creased = s->creased && own != before;
    /* Corner t leads to the other face of the sector. A sector that meets one edge twice is no crease. */
    if (own && !before)
        s->creased = s->creased && m->edge[sdd_prev(&m->faces, t)] != m->edge[c];
    if (!sdd_is_quad(m, sdd_face(&m->faces, c)) && s->from < 1)
        s->from = 1;
}

SDD_FN void k_patch_vertices(int64_t v, const struct patch_vertices_args *a)
{
    const struct sdd_control *m = &a->mesh;
    float sharp = m->vert_sharp ? m->vert_sharp[v] : 0.0f;
    struct sdd_star s;
    int32_t n = (int32_t)(m->end[v] - m->begin[v]), regular;
    s.n_blocked = 0;
    s.from = sdd_decay_level(sharp);
    s.creased = s.cornered = 1;
    for (uint32_t k = m->begin[v]; k < m->end[v]; k++)
        sdd_star_face(m, &s, m->corner[k]);
    if (sharp >= 10.0f || s.n_blocked > 2)
        regular = s.cornered;
    else if (s.n_blocked == 2)
        regular = s.creased;
    else
        regular = s.n_blocked == 0 && n == 4;
    a->regular[v] = regular ? s.from : SDD_NEVER_REGULAR;
}
#endif
