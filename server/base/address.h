/* SPDX-License-Identifier: Apache-2.0 */
/* address.h: the text form of an address to listen on. */
#ifndef SUBDD_ADDRESS_H
#define SUBDD_ADDRESS_H
#include <stdbool.h>

#define LISTEN_HOST_SIZE 256
/* listen_split: "ADDR:PORT" or "[ADDR]:PORT" in its parts; false: it is neither. */
bool listen_split(const char *listen, char host[LISTEN_HOST_SIZE], const char **port);

#endif
