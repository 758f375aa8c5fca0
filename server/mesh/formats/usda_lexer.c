/* SPDX-License-Identifier: Apache-2.0 */
/* usda_lexer.c: splits USDA text into tokens and reads its arrays of numbers, for usda_reader.c. */
#include "server/mesh/formats/usda_lexer.h"
#include "server/base/stop.h"
#include "server/base/chars.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BRACKETS 64 /* How deep the brackets of a skipped value may be nested. */

/* What names and numbers are made of (enum usda_kind). */
static bool is_name_start(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_name_part(char c)
{
    return is_name_start(c) || (c >= '0' && c <= '9') || c == '.' || c == ':';
}

static bool is_number_part(char c)
{
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.';
}

void usda_begin(struct usda_lexer *lx, const void *body, size_t bytes, struct sdd_error *err)
{
    *lx = (struct usda_lexer){.at = body, .end = (const char *)body + bytes, .line = 1, .err = err};
}

int usda_fail(struct usda_lexer *lx, int code, const char *format, ...)
{
    char text[200];
    va_list ap;
    va_start(ap, format);
    (void)vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    return sdd_fail(lx->err, code, "usda", "line %lld: %s", (long long)lx->line, text);
}

int usda_begin_at(struct usda_lexer *lx, const void *body, size_t bytes, struct usda_place place, struct sdd_error *err)
{
    usda_begin(lx, body, bytes, err);
    lx->at += place.at;
    lx->line = place.line;
    return usda_next(lx);
}

struct usda_place usda_place(const struct usda_lexer *lx, const void *body)
{
    return (struct usda_place){lx->text - (const char *)body, lx->line};
}

/* Goes on from a blank or what may begin a comment. A comment without its end goes to the end of the body. */
static void skip_more(struct usda_lexer *lx)
{
    while (lx->at < lx->end) {
        const char c = *lx->at, next = lx->end - lx->at > 1 ? lx->at[1] : 0;
        if (c == '#' || (c == '/' && next == '/')) {
            while (lx->at < lx->end && *lx->at != '\n' && *lx->at != '\r')
                lx->at++;
        } else if (c == '/' && next == '*') {
            const char *close = memmem(lx->at + 2, (size_t)(lx->end - lx->at - 2), "*/", 2);
            for (const char *end = close ? close + 2 : lx->end; lx->at < end; lx->at++)
                lx->line += *lx->at == '\n';
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
            lx->line += c == '\n';
            lx->at++;
        } else {
            return;
        }
    }
}

static inline bool is_solid(char c)
{
    return (unsigned char)c > ' ' && c != '#' && c != '/';
}

/* Skips blanks and comments, and counts lines. Mostly there is one blank or none. */
static inline void skip_blanks(struct usda_lexer *lx)
{
    if (lx->at < lx->end && *lx->at == ' ')
        lx->at++;
    if (lx->at < lx->end && !is_solid(*lx->at))
        skip_more(lx);
}

/* True when three of these characters stand at p. */
static bool is_triple(const char *p, const char *end, char c)
{
    return end - p >= 3 && p[0] == c && p[1] == c && p[2] == c;
}

/* Reads a string or an asset, which is enclosed in `quote`, once or three times in a row on either side. In a string a
 * backslash takes away the meaning of the character behind it, but not that of a line end, which is still counted; in
 * an asset it does so only before @@@. One @ encloses without any escapes, and up to two more may stand before the last
 * three. After a single quote the end must be on the same line. */
static int read_enclosed(struct usda_lexer *lx, int kind, char quote)
{
    const char *p = lx->at;
    const bool triple = is_triple(p, lx->end, quote), asset = kind == USDA_ASSET;
    const size_t n = triple ? 3 : 1;
    lx->kind = kind;
    lx->text = p += n;
    for (; p < lx->end; p++) {
        if (*p == '\n' && !triple)
            break;
        lx->lines_in += *p == '\n';
        if (*p == '\\' && asset && triple && is_triple(p + 1, lx->end, quote)) {
            p += 3;
        } else if (*p == '\\' && !asset && lx->end - p > 1 && p[1] != '\n') {
            p++;
        } else if (*p == quote && (!triple || is_triple(p, lx->end, quote))) {
            for (int extra = 0; asset && triple && extra < 2 && lx->end - p > 3 && p[3] == quote; extra++)
                p++;
            lx->bytes = (size_t)(p - lx->text);
            lx->at = p + n;
            return SDD_OK;
        }
    }
    return usda_fail(lx, SDD_EMALFORMED, "the text that begins with %c is never closed", quote);
}

/* Reads a path, which must end on the same line. */
static int read_path(struct usda_lexer *lx)
{
    const char *close = memchr(lx->at, '>', (size_t)(lx->end - lx->at));
    if (!close || memchr(lx->at, '\n', (size_t)(close - lx->at)))
        return usda_fail(lx, SDD_EMALFORMED, "a path has no end");
    lx->kind = USDA_PATH;
    lx->text = lx->at + 1;
    lx->bytes = (size_t)(close - lx->text);
    lx->at = close + 1;
    return SDD_OK;
}

int usda_next(struct usda_lexer *lx)
{
    lx->line += lx->lines_in;
    lx->lines_in = 0;
    skip_blanks(lx);
    lx->text = lx->at;
    lx->bytes = 0;
    lx->kind = USDA_END;
    if (lx->at == lx->end)
        return SDD_OK;
    char c = *lx->at;
    if (c == '"' || c == '\'')
        return read_enclosed(lx, USDA_STRING, c);
    if (c == '@')
        return read_enclosed(lx, USDA_ASSET, c);
    if (c == '<')
        return read_path(lx);
    if (is_number_part(c))
        for (lx->kind = USDA_NUMBER; lx->at < lx->end && (is_name_start(*lx->at) || is_number_part(*lx->at));)
            lx->at++;
    else if (is_name_start(c))
        for (lx->kind = USDA_NAME; lx->at < lx->end && is_name_part(*lx->at);)
            lx->at++;
    else if (memchr("()[]{}=,;:&", c, 11))
        lx->kind = (unsigned char)*lx->at++;
    else
        return usda_wanted(lx, "a token of usda");
    lx->bytes = (size_t)(lx->at - lx->text);
    return SDD_OK;
}

bool usda_is(const struct usda_lexer *lx, const char *name)
{
    return lx->kind == USDA_NAME && strlen(name) == lx->bytes && memcmp(name, lx->text, lx->bytes) == 0;
}

bool usda_span_is(struct usda_span s, const char *text)
{
    return strlen(text) == s.bytes && memcmp(text, s.text, s.bytes) == 0;
}

struct usda_span usda_token(const struct usda_lexer *lx)
{
    return (struct usda_span){lx->text, lx->bytes};
}

int usda_wanted(struct usda_lexer *lx, const char *wanted)
{
    char shown[CHARS_SHOW_SIZE];
    if (lx->text == lx->end)
        return usda_fail(lx, SDD_EMALFORMED, "the file ends where %s is wanted", wanted);
    return usda_fail(lx, SDD_EMALFORMED, "\"%s\" where %s is wanted",
                     chars_show(lx->text, lx->bytes ? lx->bytes : 1, shown), wanted);
}

int usda_expect(struct usda_lexer *lx, int kind, const char *wanted)
{
    return lx->kind == kind ? usda_next(lx) : usda_wanted(lx, wanted);
}

/* What skip_plain learns of an array. */
struct plain {
    int64_t lines, opens, closes, commas;
    bool special; /* There is a character with which a string, a comment or the like may begin. */
};

typedef unsigned char lanes __attribute__((vector_size(16)));
enum { LANES = sizeof(lanes), BLOCK = 8 * LANES };

static int64_t sum(lanes v)
{
    int64_t n = 0;
    for (int i = 0; i < LANES; i++)
        n += v[i];
    return n;
}

/* Counts the characters of BLOCK bytes of an array. A comparison of vectors is -1 where it holds. */
static void count_block(const char *p, struct plain *c)
{
    lanes lines = {0}, opens = {0}, closes = {0}, commas = {0}, special = {0}, k;
    for (int i = 0; i < BLOCK; i += LANES) {
        memcpy(&k, p + i, sizeof k);
        lines -= (lanes)(k == '\n');
        opens -= (lanes)(k == '(');
        closes -= (lanes)(k == ')');
        commas -= (lanes)(k == ',');
        special |= (lanes)((k == '"') | (k == '\'') | (k == '#') | (k == '@') | (k == '/') | (k == '<') | (k == '[') |
                           (k == '{') | (k == '}'));
    }
    c->lines += sum(lines);
    c->opens += sum(opens);
    c->closes += sum(closes);
    c->commas += sum(commas);
    for (int i = 0; i < LANES; i++)
        c->special = c->special || special[i];
}

/* Goes behind the ']' of an array that the current token '[' begins, if there is nothing in it but numbers, names and
 * tuples, which are most of a file. Returns false, without having moved, for all else. It looks no further than to the
 * first ']', so that arrays in arrays take no longer than their depth. */
static bool skip_plain(struct usda_lexer *lx, int64_t *items)
{
    const char *close = memchr(lx->at, ']', (size_t)(lx->end - lx->at)), *p = lx->at;
    struct plain c = {0};
    for (; close && close - p >= BLOCK && !c.special; p += (int)BLOCK)
        count_block(p, &c);
    if (!close || c.special)
        return false;
    char rest[BLOCK] = {0};
    memcpy(rest, p, (size_t)(close - p));
    count_block(rest, &c);
    if (c.special || c.opens != c.closes)
        return false;
    for (p = close; p > lx->at && (p[-1] == ' ' || p[-1] == '\n' || p[-1] == '\r' || p[-1] == '\t'); p--)
        ;
    *items = c.opens ? c.opens : p == lx->at ? 0 : c.commas + (p[-1] != ',');
    lx->line += c.lines;
    lx->at = close + 1;
    return true;
}

int usda_skip(struct usda_lexer *lx, int64_t *items)
{
    char close[MAX_BRACKETS];
    int depth = 0, rc = SDD_OK, before = 0;
    int64_t plain = 0, commas = 0, tokens = 0;
    bool asset, array = lx->kind == '[';
    if (items)
        *items = 0;
    do {
        if (stop_due(++tokens))
            return stop_fail(lx->err);
        if (lx->kind == '[' && skip_plain(lx, &plain)) {
            lx->kind = ']';
            commas = depth ? commas : plain;
            array = array && depth; /* Its items are counted. */
        } else if (lx->kind == '(' || lx->kind == '[' || lx->kind == '{') {
            if (depth == MAX_BRACKETS)
                return usda_fail(lx, SDD_EINVALID, "brackets are nested deeper than %d", MAX_BRACKETS);
            close[depth++] = lx->kind == '(' ? ')' : lx->kind == '[' ? ']' : '}';
        } else if (depth && lx->kind == close[depth - 1]) {
            depth--;
            if (!depth && array)
                commas += before != ',' && before != '[';
        } else if (lx->kind < USDA_NAME && (!depth || !lx->kind || memchr(")]}", lx->kind, 3))) {
            /* Outside brackets no punctuation mark is a value. Inside, a bracket that does not match is wrong, and so
             * is the end of the file. */
            return usda_wanted(lx, depth ? "a bracket's end" : "a value");
        }
        commas += array && depth == 1 && lx->kind == ',';
        before = lx->kind;
        asset = lx->kind == USDA_ASSET;
        rc = usda_next(lx);
        /* An asset with a path behind it, @file@</prim>, is one value. */
    } while (!rc && (depth || (asset && lx->kind == USDA_PATH)));
    if (items)
        *items = commas;
    return rc;
}

int usda_double(struct usda_lexer *lx, double *out)
{
    char copy[64], *end = copy;
    if ((lx->kind == USDA_NUMBER || lx->kind == USDA_NAME) && lx->bytes < sizeof copy) {
        memcpy(copy, lx->text, lx->bytes);
        copy[lx->bytes] = 0;
        *out = strtod(copy, &end);
    }
    return end > copy && !*end ? usda_next(lx) : usda_wanted(lx, "a number");
}

/* ---- arrays ------------------------------------------------------------------------------------------------------ */
/* Their numbers are most of a file. So they are read at lx->at, without making tokens of them; only what is not as
 * expected is made a token, for the message. `name` is the attribute's, and `row` counts its values. */

/* Skips blanks and goes behind c, or fails when something else stands there. */
static int skip_mark(struct usda_lexer *lx, char c, const char *name)
{
    char wanted[80];
    skip_blanks(lx);
    if (lx->at < lx->end && *lx->at == c) {
        lx->at++;
        return SDD_OK;
    }
    (void)snprintf(wanted, sizeof wanted, "'%c' in %.60s", c, name);
    int rc = usda_next(lx);
    return rc ? rc : usda_wanted(lx, wanted);
}

/* Reads inf or nan, perhaps with a sign, and fails for everything else. With its sign it is a USDA_NUMBER. */
static int read_inf_or_nan(struct usda_lexer *lx, const char *name, int64_t row, struct usda_type type, float *to)
{
    char wanted[104];
    (void)snprintf(wanted, sizeof wanted, "%s of %.60s[%lld]", type.integer ? "a 32-bit integer" : "a number", name,
                   (long long)row);
    int rc = usda_next(lx);
    if (rc)
        return rc;
    bool sign = lx->kind == USDA_NUMBER && lx->bytes == 4 && memchr("+-", *lx->text, 2);
    bool named = !type.integer && lx->bytes == (sign ? 4 : 3), inf = named && memcmp(lx->text + sign, "inf", 3) == 0;
    if (!inf && !(named && memcmp(lx->text + sign, "nan", 3) == 0))
        return usda_wanted(lx, wanted);
    if (!type.any)
        return sdd_fail(lx->err, SDD_EMESH, name, "line %lld: %s[%lld] is not finite", (long long)lx->line, name,
                        (long long)row);
    *to = inf ? INFINITY : NAN;
    *to = sign && *lx->text == '-' ? -*to : *to;
    return SDD_OK;
}

/* Appends the number at lx->at to *to, which has room for it. */
static int read_number(struct usda_lexer *lx, const char *name, int64_t row, struct usda_type type, struct words *to)
{
    int64_t value = 0;
    skip_blanks(lx);
    const char *p = lx->at;
    int ok = type.integer ? chars_i64(&p, lx->end, &value) : chars_f32(&p, lx->end, &to->f[to->n]), rc = SDD_OK;
    if (ok == -1 && !type.integer && type.any) {
        to->f[to->n] = *lx->at == '-' ? -INFINITY : INFINITY;
        ok = 1;
    }
    if (ok == -1 && !type.integer)
        return sdd_fail(lx->err, SDD_EMESH, name, "line %lld: %s[%lld] does not fit a 32-bit float",
                        (long long)lx->line, name, (long long)row);
    /* A number must not end in the middle of a word: 1.5 is not an integer, and 1.2.3 is not a float. An integer that
     * does not fit counts as none. */
    if (ok != 1 || value < INT32_MIN || value > INT32_MAX ||
        (p < lx->end && (is_name_start(*p) || is_number_part(*p)))) {
        rc = read_inf_or_nan(lx, name, row, type, &to->f[to->n]);
        p = lx->at;
    }
    if (type.integer)
        to->i[to->n] = (int32_t)value;
    to->n += !rc;
    lx->at = p;
    return rc;
}

/* Appends a value to *to: type.width numbers in parentheses, or a number alone when the width is 1. */
static int read_value(struct usda_lexer *lx, const char *name, int64_t row, struct usda_type type, int64_t body_bytes,
                      struct words *to)
{
    int rc = to->cap - to->n < type.width ? words_room(to, type.width, body_bytes, name, lx->err) : SDD_OK;
    if (!rc && type.width > 1)
        rc = skip_mark(lx, '(', name);
    for (int k = 0; k < type.width && !rc; k++) {
        rc = k ? skip_mark(lx, ',', name) : SDD_OK;
        if (!rc)
            rc = read_number(lx, name, row, type, to);
    }
    return rc || type.width == 1 ? rc : skip_mark(lx, ')', name);
}

int usda_numbers(struct usda_lexer *lx, const char *name, struct usda_type type, int64_t body_bytes, struct words *to)
{
    int rc = SDD_OK;
    if (type.lone) {
        lx->at = lx->text; /* The current token is the start of the value, so it is read again. */
        rc = read_value(lx, name, 0, type, body_bytes, to);
        return rc ? rc : usda_next(lx);
    }
    if (lx->kind != '[') {
        char wanted[90];
        (void)snprintf(wanted, sizeof wanted, "an array ([...]) of %.60s", name);
        return usda_wanted(lx, wanted);
    }
    for (int64_t row = 0; !rc; row++) {
        if (stop_due(row))
            return stop_fail(lx->err);
        skip_blanks(lx);
        if (lx->at < lx->end && *lx->at == ']')
            break; /* The array is empty, or there is a comma behind its last value, as USD allows. */
        rc = read_value(lx, name, row, type, body_bytes, to);
        skip_blanks(lx);
        if (!rc && (lx->at == lx->end || *lx->at != ']'))
            rc = skip_mark(lx, ',', name);
    }
    if (!rc)
        rc = skip_mark(lx, ']', name);
    return rc ? rc : usda_next(lx);
}
