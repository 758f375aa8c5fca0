/* SPDX-License-Identifier: Apache-2.0 */
/* tile.h: the kernel language's second shape. A kernel of tiles is one header gpu/ROOM/kernels/NAME.tile.h with a
 * struct NAME_args, a constant NAME_threads, the number of threads of its blocks on a GPU, and a body k_NAME(tile,
 * args) that makes one tile, in valid C11 and valid CUDA C++. nvcc runs it as one block for each tile. gcc makes a loop
 * over tiles, each of which one thread runs from top to bottom.
 *
 * A body is a sequence of phases. Code outside of SDD_EACH is run by all threads of a block alike. A phase is one
 * SDD_EACH loop or several that do not read each other's results, and SDD_SYNC ends it. On the CPU SDD_EACH is a plain
 * loop, SDD_SYNC is nothing and SDD_SHARED is an array on the stack.
 *
 * Rules
 *   - Only SDD_SHARED arrays and global memory carry results across SDD_SYNC. A variable that is set inside SDD_EACH
 *     does not outlive its round. What is computed outside may depend only on `tile`, the arguments and the results of
 *     earlier phases.
 *   - All threads of the block must reach SDD_SYNC, so it is never inside SDD_EACH, nor behind a branch or a return
 *     that depends on anything but `tile` and the arguments.
 *   - A word of a phase has one writer, or is changed by sdd_tile_add alone. The order of these additions is unknown on
 *     a GPU and must not show: sort what they placed, or use their sum only.
 *   - The SDD_SHARED arrays of a kernel are declared at the top of its body and take at most 48 KiB together. They are
 *     not initialised.
 * A missing SDD_SYNC does not show on the CPU: only the tests on a GPU and racecheck find it. */
#ifndef SDD_TILE_H
#define SDD_TILE_H
#include "gpu/kernel/kernel.h"

#ifdef __CUDACC__
#define SDD_SHARED(type, name, n) __shared__ type name[n]
#define SDD_EACH(i, n) for (int32_t i = (int32_t)threadIdx.x; i < (n); i += (int32_t)blockDim.x)
#define SDD_SYNC __syncthreads()
#else
#define SDD_SHARED(type, name, n) type name[n]
#define SDD_EACH(i, n) for (int32_t i = 0; i < (n); i++)
#define SDD_SYNC ((void)0)
#endif

/* Adds to a word of SDD_SHARED memory and returns what it was before. */
SDD_FN int32_t sdd_tile_add(int32_t *word, int32_t value)
{
#if defined(__CUDA_ARCH__)
    return atomicAdd(word, value);
#else
    const int32_t before = *word;
    *word = before + value;
    return before;
#endif
}

/* Replaces each of the n numbers of an SDD_SHARED array by the sum of those before it: count[i] becomes count[0] + ...
 * + count[i - 1]. All threads call it after an SDD_SYNC, and the sums are complete when it returns. `scratch` is
 * SDD_SHARED memory of SDD_SCAN_SCRATCH numbers. The threads of a block are a multiple of 32. */
#define SDD_SCAN_SCRATCH 32
SDD_FN void sdd_tile_scan(int32_t *count, int32_t *scratch, int32_t n)
{
#ifdef __CUDACC__
    const int32_t lane = (int32_t)(threadIdx.x & 31), warp = (int32_t)(threadIdx.x >> 5);
    int32_t before = 0; /* The sum of all earlier rounds, a number a thread in each. */
    for (int32_t first = 0; first < n; first += (int32_t)blockDim.x) {
        const int32_t i = first + (int32_t)threadIdx.x, own = i < n ? count[i] : 0;
        int32_t sum = own;
        for (int32_t step = 1; step < 32; step *= 2) {
            const int32_t other = __shfl_up_sync(0xffffffffu, sum, (unsigned)step);
            sum += lane >= step ? other : 0;
        }
        if (lane == 31)
            scratch[warp] = sum;
        SDD_SYNC;
        int32_t all = 0;
        for (int32_t w = 0; w < (int32_t)(blockDim.x >> 5); w++) {
            sum += w < warp ? scratch[w] : 0;
            all += scratch[w];
        }
        if (i < n)
            count[i] = before + sum - own;
        before += all;
        SDD_SYNC;
    }
#else
    int32_t sum = 0;
    (void)scratch;
    for (int32_t i = 0; i < n; i++) {
        const int32_t next = sum + count[i];
        count[i] = sum;
        sum = next;
    }
#endif
}
#endif
