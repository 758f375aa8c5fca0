/* SPDX-License-Identifier: Apache-2.0 */
/* tab_keys: the class of each level-1 quad (tab_class.h), hashed.
 * Shapes  control mesh -> key[C] u64, irregular[C], kind[C] i32 (enum sdd_tab_kind), none[1] u32
 * Shape   item, n = C      Cost  about 60 B read a corner
 * Result  key 0 where irregular is 0: the bicubic class, and pieces of whole quads; of others equal classes have equal
 *         keys, tab_columns sees to the other way. none becomes 1 where a quad has no table (sdd_tab_words), or its
 *         vertex is crowded
 * Threads any queue */
#ifndef SDD_K_TAB_KEYS_H
#define SDD_K_TAB_KEYS_H
#include "gpu/engines/tabulated/kernels/tab_whole.dev.h"

struct tab_keys_args {
    struct sdd_control mesh;
    uint64_t *key;
    int32_t *irregular, *kind;
    uint32_t *none;
};

/* Smooth: so is its vertex on the control mesh (tab_whole.h), or its quad is a whole one. */
enum sdd_tab_kind { SDD_TAB_IRREGULAR, SDD_TAB_BICUBIC, SDD_TAB_SMOOTH };

/* Corners of the faces of a vertex, at most: its row of level 1 is made of them all. */
#define SDD_TAB_AROUND (4 * SDD_TAB_MAX)

/* Are they more? A vertex that stays where it is may have any number. */
SDD_FN int sdd_tab_is_crowded(const struct sdd_control *m, uint32_t v)
{
    int32_t n = 0;
    if (m->vert_sharp && m->vert_sharp[v] >= 10.0f)
        return 0;
    for (uint32_t k = m->begin[v]; k < m->end[v] && n <= SDD_TAB_AROUND; k++)
        n += sdd_tab_corners(m, m->corner[k]);
    return n > SDD_TAB_AROUND;
}

/* Never 0. */
SDD_FN uint64_t sdd_tab_key(const struct sdd_control *m, uint32_t c, uint32_t *none)
{
    float words[SDD_TAB_WORDS];
    int32_t n = sdd_tab_words(m, c, words);
    if (n == 0 || sdd_tab_is_crowded(m, m->vert[c]))
        sdd_mark(none);
    return sdd_tab_hash(words, n) | 1;
}

SDD_FN void k_tab_keys(int64_t i, const struct tab_keys_args *a)
{
    const struct sdd_control *m = &a->mesh;
    uint32_t c = (uint32_t)i;
    int32_t regular = sdd_tab_is_regular(m, c), smooth = regular ? sdd_tab_is_smooth(m, c) : sdd_tab_is_whole_end(m, c);
    a->kind[i] = smooth ? SDD_TAB_SMOOTH : regular ? SDD_TAB_BICUBIC : SDD_TAB_IRREGULAR;
    a->irregular[i] = !regular && !smooth;
    a->key[i] = a->irregular[i] ? sdd_tab_key(m, c, a->none) : 0;
}
#endif
