/* SPDX-License-Identifier: Apache-2.0 */
/* cli_print.c: prints what the user reads, as text or JSON, for all verbs: errors, warnings, meshes. */
#include "cli.h"
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

static const char *about; /* The file among many that sentences are about; NULL is none. */

void cli_about(const char *file)
{
    about = file;
}

/* Has whoever read stdout left? Then there is nobody to tell that it cannot be written. */
static int is_unread(void)
{
    struct pollfd p = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&p, 1, 0) > 0 && p.revents & POLLERR;
}

int cli_flush(int code)
{
    const int failed = fflush(stdout) != 0 || ferror(stdout);
    if (!failed || code != EXIT_DONE)
        return code;
    if (is_unread())
        return EXIT_UNREAD;
    fputs("subd: stdout cannot be written\n", stderr);
    return EXIT_FILE;
}

int cli_fail_write(const struct cli *c, const char *path, int error)
{
    return error == EPIPE ? EXIT_UNREAD
                          : cli_fail(c, EXIT_FILE, "%s cannot be written: %s", strcmp(path, "-") == 0 ? "stdout" : path,
                                     strerror(error));
}

int cli_print_json(const struct cli *c, cJSON *o)
{
    char *text;
    if (c->results) {
        if (about)
            cJSON_AddStringToObject(o, "input", about);
        cJSON_AddItemToArray(c->results, o);
        return EXIT_DONE;
    }
    text = o ? cJSON_Print(o) : NULL;
    if (text)
        puts(text);
    cJSON_free(text);
    cJSON_Delete(o);
    return text ? cli_flush(EXIT_DONE) : cli_fail(&(struct cli){0}, EXIT_LOCAL, "no memory");
}

static int exit_code(const struct subd_error *e)
{
    switch (e->code) {
    case SUBD_EUSAGE: return EXIT_USAGE;
    case SUBD_ENETWORK:
    case SUBD_ETIMEOUT: return EXIT_NETWORK;
    case SUBD_EHTTP: return e->http_status >= 500 ? EXIT_SERVER : EXIT_REFUSED;
    case SUBD_EPROTOCOL:
    case SUBD_EDIGEST: return EXIT_ANSWER;
    case SUBD_ECANCELLED: return EXIT_STOPPED;
    default: return EXIT_LOCAL;
    }
}

static void add_count(cJSON *o, const char *key, int64_t n)
{
    if (n)
        cJSON_AddNumberToObject(o, key, (double)n);
}

static void add_text(cJSON *o, const char *key, const char *s)
{
    if (*s)
        cJSON_AddStringToObject(o, key, s);
}

#define MOST_SHOWN 20 /* Meshes of a file, to people. */
/* The Meshes that the last answer lists, as an array; NULL when there are none. */
static cJSON *prims_json(const struct cli *c)
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

static void tell_prims(const struct cli *c)
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

static void error_json(const struct cli *c, const char *kind, const struct subd_error *e, int exit)
{
    cJSON *o = cJSON_CreateObject(), *r = cJSON_AddObjectToObject(o, "error");
    cJSON_AddStringToObject(r, "kind", kind);
    cJSON_AddStringToObject(r, "message", e->text);
    cJSON_AddNumberToObject(r, "exit", exit);
    add_count(r, "status", e->http_status);
    add_text(r, "code", e->problem);
    add_text(r, "field", e->field);
    add_text(r, "requestId", e->request_id);
    add_count(r, "currentVersion", e->current_version);
    add_count(r, "limit", e->limit);
    add_count(r, "needed", e->needed);
    add_count(r, "available", e->available);
    add_count(r, "retryAfterMs", e->retry_after_ms);
    cJSON *prims = c->client ? prims_json(c) : NULL;
    if (prims)
        cJSON_AddItemToObject(r, "prims", prims);
    cli_add_warnings(o);
    cli_print_json(c, o);
}

/* Prints how a sentence begins, with the file that it is about unless it names that itself. */
static void say(const char *text)
{
    const int names = !about || strstr(text, about);
    cli_progress_clear();
    fprintf(stderr, "subd: %s%s%s", names ? "" : about, names ? "" : ": ", text);
}

/* It prints, for example, "subd: face 7 uses vertex 12 of 8 (invalid_mesh, field faceVertexIndices, HTTP 422, request
 * 4f1c)". */
int cli_report(const struct cli *c, const struct subd_error *e)
{
    int exit = exit_code(e);
    say(e->code == SUBD_ECANCELLED ? "stopped" : e->text);
    if (e->code == SUBD_ENETWORK)
        cli_say_start(c);
    if (e->http_status) {
        fprintf(stderr, " (%s%s", e->problem, *e->problem ? ", " : "");
        if (*e->field)
            fprintf(stderr, "field %s, ", e->field);
        if (e->needed)
            fprintf(stderr, "needs %s, ", cli_count(e->needed));
        if (e->available)
            fprintf(stderr, "has %s, ", cli_count(e->available));
        if (e->limit)
            fprintf(stderr, "limit %s, ", cli_count(e->limit));
        if (e->current_version)
            fprintf(stderr, "current version %lld, ", (long long)e->current_version);
        fprintf(stderr, "HTTP %d%s%s)", e->http_status, *e->request_id ? ", request " : "", e->request_id);
    } else if (*e->request_id) {
        fprintf(stderr, " (request %s)", e->request_id);
    }
    fputc('\n', stderr);
    tell_prims(c);
    if (c->json)
        error_json(c, subd_code_name(e->code), e, exit);
    return exit;
}

int cli_fail(const struct cli *c, int exit_code, const char *format, ...)
{
    struct subd_error e = {0};
    va_list args;
    va_start(args, format);
    vsnprintf(e.text, sizeof e.text, format, args);
    va_end(args);
    say(e.text);
    fputc('\n', stderr);
    if (c->json)
        error_json(c, exit_code == EXIT_USAGE ? "usage" : exit_code == EXIT_FILE ? "file" : "local", &e, exit_code);
    return exit_code;
}

static cJSON *warned;  /* The warnings since cli_add_warnings; NULL when there are none. */
static cJSON *printed; /* All that were printed: among many files each is printed once. */

static int is_printed(const char *text)
{
    const cJSON *old;
    cJSON_ArrayForEach(old, printed)
    {
        if (strcmp(old->valuestring, text) == 0)
            return 1;
    }
    if (!printed)
        printed = cJSON_CreateArray();
    cJSON_AddItemToArray(printed, cJSON_CreateString(text));
    return 0;
}

void cli_warn(const char *format, ...)
{
    char text[1024];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    if (!is_printed(text)) {
        say(text);
        fputc('\n', stderr);
    }
    if (!warned)
        warned = cJSON_CreateArray();
    cJSON_AddItemToArray(warned, cJSON_CreateString(text));
}

void cli_add_warnings(cJSON *o)
{
    cJSON_AddItemToObject(o, "warnings", warned ? warned : cJSON_CreateArray());
    warned = NULL;
}

/* The option names in the daemon's own JSON. */
static const char *const option_keys[SUBD_N_OPTIONS] = {
    "subdivisionScheme",       "interpolateBoundary", "faceVaryingLinearInterpolation",
    "triangleSubdivisionRule", "creaseMethod",        "orientation",
};

static cJSON *primvars_json(const struct subd_mesh_info *m)
{
    cJSON *a = cJSON_CreateArray();
    for (int i = 0; i < m->n_primvars; i++) {
        cJSON *o = cJSON_CreateObject();
        cJSON_AddStringToObject(o, "name", m->primvars[i].name);
        cJSON_AddStringToObject(o, "interpolation", m->primvars[i].interpolation);
        cJSON_AddStringToObject(o, "type", m->primvars[i].type);
        cJSON_AddNumberToObject(o, "width", m->primvars[i].width);
        cJSON_AddNumberToObject(o, "values", (double)m->primvars[i].values);
        add_count(o, "sets", m->primvars[i].sets);
        cJSON_AddItemToArray(a, o);
    }
    return a;
}

cJSON *cli_info_json(const struct subd_mesh_info *m)
{
    cJSON *o = cJSON_CreateObject(), *options;
    cJSON_AddStringToObject(o, "id", m->id);
    cJSON_AddStringToObject(o, "name", m->name);
    cJSON_AddNumberToObject(o, "version", (double)m->version);
    cJSON_AddStringToObject(o, "topologyId", m->topology_id);
    options = cJSON_AddObjectToObject(o, "options");
    for (int i = 0; i < SUBD_N_OPTIONS; i++)
        cJSON_AddStringToObject(options, option_keys[i], m->options[i]);
    cJSON_AddNumberToObject(o, "vertices", (double)m->vertices);
    cJSON_AddNumberToObject(o, "faces", (double)m->faces);
    cJSON_AddNumberToObject(o, "corners", (double)m->corners);
    cJSON_AddNumberToObject(o, "edges", (double)m->edges);
    cJSON_AddNumberToObject(o, "uvs", (double)m->uvs);
    cJSON_AddBoolToObject(o, "manifold", m->manifold);
    add_text(o, "upAxis", m->up_axis);
    if (m->meters_per_unit > 0)
        cJSON_AddNumberToObject(o, "metersPerUnit", m->meters_per_unit);
    cJSON_AddItemToObject(o, "primvars", primvars_json(m));
    cJSON_AddStringToObject(o, "residency", m->residency);
    cJSON_AddNumberToObject(o, "deviceBytes", (double)m->device_bytes);
    cJSON_AddNumberToObject(o, "hostBytes", (double)m->host_bytes);
    if (m->pinned)
        cJSON_AddTrueToObject(o, "pinned");
    if (m->quarantined)
        cJSON_AddTrueToObject(o, "quarantined");
    cJSON_AddStringToObject(o, "created", m->created);
    cJSON_AddStringToObject(o, "updated", m->updated);
    if (m->bandwidth_before || m->bandwidth_after) {
        cJSON_AddNumberToObject(o, "bandwidthBefore", (double)m->bandwidth_before);
        cJSON_AddNumberToObject(o, "bandwidthAfter", (double)m->bandwidth_after);
    }
    return o;
}

static void add_stage(struct cli_table *t, const struct subd_mesh_info *m)
{
    char meters[32];
    snprintf(meters, sizeof meters, "%.15g", m->meters_per_unit);
    if (*m->up_axis)
        cli_table_row(t, "upAxis", m->up_axis);
    if (m->meters_per_unit > 0)
        cli_table_row(t, "metersPerUnit", meters);
}

void cli_print_info(const struct subd_mesh_info *m)
{
    struct cli_table t = {.columns = 2, .indent = "  "};
    printf("%s  name %s, version %lld\n", m->id, m->name, (long long)m->version);
    printf("  %s vertices, %s faces, %s corners, %s edges, %s UVs; %smanifold\n", cli_amount(m->vertices),
           cli_amount(m->faces), cli_amount(m->corners), cli_amount(m->edges), cli_amount(m->uvs),
           m->manifold ? "" : "not ");
    for (int i = 0; i < SUBD_N_OPTIONS; i++)
        cli_table_row(&t, option_keys[i], m->options[i]);
    add_stage(&t, m);
    for (int i = 0; i < m->n_primvars; i++) {
        const struct subd_primvar_info *p = &m->primvars[i];
        char name[sizeof p->name + 8], is[120], sets[48] = "";
        snprintf(name, sizeof name, "primvar %s", p->name);
        if (p->sets)
            snprintf(sets, sizeof sets, ", %s named sets", cli_amount(p->sets));
        snprintf(is, sizeof is, "%s, %d %s a row, %s rows%s", p->interpolation, p->width, p->type,
                 cli_amount(p->values), sets);
        cli_table_row(&t, name, is);
    }
    cli_table_print(&t);
    printf("  %son %s, %s there, %s in host memory\n", m->pinned ? "pinned, " : "", m->residency,
           cli_bytes((double)m->device_bytes), cli_bytes((double)m->host_bytes));
    if (m->quarantined)
        puts("  in quarantine: evaluating this mesh has ended the daemon twice");
    printf("  created %s, updated %s, topology %s\n", cli_when(m->created), cli_when(m->updated), m->topology_id);
}

const char *cli_block_name(int semantic)
{
    switch (semantic) {
    case SUBD_POSITIONS: return "positions";
    case SUBD_NORMALS: return "normals";
    case SUBD_NORMAL_INDICES: return "normal_indices";
    case SUBD_TANGENTS: return "tangents";
    case SUBD_INDICES: return "indices";
    case SUBD_UVS: return "uvs";
    case SUBD_PATCHES: return "patches";
    case SUBD_PATCH_PARAMS: return "patch_params";
    case SUBD_FACE_PARAMS: return "face_params";
    case SUBD_PRIMVAR: return "primvar";
    case SUBD_PRIMVAR_INDICES: return "primvar_indices";
    case SUBD_GAUSSIAN: return "gaussian";
    case SUBD_MEAN: return "mean";
    case SUBD_GEODESIC: return "geodesic";
    default: return "uv_indices";
    }
}

cJSON *cli_block_json(cJSON *blocks, const struct subd_block *b)
{
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "semantic", cli_block_name(b->semantic));
    add_text(o, "name", b->name);
    add_text(o, "interpolation", b->interpolation);
    add_text(o, "type", b->type);
    cJSON_AddNumberToObject(o, "components", b->components);
    cJSON_AddNumberToObject(o, "count", (double)b->count);
    cJSON_AddNumberToObject(o, "bytes", (double)b->bytes);
    cJSON_AddItemToArray(blocks, o);
    return o;
}
