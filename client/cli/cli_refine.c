/* SPDX-License-Identifier: Apache-2.0 */
/* cli_refine.c: the verbs refine and plan. */
#include "cli.h"
#include "proto/files/files.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The daemon refuses UVs under sqrt3 unless the mesh asks for linear ones. */
static int has_refined_uvs(const struct subd_mesh_info *m)
{
    return m->uvs &&
           (strcmp(m->options[SUBD_SCHEME], "sqrt3") != 0 || strcmp(m->options[SUBD_FACE_VARYING], "all") == 0);
}

/* The format of the files that are to be written, or NULL where it is none of proto/files. */
static const struct surface_format *format_of(const struct cli *c)
{
    const char *suffix = c->output ? strrchr(c->output, '.') : NULL;
    char format[8];
    snprintf(format, sizeof format, ".%.6s", c->format ? c->format : "obj");
    return surface_format_named(c->out_dir || c->frames ? format : suffix ? suffix : "");
}

/* A file has more than was asked for: split normals, and primvars that the format has a place for. */
static void add_for_file(struct cli *c, const struct subd_mesh_info *m, const struct surface_format *format,
                         struct subd_refine *r)
{
    const char *scheme = m->options[SUBD_SCHEME];
    size_t n = 0;
    if (r->include & SUBD_NORMALS && !format->split_normals)
        r->include &= ~(unsigned)SUBD_NORMAL_INDICES;
    else if (r->include & SUBD_NORMALS && (strcmp(scheme, "catmullClark") == 0 || strcmp(scheme, "loop") == 0))
        r->include |= SUBD_NORMAL_INDICES;
    *c->file_primvars = 0;
    for (int i = 0; i < m->n_primvars && !r->primvars && strcmp(scheme, "sqrt3") != 0; i++) {
        const struct subd_primvar_info *p = &m->primvars[i];
        if (surface_format_takes(format, p->name, p->interpolation, p->width, strcmp(p->type, "i32") == 0, p->sets > 0))
            n += (size_t)snprintf(c->file_primvars + n, sizeof c->file_primvars - n, "%s%s", n ? "," : "", p->name);
    }
    if (n)
        r->primvars = c->file_primvars;
}

void cli_refine_request(struct cli *c, const struct subd_mesh_info *m, struct subd_refine *r)
{
    const struct surface_format *format = format_of(c);
    *r = (struct subd_refine)SUBD_INIT(subd_refine, .level = c->level, .surface = c->surface, .method = c->method,
                                       .at = c->at, .skip_digests = c->skip_digests);
    r->primvars = c->primvars;
    r->include = SUBD_POSITIONS | SUBD_INDICES | c->include;
    if (has_refined_uvs(m))
        r->include |= SUBD_UVS | SUBD_UV_INDICES;
    if (format)
        add_for_file(c, m, format, r);
    if (c->only_positions)
        r->include = SUBD_POSITIONS;
    r->compact = c->compact ? r->include & CLI_COMPACT : 0;
}

static int fetch(struct cli *c, const struct subd_mesh_info *m, struct subd_frame *f, struct subd_error *err)
{
    struct subd_refine request;
    cli_refine_request(c, m, &request);
    if (c->only_positions) {
        request.sink = cli_sink;
        request.sink_arg = c;
    } else if (m->uvs && !(request.include & SUBD_UVS))
        cli_warn("the mesh's UVs are left out: scheme sqrt3 refines them under the face-varying interpolation `all`, "
                 "and this mesh has `%s`",
                 m->options[SUBD_FACE_VARYING]);
    return c->pose ? subd_refine_pose_body(c->client, m->id, 0, &c->pose_body, &request, f, err)
                   : subd_refine(c->client, m->id, &request, f, err);
}

static void print(FILE *to, const struct subd_frame *f)
{
    fprintf(to, "level %d: %s vertices, %s faces by %s on %s\n", f->level, cli_amount(f->vertices),
            cli_amount(f->faces), f->method, f->backend);
}

const struct cli_product *cli_refine_product(void)
{
    static const struct cli_product product = {
        {{".obj", NULL}, {".ply", NULL}, {".usda", NULL}, {".glb", NULL}, {".stl", NULL}, {".frame", cli_write_frame}},
        fetch,
        print,
        NULL};
    return &product;
}

int cli_refine(struct cli *c)
{
    const struct cli_product *product = cli_refine_product();
    char *data = NULL;
    int code;
    if (c->frames || c->out_dir || c->n_args != 1)
        return cli_fetch_many(c, product);
    if (c->format)
        return cli_fail(c, EXIT_USAGE, "--format goes with --out-dir; the suffix of -o says the format");
    if (c->pose && strchr(c->pose, '%') && access(c->pose, F_OK) != 0)
        return cli_fail(c, EXIT_USAGE, "--pose %.100s is no file; if it is a pattern, --frames A-B says which frames",
                        c->pose);
    code = c->pose ? cli_read_body(c, c->pose, &c->pose_body, &data) : -1;
    if (code < 0)
        code = cli_fetch(c, product);
    free(data);
    return code;
}

int cli_plan(struct cli *c)
{
    struct subd_refine request;
    struct subd_error err;
    struct subd_plan p;
    cJSON *o, *a;
    cli_refine_request(c, &c->mesh, &request);
    if (subd_get_plan(c->client, c->mesh.id, &request, &p, &err) != SUBD_OK)
        return cli_report(c, &err);
    cli_progress_clear();
    if (!c->json) {
        printf("level %d: %s vertices, %s faces, %s edges by %s\n", p.level, cli_amount(p.vertices),
               cli_amount(p.faces), cli_amount(p.edges), p.method);
        printf("  frame %s, device %s of %s, host %s%s%s\n", cli_bytes((double)p.frame_bytes),
               cli_bytes((double)p.device_bytes), cli_bytes((double)p.available_device_bytes),
               cli_bytes((double)p.host_bytes), p.estimated_ms > 0 ? ", about " : "",
               p.estimated_ms > 0 ? cli_seconds(p.estimated_ms / 1e3) : "");
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
    if (p.estimated_ms > 0)
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
