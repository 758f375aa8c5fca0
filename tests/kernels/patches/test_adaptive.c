/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle of adaptive_rows: over each mesh a random quadtree, whose cells are patches of random points with random
 * blocked edges, or at the last level no patch. Each patch is painted in the frame of its parent (sdd.h, patch_params),
 * with sums in double, and every row of a range must be what one of the patches there makes of it. Grid rows come from
 * the grid order in words (tests/oracle/refined.h). The tables have no meaning but the one symmetry that turned grids
 * rely on. */
#include "gpu/patches/kernels/adaptive_rows.tile.h"
#include "tests/env.h"
#include "tests/kernels/launch.h"
#include "tests/kernels/row_range.h"
#include "tests/kernels/wild.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LEVEL = 6, DEEPEST = 10, N_LOOSE = 300 }; /* points of patches, beside the control points */

static uint64_t seed = 6151;

struct cells { /* of a level */
    int64_t n, n_patches, first;
    uint64_t *key;
    uint32_t *patch; /* [n_patches] rows of `key`; at level 0 first corners of faces */
};

struct forest {
    struct wild_case k;
    struct grid g;
    int last;
    struct cells level[DEEPEST + 1];
    int64_t n_patches, n_rows, n_left, left_first, n_points;
    struct sdd_quad *patch, *param;
    struct sdd_table_basis *basis; /* one table after the other, of 2^j + 1 rows */
    uint64_t *left;
    int32_t *left_of; /* [n_rows] which of `left` the row is, if it is a corner of a cell that is no patch; else -1 */
    float *points;    /* control points, N_LOOSE, those of `left` */
};

static float random_coordinate(void)
{
    return 2 * random_unit(&seed) - 1;
}

static int is_quad(const struct forest *f, int64_t corner)
{
    int32_t face = f->g.corner_face[corner];
    return f->g.first[face + 1] - f->g.first[face] == 4;
}

/* ---- a quadtree ------------------------------------------------------------------------------------------------ */
/* Faces that are patches, and the cells of level 1 of the others. share: of 8 quads, those that are patches. */
static void plant(struct forest *f, int share)
{
    struct cells *faces = f->level, *cells = f->level + 1;
    faces->patch = xalloc(f->g.n_faces, 4), cells->key = xalloc(f->g.n_corners, 8);
    for (int64_t face = 0; face < f->g.n_faces; face++) {
        int32_t first = f->g.first[face], end = f->g.first[face + 1], quad = is_quad(f, first);
        if (quad && random_below(&seed, 8) < share) {
            faces->patch[faces->n_patches++] = (uint32_t)first;
            continue;
        }
        for (int32_t c = first; c < end; c++)
            cells->key[cells->n++] = quad ? 4 * (uint64_t)first + (uint64_t)(c - first) : 4 * (uint64_t)c;
    }
}

/* Which cells of a level are patches, and the cells that the others fall into. */
static void grow(struct forest *f, int level, int share)
{
    struct cells *cells = f->level + level, *next = cells + 1;
    cells->first = cells[-1].first + cells[-1].n_patches;
    cells->patch = xalloc(cells->n, 4);
    uint64_t *children = xalloc(4 * cells->n, 8);
    int64_t n = 0;
    for (int64_t i = 0; i < cells->n; i++) {
        if (random_below(&seed, 8) < share) {
            cells->patch[cells->n_patches++] = (uint32_t)i;
            continue;
        }
        for (uint64_t k = 0; k < 4; k++)
            children[n++] = 4 * cells->key[i] + k;
    }
    if (level < f->last)
        next->key = children, next->n = n;
    else
        free(children);
}

/* Of a key: the corner of its parent's grid, and the cell's place there. */
struct place {
    int64_t base, u, v;
};

static struct place place_of(uint64_t key, int level)
{
    struct place p = {(int64_t)(key >> (2 * level)), 0, 0};
    for (int bit = 0; bit < level; bit++) {
        p.u |= (int64_t)(key >> (2 * bit) & 1) << bit;
        p.v |= (int64_t)(key >> (2 * bit + 1) & 1) << bit;
    }
    return p;
}

static uint64_t patch_key(const struct forest *f, int level, int64_t i)
{
    const struct cells *cells = f->level + level;
    return level ? cells->key[cells->patch[i]] : cells->patch[i];
}

/* Point (u, v) of the grid over a parent, 2^last cells a side of a quad, as the point of a corner's grid. */
static struct place corner_place(const struct forest *f, int64_t base, int64_t u, int64_t v)
{
    int64_t side = (int64_t)1 << f->last, m = side / 2;
    if (!is_quad(f, base) || (u <= m && v <= m))
        return (struct place){base, u, v};
    if (v <= m)
        return (struct place){base + 1, v, side - u};
    if (u >= m)
        return (struct place){base + 2, side - u, side - v};
    return (struct place){base + 3, side - v, u};
}

static int64_t row_of(const struct forest *f, int64_t base, int64_t u, int64_t v)
{
    struct place to = corner_place(f, base, u, v);
    return grid_vertex(&f->g, f->last, to.base, to.u, to.v);
}

/* By grid.h's words. */
static uint64_t key_of_row(const struct forest *f, int64_t row)
{
    int bits = f->last - 1;
    uint64_t along = ((uint64_t)1 << bits) - 1, id = (uint64_t)row, x = 0, y = 0;
    uint64_t vertices = (uint64_t)(f->g.n_vertices + f->g.n_faces + f->g.n_edges);
    uint64_t lines = (uint64_t)(2 * f->g.n_edges + f->g.n_corners);
    if (id >= vertices + lines * along) {
        id -= vertices + lines * along;
        x = id % along + 1, y = id / along % along + 1, id = vertices + lines + id / along / along;
    } else if (id >= vertices) {
        id -= vertices;
        x = id % along + 1, id = vertices + id / along;
    }
    return (id << bits | y) << bits | x;
}

/* The points of the last level's cells that are no patches, and some that nobody asks for. */
static void fill_left(struct forest *f)
{
    const struct cells *cells = f->level + f->last;
    f->n_rows = grid_n_vertices(&f->g, f->last);
    f->left_of = xalloc(f->n_rows, 4), f->left = xalloc(f->n_rows, 8);
    for (int64_t i = 0, next = 0; i < cells->n; i++) {
        if (next < cells->n_patches && cells->patch[next] == i) {
            next++;
            continue;
        }
        struct place at = place_of(cells->key[i], f->last);
        for (int k = 0; k < 4; k++)
            f->left_of[row_of(f, at.base, at.u + k % 2, at.v + k / 2)] = 1;
    }
    for (int64_t row = 0; row < f->n_rows; row++) {
        int wanted = f->left_of[row];
        f->left_of[row] = wanted ? (int32_t)f->n_left : -1;
        if (wanted || random_below(&seed, 8) == 0)
            f->left[f->n_left++] = key_of_row(f, row);
    }
    f->left_first = f->g.n_vertices + N_LOOSE, f->n_points = f->left_first + f->n_left;
    f->points = xalloc(3 * f->n_points, sizeof *f->points);
    for (int64_t i = 0; i < 3 * f->n_points; i++)
        f->points[i] = random_coordinate();
}

static void fill_patches(struct forest *f)
{
    f->n_patches = f->level[f->last].first + f->level[f->last].n_patches;
    f->patch = xalloc(4 * f->n_patches, 16), f->param = xalloc(f->n_patches, 16);
    for (int64_t i = 0; i < 16 * f->n_patches; i++)
        f->patch[i / 4].v[i % 4] = (uint32_t)random_below(&seed, f->n_points);
    for (int level = 0; level <= f->last; level++)
        for (int64_t i = 0; i < f->level[level].n_patches; i++) {
            struct place at = place_of(patch_key(f, level, i), level);
            int32_t face = f->g.corner_face[at.base];
            uint32_t flags = SDD_PATCH_BOUNDARY * (uint32_t)(random_below(&seed, 2) ? random_below(&seed, 16) : 0);
            flags |= SDD_PATCH_TRANSITION * (uint32_t)random_below(&seed, 16);
            f->param[f->level[level].first + i] = (struct sdd_quad){
                {(uint32_t)face, (uint32_t)(at.base - f->g.first[face]), (uint32_t)(at.u | at.v << 16),
                 flags | (uint32_t)level | (is_quad(f, at.base) ? 0 : SDD_PATCH_OF_POLYGON)}};
        }
}

/* Weights that add up to 1, to the bit; row n - i is row i from its other end. */
static void fill_basis(struct forest *f)
{
    f->basis = xalloc((2 << f->last) + f->last + 1, sizeof *f->basis);
    struct sdd_table_basis *table = f->basis;
    for (int n = 1; n <= 1 << f->last; table += n + 1, n *= 2)
        for (int i = 0; 2 * i <= n; i++) {
            float *w = table[i].s;
            for (int k = 0; k < 4; k++)
                w[k] = (float)random_below(&seed, 2049) / 1024 - 1;
            if (2 * i == n)
                w[3] = w[0], w[1] = w[2] = 0.5f - w[0];
            else
                w[1] = 1 - w[0] - w[2] - w[3];
            for (int k = 0; k < 4; k++)
                table[n - i].s[3 - k] = w[k];
        }
}

/* ---- what a row may be ----------------------------------------------------------------------------------------- */
/* Rows that one patch has for itself: by its level and by the blocked edges, and by turn (4: of a polygon); rows of
 * cells that are no patches; control vertices without faces; ranges of one row, and those that begin inside a grid. */
static int64_t n_of_level[DEEPEST + 1][5], n_blocked[16][5], n_left_rows, n_isolated_rows, n_single, n_inside;

/* Weights of the four points along one direction: what lies beyond a blocked end is 2 P(edge) - P(inner), and what lies
 * on it, of a grid's own side (0 or 1, else -1), is made of that side's points alone. size: sums of the absolute values
 * of what goes into them. */
struct along {
    double w[4], size[4];
};

static struct along along_of(const struct sdd_table_basis *basis, int low_blocked, int high_blocked, int side)
{
    struct along a;
    if ((side == 0 && low_blocked) || (side == 1 && high_blocked))
        return side ? (struct along){{0, 0, 1, 0}, {0, 0, 1, 0}} : (struct along){{0, 1, 0, 0}, {0, 1, 0, 0}};
    for (int k = 0; k < 4; k++)
        a.w[k] = basis->s[k], a.size[k] = fabs(a.w[k]);
    if (low_blocked) {
        a.w[1] += 2 * (double)basis->s[0], a.w[2] -= basis->s[0], a.w[0] = 0;
        a.size[1] += 2 * a.size[0], a.size[2] += a.size[0], a.size[0] = 0;
    }
    if (high_blocked) {
        a.w[2] += 2 * (double)basis->s[3], a.w[1] -= basis->s[3], a.w[3] = 0;
        a.size[2] += 2 * a.size[3], a.size[1] += a.size[3], a.size[3] = 0;
    }
    return a;
}

static void offer_point(const struct forest *f, struct row_range *r, int64_t row, int64_t patch, struct along u,
                        struct along v)
{
    double value[3] = {0}, most[3] = {0};
    for (int k = 0; k < 16; k++)
        for (int x = 0; x < 3; x++) {
            double p = (double)f->points[3 * (int64_t)f->patch[4 * patch + k / 4].v[k % 4] + x];
            double seen = k / 4 == 1 ? v.size[0] + v.size[2] + v.size[3] : 0; /* others from there */
            value[x] += u.w[k % 4] * v.w[k / 4] * p;
            most[x] += 10 * 0x1p-24 * u.size[k % 4] * (v.size[k / 4] + seen) * fabs(p); /* two in a fold, four along */
        }
    row_range_offer(r, row, value, most);
}

/* Of a quad the first or the last of its sides, of a polygon's part the first; else -1. */
static int grid_side(const struct forest *f, int64_t base, int64_t u)
{
    return u == 0 ? 0 : is_quad(f, base) && u == (int64_t)1 << f->last ? 1 : -1;
}

static void offer_patch(const struct forest *f, struct row_range *r, int level, int64_t i)
{
    struct place at = place_of(patch_key(f, level, i), level);
    int64_t patch = f->level[level].first + i, side = (int64_t)1 << (f->last - level);
    const struct sdd_table_basis *basis = f->basis;
    uint32_t blocked = f->param[patch].v[3] / SDD_PATCH_BOUNDARY % 16;
    for (int64_t n = 1; n < side; n *= 2)
        basis += n + 1;
    for (int64_t y = 0; y <= side; y++)
        for (int64_t x = 0; x <= side; x++) {
            int64_t u = at.u * side + x, v = at.v * side + y, row = row_of(f, at.base, u, v);
            if (!row_range_has(r, row))
                continue;
            offer_point(f, r, row, patch,
                        along_of(basis + x, blocked >> 3 & 1, blocked >> 1 & 1, grid_side(f, at.base, u)),
                        along_of(basis + y, blocked & 1, blocked >> 2 & 1, grid_side(f, at.base, v)));
            if (x == 0 || x == side || y == 0 || y == side)
                continue;
            int64_t turn = is_quad(f, at.base) ? corner_place(f, at.base, u, v).base - at.base : 4;
            n_of_level[level][turn]++, n_blocked[blocked][turn]++;
        }
}

static int offer_row(struct row_range *r, int64_t row, const float *p)
{
    if (!row_range_has(r, row))
        return 0;
    row_range_offer(r, row, (const double[]){p[0], p[1], p[2]}, (const double[]){0, 0, 0});
    return 1;
}

static void offer_all(const struct forest *f, struct row_range *r)
{
    for (int level = 0; level <= f->last; level++)
        for (int64_t i = 0; i < f->level[level].n_patches; i++)
            offer_patch(f, r, level, i);
    for (int64_t row = 0; row < f->n_rows; row++)
        if (f->left_of[row] >= 0)
            n_left_rows += offer_row(r, row, f->points + 3 * (f->left_first + f->left_of[row]));
    for (uint32_t v = 0; v < f->k.b.V; v++) /* without faces it stays */
        if (f->k.b.valence[v] == 0)
            n_isolated_rows += offer_row(r, v, f->points + 3 * (size_t)v);
}

/* ---- a range --------------------------------------------------------------------------------------------------- */
static struct sdd_adaptive upload(const struct forest *f)
{
    struct sdd_level_patches levels = {.n = {0}};
    for (int l = 0; l <= f->last; l++) {
        const struct cells *c = f->level + l;
        levels.cell[l] = l ? launch_in(c->key, c->n, 8) : NULL, levels.patch[l] = launch_in(c->patch, c->n_patches, 4);
        levels.n[l] = (uint32_t)c->n_patches, levels.first[l] = (uint32_t)c->first;
    }
    return (struct sdd_adaptive){.mesh = wild_upload(&f->k, 1),
                                 .points = launch_in(f->points, 3 * f->n_points, sizeof *f->points),
                                 .levels = levels,
                                 .patch = launch_in(f->patch, 4 * f->n_patches, 16),
                                 .param = launch_in(f->param, f->n_patches, 16),
                                 .basis = launch_in(f->basis, (2 << f->last) + f->last, sizeof *f->basis),
                                 .left = launch_in(f->left, f->n_left, 8),
                                 .n_left = (uint32_t)f->n_left,
                                 .left_first = (uint32_t)f->left_first,
                                 .last = f->last};
}

static void check_range(const struct forest *f, int64_t most)
{
    struct row_range r;
    struct adaptive_rows_args a = {.from = upload(f)};
    row_range_init(&r, &f->g, f->last, most, &seed);
    a.to = r.to, a.first = r.first, a.n = r.n, a.each = r.each;
    LAUNCH(adaptive_rows, &a, r.items);
    row_range_got(&r);
    offer_all(f, &r);
    for (int64_t i = 0; i < r.n && strcmp(test_backend(), "cpu") == 0; i++) { /* as a GPU makes it */
        struct sdd_vec3 p = sdd_adaptive_point(&a.from, (uint32_t)(r.first + i));
        row_range_same(&r, i, &p.x);
    }
    n_single += r.n == 1, n_inside += r.inside;
    row_range_fini(&r);
    launch_end();
}

static void check_level(const struct poly *p, int last, int64_t most)
{
    struct forest f = {.last = last};
    int share = 1 + random_below(&seed, 6);
    wild_case_init(&f.k, p, 0);
    grid_init(&f.g, &p->desc);
    plant(&f, random_below(&seed, 6));
    for (int level = 1; level <= last; level++)
        grow(&f, level, level < last || random_below(&seed, 2) ? share : 8 * random_below(&seed, 2));
    fill_left(&f);
    fill_patches(&f);
    fill_basis(&f);
    for (int i = 0; i < 6; i++)
        check_range(&f, most);
    for (int level = 0; level <= last; level++)
        free(f.level[level].key), free(f.level[level].patch);
    free(f.patch), free(f.param), free(f.basis), free(f.left), free(f.left_of), free(f.points);
    grid_fini(&f.g);
    wild_case_fini(&f.k);
}

/* ---- on meshes ------------------------------------------------------------------------------------------------- */
static void check(const struct poly *p)
{
    static unsigned turn;
    check_level(p, 1 + (int)(turn++ % MOST_LEVEL), INT32_MAX);
}

static void test_rows(void **state)
{
    (void)state;
    poly_each(90, 100, check);
    soup_each(60, 60, check);
    for (int turn = 0; turn < 5; turn++) {
        for (int level = turn == 4; level < MOST_LEVEL; level++)
            assert_true(n_of_level[level][turn] > 500);
        for (int blocked = 0; blocked < 16; blocked++)
            assert_true(n_blocked[blocked][turn] > 500);
    }
    assert_true(n_left_rows > 1000 && n_isolated_rows > 10 && n_single > 100 && n_inside > 100);
}

/* A triangle and a ring of quads, as far as patches go. */
static void test_deepest(void **state)
{
    const int32_t sizes[] = {3};
    struct poly p;
    (void)state;
    poly_discs(&p, sizes, 1);
    launch_say("%s", p.name);
    for (int last = MOST_LEVEL + 1; last <= DEEPEST; last++)
        check_level(&p, last, 20000);
    poly_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_deepest)};
    return LAUNCH_GROUP("adaptive rows", tests);
}
