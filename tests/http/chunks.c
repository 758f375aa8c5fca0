/* SPDX-License-Identifier: Apache-2.0 */
/* chunks.c: see chunks.h. */
#include "tests/http/chunks.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int chunks_begin(const struct daemon *d, const char *target, const char *fields)
{
    int fd = http_connect(d);
    const struct timeval patience = {30, 0};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    http_begin(fd, "GET", target, fields, NULL, 0);
    return fd;
}

void chunks_open(struct chunks *c, int fd)
{
    char line[512];
    *c = (struct chunks){.in = fdopen(fd, "r")};
    assert_non_null(c->in);
    assert_non_null(fgets(line, sizeof line, c->in));
    assert_string_equal(line, "HTTP/1.1 200 OK\r\n");
    while (fgets(line, sizeof line, c->in) && strcmp(line, "\r\n") != 0) {
    }
}

bool chunks_take(struct chunks *c, void *out, size_t n)
{
    char line[64];
    for (size_t at = 0; at < n;) {
        if (!c->left) {
            assert_non_null(fgets(line, sizeof line, c->in));
            c->left = strtoul(line, NULL, 16);
            c->ended = c->left == 0;
            if (c->ended)
                assert_int_equal(at, 0);
            if (c->ended)
                return false;
        }
        const size_t part = n - at < c->left ? n - at : c->left;
        assert_int_equal(fread((char *)out + at, 1, part, c->in), part);
        at += part;
        c->left -= part;
        if (!c->left)
            assert_string_equal(fgets(line, sizeof line, c->in), "\r\n");
    }
    return true;
}

void http_change(const struct daemon *d, const char *method, const char *id, const char *rest, const char *fields,
                 const void *body, size_t n)
{
    struct answer a;
    char target[160];
    snprintf(target, sizeof target, "/v1/meshes/%s%s", id, rest);
    http_ask(d, method, target, fields, body, n, &a);
    assert_in_range(a.status, 200, 204);
    answer_free(&a);
}

void http_change_json(const struct daemon *d, const char *method, const char *id, const char *rest, const char *body)
{
    http_change(d, method, id, rest, "Content-Type: application/json\r\nIf-Match: *\r\n", body, strlen(body));
}

void daemon_wait_metric(const struct daemon *d, const char *name, long long value)
{
    const double until = seconds_now() + 20;
    while (daemon_metric(d, name) != value && seconds_now() < until)
        usleep(50000);
    assert_int_equal(daemon_metric(d, name), value);
}
