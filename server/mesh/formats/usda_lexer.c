/* SPDX-License-Identifier: Apache-2.0 */
/* usda_lexer.c: splits USDA text into tokens and reads its arrays of numbers, for usda_reader.c. */
#include "server/mesh/formats/usda_lexer.h"
#include "server/base/stop.h"
#include "server/base/chars.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
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

/* Reads a token of this kind that is enclosed in `quote`, once or three times in a row on either side. After a single
 * quote it must end on the same line. With `escapes`, a backslash takes away the meaning of the character behind it,
 * but not that of a line end, which is still counted. */
static int read_enclosed(struct usda_lexer *lx, int kind, char quote, bool escapes)
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
        return read_enclosed(lx, USDA_STRING, c, true);
    if (c == '@')
        return read_enclosed(lx, USDA_ASSET, c, false);
    if (c == '<')
        return read_path(lx);
    if (is_number_part(c))
        for (lx->kind = USDA_NUMBER; lx->at < lx->end && (is_name_start(*lx->at) || is_number_part(*lx->at));)
            lx->at++;
    else if (is_name_start(c))
        for (lx->kind = USDA_NAME; lx->at < lx->end && is_name_part(*lx->at);)
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
            /* Outside brackets no punctuation mark is a value. Inside, a bracket that does not match is wrong, and so
             * is the end of the file. */
            return usda_wanted(lx, depth ? "a bracket's end" : "a value");
        }
        asset = lx->kind == USDA_ASSET;
        rc = usda_next(lx);
        /* An asset with a path behind it, @file@</prim>, is one value. */
    } while (!rc && (depth || (asset && lx->kind == USDA_PATH)));
    return rc;
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
    char wanted[100];
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
    int rc = words_room(to, type.width, body_bytes, name, lx->err);
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
    if (lx->kind != '[')
        return usda_wanted(lx, "an array ([...])");
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
