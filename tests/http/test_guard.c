/* SPDX-License-Identifier: Apache-2.0 */
/* Framing that two readers could read differently is refused, and what hides behind it is never executed. */
#include "tests/http/daemon.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct daemon d;

static int start(void **state)
{
    (void)state;
    daemon_start(&d, NULL);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    daemon_stop(&d);
    return 0;
}

struct probe {
    const char *name, *bytes;
    size_t n; /* 0: strlen */
    int status;
    const char *code;
};
#define SMUGGLED                                                                                                       \
    "POST /v1/meshes?name=smuggled HTTP/1.1\r\nHost: localhost\r\nContent-Type: model/obj\r\nContent-Length: "         \
    "0\r\n\r\n"
#define GET "GET /v1/health/live HTTP/1.1\r\n"
#define BAD(name, text)                                                                                                \
    {                                                                                                                  \
        name, text, sizeof(text) - 1, 400, "malformed"                                                                 \
    }

static const struct probe probes[] = {
    /* the eleven of RELIABILITY section 5 */
    BAD("two lengths, small first",
        "POST /v1/meshes HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nContent-Length: 150\r\n\r\nabc" SMUGGLED),
    BAD("two lengths, big first",
        "POST /v1/meshes HTTP/1.1\r\nHost: localhost\r\nContent-Length: 150\r\nContent-Length: 3\r\n\r\nabc" SMUGGLED),
    BAD("length and chunked", "POST /v1/meshes HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: "
                              "chunked\r\n\r\n0\r\n\r\n" SMUGGLED),
    BAD("unknown transfer encoding",
        "POST /v1/meshes HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n" SMUGGLED),
    BAD("two hosts", GET "Host: localhost\r\nHost: y\r\n\r\n" SMUGGLED),
    BAD("space before colon", GET "Host: localhost\r\nContent-Length : 0\r\n\r\n" SMUGGLED),
    BAD("bare line feeds", "GET /v1/health/live HTTP/1.1\nHost: x\n\n" SMUGGLED),
    BAD("folded line", GET "Host: localhost\r\nX-A: b\r\n c\r\n\r\n" SMUGGLED),
    BAD("NUL in a header", GET "Host: localhost\r\nX-A: b\0c\r\n\r\n" SMUGGLED),
    BAD("NUL in the path", "GET /v1/health/live%00x HTTP/1.1\r\nHost: localhost\r\n\r\n" SMUGGLED),
    BAD("broken escape", "GET /v1/health/live?a=%zz HTTP/1.1\r\nHost: localhost\r\n\r\n" SMUGGLED),
    /* the rest of section 2 and its neighbours */
    BAD("two authorizations",
        GET "Host: localhost\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n" SMUGGLED),
    BAD("escaped slash", "GET /v1/meshes/%2f..%2fetc HTTP/1.1\r\nHost: localhost\r\n\r\n" SMUGGLED),
    BAD("dot segments", "GET /v1/meshes/../health/live HTTP/1.1\r\nHost: localhost\r\n\r\n" SMUGGLED),
    BAD("escaped dot segments", "GET /v1/%2e%2e/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n" SMUGGLED),
    BAD("bad UTF-8 in the path", "GET /v1/meshes/%c3%28 HTTP/1.1\r\nHost: localhost\r\n\r\n" SMUGGLED),
    BAD("raw bytes in the path", "GET /v1/meshes/\xc3\xa4 HTTP/1.1\r\nHost: localhost\r\n\r\n" SMUGGLED),
    BAD("NUL in the query", "GET /v1/meshes?after=a%00b HTTP/1.1\r\nHost: localhost\r\n\r\n" SMUGGLED),
    BAD("no host", GET "\r\n" SMUGGLED),
    BAD("bare carriage return", GET "Host: localhost\rX-A: b\r\n\r\n" SMUGGLED),
    BAD("signed length", "POST /v1/meshes HTTP/1.1\r\nHost: localhost\r\nContent-Length: +3\r\n\r\nabc" SMUGGLED),
    BAD("list of lengths", "POST /v1/meshes HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3, 3\r\n\r\nabc" SMUGGLED),
    BAD("huge length",
        "POST /v1/meshes HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999\r\n\r\n" SMUGGLED),
    BAD("chunked twice",
        "POST /v1/meshes HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n" SMUGGLED),
    BAD("chunked in 1.0",
        "POST /v1/meshes HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" SMUGGLED),
    BAD("empty header name", GET "Host: localhost\r\n: b\r\n\r\n" SMUGGLED),
    BAD("header without colon", GET "Host: localhost\r\nfoo\r\n\r\n" SMUGGLED),
    BAD("space in a header name", GET "Host: localhost\r\nX A: b\r\n\r\n" SMUGGLED),
    BAD("two spaces in the request line", "GET  /v1/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n" SMUGGLED),
    BAD("tab in the request line", "GET\t/v1/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n" SMUGGLED),
    BAD("absolute target elsewhere", "GET http://y/v1/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n" SMUGGLED),
    BAD("absolute target without a path", "GET http://x?/v1 HTTP/1.1\r\nHost: localhost\r\n\r\n" SMUGGLED),
    BAD("HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" SMUGGLED),
    BAD("HTTP/0.9", "GET /v1/health/live\r\n" SMUGGLED),
    BAD("TLS hello", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
    BAD("strange expectation",
        "POST /v1/meshes HTTP/1.1\r\nHost: localhost\r\nExpect: tea\r\nContent-Length: 0\r\n\r\n" SMUGGLED),
    {"gzip body",
     "POST /v1/meshes HTTP/1.1\r\nHost: localhost\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc" SMUGGLED,
     0, 415, "unsupported_media_type"},
    /* chunked bodies whose framing breaks */
    BAD("chunk size not hex",
        "POST /v1/meshes HTTP/1.1\r\nHost: localhost\r\nContent-Type: model/obj\r\nTransfer-Encoding: "
        "chunked\r\n\r\nxyz\r\n\r\n" SMUGGLED),
    BAD("chunk extension",
        "POST /v1/meshes HTTP/1.1\r\nHost: localhost\r\nContent-Type: model/obj\r\nTransfer-Encoding: "
        "chunked\r\n\r\n1;a=b\r\nx\r\n0\r\n\r\n" SMUGGLED),
    BAD("chunk line feed",
        "POST /v1/meshes HTTP/1.1\r\nHost: localhost\r\nContent-Type: model/obj\r\nTransfer-Encoding: "
        "chunked\r\n\r\n1\nx\r\n0\r\n\r\n" SMUGGLED),
    BAD("chunk too short",
        "POST /v1/meshes HTTP/1.1\r\nHost: localhost\r\nContent-Type: model/obj\r\nTransfer-Encoding: "
        "chunked\r\n\r\n5\r\nx\r\n0\r\n\r\n" SMUGGLED),
    BAD("chunk too long for a number", "POST /v1/meshes HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                                       "model/obj\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n" SMUGGLED),
    BAD("trailer", "POST /v1/meshes HTTP/1.1\r\nHost: localhost\r\nContent-Type: model/obj\r\nTransfer-Encoding: "
                   "chunked\r\n\r\n0\r\nA: b\r\n\r\n" SMUGGLED),
};

static long long mesh_count(void)
{
    struct answer a;
    long long n = 0;
    http_get(&d, "/v1/meshes?limit=1000", &a);
    assert_int_equal(a.status, 200);
    for (const char *s = a.body; (s = strstr(s, "\"id\":")); s++)
        n++;
    answer_free(&a);
    return n;
}

/* One probe: refused with its code, the connection closed, nothing after it answered. `split` sends it in two
 * pieces. */
static void run(const struct probe *p, size_t split)
{
    struct answer a;
    size_t n = p->n ? p->n : strlen(p->bytes);
    int fd = http_connect(&d);
    if (split && split < n) {
        http_send(fd, p->bytes, split);
        usleep(3000);
        http_send(fd, p->bytes + split, n - split);
    } else
        http_send(fd, p->bytes, n);
    http_read(fd, &a, false);
    if (a.status != p->status)
        print_message("probe \"%s\": %s\n", p->name, a.head ? a.head : "no answer");
    assert_problem(&a, p->status, p->code, NULL);
    char field[256];
    assert_true(*answer_member(&a, "field", field)); /* each names what is to blame */
    answer_free(&a);
    if (!http_closed(fd, 3))
        fail_msg("probe \"%s\": the connection stays open", p->name);
    close(fd);
}

static void test_probes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof probes / sizeof probes[0]; i++)
        run(&probes[i], 0);
    assert_int_equal(mesh_count(), 0);
}

static void test_probes_in_pieces(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof probes / sizeof probes[0]; i++)
        run(&probes[i], 30 + i);
    assert_int_equal(mesh_count(), 0);
}

/* The same behind a good request on one connection: the first is answered, the second refused, the third never read. */
static void test_probes_pipelined(void **state)
{
    static const char first[] = GET "Host: localhost\r\n\r\n";
    (void)state;
    for (size_t i = 0; i < sizeof probes / sizeof probes[0]; i++) {
        struct answer a;
        size_t n = probes[i].n ? probes[i].n : strlen(probes[i].bytes);
        char *both = malloc(sizeof first + n);
        memcpy(both, first, sizeof first - 1);
        memcpy(both + sizeof first - 1, probes[i].bytes, n);
        int fd = http_connect(&d);
        http_send(fd, both, sizeof first - 1 + n);
        http_read(fd, &a, false);
        assert_int_equal(a.status, 200);
        answer_free(&a);
        http_read(fd, &a, false);
        assert_int_equal(a.status, probes[i].status);
        answer_free(&a);
        assert_true(http_closed(fd, 3));
        close(fd);
        free(both);
    }
    assert_int_equal(mesh_count(), 0);
}

static void test_pipelining(void **state)
{
    static const char two[] =
        "\r\n" GET "Host: localhost\r\n\r\n"
        "POST /v1/meshes HTTP/1.1\r\nHost: localhost\r\nContent-Type: model/obj\r\nContent-Length: 2\r\n\r\nv " GET
        "Host: localhost\r\n\r\n"
        "POST /v1/meshes HTTP/1.1\r\nHost: localhost\r\nContent-Type: model/obj\r\nTransfer-Encoding: chunked\r\n\r\n"
        "2\r\nv \r\n0\r\n\r\n" GET "Host: localhost\r\n\r\n";
    static const int statuses[] = {200, 400, 200, 400, 200};
    (void)state;
    for (size_t piece = sizeof two; piece >= 7; piece = piece / 3) { /* whole, and in ever smaller pieces */
        int fd = http_connect(&d);
        for (size_t at = 0; at < sizeof two - 1; at += piece) {
            http_send(fd, two + at, at + piece < sizeof two - 1 ? piece : sizeof two - 1 - at);
            if (piece < sizeof two)
                usleep(1000);
        }
        for (int i = 0; i < 5; i++) {
            struct answer a;
            http_read(fd, &a, false);
            assert_int_equal(a.status, statuses[i]);
            answer_free(&a);
        }
        close(fd);
    }
}

static void repeat(char *out, const char *line, int times)
{
    size_t n = strlen(line);
    for (; times; times--, out += n)
        memcpy(out, line, n + 1);
}

static void test_absolute_target(void **state)
{
    static const char request[] = "GET http://LOCALHOST:7/v1/health/live?a HTTP/1.1\r\nHost: localhost:7\r\n\r\n";
    struct answer a;
    (void)state;
    int fd = http_connect(&d);
    http_send(fd, request, sizeof request - 1);
    http_read(fd, &a, false);
    assert_int_equal(a.status, 200);
    answer_free(&a);
    close(fd);
}

static void test_header_limits(void **state)
{
    char *big = calloc(1, 100000), value[256];
    struct answer a;
    (void)state;
    memset(big, 'a', 9000);
    int fd = http_connect(&d);
    http_send(fd, GET "Host: localhost\r\nX-A: ", strlen(GET) + 22);
    http_send(fd, big, 9000);
    http_read(fd, &a, false);
    assert_problem(&a, 431, "headers_too_large", "head");
    assert_int_equal(answer_number(&a, "limit"), 8192);
    answer_free(&a);
    close(fd);
    repeat(big, "a: b\r\n", 80);
    http_ask(&d, "GET", "/v1/health/live", big, NULL, 0, &a);
    assert_problem(&a, 431, "headers_too_large", "head");
    assert_int_equal(answer_number(&a, "limit"), 64);
    answer_free(&a);
    /* parameters and cookies that nobody reads: more than the library's memory for them */
    memset(big, '&', 4000);
    memcpy(big, "/v1/health/live?", 16);
    big[4000] = 0;
    http_get(&d, big, &a);
    assert_problem(&a, 431, "headers_too_large", "head");
    assert_int_equal(answer_number(&a, "limit"), 64);
    answer_free(&a);
    repeat(big, "Cookie: a=b; c=d; e=f; g=h; i=j; k=l; m=n; o=p\r\n", 60);
    http_ask(&d, "GET", "/v1/health/live", big, NULL, 0, &a);
    assert_problem(&a, 431, "headers_too_large", "head");
    assert_int_equal(answer_number(&a, "limit"), 64);
    answer_free(&a);
    /* a long head in many pieces is still one head */
    repeat(big, "X-Long: 01234567890123456789012345678901234567890123456789012345678901234567890123456789\r\n", 60);
    fd = http_connect(&d);
    http_send(fd, GET "Host: localhost\r\nX-Request-Id: me\r\n", strlen(GET) + 35);
    for (size_t at = 0; at < strlen(big); at += 512)
        http_send(fd, big + at, strlen(big + at) < 512 ? strlen(big + at) : 512);
    http_send(fd, "\r\n", 2);
    http_read(fd, &a, false);
    assert_int_equal(a.status, 200);
    assert_true(answer_field(&a, "X-Request-Id", value, sizeof value));
    assert_string_equal(value, "me");
    answer_free(&a);
    close(fd);
    free(big);
}

/* The longest head that can be configured, all of it in the one field of which the library keeps a copy. */
static void test_longest_head(void **state)
{
    static const char *const options[] = {"--max-header-bytes", "32KiB", NULL};
    struct daemon other = {0};
    struct answer a;
    char *head = malloc(32768);
    (void)state;
    daemon_start(&other, options);
    memset(head, 'a', 32768);
    memcpy(head, GET "Host: localhost\r\nCookie: a=", strlen(GET "Host: localhost\r\nCookie: a="));
    memcpy(head + 32768 - 4, "\r\n\r\n", 4);
    int fd = http_connect(&other);
    for (int i = 0; i < 2; i++) { /* the second finds the connection's memory as the first left it */
        http_send(fd, head, 32768);
        http_read(fd, &a, false);
        assert_int_equal(a.status, 200);
        answer_free(&a);
    }
    close(fd);
    free(head);
    daemon_stop(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_probes),           cmocka_unit_test(test_probes_in_pieces),
                                       cmocka_unit_test(test_probes_pipelined), cmocka_unit_test(test_pipelining),
                                       cmocka_unit_test(test_absolute_target),  cmocka_unit_test(test_header_limits),
                                       cmocka_unit_test(test_longest_head)};
    return cmocka_run_group_tests_name("http/guard", tests, start, stop);
}
