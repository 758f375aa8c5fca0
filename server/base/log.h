/* SPDX-License-Identifier: Apache-2.0 */
/* log.h: JSON lines, to stderr or a file. Lines are gathered and written by log_flush, off the path of an answer.
 * Loop thread only (and main, before and after the loop). Geometry, bodies and tokens never go in. */
#ifndef SUBDD_LOG_H
#define SUBDD_LOG_H
#include "server/base/text.h"

enum log_level { LOG_INFO, LOG_WARNING, LOG_ERROR };
struct log {
    int fd;
    const char *path; /* "" is stderr; borrowed */
    struct text lines;
    long long lost; /* lines dropped because memory or the disk was out */
};
bool log_open(struct log *log, const char *path); /* false: errno says why; stderr is used until then */
bool log_reopen(struct log *log);                 /* after the file was rotated                       */
void log_close(struct log *log);
/* log_begin starts a line ({"time":..,"level":..,"event":..), the caller adds members, log_end ends it. */
struct text *log_begin(struct log *log, enum log_level level, const char *event);
void log_end(struct log *log);
void log_event(struct log *log, enum log_level level, const char *event, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void log_flush(struct log *log);

#endif
