/* SPDX-License-Identifier: Apache-2.0 */
/* daemon.c: the real daemon under test, and a small HTTP client that may misbehave. */
#include "tests/http/daemon.h"
#include "tests/env.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_OPTIONS 48
#define WAIT_S 20
#define PORTS_S 70 /* A closed connection keeps its port for a minute. */

const char CUBE[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\n"
                    "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 2 4 8 6\nf 4 3 7 8\nf 3 1 5 7\n";

double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- the process -------------------------------------------------------------------------------------------- */
static pid_t spawn(const char *const *options, int output, bool errors_too, const char *const *first,
                   int (*run)(int argc, char **argv))
{
    char path[512];
    const char *argv[MAX_OPTIONS] = {path};
    int n = 1;
    for (; first && *first; first++)
        argv[n++] = *first;
    for (; options && *options && n < MAX_OPTIONS - 1; options++)
        argv[n++] = *options;
    snprintf(path, sizeof path, "%s/subdd", test_bin_dir());
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that dies leaves nobody behind */
    dup2(output, STDOUT_FILENO);
    if (errors_too)
        dup2(output, STDERR_FILENO);
    if (run)
        _exit(run(n, (char **)(uintptr_t)argv));
    execv(path, (char **)(uintptr_t)argv);
    _exit(127);
}

/* The first 4 MiB of a file; NULL when it cannot be opened. */
static char *read_file(const char *path)
{
    FILE *f = fopen(path, "r");
    char *text = f ? calloc(1, 4 << 20) : NULL;
    if (!text)
        return NULL;
    (void)!fread(text, 1, (4 << 20) - 1, f);
    fclose(f);
    return text;
}

/* For a test that is about to fail: whether the daemon still runs, and the last 20 lines of its log. */
static void tell(const struct daemon *d)
{
    enum { LINES = 20 };
    siginfo_t end = {0};
    char path[96], *log;
    snprintf(path, sizeof path, "%s/log", d->dir);
    if (!d->pid || waitid(P_PID, (id_t)d->pid, &end, WEXITED | WNOHANG | WNOWAIT) != 0)
        printf("the daemon has ended");
    else if (end.si_pid)
        printf("the daemon has ended with %s %d", end.si_code == CLD_EXITED ? "code" : "signal", end.si_status);
    else
        printf("the daemon runs (process %d)", (int)d->pid);
    if (!(log = read_file(path))) {
        printf("; it has no log: %s\n", strerror(errno));
        return;
    }
    const char *from = log + strlen(log);
    for (int lines = 0; from > log && (from[-1] != '\n' || lines++ <= LINES);)
        from--;
    printf("; its log ends with\n%s\n", from);
    free(log);
}

/* Whether this machine has no free port for a listener at the moment, which other programs may have taken all. */
static bool ports_are_out(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool out = fd >= 0 && bind(fd, (struct sockaddr *)&a, sizeof a) != 0 && errno == EADDRINUSE;
    close(fd);
    return out;
}

/* Returns when a daemon that ended with `code` before it was ready may be started again; else the test fails. */
static void wait_for_ports(const struct daemon *d, int code, double give_up)
{
    bool waited = false;
    for (; code == 1 && ports_are_out() && seconds_now() < give_up; usleep(50000))
        waited = true;
    if (waited && seconds_now() < give_up)
        return;
    tell(d);
    fail_msg("the daemon did not start: code %d; what it said is above", code);
}

/* Reads the line that says it is ready. Returns false when the daemon ends before. */
static bool read_ready(const struct daemon *d, int fd, char *line, size_t size)
{
    memset(line, 0, size);
    for (size_t at = 0; at < size - 1 && !strchr(line, '\n');) {
        struct pollfd p = {fd, POLLIN, 0};
        if (poll(&p, 1, WAIT_S * 1000) != 1) {
            tell(d);
            fail_msg("the daemon is not ready after %d s", WAIT_S);
        }
        ssize_t n = read(fd, line + at, size - 1 - at);
        if (n <= 0)
            return false;
        at += (size_t)n;
    }
    return true;
}

void daemon_start(struct daemon *d, const char *const *options)
{
    daemon_fork(d, options, NULL);
}

void daemon_fork(struct daemon *d, const char *const *options, int (*run)(int argc, char **argv))
{
    char data[96], log[96], line[256];
    const char *const first[] = {"--listen", "127.0.0.1:0", "--data-dir",   data, "--log-file",
                                 log,        "--backend",   test_backend(), NULL};
    const double give_up = seconds_now() + PORTS_S;
    if (!*d->dir) {
        memcpy(d->dir, "/tmp/subdd-test-XXXXXX", sizeof "/tmp/subdd-test-XXXXXX");
        assert_non_null(mkdtemp(d->dir));
    }
    snprintf(data, sizeof data, "%s/data", d->dir);
    snprintf(log, sizeof log, "%s/log", d->dir);
    for (bool ready = false; !ready;) {
        int out[2];
        assert_int_equal(pipe2(out, O_CLOEXEC), 0);
        d->pid = spawn(options, out[1], false, first, run);
        close(out[1]);
        ready = read_ready(d, out[0], line, sizeof line);
        close(out[0]);
        if (!ready)
            wait_for_ports(d, daemon_wait(d, WAIT_S), give_up);
    }
    char *end = strstr(line, " backend=");
    if (!end) {
        fail_msg("the daemon says \"%s\"", line);
        return; /* clang-tidy does not know that it is not reached */
    }
    *end = 0;
    d->port = (int)strtol(strrchr(line, ':') + 1, NULL, 10);
}

int daemon_wait(struct daemon *d, int seconds)
{
    int status;
    for (double end = seconds_now() + seconds; seconds_now() < end; usleep(2000)) {
        pid_t pid = waitpid(d->pid, &status, WNOHANG);
        assert_true(pid >= 0);
        if (pid == 0)
            continue;
        d->pid = 0;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    kill(d->pid, SIGKILL);
    waitpid(d->pid, &status, 0);
    tell(d);
    fail_msg("the daemon has not ended after %d s", seconds);
    return -1;
}

static int remove_entry(const char *path, const struct stat *s, int flag, struct FTW *f)
{
    (void)s, (void)flag, (void)f;
    return remove(path);
}

void daemon_clean(struct daemon *d)
{
    if (*d->dir)
        nftw(d->dir, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    d->dir[0] = 0;
}

void daemon_stop(struct daemon *d)
{
    kill(d->pid, SIGTERM);
    const int code = daemon_wait(d, WAIT_S);
    if (code) {
        tell(d);
        fail_msg("the daemon ended with code %d", code);
    }
    daemon_clean(d);
}

void daemon_kill(struct daemon *d)
{
    kill(d->pid, SIGKILL);
    assert_int_equal(daemon_wait(d, WAIT_S), 128 + SIGKILL);
}

bool daemon_logged(const struct daemon *d, const char *text)
{
    char path[96];
    bool found = false;
    snprintf(path, sizeof path, "%s/log", d->dir);
    for (double end = seconds_now() + 2; !found && seconds_now() < end; usleep(20000)) {
        char *log = read_file(path);
        assert_non_null(log);
        found = strstr(log, text) != NULL;
        free(log);
    }
    return found;
}

int daemon_run_as(int (*run)(int argc, char **argv), const char *const *options, char *output, size_t size)
{
    int out[2];
    size_t at = 0;
    struct daemon d = {0};
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    d.pid = spawn(options, out[1], true, NULL, run);
    close(out[1]);
    for (ssize_t n = 1; n > 0 && at<size - 1; at += n> 0 ? (size_t)n : 0)
        n = read(out[0], output + at, size - 1 - at);
    output[at] = 0;
    close(out[0]);
    return daemon_wait(&d, WAIT_S);
}

int daemon_run(const char *const *options, char *output, size_t size)
{
    return daemon_run_as(NULL, options, output, size);
}

/* ---- HTTP ------------------------------------------------------------------------------------------------------ */
int http_connect_to(const struct daemon *d, const struct sockaddr *address, socklen_t n)
{
    const struct timeval wait = {WAIT_S, 0};
    struct sockaddr_storage a = {0};
    int fd = -1, code = EADDRNOTAVAIL;
    memcpy(&a, address, n);
    if (address->sa_family == AF_INET6)
        ((struct sockaddr_in6 *)&a)->sin6_port = htons((uint16_t)d->port);
    else
        ((struct sockaddr_in *)&a)->sin_port = htons((uint16_t)d->port);
    /* Other programs may have taken all ports of this side. */
    for (double end = seconds_now() + PORTS_S; code == EADDRNOTAVAIL && seconds_now() < end;) {
        fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
        code = fd < 0 || connect(fd, (struct sockaddr *)&a, n) != 0 ? errno : 0;
        if (code && fd >= 0)
            close(fd);
        if (code == EADDRNOTAVAIL)
            usleep(50000);
    }
    if (code) {
        tell(d);
        fail_msg("cannot connect to the daemon's port %d: %s", d->port, strerror(code));
    }
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
    return fd;
}

int http_connect(const struct daemon *d)
{
    const struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    return http_connect_to(d, (const struct sockaddr *)&a, sizeof a);
}

void http_send(int fd, const void *bytes, size_t n)
{
    const char *s = bytes;
    while (n) {
        ssize_t sent = send(fd, s, n, MSG_NOSIGNAL);
        if (sent < 0)
            return; /* an early answer may have closed it; the answer is what counts */
        s += sent;
        n -= (size_t)sent;
    }
}

void answer_free(struct answer *a)
{
    free(a->head);
    free(a->body);
    *a = (struct answer){0};
}

bool answer_field(const struct answer *a, const char *name, char *out, size_t size)
{
    size_t n = strlen(name);
    out[0] = 0;
    for (const char *s = a->head; s && (s = strstr(s, "\r\n")) && *(s += 2);)
        if (strncasecmp(s, name, n) == 0 && s[n] == ':') {
            s += n + 1 + strspn(s + n + 1, " ");
            snprintf(out, size, "%.*s", (int)strcspn(s, "\r"), s);
            return true;
        }
    return false;
}

/* A line of a chunked body, which ends with CR LF. */
static void read_line(int fd, char *line, size_t size)
{
    size_t n = 0;
    do
        assert_true(n + 1 < size && recv(fd, line + n, 1, 0) == 1);
    while (line[n++] != '\n');
    assert_true(n >= 2 && line[n - 2] == '\r');
    line[n - 2] = 0;
}

/* Reads a chunked body to its end. */
static void read_chunks(int fd, struct answer *a)
{
    char line[64], *end;
    free(a->body);
    a->body = NULL;
    a->bytes = 0;
    for (;;) {
        read_line(fd, line, sizeof line);
        const size_t n = strtoul(line, &end, 16);
        assert_true(end > line && !*end);
        a->body = realloc(a->body, a->bytes + n + 1);
        assert_non_null(a->body);
        assert_int_equal(n ? recv(fd, a->body + a->bytes, n, MSG_WAITALL) : 0, n);
        a->bytes += n;
        a->body[a->bytes] = 0;
        read_line(fd, line, sizeof line);
        assert_string_equal(line, "");
        if (!n)
            return;
    }
}

void http_read(int fd, struct answer *a, bool no_body)
{
    char length[32];
    size_t capacity = 65536, at = 0, want = 0;
    char *bytes = malloc(capacity + 1), *end = NULL;
    assert_non_null(bytes);
    *a = (struct answer){0};
    double start = seconds_now();
    while (!end || at < want) {
        if (at == capacity) {
            capacity *= 2;
            bytes = realloc(bytes, capacity + 1);
            assert_non_null(bytes);
        }
        /* Never past this answer: the next one may be behind it. A head is read in small pieces for that. */
        size_t room = end ? want - at : 1;
        ssize_t n = recv(fd, bytes + at, room < capacity - at ? room : capacity - at, 0);
        if (n <= 0)
            break;
        at += (size_t)n;
        bytes[at] = 0;
        if (end || at < 4 || memcmp(bytes + at - 4, "\r\n\r\n", 4))
            continue;
        end = bytes + at;
        a->head = strndup(bytes, at);
        a->status = (int)strtol(bytes + 9, NULL, 10);
        if (a->status == 100) { /* the real one follows */
            free(bytes);
            free(a->head);
            http_read(fd, a, no_body);
            return;
        }
        want =
            at + (!no_body && answer_field(a, "Content-Length", length, sizeof length) ? strtoul(length, NULL, 10) : 0);
    }
    size_t head = a->head ? strlen(a->head) : 0;
    a->bytes = a->head ? at - head : 0;
    a->body = calloc(1, a->bytes + 1);
    memcpy(a->body, bytes + head, a->bytes);
    if (a->head)
        assert_int_equal(at, want); /* Content-Length is true */
    if (!no_body && a->head && answer_field(a, "Transfer-Encoding", length, sizeof length))
        read_chunks(fd, a);
    a->seconds = seconds_now() - start;
    free(bytes);
}

bool http_closed(int fd, double seconds)
{
    char bytes[4096];
    for (double end = seconds_now() + seconds; seconds_now() < end;) {
        struct pollfd p = {fd, POLLIN, 0};
        if (poll(&p, 1, 20) == 1 && recv(fd, bytes, sizeof bytes, MSG_DONTWAIT) <= 0 && errno != EAGAIN)
            return true;
    }
    return false;
}

void http_begin(int fd, const char *method, const char *target, const char *fields, const void *body, size_t n)
{
    char head[4096];
    bool has_body = body || strcmp(method, "POST") == 0 || strcmp(method, "PUT") == 0;
    const char *host = strncmp(fields, "Host:", 5) ? "Host: localhost\r\n" : "";
    const char *accept = strstr(target, "/refined") && !strstr(fields, "Accept:") ? ACCEPT_FRAME : "";
    int bytes = snprintf(head, sizeof head, "%s %s HTTP/1.1\r\n%s%s%s", method, target, host, accept, fields);
    assert_in_range(bytes, 1, sizeof head - 64);
    bytes += snprintf(head + bytes, 64, has_body ? "Content-Length: %zu\r\n\r\n" : "\r\n", n);
    http_send(fd, head, (size_t)bytes);
    http_send(fd, body, n);
}

void http_ask_on(int fd, const char *method, const char *target, const char *fields, const void *body, size_t n,
                 struct answer *a)
{
    http_begin(fd, method, target, fields, body, n);
    http_read(fd, a, strcmp(method, "HEAD") == 0);
}

void http_ask(const struct daemon *d, const char *method, const char *target, const char *fields, const void *body,
              size_t n, struct answer *a)
{
    int fd = http_connect(d);
    http_ask_on(fd, method, target, fields, body, n, a);
    close(fd);
}

void ask_mesh(const struct daemon *d, const char *id, const char *rest, const char *fields, struct answer *a)
{
    char target[400];
    snprintf(target, sizeof target, "/v1/meshes/%.64s/%s", id, rest);
    http_ask(d, "GET", target, fields, NULL, 0, a);
}

void http_get(const struct daemon *d, const char *target, struct answer *a)
{
    http_ask(d, "GET", target, "", NULL, 0, a);
}

const char *answer_member(const struct answer *a, const char *name, char out[256])
{
    char key[64];
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *s = a->body ? strstr(a->body, key) : NULL;
    out[0] = 0;
    if (!s)
        return out;
    s += strlen(key);
    if (*s == '"')
        snprintf(out, 256, "%.*s", (int)strcspn(s + 1, "\""), s + 1);
    else if (*s == '[')
        snprintf(out, 256, "%.*s", (int)strcspn(s, "]") + 1, s);
    else
        snprintf(out, 256, "%.*s", (int)strcspn(s, ",}"), s);
    return out;
}

long long answer_number(const struct answer *a, const char *name)
{
    char value[256];
    return *answer_member(a, name, value) ? strtoll(value, NULL, 10) : -1;
}

void assert_problem(const struct answer *a, int status, const char *code, const char *field)
{
    char value[256];
    if (a->status != status)
        print_message("%s%s\n", a->head ? a->head : "no answer\n", a->body ? a->body : "");
    assert_int_equal(a->status, status);
    assert_true(answer_field(a, "Content-Type", value, sizeof value));
    assert_string_equal(value, "application/problem+json");
    assert_true(answer_field(a, "X-Request-Id", value, sizeof value));
    char id[256];
    assert_string_equal(answer_member(a, "instance", id), value);
    assert_string_equal(answer_member(a, "code", value), code);
    assert_int_equal(answer_number(a, "status"), status);
    assert_true(*answer_member(a, "title", value) && *answer_member(a, "detail", value));
    if (field)
        assert_string_equal(answer_member(a, "field", value), field);
}

/* ---- meshes ------------------------------------------------------------------------------------------------------ */
char *grid_obj(int n)
{
    size_t size = (size_t)(n + 1) * (size_t)(n + 1) * 80 + 100, at = 0;
    char *obj = malloc(size);
    assert_non_null(obj);
    for (int i = 0; i < (n + 1) * (n + 1); i++)
        at += (size_t)snprintf(obj + at, size - at, "v %d %d %g\n", i % (n + 1), i / (n + 1), (i * 7 % 13) * 0.1);
    for (int i = 0; i < n * n; i++) {
        int v = i / n * (n + 1) + i % n + 1;
        at += (size_t)snprintf(obj + at, size - at, "f %d %d %d %d\n", v, v + 1, v + n + 2, v + n + 1);
    }
    return obj;
}

void create_obj(const struct daemon *d, const char *obj, char id[32])
{
    struct answer a;
    char value[256];
    http_ask(d, "POST", "/v1/meshes", "Content-Type: model/obj\r\n", obj, strlen(obj), &a);
    if (a.status != 201)
        print_message("%s%s\n", a.head, a.body);
    assert_int_equal(a.status, 201);
    snprintf(id, 32, "%s", answer_member(&a, "id", value));
    answer_free(&a);
}

void create_grid(const struct daemon *d, int n, char id[32])
{
    char *obj = grid_obj(n);
    create_obj(d, obj, id);
    free(obj);
}

void create_cube(const struct daemon *d, char id[32])
{
    create_obj(d, CUBE, id);
}

long long daemon_metric(const struct daemon *d, const char *name)
{
    char key[128];
    struct answer a;
    http_get(d, "/metrics", &a);
    snprintf(key, sizeof key, "\n%s ", name);
    const char *s = strstr(a.body, key);
    long long value = s ? strtoll(s + strlen(key), NULL, 10) : -1;
    answer_free(&a);
    return value;
}
