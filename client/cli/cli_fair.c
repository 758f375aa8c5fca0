/* SPDX-License-Identifier: Apache-2.0 */
/* cli_fair.c: the verb fair: conformal flow, as a new version of the mesh, or of a level into a file. */
#include "cli.h"
#include <errno.h>
#include <string.h>

static int show_step(void *arg, const struct subd_job *job)
{
    char note[96];
    (void)arg;
    if (job->step)
        snprintf(note, sizeof note, "step %lld of %lld, energy %.6g, distortion %.4f", (long long)job->step,
                 (long long)job->steps, job->energy, job->kept.mean);
    else
        snprintf(note, sizeof note, "energy %.6g", job->energy);
    cli_progress_step(job->step, job->steps, note);
    return cli_stopped();
}

static cJSON *distortion_json(const struct subd_distortion *d)
{
    cJSON *o = cJSON_CreateObject();
    cJSON_AddNumberToObject(o, "mean", d->mean);
    cJSON_AddNumberToObject(o, "p99", d->p99);
    cJSON_AddNumberToObject(o, "largest", d->largest);
    return o;
}

/* Says what came of the flow; `bytes` are those of the file, if there is one. */
static int print_job(const struct cli *c, const struct subd_job *j, int64_t bytes)
{
    cli_progress_clear();
    if (!c->json) {
        if (!c->output)
            printf("%s version %lld\n", j->mesh_id, (long long)j->version);
        if (j->step)
            fprintf(stderr, "%lld steps: energy %.6g to %.6g, distortion %.4f (largest %.4f)%s\n", (long long)j->step,
                    j->energy_before, j->energy, j->kept.mean, j->kept.largest,
                    j->stopped ? "; no smaller step lowers the energy" : "");
        return EXIT_DONE;
    }
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "id", j->mesh_id);
    if (c->output) {
        cJSON_AddStringToObject(o, "output", c->output);
        cJSON_AddNumberToObject(o, "bytes", (double)bytes);
    } else
        cJSON_AddNumberToObject(o, "version", (double)j->version);
    cJSON_AddNumberToObject(o, "steps", (double)j->step);
    cJSON_AddBoolToObject(o, "stopped", j->stopped);
    cJSON_AddNumberToObject(o, "energyBefore", j->energy_before);
    cJSON_AddNumberToObject(o, "energy", j->energy);
    cJSON_AddItemToObject(o, "distortion", distortion_json(&j->kept));
    cJSON_AddNumberToObject(o, "seconds", j->seconds);
    return cli_print_json(c, o);
}

static int flow(struct cli *c, struct subd_job *job, struct subd_frame *frame)
{
    const struct subd_fair request =
        SUBD_INIT(subd_fair, .steps = c->iterations, .tau = c->strength, .boundary = c->boundary, .solves = c->solves,
                  .no_exactness = c->no_exactness, .level = c->level, .idempotency_key = c->key, .progress = show_step);
    struct subd_error err;
    const int rc = subd_fair(c->client, c->mesh.id, c->version ? c->version : c->mesh.version, &request, job,
                             c->level ? frame : NULL, &err);
    return rc == SUBD_OK ? -1 : cli_report(c, &err);
}

/* Writes the level with the points that have flowed, and the faces that the daemon gives of it. */
static int write_level(struct cli *c, struct cli_writer *w, const struct subd_frame *points)
{
    const struct subd_refine request = SUBD_INIT(subd_refine, .level = c->level);
    struct subd_frame faces = {0};
    struct subd_error err;
    int code = EXIT_DONE;
    if (cli_ends_with(c->output, ".frame"))
        cli_write_frame(w, points);
    else if (subd_refine(c->client, c->mesh.id, &request, &faces, &err) != SUBD_OK)
        code = cli_report(c, &err);
    else if (faces.version != points->version || faces.vertices != points->vertices)
        code = cli_fail(c, EXIT_REFUSED, "the mesh changed while it was asked for; try again");
    else {
        const struct subd_block *p = subd_frame_find(points, SUBD_POSITIONS),
                                *f = subd_frame_find(&faces, SUBD_INDICES);
        struct surface s = {.level = c->level,
                            .version = points->version,
                            .positions = {p->data, p->count, 3},
                            .corners = f->data,
                            .n_faces = f->count,
                            .face_size = f->components,
                            .n_corners = f->count * f->components};
        snprintf(s.id, sizeof s.id, "%s", c->mesh.id);
        snprintf(s.name, sizeof s.name, "%s", c->mesh.name);
        snprintf(s.kind, sizeof s.kind, "refined");
        snprintf(s.method, sizeof s.method, "fair");
        cli_put_surface(w, &s, strrchr(c->output, '.'));
    }
    subd_frame_free(&faces);
    return code;
}

int cli_fair(struct cli *c)
{
    const char *ending = c->output ? strrchr(c->output, '.') : NULL;
    struct cli_writer w;
    struct subd_job job;
    struct subd_frame frame = {0};
    if (!c->level && c->output)
        return cli_fail(c, EXIT_USAGE, "-o goes with --level: without it the daemon has the result, a new version");
    if (c->level && !(ending && (surface_format_named(ending) || strcmp(ending, ".frame") == 0)))
        return cli_fail(c, EXIT_USAGE, "with --level, -o FILE.obj (or .ply, .usda, .glb, .stl, .frame)?");
    if (c->boundary && (strcmp(c->boundary, "kept") == 0 || strcmp(c->boundary, "along") == 0))
        return cli_fail(c, EXIT_USAGE, "--boundary of fair is free, direction or fixed");
    if (c->level && cli_writer_open(&w, c->output) != 0) /* Found before any work. */
        return cli_fail_write(c, c->output, errno);
    int code = flow(c, &job, &frame);
    if (!c->level)
        return code < 0 ? print_job(c, &job, 0) : code;
    if (code < 0)
        code = write_level(c, &w, &frame);
    cli_progress_clear();
    if (cli_writer_close(&w, code == EXIT_DONE) != 0 && code == EXIT_DONE)
        code = w.why ? cli_fail(c, EXIT_FILE, "%s cannot be written: %s", c->output, w.why)
                     : cli_fail_write(c, c->output, errno);
    const int64_t bytes = w.total;
    subd_frame_free(&frame);
    return code == EXIT_DONE ? print_job(c, &job, bytes) : code;
}
