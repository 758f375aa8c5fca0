/* SPDX-License-Identifier: Apache-2.0 */
/* words.c: grows the arrays of 4-byte numbers that the readers of OBJ and USDA fill. */
#include "server/base/words.h"
#include "server/base/pool.h"
#include <stdlib.h>

int words_room(struct words *w, int64_t n, int64_t body_bytes, const char *field, struct sdd_error *err)
{
    if (w->n + n <= w->cap)
        return SDD_OK;
    int64_t cap = w->cap ? 2 * w->cap : 1024;
    if (cap > body_bytes + 16)
        cap = body_bytes + 16; /* Each number takes at least a character of the body. */
    if (cap < w->n + n)
        cap = w->n + n;
    void *p = claim_draw((cap - w->cap) * 4) ? realloc(w->p, (size_t)cap * 4) : NULL;
    if (!p)
        return sdd_fail(err, SDD_ENO_MEMORY, field, "no memory for %lld numbers", (long long)cap);
    w->p = p;
    w->cap = cap;
    return SDD_OK;
}
