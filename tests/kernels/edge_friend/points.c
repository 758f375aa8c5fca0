/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernels/faces.h"
#include "tests/kernels/edge_friend/points.h"
#include "tests/kernels/launch.h"
#include "tests/oracle/naive.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Every corner of a real quad names its slot's row; all of them must agree. */
static void place_slots(struct points *o, const struct grid *g)
{
    const struct level_quads *q = &o->q;
    o->row = xalloc(q->n_slots, sizeof *o->row);
    memset(o->row, 0xff, (size_t)q->n_slots * sizeof *o->row);
    for (int64_t c = 0; c < 4 * q->n_real; c++) {
        const int32_t *at = q->at[c / 4][c % 4];
        uint32_t row = grid_vertex(g, q->level, q->home[c / 4], at[0], at[1]), *mine = o->row + q->v[c / 4][c % 4];
        if (*mine != BRUTE_NONE && *mine != row)
            oracle_die("slot %u has rows %u and %u", q->v[c / 4][c % 4], *mine, row);
        *mine = row;
    }
}

static void fill(struct points *o, const struct poly *p)
{
    struct level_quads *q = &o->q;
    struct grid g;
    grid_init(&g, &p->desc);
    naive_refine(&p->desc, p->points, NULL, q->level, &o->r);
    place_slots(o, &g);
    grid_fini(&g);
    o->slot = xalloc(q->n_slots, sizeof *o->slot);
    for (int64_t s = 0; s < q->n_slots; s++) {
        int64_t n = q->first[s + 1] - q->first[s];
        float *xyz = &o->slot[s].x;
        for (int k = 0; k < 3; k++)
            xyz[k] = level_is_real(q, s) ? (float)o->r.points[3 * (int64_t)o->row[s] + k] : NAN;
        o->slot[s].loop = SDD_NONE;
        while (n > 0 && q->corner[q->first[s] + n - 1] >= 4 * q->n_real && level_is_real(q, s))
            n--;
        if (n > 0)
            o->slot[s].loop = q->corner[q->first[s] + random_below(&o->random, n)];
    }
    o->marks = level_marked(q, &o->b);
}

void points_first(struct points *o, const struct poly *p, uint64_t seed)
{
    *o = (struct points){.random = seed * 2654435761u + 99};
    brute_init(&o->b, &p->desc);
    for (int64_t i = 0; i < 3 * o->b.V; i++)
        o->magnitude = fmax(o->magnitude, fabs((double)p->points[i]));
    for (int64_t e = 0; e < o->b.E; e++)
        o->edge_sharp |= o->b.edge_sharp[e] > 0;
    for (int64_t v = 0; v < o->b.V; v++)
        o->vertex_sharp |= o->b.vert_sharp[v] > 0;
    level_first(&o->q, &o->b);
    fill(o, p);
}

void points_next(struct points *o, const struct points *from, const struct poly *p)
{
    *o = (struct points){.random = from->random, .magnitude = from->magnitude};
    o->edge_sharp = from->edge_sharp;
    o->vertex_sharp = from->vertex_sharp;
    brute_init(&o->b, &p->desc);
    level_next(&from->q, &o->q);
    fill(o, p);
}

void points_fini(struct points *o)
{
    free(o->row), free(o->slot);
    level_marks_free(&o->marks);
    refined_free(&o->r);
    level_fini(&o->q);
    brute_fini(&o->b);
}

struct ef_level points_level(const struct points *o)
{
    const struct level_quads *q = &o->q;
    struct ef_level l = {.n_slots = (uint32_t)q->n_slots, .n_quads = (uint32_t)q->n_quads, .level = q->level};
    l.slot = launch_in(o->slot, q->n_slots, sizeof *o->slot);
    l.quad = launch_in(q->v, q->n_quads, sizeof *q->v);
    l.friends = launch_in(o->marks.friends, q->n_quads, sizeof *q->friends);
    l.sharp = o->edge_sharp ? launch_in(o->marks.sharp, q->n_quads, sizeof *o->marks.sharp) : NULL;
    l.vert_sharp = o->vertex_sharp ? launch_in(o->b.vert_sharp, o->b.V, sizeof(float)) : NULL;
    l.n_first_quads = (uint32_t)(o->b.C + o->b.B);
    l.n_vertices = (uint32_t)o->b.V;
    return l;
}

struct sdd_grid points_grid(const struct points *o, int level)
{
    const struct brute *b = &o->b;
    struct sdd_grid g = {.n_vertices = (uint32_t)b->V, .n_faces = (uint32_t)b->F, .level = level};
    g.vert = launch_in(b->vert, b->C, 4), g.faces = faces_in(b, b->C);
    g.edge = launch_in(b->edge, b->C, 4);
    g.n_edges = (uint32_t)b->E, g.n_corners = (uint32_t)b->C;
    return g;
}
