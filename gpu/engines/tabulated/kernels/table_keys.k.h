/* SPDX-License-Identifier: Apache-2.0 */
/* table_keys: hashes the class (class.h) of each quad of level 1.
 * Shapes  control mesh -> key[C] u64, irregular[C], kind[C] i32 (enum sdd_table_kind), none[1] u32
 * Launch  item, n = C
 * Cost    about 60 B read a corner
 * Result  key is 0 where irregular is 0, that is for bicubic pieces and pieces of regular quads. Other pieces of
 *         equal classes have equal keys; table_columns finds out if different classes do too. none becomes 1 if a
 *         quad has no table (sdd_table_words), or if the faces of its vertex have more than SDD_TABLE_AROUND
 *         corners.
 * Threads any queue */
#ifndef SDD_K_TABLE_KEYS_H
#define SDD_K_TABLE_KEYS_H
#include "gpu/engines/tabulated/kernels/table_regular.dev.h"

struct table_keys_args {
    struct sdd_control mesh;
    uint64_t *key;
    int32_t *irregular, *kind;
    uint32_t *none;
};

/* SDD_TABLE_SMOOTH says that the vertex is smooth on the control mesh too (table_regular.dev.h), or that its face is a
 * regular quad. */
enum sdd_table_kind { SDD_TABLE_IRREGULAR, SDD_TABLE_BICUBIC, SDD_TABLE_SMOOTH };

/* The most corners that the faces of a vertex may have together, as its row of level 1 is made of all of them. */
#define SDD_TABLE_AROUND (4 * SDD_TABLE_MAX)

/* Whether the faces of vertex v have more corners than that. A vertex that does not move may have any number. */
SDD_FN int sdd_table_is_crowded(const struct sdd_control *m, uint32_t v)
{
    int32_t n = 0;
    if (m->vert_sharp && m->vert_sharp[v] >= 10.0f)
        return 0;
    for (uint32_t k = m->begin[v]; k < m->end[v] && n <= SDD_TABLE_AROUND; k++)
        n += sdd_table_corners(m, m->corner[k]);
    return n > SDD_TABLE_AROUND;
}

/* The key of the class, which is never 0. */
SDD_FN uint64_t sdd_table_key(const struct sdd_control *m, uint32_t c, uint32_t *none)
{
    float words[SDD_TABLE_WORDS];
    int32_t n = sdd_table_words(m, c, words);
    if (n == 0 || sdd_table_is_crowded(m, m->vert[c]))
        sdd_mark(none);
    return sdd_table_key_of(words, n);
}

SDD_FN void k_table_keys(int64_t i, const struct table_keys_args *a)
{
    const struct sdd_control *m = &a->mesh;
    uint32_t c = (uint32_t)i;
    int32_t regular = sdd_table_is_regular(m, c),
            smooth = regular ? sdd_table_is_smooth(m, c) : sdd_table_is_regular_quad_end(m, c);
    a->kind[i] = smooth ? SDD_TABLE_SMOOTH : regular ? SDD_TABLE_BICUBIC : SDD_TABLE_IRREGULAR;
    a->irregular[i] = !regular && !smooth;
    a->key[i] = a->irregular[i] ? sdd_table_key(m, c, a->none) : 0;
}
#endif
