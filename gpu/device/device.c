/* SPDX-License-Identifier: Apache-2.0 */
/* device.c: devices for the whole library (device.h): which backend is opened, how memory is counted, and the sticky
 * status. */
#include "gpu/device/device.h"
#include "gpu/sdd/sdd_update.h"
#include "gpu/sdd/sdd_pause.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int sdd_device_wrap(const struct sdd_backend *b, int index, int threads, int64_t memory_limit, sdd_device **out,
                    struct sdd_error *err)
{
    int64_t free_bytes = 0, total = 0;
    sdd_device *d = calloc(1, sizeof *d);
    *out = NULL;
    if (!d)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for a device record");
    d->b = b;
    int rc = b->open(index, threads, &d->dev, d->name, sizeof d->name, err);
    if (!rc) {
        rc = b->memory(d->dev, &free_bytes, &total);
        if (rc)
            sdd_fail(err, rc, "backend", "%s does not say how much memory it has", d->name);
        else if (memory_limit > total)
            rc = sdd_fail(err, SDD_EINVALID, "memory_limit", "%s has %lld bytes of memory, not %lld: at most %lld do",
                          d->name, (long long)total, (long long)memory_limit, (long long)total);
    }
    if (rc) {
        if (d->dev)
            b->close(d->dev);
        free(d);
        return rc;
    }
    d->limit = memory_limit ? memory_limit : free_bytes / 10 * 8;
    *out = d;
    return SDD_OK;
}

static void keep_spare(sdd_device *d, const struct sdd_device_config *config)
{
    if (d && config->spare_bytes)
        d->b->keep(d->dev, config->spare_bytes);
}

int sdd_device_open(const struct sdd_device_config *config, sdd_device **out, struct sdd_error *err)
{
    const char *want = config->backend ? config->backend : "auto";
    char reason[160] = "";
    *out = NULL;
    if (strcmp(want, "auto") != 0 && strcmp(want, "cpu") != 0 && strcmp(want, "cuda") != 0)
        return sdd_fail(err, SDD_EINVALID, "backend", "\"%.20s\" is not one of auto, cpu, cuda", want);
    if (strcmp(want, "cpu") != 0) {
        const struct sdd_backend *cuda = sdd_backend_load(config->module_path, reason, sizeof reason);
        struct sdd_error why = {0};
        const int rc = cuda ? sdd_device_wrap(cuda, 0, 0, config->memory_limit, out, &why) : SDD_EDEVICE;
        if (!rc)
            keep_spare(*out, config);
        if (rc == SDD_EINVALID && err) /* The CPU would not be what was asked for either. */
            *err = why;
        if (!rc || rc == SDD_EINVALID)
            return rc;
        if (cuda)
            snprintf(reason, sizeof reason, "%.150s", why.text);
        if (strcmp(want, "cuda") == 0)
            return sdd_fail(err, SDD_EDEVICE, "backend", "no CUDA device: %s", reason);
    }
    const int64_t limit = config->cpu_limit ? config->cpu_limit : config->memory_limit;
    int rc = sdd_device_wrap(sdd_backend_cpu(), 0, config->threads, limit, out, err);
    if (rc || !*out)
        return rc;
    keep_spare(*out, config);
    memcpy((*out)->detail, reason, sizeof reason);
    return SDD_OK;
}

void sdd_device_close(sdd_device *d)
{
    if (!d)
        return;
    kept_free(d, &d->kept);
    d->b->close(d->dev);
    free(d);
}

void sdd_device_info(const sdd_device *d, struct sdd_device_info *out)
{
    memset(out, 0, sizeof *out);
    snprintf(out->backend, sizeof out->backend, "%s", d->b->name);
    memcpy(out->name, d->name, sizeof out->name);
    memcpy(out->detail, d->detail, sizeof out->detail);
    out->memory_limit = d->limit;
    out->memory_used = d->used;
    out->n_launches = sdd_device_launches(d);
    out->threads = d->b->threads(d->dev);
}

int64_t sdd_device_launches(const sdd_device *d)
{
    return atomic_load_explicit(&d->n_launches, memory_order_relaxed);
}

int sdd_device_spare(sdd_device *d)
{
    return kept_spare(d, &d->kept);
}

int64_t sdd_device_sparable(const sdd_device *d)
{
    return kept_bytes(&d->kept);
}

void sdd_device_trim(sdd_device *d)
{
    d->b->trim(d->dev);
}

/* Lets other work onto the device. It does not see, nor change, the status of the sequence around it. */
static int pause_sequence(void *user)
{
    sdd_device *d = user;
    const int status = d->status, first_mark = d->first_mark;
    d->first_mark = DEV_MARKS;
    const int stop = d->pause(d->pause_user);
    d->first_mark = first_mark;
    if (d->status != SDD_EDEVICE)
        d->status = status;
    return stop;
}

void sdd_device_on_pause(sdd_device *d, int (*pause)(void *user), void *user)
{
    d->pause = pause;
    d->pause_user = user;
    if (d->b->on_pause)
        d->b->on_pause(d->dev, pause ? pause_sequence : NULL, d);
}

static void note(sdd_device *d, int rc)
{
    if (rc && !d->status)
        d->status = rc;
}

static int dev_lost(sdd_device *d, struct sdd_error *err)
{
    d->status = SDD_EDEVICE;
    return sdd_fail(err, SDD_EDEVICE, "", "%s stopped working", d->name);
}

int dev_alloc(sdd_device *d, int64_t bytes, void **out, struct sdd_error *err)
{
    int rc = SDD_ENO_MEMORY;
    int64_t available = d->limit - d->used, unused = 0, total = 0;
    *out = NULL;
    if (d->status && (rc = dev_finish(d, err))) /* A step that was queued before this one failed. */
        return rc;
    if (bytes <= available)
        rc = d->b->alloc(d->dev, bytes, out);
    if (rc == SDD_EDEVICE)
        return dev_lost(d, err);
    if (rc) {
        if (bytes <= available && !d->b->memory(d->dev, &unused, &total) && unused < available)
            available = unused; /* The device refused what the limit would allow. */
        sdd_fail(err, SDD_ENO_MEMORY, "", "%lld bytes of device memory are needed, %lld of %lld are free",
                 (long long)bytes, (long long)available, (long long)d->limit);
        if (err) {
            err->needed = bytes;
            err->available = available;
        }
        return SDD_ENO_MEMORY;
    }
    d->used += bytes;
    return SDD_OK;
}

int dev_alloc_more(sdd_device *d, int64_t held, int64_t bytes, void **out, struct sdd_error *err)
{
    struct sdd_error own = {0};
    err = err ? err : &own;
    int rc = dev_alloc(d, bytes, out, err);
    if (rc != SDD_ENO_MEMORY || held == 0)
        return rc;
    int64_t needed = held + bytes, available = held + err->available;
    sdd_fail(err, rc, "", "at least %lld bytes of device memory are needed, %lld of %lld are free", (long long)needed,
             (long long)available, (long long)d->limit);
    err->needed = needed;
    err->available = available;
    return rc;
}

void dev_free(sdd_device *d, void *memory, int64_t bytes)
{
    if (!memory)
        return;
    d->b->free(d->dev, memory, bytes);
    d->used -= bytes;
}

int block_take(sdd_device *d, int64_t bytes, struct device_block *block, struct sdd_error *err)
{
    int rc = dev_alloc(d, bytes, &block->memory, err);
    block->bytes = rc ? 0 : bytes;
    return rc;
}

int block_settle(sdd_device *d, const void *host, struct device_block made, struct device_block old,
                 struct sdd_error *err)
{
    dev_upload(d, made.memory, host, made.bytes);
    int rc = dev_finish(d, err);
    struct device_block gone = rc ? made : old;
    dev_free(d, gone.memory, gone.bytes);
    return rc;
}

void block_give(sdd_device *d, struct device_block *block)
{
    dev_free(d, block->memory, block->bytes);
    *block = (struct device_block){0};
}

void dev_upload(sdd_device *d, void *to, const void *from_host, int64_t bytes)
{
    if (!d->status && bytes > 0)
        note(d, d->b->upload(d->dev, to, from_host, bytes));
}

void dev_download(sdd_device *d, void *to_host, const void *from, int64_t bytes)
{
    if (!d->status && bytes > 0)
        note(d, d->b->download(d->dev, to_host, from, bytes));
}

void dev_copy(sdd_device *d, void *to, const void *from, int64_t bytes)
{
    if (!d->status && bytes > 0)
        note(d, d->b->copy(d->dev, to, from, bytes));
}

void dev_fill(sdd_device *d, void *to, int byte, int64_t bytes)
{
    if (!d->status && bytes > 0)
        note(d, d->b->fill(d->dev, to, byte, bytes));
}

void dev_scan(sdd_device *d, const int32_t *in, int32_t *out, int64_t n, void *scratch)
{
    if (!d->status && n > 0)
        note(d, d->b->scan(d->dev, in, out, n, scratch));
}

void dev_sort(sdd_device *d, uint64_t *keys_in, uint64_t *keys_out, int32_t *values_in, int32_t *values_out, int64_t n,
              int bits, void *scratch)
{
    if (!d->status && n > 0)
        note(d, d->b->sort(d->dev, keys_in, keys_out, values_in, values_out, n, bits, scratch));
}

void dev_launch(sdd_device *d, int kernel, const void *args, size_t args_bytes, int64_t n)
{
    if (d->status || n <= 0)
        return;
    atomic_fetch_add_explicit(&d->n_launches, 1, memory_order_relaxed);
    if (d->pause && pause_sequence(d)) {
        note(d, SDD_ECANCELLED);
        return;
    }
    note(d, d->b->launch(d->dev, kernel, args, args_bytes, n));
}

void dev_pause(sdd_device *d)
{
    if (d->pause)
        (void)pause_sequence(d);
}

void dev_l2_window(sdd_device *d, void *memory, int64_t bytes)
{
    if (d->b->l2_window)
        d->b->l2_window(d->dev, memory, bytes);
}

int dev_host_alloc(sdd_device *d, int64_t bytes, int soon, void **out, struct sdd_error *err)
{
    *out = soon && d->b->pinned && !d->status ? d->b->pinned(d->dev, bytes) : NULL;
    if (*out)
        return SDD_OK;
    int rc = d->status ? d->status : d->b->host_alloc(d->dev, bytes, out);
    if (!rc)
        return SDD_OK;
    if (rc == SDD_EDEVICE)
        return dev_lost(d, err);
    sdd_fail(err, rc, "", "%lld bytes of host memory for the result are not to be had", (long long)bytes);
    if (err)
        err->needed = bytes;
    return rc;
}

double dev_elapsed(sdd_device *d, int from_slot, int to_slot)
{
    double seconds = 0.0;
    if (!d->status)
        note(d, d->b->elapsed(d->dev, d->first_mark + from_slot, d->first_mark + to_slot, &seconds));
    return seconds;
}

void dev_mark(sdd_device *d, int slot)
{
    if (!d->status)
        note(d, d->b->mark(d->dev, d->first_mark + slot));
}

int dev_finish(sdd_device *d, struct sdd_error *err)
{
    int synced = d->b->sync(d->dev), rc = d->status ? d->status : synced;
    d->status = rc == SDD_EDEVICE ? rc : SDD_OK;
    if (rc == SDD_ENO_MEMORY)
        return sdd_fail(err, rc, "", "the device ran out of memory");
    if (rc == SDD_ECANCELLED)
        return sdd_fail(err, rc, "", "cancelled while the device worked");
    return rc ? dev_lost(d, err) : SDD_OK;
}

void dev_drain(sdd_device *d)
{
    int rc = dev_finish(d, NULL);
    (void)rc; /* The caller reports the failure that came first. */
}

void *arena_take(struct arena *a, int64_t count, int64_t item_bytes)
{
    int64_t at = a->used;
    a->used += (count * item_bytes + 255) / 256 * 256;
    return a->base ? a->base + at : NULL;
}
