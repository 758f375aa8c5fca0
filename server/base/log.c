/* SPDX-License-Identifier: Apache-2.0 */
/* log.c: the daemon's log: gathers JSON lines and writes many of them in one piece. */
#include "server/base/log.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define LOG_FLUSH_BYTES 65536

bool log_open(struct log *log, const char *path)
{
    *log = (struct log){.fd = STDERR_FILENO, .path = path};
    return log_reopen(log);
}

bool log_reopen(struct log *log)
{
    if (!*log->path)
        return true;
    log_flush(log);
    int fd = open(log->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
    if (fd < 0)
        return false;
    if (log->fd > STDERR_FILENO)
        close(log->fd);
    log->fd = fd;
    return true;
}

void log_close(struct log *log)
{
    log_flush(log);
    if (log->fd > STDERR_FILENO)
        close(log->fd);
    log->fd = STDERR_FILENO;
    text_free(&log->lines);
}

struct text *log_begin(struct log *log, enum log_level level, const char *event)
{
    static const char *const names[] = {"info", "warning", "error"};
    struct timespec now;
    struct tm tm;
    char date[32];
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &tm);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &tm);
    text_printf(&log->lines, "{\"time\":\"%s.%03ldZ\"", date, now.tv_nsec / 1000000);
    text_member(&log->lines, "level", names[level]);
    text_member(&log->lines, "event", event);
    return &log->lines;
}

void log_end(struct log *log)
{
    text_puts(&log->lines, "}\n");
    if (log->lines.bytes > LOG_FLUSH_BYTES)
        log_flush(log);
}

void log_event(struct log *log, enum log_level level, const char *event, const char *format, ...)
{
    char line[512];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    text_member(log_begin(log, level, event), "message", line);
    log_end(log);
}

void log_flush(struct log *log)
{
    struct text *t = &log->lines;
    size_t at = 0;
    if (t->failed)
        log->lost++;
    while (at < t->bytes) {
        ssize_t n = write(log->fd, t->data + at, t->bytes - at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            log->lost++; /* A full disk or a closed pipe must not stop the service. */
            break;
        }
        at += (size_t)n;
    }
    text_clear(t);
}
