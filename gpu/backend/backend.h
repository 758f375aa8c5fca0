/* SPDX-License-Identifier: Apache-2.0 */
/* backend.h: what a compute device must do; nothing above it knows CUDA. Three live in the tree: cpu (always there),
 * cuda (a module opened at run time) and fake (the CPU with faults on order, for torture tests).
 *
 * A device has one queue; work on it runs in the order given, and may be late: only `sync` has to wait.
 * Errors  SDD_OK, SDD_ENO_MEMORY (the device still works) or SDD_EDEVICE (it no longer does: close it and leave)
 * Threads one at a time on a device */
#ifndef SDD_BACKEND_H
#define SDD_BACKEND_H
#include "gpu/sdd/err.h"
#include <stddef.h>
#include <stdint.h>

enum sdd_kernel { /* one id for each kernel */
#define SDD_KERNEL(name) SDD_K_##name,
#include "kernels.def"
#undef SDD_KERNEL
                  SDD_N_KERNELS
};

/* With this bit set an id means the kernel's reference: of a kernel with tuned forms the plain body that they are
 * held to by tests and benches. Of other kernels it changes nothing. A reference makes no rows of a first step in
 * the same launch: let the device seem to have no in_order. */
#define SDD_REFERENCE 0x10000

#define SDD_N_MARKS 8

struct sdd_backend {
    const char *abi;  /* SDD_ABI_HASH of the build: all kernel arguments and this contract */
    const char *name; /* "cpu", "cuda", "fake"                                             */
    int unified;      /* 1: kernels may work on host_alloc memory, so results need no copy */
    int in_order;     /* 1: tiles of a launch begin in order, and may wait for those before    */

    /* How many devices; 0 and a sentence in `reason` when there is none. */
    int (*probe)(char *reason, size_t size);
    /* threads: CPU only, 0 = all. name: what to call the device, e.g. "NVIDIA H100 80GB HBM3". */
    int (*open)(int index, int threads, void **device, char *name, size_t size, struct sdd_error *err);
    void (*close)(void *device);
    int (*threads)(void *device);
    int (*memory)(void *device, int64_t *free_bytes, int64_t *total_bytes);

    /* Device memory, 256-byte aligned, contents undefined. `bytes` is exact and given again when freed. */
    int (*alloc)(void *device, int64_t bytes, void **out);
    void (*free)(void *device, void *memory, int64_t bytes);
    /* Host memory for results, 64-byte aligned. */
    int (*host_alloc)(void *device, int64_t bytes, void **out);
    void (*host_free)(void *device, void *memory, int64_t bytes);
    /* As host_alloc, for what is given back soon: the little memory that a device copies to by itself. NULL, or the
     * answer is: there is none, or none left. host_free takes it. */
    void *(*pinned)(void *device, int64_t bytes);
    void (*trim)(void *device); /* cached free memory goes back to the system */

    int (*upload)(void *device, void *to, const void *from_host, int64_t bytes);   /* source may be reused on return */
    int (*download)(void *device, void *to_host, const void *from, int64_t bytes); /* done after `sync`              */
    int (*copy)(void *device, void *to, const void *from, int64_t bytes);
    int (*fill)(void *device, void *to, int byte, int64_t bytes);

    /* Runs kernel k for i in [0, n); n = 0 is nothing. args are copied. */
    int (*launch)(void *device, int kernel, const void *args, size_t args_bytes, int64_t n);
    /* Advice: launches after this read that memory, frame after frame, and write more than a cache holds; it had better
     * stay there. NULL: no launch does any more. May be NULL itself. */
    void (*keep)(void *device, void *memory, int64_t bytes);
    /* out[i] = in[0] + .. + in[i]; in == out is fine. */
    int64_t (*scan_scratch)(void *device, int64_t n);
    int (*scan)(void *device, const int32_t *in, int32_t *out, int64_t n, void *scratch);
    /* Stable sort of (key, value) by the low `bits` bits of the key. The four arrays do not overlap; those that go in
     * hold anything afterwards. */
    int64_t (*sort_scratch)(void *device, int64_t n, int bits);
    int (*sort)(void *device, uint64_t *keys_in, uint64_t *keys_out, int32_t *values_in, int32_t *values_out, int64_t n,
                int bits, void *scratch);

    int (*sync)(void *device);
    int (*mark)(void *device, int slot); /* a time stamp in the queue, slot < SDD_N_MARKS */
    int (*elapsed)(void *device, int from_slot, int to_slot, double *seconds); /* waits for both */
};

/* The one symbol that a module exports; NULL when its hash differs from the caller's. */
#define SDD_BACKEND_ENTRY "sdd_backend_entry"
typedef const struct sdd_backend *sdd_backend_entry_fn(const char *abi);

const struct sdd_backend *sdd_backend_cpu(void);
/* sdd_backend_load: opens the module at `path` once for the life of the process; NULL and a sentence when it cannot. */
const struct sdd_backend *sdd_backend_load(const char *path, char *reason, size_t size);

#endif
