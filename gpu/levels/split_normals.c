/* SPDX-License-Identifier: Apache-2.0 */
/* split_normals.c: normals with a row for each side of a sharp edge, for refine/. They are made of the points of the
 * last level, which are made anew for this, so that all engines have the same split normals. */
#include "gpu/levels/levels.h"
#include "gpu/levels/split_normals.ks.h"

/* What a run works with. `request` asks for normals, so that the tables have the angles. */
struct split {
    struct refine_levels levels;
    struct finish_tables tables;
    struct follow follow;
    struct sdd_refine_request request;
};

static void lay_out(const sdd_topology *t, const struct sdd_refine_request *r, struct arena *a, struct split *out)
{
    struct refine_levels *s = &out->levels;
    out->request = *r;
    out->request.include = SDD_NORMALS;
    *s = (struct refine_levels){.topology = t, .mesh = topology_control(t), .width = 3};
    s->buffer[0] = ARENA(a, float, 3 * topology_points(t, r->level));
    s->buffer[1] = ARENA(a, float, t->scheme->is_linear || r->level < 2 ? 0 : 3 * topology_points(t, r->level - 1));
    s->last_parts = chaikin_last(&out->request);
    chaikin_lay_out(t, s->last_parts, a, s->parts);
    finish_lay_out_tables(t, &out->request, a, &out->tables);
    s->weights = out->tables.weights;
    follow_lay_out(t, t->cut, r->level, r->surface, a, &out->follow);
}

int64_t split_normals_scratch(const sdd_topology *t, const struct sdd_refine_request *r)
{
    struct arena count = {NULL, 0};
    struct split s;
    lay_out(t, r, &count, &s);
    return count.used;
}

/* The cut mesh on the level that m is on. */
static struct sdd_control cut_mesh(const sdd_topology *t, const struct sdd_control *m)
{
    struct sdd_control cut = topology_channel_control(t, t->cut);
    const uint32_t *row = cut.chaikin.row;
    cut.chaikin = m->chaikin;
    cut.chaikin.row = m->chaikin.row ? row : NULL;
    return cut;
}

static void split_quads(const sdd_topology *t, const struct split *s, const struct sdd_control *cut, float *normals)
{
    const struct sdd_control *m = &s->levels.mesh;
    const struct follow *f = &s->follow;
    struct mm_split_args a = {{.mesh = *m,
                               .angle = s->tables.n_angles ? s->tables.angle : NULL,
                               .from = s->levels.buffer[0],
                               .normal = normals,
                               .level = s->request.level,
                               .limit = t->scheme->is_linear ? 0 : s->request.surface},
                              *cut};
    struct mm_split_follow_args follow = {a, f->rings, (uint32_t)f->n_points, cut->n_vertices + cut->n_faces};
    DEV_LAUNCH(t->device, mm_split, &a, topology_channel_points(t, t->cut, s->request.level));
    DEV_LAUNCH(t->device, mm_split_follow, &follow, f->rings.n);
}

static void split_triangles(const sdd_topology *t, const struct split *s, const struct sdd_control *cut, float *normals)
{
    const struct follow *f = &s->follow;
    struct loop_split_args a = {{.mesh = s->levels.mesh,
                                 .weights = s->tables.weights,
                                 .angle = s->tables.n_angles ? s->tables.angle : NULL,
                                 .from = s->levels.buffer[0],
                                 .normal = normals,
                                 .level = s->request.level,
                                 .limit = s->request.surface},
                                *cut};
    struct loop_split_follow_args follow = {a, f->rings, (uint32_t)f->n_points, cut->n_vertices};
    DEV_LAUNCH(t->device, loop_split, &a, topology_channel_points(t, t->cut, s->request.level));
    DEV_LAUNCH(t->device, loop_split_follow, &follow, f->rings.n);
}

static void (*const split[SCHEME_KINDS])(const sdd_topology *, const struct split *, const struct sdd_control *,
                                         float *) = {
    [SCHEME_QUADS] = split_quads,
    [SCHEME_TRIANGLES] = split_triangles,
};

int split_normals_run(const struct engine_run *run, float *normals, struct sdd_error *err)
{
    const sdd_topology *t = run->mesh->topology;
    struct arena a = {run->scratch, 0};
    struct split s;
    lay_out(t, run->request, &a, &s);
    int rc = finish_upload_tables(t, &s.tables, err);
    if (!rc)
        rc = refine_levels(&s.levels, run->mesh->points, s.levels.buffer[0], s.request.level, run->cancel, err);
    if (rc)
        return rc;
    const struct sdd_control cut = cut_mesh(t, &s.levels.mesh);
    split[t->scheme->kind](t, &s, &cut, normals);
    return SDD_OK;
}
