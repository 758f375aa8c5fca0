/* SPDX-License-Identifier: Apache-2.0 */
/* cli_surface.c: writes a refined frame in one of the formats of proto/files, for the verb refine. */
#include "cli.h"
#include "proto/files/files.h"
#include <errno.h>
#include <string.h>

#define STEP 65536 /* Progress is shown after so many rows. */

void cli_step(int64_t done, int64_t rows)
{
    if (done % STEP == 0)
        cli_progress_local("writing", done, rows);
}

static struct surface_rows rows_of(const struct subd_block *b)
{
    return b ? (struct surface_rows){b->data, b->count, b->components} : (struct surface_rows){0};
}

static void add_primvar(struct surface *s, const struct subd_frame *f, const struct subd_block *b)
{
    const struct subd_block *corners = subd_frame_primvar(f, b->name, SUBD_PRIMVAR_INDICES);
    struct surface_primvar *p = &s->primvars[s->n_primvars++]; /* libsubd has checked how many there are. */
    memcpy(p->name, b->name, sizeof p->name);
    memcpy(p->interpolation, b->interpolation, sizeof p->interpolation);
    p->integers = strcmp(b->type, "i32") == 0;
    p->values = rows_of(b);
    p->corners = corners ? corners->data : NULL;
    p->sets = (struct surface_sets){b->set_names, b->n_set_names};
}

/* libsubd has checked all indices. */
static void surface_of(const struct subd_frame *f, const char *name, struct surface *s)
{
    const struct subd_block *faces = subd_frame_find(f, SUBD_INDICES), *uvs = subd_frame_find(f, SUBD_UVS),
                            *uv_faces = subd_frame_find(f, SUBD_UV_INDICES),
                            *normals = subd_frame_find(f, SUBD_NORMAL_INDICES);
    *s = (struct surface){.version = f->version, .level = f->level};
    snprintf(s->id, sizeof s->id, "%s", f->mesh_id);
    snprintf(s->name, sizeof s->name, "%s", name);
    snprintf(s->kind, sizeof s->kind, "%s", f->surface);
    snprintf(s->method, sizeof s->method, "%s", f->method);
    s->positions = rows_of(subd_frame_find(f, SUBD_POSITIONS));
    s->normals = rows_of(subd_frame_find(f, SUBD_NORMALS));
    s->normal_corners = normals ? normals->data : NULL;
    s->stage = (struct surface_stage){*f->up_axis, f->meters_per_unit, f->transform};
    s->corners = faces->data;
    s->n_faces = faces->count;
    s->face_size = faces->components;
    s->n_corners = faces->count * faces->components;
    if (uvs && uv_faces && uv_faces->components == faces->components && uv_faces->count == faces->count) {
        s->uvs = rows_of(uvs);
        s->uv_corners = uv_faces->data;
    }
    for (int i = 0; i < f->n_blocks; i++)
        if (f->blocks[i].semantic == SUBD_PRIMVAR)
            add_primvar(s, f, &f->blocks[i]);
        else if (f->blocks[i].semantic & (SUBD_TANGENTS | SUBD_FACE_PARAMS))
            s->others[s->n_others++] = cli_block_name(f->blocks[i].semantic);
}

static void warn_of(const char *lines)
{
    for (size_t n; *lines; lines += n + 1) {
        n = strcspn(lines, "\n");
        cli_warn("%.*s", (int)n, lines);
    }
}

void cli_put_surface(struct cli_writer *w, const struct surface *s, const char *suffix)
{
    struct surface_file *file;
    const char *why;
    size_t n = 1;
    int rc = surface_file_open(surface_format_named(suffix), s, &file, &why);
    if (rc) {
        w->failed = rc == SURFACE_ENO_MEMORY ? ENOMEM : EFBIG;
        w->why = why;
        return;
    }
    while (n && !w->failed) {
        int64_t all, done = surface_file_progress(file, &all);
        char *to = cli_room(w);
        n = surface_file_read(file, to, (size_t)(w->buffer + CLI_BUFFER - to));
        cli_took(w, to + n);
        cli_progress_local("writing", done, all);
    }
    if (!w->failed)
        warn_of(surface_file_warnings(file));
    surface_file_close(file);
}

void cli_write_surface(struct cli_writer *w, const struct subd_frame *f, const char *suffix)
{
    struct surface s;
    surface_of(f, w->mesh_name, &s);
    cli_put_surface(w, &s, suffix);
}
