/* SPDX-License-Identifier: Apache-2.0 */
/* level_step.c: one level of rows to the next, rows to their limits, and the weights that Loop takes, for engines,
 * patches and refine_values.c. */
#include "gpu/levels/levels.h"
#include "gpu/levels/kernels/level_widths.ks.h"
#include "gpu/levels/level_follow.ks.h"
#include "gpu/levels/kernels/loop_limits_n.k.h"
#include "gpu/levels/kernels/mm_limits_n.k.h"
#include <math.h>
#include <stdlib.h>

static int64_t parts_of(int64_t n, int64_t size)
{
    return (n + size - 1) / size;
}

/* The number of items that walk over both lists. Each chunk takes such a share of each list that both end together. */
static int64_t interleave(int64_t n_a, int64_t n_b, struct sdd_interleave *out)
{
    int64_t share = SDD_CHUNK * n_a / (n_a + n_b), chunks_a, chunks_b;
    share = share < 1 ? 1 : share > SDD_CHUNK - 1 ? SDD_CHUNK - 1 : share;
    *out = (struct sdd_interleave){(uint32_t)n_a, (uint32_t)n_b, (uint32_t)share};
    chunks_a = parts_of(n_a, share);
    chunks_b = parts_of(n_b, SDD_CHUNK - share);
    return SDD_CHUNK * (chunks_a > chunks_b ? chunks_a : chunks_b);
}

/* Positions have kernels of their own, in which the width is a constant. */
#define LAUNCH_ROWS(step, name, args, count)                                                                           \
    do {                                                                                                               \
        struct name##_n_args wide = {args, (step)->width};                                                             \
        if (wide.width.n == 3 && wide.width.stride == 3)                                                               \
            DEV_LAUNCH((step)->topology->device, name, &(args), count);                                                \
        else                                                                                                           \
            DEV_LAUNCH((step)->topology->device, name##_n, &wide, count);                                              \
    } while (0)

/* Makes all points of level 1 from the control points, under Catmull-Clark. */
static void first_step(const struct step_rows *s, const float *from, float *to)
{
    const struct sdd_control *m = &s->mesh;
    struct mm_faces_args faces = {*m, from, to};
    struct mm_first_args rows = {*m, {0}, from, to, s->topology->info.options.triangle_rule == SDD_TRIANGLE_SMOOTH};
    int64_t n_items = interleave(m->n_vertices, m->n_edges, &rows.rows);
    LAUNCH_ROWS(s, mm_faces, faces, m->n_faces);
    LAUNCH_ROWS(s, mm_first, rows, m->feature_vertices.n_items + n_items);
}

static void quad_step(const struct step_rows *s, const float *from, float *to, int level)
{
    const struct sdd_control *m = &s->mesh;
    if (level == 0)
        return first_step(s, from, to);
    int64_t C = m->n_corners, lines = 2 * (int64_t)m->n_edges + C;
    int64_t n_seams = (int64_t)m->n_vertices + m->n_faces + m->n_edges + (lines << (level - 1));
    struct mm_seams_args seams = {*m, from, to, level};
    struct mm_inside_args inside = {sdd_grid_of(m, level), from, to};
    LAUNCH_ROWS(s, mm_seams, seams, m->feature_vertices.n_items + n_seams);
    LAUNCH_ROWS(s, mm_inside, inside, C << (2 * (level - 1)));
}

static void triangle_step(const struct step_rows *s, const float *from, float *to, int level)
{
    const struct sdd_control *m = &s->mesh;
    struct loop_seams_args seams = {*m, {0}, s->weights, from, to, level};
    struct loop_inside_args inside = {sdd_grid_of(m, level), from, to};
    int64_t n_items = interleave(m->n_vertices, (int64_t)m->n_edges << level, &seams.rows);
    LAUNCH_ROWS(s, loop_seams, seams, m->feature_vertices.n_items + n_items);
    if (level > 0) /* Level 1 has no point inside a triangle. */
        LAUNCH_ROWS(s, loop_inside, inside, (int64_t)m->n_faces << (2 * level));
}

static struct sdd_follow view(const struct step_rows *s, const struct follow *f)
{
    uint32_t before = s->mesh.n_vertices + (s->topology->scheme->kind == SCHEME_QUADS ? s->mesh.n_faces : 0);
    return (struct sdd_follow){f->rings, NULL, s->width, (uint32_t)f->n_points, before};
}

static void quad_limits(const struct step_rows *s, const struct follow *f, const float *from, float *to, int level,
                        int surface, int64_t n)
{
    struct mm_limits_n_args quads = {s->mesh, from, to, s->width, level, surface};
    struct mm_follow_args follow = {{.mesh = s->mesh, .from = from, .out = to, .level = level}, view(s, f)};
    DEV_LAUNCH(s->topology->device, mm_limits_n, &quads, n);
    DEV_LAUNCH(s->topology->device, mm_follow, &follow, f->rings.n);
}

static void triangle_limits(const struct step_rows *s, const struct follow *f, const float *from, float *to, int level,
                            int surface, int64_t n)
{
    struct loop_limits_n_args triangles = {s->mesh, s->weights, from, to, s->width, level};
    struct loop_follow_args follow = {{.mesh = s->mesh, .weights = s->weights, .from = from, .out = to, .level = level},
                                      view(s, f)};
    DEV_LAUNCH(s->topology->device, loop_limits_n, &triangles, n);
    DEV_LAUNCH(s->topology->device, loop_follow, &follow, f->rings.n);
    (void)surface;
}

static const struct rules {
    void (*step)(const struct step_rows *s, const float *from, float *to, int level);
    void (*limits)(const struct step_rows *s, const struct follow *f, const float *from, float *to, int level,
                   int surface, int64_t n);
} rules[SCHEME_KINDS] = {
    [SCHEME_QUADS] = {quad_step, quad_limits},
    [SCHEME_TRIANGLES] = {triangle_step, triangle_limits},
};

void step_run(const struct step_rows *s, const float *from, float *to, int level)
{
    rules[s->topology->scheme->kind].step(s, from, to, level);
}

void step_limits(const struct step_rows *s, const struct follow *f, const float *from, float *to, int level,
                 int surface)
{
    const sdd_topology *t = s->topology;
    const int64_t n = t->scheme->grid_points(&t->info, s->mesh.n_vertices, s->mesh.n_edges, level);
    rules[t->scheme->kind].limits(s, f, from, to, level, surface, n);
}

int64_t step_weights(const sdd_topology *t)
{
    return t->scheme->kind == SCHEME_QUADS ? 0 : t->info.max_valence + 1;
}

int step_upload_weights(const sdd_topology *t, struct sdd_float2 *to, struct sdd_error *err)
{
    int64_t rows = step_weights(t), bytes = rows * (int64_t)sizeof *to;
    if (rows == 0)
        return SDD_OK;
    struct sdd_float2 *table = calloc((size_t)rows, sizeof *table);
    if (!table)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for a table of weights");
    for (int64_t n = 1; n < rows; n++) {
        double count = (double)n, b = 0.375 + 0.25 * cos(6.283185307179586476925286766559 / count);
        double beta = n == 6 ? 0.0625 : (0.625 - b * b) / count;
        table[n].s[0] = (float)beta;
        table[n].s[1] = (float)(1.0 / (count + 3.0 / (8.0 * beta)));
    }
    dev_upload(t->device, to, table, bytes);
    free(table);
    return SDD_OK;
}
