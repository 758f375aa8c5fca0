/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle of table_normals: pieces with columns, tables and bases of no meaning (table_pieces.h), each vector summed in
 * double as it is written in the mesh, with no scale; normals and tangents are compared as directions, where these are
 * not lost in the rounding of their terms. Ranges of rows are random, and so are the corners that pieces share. */
#include "gpu/engines/tabulated/kernels/table_variants.ks.h"
#include "gpu/engines/tabulated/kernels/table_points.k.h"
#include "tests/env.h"
#include "tests/kernels/launch.h"
#include "tests/kernels/quantised.h"
#include "tests/kernels/row_range.h"
#include "tests/kernels/tabulated/table_pieces.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A vector, and how long the rounding of it may be; scale: of the longest column it is made of. */
struct rough {
    double v[3], size, scale;
};

/* What a row may be. */
struct answer {
    struct rough t1, t2, n;
    int shared;
};

struct tables {
    struct pieces s;
    float *t2; /* t1 is the pieces' table */
    struct sdd_table_basis slope[2 * ((1 << (MOST_LEVEL - 1)) + 1)];
    uint32_t shared[MOST_CLASSES];
};

/* Rows inside grids that were compared, by level, kind (2: of whole quads), and whether tangents were wanted. */
static int64_t n_seen[MOST_LEVEL + 1][3][2];
static int64_t n_shared[2], n_hidden, n_nothing, n_made, n_alone; /* n_made: by pieces, of which so many alone too */

static int kind_of(const struct pieces *s, uint32_t location)
{
    return location & SDD_TABLE_OTHER ? 0 : 1 + (location < s->n_regular_quads);
}

static double length(const double *v)
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static struct rough cross(const struct rough *a, const struct rough *b)
{
    struct rough r = {.scale = fmax(a->scale, b->scale)};
    double la = length(a->v), lb = length(b->v);
    for (int k = 0; k < 3; k++)
        r.v[k] = a->v[(k + 1) % 3] * b->v[(k + 2) % 3] - a->v[(k + 2) % 3] * b->v[(k + 1) % 3];
    r.size = a->size * lb + b->size * la + a->size * b->size + 0x1p-21 * la * lb;
    return r;
}

/* ---- what is to come of it ------------------------------------------------------------------------------------- */
/* seen: how much else is seen from that point. */
static void add(struct rough *to, double weight, double seen, const struct pieces_point *point,
                const struct pieces_point *vertex)
{
    double size = 0;
    for (int k = 0; k < 3; k++) {
        double d = point->v[k] - vertex->v[k];
        to->v[k] += weight * d;
        size += (fabs(weight) + seen) * (fabs(d) + point->size[k]);
        to->scale = fmax(to->scale, fabs(d));
    }
    to->size += 24 * 0x1p-24 * size; /* fewer roundings than that on the way of each term */
}

/* Of four weights, those of what is seen from the second. */
static double others(const struct sdd_table_basis *w)
{
    return fabs((double)w->s[0]) + fabs((double)w->s[2]) + fabs((double)w->s[3]);
}

static void regular_pair(const struct tables *c, int64_t i, int64_t x, int64_t y, struct answer *to)
{
    const struct pieces *s = &c->s;
    const struct sdd_table_basis *basis = pieces_table(s, s->basis, i), *slope = pieces_table(s, c->slope, i);
    static const int first[4] = {5, 9, 10, 6}; /* where the vertex of a whole quad's first piece is, for its others */
    const struct pieces_point vertex = pieces_point(s, i, first[i < s->n_regular_quads ? i % 4 : 0]);
    for (int k = 0; k < SDD_TABLE_REGULAR; k++) {
        const struct pieces_point point = pieces_point(s, i, k);
        int h = k % 4, v = k / 4;
        const double in[2][2] = {{(double)slope[x].s[h], (double)basis[y].s[v]},
                                 {(double)basis[x].s[h], (double)slope[y].s[v]}};
        const double seen[2] = {
            y == 0 ? (h == 1) * others(slope + x) * fabs(in[0][1]) : (v == 1) * others(basis + y) * fabs(in[0][0]),
            y == 0 ? (h == 1) * others(basis + x) * fabs(in[1][1]) : (v == 1) * others(slope + y) * fabs(in[1][0])};
        add(&to->t1, in[0][0] * in[0][1], seen[0], &point, &vertex);
        add(&to->t2, in[1][0] * in[1][1], seen[1], &point, &vertex);
    }
    const uint32_t open = s->regular[i].owns >> SDD_TABLE_OPEN;
    if (x == 0 && (open & 8) && !(y == 0 && (open & 1))) { /* along the boundary, with the piece at its left */
        const struct rough inwards = to->t1;
        to->t1 = to->t2, to->t2 = inwards;
        for (int k = 0; k < 3; k++)
            to->t1.v[k] = -to->t1.v[k];
    }
}

static int class_of(const struct pieces *s, int64_t i)
{
    int k = MOST_CLASSES - 1;
    while (s->tables[k].first > i)
        k--;
    return k;
}

static struct pieces_point point_of(const float *p)
{
    return (struct pieces_point){{p[0], p[1], p[2]}, {0}};
}

static void other_pair(const struct tables *c, int64_t i, int64_t x, int64_t y, struct answer *to)
{
    const struct pieces *s = &c->s;
    const struct sdd_table_table *t = s->tables + class_of(s, i);
    const uint32_t *column = s->column + t->column + (i - t->first) * t->n_columns;
    for (int64_t j = 0; j < t->n_columns; j++) {
        int64_t at = (t->table + j) * pieces_slots(s->side - 1) + pieces_slot(s->side - 1, x, y);
        const struct pieces_point point = point_of(s->from + 4 * (size_t)column[j]);
        const struct pieces_point vertex = point_of(s->from + 4 * (size_t)column[0]);
        add(&to->t1, (double)s->table[at], 0, &point, &vertex);
        add(&to->t2, (double)c->t2[at], 0, &point, &vertex);
    }
}

static struct answer pair(const struct tables *c, uint32_t corner, int64_t x, int64_t y)
{
    struct answer a = {.shared = 0};
    uint32_t piece = c->s.location[corner];
    if (piece & SDD_TABLE_OTHER)
        other_pair(c, piece & ~SDD_TABLE_OTHER, x, y, &a);
    else
        regular_pair(c, piece, x, y, &a);
    a.n = cross(&a.t1, &a.t2);
    return a;
}

/* Corner q has a part in what corner c has at this end of its grid: at its vertex, or in the middle of its face. */
static int meets(const struct brute *b, uint32_t c, uint32_t q, int third)
{
    return third ? b->face[c] == b->face[q] : b->vert[c] == b->vert[q];
}

static struct answer answer_at(const struct tables *c, uint32_t corner, int64_t x, int64_t y)
{
    int64_t m = c->s.side - 1;
    uint32_t piece = c->s.location[corner];
    int third = x == m && y == m;
    struct answer all = pair(c, corner, x, y);
    uint32_t flags = piece & SDD_TABLE_OTHER ? c->shared[class_of(&c->s, piece & ~SDD_TABLE_OTHER)] : 0;
    if (!(third ? flags & 2 : x == 0 && y == 0 && (flags & 1)))
        return all;
    memset(&all.n, 0, sizeof all.n);
    all.shared = 1;
    for (uint32_t q = 0; q < c->s.k.b.C; q++) {
        if (!meets(&c->s.k.b, corner, q, third))
            continue;
        struct answer part = pair(c, q, x, y);
        for (int k = 0; k < 3; k++)
            all.n.v[k] += part.n.v[k];
        all.n.size += part.n.size + 0x1p-22 * length(part.n.v);
        all.n.scale = fmax(all.n.scale, part.n.scale);
    }
    return all;
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */
/* Does rounding, or what counts as nothing, decide on the direction? */
static int hidden(const struct answer *a)
{
    double n = length(a->n.v);
    return n < 64 * a->n.size || n <= 0x1p-15 * a->n.scale * a->n.scale;
}

static int nothing(const struct answer *a)
{
    return a->n.scale == 0;
}

static int is_direction(const float *got, const struct rough *want)
{
    double l = length(want->v), most = 2 * want->size / l + 0x1p-21, off[3];
    for (int k = 0; k < 3; k++)
        off[k] = (double)got[k] - want->v[k] / l;
    return length(off) <= most;
}

static int is_zero(const float *got, int n)
{
    int zero = 1;
    for (int i = 0; i < n; i++)
        zero = zero && got[i] == 0;
    return zero;
}

static int fits_normal(const float *got, const struct answer *a)
{
    double v[3] = {(double)got[0], (double)got[1], (double)got[2]};
    if (nothing(a))
        return is_zero(got, 3);
    return hidden(a) ? is_zero(got, 3) || fabs(length(v) - 1) < 1e-6 : is_direction(got, &a->n);
}

/* Tangents without masks: any two, at right angles, that make the normal. */
static int fits_tangents(const float *got, const struct answer *a)
{
    struct rough t[2] = {{.v = {(double)got[0], (double)got[1], (double)got[2]}},
                         {.v = {(double)got[3], (double)got[4], (double)got[5]}}};
    struct rough n = cross(t, t + 1);
    float normal[3] = {(float)n.v[0], (float)n.v[1], (float)n.v[2]};
    if (nothing(a))
        return is_zero(got, 6);
    if (hidden(a))
        return is_zero(got, 6) || (fabs(length(t[0].v) - 1) < 1e-6 && fabs(length(t[1].v) - 1) < 1e-6);
    if (!a->shared)
        return is_direction(got, &a->t1) && is_direction(got + 3, &a->t2);
    return is_direction(normal, &a->n) && fabs(length(t[0].v) - 1) < 1e-6 && fabs(length(t[1].v) - 1) < 1e-6;
}

/* One launch: what it wrote for rows [first, first + n); NULL: not wanted. */
struct made {
    struct row_range r;
    const float *normals, *tangents;
    unsigned char *is;
};

static void offer(const struct tables *c, struct made *o, uint32_t corner, int64_t x, int64_t y)
{
    int64_t row = grid_vertex(&c->s.g, c->s.level, corner, x, y), i = row - o->r.first, m = c->s.side - 1;
    if (!row_range_has(&o->r, row) || o->is[i])
        return;
    struct answer a = answer_at(c, corner, x, y);
    o->is[i] = (!o->normals || fits_normal(o->normals + 3 * i, &a)) &&
               (!o->tangents || fits_tangents(o->tangents + 6 * i, &a));
    int seen = o->is[i] && !hidden(&a);
    n_shared[x > 0] += seen && a.shared;
    n_hidden += hidden(&a) && !nothing(&a), n_nothing += nothing(&a);
    if (x > 0 && x < m && y > 0 && y < m)
        n_seen[c->s.level][kind_of(&c->s, c->s.location[corner])][o->tangents != NULL] += seen;
}

static void check_made(const struct tables *c, struct made *o)
{
    const struct brute *b = &c->s.k.b;
    for (uint32_t corner = 0; corner < b->C; corner++)
        for (int64_t y = 0; y < c->s.side; y++)
            for (int64_t x = y < c->s.side - 1 ? 0 : y; x < c->s.side; x++)
                offer(c, o, corner, x, y);
    for (uint32_t v = 0; v < b->V; v++)
        if (b->valence[v] == 0 && row_range_has(&o->r, v) && !o->is[v - o->r.first]) {
            int64_t i = v - o->r.first;
            o->is[i] =
                (!o->normals || is_zero(o->normals + 3 * i, 3)) && (!o->tangents || is_zero(o->tangents + 6 * i, 6));
        }
    for (int64_t i = 0; i < o->r.n; i++)
        if (!o->is[i])
            fail_msg("%s level %d: row %lld of [%lld, %lld), each %d, with%s normals, with%s tangents: nothing there "
                     "makes that",
                     launch_case(), c->s.level, (long long)(o->r.first + i), (long long)o->r.first,
                     (long long)(o->r.first + o->r.n), o->r.each, o->normals ? "" : "out", o->tangents ? "" : "out");
}

/* Each row by itself, on a CPU; made NULL: of all rows. */
static void check_alone(const struct table_normals_args *a, const struct made *o, const unsigned char *made)
{
    float normal[3], tangents[6];
    struct table_normals_args one = *a;
    one.rows.to = o->normals ? normal : NULL;
    one.tangents = o->tangents ? tangents : NULL;
    for (int64_t i = 0; i < o->r.n && strcmp(test_backend(), "cpu") == 0; i++) {
        one.rows.first = o->r.first + i;
        if (made && !made[i])
            continue;
        sdd_table_put_row(&one, 0);
        if ((o->normals && memcmp(normal, o->normals + 3 * i, sizeof normal) != 0) ||
            (o->tangents && memcmp(tangents, o->tangents + 6 * i, sizeof tangents) != 0))
            fail_msg("%s: row %lld of [%lld, %lld), each %d, by itself has other bits", launch_case(),
                     (long long)(o->r.first + i), (long long)o->r.first, (long long)(o->r.first + o->r.n), o->r.each);
    }
}

/* The same of rows of 16 bits. */
static void check_alone_oct16(const struct table_normals_args *a, const struct row_range *r,
                              const struct sdd_u16x2 *got, const unsigned char *made)
{
    struct table_normals_args one = *a;
    float row[3]; /* the first holds two of 16 bits */
    one.rows.to = row, one.tangents = NULL;
    for (int64_t i = 0; i < r->n && strcmp(test_backend(), "cpu") == 0; i++) {
        one.rows.first = r->first + i;
        if (made && !made[i])
            continue;
        sdd_table_put_row(&one, 0);
        assert_memory_equal(row, got + i, sizeof *row);
    }
}

static struct table_normals_args upload(const struct tables *c)
{
    const struct pieces *s = &c->s;
    struct table_normals_args a = {.rows = {.mesh = wild_upload(&s->k, 1)}};
    a.rows.pieces = pieces_upload(s, &a.rows.mesh, 1);
    a.slope = pieces_give(s, c->slope, a.slopes), a.t1 = a.rows.pieces.table;
    a.t2 = launch_in(c->t2, s->n_table, 4), a.shared = launch_in(c->shared, MOST_CLASSES, 4);
    return a;
}

/* Of meshes that are not manifold a row may have been dealt to another piece than it is looked up in: not of those. */
static void drop_moved(const struct tables *c, const struct sdd_control *m, unsigned char *made)
{
    const struct pieces *s = &c->s;
    for (int64_t i = 0; i < grid_n_vertices(&s->g, s->level) && strcmp(test_backend(), "cpu") == 0; i++) {
        struct sdd_row_location at = sdd_row_location_of(m, s->level, (uint32_t)i);
        if (!made[i] || at.corner == SDD_NONE)
            continue;
        uint32_t piece = c->s.location[at.corner], k = piece & ~SDD_TABLE_OTHER;
        n_made++;
        made[i] = pieces_makes((piece & SDD_TABLE_OTHER ? s->other : s->regular)[k].owns, s->side - 1, at.x, at.y) != 0;
        n_alone += made[i];
    }
}

/* Piece by piece: rows that no piece makes, which are left alone, are not looked at. */
static void check_pieces(const struct tables *c)
{
    const struct pieces *s = &c->s;
    struct table_normals_args a = upload(c);
    int64_t n = grid_n_vertices(&s->g, s->level), items = sdd_table_items(&a.rows.pieces);
    struct made o = {.r = {.n = n, .items = items, .each = (int32_t)((n + items - 1) / items)}};
    unsigned char *made = pieces_made(s);
    float *to = launch_out(n, 3 * sizeof *to);
    a.rows.to = a.rows.pieces.to = to, a.rows.n = n, a.rows.each = o.r.each, a.by_pieces = 1;
    LAUNCH(table_normals, &a, items);
    const struct quantised q = quantised_begin(SDD_ROWS_OCT16, n);
    struct table_normals_oct16_args oct16 = {a};
    oct16.base.rows.to = oct16.base.rows.pieces.to = q.to;
    oct16.base.rows.pieces.as = q.as;
    LAUNCH(table_normals_oct16, &oct16, items);
    o.normals = launch_got(to), o.is = xalloc(n, 1);
    for (int64_t i = 0; i < n; i++)
        o.is[i] = !made[i];
    check_made(c, &o);
    quantised_check(&q, o.normals, n);
    drop_moved(c, &a.rows.mesh, made);
    check_alone(&a, &o, made);
    check_alone_oct16(&oct16.base, &o.r, launch_got(q.to), made);
    free(o.is), free(made);
    launch_end();
}

static void check_range(const struct tables *c)
{
    const struct pieces *s = &c->s;
    int want = 1 + random_below(&pieces_seed, 3); /* normals, tangents, both */
    struct made o = {.normals = NULL};
    struct table_normals_args a = upload(c);
    row_range_init(&o.r, &s->g, s->level, INT32_MAX, &pieces_seed);
    a.rows.first = o.r.first, a.rows.n = o.r.n, a.rows.each = o.r.each;
    a.rows.to = want & 1 ? o.r.to : NULL;
    float *out = want & 2 ? launch_out(o.r.n, 6 * sizeof *out) : NULL;
    a.tangents = out;
    LAUNCH(table_normals, &a, o.r.items);
    struct quantised q;
    struct table_normals_args oct16 = a;
    if (want & 1) { /* beside tangents too */
        q = quantised_begin(SDD_ROWS_OCT16, o.r.n);
        oct16.rows.to = q.to;
        oct16.rows.pieces.as = q.as;
        oct16.tangents = out ? launch_out(o.r.n, 6 * sizeof *out) : NULL;
        LAUNCH(table_normals, &oct16, o.r.items);
    }
    row_range_got(&o.r);
    o.normals = want & 1 ? o.r.got : NULL;
    o.tangents = want & 2 ? launch_got(out) : NULL;
    o.is = xalloc(o.r.n, 1);
    check_made(c, &o);
    check_alone(&a, &o, NULL);
    if (want & 1) {
        quantised_check(&q, o.normals, o.r.n);
        check_alone_oct16(&oct16, &o.r, launch_got(q.to), NULL);
    }
    if (want == 3)
        launch_same(oct16.tangents, o.tangents, "tangents");
    free(o.is);
    free(o.r.is);
    launch_end();
}

/* Flags at random, but not where a bicubic piece has a part. */
static void flag_shared(struct tables *c)
{
    const struct brute *b = &c->s.k.b;
    for (int k = 0; k < MOST_CLASSES; k++)
        c->shared[k] = (uint32_t)random_below(&pieces_seed, 4);
    for (int64_t i = 0; i < c->s.n_other; i++)
        for (int64_t j = 0; j < c->s.n_regular; j++)
            for (int third = 0; third < 2; third++)
                if (meets(b, c->s.other[i].corner, c->s.regular[j].corner, third))
                    c->shared[class_of(&c->s, i)] &= ~(1u << third);
}

/* Some meshes are small, large or far away. */
static void place(struct pieces *s)
{
    double size = ldexp(1, random_below(&pieces_seed, 2) * (random_below(&pieces_seed, 61) - 30));
    double away = random_below(&pieces_seed, 3) ? 0 : 100 * size;
    for (int64_t i = 0; i < 4 * s->n_from; i++)
        s->from[i] = (float)((double)s->from[i] * size + away);
    for (int64_t i = 0; i < 3 * s->k.b.V; i++)
        s->control[i] = (float)((double)s->control[i] * size + away);
}

static void check(const struct poly *p)
{
    static unsigned turn;
    struct tables c;
    pieces_init(&c.s, p, 1 + (int)(turn % MOST_LEVEL), 3, 0);
    pieces_deal_all(&c.s, turn++ / MOST_LEVEL % 2 ? random_below(&pieces_seed, 9) : 0);
    pieces_cut(&c.s);
    place(&c.s);
    c.s.table = pieces_floats(c.s.n_table);
    c.t2 = pieces_floats(c.s.n_table);
    pieces_weights(&c.s, 0, c.slope);
    flag_shared(&c);
    for (int i = 0; i < 4; i++)
        check_range(&c);
    check_pieces(&c);
    free(c.t2);
    pieces_fini(&c.s);
}

static void test_normals(void **state)
{
    (void)state;
    poly_each(90, 100, check);
    soup_each(90, 60, check);
    int64_t sum = 0;
    for (int level = 2; level <= MOST_LEVEL; level++)
        for (int i = 0; i < 6; i++) {
            assert_true(n_seen[level][i / 2][i % 2] > 40);
            sum += n_seen[level][i / 2][i % 2];
        }
    assert_true(n_shared[0] > 200 && n_shared[1] > 200 && n_nothing > 20);
    assert_true(20 * n_hidden < sum);
    assert_true(10 * n_alone >= 9 * n_made && (n_alone > 100000 || strcmp(test_backend(), "cpu") != 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_normals)};
    return LAUNCH_GROUP("tabulated normals", tests);
}
