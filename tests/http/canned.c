/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/http/canned.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct canned_server {
    const struct canned *answers;
    int n, fd;
    atomic_int stop;
    pthread_t thread;
    char url[64], request[65536];
};

static void pause_ms(const canned_server *s, int ms)
{
    for (; ms > 0 && !s->stop; ms -= 10)
        usleep(10000);
}

static void answer(canned_server *s, int fd, const struct canned *a)
{
    size_t used = 0, n = a->bytes ? (a->n ? a->n : strlen(a->bytes)) : 0, sent = 0;
    struct timeval limit = {5, 0};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    *s->request = 0;
    while (used + 1 < sizeof s->request && !strstr(s->request, "\r\n\r\n")) {
        ssize_t got = recv(fd, s->request + used, sizeof s->request - 1 - used, 0);
        if (got <= 0)
            return;
        used += (size_t)got;
        s->request[used] = 0;
    }
    pause_ms(s, a->delay_ms);
    while (sent < n) {
        size_t upto = a->stop_after && sent < a->stop_after ? a->stop_after : n;
        ssize_t put = send(fd, a->bytes + sent, upto - sent, MSG_NOSIGNAL);
        if (put <= 0)
            return;
        sent += (size_t)put;
        if (sent == a->stop_after)
            pause_ms(s, a->hold_ms);
    }
}

static void *serve(void *arg)
{
    canned_server *s = arg;
    for (int i = 0; i < s->n && !s->stop;) {
        struct pollfd p = {.fd = s->fd, .events = POLLIN};
        int fd = poll(&p, 1, 20) > 0 ? accept(s->fd, NULL, NULL) : -1;
        if (fd < 0)
            continue;
        answer(s, fd, &s->answers[i++]);
        shutdown(fd, SHUT_WR);
        close(fd);
    }
    return NULL;
}

canned_server *canned_start(const struct canned *answers, int n)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t length = sizeof at;
    canned_server *s = calloc(1, sizeof *s);
    if (!s)
        abort();
    s->answers = answers;
    s->n = n;
    s->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(s->fd, (struct sockaddr *)&at, sizeof at) || listen(s->fd, 8) ||
        getsockname(s->fd, (struct sockaddr *)&at, &length))
        abort();
    snprintf(s->url, sizeof s->url, "http://127.0.0.1:%d", ntohs(at.sin_port));
    if (pthread_create(&s->thread, NULL, serve, s))
        abort();
    return s;
}

const char *canned_url(const canned_server *s)
{
    return s->url;
}

char *canned_stop(canned_server *s)
{
    char *request;
    s->stop = 1;
    pthread_join(s->thread, NULL);
    close(s->fd);
    request = strdup(s->request);
    free(s);
    return request;
}
