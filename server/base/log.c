/* SPDX-License-Identifier: Apache-2.0 */
/* log.c: the daemon's log: gathers lines and writes many of them in one piece. */
#include "server/base/log.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LOG_FLUSH_BYTES 65536

bool log_open(struct log *log, const char *path, const char *level, const char *format)
{
    static const char *const words[] = {"debug", "info", "warn", "error"};
    *log = (struct log){.fd = STDERR_FILENO, .path = path, .level = LOG_DEBUG};
    while (log->level < LOG_ERROR && strcmp(words[log->level], level) != 0)
        log->level++;
    const bool opened = log_reopen(log);
    log->as_text = strcmp(format, "auto") == 0 ? isatty(log->fd) : strcmp(format, "text") == 0;
    return opened;
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
    text_free(&log->line);
}

struct text *log_begin(struct log *log, enum log_level level, const char *event)
{
    static const char *const names[] = {"debug", "info", "warning", "error"};
    struct timespec now;
    struct tm tm;
    char date[32];
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &tm);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &tm);
    log->skipped = level < log->level;
    text_printf(&log->line, "{\"time\":\"%s.%03ldZ\"", date, now.tv_nsec / 1000000);
    text_member(&log->line, "level", names[level]);
    text_member(&log->line, "event", event);
    return &log->line;
}

/* Adds a JSON string without its quotes, and returns what follows it. The escapes of control characters stay, so that
 * nothing from outside can steer a terminal. */
static const char *add_bare(struct text *out, const char *s)
{
    for (s++; *s != '"'; s++) {
        s += *s == '\\' && (s[1] == '"' || s[1] == '\\');
        text_add(out, s, 1);
    }
    return s + 1;
}

/* Adds a line of JSON, which log_begin has begun, as text: the values of time, level and event, then the message as it
 * is, and the other members as KEY=VALUE. A value keeps its quotes where it could be misread without them. */
static void add_as_text(struct text *out, const char *json)
{
    static const char *const unnamed[] = {"time", "level", "event", "message"};
    for (const char *key = json + 1, *next; *key == '"' || *key == ','; key = next) {
        key += *key == ',';
        const size_t n = strcspn(++key, "\"");
        const char *value = key + n + 2;
        bool named = true, bare = *value == '"';
        for (int i = 0; i < 4; i++)
            named = named && !(strlen(unnamed[i]) == n && memcmp(key, unnamed[i], n) == 0);
        if (bare && named) {
            const size_t plain = strcspn(value + 1, " \"\\=");
            bare = plain && value[1 + plain] == '"';
        }
        text_puts(out, key == json + 2 ? "" : " ");
        if (named)
            text_printf(out, "%.*s=", (int)n, key);
        if (bare) {
            next = add_bare(out, value);
            continue;
        }
        for (next = value + (*value == '"'); *next && *next != (*value == '"' ? '"' : ','); next++)
            next += *next == '\\';
        next += *value == '"';
        text_add(out, value, (size_t)(next - value));
    }
    text_puts(out, "\n");
}

void log_end(struct log *log)
{
    struct text *line = &log->line;
    if (line->failed)
        log->lines.failed = true;
    else if (!log->skipped && log->as_text)
        add_as_text(&log->lines, line->data);
    else if (!log->skipped) {
        text_puts(line, "}\n");
        text_add(&log->lines, line->data, line->bytes);
    }
    text_clear(line);
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
