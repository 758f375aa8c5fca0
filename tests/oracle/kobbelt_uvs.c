/* SPDX-License-Identifier: Apache-2.0 */
/* kobbelt_uvs.c: UVs of sqrt3 from what the rules promise, not from how they are made: after two steps each new face
 * lies in one face of the even level before, which is found by its vertices, and has its values, linearly. */
#include "tests/oracle/kobbelt.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A vertex two steps on, over the vertices of the even level. */
struct place {
    int32_t vertex[3];
    double weight[3];
    int n;
};

static struct place third(int32_t near, int32_t far)
{
    return (struct place){{near, far}, {2.0 / 3, 1.0 / 3}, 2};
}

static struct place place_of(const struct kobbelt *m, const struct kobbelt_edge *const *border, int64_t v)
{
    if (v < m->V)
        return (struct place){{(int32_t)v}, {1}, 1};
    v -= m->V;
    if (v < m->F) {
        struct place p = {.weight = {1.0 / 3, 1.0 / 3, 1.0 / 3}, .n = 3};
        memcpy(p.vertex, m->vert[v], sizeof p.vertex);
        return p;
    }
    v -= m->F;
    if (v < 3 * m->F) /* the centre of a flipped face, or the p of a line: nearer to the corner it is from */
        return third(m->vert[v / 3][v % 3], m->vert[v / 3][(v % 3 + 1) % 3]);
    v -= 3 * m->F;
    return third(border[v]->ends[1], border[v]->ends[0]);
}

/* Coordinates over the corners of face f; 0: it does not lie there, or some corners of f are one vertex. */
static int lies_in(const struct kobbelt *m, int32_t f, const struct place *p, double to[3])
{
    int found = 0;
    const int32_t *v = m->vert[f];
    memset(to, 0, 3 * sizeof *to);
    for (int k = 0; k < p->n; k++)
        for (int i = 0; i < 3; i++)
            if (v[i] == p->vertex[k]) {
                to[i] = p->weight[k];
                found++;
            }
    return found == p->n && v[0] != v[1] && v[1] != v[2] && v[2] != v[0];
}

static double volume(double a[3][3])
{
    double d = 0;
    for (int i = 0; i < 3; i++)
        d += a[0][i] * (a[1][(i + 1) % 3] * a[2][(i + 2) % 3] - a[1][(i + 2) % 3] * a[2][(i + 1) % 3]);
    return d;
}

/* A face two steps on in face f: a ninth of it, the same way round. */
static int take_from(const struct kobbelt *m, int32_t f, const struct place p[3], const kobbelt_uv *uv, kobbelt_uv *to)
{
    double at[3][3];
    for (int i = 0; i < 3; i++)
        if (!lies_in(m, f, &p[i], at[i]))
            return 0;
    if (fabs(volume(at) - 1.0 / 9) > 1e-9)
        return 0;
    memset(to, 0, sizeof *to);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 2; k++)
                to->at[i][k] += at[i][j] * uv[f].at[j][k];
    return 1;
}

static int32_t across(const struct kobbelt *m, int32_t f, int i)
{
    const struct kobbelt_edge *e = &m->edges[m->edge[f][i]];
    return e->n_sides == 2 ? e->face[e->face[0] == f] : f;
}

static void two_steps(const struct kobbelt *m, const struct kobbelt *to, const kobbelt_uv *uv, kobbelt_uv *out)
{
    const struct kobbelt_edge **border = xalloc(m->n_borders + 1, sizeof *border);
    for (int64_t e = 0; e < m->E; e++)
        if (m->edges[e].n_sides && m->edges[e].border >= 0)
            border[m->edges[e].border] = &m->edges[e];
    for (int64_t i = 0; i < to->F; i++) {
        int32_t f = (int32_t)(i / 9), g = across(m, f, (int)(i / 3 % 3)), *v = m->vert[f];
        struct place p[3];
        for (int k = 0; k < 3; k++)
            p[k] = place_of(m, border, to->vert[i][k]);
        if (take_from(m, f, p, uv, &out[i]) || take_from(m, g, p, uv, &out[i]))
            continue;
        if (v[0] != v[1] && v[1] != v[2] && v[2] != v[0])
            oracle_die("level %d: face %lld lies neither in %d nor in %d", to->level, (long long)i, f, g);
        for (int k = 0; k < 6; k++)
            out[i].at[k / 2][k % 2] = NAN;
    }
    free(border);
}

static int is_same(const double a[2], const double b[2])
{
    return fabs(a[0] - b[0]) < 1e-9 && fabs(a[1] - b[1]) < 1e-9;
}

static void one_step(const struct kobbelt *m, const struct kobbelt *to, const kobbelt_uv *uv, kobbelt_uv *out)
{
    for (int64_t c = 0; c < to->F; c++) {
        int32_t f = (int32_t)(c / 3), i = (int32_t)(c % 3), e = m->edge[f][i], g = across(m, f, i), j = 0;
        const double(*own)[2] = uv[f].at, (*other)[2] = uv[g].at, *v = own[i], *w = own[(i + 1) % 3];
        while (m->edge[g][j] != e)
            j++;
        int is_seam = !is_same(v, other[(j + 1) % 3]) || !is_same(w, other[j]);
        if (to->vert[c][0] != m->vert[f][i] || to->vert[c][2] != m->V + f)
            oracle_die("face %lld is not from a corner of face %d", (long long)c, f);
        for (int k = 0; k < 2; k++) {
            double o = (own[0][k] + own[1][k] + own[2][k]) / 3, middle = (v[k] + w[k]) / 2;
            double o2 = (other[0][k] + other[1][k] + other[2][k]) / 3;
            out[c].at[0][k] = v[k];
            out[c].at[2][k] = o;
            out[c].at[1][k] = to->vert[c][1] < m->V ? w[k] : is_seam ? middle + (middle - o) : o2;
        }
    }
}

kobbelt_uv *kobbelt_next_uvs(const struct kobbelt *m, const struct kobbelt *to, const kobbelt_uv *uv)
{
    kobbelt_uv *out = xalloc(to->F, sizeof *out);
    if (to->level - m->level == 1)
        one_step(m, to, uv, out);
    else
        two_steps(m, to, uv, out);
    return out;
}

kobbelt_uv *kobbelt_first_uvs(const struct sdd_mesh_desc *d, const float *uvs)
{
    struct grid g; /* only for the corners as they are read */
    kobbelt_uv *out = xalloc(d->n_faces, sizeof *out);
    grid_init(&g, d);
    for (int64_t c = 0; c < g.n_corners; c++)
        for (int k = 0; k < 2; k++)
            out[c / 3].at[c % 3][k] = (double)uvs[2 * (int64_t)d->uv_indices[g.authored[c]] + k];
    grid_fini(&g);
    return out;
}
