/* SPDX-License-Identifier: Apache-2.0 */
/* file.c: a frame of refined or pose as a file of another format, where Accept asks for one: which blocks it needs,
 * whether the format can hold them, and the answer. */
#include "proto/files/files.h"
#include "server/refine/refine.h"
#include "server/refine/stream.h"
#include <stdio.h>
#include <string.h>

const struct surface_format *file_format(const struct ask_job *a)
{
    return a->base.media_out & MEDIA_FILES ? surface_format_named(media_name((enum media)a->base.media_out)) : NULL;
}

/* Under sqrt3 engines refine linear UVs alone. */
static bool refines_uvs(const struct store_info *info)
{
    return info->n_uvs && (info->options.scheme != SDD_SCHEME_SQRT3 || info->options.fvar == SDD_FVAR_ALL);
}

/* Files have split normals where creases are infinitely sharp, which bilinear has none of, whoever asks for normals. */
static bool splits_normals(const struct sdd_options *o)
{
    return o->scheme == SDD_SCHEME_CATMULL_CLARK || o->scheme == SDD_SCHEME_LOOP;
}

void file_blocks(struct ask_job *a)
{
    const int uvs = SDD_UVS | SDD_UV_INDICES;
    int *include = &a->request.include;
    if (!file_format(a))
        return;
    if (!query_get(&a->base.query, "include") && refines_uvs(&a->base.slot->info))
        *include |= uvs;
    *include |= SDD_POSITIONS | SDD_INDICES | (*include & uvs ? uvs : 0);
    const bool splits = file_format(a)->split_normals && splits_normals(&a->base.slot->info.options);
    if (*include & (SDD_NORMALS | SDD_NORMAL_INDICES))
        *include = (*include & ~(SDD_NORMALS | SDD_NORMAL_INDICES)) | (splits ? SDD_NORMAL_INDICES : SDD_NORMALS);
}

bool file_takes(const struct ask_job *a, int primvar)
{
    const struct store_info *info = &a->base.slot->info;
    const struct primvar_info *p = &info->primvars[primvar];
    return file_format(a) && info->options.scheme != SDD_SCHEME_SQRT3 &&
           surface_format_takes(file_format(a), p->name, primvar_interpolation(p->interpolation), p->width,
                                p->type == PRIMVAR_I32, info->sets[primvar].n > 0);
}

static struct surface_rows rows_of(const struct sdd_block *b)
{
    return (struct surface_rows){b->data, b->count, b->components};
}

static void add_primvar(struct surface *s, const struct ask_job *a, const struct sdd_block *b)
{
    const struct primvar_info *info = &a->base.slot->info.primvars[b->primvar];
    const struct set_names *sets = a->base.slot->resident ? &a->base.slot->resident->sets[b->primvar] : NULL;
    struct surface_primvar *p = &s->primvars[s->n_primvars++];
    (void)snprintf(p->name, sizeof p->name, "%s", info->name);
    (void)snprintf(p->interpolation, sizeof p->interpolation, "%s", primvar_interpolation(info->interpolation));
    p->integers = info->type == PRIMVAR_I32;
    p->values = rows_of(b);
    if (sets)
        p->sets = (struct surface_sets){sets->text, sets->n};
}

static void add_block(struct surface *s, const struct ask_job *a, const struct sdd_block *b)
{
    const struct store_info *info = &a->base.slot->info;
    switch (b->semantic) {
    case SDD_POSITIONS: s->positions = rows_of(b); break;
    case SDD_NORMALS: s->normals = rows_of(b); break;
    case SDD_UVS: s->uvs = rows_of(b); break;
    case SDD_NORMAL_INDICES: s->normal_corners = b->data; break;
    case SDD_UV_INDICES: s->uv_corners = b->data; break;
    case SDD_INDICES:
        s->corners = b->data;
        s->n_faces = b->count;
        s->face_size = b->components;
        s->n_corners = b->count * b->components;
        break;
    case SDD_PRIMVARS: add_primvar(s, a, b); break;
    case SDD_PRIMVAR_INDICES: /* They come behind the values of the same primvar. */
        for (int i = 0; i < s->n_primvars; i++)
            if (strcmp(s->primvars[i].name, info->primvars[b->primvar].name) == 0)
                s->primvars[i].corners = b->data;
        break;
    default: s->others[s->n_others++] = semantic_name(b->semantic);
    }
}

/* The surface that a plan describes; that of a result has data. */
static void surface_of(const struct ask_job *a, const struct sdd_plan_info *plan, struct surface *s)
{
    const struct store_info *info = &a->base.slot->info;
    *s = (struct surface){.version = info->version, .level = a->request.level};
    s->uvs_asked = query_get(&a->base.query, "include") != NULL; /* file_blocks adds them where it is absent. */
    (void)snprintf(s->id, sizeof s->id, "%s", info->id);
    (void)snprintf(s->name, sizeof s->name, "%s", info->name);
    (void)snprintf(s->kind, sizeof s->kind, "%s", surface_name(a->request.surface));
    (void)snprintf(s->method, sizeof s->method, "%s", plan->method);
    s->stage.up_axis = *mesh_up_axis_name(info->stage.up_axis);
    s->stage.meters_per_unit = info->stage.meters_per_unit;
    s->stage.transform = info->stage.has_transform ? info->stage.transform : NULL;
    for (int i = 0; i < plan->n_blocks; i++)
        add_block(s, a, &plan->blocks[i]);
}

static int64_t memory_of_file(const struct surface_format *format, const struct surface *s)
{
    return surface_memory(format, s) + STREAM_PIECES * FILE_PIECE_BYTES;
}

int file_admits(struct ask_job *a, struct frame_plan *p)
{
    const struct surface_format *format = file_format(a);
    struct surface s;
    const char *why;
    if (!format)
        return SDD_OK;
    surface_of(a, sdd_plan_info(p->plan), &s);
    p->host_bytes += memory_of_file(format, &s);
    const int rc = surface_admits(format, &s, &why);
    return rc ? job_fail(&a->base.job, rc == SURFACE_ETOO_LARGE ? SDD_ETOO_LARGE : SDD_EUNSUPPORTED, "accept", "%s",
                         why)
              : SDD_OK;
}

bool file_skip(const struct job *job)
{
    const struct refine_job *j = (const struct refine_job *)job;
    return !j->base.frame || !file_format(&j->base.base);
}

int file_begin(struct job *job)
{
    struct refine_job *j = (struct refine_job *)job;
    struct ask_job *a = &j->base.base;
    struct surface s;
    surface_of(a, &sdd_result_info(j->base.frame->result)->plan, &s);
    int64_t claim = memory_of_file(file_format(a), &s);
    int rc = j->base.claim == claim ? SDD_OK : budget_claim(&j->base, claim); /* A frame of the cache had none. */
    if (rc)
        return rc;
    if (!query_get(&a->base.query, "include") && a->base.slot->info.n_uvs && !s.uvs.data)
        text_puts(&a->base.warnings, "the mesh's UVs are left out: scheme sqrt3 refines them under "
                                     "faceVaryingLinearInterpolation all alone\n");
    j->base.claim = 0;
    /* Programs that load a link of USDA want to know how much comes, and a range is one of a whole that is known. */
    const bool count = *j->base.range || strcmp(file_format(a)->suffix, ".usda") == 0;
    return file_open(job_service(job), file_format(a), &s, claim, count, &job->task.claim, &a->base.warnings,
                     &j->stream, &job->err);
}

bool file_answer(struct refine_job *j)
{
    struct request *r = j->base.base.base.job.request;
    const char *media = media_name((enum media)j->base.base.base.media_out);
    const unsigned char *whole = file_whole(j->stream);
    struct MHD_Response *response;
    j->file_bytes = file_bytes(j->stream);
    if (j->file_bytes && range_asked(&j->base, j->file_bytes)) {
        answer_error(r, &j->base.base.base.job.err);
        answer_header(r, "ETag", j->base.base.etag);
        return false;
    }
    const int status = j->file_bytes && j->base.ranged ? 206 : 200;
    if (whole)
        answer_copy(r, status, media, whole + j->base.first, (size_t)j->base.length);
    else if (file_hold(j->stream, j->base.frame), file_from(j->stream, j->base.first),
             (response = stream_response(j->stream, j->file_bytes ? j->base.length : -1, r))) {
        j->stream = NULL;
        answer_response(r, status, response, -1);
        answer_header(r, "Content-Type", media);
    } else {
        answer_fail(r, SDD_ENO_MEMORY, "", "out of memory");
        return false;
    }
    answer_warnings(r, &j->base.base.base.warnings);
    return true;
}
