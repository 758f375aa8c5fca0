/* SPDX-License-Identifier: Apache-2.0 */
/* query.c: parses query strings, media types, Accept, Range and entity tags, for http.c and the handlers. */
#include "server/net/query.h"
#include "server/base/chars.h"
#include "server/net/mhd/guard.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- query strings ------------------------------------------------------------------------------------- */
static void decode(char *s)
{
    char *to = s;
    for (; *s; s++)
        if (*s == '%') {
            *to++ = (char)(guard_hex(s[1]) * 16 + guard_hex(s[2]));
            s += 2;
        } else
            *to++ = *s == '+' ? ' ' : *s;
    *to = 0;
}

static bool is_option(const char *name)
{
    for (int i = 0; i < sdd_n_options; i++) {
        const char *flag = sdd_option_table[i].flag, *s = name;
        while (*s && *flag && (*s == *flag || (*s == '_' && *flag == '-')))
            s++, flag++;
        if (!*s && !*flag)
            return true;
    }
    return false;
}

static bool is_allowed(const char *name, const char *const *allowed, bool options)
{
    for (; allowed && *allowed; allowed++)
        if (strcmp(name, *allowed) == 0)
            return true;
    return options && is_option(name);
}

int query_parse(struct query *q, const char *text, const char *const *allowed, bool options, struct sdd_error *err)
{
    *q = (struct query){0};
    if (!text || !*text)
        return SDD_OK;
    q->block = strdup(text);
    if (!q->block)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "out of memory");
    for (char *item = q->block, *next; item; item = next) {
        if ((next = strchr(item, '&')))
            *next++ = 0;
        if (!*item)
            continue;
        char *value = strchr(item, '=');
        if (value)
            *value++ = 0;
        decode(item);
        if (value)
            decode(value);
        if (!is_allowed(item, allowed, options))
            return sdd_fail(err, SDD_EINVALID, item, "there is no query parameter \"%.60s\" here", item);
        if (query_get(q, item))
            return sdd_fail(err, SDD_EINVALID, item, "the query parameter %s is there twice", item);
        if (value && !guard_utf8(value, strlen(value)))
            return sdd_fail(err, SDD_EINVALID, item, "the query parameter %s is not UTF-8", item);
        if (q->n == QUERY_MAX)
            return sdd_fail(err, SDD_EINVALID, "target", "more than %d query parameters", QUERY_MAX);
        q->items[q->n].name = item;
        q->items[q->n++].value = value ? value : "";
    }
    return SDD_OK;
}

void query_free(struct query *q)
{
    free(q->block);
}

const char *query_get(const struct query *q, const char *name)
{
    for (int i = 0; i < q->n; i++)
        if (strcmp(q->items[i].name, name) == 0)
            return q->items[i].value;
    return NULL;
}

int query_int(const struct query *q, const char *name, int64_t min, int64_t max, int64_t *out, struct sdd_error *err)
{
    const char *s = query_get(q, name);
    int64_t v;
    if (!s)
        return SDD_OK;
    if (!parse_whole(s, strlen(s), &v) || v < min || v > max) {
        int rc = sdd_fail(err, SDD_EINVALID, name, "%s must be a whole number from %lld to %lld, not \"%.40s\"", name,
                          (long long)min, (long long)max, s);
        if (err)
            err->available = max;
        return rc;
    }
    *out = v;
    return SDD_OK;
}

int query_options(const struct query *q, struct sdd_options *options, struct sdd_error *err)
{
    for (int i = 0; i < q->n; i++) {
        char flag[64];
        if (!is_option(q->items[i].name))
            continue;
        snprintf(flag, sizeof flag, "%s", q->items[i].name);
        for (char *s = flag; *s; s++)
            if (*s == '_')
                *s = '-';
        int rc = sdd_option_set(options, flag, q->items[i].value, err);
        if (rc && err)
            snprintf(err->field, sizeof err->field, "%s", q->items[i].name);
        if (rc)
            return rc;
    }
    return SDD_OK;
}

/* ---- media types --------------------------------------------------------------------------------------- */
static const struct {
    int bit;
    const char *name, *suffix;
} medias[] = {
    /* All media types. The first row of a bit has its name, the others are aliases. A route's `body` never has
     * MEDIA_TEXT, because a body may not have a type that a form or a page can send without CORS: text/plain,
     * application/x-www-form-urlencoded or multipart/form-data. */
    {MEDIA_JSON, "application/json", ""},
    {MEDIA_PROTOBUF, "application/protobuf", "-pb"},
    {MEDIA_PROTOBUF, "application/x-protobuf", "-pb"},
    {MEDIA_OBJ, "model/obj", "-obj"},
    {MEDIA_USDA, "model/vnd.usda", "-usda"},
    {MEDIA_FRAME, "application/vnd.subdd.frame", ""},
    {MEDIA_OCTETS, "application/octet-stream", ""},
    {MEDIA_TEXT, "text/plain", ""},
    {MEDIA_YAML, "application/yaml", ""},
    {MEDIA_FRAME, "application/octet-stream", ""},
    {MEDIA_JSON, "application/problem+json", ""},
};
#define N_MEDIAS (sizeof medias / sizeof medias[0])

const char *media_name(enum media one)
{
    for (size_t i = 0; i < N_MEDIAS; i++)
        if (medias[i].bit == (int)one)
            return medias[i].name;
    return "";
}

const char *media_suffix(int one)
{
    for (size_t i = 0; i < N_MEDIAS; i++)
        if (medias[i].bit == one)
            return medias[i].suffix;
    return "";
}

void media_list(int bits, char *out, size_t size)
{
    size_t at = 0;
    out[0] = 0;
    for (int bit = 1; bit <= MEDIA_USDA; bit <<= 1)
        if ((bits & bit) && at < size)
            at += (size_t)snprintf(out + at, size - at, "%s%s", at ? ", " : "", media_name((enum media)bit));
}

static size_t trimmed(const char **s, size_t n)
{
    while (n && (**s == ' ' || **s == '\t'))
        (*s)++, n--;
    while (n && ((*s)[n - 1] == ' ' || (*s)[n - 1] == '\t'))
        n--;
    return n;
}

int media_of(const char *content_type)
{
    int bits = 0;
    size_t n = trimmed(&content_type, strcspn(content_type, ";"));
    for (size_t i = 0; i < N_MEDIAS; i++)
        if (strlen(medias[i].name) == n && strncasecmp(content_type, medias[i].name, n) == 0)
            bits |= medias[i].bit;
    return bits;
}

/* The weight of one Accept item, 0 to 1000. */
static int weight(const char *item, size_t n)
{
    const char *end = item + n, *s = item;
    while ((s = memchr(s, ';', (size_t)(end - s)))) {
        s++;
        while (s < end && (*s == ' ' || *s == '\t'))
            s++;
        if (end - s < 3 || (*s != 'q' && *s != 'Q') || s[1] != '=')
            continue;
        if (s[2] == '1')
            return 1000;
        int q = 0, scale = 100;
        for (s += 4; s < end && *s >= '0' && *s <= '9' && scale; s++, scale /= 10)
            q += (*s - '0') * scale;
        return q;
    }
    return 1000;
}

/* The weight of a media type in an Accept value. The most specific item that matches the type decides. */
static int weigh(const char *accept, const char *name, bool alias)
{
    int best = 0, q = 0;
    for (const char *s = accept; *s;) {
        size_t n = strcspn(s, ","), type = strcspn(s, ";,");
        const char *t = s;
        size_t m = trimmed(&t, type);
        size_t slash = strcspn(name, "/") + 1;
        int specific = m == strlen(name) && !strncasecmp(t, name, m)                       ? 3
                       : m == slash + 1 && !strncasecmp(t, name, slash) && t[slash] == '*' ? 2
                       : m == 3 && !memcmp(t, "*/*", 3)                                    ? 1
                                                                                           : 0;
        if (specific > best) {
            best = specific;
            q = weight(s, n);
        }
        s += n + (s[n] == ',');
    }
    return alias && best < 3 ? 0 : q; /* A wildcard does not match an alias. */
}

int media_accepted(const char *accept, int offered, enum media first)
{
    int best = 0, q = 0;
    if (!accept)
        return first;
    for (size_t i = 0; i < N_MEDIAS; i++) {
        int w = medias[i].bit & offered
                    ? weigh(accept, medias[i].name, strcmp(media_name((enum media)medias[i].bit), medias[i].name) != 0)
                    : 0;
        if (w > q || (w == q && w && medias[i].bit == (int)first)) {
            q = w;
            best = medias[i].bit;
        }
    }
    return best;
}

/* ---- ranges and entity tags ---------------------------------------------------------------------------- */
/* Reads a position in a body. A number that is too long for int64 is past the end of every body. */
static bool parse_place(const char *s, size_t n, int64_t *out)
{
    if (n > 18 && strspn(s, "0123456789") >= n) {
        *out = INT64_MAX;
        return true;
    }
    return parse_whole(s, n, out);
}

int range_parse(const char *value, int64_t size, int64_t *first, int64_t *length)
{
    if (!value || strncasecmp(value, "bytes=", 6))
        return 0;
    value += 6;
    const char *dash = strchr(value, '-');
    if (!dash || strchr(value, ','))
        return 0;
    int64_t from = 0, to = size - 1;
    size_t left = (size_t)(dash - value), right = strlen(dash + 1);
    if ((left && !parse_place(value, left, &from)) || (right && !parse_place(dash + 1, right, &to)))
        return 0;
    if (!left && !right)
        return 0;
    if (!left) { /* Without a first position, `to` counts bytes from the end. */
        if (to == 0)
            return -1;
        from = to < size ? size - to : 0;
        to = size - 1;
    } else if (right && to < from)
        return 0;
    if (from >= size)
        return -1;
    if (to > size - 1)
        to = size - 1;
    *first = from;
    *length = to - from + 1;
    return 1;
}

bool etag_matches(const char *list, const char *etag, bool weak)
{
    size_t n = strlen(etag);
    for (const char *s = list; *s;) {
        size_t m = strcspn(s, ",");
        const char *t = s;
        size_t k = trimmed(&t, m);
        if (weak && k > 2 && !memcmp(t, "W/", 2))
            t += 2, k -= 2;
        if ((k == 1 && *t == '*') || (k == n && !memcmp(t, etag, n)))
            return true;
        s += m + (s[m] == ',');
    }
    return false;
}
