/* SPDX-License-Identifier: Apache-2.0 */
/* listen.c: opens the listening socket at start, and refuses to listen off loopback when anybody could use the daemon.
 * */
#include "server/base/address.h"
#include "server/net/net.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BACKLOG 1024

static bool is_loopback(const struct sockaddr *a)
{
    if (a->sa_family == AF_INET)
        return ntohl(((const struct sockaddr_in *)a)->sin_addr.s_addr) >> 24 == 127;
    return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)a)->sin6_addr);
}

static int bind_one(const struct addrinfo *a)
{
    int one = 1, fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(fd, a->ai_addr, a->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0)
        return fd;
    int code = errno;
    close(fd);
    errno = code;
    return -1;
}

static void write_url(int fd, char *url, size_t size)
{
    struct sockaddr_storage a = {0};
    socklen_t n = sizeof a;
    char host[64] = "", port[8] = "";
    getsockname(fd, (struct sockaddr *)&a, &n);
    getnameinfo((struct sockaddr *)&a, n, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV);
    snprintf(url, size, a.ss_family == AF_INET6 ? "http://[%s]:%s" : "http://%s:%s", host, port);
}

bool net_listen(struct net *n, char *url, size_t size, struct text *error)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV}, *found = NULL;
    char host[LISTEN_HOST_SIZE];
    const char *port;
    n->listen_fd = -1;
    if (!listen_split(n->config->listen, host, &port)) {
        text_printf(error, "--listen must be ADDR:PORT, not \"%s\"", n->config->listen);
        return false;
    }
    int rc = getaddrinfo(*host ? host : NULL, port, &hints, &found);
    if (rc) {
        text_printf(error, "--listen %s: %s", n->config->listen, gai_strerror(rc));
        return false;
    }
    if (!n->auth && !n->config->allow_unauthenticated && !is_loopback(found->ai_addr))
        text_printf(error,
                    "%s is not loopback: give --tokens-file, or --allow-unauthenticated if a proxy checks who comes",
                    n->config->listen);
    else if ((n->listen_fd = bind_one(found)) < 0)
        text_printf(error, "cannot listen on %s: %s", n->config->listen, strerror(errno));
    freeaddrinfo(found);
    if (n->listen_fd < 0)
        return false;
    write_url(n->listen_fd, url, size);
    return true;
}
