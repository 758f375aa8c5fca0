/* SPDX-License-Identifier: Apache-2.0 */
/* usda_lexer.c: splits USDA text into tokens and reads its arrays of numbers, for usda_reader.c. */
#include "server/mesh/formats/usda_lexer.h"
#include "server/base/chars.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_BRACKETS 64

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_more(char c)
{
    return is_name(c) || (c >= '0' && c <= '9') || c == '.' || c == ':';
}

static bool is_number(char c)
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

/* Skips blanks and comments, and counts lines. */
static void skip_blanks(struct usda_lexer *lx)
{
    while (lx->at < lx->end) {
        const char *eol = *lx->at == '#' ? memchr(lx->at, '\n', (size_t)(lx->end - lx->at)) : NULL;
        if (*lx->at == '#') {
            lx->at = eol ? eol : lx->end;
            continue;
        }
        if (*lx->at != ' ' && *lx->at != '\t' && *lx->at != '\r' && *lx->at != '\n')
            return;
        lx->line += *lx->at++ == '\n';
    }
}

/* Reads what stands between one or three of `quote`. With one quote it must end on the same line. */
static int enclosed(struct usda_lexer *lx, int kind, char quote, bool escapes)
{
    const char *p = lx->at;
    size_t n = lx->end - p >= 3 && p[1] == quote && p[2] == quote ? 3 : 1;
    lx->kind = kind;
    lx->text = p += n;
    for (; p < lx->end; p++) {
        if (*p == '\n' && n == 1)
            break;
        lx->lines_in += *p == '\n';
        if (escapes && *p == '\\' && lx->end - p > 1 && p[1] != '\n')
            p++;
        else if (*p == quote && (n == 1 || (lx->end - p >= 3 && p[1] == quote && p[2] == quote))) {
            lx->bytes = (size_t)(p - lx->text);
            lx->at = p + n;
            return SDD_OK;
        }
    }
    return usda_fail(lx, SDD_EMALFORMED, "what begins with %c has no end", quote);
}

static int path(struct usda_lexer *lx)
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
        return enclosed(lx, USDA_STRING, c, true);
    if (c == '@')
        return enclosed(lx, USDA_ASSET, c, false);
    if (c == '<')
        return path(lx);
    if (is_number(c))
        for (lx->kind = USDA_NUMBER; lx->at < lx->end && (is_name(*lx->at) || is_number(*lx->at));)
            lx->at++;
    else if (is_name(c))
        for (lx->kind = USDA_NAME; lx->at < lx->end && is_more(*lx->at);)
            lx->at++;
    else if (memchr("()[]{}=,;:", c, 10))
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

int usda_skip(struct usda_lexer *lx)
{
    char close[MAX_BRACKETS];
    int depth = 0, rc = SDD_OK;
    bool asset;
    do {
        if (lx->kind == '(' || lx->kind == '[' || lx->kind == '{') {
            if (depth == MAX_BRACKETS)
                return usda_fail(lx, SDD_EINVALID, "brackets are nested deeper than %d", MAX_BRACKETS);
            close[depth++] = lx->kind == '(' ? ')' : lx->kind == '[' ? ']' : '}';
        } else if (depth && lx->kind == close[depth - 1]) {
            depth--;
        } else if (lx->kind < USDA_NAME && (!depth || !lx->kind || memchr(")]}", lx->kind, 3))) {
            return usda_wanted(lx, depth ? "a bracket's end" : "a value");
        }
        asset = lx->kind == USDA_ASSET;
        rc = usda_next(lx);
        /* An asset with a path behind it, @file@</prim>, is one value. */
    } while (!rc && (depth || (asset && lx->kind == USDA_PATH)));
    return rc;
}

/* ---- arrays, whose numbers are read without making tokens, as they are most of a file -------------------------- */

static int take(struct usda_lexer *lx, char c, const char *name)
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

/* Reads inf or nan where no plain number stands, and fails for everything else. */
static int other_number(struct usda_lexer *lx, const char *name, int64_t row, struct usda_type type, float *to)
{
    char wanted[100];
    (void)snprintf(wanted, sizeof wanted, "%s of %.60s[%lld]", type.whole ? "a 32-bit integer" : "a number", name,
                   (long long)row);
    int rc = usda_next(lx);
    if (rc)
        return rc;
    bool sign = lx->kind == USDA_NUMBER && lx->bytes == 4 && memchr("+-", *lx->text, 2);
    bool named = !type.whole && lx->bytes == (sign ? 4 : 3), inf = named && memcmp(lx->text + sign, "inf", 3) == 0;
    if (!inf && !(named && memcmp(lx->text + sign, "nan", 3) == 0))
        return usda_wanted(lx, wanted);
    if (!type.any)
        return sdd_fail(lx->err, SDD_EMESH, name, "line %lld: %s[%lld] is not finite", (long long)lx->line, name,
                        (long long)row);
    *to = inf ? INFINITY : NAN;
    *to = sign && *lx->text == '-' ? -*to : *to;
    return SDD_OK;
}

static int number(struct usda_lexer *lx, const char *name, int64_t row, struct usda_type type, struct words *to)
{
    int64_t value = 0;
    skip_blanks(lx);
    const char *p = lx->at;
    int ok = type.whole ? chars_i64(&p, lx->end, &value) : chars_f32(&p, lx->end, &to->f[to->n]), rc = SDD_OK;
    if (ok == -1 && !type.whole)
        return sdd_fail(lx->err, SDD_EMESH, name, "line %lld: %s[%lld] does not fit a 32-bit float",
                        (long long)lx->line, name, (long long)row);
    /* A number must not end in the middle of a word: 1.5 is not an integer, and 1.2.3 is not a float. */
    if (ok != 1 || value < INT32_MIN || value > INT32_MAX || (p < lx->end && (is_name(*p) || is_number(*p)))) {
        rc = other_number(lx, name, row, type, &to->f[to->n]);
        p = lx->at;
    }
    if (type.whole)
        to->i[to->n] = (int32_t)value;
    to->n += !rc;
    lx->at = p;
    return rc;
}

static int tuple(struct usda_lexer *lx, const char *name, int64_t row, struct usda_type type, int64_t body_bytes,
                 struct words *to)
{
    int rc = words_room(to, type.width, body_bytes, name, lx->err);
    if (!rc && type.width > 1)
        rc = take(lx, '(', name);
    for (int k = 0; k < type.width && !rc; k++) {
        rc = k ? take(lx, ',', name) : SDD_OK;
        if (!rc)
            rc = number(lx, name, row, type, to);
    }
    return rc || type.width == 1 ? rc : take(lx, ')', name);
}

int usda_numbers(struct usda_lexer *lx, const char *name, struct usda_type type, int64_t body_bytes, struct words *to)
{
    int rc = SDD_OK;
    if (type.lone) {
        lx->at = lx->text; /* The current token is the start of the value, so it is read again. */
        rc = tuple(lx, name, 0, type, body_bytes, to);
        return rc ? rc : usda_next(lx);
    }
    if (lx->kind != '[')
        return usda_wanted(lx, "an array ([...])");
    for (int64_t row = 0; !rc; row++) {
        skip_blanks(lx);
        if (lx->at < lx->end && *lx->at == ']')
            break; /* USD allows a comma behind the last value. */
        rc = tuple(lx, name, row, type, body_bytes, to);
        skip_blanks(lx);
        if (!rc && (lx->at == lx->end || *lx->at != ']'))
            rc = take(lx, ',', name);
    }
    if (!rc)
        rc = take(lx, ']', name);
    return rc ? rc : usda_next(lx);
}
