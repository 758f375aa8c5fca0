/* SPDX-License-Identifier: Apache-2.0 */
/* class.c: makes the table of one class of quads, for cache.c, which tables.c asks. It refines the quad as usual, but
 * each point is a vector of K weights of the points around the quad. Three things are refined, each from itself alone:
 * the fan of the vertex, the fan of the third corner, and a grid that reaches one point beyond the quad on every side.
 * On the grid the rules are products of rules along x and along y, except around the two corners, whose points are
 * copied from the fans after each step. */
#include "gpu/engines/tabulated/class.h"
#include "gpu/rules/limit_ring.h"
#include "gpu/engines/tabulated/rule.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The quads around a corner on the level reached so far. */
struct fan {
    struct table_class sharp; /* The fan on this level. */
    /* Rows of K weights: of the middle, of the far end of each edge, and of the corner opposite the middle in each
     * quad. */
    double *rows;
    double *next; /* Where the next step writes its rows. */
    int further;  /* How many levels beyond that its limits have followed it. */
};

/* The quad and what surrounds it on the level reached so far. */
struct patch {
    int columns;  /* K */
    int side;     /* The number of cells along a side of the quad. */
    size_t pitch; /* The number of doubles from a point of the grid to the one above it. */
    struct fan vertex, third;
    double *grid; /* Points -1 to side + 1 along x and y. */
    double *line; /* Rows of three fans of four quads. */
    double *half; /* The grid when it has been refined along x alone. */
};

static int points_of(const struct table_class *c)
{
    return 1 + table_rule_ends(c) + c->n;
}

/* Whether there is a quad across edge `own`. */
static int has_below(const struct table_class *c)
{
    return !c->open || c->own > 0;
}

/* Whether there is a quad across the edge after that. */
static int has_left(const struct table_class *c)
{
    return !c->open || c->own + 1 < c->n;
}

int table_refuse(struct sdd_error *err, const char *why)
{
    return sdd_fail(err, SDD_EUNSUPPORTED, "method", "no tables: %s", why);
}

struct table_class table_class_of(const float *words)
{
    struct table_class c = {.n = (int32_t)words[0],
                            .k = (int32_t)words[1],
                            .open = (int32_t)words[2],
                            .own = (int32_t)words[3],
                            .vertex = words[4],
                            .several = (int32_t)words[5]};
    for (int i = 0; i < c.n + c.open; i++)
        c.edge[i] = words[6 + i];
    return c;
}

int table_class_columns(const struct table_class *c)
{
    return points_of(c) + 2 * c->k - 3 + has_below(c) + has_left(c);
}

/* The row of the far end of edge i. The number wraps around. Past the ends of an open fan that gives a row of no
 * meaning, which has no weight then. */
static int end_row(const struct table_class *c, int i)
{
    return 1 + (i + table_rule_ends(c)) % table_rule_ends(c);
}

/* The row of the corner opposite the middle in quad i, which wraps around likewise. */
static int quad_row(const struct table_class *c, int i)
{
    return 1 + table_rule_ends(c) + (i + c->n) % c->n;
}

/* Adds `share` times the mask of the middle's rule, one weight for each row of the fan. */
static void add_mask(const struct table_class *c, int limit, double share, double *mask)
{
    int32_t rule = table_rule_of(c), ends = table_rule_ends(c),
            smooth = rule == SDD_RULE_SMOOTH && !(limit == SDD_LIMIT_AT_LEVEL && c->n == 2);
    double n = c->n, beyond = limit ? 1.0 / (n * (n + 5.0)) : 0.25 / (n * n), sum = 0.0;
    for (int i = 1; i < points_of(c); i++) {
        double w = 0.0;
        if (smooth)
            w = i > ends ? beyond : (limit ? 4.0 : 6.0) * beyond;
        else if (rule == SDD_RULE_CREASE && i <= ends && c->edge[i - 1] > 0.0f)
            w = limit ? 1.0 / 6.0 : 0.125;
        mask[i] += share * w;
        sum += share * w;
    }
    mask[0] += share - sum;
}

/* The middle of the fan on the next level, or its limit. */
static void make_middle(const struct fan *f, int columns, int limit, double *to)
{
    double mask[2 + 2 * TABLE_MAX_VALENCE] = {0.0};
    if (limit) {
        add_mask(&f->sharp, limit, 1.0, mask);
    } else {
        struct table_class child = table_rule_next(&f->sharp);
        double share = table_rule_parent(&f->sharp, &child);
        add_mask(&f->sharp, 0, share, mask);
        add_mask(&child, 0, 1.0 - share, mask);
    }
    for (int j = 0; j < columns; j++)
        to[j] = 0.0;
    for (int i = 0; i < points_of(&f->sharp); i++)
        for (int j = 0; j < columns; j++)
            to[j] += mask[i] * f->rows[i * columns + j];
}

static void step_fan(struct fan *f, int columns)
{
    const struct table_class *c = &f->sharp;
    const double *middle = f->rows;
    make_middle(f, columns, 0, f->next);
    for (int i = 0; i < table_rule_ends(c); i++) {
        const double *end = f->rows + end_row(c, i) * columns, *before = f->rows + end_row(c, i - 1) * columns;
        const double *after = f->rows + end_row(c, i + 1) * columns, *left = f->rows + quad_row(c, i) * columns;
        const double *right = f->rows + quad_row(c, i - 1) * columns;
        double share = table_rule_share(c->edge[i]), along = 0.375 + 0.125 * share, beside = 0.0625 * (1.0 - share);
        for (int j = 0; j < columns; j++)
            f->next[end_row(c, i) * columns + j] =
                along * (middle[j] + end[j]) + beside * ((before[j] + after[j]) + (left[j] + right[j]));
    }
    for (int i = 0; i < c->n; i++) {
        const double *on = f->rows + end_row(c, i) * columns, *off = f->rows + end_row(c, i + 1) * columns;
        const double *across = f->rows + quad_row(c, i) * columns;
        for (int j = 0; j < columns; j++)
            f->next[quad_row(c, i) * columns + j] = 0.25 * ((middle[j] + across[j]) + (on[j] + off[j]));
    }
    double *rows = f->rows;
    f->rows = f->next;
    f->next = rows;
    f->sharp = table_rule_next(c);
}

/* Follows a fan until the masks of limits hold. Its rows go on in `to` (twice the rows of a fan), so that `f` stays. */
static struct fan follow(const struct fan *f, int columns, double *to)
{
    size_t n = (size_t)points_of(&f->sharp) * (size_t)columns;
    struct fan on = {f->sharp, to, to + n, 0};
    int left = SDD_DART_STEPS;
    memcpy(on.rows, f->rows, n * sizeof *on.rows);
    for (; table_rule_goes_on(&on.sharp, &left); on.further++)
        step_fan(&on, columns);
    return on;
}

/* Sets n numbers: to = beside (a + c) + (1 - 2 beside) b. */
static void mix(double *restrict to, const double *a, const double *b, const double *c, double beside, size_t n)
{
    double middle = 1.0 - 2.0 * beside;
    for (size_t i = 0; i < n; i++)
        to[i] = beside * (a[i] + c[i]) + middle * b[i];
}

/* Refines a line of points as a cubic B-spline. Points are n numbers each and `stride` apart. Points -1 to side + 1
 * make points -1 to 2 side + 1 of the next level or, if `limit` is set, the limits of points 0 to side. A crease may
 * cross the line at point 0, where `share` is the share of its rule. */
static void refine_line(const double *from, double *to, int side, size_t stride, size_t n, double share, int limit)
{
    for (int i = limit ? 1 : 0; i <= (limit ? side + 1 : 2 * side + 2); i++) {
        const double *a = from + (size_t)(limit ? i - 1 : i / 2) * stride;
        double beside = (limit ? 1.0 / 6.0 : 0.125) * (i == 1 ? 1.0 - share : 1.0);
        if (limit || (i & 1))
            mix(to + (size_t)i * stride, a, a + stride, a + 2 * stride, beside, n);
        else
            mix(to + (size_t)i * stride, a, a, a + stride, 0.5, n);
    }
}

static double *point_at(const struct patch *p, int x, int y)
{
    return p->grid + (size_t)(y + 1) * p->pitch + (size_t)(x + 1) * (size_t)p->columns;
}

/* The fan of the point (x, y) on one of the two lines that may be sharp, with rows in p->line. It is followed. */
static struct fan fan_on_line(const struct patch *p, int x, int y)
{
    static const int ends[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}},
                     quads[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
    const struct table_class *c = &p->vertex.sharp;
    float sharp = y == 0 ? c->edge[end_row(c, c->own) - 1] : c->edge[end_row(c, c->own + 1) - 1];
    struct fan f = {{.n = 4}, p->line, NULL, 0};
    size_t columns = (size_t)p->columns, bytes = columns * sizeof *f.rows;
    f.sharp.edge[y == 0 ? 0 : 1] = f.sharp.edge[y == 0 ? 2 : 3] = sharp;
    memcpy(f.rows, point_at(p, x, y), bytes);
    for (int i = 0; i < 4; i++) {
        memcpy(f.rows + (size_t)(1 + i) * columns, point_at(p, x + ends[i][0], y + ends[i][1]), bytes);
        memcpy(f.rows + (size_t)(5 + i) * columns, point_at(p, x + quads[i][0], y + quads[i][1]), bytes);
    }
    return follow(&f, p->columns, p->line + 9 * columns);
}

/* Whether limits of the points on a line go on with its sharpness. */
static int line_goes_on(float sharpness, int limit)
{
    return limit == SDD_LIMIT && sdd_is_semisharp(sharpness);
}

static void put(const struct patch *p, int x, int y, const struct fan *f, int row)
{
    const double *from = f->rows + row * p->columns;
    double *to = point_at(p, x, y);
    for (int j = 0; j < p->columns; j++)
        to[j] = from[j];
}

/* Copies the points of both fans into the grid. */
static void put_fans(const struct patch *p)
{
    const struct table_class *v = &p->vertex.sharp, *t = &p->third.sharp;
    int m = p->side;
    put(p, 0, 0, &p->vertex, 0);
    put(p, 1, 0, &p->vertex, end_row(v, v->own));
    put(p, 0, 1, &p->vertex, end_row(v, v->own + 1));
    if (has_below(v)) {
        put(p, 0, -1, &p->vertex, end_row(v, v->own - 1));
        put(p, 1, -1, &p->vertex, quad_row(v, v->own - 1));
    }
    if (has_left(v)) {
        put(p, -1, 0, &p->vertex, end_row(v, v->own + 2));
        put(p, -1, 1, &p->vertex, quad_row(v, v->own + 1));
    }
    put(p, m, m, &p->third, 0);
    put(p, m + 1, m - 1, &p->third, quad_row(t, 0));
    put(p, m + 1, m, &p->third, end_row(t, 1));
    put(p, m, m + 1, &p->third, end_row(t, t->n - 2));
    put(p, m - 1, m + 1, &p->third, quad_row(t, t->n - 2));
}

/* Refines the grid along x and then along y. Points beyond a boundary are wrong, but no point on this side has a weight
 * of them. */
static void refine_grid(struct patch *p, int limit)
{
    const struct table_class *c = &p->vertex.sharp;
    float bottom = c->edge[end_row(c, c->own) - 1], side = c->edge[end_row(c, c->own + 1) - 1];
    double across_y = limit ? (double)(bottom > 0.0f) : table_rule_share(bottom);
    double across_x = limit ? (double)(side > 0.0f) : table_rule_share(side);
    size_t columns = (size_t)p->columns;
    for (size_t y = 0; y < (size_t)p->side + 3; y++)
        refine_line(p->grid + y * p->pitch, p->half + y * p->pitch, p->side, columns, columns, across_x, limit);
    refine_line(p->half, p->grid, p->side, p->pitch, p->pitch, across_y, limit);
}

static void step(struct patch *p)
{
    refine_grid(p, 0);
    step_fan(&p->vertex, p->columns);
    step_fan(&p->third, p->columns);
    p->side *= 2;
    put_fans(p);
}

/* Begins with the unrefined quad, where each point is a column: it has weight 1 of itself. */
static void start(struct patch *p)
{
    const struct table_class *v = &p->vertex.sharp, *t = &p->third.sharp;
    int columns = p->columns, column = points_of(v);
    for (int i = 0; i < column; i++)
        p->vertex.rows[i * columns + i] = 1.0;
    p->third.rows[quad_row(v, v->own)] = 1.0;
    p->third.rows[end_row(t, 0) * columns + end_row(v, v->own)] = 1.0;
    p->third.rows[end_row(t, -1) * columns + end_row(v, v->own + 1)] = 1.0;
    p->third.rows[quad_row(t, -1) * columns] = 1.0;
    for (int i = 1; i < t->n; i++) {
        p->third.rows[quad_row(t, i - 1) * columns + column++] = 1.0;
        if (i < t->n - 1)
            p->third.rows[end_row(t, i) * columns + column++] = 1.0;
    }
    if (has_below(v))
        point_at(p, 2, -1)[column++] = 1.0;
    if (has_left(v))
        point_at(p, -1, 2)[column] = 1.0;
    put_fans(p);
}

/* ---- tangents ---------------------------------------------------------------------------------------------------- */
static void add(double *to, double weight, const double *row, int columns)
{
    for (int j = 0; j < columns; j++)
        to[j] += weight * row[j];
}

/* The kind of line that a point lies on. */
enum line { LINE_NONE, LINE_BOUNDARY, LINE_CREASE };

/* The kind of line through the points that have this coordinate, where `across` says whether there is a quad beyond
 * it. */
static enum line line_at(int coordinate, int across, float sharpness)
{
    return coordinate > 0 || (across && !(sharpness > 0.0f)) ? LINE_NONE : across ? LINE_CREASE : LINE_BOUNDARY;
}

/* Adds the difference of the points around (x, y) along x (dx = 1, dy = 0) or along y. one_sided is for a point with
 * none before it. `mean` takes the weighted mean of three parallel lines, as the limit surface does. */
static void difference(const struct patch *p, int x, int y, int dx, int dy, int one_sided, int mean, double *to)
{
    for (int k = -mean; k <= mean; k++) {
        int u = x + k * dy, v = y + k * dx;
        double weight = (!mean ? 1.0 : k ? 1.0 / 6.0 : 2.0 / 3.0) * p->side * (one_sided ? 2.0 : 1.0);
        add(to, weight, point_at(p, u + dx, v + dy), p->columns);
        add(to, -weight, one_sided ? point_at(p, u, v) : point_at(p, u - dx, v - dy), p->columns);
    }
}

/* Tangents at a point of the grid that is not one of the two corners. */
static void tangents_on_lines(const struct patch *p, int limit, int x, int y, double *t1, double *t2)
{
    const struct table_class *c = &p->vertex.sharp;
    enum line bottom = line_at(y, has_below(c), c->edge[end_row(c, c->own) - 1]);
    enum line side = line_at(x, has_left(c), c->edge[end_row(c, c->own + 1) - 1]);
    int means = limit && bottom != LINE_CREASE && side != LINE_CREASE;
    int turned = side == LINE_BOUNDARY; /* t1 runs along a boundary with the surface on its left. */
    difference(p, x, y, 1, 0, turned, means && bottom == LINE_NONE, turned ? t2 : t1);
    difference(p, x, y, 0, 1, bottom == LINE_BOUNDARY, means && side == LINE_NONE, turned ? t1 : t2);
    for (int j = 0; j < p->columns && turned; j++)
        t1[j] = -t1[j];
}

/* Limit tangents at a smooth vertex by the masks of Halstead et al. 1993; t1 points along edge `first`. */
static void tangents_of_fan(const struct fan *f, int first, int columns, double scale, double *t1, double *t2)
{
    const struct table_class *c = &f->sharp;
    double step = 2.0 * M_PI / c->n, half = cos(0.5 * step);
    double lambda = 0.3125 + 0.0625 * (cos(step) + half * sqrt(2.0 * (9.0 + cos(step)))),
           kd = 1.0 / (4.0 * lambda - 1.0);
    for (int i = 0; i < c->n; i++) {
        const double *end = f->rows + end_row(c, first + i) * columns;
        const double *across = f->rows + quad_row(c, first + i) * columns;
        double at = step * i, next = at + step, w = scale / (1.5 * c->n); /* Makes them about as long as differences. */
        add(t1, w * 4.0 * cos(at), end, columns);
        add(t2, w * 4.0 * sin(at), end, columns);
        add(t1, w * kd * (cos(at) + cos(next)), across, columns);
        add(t2, w * kd * (sin(at) + sin(next)), across, columns);
    }
}

/* Limit tangents at the middle of an open fan whose two ends form a crease: t1 along the crease, t2 away from it. */
static void tangents_of_crease(const struct fan *f, int columns, double scale, double *t1, double *t2)
{
    const struct table_class *c = &f->sharp;
    const double *first = f->rows + end_row(c, 0) * columns, *last = f->rows + end_row(c, c->n) * columns;
    double step = M_PI / c->n, sum = 0.0, mask[2 + 2 * TABLE_MAX_VALENCE] = {0.0};
    double ends = c->n == 1 ? 1.0 : -(1.0 + cos(step)) / sin(step) * (1.0 + 2.0 * cos(step));
    add(t1, scale, first, columns);
    add(t1, -scale, last, columns);
    mask[end_row(c, 0)] = mask[end_row(c, c->n)] = ends;
    for (int i = 0; i < c->n && c->n > 1; i++) {
        mask[quad_row(c, i)] = sin(step * i) + sin(step * (i + 1));
        mask[end_row(c, i)] += i ? 4.0 * sin(step * i) : 0.0;
    }
    for (int i = 1; i < points_of(c); i++) {
        mask[0] -= mask[i];
        sum += fabs(mask[i]);
    }
    for (int i = 0; i < points_of(c); i++)
        add(t2, 4.0 * scale / sum * mask[i], f->rows + i * columns, columns);
}

/* Whether the normal at the middle of a fan is one cross product; else it is a sum over the quads of the fan. */
static int is_product(const struct table_class *c, int limit)
{
    int32_t rule = table_rule_of(c);
    if (c->several)
        return 0;
    if (c->open)
        return c->n == 1 || (limit ? rule == SDD_RULE_CREASE : c->n == 2);
    return limit ? rule == SDD_RULE_SMOOTH && c->n > 2 : c->n == 4;
}

/* The row at which the vector to end k must begin so that one cross product of two such vectors is the sum over the
 * quads of the fan. In a closed fan of four, and at the ends of an open fan of two (e0 x e1 + e1 x e2 = (e0 - e2) x
 * e1), it is the end on the other side of the middle; else it is the middle. */
static int start_row(const struct table_class *c, int k)
{
    if (!c->open)
        return end_row(c, k + 2);
    return c->n == 2 && k != 1 ? end_row(c, 2 - k) : 0;
}

/* Tangents at the middle of a fan, as quad `own` needs them: if the normal is a sum, they give the part of this
 * quad. */
static void tangents_of_middle(const struct fan *f, int own, int columns, int limit, double scale, double *t1,
                               double *t2)
{
    const struct table_class *c = &f->sharp;
    scale = ldexp(scale, f->further);
    int masks = limit && is_product(c, 1), product = !limit && is_product(c, 0);
    if (masks && table_rule_of(c) == SDD_RULE_SMOOTH) {
        tangents_of_fan(f, own, columns, scale, t1, t2);
    } else if (masks && table_rule_of(c) == SDD_RULE_CREASE) {
        tangents_of_crease(f, columns, scale, t1, t2);
    } else {
        add(t1, scale, f->rows + end_row(c, own) * columns, columns);
        add(t2, scale, f->rows + end_row(c, own + 1) * columns, columns);
        add(t1, -scale, f->rows + (product ? start_row(c, own) : 0) * columns, columns);
        add(t2, -scale, f->rows + (product ? start_row(c, own + 1) : 0) * columns, columns);
    }
}

/* Whether (x, y) lies on a line whose limits go on with its sharpness, and is not the vertex. */
static int is_followed(const struct patch *p, int limit, int x, int y)
{
    const struct table_class *c = &p->vertex.sharp;
    return (y == 0 && x > 0 && line_goes_on(c->edge[end_row(c, c->own) - 1], limit)) ||
           (x == 0 && y > 0 && line_goes_on(c->edge[end_row(c, c->own + 1) - 1], limit));
}

/* `vertex` is the fan of the vertex where limits stop to follow it. */
static void make_tangents(const struct patch *p, const struct fan *vertex, int limit, float *t1, float *t2)
{
    int m = p->side, side = m + 1, K = p->columns;
    for (int y = 0; y <= m; y++)
        for (int x = 0; x <= m; x++) {
            double along[2][4 * TABLE_MAX_VALENCE + 1] = {{0.0}};
            if (x == 0 && y == 0)
                tangents_of_middle(is_product(&vertex->sharp, limit) ? vertex : &p->vertex, p->vertex.sharp.own, K,
                                   limit, m, along[0], along[1]);
            else if (x == m && y == m)
                tangents_of_middle(&p->third, p->third.sharp.n - 1, K, limit, m, along[0], along[1]);
            else if (is_followed(p, limit, x, y)) {
                struct fan on = fan_on_line(p, x, y);
                tangents_of_fan(&on, 0, K, ldexp(m, on.further), along[0], along[1]);
            } else
                tangents_on_lines(p, limit, x, y, along[0], along[1]);
            for (int k = 0; k < K; k++) {
                t1[(k * side + y) * side + x] = (float)along[0][k];
                t2[(k * side + y) * side + x] = (float)along[1][k];
            }
        }
}

int table_class_shared(const struct table_class *c, int steps, int limit)
{
    struct table_class vertex = *c;
    const struct table_class third = {.n = c->k};
    if (c->open)
        vertex.edge[0] = vertex.edge[c->n] = 10.0f;
    for (int i = 0; i < steps; i++)
        vertex = table_rule_next(&vertex);
    if (limit == SDD_LIMIT)
        vertex = table_rule_last(&vertex);
    return (is_product(&vertex, limit) ? 0 : 1) + (is_product(&third, limit) ? 0 : 2);
}

/* Moves the points of the grid to their limits; `vertex` is the fan as for make_tangents. */
static void make_limits(struct patch *p, const struct fan *vertex, int limit)
{
    int m = p->side;
    size_t columns = (size_t)p->columns;
    double *lines = p->line + 27 * columns + 2 * (size_t)points_of(&p->vertex.sharp) * columns;
    for (int k = 1; k <= m; k++) { /* These read the grid, so they come before it moves. */
        struct fan on;
        if (is_followed(p, limit, k, 0)) {
            on = fan_on_line(p, k, 0);
            make_middle(&on, p->columns, limit, lines + (size_t)k * columns);
        }
        if (is_followed(p, limit, 0, k)) {
            on = fan_on_line(p, 0, k);
            make_middle(&on, p->columns, limit, lines + (size_t)(m + k) * columns);
        }
    }
    refine_grid(p, limit);
    for (int k = 1; k <= m; k++) {
        if (is_followed(p, limit, k, 0))
            memcpy(point_at(p, k, 0), lines + (size_t)k * columns, columns * sizeof *lines);
        if (is_followed(p, limit, 0, k))
            memcpy(point_at(p, 0, k), lines + (size_t)(m + k) * columns, columns * sizeof *lines);
    }
    make_middle(vertex, p->columns, limit, point_at(p, 0, 0));
    make_middle(&p->third, p->columns, limit, point_at(p, m, m));
}

int table_class_table(const struct table_class *c, int steps, int limit, float *out, float *t1, float *t2,
                      struct sdd_error *err)
{
    struct patch p = {.columns = table_class_columns(c), .side = 1};
    size_t columns = (size_t)p.columns, width = ((size_t)1 << steps) + 3, rows = (width - 2) * (width - 2);
    p.vertex.sharp = *c;
    p.third.sharp.n = c->k;
    if (c->open)
        p.vertex.sharp.edge[0] = p.vertex.sharp.edge[c->n] = 10.0f;
    p.pitch = width * columns;
    size_t around = (size_t)points_of(c) * columns, beyond = (size_t)points_of(&p.third.sharp) * columns;
    double *memory = calloc(2 * (width * p.pitch + 2 * around + beyond) + (27 + 2 * width) * columns, sizeof *memory);
    if (!memory)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for a table of %zu rows and %zu columns", rows, columns);
    p.grid = memory;
    p.half = p.grid + width * p.pitch;
    p.vertex.rows = p.half + width * p.pitch;
    p.vertex.next = p.vertex.rows + around;
    p.third.rows = p.vertex.next + around;
    p.third.next = p.third.rows + beyond;
    p.line = p.third.next + beyond;
    start(&p);
    for (int i = 0; i < steps; i++)
        step(&p);
    struct fan vertex = limit == SDD_LIMIT ? follow(&p.vertex, p.columns, p.line + 27 * columns) : p.vertex;
    if (t1 && t2)
        make_tangents(&p, &vertex, limit, t1, t2);
    if (limit)
        make_limits(&p, &vertex, limit);
    for (size_t column = 0; column < columns; column++)
        for (int y = 0; y <= p.side; y++)
            for (int x = 0; x <= p.side; x++)
                *out++ = (float)point_at(&p, x, y)[column];
    free(memory);
    return SDD_OK;
}
