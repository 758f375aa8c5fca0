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

/* DOS's mark of the end of a file (0x1A) counts as a blank: it says nothing that the end itself does not say. */
static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == 0x1a;
}

/* How many bytes a continued line end at p has: a backslash, perhaps blanks, and the end of the line or of the file. 0
 * when there is none. */
static int64_t continuation(const struct obj_reader *r, const char *p)
{
    const char *from = p;
    if (p == r->end || *p != '\\')
        return 0;
    for (p++; p < r->end && is_blank(*p);)
        p++;
    if (p == r->end)
        return p - from;
    return obj_eol(*p) ? p - from + obj_eol_bytes(r, p) : 0;
}

bool obj_skip_blanks(struct obj_reader *r)
{
    for (;;) {
        while (r->at < r->end && is_blank(*r->at))
            r->at++;
        int64_t n = continuation(r, r->at);
        if (!n)
            break;
        r->at += n;
        r->line++;
    }
    return r->at < r->end && !obj_eol(*r->at) && *r->at != '#' && *r->at;
}

const char *obj_line_end(struct obj_reader *r, const char *p)
{
    if (!r->lf || r->lf < p) {
        r->lf = memchr(p, '\n', (size_t)(r->end - p));
        r->lf = r->lf ? r->lf : r->end;
    }
    const char *cr = memchr(p, '\r', (size_t)(r->lf - p));
    return cr ? cr : r->lf;
}

/* True when the line that ends at p, and begins at `from` or before, is continued by a backslash. */
static bool is_continued(const char *from, const char *p)
{
    while (p > from && is_blank(p[-1]))
        p--;
    return p > from && p[-1] == '\\';
}

void obj_skip_line(struct obj_reader *r)
{
    for (;;) {
        const char *from = r->at;
        r->at = obj_line_end(r, from);
        if (r->at == r->end || !is_continued(from, r->at))
            return;
        r->at += obj_eol_bytes(r, r->at);
        r->line++;
    }
}

const char *obj_word(struct obj_reader *r, size_t *n)
{
    const char *from;
    if (obj_space(r))
        for (from = r->at; !obj_ends(r, r->at);)
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
    return obj_fail(r, r->line, SDD_EMALFORMED, "\"%s\" where %s is wanted%s", chars_show(word, n, shown), wanted,
                    memchr(word, ',', n) ? "; numbers have a point, and blanks between them" : "");
}

/* Windows writes 1.#INF, 1.#QNAN and the like, in which # begins no comment. A word never begins with #, so there is a
 * byte before it. */
bool obj_ends(const struct obj_reader *r, const char *p)
{
    return p == r->end || obj_eol(*p) || is_blank(*p) || (*p == '#' && p[-1] != '.') || !*p || continuation(r, p);
}

/* True for nan, inf and infinity, which some programs write. Such a number is an error of the mesh, not of the syntax.
 * */
static bool not_finite(const struct obj_reader *r, const char *p)
{
    static const char *const words[] = {"nan", "inf", "infinity", "nan(ind)", "1.#"};
    p += p < r->end && (*p == '-' || *p == '+');
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i]);
        if ((size_t)(r->end - p) >= n && strncasecmp(p, words[i], n) == 0 && (*p == '1' || obj_ends(r, p + n)))
            return true;
    }
    return false;
}

bool obj_number(struct obj_reader *r, float *out)
{
    const char *p = r->at;
    while (p < r->end && *p == ' ')
        p++;
    r->at = p;
    if (chars_f32(&p, r->end, out) != 1) {
        (void)obj_space(r); /* The number may stand behind other blanks, or on the next line. */
        p = r->at;
        if (chars_f32(&p, r->end, out) != 1)
            return false;
    }
    if (p < r->end && *p != ' ' && !obj_eol(*p) && !obj_ends(r, p))
        return false;
    r->at = p;
    return true;
}

bool obj_not_finite(const struct obj_reader *r)
{
    const char *p = r->at;
    float value;
    return chars_f32(&p, r->end, &value) < 0 || not_finite(r, r->at);
}

int obj_float(struct obj_reader *r, const char *wanted, const char *field, float *out)
{
    if (obj_number(r, out))
        return SDD_OK;
    const char *p = r->at;
    int ok = chars_f32(&p, r->end, out);
    if (ok == -1)
        return sdd_fail(r->err, SDD_EMESH, field, "line %lld: %s does not fit a 32-bit float", (long long)r->line,
                        wanted);
    if (not_finite(r, r->at))
        return sdd_fail(r->err, SDD_EMESH, field, "line %lld: %s is not finite", (long long)r->line, wanted);
    return obj_wanted(r, wanted);
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

/* Reads bytes of Latin-1 as UTF-8, in place. Returns the new length, or OBJ_NAME_SIZE when that is too long. */
static size_t read_latin(char name[OBJ_NAME_SIZE], size_t n)
{
    char old[OBJ_NAME_SIZE];
    size_t to = 0;
    memcpy(old, name, n);
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)old[i];
        if (to + 2 >= OBJ_NAME_SIZE)
            return OBJ_NAME_SIZE;
        if (c >= 0x80)
            name[to++] = (char)(0xc0 | c >> 6);
        name[to++] = c < 0x80 ? (char)c : (char)(0x80 | (c & 0x3f));
    }
    name[to] = 0;
    return to;
}

/* Makes '_' of each control character. Returns the new length. */
static size_t without_control(char *name)
{
    char *to = name;
    for (const char *p = name; *p; p++) {
        bool c1 = *p == '\xc2' && (unsigned char)p[1] >= 0x80 && (unsigned char)p[1] < 0xa0;
        *to++ = c1 || (unsigned char)*p < ' ' || *p == 0x7f ? '_' : *p;
        p += c1;
    }
    *to = 0;
    return (size_t)(to - name);
}

size_t obj_name(struct obj_reader *r, const char *from, const char *to, int64_t line, char out[OBJ_NAME_SIZE])
{
    size_t n = 0;
    bool gap = false;
    for (const char *p = from; p < to; p++) {
        int64_t continued = continuation(r, p);
        if (continued || is_blank(*p) || obj_eol(*p)) {
            p += continued ? continued - 1 : 0;
            gap = n > 0;
            continue;
        }
        if (n + gap + 1 >= OBJ_NAME_SIZE)
            return OBJ_NAME_SIZE;
        if (gap)
            out[n++] = ' ';
        gap = false;
        out[n++] = *p ? *p : '_';
    }
    out[n] = 0;
    if (!chars_utf8(out, n)) {
        obj_lose(&r->lost, OBJ_LOSS_LATIN, "line %lld: a name is not in UTF-8 and is read as Latin-1", (long long)line);
        n = read_latin(out, n);
    }
    return n == OBJ_NAME_SIZE || !chars_control(out) ? n : without_control(out);
}
