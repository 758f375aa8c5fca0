/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/http/spawn.h"
#include "tests/env.h"
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

extern char **environ;
enum { MAX_ARGUMENTS = 32 };

static int exit_code(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

char *slurp(const char *path, size_t *bytes)
{
    FILE *f = fopen(path, "rb");
    char *text;
    long n;
    if (!f)
        return NULL;
    fseek(f, 0, SEEK_END);
    n = ftell(f);
    rewind(f);
    text = malloc((size_t)n + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)n, f), n);
    text[n] = 0;
    fclose(f);
    if (bytes)
        *bytes = (size_t)n;
    return text;
}

void spawn_run(struct ran *r, const char *dir, const char *program, const char *const *arguments, const char *input,
               int signal_after_ms)
{
    char path[512], in[96], out[96], err[96];
    const char *argv[MAX_ARGUMENTS] = {path};
    posix_spawn_file_actions_t actions;
    int status;
    pid_t pid;
    FILE *f;
    for (int n = 1; *arguments && n + 1 < MAX_ARGUMENTS; n++)
        argv[n] = *arguments++;
    snprintf(path, sizeof path, "%s/%s", test_bin_dir(), program);
    snprintf(in, sizeof in, "%s/stdin", dir);
    snprintf(out, sizeof out, "%s/stdout", dir);
    snprintf(err, sizeof err, "%s/stderr", dir);
    assert_non_null(f = fopen(in, "w"));
    fputs(input ? input : "", f);
    fclose(f);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, in, O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&actions, 2, err, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_int_equal(posix_spawn(&pid, path, &actions, NULL, (char **)(uintptr_t)argv, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    if (signal_after_ms > 0) {
        usleep((useconds_t)signal_after_ms * 1000);
        kill(pid, SIGINT);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    r->code = exit_code(status);
    r->out = slurp(out, NULL);
    r->err = slurp(err, NULL);
}

struct ran spawn_subd(const char *dir, const char *const *arguments, const char *input)
{
    struct ran r;
    spawn_run(&r, dir, "subd", arguments, input, 0);
    return r;
}

void ran_free(struct ran *r)
{
    free(r->out);
    free(r->err);
}
