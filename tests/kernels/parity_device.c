/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernels/parity_device.h"
#include "abi.h"
#include "gpu/device/fake/backend_fake.h"
#include "tests/env.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GUARD 256 /* bytes behind each allocation */
#define MAX_LIVE 1024
#define MAX_ARGS 4096
#define CHUNK (1 << 20)

struct live {
    char *a, *b;
    int64_t bytes;
};

struct pair {
    void *a, *b; /* the two devices */
    int n_live;
    struct live live[MAX_LIVE];
    char chunk_a[CHUNK], chunk_b[CHUNK];
};

static struct {
    const struct sdd_backend *a, *b;
    int poison, reference;
    struct parity_report report;
} parity;

static int both(int rc_a, int rc_b)
{
    return rc_a ? rc_a : rc_b;
}

static int differ(const char *text)
{
    parity.report.n_differences++;
    if (!parity.report.first[0])
        snprintf(parity.report.first, sizeof parity.report.first, "%s", text);
    fprintf(stderr, "parity: %s\n", text);
    return SDD_EDEVICE;
}

/* ---- open and close --------------------------------------------------------------------------------------- */
static int pair_probe(char *reason, size_t size)
{
    return parity.a->probe(reason, size) && parity.b->probe(reason, size);
}

static int pair_open(int index, int threads, void **device, char *name, size_t size, struct sdd_error *err)
{
    struct pair *p = calloc(1, sizeof *p);
    char name_a[96], name_b[96];
    *device = NULL;
    if (!p)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for a parity device");
    int rc = parity.a->open(0, threads, &p->a, name_a, sizeof name_a, err);
    if (!rc)
        rc = parity.b->open(index, threads, &p->b, name_b, sizeof name_b, err);
    if (rc) {
        if (p->a)
            parity.a->close(p->a);
        free(p);
        return rc;
    }
    snprintf(name, size, "%s against %s", name_a, name_b);
    *device = p;
    return SDD_OK;
}

static void pair_close(void *device)
{
    struct pair *p = device;
    if (!p)
        return;
    if (p->n_live)
        (void)differ("memory was not freed when the device was closed");
    parity.a->close(p->a);
    parity.b->close(p->b);
    free(p);
}

static int pair_threads(void *device)
{
    return parity.a->threads(((struct pair *)device)->a);
}

static int pair_memory(void *device, int64_t *free_bytes, int64_t *total_bytes)
{
    struct pair *p = device;
    int64_t free_b, total_b;
    int rc = both(parity.a->memory(p->a, free_bytes, total_bytes), parity.b->memory(p->b, &free_b, &total_b));
    if (!rc && free_b < *free_bytes)
        *free_bytes = free_b;
    if (!rc && total_b < *total_bytes)
        *total_bytes = total_b;
    return rc;
}

/* ---- memory ----------------------------------------------------------------------------------------------- */
/* The live allocation that holds the address (its guard zone included: an empty array may stand at the end). */
static const struct live *find(const struct pair *p, const void *address)
{
    const char *at = address;
    for (int i = 0; i < p->n_live; i++)
        if ((uintptr_t)at >= (uintptr_t)p->live[i].a &&
            (uintptr_t)at < (uintptr_t)p->live[i].a + (uintptr_t)p->live[i].bytes + GUARD)
            return p->live + i;
    return NULL;
}

static void *second(const struct pair *p, const void *address)
{
    const struct live *l = find(p, address);
    if (!l && address) {
        fprintf(stderr, "parity: %p is not device memory\n", address);
        abort();
    }
    return l ? l->b + ((const char *)address - l->a) : NULL;
}

static int pair_alloc(void *device, int64_t bytes, void **out)
{
    struct pair *p = device;
    void *a = NULL, *b = NULL;
    *out = NULL;
    assert(p->n_live < MAX_LIVE);
    int rc = parity.a->alloc(p->a, bytes + GUARD, &a);
    if (!rc)
        rc = parity.b->alloc(p->b, bytes + GUARD, &b);
    if (!rc)
        rc = both(parity.a->fill(p->a, a, parity.poison, bytes + GUARD),
                  parity.b->fill(p->b, b, parity.poison, bytes + GUARD));
    if (rc) {
        parity.a->free(p->a, a, bytes + GUARD);
        parity.b->free(p->b, b, bytes + GUARD);
        return rc;
    }
    p->live[p->n_live++] = (struct live){a, b, bytes};
    *out = a;
    return SDD_OK;
}

static void pair_free(void *device, void *memory, int64_t bytes)
{
    struct pair *p = device;
    if (!memory)
        return;
    const struct live *l = find(p, memory);
    if (!l || l->a != memory || l->bytes != bytes) {
        fprintf(stderr, "parity: %lld bytes at %p were never allocated\n", (long long)bytes, memory);
        abort();
    }
    parity.a->free(p->a, l->a, bytes + GUARD);
    parity.b->free(p->b, l->b, bytes + GUARD);
    p->live[l - p->live] = p->live[--p->n_live];
}

static int pair_host_alloc(void *device, int64_t bytes, void **out)
{
    return parity.b->host_alloc(((struct pair *)device)->b, bytes, out);
}

static void pair_host_free(void *device, void *memory, int64_t bytes)
{
    parity.b->host_free(((struct pair *)device)->b, memory, bytes);
}

static void pair_trim(void *device)
{
    struct pair *p = device;
    parity.a->trim(p->a);
    parity.b->trim(p->b);
}

/* ---- comparing -------------------------------------------------------------------------------------------- */
/* The first differing word of n bytes that stand at `offset` of allocation i; n is a multiple of 4 or the end. */
static int name_difference(const struct pair *p, const char *what, int i, int64_t offset, int64_t n)
{
    char text[512];
    uint32_t a = 0, b = 0;
    int64_t at = 0;
    while (at + 4 <= n && memcmp(p->chunk_a + at, p->chunk_b + at, 4) == 0)
        at += 4;
    const size_t rest = n - at < 4 ? (size_t)(n - at) : 4;
    memcpy(&a, p->chunk_a + at, rest);
    memcpy(&b, p->chunk_b + at, rest);
    snprintf(text, sizeof text, "after %s: byte %lld of allocation %d (%lld bytes) is 0x%08x on %s and 0x%08x on %s",
             what, (long long)offset + (long long)at, i, (long long)p->live[i].bytes, a, parity.a->name, b,
             parity.b->name);
    return differ(text);
}

static int compare(struct pair *p, const char *what)
{
    char text[256];
    parity.report.n_compared++;
    for (int i = 0; i < p->n_live; i++) {
        const struct live *l = p->live + i;
        for (int64_t at = 0; at < l->bytes + GUARD; at += CHUNK) {
            const int64_t n = l->bytes + GUARD - at < CHUNK ? l->bytes + GUARD - at : CHUNK;
            int rc = both(parity.a->download(p->a, p->chunk_a, l->a + at, n),
                          parity.b->download(p->b, p->chunk_b, l->b + at, n));
            if (!rc)
                rc = both(parity.a->sync(p->a), parity.b->sync(p->b));
            if (rc)
                return rc;
            if (memcmp(p->chunk_a, p->chunk_b, (size_t)n) != 0)
                return name_difference(p, what, i, at, n);
            for (int64_t g = l->bytes > at ? l->bytes - at : 0; g < n; g++) {
                if ((unsigned char)p->chunk_a[g] != parity.poison) {
                    snprintf(text, sizeof text, "after %s: written %lld bytes behind allocation %d of %lld bytes", what,
                             (long long)(at + g - l->bytes), i, (long long)l->bytes);
                    return differ(text);
                }
            }
        }
    }
    return SDD_OK;
}

static int pair_upload(void *device, void *to, const void *from_host, int64_t bytes)
{
    struct pair *p = device;
    return both(parity.a->upload(p->a, to, from_host, bytes), parity.b->upload(p->b, second(p, to), from_host, bytes));
}

static int pair_download(void *device, void *to_host, const void *from, int64_t bytes)
{
    struct pair *p = device;
    void *other = malloc(bytes > 0 ? (size_t)bytes : 1);
    if (!other)
        return SDD_ENO_MEMORY;
    int rc =
        both(parity.a->download(p->a, other, from, bytes), parity.b->download(p->b, to_host, second(p, from), bytes));
    if (!rc)
        rc = both(parity.a->sync(p->a), parity.b->sync(p->b));
    if (!rc && bytes > 0 && memcmp(other, to_host, (size_t)bytes) != 0)
        rc = differ("a download brings different bytes");
    free(other);
    return rc;
}

static int pair_copy(void *device, void *to, const void *from, int64_t bytes)
{
    struct pair *p = device;
    return both(parity.a->copy(p->a, to, from, bytes), parity.b->copy(p->b, second(p, to), second(p, from), bytes));
}

static int pair_fill(void *device, void *to, int byte, int64_t bytes)
{
    struct pair *p = device;
    return both(parity.a->fill(p->a, to, byte, bytes), parity.b->fill(p->b, second(p, to), byte, bytes));
}

/* ---- work ------------------------------------------------------------------------------------------------- */
static int pair_launch(void *device, int kernel, const void *args, size_t args_bytes, int64_t n)
{
    struct pair *p = device;
    uint64_t words[MAX_ARGS / 8];
    char what[96];
    assert(kernel >= 0 && kernel < SDD_N_KERNELS && args_bytes <= sizeof words);
    memcpy(words, args, args_bytes);
    for (size_t i = 0; i < args_bytes / 8; i++) {
        const struct live *l = find(p, (const void *)(uintptr_t)words[i]);
        if (l)
            words[i] = (uintptr_t)(l->b + (words[i] - (uintptr_t)l->a));
    }
    int rc = both(parity.a->launch(p->a, kernel, args, args_bytes, n),
                  parity.b->launch(p->b, kernel | parity.reference, words, args_bytes, n));
    if (rc || n <= 0)
        return rc;
    snprintf(what, sizeof what, "kernel %s, launch %lld of it, n = %lld", parity_kernel_name(kernel),
             (long long)++parity.report.n_launched[kernel], (long long)n);
    return compare(p, what);
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t pair_scan_scratch(void *device, int64_t n)
{
    struct pair *p = device;
    return larger(parity.a->scan_scratch(p->a, n), parity.b->scan_scratch(p->b, n));
}

static int pair_scan(void *device, const int32_t *in, int32_t *out, int64_t n, void *scratch)
{
    struct pair *p = device;
    int rc = both(parity.a->scan(p->a, in, out, n, scratch),
                  parity.b->scan(p->b, second(p, in), second(p, out), n, second(p, scratch)));
    if (!rc)
        rc = pair_fill(p, scratch, parity.poison, pair_scan_scratch(p, n));
    return rc ? rc : compare(p, "a scan");
}

static int64_t pair_sort_scratch(void *device, int64_t n, int bits)
{
    struct pair *p = device;
    return larger(parity.a->sort_scratch(p->a, n, bits), parity.b->sort_scratch(p->b, n, bits));
}

static int pair_sort(void *device, uint64_t *keys_in, uint64_t *keys_out, int32_t *values_in, int32_t *values_out,
                     int64_t n, int bits, void *scratch)
{
    struct pair *p = device;
    int rc = both(parity.a->sort(p->a, keys_in, keys_out, values_in, values_out, n, bits, scratch),
                  parity.b->sort(p->b, second(p, keys_in), second(p, keys_out), second(p, values_in),
                                 second(p, values_out), n, bits, second(p, scratch)));
    if (!rc)
        rc = pair_fill(p, scratch, parity.poison, pair_sort_scratch(p, n, bits));
    if (!rc) /* what went in holds anything */
        rc = both(pair_fill(p, keys_in, parity.poison, n * 8), pair_fill(p, values_in, parity.poison, n * 4));
    return rc ? rc : compare(p, "a sort");
}

static int pair_sync(void *device)
{
    struct pair *p = device;
    return both(parity.a->sync(p->a), parity.b->sync(p->b));
}

static int pair_mark(void *device, int slot)
{
    struct pair *p = device;
    return both(parity.a->mark(p->a, slot), parity.b->mark(p->b, slot));
}

static int pair_elapsed(void *device, int from_slot, int to_slot, double *seconds)
{
    struct pair *p = device;
    return both(parity.a->elapsed(p->a, from_slot, to_slot, seconds),
                parity.b->elapsed(p->b, from_slot, to_slot, seconds));
}

/* ---- for tests -------------------------------------------------------------------------------------------- */
const struct sdd_backend *parity_backend(const struct sdd_backend *first, const struct sdd_backend *other, int poison)
{
    static const struct sdd_backend backend = {
        .abi = SDD_ABI_HASH,
        .name = "parity",
        .unified = 0,
        .probe = pair_probe,
        .open = pair_open,
        .close = pair_close,
        .threads = pair_threads,
        .memory = pair_memory,
        .alloc = pair_alloc,
        .free = pair_free,
        .host_alloc = pair_host_alloc,
        .host_free = pair_host_free,
        .trim = pair_trim,
        .upload = pair_upload,
        .download = pair_download,
        .copy = pair_copy,
        .fill = pair_fill,
        .launch = pair_launch,
        .scan_scratch = pair_scan_scratch,
        .scan = pair_scan,
        .sort_scratch = pair_sort_scratch,
        .sort = pair_sort,
        .sync = pair_sync,
        .mark = pair_mark,
        .elapsed = pair_elapsed,
    };
    memset(&parity, 0, sizeof parity);
    parity.a = first;
    parity.b = other;
    parity.poison = poison;
    return &backend;
}

void parity_reference(void)
{
    parity.reference = SDD_REFERENCE;
}

const struct parity_report *parity_report(void)
{
    return &parity.report;
}

const char *parity_kernel_name(int kernel)
{
    static const char *const names[] = {
#define SDD_KERNEL(name) #name,
#include "kernels.def"
#undef SDD_KERNEL
    };
    return names[kernel];
}

int parity_levels(void)
{
    const char *levels = getenv("SUBDD_TEST_LEVELS");
    return levels && *levels ? (int)strtol(levels, NULL, 10) : 4;
}

const struct sdd_backend *parity_other(char *reason, size_t size)
{
    if (strcmp(test_backend(), "cuda") != 0)
        return sdd_backend_fake();
    if (test_module_path())
        return sdd_backend_load(test_module_path(), reason, size);
    snprintf(reason, size, "no CUDA module beside the binaries");
    return NULL;
}
