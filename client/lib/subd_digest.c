/* SPDX-License-Identifier: Apache-2.0 */
/* subd_digest.c: computes the digest xxh64-tree-1k (proto/README.md) of a stream of bytes, in memory of fixed size, for
 * the frame parser.
 *
 * It is a tree of hashes. Each piece of 1,024 bytes is hashed by XXH64 with seed 0; these hashes are level 0. Written
 * one after another as little-endian values, they are hashed in the same way into level 1, and so on until a level has
 * one value alone, which is the digest. 128 values are 1,024 bytes, so a level that has 128 values waiting passes them
 * on as one value of the next level at once. */
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

/* Adds a value to a level. counts[level] counts all values that the level ever had; the last counts[level] % 128 of
 * them are waiting. Ten levels are enough for 2^80 bytes, so the last one never fills. */
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
        return XXH64("", 0, 0); /* The digest of no bytes. */
    /* Each level, from the lowest on, passes on what is waiting, until one has had a single value. This changes *d. */
    for (int level = 0;; level++) {
        size_t left = (size_t)(d->counts[level] % PER_LEVEL);
        if (d->counts[level] == 1)
            return d->values[level][0];
        if (left)
            push(d, level + 1, XXH64(d->values[level], left * sizeof(uint64_t), 0));
    }
}
