/* SPDX-License-Identifier: Apache-2.0 */
/* json_text.c: parses JSON bodies and reads their members, for json.c. */
#include "server/mesh/formats/json_text.h"
#include "server/mesh/formats/json_scan.h"
#include "server/base/chars.h"
#include "server/base/pool.h"
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_EXACT 9007199254740992.0 /* 2^53, above which a double cannot hold every integer. */

#define CHUNK 16 /* What malloc adds to a small block, and rounds it to. */

static void *counted_malloc(size_t bytes)
{
    return claim_draw((int64_t)(bytes + 2 * CHUNK - 1) / CHUNK * CHUNK) ? malloc(bytes) : NULL;
}

static void count_items(void)
{
    cJSON_InitHooks(&(cJSON_Hooks){counted_malloc, free});
}

int json_parse(const void *data, size_t bytes, cJSON **out, struct sdd_error *err)
{
    size_t where;
    *out = NULL;
    const char *wrong = json_scan(data, bytes, JSON_MAX_DEPTH, &where);
    if (wrong) {
        int rc = sdd_fail(err, SDD_EMALFORMED, "body", "JSON, byte %zu: %s", where, wrong);
        if (err && wrong == json_too_deep)
            err->available = JSON_MAX_DEPTH;
        return rc;
    }
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, count_items);
    *out = cJSON_ParseWithLength(data, bytes); /* An item of 64 bytes for each number: much more than the body. */
    if (*out)
        return SDD_OK;
    return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for %zu bytes of JSON", bytes);
}

static int bad(struct sdd_error *err, const char *field, const char *what)
{
    return sdd_fail(err, SDD_EINVALID, field, "%s %s", field, what);
}

int json_fields(const cJSON *object, const char *where, const char *const *names, int n, const cJSON **out,
                struct sdd_error *err)
{
    char shown[CHARS_SHOW_SIZE];
    for (int i = 0; i < n; i++)
        out[i] = NULL;
    if (!cJSON_IsObject(object))
        return *where ? bad(err, where, "is not an object")
                      : sdd_fail(err, SDD_EINVALID, "body", "the body is not an object");
    for (const cJSON *item = object->child; item; item = item->next) {
        int i = 0;
        while (i < n && strcmp(names[i], item->string) != 0)
            i++;
        if (i < n && !out[i]) {
            out[i] = item;
            continue;
        }
        chars_show(item->string, strlen(item->string), shown);
        return sdd_fail(err, SDD_EINVALID, shown, "%s%s%s %s", where, *where ? "." : "", shown,
                        i < n ? "is there more than once" : "is not a field that is known here");
    }
    return SDD_OK;
}

int json_string(const cJSON *item, const char *field, const char **out, struct sdd_error *err)
{
    if (!item)
        return SDD_OK;
    if (!cJSON_IsString(item))
        return bad(err, field, "is not a string");
    *out = item->valuestring;
    return SDD_OK;
}

int json_bool(const cJSON *item, const char *field, int *out, struct sdd_error *err)
{
    if (!item)
        return SDD_OK;
    if (!cJSON_IsBool(item))
        return bad(err, field, "is not true or false");
    *out = cJSON_IsTrue(item);
    return SDD_OK;
}

static int integer(const cJSON *item, const char *field, int64_t row, int64_t min, int64_t max, int64_t *out,
                   struct sdd_error *err)
{
    char at[32] = "";
    double v = item->valuedouble;
    if (cJSON_IsNumber(item) && fabs(v) < MAX_EXACT && v == floor(v) && v >= (double)min && v <= (double)max) {
        *out = (int64_t)v;
        return SDD_OK;
    }
    if (row >= 0)
        (void)snprintf(at, sizeof at, "[%lld]", (long long)row);
    return sdd_fail(err, SDD_EINVALID, field, "%s%s is not an integer from %lld to %lld", field, at, (long long)min,
                    (long long)max);
}

int json_int(const cJSON *item, const char *field, int64_t min, int64_t max, int64_t *out, struct sdd_error *err)
{
    return item ? integer(item, field, -1, min, max, out, err) : SDD_OK;
}

int json_number(const cJSON *item, const char *field, double *out, struct sdd_error *err)
{
    if (!item)
        return SDD_OK;
    if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble))
        return bad(err, field, "is not a number that fits a double");
    *out = item->valuedouble;
    return SDD_OK;
}

int json_doubles(const cJSON *item, const char *field, double *out, int n, struct sdd_error *err)
{
    int rc = SDD_OK, i = 0;
    if (!item)
        return SDD_OK;
    if (!cJSON_IsArray(item))
        return bad(err, field, "is not an array");
    for (const cJSON *v = item->child; v && !rc; v = v->next, i++)
        if (i < n)
            rc = json_number(v, field, &out[i], err);
    return rc || i == n ? rc : sdd_fail(err, SDD_EMESH, field, "%s has %d numbers; it has %d, or none", field, i, n);
}

/* Finds the first item of an array, and allocates 4 bytes in the arena for each item. */
static int array(struct arena *a, const cJSON *item, const char *field, const cJSON **items, int64_t *n, void **words,
                 struct sdd_error *err)
{
    *n = 0;
    *items = NULL;
    *words = NULL;
    if (!item)
        return SDD_OK;
    if (!cJSON_IsArray(item))
        return bad(err, field, "is not an array");
    *items = item->child;
    for (const cJSON *i = item->child; i; i = i->next)
        ++*n;
    *words = arena_array(a, *n, 4);
    if (*words)
        return SDD_OK;
    return arena_fail(a, field, err);
}

int json_i32s(struct arena *a, const cJSON *item, const char *field, struct i32s *out, struct sdd_error *err)
{
    const cJSON *items;
    void *words;
    int64_t n, value = 0, row = 0;
    int rc = array(a, item, field, &items, &n, &words, err);
    for (int32_t *v = words; items && !rc; items = items->next, row++) {
        rc = integer(items, field, row, INT32_MIN, INT32_MAX, &value, err);
        v[row] = (int32_t)value;
    }
    *out = (struct i32s){words, n};
    return rc;
}

int json_f32s(struct arena *a, const cJSON *item, const char *field, struct f32s *out, struct sdd_error *err)
{
    const cJSON *items;
    void *words;
    int64_t n, row = 0;
    int rc = array(a, item, field, &items, &n, &words, err);
    for (float *v = words; items && !rc; items = items->next, row++) {
        if (!cJSON_IsNumber(items) || !(fabs(items->valuedouble) <= (double)FLT_MAX))
            rc =
                sdd_fail(err, SDD_EINVALID, field, "%s[%lld] is not a number that fits a float", field, (long long)row);
        else
            v[row] = (float)items->valuedouble;
    }
    *out = (struct f32s){words, n};
    return rc;
}
