/* SPDX-License-Identifier: Apache-2.0 */
/* digest.c: the digest of a block: a tree of XXH64, so that a device makes it in parallel and a client checks it with any
 * xxHash library. */
#include "gpu/digest.h"
#include "gpu/kernels/digest_piece.h"
#include <stdlib.h>
#include <xxhash.h>

static int64_t pieces(int64_t bytes)
{
    return bytes ? (bytes + SDD_DIGEST_PIECE - 1) / SDD_DIGEST_PIECE : 1;
}

int64_t digest_scratch(int64_t bytes)
{
    struct arena count = {NULL, 0};
    int64_t n = pieces(bytes);
    (void)ARENA(&count, uint64_t, n);
    if (n > 1)
        (void)ARENA(&count, uint64_t, pieces(n * 8));
    return count.used;
}

uint64_t *digest_queue(sdd_device *d, const void *data, int64_t bytes, void *scratch)
{
    struct arena a = {scratch, 0};
    int64_t n = pieces(bytes);
    uint64_t *to = ARENA(&a, uint64_t, n), *other = n > 1 ? ARENA(&a, uint64_t, pieces(n * 8)) : NULL;
    const void *from = data;
    for (;;) {
        struct digest_piece_args args = {from, to, bytes};
        DEV_LAUNCH(d, digest_piece, &args, n);
        if (n == 1)
            return to;
        bytes = n * 8;
        n = pieces(bytes);
        from = to;
        to = other;
        other = (uint64_t *)(uintptr_t)from;
    }
}

uint64_t sdd_digest(const void *data, int64_t bytes)
{
    int64_t n = pieces(bytes);
    if (n == 1)
        return XXH64(data, (size_t)bytes, 0);
    uint64_t *values = malloc((size_t)n * sizeof *values), digest;
    if (!values)
        return 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t left = bytes - i * SDD_DIGEST_PIECE;
        values[i] = XXH64((const char *)data + i * SDD_DIGEST_PIECE,
                          (size_t)(left < SDD_DIGEST_PIECE ? left : SDD_DIGEST_PIECE), 0);
    }
    digest = sdd_digest(values, n * 8);
    free(values);
    return digest;
}
