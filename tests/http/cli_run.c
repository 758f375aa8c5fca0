/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/http/cli_run.h"
#include "tests/env.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

void write_text(const char *dir, const char *name, const char *text)
{
    char path[160];
    assert_true(snprintf(path, sizeof path, "%s/%s", dir, name) < (int)sizeof path);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

void cli_daemon_start(struct daemon *d)
{
    char url[64];
    daemon_start(d, NULL);
    snprintf(url, sizeof url, "http://127.0.0.1:%d", d->port);
    setenv("SUBD_SERVER", url, 1);
    write_text(d->dir, "cube.obj", CUBE);
}

void ran_expect(struct ran r, int code)
{
    if (r.code != code)
        fail_msg("exit code %d, not %d; stdout \"%s\", stderr \"%s\"", r.code, code, r.out, r.err);
    ran_free(&r);
}

cJSON *ran_json(struct ran r, int code)
{
    cJSON *o = cJSON_ParseWithOpts(r.out, NULL, 1);
    if (!o)
        fail_msg("not JSON: \"%s\"", r.out);
    ran_expect(r, code);
    return o;
}

void ran_fails(struct ran r, int code, const char *says)
{
    assert_string_equal(r.out, "");
    assert_true(strncmp(r.err, "subd: ", 6) == 0);
    assert_ptr_equal(strchr(r.err, '\n'), r.err + strlen(r.err) - 1);
    if (!strstr(r.err, says))
        fail_msg("\"%s\" does not say \"%s\"", r.err, says);
    ran_expect(r, code);
}

struct ran shell_run(const char *dir, const char *script)
{
    struct ran r = {0};
    char file[128], command[1024], *bin = realpath(test_bin_dir(), NULL), *out = NULL, *err = NULL;
    FILE *f;
    assert_non_null(bin);
    snprintf(file, sizeof file, "%s/script", dir);
    assert_non_null(f = fopen(file, "w"));
    fprintf(f, "export PATH='%s':\"$PATH\"\ncd '%s'\n%s\n", bin, dir, script);
    assert_int_equal(fclose(f), 0);
    snprintf(command, sizeof command, "bash '%s' >'%s/script.out' 2>'%s/script.err' </dev/null", file, dir, dir);
    const int status = system(command);
    assert_true(WIFEXITED(status));
    r.code = WEXITSTATUS(status);
    snprintf(file, sizeof file, "%s/script.out", dir);
    assert_non_null(out = slurp(file, NULL));
    snprintf(file, sizeof file, "%s/script.err", dir);
    assert_non_null(err = slurp(file, NULL));
    r.out = out;
    r.err = err;
    free(bin);
    return r;
}

struct ran terminal_run(const char *dir, const char *command)
{
    char script[1024];
    snprintf(script, sizeof script, "TERM=dumb script -qec '%s' /dev/null | tr -d '\\r'; exit ${PIPESTATUS[0]}",
             command);
    return shell_run(dir, script);
}
