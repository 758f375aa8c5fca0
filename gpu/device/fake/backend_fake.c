/* SPDX-License-Identifier: Apache-2.0 */
/* backend_fake.c: the fake device of backend_fake.h, for torture tests. It is a CPU device in which all that can
 * fail is wrapped. It is not unified, so that results are downloaded as they are on a GPU. */
#include "gpu/device/fake/backend_fake.h"
#include "abi.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ZONE 256 /* Bytes on both sides of an allocation, and its alignment. The first 8 hold its size. */
#define ZONE_BYTE 0xFB

static struct {
    int64_t calls, k;
    atomic_llong live; /* Results may be freed on another thread. */
    int forever, sticky;
} fake;

void sdd_fake_arm(int64_t k, int forever, int sticky)
{
    fake.calls = 0;
    fake.k = k;
    fake.forever = forever;
    fake.sticky = sticky;
}

int64_t sdd_fake_calls(void)
{
    return fake.calls;
}

int64_t sdd_fake_live(void)
{
    return fake.live;
}

static int fault(int code)
{
    const int64_t call = ++fake.calls;
    if (fake.k == 0 || call < fake.k)
        return SDD_OK;
    if (call == fake.k || fake.forever)
        return code;
    return fake.sticky ? SDD_EDEVICE : SDD_OK;
}

static int fake_probe(char *reason, size_t size)
{
    return sdd_backend_cpu()->probe(reason, size);
}

static int fake_open(int index, int threads, void **device, char *name, size_t size, struct sdd_error *err)
{
    *device = NULL;
    int code = fault(SDD_EDEVICE);
    if (code != SDD_OK)
        return sdd_fail(err, code, "", "the fake device does not open, as was ordered");
    code = sdd_backend_cpu()->open(index, threads, device, name, size, err);
    fake.live += code == SDD_OK;
    return code;
}

static void fake_close(void *device)
{
    if (!device)
        return;
    fake.live--;
    sdd_backend_cpu()->close(device);
}

static int fake_threads(void *device)
{
    return sdd_backend_cpu()->threads(device);
}

static void fake_trim(void *device)
{
    sdd_backend_cpu()->trim(device);
}

static void fake_keep(void *device, int64_t bytes)
{
    sdd_backend_cpu()->keep(device, bytes);
}

/* ---- memory with red zones, for the device and the host alike --------------------------------------------- */
static int fake_alloc(void *device, int64_t bytes, void **out)
{
    (void)device;
    const size_t room = ((size_t)bytes + ZONE - 1) / ZONE * ZONE + 2 * ZONE;
    *out = NULL;
    int code = fault(SDD_ENO_MEMORY);
    if (code != SDD_OK)
        return code;
    unsigned char *block = aligned_alloc(ZONE, room);
    if (!block)
        return SDD_ENO_MEMORY;
    memset(block, ZONE_BYTE, room);
    memcpy(block, &bytes, sizeof bytes);
    memset(block + ZONE, SDD_FAKE_POISON, (size_t)bytes);
    *out = block + ZONE;
    fake.live++;
    return SDD_OK;
}

static void fake_free(void *device, void *memory, int64_t bytes)
{
    (void)device;
    if (!memory)
        return;
    unsigned char *block = (unsigned char *)memory - ZONE;
    int64_t size, bad = 0;
    memcpy(&size, block, sizeof size);
    for (size_t i = sizeof size; i < ZONE; i++)
        bad += block[i] != ZONE_BYTE;
    for (size_t i = 0; size == bytes && i < ZONE; i++)
        bad += block[ZONE + (size_t)bytes + i] != ZONE_BYTE;
    if (size != bytes || bad) {
        fprintf(stderr, "fake device: %lld bytes freed as %lld, %lld bytes around them overwritten\n", (long long)size,
                (long long)bytes, (long long)bad);
        abort();
    }
    fake.live--;
    free(block);
}

/* ---- all else is the CPU's, unless it is the k-th call -------------------------------------------------------- */
#define CPU_UNLESS_FAULT(call)                                                                                         \
    const int code = fault(SDD_EDEVICE);                                                                               \
    return code != SDD_OK ? code : sdd_backend_cpu()->call

static int fake_memory(void *device, int64_t *free_bytes, int64_t *total_bytes)
{
    CPU_UNLESS_FAULT(memory(device, free_bytes, total_bytes));
}

static int fake_upload(void *device, void *to, const void *from_host, int64_t bytes)
{
    CPU_UNLESS_FAULT(upload(device, to, from_host, bytes));
}

static int fake_download(void *device, void *to_host, const void *from, int64_t bytes)
{
    CPU_UNLESS_FAULT(download(device, to_host, from, bytes));
}

static int fake_copy(void *device, void *to, const void *from, int64_t bytes)
{
    CPU_UNLESS_FAULT(copy(device, to, from, bytes));
}

static int fake_fill(void *device, void *to, int byte, int64_t bytes)
{
    CPU_UNLESS_FAULT(fill(device, to, byte, bytes));
}

static int fake_launch(void *device, int kernel, const void *args, size_t args_bytes, int64_t n)
{
    CPU_UNLESS_FAULT(launch(device, kernel, args, args_bytes, n));
}

static int64_t fake_scan_scratch(void *device, int64_t n)
{
    return sdd_backend_cpu()->scan_scratch(device, n);
}

static int fake_scan(void *device, const int32_t *in, int32_t *out, int64_t n, void *scratch)
{
    CPU_UNLESS_FAULT(scan(device, in, out, n, scratch));
}

static int64_t fake_sort_scratch(void *device, int64_t n, int bits)
{
    return sdd_backend_cpu()->sort_scratch(device, n, bits);
}

static int fake_sort(void *device, uint64_t *keys_in, uint64_t *keys_out, int32_t *values_in, int32_t *values_out,
                     int64_t n, int bits, void *scratch)
{
    CPU_UNLESS_FAULT(sort(device, keys_in, keys_out, values_in, values_out, n, bits, scratch));
}

static int fake_sync(void *device)
{
    CPU_UNLESS_FAULT(sync(device));
}

static int fake_mark(void *device, int slot)
{
    CPU_UNLESS_FAULT(mark(device, slot));
}

static int fake_elapsed(void *device, int from_slot, int to_slot, double *seconds)
{
    *seconds = 0;
    CPU_UNLESS_FAULT(elapsed(device, from_slot, to_slot, seconds));
}

const struct sdd_backend *sdd_backend_fake(void)
{
    static const struct sdd_backend backend = {
        .abi = SDD_ABI_HASH,
        .name = "fake",
        .unified = 0,
        .probe = fake_probe,
        .open = fake_open,
        .close = fake_close,
        .threads = fake_threads,
        .memory = fake_memory,
        .alloc = fake_alloc,
        .free = fake_free,
        .host_alloc = fake_alloc,
        .host_free = fake_free,
        .trim = fake_trim,
        .keep = fake_keep,
        .upload = fake_upload,
        .download = fake_download,
        .copy = fake_copy,
        .fill = fake_fill,
        .launch = fake_launch,
        .scan_scratch = fake_scan_scratch,
        .scan = fake_scan,
        .sort_scratch = fake_sort_scratch,
        .sort = fake_sort,
        .sync = fake_sync,
        .mark = fake_mark,
        .elapsed = fake_elapsed,
    };
    return &backend;
}
