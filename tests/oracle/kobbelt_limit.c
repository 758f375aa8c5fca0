/* SPDX-License-Identifier: Apache-2.0 */
/* kobbelt_limit.c: limits without eigenvectors: the rules around one vertex, over and over. */
#include "tests/oracle/kobbelt.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double turn = 6.283185307179586476925286766559;

/* A vertex and the mean of its ring, step by step. */
static void smooth_limit(const struct kobbelt *m, int32_t v, double to[3])
{
    int n = m->first[v + 1] - m->first[v];
    double alpha = (4 - 2 * cos(turn / n)) / 9;
    for (int k = 0; k < 3; k++) {
        double p = m->p[v][k], mean = 0;
        for (int32_t i = m->first[v]; i < m->first[v + 1]; i++)
            mean += m->p[kobbelt_far(m, m->incident[i], v)][k] / n;
        for (int step = 0; step < 200; step++) {
            double q = (1 - alpha) * p + alpha * mean;
            mean = (p + 2 * mean) / 3; /* two corners of each face are in the ring */
            p = q;
        }
        to[k] = p;
    }
}

/* A vertex and its neighbours on a curve that is cut in three, time after time. */
static void curve_limit(const struct kobbelt *m, int32_t v, const int32_t ends[2], double to[3])
{
    for (int k = 0; k < 3; k++) {
        double a = m->p[ends[0]][k], p = m->p[v][k], b = m->p[ends[1]][k];
        for (int step = 0; step < 100; step++) {
            double near_a = (10 * a + 16 * p + b) / 27, near_b = (10 * b + 16 * p + a) / 27;
            p = (4 * a + 19 * p + 4 * b) / 27;
            a = near_a;
            b = near_b;
        }
        to[k] = p;
    }
}

static void subtract(const double a[3], const double b[3], double to[3])
{
    for (int k = 0; k < 3; k++)
        to[k] = a[k] - b[k];
}

static double length(const double a[3])
{
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

/* The faces of a vertex: its corners are 3 face + place, ascending. */
struct fan {
    int32_t *corner, n;
};

/* Both tangents, over the ring in order; 0: it does not close. */
static int tangents(const struct kobbelt *m, const struct fan *fan, double s[3], double t[3])
{
    int32_t c = fan->corner[0];
    for (int j = 0; j < fan->n; j++) {
        int32_t f = c / 3, in = m->edge[f][(c + 2) % 3], k;
        double w[2] = {cos(j * turn / fan->n), sin(j * turn / fan->n)};
        for (k = 0; k < 3; k++) {
            s[k] += w[0] * m->p[m->vert[f][(c + 1) % 3]][k];
            t[k] += w[1] * m->p[m->vert[f][(c + 1) % 3]][k];
        }
        for (k = 0; k < fan->n; k++)
            if (fan->corner[k] != c && m->edge[fan->corner[k] / 3][fan->corner[k] % 3] == in)
                break;
        if (k == fan->n)
            return 0;
        c = fan->corner[k];
    }
    return c == fan->corner[0];
}

static int fan_normal(const struct kobbelt *m, const struct fan *fan, int32_t v, int smooth, double magnitude,
                      double out[3])
{
    double s[3] = {0}, t[3] = {0}, sum[3] = {0}, all = 0, longest = 0;
    if (smooth && fan->n > 2)
        return tangents(m, fan, s, t) && refined_normal(s, t, magnitude, out);
    for (int j = 0; j < fan->n; j++) {
        const int32_t c = fan->corner[j], *f = m->vert[c / 3];
        subtract(m->p[f[(c + 1) % 3]], m->p[v], s);
        subtract(m->p[f[(c + 2) % 3]], m->p[v], t);
        const double cross[3] = {s[1] * t[2] - s[2] * t[1], s[2] * t[0] - s[0] * t[2], s[0] * t[1] - s[1] * t[0]};
        for (int k = 0; k < 3; k++)
            sum[k] += cross[k];
        all += length(s) * length(t);
        longest = fmax(longest, fmax(length(s), length(t)));
    }
    if (!(length(sum) > 0.05 * all && length(sum) > 5e-4 * magnitude * longest))
        return 0;
    for (int k = 0; k < 3; k++)
        out[k] = sum[k] / length(sum);
    return 1;
}

static struct fan *fans_of(const struct kobbelt *m, int64_t n)
{
    struct fan *fans = xalloc(n, sizeof *fans);
    for (int64_t c = 0; c < 3 * m->F; c++)
        if (m->vert[c / 3][c % 3] < n)
            fans[m->vert[c / 3][c % 3]].n++;
    for (int64_t v = 0; v < n; v++) {
        fans[v].corner = xalloc(fans[v].n, sizeof *fans[v].corner);
        fans[v].n = 0;
    }
    for (int64_t c = 0; c < 3 * m->F; c++)
        if (m->vert[c / 3][c % 3] < n) {
            struct fan *fan = &fans[m->vert[c / 3][c % 3]];
            fan->corner[fan->n++] = (int32_t)c;
        }
    return fans;
}

void kobbelt_limit(const struct kobbelt *m, int64_t n, struct refined *out)
{
    double magnitude = refined_magnitude(m->p[0], m->V);
    struct fan *fans = fans_of(m, n);
    out->limits = xalloc(3 * n, sizeof *out->limits);
    out->normals = xalloc(3 * n, sizeof *out->normals);
    out->normal_ok = xalloc(n, 1);
    for (int32_t v = 0; v < n; v++) {
        int32_t ends[2];
        double *to = &out->limits[3 * v];
        enum kobbelt_rule rule = kobbelt_rule(m, v, ends);
        if (rule == KOBBELT_SMOOTH)
            smooth_limit(m, v, to);
        else if (rule == KOBBELT_CURVE)
            curve_limit(m, v, ends, to);
        else
            memcpy(to, m->p[v], sizeof m->p[v]);
        out->normal_ok[v] = /* of a vertex that is not manifold it is that of one of its fans */
            m->vs[v] < KOBBELT_NONMANIFOLD &&
            fan_normal(m, &fans[v], v, rule == KOBBELT_SMOOTH, magnitude, &out->normals[3 * v]);
        free(fans[v].corner);
    }
    free(fans);
}

/* The UVs of a level, from those of the even level before. */
static kobbelt_uv *refine_uvs(const struct sdd_mesh_desc *d, const float *points, const float *uvs, int level)
{
    unsigned char *hole = xalloc(d->n_faces, 1);
    struct kobbelt m, next, after;
    kobbelt_uv *uv = kobbelt_first_uvs(d, uvs), *next_uv;
    kobbelt_control(d, points, &m, hole);
    while (m.level < level) {
        kobbelt_step(&m, &next);
        if (next.level < level) {
            kobbelt_step(&next, &after);
            kobbelt_free(&next);
            next = after;
        }
        next_uv = kobbelt_next_uvs(&m, &next, uv);
        kobbelt_free(&m);
        free(uv);
        m = next;
        uv = next_uv;
    }
    kobbelt_free(&m);
    free(hole);
    return uv;
}

/* The faces of the level that are no holes. */
static void take_faces(const struct kobbelt *m, int64_t each, const unsigned char *hole, const kobbelt_uv *uv,
                       struct refined *out)
{
    out->faces = xalloc(3 * m->F, sizeof *out->faces);
    out->uvs = uv ? xalloc(6 * m->F, sizeof *out->uvs) : NULL;
    for (int64_t f = 0; f < m->F; f++) {
        if (hole[f / each])
            continue;
        for (int i = 0; i < 3; i++)
            out->faces[3 * out->n_faces + i] = (uint32_t)m->vert[f][i];
        if (uv)
            memcpy(out->uvs + 6 * out->n_faces, uv[f].at, sizeof uv[f].at);
        out->n_faces++;
    }
}

void kobbelt_refine(const struct sdd_mesh_desc *d, const float *points, const float *uvs, int level,
                    struct refined *out)
{
    unsigned char *hole = xalloc(d->n_faces, 1);
    struct kobbelt m, next;
    int64_t each = 1;
    kobbelt_uv *uv = uvs && d->n_uvs > 0 ? refine_uvs(d, points, uvs, level) : NULL;
    kobbelt_control(d, points, &m, hole);
    *out = (struct refined){.size = 3};
    for (int k = 0; k < level + level % 2; k++) {
        kobbelt_step(&m, &next);
        kobbelt_free(&m);
        m = next;
        if (k + 1 != level)
            continue;
        for (int n = 0; n < level; n++)
            each *= 3;
        out->n_vertices = m.V;
        out->points = xalloc(3 * m.V, sizeof *out->points);
        memcpy(out->points, m.p, (size_t)m.V * sizeof *m.p);
        take_faces(&m, each, hole, uv, out);
    }
    kobbelt_limit(&m, out->n_vertices, out);
    kobbelt_free(&m);
    free(hole);
    free(uv);
}
