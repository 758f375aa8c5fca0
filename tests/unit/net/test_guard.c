/* SPDX-License-Identifier: Apache-2.0 */
/* The guard as a function of bytes: every prefix of a good head waits, every cut of a chunked body gives the same
 * end. */
#include "server/net/mhd/guard.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define GOOD                                                                                                           \
    "POST /v1/meshes/m_1?name=a%20b HTTP/1.1\r\nHost: x\r\ncontent-length:  12 \t\r\nX-Utf: "                          \
    "\xc3\xa4\r\nEmpty:\r\n\r\n"

static int judge(const char *bytes, size_t n, struct guard_head *head)
{
    struct sdd_error err = {0};
    char *exact = malloc(n + 1); /* so that a sanitizer sees a read past the end */
    memcpy(exact, bytes, n);
    exact = realloc(exact, n ? n : 1);
    int rc = guard_head(exact, n, 8192, head, &err);
    assert_true(rc >= 0 || (err.code == rc && *err.text));
    free(exact);
    return rc;
}

static void test_prefixes(void **state)
{
    struct guard_head head;
    size_t n = sizeof GOOD - 1;
    (void)state;
    for (size_t i = 0; i < n; i++)
        assert_int_equal(judge(GOOD, i, &head), 0);
    assert_int_equal(judge(GOOD "rest", n + 4, &head), 1);
    assert_int_equal(head.bytes, n);
    assert_int_equal(head.content_length, 12);
    assert_false(head.chunked);
    assert_int_equal(head.target, 5);
    assert_int_equal(head.target_bytes, 25);
    assert_int_equal(head.path_bytes, 14);
}

/* Any control character anywhere, but for tabs in values and the line ends themselves, is refused as soon as it is
 * seen. */
static void test_control_characters(void **state)
{
    struct guard_head head;
    char bytes[sizeof GOOD];
    (void)state;
    for (size_t i = 0; i < sizeof GOOD - 1; i++)
        for (int c = 0; c < 0x20; c++) {
            memcpy(bytes, GOOD, sizeof GOOD);
            if (bytes[i] == '\r' || bytes[i] == '\n' || c == '\t' || c == '\r')
                continue;
            bytes[i] = (char)c;
            assert_int_equal(judge(bytes, sizeof GOOD - 1, &head), SDD_EMALFORMED);
            assert_int_equal(judge(bytes, i + 1, &head), SDD_EMALFORMED);
        }
}

static void test_limit(void **state)
{
    struct sdd_error err = {0};
    struct guard_head head;
    size_t n = sizeof GOOD - 1;
    (void)state;
    assert_int_equal(guard_head(GOOD, n, n, &head, &err), 1);
    assert_int_equal(guard_head(GOOD, n, n - 1, &head, &err), SDD_EHEADERS);
    assert_int_equal(err.available, n - 1);
    assert_string_equal(err.field, "head");
}

/* A head with Host and so many other header lines, query parameters and cookies. */
static int judge_parts(int lines, int parameters, int cookies)
{
    struct guard_head head;
    char bytes[2048] = "GET /";
    size_t n = strlen(bytes);
    for (int i = 0; i < parameters; i++)
        bytes[n++] = i ? '&' : '?';
    n += (size_t)snprintf(bytes + n, sizeof bytes - n, " HTTP/1.1\r\nHost: x\r\n");
    for (int i = 0; i < lines; i++)
        n += (size_t)snprintf(bytes + n, sizeof bytes - n, "A: b;c,d&e\r\n");
    for (int i = 0; i < cookies; i++)
        n += (size_t)snprintf(bytes + n, sizeof bytes - n, "%s", i == 0 ? "cookie: a=b" : i % 2 ? ";a=b" : ",");
    n += (size_t)snprintf(bytes + n, sizeof bytes - n, cookies ? "\r\n\r\n" : "\r\n");
    return judge(bytes, n, &head);
}

static void test_parts(void **state)
{
    const int most = GUARD_MAX_PARTS - 1; /* beside Host */
    (void)state;
    assert_int_equal(judge_parts(most, 0, 0), 1);
    assert_int_equal(judge_parts(most + 1, 0, 0), SDD_EHEADERS);
    assert_int_equal(judge_parts(0, most, 0), 1);
    assert_int_equal(judge_parts(0, most + 1, 0), SDD_EHEADERS);
    assert_int_equal(judge_parts(0, 0, most), 1);
    assert_int_equal(judge_parts(0, 0, most + 1), SDD_EHEADERS);
    assert_int_equal(judge_parts(20, 20, most - 40), 1);
    assert_int_equal(judge_parts(20, 20, most - 39), SDD_EHEADERS);
}

/* Whatever is refused says what is to blame. */
static void test_fields(void **state)
{
    static const struct {
        const char *bytes, *field;
    } rows[] = {
        {"\x16\x03", "request-line"},
        {"GET\t/ HTTP/1.1\r\n", "request-line"},
        {"GET / HTTP/2\r\n", "request-line"},
        {"GET http://x HTTP/1.1\r\n", "target"},
        {"GET /%zz HTTP/1.1\r\n", "target"},
        {"GET / HTTP/1.1\n", "head"},
        {"GET / HTTP/1.1\r\nHost: x\rA", "head"},
        {"GET / HTTP/1.1\r\nHost: \x01", "head"},
        {"GET / HTTP/1.1\r\nHost: x\r\n A\r\n", "head"},
        {"GET / HTTP/1.1\r\nHost x\r\n", "head"},
        {"GET / HTTP/1.1\r\nContent-Length: +1\r\n", "content-length"},
        {"GET / HTTP/1.1\r\nContent-Length: 9999999999999999999\r\n", "content-length"},
        {"GET / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n", "transfer-encoding"},
        {"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", "transfer-encoding"},
        {"GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", "transfer-encoding"},
        {"GET / HTTP/1.1\r\nExpect: tea\r\n", "expect"},
        {"GET / HTTP/1.1\r\nContent-Encoding: gzip\r\n", "content-encoding"},
        {"GET / HTTP/1.1\r\nRange: a\r\nRange: b\r\n", "range"},
        {"GET / HTTP/1.1\r\n\r\n", "host"},
        {"GET http://y/ HTTP/1.1\r\nHost: x\r\n\r\n", "host"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sdd_error err = {0};
        struct guard_head head;
        assert_true(guard_head(rows[i].bytes, strlen(rows[i].bytes), 8192, &head, &err) < 0);
        assert_string_equal(err.field, rows[i].field);
    }
}

static int64_t feed(const char *body, size_t n, size_t piece, bool *done)
{
    struct guard_chunks c = {0};
    int64_t all = 0;
    for (size_t at = 0; at < n && !c.done; at += piece) {
        size_t m = at + piece < n ? piece : n - at;
        int64_t took = guard_chunks(&c, body + at, m);
        if (took < 0)
            return -1;
        all += took;
    }
    *done = c.done;
    return all;
}

static void test_chunks(void **state)
{
    static const char good[] = "5\r\nhello\r\n00A\r\n0123456789\r\nf\r\nabcdefghijklmno\r\n0\r\n\r\nNEXT";
    static const char *const bad[] = {
        "\r\n",     "g\r\n",  "5\nhello", "5\r\nhelloX", "5\r\nhello\rX",        "0\r\nA: b\r\n",
        "0\r\n\rX", " 5\r\n", "0x5\r\n",  "-1\r\n",      "1000000000000000\r\n", "5;a\r\n"};
    bool done = false;
    (void)state;
    for (size_t piece = 1; piece <= sizeof good; piece++) {
        assert_int_equal(feed(good, sizeof good - 1, piece, &done), sizeof good - 1 - 4);
        assert_true(done);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        for (size_t piece = 1; piece <= strlen(bad[i]); piece++)
            assert_int_equal(feed(bad[i], strlen(bad[i]), piece, &done), -1);
    assert_int_equal(feed("ffffff\r\nabc", 11, 4, &done), 11); /* a chunk that is not all here yet */
    assert_false(done);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_prefixes), cmocka_unit_test(test_control_characters),
                                       cmocka_unit_test(test_limit),    cmocka_unit_test(test_parts),
                                       cmocka_unit_test(test_fields),   cmocka_unit_test(test_chunks)};
    return cmocka_run_group_tests_name("net/guard", tests, NULL, NULL);
}
