/* SPDX-License-Identifier: Apache-2.0 */
/* Oracles of the kernels of scheme sqrt3: sqrt3_firsts, _fans, _children, _vertices, _faces, _finish, _indices,
 * _uvs, _uv_rows, and matrix_sqrt3. Each
 * kernel gets a level of the witness (tests/oracle/kobbelt.h: explicit edges and flips, double precision), rounded to
 * float, and must make the next one, or its limits. Meshes are cut into triangles. */
#include "tests/kernels/launch.h"
#include "gpu/engines/subdivision_matrix/kernels/matrix_sqrt3.k.h"
#include "gpu/levels/kernels/sqrt3_children.k.h"
#include "gpu/levels/sqrt3_faces.k.h"
#include "gpu/levels/kernels/sqrt3_fans.k.h"
#include "gpu/levels/kernels/sqrt3_firsts.k.h"
#include "gpu/levels/kernels/sqrt3_indices.k.h"
#include "gpu/levels/kernels/sqrt3_tangents.k.h"
#include "gpu/levels/sqrt3_uv_rows.k.h"
#include "gpu/levels/kernels/sqrt3_uvs.k.h"
#include "gpu/levels/sqrt3_vertices.k.h"
#include "tests/kernels/nonmanifold.h"
#include "tests/kernels/rows.h"
#include "tests/oracle/kobbelt.h"
#include "tests/oracle/planes.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N_RANDOM 100
#define N_SOUPS 200
#define LEVELS 4

static int64_t n_normals, n_planes, n_lines, n_uvs; /* what the oracle has met */

/* A level as the kernels want it. */
struct flat {
    uint32_t *vert, *twin, *first;
    float *sharp, *vert_sharp, *p;
    int64_t V, F, n_control;
    int level;
};

static int32_t place_in(const struct kobbelt *m, int32_t f, int32_t e)
{
    return m->edge[f][0] == e ? 0 : m->edge[f][1] == e ? 1 : 2;
}

static struct flat flatten(const struct kobbelt *m, int64_t n_control)
{
    struct flat a = {.V = m->V, .F = m->F, .n_control = n_control, .level = m->level};
    a.vert = xalloc(3 * m->F, 4), a.twin = xalloc(3 * m->F, 4), a.first = xalloc(m->V, 4);
    a.sharp = xalloc(3 * m->F, 4), a.vert_sharp = xalloc(n_control, 4), a.p = xalloc(3 * m->V, 4);
    memset(a.first, 0xff, (size_t)m->V * 4);
    for (int64_t h = 0; h < 3 * m->F; h++) {
        const int32_t e = m->edge[h / 3][h % 3];
        const struct kobbelt_edge *edge = &m->edges[e];
        int32_t other = edge->face[edge->face[0] == h / 3];
        a.vert[h] = (uint32_t)m->vert[h / 3][h % 3];
        a.twin[h] = (uint32_t)(edge->n_sides == 1 ? 3 * m->F + edge->border : 3 * other + place_in(m, other, e));
        a.sharp[h] = (float)edge->s;
        if (a.first[a.vert[h]] == SDD_NONE || (edge->n_sides == 1 && a.twin[a.first[a.vert[h]]] < 3 * m->F))
            a.first[a.vert[h]] = (uint32_t)h;
        n_lines += m->level % 2 && edge->is_line;
    }
    for (int64_t v = 0; v < n_control; v++)
        a.vert_sharp[v] = (float)fmin(m->vs[v], 10);
    for (int64_t i = 0; i < 3 * m->V; i++)
        a.p[i] = (float)m->p[i / 3][i % 3];
    return a;
}

static void flat_free(struct flat *a)
{
    free(a->vert), free(a->twin), free(a->first), free(a->sharp), free(a->vert_sharp), free(a->p);
}

/* Vertex sharpness is told as it was on level 0: with what has gone since. */
static struct sdd_sqrt3 upload(const struct flat *a)
{
    float *at_start = xalloc(a->n_control, sizeof *at_start);
    for (int64_t v = 0; v < a->n_control; v++)
        at_start[v] = a->vert_sharp[v] + (a->vert_sharp[v] > 0 && a->vert_sharp[v] < 10 ? (float)(a->level & ~1) : 0);
    struct sdd_sqrt3 m = {.vert = launch_in(a->vert, 3 * a->F, 4), .twin = launch_in(a->twin, 3 * a->F, 4)};
    m.first = launch_in(a->first, a->V, 4), m.sharp = launch_in(a->sharp, 3 * a->F, 4);
    m.vert_sharp = launch_in(at_start, a->n_control, 4);
    m.n_vertices = (uint32_t)a->V, m.n_faces = (uint32_t)a->F, m.n_control = (uint32_t)a->n_control;
    m.level = a->level;
    free(at_start);
    return m;
}

/* By size of the ring: alpha / n and beta / n. */
static const struct sdd_float2 *upload_weights(int64_t n)
{
    struct sdd_float2 *w = xalloc(n, sizeof *w);
    for (int64_t k = 1; k < n; k++) {
        double a = 4.0 / 9 - 2.0 / 9 * cos(2 * acos(-1) / (double)k);
        w[k].s[0] = (float)(a / (double)k);
        w[k].s[1] = (float)((1 - 1 / (1 + 3 * a)) / (double)k);
    }
    const struct sdd_float2 *device = launch_in(w, n, sizeof *w);
    free(w);
    return device;
}

static const struct sdd_float2 *upload_angles(int64_t n)
{
    struct sdd_float2 *w = xalloc(n, sizeof *w);
    for (int64_t k = 1; k < n; k++) {
        w[k].s[0] = (float)cos(2 * acos(-1) / (double)k);
        w[k].s[1] = (float)sin(2 * acos(-1) / (double)k);
    }
    const struct sdd_float2 *device = launch_in(w, n, sizeof *w);
    free(w);
    return device;
}

static int64_t most_edges(const struct kobbelt *m)
{
    int64_t most = 6;
    for (int64_t v = 0; v < m->V; v++)
        most = m->first[v + 1] - m->first[v] > most ? m->first[v + 1] - m->first[v] : most;
    return most + 1;
}

/* ---- faces ------------------------------------------------------------------------------------------------------ */
/* A start is any half-edge of the vertex, but one on the boundary where there is one. */
static void check_starts(const struct flat *a, const uint32_t *first, const char *kernel)
{
    for (int64_t v = 0; v < a->V; v++) {
        uint32_t h = first[v];
        int open = a->first[v] != SDD_NONE && a->twin[a->first[v]] >= 3 * a->F;
        if (a->first[v] == SDD_NONE ? h != SDD_NONE
                                    : h >= 3 * a->F || a->vert[h] != v || (open && a->twin[h] < 3 * a->F))
            fail_msg("%s level %d: %s says %u of vertex %lld", launch_case(), a->level, kernel, h, (long long)v);
    }
}

static void check_faces(const struct flat *a, const struct flat *to)
{
    struct sqrt3_children_args c = {.mesh = upload(a)};
    c.vert = launch_out(3 * to->F, 4), c.twin = launch_out(3 * to->F, 4), c.sharp = launch_out(3 * to->F, 4);
    LAUNCH(sqrt3_children, &c, 3 * a->F);
    launch_same(c.vert, to->vert, "vert");
    launch_same(c.twin, to->twin, "twin");
    const float *sharp = launch_got(c.sharp);
    for (int64_t h = 0; h < 3 * to->F; h++)
        if (!(fabsf(sharp[h] - to->sharp[h]) <= 1e-5f) || (sharp[h] > 0) != (to->sharp[h] > 0))
            fail_msg("%s level %d: sharpness %lld is %.9g, not %.9g", launch_case(), to->level, (long long)h,
                     (double)sharp[h], (double)to->sharp[h]);
    launch_end();
    struct sqrt3_fans_args f = {.mesh = upload(a), .first = launch_out(to->V, 4)};
    LAUNCH(sqrt3_fans, &f, a->V + a->F);
    check_starts(to, launch_got(f.first), "sqrt3_fans");
    launch_end();
}

static void check_firsts(const struct flat *a)
{
    uint32_t *begin = xalloc(a->V, 4), *end = xalloc(a->V, 4), *corner = xalloc(3 * a->F, 4), n = 0;
    for (int64_t v = 0; v < a->V; v++) {
        begin[v] = n;
        for (int64_t h = 0; h < 3 * a->F; h++)
            if (a->vert[h] == v)
                corner[n++] = (uint32_t)h;
        end[v] = n;
    }
    struct sqrt3_firsts_args f = {.begin = launch_in(begin, a->V, 4), .end = launch_in(end, a->V, 4)};
    f.corner = launch_in(corner, 3 * a->F, 4), f.twin = launch_in(a->twin, 3 * a->F, 4);
    f.first = launch_out(a->V, 4), f.n_corners = (uint32_t)(3 * a->F);
    LAUNCH(sqrt3_firsts, &f, a->V);
    check_starts(a, launch_got(f.first), "sqrt3_firsts");
    launch_end();
    free(begin), free(end), free(corner);
}

/* Every second control face is hidden, the others keep their order. */
static void check_indices(const struct flat *a)
{
    int64_t each = 1, n = 0;
    for (int k = 0; k < a->level; k++)
        each *= 3;
    uint32_t *shown = xalloc(3 * a->F, 4), *want = xalloc(3 * a->F, 4);
    for (int64_t f = 0; f < a->F / each; f += 2, n++)
        for (uint32_t i = 0; i < 3; i++)
            shown[3 * n + i] = (uint32_t)(3 * f) + i;
    for (int64_t f = 0; f < n; f++)
        memcpy(want + 3 * f * each, a->vert + 6 * f * each, (size_t)each * 12);
    struct sqrt3_indices_args s = {.vert = launch_in(a->vert, 3 * a->F, 4), .visible = launch_in(shown, 3 * n, 4)};
    s.face = launch_out(3 * n * each, 4), s.each = each;
    LAUNCH(sqrt3_indices, &s, n * each);
    launch_same(s.face, want, "face");
    launch_end();
    struct sqrt3_indices_args all = {.vert = launch_in(a->vert, 3 * a->F, 4), .face = launch_out(3 * a->F, 4)};
    all.each = each;
    LAUNCH(sqrt3_indices, &all, a->F);
    launch_same(all.face, a->vert, "face");
    launch_end();
    free(shown), free(want);
}

/* ---- UVs -------------------------------------------------------------------------------------------------------- */
/* By vertex, but for some corners. */
static uint32_t *random_rows(const struct flat *a, int64_t n, uint64_t *seed)
{
    uint32_t *rows = xalloc(3 * a->F, 4);
    for (int64_t h = 0; h < 3 * a->F; h++)
        rows[h] = random_below(seed, 8) ? a->vert[h] : (uint32_t)random_below(seed, n);
    return rows;
}

static void same_uvs(const struct sdd_float2 *got, const struct kobbelt_uv *want, int64_t row, int64_t face)
{
    for (int k = 0; k < 6; k++) {
        double w = want[face].at[k / 2][k % 2], g = (double)got[3 * row + k / 2].s[k % 2];
        if (!isnan(w) && !(fabs(g - w) <= 3e-7))
            fail_msg("%s: UV %d of face %lld is %.9g, not %.9g", launch_case(), k, (long long)face, g, w);
        n_uvs += !isnan(w);
    }
}

/* All faces with rows of UVs, then those of every second control face without. */
static void check_uvs(const struct kobbelt *m, const struct flat *a, const struct kobbelt *to, int64_t n_control,
                      uint64_t *seed)
{
    int64_t n = a->V + 5, each = to->F / n_control, n_visible = (n_control + 1) / 2;
    uint32_t *rows = random_rows(a, n, seed), *shown = xalloc(3 * n_control + 3, 4);
    struct sdd_float2 *uv = xalloc(n, sizeof *uv), *flat = xalloc(3 * a->F, sizeof *flat);
    struct kobbelt_uv *at = xalloc(a->F, sizeof *at);
    for (int64_t i = 0; i < 2 * n; i++)
        uv[i / 2].s[i % 2] = random_unit(seed);
    for (int64_t h = 0; h < 3 * a->F; h++) {
        flat[h] = uv[rows[h]];
        for (int k = 0; k < 2; k++)
            at[h / 3].at[h % 3][k] = (double)flat[h].s[k];
    }
    for (int64_t f = 0; f < n_visible; f++)
        for (uint32_t i = 0; i < 3; i++)
            shown[3 * f + i] = (uint32_t)(6 * f) + i;
    struct kobbelt_uv *want = kobbelt_next_uvs(m, to, at);
    struct sqrt3_uvs_args u = {.mesh = upload(a), .each = each, .steps = to->level - m->level};
    u.row = launch_in(rows, 3 * a->F, 4), u.uv = launch_in(uv, n, sizeof *uv);
    u.out = launch_out(3 * to->F, sizeof *u.out);
    LAUNCH(sqrt3_uvs, &u, to->F);
    const struct sdd_float2 *got = launch_got(u.out);
    for (int64_t f = 0; f < to->F; f++)
        same_uvs(got, want, f, f);
    launch_end();
    struct sqrt3_uvs_args s = {.mesh = upload(a), .each = each, .steps = to->level - m->level};
    s.uv = launch_in(flat, 3 * a->F, sizeof *flat), s.visible = launch_in(shown, 3 * n_visible, 4);
    s.out = launch_out(3 * n_visible * each, sizeof *s.out);
    LAUNCH(sqrt3_uvs, &s, n_visible * each);
    got = launch_got(s.out);
    for (int64_t f = 0; f < n_visible * each; f++)
        same_uvs(got, want, f, f + f / each * each);
    launch_end();
    free(rows), free(shown), free(uv), free(flat), free(at), free(want);
}

static void check_both_uvs(const struct kobbelt *m, const struct flat *a, const struct kobbelt *next, int64_t n_control,
                           uint64_t *seed)
{
    struct kobbelt after;
    kobbelt_step(next, &after);
    check_uvs(m, a, next, n_control, seed);
    check_uvs(m, a, &after, n_control, seed);
    kobbelt_free(&after);
}

static void test_uv_rows(void **state)
{
    uint32_t want[1000];
    (void)state;
    for (uint32_t i = 0; i < 1000; i++)
        want[i] = i;
    launch_say("1000 rows");
    struct sqrt3_uv_rows_args r = {launch_out(1000, 4)};
    LAUNCH(sqrt3_uv_rows, &r, 1000);
    launch_same(r.row, want, "row");
    launch_end();
}

/* ---- points ----------------------------------------------------------------------------------------------------- */
static void check_rows(const float *got, const double *want, const float *before, int64_t begin, int64_t end, int64_t n,
                       double tolerance, const char *what)
{
    for (int64_t row = 0; row < n; row++) {
        const float *p = got + 3 * row;
        if ((row < begin || row >= end) && memcmp(p, before + 3 * row, 12) != 0)
            fail_msg("%s: %s wrote row %lld", launch_case(), what, (long long)row);
        for (int x = 0; x < 3 && row >= begin && row < end; x++)
            if (!(fabs((double)p[x] - want[3 * row + x]) <= tolerance))
                fail_msg("%s: %s: row %lld is (%.9g, %.9g, %.9g), not (%.9g, %.9g, %.9g)", launch_case(), what,
                         (long long)row, (double)p[0], (double)p[1], (double)p[2], want[3 * row], want[3 * row + 1],
                         want[3 * row + 2]);
    }
}

/* ---- rows of matrices: times the points they are what the rules make ------------------------------------------- */
struct matrix_case {
    const struct kobbelt *m;
    const struct flat *level;
    int32_t kind;
};

static void matrix_pass(void *context, struct sdd_matrix_rows to)
{
    const struct matrix_case *c = context;
    struct matrix_sqrt3_args a = {.mesh = upload(c->level), .to = to, .kind = c->kind};
    a.weights = upload_weights(most_edges(c->m));
    if (c->kind > SDD_MATRIX_LIMIT)
        a.angle = upload_angles(most_edges(c->m));
    LAUNCH(matrix_sqrt3, &a, c->level->V + (c->kind == SDD_MATRIX_STEP ? c->level->F : 0));
}

static void check_matrix(const struct kobbelt *m, const struct flat *level, int32_t kind, const double *want, int64_t n,
                         double magnitude)
{
    struct matrix_case c = {m, level, kind};
    struct rows r;
    float *got = xalloc(3 * n, sizeof *got);
    rows_make(&r, n, level->V, matrix_pass, &c);
    for (int64_t i = 0; i < n; i++) {
        double p[3], sum, most;
        rows_times(&r, i, level->p, p, &sum, &most);
        for (int x = 0; x < 3; x++)
            got[3 * i + x] = (float)p[x];
        if (!(fabs(sum - 1) <= 1e-6))
            fail_msg("%s: matrix_sqrt3: row %lld has the weight %.9g", launch_case(), (long long)i, sum);
    }
    check_rows(got, want, NULL, 0, n, n, 1e-6 * magnitude, "matrix_sqrt3");
    rows_free(&r);
    free(got);
}

/* Rows of tangents sum to zero and span the plane; smooth vertices alone have them. */
static void check_planes(const struct kobbelt *m, const struct flat *a, const struct refined *want)
{
    struct rows r[2];
    for (int k = 0; k < 2; k++) {
        struct matrix_case c = {m, a, SDD_MATRIX_TANGENT_1 + k};
        rows_make(&r[k], a->V, a->V, matrix_pass, &c);
    }
    for (int64_t v = 0; v < a->V; v++) {
        double t[2][3], n[3], sum[2], most[2], dot = 0;
        for (int k = 0; k < 2; k++) {
            rows_times(&r[k], v, a->p, t[k], &sum[k], &most[k]);
            if (!(fabs(sum[k]) <= 2e-6 * most[k]))
                fail_msg("%s: tangent %d of %lld has the weight %g", launch_case(), k, (long long)v, sum[k]);
        }
        int32_t ends[2];
        assert_true(most[0] + most[1] == 0 || kobbelt_rule(m, (int32_t)v, ends) == KOBBELT_SMOOTH);
        if (most[0] + most[1] == 0 || !want->normal_ok[v])
            continue;
        for (int x = 0; x < 3; x++)
            n[x] = t[0][(x + 1) % 3] * t[1][(x + 2) % 3] - t[0][(x + 2) % 3] * t[1][(x + 1) % 3];
        for (int x = 0; x < 3; x++)
            dot += n[x] * want->normals[3 * v + x];
        if (!(dot > (1 - 1e-4) * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])))
            fail_msg("%s level %d: the plane of row %lld is off", launch_case(), a->level, (long long)v);
        n_planes++;
    }
    rows_free(&r[0]), rows_free(&r[1]);
}

static void check_points(const struct kobbelt *from, const struct flat *a, const struct kobbelt *m,
                         const struct flat *to, double magnitude)
{
    float *before = poisoned(3 * to->V, sizeof *before);
    struct sqrt3_vertices_args v = {.mesh = upload(a), .weights = upload_weights(most_edges(from))};
    v.p = launch_in(a->p, 3 * a->V, 4), v.to = launch_inout(before, 3 * to->V, 4);
    LAUNCH(sqrt3_vertices, &v, a->V);
    check_rows(launch_got(v.to), m->p[0], before, 0, a->V, to->V, 1e-6 * magnitude, "sqrt3_vertices");
    launch_end();
    memcpy(before, to->p, (size_t)a->V * 12);
    struct sqrt3_faces_args f = {.mesh = upload(a), .p = launch_in(a->p, 3 * a->V, 4)};
    f.to = launch_inout(before, 3 * to->V, 4);
    LAUNCH(sqrt3_faces, &f, a->F);
    check_rows(launch_got(f.to), m->p[0], before, a->V, to->V, to->V, 1e-6 * magnitude, "sqrt3_faces");
    launch_end();
    check_matrix(from, a, SDD_MATRIX_STEP, m->p[0], to->V, magnitude);
    free(before);
}

/* sqrt3_follow: a vertex has one limit, whichever even level it is made from. */
static void check_follow(const struct kobbelt *m, const struct flat *a, double magnitude)
{
    static float before[3 * 512];
    const uint32_t stride = (uint32_t)(2 * most_edges(m) + 2);
    struct sdd_limit_rings rings = {launch_out((int64_t)5 * stride, sizeof(struct sdd_spoke)), 5, stride};
    struct sqrt3_finish_args f = {.mesh = upload(a), .weights = upload_weights(most_edges(m) + 2)};
    f.angle = upload_angles(most_edges(m)), f.from = launch_in(a->p, 3 * a->V, 4), f.limit = SDD_LIMIT;
    f.out = launch_out(3 * a->V, 4), f.normal = launch_out(3 * a->V, 4);
    struct sqrt3_follow_args follow = {f, launch_out(6 * a->V, 4), rings, a->V};
    struct sqrt3_tangents_args with = {f, follow.tangents};
    LAUNCH(sqrt3_tangents, &with, a->V);
    LAUNCH(sqrt3_follow, &follow, 5);
    const float *out = launch_got(f.out), *normal = launch_got(f.normal), *tangents = launch_got(follow.tangents);
    (void)launch_got(rings.spoke);
    for (int64_t v = 0; v < a->V; v++) {
        const char *fault = plane_fault(tangents + 6 * v, normal + 3 * v);
        if (fault)
            fail_msg("%s level %d: tangents %lld: %s", launch_case(), a->level, (long long)v, fault);
    }
    for (int64_t i = 0; i < 3 * f.mesh.n_control && i < 3 * 512; i++) {
        if (a->level >= 4 && !(fabs((double)out[i] - (double)before[i]) <= 4e-6 * magnitude))
            fail_msg("%s level %d: vertex %lld goes elsewhere than from two levels before, by %g", launch_case(),
                     a->level, (long long)(i / 3), fabs((double)out[i] - (double)before[i]));
        before[i] = out[i];
    }
    launch_end();
}

/* Normals are checked where rounding and the choice of a fan do not decide. */
static void check_finish(const struct kobbelt *m, const struct flat *a, double magnitude)
{
    struct refined want = {0};
    kobbelt_limit(m, m->V, &want);
    struct sqrt3_finish_args f = {.mesh = upload(a), .weights = upload_weights(most_edges(m))};
    f.angle = upload_angles(most_edges(m)), f.from = launch_in(a->p, 3 * a->V, 4), f.limit = 1;
    f.out = launch_out(3 * a->V, 4), f.normal = launch_out(3 * a->V, 4);
    struct sqrt3_tangents_args with = {f, launch_out(6 * a->V, 4)};
    with.finish.out = launch_out(3 * a->V, 4), with.finish.normal = launch_out(3 * a->V, 4);
    LAUNCH(sqrt3_finish, &f, a->V);
    LAUNCH(sqrt3_tangents, &with, a->V);
    const float *normal = launch_got(f.normal), *tangents = launch_got(with.tangents);
    launch_same(with.finish.out, launch_got(f.out), "out of sqrt3_tangents");
    launch_same(with.finish.normal, normal, "normal of sqrt3_tangents");
    check_rows(launch_got(f.out), want.limits, NULL, 0, a->V, a->V, 1e-6 * magnitude, "sqrt3_finish");
    for (int64_t v = 0; v < a->V; v++) {
        double dot = 0;
        for (int x = 0; x < 3; x++)
            dot += (double)normal[3 * v + x] * want.normals[3 * v + x];
        if (want.normal_ok[v] && !(dot > 1 - 1e-4))
            fail_msg("%s level %d: normal %lld is off by %g", launch_case(), a->level, (long long)v, acos(dot));
        n_normals += want.normal_ok[v];
        const char *fault = plane_fault(tangents + 6 * v, normal + 3 * v);
        if (fault)
            fail_msg("%s level %d: tangents %lld: %s", launch_case(), a->level, (long long)v, fault);
    }
    launch_end();
    if (m->level % 2 == 0)
        check_follow(m, a, magnitude);
    check_matrix(m, a, SDD_MATRIX_LIMIT, want.limits, a->V, magnitude);
    check_planes(m, a, &want);
    refined_free(&want);
}

/* ---- meshes ----------------------------------------------------------------------------------------------------- */
/* Each face as a fan of triangles, without holes and UVs. */
static void check_mesh(const struct poly *p)
{
    struct sdd_mesh_desc d = p->desc;
    int32_t *vertices = xalloc(3 * d.n_corners, 4), *counts = xalloc(d.n_corners, 4);
    unsigned char *hole = xalloc(d.n_corners, 1);
    d.n_corners = d.n_faces = d.n_holes = d.n_uvs = 0;
    for (int64_t f = 0, c = 0; f < p->desc.n_faces; c += p->desc.face_counts[f++])
        for (int32_t k = 1; k + 1 < p->desc.face_counts[f]; k++) {
            const int64_t from[3] = {c, c + k, c + k + 1};
            counts[d.n_faces++] = 3;
            for (int i = 0; i < 3; i++)
                vertices[d.n_corners++] = p->desc.face_vertices[from[i]];
        }
    d.face_counts = counts, d.face_vertices = vertices;
    double magnitude = 0;
    for (int64_t i = 0; i < 3 * d.n_vertices; i++)
        magnitude = fmax(magnitude, fabs((double)p->points[i]));
    struct kobbelt m, next;
    kobbelt_control(&d, p->points, &m, hole);
    struct flat a = flatten(&m, m.V), to;
    check_firsts(&a);
    int64_t n_control = m.F;
    uint64_t seed = (uint64_t)d.n_corners;
    while (m.level < LEVELS) {
        kobbelt_step(&m, &next);
        if (m.level % 2 == 0)
            check_both_uvs(&m, &a, &next, n_control, &seed);
        to = flatten(&next, a.n_control);
        check_faces(&a, &to);
        check_points(&m, &a, &next, &to, magnitude);
        check_indices(&to);
        check_finish(&next, &to, magnitude);
        kobbelt_free(&m), flat_free(&a);
        m = next, a = to;
    }
    kobbelt_free(&m), flat_free(&a);
    free(vertices), free(counts), free(hole);
}

static void test_shapes(void **state)
{
    (void)state;
    n_normals = n_planes = n_lines = n_uvs = 0;
    poly_each(N_RANDOM, 400, check_mesh);
    print_message("%lld limit normals, %lld half-edges of lines, %lld UVs\n", (long long)n_normals, (long long)n_lines,
                  (long long)n_uvs);
    assert_true(n_normals > 100000 && n_planes > n_normals / 2 && n_lines > 1000 && n_uvs > 100000);
}

static void test_odd(void **state)
{
    (void)state, soup_each(N_SOUPS, 400, check_mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shapes), cmocka_unit_test(test_odd),
                                       cmocka_unit_test(test_uv_rows)};
    return LAUNCH_GROUP("kernels of scheme sqrt3", tests);
}
