/* SPDX-License-Identifier: Apache-2.0 */
/* cli_history.c: log, undo, redo and revert: earlier versions of a mesh, and bringing them back. */
#include "cli.h"
#include "client/lib/subd_history.h"
#include <stdlib.h>
#include <string.h>

static void add_row(struct cli_table *t, const struct subd_version_list *list, int64_t i)
{
    const struct subd_version *v = &list->versions[i];
    char version[24], change[64];
    snprintf(version, sizeof version, "%lld", (long long)v->version);
    if (v->of)
        snprintf(change, sizeof change, "%s of %lld", v->change, (long long)v->of);
    else if (v->edits)
        snprintf(change, sizeof change, "%lld edit%s", (long long)v->edits, v->edits == 1 ? "" : "s");
    else
        snprintf(change, sizeof change, "%s", v->change);
    cli_table_row(t, version, change, *v->principal ? v->principal : "-", cli_amount(v->vertices), cli_amount(v->faces),
                  cli_when(v->updated), subd_version_kinds(list, i));
}

/* As the daemon says them: an array of names. */
static void add_kinds(cJSON *o, const char *kinds)
{
    cJSON *names = cJSON_AddArrayToObject(o, "kinds");
    char name[64];
    for (size_t n; (n = strcspn(kinds, " ")) > 0; kinds += n + (kinds[n] == ' ')) {
        snprintf(name, sizeof name, "%.*s", (int)n, kinds);
        cJSON_AddItemToArray(names, cJSON_CreateString(name));
    }
}

static cJSON *version_json(const struct subd_version_list *list, int64_t i)
{
    const struct subd_version *v = &list->versions[i];
    const char *kinds = subd_version_kinds(list, i);
    cJSON *o = cJSON_CreateObject();
    cJSON_AddNumberToObject(o, "version", (double)v->version);
    cJSON_AddStringToObject(o, "change", v->change);
    cJSON_AddStringToObject(o, "principal", v->principal);
    cJSON_AddStringToObject(o, "updated", v->updated);
    if (v->edits)
        cJSON_AddNumberToObject(o, "edits", (double)v->edits);
    if (*kinds)
        add_kinds(o, kinds);
    if (v->of)
        cJSON_AddNumberToObject(o, "of", (double)v->of);
    cJSON_AddNumberToObject(o, "vertices", (double)v->vertices);
    cJSON_AddNumberToObject(o, "faces", (double)v->faces);
    return o;
}

int cli_log(struct cli *c)
{
    struct subd_version_list list = {0};
    struct cli_table table = {.columns = 7, .right = 1 | 8 | 16, .indent = ""};
    struct subd_error err;
    cJSON *o = cJSON_CreateObject(), *rows = cJSON_AddArrayToObject(o, "versions");
    int64_t before = 0;
    int rc;
    do {
        if ((rc = subd_versions(c->client, c->mesh.id, before, 0, &list, &err)) != SUBD_OK)
            break;
        if (!c->json && !table.n && list.n)
            cli_table_row(&table, "VERSION", "CHANGE", "BY", "VERTICES", "FACES", "WHEN", "EDITS");
        for (int64_t i = 0; i < list.n; i++)
            if (c->json)
                cJSON_AddItemToArray(rows, version_json(&list, i));
            else
                add_row(&table, &list, i);
        before = before && list.next >= before ? 0 : list.next; /* A server that repeats a page would never end. */
        subd_version_list_free(&list);
    } while (before && !cli_stopped());
    if (rc != SUBD_OK)
        rc = cli_report(c, &err);
    else if (c->json)
        return cli_print_json(c, o);
    cli_progress_clear();
    cJSON_Delete(o);
    if (!cli_table_print(&table) && rc == EXIT_DONE)
        return cli_fail(c, EXIT_LOCAL, "no memory");
    return rc;
}

static int print_version(struct cli *c, int rc, const struct subd_mesh_info *info, const struct subd_error *err)
{
    if (rc != SUBD_OK)
        return cli_report(c, err);
    if (c->json)
        return cli_print_json(c, cli_info_json(info));
    cli_progress_clear();
    printf("%s version %lld: %s vertices, %s faces\n", info->id, (long long)info->version, cli_amount(info->vertices),
           cli_amount(info->faces));
    return EXIT_DONE;
}

int cli_undo(struct cli *c)
{
    struct subd_mesh_info info;
    struct subd_error err;
    return print_version(c, subd_undo(c->client, c->mesh.id, c->version, c->key, &info, &err), &info, &err);
}

int cli_redo(struct cli *c)
{
    struct subd_mesh_info info;
    struct subd_error err;
    return print_version(c, subd_redo(c->client, c->mesh.id, c->version, c->key, &info, &err), &info, &err);
}

int cli_revert(struct cli *c)
{
    struct subd_mesh_info info;
    struct subd_error err;
    char *end;
    const long long to = strtoll(c->args[1], &end, 10);
    if (*end || end == c->args[1] || to < 1)
        return cli_fail(c, EXIT_USAGE, "%s is no version; `subd log` lists them", c->args[1]);
    return print_version(c, subd_revert(c->client, c->mesh.id, c->version, to, c->key, &info, &err), &info, &err);
}
