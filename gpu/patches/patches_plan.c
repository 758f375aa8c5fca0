/* SPDX-License-Identifier: Apache-2.0 */
/* patches_plan.c: the plan of feature-adaptive patches, for patches.c and adaptive.c. It is the propagation of
 * section 4.3.3 (Mlakar 2018), level by level: the cells that exist, which of them are patches and which are split,
 * and the points that they need. What a level holds is known before the next one is begun, so hostile sharpness is
 * stopped at the first level that is too large. */
#include "gpu/kernel/compact.k.h"
#include "gpu/kernel/compact_keys.k.h"
#include "gpu/patches/kernels/patch_children.k.h"
#include "gpu/patches/kernels/patch_corner_keys.k.h"
#include "gpu/patches/kernels/patch_corners.k.h"
#include "gpu/patches/kernels/patch_first.k.h"
#include "gpu/patches/kernels/patch_keys.k.h"
#include "gpu/patches/kernels/patch_locations.k.h"
#include "gpu/patches/kernels/patch_split.k.h"
#include "gpu/patches/kernels/patch_vertices.k.h"
#include "gpu/kernel/run_heads.k.h"
#include "gpu/patches/patches.h"
#include "gpu/engine_api/result.h"
#include "gpu/levels/levels.h"
#include "gpu/device/sizes.h"
#include <string.h>

enum { A_PATCH = 80, A_FACE = 32, A_POINT = 12 }; /* The bytes that each patch, face and point takes in the result. */

static int take(struct patches *p, struct device_block *to, int64_t bytes, struct sdd_error *err)
{
    int rc = bytes ? dev_alloc_more(p->topology->device, p->held_bytes, bytes, &to->memory, err) : SDD_OK;
    if (rc || !bytes)
        return rc;
    to->bytes = bytes;
    p->held_bytes += bytes;
    p->most_bytes = larger(p->most_bytes, p->held_bytes);
    return SDD_OK;
}

static void drop(struct patches *p, struct device_block *from)
{
    dev_free(p->topology->device, from->memory, from->bytes);
    p->held_bytes -= from->bytes;
    from->memory = NULL;
    from->bytes = 0;
}

void patches_fini(struct patches *p)
{
    drop(p, &p->scratch);
    while (p->n_pieces > 0)
        drop(p, p->piece + --p->n_pieces);
}

/* Takes memory that stays until patches_fini. */
static int keep(struct patches *p, int64_t bytes, void **out, struct sdd_error *err)
{
    struct device_block *to = p->piece + p->n_pieces++;
    int rc = take(p, to, bytes, err);
    *out = to->memory;
    return rc;
}

static int too_large(int64_t needed, int64_t available, const char *of, int level, struct sdd_error *err)
{
    const char *field = strcmp(of, "bytes") == 0 ? "max_bytes" : "level";
    sdd_fail(err, SDD_ETOO_LARGE, field, "level %d needs at least %lld %s; %lld are allowed", level, (long long)needed,
             of, (long long)available);
    if (err) {
        err->needed = needed;
        err->available = available;
    }
    return SDD_ETOO_LARGE;
}

/* Scratch of a level: flags and ranks of its cells, and its keys with what sorting them needs. */
struct scratch {
    int32_t *flag[2], *rank[2]; /* Row 0 is for cells that are patches, row 1 for those that are left. */
    int32_t *value;             /* Sorted along with the keys. */
    int32_t *key_flag;          /* The first key of each run; before sorting, the values in their first order. */
    int32_t *key_rank;
    uint64_t *key, *sorted;
    uint32_t *counts; /* How many patches, cells left and points there are. */
    void *work;
};

static int64_t work_bytes(const struct patches *p, int64_t n_cells, int64_t n_keys, int bits)
{
    const sdd_device *d = p->topology->device;
    int64_t scan = d->b->scan_scratch(d->dev, larger(n_cells, n_keys));
    return n_keys ? larger(scan, d->b->sort_scratch(d->dev, n_keys, bits)) : scan;
}

static void lay_out(const struct patches *p, int64_t n_cells, int64_t n_keys, int bits, struct arena *a,
                    struct scratch *s)
{
    for (int k = 0; k < 2; k++) {
        s->flag[k] = ARENA(a, int32_t, n_cells);
        s->rank[k] = ARENA(a, int32_t, n_cells);
    }
    s->key = ARENA(a, uint64_t, n_keys);
    s->sorted = ARENA(a, uint64_t, n_keys);
    s->value = ARENA(a, int32_t, n_keys);
    s->key_flag = ARENA(a, int32_t, n_keys);
    s->key_rank = ARENA(a, int32_t, n_keys);
    s->counts = ARENA(a, uint32_t, 3);
    s->work = ARENA(a, char, work_bytes(p, n_cells, n_keys, bits));
}

static int take_scratch(struct patches *p, int64_t n_cells, int64_t n_keys, int bits, struct scratch *s,
                        struct sdd_error *err)
{
    struct arena a = {NULL, 0};
    lay_out(p, n_cells, n_keys, bits, &a, s);
    drop(p, &p->scratch);
    int rc = take(p, &p->scratch, a.used, err);
    if (rc)
        return rc;
    a.base = p->scratch.memory;
    a.used = 0;
    lay_out(p, n_cells, n_keys, bits, &a, s);
    dev_fill(p->topology->device, s->counts, 0, 3 * (int64_t)sizeof *s->counts);
    return SDD_OK;
}

/* Ranks the flags, and queues their sum to `count`. */
static void rank(sdd_device *d, const int32_t *flag, int32_t *ranks, int64_t n, uint32_t *count, void *work)
{
    dev_scan(d, flag, ranks, n, work);
    if (n > 0)
        dev_copy(d, count, ranks + n - 1, sizeof *count);
}

static int key_bits(const sdd_topology *t, int level)
{
    const struct sdd_topology_info *i = &t->info;
    return id_bits(i->n_vertices + i->n_faces + 3 * i->n_edges + 2 * i->n_corners) + 2 * (level - 1);
}

/* Sorts the keys, and flags and ranks the first of each run of equal ones. */
static void sort_keys(sdd_device *d, const struct scratch *s, int64_t n, int bits)
{
    struct run_heads_args heads = {s->sorted, s->key_flag};
    dev_sort(d, s->key, s->sorted, s->key_flag, s->value, n, bits, s->work);
    DEV_LAUNCH(d, run_heads, &heads, n);
    rank(d, s->key_flag, s->key_rank, n, s->counts + 2, s->work);
}

/* Downloads the counts, and makes the lists in memory of exactly their size. */
static int keep_lists(struct patches *p, const struct scratch *s, int64_t n_cells, int64_t n_keys,
                      struct patch_level *l, struct sdd_error *err)
{
    sdd_device *d = p->topology->device;
    uint32_t counts[3] = {0};
    struct arena a = {NULL, 0};
    void *memory = NULL;
    dev_download(d, counts, s->counts, sizeof counts);
    int rc = dev_finish(d, err);
    for (int pass = 0; pass < 2 && !rc; pass++) {
        l->n_patches = counts[0];
        l->n_left = counts[1];
        l->n_points = counts[2];
        a.base = memory;
        a.used = 0;
        l->patch = ARENA(&a, uint32_t, l->n_patches);
        l->left = ARENA(&a, uint32_t, l->n_left);
        l->key = ARENA(&a, uint64_t, l->n_points);
        l->location = ARENA(&a, uint32_t, n_keys);
        if (pass == 0)
            rc = keep(p, a.used, &memory, err);
    }
    if (rc)
        return rc;
    struct compact_args patches = {s->flag[0], s->rank[0], l->patch}, left = {s->flag[1], s->rank[1], l->left};
    struct compact_keys_args keys = {s->sorted, s->key_flag, s->key_rank, l->key};
    struct patch_locations_args places = {s->value, s->key_rank, l->location};
    DEV_LAUNCH(d, compact, &patches, n_cells);
    DEV_LAUNCH(d, compact, &left, n_cells);
    DEV_LAUNCH(d, compact_keys, &keys, n_keys);
    DEV_LAUNCH(d, patch_locations, &places, n_keys);
    return SDD_OK;
}

/* Adds a level to the totals, and refuses it when the result is larger than allowed or surely will be. */
static int admit(struct patches *p, struct patch_level *l, int level, struct sdd_error *err)
{
    const struct sdd_patches_request *r = &p->request;
    /* `next` counts the cells of the next level, and `faces` is the least number of faces of the result. */
    int64_t next = level == 0 ? l->n_left : level < r->level ? 4 * l->n_left : 0;
    int64_t faces = level == r->level ? l->n_left : p->features.visible ? 0 : next;
    l->first = p->n_rows;
    p->n_rows += l->n_points;
    p->n_patches += l->n_patches;
    int64_t bytes = A_POINT * p->n_rows + A_PATCH * p->n_patches + A_FACE * faces;
    if (r->max_bytes > 0 && bytes > r->max_bytes)
        return too_large(bytes, r->max_bytes, "bytes", level, err);
    if (p->n_rows >= UINT32_MAX)
        return too_large(p->n_rows, UINT32_MAX, "rows", level, err);
    return 16 * next >= INT32_MAX ? too_large(16 * next, INT32_MAX, "keys", level + 1, err) : SDD_OK;
}

static int plan_control(struct patches *p, struct sdd_error *err)
{
    const sdd_topology *t = p->topology;
    int64_t C = t->info.n_corners;
    struct scratch s;
    void *memory;
    int rc = keep(p, t->info.n_vertices * (int64_t)sizeof *p->features.regular, &memory, err);
    if (!rc)
        rc = take_scratch(p, C, 0, 0, &s, err);
    if (rc)
        return rc;
    p->features.regular = memory;
    struct patch_vertices_args vertices = {p->features.mesh, memory};
    struct patch_corners_args corners = {p->features, s.flag[0], s.flag[1]};
    DEV_LAUNCH(t->device, patch_vertices, &vertices, t->info.n_vertices);
    DEV_LAUNCH(t->device, patch_corners, &corners, C);
    for (int k = 0; k < 2; k++)
        rank(t->device, s.flag[k], s.rank[k], C, s.counts + k, s.work);
    rc = keep_lists(p, &s, C, 0, p->level, err);
    p->level[0].n_points = t->info.n_vertices;
    return rc ? rc : admit(p, p->level, 0, err);
}

static int plan_level(struct patches *p, int level, struct sdd_error *err)
{
    const sdd_topology *t = p->topology;
    struct patch_level *l = p->level + level, *before = l - 1;
    int64_t n = level == 1 ? before->n_left : 4 * before->n_left;
    int last = level == p->request.level, bits = key_bits(t, level);
    struct scratch s;
    void *memory;
    if (n == 0)
        return admit(p, l, level, err);
    int rc = keep(p, n * (int64_t)sizeof *l->cell, &memory, err);
    if (!rc)
        rc = take_scratch(p, n, 16 * n, bits, &s, err);
    if (rc)
        return rc;
    l->cell = memory;
    l->n_cells = n;
    struct patch_first_args first = {p->features.mesh, before->left, l->cell};
    struct patch_children_args children = {before->cell, before->left, l->cell};
    struct patch_split_args split = {p->features, l->cell, s.flag[0], s.flag[1], level, last};
    struct patch_keys_args keys = {p->features, l->cell, s.key,
                                   s.key_flag,  level,   last && p->request.surface == SDD_SURFACE_REFINED};
    if (level == 1)
        DEV_LAUNCH(t->device, patch_first, &first, n);
    else
        DEV_LAUNCH(t->device, patch_children, &children, n);
    DEV_LAUNCH(t->device, patch_split, &split, n);
    for (int k = 0; k < 2; k++)
        rank(t->device, s.flag[k], s.rank[k], n, s.counts + k, s.work);
    DEV_LAUNCH(t->device, patch_keys, &keys, n);
    sort_keys(t->device, &s, 16 * n, bits);
    rc = keep_lists(p, &s, n, 16 * n, l, err);
    return rc ? rc : admit(p, l, level, err);
}

/* Limit points come after all others. They are those of the corners of the faces that are left. */
static int plan_limits(struct patches *p, struct sdd_error *err)
{
    const sdd_topology *t = p->topology;
    int level = p->request.level, bits = key_bits(t, level);
    const struct patch_level *l = p->level + level;
    struct scratch s;
    p->limit.first = p->n_rows;
    if (p->request.surface == SDD_SURFACE_REFINED || l->n_left == 0)
        return SDD_OK;
    int rc = take_scratch(p, 0, 4 * l->n_left, bits, &s, err);
    if (rc)
        return rc;
    struct patch_corner_keys_args keys = {p->features.mesh, l->cell, l->left, s.key, s.key_flag, level};
    DEV_LAUNCH(t->device, patch_corner_keys, &keys, l->n_left);
    sort_keys(t->device, &s, 4 * l->n_left, bits);
    rc = keep_lists(p, &s, 0, 4 * l->n_left, &p->limit, err);
    p->n_rows += p->limit.n_points;
    struct arena a = {NULL, 0};
    void *memory = NULL;
    follow_lay_out(t, NULL, level, p->request.surface, &a, &p->follow);
    if (!rc)
        rc = keep(p, a.used, &memory, err);
    a = (struct arena){memory, 0};
    follow_lay_out(t, NULL, level, p->request.surface, &a, &p->follow);
    return rc;
}

int patches_plan(struct patches *p, struct sdd_error *err)
{
    const sdd_topology *t = p->topology;
    p->features.mesh = topology_control(t);
    p->features.visible = p->with_holes ? NULL : t->visible;
    p->features.n_visible = (uint32_t)t->n_visible;
    int rc = plan_control(p, err);
    for (int level = 1; level <= p->request.level && !rc; level++) {
        rc = result_cancelled(p->request.cancel, "a level of patches", err);
        if (!rc)
            rc = plan_level(p, level, err);
    }
    if (!rc)
        rc = plan_limits(p, err);
    if (rc)
        return rc;
    drop(p, &p->scratch);
    int64_t bytes = A_POINT * p->n_rows + A_PATCH * p->n_patches + A_FACE * p->level[p->request.level].n_left;
    if (p->request.max_bytes > 0 && bytes > p->request.max_bytes)
        return too_large(bytes, p->request.max_bytes, "bytes", p->request.level, err);
    return p->n_rows < UINT32_MAX ? SDD_OK : too_large(p->n_rows, UINT32_MAX, "rows", p->request.level, err);
}
