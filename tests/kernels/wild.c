/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernels/faces.h"
#include "tests/kernels/wild.h"
#include "tests/kernels/launch.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void alloc(struct wild *w)
{
    w->first = xalloc(w->F + 1, 4), w->vert = xalloc(w->C, 4), w->edge = xalloc(w->C, 4), w->face = xalloc(w->C, 4);
    w->ends = xalloc(w->E, sizeof *w->ends), w->sides = xalloc(w->E, sizeof *w->sides), w->kind = xalloc(w->E, 4);
    w->control_edge = xalloc(w->E, 4), w->row = xalloc(w->V, 4);
    w->edge_s = xalloc(w->E, 8), w->vert_s = xalloc(w->V, 8), w->p = xalloc(3 * w->V, 8);
    w->home = xalloc(w->F, 4), w->at = xalloc(w->F, sizeof *w->at);
}

void wild_fini(struct wild *w)
{
    free(w->first), free(w->vert), free(w->edge), free(w->face), free(w->ends), free(w->sides), free(w->kind);
    free(w->control_edge), free(w->row), free(w->edge_s), free(w->vert_s), free(w->p), free(w->home), free(w->at);
}

static void find_sides(struct wild *w)
{
    for (int64_t e = 0; e < w->E; e++)
        w->sides[e][0] = w->sides[e][1] = -1;
    for (int64_t c = 0; c < w->C; c++) {
        int32_t *s = w->sides[w->edge[c]];
        if (s[0] < 0)
            s[0] = w->face[c];
        else if (s[1] < 0)
            s[1] = w->face[c];
        else if (!(w->kind[w->edge[c]] & WILD_NONMANIFOLD))
            oracle_die("edge %d has three faces", w->edge[c]);
    }
}

static int32_t before(const struct wild *w, int32_t c)
{
    int32_t f = w->face[c];
    return c > w->first[f] ? c - 1 : w->first[f + 1] - 1;
}

/* ---- the control mesh ------------------------------------------------------------------------------------------ */
void wild_case_init(struct wild_case *k, const struct poly *p, int linear)
{
    *k = (struct wild_case){.p = p, .linear = linear};
    brute_init(&k->b, &p->desc);
    odd_init(&k->o, &k->b, &p->desc);
    k->smooth_triangles = p->desc.options.triangle_rule == SDD_TRIANGLE_SMOOTH;
    for (int64_t i = 0; i < 3 * k->b.V; i++)
        k->magnitude = fmax(k->magnitude, fabs((double)p->points[i]));
    for (int64_t e = 0; e < k->o.E; e++)
        k->edge_sharp |= k->o.edge_sharp[e] > 0;
    for (int64_t v = 0; v < k->b.V; v++)
        k->vert_sharp |= k->o.vert_sharp[v] > 0;
}

void wild_case_fini(struct wild_case *k)
{
    odd_fini(&k->o);
    brute_fini(&k->b);
}

void wild_control(const struct wild_case *k, struct wild *w)
{
    const struct brute *b = &k->b;
    *w = (struct wild){.V = b->V, .F = b->F, .E = k->o.E, .C = b->C};
    alloc(w);
    for (int64_t c = 0; c < w->C; c++) {
        w->vert[c] = (int32_t)b->vert[c];
        w->edge[c] = (int32_t)k->o.edge[c];
        w->face[c] = (int32_t)b->face[c];
        w->first[w->face[c] + 1] = (int32_t)c + 1;
    }
    for (int32_t e = 0; e < w->E; e++) {
        uint32_t c = k->o.edge_corner[e], u = b->vert[c], v = b->vert[b->next[c]];
        w->ends[e][0] = (int32_t)(u < v ? u : v);
        w->ends[e][1] = (int32_t)(u < v ? v : u);
        w->kind[e] = k->o.kind[e];
        w->control_edge[e] = e;
        w->edge_s[e] = (double)k->o.edge_sharp[e];
    }
    for (int32_t v = 0; v < w->V; v++) {
        w->row[v] = v;
        w->vert_s[v] = (double)k->o.vert_sharp[v];
        for (int x = 0; x < 3; x++)
            w->p[3 * v + x] = (double)k->p->points[3 * v + x];
    }
    find_sides(w);
}

unsigned char *wild_ruled(const struct wild_case *k)
{
    return feature_flags(k->b.vert, k->b.next, k->o.edge_corner, k->o.edge_sharp, k->o.E, k->o.vert_sharp, k->b.V);
}

struct sdd_control wild_upload(const struct wild_case *k, int no_arrays)
{
    const struct brute *b = &k->b;
    const struct odd *o = &k->o;
    struct sdd_control m = {.n_vertices = (uint32_t)b->V, .n_faces = (uint32_t)b->F, .n_edges = (uint32_t)o->E};
    m.n_corners = (uint32_t)b->C;
    m.vert = launch_in(b->vert, b->C, 4), m.faces = faces_in(b, b->C);
    m.edge = launch_in(o->edge, b->C, 4);
    static unsigned turn;
    m.twin = launch_in(b->real_twin, b->C, 4);
    if (b->bad_repeat < 0 && b->bad_corner < 0 && b->bad_vertex < 0) { /* then the topology has ghosts: ids from C up */
        m.twin = launch_in(b->twin, b->C, 4);
        m.edges = turn++ % 2 ? SDD_EDGES_ANY : b->B > 0 ? SDD_EDGES_MANIFOLD : SDD_EDGES_CLOSED;
    }
    m.edge_corner = launch_in(o->edge_corner, o->E, 4);
    m.begin = launch_in(b->vert_begin, b->V, 4), m.end = launch_in(b->vert_end, b->V, 4);
    m.corner = launch_in(b->vert_corner, b->C, 4), m.face_end = launch_in(b->end, b->F, 4);
    m.edge_sharp = k->edge_sharp || !no_arrays ? launch_in(o->edge_sharp, o->E, 4) : NULL;
    m.vert_sharp = k->vert_sharp || !no_arrays ? launch_in(o->vert_sharp, b->V, 4) : NULL;
    unsigned char *is_feature = wild_ruled(k);
    if (m.edge_sharp)
        m.feature_vertices = features_in(is_feature, b->V);
    free(is_feature);
    return m;
}

void wild_check_rows(const struct wild_case *k, const struct wild_rows *rows, const char *kernel, const float *got,
                     const float *before)
{
    for (int64_t row = 0; row < rows->n; row++) {
        const float *p = got + 3 * row;
        const double *q = rows->want + 3 * row;
        if (row < rows->begin || row >= rows->end) {
            if (memcmp(p, before + 3 * row, 12) != 0)
                fail_msg("%s level %d: %s wrote row %lld", launch_case(), rows->level, kernel, (long long)row);
            continue;
        }
        for (int x = 0; x < 3; x++)
            if (!(fabs((double)p[x] - q[x]) <= 1e-6 * k->magnitude))
                fail_msg("%s level %d: %s: point %lld is (%.9g, %.9g, %.9g), not (%.9g, %.9g, %.9g)", launch_case(),
                         rows->level, kernel, (long long)row, (double)p[0], (double)p[1], (double)p[2], q[0], q[1],
                         q[2]);
    }
}

int64_t wild_most(const struct wild_case *k)
{
    int64_t most = 6;
    for (int64_t v = 0; v < k->b.V; v++)
        most = k->b.valence[v] > most ? k->b.valence[v] : most;
    for (int64_t f = 0; f < k->b.F; f++) {
        int32_t size = k->b.end[f] - (f ? k->b.end[f - 1] : 0);
        most = size > most ? size : most;
    }
    return most;
}

const struct sdd_float2 *wild_upload_angles(const struct wild_case *k)
{
    const int64_t most = wild_most(k);
    struct sdd_float2 *angle = xalloc(2 * most + 1, sizeof *angle);
    for (int64_t n = 1; n <= 2 * most; n++) {
        angle[n].s[0] = (float)cos(2 * acos(-1) / (double)n);
        angle[n].s[1] = (float)sin(2 * acos(-1) / (double)n);
    }
    angle[0].s[0] = angle[0].s[1] = NAN;
    const struct sdd_float2 *device = launch_in(angle, 2 * most + 1, sizeof *angle);
    free(angle);
    return device;
}

int64_t wild_interleave(int64_t n_a, int64_t n_b, struct sdd_interleave *out)
{
    static const uint32_t shares[] = {1, 300, SDD_CHUNK / 2, SDD_CHUNK - 1};
    static unsigned turn;
    uint32_t a = shares[turn++ % 4], b = SDD_CHUNK - a;
    int64_t chunks_a = (n_a + a - 1) / a, chunks_b = (n_b + b - 1) / b;
    *out = (struct sdd_interleave){(uint32_t)n_a, (uint32_t)n_b, a};
    return SDD_CHUNK * (chunks_a > chunks_b ? chunks_a : chunks_b);
}

/* ---- points of the next level ---------------------------------------------------------------------------------- */
static void add(double *to, double s, const double *p)
{
    for (int x = 0; x < 3; x++)
        to[x] += s * p[x];
}

static double decayed(double s)
{
    return s >= 10 ? 10 : s > 1 ? s - 1 : 0;
}

/* Sums over the edges and faces of each vertex, in one pass over the mesh. */
struct around {
    double edges[3], faces[3], sharp_ends[3], child_ends[3], fading;
    int n_edges, n_faces, n_sharp, n_child_sharp, n_fading;
};

static struct around *look_around(const struct wild *w, const double *face_points)
{
    struct around *a = xalloc(w->V, sizeof *a);
    for (int64_t e = 0; e < w->E; e++)
        for (int i = 0; i < 2; i++) {
            struct around *v = a + w->ends[e][i];
            const double *far = w->p + 3 * (int64_t)w->ends[e][1 - i];
            double s = w->edge_s[e];
            add(v->edges, 1, far);
            v->n_edges++;
            v->n_sharp += s > 0;
            v->n_child_sharp += decayed(s) > 0;
            add(v->sharp_ends, s > 0, far);
            add(v->child_ends, decayed(s) > 0, far);
            if (s > 0 && s <= 1)
                v->fading += s, v->n_fading++;
        }
    for (int64_t c = 0; c < w->C; c++) {
        add(a[w->vert[c]].faces, 1, face_points + 3 * (int64_t)w->face[c]);
        a[w->vert[c]].n_faces++;
    }
    return a;
}

enum { SMOOTH, CREASE, CORNER };

static int rule_of(double s, int n_sharp)
{
    return s > 0 || n_sharp > 2 ? CORNER : n_sharp == 2 ? CREASE : SMOOTH;
}

static void add_rule(double *to, double share, int rule, const struct around *a, const double *ends, const double *p)
{
    double n = a->n_edges;
    if (rule == CORNER)
        add(to, share, p);
    if (rule == CREASE)
        add(to, share * 0.75, p), add(to, share * 0.125, ends);
    if (rule != SMOOTH)
        return;
    if (a->n_edges != a->n_faces)
        oracle_die("%s: a smooth vertex of %d edges and %d faces", launch_case(), a->n_edges, a->n_faces);
    add(to, share * (n - 2) / n, p);
    add(to, share / (n * n), a->edges);
    add(to, share / (n * n), a->faces);
}

static void vertex_point(const struct wild_case *k, const struct around *a, double s, const double *p, double *to)
{
    int rule = rule_of(s, a->n_sharp), child = rule_of(decayed(s), a->n_child_sharp), n = a->n_fading;
    if (k->linear || a->n_faces == 0) {
        add(to, 1, p);
    } else if (rule == SMOOTH || rule == child) {
        add_rule(to, 1, rule, a, a->sharp_ends, p);
    } else {
        double sum = a->fading;
        if (s > 0 && s <= 1)
            sum += s, n++;
        double share = n ? fmin(1, sum / n) : 0;
        add_rule(to, share, rule, a, a->sharp_ends, p);
        add_rule(to, 1 - share, child, a, a->child_ends, p);
    }
}

static void edge_point(const struct wild_case *k, const struct wild *w, const double *face_points, int64_t e,
                       double *to)
{
    double s = fmin(1, w->edge_s[e]), share = 0;
    if (k->linear || w->kind[e])
        s = 1;
    for (int i = 0; i < 2 && s < 1; i++) {
        int32_t f = w->sides[e][i], size = w->first[f + 1] - w->first[f];
        share += w->level == 0 && k->smooth_triangles && size == 3 ? 0.470 / 2 : 0.25 / 2;
    }
    for (int i = 0; i < 2; i++) {
        add(to, s / 2 + (1 - s) * (0.5 - share), w->p + 3 * (int64_t)w->ends[e][i]);
        if (s < 1)
            add(to, (1 - s) * share, face_points + 3 * (int64_t)w->sides[e][i]);
    }
}

static void make_points(const struct wild_case *k, const struct wild *w, struct wild *to)
{
    double *faces = to->p + 3 * w->V, *edges = faces + 3 * w->F;
    for (int64_t c = 0; c < w->C; c++)
        add(faces + 3 * (int64_t)w->face[c], 1.0 / (w->first[w->face[c] + 1] - w->first[w->face[c]]),
            w->p + 3 * (int64_t)w->vert[c]);
    for (int64_t e = 0; e < w->E; e++)
        edge_point(k, w, faces, e, edges + 3 * e);
    struct around *a = look_around(w, faces);
    for (int64_t v = 0; v < w->V; v++) {
        vertex_point(k, a + v, w->vert_s[v], w->p + 3 * v, to->p + 3 * v);
        to->vert_s[v] = decayed(w->vert_s[v]);
    }
    free(a);
}

/* ---- structure of the next level ------------------------------------------------------------------------------- */
/* The half of corner c's edge at its beginning or at its end. */
static int32_t half_of(const struct wild *w, int32_t c, int end)
{
    int32_t e = w->edge[c], second = w->ends[e][0] == w->ends[e][1] ? end : (w->ends[e][0] == w->vert[c]) == end;
    return 2 * e + second;
}

static void split_edges(const struct wild *w, struct wild *to)
{
    for (int32_t e = 0; e < w->E; e++)
        for (int i = 0; i < 2; i++) {
            to->ends[2 * e + i][0] = w->ends[e][i];
            to->ends[2 * e + i][1] = (int32_t)(w->V + w->F) + e;
            to->kind[2 * e + i] = w->kind[e];
            to->control_edge[2 * e + i] = w->control_edge[e];
            to->edge_s[2 * e + i] = decayed(w->edge_s[e]);
        }
    for (int32_t c = 0; c < w->C; c++) {
        to->ends[2 * w->E + c][0] = (int32_t)w->V + w->face[c];
        to->ends[2 * w->E + c][1] = (int32_t)(w->V + w->F) + w->edge[c];
        to->control_edge[2 * w->E + c] = -1;
    }
}

static void place_quad(const struct wild *w, int32_t c, struct wild *to)
{
    static const int32_t square[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    if (w->level == 0) {
        to->home[c] = c;
        memcpy(to->at[c], square, sizeof square);
        return;
    }
    to->home[c] = w->home[c / 4];
    for (int x = 0; x < 2; x++) {
        const int32_t(*at)[2] = (const int32_t(*)[2])w->at[c / 4];
        to->at[c][0][x] = 2 * at[c % 4][x];
        to->at[c][1][x] = at[c % 4][x] + at[(c + 1) % 4][x];
        to->at[c][2][x] = at[0][x] + at[2][x];
        to->at[c][3][x] = at[c % 4][x] + at[(c + 3) % 4][x];
    }
}

/* Every corner of every quad names its vertex's row; all must agree. */
static void find_rows(const struct wild_case *k, struct wild *w)
{
    struct grid g;
    grid_init(&g, &k->p->desc);
    if (grid_n_vertices(&g, w->level) != w->V)
        oracle_die("%s: level %d has %lld vertices", launch_case(), w->level, (long long)w->V);
    for (int64_t v = 0; v < w->V; v++)
        w->row[v] = v < k->b.V ? (int32_t)v : -1;
    for (int64_t c = 0; c < w->C; c++) {
        const int32_t *at = w->at[c / 4][c % 4];
        int32_t row = (int32_t)grid_vertex(&g, w->level, w->home[c / 4], at[0], at[1]), *mine = w->row + w->vert[c];
        if (*mine >= 0 && *mine != row)
            oracle_die("%s: vertex %d has rows %d and %d", launch_case(), w->vert[c], *mine, row);
        *mine = row;
    }
    grid_fini(&g);
}

void wild_next(const struct wild_case *k, const struct wild *w, struct wild *to)
{
    *to = (struct wild){.level = w->level + 1, .V = w->V + w->F + w->E, .F = w->C, .C = 4 * w->C};
    to->E = 2 * w->E + w->C;
    alloc(to);
    split_edges(w, to);
    for (int32_t c = 0; c < w->C; c++) {
        int32_t b = before(w, c), f = w->face[c], edge_points = (int32_t)(w->V + w->F), spokes = (int32_t)(2 * w->E);
        const int32_t vert[4] = {w->vert[c], edge_points + w->edge[c], (int32_t)w->V + f, edge_points + w->edge[b]};
        const int32_t edge[4] = {half_of(w, c, 0), spokes + c, spokes + b, half_of(w, b, 1)};
        memcpy(to->vert + 4 * (int64_t)c, vert, sizeof vert);
        memcpy(to->edge + 4 * (int64_t)c, edge, sizeof edge);
        for (int i = 0; i < 4; i++)
            to->face[4 * (int64_t)c + i] = c;
        to->first[c + 1] = 4 * (c + 1);
        place_quad(w, c, to);
    }
    find_sides(to);
    find_rows(k, to);
    make_points(k, w, to);
}

float *wild_points(const struct wild *w)
{
    float *p = xalloc(3 * w->V, sizeof *p);
    for (int64_t v = 0; v < w->V; v++)
        for (int x = 0; x < 3; x++)
            p[3 * (int64_t)w->row[v] + x] = (float)w->p[3 * v + x];
    return p;
}
