/* SPDX-License-Identifier: Apache-2.0 */
/* kobbelt.c: the control mesh and one step. */
#include "tests/oracle/kobbelt.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void kobbelt_free(struct kobbelt *m)
{
    free(m->vert);
    free(m->edge);
    free(m->edges);
    free(m->p);
    free(m->vs);
    free(m->first);
    free(m->incident);
}

static struct kobbelt level_of(int level, int64_t V, int64_t F, int64_t E)
{
    struct kobbelt m = {.level = level, .V = V, .F = F, .E = E};
    m.vert = xalloc(F, sizeof *m.vert);
    m.edge = xalloc(F, sizeof *m.edge);
    m.edges = xalloc(E, sizeof *m.edges);
    m.p = xalloc(V, sizeof *m.p);
    m.vs = xalloc(V, sizeof *m.vs);
    for (int64_t e = 0; e < E; e++)
        m.edges[e].border = -1;
    return m;
}

/* Sides and ends of the edges from the faces, then the edges of each vertex. */
static void connect(struct kobbelt *m)
{
    for (int64_t f = 0; f < m->F; f++)
        for (int i = 0; i < 3; i++) {
            struct kobbelt_edge *e = &m->edges[m->edge[f][i]];
            int32_t a = m->vert[f][i], b = m->vert[f][(i + 1) % 3];
            if (e->n_sides == 0) {
                e->ends[0] = a;
                e->ends[1] = b;
                m->n_edges++;
            } else if (e->n_sides > 1 || e->ends[0] != b || e->ends[1] != a) {
                oracle_die("level %d: the faces of edge %d-%d do not fit", m->level, a, b);
            }
            e->face[e->n_sides++] = (int32_t)f;
        }
    m->first = xalloc(m->V + 1, sizeof *m->first);
    m->incident = xalloc(2 * m->E, sizeof *m->incident);
    for (int64_t e = 0; e < m->E; e++)
        for (int k = 0; k < 2 && m->edges[e].n_sides; k++)
            m->first[m->edges[e].ends[k] + 1]++;
    for (int64_t v = 0; v < m->V; v++)
        m->first[v + 1] += m->first[v];
    int32_t *at = xalloc(m->V, sizeof *at);
    for (int64_t e = 0; e < m->E; e++)
        for (int k = 0; k < 2 && m->edges[e].n_sides; k++) {
            int32_t v = m->edges[e].ends[k];
            m->incident[m->first[v] + at[v]++] = (int32_t)e;
        }
    free(at);
    for (int64_t e = 0; e < m->E; e++) {
        if (m->edges[e].n_sides == 1 && m->edges[e].border < 0)
            oracle_die("level %d: an edge came open", m->level);
        m->n_borders += m->edges[e].border >= 0;
    }
}

/* ---- the control mesh ------------------------------------------------------------------------------------------- */
static void set_tags(struct kobbelt *m, const struct sdd_mesh_desc *d, unsigned char *hole)
{
    for (int64_t i = 0; i < d->n_creases; i++)
        for (int64_t e = 0; e < m->E; e++)
            for (int k = 0; k < 2; k++)
                if (m->edges[e].ends[k] == d->crease_edges[2 * i] && m->edges[e].ends[!k] == d->crease_edges[2 * i + 1])
                    m->edges[e].s = fmin((double)d->crease_sharpness[i], 10);
    for (int64_t i = 0; i < d->n_corner_tags; i++)
        if (m->vs[d->corner_vertices[i]] < KOBBELT_NONMANIFOLD)
            m->vs[d->corner_vertices[i]] = fmin((double)d->corner_sharpness[i], 10);
    for (int64_t i = 0; i < d->n_holes; i++)
        hole[d->hole_faces[i]] = 1;
    int32_t *n_faces = xalloc(m->V, sizeof *n_faces);
    for (int64_t f = 0; f < m->F; f++)
        for (int i = 0; i < 3; i++) {
            int32_t v = m->vert[f][i];
            n_faces[v]++;
            for (int32_t k = m->first[v]; k < m->first[v + 1] && d->options.boundary == SDD_BOUNDARY_NONE; k++)
                if (m->edges[m->incident[k]].n_sides == 1 && !m->edges[m->incident[k]].several &&
                    m->edges[m->incident[k]].s < 10)
                    hole[f] = 1;
        }
    for (int64_t e = 0; e < m->E; e++)
        if (m->edges[e].n_sides == 1)
            m->edges[e].s = 10;
    for (int64_t v = 0; v < m->V; v++)
        if (n_faces[v] == 1 && d->options.boundary == SDD_BOUNDARY_EDGE_AND_CORNER)
            m->vs[v] = fmax(m->vs[v], 10);
    free(n_faces);
}

static int place_of(const struct kobbelt *m, int32_t f, int32_t v)
{
    return m->vert[f][0] == v ? 0 : m->vert[f][1] == v ? 1 : 2;
}

static int32_t root(int32_t *label, int32_t c)
{
    while (label[c] != c)
        c = label[c] = label[label[c]];
    return c;
}

/* Corners that hang together by edges get one label; a vertex with two labels is not manifold. */
static void find_fans(struct kobbelt *m)
{
    int32_t *label = xalloc(3 * m->F, sizeof *label), *seen = xalloc(m->V, sizeof *seen);
    for (int32_t c = 0; c < 3 * m->F; c++)
        label[c] = c;
    for (int64_t e = 0; e < m->E; e++)
        for (int k = 0; k < 2 && m->edges[e].n_sides == 2; k++) {
            int32_t v = m->edges[e].ends[k], f = m->edges[e].face[0], g = m->edges[e].face[1];
            label[root(label, 3 * f + place_of(m, f, v))] = root(label, 3 * g + place_of(m, g, v));
        }
    for (int32_t c = 0; c < 3 * m->F; c++) {
        int32_t v = m->vert[c / 3][c % 3];
        if (seen[v] && seen[v] != root(label, c) + 1)
            m->vs[v] = KOBBELT_NONMANIFOLD;
        seen[v] = root(label, c) + 1;
    }
    free(label);
    free(seen);
}

/* Two faces share an edge when nobody else uses it and they run along it in opposite directions; all other uses are
 * boundary edges, and where that makes more than one of an edge, its ends are not manifold. */
static void share_edges(const struct grid *g, struct kobbelt *m)
{
    int32_t *key = xalloc(g->n_edges, sizeof *key), *uses = xalloc(g->n_edges, sizeof *uses);
    int32_t(*user)[2] = xalloc(g->n_edges, sizeof *user);
    for (int64_t e = 0; e < g->n_edges; e++) {
        const int32_t *ends = &g->ends[2 * e];
        key[e] = e > 0 && ends[0] == ends[-2] && ends[1] == ends[-1] ? key[e - 1] : (int32_t)e;
    }
    for (int32_t c = 0; c < g->n_corners; c++) {
        int32_t k = key[g->edge[c]];
        if (uses[k] < 2)
            user[k][uses[k]] = c;
        uses[k]++;
    }
    m->E = 0;
    for (int32_t c = 0; c < g->n_corners; c++) {
        int32_t k = key[g->edge[c]], a = user[k][0], b = user[k][1];
        int shared =
            uses[k] == 2 && g->vertices[a] != g->vertices[b] && a / 3 != b / 3 && g->ends[2 * k] != g->ends[2 * k + 1];
        if (shared && c == b) {
            m->edge[c / 3][c % 3] = m->edge[a / 3][a % 3];
            continue;
        }
        m->edge[c / 3][c % 3] = (int32_t)m->E;
        if (!shared)
            m->edges[m->E].border = (int32_t)m->n_borders++;
        m->edges[m->E].several = !shared && uses[k] > 1 && g->ends[2 * k] != g->ends[2 * k + 1];
        m->E++;
        for (int i = 0; i < 2 && !shared && (uses[k] > 1 || g->ends[2 * k] == g->ends[2 * k + 1]); i++)
            m->vs[g->ends[2 * k + i]] = KOBBELT_NONMANIFOLD;
    }
    m->n_borders = 0;
    free(key);
    free(uses);
    free(user);
}

void kobbelt_control(const struct sdd_mesh_desc *d, const float *points, struct kobbelt *out, unsigned char *hole)
{
    struct grid g; /* only for the faces as they are read */
    grid_init(&g, d);
    *out = level_of(0, g.n_vertices, g.n_faces, g.n_corners);
    for (int64_t c = 0; c < g.n_corners; c++)
        out->vert[c / 3][c % 3] = g.vertices[c];
    share_edges(&g, out);
    for (int64_t i = 0; i < 3 * out->V; i++)
        out->p[i / 3][i % 3] = (double)points[i];
    grid_fini(&g);
    connect(out);
    find_fans(out);
    set_tags(out, d, hole);
}

/* ---- rules ------------------------------------------------------------------------------------------------------ */
int32_t kobbelt_far(const struct kobbelt *m, int32_t e, int32_t v)
{
    return m->edges[e].ends[m->edges[e].ends[0] == v];
}

static int is_line(const struct kobbelt *m, int32_t e)
{
    return m->level % 2 ? m->edges[e].is_line : m->edges[e].s > 0;
}

enum kobbelt_rule kobbelt_rule(const struct kobbelt *m, int32_t v, int32_t ends[2])
{
    int n = 0;
    for (int32_t i = m->first[v]; i < m->first[v + 1]; i++)
        if (is_line(m, m->incident[i])) {
            if (n < 2)
                ends[n] = kobbelt_far(m, m->incident[i], v);
            n++;
        }
    if (m->vs[v] > 0 || n > 2 || m->first[v] == m->first[v + 1])
        return KOBBELT_FIXED;
    return n == 2 ? KOBBELT_CURVE : KOBBELT_SMOOTH;
}

static void add(double to[3], double w, const double p[3])
{
    for (int k = 0; k < 3; k++)
        to[k] += w * p[k];
}

static void move_vertex(const struct kobbelt *m, int32_t v, double to[3])
{
    int32_t ends[2], n = m->first[v + 1] - m->first[v];
    enum kobbelt_rule rule = kobbelt_rule(m, v, ends);
    double alpha = n ? (4 - 2 * cos(2 * acos(-1) / n)) / 9 : 0;
    if (rule == KOBBELT_SMOOTH) {
        add(to, 1 - alpha, m->p[v]);
        for (int32_t i = m->first[v]; i < m->first[v + 1]; i++)
            add(to, alpha / n, m->p[kobbelt_far(m, m->incident[i], v)]);
    } else if (rule == KOBBELT_CURVE && m->level % 2) {
        add(to, 19.0 / 27, m->p[v]);
        add(to, 4.0 / 27, m->p[ends[0]]);
        add(to, 4.0 / 27, m->p[ends[1]]);
    } else {
        add(to, 1, m->p[v]);
    }
}

/* The point of line v w that is nearer to v, which goes to `moved`. */
static void cut_line(const struct kobbelt *m, int32_t v, int32_t w, const double moved[3], double to[3])
{
    int32_t ends[2];
    enum kobbelt_rule rule = kobbelt_rule(m, v, ends);
    if (rule == KOBBELT_CURVE) { /* of the neighbour on the other side, v, w; where both are w, w is both */
        add(to, 1.0 / 27, m->p[ends[ends[0] == w]]);
        add(to, 16.0 / 27, m->p[v]);
        add(to, 10.0 / 27, m->p[w]);
        return;
    }
    add(to, 2.0 / 3, m->p[v]);
    add(to, 1.0 / 3, m->p[w]);
    add(to, 0.25, moved); /* a dart takes its line along */
    add(to, -0.25, m->p[v]);
}

/* ---- one step --------------------------------------------------------------------------------------------------- */
/* The triangle over edge i of face f, before edges are flipped: over[0] over[1] is (a piece of) the edge. */
struct small {
    int32_t over[2], apex, edge[3];
};

/* Edge e is cut into: near ends[0], itself, near ends[1]. */
static int32_t piece_near(const struct kobbelt *m, int32_t e, int k)
{
    return (int32_t)(m->E + 3 * m->F + 2 * (int64_t)e + k);
}

static int32_t point_near(const struct kobbelt *m, const struct kobbelt_edge *e, int k)
{
    return (int32_t)(m->V + (k < e->n_sides ? e->face[k] : m->F + e->border));
}

static struct small small_of(const struct kobbelt *m, int64_t f, int i)
{
    const int32_t *v = m->vert[f], *e = m->edge[f];
    int32_t spoke = (int32_t)(m->E + 3 * f), j = (i + 1) % 3;
    if (m->level % 2 == 0 || !is_line(m, e[0]))
        return (struct small){{v[i], v[j]}, (int32_t)(m->V + f), {e[i], spoke + j, spoke + i}};
    int k = m->edges[e[0]].face[0] != f; /* the face runs from ends[k] */
    int32_t p = point_near(m, &m->edges[e[0]], k), q = point_near(m, &m->edges[e[0]], !k);
    if (i == 0)
        return (struct small){{p, q}, v[2], {e[0], spoke + 1, spoke}};
    if (i == 1)
        return (struct small){{v[1], v[2]}, q, {e[1], spoke + 1, piece_near(m, e[0], !k)}};
    return (struct small){{v[2], v[0]}, p, {e[2], piece_near(m, e[0], k), spoke}};
}

/* The one of edge e's faces that is not f, and where the edge is in it. */
static struct small small_across(const struct kobbelt *m, int64_t f, int32_t e)
{
    int32_t other = m->edges[e].face[m->edges[e].face[0] == f];
    for (int i = 0; i < 3; i++)
        if (m->edge[other][i] == e)
            return small_of(m, other, i);
    oracle_die("face %d has no edge %d", other, e);
}

static double decayed(double s, int steps)
{
    return s >= 10 ? s : fmax(0, s - steps);
}

static void next_edges(const struct kobbelt *m, struct kobbelt *n)
{
    for (int32_t e = 0; e < m->E; e++) {
        const struct kobbelt_edge *from = &m->edges[e];
        int32_t three[3] = {piece_near(m, e, 0), e, piece_near(m, e, 1)};
        if (!from->n_sides || !is_line(m, e))
            continue;
        if (m->level % 2 == 0) {
            n->edges[e].is_line = 1;
            n->edges[e].s = from->s;
            n->edges[e].border = from->border;
            continue;
        }
        for (int k = 0; k < 3; k++) {
            n->edges[three[k]].s = decayed(from->s, 2);
            n->edges[three[k]].border = from->border < 0 ? -1 : 3 * from->border + k;
        }
        for (int k = 0; k < 2; k++)
            cut_line(m, from->ends[k], from->ends[!k], n->p[from->ends[k]], n->p[point_near(m, from, k)]);
    }
}

void kobbelt_step(const struct kobbelt *m, struct kobbelt *out)
{
    const int second = m->level % 2;
    *out = level_of(m->level + 1, m->V + m->F + (second ? m->n_borders : 0), 3 * m->F, 3 * m->E + 3 * m->F);
    for (int32_t v = 0; v < m->V; v++) {
        move_vertex(m, v, out->p[v]);
        out->vs[v] = second ? decayed(m->vs[v], 2) : m->vs[v];
    }
    for (int64_t f = 0; f < m->F; f++) {
        for (int i = 0; i < 3 && !(second && is_line(m, m->edge[f][0])); i++)
            add(out->p[m->V + f], 1.0 / 3, m->p[m->vert[f][i]]);
        for (int i = 0; i < 3; i++) {
            struct small own = small_of(m, f, i);
            int32_t *v = out->vert[3 * f + i], *e = out->edge[3 * f + i];
            if (is_line(m, m->edge[f][i])) {
                const int32_t kept[3] = {own.over[0], own.over[1], own.apex};
                memcpy(v, kept, sizeof kept);
                memcpy(e, own.edge, sizeof own.edge);
                continue;
            }
            struct small other = small_across(m, f, m->edge[f][i]);
            const int32_t flipped[3] = {own.over[0], other.apex, own.apex};
            const int32_t edges[3] = {other.edge[1], m->edge[f][i], own.edge[2]};
            memcpy(v, flipped, sizeof flipped);
            memcpy(e, edges, sizeof edges);
        }
    }
    next_edges(m, out);
    connect(out);
}
