/* SPDX-License-Identifier: Apache-2.0 */
/* subd_greeting.c: the client's call of a sample route. */
#include "subd_internal.h"
#include <stdlib.h>

/* Hands the body over, which ends with a NUL. */
static int finish(subd_client *c, void *out, struct subd_error *err)
{
    char **text = out;
    if (!c->call.answer)
        return subd_fail(err, SUBD_ENO_MEMORY, "no memory for an answer");
    *text = c->call.answer;
    c->call.answer = NULL;
    return SUBD_OK;
}

int subd_greeting(subd_client *c, char **text, struct subd_error *err)
{
    struct subd_request r = {.method = "GET", .accept = "text/plain", .finish = finish, .out = text};
    *text = NULL;
    subd_text_add(&r.path, "/v1/greeting");
    return subd_request_start(c, &r, err);
}
