/* SPDX-License-Identifier: Apache-2.0 */
/* route.h: what net/ knows of an endpoint: one row of the table that it is given at start. */
#ifndef SUBDD_ROUTE_H
#define SUBDD_ROUTE_H
#include "server/net/auth.h"
#include "server/net/http.h"

struct route {
    const char *method, *path; /* In the path, {id} stands for one segment, which is an id, and {file} for any. */
    const char *op;            /* The name in logs and metrics. */
    enum scope scope;
    int body;                 /* The enum media bits that a body may have; 0 when there is no body. */
    int answer;               /* The enum media bits that answers can have. */
    enum media prefer;        /* Which of them a client gets that accepts several alike. */
    const char *const *query; /* The names of query parameters, ending with NULL; NULL when there are none. */
    bool options;             /* Subdivision options are query parameters too. */
    bool always;              /* For health, which is answered even when there are too many connections. */
    void (*handle)(struct request *r);
    const char *doc;
};
struct routes {
    const struct route *rows;
    int n;
};

/* routes_find: the row for method and path[n], or NULL. HEAD finds the row of GET. `allowed` lists the methods of the
 * path when none of them matches, and is "" when there is no such path. `mesh` gets the {id}, or "" when the path has
 * none.
 * Errors  SDD_EINVALID in *err, with NULL returned, for an {id} that no mesh can have */
const struct route *routes_find(const struct routes *routes, const char *method, const char *path, size_t n,
                                char mesh[REQUEST_NAME_SIZE], char allowed[64], struct sdd_error *err);

#endif
