/* SPDX-License-Identifier: Apache-2.0 */
/* The door as a function of strings: which Host and Origin come in, and what the two lists may hold. */
#include "server/net/door.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static const struct door closed = {"", "", "127.0.0.1:7373"};

static int check(const struct door *d, const char *host, const char *origin, const char *site, const char *arrived_at)
{
    struct sdd_error err = {0};
    const struct door_visitor v = {host, origin, site, arrived_at};
    int rc = door_check(d, &v, &err);
    assert_int_equal(rc, err.code);
    assert_true(rc == SDD_OK || *err.text);
    if (rc)
        assert_string_equal(err.field, rc == SDD_EMISDIRECTED ? "host" : "origin");
    return rc;
}

static void hosts(const struct door *d, const char *arrived_at, int expected, const char *const *names)
{
    for (; *names; names++)
        if (check(d, *names, NULL, NULL, arrived_at) != expected)
            fail_msg("Host \"%s\" with listen %s, allow %s", *names, d->listen, d->allow_host);
}

static void test_loopback(void **state)
{
    static const char *const in[] = {"localhost",          "LocalHost:7373",
                                     "localhost.",         "localhost.:1",
                                     "a.localhost",        "A.B.localhost:80",
                                     "127.0.0.1",          "127.0.0.1:",
                                     "127.255.0.9:7373",   "[::1]",
                                     "[::1]:7373",         "[0:0:0:0:0:0:0:1]",
                                     "[::ffff:127.0.0.1]", NULL};
    static const char *const out[] = {"",
                                      ":7373",
                                      ".",
                                      "..",
                                      "evil.example",
                                      "evil.example:7373",
                                      "evillocalhost",
                                      "localhost.evil.example",
                                      ".localhost",
                                      "localhost..",
                                      "127.0.0.1.evil.example",
                                      "127.1",
                                      "0x7f.0.0.1",
                                      "128.0.0.1",
                                      "0.0.0.0",
                                      "1.127.0.0",
                                      "::1",
                                      "[::1",
                                      "[::2]",
                                      "[::1]x",
                                      "[localhost]",
                                      "[127.0.0.1]",
                                      "localhost:http",
                                      "localhost:123456",
                                      "localhost:1:2",
                                      "user@localhost",
                                      "localhost/",
                                      "localhost evil.example",
                                      "localhost,evil.example",
                                      "loc\xc3\xa4lhost",
                                      "*",
                                      NULL};
    (void)state;
    hosts(&closed, "127.0.0.1", SDD_OK, in);
    hosts(&closed, "127.0.0.1", SDD_EMISDIRECTED, out);
    assert_int_equal(check(&closed, NULL, NULL, NULL, "127.0.0.1"), SDD_OK); /* HTTP/1.0 */
}

static void test_listening(void **state)
{
    static const char *const four[] = {"192.0.2.7", "192.0.2.7:7373", "192.0.2.7.", NULL};
    static const char *const other[] = {"192.0.2.8", "0.0.0.0", "box", NULL};
    static const char *const six[] = {"[fd00::7]", "[FD00:0::7]:1", NULL};
    static const char *const name[] = {"Box", "box.:7373", NULL};
    const struct door any = {"", "", "0.0.0.0:7373"}, any_six = {"", "", "[::]:7373"}, one = {"", "", "[fd00::7]:7373"},
                      named = {"", "", "box:7373"}, bare = {"", "", ":7373"};
    (void)state;
    hosts(&any, "192.0.2.7", SDD_OK, four);
    hosts(&any, "192.0.2.7", SDD_EMISDIRECTED, other + 2);
    hosts(&any_six, "::ffff:192.0.2.7", SDD_OK, four);
    hosts(&any_six, "::ffff:192.0.2.7", SDD_EMISDIRECTED, other);
    hosts(&any_six, "fd00::7", SDD_OK, six);
    hosts(&bare, "fd00::7", SDD_OK, six);
    hosts(&bare, "192.0.2.7", SDD_EMISDIRECTED, other);
    hosts(&one, "", SDD_OK, six);
    hosts(&named, "", SDD_OK, name);
    hosts(&named, "", SDD_EMISDIRECTED, four);
}

static void test_allow_host(void **state)
{
    static const char *const in[] = {"box",       "BOX:7373", "box.studio.example.", "10.0.0.9", "[fd00::9]:1",
                                     "localhost", NULL};
    static const char *const out[] = {"boxes", "bo", "studio.example", "a.box", "10.0.0.8", "[fd00::8]", "fd00::9",
                                      "",      NULL};
    static const char *const any[] = {"evil.example", "", "?", NULL};
    const struct door some = {"box, box.studio.example,10.0.0.9,\t[fd00::9]", "", "127.0.0.1:7373"},
                      all = {"*", "", "127.0.0.1:7373"};
    (void)state;
    hosts(&some, "127.0.0.1", SDD_OK, in);
    hosts(&some, "127.0.0.1", SDD_EMISDIRECTED, out);
    hosts(&all, "127.0.0.1", SDD_OK, any);
}

static void test_origin(void **state)
{
    static const struct {
        const char *allow, *host, *origin, *site;
        int expected;
    } rows[] = {
        {"", "localhost:7373", "http://localhost:7373", NULL, SDD_OK},
        {"", "localhost:7373", "HTTPS://LOCALHOST:7373", "same-origin", SDD_OK},
        {"", "[::1]:7373", "http://[::1]:7373", NULL, SDD_OK},
        {"", "localhost:7373", "http://localhost", NULL, SDD_EORIGIN},
        {"", "localhost:7373", "http://localhost:8080", NULL, SDD_EORIGIN},
        {"", "localhost:7373", "http://127.0.0.1:7373", NULL, SDD_EORIGIN},
        {"", "localhost:7373", "http://localhost:7373.evil.example", NULL, SDD_EORIGIN},
        {"", "localhost:7373", "ftp://localhost:7373", NULL, SDD_EORIGIN},
        {"", "localhost:7373", "localhost:7373", NULL, SDD_EORIGIN},
        {"", "localhost:7373", "null", NULL, SDD_EORIGIN},
        {"", "localhost:7373", "", NULL, SDD_EORIGIN},
        {"", NULL, "http://localhost:7373", NULL, SDD_EORIGIN},
        {"", "localhost:7373", NULL, "cross-site", SDD_EORIGIN},
        {"", "localhost:7373", "http://localhost:7373", "Cross-Site", SDD_EORIGIN},
        {"", "localhost:7373", NULL, "same-site", SDD_OK},
        {"", "localhost:7373", NULL, "same-origin", SDD_OK},
        {"", "localhost:7373", NULL, "none", SDD_OK},
        {"https://a.example, tauri://localhost", "localhost", "https://a.example", "cross-site", SDD_OK},
        {"https://a.example, tauri://localhost", "localhost", "tauri://localhost", NULL, SDD_OK},
        {"https://a.example, tauri://localhost", "localhost", "http://a.example", NULL, SDD_EORIGIN},
        {"https://a.example, tauri://localhost", "localhost", "https://a.example:8443", NULL, SDD_EORIGIN},
        {"https://a.example, tauri://localhost", "localhost", "https://a.example, tauri://localhost", NULL,
         SDD_EORIGIN},
        {"https://a.example, tauri://localhost", "localhost", "null", NULL, SDD_EORIGIN},
        {"https://a.example, tauri://localhost", "localhost", NULL, "cross-site", SDD_EORIGIN},
        {"https://a.example, tauri://localhost", "evil.example", "https://a.example", NULL, SDD_EMISDIRECTED},
        {"*", "localhost", "https://evil.example", "cross-site", SDD_OK},
        {"*", "localhost", "null", "cross-site", SDD_OK},
        {"*", "localhost", NULL, "cross-site", SDD_OK},
        {"*", "evil.example", NULL, NULL, SDD_EMISDIRECTED},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct door d = {"", rows[i].allow, "127.0.0.1:7373"};
        if (check(&d, rows[i].host, rows[i].origin, rows[i].site, "127.0.0.1") != rows[i].expected)
            fail_msg("row %zu: %s", i, rows[i].origin ? rows[i].origin : "no origin");
    }
}

/* Whatever a stranger writes is quoted as ASCII, cut short, and leaves room for the rest of the sentence. */
static void test_quoted(void **state)
{
    char name[5000];
    struct sdd_error err = {0};
    const struct door_visitor v = {.host = name, .arrived_at = ""};
    (void)state;
    memset(name, '\xff', sizeof name - 1);
    name[sizeof name - 1] = 0;
    assert_int_equal(door_check(&closed, &v, &err), SDD_EMISDIRECTED);
    assert_null(strchr(err.text, '\xff'));
    assert_non_null(strstr(err.text, "--allow-host"));
    memset(name, 'a', sizeof name - 1);
    const struct door_visitor w = {.host = "localhost", .origin = name, .arrived_at = ""};
    const struct door all = {"", "*", "127.0.0.1:7373"};
    assert_int_equal(door_check(&all, &w, &err), SDD_EORIGIN); /* no origin is so long, and answers would echo it */
    assert_non_null(strstr(err.text, "--allow-origin"));
}

static void test_options(void **state)
{
    static const char *const good[] = {"", "*", "box", "box,10.0.0.9 , [fd00::9]", "box.", NULL};
    static const char *const bad[] = {"box:7373", "http://box", "*,box", "box,", ",box", "a b", "fd00::9",
                                      "[box]",    "*.box",      ".box",  "box/", " ",    NULL};
    static const char *const origins[] = {"",
                                          "*",
                                          "http://a",
                                          "https://a.example:8443, http://[::1]:80800,tauri://localhost",
                                          "http://10.0.0.9:443",
                                          "chrome-extension://abcdef",
                                          NULL};
    static const char *const not_origins[] = {"a.example",  "http://",    "http:/a",        "://a",
                                              "http://a/",  "http://a:",  "http://a:80",    "HTTPS://a:443",
                                              "http://a:x", "http://u@a", "null",           "*,http://a",
                                              "http://a,",  "http://*.a", "http://fd00::9", "1a://b",
                                              "http://a?b", NULL};
    struct text error = {0};
    (void)state;
    for (int i = 0; good[i]; i++)
        assert_true(door_options_good(&(struct door){good[i], "", ""}, &error));
    for (int i = 0; origins[i]; i++)
        assert_true(door_options_good(&(struct door){"", origins[i], ""}, &error));
    assert_int_equal(error.bytes, 0);
    for (int i = 0; bad[i]; i++, text_clear(&error)) {
        assert_false(door_options_good(&(struct door){bad[i], "", ""}, &error));
        assert_non_null(strstr(error.data, "--allow-host"));
    }
    for (int i = 0; not_origins[i]; i++, text_clear(&error)) {
        if (door_options_good(&(struct door){"", not_origins[i], ""}, &error))
            fail_msg("%s", not_origins[i]);
        assert_non_null(strstr(error.data, "--allow-origin"));
    }
    text_free(&error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_loopback),   cmocka_unit_test(test_listening),
                                       cmocka_unit_test(test_allow_host), cmocka_unit_test(test_origin),
                                       cmocka_unit_test(test_quoted),     cmocka_unit_test(test_options)};
    return cmocka_run_group_tests_name("net/door", tests, NULL, NULL);
}
