/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle of table_keys, table_kinds, table_update_kinds, table_describe and table_columns: the fan around each corner's
 * vertex is found by trying all corners, and the rows of level 1 are read off its explicit quads. Grid rows come from
 * the grid order in words (tests/oracle/refined.h). What the pieces then make: test_points.c. */
#include "gpu/engines/tabulated/kernels/table_columns.k.h"
#include "gpu/engines/tabulated/kernels/table_describe.k.h"
#include "gpu/engines/tabulated/kernels/table_kinds.k.h"
#include "gpu/engines/tabulated/kernels/table_update_kinds.k.h"
#include "tests/kernels/launch.h"
#include "tests/kernels/loop.h"
#include "tests/kernels/tabulated/table_around.h"
#include <stdlib.h>
#include <string.h>

enum { MOST = MOST_OF_FAN, MOST_COLUMNS = 4 * MOST + 1 };

static uint64_t seed = 20240607;

/* Memory of the mesh that is being checked. */
static void *owned[96];
static int n_owned;

static void *own(int64_t n, size_t item)
{
    assert_true(n_owned < 96);
    return owned[n_owned++] = xalloc(n, item);
}

static void drop(void)
{
    while (n_owned > 0)
        free(owned[--n_owned]);
}

/* The numbers 0 .. n - 1 in any order. */
static uint32_t *shuffled(int64_t n)
{
    uint32_t *list = own(n, 4);
    for (int64_t i = 0; i < n; i++) {
        int32_t k = random_below(&seed, i + 1);
        list[i] = list[k];
        list[k] = (uint32_t)i;
    }
    return list;
}

/* ---- what surrounds a quad of level 1 -------------------------------------------------------------------------- */
struct around {
    int32_t n_words, n_columns, regular; /* no words: no table */
    int32_t smooth, end, regular_quad;   /* as table_regular.h has them; end: of a boundary */
    float words[MOST + 7];               /* n, k, open, own, the vertex, several, the edges of the fan */
    uint32_t columns[MOST_COLUMNS];
};

struct oracle {
    struct wild_case k;
    struct fans fans;
    uint32_t (*quad)[4];   /* [C] rows of the corners of each quad of level 1 */
    struct around *around; /* [C] */
};

/* In the order of table_class.h. */
static void find_columns(const struct oracle *o, uint32_t c, const struct fan *f, struct around *a)
{
    const struct brute *b = &o->k.b;
    int32_t n = 0, size = (int32_t)a->words[1];
    a->columns[n++] = o->quad[c][0];
    for (int32_t i = 0; i < f->n; i++)
        a->columns[n++] = o->quad[f->quad[i]][1];
    if (f->open)
        a->columns[n++] = o->quad[f->quad[f->n - 1]][3];
    for (int32_t i = 0; i < f->n; i++)
        a->columns[n++] = o->quad[f->quad[i]][2];
    uint32_t d = c;
    for (int32_t i = 1; i < size; i++) {
        d = b->next[d];
        a->columns[n++] = o->quad[d][0];
        if (i < size - 1)
            a->columns[n++] = o->quad[d][1];
    }
    if (!f->open || f->own > 0)
        a->columns[n++] = o->quad[o->fans.mate[c]][3];
    if (!f->open || f->own < f->n - 1)
        a->columns[n++] = o->quad[b->next[o->fans.mate[d]]][1];
    assert_true(n <= MOST_COLUMNS);
    a->n_columns = n;
}

/* Of a vertex in four faces: are they quads, and is nothing sharp on the control mesh? */
static int is_smooth(const struct oracle *o, uint32_t c, const struct fan *f)
{
    const struct brute *b = &o->k.b;
    int smooth = o->k.o.vert_sharp[b->vert[c]] <= 0;
    for (int32_t i = 0; i < f->n; i++) {
        uint32_t q = f->quad[i], face = b->face[q];
        smooth = smooth && b->end[face] - (face ? b->end[face - 1] : 0) == 4 && o->k.o.edge_sharp[o->k.o.edge[q]] <= 0;
    }
    return smooth;
}

/* Of a vertex on a boundary: is it in two quads with nothing sharp between them, or in one, and sharp? */
static int is_smooth_end(const struct oracle *o, uint32_t c, const struct fan *f)
{
    const struct brute *b = &o->k.b;
    const uint32_t v = b->vert[c];
    for (int32_t i = 0; i < f->n; i++) {
        uint32_t face = b->face[f->quad[i]];
        if (b->end[face] - (face ? b->end[face - 1] : 0) != 4)
            return 0;
    }
    if (!f->open || f->n > 2 || (int)b->valence[v] != f->n)
        return 0;
    return f->n == 1 ? o->k.o.vert_sharp[v] >= 10
                     : o->k.o.vert_sharp[v] <= 0 && o->k.o.edge_sharp[o->k.o.edge[f->quad[1]]] <= 0;
}

static void oracle_init(struct oracle *o, const struct poly *p)
{
    wild_case_init(&o->k, p, 0);
    const struct brute *b = &o->k.b;
    uint32_t faces = (uint32_t)b->V, edges = faces + (uint32_t)b->F;
    struct fan f = {.quad = own(b->C, 4)};
    o->quad = own(b->C, sizeof *o->quad), o->around = own(b->C, sizeof *o->around);
    for (uint32_t c = 0; c < b->C; c++) {
        const uint32_t quad[4] = {b->vert[c], edges + o->k.o.edge[c], faces + b->face[c],
                                  edges + o->k.o.edge[b->prev[c]]};
        memcpy(o->quad[c], quad, sizeof quad);
    }
    fans_init(&o->fans, &o->k);
    for (uint32_t c = 0; c < b->C; c++) {
        struct around *a = o->around + c;
        fan_find(&o->fans, c, &f);
        a->n_words = fan_words(&o->fans, c, &f, a->words);
        a->regular = a->n_words == 10 && a->words[0] == 4 && a->words[1] == 4;
        for (int32_t i = 4; i < 10; i++)
            a->regular = a->regular && a->words[i] == 0;
        a->smooth = a->regular && is_smooth(o, c, &f);
        a->end = is_smooth_end(o, c, &f);
        if (a->n_words)
            find_columns(o, c, &f, a);
    }
    for (uint32_t c = 0; c < b->C; c++) {
        int regular_quad = 1;
        for (uint32_t k = 0, q = c; k < 4; k++, q = b->next[q])
            regular_quad = regular_quad && (o->around[q].smooth || o->around[q].end);
        o->around[c].regular_quad = regular_quad;
    }
}

/* Do the faces of its vertex, which does not stay, have more than 128 corners? Those of more than 32 have no table. */
static int is_crowded(const struct oracle *o, uint32_t c)
{
    const struct brute *b = &o->k.b;
    int64_t n = 0;
    for (uint32_t d = 0; d < b->C; d++) {
        int64_t face = b->face[d], size = b->end[face] - (face ? b->end[face - 1] : 0);
        n += b->vert[d] == b->vert[c] && size <= 32 ? size : 0;
    }
    return n > 128 && o->k.o.vert_sharp[b->vert[c]] < 10;
}

static int same_words(const struct around *a, const struct around *b)
{
    return a->n_words == b->n_words && memcmp(a->words, b->words, (size_t)a->n_words * 4) == 0;
}

/* ---- keys and words -------------------------------------------------------------------------------------------- */
static int64_t n_regular, n_regular_quads, n_ends[2], n_half_smooth, n_closed[MOST + 1], n_open[MOST + 1],
    n_sizes[MOST + 1], n_semisharp, n_without, n_one_of_fans;

static void check_keys(const struct oracle *o, const struct sdd_control *m)
{
    const int64_t C = o->k.b.C;
    uint32_t zero = 0, none = 0;
    struct table_keys_args a = {*m, launch_out(C, 8), launch_out(C, 4), launch_out(C, 4), launch_inout(&zero, 1, 4)};
    LAUNCH(table_keys, &a, C);
    const uint64_t *key = launch_got(a.key);
    int32_t *kind = own(C, 4), *irregular = own(C, 4), *regular_quad = own(C, 4), *other_bicubic = own(C, 4);
    for (int64_t c = 0; c < C; c++) {
        const struct around *x = o->around + c;
        kind[c] = x->regular_quad ? 2 : x->regular + x->smooth, irregular[c] = !x->regular && !x->regular_quad;
        regular_quad[c] = x->regular_quad, other_bicubic[c] = x->regular && !x->regular_quad;
        none |= (uint32_t)(x->n_words == 0 || is_crowded(o, (uint32_t)c));
        if ((key[c] == 0) == irregular[c])
            fail_msg("%s: the key of corner %d is %llx", launch_case(), (int)c, (unsigned long long)key[c]);
        for (int64_t d = 0; d < c; d++)
            if (x->n_words && o->around[d].n_words && irregular[c] && irregular[d] &&
                same_words(x, o->around + d) != (key[c] == key[d]))
                fail_msg("%s: the keys of corners %d and %d", launch_case(), (int)c, (int)d);
    }
    struct table_kinds_args kinds = {m->faces, a.kind, launch_out(C, 4), launch_out(C, 4)};
    LAUNCH(table_kinds, &kinds, C);
    launch_same(a.kind, kind, "kind");
    launch_same(kinds.regular_quad, regular_quad, "regular_quad");
    launch_same(kinds.other_bicubic, other_bicubic, "other_bicubic");
    launch_same(a.irregular, irregular, "irregular");
    launch_same(a.none, &none, "none");
}

/* The same of some corners, in any order. */
static void check_update_kinds(const struct oracle *o, const struct sdd_control *m)
{
    const int64_t C = o->k.b.C, n = 1 + random_below(&seed, C);
    uint32_t zero = 0, none = 0, *corner = shuffled(C), *list = own(n, 4);
    uint64_t *key = own(n, 8);
    struct table_keys_args all = {*m, launch_out(C, 8), launch_out(C, 4), launch_out(C, 4), launch_inout(&zero, 1, 4)};
    LAUNCH(table_keys, &all, C);
    const uint64_t *keys = launch_got(all.key);
    (void)launch_got(all.irregular), (void)launch_got(all.kind), (void)launch_got(all.none);
    for (int64_t i = 0; i < n; i++) {
        const struct around *x = o->around + corner[i];
        list[i] = x->regular_quad ? SDD_TABLE_IN_QUADS : x->regular ? SDD_TABLE_IN_BICUBIC : SDD_TABLE_IN_OTHERS;
        key[i] = list[i] == SDD_TABLE_IN_OTHERS ? keys[corner[i]] : 0;
        none |= list[i] == SDD_TABLE_IN_OTHERS && (x->n_words == 0 || is_crowded(o, corner[i]));
    }
    struct table_update_kinds_args a = {*m, launch_in(corner, n, 4), launch_out(n, 8), launch_out(n, 4),
                                        launch_inout(&zero, 1, 4)};
    LAUNCH(table_update_kinds, &a, n);
    launch_same(a.list, list, "list");
    launch_same(a.key, key, "key");
    launch_same(a.none, &none, "none");
}

static void check_words(const struct oracle *o, const struct sdd_control *m)
{
    const int64_t C = o->k.b.C, n = 2 * C;
    uint32_t *piece = shuffled(C), *head = own(n, 4);
    for (int64_t i = 0; i < n; i++)
        head[i] = (uint32_t)random_below(&seed, C);
    struct table_describe_args a = {*m, launch_in(head, n, 4), launch_in(piece, C, 4),
                                    launch_out(n, sizeof(float[SDD_TABLE_WORDS]))};
    LAUNCH(table_describe, &a, n);
    float *want = xalloc(n, sizeof(float[SDD_TABLE_WORDS]));
    for (int64_t i = 0; i < n; i++) {
        const struct around *x = o->around + piece[head[i]];
        want[SDD_TABLE_WORDS * i + SDD_TABLE_WORDS - 1] = (float)x->n_words;
        memcpy(want + SDD_TABLE_WORDS * i, x->words, (size_t)x->n_words * 4);
    }
    launch_same(a.words, want, "words");
    free(want);
}

static void count_kinds(const struct oracle *o)
{
    for (int64_t c = 0; c < o->k.b.C; c++) {
        const struct around *x = o->around + c;
        const float *w = x->words;
        n_regular += x->regular;
        n_regular_quads += x->regular_quad;
        n_ends[w[0] > 1] += x->regular_quad && x->end;
        n_half_smooth += x->smooth && !x->regular_quad;
        n_without += x->n_words == 0;
        if (x->n_words == 0)
            continue;
        (w[2] > 0 ? n_open : n_closed)[(int)w[0]]++;
        n_sizes[(int)w[1]]++;
        n_one_of_fans += (float)o->k.b.valence[o->k.b.vert[c]] != w[0];
        for (int32_t i = 4; i < x->n_words; i += i == 4 ? 2 : 1)
            n_semisharp += w[i] > 0 && w[i] < 10;
    }
}

/* ---- columns and what pieces make ------------------------------------------------------------------------------ */
/* By table_ring_quad.h's words: does a piece make point (x, y) of its grid, of m x m cells? */
static int makes(uint32_t owns, int64_t m, int64_t x, int64_t y)
{
    if (y == 0)
        return (owns & (x == 0 ? SDD_TABLE_VERTEX : x == m ? SDD_TABLE_EDGE : SDD_TABLE_BOTTOM)) != 0;
    if (y == m)
        return x == m && (owns & SDD_TABLE_FACE); /* the side is made by the next quad of the face, its x = m */
    return x > 0 || (owns & SDD_TABLE_LEFT);
}

/* owns: [C]. Each point has one piece that makes it; isolated vertices have none. */
static void check_owns(const struct oracle *o, const uint32_t *owns)
{
    struct grid g;
    grid_init(&g, &o->k.p->desc);
    for (int level = 1; level <= 3; level++) {
        int64_t m = 1 << (level - 1), n = grid_n_vertices(&g, level);
        unsigned char *made = own(n, 1);
        for (int64_t c = 0; c < o->k.b.C; c++)
            for (int64_t at = 0; at < (m + 1) * (m + 1); at++)
                if (makes(owns[c], m, at % (m + 1), at / (m + 1)))
                    made[grid_vertex(&g, level, c, at % (m + 1), at / (m + 1))]++;
        for (int64_t row = 0; row < n; row++)
            if (made[row] != (row >= o->k.b.V || o->k.b.valence[row] > 0))
                fail_msg("%s level %d: %d pieces make row %d", launch_case(), level, made[row], (int)row);
    }
    grid_fini(&g);
}

/* The face of a corner, from it; the next corner of a face of another size is its own first one again. */
static void control_quad(const struct oracle *o, uint32_t c, uint32_t *ring)
{
    for (int i = 0; i < 4; i++, c = o->k.b.next[c])
        ring[i] = o->k.b.vert[c];
}

/* The 4 x 4 points around a regular quad: their nine cells are quads of level 1, or of the control mesh; those beyond
 * its open sides, bit 0 the one from the corner, are none. */
static void check_square(const struct oracle *o, uint32_t corner, int regular_quad, uint32_t open,
                         const uint32_t *column)
{
    uint32_t middle[4];
    memcpy(middle, o->quad[corner], sizeof middle);
    if (regular_quad)
        control_quad(o, corner, middle);
    for (int k = 0; k < SDD_TABLE_REGULAR && regular_quad; k++)
        assert_true(column[k] < o->k.b.V);
    for (int cell = 0; cell < 9; cell++) {
        if ((cell < 3 && (open & 1)) || (cell % 3 == 2 && (open & 2)) || (cell > 5 && (open & 4)) ||
            (cell % 3 == 0 && (open & 8)))
            continue;
        const uint32_t *p = column + 4 * (cell / 3) + cell % 3, ring[4] = {p[0], p[1], p[5], p[4]};
        int found = 0;
        for (int64_t i = 0; i < 4 * o->k.b.C && !found; i++) {
            const uint32_t *q = o->quad[i / 4];
            uint32_t turned[4] = {q[i % 4], q[(i + 1) % 4], q[(i + 2) % 4], q[(i + 3) % 4]};
            if (regular_quad)
                control_quad(o, (uint32_t)(i / 4), turned);
            found = memcmp(turned, ring, sizeof ring) == 0;
        }
        if (!found || (cell == 4 && memcmp(ring, middle, sizeof ring) != 0))
            fail_msg("%s: corner %u: cell %d is no quad, or another", launch_case(), corner, cell);
    }
}

static void check_quad(const struct oracle *o, uint32_t c, const struct sdd_table_quad *got)
{
    const struct brute *b = &o->k.b;
    const uint32_t *quad = o->quad[c], turned = b->vert[c] > b->vert[b->next[c]];
    if (got->corner != c || got->edge != quad[1] || got->face != quad[2] ||
        (got->owns & SDD_TABLE_TURNED) != turned * SDD_TABLE_TURNED)
        fail_msg("%s: corner %u: its piece is another's", launch_case(), c);
}

/* The pieces of a list in any order, at their rows of it. */
static void check_some(const struct table_columns_args *all, const uint32_t *piece, int64_t n, int64_t n_rows)
{
    uint32_t *at = shuffled(n), *some = own(n, 4), *read = own(n_rows, 4);
    for (int64_t i = 0; i < n; i++)
        some[i] = piece[at[i]];
    struct table_columns_args a = *all;
    a.piece = launch_in(some, n, 4);
    a.at = launch_in(at, n, 4);
    a.quad = launch_out(n, sizeof *a.quad);
    a.column = launch_out(n, 4 * SDD_TABLE_REGULAR);
    a.read = launch_inout(read, n_rows, 4);
    LAUNCH(table_columns, &a, n);
    launch_same(a.quad, launch_got(all->quad), "pieces at their rows");
    launch_same(a.column, launch_got(all->column), "columns of pieces at their rows");
    launch_same(a.read, launch_got(all->read), "what pieces at their rows read");
}

/* Result: how many there are. */
static int64_t check_regular(const struct oracle *o, const struct sdd_control *m, uint32_t *owns)
{
    const struct brute *b = &o->k.b;
    int64_t n = 0, n_first = 0, n_rows = b->V + b->F + o->k.o.E;
    uint32_t *any = shuffled(b->C), *piece = own(b->C, 4), *read = own(n_rows, 4);
    for (int half = 0; half < 2; half++, n_first = half == 1 ? n : n_first)
        for (int64_t i = 0; i < b->C; i++)
            if ((o->around[any[i]].regular || !half) && o->around[any[i]].regular_quad == !half)
                piece[n++] = any[i];
    struct table_columns_args a = {.mesh = *m,
                                   .piece = launch_in(piece, n, 4),
                                   .n_regular_quads = n_first,
                                   .quad = launch_out(n, sizeof *a.quad),
                                   .column = launch_out(n, 4 * SDD_TABLE_REGULAR),
                                   .read = launch_inout(read, n_rows, 4)};
    LAUNCH(table_columns, &a, n);
    const struct sdd_table_quad *got = launch_got(a.quad);
    const uint32_t *column = launch_got(a.column);
    for (int64_t i = 0; i < n; i++) {
        const uint32_t c = piece[i];
        owns[c] = got[i].owns & ((1u << SDD_TABLE_OPEN) - 1);
        check_quad(o, c, got + i);
        uint32_t open = 0, q = c;
        for (int side = 0; side < 4 && i < n_first; side++, q = b->next[q])
            open |= (uint32_t)(o->fans.mate[q] == BRUTE_NONE) << side;
        assert_int_equal(got[i].owns >> SDD_TABLE_OPEN, open);
        check_square(o, c, i < n_first, open, column + SDD_TABLE_REGULAR * i);
        for (int k = 0; k < SDD_TABLE_REGULAR && i >= n_first; k++)
            read[column[SDD_TABLE_REGULAR * i + k]] = 1;
    }
    launch_same(a.read, read, "what is read");
    check_some(&a, piece, n, n_rows);
    return n;
}

/* Pieces that are not regular, class by class. */
struct classes {
    int64_t n, n_pieces, n_column;
    uint32_t *piece, *column; /* column: as it is to be, from poison */
    int32_t *rank;
    struct sdd_table_table *table;
    float *words; /* [n][SDD_TABLE_WORDS] */
};

static void classes_of(const struct oracle *o, struct classes *k)
{
    const int64_t C = o->k.b.C;
    const uint32_t *any = shuffled(C);
    unsigned char *done = own(C, 1);
    *k = (struct classes){.piece = own(C, 4), .rank = own(C, 4)};
    k->table = own(C, sizeof *k->table), k->words = own(C, sizeof(float[SDD_TABLE_WORDS]));
    k->column = poisoned(C * (MOST_COLUMNS + 1), 4);
    owned[n_owned++] = k->column;
    for (int64_t i = 0; i < C; i++) {
        const struct around *x = o->around + any[i];
        if (done[any[i]] || x->regular || x->regular_quad || x->n_words == 0)
            continue;
        float *words = k->words + SDD_TABLE_WORDS * k->n;
        k->table[k->n++] = (struct sdd_table_table){k->n_pieces, k->n_column, -1, x->n_columns};
        memcpy(words, x->words, (size_t)x->n_words * 4);
        words[SDD_TABLE_WORDS - 1] = (float)x->n_words;
        for (int64_t j = i; j < C; j++)
            if (!o->around[any[j]].regular_quad && same_words(x, o->around + any[j])) {
                done[any[j]] = 1;
                memcpy(k->column + k->n_column, o->around[any[j]].columns, (size_t)x->n_columns * 4);
                k->n_column += x->n_columns;
                k->rank[k->n_pieces] = (int32_t)k->n;
                k->piece[k->n_pieces++] = any[j];
            }
        k->n_column += random_below(&seed, 2);
    }
}

/* spoilt: a class that gets other words than its pieces have; -1: none. */
static void check_classes(const struct oracle *o, const struct sdd_control *m, struct classes *k, int64_t spoilt,
                          uint32_t *owns)
{
    const int64_t n_rows = (int64_t)m->n_vertices + m->n_faces + m->n_edges;
    uint32_t wrong = spoilt >= 0, zero = 0, *read = own(n_rows, 4);
    if (spoilt >= 0) {
        const struct sdd_table_table *t = k->table + spoilt;
        float *words = k->words + SDD_TABLE_WORDS * spoilt;
        int32_t at = random_below(&seed, (int64_t)words[SDD_TABLE_WORDS - 1] + 1);
        words[at == (int32_t)words[SDD_TABLE_WORDS - 1] ? SDD_TABLE_WORDS - 1 : at] += 1;
        for (int64_t i = t->first; i < k->n_pieces && k->rank[i] == spoilt + 1; i++)
            memset(k->column + t->column + (i - t->first) * t->n_columns, LAUNCH_POISON, (size_t)t->n_columns * 4);
    }
    struct table_columns_args a = {.mesh = *m,
                                   .piece = launch_in(k->piece, k->n_pieces, 4),
                                   .rank = launch_in(k->rank, k->n_pieces, 4),
                                   .classes = launch_in(k->table, k->n, sizeof *k->table),
                                   .words = launch_in(k->words, k->n, sizeof(float[SDD_TABLE_WORDS])),
                                   .quad = launch_out(k->n_pieces, sizeof *a.quad),
                                   .column = launch_out(k->n_column, 4),
                                   .wrong = launch_inout(&zero, 1, 4),
                                   .read = launch_inout(read, n_rows, 4)};
    LAUNCH(table_columns, &a, k->n_pieces);
    for (int64_t i = 0; i < k->n_pieces; i++) {
        const struct sdd_table_table *t = k->table + (k->rank[i] - 1);
        for (int64_t j = 0; j < t->n_columns && k->rank[i] != spoilt + 1; j++)
            read[k->column[t->column + (i - t->first) * t->n_columns + j]] = 1;
    }
    launch_same(a.read, read, "what is read");
    launch_same(a.wrong, &wrong, "wrong");
    launch_same(a.column, k->column, "columns");
    const struct sdd_table_quad *got = launch_got(a.quad);
    for (int64_t i = 0; i < k->n_pieces; i++) {
        owns[k->piece[i]] = got[i].owns & ((1u << SDD_TABLE_CLASS) - 1);
        assert_int_equal(got[i].owns >> SDD_TABLE_CLASS, k->rank[i] - 1);
        check_quad(o, k->piece[i], got + i);
    }
}

/* ---- all of it, on meshes -------------------------------------------------------------------------------------- */
static void check(const struct poly *of)
{
    struct poly p = *of;
    struct oracle o;
    struct classes k;
    p.desc.options.scheme = SDD_SCHEME_CATMULL_CLARK;
    oracle_init(&o, &p);
    count_kinds(&o);
    classes_of(&o, &k);
    for (int no_arrays = 0; no_arrays < 2; no_arrays++) {
        uint32_t *owns = own(o.k.b.C, 4);
        const struct sdd_control m = wild_upload(&o.k, no_arrays);
        check_keys(&o, &m);
        check_words(&o, &m);
        int64_t n = check_regular(&o, &m, owns) + k.n_pieces;
        check_classes(&o, &m, &k, -1, owns);
        if (n == o.k.b.C)
            check_owns(&o, owns);
        if (no_arrays && k.n > 0)
            check_classes(&o, &m, &k, random_below(&seed, k.n), owns);
        launch_end();
        const struct sdd_control again = wild_upload(&o.k, no_arrays);
        check_update_kinds(&o, &again);
        launch_end();
    }
    fans_fini(&o.fans);
    wild_case_fini(&o.k);
    drop();
}

static void test_shapes(void **state)
{
    (void)state;
    poly_each(60, 400, check);
    for (int n = 3; n <= 7; n++)
        assert_true(n_closed[n] > 100 && n_open[n] > 20 && n_sizes[n] > 100);
    assert_true(n_regular_quads > 1000 && n_ends[0] > 50 && n_ends[1] > 50 && n_half_smooth > 100 &&
                n_regular > n_regular_quads + 1000 && n_semisharp > 1000 && n_without > 100);
}

static void test_odd(void **state)
{
    (void)state;
    soup_each(100, 400, check);
    assert_true(n_one_of_fans > 100);
}

/* The largest fans and faces that have tables, and those beyond. */
static void test_limits(void **state)
{
    (void)state;
    for (int32_t n = MOST - 1; n <= MOST + 1; n++) {
        struct poly p;
        int64_t before = n_without;
        loop_valences(n, check);
        poly_discs(&p, &n, 1);
        launch_say("discs of %d", n);
        check(&p);
        poly_free(&p);
        assert_true((n_without > before) == (n > MOST));
    }
    assert_true(n_closed[MOST] > 0 && n_open[MOST] > 0 && n_sizes[MOST] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shapes), cmocka_unit_test(test_odd),
                                       cmocka_unit_test(test_limits)};
    return LAUNCH_GROUP("tabulated", tests);
}
