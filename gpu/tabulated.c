/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/tabulated.h"
#include "gpu/kernels/compact.h"
#include "gpu/kernels/compact_keys.h"
#include "gpu/kernels/isolated_flags.h"
#include "gpu/kernels/run_heads.h"
#include "gpu/kernels/tab_columns.h"
#include "gpu/kernels/tab_describe.h"
#include "gpu/kernels/tab_first.h"
#include "gpu/kernels/tab_keys.h"
#include "gpu/kernels/tab_lone.h"
#include "gpu/kernels/tab_near_corners.h"
#include "gpu/kernels/tab_near_edges.h"
#include "gpu/kernels/tab_normals.h"
#include "gpu/kernels/tab_points_n.h"
#include "gpu/kernels/tab_where.h"
#include "gpu/steps.h"
#include "gpu/tab_basis.h"
#include "gpu/tab_cache.h"
#include <stdlib.h>

#define MAX_CLASSES 4096
#define TABLE_THREADS 8 /* where the device has none of the host's */
_Static_assert(TAB_MAX_VALENCE == SDD_TAB_MAX, "tables and kernels take fans of one size");
_Static_assert(1 << (TABULATED_MAX_LEVEL - 1) == SDD_TAB_SIDE, "and levels");
_Static_assert(SDD_TAB_TOGETHER < 16 && MAX_CLASSES < 1 << 28, "the fields of a run");
#define MAX_TABLE ((int64_t)8 << 20) /* floats of the tables of one level */

/* For such a mesh tables do not pay, or cannot be. */
static int no_tables(struct sdd_error *err, const char *why)
{
    return sdd_fail(err, SDD_EUNSUPPORTED, "method", "no tables: %s", why);
}

/* Memory while pieces are sorted by class. */
struct sorting {
    int32_t *irregular, *regular, *irregular_rank, *regular_rank; /* [C] */
    int32_t *lone, *lone_rank;                                    /* [V] */
    uint64_t *key;                                                /* [C] */
    uint32_t *flags;                                              /* [2] none, wrong */
    uint64_t *sorted[2];                                          /* [C] */
    uint32_t *list;                                               /* [C] */
    int32_t *head, *rank;                                         /* [C] */
    uint32_t *heads;                                              /* [MAX_CLASSES] */
    float *words;                                                 /* [MAX_CLASSES][SDD_TAB_WORDS] */
    void *scratch;
};

static void lay_out_sorting(sdd_device *d, int64_t C, int64_t V, struct arena *a, struct sorting *s)
{
    int64_t scan = d->b->scan_scratch(d->dev, C > V ? C : V), sort = d->b->sort_scratch(d->dev, C, 64);
    s->irregular = ARENA(a, int32_t, C);
    s->regular = ARENA(a, int32_t, C);
    s->irregular_rank = ARENA(a, int32_t, C);
    s->regular_rank = ARENA(a, int32_t, C);
    s->lone = ARENA(a, int32_t, V);
    s->lone_rank = ARENA(a, int32_t, V);
    s->key = ARENA(a, uint64_t, C);
    s->sorted[0] = ARENA(a, uint64_t, C);
    s->sorted[1] = ARENA(a, uint64_t, C);
    s->list = ARENA(a, uint32_t, C);
    s->head = ARENA(a, int32_t, C);
    s->rank = ARENA(a, int32_t, C);
    s->heads = ARENA(a, uint32_t, MAX_CLASSES);
    s->words = ARENA(a, float, MAX_CLASSES *SDD_TAB_WORDS);
    s->flags = ARENA(a, uint32_t, 2);
    s->scratch = ARENA(a, char, scan > sort ? scan : sort);
}

static int take(sdd_device *d, int64_t bytes, struct topology_part *part, struct sdd_error *err)
{
    int rc = dev_alloc(d, bytes, &part->memory, err);
    part->bytes = rc ? 0 : bytes;
    return rc;
}

static void lay_out_pieces(const struct sdd_control *m, int64_t n_others, int64_t n_lone, struct arena *a,
                           struct tabulated *t)
{
    int64_t n_regular = m->n_corners - n_others;
    t->near_corner = ARENA(a, struct sdd_tab_corner, m->n_corners);
    t->near_edge = ARENA(a, struct sdd_tab_edge, m->n_edges);
    t->where = ARENA(a, uint32_t, n_regular + n_others);
    t->lone = ARENA(a, uint32_t, n_lone);
    t->regular = ARENA(a, uint32_t, n_regular);
    t->regular_owns = ARENA(a, uint32_t, n_regular);
    t->regular_column = ARENA(a, uint32_t, SDD_TAB_REGULAR * n_regular);
    t->other = ARENA(a, uint32_t, n_others);
    t->owns = ARENA(a, uint32_t, n_others);
}

/* The pieces in two lists, the second by class. */
static int sort_pieces(sdd_device *d, const struct sdd_control *m, struct tabulated *t, struct sorting *s,
                       struct sdd_error *err)
{
    int64_t C = m->n_corners;
    int32_t n_others = 0, n_classes = 0, n_lone = 0;
    uint32_t flags[2];
    struct tab_keys_args keys = {*m, s->key, s->irregular, s->regular, s->flags};
    struct isolated_flags_args lone = {m->begin, m->end, s->lone};
    dev_fill(d, s->flags, 0, sizeof flags);
    DEV_LAUNCH(d, tab_keys, &keys, C);
    dev_scan(d, s->irregular, s->irregular_rank, C, s->scratch);
    dev_scan(d, s->regular, s->regular_rank, C, s->scratch);
    DEV_LAUNCH(d, isolated_flags, &lone, m->n_vertices);
    dev_scan(d, s->lone, s->lone_rank, m->n_vertices, s->scratch);
    dev_download(d, &n_lone, s->lone_rank + (m->n_vertices - 1), sizeof n_lone);
    dev_download(d, &n_others, s->irregular_rank + (C - 1), sizeof n_others);
    dev_download(d, flags, s->flags, sizeof flags);
    int rc = dev_finish(d, err);
    if (!rc && flags[0])
        return no_tables(err, "a vertex or a face has more than 32 corners or a crease runs where surfaces touch");
    struct arena count = {NULL, 0};
    lay_out_pieces(m, n_others, n_lone, &count, t);
    if (!rc)
        rc = take(d, count.used, &t->pieces, err);
    if (rc)
        return rc;
    struct arena real = {t->pieces.memory, 0};
    lay_out_pieces(m, n_others, n_lone, &real, t);
    t->n_lone = n_lone;
    t->n_others = n_others;
    t->n_regular = C - n_others;
    struct compact_args regular = {s->regular, s->regular_rank, t->regular};
    struct compact_args others = {s->irregular, s->irregular_rank, s->list};
    struct compact_keys_args other_keys = {s->key, s->irregular, s->irregular_rank, s->sorted[0]};
    struct run_heads_args heads = {s->sorted[1], s->head};
    struct compact_args firsts = {s->head, s->rank, s->heads};
    struct compact_args alone = {s->lone, s->lone_rank, t->lone};
    struct tab_near_corners_args corners = {*m, t->near_corner};
    struct tab_near_edges_args edges = {*m, t->near_edge};
    DEV_LAUNCH(d, tab_near_corners, &corners, C);
    DEV_LAUNCH(d, tab_near_edges, &edges, m->n_edges);
    DEV_LAUNCH(d, compact, &alone, m->n_vertices);
    DEV_LAUNCH(d, compact, &regular, C);
    if (n_others == 0)
        return dev_finish(d, err);
    DEV_LAUNCH(d, compact, &others, C);
    DEV_LAUNCH(d, compact_keys, &other_keys, C);
    dev_sort(d, s->sorted[0], s->sorted[1], (int32_t *)s->list, (int32_t *)t->other, n_others, 64, s->scratch);
    DEV_LAUNCH(d, run_heads, &heads, n_others);
    dev_scan(d, s->head, s->rank, n_others, s->scratch);
    dev_download(d, &n_classes, s->rank + (n_others - 1), sizeof n_classes);
    rc = dev_finish(d, err);
    if (!rc && n_classes > MAX_CLASSES)
        return no_tables(err, "their surroundings take too many forms");
    if (rc)
        return rc;
    t->n_classes = n_classes;
    DEV_LAUNCH(d, compact, &firsts, n_others);
    return SDD_OK;
}

static void lay_out_lists(const struct tabulated *t, int64_t n_column, struct arena *a, struct tabulated *out)
{
    out->classes = ARENA(a, struct sdd_tab_table, t->n_classes);
    out->runs = ARENA(a, struct sdd_tab_run, t->n_runs);
    out->column = ARENA(a, uint32_t, n_column);
}

/* Where the pieces of each class, their columns and its table begin. Result: columns of all pieces. */
static int64_t place_classes(struct tabulated *t, const uint32_t *heads, struct sdd_tab_table *classes)
{
    int64_t column = 0;
    t->n_columns = t->n_runs = 0;
    for (int64_t k = 0; k < t->n_classes; k++) {
        int64_t end = k + 1 < t->n_classes ? heads[k + 1] : t->n_others, n = end - heads[k];
        int32_t n_columns = tab_class_columns(t->description + k);
        classes[k] = (struct sdd_tab_table){heads[k], column, t->n_columns, n_columns};
        column += n * n_columns;
        t->n_columns += n_columns;
        t->n_runs += (n + SDD_TAB_TOGETHER - 1) / SDD_TAB_TOGETHER;
    }
    return column;
}

static void cut_runs(const struct tabulated *t, const struct sdd_tab_table *classes, struct sdd_tab_run *runs)
{
    for (int64_t k = 0; k < t->n_classes; k++) {
        int64_t end = k + 1 < t->n_classes ? classes[k + 1].first : t->n_others;
        for (int64_t at = classes[k].first; at < end; at += SDD_TAB_TOGETHER) {
            int64_t n = end - at < SDD_TAB_TOGETHER ? end - at : SDD_TAB_TOGETHER;
            *runs++ = (struct sdd_tab_run){(uint32_t)at, (uint32_t)(k << 4 | n)};
        }
    }
}

/* Host memory of the classes while they are described. */
struct describing {
    uint32_t *heads;
    float *words;
    struct sdd_tab_table *classes;
    struct sdd_tab_run *runs;
};

static int describe(sdd_device *d, const struct sdd_control *m, struct tabulated *t, struct sorting *s,
                    struct describing *h, struct sdd_error *err)
{
    struct tab_describe_args words = {*m, s->heads, t->other, s->words};
    struct arena count = {NULL, 0};
    DEV_LAUNCH(d, tab_describe, &words, t->n_classes);
    dev_download(d, h->heads, s->heads, t->n_classes * (int64_t)sizeof *h->heads);
    dev_download(d, h->words, s->words, t->n_classes * SDD_TAB_WORDS * (int64_t)sizeof *h->words);
    int rc = dev_finish(d, err);
    if (rc)
        return rc;
    for (int64_t k = 0; k < t->n_classes; k++)
        t->description[k] = tab_class_of(h->words + SDD_TAB_WORDS * k);
    int64_t n_column = place_classes(t, h->heads, h->classes);
    lay_out_lists(t, n_column, &count, t);
    h->runs = calloc((size_t)t->n_runs + 1, sizeof *h->runs);
    if (!h->runs)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for lists of pieces");
    rc = take(d, count.used, &t->lists, err);
    if (rc)
        return rc;
    struct arena real = {t->lists.memory, 0};
    lay_out_lists(t, n_column, &real, t);
    cut_runs(t, h->classes, h->runs);
    dev_upload(d, t->classes, h->classes, t->n_classes * (int64_t)sizeof *h->classes);
    dev_upload(d, t->runs, h->runs, t->n_runs * (int64_t)sizeof *h->runs);
    return SDD_OK;
}

static int fill_columns(sdd_device *d, const struct sdd_control *m, struct tabulated *t, struct sorting *s,
                        struct sdd_error *err)
{
    uint32_t flags[2];
    struct tab_columns_args regular = {*m, t->regular, NULL, NULL, NULL, t->regular_column, t->regular_owns, NULL};
    struct tab_columns_args others = {*m, t->other, s->rank, t->classes, s->words, t->column, t->owns, s->flags + 1};
    DEV_LAUNCH(d, tab_columns, &regular, t->n_regular);
    DEV_LAUNCH(d, tab_columns, &others, t->n_others);
    struct tab_where_args where[2] = {{t->regular, t->where, 0}, {t->other, t->where, SDD_TAB_OTHER}};
    DEV_LAUNCH(d, tab_where, where, t->n_regular);
    DEV_LAUNCH(d, tab_where, where + 1, t->n_others);
    dev_download(d, flags, s->flags, sizeof flags);
    int rc = dev_finish(d, err);
    if (!rc && flags[1])
        return no_tables(err, "two forms of surroundings have one key");
    return rc;
}

static int classify(sdd_device *d, const struct sdd_control *m, struct tabulated *t, struct sorting *s,
                    struct sdd_error *err)
{
    int rc = sort_pieces(d, m, t, s, err);
    if (rc)
        return rc;
    size_t n = (size_t)t->n_classes + 1;
    struct describing h = {calloc(n, sizeof *h.heads), calloc(n * SDD_TAB_WORDS, sizeof *h.words),
                           calloc(n, sizeof *h.classes), NULL};
    t->description = calloc(n, sizeof *t->description);
    if (!h.heads || !h.words || !h.classes || !t->description)
        rc = sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for classes of pieces");
    else if (t->n_classes)
        rc = describe(d, m, t, s, &h, err);
    if (!rc)
        rc = fill_columns(d, m, t, s, err);
    free(h.heads);
    free(h.words);
    free(h.classes);
    free(h.runs);
    return rc;
}

static int make_pieces(sdd_device *d, const struct sdd_control *m, struct tabulated *t, struct sdd_error *err)
{
    struct arena count = {NULL, 0};
    struct sorting s;
    void *memory;
    lay_out_sorting(d, m->n_corners, m->n_vertices, &count, &s);
    int rc = dev_alloc(d, count.used, &memory, err);
    if (rc)
        return rc;
    struct arena real = {memory, 0};
    lay_out_sorting(d, m->n_corners, m->n_vertices, &real, &s);
    rc = classify(d, m, t, &s, err);
    if (rc)
        dev_drain(d);
    dev_free(d, memory, count.used);
    return rc;
}

/* Tables of a level in host memory, and their place in the device's. */
struct tables {
    struct sdd_tab_basis *basis, *slope;
    float *table, *t1, *t2; /* all classes, one after the other */
    uint32_t *shared;
};

static void lay_out_tables(const struct tabulated *t, int steps, int normals, struct arena *a, struct tables *out)
{
    int64_t side = (1 << steps) + 1, n = t->n_columns * side * side;
    out->basis = ARENA(a, struct sdd_tab_basis, side);
    out->slope = ARENA(a, struct sdd_tab_basis, side);
    out->table = ARENA(a, float, n);
    out->t1 = ARENA(a, float, normals ? n : 0);
    out->t2 = ARENA(a, float, normals ? n : 0);
    out->shared = ARENA(a, uint32_t, normals ? t->n_classes : 0);
}

/* All classes at once: those that are new take the longer. */
static int make_table(sdd_device *d, const struct tabulated *t, int steps, int limit, int normals, struct tables *to,
                      struct sdd_error *err)
{
    int64_t side = (1 << steps) + 1, n = t->n_classes, *at = calloc((size_t)n + 1, sizeof *at);
    int team = d->b->threads(d->dev), failed = 0;
    if (!at)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for tables");
    for (int64_t k = 0; k < n; k++)
        at[k + 1] = at[k] + side * side * tab_class_columns(t->description + k);
    team = team > 0 ? team : TABLE_THREADS;
    tab_basis(steps, limit ? TAB_LIMIT : TAB_REFINED, to->basis);
    tab_basis(steps, TAB_SLOPE, to->slope);
#pragma omp parallel for num_threads(team) schedule(dynamic) reduction(| : failed) if (n > 1)
    for (int64_t k = 0; k < n; k++) {
        const struct tab_class *c = t->description + k;
        failed |= tab_cache_table(d->tables, c, steps, limit, to->table + at[k], normals ? to->t1 + at[k] : NULL,
                                  normals ? to->t2 + at[k] : NULL, NULL);
        if (normals)
            to->shared[k] = (uint32_t)tab_class_shared(c, steps, limit);
    }
    free(at);
    return failed ? sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for tables") : SDD_OK;
}

static int make_tables(sdd_device *d, const struct tabulated *t, struct tabulated_surface *of, int level, int limit,
                       int normals, struct sdd_error *err)
{
    int steps = level - 1;
    int64_t side = (1 << steps) + 1;
    struct tabulated_surface made = {.level = level, .adaptive = of->adaptive};
    struct arena count = {NULL, 0}, host = {NULL, 0}, device = {NULL, 0};
    struct tables here, there;
    if (t->n_columns * side * side > MAX_TABLE)
        return no_tables(err, "their surroundings take too many forms for this level");
    lay_out_tables(t, steps, normals, &count, &here);
    void *memory = calloc(1, (size_t)count.used);
    if (!memory)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for tables");
    host.base = memory;
    lay_out_tables(t, steps, normals, &host, &here);
    int rc = make_table(d, t, steps, limit, normals, &here, err);
    if (!rc)
        rc = take(d, count.used, &made.memory, err);
    if (!rc) {
        device.base = made.memory.memory;
        lay_out_tables(t, steps, normals, &device, &there);
        made.basis = there.basis;
        made.slope = there.slope;
        made.table = there.table;
        made.t1 = normals ? there.t1 : NULL;
        made.t2 = there.t2;
        made.shared = there.shared;
        dev_upload(d, made.memory.memory, memory, count.used);
        rc = dev_finish(d, err);
        struct topology_part gone = rc ? made.memory : of->memory;
        dev_free(d, gone.memory, gone.bytes);
        *of = rc ? *of : made;
    }
    free(memory);
    return rc;
}

int tabulated_prepare(const sdd_topology *topology, const struct sdd_control *mesh, struct tabulated *t, int level,
                      int surface, int normals, struct sdd_error *err)
{
    sdd_device *d = topology->device;
    const int triangles = topology_is_triangles(topology);
    struct tabulated_surface *of = t->surface + surface;
    if (level > TABULATED_MAX_LEVEL)
        return no_tables(err, "they would be too large for this level");
    if (t->refused.code) {
        *err = t->refused;
        return err->code;
    }
    int rc = t->ready    ? SDD_OK
             : triangles ? tab_triangles_classify(topology, mesh, &t->triangles, err)
                         : make_pieces(d, mesh, t, err);
    if (rc) {
        tabulated_free(d, t);
        if (rc == SDD_EUNSUPPORTED)
            t->refused = *err;
        return rc;
    }
    t->ready = 1;
    if (triangles)
        return tab_triangles_tables(d, &t->triangles, level, surface, normals, err);
    if (of->level == level && (of->t1 || !normals))
        return SDD_OK;
    return make_tables(d, t, of, level, surface == SDD_SURFACE_LIMIT, normals, err);
}

int tabulated_has(const struct tabulated *t, int level, int surface)
{
    return t->surface[surface].level == level || t->triangles.surface[surface].level == level;
}

int tabulated_has_normals(const struct tabulated *t, int level, int surface)
{
    return tabulated_has(t, level, surface) && (t->surface[surface].t1 || t->triangles.surface[surface].away);
}

int64_t tabulated_bytes(const struct tabulated *t)
{
    int64_t bytes = t->pieces.bytes + t->lists.bytes + tab_triangles_bytes(&t->triangles);
    for (int k = 0; k < 2; k++)
        bytes += t->surface[k].memory.bytes + adaptive_bytes(t->surface[k].adaptive);
    return bytes;
}

/* As many pieces as have 32 columns of points together, which a warp makes at once; of many pieces some times as many:
 * there is something to look ahead to. */
static int32_t pieces_each(int64_t n_regular, int level)
{
    int64_t once = level < 3 ? 8 : 64 >> level, times = n_regular / (once * 8192);
    return (int32_t)(once * (times < 1 ? 1 : times > 4 ? 4 : times));
}

/* Three floats of a row at a time, as kernels take them. */
static struct sdd_width width_at(int width, int k)
{
    return (struct sdd_width){width - k < 3 ? width - k : 3, width};
}

static int64_t first_rows(const struct sdd_control *mesh)
{
    return (int64_t)mesh->n_vertices + mesh->n_faces + mesh->n_edges;
}

int64_t tabulated_first_floats(const struct sdd_control *mesh, int width)
{
    return first_rows(mesh) * (width / 3 * sdd_tab_width(3).stride + width % 3);
}

/* Where floats k, .. of rows of level 1 stand: those of three components after each other. */
static int64_t first_at(const struct sdd_control *mesh, int k)
{
    return first_rows(mesh) * (k / 3) * sdd_tab_width(3).stride;
}

void tabulated_first(const sdd_topology *topology, const struct sdd_control *mesh, const struct tabulated *t, int width,
                     const float *values, float *first)
{
    for (int k = 0; k < width; k += 3) {
        struct step_rows step = {topology, *mesh, width_at(width, k), t->triangles.weights};
        struct tab_first_args a = {.mesh = *mesh,
                                   .near_corner = t->near_corner,
                                   .near_edge = t->near_edge,
                                   .from = values + k,
                                   .to = first + first_at(mesh, k),
                                   .width = width_at(width, k),
                                   .smooth_triangles = topology->info.options.triangle_rule == SDD_TRIANGLE_SMOOTH};
        if (t->triangles.description)
            step_run(&step, values + k, first + k, 0);
        else
            DEV_LAUNCH(topology->device, tab_first, &a, first_rows(mesh));
    }
}

static struct tab_points_args points_args(const struct sdd_control *mesh, const struct tabulated *t,
                                          const struct tabulated_surface *of, struct sdd_width width,
                                          const float *first, float *to)
{
    return (struct tab_points_args){.grid = sdd_grid_of(mesh, of->level),
                                    .from = first,
                                    .to = to,
                                    .width = width,
                                    .regular = t->regular,
                                    .regular_owns = t->regular_owns,
                                    .regular_column = t->regular_column,
                                    .basis = of->basis,
                                    .n_regular = t->n_regular,
                                    .each = pieces_each(t->n_regular, of->level),
                                    .runs = t->runs,
                                    .tables = t->classes,
                                    .table = of->table,
                                    .other = t->other,
                                    .owns = t->owns,
                                    .column = t->column,
                                    .n_runs = t->n_runs};
}

void tabulated_rows(sdd_device *d, const struct sdd_control *mesh, const struct tabulated *t, int surface, int width,
                    const float *values, const float *first, float *to)
{
    struct tab_lone_args lone = {t->lone, values, to, width};
    for (int k = 0; k < width; k += 3) {
        struct tab_points_n_args a = {
            points_args(mesh, t, t->surface + surface, width_at(width, k), first + first_at(mesh, k), to + k)};
        if (t->triangles.description)
            tab_triangles_rows(d, mesh, &t->triangles, surface, a.base.width, first + k, 0,
                               tab_triangles_points(mesh, &t->triangles, surface), to + k);
        else if (a.base.width.n == 3 && a.base.width.stride == 3)
            DEV_LAUNCH(d, tab_points, &a.base, sdd_tab_items(&a.base));
        else
            DEV_LAUNCH(d, tab_points_n, &a, sdd_tab_items(&a.base));
    }
    DEV_LAUNCH(d, tab_lone, &lone, t->n_lone * width);
}

static struct tab_rows_args rows_args(const struct sdd_control *mesh, const struct tabulated *t, int surface,
                                      const float *first, int64_t first_row, int64_t n_rows, float *to)
{
    return (struct tab_rows_args){.pieces = points_args(mesh, t, t->surface + surface, sdd_xyz(), first, NULL),
                                  .mesh = *mesh,
                                  .where = t->where,
                                  .to = to,
                                  .first = first_row,
                                  .n = n_rows,
                                  .each = sdd_rows_each(n_rows),
                                  .n_classes = (int32_t)t->n_classes};
}

void tabulated_range(sdd_device *d, const struct sdd_control *mesh, const struct tabulated *t, int surface,
                     const float *first, int64_t first_row, int64_t n_rows, float *to)
{
    struct tab_rows_args a = rows_args(mesh, t, surface, first, first_row, n_rows, to);
    if (t->triangles.description)
        tab_triangles_rows(d, mesh, &t->triangles, surface, sdd_xyz(), first, first_row, n_rows, to);
    else
        DEV_LAUNCH(d, tab_rows, &a, (n_rows + a.each - 1) / a.each);
}

void tabulated_normals(const sdd_topology *topology, const struct sdd_control *mesh, const struct tabulated *t,
                       int surface, const float *first, float *to, float *tangents)
{
    const struct tabulated_surface *of = t->surface + surface;
    int64_t n = topology_points(topology, of->level);
    struct tab_normals_args a = {
        rows_args(mesh, t, surface, first, 0, n, to), of->slope, of->t1, of->t2, of->shared, tangents};
    if (t->triangles.description)
        tab_triangles_normals(topology->device, mesh, &t->triangles, surface, first, to, tangents);
    else
        DEV_LAUNCH(topology->device, tab_normals, &a, (n + a.rows.each - 1) / a.rows.each);
}

void tabulated_free(sdd_device *d, struct tabulated *t)
{
    dev_free(d, t->pieces.memory, t->pieces.bytes);
    dev_free(d, t->lists.memory, t->lists.bytes);
    for (int k = 0; k < 2; k++) {
        dev_free(d, t->surface[k].memory.memory, t->surface[k].memory.bytes);
        adaptive_free(t->surface[k].adaptive);
    }
    tab_triangles_free(d, &t->triangles);
    free(t->description);
    *t = (struct tabulated){0};
}
