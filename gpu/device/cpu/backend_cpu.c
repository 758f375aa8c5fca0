/* SPDX-License-Identifier: Apache-2.0 */
/* backend_cpu.c: the CPU as a device, for hosts without a GPU and for tests: memory of the host, OpenMP loops, and a
 * scan and a sort of its own. Work is done when a call returns. */
#include "gpu/backend/backend.h"
#include "abi.h"
#include "gpu/backend/host_cache.h"
#include "gpu/device/cpu/kernels_cpu.h"
#include "gpu/sdd/sdd.h"
#include <cpuid.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#define RADIX_BITS 8
#define RADIX (1 << RADIX_BITS)
#define SERIAL 16384 /* Below this many items a team of threads costs more than it saves. */

struct cpu {
    int threads;
    struct host_cache cache;
    double marks[SDD_N_MARKS];
    int (*pause)(void *user); /* NULL unless launches are cut in slices. */
    void *user;
};

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int cpu_probe(char *reason, size_t size)
{
    unsigned a = 0, b = 0, c = 0, d = 0; /* cpuid is asked because not every compiler's builtin knows F16C by name. */
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __get_cpuid(1, &a, &b, &c, &d) &&
        (c & bit_F16C))
        return 1;
    snprintf(reason, size, "this processor lacks AVX2, FMA or F16C (x86-64-v3), which the CPU backend is built for");
    return 0;
}

static int cpu_open(int index, int threads, void **device, char *name, size_t size, struct sdd_error *err)
{
    struct cpu *d;
    char reason[128];
    (void)index;
    *device = NULL;
    if (!cpu_probe(reason, sizeof reason))
        return sdd_fail(err, SDD_EDEVICE, "backend", "%s", reason);
    d = calloc(1, sizeof *d);
    if (!d)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for a device record");
#ifdef _OPENMP
    d->threads = threads > 0 ? threads : omp_get_max_threads();
#else
    (void)threads;
    d->threads = 1;
#endif
    snprintf(name, size, "CPU, %d thread%s", d->threads, d->threads == 1 ? "" : "s");
    host_cache_open(&d->cache);
    *device = d;
    return SDD_OK;
}

static void cpu_keep(void *device, int64_t bytes)
{
    host_cache_limit(&((struct cpu *)device)->cache, bytes);
}

static void cpu_trim(void *device)
{
    host_cache_trim(&((struct cpu *)device)->cache);
}

static void cpu_close(void *device)
{
    if (device)
        cpu_trim(device);
    free(device);
}

static int cpu_threads(void *device)
{
    return ((struct cpu *)device)->threads;
}

/* The number after `label` in a small file of the operating system, or -1 where there is none, as for a cgroup
 * without a limit. */
static int64_t read_number(const char *path, const char *label)
{
    char text[4096];
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f)
        fclose(f);
    text[n] = 0;
    const char *at = strstr(text, label);
    char *end = text;
    long long number = at ? strtoll(at + strlen(label), &end, 10) : -1;
    return at && end != at + strlen(label) ? number : -1;
}

/* Free memory is what can be had without swapping, and no more than the container's limit leaves. */
static int cpu_memory(void *device, int64_t *free_bytes, int64_t *total_bytes)
{
    long page = sysconf(_SC_PAGESIZE);
    int64_t kb = read_number("/proc/meminfo", "MemAvailable:"), limit = read_number("/sys/fs/cgroup/memory.max", "");
    int64_t used = read_number("/sys/fs/cgroup/memory.current", "");
    (void)device;
    *free_bytes = kb >= 0 ? 1024 * kb : (int64_t)sysconf(_SC_AVPHYS_PAGES) * page;
    *total_bytes = (int64_t)sysconf(_SC_PHYS_PAGES) * page;
    if (limit >= 0 && used >= 0) {
        *total_bytes = limit < *total_bytes ? limit : *total_bytes;
        *free_bytes = limit - used < *free_bytes ? limit - used : *free_bytes;
    }
    return SDD_OK;
}

static int cpu_alloc(void *device, int64_t bytes, void **out)
{
    *out = host_take(&((struct cpu *)device)->cache, bytes);
    return *out ? SDD_OK : SDD_ENO_MEMORY;
}

static void cpu_free(void *device, void *memory, int64_t bytes)
{
    host_give(&((struct cpu *)device)->cache, memory, bytes);
}

static int cpu_copy(void *device, void *to, const void *from, int64_t bytes)
{
    (void)device;
    if (bytes > 0)
        memcpy(to, from, (size_t)bytes);
    return SDD_OK;
}

static int cpu_fill(void *device, void *to, int byte, int64_t bytes)
{
    (void)device;
    if (bytes > 0)
        memset(to, byte, (size_t)bytes);
    return SDD_OK;
}

static int cpu_launch(void *device, int kernel, const void *args, size_t args_bytes, int64_t n)
{
    struct cpu *d = device;
    const int k = kernel & ~SDD_REFERENCE;
    if (k < 0 || k >= SDD_N_KERNELS || sdd_kernel_loops[k]->args_bytes != args_bytes)
        return SDD_EDEVICE;
    const int reference = k != kernel && sdd_reference_loops[k];
    const struct sdd_kernel_loop *loop = (reference ? sdd_reference_loops : sdd_kernel_loops)[k];
    for (int64_t at = 0; at < n;) {
        at = loop->run(args, at, n, d->threads, d->pause ? now() + SDD_SLICE_NS : 0);
        if (at < n && d->pause && d->pause(d->user))
            return SDD_ECANCELLED;
    }
    return SDD_OK;
}

static void cpu_on_pause(void *device, int (*pause)(void *user), void *user)
{
    struct cpu *d = device;
    d->pause = pause;
    d->user = user;
}

/* Where part `part` begins, when n items are cut into `parts` of nearly equal size. */
static int64_t begin_of(int64_t n, int part, int parts)
{
    return n / parts * part + (part < n % parts ? part : n % parts);
}

static int64_t cpu_scan_scratch(void *device, int64_t n)
{
    (void)n;
    return (int64_t)sizeof(int32_t) * (((struct cpu *)device)->threads + 1);
}

static int cpu_scan(void *device, const int32_t *in, int32_t *out, int64_t n, void *scratch)
{
    int parts = n < SERIAL ? 1 : ((struct cpu *)device)->threads;
    int32_t *sums = scratch;
#pragma omp parallel for num_threads(parts) schedule(static, 1) if (parts > 1)
    for (int p = 0; p < parts; p++) {
        int32_t sum = 0;
        for (int64_t i = begin_of(n, p, parts); i < begin_of(n, p + 1, parts); i++)
            sum += in[i];
        sums[p] = sum;
    }
    for (int p = 0, sum = 0; p < parts; p++) {
        int32_t mine = sums[p];
        sums[p] = sum;
        sum += mine;
    }
#pragma omp parallel for num_threads(parts) schedule(static, 1) if (parts > 1)
    for (int p = 0; p < parts; p++) {
        int32_t sum = sums[p];
        for (int64_t i = begin_of(n, p, parts); i < begin_of(n, p + 1, parts); i++)
            out[i] = sum += in[i];
    }
    return SDD_OK;
}

static int64_t cpu_sort_scratch(void *device, int64_t n, int bits)
{
    (void)n, (void)bits;
    return ((struct cpu *)device)->threads * RADIX * (int64_t)sizeof(int64_t);
}

/* Makes one stable pass over the digit at `shift`. `counts` has RADIX numbers for each part. */
static void radix_pass(const uint64_t *keys, const int32_t *values, uint64_t *keys_out, int32_t *values_out, int64_t n,
                       int shift, int bits, int parts, int64_t *counts)
{
    uint64_t mask = ((uint64_t)1 << (bits - shift < RADIX_BITS ? bits - shift : RADIX_BITS)) - 1;
#pragma omp parallel for num_threads(parts) schedule(static, 1) if (parts > 1)
    for (int p = 0; p < parts; p++) {
        int64_t *count = counts + p * RADIX;
        memset(count, 0, RADIX * sizeof *count);
        for (int64_t i = begin_of(n, p, parts); i < begin_of(n, p + 1, parts); i++)
            count[keys[i] >> shift & mask]++;
    }
    int64_t at = 0;
    for (int digit = 0; digit < RADIX; digit++) {
        for (int p = 0; p < parts; p++) {
            int64_t mine = counts[p * RADIX + digit];
            counts[p * RADIX + digit] = at;
            at += mine;
        }
    }
#pragma omp parallel for num_threads(parts) schedule(static, 1) if (parts > 1)
    for (int p = 0; p < parts; p++) {
        int64_t *next = counts + p * RADIX;
        for (int64_t i = begin_of(n, p, parts); i < begin_of(n, p + 1, parts); i++) {
            int64_t to = next[keys[i] >> shift & mask]++;
            keys_out[to] = keys[i];
            values_out[to] = values[i];
        }
    }
}

/* Passes go back and forth between the input and the output arrays. */
static int cpu_sort(void *device, uint64_t *keys_in, uint64_t *keys_out, int32_t *values_in, int32_t *values_out,
                    int64_t n, int bits, void *scratch)
{
    int parts = n < SERIAL ? 1 : ((struct cpu *)device)->threads, passes = (bits + RADIX_BITS - 1) / RADIX_BITS;
    uint64_t *keys[2] = {keys_in, keys_out};
    int32_t *values[2] = {values_in, values_out};
    for (int k = 0; k < passes; k++)
        radix_pass(keys[k % 2], values[k % 2], keys[!(k % 2)], values[!(k % 2)], n, k * RADIX_BITS, bits, parts,
                   scratch);
    if (passes % 2 == 0) {
        memcpy(keys_out, keys_in, (size_t)n * sizeof *keys_out);
        memcpy(values_out, values_in, (size_t)n * sizeof *values_out);
    }
    return SDD_OK;
}

static int cpu_sync(void *device)
{
    (void)device;
    return SDD_OK;
}

static int cpu_mark(void *device, int slot)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    ((struct cpu *)device)->marks[slot] = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
    return SDD_OK;
}

static int cpu_elapsed(void *device, int from_slot, int to_slot, double *seconds)
{
    struct cpu *d = device;
    *seconds = d->marks[to_slot] - d->marks[from_slot];
    return SDD_OK;
}

const struct sdd_backend *sdd_backend_cpu(void)
{
    static const struct sdd_backend cpu = {
        .abi = SDD_ABI_HASH,
        .name = "cpu",
        .unified = 1,
        .probe = cpu_probe,
        .open = cpu_open,
        .close = cpu_close,
        .threads = cpu_threads,
        .memory = cpu_memory,
        .alloc = cpu_alloc,
        .free = cpu_free,
        .host_alloc = cpu_alloc,
        .host_free = cpu_free,
        .trim = cpu_trim,
        .keep = cpu_keep,
        .upload = cpu_copy,
        .download = cpu_copy,
        .copy = cpu_copy,
        .fill = cpu_fill,
        .launch = cpu_launch,
        .scan_scratch = cpu_scan_scratch,
        .scan = cpu_scan,
        .sort_scratch = cpu_sort_scratch,
        .sort = cpu_sort,
        .sync = cpu_sync,
        .mark = cpu_mark,
        .elapsed = cpu_elapsed,
        .on_pause = cpu_on_pause,
    };
    return &cpu;
}
