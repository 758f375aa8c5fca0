/* SPDX-License-Identifier: Apache-2.0 */
/* device.h: the door of devices. A device is a backend's device with memory accounting and one sticky status, so that
 * host code can queue a sequence of steps and ask once, at the end, whether all of them went well (dev_finish).
 * Backends stand behind backend.h: cpu/, cuda/, and fake/, whose k-th call fails. Rooms above keep with a device
 * what it need not know (kept.h). digest.h digests blocks, and sizes.h helps to size layouts and sorts. All of gpu/
 * that works on a device stands on this room, and the room on backend/, sdd/ and kernel/ alone. */
#ifndef SDD_DEVICE_H
#define SDD_DEVICE_H
#include "gpu/backend/backend.h"
#include "gpu/device/kept.h"
#include "gpu/sdd/sdd.h"

#define DEV_MARKS (SDD_N_MARKS / 2) /* How many marks a sequence has. */

/* Plain data of one thread at a time. `dev` is the backend's own record of the device. */
struct sdd_device {
    const struct sdd_backend *b;
    void *dev;
    int64_t limit, used;
    atomic_llong n_launches;  /* Any thread may read it. */
    uint64_t points_serial;   /* The serial number of the latest positions of any mesh. */
    uint64_t topology_serial; /* The serial number of the latest topology. */
    struct kept_list kept;
    int (*pause)(void *user); /* See sdd_device_on_pause. */
    void *pause_user;
    int first_mark; /* Within a pause, work has the marks from DEV_MARKS on. */
    int status;     /* The first failure since the last dev_finish; SDD_EDEVICE stays for good. */
    char name[96], detail[160];
};

/* sdd_device_wrap: opens a device over any backend, for sdd_device_open and tests. A memory_limit of 0 means 80 % of
 * what is free.
 * Errors  those of the backend */
int sdd_device_wrap(const struct sdd_backend *b, int index, int threads, int64_t memory_limit, sdd_device **out,
                    struct sdd_error *err) SDD_MUST_CHECK;

/* dev_alloc: takes exactly `bytes` of the device.
 * Errors  SDD_ENO_MEMORY, which says how much is needed and available; SDD_EDEVICE; or the failure of a step queued
 *         before */
int dev_alloc(sdd_device *d, int64_t bytes, void **out, struct sdd_error *err) SDD_MUST_CHECK;
/* dev_alloc_more: does the same for work that already holds `held` bytes, which it gives back on failure. These
 * count as needed and as available too, so that whoever makes room knows whether that can help. */
int dev_alloc_more(sdd_device *d, int64_t held, int64_t bytes, void **out, struct sdd_error *err) SDD_MUST_CHECK;
void dev_free(sdd_device *d, void *memory, int64_t bytes); /* Frees it once what is queued has run. */
/* A piece of device memory, which its holder owns. Zeros stand for none. */
struct device_block {
    void *memory;
    int64_t bytes;
};
/* block_take: allocates a block, with dev_alloc. */
int block_take(sdd_device *d, int64_t bytes, struct device_block *block, struct sdd_error *err) SDD_MUST_CHECK;
/* block_settle: uploads `made.bytes` from `host` to `made`, waits, and frees `old`, which `made` replaces. On error it
 * frees `made` instead. */
int block_settle(sdd_device *d, const void *host, struct device_block made, struct device_block old,
                 struct sdd_error *err) SDD_MUST_CHECK;
/* block_give: frees the block and leaves zeros. */
void block_give(sdd_device *d, struct device_block *block);
/* dev_host_alloc: host memory for a result. `soon` says that it is given back soon. The backend's host_free frees it.
 * Errors  SDD_ENO_MEMORY, SDD_EDEVICE */
int dev_host_alloc(sdd_device *d, int64_t bytes, int soon, void **out, struct sdd_error *err) SDD_MUST_CHECK;

/* These queue one step each. After a failure they do nothing until dev_finish. */
void dev_upload(sdd_device *d, void *to, const void *from_host, int64_t bytes);
void dev_download(sdd_device *d, void *to_host, const void *from, int64_t bytes);
void dev_copy(sdd_device *d, void *to, const void *from, int64_t bytes);
void dev_fill(sdd_device *d, void *to, int byte, int64_t bytes);
void dev_scan(sdd_device *d, const int32_t *in, int32_t *out, int64_t n, void *scratch);
void dev_sort(sdd_device *d, uint64_t *keys_in, uint64_t *keys_out, int32_t *values_in, int32_t *values_out, int64_t n,
              int bits, void *scratch);
void dev_launch(sdd_device *d, int kernel, const void *args, size_t args_bytes, int64_t n);
void dev_l2_window(sdd_device *d, void *memory, int64_t bytes); /* Calls the backend's l2_window, if it has one. */
void dev_pause(sdd_device *d); /* Lets other work onto the device, between two steps. Launches do this themselves. */
void dev_mark(sdd_device *d, int slot);
double dev_elapsed(sdd_device *d, int from_slot, int to_slot); /* The seconds between two marks; it waits for both. */
/* DEV_LAUNCH: launches a kernel by its name. Padding inside the arguments is zeroed on the way, because a backend
 * that looks for pointers in them, as that of the tests does, must not find an old one there. Only gcc has a builtin
 * for this. */
#if defined(__has_builtin) && __has_builtin(__builtin_clear_padding)
#define DEV_CLEAR_PADDING(args) __builtin_clear_padding(args)
#else
#define DEV_CLEAR_PADDING(args) ((void)0)
#endif
#define DEV_LAUNCH(d, name, args, n)                                                                                   \
    (DEV_CLEAR_PADDING(args), dev_launch((d), SDD_K_##name, (args), sizeof(struct name##_args), (n)))

/* dev_finish: waits for the queue and returns the first failure since the last call.
 * Errors  SDD_ENO_MEMORY, SDD_EDEVICE */
int dev_finish(sdd_device *d, struct sdd_error *err) SDD_MUST_CHECK;
/* dev_drain: is called after a failure elsewhere, and waits until nothing queued uses memory that is about to be
 * freed. */
void dev_drain(sdd_device *d);

/* An arena carves 256-byte aligned pieces from one allocation. With base NULL it only counts, so the same code that
 * lays memory out also says beforehand, to the byte, how much it is. */
struct arena {
    char *base;
    int64_t used;
};
void *arena_take(struct arena *a, int64_t count, int64_t item_bytes);
#define ARENA(a, type, count) ((type *)arena_take((a), (count), (int64_t)sizeof(type)))

#endif
