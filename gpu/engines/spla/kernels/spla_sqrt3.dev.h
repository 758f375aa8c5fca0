/* SPDX-License-Identifier: Apache-2.0 */
/* spla_sqrt3.h: what the matrices of a level say under scheme sqrt3 (Mlakar 2018, section 4.1.2). Besides M and F there
 * are the lines: a column for each boundary edge, of the vertex where it begins in its face and the one where it ends,
 * and their product with themselves, in which entry (i, j) is the edge between i and j.
 *
 * Where the thesis has no boundary, sqrt3_grid.h has the rules: a line is not flipped, and each second step cuts it in
 * three. It is always the first edge of its face when that happens. */
#ifndef SDD_SPLA_SQRT3_H
#define SDD_SPLA_SQRT3_H
#include "gpu/engines/spla/kernels/spla.dev.h"

struct sdd_thirds {
    struct sdd_spla m;     /* the mesh matrix of triangles, reduced        */
    struct sdd_spla f;     /* F(i, j): the face that runs from i to j      */
    struct sdd_spla lines; /* (i, j): the boundary edge between i and j    */
    int32_t level;         /* the step from an odd level is the second one */
};

/* Value (i, j) of a matrix whose columns hold ascending rows; SDD_NONE: there is none. */
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

/* The half-edge across z; SDD_NONE: z is a boundary edge. */
SDD_FN uint32_t sdd_thirds_across(const struct sdd_thirds *a, uint32_t z)
{
    uint32_t w = sdd_thirds_end(a, z), f = sdd_entry_at(&a->f, w, a->m.rid[z]);
    if (f == SDD_NONE)
        return SDD_NONE;
    return 3 * f + (a->m.rid[3 * f] == w ? 0 : a->m.rid[3 * f + 1] == w ? 1 : 2);
}

/* The boundary edge of half-edge z; SDD_NONE: it is none. */
SDD_FN uint32_t sdd_thirds_line(const struct sdd_thirds *a, uint32_t z)
{
    return sdd_entry_at(&a->lines, a->m.rid[z], sdd_thirds_end(a, z));
}

/* The new vertex that stands for face f behind its half-edge at `place`: its centre, or, where its line is cut in v p q
 * w, q behind the edge at w and p behind the others. */
SDD_FN uint32_t sdd_thirds_centre(const struct sdd_thirds *a, uint32_t f, uint32_t place)
{
    uint32_t line = a->level % 2 && place == 1 ? sdd_thirds_line(a, 3 * f) : SDD_NONE;
    return a->m.n_rows + (line == SDD_NONE ? f : a->m.n_cols + line);
}
#endif
