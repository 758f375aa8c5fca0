/* SPDX-License-Identifier: Apache-2.0 */
/* table_class_table and table_class_shared against a mesh of the same neighbourhood, subdivided face by face, edge by
 * edge and vertex by vertex as the rules are written; what leads away from a point makes the normal that the faces
 * around it make, or the limit masks as Halstead et al. 1993 have them. */
#include "tests/unit/tabulated/sample_classes.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MAX_STEPS = 3, PLACES = (1 << MAX_STEPS) + 1 };

/* Its outer boundary is subdivided as it comes: nothing of that reaches the quad. Point 0 is the vertex. */
struct side {
    int a, b, faces;
    float sharp;
};

struct quads {
    int n_points, n_faces, n_sides, columns;
    float vertex;
    double *at; /* [n_points][columns] */
    int (*face)[4];
    struct side *side;
};

static struct quads quads_with(int columns, int points, int faces, float vertex)
{
    struct quads m = {points, 0, 0, columns, vertex, NULL, NULL, NULL};
    m.at = calloc((size_t)points * (size_t)columns + 1, sizeof *m.at);
    m.face = calloc((size_t)faces + 1, sizeof *m.face);
    m.side = calloc(4 * (size_t)faces + 1, sizeof *m.side);
    assert_non_null(m.at);
    assert_non_null(m.face);
    assert_non_null(m.side);
    return m;
}

static void quads_free(struct quads *m)
{
    free(m->at);
    free(m->face);
    free(m->side);
}

static int side_find(const struct quads *m, int a, int b)
{
    for (int i = 0; i < m->n_sides; i++)
        if ((m->side[i].a == a && m->side[i].b == b) || (m->side[i].a == b && m->side[i].b == a))
            return i;
    return -1;
}

static void add_face(struct quads *m, int a, int b, int c, int d)
{
    int corner[4] = {a, b, c, d};
    memcpy(m->face[m->n_faces++], corner, sizeof corner);
    for (int i = 0; i < 4; i++) {
        int s = side_find(m, corner[i], corner[(i + 1) % 4]);
        if (s < 0) {
            s = m->n_sides++;
            m->side[s] = (struct side){corner[i], corner[(i + 1) % 4], 0, 0};
        }
        m->side[s].faces++;
    }
}

static float sharpness(const struct side *s)
{
    return s->faces == 1 ? 10 : s->sharp;
}

static float after(float s)
{
    return s >= 10 ? 10 : fmaxf(s - 1, 0);
}

static void add(const struct quads *m, double *to, double w, const double *p)
{
    for (int i = 0; i < m->columns; i++)
        to[i] += w * p[i];
}

static void add_middle(const struct quads *m, double *to, double w, int f)
{
    for (int i = 0; i < 4; i++)
        add(m, to, w / 4, m->at + m->face[f][i] * m->columns);
}

/* Adds w times the mask of vertex v, under the sharpness `steps` (0 or 1) levels on. */
static void add_rule(const struct quads *m, double *to, double w, int v, int steps, int limit)
{
    const double *at = m->at + v * m->columns;
    float vs = v ? 0 : m->vertex;
    int n = 0, sharp = 0;
    for (int f = 0; f < m->n_faces; f++)
        for (int i = 0; i < 4; i++)
            n += m->face[f][i] == v;
    for (int s = 0; s < m->n_sides; s++)
        if (m->side[s].a == v || m->side[s].b == v)
            sharp += (steps ? after(sharpness(&m->side[s])) : sharpness(&m->side[s])) > 0;
    int corner = (steps ? after(vs) : vs) > 0 || sharp > 2 || (limit && sharp < 2 && n == 2), crease = sharp == 2;
    double d = n, middle = limit ? d / (d + 5) : (d - 2) / d, end = limit ? 4 / (d * (d + 5)) : 1 / (d * d);
    add(m, to, w * (corner ? 1 : crease ? (limit ? 2.0 / 3 : 0.75) : middle), at);
    if (corner)
        return;
    for (int s = 0; s < m->n_sides; s++) {
        const struct side *e = &m->side[s];
        if (e->a != v && e->b != v)
            continue;
        int is_sharp = (steps ? after(sharpness(e)) : sharpness(e)) > 0;
        double share = !crease ? end : !is_sharp ? 0 : limit ? 1.0 / 6 : 0.125;
        add(m, to, w * share, m->at + (e->a == v ? e->b : e->a) * m->columns);
    }
    for (int f = 0; f < m->n_faces && !crease; f++)
        for (int i = 0; i < 4; i++)
            if (m->face[f][i] == v && limit)
                add(m, to, w * end / 4, m->at + m->face[f][(i + 2) % 4] * m->columns);
            else if (m->face[f][i] == v)
                add_middle(m, to, w * end, f);
}

static void add_vertex(const struct quads *m, double *to, int v)
{
    float vs = v ? 0 : m->vertex;
    int now = 0, then = 0, fading = vs > 0 && vs <= 1;
    double sum = fading ? (double)vs : 0;
    for (int s = 0; s < m->n_sides; s++)
        if (m->side[s].a == v || m->side[s].b == v) {
            float sharp = sharpness(&m->side[s]);
            now += sharp > 0;
            then += after(sharp) > 0;
            fading += sharp > 0 && sharp <= 1;
            sum += sharp <= 1 ? (double)sharp : 0;
        }
    int parent = vs > 0 || now > 2 ? 3 : now == 2, child = after(vs) > 0 || then > 2 ? 3 : then == 2;
    double w = parent == 0 || parent == child ? 1 : fading ? fmin(sum / fading, 1) : 0;
    add_rule(m, to, w, v, 0, 0);
    add_rule(m, to, 1 - w, v, 1, 0);
}

/* Points of the next level: those of vertices, sides, faces. */
static struct quads subdivide(const struct quads *m)
{
    int sides = m->n_points, faces = sides + m->n_sides, columns = m->columns;
    struct quads to = quads_with(columns, faces + m->n_faces, 4 * m->n_faces, after(m->vertex));
    for (int v = 0; v < m->n_points; v++)
        add_vertex(m, to.at + v * columns, v);
    for (int f = 0; f < m->n_faces; f++) {
        add_middle(m, to.at + (faces + f) * columns, 1, f);
        for (int i = 0; i < 4; i++) {
            int a = m->face[f][i], b = m->face[f][(i + 1) % 4], c = m->face[f][(i + 3) % 4];
            int s = side_find(m, a, b);
            double share = after(sharpness(&m->side[s])) > 0 ? 1 : (double)sharpness(&m->side[s]);
            add_middle(m, to.at + (sides + s) * columns, 0.25 * (1 - share), f);
            add_face(&to, a, sides + s, faces + f, sides + side_find(m, c, a));
        }
    }
    for (int s = 0; s < m->n_sides; s++) {
        const struct side *e = &m->side[s];
        double share = after(sharpness(e)) > 0 ? 1 : (double)sharpness(e);
        add(m, to.at + (sides + s) * columns, 0.25 + 0.25 * share, m->at + e->a * columns);
        add(m, to.at + (sides + s) * columns, 0.25 + 0.25 * share, m->at + e->b * columns);
        to.side[side_find(&to, e->a, sides + s)].sharp = after(e->sharp);
        to.side[side_find(&to, e->b, sides + s)].sharp = after(e->sharp);
    }
    return to;
}

/* A point a column. */
static struct quads mesh_of(const struct table_class *c)
{
    int ends = c->n + c->open, columns = table_class_columns(c), own = c->own, next = (own + 1) % ends;
    int quads = 1 + ends, ring = quads + c->n, last = ring + 2 * c->k - 3, previous = (own + c->n - 1) % c->n;
    struct quads m = quads_with(columns, columns, c->n + c->k + 1, c->vertex);
    for (int i = 0; i < columns; i++)
        m.at[i * columns + i] = 1;
    for (int i = 0; i < c->n; i++)
        add_face(&m, 0, 1 + i, quads + i, 1 + (i + 1) % ends);
    for (int i = 1; i < c->k; i++) /* corner v(i), between e(i - 1) and e(i) */
        add_face(&m, quads + own, i == 1 ? 1 + own : ring + 2 * i - 3, ring + 2 * i - 2,
                 i == c->k - 1 ? 1 + next : ring + 2 * i - 1);
    if (!c->open || own > 0)
        add_face(&m, 1 + own, quads + previous, last++, ring);
    if (!c->open || own + 1 < c->n)
        add_face(&m, 1 + next, ring + 2 * c->k - 4, last++, quads + (own + 1) % c->n);
    assert_int_equal(last, columns);
    for (int i = 0; i < ends; i++)
        m.side[side_find(&m, 0, 1 + i)].sharp = c->edge[i];
    m.side[side_find(&m, 1 + own, ring)].sharp = c->edge[own];
    m.side[side_find(&m, 1 + next, ring + 2 * c->k - 4)].sharp = c->edge[next];
    return m;
}

/* place[y][x] is a point of m; of its sides' and faces' points on the next level. */

static void next_places(const struct quads *m, int side, int (*place)[PLACES])
{
    int from[PLACES][PLACES];
    memcpy(from, place, sizeof from);
    for (int y = 0; y <= 2 * side; y++)
        for (int x = 0; x <= 2 * side; x++) {
            int a = from[y / 2][x / 2], b = from[(y + 1) / 2][(x + 1) / 2], f = 0;
            if (!((x | y) & 1)) {
                place[y][x] = a;
            } else if (!(x & y & 1)) {
                place[y][x] = m->n_points + side_find(m, a, b);
            } else {
                while (m->face[f][0] + m->face[f][2] != a + b || (m->face[f][0] != a && m->face[f][2] != a))
                    if (m->face[f][1] + m->face[f][3] == a + b && (m->face[f][1] == a || m->face[f][3] == a))
                        break;
                    else
                        f++;
                place[y][x] = m->n_points + m->n_sides + f;
            }
        }
}

/* ---- what leads away from a point, of random columns ------------------------------------------------------------ */
enum { MAX_AROUND = TABLE_MAX_VALENCE };

struct vec {
    double s[3];
};

static int64_t n_normals, n_shared, n_masks[2]; /* points compared; masks: smooth, along boundaries */

static struct vec minus(struct vec a, struct vec b)
{
    return (struct vec){{a.s[0] - b.s[0], a.s[1] - b.s[1], a.s[2] - b.s[2]}};
}

static struct vec cross(struct vec a, struct vec b)
{
    return (struct vec){
        {a.s[1] * b.s[2] - a.s[2] * b.s[1], a.s[2] * b.s[0] - a.s[0] * b.s[2], a.s[0] * b.s[1] - a.s[1] * b.s[0]}};
}

static double length(struct vec a)
{
    return sqrt(a.s[0] * a.s[0] + a.s[1] * a.s[1] + a.s[2] * a.s[2]);
}

static void add_vec(struct vec *to, double w, struct vec a)
{
    for (int k = 0; k < 3; k++)
        to->s[k] += w * a.s[k];
}

static struct vec point_of(const struct quads *m, int v, const struct vec *column)
{
    struct vec p = {{0, 0, 0}};
    for (int i = 0; i < m->columns; i++)
        add_vec(&p, m->at[v * m->columns + i], column[i]);
    return p;
}

/* The faces around a point, counterclockwise; along a boundary from its one end. */
struct around {
    int n, boundary, crease, smooth;
    int face[MAX_AROUND], corner[MAX_AROUND];
};

static int corner_before(const struct quads *m, int v, int on)
{
    for (int f = 0; f < m->n_faces; f++)
        for (int i = 0; i < 4; i++)
            if (m->face[f][i] == v && m->face[f][(i + 3) % 4] == on)
                return 4 * f + i;
    return -1;
}

static struct around around(const struct quads *m, int v)
{
    struct around a = {.n = 0};
    int sharp = 0, first = 0;
    while (m->face[first / 4][first % 4] != v)
        first++;
    for (int s = 0; s < m->n_sides; s++)
        if (m->side[s].a == v || m->side[s].b == v) {
            sharp += sharpness(&m->side[s]) > 0;
            a.boundary |= m->side[s].faces == 1;
        }
    a.smooth = sharp < 2 && (v || !(m->vertex > 0));
    a.crease = sharp == 2 && (v || !(m->vertex > 0));
    for (int back = first; a.boundary && back >= 0;) {
        first = back;
        back = corner_before(m, v, m->face[first / 4][(first + 1) % 4]);
    }
    for (int at = first; at >= 0 && (a.n == 0 || at != first); a.n++) {
        a.face[a.n] = at / 4, a.corner[a.n] = at % 4;
        int off = m->face[at / 4][(at + 3) % 4], next = -1;
        for (int c = 0; c < 4 * m->n_faces && next < 0; c++)
            if (m->face[c / 4][c % 4] == v && m->face[c / 4][(c + 1) % 4] == off)
                next = c;
        at = next;
    }
    return a;
}

/* What leads from v to corner `k` on from it, of face j around. */
static struct vec leads(const struct quads *m, const struct around *a, int v, int j, int k, const struct vec *column)
{
    int to = m->face[a->face[j]][(a->corner[j] + k) % 4];
    return minus(point_of(m, to, column), point_of(m, v, column));
}

static struct vec normal_of(const struct quads *m, int v, int limit, const struct vec *column)
{
    struct around a = around(m, v);
    struct vec t1 = {{0}}, t2 = {{0}}, sum = {{0}};
    int smooth = limit && a.smooth && a.n > 2, crease = limit && a.crease && a.boundary;
    double turn = (smooth ? 2 : 1) * M_PI / a.n, c = cos(turn);
    double edge = smooth ? 1 + c + cos(turn / 2) * sqrt(2 * (9 + c)) : 4;
    for (int j = 0; j < a.n; j++) {
        struct vec on = leads(m, &a, v, j, 1, column), across = leads(m, &a, v, j, 2, column);
        struct vec off = leads(m, &a, v, j, 3, column);
        add_vec(&sum, 1, cross(on, off));
        double end = -(1 + 2 * c) * sqrt((1 + c) / (1 - c)), from = turn * j, to = turn * (j + 1);
        add_vec(&t2, crease && j == 0 ? end : edge * sin(from), on);
        add_vec(&t2, sin(from) + sin(to), across);
        if (smooth) {
            add_vec(&t1, edge * cos(from), on);
            add_vec(&t1, cos(from) + cos(to), across);
        } else if (j == 0) {
            t1 = on;
        }
        if (crease && j == a.n - 1) {
            add_vec(&t1, -1, off);
            add_vec(&t2, end, off);
        }
    }
    n_masks[crease] += smooth || crease;
    return smooth || (crease && a.n > 1) ? cross(t1, t2) : sum;
}

/* Tables of what leads away; away[0] and away[1]. */
static struct table away_of(const struct table_class *c, int steps, int limit, float **away)
{
    struct table t = table_of(c, steps, limit);
    struct sdd_error err = {0};
    size_t n = (size_t)t.columns * (size_t)(t.side + 1) * (size_t)(t.side + 1);
    float *again = calloc(n, sizeof *again);
    away[0] = calloc(n, sizeof **away), away[1] = calloc(n, sizeof **away);
    assert_true(again && away[0] && away[1]);
    assert_int_equal(table_class_table(c, steps, limit, again, away[0], away[1], &err), SDD_OK);
    assert_memory_equal(again, t.weight, n * sizeof *again);
    free(again);
    return t;
}

/* The sum of a row, of random columns; size: of its terms. */
static struct vec row_sum(struct table *t, float *away, int x, int y, const struct vec *column, double *size)
{
    struct table rows = {t->side, t->columns, away};
    struct vec sum = {{0}};
    double total = 0, all = 0;
    *size = 0;
    for (int i = 0; i < t->columns; i++) {
        double w = weight(&rows, i, x, y);
        add_vec(&sum, w, column[i]);
        total += w, all += fabs(w);
        *size += fabs(w) * length(column[i]);
    }
    if (!(fabs(total) <= 0x1p-24 * all) || all == 0)
        fail_msg("(%d, %d) of %d: the row sums to %g", x, y, t->side, total);
    return sum;
}

/* The quad's own part of the normal of a point that others have parts of too: its two sides, times `side`. */
static void expect_own_part(const struct quads *m, int (*place)[PLACES], int third, int side, const struct vec *column,
                            const struct vec *t)
{
    int at = third ? side : 0, step = third ? -1 : 1;
    struct vec p = point_of(m, place[at][at], column);
    struct vec along_x = minus(point_of(m, place[at][at + step], column), p);
    struct vec along_y = minus(point_of(m, place[at + step][at], column), p), *want[2] = {&along_x, &along_y};
    for (int i = 0; i < 2; i++) {
        struct vec d = t[i];
        add_vec(&d, -side, *want[i]);
        if (!(length(d) <= 1e-5 * side))
            fail_msg("%s corner, of %d: t%d is off by %g", third ? "third" : "first", side, i + 1, length(d));
    }
    n_shared++;
}

static void compare_away(const struct quads *m, const struct table_class *c, int steps, int (*place)[PLACES], int limit)
{
    static uint32_t random = 1;
    float *away[2];
    struct table t = away_of(c, steps, limit, away);
    struct vec column[MAX_SAMPLE_COLUMNS];
    int shared = table_class_shared(c, steps, limit);
    if (c->several)
        assert_true(shared & 1);
    for (int i = 0; i < 3 * t.columns; i++)
        column[i / 3].s[i % 3] = (double)((random = random * 1664525u + 1013904223u) >> 8) * 0x1p-23 - 1;
    for (int y = 0; y <= t.side; y++)
        for (int x = 0; x <= t.side; x++) {
            double size[2];
            struct vec to[2] = {row_sum(&t, away[0], x, y, column, size), row_sum(&t, away[1], x, y, column, size + 1)};
            struct vec is = cross(to[0], to[1]), want = normal_of(m, place[y][x], limit, column);
            int third = x == t.side && y == t.side;
            if (third ? shared & 2 : x == 0 && y == 0 && shared & 1) {
                struct around a = around(m, place[y][x]);
                if (limit && !c->several && ((a.smooth && a.n > 2) || (a.crease && a.boundary)))
                    fail_msg("(%d, %d) of %d: there are masks, and it is shared", x, y, t.side);
                expect_own_part(m, place, third, t.side, column, to);
                continue;
            }
            double most = 0x1p-23 * (size[0] * length(to[1]) + size[1] * length(to[0])) / length(is);
            double off = length(
                minus((struct vec){{is.s[0] / length(is), is.s[1] / length(is), is.s[2] / length(is)}},
                      (struct vec){{want.s[0] / length(want), want.s[1] / length(want), want.s[2] / length(want)}}));
            if (!(off <= most))
                fail_msg("class %d, %s (%d, %d) of %d: the normal is off by %g", (int)(c - sample_classes),
                         limit ? "limit" : "refined", x, y, t.side, off);
            n_normals += most < 1e-4;
        }
    free(t.weight), free(away[0]), free(away[1]);
}

static void compare(const struct quads *m, const struct table_class *c, int steps, int (*place)[PLACES])
{
    for (int limit = 0; limit <= SDD_LIMIT_AT_LEVEL; limit += SDD_LIMIT_AT_LEVEL) {
        struct table t = table_of(c, steps, limit);
        for (int y = 0; y <= t.side; y++)
            for (int x = 0; x <= t.side; x++) {
                double point[MAX_SAMPLE_COLUMNS] = {0};
                if (limit)
                    add_rule(m, point, 1, place[y][x], 0, 1);
                else
                    add(m, point, 1, m->at + place[y][x] * m->columns);
                for (int i = 0; i < t.columns; i++)
                    expect(&t, i, x, y, point[i]);
            }
        free(t.weight);
        compare_away(m, c, steps, place, limit);
    }
}

static void tables_are_what_the_mesh_does(void **state)
{
    (void)state;
    for (int i = 0; i < N_SAMPLE_CLASSES; i++) {
        const struct table_class *c = &sample_classes[i];
        int ends = c->n + c->open, place[PLACES][PLACES] = {{0}};
        if (ends == 1)
            continue; /* a face that meets an edge twice: a mesh of names has no such thing */
        struct quads m = mesh_of(c);
        place[0][1] = 1 + c->own;
        place[1][0] = 1 + (c->own + 1) % ends;
        place[1][1] = 1 + ends + c->own;
        compare(&m, c, 0, place);
        for (int steps = 1; steps <= MAX_STEPS; steps++) {
            struct quads to = subdivide(&m);
            next_places(&m, 1 << (steps - 1), place);
            quads_free(&m);
            m = to;
            compare(&m, c, steps, place);
        }
        quads_free(&m);
    }
    assert_true(n_normals > 5000 && n_shared > 50 && n_masks[0] > 2000 && n_masks[1] > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_what_the_mesh_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
