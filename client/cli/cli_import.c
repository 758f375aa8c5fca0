/* SPDX-License-Identifier: Apache-2.0 */
/* cli_import.c: finds out how a file is read, chooses among the meshes of a scene, and pushes them welded. */
#include "cli_import.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- formats ----------------------------------------------------------------------------------------------------- */

enum source {
    FROM_BODY,       /* The daemon reads it. */
    FROM_SCENE,      /* libassimp does. */
    FROM_TEXT_USD,   /* A .usd that is text: the daemon, as it reads .usda. */
    FROM_BINARY_USD, /* usdcat, then the daemon. */
    FROM_NOTHING
};
#define HEAD 32
struct head {
    char bytes[HEAD + 1];
    size_t n;
};

int cli_is_import(const char *path)
{
    static const char *const endings[] = {".ply", ".stl", ".off", ".glb",  ".gltf", ".fbx",
                                          ".3ds", ".dae", ".usd", ".usdc", ".usdz"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (cli_ends_with(path, endings[i]))
            return 1;
    return 0;
}

/* The format whose files begin so; NULL when none does. Binary STL and 3DS have no such bytes. */
static const char *format_by_head(const struct head *h)
{
    static const char *const rows[][2] = {{"ply\n", "ply"},       {"ply\r", "ply"},  {"glTF", "glb"}, {"solid", "stl"},
                                          {"Kaydara FBX", "fbx"}, {"; FBX ", "fbx"}, {"OFF", "off"},  {"COFF", "off"},
                                          {"NOFF", "off"},        {"STOFF", "off"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (h->n >= strlen(rows[i][0]) && memcmp(h->bytes, rows[i][0], strlen(rows[i][0])) == 0)
            return rows[i][1];
    return NULL;
}

static int begins(const struct head *h, const char *bytes)
{
    return h->n >= strlen(bytes) && memcmp(h->bytes, bytes, strlen(bytes)) == 0;
}

/* The end of a name says what it is; where that says nothing, the first bytes do. `format` gets that of a scene. */
static enum source source_of(const char *path, const struct head *h, char format[16])
{
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path, *dot = strrchr(base, '.');
    const int has_ending = dot && dot != base && strlen(dot) < 16;
    *format = 0;
    if (begins(h, "PXR-USDC") || cli_ends_with(path, ".usdc") || cli_ends_with(path, ".usdz"))
        return FROM_BINARY_USD;
    if (cli_ends_with(path, ".usd"))
        return begins(h, "#usda") ? FROM_TEXT_USD : FROM_BINARY_USD;
    if (cli_media_of(path))
        return FROM_BODY;
    const char *by_head = format_by_head(h);
    if (has_ending && (cli_is_import(path) || !by_head)) {
        snprintf(format, 16, "%s", dot + 1);
        return cli_is_import(path) || cli_scene_reads(dot) ? FROM_SCENE : FROM_NOTHING;
    }
    snprintf(format, 16, "%s", by_head ? by_head : "");
    return by_head ? FROM_SCENE : dot ? FROM_NOTHING : FROM_BODY;
}

/* Reads the first bytes of a file. What is no regular file gives its bytes only once, so it is read whole. */
static int read_head(const char *path, struct head *h, char **data, size_t *bytes)
{
    struct stat st;
    FILE *f;
    *data = NULL;
    *bytes = 0;
    *h = (struct head){0};
    if (strcmp(path, "-") == 0 || (stat(path, &st) == 0 && !S_ISREG(st.st_mode))) {
        if (cli_read(path, data, bytes) != 0)
            return -1;
        h->n = *bytes < HEAD ? *bytes : HEAD;
        memcpy(h->bytes, *data, h->n);
        return 0;
    }
    if (!(f = fopen(path, "re")))
        return -1;
    h->n = fread(h->bytes, 1, HEAD, f);
    fclose(f);
    return 0;
}

static int no_format(const struct cli *c, const char *path)
{
    if (cli_ends_with(path, ".abc"))
        return cli_fail(c, EXIT_FILE,
                        "%s is Alembic, which subd does not read: write it as .usda or .obj where it was made, or with "
                        "usdcat if that has its plugin for Alembic: usdcat %s -o FILE.usda",
                        path, path);
    return cli_fail(
        c, EXIT_USAGE,
        "%s is of no format that subd reads: those are .obj, .usda, .json and .pb, and by other programs "
        ".ply, .stl, .off, .glb, .gltf, .fbx, .3ds, .dae, .usdc and .usdz; if it is OBJ, give it as - <FILE",
        path);
}

static cli_mend_fn *mend_of(const char *format)
{
    static const struct {
        const char *format;
        cli_mend_fn *mend;
    } rows[] = {{"off", cli_mend_off}, {"glb", cli_mend_glb}, {"dae", cli_mend_dae}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcasecmp(format, rows[i].format) == 0)
            return rows[i].mend;
    return NULL;
}

/* Opens the scene or the one mesh of a file of this format. `data` is NULL where a regular file was not read. */
static int open_meshes(const struct cli *c, const char *path, const char *data, size_t bytes, const char *format,
                       struct cli_meshes *out)
{
    const int is_ply = strcasecmp(format, "ply") == 0;
    cli_mend_fn *mend = mend_of(format);
    char *file = NULL, *made = NULL;
    size_t made_bytes = 0;
    int code = -1;
    if (!data && (is_ply || mend) && cli_read(path, &file, &bytes) != 0)
        return cli_stopped() ? EXIT_STOPPED : cli_fail(c, EXIT_FILE, "%s cannot be read: %s", path, strerror(errno));
    if (is_ply)
        code = cli_ply_cage(c, path, file ? file : data, bytes, &out->one);
    else if ((data || file) && bytes == 0)
        code = cli_fail(c, EXIT_FILE, "%s is empty", path);
    else if (mend)
        code = mend(c, path, file ? file : data, bytes, &made, &made_bytes);
    free(file);
    if (code < 0 && !is_ply)
        code = cli_scene_open(c, path, made ? made : data, made ? made_bytes : bytes, format, &out->scene);
    free(made);
    return code;
}

int cli_import_open(struct cli *c, const char *path, struct cli_meshes *meshes, struct subd_body *body, char **data)
{
    const int64_t before = cli_lost();
    struct head head;
    char format[16];
    enum source source;
    size_t bytes = 0;
    int code = -1;
    *meshes = (struct cli_meshes){0};
    if (read_head(path, &head, data, &bytes) != 0)
        return cli_stopped() ? EXIT_STOPPED
                             : cli_fail(c, EXIT_FILE, "%s cannot be read: %s%s", path, strerror(errno),
                                        strchr(path, '/') ? "; give a mesh of this name by its id" : "");
    source = source_of(path, &head, format);
    if (source == FROM_BODY && !*data)
        return cli_read_body(c, path, body, data);
    if (source == FROM_SCENE)
        code = open_meshes(c, path, *data, bytes, format, meshes);
    else if (source == FROM_BINARY_USD)
        code = *data ? cli_fail(c, EXIT_FILE, "binary USD is read from a file, and %s is none; give its name", path)
                     : cli_usdcat(c, path, data, &bytes);
    else if (source == FROM_TEXT_USD && !*data && cli_read(path, data, &bytes) != 0)
        code = cli_fail(c, EXIT_FILE, "%s cannot be read: %s", path, strerror(errno));
    else if (source == FROM_NOTHING)
        code = no_format(c, path);
    meshes->lost = cli_lost() - before;
    if (cli_has_meshes(meshes) || code >= 0) {
        free(*data);
        *data = NULL;
    }
    *body = (struct subd_body){source == FROM_BODY ? "model/obj" : "model/vnd.usda", *data, bytes};
    if (source == FROM_BODY && cli_media_of(path))
        body->media_type = cli_media_of(path);
    return code;
}

int cli_has_meshes(const struct cli_meshes *meshes)
{
    return meshes->scene || meshes->one.mesh.n_faces > 0;
}

void cli_meshes_close(struct cli_meshes *meshes)
{
    cli_scene_close(meshes->scene);
    cli_cage_free(&meshes->one);
}

/* ---- one of several meshes --------------------------------------------------------------------------------------- */

/* A path says a mesh, and so does the last name of one. */
static int is_said(const char *path, const char *said)
{
    return strcmp(path, said) == 0 || strcmp(strrchr(path, '/') + 1, said) == 0;
}

static int which(const struct cli *c, const char *path, const struct cli_scene_row *rows, int64_t n)
{
    char list[200] = "";
    size_t used = 0;
    int64_t k = 0;
    for (; k < n && used < sizeof list - 100; k++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%.50s: %s vertices, %s faces", k ? "; " : "",
                                 rows[k].path, cli_count(rows[k].vertices), cli_count(rows[k].faces));
    if (k < n)
        snprintf(list + used, sizeof list - used, "; and %s more", cli_count(n - k));
    if (c->prim)
        return cli_fail(c, EXIT_USAGE, "%.100s has no one mesh %.50s; it has %s (%s)", path, c->prim, cli_count(n),
                        list);
    return cli_fail(
        c, EXIT_USAGE,
        "%.100s has %s meshes (%s): ask for one by its path (--prim PATH), or store each as a mesh (subd push "
        "--all)",
        path, cli_count(n), list);
}

/* ---- pushing ----------------------------------------------------------------------------------------------------- */

static void tell_welded(const struct subd_mesh *m, const struct cli_welded *w)
{
    if (w->after < w->before)
        cli_warn("%s vertices are welded into %s by their positions%s%s; --no-weld leaves them apart",
                 cli_count(w->before), cli_count(w->after), m->n_uvs ? ", UVs are kept for each corner" : "",
                 w->spread ? ", and so are colours that differ" : "");
    if (w->faces_lost)
        cli_warn("%s faces have fewer than three corners once their vertices are welded, and are left out",
                 cli_count(w->faces_lost));
    if (w->faces_cut)
        cli_warn("%s faces have fewer corners once their vertices are welded", cli_count(w->faces_cut));
}

/* Pushes a mesh of which something was `lost` so many times, welded unless the command line forbids it. Returns -1 to
 * go on, or the exit code. */
static int push_mesh(struct cli *c, const struct subd_mesh *m, int64_t lost, const struct subd_push *p,
                     struct subd_mesh_info *info)
{
    struct cli_cage welded = {.mesh = *m};
    struct cli_welded told = {0};
    struct subd_error err;
    int code = -1;
    if (c->strict && lost)
        return cli_fail(c, EXIT_USAGE, "something of the file is left out, which --strict refuses");
    if (cli_weld(m, c->no_weld ? CLI_APART : c->weld < 0 ? CLI_SEAMS : c->weld, &welded, &told) != 0)
        return cli_fail(c, EXIT_LOCAL, "no memory to weld the mesh");
    tell_welded(&welded.mesh, &told);
    if (m->n_faces > 0 && welded.mesh.n_faces == 0)
        code = cli_fail(c, EXIT_USAGE,
                        "no face is left once the vertices are welded; take a smaller --weld, or --no-weld");
    else if (subd_push_mesh(c->client, &welded.mesh, p, info, &err) != SUBD_OK)
        code = cli_report(c, &err);
    cli_cage_free(&welded);
    if (code < 0)
        cli_print_warnings(c);
    return code;
}

static int push_row(struct cli *c, const struct cli_meshes *meshes, int64_t k, const struct subd_push *p,
                    struct subd_mesh_info *info)
{
    const int64_t before = cli_lost();
    struct cli_cage cage;
    int code;
    if (!meshes->scene)
        return push_mesh(c, &meshes->one.mesh, meshes->lost, p, info);
    code = cli_scene_cage(c, meshes->scene, k, &cage);
    if (code < 0) {
        code = push_mesh(c, &cage.mesh, meshes->lost + cli_lost() - before, p, info);
        cli_cage_free(&cage);
    }
    return code;
}

static const struct cli_scene_row *rows_of(const struct cli_meshes *meshes, int64_t *n)
{
    static const struct cli_scene_row one = {"/", 0, 0};
    *n = 1;
    return meshes->scene ? cli_scene_rows(meshes->scene, n) : &one;
}

int cli_push_one(struct cli *c, const char *path, const struct cli_meshes *meshes, const struct subd_push *p,
                 struct subd_mesh_info *info)
{
    int64_t n, found = 0, at = 0;
    const struct cli_scene_row *rows = rows_of(meshes, &n);
    for (int64_t k = 0; k < n; k++)
        if (!c->prim || is_said(rows[k].path, c->prim)) {
            at = k;
            found++;
        }
    return found == 1 ? push_row(c, meshes, at, p, info) : which(c, path, rows, n);
}

int cli_push_all(struct cli *c, const struct cli_meshes *meshes, const struct subd_push *asked,
                 void (*each)(struct cli *c, const struct subd_mesh_info *info))
{
    int64_t n;
    const struct cli_scene_row *rows = rows_of(meshes, &n);
    int first = EXIT_DONE;
    for (int64_t k = 0; k < n && !cli_stopped(); k++) {
        struct subd_push p = *asked;
        struct subd_mesh_info info;
        int code;
        if (meshes->scene)
            p.name = rows[k].path;
        cli_about(meshes->scene ? rows[k].path : NULL);
        code = push_row(c, meshes, k, &p, &info);
        cli_about(NULL);
        if (code < 0)
            each(c, &info);
        else if (first == EXIT_DONE)
            first = code;
    }
    return cli_stopped() ? EXIT_STOPPED : first;
}

int cli_push_again(struct cli *c, const struct subd_push *asked, struct subd_mesh_info *info)
{
    struct subd_push p = *asked;
    struct subd_cage cage;
    struct subd_error err, ignored;
    char read[sizeof info->id];
    int code;
    memcpy(read, info->id, sizeof read);
    if (subd_cage_arrays(c->client, read, &cage, &err) == SUBD_OK) {
        for (int i = 0; i < SUBD_N_OPTIONS; i++)
            p.options[i] = p.options[i] ? p.options[i] : cage.options[i];
        p.name = p.name ? p.name : cage.name;
        code = push_mesh(c, cage.mesh, 0, &p, info);
        subd_cage_free(&cage);
    } else
        code = cli_report(c, &err);
    if (subd_delete(c->client, read, 0, &ignored) != SUBD_OK)
        cli_warn("the mesh %s, as it was before it was welded, stays on the server: %s", read, ignored.text);
    return code;
}
