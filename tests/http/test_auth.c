/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens: every route with every kind of token, guessing, reloading, making new ones, and where it may listen
 * without. */
#include "server/api/routes.h"
#include "tests/http/daemon.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct daemon d;
static char tokens[64], reader[64], editor[64], admin[64];

static void new_token(const char *spec, char out[64])
{
    const char *const options[] = {"--tokens-file", tokens, "--new-token", spec, NULL};
    char text[256];
    assert_int_equal(daemon_run(options, text, sizeof text), 0);
    snprintf(out, 64, "%.*s", (int)strcspn(text, "\n"), text);
    assert_int_equal(strlen(out), 43);
}

static int start(void **state)
{
    const char *const options[] = {"--tokens-file", tokens, NULL};
    struct stat st;
    (void)state;
    memcpy(tokens, "/tmp/subdd-tokens-XXXXXX", sizeof "/tmp/subdd-tokens-XXXXXX");
    close(mkstemp(tokens));
    unlink(tokens);
    new_token("alice:read", reader);
    new_token("bob:edit", editor);
    new_token("carol:read,edit,admin", admin);
    assert_int_equal(stat(tokens, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    daemon_start(&d, options);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    daemon_stop(&d);
    unlink(tokens);
    return 0;
}

static int ask(const struct route *route, const char *token)
{
    char target[128] = "", fields[256] = "";
    struct answer a;
    const char *brace = strchr(route->path, '{');
    if (brace)
        snprintf(target, sizeof target, "%.*sm_0000000000000000%.*s%s", (int)(brace - route->path), route->path,
                 (int)strcspn(strchr(brace, '}') + 1, "{"), strchr(brace, '}') + 1,
                 strchr(brace + 1, '{') ? "l_0" : "");
    else
        snprintf(target, sizeof target, "%s", route->path);
    if (token)
        snprintf(fields, sizeof fields, "Authorization: Bearer %s\r\n", token);
    http_ask(&d, route->method, target, fields, NULL, 0, &a);
    int status = a.status;
    if (status == 401) {
        char value[64];
        assert_problem(&a, 401, "unauthorized", "authorization");
        assert_true(answer_field(&a, "WWW-Authenticate", value, sizeof value));
    }
    answer_free(&a);
    return status;
}

static void test_matrix(void **state)
{
    (void)state;
    for (int i = 0; i < n_routes; i++) {
        const struct route *r = &routes[i];
        int none = ask(r, NULL), read = ask(r, reader), edit = ask(r, editor), all = ask(r, admin);
        if (r->scope == SCOPE_NONE) {
            /* There is no page of that name, and the viewer may not have been built. */
            assert_true(none == (strchr(r->path, '{') ? 404 : 200) || (none == 404 && strcmp(r->path, "/viewer") == 0));
            continue;
        }
        assert_int_equal(none, 401);
        assert_int_equal(read == 403, r->scope > SCOPE_READ);
        assert_int_equal(edit == 403, r->scope > SCOPE_EDIT);
        assert_true(read != 401 && edit != 401 && all != 401 && all != 403);
    }
}

/* Smoothed points may be read by all who read; to store them is an edit. */
static int smooth(const char *query, const char *token)
{
    static const char body[] = "{\"method\":\"uniform\"}";
    char target[96], fields[256];
    struct answer a;
    snprintf(target, sizeof target, "/v1/meshes/m_0000000000000000/smooth%s", query);
    snprintf(fields, sizeof fields, "Content-Type: application/json\r\nAuthorization: Bearer %s\r\n", token);
    http_ask(&d, "POST", target, fields, body, strlen(body), &a);
    const int status = a.status;
    answer_free(&a);
    return status;
}

static void test_storing_is_an_edit(void **state)
{
    (void)state;
    assert_int_equal(smooth("", reader), 404); /* There is no such mesh. */
    assert_int_equal(smooth("?store=true", reader), 403);
    assert_int_equal(smooth("?store=true", editor), 428);
}

static void test_other_schemes(void **state)
{
    static const char *const bad[] = {"Basic YTpi", "Bearer", "Bearer ", "bearer  ", "Token x"};
    struct answer a, first = {0};
    char field[128];
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        snprintf(field, sizeof field, "Authorization: %s\r\nX-Request-Id: same\r\n", bad[i]);
        http_ask(&d, "GET", "/v1", field, NULL, 0, &a);
        assert_int_equal(a.status, 401);
        if (!first.body)
            first = a;
        else {
            assert_string_equal(a.body, first.body); /* no hint why */
            answer_free(&a);
        }
    }
    answer_free(&first);
}

static void test_reload(void **state)
{
    char token[64], old[4096] = "";
    struct route show = {.method = "GET", .path = "/v1"};
    (void)state;
    FILE *f = fopen(tokens, "r");
    (void)!fread(old, 1, sizeof old - 1, f);
    fclose(f);
    new_token("dave:read", token);
    assert_int_equal(ask(&show, token), 401);
    kill(d.pid, SIGHUP);
    assert_true(daemon_logged(&d, "\"message\":\"4 tokens\""));
    assert_int_equal(ask(&show, token), 200);
    f = fopen(tokens, "w"); /* dave is revoked */
    fputs(old, f);
    fclose(f);
    kill(d.pid, SIGHUP);
    assert_true(daemon_logged(&d, "\"message\":\"3 tokens\""));
    assert_int_equal(ask(&show, token), 401);
    f = fopen(tokens, "a"); /* a broken file changes nothing */
    fputs("eve read nonsense\n", f);
    fclose(f);
    kill(d.pid, SIGHUP);
    assert_true(daemon_logged(&d, "the old tokens stay"));
    assert_int_equal(ask(&show, reader), 200);
    f = fopen(tokens, "w");
    fputs(old, f);
    fclose(f);
}

static void test_guessing(void **state)
{
    struct route show = {.method = "GET", .path = "/v1"};
    int refused = 0;
    (void)state;
    for (int i = 0; i < 15; i++)
        refused += ask(&show, "not-a-token-of-anybody") == 429;
    assert_true(refused >= 5);
    assert_int_equal(ask(&show, reader), 200); /* who has a token is not locked out with the guesser behind one proxy */
    assert_false(daemon_logged(&d, "not-a-token"));
    assert_false(daemon_logged(&d, reader));
    assert_true(daemon_logged(&d, "\"principal\":\"alice\""));
}

static void test_listen(void **state)
{
    char text[512], dir[] = "/tmp/subdd-test-XXXXXX";
    (void)state;
    assert_non_null(mkdtemp(dir));
    const char *const options[] = {"--listen", "0.0.0.0:0", "--data-dir", dir, "--backend", "cpu", NULL};
    assert_int_equal(daemon_run(options, text, sizeof text), 1);
    assert_non_null(strstr(text, "--tokens-file"));
    assert_int_equal(rmdir(dir), 0); /* it made nothing */
}

static void test_new_token_errors(void **state)
{
    static const char *const specs[] = {"alice",       "alice:",           ":read",     "alice:write",
                                        "al ice:read", "alice:read,write", "alice:edit"};
    char text[512];
    (void)state;
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        const char *const options[] = {"--tokens-file", tokens, "--new-token", specs[i], NULL};
        assert_int_equal(daemon_run(options, text, sizeof text), 2);
    }
    const char *const nowhere[] = {"--new-token", "alice:read", NULL};
    assert_int_equal(daemon_run(nowhere, text, sizeof text), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_matrix),        cmocka_unit_test(test_storing_is_an_edit),
                                       cmocka_unit_test(test_other_schemes), cmocka_unit_test(test_reload),
                                       cmocka_unit_test(test_guessing),      cmocka_unit_test(test_new_token_errors),
                                       cmocka_unit_test(test_listen)};
    return cmocka_run_group_tests_name("http/auth", tests, start, stop);
}
