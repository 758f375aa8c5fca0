/* SPDX-License-Identifier: Apache-2.0 */
/* fair.c: the door of conformal flow (sdd_fair.h): what is asked for is checked, memory is laid out to the byte, and
 * all parts take their steps. */
#include "gpu/fair/internal.h"
#include "gpu/fair/kernels/fair_store.k.h"
#include "gpu/queries/queries.h"
#include <stdlib.h>

static int check_request(const struct sdd_fair_request *r, struct sdd_error *err)
{
    if (r->level < 0 || r->level > SDD_MAX_LEVEL)
        return sdd_fail(err, SDD_EINVALID, "level", "level %d; 0 to %d are allowed", r->level, SDD_MAX_LEVEL);
    if (!(r->tau > 0.0 && r->tau <= 1.0))
        return sdd_fail(err, SDD_EINVALID, "tau", "tau is %g; it must be above 0 and at most 1", r->tau);
    if (r->boundary < 0 || r->boundary >= SDD_FAIR_N_BOUNDARIES)
        return sdd_fail(err, SDD_EINVALID, "boundary", "boundary %d is neither free, direction nor fixed", r->boundary);
    if (r->solves < 1 || r->solves > SDD_FAIR_MAX_SOLVES)
        return sdd_fail(err, SDD_EINVALID, "solves", "%d solves; 1 to %d are allowed", r->solves, SDD_FAIR_MAX_SOLVES);
    return SDD_OK;
}

static void lay_out_rows(struct arena *a, int64_t n, sdd_fair *f)
{
    double **const quaternions[] = {&f->origin, &f->points, &f->next, &f->lambda, &f->b, &f->r, &f->z, &f->p, &f->q};
    double **const numbers[] = {&f->laplacian_diagonal, &f->relax, &f->mass, &f->curvature, &f->rho};
    for (size_t i = 0; i < sizeof quaternions / sizeof *quaternions; i++)
        *quaternions[i] = ARENA(a, double, 4 * n);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        *numbers[i] = ARENA(a, double, n);
    f->basis = ARENA(a, double, f->n_constraints *n);
}

/* The entries are those of an edge in both directions, with the diagonals of polygons, and of each row itself. */
static void lay_out(const sdd_topology *t, struct arena *a, sdd_fair *f)
{
    const struct sdd_topology_info *i = &t->info;
    const sdd_device *d = t->device;
    const int64_t n = f->parts.n_rows, T = f->parts.n_triangles;
    const int64_t entries = n + 2 * (i->n_edges + i->n_corners - 3 * i->n_faces);
    f->n_entries = entries;
    f->n_constraints = FAIR_CONSTRAINTS + 6 * f->parts.most_genus;
    const int64_t sums = larger(FAIR_SUMS, f->n_constraints);
    f->row = ARENA(a, uint32_t, n + 1);
    f->column = ARENA(a, uint32_t, entries);
    f->begin = ARENA(a, uint32_t, entries + 1);
    f->term = ARENA(a, uint32_t, 9 * T);
    f->diagonal = ARENA(a, uint32_t, n);
    f->rim = ARENA(a, uint32_t, n);
    f->triangle = ARENA(a, uint32_t, 3 * T);
    f->vertex = ARENA(a, uint32_t, n);
    f->mesh = (struct fair_mesh){f->triangle, f->row, f->column, f->begin, f->term, f->diagonal, f->rim};
    f->kept = ARENA(a, float, 3 * i->n_vertices);
    lay_out_rows(a, n, f);
    f->laplacian = ARENA(a, double, entries);
    f->dirac = ARENA(a, double, 4 * entries);
    fair_lay_out_levels(&f->parts, entries, a, &f->arrays);
    f->form = ARENA(a, int8_t, 2 * f->parts.most_genus * entries);
    f->part = ARENA(a, double, sums *(larger(n, T) / FAIR_LANES + 1));
    f->sums = ARENA(a, double, sums);
    f->solver = ARENA(a, struct fair_solver, 1);
    f->key = ARENA(a, uint64_t, T);
    f->sorted = ARENA(a, uint64_t, T);
    f->value[0] = ARENA(a, int32_t, T);
    f->value[1] = ARENA(a, int32_t, T);
    f->ratio = ARENA(a, double, T);
    f->area = ARENA(a, double, T);
    f->scratch = ARENA(a, char, d->b->sort_scratch(d->dev, T, 64));
}

/* Finds the mesh that flows: the control mesh, or that of the level. */
static int find_level(sdd_topology *t, sdd_fair *f, struct sdd_error *err)
{
    const struct sdd_run run = {.cancel = f->request.cancel};
    const struct sdd_refine_request points = {.level = f->request.level, .include = SDD_POSITIONS};
    sdd_topology *of_level = t;
    int rc = fair_check_manifold(t, err); /* Else a level would name an element that the caller does not know. */
    if (!rc)
        rc = queries_level(t, f->request.level, &run, &of_level, err);
    if (rc)
        return rc;
    f->topology = sdd_topology_ref(of_level);
    return f->request.level ? sdd_plan_create_for_topology(t, &points, &f->refine, err) : SDD_OK;
}

/* All that is known before there is memory. The points of a level are made before the flow has its own. */
static int prepare(sdd_topology *t, const struct sdd_fair_request *r, sdd_fair *f, struct sdd_error *err)
{
    struct arena count = {NULL, 0};
    *f = (sdd_fair){.device = t->device, .request = *r};
    int rc = check_request(r, err);
    if (!rc)
        rc = find_level(t, f, err);
    if (!rc)
        rc = fair_parts_create(f->topology, r->exactness, &f->parts, err);
    if (rc)
        return rc;
    lay_out(f->topology, &count, f);
    f->info = (struct sdd_fair_info){.n_points = f->topology->info.n_vertices,
                                     .n_vertices = f->parts.n_rows,
                                     .n_triangles = f->parts.n_triangles,
                                     .n_components = f->parts.n_parts,
                                     .device_bytes = count.used,
                                     .build_bytes = fair_build_bytes(f->topology, &f->parts)};
    if (f->refine)
        f->info.build_bytes = larger(f->info.build_bytes, sdd_plan_info(f->refine)->device_bytes - count.used);
    return SDD_OK;
}

static void release(sdd_fair *f)
{
    block_give(f->device, &f->block);
    fair_parts_free(&f->parts);
    sdd_plan_free(f->refine);
    sdd_topology_unref(f->topology);
}

int sdd_fair_plan(sdd_topology *t, const struct sdd_fair_request *r, struct sdd_fair_info *out, struct sdd_error *err)
{
    sdd_fair f;
    const int rc = prepare(t, r, &f, err);
    *out = f.info;
    release(&f);
    return rc;
}

/* Takes the memory of the flow, and fills f->kept from the mesh, or from what refining it has given. */
static int take_memory(const sdd_mesh *m, const sdd_result *refined, sdd_fair *f, struct sdd_error *err)
{
    const int64_t bytes = 3 * f->info.n_points * (int64_t)sizeof *f->kept;
    const int rc = block_take(f->device, f->info.device_bytes, &f->block, err);
    if (rc)
        return rc;
    struct arena a = {f->block.memory, 0};
    lay_out(f->topology, &a, f);
    dev_fill(f->device, f->value[0], 0, f->parts.n_triangles * (int64_t)sizeof *f->value[0]);
    if (!refined) {
        dev_copy(f->device, f->kept, m->points, bytes);
        return SDD_OK;
    }
    dev_upload(f->device, f->kept, sdd_result_info(refined)->plan.blocks[0].data, bytes);
    return dev_finish(f->device, err);
}

static int begin(sdd_mesh *m, sdd_fair *f, struct sdd_error *err)
{
    const struct sdd_run run = {.cancel = f->request.cancel, .soon_freed = 1};
    sdd_result *refined = NULL;
    int rc = f->refine ? sdd_refine(m, f->refine, &run, &refined, err) : SDD_OK;
    if (!rc)
        rc = take_memory(m, refined, f, err);
    sdd_result_free(refined);
    if (!rc)
        rc = fair_pattern_create(f, err);
    for (int64_t k = 0; k < f->parts.n_parts && !rc; k++) {
        struct fair_measure measure;
        rc = fair_measure(f, f->parts.part + k, f->points, &measure, err);
        f->parts.part[k].energy = rc ? 0.0 : measure.energy;
        if (!rc)
            rc = fair_forms_create(f, f->parts.part + k, err);
    }
    return rc;
}

int sdd_fair_begin(sdd_mesh *m, const struct sdd_fair_request *r, sdd_fair **out, struct sdd_error *err)
{
    *out = NULL;
    sdd_fair *f = calloc(1, sizeof *f);
    if (!f)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for a flow's record");
    int rc = prepare(m->topology, r, f, err);
    if (!rc)
        rc = begin(m, f, err);
    if (rc) {
        dev_drain(f->device);
        sdd_fair_free(f);
        return rc;
    }
    *out = f;
    return SDD_OK;
}

const struct sdd_fair_info *sdd_fair_info(const sdd_fair *f)
{
    return &f->info;
}

double sdd_fair_energy(const sdd_fair *f)
{
    double sum = 0.0;
    for (int64_t k = 0; k < f->parts.n_parts; k++)
        sum += f->parts.part[k].energy;
    return sum;
}

/* Takes the step of all parts to f->next, and measures it. */
static int step_parts(sdd_fair *f, struct sdd_fair_report *out, struct sdd_error *err)
{
    int rc = SDD_OK;
    out->stopped = 1;
    for (int64_t k = 0; k < f->parts.n_parts && !rc; k++) {
        struct fair_part *p = f->parts.part + k;
        rc = fair_part_step(f, p, out, err);
        out->stopped &= p->next_stopped;
        out->energy += p->next_energy;
    }
    if (!rc)
        rc = fair_distortion(f, f->points, &out->distortion, err);
    return rc ? rc : fair_distortion(f, f->origin, &out->kept, err);
}

int sdd_fair_step(sdd_fair *f, struct sdd_fair_report *out, struct sdd_error *err)
{
    *out = (struct sdd_fair_report){.step = f->step + 1, .tau = f->request.tau, .energy_before = sdd_fair_energy(f)};
    const int rc = step_parts(f, out, err);
    if (rc) {
        dev_drain(f->device);
        return rc;
    }
    double *before = f->points;
    f->points = f->next;
    f->next = before;
    f->step++;
    for (int64_t k = 0; k < f->parts.n_parts; k++) {
        struct fair_part *p = f->parts.part + k;
        p->energy = p->next_energy;
        p->stopped = p->next_stopped;
        p->usual_iterations = p->outworn ? 0 : p->usual_iterations;
    }
    return SDD_OK;
}

int sdd_fair_points(sdd_fair *f, float *points, struct sdd_error *err)
{
    struct fair_store_args a = {f->vertex, f->points, f->kept};
    DEV_LAUNCH(f->device, fair_store, &a, f->parts.n_rows);
    dev_download(f->device, points, f->kept, 3 * f->info.n_points * (int64_t)sizeof *points);
    return dev_finish(f->device, err);
}

void sdd_fair_free(sdd_fair *f)
{
    if (!f)
        return;
    release(f);
    free(f);
}
