/* SPDX-License-Identifier: Apache-2.0 */
/* relay.h: what stands between a client and the daemon: a Unix socket that leads to it, or a proxy that speaks TLS. */
#ifndef TESTS_RELAY_H
#define TESTS_RELAY_H

typedef struct relay relay;
/* relay_start: passes on one connection after another to a port of 127.0.0.1. With `socket` it listens on that path,
 * else on a free port with TLS, and writes its certificate, which vouches for itself and for 127.0.0.1, to
 * `certificate`. */
relay *relay_start(int port, const char *socket, const char *certificate);
int relay_port(const relay *r);
void relay_stop(relay *r);

#endif
