/* SPDX-License-Identifier: Apache-2.0 */
/* cli_admin.c: pin, unpin and unquarantine, for those who run a daemon. */
#include "cli.h"
#include "client/lib/subd_admin.h"

int cli_pin(struct cli *c)
{
    struct subd_error err;
    return subd_pin(c->client, c->mesh.id, NULL, &err) == SUBD_OK ? EXIT_DONE : cli_report(c, &err);
}

int cli_unpin(struct cli *c)
{
    struct subd_error err;
    return subd_unpin(c->client, c->mesh.id, &err) == SUBD_OK ? EXIT_DONE : cli_report(c, &err);
}

int cli_unquarantine(struct cli *c)
{
    struct subd_error err;
    return subd_quarantine_end(c->client, c->mesh.id, &err) == SUBD_OK ? EXIT_DONE : cli_report(c, &err);
}
