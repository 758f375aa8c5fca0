/* SPDX-License-Identifier: Apache-2.0 */
/* cli_verbs.c: the verbs that need one call and print its answer: push, positions, edit, rename, ls, show,
 * rm, pull, health. */
#include "cli_import.h"
#include "client/lib/subd_history.h"
#include "client/lib/subd_people.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int cli_ends_with(const char *s, const char *tail)
{
    size_t n = strlen(s), m = strlen(tail);
    return n > m && strcasecmp(s + n - m, tail) == 0;
}

const char *cli_media_of(const char *path)
{
    static const char *const rows[][2] = {{".obj", "model/obj"},
                                          {".usda", "model/vnd.usda"},
                                          {".json", "application/json"},
                                          {".pb", "application/protobuf"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (cli_ends_with(path, rows[i][0]))
            return rows[i][1];
    return NULL;
}

/* A file without an ending is OBJ, as stdin is. */
static const char *media_of(const char *path)
{
    const char *media = cli_media_of(path);
    return media ? media : "model/obj";
}

void cli_print_warnings(const struct cli *c)
{
    const char *warning;
    cli_progress_clear();
    for (int i = 0; (warning = subd_warning(c->client, i)); i++)
        cli_warn("%s", warning);
}

int cli_read_body(struct cli *c, const char *path, struct subd_body *body, char **data)
{
    const char *dot = strrchr(path, '.');
    body->media_type = media_of(path);
    if (cli_read(path, data, &body->bytes) != 0)
        return cli_stopped() ? EXIT_STOPPED
                             : cli_fail(c, EXIT_FILE, "%s cannot be read: %s%s", path, strerror(errno),
                                        strchr(path, '/') ? "; give a mesh of this name by its id" : "");
    if (dot && !strchr(dot, '/') && !cli_media_of(path)) {
        free(*data);
        *data = NULL;
        return cli_fail(c, EXIT_USAGE, "%s is none of .obj, .usda, .json and .pb; if it is OBJ, give it as - <FILE",
                        path);
    }
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

/* Writes the name of a file without its folder and its ending. Returns NULL for stdin, which has none. */
static const char *stem(const char *path, char out[256])
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path, *dot = strrchr(name, '.');
    if (strcmp(path, "-") == 0)
        return NULL;
    snprintf(out, 256, "%.*s", (int)(dot && dot != name ? dot - name : (ptrdiff_t)strlen(name)), name);
    return out;
}

static int push_body(struct cli *c, const struct subd_body *body, const struct subd_push *asked,
                     struct subd_mesh_info *info)
{
    struct subd_push p = *asked;
    struct subd_error err;
    p.prim = c->prim;
    p.time = c->time;
    if (c->weld >= 0)
        p.idempotency_key = p.reorder = NULL; /* They are for the mesh that stays. */
    if (subd_push(c->client, body, &p, info, &err) != SUBD_OK) {
        size_t n = strlen(err.text);
        if (!c->name && strcmp(err.field, "name") == 0)
            snprintf(err.text + n, sizeof err.text - n, "; give another than the file's with --name");
        return cli_report(c, &err);
    }
    cli_print_warnings(c);
    return c->weld >= 0 ? cli_push_again(c, asked, info) : -1;
}

/* What pushing needs besides the mesh itself. `of_file` has room for the name. */
static struct subd_push push_of(const struct cli *c, const char *path, char of_file[256])
{
    struct subd_push p = SUBD_INIT(subd_push, .name = c->name ? c->name : stem(path, of_file),
                                   .idempotency_key = c->key, .reorder = c->reorder, .strict = c->strict);
    memcpy(p.options, c->options, sizeof p.options);
    return p;
}

int cli_push_file(struct cli *c, const char *path, struct subd_mesh_info *info)
{
    char of_file[256], *data;
    const struct subd_push p = push_of(c, path, of_file);
    struct subd_body body;
    struct cli_meshes meshes;
    int code = cli_import_open(c, path, &meshes, &body, &data);
    if (code >= 0)
        return code;
    code = cli_has_meshes(&meshes) ? cli_push_one(c, path, &meshes, &p, info) : push_body(c, &body, &p, info);
    cli_meshes_close(&meshes);
    free(data);
    return code;
}

static void print_pushed(struct cli *c, const struct subd_mesh_info *info)
{
    cli_progress_clear();
    if (c->json)
        print_info(c, info);
    else
        printf("%s  %s\n", info->id, info->name);
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
        const int code = push_body(c, body, &p, &info);
        cli_about(NULL);
        if (code < 0)
            each(c, &info);
        else if (first == EXIT_DONE)
            first = code;
    }
    return cli_stopped() ? EXIT_STOPPED : first;
}

/* Pushes each Mesh of a USDA file, named by its path. Returns the exit code of the first failure, or EXIT_DONE. */
static int push_prims(struct cli *c, const struct subd_body *body, const struct subd_push *asked,
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

static int push_all(struct cli *c)
{
    char of_file[256], *data;
    const struct subd_push p = push_of(c, c->args[0], of_file);
    struct subd_body body;
    struct cli_meshes meshes;
    cJSON *o;
    int code = cli_import_open(c, c->args[0], &meshes, &body, &data);
    if (code >= 0)
        return code;
    if (!cli_has_meshes(&meshes) && strcmp(body.media_type, "model/vnd.usda") != 0) {
        free(data);
        return cli_fail(c, EXIT_USAGE, "--all is for files of several meshes, and %s is not read as one", c->args[0]);
    }
    c->results = c->json ? cJSON_CreateArray() : NULL;
    code =
        cli_has_meshes(&meshes) ? cli_push_all(c, &meshes, &p, print_pushed) : push_prims(c, &body, &p, print_pushed);
    cli_meshes_close(&meshes);
    free(data);
    if (!c->json)
        return code;
    o = cJSON_CreateObject();
    cJSON_AddItemToObject(o, "meshes", c->results);
    c->results = NULL;
    return cli_print_json(c, o), code;
}

int cli_push(struct cli *c)
{
    struct subd_mesh_info info;
    int code;
    if (c->all)
        return push_all(c);
    code = cli_push_file(c, c->args[0], &info);
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
    code = subd_positions_body(c->client, c->mesh.id, c->version, &body, &info, &err) == SUBD_OK ? EXIT_DONE
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

int cli_rename(struct cli *c)
{
    struct subd_mesh_info info;
    struct subd_error err;
    if (subd_rename(c->client, c->mesh.id, c->version, c->args[1], &info, &err) != SUBD_OK)
        return cli_report(c, &err);
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
        if (r->passed_over)
            cJSON_AddNumberToObject(o, "passedOver", (double)r->passed_over);
        return cli_print_json(c, o);
    }
    printf("%s version %lld: %s vertices, %s faces\n", r->mesh.id, (long long)r->mesh.version,
           cli_amount(r->mesh.vertices), cli_amount(r->mesh.faces));
    if (r->passed_over)
        printf("  past %s version%s\n", cli_amount(r->passed_over), r->passed_over == 1 ? "" : "s");
    for (int64_t i = 0; i < r->n_new_vertices; i++)
        printf("%s%d%s", i ? " " : "  new vertices: ", r->new_vertex_ids[i], i + 1 < r->n_new_vertices ? "" : "\n");
    for (int64_t i = 0; i < r->n_new_faces; i++)
        printf("%s%d%s", i ? " " : "  new faces: ", r->new_face_ids[i], i + 1 < r->n_new_faces ? "" : "\n");
    return EXIT_DONE;
}

int cli_edit(struct cli *c)
{
    struct subd_edit_result result = {0};
    struct subd_error err;
    struct subd_body body;
    char *data;
    int code = cli_read_body(c, c->args[1], &body, &data), rc;
    if (code >= 0)
        return code;
    if (strcmp(body.media_type, "application/protobuf") != 0)
        body.media_type = "application/json"; /* Other file names are JSON, too. */
    subd_rebase(c->client, c->rebase);
    rc =
        subd_edits_body(c->client, c->mesh.id, c->version ? c->version : c->mesh.version, &body, c->key, &result, &err);
    free(data);
    code = rc == SUBD_OK ? print_edit(c, &result) : cli_report(c, &err);
    subd_edit_result_free(&result);
    return code;
}

static void add_row(struct cli_table *t, const struct subd_mesh_info *m)
{
    char version[24];
    snprintf(version, sizeof version, "%lld", (long long)m->version);
    cli_table_row(t, m->id, m->name, version, cli_amount(m->vertices), cli_amount(m->faces), cli_when(m->updated));
}

int cli_ls(struct cli *c)
{
    struct subd_mesh_list list = {0};
    struct cli_table table = {.columns = 6, .right = 4 | 8 | 16, .indent = ""};
    struct subd_error err;
    cJSON *o = cJSON_CreateObject(), *rows = cJSON_AddArrayToObject(o, "meshes");
    char after[sizeof list.next] = "";
    int rc;
    do {
        if ((rc = subd_list_named(c->client, c->name, after, 0, &list, &err)) != SUBD_OK)
            break;
        if (!c->json && !table.n && list.n)
            cli_table_row(&table, "ID", "NAME", "VERSION", "VERTICES", "FACES", "UPDATED");
        for (int64_t i = 0; i < list.n; i++)
            if (c->json)
                cJSON_AddItemToArray(rows, cli_info_json(&list.meshes[i]));
            else
                add_row(&table, &list.meshes[i]);
        if (list.n && strcmp(after, list.next) == 0)
            *list.next = 0; /* A server that repeats a page would never end. */
        memcpy(after, list.next, sizeof after);
        subd_mesh_list_free(&list);
    } while (*after && !cli_stopped());
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

int cli_show(struct cli *c)
{
    return print_info(c, &c->mesh);
}

int cli_rm(struct cli *c)
{
    struct subd_error err;
    cJSON *o;
    if (subd_delete(c->client, c->mesh.id, c->version, &err) != SUBD_OK)
        return cli_report(c, &err);
    cli_progress_clear();
    if (!c->json)
        return EXIT_DONE;
    o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "removed", c->mesh.id);
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
    if (subd_cage_at(c->client, c->mesh.id, c->at, media_of(path), &data, &bytes, &err) != SUBD_OK)
        return cli_report(c, &err);
    cli_print_warnings(c);
    if (cli_writer_open(&w, path) != 0) {
        free(data);
        return cli_fail_write(c, path, errno);
    }
    cli_put(&w, data, bytes);
    free(data);
    if (cli_writer_close(&w, 1) != 0)
        return cli_fail_write(c, path, errno);
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
