/* SPDX-License-Identifier: Apache-2.0 */
/* cli_prims.c: USDA files of several Meshes, which the daemon reads: tells what a refused push lists, and pushes each. */
#include "cli_import.h"
#include <stdlib.h>
#include <string.h>

#define MOST_SHOWN 20

cJSON *cli_prims_json(const struct cli *c)
{
    struct subd_prim prim;
    cJSON *list = subd_prim(c->client, 0, &prim) ? cJSON_CreateArray() : NULL;
    for (int i = 0; list && subd_prim(c->client, i, &prim); i++) {
        cJSON *o = cJSON_CreateObject();
        cJSON_AddStringToObject(o, "path", prim.path);
        cJSON_AddNumberToObject(o, "vertices", (double)prim.vertices);
        cJSON_AddNumberToObject(o, "faces", (double)prim.faces);
        cJSON_AddItemToArray(list, o);
    }
    return list;
}

void cli_tell_prims(const struct cli *c)
{
    struct subd_prim prim;
    int n = 0;
    for (; subd_prim(c->client, n, &prim); n++)
        if (n < MOST_SHOWN)
            fprintf(stderr, "  %s: %s vertices, %s faces\n", prim.path, cli_count(prim.vertices),
                    cli_count(prim.faces));
    if (n > MOST_SHOWN)
        fprintf(stderr, "  and %s more\n", cli_count(n - MOST_SHOWN));
}

/* Copies the paths that the last answer lists, as the next call forgets them. Returns how many, or -1 for no memory. */
static int64_t copy_paths(const struct cli *c, char ***out)
{
    struct subd_prim prim;
    int64_t n = 0, room = 0;
    while (subd_prim(c->client, (int)room, &prim))
        room++;
    *out = calloc((size_t)room + 1, sizeof **out);
    for (; *out && n < room && subd_prim(c->client, (int)n, &prim); n++)
        if (!((*out)[n] = strdup(prim.path)))
            break;
    return n == room ? n : -1;
}

/* Pushes the Mesh of each path. Returns the exit code of the first failure, or EXIT_DONE. */
static int push_each(struct cli *c, const struct subd_body *body, const struct subd_push *asked, char **paths,
                     int64_t n, void (*each)(struct cli *c, const struct subd_mesh_info *info))
{
    int first = EXIT_DONE;
    for (int64_t k = 0; k < n && !cli_stopped(); k++) {
        struct subd_push p = *asked;
        struct subd_mesh_info info;
        p.name = strlen(paths[k]) < sizeof info.name ? paths[k] : NULL;
        c->prim = paths[k];
        cli_about(paths[k]);
        const int code = cli_push_body(c, body, &p, &info);
        cli_about(NULL);
        if (code < 0)
            each(c, &info);
        else if (first == EXIT_DONE)
            first = code;
    }
    return cli_stopped() ? EXIT_STOPPED : first;
}

int cli_push_prims(struct cli *c, const struct subd_body *body, const struct subd_push *asked,
                   void (*each)(struct cli *c, const struct subd_mesh_info *info))
{
    struct subd_push p = *asked;
    struct subd_mesh_info info;
    struct subd_error err;
    struct subd_prim prim;
    char **paths = NULL;
    int64_t n = 0;
    int code;
    p.name = NULL; /* The daemon calls it by its path. */
    p.time = c->time;
    /* The daemon alone knows what is in the file: it takes the only Mesh, or refuses the push and lists them. */
    if (subd_push(c->client, body, &p, &info, &err) == SUBD_OK) {
        cli_print_warnings(c);
        code = c->weld >= 0 ? cli_push_again(c, asked, &info) : -1;
        if (code < 0)
            each(c, &info);
        return code < 0 ? EXIT_DONE : code;
    }
    if (!subd_prim(c->client, 0, &prim))
        return cli_report(c, &err);
    n = copy_paths(c, &paths);
    code = n < 0 ? cli_fail(c, EXIT_LOCAL, "no memory") : push_each(c, body, asked, paths, n, each);
    c->prim = NULL;
    if (code == EXIT_DONE && err.needed > n)
        code =
            cli_fail(c, EXIT_REFUSED, "%s more Meshes are not pushed: the daemon's list of them has no room for more",
                     cli_count(err.needed - n));
    for (int64_t i = 0; paths && paths[i]; i++)
        free(paths[i]);
    free(paths);
    return code;
}
