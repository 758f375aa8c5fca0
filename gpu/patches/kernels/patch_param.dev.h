/* SPDX-License-Identifier: Apache-2.0 */
/* patch_param.dev.h: where a patch or a face lies on its parent (sdd.h, patch_params). */
#ifndef SDD_PATCH_PARAM_H
#define SDD_PATCH_PARAM_H
#include "gpu/patches/kernels/patch_cells.dev.h"

/* The SDD_PATCH_* flags of sdd.h, which a kernel cannot include; patches.c asserts that they are equal. */
enum { SDD_FLAG_BOUNDARY = 0x10, SDD_FLAG_TRANSITION = 0x100, SDD_FLAG_OF_POLYGON = 0x1000 };

SDD_FN struct sdd_quad sdd_patch_param(const struct sdd_control *m, uint64_t cell, int32_t level, uint32_t flags)
{
    uint32_t base = (uint32_t)(cell >> (2 * level)), z = (uint32_t)(cell & (((uint64_t)1 << (2 * level)) - 1));
    uint32_t f = sdd_face(&m->faces, base);
    struct sdd_quad p;
    p.v[0] = f;
    p.v[1] = base - (f ? (uint32_t)m->face_end[f - 1] : 0);
    p.v[2] = sdd_even_bits(z) | sdd_even_bits(z >> 1) << 16;
    p.v[3] = (uint32_t)level | flags | (sdd_is_quad(m, f) ? 0u : SDD_FLAG_OF_POLYGON);
    return p;
}
#endif
