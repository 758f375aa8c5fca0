/* SPDX-License-Identifier: Apache-2.0 */
/* quantise.c: makes compact blocks of f32 rows, and finds the box that positions need, for refine/. */
#include "gpu/engine_api/quantise.h"
#include "gpu/engine_api/kernels/box_rows.k.h"
#include "gpu/engine_api/kernels/quantise_rows.k.h"

#define ROWS_EACH 4096 /* The rows that a CPU makes in one item. */

/* The blocks that can be compact: how many numbers a row has as f32 and as compact, and what kernels call the
 * compact format. */
static const struct kind {
    int semantic, width, format, components, as;
} kinds[] = {{SDD_POSITIONS, 3, SDD_UNORM16_BOX, 4, SDD_ROWS_UNORM16},
             {SDD_NORMALS, 3, SDD_OCT16, 2, SDD_ROWS_OCT16},
             {SDD_UVS, 2, SDD_F16, 2, SDD_ROWS_F16}};

/* The kind of a block that can be compact. */
static const struct kind *kind_of(int semantic)
{
    const struct kind *k = kinds;
    while (k->semantic != semantic)
        k++;
    return k;
}

int quantise_check(const struct sdd_refine_request *r, struct sdd_error *err)
{
    if (r->compact & ~(SDD_POSITIONS | SDD_NORMALS | SDD_UVS))
        return sdd_fail(err, SDD_EINVALID, "compact", "positions, normals and uvs alone can be compact");
    const int split = r->include & SDD_NORMAL_INDICES ? SDD_NORMALS : 0;
    if (r->compact & ~(r->include | split))
        return sdd_fail(err, SDD_EINVALID, "compact", "compact names a block that is not asked for");
    return SDD_OK;
}

void quantise_add_block(const struct sdd_refine_request *r, struct sdd_plan_info *p, int semantic, int64_t count)
{
    const struct kind *k = kind_of(semantic);
    if (r->compact & semantic)
        result_add_block(p, semantic, k->format, k->components, count);
    else
        result_add_block(p, semantic, SDD_F32, k->width, count);
}

/* ---- the box of positions -------------------------------------------------------------------------------------- */
/* Can refined points lie outside of the box of the control points? They are weighted means of these, and only chaikin
 * has weights below zero, where an edge sharper than 1 fades in one step (sdd_edge_point). The box is then that of the
 * refined points, which takes another pass over them. No engine that writes rows of 16 bits itself does such a mesh. */
static int overshoots(const sdd_topology *t)
{
    return t->n_semisharp > 0;
}

static int64_t n_boxes(int64_t rows)
{
    return (rows + SDD_BOX_ROWS - 1) / SDD_BOX_ROWS;
}

/* The boxes of two rounds. The rounds read one and write the other in turn. */
struct rounds {
    float *low[2], *high[2];
};

static void lay_out(int64_t n, struct arena *a, struct rounds *out)
{
    for (int k = 0; k < 2; k++) {
        n = n_boxes(n);
        out->low[k] = ARENA(a, float, 3 * n);
        out->high[k] = ARENA(a, float, 3 * n);
    }
}

int64_t quantise_scratch(const sdd_topology *t, const struct sdd_refine_request *r)
{
    struct arena count = {NULL, 0};
    struct rounds rounds;
    struct scheme_counts n = {.vertices = t->info.n_vertices};
    if (!r->compact)
        return 0;
    if (overshoots(t))
        t->scheme->count(t, r->level, &n);
    lay_out(n.vertices, &count, &rounds);
    return count.used;
}

static void queue_box(sdd_device *d, const float *points, int64_t n, struct sdd_quantise_facts *facts, void *scratch)
{
    struct arena a = {scratch, 0};
    struct rounds rounds;
    struct box_rows_args args = {.low = points, .high = points, .n_rows = n};
    lay_out(n, &a, &rounds);
    for (int k = 0; !args.scale; k = !k) {
        args.n_items = n_boxes(args.n_rows);
        args.to_low = args.n_items == 1 ? facts->low : rounds.low[k];
        args.to_high = args.n_items == 1 ? facts->high : rounds.high[k];
        args.scale = args.n_items == 1 ? facts->scale : NULL;
        DEV_LAUNCH(d, box_rows, &args, args.n_items);
        args.low = args.to_low;
        args.high = args.to_high;
        args.n_rows = args.n_items;
    }
}

void quantise_begin(const sdd_mesh *m, const struct sdd_plan_info *p, const struct result_layout *lay, void *scratch)
{
    const sdd_topology *t = m->topology;
    if (!lay->facts)
        return;
    dev_fill(t->device, lay->facts, 0, sizeof *lay->facts);
    for (int i = 0; i < p->n_blocks; i++)
        if (p->blocks[i].format == SDD_UNORM16_BOX && !overshoots(t))
            queue_box(t->device, m->points, t->info.n_vertices, lay->facts, scratch);
}

struct sdd_rows_as quantise_as(const struct result_layout *lay, int semantic)
{
    if (lay->direct & semantic)
        return (struct sdd_rows_as){kind_of(semantic)->as, lay->facts};
    return rows_f32;
}

void quantise_queue(const sdd_topology *t, const struct sdd_plan_info *p, const struct result_layout *lay,
                    void *scratch)
{
    sdd_device *d = t->device;
    for (int i = 0; i < p->n_blocks; i++) {
        const struct sdd_block *b = p->blocks + i;
        if (!lay->source[i] || (lay->direct & b->semantic))
            continue;
        if (b->format == SDD_UNORM16_BOX && overshoots(t))
            queue_box(d, lay->source[i], b->count, lay->facts, scratch);
        struct quantise_rows_args a = {lay->source[i],
                                       lay->block[i],
                                       {kind_of(b->semantic)->as, lay->facts},
                                       b->count,
                                       d->b->unified ? ROWS_EACH : 1};
        DEV_LAUNCH(d, quantise_rows, &a, (a.n + a.each - 1) / a.each);
    }
}
