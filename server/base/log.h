/* SPDX-License-Identifier: Apache-2.0 */
/* log.h: the daemon's log on stderr or in a file. Its lines are JSON objects for machines or text for people. They are
 * gathered, and log_flush writes them after answers have been sent. Geometry, bodies and tokens are never logged.
 * Threads  the loop's, and main before and after the loop */
#ifndef SUBDD_LOG_H
#define SUBDD_LOG_H
#include "server/base/text.h"

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARNING, LOG_ERROR };
struct log {
    int fd;
    const char *path; /* Borrowed; "" is stderr. */
    enum log_level level;
    bool as_text;
    struct text lines;
    struct text line; /* The line that log_begin has started, as JSON. */
    bool skipped;     /* The level of that line is below the log's. */
    long long lost;   /* How many flushes lost lines because memory or the disk was out. */
};
/* log_open: prepares *log by the values of --log-file, --log-level and --log-format. It returns false with errno when
 * the file cannot be opened, and then logs to stderr. */
bool log_open(struct log *log, const char *path, const char *level, const char *format);
/* log_reopen: opens the file again after it was rotated. It returns false with errno and then keeps the old file. */
bool log_reopen(struct log *log);
void log_close(struct log *log);
/* log_begin: starts a line with its time, level and event. The caller adds members of numbers, words or strings, and
 * then calls log_end. */
struct text *log_begin(struct log *log, enum log_level level, const char *event);
void log_end(struct log *log);
/* log_event: logs a line with a message. */
void log_event(struct log *log, enum log_level level, const char *event, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* log_flush: writes the lines that are gathered. */
void log_flush(struct log *log);

#endif
