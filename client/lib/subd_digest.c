/* SPDX-License-Identifier: Apache-2.0 */
/* subd_digest.c: xxh64-tree-1k of bytes that come in order, in fixed memory.
 *
 * XXH64 (seed 0) of each 1,024-byte piece; the values, little-endian and concatenated, again; until one is left. A
 * level's 128 values are 1,024 bytes, so a full level becomes one value of the next at once. */
#define XXH_INLINE_ALL
#include "subd_frame.h"
#include <xxhash.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "values are hashed as they lie in memory");
#define PER_LEVEL 128
#define LEVELS ((int)(sizeof((struct subd_digest *)0)->counts / sizeof(int64_t)))

void subd_digest_begin(struct subd_digest *d)
{
    for (int i = 0; i < LEVELS; i++)
        d->counts[i] = 0;
}

/* counts[] counts all values a level ever had; those not yet passed on are the last counts % 128. Ten levels hold
 * 2^80 bytes, so the last one never fills. */
static void push(struct subd_digest *d, int level, uint64_t value)
{
    for (;; level++) {
        d->values[level][d->counts[level]++ % PER_LEVEL] = value;
        if (d->counts[level] % PER_LEVEL != 0)
            return;
        value = XXH64(d->values[level], sizeof d->values[level], 0);
    }
}

void subd_digest_piece(struct subd_digest *d, const void *data, size_t bytes)
{
    push(d, 0, XXH64(data, bytes, 0));
}

uint64_t subd_digest_end(struct subd_digest *d)
{
    if (d->counts[0] == 0)
        return XXH64("", 0, 0);
    for (int level = 0;; level++) {
        size_t left = (size_t)(d->counts[level] % PER_LEVEL);
        if (d->counts[level] == 1)
            return d->values[level][0];
        if (left)
            push(d, level + 1, XXH64(d->values[level], left * sizeof(uint64_t), 0));
    }
}
