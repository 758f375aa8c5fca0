/* SPDX-License-Identifier: Apache-2.0 */
/* cli_file.c: reads whole files, and writes files that appear whole or not at all, for all verbs. */
#include "cli.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FILE ((size_t)8 << 30)

static int read_all(int fd, size_t room, char **data, size_t *bytes)
{
    for (ssize_t n = 1; n != 0;) {
        if (!*data || *bytes == room) {
            char *grown;
            room = *data ? room * 2 : room;
            if (room > MAX_FILE || !(grown = realloc(*data, room))) {
                errno = room > MAX_FILE ? EFBIG : ENOMEM;
                return -1;
            }
            *data = grown;
        }
        n = read(fd, *data + *bytes, room - *bytes);
        if (n < 0 && (errno != EINTR || cli_stopped()))
            return -1;
        *bytes += n > 0 ? (size_t)n : 0;
    }
    (*data)[*bytes] = 0; /* There is room for it, as the last read wanted some. */
    return 0;
}

int cli_read_fd(int fd, char **data, size_t *bytes)
{
    int rc, saved;
    *data = NULL;
    *bytes = 0;
    rc = read_all(fd, CLI_BUFFER, data, bytes);
    saved = errno;
    if (rc != 0) {
        free(*data);
        *data = NULL;
    }
    errno = saved;
    return rc;
}

int cli_read(const char *path, char **data, size_t *bytes)
{
    int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC), rc, saved;
    size_t room = CLI_BUFFER;
    struct stat st;
    *data = NULL;
    *bytes = 0;
    if (fd < 0)
        return -1;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= 0 && (uint64_t)st.st_size < MAX_FILE)
        room = (size_t)st.st_size + 1;
    rc = read_all(fd, room, data, bytes);
    saved = errno;
    if (fd != STDIN_FILENO)
        close(fd);
    if (rc != 0) {
        free(*data);
        *data = NULL;
    }
    errno = saved;
    return rc;
}

/* Finds the file that a rename will replace, following links, and a temporary name beside it. */
static int name_files(struct cli_writer *w, const char *path)
{
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
        return 0; /* A device or a pipe is written to and not replaced. */
    w->target = realpath(path, NULL);
    if (!w->target && !(w->target = strdup(path)))
        return -1;
    return asprintf(&w->temporary, "%s.XXXXXX", w->target) < 0 ? -1 : 0;
}

int cli_writer_open(struct cli_writer *w, const char *path)
{
    mode_t mask = umask(0);
    umask(mask);
    *w = (struct cli_writer){.fd = STDOUT_FILENO, .buffer = malloc(CLI_BUFFER)};
    if (!w->buffer)
        return -1;
    if (strcmp(path, "-") == 0)
        return 0;
    if (name_files(w, path) == 0) {
        w->fd = w->temporary ? mkostemp(w->temporary, O_CLOEXEC) : open(path, O_WRONLY | O_CLOEXEC);
        if (w->fd >= 0) {
            if (w->temporary)
                fchmod(w->fd, 0666 & ~mask); /* mkostemp made it private. */
            return 0;
        }
    }
    free(w->temporary);
    w->temporary = NULL;
    cli_writer_close(w, 0);
    return -1;
}

static void flush(struct cli_writer *w)
{
    for (size_t at = 0; at < w->used && !w->failed;) {
        ssize_t n = write(w->fd, w->buffer + at, w->used - at);
        if (n < 0 && errno != EINTR)
            w->failed = errno;
        else if (cli_stopped())
            w->failed = ECANCELED;
        at += n > 0 ? (size_t)n : 0;
    }
    w->total += (int64_t)w->used;
    w->used = 0;
}

char *cli_room(struct cli_writer *w)
{
    if (w->used > CLI_BUFFER - CLI_ROW)
        flush(w);
    return w->buffer + w->used;
}

void cli_took(struct cli_writer *w, const char *end)
{
    w->used = (size_t)(end - w->buffer);
}

void cli_put(struct cli_writer *w, const void *data, size_t bytes)
{
    const char *from = data;
    while (bytes) {
        size_t n = CLI_BUFFER - w->used < bytes ? CLI_BUFFER - w->used : bytes;
        memcpy(w->buffer + w->used, from, n);
        w->used += n;
        from += n;
        bytes -= n;
        if (w->used == CLI_BUFFER)
            flush(w);
    }
}

int cli_writer_close(struct cli_writer *w, int keep)
{
    int named = w->temporary != NULL;
    if (w->buffer)
        flush(w);
    if (w->fd > STDOUT_FILENO && close(w->fd) != 0 && !w->failed)
        w->failed = errno;
    if (named && keep && !w->failed && rename(w->temporary, w->target) != 0)
        w->failed = errno;
    if (named && (!keep || w->failed))
        unlink(w->temporary);
    free(w->target);
    free(w->temporary);
    free(w->buffer);
    w->target = w->temporary = w->buffer = NULL;
    errno = w->failed ? w->failed : errno;
    return w->failed ? -1 : 0;
}
