/* SPDX-License-Identifier: Apache-2.0 */
/* kernels_cpu.c: every kernel as a parallel loop. The only file that is compiled for x86-64-v3: fmaf must be an
 * instruction, not a call. backend_cpu.c checks the processor before it calls in here. */
#include "gpu/kernels_cpu.h"
#include "kernels_all.h"

/* Chunks are long enough that neighbours in the index stay in one core's cache, and handed out as threads come for
 * them, so that a core with other work does not hold the rest up. */
#define PRAGMA(text) _Pragma(#text)
#define LOOP(name, chunk)                                                                                              \
    static void loop_##name(const void *args, int64_t n, int threads)                                                  \
    {                                                                                                                  \
        struct name##_args a = *(const struct name##_args *)args;                                                      \
        (void)threads;                                                                                                 \
        PRAGMA(omp parallel for schedule(dynamic, chunk) num_threads(threads) if (n > 2 * chunk))                      \
        for (int64_t i = 0; i < n; i++)                                                                                \
            k_##name(i, &a);                                                                                           \
    }
#define SDD_KERNEL(name) LOOP(name, 1024)
#define SDD_TILES(name) LOOP(name, 4)
#include "kernels.def"
#undef SDD_KERNEL

const struct sdd_kernel_loop sdd_kernel_loops[SDD_N_KERNELS] = {
#define SDD_KERNEL(name) {loop_##name, sizeof(struct name##_args)},
#include "kernels.def"
#undef SDD_KERNEL
};
