/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernels/device/both_backends.h"
#include "tests/kernels/parity_device.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>

#define THREADS 3 /* more than CI has cores: parts and remainders differ */

struct opened opened_cpu, opened_other;

int open_both(void **state)
{
    char name[96];
    struct sdd_error err = {0};
    (void)state;
    opened_cpu.b = sdd_backend_cpu();
    opened_other.b = parity_other(opened_other.reason, sizeof opened_other.reason);
    if (opened_cpu.b->open(0, THREADS, &opened_cpu.dev, name, sizeof name, &err) ||
        (opened_other.b && opened_other.b->open(0, THREADS, &opened_other.dev, name, sizeof name, &err))) {
        printf("%s\n", err.text);
        return -1;
    }
    return 0;
}

int close_both(void **state)
{
    (void)state;
    opened_cpu.b->close(opened_cpu.dev);
    if (opened_other.b)
        opened_other.b->close(opened_other.dev);
    return 0;
}

struct opened *opened_or_skip(void **state)
{
    struct opened *t = *state;
    if (!t->b) {
        printf("skip: %s\n", t->reason);
        skip();
    }
    return t;
}

void *opened_array(struct opened *t, int64_t bytes, const void *from)
{
    void *p = NULL;
    assert_int_equal(t->b->alloc(t->dev, bytes, &p), SDD_OK);
    if (from)
        assert_int_equal(t->b->upload(t->dev, p, from, bytes), SDD_OK);
    return p;
}
