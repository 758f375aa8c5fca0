/* SPDX-License-Identifier: Apache-2.0 */
/* tri_class.c: makes the table of one class of triangles, for cache.c, which triangles.c asks. It refines the piece as
 * usual, but each point is a vector of K weights of the points around the piece. Two things are refined, each from
 * itself alone: the fan of the control vertex, if the piece has one at a corner, and a triangular lattice that reaches
 * one point beyond the piece on every side. On the lattice all vertices have six triangles, except around that corner,
 * whose points are copied from the fan after each step. */
#include "gpu/engines/tabulated/tri_class.h"
#include "gpu/rules/limit_ring.h"
#include "gpu/engines/tabulated/kernels/table_tri_pieces.dev.h"
#include "gpu/engines/tabulated/rule.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A line of edges that may be sharp, all equally: the points (x, y) of the lattice with a x + b y = c side. */
struct line {
    int a, b, c;
    int first;    /* The direction along the line, an index of `around`, that has the piece on its left. */
    int boundary; /* 1 if there is nothing on the other side. */
    float sharp;  /* The sharpness of the edges on the level reached so far. */
};

/* The piece and what surrounds it on the level reached so far. */
struct patch {
    int columns; /* K */
    int side;    /* The number of cells along a side of the piece. */
    int width;   /* The number of points in a row of the lattice in memory. */
    struct line line[3];
    struct table_class fan; /* n is 0 if there is none. */
    double *rows;           /* The fan: K weights of the vertex, then K of the far end of each edge. */
    double *next;           /* Where the next step writes the fan. */
    double *at;             /* The lattice: points -1 to width - 2 along x and y. */
    double *to;             /* Where the next step writes the lattice. */
    int further;            /* How many levels beyond that limits have followed the fan. */
};

static int is_middle(const struct table_tri_class *c)
{
    return c->corner == SDD_TRI_MIDDLE;
}

/* Whether there is a triangle across edge `own`. */
static int has_below(const struct table_class *c)
{
    return !c->open || c->own > 0;
}

/* Whether there is a triangle across the edge after that. */
static int has_left(const struct table_class *c)
{
    return !c->open || c->own + 1 < c->n;
}

int table_tri_columns(const struct table_tri_class *c)
{
    const struct table_class *f = &c->fan;
    if (is_middle(c))
        return 6 + 2 * (c->has_across[0] + c->has_across[1] + c->has_across[2]);
    return 1 + table_rule_ends(f) + 3 + has_below(f) + has_left(f);
}

static double *point_in(const struct patch *p, double *grid, int x, int y)
{
    return grid + ((size_t)(y + 1) * (size_t)p->width + (size_t)(x + 1)) * (size_t)p->columns;
}

static double *point_at(const struct patch *p, int x, int y)
{
    return point_in(p, p->at, x, y);
}

/* The far end of edge i. The number wraps around. Past the ends of an open fan that gives a row of no meaning, which
 * has no weight then. */
static double *end_of(const struct patch *p, double *rows, int i)
{
    int ends = table_rule_ends(&p->fan);
    return rows + (size_t)(1 + (i + ends) % ends) * (size_t)p->columns;
}

static void add(const struct patch *p, double *to, double weight, const double *from)
{
    for (int j = 0; j < p->columns; j++)
        to[j] += weight * from[j];
}

static void clear(const struct patch *p, double *to)
{
    for (int j = 0; j < p->columns; j++)
        to[j] = 0.0;
}

/* The line that has both points, or NULL if there is none or its sharpness has decayed. */
static const struct line *line_through(const struct patch *p, int x, int y, int u, int v)
{
    for (const struct line *l = p->line; l < p->line + 3; l++)
        if (l->sharp > 0.0f && l->a * x + l->b * y == l->c * p->side && l->a * u + l->b * v == l->c * p->side)
            return l;
    return NULL;
}

/* ---- the fan ----------------------------------------------------------------------------------------------------- */
/* Adds `share` times the mask of the vertex's rule. */
static void add_mask(const struct patch *p, const struct table_class *c, int limit, double share, double *to)
{
    double n = c->n, turn = 0.375 + 0.25 * cos(2.0 * M_PI / n), beta = (0.625 - turn * turn) / n, sum = 0.0;
    int32_t rule = table_rule_of(c);
    for (int i = 0; i < table_rule_ends(c); i++) {
        double w = 0.0;
        if (rule == SDD_RULE_SMOOTH)
            w = limit ? 1.0 / (n + 3.0 / (8.0 * beta)) : beta;
        else if (rule == SDD_RULE_CREASE && c->edge[i] > 0.0f)
            w = limit ? 1.0 / 6.0 : 0.125;
        add(p, to, share * w, end_of(p, p->rows, i));
        sum += w;
    }
    add(p, to, share * (1.0 - sum), p->rows);
}

/* Makes the point of an edge from its ends a and b and the points opposite it on the left and on the right. */
static void make_edge(const struct patch *p, double share, const double *a, const double *b, const double *left,
                      const double *right, double *to)
{
    double along = 0.375 + 0.125 * share, beside = 0.125 * (1.0 - share);
    for (int j = 0; j < p->columns; j++)
        to[j] = along * (a[j] + b[j]) + beside * (left[j] + right[j]);
}

static void step_fan(struct patch *p)
{
    const struct table_class old = p->fan, child = table_rule_next(&old);
    double share = table_rule_parent(&old, &child), *rows = p->rows;
    clear(p, p->next);
    add_mask(p, &old, 0, share, p->next);
    add_mask(p, &child, 0, 1.0 - share, p->next);
    for (int i = 0; i < table_rule_ends(&old); i++)
        make_edge(p, table_rule_share(old.edge[i]), rows, end_of(p, rows, i), end_of(p, rows, i - 1),
                  end_of(p, rows, i + 1), end_of(p, p->next, i));
    p->rows = p->next;
    p->next = rows;
    p->fan = child;
}

static void put(const struct patch *p, int x, int y, const double *from)
{
    double *to = point_at(p, x, y);
    for (int j = 0; j < p->columns; j++)
        to[j] = from[j];
}

/* Copies the points of the fan into the lattice. */
static void put_fan(const struct patch *p)
{
    int own = p->fan.own;
    if (p->fan.n == 0)
        return;
    put(p, 0, 0, p->rows);
    put(p, 1, 0, end_of(p, p->rows, own));
    put(p, 0, 1, end_of(p, p->rows, own + 1));
    if (has_below(&p->fan))
        put(p, 1, -1, end_of(p, p->rows, own - 1));
    if (has_left(&p->fan))
        put(p, -1, 1, end_of(p, p->rows, own + 2));
}

/* ---- the lattice ------------------------------------------------------------------------------------------------- */
/* The six directions from a point to its neighbours, counterclockwise. */
static const int around[6][2] = {{1, 0}, {0, 1}, {-1, 1}, {-1, 0}, {0, -1}, {1, -1}};

/* Makes a vertex of six triangles on the next level, or its limit. */
static void make_vertex(const struct patch *p, int x, int y, int limit, double *to)
{
    const struct line *l = line_through(p, x, y, x, y);
    double share = !l ? 0.0 : limit ? 1.0 : table_rule_share(l->sharp);
    double smooth = (limit ? 1.0 / 12.0 : 0.0625) * (1.0 - share), along = (limit ? 1.0 / 6.0 : 0.125) * share;
    clear(p, to);
    add(p, to, 1.0 - 6.0 * smooth - 2.0 * along, point_at(p, x, y));
    for (int d = 0; d < 6; d++) {
        int u = x + around[d][0], v = y + around[d][1];
        add(p, to, smooth + (l && l == line_through(p, x, y, u, v) ? along : 0.0), point_at(p, u, v));
    }
}

/* Makes point (x, y) of the next level. Points beyond a boundary are wrong, but no point on this side has a weight of
 * them. */
static void make_point(const struct patch *p, int x, int y, double *to)
{
    int odd_x = x & 1, odd_y = y & 1;
    if (!odd_x && !odd_y) {
        make_vertex(p, x / 2, y / 2, 0, to);
        return;
    }
    /* It is the point of the edge from (ax, ay) to (bx, by). The points opposite that edge are the neighbour of its
     * first end in direction (beside_x, beside_y) and the neighbour of its second end in the opposite direction. */
    int ax = odd_x && odd_y ? (x + 1) / 2 : (x - odd_x) / 2, ay = (y - odd_y) / 2;
    int bx = odd_x && odd_y ? (x - 1) / 2 : (x + odd_x) / 2, by = (y + odd_y) / 2;
    int beside_x = odd_y ? (odd_x ? -1 : 1) : 0, beside_y = odd_y ? 0 : 1;
    const struct line *l = line_through(p, ax, ay, bx, by);
    make_edge(p, l ? table_rule_share(l->sharp) : 0.0, point_at(p, ax, ay), point_at(p, bx, by),
              point_at(p, ax + beside_x, ay + beside_y), point_at(p, bx - beside_x, by - beside_y), to);
}

static void step(struct patch *p)
{
    double *at = p->at;
    int side = 2 * p->side;
    for (int y = -1; y <= side + 1; y++)
        for (int x = -1; x <= side + 1 && x + y <= side + 1; x++)
            make_point(p, x, y, point_in(p, p->to, x, y));
    p->at = p->to;
    p->to = at;
    if (p->fan.n)
        step_fan(p);
    p->side = side;
    for (int k = 0; k < 3; k++)
        p->line[k].sharp = sdd_decay(p->line[k].sharp);
    put_fan(p);
}

/* Begins with an unrefined piece at a control vertex, where each point is a column: it has weight 1 of itself. */
static void start_corner(struct patch *p, const struct table_class *c)
{
    int ends = table_rule_ends(c), column = 1 + ends;
    const int beside[3][2] = {{2, 0}, {1, 1}, {0, 2}};
    p->fan = *c;
    if (c->open)
        p->fan.edge[0] = p->fan.edge[c->n] = 10.0f;
    p->line[0] = (struct line){0, 1, 0, 0, !has_below(c), p->fan.edge[c->own]};
    p->line[1] = (struct line){1, 0, 0, 4, !has_left(c), p->fan.edge[(c->own + 1) % ends]};
    for (int i = 0; i <= ends; i++)
        p->rows[i * p->columns + i] = 1.0;
    for (int i = 0; i < 3; i++)
        point_at(p, beside[i][0], beside[i][1])[column++] = 1.0;
    if (has_below(c))
        point_at(p, 2, -1)[column++] = 1.0;
    if (has_left(c))
        point_at(p, -1, 2)[column] = 1.0;
    put_fan(p);
}

/* Begins with an unrefined middle piece likewise. */
static void start_middle(struct patch *p, const struct table_tri_class *c)
{
    const int own[6][2] = {{0, 0}, {1, 0}, {0, 1}, {-1, 1}, {1, -1}, {1, 1}};
    const int across[3][2][2] = {{{-1, 0}, {0, -1}}, {{2, -1}, {2, 0}}, {{0, 2}, {-1, 2}}};
    const struct line line[3] = {{1, 1, 0, 5, 0, 0.0f}, {1, 0, 1, 1, 0, 0.0f}, {0, 1, 1, 3, 0, 0.0f}};
    int column = 6;
    for (int i = 0; i < 6; i++)
        point_at(p, own[i][0], own[i][1])[i] = 1.0;
    for (int i = 0; i < 3; i++) {
        p->line[i] = line[i];
        p->line[i].boundary = !c->has_across[i];
        p->line[i].sharp = c->has_across[i] ? c->edge[i] : 10.0f;
        for (int k = 0; k < 2 && c->has_across[i]; k++)
            point_at(p, across[i][k][0], across[i][k][1])[column++] = 1.0;
    }
}

/* ---- tangents ---------------------------------------------------------------------------------------------------- */
/* A point and those around it, counterclockwise. */
struct ring {
    int n;            /* The number of triangles. */
    int open;         /* 1 if they do not go all around, so that there are n + 1 points. */
    int masks;        /* 1 for tangents by masks of the limit surface; 0 for a sum over triangles. */
    const double *at; /* The point. */
    const double *end[TABLE_MAX_VALENCE + 1]; /* The n + open points around it. */
};

/* Whether the tables of one piece give the whole normal at the vertex of the fan; else each triangle of the fan gives
 * its part of a sum. */
static int is_product(const struct table_class *c, int limit)
{
    int32_t rule = table_rule_of(c);
    if (c->several)
        return 0;
    if (limit)
        return c->open ? c->n == 1 || rule == SDD_RULE_CREASE : rule == SDD_RULE_SMOOTH && c->n > 2;
    return c->open ? c->n == 1 || c->n == 3 : c->n == 6;
}

/* Follows the fan of a patch until the masks of limits hold. Its rows go on in `to` (twice the rows of a fan), so that
 * those of `p` stay. */
static struct patch follow(const struct patch *p, double *to)
{
    size_t n = (size_t)(1 + table_rule_ends(&p->fan)) * (size_t)p->columns;
    struct patch on = *p;
    int left = SDD_DART_STEPS;
    on.rows = to;
    on.next = to + n;
    memcpy(on.rows, p->rows, n * sizeof *to);
    for (; table_rule_goes_on(&on.fan, &left); on.further++)
        step_fan(&on);
    return on;
}

/* The same for the six triangles around a point of the lattice on a line l. */
static struct patch follow_on_line(const struct patch *p, const struct line *l, int x, int y, double *to)
{
    size_t bytes = (size_t)p->columns * sizeof *to;
    struct patch around_it = *p;
    around_it.fan = (struct table_class){.n = 6};
    around_it.rows = to;
    memcpy(to, point_at(p, x, y), bytes);
    for (int d = 0; d < 6; d++) {
        int u = x + around[d][0], v = y + around[d][1];
        memcpy(to + (1 + d) * p->columns, point_at(p, u, v), bytes);
        around_it.fan.edge[d] = l && l == line_through(p, x, y, u, v) ? l->sharp : 0.0f;
    }
    return follow(&around_it, to + 7 * p->columns);
}

/* The ring of the fan's vertex. If each triangle gives its part of the normal, it has the piece's own triangle
 * alone. */
static struct ring ring_of_fan(const struct patch *p, int limit)
{
    const struct table_class *c = &p->fan;
    int product = is_product(c, limit), first = c->open && product ? 0 : c->own;
    struct ring r = {product ? c->n : 1, c->open || !product, 0, p->rows, {NULL}};
    r.masks = limit && product && table_rule_of(c) != SDD_RULE_CORNER;
    for (int i = 0; i < r.n + r.open; i++)
        r.end[i] = end_of(p, p->rows, first + i);
    return r;
}

static struct ring ring_of_point(const struct patch *p, int limit, int x, int y)
{
    const struct line *l = line_through(p, x, y, x, y);
    int boundary = l && l->boundary;
    struct ring r = {boundary ? 3 : 6, boundary, limit && (!l || boundary), point_at(p, x, y), {NULL}};
    for (int i = 0; i < r.n + r.open; i++) {
        const int *d = around[((boundary ? l->first : 0) + i) % 6];
        r.end[i] = point_at(p, x + d[0], y + d[1]);
    }
    return r;
}

/* Adds `weight` times the vector from `from` to `end`. */
static void add_difference(const struct patch *p, double *to, double weight, const double *from, const double *end)
{
    add(p, to, weight, end);
    add(p, to, -weight, from);
}

/* Adds the limit tangents by the masks of OpenSubdiv (sdc/loopScheme.h). */
static void add_masks(const struct patch *p, const struct ring *r, double scale, double *t1, double *t2)
{
    double step = (r->open ? 1.0 : 2.0) * M_PI / r->n, w = 2.0 * scale / r->n;
    if (!r->open) {
        for (int i = 0; i < r->n; i++) {
            add_difference(p, t1, w * cos(step * i), r->at, r->end[i]);
            add_difference(p, t2, w * sin(step * i), r->at, r->end[i]);
        }
        return;
    }
    /* t1 runs along the boundary and t2 across it. */
    add_difference(p, t1, scale, r->end[r->n], r->end[0]);
    double ends = r->n == 1 ? 1.0 : r->n == 2 ? 0.0 : r->n == 3 ? -1.0 : -sin(step);
    add_difference(p, t2, w * ends, r->at, r->end[0]);
    add_difference(p, t2, w * ends, r->at, r->end[r->n]);
    for (int i = 1; i < r->n; i++)
        add_difference(p, t2,
                       w * (r->n == 2   ? 1.0
                            : r->n == 3 ? 2.0
                                        : 2.0 * (1.0 - cos(step)) * sin(step * i)),
                       r->at, r->end[i]);
}

/* Adds two pairs of vectors whose cross products add up to the sum of e(i) x e(i + 1) over the triangles, of which
 * there are one, three in a row or six all around. One triangle needs a single pair. */
static void add_faces(const struct patch *p, const struct ring *r, double scale, double *t)
{
    size_t K = (size_t)p->columns;
    const double *const *e = r->end;
    if (r->n == 1) {
        add_difference(p, t, scale, r->at, e[0]);
        add_difference(p, t + K, scale, r->at, e[1]);
        return;
    }
    add_difference(p, t, scale, e[2], e[0]);
    add_difference(p, t + K, scale, r->open ? r->at : e[5], e[1]);
    add_difference(p, t + 2 * K, scale, r->open ? r->at : e[4], e[2]);
    add_difference(p, t + 3 * K, scale, r->open ? r->at : e[5], e[3]);
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */
/* A point of the lattice. */
struct lattice_point {
    int x, y;
};

/* Where point (i, j) of the piece lies on the lattice. Tables number the points as they are seen from the first corner
 * of the control triangle, and the lattice begins at the corner of the piece. */
static struct lattice_point lattice_point_of(int corner, int h, int i, int j)
{
    const struct lattice_point of[4] = {{i, j}, {j, h - i - j}, {h - i - j, i}, {i, j - i}};
    return of[corner];
}

static void write_row(const struct patch *p, const double *from, float *out, int rows, int r)
{
    for (int k = 0; k < p->columns; k++)
        out[k * rows + r] = (float)from[k];
}

/* Writes row r, for point s, of the tables of points and of tangents. `row` is scratch of 4 K numbers and of three
 * fans. */
static void write_point(const struct patch *p, struct lattice_point s, int limit, int pairs, double *row, float *out,
                        float *away, int r)
{
    int rows = sdd_tri_table_rows(p->side), is_vertex = p->fan.n && s.x == 0 && s.y == 0;
    for (int k = 0; k < 4; k++)
        clear(p, row + k * p->columns);
    const struct line *l = line_through(p, s.x, s.y, s.x, s.y);
    int on_line = limit == SDD_LIMIT && !is_vertex && l && sdd_is_semisharp(l->sharp);
    struct patch on = *p; /* Where limits stop to follow the fan. */
    if (on_line)
        on = follow_on_line(p, l, s.x, s.y, row + 4 * p->columns);
    else if (is_vertex && limit == SDD_LIMIT)
        on = follow(p, row + 4 * p->columns);
    if (limit && (is_vertex || on_line))
        add_mask(&on, &on.fan, 1, 1.0, row);
    else if (limit)
        make_vertex(p, s.x, s.y, 1, row);
    write_row(p, limit ? row : point_at(p, s.x, s.y), out, rows, r);
    if (!away)
        return;
    struct ring ring = on_line || (is_vertex && limit && is_product(&on.fan, limit)) ? ring_of_fan(&on, limit)
                       : is_vertex                                                   ? ring_of_fan(p, limit)
                                   : ring_of_point(p, limit, s.x, s.y);
    clear(p, row);
    if (ring.masks)
        add_masks(p, &ring, ldexp(p->side, ring.at == on.rows ? on.further : 0), row, row + p->columns);
    else
        add_faces(p, &ring, p->side, row);
    for (int k = 0; k < 2 * pairs; k++)
        write_row(p, row + k * p->columns, away + (size_t)k * (size_t)(rows * p->columns), rows, r);
}

/* Copies the points of the three sides to the rows that repeat them, in n columns. */
static void copy_sides(int h, int n, float *table)
{
    int rows = sdd_tri_table_rows(h), points = sdd_tri_points(h);
    for (int k = 0; k < n; k++, table += rows)
        for (int t = 0; t <= h; t++) {
            table[points + t] = table[sdd_tri_upright(h, t, 0)];
            table[points + h + 1 + t] = table[sdd_tri_upright(h, h - t, t)];
            table[points + 2 * (h + 1) + t] = table[sdd_tri_upright(h, 0, h - t)];
        }
}

static void start(struct patch *p, const struct table_tri_class *c)
{
    if (is_middle(c))
        start_middle(p, c);
    else
        start_corner(p, &c->fan);
}

/* The fan after `steps` steps, and where its limits stop to follow it. */
static struct table_class fan_after(const struct table_tri_class *c, int steps, int limit)
{
    struct table_class fan = c->fan;
    if (fan.open)
        fan.edge[0] = fan.edge[fan.n] = 10.0f;
    for (int i = 0; i < steps; i++)
        fan = table_rule_next(&fan);
    return limit == SDD_LIMIT ? table_rule_last(&fan) : fan;
}

int table_tri_pairs(const struct table_tri_class *c, int steps, int limit)
{
    struct table_class fan = fan_after(c, steps, limit);
    if (!limit)
        return 2;
    if (!is_middle(c))
        return 1 + ((has_below(&fan) && fan.edge[fan.own] > 0.0f) ||
                    (has_left(&fan) && fan.edge[(fan.own + 1) % table_rule_ends(&fan)] > 0.0f));
    int sharp = 0;
    for (int i = 0; i < 3; i++) {
        float s = c->edge[i];
        for (int k = 0; k < steps; k++)
            s = sdd_decay(s);
        sharp |= c->has_across[i] && (limit == SDD_LIMIT ? s >= 10.0f : s > 0.0f);
    }
    return 1 + sharp;
}

int table_tri_shared(const struct table_tri_class *c, int steps, int limit)
{
    struct table_class fan = fan_after(c, steps, limit);
    return !is_middle(c) && !is_product(&fan, limit);
}

int table_tri_table(const struct table_tri_class *c, int steps, int limit, float *out, float *away,
                    struct sdd_error *err)
{
    struct patch p = {.columns = table_tri_columns(c), .side = 1, .width = (1 << steps) + 4};
    size_t columns = (size_t)p.columns, grid = (size_t)p.width * (size_t)p.width * columns;
    size_t fan = (TABLE_MAX_VALENCE + 2) * columns;
    double *memory = calloc(2 * grid + 5 * fan + 4 * columns, sizeof *memory);
    int pairs = table_tri_pairs(c, steps, limit), r = 0;
    if (!memory)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for a table of %zu columns", columns);
    p.at = memory;
    p.to = p.at + grid;
    p.rows = p.to + grid;
    p.next = p.rows + fan;
    start(&p, c);
    for (int i = 0; i < steps; i++)
        step(&p);
    for (int j = 0; j <= p.side; j++)
        for (int i = 0; i <= (is_middle(c) ? j : p.side - j); i++)
            write_point(&p, lattice_point_of(c->corner, p.side, i, j), limit, pairs, memory + 2 * (grid + fan), out,
                        away, r++);
    if (!is_middle(c)) {
        copy_sides(p.side, p.columns, out);
        copy_sides(p.side, away ? 2 * pairs * p.columns : 0, away);
    }
    free(memory);
    return SDD_OK;
}
