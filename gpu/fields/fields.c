/* SPDX-License-Identifier: Apache-2.0 */
/* fields.c: normals, curvatures and distances at the vertices of a mesh, for sdd_fields.h. */
#include "gpu/fields/internal.h"
#include "gpu/fields/kernels/field_flat.k.h"
#include "gpu/fields/kernels/field_gaussian.k.h"
#include "gpu/fields/kernels/field_mean.k.h"
#include "gpu/fields/kernels/field_normals.k.h"
#include "gpu/fields/kernels/geodesic_round.k.h"
#include "gpu/fields/kernels/geodesic_start.k.h"
#include "gpu/fields/kernels/geodesic_values.k.h"
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 16 }; /* Of distances, queued before the host asks whether anything changed. */

static const char *const names[SDD_N_FIELDS] = {"normals", "gaussian", "mean", "geodesic"};

const char *sdd_field_name(int field)
{
    return field >= 0 && field < SDD_N_FIELDS ? names[field] : NULL;
}

int sdd_field_find(const char *name, int *out, struct sdd_error *err)
{
    for (int k = 0; k < SDD_N_FIELDS; k++)
        if (strcmp(name, names[k]) == 0) {
            *out = k;
            return SDD_OK;
        }
    return sdd_fail(err, SDD_EQUERY, "what", "\"%.20s\" is not one of normals, gaussian, mean, geodesic", name);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */
int fields_cancelled(const struct sdd_run *run, struct sdd_error *err)
{
    return run && run->cancel && atomic_load(run->cancel)
               ? sdd_fail(err, SDD_ECANCELLED, "", "cancelled between rounds")
               : SDD_OK;
}

int values_within(const struct sdd_values_info *info, int64_t limit, struct sdd_error *err)
{
    if (limit < 0)
        return sdd_fail(err, SDD_EQUERY, "max_bytes", "%lld bytes; 0 is no limit", (long long)limit);
    if (limit == 0 || info->bytes <= limit)
        return SDD_OK;
    int rc = sdd_fail(err, SDD_ETOO_LARGE, "max_bytes", "the values need %lld bytes; the limit is %lld",
                      (long long)info->bytes, (long long)limit);
    if (err) {
        err->needed = info->bytes;
        err->available = limit;
    }
    return rc;
}

int values_create(const sdd_mesh *m, const struct sdd_values_info *info, const struct sdd_run *run, sdd_values **out,
                  struct sdd_error *err)
{
    sdd_values *v = calloc(1, sizeof *v);
    *out = v;
    if (!v)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for a record of values");
    v->device = m->topology->device;
    v->info = *info;
    v->memory_bytes = info->bytes;
    int rc = dev_host_alloc(v->device, info->bytes, run ? run->soon_freed : 0, &v->memory, err);
    v->info.values = v->memory;
    return rc;
}

const struct sdd_values_info *sdd_values_info(const sdd_values *v)
{
    return &v->info;
}

void sdd_values_free(sdd_values *v)
{
    if (!v)
        return;
    if (v->memory)
        v->device->b->host_free(v->device->dev, v->memory, v->memory_bytes);
    free(v);
}

/* ---- what is asked ----------------------------------------------------------------------------------------------- */
/* What a field is made in. */
struct field_memory {
    uint64_t *error;
    float *value;
    double *from, *to; /* Of geodesic, and so is what follows. */
    uint32_t *source, *changed;
    int32_t *unreached;
    void *scratch;
};

int fields_level(const sdd_mesh *m, int level, int64_t *n_points, struct sdd_error *err)
{
    if (level < 0 || level > SDD_MAX_LEVEL)
        return sdd_fail(err, SDD_EQUERY, "level", "level %d; 0 to %d are allowed", level, SDD_MAX_LEVEL);
    *n_points = level > 0 ? topology_points(m->topology, level) : m->topology->info.n_vertices;
    return SDD_OK;
}

static void lay_out(const sdd_device *d, const struct sdd_field_request *r, int64_t V, struct arena *a,
                    struct field_memory *f)
{
    *f = (struct field_memory){0};
    f->error = ARENA(a, uint64_t, 1);
    f->value = ARENA(a, float, V *(r->what == SDD_FIELD_NORMALS ? 3 : 1));
    if (r->what != SDD_FIELD_GEODESIC)
        return;
    f->from = ARENA(a, double, V);
    f->to = ARENA(a, double, V);
    f->source = ARENA(a, uint32_t, r->n_sources);
    f->changed = ARENA(a, uint32_t, ROUNDS);
    f->unreached = ARENA(a, int32_t, V);
    f->scratch = ARENA(a, char, d->b->scan_scratch(d->dev, V));
}

static int check_sources(const struct sdd_field_request *r, int64_t V, struct sdd_error *err)
{
    if (r->what != SDD_FIELD_GEODESIC)
        return r->n_sources != 0
                   ? sdd_fail(err, SDD_EQUERY, "sources", "%s has no sources; geodesic has", names[r->what])
                   : SDD_OK;
    if (r->n_sources < 1)
        return sdd_fail(err, SDD_EQUERY, "sources", "no source; geodesic needs at least one vertex");
    for (int64_t i = 0; i < r->n_sources; i++)
        if (r->sources[i] < 0 || r->sources[i] >= V)
            return sdd_fail(err, SDD_EQUERY, "sources", "source %lld is out of range; there are %lld vertices",
                            (long long)r->sources[i], (long long)V);
    return SDD_OK;
}

int sdd_field_plan(const sdd_mesh *m, const struct sdd_field_request *r, struct sdd_values_info *out,
                   struct sdd_error *err)
{
    struct arena a = {NULL, 0};
    struct field_memory f;
    memset(out, 0, sizeof *out);
    if (!sdd_field_name(r->what))
        return sdd_fail(err, SDD_EQUERY, "what", "%d is not a field; there are %d", r->what, SDD_N_FIELDS);
    int rc = fields_level(m, r->level, &out->n_rows, err);
    if (!rc)
        rc = check_sources(r, out->n_rows, err);
    if (rc)
        return rc;
    lay_out(m->topology->device, r, out->n_rows, &a, &f);
    out->components = r->what == SDD_FIELD_NORMALS ? 3 : 1;
    out->bytes = out->n_rows * out->components * (int64_t)sizeof(float);
    out->device_bytes = a.used;
    return values_within(out, r->max_bytes, err);
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */
int fields_check_areas(const sdd_mesh *m, const struct sdd_neighbors *q, uint64_t *word, struct sdd_error *err)
{
    sdd_device *d = m->topology->device;
    struct field_flat_args a = {*q, m->points, word};
    uint64_t face = ~0ull;
    dev_fill(d, word, 0xff, sizeof face);
    DEV_LAUNCH(d, field_flat, &a, m->topology->info.n_faces);
    dev_download(d, &face, word, sizeof face);
    int rc = dev_finish(d, err);
    if (rc || face == ~0ull)
        return rc;
    return sdd_fail(err, SDD_EQUERY, "triangles",
                    "face %llu has a triangle without area, which has no cotangents; smooth by uniform weights instead",
                    (unsigned long long)face);
}

static int upload_sources(sdd_device *d, const struct sdd_field_request *r, uint32_t *to, struct sdd_error *err)
{
    uint32_t *source = malloc((size_t)r->n_sources * sizeof *source);
    if (!source)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for %lld sources", (long long)r->n_sources);
    for (int64_t i = 0; i < r->n_sources; i++)
        source[i] = (uint32_t)r->sources[i];
    dev_upload(d, to, source, r->n_sources * (int64_t)sizeof *source);
    free(source);
    return SDD_OK;
}

/* Rounds go on until one changes nothing by more than its tolerance. A distance comes over at most V edges, so as many
 * rounds find a way to each vertex; where rounding kept them going, they end there. */
static int run_geodesic(const sdd_mesh *m, const struct sdd_field_request *r, const struct sdd_neighbors *q,
                        struct field_memory *f, const struct sdd_run *run, sdd_values *v, struct sdd_error *err)
{
    sdd_device *d = m->topology->device;
    const int64_t V = m->topology->info.n_vertices;
    const double far_away = (double)INFINITY;
    uint32_t changed[ROUNDS] = {0};
    int32_t unreached = 0;
    double *all = malloc((size_t)V * sizeof *all);
    for (int64_t i = 0; all && i < V; i++)
        all[i] = far_away;
    int rc = all ? upload_sources(d, r, f->source, err) : sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for distances");
    struct geodesic_start_args start = {f->source, f->from};
    if (!rc) {
        dev_upload(d, f->from, all, V * (int64_t)sizeof *all);
        DEV_LAUNCH(d, geodesic_start, &start, r->n_sources);
    }
    free(all);
    for (int64_t round = 0; !rc; round += ROUNDS) {
        dev_fill(d, f->changed, 0, sizeof changed);
        for (int k = 0; k < ROUNDS; k++) {
            struct geodesic_round_args a = {*q, m->points, k % 2 ? f->to : f->from, k % 2 ? f->from : f->to,
                                            f->changed + k};
            DEV_LAUNCH(d, geodesic_round, &a, V);
        }
        dev_download(d, changed, f->changed, sizeof changed);
        rc = dev_finish(d, err);
        if (!rc && (!changed[ROUNDS - 1] || round > V))
            break;
        if (!rc)
            rc = fields_cancelled(run, err);
    }
    if (rc)
        return rc;
    struct geodesic_values_args values = {f->from, f->value, f->unreached};
    DEV_LAUNCH(d, geodesic_values, &values, V);
    dev_scan(d, f->unreached, f->unreached, V, f->scratch);
    dev_download(d, &unreached, f->unreached + V - 1, sizeof unreached);
    rc = dev_finish(d, err);
    v->info.n_unreached = unreached;
    return rc;
}

static int run_field(const sdd_mesh *m, const struct sdd_field_request *r, const struct sdd_neighbors *q,
                     struct field_memory *f, const struct sdd_run *run, sdd_values *v, struct sdd_error *err)
{
    sdd_device *d = m->topology->device;
    const int64_t V = m->topology->info.n_vertices;
    struct field_normals_args normals = {*q, m->points, f->value};
    struct field_gaussian_args gaussian = {*q, m->points, f->value};
    struct field_mean_args mean = {*q, m->points, f->value};
    int rc = r->what == SDD_FIELD_MEAN ? fields_check_areas(m, q, f->error, err) : SDD_OK;
    dev_mark(d, MARK_BEGUN);
    if (!rc && r->what == SDD_FIELD_NORMALS)
        DEV_LAUNCH(d, field_normals, &normals, V);
    else if (!rc && r->what == SDD_FIELD_GAUSSIAN)
        DEV_LAUNCH(d, field_gaussian, &gaussian, V);
    else if (!rc && r->what == SDD_FIELD_MEAN)
        DEV_LAUNCH(d, field_mean, &mean, V);
    else if (!rc)
        rc = run_geodesic(m, r, q, f, run, v, err);
    if (rc)
        return rc;
    dev_mark(d, MARK_ENDED);
    dev_download(d, v->memory, f->value, v->info.bytes);
    v->info.device_seconds = dev_elapsed(d, MARK_BEGUN, MARK_ENDED);
    return dev_finish(d, err);
}

int fields_level_mesh(sdd_mesh *m, int level, const struct sdd_run *run, sdd_mesh **out, struct sdd_error *err)
{
    const struct sdd_refine_request points = {.level = level, .include = SDD_POSITIONS};
    sdd_topology *t;
    sdd_plan *plan = NULL;
    sdd_result *refined = NULL;
    *out = NULL;
    int rc = queries_level(m->topology, level, run, &t, err);
    if (!rc)
        rc = sdd_plan_create(m, &points, &plan, err);
    if (!rc)
        rc = sdd_refine(m, plan, run, &refined, err);
    if (!rc)
        rc = sdd_mesh_create(t, sdd_result_info(refined)->plan.blocks[0].data, NULL, out, err);
    sdd_result_free(refined);
    sdd_plan_free(plan);
    return rc;
}

static int field_of_level(sdd_mesh *m, const struct sdd_field_request *r, const struct sdd_run *run, sdd_values **out,
                          struct sdd_error *err)
{
    struct sdd_field_request own = *r;
    sdd_mesh *of_level;
    int rc = fields_level_mesh(m, r->level, run, &of_level, err);
    own.level = 0;
    if (!rc)
        rc = sdd_field(of_level, &own, run, out, err);
    sdd_mesh_free(of_level);
    return rc;
}

int sdd_field(sdd_mesh *m, const struct sdd_field_request *r, const struct sdd_run *run, sdd_values **out,
              struct sdd_error *err)
{
    sdd_device *d = m->topology->device;
    struct sdd_values_info info;
    struct sdd_neighbors q;
    struct device_block block = {0};
    struct arena a = {NULL, 0};
    struct field_memory f;
    sdd_values *v = NULL;
    *out = NULL;
    int rc = sdd_field_plan(m, r, &info, err);
    if (!rc)
        rc = fields_cancelled(run, err);
    if (!rc && r->level > 0)
        return field_of_level(m, r, run, out, err);
    if (!rc)
        rc = tiles_neighbors(m->topology, &q, err);
    if (!rc)
        rc = values_create(m, &info, run, &v, err);
    if (!rc)
        rc = block_take(d, info.device_bytes, &block, err);
    if (!rc) {
        a.base = block.memory;
        lay_out(d, r, info.n_rows, &a, &f);
        rc = run_field(m, r, &q, &f, run, v, err);
    }
    if (rc)
        dev_drain(d);
    block_give(d, &block);
    if (rc) {
        sdd_values_free(v);
        return rc;
    }
    *out = v;
    return SDD_OK;
}
