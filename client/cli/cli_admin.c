/* SPDX-License-Identifier: Apache-2.0 */
/* cli_admin.c: unquarantine, for those who run a daemon. */
#include "cli.h"
#include "client/lib/subd_admin.h"

int cli_unquarantine(struct cli *c)
{
    struct subd_error err;
    return subd_quarantine_end(c->client, c->mesh.id, &err) == SUBD_OK ? EXIT_DONE : cli_report(c, &err);
}
