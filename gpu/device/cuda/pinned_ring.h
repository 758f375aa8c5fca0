/* SPDX-License-Identifier: Apache-2.0 */
/* pinned_ring.h: some blocks of pinned host memory, for results that are given back soon: the device copies to them by
 * itself. Each is pinned when it is first needed, at 0.3 ms/MB, and stays until the ring is trimmed. Where no more
 * can be pinned results lie in ordinary memory: that is no failure. Threads: one at a time on a ring. */
#ifndef SDD_PINNED_RING_H
#define SDD_PINNED_RING_H
#include <cuda_runtime.h>

#define RING_BLOCKS 8         /* two streams and what is made together with others */
#define RING_BYTES (9u << 20) /* of a block: the least piece of a frame that leaves in pieces, and its rounding */

struct pinned_ring {
    void *block[RING_BLOCKS]; /* NULL: not needed yet */
    int taken[RING_BLOCKS];
    int refused; /* no more could be pinned */
};

/* The block that begins at `memory`; RING_BLOCKS: none. */
static int ring_find(const struct pinned_ring *r, const void *memory)
{
    int i = 0;
    while (i < RING_BLOCKS && (!memory || r->block[i] != memory))
        i++;
    return i;
}

/* NULL: all are taken, or no more memory can be pinned. */
static void *ring_take(struct pinned_ring *r)
{
    int i = 0;
    while (i < RING_BLOCKS && r->taken[i])
        i++;
    if (i == RING_BLOCKS || (!r->block[i] && r->refused))
        return NULL;
    if (!r->block[i] && cudaHostAlloc(&r->block[i], RING_BYTES, cudaHostAllocDefault) != cudaSuccess) {
        (void)cudaGetLastError(); /* of a device that is lost the next call tells */
        r->refused = 1;
        return r->block[i] = NULL;
    }
    r->taken[i] = 1;
    return r->block[i];
}

/* Blocks that nobody has go back to the system; no copy to them may be under way. */
static cudaError_t ring_trim(struct pinned_ring *r)
{
    cudaError_t first = cudaSuccess;
    for (int i = 0; i < RING_BLOCKS; i++) {
        if (!r->block[i] || r->taken[i])
            continue;
        const cudaError_t e = cudaFreeHost(r->block[i]);
        r->block[i] = NULL;
        first = first == cudaSuccess ? e : first;
    }
    r->refused = 0;
    return first;
}

#endif
