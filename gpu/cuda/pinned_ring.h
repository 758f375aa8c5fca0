/* SPDX-License-Identifier: Apache-2.0 */
/* pinned_ring.h: some blocks of pinned host memory, for results that are given back soon: the device copies to them by
 * itself. Each is pinned when it is first needed, at 0.3 ms/MB, and stays. Threads: one at a time on a ring. */
#ifndef SDD_PINNED_RING_H
#define SDD_PINNED_RING_H
#include <cuda_runtime.h>

#define RING_BLOCKS 8         /* two streams and what is made together with others */
#define RING_BYTES (9u << 20) /* of a block: a piece of a frame */

struct pinned_ring {
    void *block[RING_BLOCKS]; /* NULL: not needed yet */
    int taken[RING_BLOCKS];
};

/* The block that begins at `memory`; RING_BLOCKS: none. */
static int ring_find(const struct pinned_ring *r, const void *memory)
{
    int i = 0;
    while (i < RING_BLOCKS && (!memory || r->block[i] != memory))
        i++;
    return i;
}

/* NULL: all are taken, or, as *e says, no more memory can be pinned. */
static void *ring_take(struct pinned_ring *r, cudaError_t *e)
{
    int i = 0;
    *e = cudaSuccess;
    while (i < RING_BLOCKS && r->taken[i])
        i++;
    if (i == RING_BLOCKS)
        return NULL;
    if (!r->block[i] && (*e = cudaHostAlloc(&r->block[i], RING_BYTES, cudaHostAllocDefault)) != cudaSuccess)
        return r->block[i] = NULL;
    r->taken[i] = 1;
    return r->block[i];
}

static cudaError_t ring_free(struct pinned_ring *r)
{
    cudaError_t e = cudaSuccess;
    for (int i = 0; i < RING_BLOCKS; i++)
        if (r->block[i])
            e = e == cudaSuccess ? cudaFreeHost(r->block[i]) : e;
    return e;
}

#endif
