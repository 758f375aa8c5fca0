/* SPDX-License-Identifier: Apache-2.0 */
/* carry.c: makes the result of a changed mesh from the one before (sdd_carry.h): refines the piece that carry_piece.c
 * cuts out, and puts its rows into a copy of the blocks of the base. The indices of both say which rows are which. */
#include "gpu/refine/carry.h"
#include "gpu/device/digest.h"
#include "gpu/levels/levels.h"
#include "gpu/refine/internal.h"
#include <stdlib.h>
#include <string.h>

/* What is copied or digested at a time, in a millisecond or so. Other work gets the device in between. */
enum { STEP_PIECES = 4096, STEP_BYTES = STEP_PIECES * DIGEST_PIECE };

static int is_of_vertices(const struct sdd_block *b)
{
    return b->semantic == SDD_POSITIONS || b->semantic == SDD_NORMALS;
}

/* Does the base have the blocks of the plan, and can all of them be carried? */
static int takes(const struct sdd_plan *p, const sdd_result *base)
{
    const struct sdd_plan_info *a = &base->info.plan, *b = &p->info;
    const int some = SDD_POSITIONS | SDD_NORMALS | SDD_INDICES | SDD_FACE_PARAMS;
    int same = (p->request.include & SDD_INDICES) && !(p->request.include & ~some) && !p->request.compact &&
               !p->is_range && !base->memory && strcmp(p->engine->info.name, LEVELS_METHOD) == 0 &&
               strcmp(a->method, b->method) == 0 && a->n_blocks == b->n_blocks && a->n_vertices == b->n_vertices;
    for (int k = 0; k < b->n_blocks && same; k++) {
        const struct sdd_block *x = a->blocks + k, *y = b->blocks + k;
        same = x->semantic == y->semantic && x->format == y->format && x->components == y->components &&
               x->count == y->count && x->digest;
    }
    return same;
}

/* ---- the piece -------------------------------------------------------------------------------------------------- */
/* At borders of the piece faces may meet in one vertex alone. In meshes that are not manifold sums around vertices have
 * another order, which changes their last bits; so the piece has to be manifold where the mesh is. */
static int refine_piece(const sdd_mesh *whole, const struct sdd_plan *p, const struct carry_piece *piece,
                        const struct sdd_run *run, sdd_result **out, struct sdd_error *err)
{
    const struct sdd_run how = {.cancel = run->cancel, .soon_freed = 1};
    struct sdd_refine_request r = p->request;
    sdd_topology *t = NULL;
    sdd_mesh *m = NULL;
    sdd_plan *plan = NULL;
    *out = NULL;
    int rc = sdd_topology_create(p->device, &piece->desc, &t, err);
    if (!rc && t->info.manifold != whole->topology->info.manifold)
        rc = sdd_fail(err, SDD_EUNSUPPORTED, "", "the piece is not manifold");
    if (!rc)
        rc = sdd_mesh_create(t, piece->points, NULL, &m, err);
    if (!rc)
        rc = sdd_plan_create_for_topology(t, &r, &plan, err);
    if (!rc)
        rc = sdd_refine(m, plan, &how, out, err);
    sdd_plan_free(plan);
    sdd_mesh_free(m);
    sdd_topology_unref(t);
    return rc;
}

/* ---- the blocks ------------------------------------------------------------------------------------------------- */
static const struct sdd_block *block_of(const struct sdd_plan_info *p, int semantic)
{
    int k = 0;
    while (p->blocks[k].semantic != semantic)
        k++;
    return p->blocks + k;
}

/* What rows of a block are copied by: the piece's, and the indices of both. */
struct rows {
    const struct carry_piece *piece;
    const sdd_result *from;
    int64_t n_corners; /* Of the mesh. */
    const atomic_int *cancel;
};

/* Copies the rows of all faces near to the change, corner by corner, and marks the pieces that they are in. */
static void copy_rows(const struct rows *w, const struct sdd_block *from, struct sdd_block *to,
                      const struct sdd_plan_info *plan, unsigned char *changed)
{
    const struct sdd_block *a = block_of(&w->from->info.plan, SDD_INDICES), *b = block_of(plan, SDD_INDICES);
    const uint32_t *in = a->data, *out = b->data;
    const int64_t words = from->components, bytes = words * (int64_t)sizeof(float);
    const float *source = from->data;
    float *target = (float *)(uintptr_t)to->data;
    for (int64_t i = 0; i < w->piece->n_runs; i++) {
        const struct carry_run *run = w->piece->runs + i;
        const int64_t each = b->count * b->components / w->n_corners; /* Indices for each corner of a control face. */
        for (int64_t k = 0; k < run->n * each; k++) {
            const int64_t row = out[run->to * each + k], at = row * bytes;
            memcpy(target + row * words, source + in[run->from * each + k] * words, (size_t)bytes);
            changed[at / DIGEST_PIECE] = 1;
            changed[(at + bytes - 1) / DIGEST_PIECE] = 1;
        }
    }
}

static uint64_t piece_digest(const struct sdd_block *b, int64_t i)
{
    const int64_t left = b->bytes - i * DIGEST_PIECE;
    return sdd_digest((const char *)b->data + i * DIGEST_PIECE, left < DIGEST_PIECE ? left : DIGEST_PIECE);
}

static int step(sdd_device *d, const atomic_int *cancel, struct sdd_error *err)
{
    dev_pause(d);
    return result_cancelled(cancel, "the next rows", err);
}

/* Digests the pieces that have changed, or all of them when the base has not kept theirs, and then these digests. */
static int digest(struct sdd_block *b, const uint64_t *before, const struct rows *w, const struct result_pieces *p,
                  struct sdd_error *err)
{
    const int64_t n = result_pieces_of(b);
    int rc = SDD_OK;
    for (int64_t i = 0; i < n && !rc; i++) {
        if (i % STEP_PIECES == 0)
            rc = step(w->from->device, w->cancel, err);
        p->digest[i] = before && !p->changed[i] ? before[i] : piece_digest(b, i);
    }
    b->digest = n > 1 ? sdd_digest(p->digest, n * (int64_t)sizeof *p->digest) : p->digest[0];
    return rc;
}

static int copy_block(char *to, const struct sdd_block *from, const struct rows *w, struct sdd_error *err)
{
    int rc = SDD_OK;
    for (int64_t at = 0; at < from->bytes && !rc; at += STEP_BYTES) {
        const int64_t left = from->bytes - at;
        rc = step(w->from->device, w->cancel, err);
        if (!rc)
            memcpy(to + at, (const char *)from->data + at, (size_t)(left < STEP_BYTES ? left : STEP_BYTES));
    }
    return rc;
}

static int make_rows(sdd_result *r, const sdd_result *base, const struct rows *w, int k, struct sdd_error *err)
{
    struct sdd_block *b = r->info.plan.blocks + k;
    struct result_pieces *p = r->pieces + k;
    const int64_t n = result_pieces_of(b);
    void *memory = NULL;
    p->digest = malloc((size_t)n * sizeof *p->digest);
    p->changed = calloc((size_t)n, 1);
    if (!p->digest || !p->changed)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for the digests of a result");
    int rc = dev_host_alloc(r->device, b->bytes, 0, &memory, err);
    if (rc)
        return rc;
    b->data = memory;
    rc = copy_block(memory, base->info.plan.blocks + k, w, err);
    if (rc)
        return rc;
    copy_rows(w, w->from->info.plan.blocks + k, b, &base->info.plan, p->changed);
    return digest(b, base->pieces[k].digest, w, p, err);
}

/* Blocks that stay as they are. Those of a base that nobody wanted to carry have no digests of pieces. */
static int keep(sdd_result *r, sdd_result *base, int k, struct sdd_error *err)
{
    const int64_t n = result_pieces_of(r->info.plan.blocks + k);
    struct result_pieces *p = r->pieces + k;
    p->changed = calloc((size_t)n + 1, 1);
    if (base->pieces[k].digest && (p->digest = malloc((size_t)n * sizeof *p->digest)))
        memcpy(p->digest, base->pieces[k].digest, (size_t)n * sizeof *p->digest);
    return p->changed ? result_take_over(r, base, k, err)
                      : sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for the digests of a result");
}

static int make(const struct sdd_plan *plan, sdd_result *base, const struct rows *w, sdd_result **out,
                struct sdd_error *err)
{
    int rc = result_create(plan->device, out, err);
    if (rc)
        return rc;
    sdd_result *r = *out;
    r->info.plan = plan->info;
    r->from = base->serial;
    for (int k = 0; k < plan->info.n_blocks && !rc; k++)
        rc = w->from && is_of_vertices(plan->info.blocks + k) ? make_rows(r, base, w, k, err) : keep(r, base, k, err);
    if (!rc && w->from) {
        r->info.refine_seconds = w->from->info.refine_seconds;
        r->info.digest_seconds = w->from->info.digest_seconds;
        r->info.n_launches = w->from->info.n_launches;
    }
    if (!rc)
        return SDD_OK;
    sdd_result_free(r);
    *out = NULL;
    return rc;
}

int sdd_carry(const sdd_mesh *m, const sdd_plan *plan, const struct sdd_cage *now, const struct sdd_cage *before,
              sdd_result *base, const struct sdd_run *run, sdd_result **out, struct sdd_error *err)
{
    const struct sdd_run how = run ? *run : (struct sdd_run){0};
    struct rows w = {.n_corners = now->desc->n_corners, .cancel = how.cancel};
    struct carry_piece piece;
    sdd_result *part = NULL;
    struct sdd_error own;
    int rc = SDD_OK;
    *out = NULL;
    err = err ? err : &own;
    if (plan_check(plan, m, 0, err) || !takes(plan, base) || !carry_piece_make(plan->device, now, before, &piece))
        return SDD_OK;
    if (piece.desc.n_faces)
        rc = refine_piece(m, plan, &piece, &how, &part, err);
    w.piece = &piece;
    w.from = part;
    if (!rc)
        rc = make(plan, base, &w, out, err);
    sdd_result_free(part);
    carry_piece_free(&piece);
    return rc == SDD_ECANCELLED || rc == SDD_EDEVICE ? rc : SDD_OK; /* What else is wrong sdd_refine will say. */
}

const unsigned char *sdd_result_changed(const sdd_result *r, const sdd_result *base, int k)
{
    return r->from == base->serial ? r->pieces[k].changed : NULL;
}
