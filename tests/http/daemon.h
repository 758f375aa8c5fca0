/* SPDX-License-Identifier: Apache-2.0 */
/* daemon.h: starts the real daemon for a test, and speaks HTTP to it over plain sockets, so that a test can also send
 * what no HTTP library would. Everything here asserts: a step that fails ends the test. When the daemon does not start
 * or end, or cannot be connected to, the last lines of its log are shown. */
#ifndef TESTS_HTTP_DAEMON_H
#define TESTS_HTTP_DAEMON_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

struct daemon {
    pid_t pid;
    int port;
    char dir[64]; /* temporary: data/ and log */
};
/* daemon_start: a fresh folder when d->dir is empty; options end with NULL and may be NULL. */
void daemon_start(struct daemon *d, const char *const *options);
/* The same with `run` (called with argc and argv in a child process) in place of the daemon's binary. */
void daemon_fork(struct daemon *d, const char *const *options, int (*run)(int argc, char **argv));
int daemon_wait(struct daemon *d, int seconds); /* its exit code, 128 + signal when killed; fails when it stays */
void daemon_stop(struct daemon *d);             /* SIGTERM, exit code 0, folder removed */
void daemon_kill(struct daemon *d);             /* kill -9; the folder stays for the next start */
void daemon_clean(struct daemon *d);            /* removes the folder */
bool daemon_logged(const struct daemon *d, const char *text);
/* Runs the daemon's binary to its end (options end with NULL): its exit code; output gets what it wrote. */
int daemon_run(const char *const *options, char *output, size_t size);
/* daemon_run_as: the same with another main function, as in daemon_fork. */
int daemon_run_as(int (*run)(int argc, char **argv), const char *const *options, char *output, size_t size);

struct answer {
    int status; /* 0: the connection ended without an answer */
    char *head; /* up to the empty line, NUL-terminated      */
    char *body; /* NUL-terminated                            */
    size_t bytes;
    double seconds; /* from the call to the end of the body      */
};
void answer_free(struct answer *a);
bool answer_field(const struct answer *a, const char *name, char *out, size_t size); /* a header's value */
/* A member of a JSON body, as text without quotes; "" when it is not there. Finds the first of that name. */
const char *answer_member(const struct answer *a, const char *name, char out[256]);
long long answer_number(const struct answer *a, const char *name); /* -1 when it is not there */
/* An error as it has to be: this status, problem+json, this code, and this field unless NULL. */
void assert_problem(const struct answer *a, int status, const char *code, const char *field);

int http_connect(const struct daemon *d);
/* The same by another address than 127.0.0.1; its port is the daemon's, whatever *address says. */
int http_connect_to(const struct daemon *d, const struct sockaddr *address, socklen_t n);
void http_send(int fd, const void *bytes, size_t n);    /* an early close by the peer is fine */
void http_read(int fd, struct answer *a, bool no_body); /* one answer; waits at most 20 s */
bool http_closed(int fd, double seconds);               /* closed by the peer within that time */

#define ACCEPT_FRAME "Accept: application/vnd.subdd.frame\r\n"
/* http_begin: sends a request; http_read has its answer. fields may begin with "Host:"; else it is localhost. Without
 * an Accept in the fields a refined surface is asked for as a frame. */
void http_begin(int fd, const char *method, const char *target, const char *fields, const void *body, size_t n);
/* http_ask: one request over its own connection. fields are whole header lines ("A: b\r\n"), or "". */
void http_ask(const struct daemon *d, const char *method, const char *target, const char *fields, const void *body,
              size_t n, struct answer *a);
/* The same over a connection that is there. */
void http_ask_on(int fd, const char *method, const char *target, const char *fields, const void *body, size_t n,
                 struct answer *a);
void http_get(const struct daemon *d, const char *target, struct answer *a);
/* daemon_metric: the value of a line of /metrics, -1 when there is none. */
long long daemon_metric(const struct daemon *d, const char *name);
/* GET /v1/meshes/{id}/{rest} */
void ask_mesh(const struct daemon *d, const char *id, const char *rest, const char *fields, struct answer *a);

extern const char CUBE[]; /* OBJ: 8 vertices, 6 faces           */
/* A flat grid of n x n quads as OBJ; the caller frees it. */
char *grid_obj(int n);
void create_cube(const struct daemon *d, char id[32]);
void create_obj(const struct daemon *d, const char *obj, char id[32]);
void create_grid(const struct daemon *d, int n, char id[32]); /* grid_obj */
double seconds_now(void);

#endif
