/* SPDX-License-Identifier: Apache-2.0 */
/* set_names.c: checks and copies the names of face sets, for primvars.c and for edits. */
#include "server/base/chars.h"
#include "server/mesh/mesh.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELD_SIZE (PRIMVAR_WHERE_SIZE + 24)

/* Checks one name, and *left, the bytes that all the names have left. */
static int check_name(const char *name, int64_t i, int64_t *left, const char *field, struct sdd_error *err)
{
    const void *end = memchr(name, 0, (size_t)*left);
    int64_t n = end ? (const char *)end - name : *left;
    const char *wrong = !n                             ? "is empty"
                        : n >= SET_NAME_SIZE || !end   ? "is too long"
                        : !chars_utf8(name, (size_t)n) ? "is not UTF-8"
                        : chars_control(name)          ? "holds a control character"
                                                       : NULL;
    *left -= n + 1;
    if (!wrong)
        return SDD_OK;
    return sdd_fail(err, SDD_EMESH, field, "%s[%lld] %s; the name of a face set has 1 to %d bytes of UTF-8", field,
                    (long long)i, wrong, SET_NAME_SIZE - 1);
}

static int check(const struct primvar_array *a, int64_t names, int64_t bytes, const char *field, struct sdd_error *err)
{
    const struct set_names *s = &a->sets;
    int64_t left = s->bytes;
    const char *name = s->text;
    if (a->info.interpolation != SDD_UNIFORM || a->info.type != PRIMVAR_I32 || a->info.width != 1)
        return sdd_fail(err, SDD_EMESH, field, "%s is for uniform primvars of one i32; %s is not one", field,
                        a->info.name);
    if (names + s->n > SET_NAMES_MAX || bytes + s->bytes > SET_NAMES_MAX_BYTES)
        return sdd_fail(err, SDD_EMESH, field,
                        "with %s the mesh has %lld names of face sets, with %lld bytes; %d and %d are the most", field,
                        (long long)names + (long long)s->n, (long long)bytes + (long long)s->bytes, SET_NAMES_MAX,
                        SET_NAMES_MAX_BYTES);
    for (int64_t i = 0; i < s->n; i++, name = set_names_next(name)) {
        int rc = check_name(name, i, &left, field, err);
        if (rc)
            return rc;
    }
    return SDD_OK;
}

int set_names_check_value(const struct set_names *s, int32_t value, int64_t row, const char *where,
                          struct sdd_error *err)
{
    char field[FIELD_SIZE];
    if (value >= 0 && value <= s->n)
        return SDD_OK;
    (void)snprintf(field, sizeof field, "%s.values", where);
    return sdd_fail(err, SDD_EMESH, field, "%s[%lld] is set %d of %lld; 0 is no set", field, (long long)row, value,
                    (long long)s->n);
}

int set_names_build(struct primvar *p, const struct primvar_array *a, int64_t *names, int64_t *bytes, struct losses *l,
                    struct sdd_error *err)
{
    char kind[PRIMVAR_NAME_SIZE + 24], done[PRIMVAR_NAME_SIZE + 32], field[FIELD_SIZE];
    struct sdd_error why = {0};
    int32_t *values = p->values;
    if (!a->sets.n)
        return SDD_OK;
    (void)snprintf(field, sizeof field, "%s.setNames", a->where);
    (void)snprintf(kind, sizeof kind, "names of primvar %s", a->info.name);
    int bad = check(a, *names, *bytes, field, &why);
    if (bad)
        return losses_take(l, bad, &why, kind, "the names are left out", err);
    (void)snprintf(kind, sizeof kind, "sets of primvar %s", a->info.name);
    (void)snprintf(done, sizeof done, "the face is in no set of %s", a->info.name);
    for (int64_t i = 0; i < p->info.n_values; i++) {
        bad = set_names_check_value(&a->sets, values[i], i, a->where, &why);
        int rc = bad ? losses_take(l, bad, &why, kind, done, err) : SDD_OK;
        if (rc)
            return rc;
        if (bad)
            values[i] = 0;
    }
    *names += a->sets.n;
    *bytes += a->sets.bytes;
    return set_names_copy(&a->sets, &p->sets, err);
}

int set_names_copy(const struct set_names *from, struct set_names *to, struct sdd_error *err)
{
    *to = (struct set_names){0};
    if (!from->n)
        return SDD_OK;
    char *text = mesh_alloc(from->bytes, 1, err);
    if (!text)
        return SDD_ENO_MEMORY;
    memcpy(text, from->text, (size_t)from->bytes);
    *to = (struct set_names){text, from->n, from->bytes};
    return SDD_OK;
}

void set_names_free(struct set_names *s)
{
    free((void *)(uintptr_t)s->text);
    *s = (struct set_names){0};
}
