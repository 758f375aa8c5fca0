/* SPDX-License-Identifier: Apache-2.0 */
/* chunks.h: reads answers that go on, as those of watch and events do, and makes the changes that they tell of. As in
 * daemon.h everything asserts. */
#ifndef TESTS_HTTP_CHUNKS_H
#define TESTS_HTTP_CHUNKS_H
#include "tests/http/daemon.h"
#include <stdio.h>

struct chunks {
    FILE *in;
    size_t left; /* Of this chunk. */
    bool ended;  /* The last chunk was there. */
};
/* chunks_begin: sends the request on a connection of its own, whose reads give up after 30 s. */
int chunks_begin(const struct daemon *d, const char *target, const char *fields);
/* chunks_open: reads the head of the answer, which must be 200. The stream owns the descriptor: fclose(c->in). */
void chunks_open(struct chunks *c, int fd);
/* chunks_take: reads n bytes. Returns false when the answer ends before the first of them. */
bool chunks_take(struct chunks *c, void *out, size_t n);

/* http_change: a request on a mesh that must go well: `rest` is what follows its id. */
void http_change(const struct daemon *d, const char *method, const char *id, const char *rest, const char *fields,
                 const void *body, size_t n);
void http_change_json(const struct daemon *d, const char *method, const char *id, const char *rest, const char *body);
/* daemon_wait_metric: waits up to 20 s for a metric to have this value. */
void daemon_wait_metric(const struct daemon *d, const char *name, long long value);

#endif
