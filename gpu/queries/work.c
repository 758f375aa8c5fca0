/* SPDX-License-Identifier: Apache-2.0 */
/* work.c: what all ways of making rows need, for the files of this room: memory, counts, the limit of an answer. */
#include "gpu/device/sizes.h"
#include "gpu/queries/internal.h"

int query_check_bytes(int64_t bytes, int exactly, int64_t limit, struct sdd_error *err)
{
    if (limit == 0 || bytes <= limit)
        return SDD_OK;
    int rc = sdd_fail(err, SDD_ETOO_LARGE, "max_bytes", "the answer needs %s%lld bytes; the limit is %lld",
                      exactly ? "" : "at least ", (long long)bytes, (long long)limit);
    if (err) {
        err->needed = bytes;
        err->available = limit;
    }
    return rc;
}

void query_size_blocks(const sdd_query_plan *p, int64_t n, struct sdd_query_info *info)
{
    info->n_ids = p->offset[n];
    info->offset_bytes = p->offset[n] > UINT32_MAX ? 8 : 4;
    info->offsets_bytes = (info->n_rows + 1) * info->offset_bytes;
    info->ids_bytes = info->n_ids * (int64_t)sizeof(uint32_t);
    info->signs_bytes = p->request.relation == SDD_FE ? info->n_ids : 0;
    info->host_bytes = info->offsets_bytes + info->ids_bytes + info->signs_bytes;
}

int query_within(const struct query_work *w, int64_t n, struct sdd_error *err)
{
    struct sdd_query_info info = w->plan->info;
    query_size_blocks(w->plan, n, &info);
    return query_check_bytes(info.host_bytes, n == info.n_rows && !w->is_part, w->plan->request.max_bytes, err);
}

int query_cancelled(const struct query_work *w, struct sdd_error *err)
{
    return w->cancel && atomic_load(w->cancel) ? sdd_fail(err, SDD_ECANCELLED, "", "cancelled between rows") : SDD_OK;
}

int query_hold(struct query_work *w, int64_t bytes, struct device_block *block, struct sdd_error *err)
{
    const int64_t before = w->held;
    int rc = dev_alloc_more(w->device, before, bytes, &block->memory, err);
    block->bytes = rc ? 0 : bytes;
    w->held += block->bytes;
    w->most_held = larger(w->most_held, w->held);
    return rc;
}

void query_give(struct query_work *w, struct device_block *block)
{
    w->held -= block->bytes;
    block_give(w->device, block);
}

void query_counted(struct query_work *w, int64_t first, int64_t n, const int32_t *count)
{
    int64_t *offset = w->offset + first;
    for (int64_t i = 0; i < n; i++)
        offset[i + 1] = offset[i] + count[i];
}

struct sdd_subjects query_subjects(struct query_work *w, int64_t first, int64_t n, uint32_t *list)
{
    const struct sdd_subjects s = {list, (uint32_t)(w->plan->request.first + first)};
    if (list)
        dev_upload(w->device, list, w->plan->list + first, n * (int64_t)sizeof *list);
    return s;
}

int64_t query_chunk_end(const int64_t *offset, int64_t from, int64_t end)
{
    int64_t to = from + 1;
    while (to < end && to - from < QUERY_CHUNK_ROWS && offset[to + 1] - offset[from] <= QUERY_CHUNK_IDS)
        to++;
    return to;
}

int64_t query_most_ids(const struct query_work *w)
{
    const int64_t *offset = w->plan->offset, n_rows = w->plan->info.n_rows;
    int64_t most = 0;
    for (int64_t at = 0, end; at < n_rows; at = end) {
        end = query_chunk_end(offset, at, n_rows);
        most = larger(most, offset[end] - offset[at]);
    }
    return most;
}

void query_upload_offsets(sdd_device *d, uint32_t *to, const int64_t *offset, int64_t n, uint32_t *relative)
{
    for (int64_t i = 0; i < n; i++)
        relative[i] = (uint32_t)(offset[i] - offset[0]);
    dev_upload(d, to, relative, n * (int64_t)sizeof *to);
}
