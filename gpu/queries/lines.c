/* SPDX-License-Identifier: Apache-2.0 */
/* lines.c: what formulas of refined levels need to know of the control mesh. Of quads it is what the numbers of edges
 * are made from, kept with the topology (gpu/queries/kernels/grid_edge.dev.h); of triangles, whether two of them share
 * two edges. */
#include "gpu/device/sizes.h"
#include "gpu/queries/internal.h"
#include "gpu/queries/kernels/fold_vertices.k.h"
#include "gpu/queries/kernels/line_keys.k.h"
#include "gpu/queries/kernels/line_places.k.h"
#include <stdlib.h>

struct lines_kept {
    struct device_block block;
    uint32_t *place, *line, *uses;
};

static void *lines_create(void)
{
    return calloc(1, sizeof(struct lines_kept));
}

static int64_t lines_bytes(const void *what)
{
    return ((const struct lines_kept *)what)->block.bytes;
}

static void lines_free(sdd_device *d, void *what)
{
    block_give(d, &((struct lines_kept *)what)->block);
    free(what);
}

static const struct kept_ops lines_ops = {.create = lines_create, .bytes = lines_bytes, .free = lines_free};

static void lay_out_lines(const sdd_topology *t, struct arena *a, struct lines_kept *l)
{
    const int64_t E = t->info.n_edges;
    l->place = ARENA(a, uint32_t, 2 * E);
    l->line = ARENA(a, uint32_t, 2 * E);
    l->uses = ARENA(a, uint32_t, E + 1);
}

struct making {
    uint64_t *keys, *sorted;
    int32_t *values, *counts;
    void *scratch;
};

static void lay_out_making(const sdd_topology *t, struct arena *a, struct making *s)
{
    const int64_t E = t->info.n_edges;
    const sdd_device *d = t->device;
    const int64_t sort = d->b->sort_scratch(d->dev, 2 * E, id_bits(t->info.n_vertices));
    s->keys = ARENA(a, uint64_t, 2 * E);
    s->sorted = ARENA(a, uint64_t, 2 * E);
    s->values = ARENA(a, int32_t, 2 * E);
    s->counts = ARENA(a, int32_t, E);
    s->scratch = ARENA(a, char, larger(sort, d->b->scan_scratch(d->dev, E)));
}

static int make_lines(const sdd_topology *t, const struct sdd_neighbors *q, struct lines_kept *l, struct sdd_error *err)
{
    sdd_device *d = t->device;
    const int64_t E = t->info.n_edges;
    struct arena kept = {NULL, 0}, temporary = {NULL, 0};
    struct device_block block = {0};
    struct making s;
    lay_out_lines(t, &kept, l);
    lay_out_making(t, &temporary, &s);
    int rc = block_take(d, kept.used, &l->block, err);
    if (!rc)
        rc = block_take(d, temporary.used, &block, err);
    if (rc) {
        block_give(d, &l->block);
        return rc;
    }
    kept = (struct arena){l->block.memory, 0};
    temporary = (struct arena){block.memory, 0};
    lay_out_lines(t, &kept, l);
    lay_out_making(t, &temporary, &s);
    struct line_keys_args keys = {*q, s.keys, s.values, s.counts};
    struct line_places_args places = {l->line, l->place};
    dev_fill(d, l->uses, 0, sizeof *l->uses);
    DEV_LAUNCH(d, line_keys, &keys, 2 * E);
    dev_sort(d, s.keys, s.sorted, s.values, (int32_t *)l->line, 2 * E, id_bits(t->info.n_vertices), s.scratch);
    DEV_LAUNCH(d, line_places, &places, 2 * E);
    dev_scan(d, s.counts, (int32_t *)l->uses + 1, E, s.scratch);
    rc = dev_finish(d, err);
    block_give(d, &block);
    if (rc)
        block_give(d, &l->block);
    return rc;
}

int queries_fold(const sdd_topology *t, int *has_fold, struct sdd_error *err)
{
    sdd_device *d = t->device;
    struct device_block block = {0};
    uint64_t vertex = ~0ull;
    struct fold_vertices_args a;
    int rc = tiles_neighbors(t, &a.neighbors, err);
    if (!rc)
        rc = block_take(d, sizeof *a.error, &block, err);
    if (rc)
        return rc;
    a.error = block.memory;
    dev_fill(d, a.error, 0xff, sizeof *a.error);
    DEV_LAUNCH(d, fold_vertices, &a, t->info.n_vertices);
    dev_download(d, &vertex, a.error, sizeof vertex);
    rc = dev_finish(d, err);
    block_give(d, &block);
    *has_fold = vertex != ~0ull;
    return rc;
}

int queries_lines(const sdd_topology *t, struct sdd_neighbors *q, struct sdd_error *err)
{
    struct lines_kept *l = topology_kept_get(t, NULL, &lines_ops, err);
    if (!l)
        return SDD_ENO_MEMORY;
    int rc = l->block.memory ? SDD_OK : make_lines(t, q, l, err);
    q->lines = (struct sdd_lines){l->place, l->line, l->uses};
    return rc;
}
