/* SPDX-License-Identifier: Apache-2.0 */
/* faces.h: which corner comes after and before a corner in its face, and which face that is. In a mesh of triangles
 * alone or of quads alone that is arithmetic and reads no memory; tables are for mixed faces and for ghost corners. */
#ifndef SDD_FACES_H
#define SDD_FACES_H
#include "gpu/kernel/kernel.h"

struct sdd_faces {
    const uint32_t *next, *prev, *face; /* rows for the corners from n_uniform on          */
    uint32_t n_uniform, size;           /* the corners below it are of faces of 3 or 4 all */
};

SDD_FN uint32_t sdd_face(const struct sdd_faces *f, uint32_t c)
{
    if (c >= f->n_uniform)
        return f->face[c - f->n_uniform];
    return f->size == 3 ? c / 3 : c >> 2;
}

/* The corner `step` places after c in its face, step < size. */
SDD_FN uint32_t sdd_rotation(const struct sdd_faces *f, uint32_t c, uint32_t step)
{
    uint32_t first = f->size == 3 ? c - c % 3 : c & ~3u, to = c + step;
    return to - first < f->size ? to : to - f->size;
}

SDD_FN uint32_t sdd_next(const struct sdd_faces *f, uint32_t c)
{
    return c < f->n_uniform ? sdd_rotation(f, c, 1) : f->next[c - f->n_uniform];
}

SDD_FN uint32_t sdd_prev(const struct sdd_faces *f, uint32_t c)
{
    return c < f->n_uniform ? sdd_rotation(f, c, f->size - 1) : f->prev[c - f->n_uniform];
}
#endif
