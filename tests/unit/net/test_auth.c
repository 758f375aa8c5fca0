/* SPDX-License-Identifier: Apache-2.0 */
/* Bearer tokens: who may do what, the limit on wrong ones, the tokens file with its errors, and new tokens. */
#include "server/net/auth.h"
#include "tests/unit/tempdir.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

/* Tokens and their SHA-256 as sha256sum has it; the first one is the example of FIPS 180. */
#define READ_HASH "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  /* abc            */
#define EDIT_HASH "f7846f55cf23e14eebeab5b4e1550cad5b509e3348fbc4efa3a1413d393cb650"  /* message digest */
#define ADMIN_HASH "10a4c7c9fc5206d6f36dc6944a81bb6f4a3cb0e25014ae3b12e6c3e52712292a" /* admin-token    */
#define OTHER_HASH "6fc8433e3bb906f1590e7ef545948de2540f6ae2b5bcf1656cf1f03126afa987" /* edit-token     */
#define THREE                                                                                                          \
    "# who may come in\n\n"                                                                                            \
    "reader read " READ_HASH "\n"                                                                                      \
    "  writer\tread,edit  " EDIT_HASH " \r\n"                                                                          \
    "chief.of-all_1 admin,read " ADMIN_HASH "\n"
#define SECOND 1000000000ull
#define HERE "192.0.2.1"

struct place { /* a folder with a tokens file */
    char *dir, path[4096];
    struct text error;
};

static int set_up(void **state)
{
    struct place *p = calloc(1, sizeof *p);
    p->dir = tempdir();
    (void)snprintf(p->path, sizeof p->path, "%s/tokens", p->dir);
    *state = p;
    return 0;
}

static int tear_down(void **state)
{
    struct place *p = *state;
    tempdir_remove(p->dir);
    text_free(&p->error);
    free(p);
    return 0;
}

static void write_tokens(const struct place *p, const char *tokens)
{
    FILE *f = fopen(p->path, "w");
    assert_non_null(f);
    assert_true(fputs(tokens, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static struct auth *open_tokens(struct place *p, const char *tokens)
{
    write_tokens(p, tokens);
    struct auth *a = auth_create(p->path, &p->error);
    if (!a)
        fail_msg("%s", p->error.data);
    return a;
}

/* The answer to one request; its sentence is `text` where that is not NULL. */
static void check(struct auth *a, const char *authorization, enum scope scope, int want, const char *name,
                  const char *text)
{
    char principal[TOKEN_NAME_SIZE] = "nobody", workspace[TOKEN_NAME_SIZE];
    struct sdd_error err = {0};
    assert_int_equal(auth_check(a, authorization, HERE, scope, SECOND, principal, workspace, &err), want);
    assert_string_equal(principal, name);
    if (text)
        assert_string_equal(err.text, text);
}

static void test_scopes(void **state)
{
    static const struct {
        const char *header, *name;
        enum scope scope;
    } tokens[] = {{"Bearer abc", "reader", SCOPE_READ},
                  {"bearer message digest", "writer", SCOPE_EDIT},
                  {"BEARER admin-token", "chief.of-all_1", SCOPE_ADMIN}};
    static const char *const needs[] = {"", "this needs the scope read", "this needs the scope edit",
                                        "this needs the scope admin"};
    struct auth *a = open_tokens(*state, THREE);
    assert_int_equal(auth_count(a), 3);
    for (int k = 0; k < 3; k++)
        for (enum scope scope = SCOPE_READ; scope <= SCOPE_ADMIN; scope++) {
            const bool may = scope <= tokens[k].scope;
            check(a, tokens[k].header, scope, may ? SDD_OK : SDD_EFORBIDDEN, may ? tokens[k].name : "",
                  may ? NULL : needs[scope]);
        }
    check(a, NULL, SCOPE_NONE, SDD_OK, "", NULL); /* what needs no scope needs no token */
    check(a, "Bearer abcd", SCOPE_NONE, SDD_OK, "", NULL);
    check(NULL, NULL, SCOPE_ADMIN, SDD_OK, "", NULL); /* a daemon without tokens */
    auth_free(a);
    auth_free(NULL);
}

/* A token has an end, after which it lets nobody in; and --new-token makes such a one. */
static void test_expiry(void **state)
{
    struct place *p = *state;
    char token[64], header[80];
    struct auth *a = open_tokens(p, "old read " READ_HASH " expires=2020-02-29\n"
                                    "new edit " OTHER_HASH " expires=2999-12-31T23:59:59Z\n");
    check(a, "Bearer abc", SCOPE_READ, SDD_EUNAUTHORIZED, "", "the token of old has expired; ask for another");
    check(a, "Bearer edit-token", SCOPE_EDIT, SDD_OK, "new", NULL);
    auth_free(a);
    assert_int_equal(unlink(p->path), 0);
    assert_int_equal(auth_new_token(p->path, "week:read,edit:7", token, &p->error), SDD_OK);
    assert_int_equal(auth_new_token(p->path, "ever:read", header, &p->error), SDD_OK);
    for (const char *const *bad =
             (const char *const[]){"x:read:", "x:read:0", "x:read:-1", "x:read:3651", "x:read:7d", "x:read:7:7",
                                   "x:write:7", "x@:read", "@y:read", "x@y@z:read", "x@a/b:read", NULL};
         *bad; bad++)
        assert_int_equal(auth_new_token(p->path, *bad, header, &p->error), SDD_EINVALID);
    text_clear(&p->error);
    a = auth_create(p->path, &p->error);
    assert_non_null(a);
    (void)snprintf(header, sizeof header, "Bearer %s", token);
    check(a, header, SCOPE_EDIT, SDD_OK, "week", NULL);
    auth_free(a);
}

static void test_workspaces(void **state)
{
    struct place *p = *state;
    char token[64], header[80], principal[TOKEN_NAME_SIZE], workspace[TOKEN_NAME_SIZE];
    struct sdd_error err = {0};
    assert_int_equal(auth_new_token(p->path, "ann@films:read:7", token, &p->error), SDD_OK);
    struct auth *a = auth_create(p->path, &p->error);
    assert_non_null(a);
    (void)snprintf(header, sizeof header, "Bearer %s", token);
    assert_int_equal(auth_check(a, header, HERE, SCOPE_READ, SECOND, principal, workspace, &err), SDD_OK);
    assert_string_equal(principal, "ann");
    assert_string_equal(workspace, "films");
    assert_int_equal(auth_check(a, "Bearer x", HERE, SCOPE_READ, SECOND, principal, workspace, &err),
                     SDD_EUNAUTHORIZED);
    assert_string_equal(workspace, "");
    auth_free(a);
}

static void test_no_token(void **state)
{
    static const char *const headers[] = {
        NULL,          "",          "abc",         "Basic abc",     "Bearer",
        "Bearer ",     "Bearer ab", "Bearer abcd", "Bearer  abc",   "Bearer abc ",
        "Bearer\tabc", "Bearerabc", "Bearer ABC",  "Bearer reader", ("Bearer " READ_HASH)};
    enum { N = sizeof headers / sizeof headers[0] };
    struct place *p = *state;
    for (int i = 0; i < N; i++) { /* a fresh one each: no address has its limit of wrong tokens */
        struct auth *a = open_tokens(p, THREE);
        check(a, headers[i], SCOPE_READ, SDD_EUNAUTHORIZED, "", "send a valid token as Authorization: Bearer TOKEN");
        auth_free(a);
    }
}

static int ask(struct auth *a, const char *header, const char *address, uint64_t now)
{
    char principal[TOKEN_NAME_SIZE], workspace[TOKEN_NAME_SIZE];
    struct sdd_error err = {0};
    int rc = auth_check(a, header, address, SCOPE_READ, now, principal, workspace, &err);
    if (rc == SDD_ETOO_MANY)
        assert_string_equal(err.text, "more than 10 wrong tokens in a minute");
    return rc;
}

/* Ten wrong tokens a minute and address are told that they are wrong. The eleventh hears nothing of itself; who has a
 * token, who sends none and who asks from elsewhere are not concerned. */
static void test_wrong_tokens(void **state)
{
    struct auth *a = open_tokens(*state, THREE);
    const uint64_t start = 1000 * SECOND;
    for (int i = 0; i < 30; i++)
        assert_int_equal(ask(a, NULL, HERE, start), SDD_EUNAUTHORIZED);
    for (uint64_t now = start; now < start + 10 * SECOND; now += SECOND)
        assert_int_equal(ask(a, "Bearer wrong", HERE, now), SDD_EUNAUTHORIZED);
    for (int i = 0; i < 3; i++)
        assert_int_equal(ask(a, "Bearer wrong", HERE, start + 60 * SECOND), SDD_ETOO_MANY);
    assert_int_equal(ask(a, "Bearer abc", HERE, start + 60 * SECOND), SDD_OK);
    assert_int_equal(ask(a, "Bearer wrong", "192.0.2.2", start + 60 * SECOND), SDD_EUNAUTHORIZED);
    for (int i = 0; i < 10; i++) /* a minute has passed since the first one */
        assert_int_equal(ask(a, "Bearer wrong", HERE, start + 61 * SECOND), SDD_EUNAUTHORIZED);
    assert_int_equal(ask(a, "Bearer wrong", HERE, start + 61 * SECOND), SDD_ETOO_MANY);
    auth_free(a);
}

/* Addresses share 1,024 places: who comes to a place that is taken starts to count from none. So nobody is refused for
 * what others did. */
static void test_many_addresses(void **state)
{
    struct auth *a = open_tokens(*state, THREE);
    for (int i = 0; i < 5000; i++) {
        char address[46];
        (void)snprintf(address, sizeof address, "2001:db8::%x:%x", i, 7 * i);
        for (int k = 0; k < 10; k++)
            assert_int_equal(ask(a, "Bearer wrong", address, SECOND), SDD_EUNAUTHORIZED);
        assert_int_equal(ask(a, "Bearer wrong", address, SECOND), SDD_ETOO_MANY);
    }
    auth_free(a);
}

/* What is no tokens file, with the line that is told. */
static void test_bad_files(void **state)
{
    static const struct {
        const char *tokens;
        int line;
    } bad[] = {{"reader read\n", 1},
               {"reader read " READ_HASH " more\n", 1},
               {"reader read " READ_HASH " workspace=\n", 1},
               {"reader read " READ_HASH " workspace=a/b\n", 1},
               {"reader read " READ_HASH " workspace=a workspace=b\n", 1},
               {"reader read " READ_HASH " expires=2026-12-01 workspace=a expires=2026-12-01\n", 1},
               {"reader read " READ_HASH " expires=2026-13-01\n", 1},
               {"reader read " READ_HASH " expires=2026-02-31\n", 1},
               {"reader read " READ_HASH " expires=tomorrow\n", 1},
               {"reader read " READ_HASH " expires=\n", 1},
               {"reader read " READ_HASH " expires=2026-12-01 more\n", 1},
               {"reader read " READ_HASH " expires=2026-12-01T00:00:00\n", 1},
               {THREE "reader\n", 6},
               {"# one\n\nreader write " READ_HASH "\n", 3},
               {"reader none " READ_HASH "\n", 1},
               {"reader read,, " READ_HASH "\n", 1},
               {"reader readedit " READ_HASH "\n", 1},
               {"rea:der read " READ_HASH "\n", 1},
               {"a23456789012345678901234567890123456789012345678901234567890abcde read " READ_HASH "\n", 1},
               {"reader read ba7816bf\n", 1},
               {"reader read x" READ_HASH "\n", 1},
               {"reader read ga7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n", 1}};
    struct place *p = *state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char want[5000];
        write_tokens(p, bad[i].tokens);
        assert_null(auth_create(p->path, &p->error));
        (void)snprintf(want, sizeof want,
                       "%s line %d is not: name scopes sha256 [workspace=NAME] [expires=DATE] (at most 10000 tokens)",
                       p->path, bad[i].line);
        assert_string_equal(p->error.data, want);
        text_clear(&p->error);
    }
    struct auth *a = open_tokens(p, ""); /* nobody is let in, which is what it says */
    assert_int_equal(auth_count(a), 0);
    check(a, "Bearer abc", SCOPE_READ, SDD_EUNAUTHORIZED, "", NULL);
    auth_free(a);
    a = open_tokens(p, "a2345678901234567890123456789012345678901234567890123456789012_4 read " READ_HASH);
    check(a, "Bearer abc", SCOPE_READ, SDD_OK, "a2345678901234567890123456789012345678901234567890123456789012_4",
          NULL);
    auth_free(a);
}

static void test_most_tokens(void **state)
{
    struct place *p = *state;
    for (int n = 10000; n <= 10001; n++) {
        FILE *f = fopen(p->path, "w");
        assert_non_null(f);
        for (int i = 1; i < n; i++)
            (void)fprintf(f, "t%d read %064x\n", i, i);
        (void)fputs("last read " READ_HASH "\n", f);
        assert_int_equal(fclose(f), 0);
        struct auth *a = auth_create(p->path, &p->error);
        if (n > 10000)
            assert_null(a);
        else {
            assert_int_equal(auth_count(a), n);
            check(a, "Bearer abc", SCOPE_READ, SDD_OK, "last", NULL);
        }
        auth_free(a);
    }
    assert_non_null(strstr(p->error.data, "line 10001 is not"));
}

static void test_reload(void **state)
{
    struct place *p = *state;
    struct auth *a = open_tokens(p, THREE);
    write_tokens(p, "other edit " OTHER_HASH "\nreader edit " READ_HASH "\n");
    check(a, "Bearer abc", SCOPE_EDIT, SDD_EFORBIDDEN, "", NULL); /* not before it is asked to */
    assert_int_equal(auth_reload(a, &p->error), SDD_OK);
    assert_int_equal(auth_count(a), 2);
    check(a, "Bearer edit-token", SCOPE_EDIT, SDD_OK, "other", NULL);
    check(a, "Bearer abc", SCOPE_EDIT, SDD_OK, "reader", NULL);
    check(a, "Bearer admin-token", SCOPE_READ, SDD_EUNAUTHORIZED, "", NULL);
    for (int k = 0; k < 100; k++) /* Asking whether a token is still valid counts no wrong one. */
        assert_false(auth_knows(a, "Bearer admin-token", "", SCOPE_READ));
    assert_true(auth_knows(a, "Bearer abc", "", SCOPE_EDIT));
    assert_false(auth_knows(a, "Bearer abc", "", SCOPE_ADMIN));
    assert_false(auth_knows(a, NULL, "", SCOPE_READ));
    assert_true(auth_knows(NULL, NULL, "", SCOPE_ADMIN));
    check(a, "Bearer admin-token", SCOPE_READ, SDD_EUNAUTHORIZED, "", NULL);
    for (int k = 0; k < 2; k++) { /* a broken file, and none */
        write_tokens(p, THREE "and one more line\n");
        if (k)
            assert_int_equal(unlink(p->path), 0);
        text_clear(&p->error);
        assert_int_equal(auth_reload(a, &p->error), SDD_EINVALID);
        assert_non_null(strstr(p->error.data, k ? "cannot be read: No such file" : "line 6 is not"));
        assert_int_equal(auth_count(a), 2);
        check(a, "Bearer edit-token", SCOPE_EDIT, SDD_OK, "other", NULL);
        check(a, "Bearer admin-token", SCOPE_READ, SDD_EUNAUTHORIZED, "", NULL);
    }
    auth_free(a);
    assert_null(auth_create(p->path, &p->error));
}

static char *contents(const char *path)
{
    FILE *f = fopen(path, "r");
    char *text = calloc(1, 4096);
    assert_non_null(f);
    assert_true(fread(text, 1, 4095, f) > 0);
    assert_int_equal(fclose(f), 0);
    return text;
}

/* A new token opens what its scopes say from the next reload on, and stands in the file as a hash alone. */
static void test_new_token(void **state)
{
    struct place *p = *state;
    char token[64], second[64], header[80];
    struct stat st;
    assert_int_equal(auth_new_token(p->path, "robot:read,edit", token, &p->error), SDD_OK);
    assert_int_equal(strlen(token), 43);
    assert_int_equal(strspn(token, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"), 43);
    assert_int_equal(stat(p->path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    struct auth *a = auth_create(p->path, &p->error);
    assert_non_null(a);
    (void)snprintf(header, sizeof header, "Bearer %s", token);
    check(a, header, SCOPE_EDIT, SDD_OK, "robot", NULL);
    check(a, header, SCOPE_ADMIN, SDD_EFORBIDDEN, "", NULL);
    assert_int_equal(auth_new_token(p->path, "chief:admin", second, &p->error), SDD_OK);
    assert_string_not_equal(token, second);
    assert_int_equal(auth_reload(a, &p->error), SDD_OK);
    assert_int_equal(auth_count(a), 2);
    check(a, header, SCOPE_EDIT, SDD_OK, "robot", NULL);
    (void)snprintf(header, sizeof header, "Bearer %s", second);
    check(a, header, SCOPE_ADMIN, SDD_OK, "chief", NULL);
    char *text = contents(p->path);
    assert_null(strstr(text, token));
    assert_null(strstr(text, second));
    free(text);
    auth_free(a);
}

/* A file whose last line has no end, as editors leave them, keeps its last token and gets the new one. */
static void test_new_token_after_open_line(void **state)
{
    struct place *p = *state;
    char token[64];
    struct stat st;
    assert_int_equal(auth_new_token(p->path, "robot:read", token, &p->error), SDD_OK);
    assert_int_equal(stat(p->path, &st), 0);
    assert_int_equal(truncate(p->path, st.st_size - 1), 0);
    assert_int_equal(auth_new_token(p->path, "chief:admin", token, &p->error), SDD_OK);
    struct auth *a = auth_create(p->path, &p->error);
    assert_non_null(a);
    assert_int_equal(auth_count(a), 2);
    auth_free(a);
}

static void refuse_token(struct place *p, const char *path, const char *spec, const char *sentence)
{
    char token[64];
    text_clear(&p->error);
    assert_int_equal(auth_new_token(path, spec, token, &p->error), SDD_EINVALID);
    assert_non_null(strstr(p->error.data, sentence));
}

static void test_new_token_refused(void **state)
{
    static const char *const specs[] = {"",
                                        "robot",
                                        ":read",
                                        "robot:",
                                        "robot:write",
                                        "ro bot:read",
                                        "robot:read edit",
                                        "a23456789012345678901234567890123456789012345678901234567890abcde:read"};
    struct place *p = *state;
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++)
        refuse_token(p, p->path, specs[i], "--new-token takes NAME:SCOPES");
    refuse_token(p, "", "robot:read", "--new-token needs --tokens-file");
    assert_int_equal(access(p->path, F_OK), -1); /* nothing was written */
    write_tokens(p, THREE);
    refuse_token(p, p->path, "writer:admin", "has a token named writer already: remove its line first");
    write_tokens(p, THREE "broken\n");
    refuse_token(p, p->path, "robot:read", "line 6 is not");
    char *text = contents(p->path);
    assert_string_equal(text, THREE "broken\n");
    free(text);
}

int main(void)
{
#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {IN_A_FOLDER(test_scopes),
                                       IN_A_FOLDER(test_expiry),
                                       IN_A_FOLDER(test_workspaces),
                                       IN_A_FOLDER(test_no_token),
                                       IN_A_FOLDER(test_wrong_tokens),
                                       IN_A_FOLDER(test_many_addresses),
                                       IN_A_FOLDER(test_bad_files),
                                       IN_A_FOLDER(test_most_tokens),
                                       IN_A_FOLDER(test_reload),
                                       IN_A_FOLDER(test_new_token),
                                       IN_A_FOLDER(test_new_token_after_open_line),
                                       IN_A_FOLDER(test_new_token_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
