/* SPDX-License-Identifier: Apache-2.0 */
/* adaptive_cell.dev.h: finds the bicubic patch of feature-adaptive subdivision (patch_cells.dev.h) on which a point of
 * the last level lies, and where on the patch. It is a walk down a quadtree of cells, whose leaves are the patches.
 * The root is a level-1 quad: one corner's share of a control face, with its grid of 2^(last-1) x 2^(last-1) cells of
 * the last level. A cell of level l >= 1 spans 1 / 2^(l-1) of the grid's side. A patch of level 0 is a whole control
 * quad, and so covers four such grids. */
#ifndef SDD_ADAPTIVE_CELL_H
#define SDD_ADAPTIVE_CELL_H
#include "gpu/patches/kernels/patch_cells.dev.h"
#include "gpu/patches/kernels/patch_param.dev.h"
#include "gpu/bspline/row_bands.h"

#define SDD_ADAPTIVE_LEVELS 11 /* Levels 0 to SDD_MAX_PATCH_LEVEL. */

/* The patches of each level, on the device. The numbers of patches run through all levels, the coarsest first. */
struct sdd_level_patches {
    const uint64_t *cell[SDD_ADAPTIVE_LEVELS]; /* The keys of all cells, ascending; not read for level 0. */
    /* Shape [n], ascending: the rows of `cell` that are patches; on level 0 the first corners of the faces that are. */
    const uint32_t *patch[SDD_ADAPTIVE_LEVELS];
    uint32_t n[SDD_ADAPTIVE_LEVELS];
    uint32_t first[SDD_ADAPTIVE_LEVELS]; /* The number of the level's first patch. */
};

/* The patches and points of all levels, as adaptive.c makes them, for points of level `last`. It owns nothing. */
struct sdd_adaptive {
    struct sdd_control mesh;
    /* Shape [rows][3]: control points, then the points of each level that the plan keeps, then limit points. */
    const float *points;
    struct sdd_level_patches levels;
    const struct sdd_quad *patch, *param; /* Shapes [patches][16] and [patches][4] u32, from patch_rows. */
    const struct sdd_table_basis *basis;  /* The table for 2^j cells begins at sdd_basis_at(j). */
    /* Shape [n_left]: keys of points of the last level, ascending. All points that no patch covers, and so are left
     * over, are among them. */
    const uint64_t *left;
    uint32_t n_left;
    uint32_t left_first; /* Point k of `left` is row left_first + k of `points`. */
    int32_t last;
};

/* Where the table for 2^j cells begins: a table for 2^i cells has 2^i + 1 entries, one for each point of a side. */
SDD_FN int32_t sdd_basis_at(int32_t j)
{
    return (1 << j) - 1 + j;
}

/* Spreads the bits of v: bit k goes to bit 2 k. */
SDD_FN uint64_t sdd_spread_bits(uint32_t v)
{
    uint64_t x = v & 0xffffu;
    x = (x | x << 8) & 0x00ff00ffu;
    x = (x | x << 4) & 0x0f0f0f0fu;
    x = (x | x << 2) & 0x33333333u;
    return (x | x << 1) & 0x55555555u;
}

/* A level-1 quad, which is a quarter of its face if the face is a quad. Keys of cells in a control quad count u and v
 * in the frame of the whole quad. Against that frame the grid is turned by `rotation` quarter turns, as many as there
 * are corners from the first to its own. */
struct sdd_quarter {
    uint32_t corner, first; /* `first` is the first corner of the face. */
    int32_t is_quad, rotation;
};

SDD_FN struct sdd_quarter sdd_quarter_of(const struct sdd_control *m, uint32_t c)
{
    uint32_t f = sdd_face(&m->faces, c);
    struct sdd_quarter q;
    q.corner = c;
    q.first = f ? (uint32_t)m->face_end[f - 1] : 0;
    q.is_quad = sdd_is_quad(m, f);
    q.rotation = q.is_quad ? (int32_t)(c - q.first) : 0;
    return q;
}

/* The key of the cell of level l >= 1 that is at (x, y) in a level-1 quad, counted in cells of that level. This is the
 * inverse of sdd_patch_cell. */
SDD_FN uint64_t sdd_quarter_cell(const struct sdd_quarter *q, int32_t l, int32_t x, int32_t y)
{
    int32_t most = (1 << l) - 1, u = x, v = y;
    if (q->rotation == 1) {
        u = most - y;
        v = x;
    } else if (q->rotation == 2) {
        u = most - x;
        v = most - y;
    } else if (q->rotation == 3) {
        u = y;
        v = most - x;
    }
    return (uint64_t)(q->is_quad ? q->first : q->corner) << (2 * l) | sdd_spread_bits((uint32_t)u) |
           sdd_spread_bits((uint32_t)v) << 1;
}

/* The number of the patch that is the cell of level l with this key, or SDD_NONE if the cell is no patch. */
SDD_FN uint32_t sdd_patch_at(const struct sdd_level_patches *p, int32_t l, uint64_t key)
{
    const uint64_t *cell = p->cell[l];
    const uint32_t *patch = p->patch[l];
    uint32_t low = 0, left = p->n[l];
    while (left > 0) {
        uint32_t half = left / 2, at = patch[low + half];
        uint64_t there = l ? cell[at] : at;
        if (there == key)
            return p->first[l] + low + half;
        if (there < key) {
            low += half + 1;
            left -= half + 1;
        } else {
            left = half;
        }
    }
    return SDD_NONE;
}

/* A patch as it lies on a grid: from (x0, y0), `side` cells of the last level wide. */
struct sdd_leaf {
    uint32_t patch; /* Its number, or SDD_NONE for a cell of the last level that is no patch. */
    int32_t x0, y0, side;
};

SDD_FN struct sdd_leaf sdd_leaf_of(uint32_t patch, int32_t x0, int32_t y0, int32_t side)
{
    struct sdd_leaf r;
    r.patch = patch;
    r.x0 = x0;
    r.y0 = y0;
    r.side = side;
    return r;
}

/* The patch of level 0 that covers a level-1 quad, or SDD_NONE. */
SDD_FN uint32_t sdd_undivided_face(const struct sdd_adaptive *a, const struct sdd_quarter *q)
{
    return q->is_quad ? sdd_patch_at(&a->levels, 0, q->first) : SDD_NONE;
}

/* The patch that covers point (x, y) of a level-1 quad's grid, whose points go from 0 to 2^(last-1) along each side.
 * Where several patches meet it is the one further along x and y. A patch of level 0 reaches out of the grid. */
SDD_FN struct sdd_leaf sdd_leaf_at(const struct sdd_adaptive *a, const struct sdd_quarter *q, int32_t x, int32_t y)
{
    int32_t m = 1 << (a->last - 1);
    uint32_t patch = sdd_undivided_face(a, q);
    if (patch != SDD_NONE)
        return sdd_leaf_of(patch, 0, 0, 2 * m);
    x -= x == m;
    y -= y == m;
    for (int32_t l = 1; l <= a->last; l++) {
        int32_t bits = a->last - l;
        patch = sdd_patch_at(&a->levels, l, sdd_quarter_cell(q, l, x >> bits, y >> bits));
        if (patch != SDD_NONE)
            return sdd_leaf_of(patch, x >> bits << bits, y >> bits << bits, 1 << bits);
    }
    return sdd_leaf_of(SDD_NONE, x, y, 1);
}

/* The 4 x 4 points of a patch, rotated into the grid's directions. `open` keeps only the blocked sides that lie along
 * y = 0 (bit 0) and x = 0 (bit 3) of the grid: its two other sides are inside the control face. */
SDD_FN struct sdd_sixteen sdd_leaf_points(const struct sdd_adaptive *a, const struct sdd_quarter *q,
                                          const struct sdd_leaf *leaf)
{
    const struct sdd_quad *rows = a->patch + 4 * (size_t)leaf->patch;
    uint32_t blocked = a->param[leaf->patch].v[3] / SDD_FLAG_BOUNDARY & 15;
    struct sdd_sixteen s, rotated;
    s.x0 = leaf->x0;
    s.y0 = leaf->y0;
    s.side = leaf->side;
    s.open = (blocked >> q->rotation | blocked << (4 - q->rotation)) & ((s.y0 == 0 ? 1u : 0) | (s.x0 == 0 ? 8u : 0));
    for (int32_t k = 0; k < 16; k++)
        s.p[k] = sdd_load_point(a->points, rows[k >> 2].v[k & 3]);
    if (blocked)
        sdd_sixteen_extend(&s, blocked);
    if (q->rotation == 0)
        return s;
    rotated = s;
    for (int32_t j = 0; j < 4; j++)
        for (int32_t i = 0; i < 4; i++)
            rotated.p[4 * j + i] = q->rotation == 1   ? s.p[4 * i + 3 - j]
                                   : q->rotation == 2 ? s.p[4 * (3 - j) + 3 - i]
                                                      : s.p[4 * (3 - i) + j];
    return rotated;
}

/* The basis table of a patch that is `side` cells wide. */
SDD_FN const struct sdd_table_basis *sdd_leaf_basis(const struct sdd_adaptive *a, int32_t side)
{
    int32_t j = 0;
    while (1 << j < side)
        j++;
    return a->basis + sdd_basis_at(j);
}

/* The position of point (x, y) of the grid of corner c, which no patch covers: a row of `left`. */
SDD_FN struct sdd_vec3 sdd_uncovered_point(const struct sdd_adaptive *a, uint32_t c, int32_t x, int32_t y)
{
    struct sdd_grid g = sdd_grid_of(&a->mesh, a->last);
    return sdd_load_point(a->points, a->left_first + sdd_find_key(a->left, a->n_left, sdd_grid_number(&g, c, x, y, 1)));
}
#endif
