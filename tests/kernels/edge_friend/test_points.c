/* SPDX-License-Identifier: Apache-2.0 */
/* Oracles of the points that the edge-friend kernels make: ef_faces, ef_edges, ef_vertices, ef_step, ef_last.
 * Each kernel gets the oracle's mesh of the level before (levels.h, tests/oracle/naive.h:
 * double precision, by SEMANTICS sections 1 to 3), rounded to float, with loop starts at random; what belongs
 * to ghosts alone is NaN, for nothing that leaves the engine may read it. */
#include "tests/kernels/faces.h"
#include "tests/kernels/launch.h"
#include "gpu/engines/edge_friend/kernels/ef_edges.k.h"
#include "gpu/engines/edge_friend/kernels/ef_faces.k.h"
#include "gpu/engines/edge_friend/kernels/ef_last.k.h"
#include "gpu/engines/edge_friend/kernels/ef_step.k.h"
#include "gpu/engines/edge_friend/kernels/ef_vertices.k.h"
#include "tests/kernels/edge_friend/points.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N_RANDOM 120

static void near_row(const struct points *o, const char *kernel, int64_t row, const float *got, const double *want)
{
    for (int k = 0; k < 3; k++)
        if (!(fabs((double)got[k] - want[k]) <= 1e-6 * o->magnitude))
            fail_msg("%s level %d: %s: point %lld is (%.9g, %.9g, %.9g), not (%.9g, %.9g, %.9g)", launch_case(),
                     o->q.level, kernel, (long long)row, (double)got[0], (double)got[1], (double)got[2], want[0],
                     want[1], want[2]);
}

static void near_slot(const struct points *o, const char *kernel, int64_t slot, struct sdd_slot got, const double *want)
{
    const float xyz[3] = {got.x, got.y, got.z};
    near_row(o, kernel, slot, xyz, want);
}

/* Rows [begin, end) of `slot` are vertices of level 1, the others are as they were. */
static void check_rows(const struct points *o, const char *kernel, const struct sdd_slot *slot,
                       const struct sdd_slot *before, int64_t begin, int64_t end)
{
    for (int64_t s = 0; s < o->q.n_slots; s++) {
        if (s >= begin && s < end) {
            near_slot(o, kernel, s, slot[s], o->r.points + 3 * s);
        } else if (memcmp(slot + s, before + s, sizeof *slot) != 0) {
            fail_msg("%s: %s wrote slot %lld", launch_case(), kernel, (long long)s);
        }
    }
}

/* ---- the first step -------------------------------------------------------------------------------------------- */
/* A ghost face's point stands on some vertex of its boundary loop. */
static void check_ghost_faces(const struct poly *p, const struct brute *b, const struct sdd_slot *ghost)
{
    for (int64_t h = 0; h < b->H; h++) {
        uint32_t c = b->ghost_first[h];
        do
            c = b->next[c];
        while (c != b->ghost_first[h] && memcmp(&ghost[h].x, p->points + 3 * (int64_t)b->vert[c], 12) != 0);
        if (memcmp(&ghost[h].x, p->points + 3 * (int64_t)b->vert[c], 12) != 0)
            fail_msg("%s: ef_faces: ghost face %lld has no vertex's point", launch_case(), (long long)h);
    }
}

static void check_faces(const struct poly *p, const struct points *o)
{
    const struct brute *b = &o->b;
    struct ef_faces_args a = {.end = launch_in(b->end, b->F, 4), .vert = launch_in(b->vert, b->C + b->B, 4)};
    struct sdd_slot *before = poisoned(o->q.n_slots, sizeof *before);
    a.ghost_first = launch_in(b->ghost_first, b->H, 4), a.p = launch_in(p->points, 3 * b->V, 4);
    a.slot = launch_out(o->q.n_slots, sizeof *a.slot);
    a.n_vertices = (uint32_t)b->V, a.n_faces = (uint32_t)b->F, a.n_edges = (uint32_t)b->E;
    LAUNCH(ef_faces, &a, b->F + b->H);
    const struct sdd_slot *got = launch_got(a.slot), *ghost = got + o->q.n_slots - b->H;
    check_ghost_faces(p, b, ghost);
    memcpy(before + o->q.n_slots - b->H, ghost, (size_t)b->H * sizeof *ghost);
    check_rows(o, "ef_faces", got, before, b->V, b->V + b->F);
    launch_end();
    free(before);
}

/* Face points are there, the rest is not yet. */
static struct sdd_slot *with_face_points(const struct points *o)
{
    struct sdd_slot *slot = poisoned(o->q.n_slots, sizeof *slot);
    memcpy(slot + o->b.V, o->slot + o->b.V, (size_t)o->b.F * sizeof *slot);
    return slot;
}

enum sharp { SHARP_NONE, SHARP_FULL, SHARP_INSIDE }; /* no array; as it is; boundary edges hold what was authored */

static const float *upload_sharp(const struct brute *b, enum sharp sharp)
{
    float *edge_sharp = xalloc(b->E, sizeof *edge_sharp);
    for (int64_t e = 0; e < b->E; e++)
        edge_sharp[e] = sharp == SHARP_INSIDE && b->real_twin[b->edge_corner[e]] == BRUTE_NONE ? (float)(e % 3) / 3
                                                                                               : b->edge_sharp[e];
    const float *device = sharp == SHARP_NONE ? NULL : launch_in(edge_sharp, b->E, sizeof *edge_sharp);
    free(edge_sharp);
    return device;
}

static void check_edges(const struct poly *p, const struct points *o, enum sharp sharp)
{
    const struct brute *b = &o->b;
    int64_t n = b->C + b->B, first = b->V + b->F;
    struct sdd_slot *before = with_face_points(o);
    struct ef_edges_args a = {.edge_corner = launch_in(b->edge_corner, b->E, 4), .vert = launch_in(b->vert, n, 4)};
    a.faces = faces_in(b, n), a.twin = launch_in(b->twin, n, 4);
    a.end = p->desc.options.triangle_rule == SDD_TRIANGLE_SMOOTH ? launch_in(b->end, b->F, 4) : NULL;
    a.p = launch_in(p->points, 3 * b->V, 4), a.sharp = upload_sharp(b, sharp);
    a.slot = launch_inout(before, o->q.n_slots, sizeof *before);
    a.n_vertices = (uint32_t)b->V, a.n_faces = (uint32_t)b->F;
    LAUNCH(ef_edges, &a, b->E);
    check_rows(o, "ef_edges", launch_got(a.slot), before, first, first + b->E);
    launch_end();
    free(before);
}

static void check_vertices(const struct poly *p, const struct points *o, enum sharp sharp)
{
    const struct brute *b = &o->b;
    int64_t n = b->C + b->B;
    struct sdd_slot *before = with_face_points(o);
    struct ef_vertices_args a = {.vert = launch_in(b->vert, n, 4), .faces = faces_in(b, n)};
    a.begin = launch_in(b->vert_begin, b->V, 4), a.end = launch_in(b->vert_end, b->V, 4);
    a.corner = launch_in(b->vert_corner, b->C, 4);
    a.edge = launch_in(b->edge, n, 4), a.twin = launch_in(b->twin, n, 4);
    a.p = launch_in(p->points, 3 * b->V, 4), a.edge_sharp = upload_sharp(b, sharp);
    unsigned char *is_feature =
        feature_flags(b->vert, b->next, b->edge_corner, b->edge_sharp, b->E, b->vert_sharp, b->V);
    if (a.edge_sharp)
        a.feature_vertices = features_in(is_feature, b->V);
    free(is_feature);
    a.vert_sharp = o->vertex_sharp ? launch_in(b->vert_sharp, b->V, 4) : NULL;
    a.slot = launch_inout(before, o->q.n_slots, sizeof *before);
    a.n_vertices = (uint32_t)b->V, a.n_faces = (uint32_t)b->F, a.n_corners = (uint32_t)b->C;
    LAUNCH(ef_vertices, &a, b->V + a.feature_vertices.n_items);
    const struct sdd_slot *got = launch_got(a.slot);
    check_rows(o, "ef_vertices", got, before, 0, b->V);
    for (int64_t v = 0; v < b->V; v++) /* a vertex without faces keeps its place, to the bit */
        if (b->valence[v] == 0 && (got[v].loop != SDD_NONE || memcmp(&got[v].x, p->points + 3 * v, 12) != 0))
            fail_msg("%s: isolated vertex %lld has moved", launch_case(), (long long)v);
    launch_end();
    free(before);
}

/* ---- a later step ---------------------------------------------------------------------------------------------- */
static int64_t n_tasks(const struct points *o)
{
    return o->q.n_slots > o->q.n_quads ? o->q.n_slots : o->q.n_quads;
}

static void check_step(const struct points *o, const struct points *next)
{
    const struct level_quads *to = &next->q;
    struct ef_step_args a = {.from = points_level(o), .slot = launch_out(to->n_slots, sizeof *a.slot)};
    a.quad = launch_out(to->n_quads, sizeof *a.quad), a.friends = launch_out(to->n_quads, sizeof *a.friends);
    a.sharp = a.from.sharp ? launch_out(to->n_quads, sizeof *a.sharp) : NULL;
    a.n_real_quads = o->q.n_real;
    LAUNCH(ef_step, &a, n_tasks(o));
    const struct sdd_slot *got = launch_got(a.slot);
    for (int64_t s = 0; s < to->n_slots; s++)
        if (level_is_real(to, s))
            near_slot(next, "ef_step", s, got[s], next->r.points + 3 * (int64_t)next->row[s]);
    launch_same(a.quad, to->v, "quad");
    launch_same(a.friends, next->marks.friends, "friends");
    if (a.sharp)
        launch_same(a.sharp, next->marks.sharp, "sharp");
    launch_end();
}

static void check_last(const struct points *o, const struct points *next)
{
    int64_t n = next->r.n_vertices;
    struct ef_last_args a = {.from = points_level(o), .grid = points_grid(o, o->q.level + 1)};
    a.out = launch_out(n, 12), a.n_real_quads = (uint32_t)o->q.n_real;
    LAUNCH(ef_last, &a, n_tasks(o));
    const float *got = launch_got(a.out);
    float *none = poisoned(3, sizeof *none);
    for (int64_t row = 0; row < n; row++)
        if (row >= o->b.V || o->b.valence[row] > 0)
            near_row(next, "ef_last", row, got + 3 * row, next->r.points + 3 * row);
        else if (memcmp(got + 3 * row, none, 12) != 0)
            fail_msg("%s: ef_last wrote isolated vertex %lld", launch_case(), (long long)row);
    launch_end();
    free(none);
}

static void check_mesh(const struct poly *p)
{
    struct points o, next;
    int last = p->desc.n_corners <= 130 ? 4 : p->desc.n_corners <= 400 ? 3 : 2;
    points_first(&o, p, 1);
    check_faces(p, &o);
    check_edges(p, &o, SHARP_FULL);
    check_edges(p, &o, SHARP_INSIDE);
    check_vertices(p, &o, SHARP_FULL);
    if (!o.edge_sharp) { /* an array of zeros and no array are the same */
        check_edges(p, &o, SHARP_NONE);
        check_vertices(p, &o, SHARP_NONE);
    }
    for (; o.q.level < last; o = next) {
        points_next(&next, &o, p);
        check_step(&o, &next);
        check_last(&o, &next);
        points_fini(&o);
    }
    points_fini(&o);
}

static void test_points(void **state)
{
    (void)state, poly_each(N_RANDOM, 100000, check_mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_points)};
    return LAUNCH_GROUP("points of edge-friend levels", tests);
}
