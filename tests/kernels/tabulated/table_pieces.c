/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernels/tabulated/table_pieces.h"
#include "gpu/engines/tabulated/kernels/table_points.k.h"
#include "gpu/engines/tabulated/kernels/table_locations.k.h"
#include "tests/kernels/launch.h"
#include <math.h>
#include <stdlib.h>

uint64_t pieces_seed = 977;

float *pieces_floats(int64_t n)
{
    float *p = xalloc(n, sizeof *p);
    for (int64_t i = 0; i < n; i++)
        p[i] = 2 * random_unit(&pieces_seed) - 1;
    return p;
}

uint32_t pieces_any_row(const struct pieces *s)
{
    return (uint32_t)random_below(&pieces_seed, s->n_from);
}

void pieces_init(struct pieces *s, const struct poly *p, int level, int n, int others)
{
    *s = (struct pieces){.level = level, .n = n, .side = (1 << (level - 1)) + 1};
    wild_case_init(&s->k, p, 0);
    grid_init(&s->g, &p->desc);
    s->stride = n + random_below(&pieces_seed, 2) * random_below(&pieces_seed, others + 1);
    s->offset = random_below(&pieces_seed, s->stride - n + 1);
    s->n_from = grid_n_vertices(&s->g, 1);
    s->wide = sdd_table_width(n).stride;
    s->from = pieces_floats(s->n_from * s->wide);
    int64_t C = s->k.b.C;
    s->control = pieces_floats(s->k.b.V * s->stride);
    s->regular = xalloc(C, sizeof *s->regular), s->regular_column = xalloc(C * SDD_TABLE_REGULAR, 4);
    s->other = xalloc(C, sizeof *s->other), s->runs = xalloc(C, sizeof *s->runs);
    pieces_weights(s, 1, s->basis);
}

void pieces_fini(struct pieces *s)
{
    free(s->control), free(s->from), free(s->regular), free(s->regular_column), free(s->other);
    free(s->runs), free(s->column), free(s->location), free(s->table);
    grid_fini(&s->g);
    wild_case_fini(&s->k);
}

static const struct {
    uint32_t bit;
    int x, y; /* of 2 x 2 cells */
} parts[] = {{SDD_TABLE_BOTTOM, 1, 0},
             {SDD_TABLE_VERTEX, 0, 0},
             {SDD_TABLE_EDGE, 2, 0},
             {SDD_TABLE_FACE, 2, 2},
             {SDD_TABLE_LEFT, 0, 1}};

/* Which of these parts of its grid does each corner make? The first that can; at its left what nobody has there. */
static uint32_t *owns_of(const struct pieces *s)
{
    uint32_t *owns = xalloc(s->k.b.C, 4);
    unsigned char *taken = xalloc(grid_n_vertices(&s->g, 2), 1);
    for (int left = 0; left < 2; left++)
        for (uint32_t c = 0; c < s->k.b.C; c++)
            for (int i = left ? 4 : 0; i < (left ? 5 : 4); i++) {
                unsigned char *at = taken + grid_vertex(&s->g, 2, c, parts[i].x, parts[i].y);
                owns[c] |= *at ? 0 : parts[i].bit;
                *at = 1;
            }
    free(taken);
    return owns;
}

struct sdd_table_quad pieces_quad(const struct pieces *s, uint32_t c, uint32_t owns)
{
    const struct brute *b = &s->k.b;
    const uint32_t turned = b->vert[c] > b->vert[b->next[c]] ? SDD_TABLE_TURNED : 0;
    return (struct sdd_table_quad){c, owns | turned, (uint32_t)(b->V + b->F) + s->k.o.edge[c],
                                   (uint32_t)b->V + b->face[c]};
}

int64_t pieces_slots(int64_t m)
{
    return m * m + m + 1;
}

/* The words of table_pieces.h: points that all make, then the vertex', the face's, and those at the left. Above, only
 * the face's is there. */
int64_t pieces_slot(int64_t m, int64_t x, int64_t y)
{
    int64_t inside = (m - 1) * (m - 1);
    if (x == 0)
        return y == 0 ? m * m : m * m + 2 + (y - 1);
    if (x == m && y == m)
        return m * m + 1;
    if (x == m && y > 0)
        return inside + (m - 1 - y);
    return y == 0 ? inside + (m - 1) + (x - 1) : (m - 1) * (y - 1) + (x - 1);
}

void pieces_deal_all(struct pieces *s, int regular_share)
{
    const struct brute *b = &s->k.b;
    uint32_t *owns = owns_of(s);
    for (uint32_t c = 0; c < b->C; c++) {
        if (pieces_deal(s, c, regular_share) && (owns[c] & SDD_TABLE_BOTTOM))
            s->regular[s->n_regular++] = pieces_quad(s, c, owns[c]);
        else
            s->other[s->n_other++] = pieces_quad(s, c, owns[c]);
    }
    free(owns);
    pieces_regular_quads(s);
}

unsigned char *pieces_made(const struct pieces *s)
{
    unsigned char *made = xalloc(grid_n_vertices(&s->g, s->level), 1);
    int64_t m = s->side - 1;
    for (int64_t i = 0; i < s->n_regular + s->n_other; i++) {
        const struct sdd_table_quad q = i < s->n_regular ? s->regular[i] : s->other[i - s->n_regular];
        for (int64_t at = 0; at < s->side * s->side; at++)
            if (pieces_makes(q.owns, m, at % s->side, at / s->side))
                made[grid_vertex(&s->g, s->level, q.corner, at % s->side, at / s->side)] = 1;
    }
    return made;
}

int pieces_makes(uint32_t owns, int64_t m, int64_t x, int64_t y)
{
    if (y == 0)
        return (owns & (x == 0 ? SDD_TABLE_VERTEX : x == m ? SDD_TABLE_EDGE : SDD_TABLE_BOTTOM)) != 0;
    if (y == m)
        return x == m && (owns & SDD_TABLE_FACE);
    return x > 0 || (owns & SDD_TABLE_LEFT);
}

int pieces_deal(struct pieces *s, uint32_t c, int regular_share)
{
    const struct brute *b = &s->k.b;
    if (c == 0 || b->face[c] != b->face[c - 1] || !random_below(&pieces_seed, 8))
        s->dealt = random_below(&pieces_seed, 8) < regular_share;
    return s->dealt;
}

/* Are the four bicubic pieces from i on those of a face? */
static int is_face(const struct pieces *s, int64_t i)
{
    const struct brute *b = &s->k.b;
    uint32_t c = s->regular[i].corner;
    if (i + 3 >= s->n_regular || s->regular[i + 3].corner != c + 3 || b->face[c + 3] != b->face[c])
        return 0;
    return (c == 0 || b->face[c - 1] != b->face[c]) && (c + 4 == b->C || b->face[c + 4] != b->face[c]);
}

/* The first of the list are those of some faces, whole quads. */
static void choose_regular_quads(struct pieces *s)
{
    struct sdd_table_quad *half = xalloc(s->n_regular + 1, sizeof *half);
    int64_t n_half = 0;
    s->n_regular_quads = 0;
    for (int64_t i = 0; i < s->n_regular; i++)
        if (is_face(s, i) && random_below(&pieces_seed, 8)) {
            memmove(s->regular + s->n_regular_quads, s->regular + i, 4 * sizeof *half);
            s->n_regular_quads += 4;
            i += 3;
        } else {
            half[n_half++] = s->regular[i];
        }
    memcpy(s->regular + s->n_regular_quads, half, (size_t)n_half * sizeof *half);
    free(half);
}

void pieces_regular_quads(struct pieces *s)
{
    choose_regular_quads(s);
    for (int64_t i = 0; i < s->n_regular_quads; i += 4) {
        const uint32_t open = random_below(&pieces_seed, 3) ? 0 : (uint32_t)random_below(&pieces_seed, 16);
        for (int side = 0; side < 4; side++)
            for (int turn = 0; turn < 4 && open >> side & 1; turn++)
                s->regular[i + turn].owns |= 1u << (SDD_TABLE_OPEN + (side + 4 - turn) % 4);
    }
    for (int64_t i = s->n_regular_quads; i < s->n_regular; i++)
        s->regular[i].owns &= ~(uint32_t)SDD_TABLE_LEFT;
    for (int64_t i = 0; i < s->n_regular; i++) {
        uint32_t *column = s->regular_column + SDD_TABLE_REGULAR * i;
        for (int k = 0; k < SDD_TABLE_REGULAR; k++)
            column[k] = i < s->n_regular_quads ? (uint32_t)random_below(&pieces_seed, s->k.b.V) : pieces_any_row(s);
        column[5] = s->k.b.vert[s->regular[i].corner];
    }
    for (int64_t i = 0; i < s->n_regular_quads;
         i += 4) { /* the others see what the first does, a quarter turn on each time */
        static const int corner[4] = {5, 6, 10, 9};
        uint32_t *column = s->regular_column + SDD_TABLE_REGULAR * i;
        for (int turn = 1; turn < 4; turn++)
            column[corner[turn]] = s->k.b.vert[s->regular[i + turn].corner];
        for (int turn = 1; turn < 4; turn++, column += SDD_TABLE_REGULAR)
            for (int k = 0; k < SDD_TABLE_REGULAR; k++)
                column[SDD_TABLE_REGULAR + 4 * (3 - k % 4) + k / 4] = column[k];
    }
}

static const float *column_floats(const struct pieces *s, int64_t piece, int k)
{
    size_t row = s->regular_column[SDD_TABLE_REGULAR * piece + k];
    return piece < s->n_regular_quads ? s->control + row * (size_t)s->stride + s->offset
                                      : s->from + row * (size_t)s->wide;
}

/* Of four points in a row, what makes the one at `at`: those that are there, where the row is open at its ends. */
static void line_weights(int at, int open_first, int open_last, double *w)
{
    for (int i = 0; i < 4; i++)
        w[i] = i == at;
    if (at == 0 && open_first)
        w[0] = 0, w[1] = 2, w[2] = -1;
    if (at == 3 && open_last)
        w[3] = 0, w[2] = 2, w[1] = -1;
}

struct pieces_point pieces_point(const struct pieces *s, int64_t piece, int k)
{
    const uint32_t open = s->regular[piece].owns >> SDD_TABLE_OPEN;
    struct pieces_point p = {{0}, {0}};
    double x[4], y[4];
    line_weights(k % 4, open & 8, open & 2, x);
    line_weights(k / 4, open & 1, open & 4, y);
    for (int j = 0; j < 16; j++)
        for (int i = 0; i < s->n; i++) {
            const double w = x[j % 4] * y[j / 4];
            if (w != 0)
                p.v[i] += w * (double)column_floats(s, piece, j)[i];
            if (w != 0 && w != 1)
                p.size[i] += fabs(w * (double)column_floats(s, piece, j)[i]);
        }
    return p;
}

const struct sdd_table_basis *pieces_table(const struct pieces *s, const struct sdd_table_basis *pair, int64_t piece)
{
    return piece < s->n_regular_quads ? pair + s->side : pair;
}

void pieces_weights(const struct pieces *s, float all, struct sdd_table_basis *pair)
{
    for (int64_t x = 0; x < 2 * s->side; x++) {
        float *w = pair[x].s;
        for (int i = 0; i < 4; i++)
            w[i] = (float)random_below(&pieces_seed, 2049) / 1024 - 1; /* sums of these are exact */
        w[1] = all - w[0] - w[2] - w[3];
    }
}

const struct sdd_table_basis *pieces_give(const struct pieces *s, const struct sdd_table_basis *pair,
                                          sdd_table_weights to)
{
    memset(to, LAUNCH_POISON, sizeof(sdd_table_weights));
    for (int k = 0; k < 2; k++)
        memcpy(to[k], pair + k * s->side, (size_t)s->side * sizeof *pair);
    return launch_in(pair, 2 * s->side, sizeof *pair);
}

static uint32_t *locations_of(const struct pieces *s)
{
    uint32_t *want = poisoned(s->k.b.C, 4);
    for (int64_t i = 0; i < s->n_regular; i++)
        want[s->regular[i].corner] = (uint32_t)i;
    for (int64_t i = 0; i < s->n_other; i++)
        want[s->other[i].corner] = (uint32_t)i | SDD_TABLE_OTHER;
    uint32_t *corner = xalloc(s->n_regular + s->n_other, 4), *others = corner + s->n_regular;
    for (int64_t i = 0; i < s->n_regular; i++)
        corner[i] = s->regular[i].corner;
    for (int64_t i = 0; i < s->n_other; i++)
        others[i] = s->other[i].corner;
    struct table_locations_args a = {launch_in(corner, s->n_regular, 4), launch_out(s->k.b.C, 4), 0, NULL};
    LAUNCH(table_locations, &a, s->n_regular);
    a.piece = launch_in(others, s->n_other, 4), a.kind = SDD_TABLE_OTHER;
    LAUNCH(table_locations, &a, s->n_other);
    launch_same(a.location, want, "location");
    launch_end();
    free(corner);
    return want;
}

void pieces_cut(struct pieces *s)
{
    int64_t at = 0, n_tables = 0;
    for (int k = 0; k < MOST_CLASSES; k++) {
        int64_t left = s->n_other - at, n = k == MOST_CLASSES - 1 ? left : random_below(&pieces_seed, left + 1);
        int32_t n_columns = random_below(&pieces_seed, 6) ? 1 + random_below(&pieces_seed, 40) : MOST_COLUMNS;
        s->tables[k] = (struct sdd_table_table){at, s->n_column, n_tables, n_columns};
        for (int64_t i = at; i < at + n; i++)
            s->other[i].owns |= (uint32_t)k << SDD_TABLE_CLASS;
        n_tables += n_columns;
        at += n;
        s->n_column += n * n_columns + random_below(&pieces_seed, 3);
    }
    for (int k = 0; k < MOST_CLASSES; k++) { /* the other way round */
        struct sdd_table_table *t = s->tables + k;
        const int64_t per_run = sdd_table_run_pieces(t->n_columns);
        t->table = n_tables - t->table - t->n_columns;
        at = k + 1 < MOST_CLASSES ? t[1].first : s->n_other;
        for (int64_t i = t->first; i < at; i += per_run)
            s->runs[s->n_runs++] = (struct sdd_table_run){
                t->column + (i - t->first) * t->n_columns,      t->table,    (uint32_t)i, (uint32_t)k,
                (int32_t)(at - i < per_run ? at - i : per_run), t->n_columns};
    }
    s->n_table = (n_tables + SDD_TABLE_TERMS - 1) * pieces_slots(s->side - 1); /* a GPU reads that many more */
    s->column = xalloc(s->n_column, 4);
    for (int64_t i = 0; i < s->n_column; i++)
        s->column[i] = pieces_any_row(s);
    s->location = locations_of(s);
}

/* Items in any order, or as they are listed. */
static const uint32_t *any_order(int64_t n)
{
    if (n == 0 || random_below(&pieces_seed, 2))
        return NULL;
    uint32_t *turn = xalloc(n, sizeof *turn);
    for (int64_t i = 0; i < n; i++) {
        int64_t k = random_below(&pieces_seed, i + 1);
        turn[i] = turn[k], turn[k] = (uint32_t)i;
    }
    const uint32_t *there = launch_in(turn, n, sizeof *turn);
    free(turn);
    return there;
}

struct table_points_args pieces_upload(const struct pieces *s, const struct sdd_control *m, int normals)
{
    struct table_points_args a = {
        .grid = {m->vert, m->edge, m->faces, m->n_vertices, m->n_faces, m->n_edges, m->n_corners, s->level},
        .control = (const float *)launch_in(s->control, s->k.b.V * s->stride, sizeof *s->control) + s->offset,
        .from = launch_in(s->from, s->n_from * s->wide, sizeof *s->from),
        .width = {s->n, s->stride},
        .regular = launch_in(s->regular, s->n_regular, sizeof *s->regular),
        .regular_column = launch_in(s->regular_column, s->n_regular, 4 * SDD_TABLE_REGULAR),
        .n_regular = s->n_regular,
        .n_regular_quads = s->n_regular_quads,
        .each = SDD_TABLE_ONCE(s->level) * (1 + random_below(&pieces_seed, 3)),
        .runs = launch_in(s->runs, s->n_runs, sizeof *s->runs),
        .tables = launch_in(s->tables, MOST_CLASSES, sizeof *s->tables),
        .table = launch_in(s->table, s->n_table, 4),
        .other = launch_in(s->other, s->n_other, sizeof *s->other),
        .column = launch_in(s->column, s->n_column, 4),
        .n_runs = s->n_runs,
        .location = launch_in(s->location, s->k.b.C, 4),
        .log_each = normals ? SDD_TABLE_LOG_NORMALS : SDD_TABLE_LOG_POINTS};
    a.basis = pieces_give(s, s->basis, a.weights);
    a.order = any_order(sdd_table_items(&a));
    return a;
}
