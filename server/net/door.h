/* SPDX-License-Identifier: Apache-2.0 */
/* door.h: decides from the headers Host, Origin and Sec-Fetch-Site whether a request may come in at all. It is the
 * first check, made before the route, the token or the body are looked at.
 *
 * A web page that a person visits can make that person's browser send requests to a daemon on the same machine or
 * network, where no firewall is in the way. Two checks stop that, and neither depends on tokens:
 *   Host    A page can make its own host name resolve to the daemon's address (DNS rebinding), so that the browser
 *           takes the daemon for the page's own site. But Host then has that name, which is not one of the daemon's.
 *   Origin  Every other page has another origin than the daemon, and browsers say so.
 * The functions depend on their strings alone and use no sockets. */
#ifndef SUBDD_DOOR_H
#define SUBDD_DOOR_H
#include "gpu/sdd/err.h"
#include "server/base/text.h"
#include <stdbool.h>

#define DOOR_ORIGIN_SIZE 300 /* A host name has up to 253 characters; a longer origin is never allowed. */

/* The options as they were given. Lists have commas between their items; "" is empty and "*" is everything. */
struct door {
    const char *allow_host, *allow_origin;
    const char *listen; /* The value of --listen, ADDR:PORT. */
};
struct door_visitor {
    /* The values of Host, Origin and Sec-Fetch-Site, each NULL when the request does not have the header. */
    const char *host, *origin, *fetch_site;
    /* The daemon's own address of this connection, in numbers and without brackets. */
    const char *arrived_at;
};

/* door_check: checks the headers of a request.
 * Errors  SDD_EMISDIRECTED when Host is none of these: loopback (localhost, *.localhost, 127.0.0.0/8, [::1]), the
 *         address that is listened on or that the connection arrived at, a name in allow_host. A request without Host
 *         passes, because only HTTP/1.0 has none and no browser speaks that.
 *         SDD_EORIGIN when Origin is neither http:// or https:// with the request's own Host nor in allow_origin; or
 *         when Sec-Fetch-Site is cross-site and allow_origin does not name the Origin */
int door_check(const struct door *d, const struct door_visitor *v, struct sdd_error *err);

/* door_names_origin: true when allow_origin names it. Pages of that origin may also read answers (CORS). */
bool door_names_origin(const struct door *d, const char *origin);

/* door_options_good: checks both lists. Returns false when one is malformed, and `error` says how. */
bool door_options_good(const struct door *d, struct text *error);

#endif
