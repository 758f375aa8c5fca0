/* SPDX-License-Identifier: Apache-2.0 */
/* room_loops.h: the end of the translation unit that list-kernels makes for gcc and each room. It turns every kernel of
 * the room into a parallel loop over items, elements or tiles. Only these units are compiled for x86-64-v3, where fmaf
 * is an instruction and not a call; backend_cpu.c checks the processor before it calls into them. SDD_ROOM_KERNELS
 * names the room's list of kernels. */
#include "gpu/device/cpu/kernels_cpu.h"
#include "gpu/kernel/query.h"

/* Chunks are long enough that neighbouring indices stay in one core's cache. Threads fetch them one by one, so that a
 * core that is busy with other work does not delay the rest. */
#define PRAGMA(text) _Pragma(#text)
#define LOOP(name, body, loop, record, chunk)                                                                          \
    static void loop(const void *args, int64_t n, int threads)                                                         \
    {                                                                                                                  \
        struct name##_args a = *(const struct name##_args *)args;                                                      \
        (void)threads;                                                                                                 \
        PRAGMA(omp parallel for schedule(dynamic, chunk) num_threads(threads) if (n > 2 * chunk))                      \
        for (int64_t i = 0; i < n; i++)                                                                                \
            body(i, &a);                                                                                               \
    }                                                                                                                  \
    const struct sdd_kernel_loop record = {loop, sizeof(struct name##_args)};
#define SDD_ITEM(name) LOOP(name, k_##name, loop_##name, sdd_loop_##name, 1024)
#define SDD_QUERY(name) SDD_QUERY_BODY(name) LOOP(name, q_##name, loop_##name, sdd_loop_##name, 1024)
#define SDD_TILE(name) LOOP(name, k_##name, loop_##name, sdd_loop_##name, 4)
#define SDD_TUNED_TILE(name) SDD_TILE(name) LOOP(name, k_##name, reference_##name, sdd_reference_loop_##name, 4)
#define SDD_TUNED_ITEM(name) /* An item of a tuned kernel is large: a whole block on a GPU. */                         \
    SDD_TILE(name) LOOP(name, r_##name, reference_##name, sdd_reference_loop_##name, 4)
#include SDD_ROOM_KERNELS
