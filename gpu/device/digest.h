/* SPDX-License-Identifier: Apache-2.0 */
/* digest.h: digests of blocks on the device, for results. */
#ifndef SDD_DIGEST_H
#define SDD_DIGEST_H
#include "gpu/device/device.h"

#define DIGEST_PIECE 1024 /* The bytes of a piece; its digest is one XXH64. */

/* digest_scratch: the device bytes of scratch that digest_queue needs for a block. */
int64_t digest_scratch(int64_t bytes);
/* digest_queue: queues the digest tree over data[bytes], which leaves its one value in *out, and where there is more
 * than one piece the values of pieces at the beginning of the scratch. All of it is on the device; data is 8-byte
 * aligned and `bytes` a multiple of 4. */
void digest_queue(sdd_device *d, const void *data, int64_t bytes, void *scratch, uint64_t *out);

#endif
