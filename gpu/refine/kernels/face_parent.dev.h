/* SPDX-License-Identifier: Apache-2.0 */
/* face_parent.dev.h: the control corner and the control face that a refined face comes from. */
#ifndef SDD_FACE_PARENT_H
#define SDD_FACE_PARENT_H
#include "gpu/grid/faces.h"

/* Refined faces come in runs: 4^bits for each corner of quads, 4^bits for each triangle, or `each` for each triangle of
 * sqrt3. */
enum sdd_parent_scheme { SDD_PARENT_QUADS, SDD_PARENT_TRIANGLES, SDD_PARENT_SQRT3 };

struct sdd_parents {
    struct sdd_faces faces;
    const uint32_t *visible; /* The corners of visible faces; NULL where all are visible. */
    int64_t each;            /* Refined faces in a run. */
    int32_t corners;         /* Corners for a run: 1 for quads, else 3. */
    int32_t bits;            /* Bits of u and of v; unused under sqrt3. */
};

/* The first corner of the run that has refined face i. */
SDD_FN uint32_t sdd_parent_corner(const struct sdd_parents *p, int64_t i)
{
    int64_t run = i / p->each * p->corners;
    return p->visible ? p->visible[run] : (uint32_t)run;
}

SDD_FN uint32_t sdd_parent_of(const struct sdd_parents *p, int64_t i)
{
    return sdd_face(&p->faces, sdd_parent_corner(p, i));
}
#endif
