/* SPDX-License-Identifier: Apache-2.0 */
/* query.c: parses query strings, media types, Accept, Range and entity tags, for http.c and the handlers.
 * Nothing here keeps state, so any thread may call it. */
#include "server/net/query.h"
#include "server/base/chars.h"
#include "server/net/mhd/guard.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- query strings ------------------------------------------------------------------------------------- */
/* Decodes percent escapes and '+' in place. guard_target has checked that all escapes are whole and none is a NUL. */
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

/* The row of sdd_option_table whose flag a parameter is, with '_' for '-'; -1 for other parameters. */
static int option_of(const char *name)
{
    for (int i = 0; i < sdd_n_options; i++) {
        const char *flag = sdd_option_table[i].flag, *s = name;
        while (*s && *flag && (*s == *flag || (*s == '_' && *flag == '-')))
            s++, flag++;
        if (!*s && !*flag)
            return i;
    }
    return -1;
}

static bool is_allowed(const char *name, const char *const *allowed, bool options)
{
    for (; allowed && *allowed; allowed++)
        if (strcmp(name, *allowed) == 0)
            return true;
    return options && option_of(name) >= 0;
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
        if (value && !chars_utf8(value, strlen(value)))
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
    if (!parse_integer(s, strlen(s), &v) || v < min || v > max) {
        int rc = sdd_fail(err, SDD_EINVALID, name, "%s must be a whole number from %lld to %lld, not \"%.40s\"", name,
                          (long long)min, (long long)max, s);
        if (err)
            err->available = max; /* Answers show it as "limit". */
        return rc;
    }
    *out = v;
    return SDD_OK;
}

int query_bool(const struct query *q, const char *name, bool *out, struct sdd_error *err)
{
    const char *s = query_get(q, name);
    if (s && strcmp(s, "true") != 0 && strcmp(s, "false") != 0)
        return sdd_fail(err, SDD_EINVALID, name, "%s is true or false, not \"%.40s\"", name, s);
    if (s)
        *out = strcmp(s, "true") == 0;
    return SDD_OK;
}

int query_options(const struct query *q, struct sdd_options *options, struct sdd_error *err)
{
    for (int i = 0; i < q->n; i++) {
        char flag[64];
        if (option_of(q->items[i].name) < 0)
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

unsigned query_options_given(const struct query *q)
{
    unsigned bits = 0;
    for (int i = 0; i < q->n; i++)
        if (option_of(q->items[i].name) >= 0)
            bits |= 1u << option_of(q->items[i].name);
    return bits;
}

/* ---- media types --------------------------------------------------------------------------------------- */
/* All media types. The first row with a bit has the name that media_name returns; the others are aliases.
 * application/octet-stream has two bits, because it is raw positions in a request and may stand for a frame in Accept.
 * No route takes a body of MEDIA_TEXT, because any web page can send text/plain, like the two types of HTML forms,
 * across origins without a CORS preflight. */
static const struct {
    int bit;
    const char *name, *suffix; /* media_suffix returns `suffix`. */
} media_rows[] = {
    {MEDIA_JSON, "application/json", ""},
    {MEDIA_PROTOBUF, "application/protobuf", "-pb"},
    {MEDIA_PROTOBUF, "application/x-protobuf", "-pb"},
    {MEDIA_OBJ, "model/obj", "-obj"},
    {MEDIA_USDA, "model/vnd.usda", "-usda"},
    {MEDIA_PLY, "model/ply", "-ply"},
    {MEDIA_GLB, "model/gltf-binary", "-glb"},
    {MEDIA_STL, "model/stl", "-stl"},
    {MEDIA_FRAME, "application/vnd.subdd.frame", ""},
    {MEDIA_WATCH, "application/vnd.subdd.watch", ""},
    {MEDIA_EVENTS, "text/event-stream", ""},
    {MEDIA_OCTETS, "application/octet-stream", ""},
    {MEDIA_TEXT, "text/plain", ""},
    {MEDIA_YAML, "application/yaml", ""},
    {MEDIA_HTML, "text/html", ""},
    {MEDIA_FRAME, "application/octet-stream", ""},
    {MEDIA_JSON, "application/problem+json", ""},
    {MEDIA_JSON, "application/merge-patch+json", ""},
};
#define N_MEDIA_ROWS (sizeof media_rows / sizeof media_rows[0])

const char *media_name(enum media one)
{
    for (size_t i = 0; i < N_MEDIA_ROWS; i++)
        if (media_rows[i].bit == (int)one)
            return media_rows[i].name;
    return "";
}

const char *media_suffix(int one)
{
    for (size_t i = 0; i < N_MEDIA_ROWS; i++)
        if (media_rows[i].bit == one)
            return media_rows[i].suffix;
    return "";
}

void media_list(int bits, char *out, size_t size)
{
    size_t at = 0;
    out[0] = 0;
    for (int bit = 1; bit <= MEDIA_EVENTS; bit <<= 1) /* MEDIA_EVENTS is the highest bit. */
        if ((bits & bit) && at < size)
            at += (size_t)snprintf(out + at, size - at, "%s%s", at ? ", " : "", media_name((enum media)bit));
}

/* Moves *s past leading blanks. Returns how many of its n bytes are left without them and without trailing blanks. */
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
    for (size_t i = 0; i < N_MEDIA_ROWS; i++)
        if (strlen(media_rows[i].name) == n && strncasecmp(content_type, media_rows[i].name, n) == 0)
            bits |= media_rows[i].bit;
    return bits;
}

/* The q of one item of an Accept value, in thousandths; 1000 when it has none. */
static int item_quality(const char *item, size_t n)
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
        /* What follows "q=0." are at most three digits. */
        for (s += 4; s < end && *s >= '0' && *s <= '9' && scale; s++, scale /= 10)
            q += (*s - '0') * scale;
        return q;
    }
    return 1000;
}

/* How much an Accept value wants a media type: 4 times its q in thousandths, and how specific the item is by which it
 * matches: the type itself (3), all types of its family (2) or all types (1). The most specific item decides. Among
 * types of equal q the one that is named more exactly is wanted more. Returns 0 for a type that is not accepted. */
static int wanted(const char *accept, const char *name, bool alias)
{
    int best = 0, q = 0; /* The specificity of the best match so far, and its q. */
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
            q = item_quality(s, n);
        }
        s += n + (s[n] == ',');
    }
    return q && (!alias || best == 3) ? 4 * q + best : 0; /* A wildcard does not match an alias. */
}

int media_accepted(const char *accept, int offered, enum media first)
{
    int best = 0, most = 0; /* The bit of the type that is wanted most so far, and how much it is. */
    if (!accept)
        return first;
    for (size_t i = 0; i < N_MEDIA_ROWS; i++) {
        const bool alias = strcmp(media_name((enum media)media_rows[i].bit), media_rows[i].name) != 0;
        const int w = media_rows[i].bit & offered ? wanted(accept, media_rows[i].name, alias) : 0;
        if (w > most || (w == most && w && media_rows[i].bit == (int)first)) {
            most = w;
            best = media_rows[i].bit;
        }
    }
    return best;
}

/* ---- ranges and entity tags ---------------------------------------------------------------------------- */
/* Reads a number of a Range header. One with more digits than parse_integer takes is past the end of any body. */
static bool parse_position(const char *s, size_t n, int64_t *out)
{
    if (n > 18 && strspn(s, "0123456789") >= n) {
        *out = INT64_MAX;
        return true;
    }
    return parse_integer(s, n, out);
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
    size_t left = (size_t)(dash - value), right = strlen(dash + 1); /* The bytes on either side of the dash. */
    if ((left && !parse_position(value, left, &from)) || (right && !parse_position(dash + 1, right, &to)))
        return 0;
    if (!left && !right)
        return 0;
    if (!left) { /* In "bytes=-n" the number says how many bytes are wanted from the end. */
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
