/* SPDX-License-Identifier: Apache-2.0 */
/* frame_plan.c: plans a frame for refined, pose and plan, measures its bytes, and decides whether it is made in pieces
 * while it is sent. */
#include "server/refine/refine.h"
#include "server/refine/stream.h"
#include <string.h>

#define MOST_PIECE_BYTES (64 << 20) /* The most bytes of a piece; the least are REFINE_PIECE_BYTES. */
#define PIECE_SCRATCHES 16          /* Between these, a piece is this many times its scratch. */

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

struct payload_about payload_about_of(const struct ask_job *a, bool undigested)
{
    const struct slot *slot = a->base.slot;
    const struct store_info *info = &slot->info;
    return (struct payload_about){.mesh_id = info->id,
                                  .topology_id = info->topology_id,
                                  .backend = memory_of(&a->base.job)->device_info.backend,
                                  .version = info->version,
                                  .level = a->request.level,
                                  .surface = a->request.surface,
                                  .primvars = info->primvars,
                                  .undigested = undigested,
                                  .stage = &info->stage,
                                  .sets = slot->resident->sets};
}

int frame_measure(struct ask_job *a, bool undigested, const struct sdd_plan_info *blocks, int64_t *bytes,
                  int64_t *block_at)
{
    const struct payload_about about = payload_about_of(a, undigested);
    struct payload payload;
    int rc = payload_make(&about, blocks, &payload, &a->base.job.err);
    if (rc)
        return rc;
    *bytes = payload.bytes;
    *block_at = payload.n_blocks ? payload.blocks[0].offset : payload.bytes;
    payload_fini(&payload);
    return SDD_OK;
}

/* Pieces need an engine that makes some rows without the others, and a frame of positions alone. */
bool frame_plan_has_pieces(const struct ask_job *a, const struct frame_plan *p)
{
    return !a->watched && sdd_plan_info(p->plan)->ranges && a->request.include == SDD_POSITIONS && !a->request.compact;
}

/* Are results copied from the device to host memory? */
static bool is_copied(const struct service *s)
{
    return strcmp(s->memory->device_info.backend, "cpu") != 0;
}

bool frame_plan_begins(const struct ask_job *a, const struct frame_plan *p)
{
    return is_copied(job_service(&a->base.job)) && p->host_bytes > 2 * REFINE_PIECE_BYTES && !file_format(a) &&
           !a->watched;
}

/* Is the frame made while it is sent? It is when it is too large to be made as a whole. The daemon's limits decide that
 * and not the memory that is free now, so that the header of a frame does not change. A frame that is never cached
 * leaves a GPU in pieces, so that the GPU works while the loop sends; a CPU makes the whole frame faster. */
static bool is_streamed(const struct ask_job *a, bool posed, const struct frame_plan *p)
{
    const struct service *s = job_service(&a->base.job);
    const int64_t device = s->memory->device_info.memory_limit - resident_bytes(a->base.slot->resident);
    if (!frame_plan_has_pieces(a, p))
        return false;
    return p->frame_bytes > s->config->stream_bytes || p->host_bytes > s->memory->budgets.part[BUDGET_HOST] ||
           p->device_bytes > device ||
           (posed && is_copied(s) && sdd_plan_info(p->plan)->blocks[0].count > 2 * p->piece_rows);
}

/* Gives the memory that a piece of this many rows takes. */
static int measure_piece(struct ask_job *a, const struct frame_plan *p, int64_t rows, int64_t *device_bytes,
                         int64_t *host_bytes)
{
    sdd_plan *piece;
    int rc = sdd_plan_create_for_rows(p->plan, 0, rows, &piece, &a->base.job.err);
    if (rc)
        return rc;
    *device_bytes = sdd_plan_info(piece)->device_bytes;
    *host_bytes = sdd_plan_info(piece)->host_bytes;
    sdd_plan_free(piece);
    return SDD_OK;
}

/* Chooses the rows of a piece. Each piece repeats the work that all rows depend on, so it should be much larger than
 * the scratch of that work. */
static int choose_piece(struct ask_job *a, struct frame_plan *p)
{
    const struct service *s = job_service(&a->base.job);
    const int64_t most =
        least(least(s->config->stream_bytes / 4, s->memory->budgets.part[BUDGET_HOST] / 8), MOST_PIECE_BYTES);
    int64_t device_bytes, host_bytes;
    int rc = measure_piece(a, p, 1, &device_bytes, &host_bytes);
    if (rc)
        return rc;
    const int64_t bytes = device_bytes * PIECE_SCRATCHES;
    p->piece_rows = least(bytes > REFINE_PIECE_BYTES ? bytes : REFINE_PIECE_BYTES, most) / STREAM_ROW_BYTES + 1;
    return SDD_OK;
}

int frame_plan_ring(struct ask_job *a, struct frame_plan *p, int64_t rows)
{
    int64_t host_bytes;
    int rc = measure_piece(a, p, least(rows, p->piece_rows), &p->device_bytes, &host_bytes);
    if (rc)
        return rc;
    p->host_bytes = host_bytes * (rows > 2 * p->piece_rows ? STREAM_PIECES : rows > p->piece_rows ? 2 : 1);
    return SDD_OK;
}

/* Makes the plan, unless it exists and is still valid. A later round may find tables, and then takes another method. */
static int plan(struct ask_job *a, struct frame_plan *p)
{
    struct job *job = &a->base.job;
    int rc;
    if (p->plan && strcmp(a->method, "auto") != 0 && strcmp(sdd_plan_info(p->plan)->method, a->method) != 0) {
        sdd_plan_free(p->plan);
        p->plan = NULL;
    }
    if (!resident_plan(memory_of(job)->residency, slot_of(job)->resident, &a->request, &p->plan, &rc, &job->err))
        return JOB_AGAIN;
    return rc;
}

int frame_plan_measure(struct ask_job *a, bool posed, struct frame_plan *p)
{
    int rc = plan(a, p);
    if (rc)
        return rc;
    p->streamed = false;
    p->device_bytes = sdd_plan_info(p->plan)->device_bytes;
    p->host_bytes = sdd_plan_info(p->plan)->host_bytes;
    rc = frame_measure(a, false, sdd_plan_info(p->plan), &p->frame_bytes, &p->block_at);
    if (!rc && frame_plan_has_pieces(a, p))
        rc = choose_piece(a, p);
    if (rc || !is_streamed(a, posed, p))
        return rc;
    p->streamed = true;
    name_stream(a);
    rc = frame_measure(a, true, sdd_plan_info(p->plan), &p->frame_bytes, &p->block_at);
    return rc ? rc : frame_plan_ring(a, p, sdd_plan_info(p->plan)->blocks[0].count);
}

int frame_plan_make(struct ask_job *a, bool posed, struct frame_plan *p)
{
    int rc = frame_plan_measure(a, posed, p);
    return rc || p->streamed ? rc : budget_limit(&a->base.job, "", p->frame_bytes);
}
