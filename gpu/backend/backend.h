/* SPDX-License-Identifier: Apache-2.0 */
/* backend.h: what a compute device must do; nothing above it knows CUDA. There are three backends: cpu, which is always
 * there; cuda, a module opened at run time; and fake, the CPU with faults on order for torture tests.
 * A device has one queue. Work on it runs in the order given, but it may run late: only `sync` has to wait.
 * Errors  SDD_OK, SDD_ENO_MEMORY (the device still works) or SDD_EDEVICE (it no longer does; close it and leave)
 * Threads one at a time on a device */
#ifndef SDD_BACKEND_H
#define SDD_BACKEND_H
#include "gpu/sdd/err.h"
#include <stddef.h>
#include <stdint.h>

enum sdd_kernel { /* There is one id for each kernel. */
#define SDD_KERNEL(name) SDD_K_##name,
#include "kernels.def"
#undef SDD_KERNEL
                  SDD_N_KERNELS
};

/* With this bit an id means the portable body of the kernel, where the device has a tuned form as well. Tests and
 * benches compare the two. A device without tuned forms runs the body anyway. A portable body makes no rows of a first
 * pass in the same launch, so who launches it lets the device seem to have no in_order. */
#define SDD_REFERENCE 0x10000

#define SDD_N_MARKS 8
#define SDD_SLICE_NS 5000000 /* How long a launch works without a pause. */

struct sdd_backend {
    const char *abi;  /* The SDD_ABI_HASH of the build, over all kernel arguments and this contract. */
    const char *name; /* This is "cpu", "cuda" or "fake". */
    int unified;      /* Whether kernels may work on host_alloc memory, so that results need no copy. */
    int in_order;     /* Whether the tiles of a launch begin in order, so that a tile may wait for earlier ones. */

    /* The number of devices, or 0 and a sentence in `reason` when there is none. */
    int (*probe)(char *reason, size_t size);
    /* Opens a device. `threads` is only for the CPU, where 0 means all. `name` gets what to call the device, such as
     * "NVIDIA H100 80GB HBM3". */
    int (*open)(int index, int threads, void **device, char *name, size_t size, struct sdd_error *err);
    void (*close)(void *device);
    int (*threads)(void *device);
    int (*memory)(void *device, int64_t *free_bytes, int64_t *total_bytes);

    /* Takes device memory, 256-byte aligned, with undefined contents. */
    int (*alloc)(void *device, int64_t bytes, void **out);
    void (*free)(void *device, void *memory, int64_t bytes); /* `bytes` is what was asked for. */
    /* Takes host memory for results, 64-byte aligned. */
    int (*host_alloc)(void *device, int64_t bytes, void **out);
    void (*host_free)(void *device, void *memory, int64_t bytes); /* Any thread may call it. */
    /* Takes host memory for what is given back soon, from the little memory to which a device copies without help.
     * The function may be NULL, and its answer is NULL where none is left. host_free frees it. */
    void *(*pinned)(void *device, int64_t bytes);
    void (*trim)(void *device); /* Gives cached free memory back to the system. */
    /* Sets the most bytes of free host memory that are kept for the next results. */
    void (*keep)(void *device, int64_t bytes);

    /* On return the source may be reused. */
    int (*upload)(void *device, void *to, const void *from_host, int64_t bytes);
    /* The data are there after `sync`. */
    int (*download)(void *device, void *to_host, const void *from, int64_t bytes);
    int (*copy)(void *device, void *to, const void *from, int64_t bytes);
    int (*fill)(void *device, void *to, int byte, int64_t bytes);

    /* Runs a kernel for i in [0, n), which may be empty. The arguments are copied. */
    int (*launch)(void *device, int kernel, const void *args, size_t args_bytes, int64_t n);
    /* Advice: launches after this read that memory again and again, and write more than a cache holds, so it had
     * better stay in the cache. A `memory` of NULL ends this. The function may be NULL. */
    void (*l2_window)(void *device, void *memory, int64_t bytes);
    int64_t (*scan_scratch)(void *device, int64_t n); /* The bytes of scratch that a scan of n numbers needs. */
    /* Queues a scan: out[i] is the sum of in[0] to in[i]. `out` may be `in`. */
    int (*scan)(void *device, const int32_t *in, int32_t *out, int64_t n, void *scratch);
    int64_t (*sort_scratch)(void *device, int64_t n, int bits); /* The bytes of scratch that a sort needs. */
    /* Queues a stable sort of pairs (key, value) by the low `bits` bits of the key. The four arrays do not overlap. The
     * input arrays hold anything afterwards. */
    int (*sort)(void *device, uint64_t *keys_in, uint64_t *keys_out, int32_t *values_in, int32_t *values_out, int64_t n,
                int bits, void *scratch);

    int (*sync)(void *device);           /* Waits for all that is queued. */
    int (*mark)(void *device, int slot); /* Queues a time stamp; slot < SDD_N_MARKS. */
    /* The seconds between two marks; it waits for both. */
    int (*elapsed)(void *device, int from_slot, int to_slot, double *seconds);
    /* From now on a launch calls pause(user) about every SDD_SLICE_NS, on the thread that launches. Other work may run
     * on the device meanwhile. When it returns other than 0 the rest of the launch is left out, and the launch fails
     * with SDD_ECANCELLED. Where launches return before they are done, none calls it: instead they wait for the device
     * once much is queued, so that who pauses between launches does so in time. */
    void (*on_pause)(void *device, int (*pause)(void *user), void *user);
};

/* The one symbol that a module exports. It returns NULL when its hash differs from the caller's. */
#define SDD_BACKEND_ENTRY "sdd_backend_entry"
typedef const struct sdd_backend *sdd_backend_entry_fn(const char *abi);

const struct sdd_backend *sdd_backend_cpu(void);
/* sdd_backend_load: opens the module at `path` for the life of the process, or the one beside the program where
 * `path` is NULL. Returns NULL and a sentence in `reason` when it cannot, or when the module finds no device. */
const struct sdd_backend *sdd_backend_load(const char *path, char *reason, size_t size);

#endif
