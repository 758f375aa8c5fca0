/* SPDX-License-Identifier: Apache-2.0 */
/* subd for people: tables, numbers and ages on a terminal and elsewhere, pipes that are closed, disks that are full,
 * and how to start a daemon when there is none. */
#include "tests/http/canned.h"
#include "tests/http/cli_run.h"
#include "tests/http/daemon.h"
#include "subdd.pb-c.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RUN(...) spawn_subd(d.dir, (const char *const[]){__VA_ARGS__, NULL}, NULL)

static struct daemon d;

static int start(void **state)
{
    (void)state;
    cli_daemon_start(&d);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    daemon_stop(&d);
    return 0;
}

/* What a server answers that has two meshes, of which one was changed so many seconds ago. */
static void answer_of(struct canned *to, char bytes[1000], int64_t age, char *id)
{
    Subdd__V1__MeshInfo rows[2], *meshes[] = {rows, rows + 1};
    Subdd__V1__MeshList l;
    char updated[40];
    const time_t then = time(NULL) - age;
    struct tm t;
    gmtime_r(&then, &t);
    strftime(updated, sizeof updated, "%Y-%m-%dT%H:%M:%S.123Z", &t);
    subdd__v1__mesh_list__init(&l);
    subdd__v1__mesh_info__init(rows);
    subdd__v1__mesh_info__init(rows + 1);
    rows[0].id = id, rows[0].name = "\xe6\x97\xa5\xe6\x9c\xac";
    rows[0].version = 7, rows[0].vertices = 1234567, rows[0].faces = 999, rows[0].updated = updated;
    rows[1].id = "m_22", rows[1].name = "plain";
    rows[1].version = 12, rows[1].vertices = 18600000000, rows[1].faces = 5, rows[1].updated = "x\ay";
    l.meshes = meshes;
    l.n_meshes = 2;
    const size_t n = subdd__v1__mesh_list__get_packed_size(&l);
    const int head = snprintf(bytes, 1000,
                              "HTTP/1.1 200 OK\r\nContent-Type: application/protobuf\r\nContent-Length: %zu\r\n"
                              "Connection: close\r\n\r\n",
                              n);
    assert_true((size_t)head + n <= 1000);
    subdd__v1__mesh_list__pack(&l, (uint8_t *)bytes + head);
    *to = (struct canned){.bytes = bytes, .n = (size_t)head + n};
}

static struct ran list(int on_terminal, int64_t age)
{
    char bytes[1000], command[200];
    struct canned answer;
    answer_of(&answer, bytes, age, (char[]){"m_1"});
    canned_server *s = canned_start(&answer, 1);
    snprintf(command, sizeof command, "subd ls --server %s", canned_url(s));
    struct ran r = on_terminal ? terminal_run(d.dir, command) : shell_run(d.dir, command);
    free(canned_stop(s));
    return r;
}

/* Columns are as wide as their cells, names of two columns a letter among them; numbers stand to the right. */
static void test_list(void **state)
{
    struct ran r = list(1, 200);
    (void)state;
    assert_string_equal(r.out, "ID    NAME   VERSION  VERTICES  FACES  UPDATED\n"
                               "m_1   \xe6\x97\xa5\xe6\x9c\xac         7     1.2 M    999  3 minutes ago\n"
                               "m_22  plain       12    18.6 G      5  x?y\n");
    ran_expect(r, 0);
    r = list(0, 200);
    assert_non_null(strstr(r.out, "  1,234,567    999  20"));
    assert_non_null(strstr(r.out, ".123Z\n"));
    ran_expect(r, 0);
}

static void test_ages(void **state)
{
    static const struct {
        int64_t age;
        const char *says;
    } ages[] = {{-600, ".123Z"},      {90, "1 minute ago"},         {2 * 3600 + 5, "2 hours ago"},
                {86400, "1 day ago"}, {86400 * 70, "2 months ago"}, {86400 * 800, "2 years ago"}};
    (void)state;
    for (size_t i = 0; i < sizeof ages / sizeof *ages; i++) {
        struct ran r = list(1, ages[i].age);
        if (!strstr(r.out, ages[i].says))
            fail_msg("\"%s\" does not say \"%s\"", r.out, ages[i].says);
        ran_expect(r, 0);
    }
}

/* An id is completed only if it is one: bash would run what is in the words. */
static void test_hostile_id(void **state)
{
    char bytes[1000], script[600];
    struct canned answer;
    (void)state;
    answer_of(&answer, bytes, 0, (char[]){"m_$(touch${IFS}ran)"});
    canned_server *s = canned_start(&answer, 1);
    snprintf(script, sizeof script,
             "export SUBD_SERVER=%s; . <(subd completion bash); COMP_WORDS=(subd show m_); COMP_CWORD=2; _subd\n"
             "echo ${COMPREPLY[@]}; [[ ! -e ran ]]",
             canned_url(s));
    struct ran r = shell_run(d.dir, script);
    assert_string_equal(r.out, "m_22\n");
    ran_expect(r, 0);
    free(canned_stop(s));
}

/* The plain numbers are in the JSON. */
static void test_plan(void **state)
{
    char command[200];
    struct ran r = RUN("push", "cube.obj");
    (void)state;
    ran_free(&r);
    snprintf(command, sizeof command, "cd %s; id=$(subd push cube.obj); echo $id >id; subd plan $id --level 10", d.dir);
    r = terminal_run(d.dir, command);
    assert_non_null(strstr(r.out, "level 10: 6.3 M vertices, 6.3 M faces, 12.6 M edges"));
    ran_expect(r, 0);
    r = shell_run(d.dir, "subd plan $(cat id) --level 10");
    assert_non_null(strstr(r.out, "level 10: 6,291,458 vertices, 6,291,456 faces"));
    assert_null(strstr(r.out, "about")); /* nothing was measured */
    ran_expect(r, 0);
    r = shell_run(
        d.dir,
        "subd plan $(cat id) --level 6 --json | grep -c estimatedMs; subd refine $(cat id) --level 6 "
        ">/dev/null; subd plan $(cat id) --level 6 | grep -cE 'host [0-9.]+ kB, about [0-9.]+ [mu]?s$'; subd plan "
        "$(cat id) --level 6 --json | grep -cE '\"estimatedMs\":\t[0-9.]+,'");
    assert_string_equal(r.out, "0\n1\n1\n");
    ran_expect(r, 0);
}

static void test_stat(void **state)
{
    struct ran r = RUN("stat");
    (void)state;
    assert_non_null(strstr(r.out, "\nlimits\n  maxLevel                15\n"));
    assert_non_null(strstr(r.out, "\n  maxOutputBytes          8.6 GB\n"));
    assert_non_null(strstr(r.out, "\n  requestDeadlineSeconds  2 min\n"));
    assert_non_null(strstr(r.out, "\n  creaseMethod                    --crease-method: uniform, chaikin\n"));
    ran_expect(r, 0);
    r = RUN("stat", "--json");
    assert_non_null(strstr(r.out, "\"maxOutputBytes\":\t8589934592"));
    ran_expect(r, 0);
}

/* Whoever reads only the first line must see no errors, and a mesh that was pushed for it must go. */
static void test_closed_pipe(void **state)
{
    static const char *const commands[] = {"subd ls",
                                           "subd ls --json",
                                           "subd stat",
                                           "subd help",
                                           "subd man",
                                           "subd completion zsh",
                                           "subd refine cube.obj --level 7 -o -",
                                           "subd matrix cube.obj --level 4",
                                           "subd pull $id",
                                           "subd refine $id --level 8 --only-positions -o -"};
    char script[400];
    (void)state;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        snprintf(script, sizeof script,
                 "id=$(subd push cube.obj); before=$(subd ls | wc -l)\n"
                 "{ sleep 0.2; %s; echo $? >code; } | true; cat code; (( $(subd ls | wc -l) == before ))",
                 commands[i]);
        struct ran r = shell_run(d.dir, script);
        assert_string_equal(r.err, "");
        if (strcmp(r.out, "141\n") != 0)
            fail_msg("%s ended with %s", commands[i], r.out);
        ran_expect(r, 0);
    }
}

/* A full disk is told, in one line. */
static void test_full_disk(void **state)
{
    static const char *const commands[] = {"subd ls",
                                           "subd ls --json",
                                           "subd stat",
                                           "subd help",
                                           "subd completion bash",
                                           "subd pull $id",
                                           "subd matrix cube.obj",
                                           "subd refine cube.obj -o -"};
    char script[400];
    (void)state;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        snprintf(script, sizeof script, "id=$(subd push cube.obj); %s >/dev/full", commands[i]);
        struct ran r = shell_run(d.dir, script);
        assert_memory_equal(r.err, "subd: stdout cannot be written", 30);
        assert_ptr_equal(strchr(r.err, '\n'), r.err + strlen(r.err) - 1);
        ran_expect(r, 6);
    }
}

/* Only where nobody listens on this machine, with the daemon that stands beside this subd. */
static void test_start_hint(void **state)
{
    static const struct canned silent[] = {{.bytes = NULL}};
    struct ran r;
    (void)state;
    ran_fails(RUN("ls", "--server", "http://127.0.0.1:1"), 3, "subdd --listen 127.0.0.1:1\n");
    ran_fails(RUN("ls", "--server", "http://localhost:1/"), 3, "subdd --listen 127.0.0.1:1\n");
    ran_fails(RUN("ls", "--server", "http://[::1]:1"), 3, "subdd --listen [::1]:1\n");
    r = shell_run(
        d.dir, "$(dirname $(command -v subd))/subd ls --server http://127.0.0.1:1 2>&1 | sed 's/.*start one with: //'"
               " | { read command rest; [[ -x $command && $rest == '--listen 127.0.0.1:1' ]]; }");
    ran_expect(r, 0);
    r = shell_run(d.dir, "SUBD_SERVER= subd ls"); /* the default address needs no --listen */
    assert_true(r.code != 3 || (strstr(r.err, "; start one with: ") && !strstr(r.err, "--listen")));
    ran_free(&r);
    r = RUN("ls", "--server", "https://127.0.0.1:1");
    assert_null(strstr(r.err, "start one with"));
    ran_expect(r, 3);
    r = RUN("ls", "--server", "http://127.0.0.1.invalid:1");
    assert_null(strstr(r.err, "start one with"));
    ran_expect(r, 3);
    canned_server *s = canned_start(silent, 1);
    r = RUN("ls", "--server", canned_url(s)); /* somebody listens and says nothing */
    assert_null(strstr(r.err, "start one with"));
    ran_expect(r, 3);
    free(canned_stop(s));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list),      cmocka_unit_test(test_ages),       cmocka_unit_test(test_plan),
        cmocka_unit_test(test_stat),      cmocka_unit_test(test_hostile_id), cmocka_unit_test(test_closed_pipe),
        cmocka_unit_test(test_full_disk), cmocka_unit_test(test_start_hint),
    };
    return cmocka_run_group_tests_name("cli_people", tests, start, stop);
}
