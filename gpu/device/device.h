/* SPDX-License-Identifier: Apache-2.0 */
/* device.h: the door of devices: a backend's device with memory accounting and one sticky status, so that host code can
 * queue a sequence of steps and ask once, at the end, whether all of them went well (dev_finish). Backends stand behind
 * backend.h: cpu/ and cuda/, and fake/, which fails on the k-th call. Rooms above keep with a device what it need not
 * know (kept.h); digest.h digests blocks, sizes.h says what layouts and sorts are sized with. All of gpu/ that works on
 * a device stands on this room, and it on sdd/ and kernel/ alone. */
#ifndef SDD_DEVICE_H
#define SDD_DEVICE_H
#include "gpu/backend/backend.h"
#include "gpu/device/kept.h"
#include "gpu/sdd/sdd.h"

struct sdd_device {
    const struct sdd_backend *b;
    void *dev;
    int64_t limit, used, n_launches;
    uint64_t points_serial;   /* of the positions that came last, of any mesh */
    uint64_t topology_serial; /* Of the topology that came last. */
    struct kept_list kept;
    int status; /* first failure since the last dev_finish; SDD_EDEVICE stays for good */
    char name[96], detail[160];
};

/* sdd_device_wrap: a device over any backend, for tests. memory_limit 0: 80 % of what is free. */
int sdd_device_wrap(const struct sdd_backend *b, int index, int threads, int64_t memory_limit, sdd_device **out,
                    struct sdd_error *err) SDD_MUST_CHECK;

/* dev_alloc: exactly `bytes` on the device. SDD_ENO_MEMORY says what is needed and available. */
int dev_alloc(sdd_device *d, int64_t bytes, void **out, struct sdd_error *err) SDD_MUST_CHECK;
/* dev_alloc_more: for one who has taken `held` bytes for the same work and gives them back on failure: they count as
 * needed and as available too, so that who makes room knows whether that can help. */
int dev_alloc_more(sdd_device *d, int64_t held, int64_t bytes, void **out, struct sdd_error *err) SDD_MUST_CHECK;
void dev_free(sdd_device *d, void *memory, int64_t bytes); /* once what is queued has run */
/* A piece of device memory; zeros: none. block_take: dev_alloc of one. block_settle: brings `made`, whose bytes stand at
 * `host`, to the device, waits, and gives back what it takes the place of; on error `made` itself. block_give: gives it
 * back and leaves zeros. */
struct device_block {
    void *memory;
    int64_t bytes;
};
int block_take(sdd_device *d, int64_t bytes, struct device_block *block, struct sdd_error *err) SDD_MUST_CHECK;
int block_settle(sdd_device *d, const void *host, struct device_block made, struct device_block old,
                 struct sdd_error *err) SDD_MUST_CHECK;
void block_give(sdd_device *d, struct device_block *block);
/* dev_host_alloc: host memory for a result; soon: it is given back soon. The backend's host_free takes it. */
int dev_host_alloc(sdd_device *d, int64_t bytes, int soon, void **out, struct sdd_error *err) SDD_MUST_CHECK;

/* Queue one step; after a failure they do nothing until dev_finish. */
void dev_upload(sdd_device *d, void *to, const void *from_host, int64_t bytes);
void dev_download(sdd_device *d, void *to_host, const void *from, int64_t bytes);
void dev_copy(sdd_device *d, void *to, const void *from, int64_t bytes);
void dev_fill(sdd_device *d, void *to, int byte, int64_t bytes);
void dev_scan(sdd_device *d, const int32_t *in, int32_t *out, int64_t n, void *scratch);
void dev_sort(sdd_device *d, uint64_t *keys_in, uint64_t *keys_out, int32_t *values_in, int32_t *values_out, int64_t n,
              int bits, void *scratch);
void dev_launch(sdd_device *d, int kernel, const void *args, size_t args_bytes, int64_t n);
void dev_l2_window(sdd_device *d, void *memory, int64_t bytes); /* as the backend's `keep` */
void dev_mark(sdd_device *d, int slot);
double dev_elapsed(sdd_device *d, int from_slot, int to_slot); /* seconds between two marks; waits for both */
/* DEV_LAUNCH: padding inside the arguments is zeroed on the way: a backend that looks for pointers in them, as the
 * tests' does, must not find an old one there. gcc alone has a word for it. */
#if defined(__has_builtin) && __has_builtin(__builtin_clear_padding)
#define DEV_CLEAR_PADDING(args) __builtin_clear_padding(args)
#else
#define DEV_CLEAR_PADDING(args) ((void)0)
#endif
#define DEV_LAUNCH(d, name, args, n)                                                                                   \
    (DEV_CLEAR_PADDING(args), dev_launch((d), SDD_K_##name, (args), sizeof(struct name##_args), (n)))

/* dev_finish: waits for the queue and gives back the status since the last call. */
int dev_finish(sdd_device *d, struct sdd_error *err) SDD_MUST_CHECK;
/* dev_drain: after a failure elsewhere: waits until nothing queued uses memory that is about to be freed. */
void dev_drain(sdd_device *d);

/* arena: carves 256-byte aligned pieces from one allocation. With base NULL it only counts, so the same code that lays
 * memory out also says beforehand, to the byte, how much it is. */
struct arena {
    char *base;
    int64_t used;
};
void *arena_take(struct arena *a, int64_t count, int64_t item_bytes);
#define ARENA(a, type, count) ((type *)arena_take((a), (count), (int64_t)sizeof(type)))

#endif
