/* SPDX-License-Identifier: Apache-2.0 */
/* face_params: where each refined face lies on its control face.
 * Shapes  visible[S] u32, face_end[F] i32 -> param[n][4] u32 (sdd.h)
 * Launch  item, n refined faces
 * Cost    16 B written a face
 * Result  The rows are those of grid_quads, tri_faces and sqrt3_indices.
 * Threads any queue */
#ifndef SDD_K_FACE_PARAMS_H
#define SDD_K_FACE_PARAMS_H
#include "gpu/refine/kernels/face_parent.dev.h"

struct face_params_args {
    struct sdd_parents parents;
    const int32_t *face_end;
    struct sdd_quad *param;
    /* `scheme` is a value of enum sdd_parent_scheme. */
    int32_t level, scheme;
};

/* SDD_PATCH_OF_POLYGON and SDD_FACE_TURNED of sdd.h, which a kernel cannot include; primvars.c asserts that they are
 * equal. */
enum { SDD_PARAM_OF_POLYGON = 0x1000, SDD_PARAM_TURNED = 0x2000 };

/* Brings a cell from a corner's grid to the quad's own grid, which has two quadrants a side. Quadrant `corner` is
 * rotated by as many quarters. */
SDD_FN void sdd_rotate_cell(uint32_t corner, uint32_t m, uint32_t *u, uint32_t *v)
{
    uint32_t x = *u, y = *v, end = 2 * m - 1;
    *u = corner == 0 ? x : corner == 1 ? end - y : corner == 2 ? end - x : y;
    *v = corner == 0 ? y : corner == 1 ? x : corner == 2 ? end - y : end - x;
}

SDD_FN void k_face_params(int64_t i, const struct face_params_args *a)
{
    uint32_t c = sdd_parent_corner(&a->parents, i), f = sdd_face(&a->parents.faces, c), flags = 0, u = 0, v = 0;
    uint32_t corner = 0;
    if (a->scheme != SDD_PARENT_SQRT3) {
        int32_t bits = a->parents.bits;
        u = (uint32_t)i & ((1u << bits) - 1);
        v = (uint32_t)(i >> bits) & ((1u << bits) - 1);
        if (a->scheme == SDD_PARENT_TRIANGLES && u + v >= 1u << bits) {
            u = (1u << bits) - 1 - u;
            v = (1u << bits) - 1 - v;
            flags = SDD_PARAM_TURNED;
        }
    }
    if (a->scheme == SDD_PARENT_QUADS) {
        uint32_t first = f ? (uint32_t)a->face_end[f - 1] : 0;
        corner = c - first;
        if ((uint32_t)a->face_end[f] - first == 4)
            sdd_rotate_cell(corner, 1u << a->parents.bits, &u, &v);
        else
            flags = SDD_PARAM_OF_POLYGON;
    }
    struct sdd_quad p;
    p.v[0] = f;
    p.v[1] = corner;
    p.v[2] = u | v << 16;
    p.v[3] = (uint32_t)a->level | flags;
    a->param[i] = p;
}
#endif
