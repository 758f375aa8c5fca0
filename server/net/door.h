/* SPDX-License-Identifier: Apache-2.0 */
/* door.h: may this request come in? Judged by its headers Host, Origin and Sec-Fetch-Site alone, before anything else.
 *
 * A web page that a person visits can make that person's browser send requests to a daemon on the same machine or
 * network, where no firewall is in the way. Two checks stop that, and neither depends on tokens:
 *   Host    A page can make its own host name resolve to the daemon's address (DNS rebinding): the browser then takes
 *           the daemon for the page's own site. But Host still has that name, which is none of the daemon's.
 *   Origin  Else the page is of another origin than the daemon, and browsers say so.
 * Pure functions of strings: no sockets. */
#ifndef SUBDD_DOOR_H
#define SUBDD_DOOR_H
#include "gpu/sdd/err.h"
#include "server/base/text.h"
#include <stdbool.h>

#define DOOR_ORIGIN_SIZE 300 /* a host name has up to 253 characters; longer origins are foreign */

struct door { /* the options, as they were given; lists have commas between items, "" is empty, "*" is everything */
    const char *allow_host, *allow_origin;
    const char *listen; /* ADDR:PORT */
};
struct door_visitor {
    const char *host, *origin,
        *fetch_site;        /* values of Host, Origin and Sec-Fetch-Site; NULL: the header is not there */
    const char *arrived_at; /* the daemon's address of this connection, as a number without brackets */
};

/* door_check: Errors
 *   SDD_EMISDIRECTED  Host is neither loopback (localhost, *.localhost, 127.0.0.0/8, [::1]) nor the address that is
 *                     listened on or arrived at, nor in allow_host. A request without Host passes: only HTTP/1.0 has
 *                     none, and no browser speaks that.
 *   SDD_EORIGIN       Origin is neither http:// or https:// with the request's own Host nor in allow_origin; or
 *                     Sec-Fetch-Site is cross-site, and allow_origin does not name the Origin */
int door_check(const struct door *d, const struct door_visitor *v, struct sdd_error *err);

/* door_names_origin: does allow_origin name it? Then its pages may also read answers (CORS). */
bool door_names_origin(const struct door *d, const char *origin);

/* door_options_good: are both lists what they have to be? false: `error` says what is wrong. */
bool door_options_good(const struct door *d, struct text *error);

#endif
