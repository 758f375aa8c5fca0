/* SPDX-License-Identifier: Apache-2.0 */
/* pinned_ring.h: a few blocks of pinned host memory for results that are freed soon, to which the device copies
 * directly. A block is pinned when it is first needed, at 0.3 ms/MB, and stays until the ring is trimmed. When no more
 * memory can be pinned, results lie in ordinary memory, which is no failure.
 * Threads  ring_give may be called on any thread, the others on that of the device */
#ifndef SDD_PINNED_RING_H
#define SDD_PINNED_RING_H
#include <cuda_runtime.h>

#define RING_BLOCKS 8         /* Enough for two streams and a batch. */
#define RING_BYTES (9u << 20) /* The size of a block: the smallest piece of a streamed frame, and its rounding. */

struct pinned_ring {
    void *block[RING_BLOCKS]; /* NULL when it was not needed yet. */
    int taken[RING_BLOCKS];
    int refused; /* Whether pinning more memory failed. */
};

/* Returns the block that begins at `memory`, or RING_BLOCKS when there is none. A block that is taken stays where it
 * is, so another thread may look for it. */
static int ring_find(const struct pinned_ring *r, const void *memory)
{
    int i = 0;
    while (i < RING_BLOCKS && (!memory || __atomic_load_n(&r->block[i], __ATOMIC_ACQUIRE) != memory))
        i++;
    return i;
}

static void ring_give(struct pinned_ring *r, int i)
{
    __atomic_store_n(&r->taken[i], 0, __ATOMIC_RELEASE);
}

/* Takes a free block. Returns NULL when all are taken or no more memory can be pinned. */
static void *ring_take(struct pinned_ring *r)
{
    int i = 0;
    while (i < RING_BLOCKS && __atomic_load_n(&r->taken[i], __ATOMIC_ACQUIRE))
        i++;
    if (i == RING_BLOCKS || (!r->block[i] && r->refused))
        return NULL;
    if (!r->block[i]) {
        void *block = NULL;
        if (cudaHostAlloc(&block, RING_BYTES, cudaHostAllocDefault) != cudaSuccess) {
            (void)cudaGetLastError(); /* If the device is lost, the next call fails too. */
            r->refused = 1;
            return NULL;
        }
        __atomic_store_n(&r->block[i], block, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&r->taken[i], 1, __ATOMIC_RELEASE);
    return r->block[i];
}

/* Returns free blocks to the system. No copy to them may be in progress. */
static cudaError_t ring_trim(struct pinned_ring *r)
{
    cudaError_t first = cudaSuccess;
    for (int i = 0; i < RING_BLOCKS; i++) {
        if (!r->block[i] || __atomic_load_n(&r->taken[i], __ATOMIC_ACQUIRE))
            continue;
        const cudaError_t e = cudaFreeHost(r->block[i]);
        __atomic_store_n(&r->block[i], (void *)NULL, __ATOMIC_RELEASE);
        first = first == cudaSuccess ? e : first;
    }
    r->refused = 0;
    return first;
}

#endif
