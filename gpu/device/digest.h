/* SPDX-License-Identifier: Apache-2.0 */
/* digest.h: digests of blocks on the device; shared inside gpu/. */
#ifndef SDD_DIGEST_H
#define SDD_DIGEST_H
#include "gpu/device/device.h"

/* digest_scratch: device bytes that digest_queue needs for a block. */
int64_t digest_scratch(int64_t bytes);
/* digest_queue: queues the tree over data[bytes] (device, 8-byte aligned, a multiple of 4 bytes) that leaves
 * its one value in *out, on the device. */
void digest_queue(sdd_device *d, const void *data, int64_t bytes, void *scratch, uint64_t *out);

#endif
