/* SPDX-License-Identifier: Apache-2.0 */
/* tab_class_table against a mesh of the same neighbourhood, subdivided face by face, edge by edge and vertex by vertex
 * as the rules are written. */
#include "tests/unit/sample_classes.h"
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
static struct quads mesh_of(const struct tab_class *c)
{
    int ends = c->n + c->open, columns = tab_class_columns(c), own = c->own, next = (own + 1) % ends;
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

static void compare(const struct quads *m, const struct tab_class *c, int steps, int (*place)[PLACES])
{
    for (int limit = 0; limit < 2; limit++) {
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
    }
}

static void tables_are_what_the_mesh_does(void **state)
{
    (void)state;
    for (int i = 0; i < N_SAMPLE_CLASSES; i++) {
        const struct tab_class *c = &sample_classes[i];
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
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_what_the_mesh_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
