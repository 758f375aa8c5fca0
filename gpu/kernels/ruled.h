/* SPDX-License-Identifier: Apache-2.0 */
/* ruled.h: the vertices where a rule other than the smooth one can hold, on whatever level (vertex_ruled.h). They are
 * few and stand anywhere: a launch over all vertices leaves them out, and has them as its last items, so that
 * neighbouring threads do the same. */
#ifndef SDD_RULED_H
#define SDD_RULED_H
#include "gpu/kernel.h"

struct sdd_ruled {
    const uint8_t *flag;  /* [V] NULL: there are none */
    const uint32_t *list; /* [n] ascending            */
    uint32_t n;
};

SDD_FN int sdd_is_ruled(const struct sdd_ruled *r, uint32_t v)
{
    return r->flag && r->flag[v];
}
#endif
