/* SPDX-License-Identifier: Apache-2.0 */
/* usda_read.c: what the tests of the USDA reader share. */
#include "tests/unit/mesh/usda_read.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* The body ends exactly where the allocation does, so that a sanitizer sees a read beyond it. */
static int read_exact(const char *text, const struct usda_ask *ask, struct mesh **m, struct text *warnings,
                      struct sdd_error *err)
{
    const size_t n = strlen(text);
    struct losses *losses = calloc(1, sizeof *losses);
    char *copy = malloc(n ? n : 1);
    memcpy(copy, text, n);
    const int rc = mesh_from_usda(copy, n, ask, m, NULL, losses, err);
    losses_print(losses, warnings);
    free(losses);
    free(copy);
    return rc;
}

void usda_refused_ask(const char *text, const struct usda_ask *ask, int code, const char *says)
{
    struct sdd_error err = {0};
    struct text warnings = {0};
    struct mesh *m = (struct mesh *)1;
    const int rc = read_exact(text, ask, &m, &warnings, &err);
    if (rc != code || !strstr(err.text, says))
        fail_msg("%s\ngave %d %s", text, rc, err.text);
    assert_null(m);
    text_free(&warnings);
}

void usda_refused(const char *text, int code, const char *says)
{
    usda_refused_ask(text, NULL, code, says);
}

struct mesh *usda_reads_ask(const char *text, const struct usda_ask *ask, const char *says)
{
    struct sdd_error err = {0};
    struct text warnings = {0};
    struct mesh *m;
    if (read_exact(text, ask, &m, &warnings, &err))
        fail_msg("%s: %s", err.text, text);
    assert_string_equal(warnings.data ? warnings.data : "", says);
    text_free(&warnings);
    return m;
}

struct mesh *usda_reads(const char *text, const char *says)
{
    return usda_reads_ask(text, NULL, says);
}

const struct primvar *usda_primvar(const struct mesh *m, const char *name, int interpolation, int type, int width,
                                   int n_values)
{
    for (int i = 0; i < m->n_primvars; i++) {
        const struct primvar *p = &m->primvars[i];
        if (strcmp(p->info.name, name) != 0)
            continue;
        assert_int_equal(p->info.interpolation, interpolation);
        assert_int_equal(p->info.type, type);
        assert_int_equal(p->info.width, width);
        assert_int_equal(p->info.n_values, n_values);
        return p;
    }
    fail_msg("no primvar %s", name);
    return NULL;
}
