/* SPDX-License-Identifier: Apache-2.0 */
/* result.c: blocks from device to host memory, with digests. */
#include "gpu/result.h"
#include "gpu/digest.h"
#include <stdlib.h>

int result_create(sdd_device *d, sdd_result **out, struct sdd_error *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for a result record");
    (*out)->device = d;
    return SDD_OK;
}

struct sdd_block *result_add_block(struct sdd_plan *p, int semantic, int components, int64_t count)
{
    struct sdd_block *b = p->blocks + p->n_blocks++;
    b->semantic = semantic;
    b->components = components;
    b->count = count;
    b->bytes = count * components * 4;
    p->host_bytes += b->bytes;
    return b;
}

void result_lay_out(const sdd_device *d, const struct sdd_plan *p, struct arena *a, struct result_layout *out)
{
    out->digests = ARENA(a, uint64_t, p->n_blocks);
    for (int i = 0; i < p->n_blocks; i++)
        out->tree[i] = ARENA(a, char, digest_scratch(p->blocks[i].bytes));
    for (int i = 0; i < p->n_blocks; i++)
        out->block[i] = d->b->unified ? NULL : ARENA(a, char, p->blocks[i].bytes);
}

int result_place(sdd_result *r, struct result_layout *lay, struct sdd_error *err)
{
    for (int k = 0; k < r->info.plan.n_blocks; k++) {
        struct sdd_block *b = r->info.plan.blocks + k;
        void *memory = NULL;
        int rc = dev_host_alloc(r->device, b->bytes, &memory, err);
        if (rc)
            return rc;
        b->data = memory;
        lay->block[k] = lay->block[k] ? lay->block[k] : memory;
    }
    return SDD_OK;
}

void *result_block(const struct sdd_plan *p, const struct result_layout *lay, int semantic)
{
    for (int k = 0; k < p->n_blocks; k++)
        if (p->blocks[k].semantic == semantic)
            return lay->block[k];
    return NULL;
}

int result_cancelled(const atomic_int *cancel, const char *before, struct sdd_error *err)
{
    return cancel && atomic_load(cancel) ? sdd_fail(err, SDD_ECANCELLED, "", "cancelled before %s", before) : SDD_OK;
}

int result_bring(sdd_result *r, const struct result_layout *lay, const atomic_int *cancel, struct sdd_error *err)
{
    sdd_device *d = r->device;
    struct sdd_result_info *info = &r->info;
    struct sdd_plan *p = &info->plan;
    uint64_t digests[SDD_MAX_BLOCKS] = {0};
    dev_mark(d, MARK_REFINED);
    int rc = result_cancelled(cancel, "the digests", err);
    if (rc)
        return rc;
    for (int k = 0; k < p->n_blocks; k++)
        digest_queue(d, lay->block[k], p->blocks[k].bytes, lay->tree[k], lay->digests + k);
    dev_mark(d, MARK_DIGESTED);
    if ((rc = result_cancelled(cancel, "the download", err)))
        return rc;
    for (int k = 0; k < p->n_blocks; k++)
        if (lay->block[k] != p->blocks[k].data)
            dev_download(d, (void *)(uintptr_t)p->blocks[k].data, lay->block[k], p->blocks[k].bytes);
    dev_download(d, digests, lay->digests, p->n_blocks * (int64_t)sizeof digests[0]);
    dev_mark(d, MARK_DOWNLOADED);
    info->refine_seconds = dev_elapsed(d, MARK_START, MARK_REFINED);
    info->digest_seconds = dev_elapsed(d, MARK_REFINED, MARK_DIGESTED);
    info->download_seconds = dev_elapsed(d, MARK_DIGESTED, MARK_DOWNLOADED);
    rc = dev_finish(d, err);
    for (int k = 0; k < p->n_blocks; k++)
        p->blocks[k].digest = digests[k];
    return rc;
}

const struct sdd_result_info *sdd_result_info(const sdd_result *r)
{
    return &r->info;
}

void sdd_result_free(sdd_result *r)
{
    if (!r)
        return;
    for (int k = 0; k < r->info.plan.n_blocks; k++) {
        struct sdd_block *b = r->info.plan.blocks + k;
        if (b->data)
            r->device->b->host_free(r->device->dev, (void *)(uintptr_t)b->data, b->bytes);
    }
    free(r);
}
