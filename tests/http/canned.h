/* SPDX-License-Identifier: Apache-2.0 */
/* canned.h: a server that answers whatever a test tells it to, for what no sound daemon would send. */
#ifndef TESTS_CANNED_H
#define TESTS_CANNED_H
#include <stddef.h>

struct canned {        /* one connection: read a request's header, wait, send, close */
    const char *bytes; /* NULL: close without an answer                 */
    size_t n;          /* 0: strlen                                     */
    int delay_ms;
    size_t stop_after; /* bytes after which it stays silent for hold_ms; 0: never */
    int hold_ms;
};
typedef struct canned_server canned_server;
/* canned_start: serves answers[0..n) to one connection after another; the array must outlive the server. */
canned_server *canned_start(const struct canned *answers, int n);
const char *canned_url(const canned_server *s);
/* canned_stop: joins; returns the last request's header block, malloc'd, "" when there was none. */
char *canned_stop(canned_server *s);

#endif
