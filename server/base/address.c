/* SPDX-License-Identifier: Apache-2.0 */
/* address.c: takes the value of --listen apart, for the option's check and for the socket. */
#include "server/base/address.h"
#include "server/base/chars.h"
#include <string.h>

bool listen_split(const char *listen, char host[LISTEN_HOST_SIZE], const char **port)
{
    const char *colon = strrchr(listen, ':');
    size_t n = colon ? (size_t)(colon - listen) : 0;
    int64_t number;
    if (!colon || !parse_integer(colon + 1, strlen(colon + 1), &number) || number > 65535)
        return false;
    if (n >= 2 && listen[0] == '[' && listen[n - 1] == ']') {
        listen++;
        n -= 2;
    } else if (memchr(listen, ':', n))
        return false;
    if (n >= LISTEN_HOST_SIZE)
        return false;
    memcpy(host, listen, n);
    host[n] = 0;
    *port = colon + 1;
    return true;
}
