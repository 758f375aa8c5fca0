/* SPDX-License-Identifier: Apache-2.0 */
/* queries.c: plans of queries and their answers, for sdd_queries.h: what is checked before any work, and the host
 * memory of rows. */
#include "gpu/device/sizes.h"
#include "gpu/queries/internal.h"
#include <stdlib.h>
#include <string.h>

_Static_assert((int)SDD_VV == (int)SDD_RELATION_VV && (int)SDD_FF == (int)SDD_RELATION_FF &&
                   (int)SDD_EV == (int)SDD_RELATION_EV && (int)SDD_FE == (int)SDD_RELATION_FE,
               "kernels number the relations as the door does");

static const char *const names[SDD_N_RELATIONS] = {"VV", "VE", "VF", "EV", "EF", "FV", "FE", "FF"};

const char *sdd_relation_name(int relation)
{
    return relation >= 0 && relation < SDD_N_RELATIONS ? names[relation] : NULL;
}

int sdd_relation_find(const char *name, int *out, struct sdd_error *err)
{
    for (int k = 0; k < SDD_N_RELATIONS; k++)
        if (strcmp(name, names[k]) == 0) {
            *out = k;
            return SDD_OK;
        }
    return sdd_fail(err, SDD_EQUERY, "relation", "\"%.20s\" is not one of VV, VE, VF, EV, EF, FV, FE, FF", name);
}

/* ---- what is asked ----------------------------------------------------------------------------------------------- */
static int check_request(const struct sdd_query_request *r, struct sdd_error *err)
{
    const int around = r->relation == SDD_VV || r->relation == SDD_VE || r->relation == SDD_VF;
    if (!sdd_relation_name(r->relation))
        return sdd_fail(err, SDD_EQUERY, "relation", "%d is not a relation; there are %d", r->relation,
                        SDD_N_RELATIONS);
    if (r->level < 0 || r->level > SDD_MAX_LEVEL)
        return sdd_fail(err, SDD_EQUERY, "level", "level %d; 0 to %d are allowed", r->level, SDD_MAX_LEVEL);
    if (r->ring < 1 || r->ring > SDD_MAX_RING)
        return sdd_fail(err, SDD_EQUERY, "ring", "a ring of %d steps; 1 to %d are allowed", r->ring, SDD_MAX_RING);
    if (r->ring > 1 && r->relation != SDD_VV && r->relation != SDD_FF)
        return sdd_fail(err, SDD_EQUERY, "ring", "%s has no rings of %d steps; VV and FF have", names[r->relation],
                        r->ring);
    if (r->oriented && !around)
        return sdd_fail(err, SDD_EQUERY, "oriented", "%s has no order around a vertex; VV, VE and VF have",
                        names[r->relation]);
    if (r->oriented && r->ring > 1)
        return sdd_fail(err, SDD_EQUERY, "oriented", "a ring of %d steps has no order around a vertex; ring 1 has",
                        r->ring);
    return r->max_bytes < 0
               ? sdd_fail(err, SDD_EQUERY, "max_bytes", "%lld bytes; 0 is no limit", (long long)r->max_bytes)
               : SDD_OK;
}

static const char *kind_of(int relation)
{
    return relation <= SDD_VF ? "vertices" : relation <= SDD_EF ? "edges" : "faces";
}

static int has_edges(int relation)
{
    return relation == SDD_VE || relation == SDD_EV || relation == SDD_EF || relation == SDD_FE;
}

/* A level has a part of each level-1 edge in each step, and edges inside each level-1 quad. */
static int64_t count_edges(const sdd_topology *t, int level)
{
    const int64_t m = (int64_t)1 << (level - 1), C = t->info.n_corners;
    return (2 * (int64_t)t->info.n_edges + C) * m + 2 * C * m * (m - 1);
}

/* Of the topology, or where `level` is not 0, of that level of grids. */
static int64_t count_elements(const sdd_topology *t, int relation, int level)
{
    if (level > 0 && (relation == SDD_EV || relation == SDD_EF))
        return count_edges(t, level);
    if (level > 0 && relation > SDD_VF)
        return t->scheme->kind == SCHEME_QUADS ? t->info.n_corners << 2 * (level - 1) : t->info.n_faces << 2 * level;
    if (level > 0)
        return topology_points(t, level);
    return relation <= SDD_VF ? t->info.n_vertices : relation <= SDD_EF ? t->info.n_edges : t->info.n_faces;
}

/* Says whether rows of a refined level follow from grid order, in which no hole is left out and edges have at most two
 * faces. Relations with edges are those of quads, from level 2 on, where no row depends on the size of a control face.
 * Errors  SDD_ENO_MEMORY, SDD_EDEVICE */
static int find_formula(const sdd_topology *t, const struct sdd_query_request *r, int *out, struct sdd_error *err)
{
    const int quads = t->scheme->kind == SCHEME_QUADS;
    int has_fold = 0, rc = SDD_OK;
    *out = r->level > 0 && !r->oriented && t->info.manifold && !t->info.n_holes && t->scheme->has_grids &&
           topology_points(t, r->level) < (int64_t)UINT32_MAX &&
           count_elements(t, SDD_FV, r->level) < (int64_t)UINT32_MAX;
    if (*out && has_edges(r->relation))
        *out = quads && r->level > 1 && count_edges(t, r->level) < (int64_t)UINT32_MAX;
    if (*out && !quads) {
        rc = queries_fold(t, &has_fold, err);
        *out = !has_fold;
    }
    return rc;
}

/* Says how many rows there are, and checks that their elements exist. */
static int check_rows(const struct sdd_query_request *r, struct sdd_query_info *info, struct sdd_error *err)
{
    const int64_t n = info->n_elements;
    for (int64_t i = 0; r->ids && i < r->n_ids; i++)
        if (r->ids[i] < 0 || r->ids[i] >= n)
            return sdd_fail(err, SDD_EQUERY, "ids", "id %lld of row %lld is out of range; there are %lld %s",
                            (long long)r->ids[i], (long long)i, (long long)n, kind_of(r->relation));
    if (!r->ids && (r->first < 0 || r->first > n))
        return sdd_fail(err, SDD_EQUERY, "first", "row %lld; there are %lld %s", (long long)r->first, (long long)n,
                        kind_of(r->relation));
    if (!r->ids && r->count != SDD_ALL_ROWS && (r->count < 0 || r->count > n - r->first))
        return sdd_fail(err, SDD_EQUERY, "count", "%lld rows from row %lld on; there are %lld %s", (long long)r->count,
                        (long long)r->first, (long long)n, kind_of(r->relation));
    if (r->ids && r->n_ids < 0)
        return sdd_fail(err, SDD_EQUERY, "ids", "%lld ids", (long long)r->n_ids);
    info->n_rows = r->ids ? r->n_ids : r->count == SDD_ALL_ROWS ? n - r->first : r->count;
    return SDD_OK;
}

/* ---- plans ------------------------------------------------------------------------------------------------------- */
void sdd_query_plan_free(sdd_query_plan *p)
{
    if (!p)
        return;
    free(p->list);
    free(p->offset);
    free(p->rest);
    free(p);
}

/* A plan with room for its offsets and a copy of the list, in which nothing has been counted. */
static int plan_begin(const sdd_topology *t, const struct sdd_query_request *r, int by_formula, sdd_query_plan **out,
                      struct sdd_error *err)
{
    struct sdd_query_info info = {.n_elements = count_elements(t, r->relation, by_formula ? r->level : 0)};
    int rc = check_rows(r, &info, err);
    if (!rc)
        rc = query_check_bytes((info.n_rows + 1) * (int64_t)sizeof(uint32_t), 0, r->max_bytes, err);
    if (rc)
        return rc;
    sdd_query_plan *p = calloc(1, sizeof *p);
    if (p) {
        *p = (struct sdd_query_plan){.request = *r, .info = info, .by_formula = by_formula};
        p->request.ids = NULL;
        p->request.first = r->ids ? 0 : r->first;
        p->list = r->ids ? malloc((size_t)info.n_rows * sizeof *p->list + 1) : NULL;
        p->offset = malloc(((size_t)info.n_rows + 1) * sizeof *p->offset);
    }
    if (!p || !p->offset || (r->ids && !p->list)) {
        sdd_query_plan_free(p);
        return query_no_memory("the plan of a query", err);
    }
    for (int64_t i = 0; r->ids && i < info.n_rows; i++)
        p->list[i] = (uint32_t)r->ids[i];
    p->offset[0] = 0;
    *out = p;
    return SDD_OK;
}

static int work_begin(sdd_topology *t, const sdd_query_plan *p, const struct sdd_run *run, struct query_work *w,
                      struct sdd_error *err)
{
    *w = (struct query_work){.device = t->device, .topology = t, .plan = p, .cancel = run ? run->cancel : NULL};
    int rc = tiles_neighbors(t, &w->neighbors, err);
    w->neighbors.level = p->by_formula ? p->request.level : 0;
    w->neighbors.is_triangles = t->scheme->kind == SCHEME_TRIANGLES;
    return !rc && p->by_formula && has_edges(p->request.relation) ? queries_lines(t, &w->neighbors, err) : rc;
}

/* Counts the ids of all rows. Rows of FF have a length that only their making tells, and tiles do not have to write
 * them for that. */
static int count_rows(struct query_work *w, sdd_query_plan *p, struct sdd_error *err)
{
    if (p->request.ring > 1)
        return p->tiled ? two_rings_count(w, p, err) : ring_count(w, err);
    return p->request.relation == SDD_FF && p->tiled ? tiled_count(w, err) : flat_count(w, err);
}

/* Says how large an answer is, and what it takes. */
static int size_answer(struct query_work *w, sdd_query_plan *p, struct sdd_error *err)
{
    const struct tiles *tiles;
    int64_t by_tiles = 0;
    int rc = query_within(w, p->info.n_rows, err);
    if (!rc && p->tiled)
        rc = tiles_get(w->topology, &w->neighbors, w->cancel, &tiles, err);
    if (rc)
        return rc;
    if (p->tiled)
        by_tiles = tiled_bytes(w, tiles);
    query_size_blocks(p, p->info.n_rows, &p->info);
    p->info.device_bytes = larger(by_tiles, p->request.ring > 1 ? w->most_held : flat_bytes(w));
    return SDD_OK;
}

int sdd_query_plan_create(sdd_topology *t, const struct sdd_query_request *r, const struct sdd_run *run,
                          sdd_query_plan **out, struct sdd_error *err)
{
    return query_plan_by(t, r, QUERY_BY_RULE, run, out, err);
}

int query_plan_by(sdd_topology *t, const struct sdd_query_request *r, int way, const struct sdd_run *run,
                  sdd_query_plan **out, struct sdd_error *err)
{
    struct query_work w;
    sdd_query_plan *p = NULL;
    sdd_topology *of_level;
    int by_formula = 0;
    *out = NULL;
    int rc = check_request(r, err);
    if (!rc)
        rc = find_formula(t, r, &by_formula, err);
    if (!rc)
        rc = queries_level(t, by_formula ? 0 : r->level, run, &of_level, err);
    if (!rc)
        rc = plan_begin(of_level, r, by_formula, &p, err);
    if (!rc)
        rc = work_begin(of_level, p, run, &w, err);
    if (!rc) {
        w.offset = p->offset;
        p->serial = t->serial;
        p->way = query_may_tile(&w) || way == QUERY_BY_RULE ? way : QUERY_FLAT;
        p->tiled = query_way(&w, p->info.n_rows) != QUERY_FLAT;
        rc = count_rows(&w, p, err);
    }
    if (!rc)
        rc = size_answer(&w, p, err);
    if (rc) {
        sdd_query_plan_free(p);
        return rc;
    }
    *out = p;
    return SDD_OK;
}

int sdd_query_keep(sdd_topology *t, int relation, const struct sdd_run *run, struct sdd_error *err)
{
    const int64_t n = sdd_relation_name(relation) ? count_elements(t, relation, 0) : 0;
    const sdd_query_plan all = {.request = {.relation = relation, .ring = 1, .count = SDD_ALL_ROWS},
                                .info = {.n_elements = n, .n_rows = n}};
    struct query_work w;
    if (!query_is_tiled(relation))
        return sdd_fail(err, SDD_EQUERY, "relation", "%s is not one that is kept: VV, VE, VF, EF, FF",
                        sdd_relation_name(relation) ? names[relation] : "this");
    int rc = work_begin(t, &all, run, &w, err);
    if (!rc && !query_may_tile(&w))
        rc = sdd_fail(err, SDD_ETOO_LARGE, "relation", "the mesh has %lld corners, more than tiles serve",
                      (long long)t->info.n_corners);
    return rc ? rc : tiled_keep(&w, err);
}

const struct sdd_query_info *sdd_query_plan_info(const sdd_query_plan *p)
{
    return &p->info;
}

int64_t sdd_query_offset(const sdd_query_plan *p, int64_t row)
{
    return p->offset[row];
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */
struct block {
    void *memory;
    int64_t bytes;
};

struct sdd_rows {
    sdd_device *device;
    struct sdd_rows_info info;
    struct block offsets, ids, signs;
};

static int take_block(sdd_device *d, int64_t bytes, int soon, struct block *b, struct sdd_error *err)
{
    b->bytes = bytes > 0 ? bytes : 1; /* A block without rows has an address too. */
    return dev_host_alloc(d, b->bytes, soon, &b->memory, err);
}

static int rows_create(sdd_device *d, const sdd_query_plan *p, int64_t first, int64_t n, int soon, sdd_rows **out,
                       struct sdd_error *err)
{
    const int64_t *offset = p->offset + first, n_ids = offset[n] - offset[0];
    sdd_rows *rows = calloc(1, sizeof *rows);
    *out = rows;
    if (!rows)
        return query_no_memory("a record of rows", err);
    rows->device = d;
    int rc = take_block(d, (n + 1) * p->info.offset_bytes, soon, &rows->offsets, err);
    if (!rc)
        rc = take_block(d, n_ids * (int64_t)sizeof(uint32_t), soon, &rows->ids, err);
    if (!rc && p->request.relation == SDD_FE)
        rc = take_block(d, n_ids, soon, &rows->signs, err);
    if (rc)
        return rc;
    if (p->info.offset_bytes == 8)
        memcpy(rows->offsets.memory, offset, (size_t)(n + 1) * sizeof *offset);
    for (int64_t i = 0; p->info.offset_bytes == 4 && i <= n; i++)
        ((uint32_t *)rows->offsets.memory)[i] = (uint32_t)offset[i];
    rows->info = (struct sdd_rows_info){first, n, n_ids, rows->offsets.memory, rows->ids.memory, rows->signs.memory, 0};
    return SDD_OK;
}

/* Makes the rows that have been created. */
static int fill_rows(sdd_topology *t, const sdd_query_plan *plan, const struct sdd_run *run, sdd_rows *rows,
                     struct sdd_error *err)
{
    const int64_t first = rows->info.first_row, n = rows->info.n_rows;
    const struct query_output to = {first, rows->ids.memory, rows->signs.memory};
    struct query_work w;
    sdd_topology *of_level;
    int rc = queries_level(t, plan->by_formula ? 0 : plan->request.level, run, &of_level, err);
    if (!rc)
        rc = work_begin(of_level, plan, run, &w, err);
    if (rc)
        return rc;
    const int way = plan->tiled ? query_way(&w, n) : QUERY_FLAT;
    if (plan->request.ring > 1)
        rc = way == QUERY_FLAT ? ring_fill(&w, first, n, &to, err) : two_rings_fill(&w, first, n, &to, err);
    else
        rc = way == QUERY_FLAT ? flat_fill(&w, first, n, &to, err) : tiled_fill(&w, way, first, n, &to, err);
    rows->info.device_seconds = w.seconds;
    return rc;
}

int sdd_query(sdd_topology *t, const sdd_query_plan *plan, int64_t first_row, int64_t n_rows, const struct sdd_run *run,
              sdd_rows **out, struct sdd_error *err)
{
    sdd_rows *rows;
    *out = NULL;
    if (plan->serial != t->serial)
        return sdd_fail(err, SDD_EQUERY, "plan", "the plan was made for another topology");
    if (first_row < 0 || n_rows < 0 || first_row > plan->info.n_rows || n_rows > plan->info.n_rows - first_row)
        return sdd_fail(err, SDD_EQUERY, "n_rows", "%lld rows from row %lld on; the answer has %lld", (long long)n_rows,
                        (long long)first_row, (long long)plan->info.n_rows);
    int rc = rows_create(t->device, plan, first_row, n_rows, run ? run->soon_freed : 0, &rows, err);
    if (!rc)
        rc = fill_rows(t, plan, run, rows, err);
    if (rc) {
        sdd_rows_free(rows);
        return rc;
    }
    *out = rows;
    return SDD_OK;
}

const struct sdd_rows_info *sdd_rows_info(const sdd_rows *rows)
{
    return &rows->info;
}

void sdd_rows_free(sdd_rows *rows)
{
    if (!rows)
        return;
    struct block *const blocks[] = {&rows->offsets, &rows->ids, &rows->signs};
    for (int k = 0; k < 3; k++)
        if (blocks[k]->memory)
            rows->device->b->host_free(rows->device->dev, blocks[k]->memory, blocks[k]->bytes);
    free(rows);
}
