/* SPDX-License-Identifier: Apache-2.0 */
/* address.h: parses the address that --listen names, for the check of the option and for the socket. */
#ifndef SUBDD_ADDRESS_H
#define SUBDD_ADDRESS_H
#include <stdbool.h>

#define LISTEN_HOST_SIZE 256 /* With the NUL. */
/* listen_split: splits "ADDR:PORT" or "[ADDR]:PORT". `host` gets ADDR without brackets, which may be empty and is not
 * looked at further; *port points to PORT in `listen`, a number up to 65535. Returns false, and writes nothing, when
 * the text is neither of the two, such as an IPv6 address without brackets. */
bool listen_split(const char *listen, char host[LISTEN_HOST_SIZE], const char **port);

#endif
