/* SPDX-License-Identifier: Apache-2.0 */
/* cli_print.c: prints what the user reads, as text or JSON, for all verbs: errors, warnings, meshes, numbers. */
#include "cli.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double cli_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static char *slot(void)
{
    static char slots[8][40];
    static unsigned next;
    return slots[next++ % 8];
}

const char *cli_count(int64_t n)
{
    char digits[24], *to = slot(), *p = to;
    int length = snprintf(digits, sizeof digits, "%lld", (long long)n);
    for (int i = 0; i < length; i++) {
        *p++ = digits[i];
        if ((length - i) % 3 == 1 && i + 1 < length && digits[i] != '-')
            *p++ = ',';
    }
    *p = 0;
    return to;
}

const char *cli_bytes(double n)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    char *to = slot();
    int u = 0;
    for (; n >= 999.5 && u < 4; u++)
        n /= 1000;
    snprintf(to, 40, u == 0 || n >= 99.95 ? "%.0f %s" : "%.1f %s", n, units[u]);
    return to;
}

int cli_print_json(const struct cli *c, cJSON *o)
{
    char *text = o ? cJSON_Print(o) : NULL;
    int ok = text && puts(text) >= 0 && fflush(stdout) == 0;
    (void)c;
    cJSON_free(text);
    cJSON_Delete(o);
    if (ok)
        return EXIT_DONE;
    fputs("subd: stdout cannot be written\n", stderr);
    return EXIT_FILE;
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
    cli_add_warnings(o);
    cli_print_json(c, o);
}

/* It prints, for example, "subd: face 7 uses vertex 12 of 8 (invalid_mesh, field faceVertexIndices, HTTP 422, request
 * 4f1c)". */
int cli_report(const struct cli *c, const struct subd_error *e)
{
    int exit = exit_code(e);
    cli_progress_clear();
    fprintf(stderr, "subd: %s", e->text);
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
    cli_progress_clear();
    fprintf(stderr, "subd: %s\n", e.text);
    if (c->json)
        error_json(c, exit_code == EXIT_USAGE ? "usage" : exit_code == EXIT_FILE ? "file" : "local", &e, exit_code);
    return exit_code;
}

static cJSON *warned; /* The warnings so far; NULL when there are none. */

void cli_warn(const char *format, ...)
{
    char text[1024];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    cli_progress_clear();
    fprintf(stderr, "subd: %s\n", text);
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
    cJSON_AddItemToObject(o, "primvars", primvars_json(m));
    cJSON_AddStringToObject(o, "residency", m->residency);
    cJSON_AddNumberToObject(o, "deviceBytes", (double)m->device_bytes);
    cJSON_AddNumberToObject(o, "hostBytes", (double)m->host_bytes);
    cJSON_AddStringToObject(o, "created", m->created);
    cJSON_AddStringToObject(o, "updated", m->updated);
    if (m->bandwidth_before || m->bandwidth_after) {
        cJSON_AddNumberToObject(o, "bandwidthBefore", (double)m->bandwidth_before);
        cJSON_AddNumberToObject(o, "bandwidthAfter", (double)m->bandwidth_after);
    }
    return o;
}

void cli_print_info(const struct subd_mesh_info *m)
{
    printf("%s  name %s, version %lld\n", m->id, m->name, (long long)m->version);
    printf("  %s vertices, %s faces, %s corners, %s edges, %s UVs; %smanifold\n", cli_count(m->vertices),
           cli_count(m->faces), cli_count(m->corners), cli_count(m->edges), cli_count(m->uvs),
           m->manifold ? "" : "not ");
    for (int i = 0; i < SUBD_N_OPTIONS; i++)
        printf("  %-32s %s\n", option_keys[i], m->options[i]);
    for (int i = 0; i < m->n_primvars; i++)
        printf("  primvar %-24s %s, %d %s a row, %s rows\n", m->primvars[i].name, m->primvars[i].interpolation,
               m->primvars[i].width, m->primvars[i].type, cli_count(m->primvars[i].values));
    printf("  on %s, %s there, %s in host memory\n", m->residency, cli_bytes((double)m->device_bytes),
           cli_bytes((double)m->host_bytes));
    printf("  created %s, updated %s, topology %s\n", m->created, m->updated, m->topology_id);
}

const char *cli_block_name(int semantic)
{
    switch (semantic) {
    case SUBD_POSITIONS: return "positions";
    case SUBD_NORMALS: return "normals";
    case SUBD_TANGENTS: return "tangents";
    case SUBD_INDICES: return "indices";
    case SUBD_UVS: return "uvs";
    case SUBD_PATCHES: return "patches";
    case SUBD_PATCH_PARAMS: return "patch_params";
    case SUBD_FACE_PARAMS: return "face_params";
    case SUBD_PRIMVAR: return "primvar";
    case SUBD_PRIMVAR_INDICES: return "primvar_indices";
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
