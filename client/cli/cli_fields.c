/* SPDX-License-Identifier: Apache-2.0 */
/* cli_fields.c: the verbs fields and smooth. Values go out as text, as the frame that came, or as a mesh with a colour
 * ramp and a property; smoothed positions as a mesh, or into a new version. */
#include "cli.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The faces that values belong to: of the control mesh, or of a level. */
struct faces {
    struct subd_cage cage;
    struct subd_frame level;
    struct surface surface;
};

static int fetch_faces(struct cli *c, int level, struct faces *f)
{
    const struct subd_refine request = SUBD_INIT(subd_refine, .level = level);
    struct subd_error err;
    struct surface *s = &f->surface;
    const int rc = level ? subd_refine(c->client, c->mesh.id, &request, &f->level, &err)
                         : subd_cage_arrays(c->client, c->mesh.id, &f->cage, &err);
    if (rc != SUBD_OK)
        return cli_report(c, &err);
    snprintf(s->id, sizeof s->id, "%s", c->mesh.id);
    snprintf(s->name, sizeof s->name, "%s", c->mesh.name);
    snprintf(s->kind, sizeof s->kind, "%s", level ? "refined" : "cage");
    snprintf(s->method, sizeof s->method, "%s", c->verb);
    s->level = level;
    if (level) {
        const struct subd_block *p = subd_frame_find(&f->level, SUBD_POSITIONS),
                                *faces = subd_frame_find(&f->level, SUBD_INDICES);
        s->version = f->level.version;
        s->positions = (struct surface_rows){p->data, p->count, 3};
        s->corners = faces->data;
        s->n_faces = faces->count;
        s->face_size = faces->components;
        s->n_corners = faces->count * faces->components;
        return -1;
    }
    const struct subd_mesh *m = f->cage.mesh;
    s->version = f->cage.version;
    s->positions = (struct surface_rows){m->points, m->n_vertices, 3};
    s->corners = (const uint32_t *)m->face_vertices;
    s->n_faces = m->n_faces;
    s->face_sizes = m->face_counts;
    s->n_corners = m->n_corners;
    return -1;
}

static void free_faces(struct faces *f)
{
    subd_cage_free(&f->cage);
    subd_frame_free(&f->level);
}

static int is_same(const struct cli *c, const struct faces *f, const struct subd_frame *values)
{
    if (f->surface.version == values->version && f->surface.positions.count == values->vertices)
        return -1;
    return cli_fail(c, EXIT_REFUSED, "the mesh changed while it was asked for; try again");
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */
static const unsigned fields[] = {SUBD_NORMALS, SUBD_GAUSSIAN, SUBD_MEAN, SUBD_GEODESIC};
enum { N_FIELDS = sizeof fields / sizeof *fields };

/* Reads names with commas between. Returns 0 when one is no field. */
static unsigned read_what(const char *text)
{
    unsigned what = 0;
    for (const char *s = text; s && *s; s += *s == ',') {
        const size_t n = strcspn(s, ",");
        unsigned bit = 0;
        for (int i = 0; i < N_FIELDS; i++) {
            const char *name = cli_block_name((int)fields[i]);
            bit |= strlen(name) == n && memcmp(name, s, n) == 0 ? fields[i] : 0;
        }
        if (!bit)
            return 0;
        what |= bit;
        s += n;
    }
    return what;
}

/* A line for each vertex: "12: 0.5 1 0 0". */
static void put_values(struct cli_writer *w, const struct subd_frame *f)
{
    for (int64_t v = 0; v < f->vertices && !w->failed; v++) {
        char *to = cli_room(w);
        to += snprintf(to, CLI_ROW, "%lld:", (long long)v);
        for (int i = 0; i < f->n_blocks; i++)
            for (int k = 0; k < f->blocks[i].components; k++) {
                const float *row = (const float *)f->blocks[i].data + v * f->blocks[i].components;
                to += snprintf(to, 32, " %.9g", (double)row[k]);
            }
        *to++ = '\n';
        cli_took(w, to);
        cli_step(v, f->vertices);
    }
}

/* From blue at the least value over white to red at the greatest; what is not finite is grey. */
static void colour(const float *value, int64_t n, float (*out)[3])
{
    double least = INFINITY, greatest = -INFINITY;
    for (int64_t i = 0; i < n; i++)
        if (isfinite(value[i])) {
            least = fmin(least, (double)value[i]);
            greatest = fmax(greatest, (double)value[i]);
        }
    for (int64_t i = 0; i < n; i++) {
        const double t = greatest > least ? ((double)value[i] - least) / (greatest - least) : 0.5;
        const double rgb[] = {fmin(1, 2 * t), 1 - fabs(2 * t - 1), fmin(1, 2 - 2 * t)};
        for (int k = 0; k < 3; k++)
            out[i][k] = isfinite(value[i]) ? (float)rgb[k] : 0.5f;
    }
}

static void add_values(struct surface *s, const char *name, const void *data, int components)
{
    struct surface_primvar *p = &s->primvars[s->n_primvars++];
    snprintf(p->name, sizeof p->name, "%s", name);
    snprintf(p->interpolation, sizeof p->interpolation, "vertex");
    p->values = (struct surface_rows){data, s->positions.count, components};
}

/* Writes the mesh with each field as a property, and the colours of the first one that has one number. */
static int put_mesh(struct cli *c, struct cli_writer *w, const struct subd_frame *f)
{
    struct faces faces = {0};
    struct surface *s = &faces.surface;
    float(*colours)[3] = malloc((size_t)f->vertices * sizeof *colours + 1);
    int code = colours ? fetch_faces(c, c->level, &faces) : cli_fail(c, EXIT_LOCAL, "no memory");
    if (code < 0)
        code = is_same(c, &faces, f);
    for (int i = 0; i < f->n_blocks && code < 0; i++) {
        const struct subd_block *b = &f->blocks[i];
        if (b->semantic == SUBD_NORMALS) {
            s->normals = (struct surface_rows){b->data, b->count, 3};
            continue;
        }
        if (s->n_primvars == 0 && colours) {
            colour(b->data, b->count, colours);
            add_values(s, "displayColor", colours, 3);
        }
        add_values(s, cli_block_name(b->semantic), b->data, 1);
    }
    if (code < 0)
        cli_put_surface(w, s, strrchr(c->output, '.'));
    free_faces(&faces);
    free(colours);
    return code < 0 ? EXIT_DONE : code;
}

static int fetch_fields(struct cli *c, struct cli_writer *w, const struct cli_ids *sources, struct subd_frame *f)
{
    const struct subd_fields request =
        SUBD_INIT(subd_fields, .what = read_what(c->what), .level = c->level, .sources = sources->v,
                  .n_sources = sources->n, .skip_digests = c->skip_digests);
    struct subd_error err;
    int temporary, code = cli_mesh_begin(c, c->args[0], &temporary);
    if (code >= 0)
        return code;
    if (subd_fields(c->client, c->mesh.id, &request, f, &err) != SUBD_OK)
        code = cli_report(c, &err);
    else if (c->output && surface_format_named(strrchr(c->output, '.') ? strrchr(c->output, '.') : ""))
        code = put_mesh(c, w, f);
    else {
        code = EXIT_DONE;
        (c->output && cli_ends_with(c->output, ".frame") ? cli_write_frame : put_values)(w, f);
    }
    return cli_mesh_end(c, temporary, code);
}

/* Closes the file, and says with --json what is in it. */
static int finish(struct cli *c, const char *path, struct cli_writer *w, const struct subd_frame *f, int code)
{
    cli_progress_clear();
    if (cli_writer_close(w, code == EXIT_DONE) != 0 && code == EXIT_DONE)
        return w->why ? cli_fail(c, EXIT_FILE, "%s cannot be written: %s", path, w->why)
                      : cli_fail_write(c, path, errno);
    if (!c->json || code != EXIT_DONE)
        return code;
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "id", f->mesh_id);
    cJSON_AddNumberToObject(o, "version", (double)f->version);
    cJSON_AddNumberToObject(o, "vertices", (double)f->vertices);
    cJSON_AddStringToObject(o, "output", path);
    cJSON_AddNumberToObject(o, "bytes", (double)w->total);
    cli_add_warnings(o);
    return cli_print_json(c, o);
}

int cli_fields(struct cli *c)
{
    const char *path = c->output ? c->output : "-";
    struct cli_writer w;
    struct subd_frame frame = {0};
    struct cli_ids sources = {0};
    int code = read_what(c->what)
                   ? -1
                   : cli_fail(c, EXIT_USAGE, "--what takes normals, gaussian, mean and geodesic, commas between");
    if (code < 0)
        code = cli_take_ids(c, &sources);
    if (code < 0 && c->json && strcmp(path, "-") == 0)
        code = cli_fail(c, EXIT_USAGE, "--json and the values cannot both go to stdout; use -o FILE");
    if (code < 0 && cli_writer_open(&w, path) != 0) /* A path that cannot be written is found before any work. */
        code = cli_fail_write(c, path, errno);
    if (code < 0)
        code = finish(c, path, &w, &frame, fetch_fields(c, &w, &sources, &frame));
    subd_frame_free(&frame);
    free(sources.v);
    return code;
}

/* ---- smoothing --------------------------------------------------------------------------------------------------- */
static struct subd_smooth smoothing_of(const struct cli *c)
{
    return (struct subd_smooth)SUBD_INIT(subd_smooth, .method = c->method ? c->method : "uniform",
                                         .iterations = c->iterations, .strength = c->strength, .boundary = c->boundary,
                                         .level = c->level);
}

static int store(struct cli *c)
{
    const struct subd_smooth request = smoothing_of(c);
    struct subd_mesh_info info;
    struct subd_error err;
    if (subd_find(c->client, c->args[0], &c->mesh, &err) != SUBD_OK ||
        subd_smooth_store(c->client, c->mesh.id, c->version ? c->version : c->mesh.version, &request, &info, &err) !=
            SUBD_OK)
        return cli_report(c, &err);
    cli_progress_clear();
    if (c->json)
        return cli_print_json(c, cli_info_json(&info));
    printf("%s version %lld\n", info.id, (long long)info.version);
    return EXIT_DONE;
}

static int fetch_smoothed(struct cli *c, struct cli_writer *w, struct subd_frame *f)
{
    const struct subd_smooth request = smoothing_of(c);
    struct faces faces = {0};
    struct subd_error err;
    int temporary, code = cli_mesh_begin(c, c->args[0], &temporary);
    if (code >= 0)
        return code;
    if (subd_smooth(c->client, c->mesh.id, c->version, &request, f, &err) != SUBD_OK)
        code = cli_report(c, &err);
    else if (cli_ends_with(c->output, ".frame")) {
        cli_write_frame(w, f);
        code = EXIT_DONE;
    } else {
        code = fetch_faces(c, c->level, &faces);
        if (code < 0)
            code = is_same(c, &faces, f);
        if (code < 0) {
            faces.surface.positions.data = subd_frame_find(f, SUBD_POSITIONS)->data;
            cli_put_surface(w, &faces.surface, strrchr(c->output, '.'));
            code = EXIT_DONE;
        }
        free_faces(&faces);
    }
    return cli_mesh_end(c, temporary, code);
}

int cli_smooth(struct cli *c)
{
    const char *ending = c->output ? strrchr(c->output, '.') : NULL;
    struct cli_writer w;
    struct subd_frame frame = {0};
    if (c->store && c->level)
        return cli_fail(c, EXIT_USAGE, "--store goes without --level: a version has the positions of the control mesh");
    if (c->store)
        return c->output ? cli_fail(c, EXIT_USAGE, "--store goes without -o: the daemon has the result") : store(c);
    if (!ending || !(surface_format_named(ending) || strcmp(ending, ".frame") == 0))
        return cli_fail(c, EXIT_USAGE, "-o FILE.obj (or .ply, .usda, .glb, .stl, .frame), or --store?");
    if (cli_writer_open(&w, c->output) != 0)
        return cli_fail_write(c, c->output, errno);
    const int code = finish(c, c->output, &w, &frame, fetch_smoothed(c, &w, &frame));
    subd_frame_free(&frame);
    return code;
}
