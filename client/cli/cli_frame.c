/* SPDX-License-Identifier: Apache-2.0 */
/* cli_frame.c: brings a frame from the server into a file, for the verbs refine and patches. */
#include "cli_import.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* How many options that only a pushed mesh can have (--scheme, --name and so on) were given. */
static int mesh_options(const struct cli *c)
{
    int n = (c->reorder != NULL) + (c->name != NULL) + c->strict;
    for (int i = 0; i < SUBD_N_OPTIONS; i++)
        n += c->options[i] != NULL;
    return n;
}

/* What looks like a file is one even if it is not there, so that a mistyped path is told as such. */
static int is_file(const char *path)
{
    struct stat st;
    return strcmp(path, "-") == 0 || strchr(path, '/') || cli_media_of(path) || cli_is_import(path) ||
           (stat(path, &st) == 0 && !S_ISDIR(st.st_mode));
}

int cli_mesh_begin(struct cli *c, const char *text, int *temporary)
{
    struct subd_error err;
    int code;
    if ((*temporary = is_file(text))) {
        cli_hold(1); /* Only the answer tells which mesh must be removed again. */
        code = cli_push_file(c, text, &c->mesh);
        cli_hold(0);
        *temporary = code < 0;
        return code;
    }
    if (mesh_options(c))
        return cli_fail(c, EXIT_USAGE, "mesh options go with a FILE; \"%.80s\" is none here, and a mesh has its own",
                        text);
    if (subd_find(c->client, text, &c->mesh, &err) == SUBD_OK)
        return -1;
    if (err.http_status == 404) /* The library's sentence says only that there is no such mesh. */
        snprintf(
            err.text, sizeof err.text,
            "\"%.80s\" is neither a file here nor a mesh's id, name or beginning of an id; `subd ls` lists the meshes",
            text);
    return cli_report(c, &err);
}

int cli_mesh_end(struct cli *c, int temporary, int code)
{
    struct subd_error err;
    int rc = SUBD_OK;
    if (temporary) {
        cli_hold(1);
        rc = subd_delete(c->client, c->mesh.id, 0, &err);
        cli_hold(0);
    }
    if (rc == SUBD_OK)
        return code;
    if (code == EXIT_DONE)
        return cli_report(c, &err);
    cli_warn("the mesh %s stays on the server: %s", c->mesh.id, err.text);
    return code;
}

/* Seconds that each part took. */
struct times {
    double push, fetch, write;
};

static int print_json(const struct cli *c, const struct cli_product *p, const struct subd_frame *f,
                      const struct times *t, int64_t written)
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
    if (p->add_json)
        p->add_json(o, f);
    a = cJSON_AddArrayToObject(o, "blocks");
    for (int i = 0; i < f->n_blocks; i++) {
        cJSON *row = cli_block_json(a, &f->blocks[i]);
        snprintf(digest, sizeof digest, "%016" PRIx64, f->blocks[i].digest);
        if (f->blocks[i].digest)
            cJSON_AddStringToObject(row, "digest", digest);
    }
    a = cJSON_AddObjectToObject(o, "serverSeconds");
    for (int i = 0; i < f->n_timings; i++)
        cJSON_AddNumberToObject(a, f->timings[i].phase, f->timings[i].seconds);
    a = cJSON_AddObjectToObject(o, "seconds");
    cJSON_AddNumberToObject(a, "push", t->push);
    cJSON_AddNumberToObject(a, c->verb, t->fetch);
    cJSON_AddNumberToObject(a, "write", t->write);
    cli_add_warnings(o);
    if (c->output) {
        cJSON_AddStringToObject(o, "output", c->output);
        cJSON_AddNumberToObject(o, "outputBytes", (double)written);
    }
    return cli_print_json(c, o);
}

static void print_text(const struct cli *c, const struct cli_product *p, const struct subd_frame *f,
                       const struct times *t, int64_t written)
{
    FILE *to = c->output && strcmp(c->output, "-") == 0 ? stderr : stdout;
    p->print(to, f);
    fprintf(to, "  %s in %s, %s/s%s", cli_bytes((double)f->frame_bytes), cli_seconds(t->fetch),
            cli_bytes((double)f->frame_bytes / t->fetch), f->n_timings ? " (there:" : "\n");
    for (int i = 0; i < f->n_timings; i++)
        fprintf(to, " %s %s%s", f->timings[i].phase, cli_seconds(f->timings[i].seconds),
                i + 1 < f->n_timings ? "," : ")\n");
    if (c->output)
        fprintf(to, "  %s: %s written in %s\n", c->output, cli_bytes((double)written), cli_seconds(t->write));
}

/* Pushes or looks up the mesh, fetches the frame, and removes the mesh again if it was pushed. */
static int fetch(struct cli *c, const struct cli_product *p, struct subd_frame *f, struct times *t)
{
    struct subd_error err;
    double start = cli_now();
    int temporary = 0, code = c->has_mesh ? -1 : cli_mesh_begin(c, c->args[0], &temporary);
    if (code >= 0)
        return code;
    t->push = cli_now() - start;
    start = cli_now();
    if (p->fetch(c, &c->mesh, f, &err) == SUBD_OK)
        code = EXIT_DONE;
    else if (c->writer && c->writer->failed && c->writer->failed != ECANCELED)
        code = cli_fail_write(c, c->output, c->writer->failed);
    else
        code = cli_report(c, &err);
    t->fetch = cli_now() - start;
    return cli_mesh_end(c, temporary, code);
}

static int is_device(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

/* Positions alone are not a mesh, so they go only into a frame. */
int cli_choose_format(const struct cli *c, const struct cli_product *p, int *format)
{
    char list[64] = "";
    size_t n = 0;
    *format = -1;
    if (!c->output)
        return -1;
    for (int i = 0; i < CLI_FORMATS && p->formats[i].suffix; i++) {
        if (c->only_positions && strcmp(p->formats[i].suffix, ".frame") != 0)
            continue;
        if (cli_ends_with(c->output, p->formats[i].suffix) || (*format < 0 && strcmp(c->output, "-") == 0) ||
            (c->only_positions && is_device(c->output)))
            *format = i;
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", n ? ", " : "", p->formats[i].suffix);
    }
    if (*format < 0)
        return cli_fail(c, EXIT_USAGE, "the output %s is none of %s", c->output, list);
    if (c->json && strcmp(c->output, "-") == 0)
        return cli_fail(c, EXIT_USAGE, "--json and the mesh cannot both go to stdout; use -o FILE");
    return -1;
}

static int is_compact(const struct subd_block *b)
{
    return b->semantic & CLI_COMPACT && strcmp(b->type, "f32") != 0;
}

/* Makes *plain a copy of the frame in which compact blocks are floats, as all writers but that of frames need them. The
 * caller frees *memory. Returns 0 when there is no memory. */
static int as_floats(const struct subd_frame *f, struct subd_frame *plain, void **memory)
{
    int64_t rows = 0;
    float *to;
    *plain = *f;
    for (int i = 0; i < f->n_blocks; i++)
        rows += is_compact(&f->blocks[i]) ? f->blocks[i].count : 0;
    if (rows == 0)
        return 1;
    if (!(to = *memory = malloc((size_t)rows * 3 * sizeof *to)))
        return 0;
    for (int i = 0; i < f->n_blocks; i++) {
        struct subd_block *b = &plain->blocks[i];
        if (!is_compact(b) || subd_block_decode(b, 0, b->count, to) != SUBD_OK)
            continue;
        b->data = to;
        b->components = b->semantic == SUBD_UVS ? 2 : 3;
        b->bytes = b->count * b->components * (int64_t)sizeof *to;
        to += b->count * b->components;
    }
    return 1;
}

int cli_store(struct cli *c, struct cli_writer *w, const struct cli_format *format, const struct subd_frame *f,
              double *seconds, int64_t *written)
{
    double start = cli_now();
    struct subd_frame plain = *f;
    void *memory = NULL;
    if (format && format->write != cli_write_frame && !as_floats(f, &plain, &memory)) {
        cli_writer_close(w, 0);
        return cli_fail(c, EXIT_LOCAL, "no memory");
    }
    w->mesh_name = c->mesh.name;
    if (format && format->write)
        format->write(w, &plain);
    else if (format)
        cli_write_surface(w, &plain, format->suffix);
    free(memory);
    if (cli_writer_close(w, 1) != 0 && w->why)
        return cli_fail(c, EXIT_FILE, "%s cannot be written: %s", c->output, w->why);
    if (w->failed)
        return errno == ECANCELED ? cli_fail(c, EXIT_STOPPED, "stopped; %s was not written", c->output)
                                  : cli_fail_write(c, c->output, errno);
    *seconds = cli_now() - start;
    *written = w->total;
    cli_progress_clear();
    return EXIT_DONE;
}

int cli_sink(void *arg, const struct subd_frame *f, const struct subd_block *b, int64_t at, const void *data, size_t n)
{
    static const char zeros[64];
    struct cli_writer *w = ((struct cli *)arg)->writer;
    if (!w)
        return 0;
    if (at == 0) { /* The frame has one block, so the head and the gap are due here. */
        cli_put(w, f->head, (size_t)f->head_bytes);
        cli_put(w, zeros, (size_t)(b->offset - f->head_bytes) % sizeof zeros);
    }
    cli_put(w, data, n);
    return w->failed;
}

int cli_fetch(struct cli *c, const struct cli_product *p)
{
    struct subd_frame frame = {0};
    struct times times = {0};
    struct cli_writer w;
    int64_t written = 0;
    int format, code = cli_choose_format(c, p, &format);
    if (code >= 0)
        return code;
    /* The file is opened before any work, so that a folder that cannot be written to is found at once. */
    if (format >= 0 && cli_writer_open(&w, c->output) != 0)
        return cli_fail_write(c, c->output, errno);
    c->writer = format >= 0 ? &w : NULL;
    code = fetch(c, p, &frame, &times);
    if (format >= 0 && code == EXIT_DONE)
        code = cli_store(c, &w, c->only_positions ? NULL : &p->formats[format], &frame, &times.write, &written);
    else if (format >= 0)
        cli_writer_close(&w, 0);
    if (code == EXIT_DONE) {
        cli_progress_clear();
        for (int i = 0; i < frame.n_warnings; i++)
            cli_warn("%s", frame.warnings[i]);
        if (c->json)
            code = print_json(c, p, &frame, &times, written);
        else if (!c->many)
            print_text(c, p, &frame, &times, written);
    }
    subd_frame_free(&frame);
    return code;
}
