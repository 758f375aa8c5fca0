/* SPDX-License-Identifier: Apache-2.0 */
/* subd_digest.c: the digest xxh64-tree-1k of bytes that come in order, in fixed memory, for the frame parser.
 *
 * Each piece of 1,024 bytes is hashed by XXH64 with seed 0. The hashes, written one after another as little-endian
 * values, are digested in the same way until one is left. The 128 values of a level are 1,024 bytes, so a full level
 * becomes one value of the next at once. */
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

/* counts[] counts all values that a level ever had; its last counts % 128 values are not passed on yet. Ten levels hold
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
