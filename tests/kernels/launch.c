/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernels/launch.h"
#include "tests/env.h"
#include "tests/kernels/parity_device.h"
#include "tests/oracle/refined.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GUARD 256 /* bytes before and behind each array; alignment stays */
#define MAX_ARRAYS 64
#define THREADS 3 /* more than CI has cores: parts and remainders differ */

enum use { USE_IN, USE_OUT, USE_LOOKED_AT };

struct array {
    unsigned char *device, *before, *after; /* guards are part of each; after: NULL until somebody asks */
    int64_t bytes;
    size_t item;
    enum use use;
};

static struct {
    const struct sdd_backend *b;
    void *dev;
    struct array array[MAX_ARRAYS];
    int n_arrays;
    char label[256], kernel[32], no_backend[200];
} run;

static void check(int rc, const char *what)
{
    if (rc)
        fail_msg("%s: %s: %s", run.label, what, sdd_err_code(rc));
}

void launch_say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(run.label, sizeof run.label, format, args);
    va_end(args);
}

const char *launch_case(void)
{
    return run.label;
}

const struct sdd_backend *launch_backend(void)
{
    return run.b;
}

void *poisoned(int64_t n, size_t item)
{
    void *p = xalloc(n, item);
    return n > 0 ? memset(p, LAUNCH_POISON, (size_t)n * item) : p;
}

/* ---- memory ---------------------------------------------------------------------------------------------------- */
/* Around an array stands more of its first and last row: who reads there gets what looks right and goes wrong. */
static void fill_guards(const struct array *a)
{
    unsigned char *first = a->before + GUARD, *end = first + a->bytes;
    for (int i = 0; i < GUARD && a->bytes > 0; i++) {
        first[-1 - i] = first[a->item - 1 - (size_t)i % a->item];
        end[i] = end[(ptrdiff_t)((size_t)i % a->item) - (ptrdiff_t)a->item];
    }
}

static void *add_array(const void *from, int64_t n, size_t item, enum use use)
{
    struct array *a = run.array + run.n_arrays;
    void *device = NULL;
    int64_t bytes = n * (int64_t)item;
    assert_true(run.n_arrays < MAX_ARRAYS);
    *a = (struct array){NULL, poisoned(bytes + 2 * GUARD, 1), NULL, bytes, item, use};
    if (from && bytes > 0)
        memcpy(a->before + GUARD, from, (size_t)bytes);
    fill_guards(a);
    check(run.b->alloc(run.dev, bytes + 2 * GUARD, &device), "alloc");
    a->device = device;
    run.n_arrays++;
    check(run.b->upload(run.dev, a->device, a->before, bytes + 2 * GUARD), "upload");
    return a->device + GUARD;
}

void *launch_in(const void *from, int64_t n, size_t item)
{
    return add_array(from, n, item, USE_IN);
}

void *launch_out(int64_t n, size_t item)
{
    return add_array(NULL, n, item, USE_OUT);
}

void *launch_inout(const void *from, int64_t n, size_t item)
{
    return add_array(from, n, item, USE_OUT);
}

uint64_t *launch_error(void)
{
    const uint64_t none = LAUNCH_NO_ERROR;
    return launch_inout(&none, 1, sizeof none);
}

static void drop_arrays(void)
{
    for (int i = 0; i < run.n_arrays; i++) {
        struct array *a = run.array + i;
        run.b->free(run.dev, a->device, a->bytes + 2 * GUARD);
        free(a->before);
        free(a->after);
    }
    run.n_arrays = 0;
}

void launch_run(int kernel, const char *name, const void *args, size_t args_bytes, int64_t n)
{
    (void)snprintf(run.kernel, sizeof run.kernel, "%s", name);
    check(run.b->launch(run.dev, kernel, args, args_bytes, n), name);
    check(run.b->sync(run.dev), name);
    for (int i = 0; i < run.n_arrays; i++) { /* what was read before this launch is old now */
        free(run.array[i].after);
        run.array[i].after = NULL;
    }
}

/* ---- results --------------------------------------------------------------------------------------------------- */
static void bring(struct array *a)
{
    int64_t all = a->bytes + 2 * GUARD;
    if (a->after)
        return;
    a->after = xalloc(all, 1);
    check(run.b->download(run.dev, a->after, a->device, all), "download");
    check(run.b->sync(run.dev), "download");
    for (int64_t i = 0; i < all; i++)
        if ((i < GUARD || i >= GUARD + a->bytes) && a->after[i] != a->before[i])
            fail_msg("%s: %s wrote byte %lld of an array of %lld", run.label, run.kernel, (long long)(i - GUARD),
                     (long long)a->bytes);
}

static struct array *array_of(const void *device)
{
    for (int i = 0; i < run.n_arrays; i++)
        if (run.array[i].device + GUARD == device)
            return run.array + i;
    fail_msg("%s: not an array", run.label);
    return NULL;
}

const void *launch_got(const void *device)
{
    struct array *a = array_of(device);
    bring(a);
    a->use = USE_LOOKED_AT;
    return a->after + GUARD;
}

static void print_row(const char *head, const unsigned char *p, size_t bytes)
{
    print_error("  %s", head);
    for (size_t i = 0; i + 4 <= bytes; i += 4) {
        uint32_t word;
        memcpy(&word, p + i, 4);
        print_error(" %u (0x%08x)", word, word);
    }
    print_error("\n");
}

static void same(const struct array *a, const void *want, const char *what)
{
    const unsigned char *w = want, *got = a->after + GUARD;
    for (int64_t at = 0; at < a->bytes; at += (int64_t)a->item)
        if (memcmp(got + at, w + at, a->item) != 0) {
            print_row("got ", got + at, a->item);
            print_row("want", w + at, a->item);
            fail_msg("%s: %s: row %lld of %s is wrong", run.label, run.kernel, (long long)(at / (int64_t)a->item),
                     what);
        }
}

void launch_same(const void *device, const void *want, const char *what)
{
    (void)launch_got(device);
    same(array_of(device), want, what);
}

void launch_word(const void *device, uint64_t want, const char *what)
{
    launch_same(device, &want, what);
}

void launch_end(void)
{
    for (int i = 0; i < run.n_arrays; i++) {
        struct array *a = run.array + i;
        bring(a);
        if (a->use == USE_IN)
            same(a, a->before + GUARD, "an input");
        if (a->use == USE_OUT)
            fail_msg("%s: %s: nobody looked at output %d", run.label, run.kernel, i);
    }
    drop_arrays();
}

/* ---- random numbers (xorshift) --------------------------------------------------------------------------------- */
uint32_t random_next(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return (uint32_t)(*s >> 16);
}

int32_t random_below(uint64_t *s, int64_t n)
{
    return n > 0 ? (int32_t)(random_next(s) % (uint64_t)n) : 0;
}

float random_unit(uint64_t *s)
{
    return (float)(random_next(s) >> 8) / 16777216.0f;
}

/* ---- groups ---------------------------------------------------------------------------------------------------- */
static void say_and_skip(void **state)
{
    (void)state;
    printf("skip: %s\n", run.no_backend);
    skip();
}

static int after_each(void **state)
{
    (void)state;
    drop_arrays();
    return 0;
}

int launch_group(const char *name, const struct CMUnitTest *tests, size_t n)
{
    char device[96];
    struct sdd_error err = {0};
    struct CMUnitTest *all = xalloc((int64_t)n, sizeof *all);
    run.b =
        strcmp(test_backend(), "cuda") == 0 ? parity_other(run.no_backend, sizeof run.no_backend) : sdd_backend_cpu();
    if (run.b && run.b->open(0, THREADS, &run.dev, device, sizeof device, &err)) {
        (void)snprintf(run.no_backend, sizeof run.no_backend, "%.180s", err.text);
        run.b = NULL;
    }
    for (size_t i = 0; i < n; i++) {
        all[i] = tests[i];
        all[i].teardown_func = after_each;
        if (!run.b)
            all[i].test_func = say_and_skip;
    }
    int failed = _cmocka_run_group_tests(name, all, n, NULL, NULL);
    if (run.b)
        run.b->close(run.dev);
    free(all);
    return failed;
}
