/* SPDX-License-Identifier: Apache-2.0 */
/* cli_verbs.c: the verbs that need one call and print its answer: push, positions, edit, ls, show, rm, pull, health. */
#include "cli.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int cli_ends_with(const char *s, const char *tail)
{
    size_t n = strlen(s), m = strlen(tail);
    return n > m && strcasecmp(s + n - m, tail) == 0;
}

/* The media type that the name of a file tells; any other name is OBJ. */
static const char *media_of(const char *path)
{
    static const char *const rows[][2] = {
        {".usda", "model/vnd.usda"}, {".json", "application/json"}, {".pb", "application/protobuf"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (cli_ends_with(path, rows[i][0]))
            return rows[i][1];
    return "model/obj";
}

static void print_warnings(const struct cli *c)
{
    const char *warning;
    cli_progress_clear();
    for (int i = 0; (warning = subd_warning(c->client, i)); i++)
        cli_warn("%s", warning);
}

int cli_read_body(struct cli *c, const char *path, struct subd_body *body, char **data)
{
    body->media_type = media_of(path);
    if (cli_read(path, data, &body->bytes) != 0)
        return cli_stopped() ? EXIT_STOPPED : cli_fail(c, EXIT_FILE, "%s cannot be read: %s", path, strerror(errno));
    body->data = *data;
    return -1;
}

static int print_info(const struct cli *c, const struct subd_mesh_info *m)
{
    cli_progress_clear();
    if (c->json) {
        cJSON *o = cli_info_json(m);
        cli_add_warnings(o);
        return cli_print_json(c, o);
    }
    cli_print_info(m);
    return EXIT_DONE;
}

int cli_push_file(struct cli *c, const char *path, struct subd_mesh_info *info)
{
    struct subd_push p = {.name = c->name, .idempotency_key = c->key, .reorder = c->reorder};
    struct subd_error err;
    struct subd_body body;
    char *data;
    int code = cli_read_body(c, path, &body, &data);
    if (code >= 0)
        return code;
    memcpy(p.options, c->options, sizeof p.options);
    if (subd_push(c->client, &body, &p, info, &err) != SUBD_OK)
        code = cli_report(c, &err);
    free(data);
    if (code < 0)
        print_warnings(c);
    if (code < 0 && c->reorder && strcmp(c->reorder, "none") != 0) {
        cli_progress_clear();
        fprintf(stderr, "reordered by %s: bandwidth %s -> %s\n", c->reorder, cli_count(info->bandwidth_before),
                cli_count(info->bandwidth_after));
    }
    return code;
}

int cli_push(struct cli *c)
{
    struct subd_mesh_info info;
    int code = cli_push_file(c, c->args[0], &info);
    if (code >= 0)
        return code;
    if (c->json)
        return print_info(c, &info);
    cli_progress_clear();
    puts(info.id);
    return EXIT_DONE;
}

int cli_positions(struct cli *c)
{
    struct subd_mesh_info info;
    struct subd_error err;
    struct subd_body body;
    char *data;
    int code = cli_read_body(c, c->args[1], &body, &data);
    if (code >= 0)
        return code;
    code = subd_positions_body(c->client, c->args[0], c->version, &body, &info, &err) == SUBD_OK ? EXIT_DONE
                                                                                                 : cli_report(c, &err);
    free(data);
    if (code != EXIT_DONE)
        return code;
    if (c->json)
        return print_info(c, &info);
    cli_progress_clear();
    printf("%s version %lld\n", info.id, (long long)info.version);
    return EXIT_DONE;
}

static cJSON *ids_json(const int32_t *ids, int64_t n)
{
    cJSON *a = cJSON_CreateArray();
    for (int64_t i = 0; i < n; i++)
        cJSON_AddItemToArray(a, cJSON_CreateNumber(ids[i]));
    return a;
}

static int print_edit(const struct cli *c, const struct subd_edit_result *r)
{
    cJSON *o;
    cli_progress_clear();
    if (c->json) {
        o = cJSON_CreateObject();
        cJSON_AddItemToObject(o, "mesh", cli_info_json(&r->mesh));
        cJSON_AddItemToObject(o, "newVertexIds", ids_json(r->new_vertex_ids, r->n_new_vertices));
        cJSON_AddItemToObject(o, "newFaceIds", ids_json(r->new_face_ids, r->n_new_faces));
        return cli_print_json(c, o);
    }
    printf("%s version %lld: %s vertices, %s faces\n", r->mesh.id, (long long)r->mesh.version,
           cli_count(r->mesh.vertices), cli_count(r->mesh.faces));
    for (int64_t i = 0; i < r->n_new_vertices; i++)
        printf("%s%d%s", i ? " " : "  new vertices: ", r->new_vertex_ids[i], i + 1 < r->n_new_vertices ? "" : "\n");
    for (int64_t i = 0; i < r->n_new_faces; i++)
        printf("%s%d%s", i ? " " : "  new faces: ", r->new_face_ids[i], i + 1 < r->n_new_faces ? "" : "\n");
    return EXIT_DONE;
}

int cli_edit(struct cli *c)
{
    struct subd_edit_result result = {0};
    struct subd_mesh_info info;
    struct subd_error err;
    struct subd_body body;
    char *data;
    int code = cli_read_body(c, c->args[1], &body, &data), rc = SUBD_OK;
    if (code >= 0)
        return code;
    if (strcmp(body.media_type, "application/protobuf") != 0)
        body.media_type = "application/json"; /* Other file names are JSON, too. */
    if (!c->version && (rc = subd_show(c->client, c->args[0], &info, &err)) == SUBD_OK)
        c->version = info.version;
    if (rc == SUBD_OK)
        rc = subd_edits_body(c->client, c->args[0], c->version, &body, c->key, &result, &err);
    free(data);
    code = rc == SUBD_OK ? print_edit(c, &result) : cli_report(c, &err);
    subd_edit_result_free(&result);
    return code;
}

int cli_ls(struct cli *c)
{
    struct subd_mesh_list list = {0};
    struct subd_error err;
    cJSON *o = cJSON_CreateObject(), *rows = cJSON_AddArrayToObject(o, "meshes");
    char after[sizeof list.next] = "";
    int any = 0;
    do {
        if (subd_list(c->client, after, 0, &list, &err) != SUBD_OK) {
            cJSON_Delete(o);
            return cli_report(c, &err);
        }
        cli_progress_clear();
        for (int64_t i = 0; i < list.n; i++) {
            const struct subd_mesh_info *m = &list.meshes[i];
            if (c->json)
                cJSON_AddItemToArray(rows, cli_info_json(m));
            else if (!any++)
                printf("%-20s %-24s %8s %12s %12s  %s\n", "ID", "NAME", "VERSION", "VERTICES", "FACES", "ON");
            if (!c->json)
                printf("%-20s %-24s %8lld %12s %12s  %s\n", m->id, m->name, (long long)m->version,
                       cli_count(m->vertices), cli_count(m->faces), m->residency);
        }
        if (list.n && strcmp(after, list.next) == 0)
            *list.next = 0; /* A server that repeats a page would never end. */
        memcpy(after, list.next, sizeof after);
        subd_mesh_list_free(&list);
    } while (*after && !cli_stopped());
    if (c->json)
        return cli_print_json(c, o);
    cJSON_Delete(o);
    return EXIT_DONE;
}

int cli_show(struct cli *c)
{
    struct subd_mesh_info info;
    struct subd_error err;
    return subd_show(c->client, c->args[0], &info, &err) == SUBD_OK ? print_info(c, &info) : cli_report(c, &err);
}

int cli_rm(struct cli *c)
{
    struct subd_error err;
    cJSON *o;
    if (subd_delete(c->client, c->args[0], c->version, &err) != SUBD_OK)
        return cli_report(c, &err);
    cli_progress_clear();
    if (!c->json)
        return EXIT_DONE;
    o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "removed", c->args[0]);
    return cli_print_json(c, o);
}

int cli_pull(struct cli *c)
{
    static const char *const others[] = {".ply", ".glb", ".stl"};
    const char *path = c->output ? c->output : "-";
    struct cli_writer w;
    struct subd_error err;
    char *data;
    size_t bytes;
    cJSON *o;
    if (c->json && strcmp(path, "-") == 0)
        return cli_fail(c, EXIT_USAGE, "--json and the mesh cannot both go to stdout; use -o FILE");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (cli_ends_with(path, others[i]))
            return cli_fail(c, EXIT_USAGE, "%s: a control mesh goes into .obj, .usda, .json or .pb", path);
    if (subd_cage(c->client, c->args[0], media_of(path), &data, &bytes, &err) != SUBD_OK)
        return cli_report(c, &err);
    print_warnings(c);
    if (cli_writer_open(&w, path) != 0) {
        free(data);
        return cli_fail(c, EXIT_FILE, "%s cannot be written: %s", path, strerror(errno));
    }
    cli_put(&w, data, bytes);
    free(data);
    if (cli_writer_close(&w, 1) != 0)
        return cli_fail(c, EXIT_FILE, "%s cannot be written: %s", path, strerror(errno));
    if (!c->json)
        return EXIT_DONE;
    o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "output", path);
    cJSON_AddNumberToObject(o, "bytes", (double)bytes);
    cli_add_warnings(o);
    return cli_print_json(c, o);
}

/* ---- daemon ------------------------------------------------------------------------------------------------------ */

int cli_health(struct cli *c)
{
    struct subd_error err;
    cJSON *o;
    if (subd_health(c->client, 0, &err) != SUBD_OK || subd_health(c->client, 1, &err) != SUBD_OK)
        return cli_report(c, &err);
    cli_progress_clear();
    if (!c->json)
        return puts("alive and ready"), EXIT_DONE;
    o = cJSON_CreateObject();
    cJSON_AddBoolToObject(o, "live", 1);
    cJSON_AddBoolToObject(o, "ready", 1);
    return cli_print_json(c, o);
}
