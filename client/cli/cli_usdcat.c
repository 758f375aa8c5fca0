/* SPDX-License-Identifier: Apache-2.0 */
/* cli_usdcat.c: turns binary USD into text by the program usdcat of OpenUSD, where it is on PATH. */
#include "cli_import.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Starts `usdcat --flatten FILE` without a shell. Returns 0, or an errno. */
static int start(const char *path, int out, int err, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    char *file = NULL;
    int rc = asprintf(&file, "%s%s", *path == '-' ? "./" : "", path) < 0 ? ENOMEM : 0;
    char *argv[] = {"usdcat", "--flatten", file, NULL};
    if (rc || (rc = posix_spawn_file_actions_init(&actions))) {
        free(file);
        return rc;
    }
    if (!(rc = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)) &&
        !(rc = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO)) &&
        !(rc = posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO)))
        rc = posix_spawnp(pid, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    free(file);
    return rc;
}

/* The first line that it wrote on stderr. */
static const char *complaint(int err, char *line, size_t room)
{
    const ssize_t n = pread(err, line, room - 1, 0);
    line[n > 0 ? n : 0] = 0;
    line[strcspn(line, "\r\n")] = 0;
    return *line ? line : "it says nothing";
}

static int run(const struct cli *c, const char *path, int pipe[2], int err, char **data, size_t *bytes)
{
    char line[300];
    pid_t pid;
    int status = 0, read, rc = start(path, pipe[1], err, &pid);
    close(pipe[1]);
    if (rc == ENOENT)
        return cli_fail(
            c, EXIT_FILE,
            "%s is binary USD, which subd reads through OpenUSD's usdcat, and there is none on PATH: install "
            "it, or make text of the file elsewhere: usdcat --flatten FILE -o FILE.usda",
            path);
    if (rc)
        return cli_fail(c, EXIT_FILE, "usdcat cannot be started: %s", strerror(rc));
    read = cli_read_fd(pipe[0], data, bytes);
    rc = errno;
    if (read != 0)
        kill(pid, SIGTERM);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (read == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return -1;
    free(*data);
    *data = NULL;
    if (cli_stopped())
        return EXIT_STOPPED;
    return cli_fail(c, EXIT_FILE, "%s cannot be read by usdcat: %s", path,
                    read != 0 ? strerror(rc) : complaint(err, line, sizeof line));
}

int cli_usdcat(const struct cli *c, const char *path, char **data, size_t *bytes)
{
    int pipe[2], code, err;
    *data = NULL;
    if (access(path, R_OK) != 0)
        return cli_fail(c, EXIT_FILE, "%s cannot be read: %s", path, strerror(errno));
    if (pipe2(pipe, O_CLOEXEC) != 0)
        return cli_fail(c, EXIT_LOCAL, "usdcat cannot be started: %s", strerror(errno));
    err = memfd_create("usdcat", MFD_CLOEXEC);
    code = run(c, path, pipe, err, data, bytes);
    close(pipe[0]);
    if (err >= 0)
        close(err);
    return code;
}
