/* SPDX-License-Identifier: Apache-2.0 */
/* result.c: brings the blocks of a result from device to host memory, with digests, for refine/, patches/ and sdd.h. */
#include "gpu/engine_api/result.h"
#include "gpu/device/digest.h"
#include "gpu/kernel/quantise16.h"
#include <stdlib.h>
#include <string.h>

enum { FACT_WORDS = sizeof(struct sdd_quantise_facts) / sizeof(uint64_t) };

int result_create(sdd_device *d, sdd_result **out, struct sdd_error *err)
{
    static atomic_ullong serials;
    *out = calloc(1, sizeof **out);
    if (!*out)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for a result record");
    (*out)->device = d;
    (*out)->serial = atomic_fetch_add(&serials, 1) + 1;
    return SDD_OK;
}

static int is_compact(const struct sdd_block *b)
{
    return b->format == SDD_UNORM16_BOX || b->format == SDD_OCT16 || b->format == SDD_F16;
}

struct sdd_block *result_add_block(struct sdd_plan_info *p, int semantic, int format, int components, int64_t count)
{
    struct sdd_block *b = p->blocks + p->n_blocks++;
    b->semantic = semantic;
    b->format = format;
    b->components = components;
    b->count = count;
    b->bytes = count * components * (is_compact(b) ? 2 : 4);
    p->host_bytes += b->bytes;
    return b;
}

int64_t result_words(const struct sdd_plan_info *p)
{
    int compact = 0;
    for (int i = 0; i < p->n_blocks; i++)
        compact |= is_compact(p->blocks + i);
    return p->n_blocks + (compact ? FACT_WORDS : 0);
}

void result_lay_out(const sdd_device *d, const struct sdd_plan_info *p, uint64_t *words, struct arena *a,
                    struct result_layout *out)
{
    int compact = result_words(p) > p->n_blocks;
    out->digests = words;
    out->direct = 0;
    out->facts = compact && words ? (struct sdd_quantise_facts *)(words + p->n_blocks) : NULL;
    for (int i = 0; i < p->n_blocks; i++)
        out->tree[i] = ARENA(a, char, digest_scratch(p->blocks[i].bytes));
    for (int i = 0; i < p->n_blocks; i++) {
        const struct sdd_block *b = p->blocks + i;
        out->block[i] = d->b->unified ? NULL : ARENA(a, char, b->bytes);
        out->source[i] = is_compact(b) ? ARENA(a, float, b->count *(b->semantic == SDD_UVS ? 2 : 3)) : NULL;
    }
}

int result_allocate(sdd_result *r, int soon, struct result_layout *lay, struct sdd_error *err)
{
    for (int k = 0; k < r->info.plan.n_blocks; k++) {
        struct sdd_block *b = r->info.plan.blocks + k;
        void *memory = NULL;
        int rc = dev_host_alloc(r->device, b->bytes, soon, &memory, err);
        if (rc)
            return rc;
        b->data = memory;
        lay->block[k] = lay->block[k] ? lay->block[k] : memory;
    }
    return SDD_OK;
}

void *result_block(const struct sdd_plan_info *p, const struct result_layout *lay, int semantic)
{
    for (int k = 0; k < p->n_blocks; k++)
        if (p->blocks[k].semantic == semantic)
            return lay->source[k] && !(lay->direct & semantic) ? lay->source[k] : lay->block[k];
    return NULL;
}

int result_cancelled(const atomic_int *cancel, const char *before, struct sdd_error *err)
{
    return cancel && atomic_load(cancel) ? sdd_fail(err, SDD_ECANCELLED, "", "cancelled before %s", before) : SDD_OK;
}

/* Takes what was downloaded beside the blocks: the digests and, where a block is compact, the facts. */
static int take_words(struct sdd_plan_info *p, const uint64_t *words, int compact, struct sdd_error *err)
{
    struct sdd_quantise_facts facts;
    for (int k = 0; k < p->n_blocks; k++)
        p->blocks[k].digest = words[k];
    if (!compact)
        return SDD_OK;
    memcpy(&facts, words + p->n_blocks, sizeof facts);
    for (int k = 0; k < p->n_blocks; k++)
        for (int i = 0; i < 3 && p->blocks[k].format == SDD_UNORM16_BOX; i++) {
            p->blocks[k].low[i] = facts.low[i];
            p->blocks[k].high[i] = facts.high[i];
        }
    if (!facts.overflow)
        return SDD_OK;
    return sdd_fail(err, SDD_EUNSUPPORTED, "compact", "refined UV values are beyond 65504, where half floats end");
}

/* Without memory for the digests of pieces a result is only slower to carry. */
static void queue_digests(sdd_result *r, const struct result_layout *lay)
{
    const struct sdd_plan_info *p = &r->info.plan;
    for (int k = 0; k < p->n_blocks; k++) {
        const int64_t n = result_pieces_of(p->blocks + k), bytes = n * (int64_t)sizeof(uint64_t);
        digest_queue(r->device, lay->block[k], p->blocks[k].bytes, lay->tree[k], lay->digests + k);
        if (r->keeps_pieces && n > 1 && (r->pieces[k].digest = malloc((size_t)bytes)))
            dev_download(r->device, r->pieces[k].digest, lay->tree[k], bytes);
    }
}

static void queue_downloads(sdd_device *d, const struct sdd_plan_info *p, const struct result_layout *lay)
{
    for (int k = 0; k < p->n_blocks; k++)
        if (lay->block[k] != p->blocks[k].data)
            dev_download(d, (void *)(uintptr_t)p->blocks[k].data, lay->block[k], p->blocks[k].bytes);
}

int result_bring(sdd_result *const *r, const struct result_layout *lay, int n, int blocks, const atomic_int *cancel,
                 struct sdd_error *err)
{
    sdd_device *d = r[0]->device;
    int64_t n_words = 0;
    for (int i = 0; i < n; i++)
        n_words += result_words(&r[i]->info.plan);
    dev_mark(d, MARK_REFINED);
    int rc = result_cancelled(cancel, "the digests", err);
    if (rc)
        return rc;
    uint64_t *words = calloc((size_t)n_words + 1, sizeof *words), *at = words;
    if (!words)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for a result record");
    for (int i = 0; i < n; i++)
        queue_digests(r[i], lay + i);
    dev_mark(d, MARK_DIGESTED);
    if ((rc = result_cancelled(cancel, "the download", err))) {
        free(words);
        return rc;
    }
    for (int i = 0; i < n && blocks; i++)
        queue_downloads(d, &r[i]->info.plan, lay + i);
    dev_download(d, words, lay[0].digests, n_words * (int64_t)sizeof *words);
    dev_mark(d, MARK_DOWNLOADED);
    const double refine = dev_elapsed(d, MARK_START, MARK_REFINED) / n,
                 digest = dev_elapsed(d, MARK_REFINED, MARK_DIGESTED) / n,
                 download = dev_elapsed(d, MARK_DIGESTED, MARK_DOWNLOADED) / n;
    rc = dev_finish(d, err);
    for (int i = 0; i < n && !rc; i++) {
        struct sdd_result_info *info = &r[i]->info;
        info->refine_seconds = refine;
        info->digest_seconds = digest;
        info->download_seconds = download;
        rc = take_words(&info->plan, at, lay[i].facts != NULL, err);
        at += result_words(&info->plan);
    }
    free(words);
    return rc;
}

/* ---- piece by piece --------------------------------------------------------------------------------------------- */
void result_hold(sdd_result *r, const struct result_layout *lay, void *memory, int64_t bytes)
{
    r->memory = memory;
    r->memory_bytes = bytes;
    for (int k = 0; k < r->info.plan.n_blocks; k++)
        r->block[k] = lay->block[k];
}

static void let_go(sdd_result *r)
{
    dev_free(r->device, r->memory, r->memory_bytes);
    r->memory = NULL;
}

int sdd_result_bring(sdd_result *r, int64_t bytes, int64_t *left, struct sdd_error *err)
{
    sdd_device *d = r->device;
    int64_t at = r->brought, end = at; /* `at` is how much of the current block has been brought. */
    *left = 0;
    if (!r->memory)
        return SDD_OK;
    dev_pause(d); /* Others may have the frame by now, so that nothing cancels it any more. */
    dev_mark(d, MARK_DIGESTED);
    for (int k = 0; k < r->info.plan.n_blocks; k++) {
        const struct sdd_block *b = r->info.plan.blocks + k;
        if (at < b->bytes && bytes > 0) {
            const int64_t n = b->bytes - at < bytes ? b->bytes - at : bytes;
            dev_download(d, (char *)(uintptr_t)b->data + at, (const char *)r->block[k] + at, n);
            end += n;
            bytes -= n;
        }
        at = at > b->bytes ? at - b->bytes : 0;
    }
    dev_mark(d, MARK_DOWNLOADED);
    const double seconds = dev_elapsed(d, MARK_DIGESTED, MARK_DOWNLOADED);
    int rc = dev_finish(d, err);
    if (rc)
        return rc;
    r->brought = end;
    r->info.download_seconds += seconds;
    *left = r->info.plan.host_bytes - r->brought;
    if (*left == 0)
        let_go(r);
    return SDD_OK;
}

const struct sdd_result_info *sdd_result_info(const sdd_result *r)
{
    return &r->info;
}

/* ---- blocks that results share ---------------------------------------------------------------------------------- */
int64_t result_pieces_of(const struct sdd_block *b)
{
    return (b->bytes + DIGEST_PIECE - 1) / DIGEST_PIECE;
}

int result_take_over(sdd_result *r, sdd_result *base, int k, struct sdd_error *err)
{
    if (!base->share[k]) {
        if (!(base->share[k] = malloc(sizeof *base->share[k])))
            return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for a result record");
        atomic_init(&base->share[k]->users, 1);
    }
    atomic_fetch_add(&base->share[k]->users, 1);
    r->share[k] = base->share[k];
    r->info.plan.blocks[k].data = base->info.plan.blocks[k].data;
    r->info.plan.blocks[k].digest = base->info.plan.blocks[k].digest;
    return SDD_OK;
}

/* Returns whether this result was the last that had the memory of block k. */
static int leave(sdd_result *r, int k)
{
    struct result_share *share = r->share[k];
    if (share && atomic_fetch_sub(&share->users, 1) > 1)
        return 0;
    free(share);
    return 1;
}

void sdd_result_free(sdd_result *r)
{
    if (!r)
        return;
    let_go(r);
    for (int k = 0; k < r->info.plan.n_blocks; k++) {
        struct sdd_block *b = r->info.plan.blocks + k;
        if (b->data && leave(r, k))
            r->device->b->host_free(r->device->dev, (void *)(uintptr_t)b->data, b->bytes);
        free(r->pieces[k].digest);
        free(r->pieces[k].changed);
    }
    free(r);
}
