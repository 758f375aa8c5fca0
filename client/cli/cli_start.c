/* SPDX-License-Identifier: Apache-2.0 */
/* cli_start.c: says how to start a daemon when nobody listens at the address that was asked for. */
#include "cli.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define DEFAULT_PORT 7373

/* Reads http://HOST[:PORT][/] where the host is this machine. *host is as --listen takes it. Returns the port, or 0. */
static int local_port(const char *server, const char **host)
{
    static const char *const hosts[][2] = {{"127.0.0.1", "127.0.0.1"}, {"localhost", "127.0.0.1"}, {"[::1]", "[::1]"}};
    char *end;
    long port;
    if (strncasecmp(server, "http://", 7) != 0)
        return 0;
    server += 7;
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        const size_t n = strlen(hosts[i][0]);
        if (strncasecmp(server, hosts[i][0], n) != 0 || !strchr(":/", server[n]))
            continue;
        *host = hosts[i][1];
        if (server[n] != ':')
            return 80;
        port = strtol(server + n + 1, &end, 10);
        return (*end && *end != '/') || port < 1 || port > 65535 ? 0 : (int)port;
    }
    return 0;
}

static int is_refused(const char *host, int port)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    struct sockaddr_in6 v6 = {
        .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port), .sin6_addr = in6addr_loopback};
    const int six = *host == '[', fd = socket(six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const struct timeval second = {.tv_sec = 1}; /* A listener whose queue is full does not answer. */
    int refused;
    v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0)
        return 0;
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &second, sizeof second);
    refused = connect(fd, six ? (struct sockaddr *)&v6 : (struct sockaddr *)&v4, six ? sizeof v6 : sizeof v4) != 0 &&
              errno == ECONNREFUSED;
    close(fd);
    return refused;
}

void cli_say_start(const struct cli *c)
{
    const char *host, *server = c->server ? c->server : "http://127.0.0.1:7373";
    const char *slash = c->program ? strrchr(c->program, '/') : NULL;
    const int port = local_port(server, &host), folder = slash ? (int)(slash - c->program) + 1 : 0;
    char daemon[512];
    if (!port || !is_refused(host, port))
        return;
    snprintf(daemon, sizeof daemon, "%.*ssubdd", folder, c->program ? c->program : "");
    fprintf(stderr, "; start one with: %s", access(daemon, X_OK) == 0 ? daemon : "subdd");
    if (port != DEFAULT_PORT || strcmp(host, "127.0.0.1") != 0)
        fprintf(stderr, " --listen %s:%d", host, port);
}
