/* SPDX-License-Identifier: Apache-2.0 */
/* patches.c: makes the result of sdd_patches: first the plan (patches.h), then the points of all levels in the
 * result's own memory, the rows of patches and faces, and the way to host memory (result.h). adaptive.c queues its
 * points and rows here too. */
#include "gpu/patches/patches.h"
#include "gpu/engine_api/engine_api.h"
#include "gpu/patches/kernels/patch_faces.k.h"
#include "gpu/patches/kernels/patch_follow.k.h"
#include "gpu/patches/kernels/patch_gather.k.h"
#include "gpu/patches/kernels/patch_limits.k.h"
#include "gpu/patches/patch_points.k.h"
#include "gpu/patches/kernels/patch_rows.k.h"
#include "gpu/engine_api/result.h"
#include "gpu/levels/levels.h"

_Static_assert((unsigned)SDD_FLAG_BOUNDARY == SDD_PATCH_BOUNDARY &&
                   (unsigned)SDD_FLAG_TRANSITION == SDD_PATCH_TRANSITION &&
                   (unsigned)SDD_FLAG_OF_POLYGON == SDD_PATCH_OF_POLYGON,
               "kernels write the flags of sdd.h");

static int check_request(const sdd_topology *t, const struct sdd_patches_request *r, struct sdd_error *err)
{
    if (r->level < 1 || r->level > SDD_MAX_PATCH_LEVEL)
        return sdd_fail(err, SDD_EINVALID, "level", "level %d; 1 to %d are allowed", r->level, SDD_MAX_PATCH_LEVEL);
    if (r->surface < 0 || r->surface >= SDD_N_SURFACES)
        return sdd_fail(err, SDD_EINVALID, "surface", "surface %d is neither refined nor limit nor limitAtLevel",
                        r->surface);
    if (t->info.options.scheme != SDD_SCHEME_CATMULL_CLARK)
        return sdd_fail(err, SDD_EUNSUPPORTED, "scheme", "scheme %s makes no patches; catmullClark does",
                        sdd_option_token(&t->info.options, 0));
    if (t->n_semisharp > 0)
        return sdd_fail(err, SDD_EUNSUPPORTED, "creaseMethod", "patches decay creases uniformly; refined has chaikin");
    return SDD_OK;
}

struct layout {
    float *level1; /* All points of level 1. */
    struct result_layout result;
};

static void lay_out(const struct patches *p, const struct sdd_plan_info *plan, struct arena *a, struct layout *out)
{
    const sdd_topology *t = p->topology;
    out->level1 = ARENA(a, float, p->level[1].n_points > 0 ? 3 * topology_points(t, 1) : 0);
    uint64_t *words = ARENA(a, uint64_t, result_words(plan));
    result_lay_out(t->device, plan, words, a, &out->result);
}

void patches_queue_points(const struct patches *p, const float *control, float *level1, float *points)
{
    const sdd_topology *t = p->topology;
    const struct patch_level *l = p->level, *last = l + p->request.level;
    struct patch_gather_args gather = {l[1].key, level1, points + 3 * l[1].first};
    struct patch_limits_args limits = {
        p->features.mesh,         last->key,        points + 3 * last->first, p->limit.key, points + 3 * p->limit.first,
        (uint32_t)last->n_points, p->request.level, p->request.surface};
    const struct step_rows rows = {t, p->features.mesh, sdd_xyz(), NULL};
    dev_copy(t->device, points, control, 3 * t->info.n_vertices * (int64_t)sizeof *points);
    if (l[1].n_points > 0)
        step_run(&rows, control, level1, 0);
    DEV_LAUNCH(t->device, patch_gather, &gather, l[1].n_points);
    for (int level = 1; level < p->request.level; level++) {
        struct patch_points_args step = {p->features.mesh,
                                         l[level].key,
                                         points + 3 * l[level].first,
                                         l[level + 1].key,
                                         points + 3 * l[level + 1].first,
                                         (uint32_t)l[level].n_points,
                                         level};
        DEV_LAUNCH(t->device, patch_points, &step, l[level + 1].n_points);
    }
    struct patch_follow_args follow = {limits, p->follow.rings, p->limit.n_points};
    DEV_LAUNCH(t->device, patch_limits, &limits, p->limit.n_points);
    DEV_LAUNCH(t->device, patch_follow, &follow, follow.rings.n);
}

void patches_queue_rows(const struct patches *p, struct sdd_quad *patch, struct sdd_quad *param)
{
    int last = p->request.level;
    for (int level = 0; level <= last; level++) {
        const struct patch_level *l = p->level + level;
        struct patch_rows_args rows = {p->features,        l->cell, l->patch,     l->location, patch, param,
                                       (uint32_t)l->first, level,   level == last};
        DEV_LAUNCH(p->topology->device, patch_rows, &rows, l->n_patches);
        patch += 4 * l->n_patches;
        param += l->n_patches;
    }
}

static void run_faces(const struct patches *p, const struct sdd_plan_info *plan, const struct result_layout *lay)
{
    int last = p->request.level;
    const struct patch_level *l = p->level + last, *points = p->limit.location ? &p->limit : l;
    struct patch_faces_args faces = {p->features.mesh,
                                     l->cell,
                                     l->left,
                                     points->location,
                                     result_block(plan, lay, SDD_INDICES),
                                     result_block(plan, lay, SDD_FACE_PARAMS),
                                     (uint32_t)points->first,
                                     last,
                                     points != l};
    DEV_LAUNCH(p->topology->device, patch_faces, &faces, l->n_left);
}

/* Takes the result's own memory, now that all sizes are known, and makes what goes there. */
static int run_result(struct patches *p, const sdd_mesh *m, sdd_result *result, struct sdd_error *err)
{
    const sdd_topology *t = p->topology;
    struct sdd_plan_info *plan = &result->info.plan;
    int64_t n_faces = p->level[p->request.level].n_left;
    struct arena count = {NULL, 0}, real = {NULL, 0};
    struct layout lay;
    void *memory;
    plan->method = LEVELS_METHOD;
    plan->n_vertices = p->n_rows;
    plan->n_faces = p->n_patches + n_faces;
    result_add_block(plan, SDD_POSITIONS, SDD_F32, 3, p->n_rows);
    result_add_block(plan, SDD_PATCHES, SDD_U32, 16, p->n_patches);
    result_add_block(plan, SDD_PATCH_PARAMS, SDD_U32, 4, p->n_patches);
    result_add_block(plan, SDD_INDICES, SDD_U32, 4, n_faces);
    result_add_block(plan, SDD_FACE_PARAMS, SDD_U32, 4, n_faces);
    lay_out(p, plan, &count, &lay);
    plan->device_bytes = p->held_bytes + count.used > p->most_bytes ? p->held_bytes + count.used : p->most_bytes;
    int rc = dev_alloc_more(t->device, p->held_bytes, count.used, &memory, err);
    if (rc)
        return rc;
    real.base = memory;
    lay_out(p, plan, &real, &lay);
    rc = result_allocate(result, 0, &lay.result, err);
    if (!rc)
        rc = result_cancelled(p->request.cancel, "the points", err);
    if (!rc) {
        patches_queue_points(p, m->points, lay.level1, result_block(plan, &lay.result, SDD_POSITIONS));
        patches_queue_rows(p, result_block(plan, &lay.result, SDD_PATCHES),
                           result_block(plan, &lay.result, SDD_PATCH_PARAMS));
        run_faces(p, plan, &lay.result);
        rc = result_bring(&result, &lay.result, 1, 1, p->request.cancel, err);
    }
    if (rc) /* Queued work may still use the memory. */
        dev_drain(t->device);
    dev_free(t->device, memory, count.used);
    return rc;
}

int sdd_patches(sdd_mesh *m, const struct sdd_patches_request *r, sdd_result **out, struct sdd_error *err)
{
    sdd_device *d = m->topology->device;
    struct patches p = {.topology = m->topology, .request = *r};
    struct sdd_error own = {0};
    sdd_result *result;
    err = err ? err : &own;
    err->code = SDD_OK;
    *out = NULL;
    int rc = check_request(m->topology, r, err);
    if (!rc)
        rc = result_create(d, &result, err);
    if (rc)
        return rc;
    int64_t launches = d->n_launches;
    dev_mark(d, MARK_START);
    rc = patches_plan(&p, err);
    if (rc)
        dev_drain(d);
    else
        rc = run_result(&p, m, result, err);
    patches_fini(&p);
    result->info.n_launches = d->n_launches - launches;
    if (rc) {
        sdd_result_free(result);
        return rc;
    }
    *out = result;
    return SDD_OK;
}
