/* SPDX-License-Identifier: Apache-2.0 */
/* release.h: frees memory that a pool counts, on the reaper's thread when it is large, then gives its bytes back. */
#ifndef SUBDD_RELEASE_H
#define SUBDD_RELEASE_H
#include "server/base/pool.h"
#include "server/jobs/executor.h"

/* pool_release: calls release(pointer), and then gives `bytes` back to the pool.
 * What `free` releases must have as many bytes; it goes back to the system a few pages at a time.
 * Owner  it takes the memory over; NULL only gives the bytes back */
void pool_release(struct executor *reaper, struct pool *pool, enum pool_use use, int64_t bytes, void *pointer,
                  void (*release)(void *pointer));

#endif
