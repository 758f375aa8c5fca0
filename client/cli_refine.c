/* SPDX-License-Identifier: Apache-2.0 */
/* cli_refine.c: refine and plan. */
#include "cli.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cli_mesh_begin(struct cli *c, const char *id_or_file, struct subd_mesh_info *info, int *temporary)
{
    struct subd_error err;
    int code;
    /* Ids have neither dots nor slashes; a file without either is known by being there. */
    *temporary = strpbrk(id_or_file, "./") || strcmp(id_or_file, "-") == 0 || access(id_or_file, F_OK) == 0;
    if (*temporary) {
        cli_hold(1); /* once sent, only the answer tells which mesh to remove again */
        code = cli_push_file(c, id_or_file, info);
        cli_hold(0);
        *temporary = code < 0;
        return code;
    }
    if (!cli_is_id(id_or_file))
        return cli_fail(c, EXIT_USAGE, "\"%.80s\" is neither a mesh id (m_...; `subd ls` lists them) nor a file here",
                        id_or_file);
    if (cli_mesh_options(c))
        return cli_fail(c, EXIT_USAGE, "mesh options go with a FILE; the mesh %s has its own", id_or_file);
    return subd_show(c->client, id_or_file, info, &err) == SUBD_OK ? -1 : cli_report(c, &err);
}

int cli_mesh_end(struct cli *c, const struct subd_mesh_info *info, int temporary, int code)
{
    struct subd_error err;
    int rc = SUBD_OK;
    if (temporary) {
        cli_hold(1);
        rc = subd_delete(c->client, info->id, 0, &err);
        cli_hold(0);
    }
    if (rc == SUBD_OK)
        return code;
    if (code == EXIT_DONE)
        return cli_report(c, &err);
    cli_warn("the mesh %s stays on the server: %s", info->id, err.text);
    return code;
}

enum format { NONE, OBJ, PLY, BAD };

static enum format format_of(const char *path)
{
    size_t n = path ? strlen(path) : 0;
    if (!path)
        return NONE;
    if (strcmp(path, "-") == 0 || (n > 4 && strcasecmp(path + n - 4, ".obj") == 0))
        return OBJ;
    return n > 4 && strcasecmp(path + n - 4, ".ply") == 0 ? PLY : BAD;
}

static void request_of(const struct cli *c, const struct subd_mesh_info *m, struct subd_refine *r)
{
    *r = (struct subd_refine){
        .level = c->level, .surface = c->surface, .method = c->method, .skip_digests = c->skip_digests};
    r->include = SUBD_POSITIONS | SUBD_INDICES | (c->normals ? SUBD_NORMALS : 0);
    if (m->uvs && strcmp(m->options[SUBD_FACE_VARYING], "all") == 0 && strcmp(m->options[SUBD_SCHEME], "sqrt3") != 0)
        r->include |= SUBD_UVS | SUBD_UV_INDICES;
}

struct times {
    double push, refine, write;
};

static int print_json(const struct cli *c, const struct subd_frame *f, const struct times *t, int64_t written)
{
    cJSON *o = cJSON_CreateObject(), *a;
    char digest[24];
    cJSON_AddStringToObject(o, "id", f->mesh_id);
    cJSON_AddNumberToObject(o, "version", (double)f->version);
    cJSON_AddStringToObject(o, "topologyId", f->topology_id);
    cJSON_AddNumberToObject(o, "level", f->level);
    cJSON_AddStringToObject(o, "surface", f->surface);
    cJSON_AddStringToObject(o, "method", f->method);
    cJSON_AddStringToObject(o, "backend", f->backend);
    cJSON_AddNumberToObject(o, "vertices", (double)f->vertices);
    cJSON_AddNumberToObject(o, "faces", (double)f->faces);
    cJSON_AddNumberToObject(o, "edges", (double)f->edges);
    cJSON_AddNumberToObject(o, "bytes", (double)f->frame_bytes);
    a = cJSON_AddArrayToObject(o, "blocks");
    for (int i = 0; i < f->n_blocks; i++) {
        snprintf(digest, sizeof digest, "%016" PRIx64, f->blocks[i].digest);
        cJSON_AddStringToObject(cli_block_json(a, &f->blocks[i]), "digest", digest);
    }
    a = cJSON_AddObjectToObject(o, "serverSeconds");
    for (int i = 0; i < f->n_timings; i++)
        cJSON_AddNumberToObject(a, f->timings[i].phase, f->timings[i].seconds);
    a = cJSON_AddObjectToObject(o, "seconds");
    cJSON_AddNumberToObject(a, "push", t->push);
    cJSON_AddNumberToObject(a, "refine", t->refine);
    cJSON_AddNumberToObject(a, "write", t->write);
    a = cJSON_AddArrayToObject(o, "warnings");
    for (int i = 0; i < f->n_warnings; i++)
        cJSON_AddItemToArray(a, cJSON_CreateString(f->warnings[i]));
    if (c->output) {
        cJSON_AddStringToObject(o, "output", c->output);
        cJSON_AddNumberToObject(o, "outputBytes", (double)written);
    }
    return cli_print_json(c, o);
}

static void print_text(const struct cli *c, const struct subd_frame *f, const struct times *t, int64_t written)
{
    FILE *to = c->output && strcmp(c->output, "-") == 0 ? stderr : stdout;
    fprintf(to, "level %d: %s vertices, %s faces by %s on %s\n", f->level, cli_count(f->vertices), cli_count(f->faces),
            f->method, f->backend);
    fprintf(to, "  %s in %.1f ms, %s/s%s", cli_bytes((double)f->frame_bytes), t->refine * 1e3,
            cli_bytes((double)f->frame_bytes / t->refine), f->n_timings ? " (there:" : "\n");
    for (int i = 0; i < f->n_timings; i++)
        fprintf(to, " %s %.2f ms%s", f->timings[i].phase, f->timings[i].seconds * 1e3,
                i + 1 < f->n_timings ? "," : ")\n");
    if (c->output)
        fprintf(to, "  %s: %s written in %.1f ms\n", c->output, cli_bytes((double)written), t->write * 1e3);
}

/* Pushes (or looks up), refines, removes again. */
static int fetch(struct cli *c, struct subd_frame *f, struct times *t)
{
    struct subd_mesh_info info = {0};
    struct subd_refine request;
    struct subd_error err;
    double start = cli_now();
    int temporary, code = cli_mesh_begin(c, c->args[0], &info, &temporary);
    if (code >= 0)
        return code;
    t->push = cli_now() - start;
    request_of(c, &info, &request);
    if (info.uvs && strcmp(info.options[SUBD_SCHEME], "sqrt3") == 0)
        cli_warn("the mesh's UVs are left out: scheme sqrt3 makes none");
    else if (info.uvs && !(request.include & SUBD_UVS))
        cli_warn("the mesh's UVs are left out: refining them needs the face-varying interpolation `all`, and this mesh "
                 "has `%s`",
                 info.options[SUBD_FACE_VARYING]);
    start = cli_now();
    code = subd_refine(c->client, info.id, &request, f, &err) == SUBD_OK ? EXIT_DONE : cli_report(c, &err);
    t->refine = cli_now() - start;
    return cli_mesh_end(c, &info, temporary, code);
}

static int store(struct cli *c, struct cli_writer *w, enum format format, const struct subd_frame *f, struct times *t,
                 int64_t *written)
{
    double start = cli_now();
    if (format == OBJ)
        cli_write_obj(w, f);
    else
        cli_write_ply(w, f);
    if (cli_writer_close(w, 1) != 0)
        return errno == ECANCELED ? cli_fail(c, EXIT_STOPPED, "stopped; %s was not written", c->output)
                                  : cli_fail(c, EXIT_FILE, "%s cannot be written: %s", c->output, strerror(errno));
    t->write = cli_now() - start;
    *written = w->total;
    cli_progress_clear();
    return EXIT_DONE;
}

int cli_refine(struct cli *c)
{
    enum format format = format_of(c->output);
    struct subd_frame frame = {0};
    struct times times = {0};
    struct cli_writer w;
    int64_t written = 0;
    int code;
    if (format == BAD)
        return cli_fail(c, EXIT_USAGE, "the output %s is neither .obj nor .ply", c->output);
    if (c->json && c->output && strcmp(c->output, "-") == 0)
        return cli_fail(c, EXIT_USAGE, "--json and the mesh cannot both go to stdout; use -o FILE");
    /* Before any work: a folder that cannot be written to is known now. */
    if (format != NONE && cli_writer_open(&w, c->output) != 0)
        return cli_fail(c, EXIT_FILE, "%s cannot be written: %s", c->output, strerror(errno));
    code = fetch(c, &frame, &times);
    if (format != NONE && code == EXIT_DONE)
        code = store(c, &w, format, &frame, &times, &written);
    else if (format != NONE)
        cli_writer_close(&w, 0);
    if (code == EXIT_DONE) {
        cli_progress_clear();
        for (int i = 0; i < frame.n_warnings; i++)
            cli_warn("%s", frame.warnings[i]);
        if (c->json)
            code = print_json(c, &frame, &times, written);
        else
            print_text(c, &frame, &times, written);
    }
    subd_frame_free(&frame);
    return code;
}

int cli_plan(struct cli *c)
{
    struct subd_mesh_info info;
    struct subd_refine request;
    struct subd_error err;
    struct subd_plan p;
    cJSON *o, *a;
    if (subd_show(c->client, c->args[0], &info, &err) != SUBD_OK)
        return cli_report(c, &err);
    request_of(c, &info, &request);
    if (subd_get_plan(c->client, c->args[0], &request, &p, &err) != SUBD_OK)
        return cli_report(c, &err);
    cli_progress_clear();
    if (!c->json) {
        printf("level %d: %s vertices, %s faces, %s edges by %s\n", p.level, cli_count(p.vertices), cli_count(p.faces),
               cli_count(p.edges), p.method);
        printf("  frame %s, device %s of %s, host %s, about %.1f ms\n", cli_bytes((double)p.frame_bytes),
               cli_bytes((double)p.device_bytes), cli_bytes((double)p.available_device_bytes),
               cli_bytes((double)p.host_bytes), p.estimated_ms);
        if (!p.fits)
            printf("  does not fit now: needs %s, the limit is %s\n", cli_bytes((double)p.needed),
                   cli_bytes((double)p.limit));
        return EXIT_DONE;
    }
    o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "method", p.method);
    cJSON_AddNumberToObject(o, "level", p.level);
    cJSON_AddNumberToObject(o, "vertices", (double)p.vertices);
    cJSON_AddNumberToObject(o, "faces", (double)p.faces);
    cJSON_AddNumberToObject(o, "edges", (double)p.edges);
    cJSON_AddNumberToObject(o, "frameBytes", (double)p.frame_bytes);
    cJSON_AddNumberToObject(o, "deviceBytes", (double)p.device_bytes);
    cJSON_AddNumberToObject(o, "hostBytes", (double)p.host_bytes);
    cJSON_AddNumberToObject(o, "availableDeviceBytes", (double)p.available_device_bytes);
    cJSON_AddNumberToObject(o, "estimatedMs", p.estimated_ms);
    cJSON_AddBoolToObject(o, "fits", p.fits);
    if (!p.fits) {
        cJSON_AddNumberToObject(o, "needed", (double)p.needed);
        cJSON_AddNumberToObject(o, "limit", (double)p.limit);
    }
    a = cJSON_AddArrayToObject(o, "blocks");
    for (int i = 0; i < p.n_blocks; i++)
        cli_block_json(a, &p.blocks[i]);
    return cli_print_json(c, o);
}
