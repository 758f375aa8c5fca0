/* SPDX-License-Identifier: Apache-2.0 */
/* room_loops.h: the end of the translation unit that list-kernels makes for gcc and each room. It turns every kernel of
 * the room into a parallel loop over items, elements or tiles. Only these units are compiled for x86-64-v3, where fmaf
 * is an instruction and not a call; backend_cpu.c checks the processor before it calls into them. SDD_ROOM_KERNELS
 * names the room's list of kernels. */
#include "gpu/device/cpu/kernels_cpu.h"
#include <time.h>

/* Threads fetch chunks one by one, so that a core that is busy with other work does not delay the rest. A chunk is long
 * enough that neighbouring indices stay in one core's cache and that looking at the clock costs nothing beside it,
 * unless its items take long: then it gets shorter, so that no thread is far behind its time. */
struct loop_chunk {
    int64_t end, size;
    uint64_t since;
};
#define CHUNK_BRIEF_NS 50000
#define CHUNK_LONG_NS 1000000
#define CHUNK_SHARE 16 /* At most this part of what a thread has left goes into a chunk that is longer than `usual`. */

/* Fetches the next chunk; the first is short, because nothing is known of its items. Returns n once there is none, or
 * the time is over; but each thread gets one. */
static inline int64_t chunk_fetch(struct loop_chunk *c, int64_t *next, int64_t n, int64_t usual, int threads,
                                  uint64_t until)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    const uint64_t now = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
    if (!c->size)
        c->size = usual > 32 ? usual / 32 : 1;
    else if (until && now >= until)
        return n;
    else if (now - c->since < CHUNK_BRIEF_NS) {
        const int64_t share = (n - __atomic_load_n(next, __ATOMIC_RELAXED)) / (CHUNK_SHARE * threads);
        const int64_t most = share > usual ? share : usual;
        c->size = 4 * c->size < most ? 4 * c->size : most;
    } else if (now - c->since > CHUNK_LONG_NS)
        c->size = c->size > 1 ? c->size / 2 : 1;
    c->since = now;
    const int64_t first = __atomic_fetch_add(next, c->size, __ATOMIC_RELAXED);
    c->end = n - first < c->size ? n : first + c->size;
    return first < n ? first : n;
}

#define PRAGMA(text) _Pragma(#text)
#define LOOP(name, body, loop, record, chunk)                                                                          \
    static int64_t loop(const void *args, int64_t first, int64_t n, int threads, uint64_t until)                       \
    {                                                                                                                  \
        struct name##_args a = *(const struct name##_args *)args;                                                      \
        int64_t next = first;                                                                                          \
        PRAGMA(omp parallel num_threads(threads) if (n - first > 2 * chunk))                                           \
        {                                                                                                              \
            struct loop_chunk c = {0, 0, 0};                                                                           \
            for (int64_t begin; (begin = chunk_fetch(&c, &next, n, chunk, threads, until)) < n;)                       \
                for (int64_t i = begin; i < c.end; i++)                                                                \
                    body(i, &a);                                                                                       \
        }                                                                                                              \
        return next < n ? next : n;                                                                                    \
    }                                                                                                                  \
    const struct sdd_kernel_loop record = {loop, sizeof(struct name##_args)};
#define SDD_ITEM(name) LOOP(name, k_##name, loop_##name, sdd_loop_##name, 1024)
#define SDD_QUERY(name) /* The three forms of gpu/tiles/query.h, which the kernel itself includes. */                  \
    SDD_QUERY_BODY(name)                                                                                               \
    LOOP(name, q_##name, loop_##name, sdd_loop_##name, 1024)                                                           \
    LOOP(name, q_##name##_kept, loop_##name##_kept, sdd_loop_##name##_kept, 4)                                         \
    LOOP(name, q_##name##_staged, loop_##name##_staged, sdd_loop_##name##_staged, 4)
#define SDD_TILE(name) LOOP(name, k_##name, loop_##name, sdd_loop_##name, 4)
#define SDD_TUNED_TILE(name) SDD_TILE(name) LOOP(name, k_##name, reference_##name, sdd_reference_loop_##name, 4)
#define SDD_TUNED_ITEM(name) /* An item of a tuned kernel is large: a whole block on a GPU. */                         \
    SDD_TILE(name) LOOP(name, r_##name, reference_##name, sdd_reference_loop_##name, 4)
#include SDD_ROOM_KERNELS
