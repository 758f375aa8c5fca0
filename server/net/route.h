/* SPDX-License-Identifier: Apache-2.0 */
/* route.h: what net/ knows of an endpoint: a row of the table that it is handed at start. */
#ifndef SUBDD_ROUTE_H
#define SUBDD_ROUTE_H
#include "server/net/auth.h"
#include "server/net/http.h"

struct route {
    const char *method, *path; /* {id} stands for one segment                        */
    const char *op;            /* name in logs and metrics                           */
    enum scope scope;
    int body;   /* enum media bits that a body may have; 0: no body   */
    int answer; /* enum media bits of answers; the first listed wins  */
    enum media prefer;
    const char *const *query; /* names of query parameters; NULL: none              */
    bool options;             /* subdivision options are query parameters too       */
    bool always;              /* answered also when connections are short: health   */
    void (*handle)(struct request *r);
    const char *doc;
};
struct routes {
    const struct route *rows;
    int n;
};

/* routes_find: the row for method and path[n]; NULL when none. *allowed lists the methods of the path, or is "" when
 * there is no such path. HEAD is GET. `mesh` gets the {id}, "" when the path has none.
 * Errors in *err: an {id} that no mesh can have. */
const struct route *routes_find(const struct routes *routes, const char *method, const char *path, size_t n,
                                char mesh[REQUEST_NAME_SIZE], char allowed[64], struct sdd_error *err);

#endif
