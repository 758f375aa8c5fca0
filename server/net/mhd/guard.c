/* SPDX-License-Identifier: Apache-2.0 */
/* guard.c: parses request heads and chunked bodies for conn.c. It follows RFC 9112 without the leniency that the RFC
 * allows. */
#include "server/net/mhd/guard.h"
#include "server/base/chars.h"
#include <string.h>
#include <strings.h>

#define MAX_LENGTH_DIGITS 18
#define MAX_CHUNK_DIGITS 15

/* The headers that may come only once, because two readers could choose differently between two values. */
static const char *const once[] = {
    "host",         "content-length", "transfer-encoding", "authorization", "content-type",    "content-encoding",
    "expect",       "range",          "if-range",          "if-match",      "idempotency-key", "subdd-timeout-ms",
    "x-request-id", "origin",         "sec-fetch-site",    "subdd-priority"};
enum { HOST, CONTENT_LENGTH, TRANSFER_ENCODING, CONTENT_ENCODING = 5, EXPECT };
#define N_ONCE (sizeof once / sizeof once[0])

struct reader {
    const char *bytes;
    size_t n, at;
    struct guard_head *head;
    struct sdd_error *err;
    unsigned seen; /* A bit for each header of once[]. */
    int parts;
    const char *authority; /* The HOST of an absolute target, or NULL. */
    const char *host;      /* The value of the header Host. */
    size_t authority_bytes, host_bytes;
};

static bool is_token(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("!#$%&'*+-.^_`|~", c));
}

int guard_hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* Fails with SDD_EMALFORMED. `field` is the name of the header in small letters, "request-line", "target", or "head"
 * for everything else. */
static int bad(struct reader *r, const char *field, const char *what)
{
    (void)sdd_fail(r->err, SDD_EMALFORMED, field, "%s", what);
    return SDD_EMALFORMED;
}

/* Reads a line; *length does not count its CRLF. Returns 1, 0 when it is not complete yet, or an error. */
static int read_line(struct reader *r, const char **line, size_t *length)
{
    const char *s = r->bytes + r->at;
    size_t left = r->n - r->at;
    for (size_t i = 0; i < left; i++) {
        unsigned char c = (unsigned char)s[i];
        if (c == '\r') {
            if (i + 1 == left)
                return 0;
            if (s[i + 1] != '\n')
                return bad(r, "head", "a carriage return without a line feed in the head");
            *line = s;
            *length = i;
            r->at += i + 2;
            return 1;
        }
        if (c == '\n')
            return bad(r, "head", "a line feed without a carriage return in the head");
        if ((c < 0x20 && c != '\t') || c == 0x7f)
            return bad(r, "head", "a control character in the head");
    }
    return 0;
}

int guard_target(const char *target, size_t n, struct sdd_error *err)
{
    char path[4096];
    size_t m = 0;
    bool query = false;
    if (n == 0 || target[0] != '/')
        return sdd_fail(err, SDD_EMALFORMED, "target", "the request target must start with a slash");
    for (size_t i = 0; i < n; i++) {
        int c = (unsigned char)target[i];
        if (c <= 0x20 || c >= 0x7f || strchr("#\"<>\\^`{|}", c))
            return sdd_fail(err, SDD_EMALFORMED, "target", "byte %zu of the request target is not allowed", i);
        if (c == '%') {
            int high = i + 2 < n ? guard_hex(target[i + 1]) : -1, low = i + 2 < n ? guard_hex(target[i + 2]) : -1;
            if (high < 0 || low < 0)
                return sdd_fail(err, SDD_EMALFORMED, "target",
                                "the percent escape at byte %zu of the request target is broken", i);
            c = high * 16 + low;
            i += 2;
            if (c == 0 || (!query && (c == '/' || c == '\\')))
                return sdd_fail(err, SDD_EMALFORMED, "target", "the request target has an escaped NUL or slash");
        } else if (c == '?')
            query = true;
        if (query)
            continue;
        if (m == sizeof path - 1)
            return sdd_fail(err, SDD_EMALFORMED, "target", "the path is longer than %zu bytes", sizeof path - 1);
        path[m++] = (char)c;
    }
    path[m] = 0;
    if (!chars_utf8(path, m))
        return sdd_fail(err, SDD_EMALFORMED, "target", "the path is not UTF-8");
    for (char *segment = path; segment; segment = strchr(segment + 1, '/'))
        if (segment[1] == '.' &&
            (segment[2] == '/' || segment[2] == 0 || (segment[2] == '.' && (segment[3] == '/' || segment[3] == 0))))
            return sdd_fail(err, SDD_EMALFORMED, "target", "the path has a '.' or '..' segment");
    return 1;
}

/* Skips "http://HOST" in an absolute target, which proxies get; *from becomes the start of the path. HOST is compared
 * with the header Host later. */
static bool skip_authority(struct reader *r, const char *line, size_t *from, size_t end)
{
    if (end - *from < 7 || strncasecmp(line + *from, "http://", 7))
        return true;
    r->authority = line + *from + 7;
    const char *slash = memchr(r->authority, '/', end - *from - 7);
    if (!slash || slash == r->authority || memchr(r->authority, '?', (size_t)(slash - r->authority)))
        return false;
    r->authority_bytes = (size_t)(slash - r->authority);
    *from = (size_t)(slash - line);
    return true;
}

/* Counts one part of the head and one more for each separator in it. Returns 1, or an error when there are too many. */
static int count_parts(struct reader *r, const char *text, size_t n, const char *separators)
{
    r->parts++;
    for (size_t i = 0; i < n; i++)
        r->parts += text[i] && strchr(separators, text[i]);
    if (r->parts <= GUARD_MAX_PARTS)
        return 1;
    int rc = sdd_fail(r->err, SDD_EHEADERS, "head", "more than %d header lines, query parameters and cookies",
                      GUARD_MAX_PARTS);
    if (r->err)
        r->err->available = GUARD_MAX_PARTS;
    return rc;
}

static int read_request_line(struct reader *r)
{
    const char *line;
    size_t n, i = 0;
    /* The first byte can be wrong before the line is complete. A TLS hello must not wait for the deadline. */
    if (r->n > 0 && !is_token(r->bytes[0]))
        return bad(r, "request-line", "this is not an HTTP/1.1 request");
    int rc = read_line(r, &line, &n);
    if (rc <= 0)
        return rc;
    while (i < n && is_token(line[i]))
        i++;
    if (i == n || line[i] != ' ')
        return bad(r, "request-line", "the request line has no method");
    size_t from = ++i;
    while (i < n && line[i] != ' ')
        i++;
    if (n - i != 9 || memcmp(line + i, " HTTP/1.", 8) || (line[n - 1] != '0' && line[n - 1] != '1'))
        return bad(r, "request-line", "the request line does not end in HTTP/1.1");
    if (!skip_authority(r, line, &from, i))
        return bad(r, "target", "an absolute request target must be http://HOST/path");
    r->head->http10 = line[n - 1] == '0';
    r->head->target = from;
    r->head->target_bytes = i - from;
    const char *mark = memchr(line + from, '?', i - from);
    r->head->path_bytes = mark ? (size_t)(mark - line) - from : i - from;
    rc = guard_target(line + from, i - from, r->err);
    return rc == 1 && mark ? count_parts(r, mark, (size_t)(line + i - mark), "&") : rc;
}

static bool is(const char *value, size_t n, const char *word)
{
    return n == strlen(word) && strncasecmp(value, word, n) == 0;
}

static int read_length(struct reader *r, const char *value, size_t n)
{
    int64_t length = 0;
    if (n == 0 || n > MAX_LENGTH_DIGITS)
        return bad(r, "content-length", "Content-Length is not a number");
    for (size_t i = 0; i < n; i++) {
        if (value[i] < '0' || value[i] > '9')
            return bad(r, "content-length", "Content-Length is not a number");
        length = length * 10 + (value[i] - '0');
    }
    r->head->content_length = length;
    return 1;
}

static int read_field(struct reader *r, const char *line, size_t n)
{
    size_t name = 0;
    if (line[0] == ' ' || line[0] == '\t')
        return bad(r, "head", "a folded header line");
    while (name < n && is_token(line[name]))
        name++;
    if (name == 0 || name == n || line[name] != ':')
        return bad(r, "head", "a header name is empty or has a character that is not allowed");
    const char *value = line + name + 1;
    size_t bytes = n - name - 1;
    while (bytes && (*value == ' ' || *value == '\t'))
        value++, bytes--;
    while (bytes && (value[bytes - 1] == ' ' || value[bytes - 1] == '\t'))
        bytes--;
    int rc = count_parts(r, value, bytes, is(line, name, "cookie") ? ";," : "");
    if (rc <= 0)
        return rc;
    for (unsigned k = 0; k < N_ONCE; k++) {
        if (!is(line, name, once[k]))
            continue;
        if (r->seen & 1u << k)
            return sdd_fail(r->err, SDD_EMALFORMED, once[k], "the header %s is there twice", once[k]);
        r->seen |= 1u << k;
        if (k == HOST) {
            r->host = value;
            r->host_bytes = bytes;
        }
        if (k == CONTENT_LENGTH)
            return read_length(r, value, bytes);
        if (k == TRANSFER_ENCODING) {
            if (!is(value, bytes, "chunked"))
                return bad(r, "transfer-encoding", "the only Transfer-Encoding read here is chunked");
            r->head->chunked = true;
        }
        if (k == CONTENT_ENCODING && !is(value, bytes, "identity"))
            return sdd_fail(r->err, SDD_EMEDIA_TYPE, "content-encoding", "bodies are read uncompressed only");
        if (k == EXPECT && !is(value, bytes, "100-continue"))
            return bad(r, "expect", "the only Expect met here is 100-continue");
    }
    return 1;
}

static int read_fields(struct reader *r)
{
    const char *line;
    size_t n;
    for (int rc;;) {
        if ((rc = read_line(r, &line, &n)) <= 0)
            return rc;
        if (n == 0)
            return 1;
        if ((rc = read_field(r, line, n)) <= 0)
            return rc;
    }
}

int guard_head(const char *bytes, size_t n, size_t max_bytes, struct guard_head *out, struct sdd_error *err)
{
    struct reader r = {.bytes = bytes, .n = n < max_bytes ? n : max_bytes, .head = out, .err = err};
    *out = (struct guard_head){.content_length = -1};
    int rc = read_request_line(&r);
    if (rc == 1)
        rc = read_fields(&r);
    if (rc == 0 && n >= max_bytes) {
        rc = sdd_fail(err, SDD_EHEADERS, "head", "request line and headers are longer than %zu bytes", max_bytes);
        if (err)
            err->available = (int64_t)max_bytes;
    }
    if (rc <= 0)
        return rc;
    if (out->chunked && (r.seen & 1u << CONTENT_LENGTH))
        return bad(&r, "transfer-encoding", "Content-Length and Transfer-Encoding together");
    if (out->chunked && out->http10)
        return bad(&r, "transfer-encoding", "Transfer-Encoding in an HTTP/1.0 request");
    if (!out->http10 && !(r.seen & 1u << HOST))
        return bad(&r, "host", "an HTTP/1.1 request needs the header Host");
    if (r.authority && (r.host_bytes != r.authority_bytes || strncasecmp(r.host, r.authority, r.host_bytes)))
        return bad(&r, "host", "the request target names another host than the header Host");
    out->bytes = r.at;
    return 1;
}

enum { SIZE, SIZE_LF, DATA, DATA_CR, DATA_LF, END_CR, END_LF };

/* The state after the line with a chunk's size: its data, or, when the size is 0, the empty line that ends the body. */
static int after_size(struct guard_chunks *c)
{
    c->digits = 0;
    return c->left ? DATA : END_CR;
}

static bool step(struct guard_chunks *c, char byte)
{
    int digit;
    switch (c->state) {
    case SIZE:
        if (byte == '\r' && c->digits) {
            c->state = SIZE_LF;
            return true;
        }
        if ((digit = guard_hex(byte)) < 0 || ++c->digits > MAX_CHUNK_DIGITS)
            return false;
        c->left = (c->digits == 1 ? 0 : c->left * 16) + (unsigned)digit;
        return true;
    case SIZE_LF: c->state = after_size(c); return byte == '\n';
    case DATA_CR: c->state = DATA_LF; return byte == '\r';
    case DATA_LF: c->state = SIZE; return byte == '\n';
    case END_CR: c->state = END_LF; return byte == '\r';
    default: c->done = true; return byte == '\n';
    }
}

int64_t guard_chunks(struct guard_chunks *c, const char *bytes, size_t n)
{
    size_t at = 0;
    while (at < n && !c->done) {
        if (c->state == DATA) {
            uint64_t take = c->left < n - at ? c->left : n - at;
            c->left -= take;
            at += take;
            if (c->left == 0)
                c->state = DATA_CR;
        } else if (!step(c, bytes[at++]))
            return -1;
    }
    return (int64_t)at;
}
