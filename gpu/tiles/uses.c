/* SPDX-License-Identifier: Apache-2.0 */
/* uses.c: the corners that use each edge of a mesh that is not manifold, kept with the topology. In other meshes
 * twins say it. */
#include "gpu/device/sizes.h"
#include "gpu/tiles/kernels/edge_use_begins.k.h"
#include "gpu/tiles/kernels/edge_use_keys.k.h"
#include "gpu/tiles/tiles.h"
#include <stdlib.h>

struct uses {
    struct device_block block;
    uint32_t *begin, *corner;
};

static void *uses_create(void)
{
    return calloc(1, sizeof(struct uses));
}

static int64_t uses_bytes(const void *what)
{
    return ((const struct uses *)what)->block.bytes;
}

static void uses_free(sdd_device *d, void *what)
{
    block_give(d, &((struct uses *)what)->block);
    free(what);
}

static const struct kept_ops uses_ops = {.create = uses_create, .bytes = uses_bytes, .free = uses_free};

static void lay_out_uses(const sdd_topology *t, struct arena *a, struct uses *u)
{
    u->begin = ARENA(a, uint32_t, t->info.n_edges + 1);
    u->corner = ARENA(a, uint32_t, t->info.n_corners);
}

struct sorting {
    uint64_t *keys, *sorted;
    int32_t *values;
    void *scratch;
};

static void lay_out_sorting(const sdd_topology *t, struct arena *a, struct sorting *s)
{
    const int64_t C = t->info.n_corners;
    s->keys = ARENA(a, uint64_t, C);
    s->sorted = ARENA(a, uint64_t, C);
    s->values = ARENA(a, int32_t, C);
    s->scratch = ARENA(a, char, t->device->b->sort_scratch(t->device->dev, C, id_bits(t->info.n_edges)));
}

static int make_uses(const sdd_topology *t, struct uses *u, struct sdd_error *err)
{
    sdd_device *d = t->device;
    const int64_t C = t->info.n_corners;
    struct arena kept = {NULL, 0}, temporary = {NULL, 0};
    struct device_block block = {0};
    struct sorting s;
    lay_out_uses(t, &kept, u);
    lay_out_sorting(t, &temporary, &s);
    int rc = block_take(d, kept.used, &u->block, err);
    if (!rc)
        rc = block_take(d, temporary.used, &block, err);
    if (rc) {
        block_give(d, &u->block);
        return rc;
    }
    kept = (struct arena){u->block.memory, 0};
    temporary = (struct arena){block.memory, 0};
    lay_out_uses(t, &kept, u);
    lay_out_sorting(t, &temporary, &s);
    struct edge_use_keys_args keys = {t->edge, s.keys, s.values};
    struct edge_use_begins_args begins = {s.sorted, u->begin, C};
    DEV_LAUNCH(d, edge_use_keys, &keys, C);
    dev_sort(d, s.keys, s.sorted, s.values, (int32_t *)u->corner, C, id_bits(t->info.n_edges), s.scratch);
    DEV_LAUNCH(d, edge_use_begins, &begins, C);
    rc = dev_finish(d, err);
    block_give(d, &block);
    if (rc)
        block_give(d, &u->block);
    return rc;
}

int tiles_neighbors(const sdd_topology *t, struct sdd_neighbors *out, struct sdd_error *err)
{
    *out = (struct sdd_neighbors){.mesh = topology_control(t)};
    if (t->info.manifold)
        return SDD_OK;
    struct uses *u = topology_kept_get(t, NULL, &uses_ops, err);
    if (!u)
        return SDD_ENO_MEMORY;
    int rc = u->block.memory ? SDD_OK : make_uses(t, u, err);
    out->use_begin = u->begin;
    out->use_corner = u->corner;
    return rc;
}
