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

/* ---- arrays of numbers ------------------------------------------------------------------------------------------ */
/* cJSON makes an item of 64 bytes of each number, which is 30 times what `0,` takes in the body. So it reads a copy of
 * the body in which [0] stands in place of every array of numbers, and the array's item then gets the text of the body
 * in valuestring, from which the numbers are read. */

/* Where the text behind an array ends that has numbers alone, or NULL when it has other values or none. The grammar has
 * been checked. */
static const char *behind_numbers(const char *at)
{
    bool some = false;
    for (at++; *at != ']'; at++)
        if (strchr("+-.0123456789eE", *at))
            some = true;
        else if (!strchr(", \t\n\r", *at))
            return NULL;
    return some ? at + 1 : NULL;
}

/* The closing quote of a string. */
static const char *end_of_string(const char *at)
{
    for (at++; *at != '"'; at++)
        at += *at == '\\';
    return at;
}

/* Finds the next array of numbers. Returns the text behind it, or NULL when there is none. */
static const char *next_numbers(const char *at, const char *end, const char **array)
{
    for (const char *behind; at < end; at++) {
        if (*at == '[' && (behind = behind_numbers(at))) {
            *array = at;
            return behind;
        }
        if (*at == '"')
            at = end_of_string(at);
    }
    return NULL;
}

/* Gives the arrays of numbers, which come in the order of the text, their text. */
static void name_numbers(cJSON *item, const char **at, const char *end)
{
    for (; item && *at; item = item->next) {
        const char *array = NULL;
        if (!cJSON_IsArray(item) || !cJSON_IsNumber(item->child) || item->child->next) {
            name_numbers(item->child, at, end);
            continue;
        }
        *at = next_numbers(*at, end, &array);
        cJSON_Delete(item->child);
        item->child = NULL;
        item->type |= cJSON_IsReference; /* cJSON_Delete leaves the text to who has it. */
        item->valuestring = (char *)(uintptr_t)array;
    }
}

static cJSON *parse(const char *data, size_t bytes)
{
    char *text = claim_draw((int64_t)bytes) ? malloc(bytes) : NULL;
    const char *array, *at = data;
    if (!text)
        return NULL;
    memcpy(text, data, bytes);
    while ((at = next_numbers(at, data + bytes, &array))) {
        memset(text + (array - data) + 1, ' ', (size_t)(at - array) - 2);
        text[array - data + 1] = '0';
    }
    cJSON *json = cJSON_ParseWithLength(text, bytes);
    free(text);
    at = data;
    name_numbers(json, &at, data + bytes);
    return json;
}

int json_parse(const void *data, size_t bytes, cJSON **out, struct sdd_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    size_t where;
    *out = NULL;
    const char *wrong = json_scan(data, bytes, JSON_MAX_DEPTH, &where);
    if (wrong) {
        int rc = sdd_fail(err, SDD_EMALFORMED, "body", "JSON, byte %zu: %s", where, wrong);
        if (err && wrong == json_too_deep)
            err->available = JSON_MAX_DEPTH;
        return rc;
    }
    (void)pthread_once(&once, count_items);
    *out = parse(data, bytes);
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

/* `v` is NaN where the value is no number. */
static int integer(double v, const char *field, int64_t row, int64_t min, int64_t max, int64_t *out,
                   struct sdd_error *err)
{
    char at[32] = "";
    if (fabs(v) < MAX_EXACT && v == floor(v) && v >= (double)min && v <= (double)max) {
        *out = (int64_t)v;
        return SDD_OK;
    }
    if (row >= 0)
        (void)snprintf(at, sizeof at, "[%lld]", (long long)row);
    int rc = sdd_fail(err, SDD_EINVALID, field, "%s%s is not an integer from %lld to %lld", field, at, (long long)min,
                      (long long)max);
    if (err && v > (double)max)
        err->available = max;
    return rc;
}

int json_int(const cJSON *item, const char *field, int64_t min, int64_t max, int64_t *out, struct sdd_error *err)
{
    return item ? integer(cJSON_IsNumber(item) ? item->valuedouble : NAN, field, -1, min, max, out, err) : SDD_OK;
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

/* An array that is read from its text, or where it has other values than numbers from its items. */
struct numbers {
    const char *text;
    const cJSON *items;
    int64_t left;
};

/* Counts the items of an array. */
static int begin_numbers(const cJSON *item, const char *field, struct numbers *out, struct sdd_error *err)
{
    *out = (struct numbers){0};
    if (!item)
        return SDD_OK;
    if (!cJSON_IsArray(item))
        return bad(err, field, "is not an array");
    out->items = item->child;
    out->text = item->valuestring;
    out->left = out->text != NULL;
    for (const char *at = out->text; at && *at != ']'; at++)
        out->left += *at == ',';
    for (const cJSON *i = item->child; i; i = i->next)
        out->left++;
    return SDD_OK;
}

/* The same, and allocates 4 bytes in the arena for each. */
static int begin_array(struct arena *a, const cJSON *item, const char *field, struct numbers *out, void **words,
                       struct sdd_error *err)
{
    int rc = begin_numbers(item, field, out, err);
    *words = NULL;
    if (rc || !item)
        return rc;
    *words = arena_array(a, out->left, 4);
    return *words ? SDD_OK : arena_fail(a, field, err);
}

/* Takes the next number, or NaN where there is another value. Returns false at the end. */
static bool next_number(struct numbers *n, double *v)
{
    char *end;
    if (!n->left)
        return false;
    n->left--;
    if (n->text) {
        *v = strtod(n->text + 1, &end); /* Behind the bracket or the comma, and to the next one. */
        n->text = end + strcspn(end, ",]");
        return true;
    }
    *v = cJSON_IsNumber(n->items) ? n->items->valuedouble : NAN;
    n->items = n->items->next;
    return true;
}

int json_i32s(struct arena *a, const cJSON *item, const char *field, struct i32s *out, struct sdd_error *err)
{
    struct numbers numbers;
    void *words;
    int64_t value = 0, row = 0;
    double number;
    int rc = begin_array(a, item, field, &numbers, &words, err);
    *out = (struct i32s){words, numbers.left};
    for (int32_t *v = words; !rc && v && next_number(&numbers, &number); row++) {
        rc = integer(number, field, row, INT32_MIN, INT32_MAX, &value, err);
        v[row] = (int32_t)value;
    }
    return rc;
}

int json_f32s(struct arena *a, const cJSON *item, const char *field, struct f32s *out, struct sdd_error *err)
{
    struct numbers numbers;
    void *words;
    int64_t row = 0;
    double number;
    int rc = begin_array(a, item, field, &numbers, &words, err);
    *out = (struct f32s){words, numbers.left};
    for (float *v = words; !rc && v && next_number(&numbers, &number); row++) {
        if (!(fabs(number) <= (double)FLT_MAX))
            rc =
                sdd_fail(err, SDD_EINVALID, field, "%s[%lld] is not a number that fits a float", field, (long long)row);
        else
            v[row] = (float)number;
    }
    return rc;
}

int json_i64s(const cJSON *item, const char *field, struct i64s *out, struct sdd_error *err)
{
    struct numbers numbers;
    double number;
    int rc = begin_numbers(item, field, &numbers, err);
    *out = (struct i64s){0};
    if (rc)
        return rc;
    out->n = numbers.left;
    out->v = mesh_alloc(out->n, sizeof *out->v, err);
    if (!out->v)
        return SDD_ENO_MEMORY;
    for (int64_t i = 0; !rc && next_number(&numbers, &number); i++)
        rc = integer(number, field, i, INT64_MIN, INT64_MAX, &out->v[i], err);
    return rc;
}

int json_doubles(const cJSON *item, const char *field, double *out, int n, struct sdd_error *err)
{
    struct numbers numbers;
    double number;
    int rc = begin_numbers(item, field, &numbers, err);
    if (rc || !item)
        return rc;
    if (numbers.left != n)
        return sdd_fail(err, SDD_EMESH, field, "%s has %lld numbers; it has %d, or none", field,
                        (long long)numbers.left, n);
    for (int i = 0; !rc && next_number(&numbers, &number); i++)
        if (isfinite(number))
            out[i] = number;
        else
            rc = sdd_fail(err, SDD_EINVALID, field, "%s[%d] is not a number that fits a double", field, i);
    return rc;
}

int json_list(const cJSON *item, const char *field, const char *what, int64_t *n, struct sdd_error *err)
{
    *n = 0;
    if (!cJSON_IsArray(item))
        return bad(err, field, "is not an array");
    if (item->valuestring)
        return sdd_fail(err, SDD_EINVALID, field, "%s[0] is not %s", field, what);
    for (const cJSON *i = item->child; i; i = i->next)
        ++*n;
    return SDD_OK;
}
