/* SPDX-License-Identifier: Apache-2.0 */
/* spla_sqrt3.dev.h: what the matrices of a level say under scheme sqrt3 (Mlakar 2018, section 4.1.2). Beside M and F
 * there is a matrix of lines. It has a column for each boundary edge, with the vertices where it begins and ends in its
 * face; in its product with itself, entry (i, j) is the edge between i and j.
 *
 * Where the thesis has no boundary, sqrt3_grid.h has the rules: a line is not flipped, and each second step cuts it in
 * three. It is always the first edge of its face when that happens. */
#ifndef SDD_SPLA_SQRT3_H
#define SDD_SPLA_SQRT3_H
#include "gpu/engines/spla/kernels/spla.dev.h"

struct sdd_thirds {
    struct sdd_spla m;     /* The mesh matrix of triangles, in reduced form. */
    struct sdd_spla f;     /* F(i, j) is the face that runs from i to j. */
    struct sdd_spla lines; /* Entry (i, j) is the boundary edge between i and j. */
    int32_t level;         /* The step from an odd level is the second of its pair. */
};

/* The value (i, j) of a matrix whose columns hold ascending rows, or SDD_NONE if there is none. */
SDD_FN uint32_t sdd_entry_at(const struct sdd_spla *m, uint32_t i, uint32_t j)
{
    uint32_t z = sdd_spla_find(m, i, j);
    return z == SDD_NONE ? SDD_NONE : (uint32_t)m->val[z];
}

/* The vertex at the end of half-edge z, which begins at entry z of M. */
SDD_FN uint32_t sdd_thirds_end(const struct sdd_thirds *a, uint32_t z)
{
    return a->m.rid[z % 3 == 2 ? z - 2 : z + 1];
}

/* The half-edge across z, or SDD_NONE if z is a boundary edge. */
SDD_FN uint32_t sdd_thirds_across(const struct sdd_thirds *a, uint32_t z)
{
    uint32_t w = sdd_thirds_end(a, z), f = sdd_entry_at(&a->f, w, a->m.rid[z]);
    if (f == SDD_NONE)
        return SDD_NONE;
    return 3 * f + (a->m.rid[3 * f] == w ? 0 : a->m.rid[3 * f + 1] == w ? 1 : 2);
}

/* The boundary edge of half-edge z, or SDD_NONE if it is on none. */
SDD_FN uint32_t sdd_thirds_line(const struct sdd_thirds *a, uint32_t z)
{
    return sdd_entry_at(&a->lines, a->m.rid[z], sdd_thirds_end(a, z));
}

/* The new vertex that stands for face f on the side of its half-edge number `side`. It is the face's centre or, where
 * the face's line v w is cut in v p q w, q for the edge at w and p for the others. */
SDD_FN uint32_t sdd_thirds_centre(const struct sdd_thirds *a, uint32_t f, uint32_t side)
{
    uint32_t line = a->level % 2 && side == 1 ? sdd_thirds_line(a, 3 * f) : SDD_NONE;
    return a->m.n_rows + (line == SDD_NONE ? f : a->m.n_cols + line);
}
#endif
