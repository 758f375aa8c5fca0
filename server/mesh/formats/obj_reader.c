/* SPDX-License-Identifier: Apache-2.0 */
/* obj_reader.c: reads the words and numbers of a line of OBJ, for the statements in obj.c and the tag lines in
 * obj_tags.c. */
#include "server/mesh/formats/obj_reader.h"
#include "server/base/chars.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

int obj_fail(struct obj_reader *r, int64_t line, int code, const char *format, ...)
{
    char text[200];
    va_list ap;
    va_start(ap, format);
    (void)vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    return sdd_fail(r->err, code, "obj", "line %lld: %s", (long long)line, text);
}

int obj_room(struct obj_reader *r, struct words *w, int64_t n)
{
    return words_room(w, n, r->bytes, "obj", r->err);
}

static bool is_blank(const struct obj_reader *r, char c)
{
    return c == ' ' || c == '\t' || (c == '\r' && c != r->eol) || c == '\v' || c == '\f';
}

/* How many bytes a continued line end at p has: a backslash and then LF, CR LF or, when it ends lines, CR. 0 when there
 * is none. */
static int continuation(const struct obj_reader *r, const char *p)
{
    if (r->end - p >= 2 && p[0] == '\\' && p[1] == r->eol)
        return 2;
    return r->end - p >= 3 && p[0] == '\\' && p[1] == '\r' && p[2] == '\n' ? 3 : 0;
}

int obj_space(struct obj_reader *r)
{
    for (;;) {
        while (r->at < r->end && is_blank(r, *r->at))
            r->at++;
        int n = r->at < r->end && *r->at == '\\' ? continuation(r, r->at) : 0;
        if (!n)
            break;
        r->at += n;
        r->line++;
    }
    return r->at < r->end && *r->at != r->eol && *r->at != '#';
}

const char *obj_word(struct obj_reader *r, size_t *n)
{
    const char *from;
    if (obj_space(r))
        for (from = r->at; r->at < r->end && !is_blank(r, *r->at) && *r->at != r->eol && !continuation(r, r->at);)
            r->at++;
    else
        from = r->at;
    *n = (size_t)(r->at - from);
    return from;
}

int obj_wanted(struct obj_reader *r, const char *wanted)
{
    char shown[CHARS_SHOW_SIZE];
    size_t n;
    const char *word = obj_word(r, &n);
    if (!n)
        return obj_fail(r, r->line, SDD_EMALFORMED, "%s is missing", wanted);
    return obj_fail(r, r->line, SDD_EMALFORMED, "\"%s\" where %s is wanted", chars_show(word, n, shown), wanted);
}

bool obj_ends(const struct obj_reader *r, const char *p)
{
    return p == r->end || is_blank(r, *p) || *p == r->eol || (*p == '\\' && continuation(r, p));
}

/* True for nan, inf and infinity, which some programs write. Such a number is an error of the mesh, not of the syntax.
 * */
static bool not_finite(const struct obj_reader *r, const char *p)
{
    static const char *const words[] = {"nan", "inf", "infinity"};
    p += p < r->end && (*p == '-' || *p == '+');
    for (size_t i = 0; i < 3; i++) {
        size_t n = strlen(words[i]);
        if ((size_t)(r->end - p) >= n && strncasecmp(p, words[i], n) == 0 && obj_ends(r, p + n))
            return true;
    }
    return false;
}

int obj_float(struct obj_reader *r, const char *wanted, const char *field, float *out)
{
    if (!obj_space(r))
        return obj_wanted(r, wanted);
    const char *p = r->at;
    int ok = chars_f32(&p, r->end, out);
    if (ok == -1)
        return sdd_fail(r->err, SDD_EMESH, field, "line %lld: %s does not fit a 32-bit float", (long long)r->line,
                        wanted);
    if (!ok && not_finite(r, p))
        return sdd_fail(r->err, SDD_EMESH, field, "line %lld: %s is not finite", (long long)r->line, wanted);
    if (!ok || !obj_ends(r, p))
        return obj_wanted(r, wanted);
    r->at = p;
    return SDD_OK;
}

int obj_int(struct obj_reader *r, const char *wanted, int32_t *out)
{
    int64_t value;
    if (!obj_space(r))
        return obj_wanted(r, wanted);
    const char *p = r->at;
    if (chars_i64(&p, r->end, &value) != 1 || value < INT32_MIN || value > INT32_MAX || !obj_ends(r, p))
        return obj_wanted(r, wanted);
    r->at = p;
    *out = (int32_t)value;
    return SDD_OK;
}
