/* SPDX-License-Identifier: Apache-2.0 */
/* device_rows.c: rows that stay on the device, for queries.h. */
#include "gpu/queries/internal.h"
#include "gpu/queries/kernels/block_rows.tile.h"
#include <stdlib.h>

/* ---- flat rows --------------------------------------------------------------------------------------------------- */
static void lay_out(const sdd_query_plan *p, struct arena *a, struct sdd_rows_of *r)
{
    r->offset = ARENA(a, uint32_t, p->info.n_rows + 1);
    r->ids = ARENA(a, uint32_t, p->info.n_ids);
}

static int fill(const sdd_topology *t, const sdd_query_plan *p, struct sdd_rows_of *out, struct sdd_error *err)
{
    const int64_t n = p->info.n_rows;
    struct block_rows_args rows = {
        .offset = out->offset, .ids = (uint32_t *)(uintptr_t)out->ids, .n = n, .relation = p->request.relation};
    uint32_t *offset = malloc((size_t)(n + 1) * sizeof *offset);
    int rc = offset ? tiles_neighbors(t, &rows.neighbors, err) : query_no_memory("the places of rows", err);
    if (!rc) {
        for (int64_t i = 0; i <= n; i++)
            offset[i] = (uint32_t)p->offset[i];
        dev_upload(t->device, (uint32_t *)(uintptr_t)out->offset, offset, (n + 1) * (int64_t)sizeof *offset);
        DEV_LAUNCH(t->device, block_rows, &rows, (n + BLOCK_ROWS - 1) / BLOCK_ROWS);
        rc = dev_finish(t->device, err);
    }
    free(offset);
    return rc;
}

static int flat_rows(sdd_topology *t, int relation, const struct sdd_run *run, struct device_rows *out,
                     struct sdd_error *err)
{
    const struct sdd_query_request r = {.relation = relation, .ring = 1, .count = SDD_ALL_ROWS};
    struct arena a = {NULL, 0};
    sdd_query_plan *p;
    int rc = query_plan_by(t, &r, QUERY_FLAT, run, &p, err);
    if (rc)
        return rc;
    if (p->info.n_ids > UINT32_MAX)
        rc = sdd_fail(err, SDD_ETOO_LARGE, "relation", "%lld ids; the limit is 2^32", (long long)p->info.n_ids);
    lay_out(p, &a, &out->rows.first);
    if (!rc)
        rc = block_take(t->device, a.used, &out->block, err);
    if (!rc) {
        a = (struct arena){out->block.memory, 0};
        lay_out(p, &a, &out->rows.first);
        rc = fill(t, p, &out->rows.first, err);
    }
    if (rc)
        block_give(t->device, &out->block);
    out->way = QUERY_FLAT;
    out->n = p->info.n_rows;
    sdd_query_plan_free(p);
    return rc;
}

/* ---- by tiles ---------------------------------------------------------------------------------------------------- */
static int rows_by_tiles(sdd_topology *t, int relation, int way, const struct sdd_run *run, struct device_rows *out,
                         struct sdd_error *err)
{
    const int64_t n = relation <= SDD_VF ? t->info.n_vertices : relation <= SDD_EF ? t->info.n_edges : t->info.n_faces;
    const sdd_query_plan all = {.request = {.relation = relation, .ring = 1, .count = SDD_ALL_ROWS},
                                .info = {.n_elements = n, .n_rows = n}};
    struct query_work w = {.device = t->device, .topology = t, .plan = &all, .cancel = run ? run->cancel : NULL};
    int rc = tiles_neighbors(t, &w.neighbors, err);
    out->way = QUERY_FLAT;
    return rc || !query_may_tile(&w) ? rc : tiled_rows(&w, way, out, err);
}

int queries_rows(sdd_topology *t, int relation, int way, int launches, const struct sdd_run *run,
                 struct device_rows *out, struct sdd_error *err)
{
    *out = (struct device_rows){.way = way == QUERY_BY_RULE ? query_gather_way(t, relation, launches) : way};
    if (out->way != QUERY_FLAT) {
        int rc = rows_by_tiles(t, relation, out->way, run, out, err);
        if (rc || out->way != QUERY_FLAT)
            return rc;
    }
    return flat_rows(t, relation, run, out, err);
}
