/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/http/spawn.h"
#include "tests/env.h"
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

/* Reads the daemon's one line. */
static void read_line(int fd, char *line, size_t room)
{
    size_t n = 0;
    struct pollfd p = {.fd = fd, .events = POLLIN};
    while (n + 1 < room && !memchr(line, '\n', n)) {
        ssize_t got = poll(&p, 1, 20000) > 0 ? read(fd, line + n, room - 1 - n) : 0;
        if (got <= 0)
            break;
        n += (size_t)got;
    }
    line[n] = 0;
}

void spawn_daemon(struct spawned *d, const char *const *options)
{
    char program[512], data[96], log[96], line[256], *url;
    const char *argv[MAX_ARGUMENTS] = {program, "--listen",  "127.0.0.1:0", "--data-dir",
                                       data,    "--backend", test_backend()};
    posix_spawn_file_actions_t actions;
    int n = 7, pipes[2];
    snprintf(d->dir, sizeof d->dir, "/tmp/subd-test-XXXXXX");
    assert_non_null(mkdtemp(d->dir));
    snprintf(program, sizeof program, "%s/subdd", test_bin_dir());
    snprintf(data, sizeof data, "%s/data", d->dir);
    snprintf(log, sizeof log, "%s/log", d->dir);
    for (; options && *options && n + 1 < MAX_ARGUMENTS; options++)
        argv[n++] = *options;
    assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipes[1], 1);
    posix_spawn_file_actions_addopen(&actions, 2, log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    assert_int_equal(posix_spawn(&d->pid, program, &actions, NULL, (char **)(uintptr_t)argv, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(pipes[1]);
    read_line(pipes[0], line, sizeof line);
    close(pipes[0]);
    url = strstr(line, "http://");
    if (!url) { /* fail_msg does not return, which only we know */
        char *text = slurp(log, NULL);
        print_message("%s", text ? text : "");
        free(text);
        fail_msg("the daemon did not start: \"%s\"", line);
    }
    snprintf(d->url, sizeof d->url, "%.*s", url ? (int)strcspn(url, " \n") : 0, url ? url : "");
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

int spawn_stop(struct spawned *d)
{
    int status = 0;
    kill(d->pid, SIGTERM);
    waitpid(d->pid, &status, 0);
    nftw(d->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    return exit_code(status);
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

void ran_free(struct ran *r)
{
    free(r->out);
    free(r->err);
}
