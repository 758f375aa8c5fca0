/* SPDX-License-Identifier: Apache-2.0 */
/* sqrt3_uvs: UV values under faceVaryingLinearInterpolation `all`, one for each corner of the refined faces, one or two
 * steps after an even level.
 * Shapes  even level (sqrt3_grid.h) of F faces; row[3 F] u32 into uv (NULL for 0, 1, 2 and so on), uv[U][2] f32,
 *         visible[S] u32 (corners of the control mesh) -> out[n][3][2] f32
 * Launch  item, n = faces of the level that is made, or those that are visible
 * Cost    48 B read, 24 B written a face
 * Result  Two steps cut a face in nine by thirds, whatever is flipped on the way, and each of the nine has that face's
 *         linear values. One step makes (v, O', O) with face f's values at v and at O, which is the mean. Where the
 *         ends of the edge v w have the same values on both sides, O' has the value of the face across. Elsewhere it
 *         has v + w - O in f's values, as if f went on in a parallelogram. A line has (v, w, O). Values on an edge do
 *         not depend on the side.
 * Threads any queue
 * Source  docs/engines.md, "The rules of sqrt3" */
#ifndef SDD_K_SQRT3_UVS_H
#define SDD_K_SQRT3_UVS_H
#include "gpu/rules/sqrt3_grid.h"

struct sqrt3_uvs_args {
    struct sdd_sqrt3 mesh;
    const uint32_t *row;
    const struct sdd_float2 *uv;
    const uint32_t *visible; /* NULL where all corners are visible. */
    int64_t each;            /* The number of faces that a control face becomes. */
    int32_t steps;           /* How many steps, 1 or 2. */
    struct sdd_float2 *out;
};

SDD_FN struct sdd_float2 sdd_sqrt3_uv(const struct sqrt3_uvs_args *a, uint32_t h)
{
    return a->uv[a->row ? a->row[h] : h];
}

/* The sum over the corners of face f in their order; it is three times the value at O. */
SDD_FN double sdd_sqrt3_uv_sum(const struct sqrt3_uvs_args *a, uint32_t f, int32_t k)
{
    double u = (double)sdd_sqrt3_uv(a, 3 * f).s[k], v = (double)sdd_sqrt3_uv(a, 3 * f + 1).s[k];
    return u + v + (double)sdd_sqrt3_uv(a, 3 * f + 2).s[k];
}

SDD_FN struct sdd_float2 sdd_sqrt3_uv_centre(const struct sqrt3_uvs_args *a, uint32_t f)
{
    struct sdd_float2 to;
    for (int32_t k = 0; k < 2; k++)
        to.s[k] = (float)(sdd_sqrt3_uv_sum(a, f, k) / 3.0);
    return to;
}

/* The value a third of the way from corner h to corner g. */
SDD_FN struct sdd_float2 sdd_sqrt3_uv_third(const struct sqrt3_uvs_args *a, uint32_t h, uint32_t g)
{
    struct sdd_float2 near = sdd_sqrt3_uv(a, h), far = sdd_sqrt3_uv(a, g), to;
    for (int32_t k = 0; k < 2; k++)
        to.s[k] = (float)((2.0 * (double)near.s[k] + (double)far.s[k]) / 3.0);
    return to;
}

SDD_FN int sdd_sqrt3_uv_same(const struct sqrt3_uvs_args *a, uint32_t h, uint32_t g)
{
    struct sdd_float2 x = sdd_sqrt3_uv(a, h), y = sdd_sqrt3_uv(a, g);
    return x.s[0] == y.s[0] && x.s[1] == y.s[1];
}

/* The values of face c of the next level. */
SDD_FN void sdd_sqrt3_uv_one(const struct sqrt3_uvs_args *a, uint32_t c, struct sdd_float2 *to)
{
    uint32_t w = sdd_sqrt3_next(c), t = a->mesh.twin[c];
    struct sdd_float2 at = sdd_sqrt3_uv(a, c), end = sdd_sqrt3_uv(a, w);
    to[0] = at;
    to[1] = end;
    to[2] = sdd_sqrt3_uv_centre(a, c / 3);
    if (sdd_sqrt3_is_line(&a->mesh, c))
        return;
    if (sdd_sqrt3_uv_same(a, c, sdd_sqrt3_next(t)) && sdd_sqrt3_uv_same(a, w, t)) {
        to[1] = sdd_sqrt3_uv_centre(a, t / 3);
        return;
    }
    for (int32_t k = 0; k < 2; k++)
        to[1].s[k] = (float)((double)at.s[k] + (double)end.s[k] - sdd_sqrt3_uv_sum(a, c / 3, k) / 3.0);
}

/* The values of face i of the level after that, which is child i % 3 of the face of half-edge c = v w. Child 2 is the
 * part of c's face at O and v. The two others are parts of the face across (of c's own face where c is a line): one at
 * a corner and one at the middle of the edge. */
SDD_FN void sdd_sqrt3_uv_two(const struct sqrt3_uvs_args *a, uint32_t i, struct sdd_float2 *to)
{
    uint32_t c = i / 3, line = (uint32_t)sdd_sqrt3_is_line(&a->mesh, c), h = line ? c : a->mesh.twin[c];
    uint32_t s = sdd_sqrt3_next(h);
    if (i % 3 == line) { /* This part is at the corner where h ends. */
        to[0] = sdd_sqrt3_uv(a, s);
        to[1] = sdd_sqrt3_uv_third(a, s, sdd_sqrt3_next(s));
        to[2] = sdd_sqrt3_uv_third(a, s, h);
    } else if (i % 3 == 2) {
        to[0] = sdd_sqrt3_uv_centre(a, c / 3);
        to[1] = sdd_sqrt3_uv_third(a, c, sdd_sqrt3_prev(c));
        to[2] = sdd_sqrt3_uv_third(a, c, sdd_sqrt3_next(c));
    } else { /* This part is at the middle of h. It starts at h's first third if h is a line, else at O. */
        struct sdd_float2 near = sdd_sqrt3_uv_third(a, h, s), far = sdd_sqrt3_uv_third(a, s, h);
        to[line ? 2 : 0] = sdd_sqrt3_uv_centre(a, h / 3);
        to[line ? 0 : 1] = near;
        to[line ? 1 : 2] = far;
    }
}

SDD_FN void k_sqrt3_uvs(int64_t k, const struct sqrt3_uvs_args *a)
{
    uint32_t face = (uint32_t)sdd_sqrt3_visible(a->visible, a->each, k);
    if (a->steps == 1)
        sdd_sqrt3_uv_one(a, face, a->out + 3 * k);
    else
        sdd_sqrt3_uv_two(a, face, a->out + 3 * k);
}
#endif
