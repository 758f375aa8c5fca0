/* SPDX-License-Identifier: Apache-2.0 */
/* faces.h: which corners come after and before a corner in its face, and which face that is. In a mesh of triangles
 * alone or of quads alone this is arithmetic and reads no memory. Mixed faces and the ghost corners of boundaries need
 * tables. */
#ifndef SDD_FACES_H
#define SDD_FACES_H
#include "gpu/kernel/kernel.h"

struct sdd_faces {
    const uint32_t *next, *prev, *face; /* Row i is for corner n_uniform + i. */
    uint32_t n_uniform;                 /* The corners below it belong to faces of `size` corners. */
    uint32_t size;                      /* It is 3 or 4, or 0 where faces are mixed. */
};

SDD_FN uint32_t sdd_face(const struct sdd_faces *f, uint32_t c)
{
    if (c >= f->n_uniform)
        return f->face[c - f->n_uniform];
    return f->size == 3 ? c / 3 : c >> 2;
}

/* The corner `step` corners after c in its face, for step < size. */
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
