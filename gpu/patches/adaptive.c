/* SPDX-License-Identifier: Apache-2.0 */
/* adaptive.c: rows of a level from feature-adaptive patches, for engine tabulated (adaptive.h). */
#include "gpu/patches/adaptive.h"
#include "gpu/mesh/mesh.h"
#include "gpu/bspline/basis_table.h"
#include <stdlib.h>

_Static_assert(SDD_BAND_SIDE == 1 << (SDD_MAX_PATCH_LEVEL - 1), "kernels must take the largest grid");
_Static_assert(SDD_ADAPTIVE_LEVELS == SDD_MAX_PATCH_LEVEL + 1, "kernel arguments must hold all levels");
_Static_assert(TABLE_BASIS_STEPS >= SDD_MAX_PATCH_LEVEL, "a patch of level 0 must reach the last level");

/* Lays out the arrays of `out` in an arena (device.h). */
static void lay_out(const struct patches *p, struct arena *a, struct adaptive *out)
{
    out->patch = ARENA(a, struct sdd_quad, 4 * p->n_patches);
    out->param = ARENA(a, struct sdd_quad, p->n_patches);
    out->basis = ARENA(a, struct sdd_table_basis, sdd_basis_at(p->request.level + 1));
    out->points = ARENA(a, float, 3 * p->n_rows);
}

/* Makes all that the plan does not have: memory, the tables of the basis, and the rows of the patches. */
static int fill(struct adaptive *a, struct sdd_error *err)
{
    sdd_device *d = a->plan.topology->device;
    struct arena count = {NULL, 0};
    int level = a->plan.request.level;
    lay_out(&a->plan, &count, a);
    int rc = dev_alloc_more(d, a->plan.held_bytes, count.used, &a->memory.memory, err);
    if (rc)
        return rc;
    a->memory.bytes = count.used;
    struct arena real = {a->memory.memory, 0};
    uint32_t n_patches = 0;
    lay_out(&a->plan, &real, a);
    struct sdd_table_basis *basis = calloc((size_t)sdd_basis_at(level + 1), sizeof *basis);
    if (!basis)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for tables");
    for (int l = 0; l <= level; l++) {
        const struct patch_level *of = a->plan.level + l;
        table_basis(l, a->plan.request.surface == SDD_SURFACE_REFINED ? TABLE_REFINED : TABLE_LIMIT,
                    basis + sdd_basis_at(l));
        a->levels.cell[l] = of->cell;
        a->levels.patch[l] = of->patch;
        a->levels.n[l] = (uint32_t)of->n_patches;
        a->levels.first[l] = n_patches;
        n_patches += (uint32_t)of->n_patches;
    }
    dev_upload(d, a->basis, basis, sdd_basis_at(level + 1) * (int64_t)sizeof *basis);
    patches_queue_rows(&a->plan, a->patch, a->param);
    rc = dev_finish(d, err);
    free(basis);
    return rc;
}

int adaptive_create(const sdd_topology *t, int level, int surface, const atomic_int *cancel, struct adaptive **out,
                    struct sdd_error *err)
{
    struct adaptive *a = calloc(1, sizeof *a);
    *out = NULL;
    if (!a)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for patches");
    a->plan.topology = t;
    a->plan.request = (struct sdd_patches_request){.level = level, .surface = surface, .cancel = cancel};
    a->plan.with_holes = 1; /* A level has rows inside holes too. */
    int rc = patches_plan(&a->plan, err);
    a->plan.request.cancel = NULL; /* The flag is the caller's, and may go once this call returns. */
    if (!rc)
        rc = fill(a, err);
    if (rc) {
        dev_drain(t->device);
        adaptive_free(a);
        return rc;
    }
    *out = a;
    return SDD_OK;
}

void adaptive_rows(struct adaptive *a, const sdd_mesh *m, float *level1, int64_t first, int64_t n, float *to)
{
    const struct patches *p = &a->plan;
    /* The points that no patch makes are those of the last level or, if the plan has any, their limits. */
    int last = p->request.level, limits = p->limit.n_points > 0;
    const struct patch_level *left = limits ? &p->limit : p->level + last;
    struct adaptive_rows_args args = {.from = {.mesh = p->features.mesh,
                                               .points = a->points,
                                               .levels = a->levels,
                                               .patch = a->patch,
                                               .param = a->param,
                                               .basis = a->basis,
                                               .left = left->key,
                                               .n_left = (uint32_t)left->n_points,
                                               .left_first = (uint32_t)left->first,
                                               .last = last},
                                      .to = to,
                                      .first = first,
                                      .n = n,
                                      .each = sdd_rows_each(n)};
    if (a->points_of != m->points_serial)
        patches_queue_points(p, m->points, level1, a->points);
    /* After a failure the points may not have been made, so the next call makes them again. */
    a->points_of = p->topology->device->status ? 0 : m->points_serial;
    DEV_LAUNCH(p->topology->device, adaptive_rows, &args, (n + args.each - 1) / args.each);
}

int64_t adaptive_bytes(const struct adaptive *a)
{
    return a ? a->plan.held_bytes + a->memory.bytes : 0;
}

void adaptive_free(struct adaptive *a)
{
    if (!a)
        return;
    dev_free(a->plan.topology->device, a->memory.memory, a->memory.bytes);
    patches_fini(&a->plan);
    free(a);
}
