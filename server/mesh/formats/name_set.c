/* SPDX-License-Identifier: Apache-2.0 */
/* name_set.c: the names of a file in a hash table, for its reader. */
#include "server/mesh/formats/name_set.h"
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <xxhash.h>

/* The slot of a name: the one that has it, or the free one where it belongs. */
static uint32_t find(const struct name_set *s, const char *name, size_t n, uint32_t hash)
{
    uint32_t at = hash & (s->n_slots - 1);
    for (; s->slots[at]; at = (at + 1) & (s->n_slots - 1)) {
        const char *known = name_set_get(s, s->slots[at]);
        if ((uint32_t)s->hashes.i[s->slots[at] - 1] == hash && strlen(known) == n && memcmp(known, name, n) == 0)
            break;
    }
    return at;
}

/* Makes the table twice as large and puts all names in again. */
static bool grow(struct name_set *s)
{
    uint32_t n = s->n_slots ? 2 * s->n_slots : 64;
    int32_t *slots = calloc(n, sizeof *slots);
    if (!slots || (!s->n_slots && getrandom(&s->seed, sizeof s->seed, 0) != (ssize_t)sizeof s->seed)) {
        free(slots);
        return false;
    }
    for (int32_t i = 0; i < s->starts.n; i++) {
        uint32_t at = (uint32_t)s->hashes.i[i] & (n - 1);
        while (slots[at])
            at = (at + 1) & (n - 1);
        slots[at] = i + 1;
    }
    free(s->slots);
    s->slots = slots;
    s->n_slots = n;
    return true;
}

int name_set_add(struct name_set *s, const char *name, size_t n, int64_t limit, const char *field, int32_t *number,
                 struct sdd_error *err)
{
    if (2 * s->starts.n >= s->n_slots && !grow(s))
        return sdd_fail(err, SDD_ENO_MEMORY, field, "no memory for names");
    uint32_t hash = (uint32_t)XXH3_64bits_withSeed(name, n, s->seed), at = find(s, name, n, hash);
    *number = s->slots[at];
    if (*number || s->starts.n >= limit)
        return SDD_OK;
    int rc = words_room(&s->starts, 1, limit, field, err);
    if (!rc)
        rc = words_room(&s->hashes, 1, limit, field, err);
    if (rc)
        return rc;
    s->starts.i[s->starts.n++] = (int32_t)s->text.bytes;
    s->hashes.i[s->hashes.n++] = (int32_t)hash;
    text_add(&s->text, name, n);
    text_add(&s->text, "", 1);
    if (s->text.failed)
        return sdd_fail(err, SDD_ENO_MEMORY, field, "no memory for names");
    *number = s->slots[at] = (int32_t)s->starts.n;
    return SDD_OK;
}

void name_set_fini(struct name_set *s)
{
    text_free(&s->text);
    free(s->starts.p);
    free(s->hashes.p);
    free(s->slots);
}
