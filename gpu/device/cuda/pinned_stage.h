/* SPDX-License-Identifier: Apache-2.0 */
/* pinned_stage.h: a little pinned host memory through which copies between a stream and ordinary memory go. Threads
 * fill or empty one half of it while the stream reads or fills the other.
 * Threads  one at a time on a stage */
#ifndef SDD_PINNED_STAGE_H
#define SDD_PINNED_STAGE_H
#include <cuda_runtime.h>
#include <omp.h>
#include <string.h>

#define STAGE_BYTES (8u << 20)
#define STAGE_HALF (STAGE_BYTES / 2)
#define STAGE_LONG (1u << 20)   /* Uploads longer than this alternate between the two halves. */
#define STAGE_SHORT (32u << 10) /* Downloads up to this use CUDA's own copy, which is quick for them. */
#define STAGE_THREADS 8         /* One core fills or empties the stage at a third of the rate of PCIe. */
#define STAGE_PART (256u << 10) /* The least bytes that are worth a thread. */

struct pinned_stage {
    cudaStream_t stream; /* Owned by the caller. */
    char *memory;
    cudaEvent_t done[2]; /* Recorded when the stream has read or written this half. */
    size_t used;         /* The bytes that the stream may still read. */
};

/* Opens the stage. After a failure stage_close frees what was made before it. */
static cudaError_t stage_open(struct pinned_stage *s, cudaStream_t stream)
{
    s->stream = stream;
    cudaError_t e = cudaHostAlloc((void **)&s->memory, STAGE_BYTES, cudaHostAllocDefault);
    for (int i = 0; i < 2 && e == cudaSuccess; i++)
        e = cudaEventCreateWithFlags(&s->done[i], cudaEventDisableTiming);
    return e;
}

/* Frees the stage and returns the first error. No copy may be in progress. */
static cudaError_t stage_close(struct pinned_stage *s)
{
    cudaError_t first = s->memory ? cudaFreeHost(s->memory) : cudaSuccess;
    for (int i = 0; i < 2; i++) {
        const cudaError_t e = s->done[i] ? cudaEventDestroy(s->done[i]) : cudaSuccess;
        first = first == cudaSuccess ? e : first;
    }
    return first;
}

/* Waits for all work of the stream. */
static cudaError_t stage_wait(struct pinned_stage *s)
{
    s->used = 0;
    return cudaStreamSynchronize(s->stream);
}

static void copy_by_threads(char *to, const char *from, size_t n)
{
    const size_t worth = n / STAGE_PART + 1, most = STAGE_THREADS, cores = (size_t)omp_get_num_procs();
    const size_t threads = worth < most ? (worth < cores ? worth : cores) : (most < cores ? most : cores);
    const size_t part = (n / threads + 63) / 64 * 64;
#pragma omp parallel for num_threads((int)threads) schedule(static, 1) if (threads > 1)
    for (size_t t = 0; t < threads; t++) {
        const size_t first = t * part < n ? t * part : n,
                     last = t + 1 == threads || first + part > n ? n : first + part;
        memcpy(to + first, from + first, last - first);
    }
}

static cudaError_t stage_up_long(struct pinned_stage *s, char *to, const char *from, size_t n)
{
    cudaError_t e = s->used ? stage_wait(s) : cudaSuccess;
    for (size_t at = 0, half = 0; at < n && e == cudaSuccess; at += STAGE_HALF, half ^= 1) {
        const size_t bytes = n - at < STAGE_HALF ? n - at : STAGE_HALF;
        char *staged = s->memory + half * STAGE_HALF;
        if (at >= STAGE_BYTES)
            e = cudaEventSynchronize(s->done[half]);
        copy_by_threads(staged, from + at, bytes);
        if (e == cudaSuccess)
            e = cudaMemcpyAsync(to + at, staged, bytes, cudaMemcpyHostToDevice, s->stream);
        if (e == cudaSuccess)
            e = cudaEventRecord(s->done[half], s->stream);
    }
    s->used = STAGE_BYTES;
    return e;
}

/* Copies to the device. On return the source may be changed, but the stage is still in use, and the next copy waits for
 * it. */
static cudaError_t stage_up(struct pinned_stage *s, char *to, const char *from, size_t n)
{
    if (n > STAGE_LONG)
        return stage_up_long(s, to, from, n);
    const cudaError_t e = s->used + n > STAGE_BYTES ? stage_wait(s) : cudaSuccess;
    if (e != cudaSuccess)
        return e;
    char *staged = s->memory + s->used;
    memcpy(staged, from, n);
    s->used += (n + 63) / 64 * 64;
    return cudaMemcpyAsync(to, staged, n, cudaMemcpyHostToDevice, s->stream);
}

/* Copies from the device. All bytes have arrived on return. */
static cudaError_t stage_down(struct pinned_stage *s, char *to, const char *from, size_t n)
{
    cudaError_t e = s->used ? stage_wait(s) : cudaSuccess;
    for (size_t at = 0, half = 0; at < n + STAGE_HALF && e == cudaSuccess; at += STAGE_HALF, half ^= 1) {
        if (at < n) {
            const size_t bytes = n - at < STAGE_HALF ? n - at : STAGE_HALF;
            e = cudaMemcpyAsync(s->memory + half * STAGE_HALF, from + at, bytes, cudaMemcpyDeviceToHost, s->stream);
            if (e == cudaSuccess)
                e = cudaEventRecord(s->done[half], s->stream);
        }
        if (at >= STAGE_HALF && e == cudaSuccess && (e = cudaEventSynchronize(s->done[half ^ 1])) == cudaSuccess) {
            const size_t before = at - STAGE_HALF, bytes = n - before < STAGE_HALF ? n - before : STAGE_HALF;
            copy_by_threads(to + before, s->memory + (half ^ 1) * STAGE_HALF, bytes);
        }
    }
    return e;
}

#endif
