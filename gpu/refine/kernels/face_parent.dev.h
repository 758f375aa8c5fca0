/* SPDX-License-Identifier: Apache-2.0 */
/* face_parent.h: the control corner and face that a refined face comes from. */
#ifndef SDD_FACE_PARENT_H
#define SDD_FACE_PARENT_H
#include "gpu/grid/faces.h"

/* Refined faces come in runs: 4^bits a corner of quads, 4^bits a triangle, or `each` a triangle of sqrt3. */
enum sdd_parent_scheme { SDD_PARENT_QUADS, SDD_PARENT_TRIANGLES, SDD_PARENT_SQRT3 };

struct sdd_parents {
    struct sdd_faces faces;
    const uint32_t *shown; /* corners that are shown; NULL: all */
    int64_t each;          /* refined faces a run               */
    int32_t corners;       /* corners a run: 1 of quads, else 3 */
    int32_t bits;          /* of u and of v; not under sqrt3    */
};

/* The first corner of the run that refined face i stands in. */
SDD_FN uint32_t sdd_parent_corner(const struct sdd_parents *p, int64_t i)
{
    int64_t run = i / p->each * p->corners;
    return p->shown ? p->shown[run] : (uint32_t)run;
}

SDD_FN uint32_t sdd_parent_of(const struct sdd_parents *p, int64_t i)
{
    return sdd_face(&p->faces, sdd_parent_corner(p, i));
}
#endif
