/* SPDX-License-Identifier: Apache-2.0 */
/* cli_lease.c: lease: to have a mesh, or faces of it, to oneself for a while. */
#include "cli.h"
#include "client/lib/subd_people.h"
#include <stdlib.h>

/* Of a lease that is not on the whole mesh. */
static int64_t faces_left(const struct subd_lease *l)
{
    return l->n_faces < 0 ? 0 : l->n_faces;
}

static cJSON *lease_json(const struct subd_lease *l)
{
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "lease", l->lease);
    cJSON_AddStringToObject(o, "principal", l->principal);
    if (*l->client)
        cJSON_AddStringToObject(o, "client", l->client);
    cJSON_AddNumberToObject(o, "seconds", (double)l->seconds);
    if (l->n_faces)
        cJSON_AddNumberToObject(o, "faces", (double)faces_left(l));
    return o;
}

static int list(struct cli *c)
{
    struct subd_lease_list leases = {0};
    struct cli_table table = {.columns = 5, .right = 8 | 16, .indent = ""};
    struct subd_error err;
    if (subd_leases(c->client, c->mesh.id, &leases, &err) != SUBD_OK)
        return cli_report(c, &err);
    cJSON *o = cJSON_CreateObject(), *rows = cJSON_AddArrayToObject(o, "leases");
    if (leases.n && !c->json)
        cli_table_row(&table, "LEASE", "BY", "CLIENT", "FACES", "SECONDS");
    for (int64_t i = 0; i < leases.n; i++) {
        const struct subd_lease *l = &leases.leases[i];
        if (c->json)
            cJSON_AddItemToArray(rows, lease_json(l));
        else
            cli_table_row(&table, l->lease, *l->principal ? l->principal : "-", *l->client ? l->client : "-",
                          l->n_faces ? cli_amount(faces_left(l)) : "all", cli_amount(l->seconds));
    }
    subd_lease_list_free(&leases);
    if (c->json)
        return cli_print_json(c, o);
    cli_progress_clear();
    cJSON_Delete(o);
    return cli_table_print(&table) ? EXIT_DONE : cli_fail(c, EXIT_LOCAL, "no memory");
}

int cli_lease(struct cli *c)
{
    struct subd_lease lease;
    struct subd_error err;
    struct cli_ids faces = {0};
    int rc;
    if (c->list)
        return list(c);
    if (c->end && !c->lease)
        return cli_fail(c, EXIT_USAGE, "--end goes with --lease LEASE; `subd lease MESH --list` lists them");
    if (c->end)
        return subd_lease_end(c->client, c->mesh.id, c->lease, &err) == SUBD_OK ? EXIT_DONE : cli_report(c, &err);
    if (c->lease && c->ids)
        return cli_fail(c, EXIT_USAGE, "--lease renews a lease, whose faces stay; leave out --ids, or --lease");
    if ((rc = cli_take_ids(c, &faces)) >= 0)
        return rc;
    rc = c->lease ? subd_lease_renew(c->client, c->mesh.id, c->lease, c->seconds, &lease, &err)
                  : subd_lease_take(c->client, c->mesh.id, c->seconds, (const int32_t *)faces.v, faces.n, NULL, &lease,
                                    &err);
    free(faces.v);
    if (rc != SUBD_OK)
        return cli_report(c, &err);
    if (c->json)
        return cli_print_json(c, lease_json(&lease));
    cli_progress_clear();
    printf("%s\n", lease.lease);
    return EXIT_DONE;
}
