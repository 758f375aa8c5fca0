/* SPDX-License-Identifier: Apache-2.0 */
/* The pages for people without a browser: what their files say to one, that they are whole, and that they need nothing
 * but the daemon. */
#include "tests/http/daemon.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_FILES = 64 };
static struct daemon d;
static char found[MAX_FILES][64]; /* the paths that the pages lead to, from the first page on */
static int n_found;

static int start(void **state)
{
    static char tokens[] = "/tmp/subdd-web-XXXXXX";
    static const char *const make[] = {"--tokens-file", tokens, "--new-token", "visitor:read", NULL};
    static const char *const options[] = {"--tokens-file", tokens, NULL};
    char token[256];
    (void)state;
    close(mkstemp(tokens));
    assert_int_equal(daemon_run(make, token, sizeof token), 0);
    daemon_start(&d, options); /* of which the pages need none */
    unlink(tokens);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    daemon_stop(&d);
    return 0;
}

#define ERRORS "/docs/errors" /* It is made for each request, and has no tag. */

static void note(const char *path, size_t n)
{
    for (int i = 0; i < n_found; i++)
        if (strlen(found[i]) == n && memcmp(found[i], path, n) == 0)
            return;
    assert_true(n_found < MAX_FILES && n < sizeof found[0]);
    snprintf(found[n_found++], sizeof found[0], "%.*s", (int)n, path);
}

/* Notes what a file links to or loads, which has to be named from the root, and whole. */
static void note_links(const char *text)
{
    static const char *const before[] = {" href=\"", " src=\"", "href: \"", "fetch(\"", "get(\"", NULL};
    for (int i = 0; before[i]; i++)
        for (const char *s = text; (s = strstr(s, before[i]));) {
            s += strlen(before[i]);
            assert_int_equal(*s, '/');
            note(s, strcspn(s, "\"#"));
        }
    for (const char *s = text; (s = strstr(s, "from \"./"));) {
        char path[64];
        s += strlen("from \"./");
        snprintf(path, sizeof path, "/web/%.*s", (int)strcspn(s, "\""), s);
        note(path, strlen(path));
    }
}

static bool is_page(const char *path)
{
    return strcmp(path, "/") == 0 || strcmp(path, "/docs") == 0 || strcmp(path, ERRORS) == 0 ||
           strncmp(path, "/web/", 5) == 0;
}

static void assert_field(const struct answer *a, const char *name, const char *want)
{
    char value[512];
    if (!answer_field(a, name, value, sizeof value))
        fail_msg("no %s", name);
    assert_string_equal(value, want);
}

/* A file as it has to be: no address of another host, nothing that the policy would forbid, no text taken for HTML. */
static void check_text(const char *path, const char *text)
{
    static const char *const never[] = {
        "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "localStorage", "sessionStorage",
        "cookie =",  "style=\"",  "javascript:",        "@import",        "url(",  "<script>",     "<style"};
    for (const char *s = text; (s = strstr(s, "//")); s += 2)
        if (s > text && s[-1] == ':' && strncmp(s, "//www.w3.org/2000/svg\"", 22) != 0)
            fail_msg("%s names %.40s", path, s);
    for (size_t i = 0; i < sizeof never / sizeof never[0]; i++)
        if (strstr(text, never[i]))
            fail_msg("%s has %s", path, never[i]);
    for (const char *s = strstr(text, "<html") ? text : ""; (s = strstr(s, " on")); s++) {
        const char *end = s + 1 + strspn(s + 1, "abcdefghijklmnopqrstuvwxyz");
        if (strncmp(end, "=\"", 2) == 0)
            fail_msg("%s has a handler in its HTML: %.30s", path, s);
    }
}

static void check_headers(const char *path, const struct answer *a)
{
    const char *dot = strrchr(path, '.');
    assert_int_equal(a->status, 200);
    assert_field(a, "Content-Type",
                 strcmp(path, ERRORS) == 0  ? "text/html"
                 : !dot                     ? "text/html; charset=utf-8"
                 : strcmp(dot, ".css") == 0 ? "text/css; charset=utf-8"
                 : strcmp(dot, ".svg") == 0 ? "image/svg+xml"
                                            : "text/javascript; charset=utf-8");
    assert_field(
        a, "Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri "
        "'none'; form-action 'none'; frame-ancestors 'none'");
    assert_field(a, "X-Content-Type-Options", "nosniff");
    assert_field(a, "Referrer-Policy", "no-referrer");
    assert_field(a, "Cache-Control", "no-cache");
}

/* HEAD is GET without the body, and who has the file gets 304. */
static void check_repeats(const char *path, const struct answer *got)
{
    static const struct {
        const char *before;
        bool tag;
        int status;
    } rows[] = {
        {"", true, 304}, {"W/", true, 304}, {"\"other\", ", true, 304}, {"*", false, 304}, {"\"other\"", false, 200}};
    struct answer a;
    char tag[64], length[32], field[128];
    assert_true(answer_field(got, "ETag", tag, sizeof tag));
    assert_int_equal(strlen(tag), 18);
    http_ask(&d, "HEAD", path, "", NULL, 0, &a);
    check_headers(path, &a);
    assert_field(&a, "ETag", tag);
    snprintf(length, sizeof length, "%zu", got->bytes);
    assert_field(&a, "Content-Length", length);
    assert_int_equal(a.bytes, 0);
    answer_free(&a);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        snprintf(field, sizeof field, "If-None-Match: %s%s\r\n", rows[i].before, rows[i].tag ? tag : "");
        http_ask(&d, "GET", path, field, NULL, 0, &a);
        assert_int_equal(a.status, rows[i].status);
        assert_int_equal(a.bytes, rows[i].status == 304 ? 0 : got->bytes);
        assert_field(&a, "ETag", tag);
        answer_free(&a);
    }
}

/* From the first page on: what it links to and loads is there, and of the pages all is as it has to be. What else they
 * lead to is the interface, which asks for the token. */
static void test_files(void **state)
{
    struct answer a;
    int pages = 0;
    (void)state;
    note("/", 1);
    for (int i = 0; i < n_found; i++) {
        http_get(&d, found[i], &a);
        if (is_page(found[i])) {
            check_headers(found[i], &a);
            check_text(found[i], a.body);
            if (strcmp(found[i], ERRORS) != 0)
                check_repeats(found[i], &a);
            note_links(a.body);
            pages++;
        } else if (strcmp(found[i], "/viewer") == 0) {
            assert_true(a.status == 200 || a.status == 404); /* test_viewer looks at it. */
        } else if (a.status != 401 && strncmp(found[i], "/v1/health/", 11) != 0)
            fail_msg("%s is %d", found[i], a.status);
        answer_free(&a);
    }
    assert_int_equal(pages, 8);
}

static void write_page(const char *folder, const char *bytes, size_t n)
{
    char path[256];
    snprintf(path, sizeof path, "%s/share/subdd/viewer/viewer.html.gz", folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

/* The viewer's page lies beside the program, and may come while the daemon runs. */
static void test_viewer(void **state)
{
    static const char page[] = "\x1f\x8b no page, but bytes as they are";
    static const char *const missing[] = {"/viewer", "/viewer/viewer.js", "/viewer/viewer.css"};
    static const char *const options[] = {NULL};
    char folder[] = "/tmp/subdd-viewer-XXXXXX", command[1024], bin[256], tag[64], field[128],
         *before = getenv("SUBDD_BIN");
    static struct daemon own;
    struct answer a;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(command, sizeof command, "mkdir -p %s/bin %s/share/subdd/viewer && cp %s/subdd %s/bin/", folder, folder,
             before ? before : "build/bin", folder);
    assert_int_equal(system(command), 0);
    before = strdup(before ? before : "build/bin");
    snprintf(bin, sizeof bin, "%s/bin", folder);
    setenv("SUBDD_BIN", bin, 1);
    daemon_start(&own, options);
    for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++) {
        http_get(&own, missing[i], &a);
        assert_int_equal(a.status, 404);
        assert_non_null(strstr(a.body, "run `make viewer`"));
        answer_free(&a);
    }
    write_page(folder, page, sizeof page);
    http_get(&own, "/viewer", &a);
    check_headers("/viewer", &a);
    assert_field(&a, "Content-Encoding", "gzip");
    assert_int_equal(a.bytes, sizeof page);
    assert_memory_equal(a.body, page, sizeof page);
    assert_true(answer_field(&a, "ETag", tag, sizeof tag));
    answer_free(&a);
    snprintf(field, sizeof field, "If-None-Match: %s\r\n", tag);
    http_ask(&own, "GET", "/viewer", field, NULL, 0, &a);
    assert_int_equal(a.status, 304);
    answer_free(&a);
    write_page(folder, page, 5); /* Built anew. */
    http_ask(&own, "GET", "/viewer", field, NULL, 0, &a);
    assert_int_equal(a.status, 200);
    assert_int_equal(a.bytes, 5);
    answer_free(&a);
    http_get(&own, "/viewer/viewer.html", &a);
    assert_int_equal(a.status, 404);
    answer_free(&a);
    daemon_stop(&own);
    setenv("SUBDD_BIN", before, 1);
    free(before);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_files), cmocka_unit_test(test_viewer)};
    return cmocka_run_group_tests_name("http/web", tests, start, stop);
}
