/* SPDX-License-Identifier: Apache-2.0 */
/* digest.c: the digest of a block, for results and whoever checks them. It is a tree of XXH64, so that a device
 * makes it in parallel and a client checks it with any xxHash library. */
#include "gpu/device/digest.h"
#include "gpu/device/kernels/digest_piece.k.h"
#include <xxhash.h>

_Static_assert(DIGEST_PIECE == SDD_DIGEST_PIECE, "kernel and host cut alike");

static int64_t pieces(int64_t bytes)
{
    return bytes ? (bytes + SDD_DIGEST_PIECE - 1) / SDD_DIGEST_PIECE : 1;
}

int64_t digest_scratch(int64_t bytes)
{
    struct arena count = {NULL, 0};
    for (int64_t n = pieces(bytes); n > 1; n = pieces(n * 8))
        (void)ARENA(&count, uint64_t, n);
    return count.used;
}

void digest_queue(sdd_device *d, const void *data, int64_t bytes, void *scratch, uint64_t *out)
{
    struct arena a = {scratch, 0};
    struct digest_piece_args args = {data, NULL, bytes};
    for (int64_t n = pieces(bytes);; n = pieces(args.bytes)) {
        args.out = n > 1 ? ARENA(&a, uint64_t, n) : out;
        DEV_LAUNCH(d, digest_piece, &args, n);
        if (n <= 1)
            break;
        args.data = args.out;
        args.bytes = n * 8;
    }
}

/* The value of one node of the tree, which digests the values of up to 128 nodes below it. No level is ever held as
 * a whole. */
static uint64_t digest_node(const char *data, int64_t bytes, int64_t span)
{
    uint64_t values[SDD_DIGEST_PIECE / 8];
    size_t n = 0;
    if (span == SDD_DIGEST_PIECE)
        return XXH64(data, (size_t)bytes, 0);
    span /= SDD_DIGEST_PIECE / 8;
    for (int64_t at = 0; at < bytes; at += span)
        values[n++] = digest_node(data + at, bytes - at < span ? bytes - at : span, span);
    return XXH64(values, n * sizeof values[0], 0);
}

uint64_t sdd_digest(const void *data, int64_t bytes)
{
    int64_t span = SDD_DIGEST_PIECE; /* The bytes under the root are 1024 * 128^k. Nine levels cover 64 bits. */
    while (span < bytes)
        span *= SDD_DIGEST_PIECE / 8;
    return digest_node(data, bytes, span);
}

/* The probe is the smallest real work: a digest of one zero word, which is checked. */
int sdd_device_probe(sdd_device *d, struct sdd_error *err)
{
    uint64_t digest = 0, zero = 0;
    int64_t bytes = 512 + digest_scratch(sizeof zero);
    void *memory;
    int rc = dev_alloc(d, bytes, &memory, err);
    if (rc)
        return rc;
    dev_upload(d, memory, &zero, sizeof zero);
    char *base = memory;
    digest_queue(d, base, sizeof zero, base + 512, (uint64_t *)(void *)(base + 256));
    dev_download(d, &digest, base + 256, sizeof digest);
    rc = dev_finish(d, err);
    dev_free(d, memory, bytes);
    if (!rc && digest != sdd_digest(&zero, sizeof zero))
        return sdd_fail(err, SDD_EDEVICE, "", "%s computes wrong values", d->name);
    return rc;
}
