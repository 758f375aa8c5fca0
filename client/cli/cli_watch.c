/* SPDX-License-Identifier: Apache-2.0 */
/* cli_watch.c: the verbs watch and events, which go on until Ctrl-C, or until --count. */
#include "cli.h"
#include "client/lib/subd_watch.h"
#include <errno.h>
#include <string.h>

/* A line for each answer, so that a program can read them as they come. */
static void print_line(cJSON *o)
{
    char *text = cJSON_PrintUnformatted(o);
    if (text)
        puts(text);
    cJSON_free(text);
    cJSON_Delete(o);
}

struct watching {
    struct cli *c;
    const struct cli_format *format; /* NULL without -o. */
    int64_t n;                       /* How many have come. */
    int code;                        /* EXIT_DONE while all goes well. */
};

static void print(const struct cli *c, const struct subd_frame *f, const struct subd_news *news)
{
    char from[48] = "whole";
    cli_progress_clear();
    if (c->json) {
        cJSON *o = cJSON_CreateObject();
        cJSON_AddStringToObject(o, "id", f->mesh_id);
        cJSON_AddNumberToObject(o, "version", (double)news->version);
        if (news->base)
            cJSON_AddNumberToObject(o, "base", (double)news->base);
        cJSON_AddNumberToObject(o, "bytes", (double)news->bytes);
        cJSON_AddNumberToObject(o, "frameBytes", (double)f->frame_bytes);
        cJSON_AddNumberToObject(o, "vertices", (double)f->vertices);
        cJSON_AddNumberToObject(o, "faces", (double)f->faces);
        print_line(o);
    } else {
        FILE *to = c->output && strcmp(c->output, "-") == 0 ? stderr : stdout;
        if (news->base)
            snprintf(from, sizeof from, "a delta from version %lld", (long long)news->base);
        fprintf(to, "version %lld: %s vertices, %s faces; %s of %s, %s\n", (long long)news->version,
                cli_amount(f->vertices), cli_amount(f->faces), cli_bytes((double)news->bytes),
                cli_bytes((double)f->frame_bytes), from);
        fflush(to);
    }
}

static int changed(void *arg, const struct subd_frame *frame, const struct subd_news *news)
{
    struct watching *w = arg;
    struct cli_writer writer;
    struct cli *c = w->c;
    double seconds;
    int64_t written;
    if (w->format && cli_writer_open(&writer, c->output) != 0)
        w->code = cli_fail_write(c, c->output, errno);
    else if (w->format)
        w->code = cli_store(c, &writer, w->format, frame, &seconds, &written);
    if (w->code != EXIT_DONE)
        return 1;
    print(c, frame, news);
    w->code = cli_flush(EXIT_DONE);
    return ++w->n == c->count || w->code != EXIT_DONE;
}

int cli_watch(struct cli *c)
{
    struct watching w = {.c = c};
    const struct subd_watch watch = SUBD_INIT(subd_watch, .changed = changed, .arg = &w);
    const struct cli_product *product = cli_refine_product();
    struct subd_frame frame = {0};
    struct subd_refine request;
    struct subd_error err;
    int format, code = cli_choose_format(c, product, &format);
    if (code >= 0)
        return code;
    w.format = format < 0 ? NULL : &product->formats[format];
    cli_refine_request(c, &c->mesh, &request);
    const int rc = subd_watch(c->client, c->mesh.id, &request, &watch, &frame, &err);
    subd_frame_free(&frame);
    return rc == SUBD_OK ? w.code : cli_report(c, &err);
}

/* With --json a line has the name and the id of the event, and its data. */
static int heard(void *arg, const struct subd_mesh_event *e)
{
    struct watching *w = arg;
    cli_progress_clear();
    if (w->c->json) {
        cJSON *o = cJSON_CreateObject();
        cJSON_AddStringToObject(o, "event", e->kind);
        if (e->version)
            cJSON_AddNumberToObject(o, "id", (double)e->version);
        cJSON_AddItemToObject(o, "data", cJSON_ParseWithLength(e->json, strlen(e->json)));
        print_line(o);
    } else {
        printf("%s %s\n", e->kind, e->json);
    }
    w->code = cli_flush(EXIT_DONE);
    return ++w->n == w->c->count || w->code != EXIT_DONE;
}

int cli_events(struct cli *c)
{
    struct watching w = {.c = c};
    const struct subd_events events = SUBD_INIT(subd_events, .since = c->at, .heard = heard, .arg = &w);
    struct subd_error err;
    const int rc = subd_events(c->client, c->mesh.id, &events, &err);
    return rc == SUBD_OK ? w.code : cli_report(c, &err);
}
