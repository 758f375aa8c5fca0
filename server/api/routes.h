/* SPDX-License-Identifier: Apache-2.0 */
/* routes.h: the table of endpoints, which serve.c hands to net/. A row is all that the rest of the server knows about
 * an endpoint. */
#ifndef SUBDD_ROUTES_H
#define SUBDD_ROUTES_H
#include "server/net/route.h"

extern const struct route routes[];
extern const int n_routes;

#endif
