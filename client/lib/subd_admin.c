/* SPDX-License-Identifier: Apache-2.0 */
/* subd_admin.c: what an administrator asks of a daemon. */
#include "subd_admin.h"
#include "subd_internal.h"

static int finish_empty(subd_client *c, void *out, struct subd_error *err)
{
    (void)out;
    return c->call.status == 204 ? SUBD_OK : subd_fail_stranger(c, err);
}

static int end(subd_client *c, const char *id, const char *leaf, struct subd_error *err)
{
    struct subd_request r = {.method = "DELETE", .accept = SUBD_PROTOBUF, .finish = finish_empty};
    subd_text_mesh_path(&r.path, id, leaf);
    return subd_request_start(c, &r, err);
}

int subd_pin(subd_client *c, const char *id, struct subd_mesh_info *out, struct subd_error *err)
{
    struct subd_request r = {.method = "PUT", .accept = SUBD_PROTOBUF, .finish = subd_finish_info, .out = out};
    const int rc = SUBD_NEED(err, c, id);
    if (rc != SUBD_OK)
        return rc;
    subd_text_mesh_path(&r.path, id, "/pin");
    return subd_request_start(c, &r, err);
}

int subd_unpin(subd_client *c, const char *id, struct subd_error *err)
{
    const int rc = SUBD_NEED(err, c, id);
    return rc != SUBD_OK ? rc : end(c, id, "/pin", err);
}

int subd_quarantine_end(subd_client *c, const char *id, struct subd_error *err)
{
    const int rc = SUBD_NEED(err, c, id);
    return rc != SUBD_OK ? rc : end(c, id, "/quarantine", err);
}
