/* SPDX-License-Identifier: Apache-2.0 */
/* backend_cuda.cu: the host side of the CUDA module. It has the table of all kernels' __global__ functions, and
 * implements struct sdd_backend with one stream, one memory pool and a little pinned host memory (pinned_stage.h),
 * through which all long copies go. Results lie in ordinary memory, because pinning takes 0.3 ms/MB and keeps the whole
 * process from mapping memory meanwhile. Results that are freed soon use a ring of blocks that are pinned once, to
 * which the device copies directly. Host code is C in all but name: no exceptions, no libstdc++.
 *
 * Errors  A failed allocation leaves the device usable. Any other CUDA error is kept and all later calls return it,
 *         because most of them lose the context, and then the process has to exit. No error stays in CUDA's "last
 *         error", because CUB reads that.
 * Threads any, one at a time on a device; each call sets the thread's current device first */
#include "gpu/device/cuda/pinned_ring.h"
#include "gpu/device/cuda/pinned_stage.h"
#include "gpu/device/cuda/prims.h"
#include <cuda_runtime.h>
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gpu/backend/backend.h"
#include "gpu/backend/host_cache.h"
#include "gpu/device/cuda/kernels_cuda.h"
#include "abi.h"

#define GRID_MAX INT32_MAX             /* The most blocks of a launch. */
#define SCRATCH_ALIGN 256              /* Scratch sizes are rounded up to a multiple of it. */
#define MOST_QUEUED ((int64_t)1 << 25) /* Threads; an H100 takes 0.2 to 1.2 ms for as many of a refine. */
#define TEXT_OF_(x) #x
#define TEXT_OF(x) TEXT_OF_(x)

struct device {
    int index;          /* CUDA's number of the device. */
    int paced;          /* Whether launches wait once MOST_QUEUED is reached (on_pause). */
    int64_t queued;     /* The threads of launches since then. */
    int overlaps;       /* Whether launches may overlap (overlap.cuh). */
    cudaError_t failed; /* The first error that was not a lack of memory. */
    cudaStream_t stream;
    cudaMemPool_t pool;
    int64_t live_bytes; /* The bytes that are allocated and not yet freed. */
    cudaEvent_t marks[SDD_N_MARKS];
    struct pinned_stage stage;
    struct host_cache cache;     /* Host memory for results. */
    struct pinned_ring ring;     /* Host memory for results that are freed soon. */
    cudaAccessPolicyWindow kept; /* The L2 window of launches; none when num_bytes is 0. */
    int kept_most;               /* The most bytes of that window. */
};

static const struct sdd_kernel_launch *const kernel_table[SDD_N_KERNELS] = {
#define SDD_KERNEL(name) &sdd_launch_##name,
#include "kernels.def"
#undef SDD_KERNEL
};

/* The references of tuned forms. CUDA loads them when one of them is first launched. */
static const struct {
    int kernel;
    const struct sdd_kernel_launch *launch;
} reference_table[] = {
#define SDD_KERNEL(name) {SDD_K_##name, &sdd_reference_##name},
#include "tuned.def"
#undef SDD_KERNEL
};

static const struct sdd_kernel_launch *launch_of(int kernel)
{
    if (kernel & SDD_REFERENCE)
        for (size_t i = 0; i < sizeof reference_table / sizeof *reference_table; i++)
            if (reference_table[i].kernel == (kernel ^ SDD_REFERENCE))
                return reference_table[i].launch;
    kernel &= ~SDD_REFERENCE;
    assert(kernel >= 0 && kernel < SDD_N_KERNELS);
    return kernel_table[kernel];
}

static int result(struct device *d, cudaError_t e)
{
    if (e == cudaSuccess)
        return SDD_OK;
    (void)cudaGetLastError();
    if (e == cudaErrorMemoryAllocation)
        return SDD_ENO_MEMORY;
    if (d->failed == cudaSuccess)
        d->failed = e;
    return SDD_EDEVICE;
}

static int enter(struct device *d)
{
    return d->failed != cudaSuccess ? SDD_EDEVICE : result(d, cudaSetDevice(d->index));
}

static int finish(struct device *d)
{
    return result(d, stage_wait(&d->stage));
}

/* ---- devices ---------------------------------------------------------------------------------------------- */
/* Does the module have code for this compute capability? Machine code runs on GPUs of the same major version with the
 * same or a later minor one. The newest version is also there as PTX, which the driver of any later GPU compiles. */
static int has_code(int major, int minor)
{
    static const int built[] = {__CUDA_ARCH_LIST__};
    const int n = (int)(sizeof built / sizeof built[0]), version = major * 100 + minor * 10;
    for (int i = 0; i < n; i++)
        if (built[i] / 100 == major && built[i] <= version)
            return 1;
    return built[n - 1] <= version;
}

/* Returns how many GPUs can run this module. *found becomes CUDA's number of the nth of them, and the reason is that of
 * the last GPU that cannot. */
static int usable(int nth, int *found, char *reason, size_t size)
{
    int n = 0, n_usable = 0;
    cudaError_t e = cudaGetDeviceCount(&n); /* It leaves n alone when there is no driver. */
    if (e == cudaErrorInsufficientDriver)
        snprintf(reason, size, "no NVIDIA driver, or one too old for CUDA %d.%d", CUDART_VERSION / 1000,
                 CUDART_VERSION % 1000 / 10);
    else if (e != cudaSuccess)
        snprintf(reason, size, "%s: %s", cudaGetErrorName(e), cudaGetErrorString(e));
    else if (n == 0)
        snprintf(reason, size, "no NVIDIA GPU");
    if (e != cudaSuccess)
        n = 0;
    for (int i = 0; i < n; i++) {
        int major = 0, minor = 0, pools = 0;
        if ((e = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, i)) != cudaSuccess ||
            (e = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, i)) != cudaSuccess ||
            (e = cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, i)) != cudaSuccess)
            snprintf(reason, size, "GPU %d: %s: %s", i, cudaGetErrorName(e), cudaGetErrorString(e));
        else if (!has_code(major, minor))
            snprintf(reason, size, "GPU %d has compute capability %d.%d, which this build has no code for (%s)", i,
                     major, minor, TEXT_OF((__CUDA_ARCH_LIST__)));
        else if (!pools)
            snprintf(reason, size, "GPU %d has no memory pools", i);
        else if (n_usable++ == nth)
            *found = i;
    }
    (void)cudaGetLastError();
    return n_usable;
}

static int dev_probe(char *reason, size_t size)
{
    int found;
    return usable(0, &found, reason, size);
}

static void dev_trim(void *device);

static void dev_close(void *device)
{
    struct device *d = (struct device *)device;
    if (!d)
        return;
    assert(d->live_bytes == 0); /* The caller frees everything before it closes the device. */
    dev_trim(d);                /* This waits for the stream. */
    /* These fail on a lost device. Then the process is about to exit, so the errors are ignored. */
    for (int i = 0; i < SDD_N_MARKS; i++)
        if (d->marks[i])
            (void)result(d, cudaEventDestroy(d->marks[i]));
    (void)result(d, stage_close(&d->stage));
    if (d->pool)
        (void)result(d, cudaMemPoolDestroy(d->pool));
    if (d->stream)
        (void)result(d, cudaStreamDestroy(d->stream));
    free(d);
}

/* Sets up what the device needs from CUDA, in order. *step names the call that failed. */
static cudaError_t set_up(struct device *d, struct cudaDeviceProp *prop, const char **step)
{
    cudaError_t e;
    *step = "cudaSetDevice";
    if ((e = cudaSetDevice(d->index)) != cudaSuccess)
        return e;
    *step = "cudaGetDeviceProperties";
    if ((e = cudaGetDeviceProperties(prop, d->index)) != cudaSuccess)
        return e;
    d->overlaps = prop->major >= 9;
    d->kept_most = prop->accessPolicyMaxWindowSize;
    *step = "cudaStreamCreate";
    if ((e = cudaStreamCreateWithFlags(&d->stream, cudaStreamNonBlocking)) != cudaSuccess)
        return e;
    struct cudaMemPoolProps props;
    memset(&props, 0, sizeof props);
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    props.location.id = d->index;
    *step = "cudaMemPoolCreate";
    if ((e = cudaMemPoolCreate(&d->pool, &props)) != cudaSuccess)
        return e;
    uint64_t keep_all = UINT64_MAX; /* Only dev_trim returns memory to the system. */
    *step = "cudaMemPoolSetAttribute";
    if ((e = cudaMemPoolSetAttribute(d->pool, cudaMemPoolAttrReleaseThreshold, &keep_all)) != cudaSuccess)
        return e;
    *step = "cudaEventCreate";
    for (int i = 0; i < SDD_N_MARKS; i++)
        if ((e = cudaEventCreate(&d->marks[i])) != cudaSuccess)
            return e;
    *step = "pinning host memory";
    if ((e = stage_open(&d->stage, d->stream)) != cudaSuccess)
        return e;
    *step = "loading the kernels"; /* Else each would be loaded at its first launch. */
    struct cudaFuncAttributes attributes;
    for (int i = 0; i < SDD_N_KERNELS; i++)
        if ((e = cudaFuncGetAttributes(&attributes, kernel_table[i]->function)) != cudaSuccess)
            return e;
    return cudaSuccess;
}

/* Sets the error. The module is not linked with sdd_fail. */
__attribute__((format(printf, 3, 4))) static int fail(struct sdd_error *err, int code, const char *format, ...)
{
    if (err) {
        va_list args;
        memset(err, 0, sizeof *err);
        err->code = code;
        va_start(args, format);
        vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
    }
    return code;
}

static int dev_open(int index, int threads, void **out, char *name, size_t size, struct sdd_error *err)
{
    char reason[160] = "";
    int found = 0;
    (void)threads;
    *out = NULL;
    int n = usable(index, &found, reason, sizeof reason);
    if (index < 0 || index >= n)
        return fail(err, SDD_EDEVICE, "CUDA device %d of %d%s%s", index, n, reason[0] ? ": " : "", reason);
    struct device *d = (struct device *)calloc(1, sizeof *d);
    if (!d)
        return fail(err, SDD_ENO_MEMORY, "no host memory for the CUDA device");
    d->index = found;
    host_cache_open(&d->cache);
    struct cudaDeviceProp prop;
    const char *step = "";
    cudaError_t e = set_up(d, &prop, &step);
    if (e != cudaSuccess) {
        int code = result(d, e);
        dev_close(d);
        return fail(err, code, "CUDA device %d: %s: %s (%s)", index, step, cudaGetErrorString(e), cudaGetErrorName(e));
    }
    snprintf(name, size, "%s", prop.name);
    *out = d;
    return SDD_OK;
}

static int dev_threads(void *device)
{
    (void)device;
    return 0;
}

/* Memory that only the pool's cache holds counts as free, because the pool gives it to the next allocation. */
static int dev_memory(void *device, int64_t *free_bytes, int64_t *total_bytes)
{
    struct device *d = (struct device *)device;
    size_t unused = 0, total = 0;
    uint64_t reserved = 0, used = 0;
    int code = enter(d);
    if (code == SDD_OK)
        code = result(d, cudaMemGetInfo(&unused, &total));
    if (code == SDD_OK)
        code = result(d, cudaMemPoolGetAttribute(d->pool, cudaMemPoolAttrReservedMemCurrent, &reserved));
    if (code == SDD_OK)
        code = result(d, cudaMemPoolGetAttribute(d->pool, cudaMemPoolAttrUsedMemCurrent, &used));
    *free_bytes = (int64_t)(unused + (reserved - used));
    *total_bytes = (int64_t)total;
    return code;
}

/* ---- memory ----------------------------------------------------------------------------------------------- */
static int dev_alloc(void *device, int64_t bytes, void **out)
{
    struct device *d = (struct device *)device;
    const size_t n = bytes > 0 ? (size_t)bytes : 1;
    *out = NULL;
    int code = enter(d);
    if (code == SDD_OK)
        code = result(d, cudaMallocFromPoolAsync(out, n, d->pool, d->stream));
    if (code == SDD_ENO_MEMORY) { /* The pool may hold enough in pieces, so they are returned first. */
        dev_trim(d);
        if ((code = enter(d)) == SDD_OK)
            code = result(d, cudaMallocFromPoolAsync(out, n, d->pool, d->stream));
    }
    if (code == SDD_OK)
        d->live_bytes += bytes;
    else
        *out = NULL;
    return code;
}

static void dev_free(void *device, void *memory, int64_t bytes)
{
    struct device *d = (struct device *)device;
    if (!memory)
        return;
    d->live_bytes -= bytes;
    (void)result(d, cudaSetDevice(d->index)); /* Not every error loses the context, so memory is freed. */
    (void)result(d, cudaFreeAsync(memory, d->stream));
}

static void *dev_pinned(void *device, int64_t bytes)
{
    struct device *d = (struct device *)device;
    const int fits = bytes > (int64_t)STAGE_SHORT && bytes <= (int64_t)RING_BYTES;
    return fits && enter(d) == SDD_OK ? ring_take(&d->ring) : NULL;
}

static int dev_host_alloc(void *device, int64_t bytes, void **out)
{
    struct device *d = (struct device *)device;
    *out = NULL;
    int code = enter(d);
    if (code == SDD_OK && !(*out = host_take(&d->cache, bytes)))
        code = SDD_ENO_MEMORY;
    return code;
}

static void dev_host_free(void *device, void *memory, int64_t bytes)
{
    struct device *d = (struct device *)device;
    const int i = ring_find(&d->ring, memory);
    if (i < RING_BLOCKS)
        ring_give(&d->ring, i);
    else
        host_give(&d->cache, memory, bytes);
}

static void dev_keep(void *device, int64_t bytes)
{
    struct device *d = (struct device *)device;
    host_cache_limit(&d->cache, bytes);
}

static void dev_trim(void *device)
{
    struct device *d = (struct device *)device;
    host_cache_trim(&d->cache);
    (void)result(d, cudaSetDevice(d->index));
    if (d->pool && finish(d) == SDD_OK) /* Only memory whose free has run can be returned. */
        (void)result(d, cudaMemPoolTrimTo(d->pool, 0));
    (void)result(d, ring_trim(&d->ring));
}

static int dev_upload(void *device, void *to, const void *from_host, int64_t bytes)
{
    struct device *d = (struct device *)device;
    int code = enter(d);
    if (code == SDD_OK && bytes > 0)
        code = result(d, stage_up(&d->stage, (char *)to, (const char *)from_host, (size_t)bytes));
    return code;
}

static int dev_download(void *device, void *to_host, const void *from, int64_t bytes)
{
    struct device *d = (struct device *)device;
    int code = enter(d);
    if (code != SDD_OK || bytes <= 0)
        return code;
    if (bytes > STAGE_SHORT && ring_find(&d->ring, to_host) == RING_BLOCKS)
        return result(d, stage_down(&d->stage, (char *)to_host, (const char *)from, (size_t)bytes));
    return result(d, cudaMemcpyAsync(to_host, from, (size_t)bytes, cudaMemcpyDeviceToHost, d->stream));
}

static int dev_copy(void *device, void *to, const void *from, int64_t bytes)
{
    struct device *d = (struct device *)device;
    int code = enter(d);
    if (code == SDD_OK && bytes > 0)
        code = result(d, cudaMemcpyAsync(to, from, (size_t)bytes, cudaMemcpyDeviceToDevice, d->stream));
    return code;
}

static int dev_fill(void *device, void *to, int byte, int64_t bytes)
{
    struct device *d = (struct device *)device;
    int code = enter(d);
    if (code == SDD_OK && bytes > 0)
        code = result(d, cudaMemsetAsync(to, byte, (size_t)bytes, d->stream));
    return code;
}

/* ---- work ------------------------------------------------------------------------------------------------- */
static int dev_launch(void *device, int kernel, const void *args, size_t args_bytes, int64_t n)
{
    struct device *d = (struct device *)device;
    int code = enter(d);
    if (code != SDD_OK || n <= 0)
        return code;
    const struct sdd_kernel_launch *launch = launch_of(kernel);
    assert(args_bytes == launch->args_bytes);
    (void)args_bytes;
    const int64_t blocks = (n - 1) / launch->items + 1;
    if (blocks > GRID_MAX)
        return result(d, cudaErrorInvalidConfiguration);
    void *params[2] = {&n, (void *)args};
    cudaLaunchAttribute attributes[2] = {};
    cudaLaunchConfig_t config = {};
    if (d->overlaps) {
        attributes[config.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attributes[config.numAttrs++].val.programmaticStreamSerializationAllowed = 1;
    }
    if (d->kept.num_bytes > 0) {
        attributes[config.numAttrs].id = cudaLaunchAttributeAccessPolicyWindow;
        attributes[config.numAttrs++].val.accessPolicyWindow = d->kept;
    }
    config.gridDim = dim3((unsigned)blocks);
    config.blockDim = dim3((unsigned)launch->threads);
    config.stream = d->stream;
    config.attrs = attributes;
    code = result(d, cudaLaunchKernelExC(&config, launch->function, params));
    d->queued += blocks * launch->threads;
    if (code != SDD_OK || !d->paced || d->queued < MOST_QUEUED)
        return code;
    d->queued = 0;
    return finish(d);
}

static void dev_on_pause(void *device, int (*pause)(void *user), void *user)
{
    (void)user;
    ((struct device *)device)->paced = pause != NULL;
}

static void dev_l2_window(void *device, void *memory, int64_t bytes)
{
    struct device *d = (struct device *)device;
    d->kept = {};
    d->kept.base_ptr = memory;
    d->kept.num_bytes = memory ? (size_t)(bytes < d->kept_most ? bytes : d->kept_most) : 0;
    d->kept.hitRatio = 1.0f;
    d->kept.hitProp = cudaAccessPropertyPersisting;
    d->kept.missProp = cudaAccessPropertyNormal;
}

/* Returns the scratch bytes of a CUB call. A failed query is reported by the call that follows it. The size is never 0,
 * because CUB takes NULL for a query. */
static int64_t scratch_size(struct device *d, cudaError_t e, size_t bytes)
{
    (void)result(d, e);
    return (int64_t)((bytes ? bytes : 1) + SCRATCH_ALIGN - 1) / SCRATCH_ALIGN * SCRATCH_ALIGN;
}

static int64_t dev_scan_scratch(void *device, int64_t n)
{
    struct device *d = (struct device *)device;
    size_t bytes = 0;
    if (enter(d) != SDD_OK)
        return SCRATCH_ALIGN;
    cudaError_t e = prims_scan(NULL, &bytes, NULL, NULL, n > 0 ? n : 0, d->stream);
    return scratch_size(d, e, bytes);
}

static int dev_scan(void *device, const int32_t *in, int32_t *out, int64_t n, void *scratch)
{
    struct device *d = (struct device *)device;
    size_t bytes = (size_t)dev_scan_scratch(d, n);
    int code = enter(d);
    if (code != SDD_OK || n <= 0)
        return code;
    assert(scratch);
    return result(d, prims_scan(scratch, &bytes, in, out, n, d->stream));
}

static int64_t dev_sort_scratch(void *device, int64_t n, int bits)
{
    struct device *d = (struct device *)device;
    size_t bytes = 0;
    if (enter(d) != SDD_OK)
        return SCRATCH_ALIGN;
    cudaError_t e = prims_sort(NULL, &bytes, NULL, NULL, NULL, NULL, n > 0 ? n : 0, bits, d->stream);
    return scratch_size(d, e, bytes);
}

static int dev_sort(void *device, uint64_t *keys_in, uint64_t *keys_out, int32_t *values_in, int32_t *values_out,
                    int64_t n, int bits, void *scratch)
{
    struct device *d = (struct device *)device;
    size_t bytes = (size_t)dev_sort_scratch(d, n, bits);
    int code = enter(d);
    if (code != SDD_OK || n <= 0)
        return code;
    assert(scratch);
    return result(d, prims_sort(scratch, &bytes, keys_in, keys_out, values_in, values_out, n, bits, d->stream));
}

static int dev_sync(void *device)
{
    struct device *d = (struct device *)device;
    int code = enter(d);
    return code == SDD_OK ? finish(d) : code;
}

static int dev_mark(void *device, int slot)
{
    struct device *d = (struct device *)device;
    int code = enter(d);
    return code == SDD_OK ? result(d, cudaEventRecord(d->marks[slot], d->stream)) : code;
}

static int dev_elapsed(void *device, int from_slot, int to_slot, double *seconds)
{
    struct device *d = (struct device *)device;
    float ms = 0;
    int code = enter(d);
    if (code == SDD_OK)
        code = result(d, cudaEventSynchronize(d->marks[from_slot]));
    if (code == SDD_OK)
        code = result(d, cudaEventSynchronize(d->marks[to_slot]));
    if (code == SDD_OK)
        code = result(d, cudaEventElapsedTime(&ms, d->marks[from_slot], d->marks[to_slot]));
    *seconds = ms * 1e-3;
    return code;
}

/* The functions are in the order of struct sdd_backend. */
static const struct sdd_backend backend = {
    SDD_ABI_HASH,
    "cuda",
    0,
    1,
    dev_probe,
    dev_open,
    dev_close,
    dev_threads,
    dev_memory,
    /* memory */
    dev_alloc,
    dev_free,
    dev_host_alloc,
    dev_host_free,
    dev_pinned,
    dev_trim,
    dev_keep,
    dev_upload,
    dev_download,
    dev_copy,
    dev_fill,
    /* work */
    dev_launch,
    dev_l2_window,
    dev_scan_scratch,
    dev_scan,
    dev_sort_scratch,
    dev_sort,
    dev_sync,
    dev_mark,
    dev_elapsed,
    dev_on_pause,
};

extern "C" __attribute__((visibility("default"))) const struct sdd_backend *sdd_backend_entry(const char *abi)
{
    return abi && strcmp(abi, SDD_ABI_HASH) == 0 ? &backend : NULL;
}
