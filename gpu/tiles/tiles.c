/* SPDX-License-Identifier: Apache-2.0 */
/* tiles.c: the tiles that a topology keeps, for all rooms that query neighbours. */
#include "gpu/tiles/tiles.h"
#include "gpu/tiles/internal.h"
#include <stdlib.h>

static void *tiles_create(void)
{
    return calloc(1, sizeof(struct tiles));
}

static int64_t tiles_bytes(const void *what)
{
    return ((const struct tiles *)what)->block.bytes;
}

static void tiles_free(sdd_device *d, void *what)
{
    block_give(d, &((struct tiles *)what)->block);
    free(what);
}

static const struct kept_ops tiles_ops = {.create = tiles_create, .bytes = tiles_bytes, .free = tiles_free};

int tiles_are_made(const sdd_topology *t)
{
    const struct tiles *all = topology_kept_find(t, NULL, &tiles_ops);
    return all && all->block.memory;
}

int tiling_cancelled(const struct tiling *w, struct sdd_error *err)
{
    return w->cancel && atomic_load(w->cancel) ? sdd_fail(err, SDD_ECANCELLED, "", "cancelled while tiles were made")
                                               : SDD_OK;
}

int tiling_allocate(struct tiling *w, void (*lay_out)(const struct tiling *, struct arena *, void *), void *what,
                    struct device_block *block, struct sdd_error *err)
{
    struct arena a = {NULL, 0};
    lay_out(w, &a, what);
    int rc = block_take(w->device, a.used, block, err);
    if (rc)
        return rc;
    a = (struct arena){block->memory, 0};
    lay_out(w, &a, what);
    return SDD_OK;
}

int tiles_get(const sdd_topology *t, const struct sdd_neighbors *q, const atomic_int *cancel, const struct tiles **out,
              struct sdd_error *err)
{
    struct tiling w = {.device = t->device,
                       .topology = t,
                       .neighbors = *q,
                       .cancel = cancel,
                       .F = t->info.n_faces,
                       .C = t->info.n_corners,
                       .face_bits = id_bits(t->info.n_faces)};
    struct tiles *all = topology_kept_get(t, NULL, &tiles_ops, err);
    struct device_block block = {0};
    struct clusters c;
    *out = all;
    if (!all)
        return SDD_ENO_MEMORY;
    if (all->block.memory)
        return SDD_OK;
    int rc = clusters_find(&w, &c, &block, err);
    if (!rc)
        rc = contents_make(&w, &c, all, err);
    if (rc)
        dev_drain(w.device);
    block_give(w.device, &block);
    return rc;
}
