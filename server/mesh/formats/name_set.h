/* SPDX-License-Identifier: Apache-2.0 */
/* name_set.h: names that a file gives, each once, numbered from 1 in the order in which they came. The names of face
 * sets of the readers are kept so. */
#ifndef SUBDD_NAME_SET_H
#define SUBDD_NAME_SET_H
#include "gpu/sdd/sdd.h"
#include "server/base/text.h"
#include "server/base/words.h"
#include <stddef.h>

/* A zeroed set is empty. The names lie in `text` one after the other, each with a NUL at its end. */
struct name_set {
    struct text text;
    struct words starts; /* Where each name begins in the text. */
    struct words hashes;
    int32_t *slots; /* An open hash table of numbers; 0 is a free slot. */
    uint32_t n_slots;
    uint64_t seed; /* Drawn at random, so that no file can choose names that collide. */
};

/* name_set_add: the number of a name of n bytes without a NUL, which is added when it is new. A full set, of `limit`
 * names, gives 0 for a new one.
 * Cost    as long as the name, whatever names there are
 * Errors  SDD_ENO_MEMORY naming `field` */
int name_set_add(struct name_set *s, const char *name, size_t n, int64_t limit, const char *field, int32_t *number,
                 struct sdd_error *err) SDD_MUST_CHECK;
/* name_set_get: the name of a number. */
static inline const char *name_set_get(const struct name_set *s, int64_t number)
{
    return s->text.data + s->starts.i[number - 1];
}
void name_set_fini(struct name_set *s);

#endif
