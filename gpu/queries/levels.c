/* SPDX-License-Identifier: Apache-2.0 */
/* levels.c: the mesh of a refined level as a topology of its own, for queries.c: the faces that sdd_refine gives, with
 * its rows. The topology that was asked last is kept with that of the control mesh, so that pieces of an answer do not
 * make it again. */
#include "gpu/queries/internal.h"
#include <stdlib.h>

enum { MOST_FACES = 1 << 24 }; /* Of a level that is made as a topology. */

struct level_kept {
    int level;
    sdd_topology *topology; /* NULL as long as none has been made. */
};

static void *level_create(void)
{
    return calloc(1, sizeof(struct level_kept));
}

static int64_t level_bytes(const void *what)
{
    const struct level_kept *k = what;
    struct sdd_topology_info info = {0};
    if (k->topology)
        sdd_topology_info(k->topology, &info);
    return info.device_bytes;
}

static void level_free(sdd_device *d, void *what)
{
    (void)d;
    sdd_topology_unref(((struct level_kept *)what)->topology);
    free(what);
}

static const struct kept_ops level_ops = {.create = level_create, .bytes = level_bytes, .free = level_free};

/* Refines the faces of a topology alone: a mesh has to have points, but where they are does not matter. */
static int refine_faces(sdd_topology *t, int level, const struct sdd_run *run, sdd_result **out, struct sdd_error *err)
{
    const struct sdd_refine_request r = {.level = level, .include = SDD_INDICES};
    float *points = calloc(3 * (size_t)t->info.n_vertices, sizeof *points);
    float *uvs = calloc(2 * (size_t)t->info.n_uvs + 1, sizeof *uvs);
    sdd_mesh *m = NULL;
    sdd_plan *plan = NULL;
    int rc = points && uvs ? sdd_mesh_create(t, points, t->info.n_uvs ? uvs : NULL, &m, err)
                           : query_no_memory("the points of a mesh", err);
    if (!rc)
        rc = sdd_plan_create(m, &r, &plan, err);
    if (!rc)
        rc = sdd_refine(m, plan, run, out, err);
    sdd_plan_free(plan);
    sdd_mesh_free(m);
    free(points);
    free(uvs);
    return rc;
}

static int make_level(sdd_topology *t, int level, const struct sdd_run *run, sdd_topology **out, struct sdd_error *err)
{
    sdd_result *faces = NULL;
    int rc = refine_faces(t, level, run, &faces, err);
    if (rc)
        return rc;
    const struct sdd_plan_info *p = &sdd_result_info(faces)->plan;
    const struct sdd_block *b = p->blocks;
    struct sdd_mesh_desc desc = {.n_vertices = p->n_vertices,
                                 .n_faces = b->count,
                                 .n_corners = b->count * b->components,
                                 .face_vertices = b->data};
    int32_t *counts = malloc((size_t)b->count * sizeof *counts + 1);
    for (int64_t f = 0; counts && f < b->count; f++)
        counts[f] = b->components;
    desc.face_counts = counts;
    if (!counts)
        rc = query_no_memory("the faces of a level", err);
    else if (b->count == 0)
        rc = sdd_fail(err, SDD_EQUERY, "level", "all faces are holes; level 0 has them");
    else
        rc = sdd_topology_create(t->device, &desc, out, err);
    free(counts);
    sdd_result_free(faces);
    return rc;
}

int queries_level(sdd_topology *t, int level, const struct sdd_run *run, sdd_topology **out, struct sdd_error *err)
{
    const int64_t faces = level ? t->info.n_corners << 2 * (level - 1) : 0; /* About as many; sqrt3 has fewer. */
    *out = t;
    if (level == 0)
        return SDD_OK;
    if (faces > MOST_FACES) {
        int rc = sdd_fail(
            err, SDD_ETOO_LARGE, "level",
            "level %d has about %lld faces; the limit is %d here, because all of them are made; take a lower level",
            level, (long long)faces, MOST_FACES);
        if (err) {
            err->needed = faces;
            err->available = MOST_FACES;
        }
        return rc;
    }
    struct level_kept *k = topology_kept_get(t, NULL, &level_ops, err);
    if (!k)
        return SDD_ENO_MEMORY;
    if (k->level != level) {
        sdd_topology_unref(k->topology);
        *k = (struct level_kept){0};
        int rc = make_level(t, level, run, &k->topology, err);
        if (rc)
            return rc;
        k->level = level;
    }
    *out = k->topology;
    return SDD_OK;
}
