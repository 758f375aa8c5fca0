/* SPDX-License-Identifier: Apache-2.0 */
/* update_run.c: makes the arrays of a mesh's pieces after an edit (update.h). Each array is read and written once,
 * where pieces stay under new numbers; then the pieces that were classified again are written. */
#include "gpu/engines/tabulated/classify.h"
#include "gpu/engines/tabulated/kernels/table_columns.k.h"
#include "gpu/engines/tabulated/kernels/table_locations.k.h"
#include "gpu/engines/tabulated/kernels/table_read.k.h"
#include "gpu/engines/tabulated/kernels/table_update_kinds.k.h"
#include "gpu/engines/tabulated/kernels/table_update_pieces.tile.h"
#include "gpu/engines/tabulated/update.h"
#include "gpu/kernel/compact.k.h"
#include "gpu/mesh/update_rows.tile.h"

/* What the device gets of the host, in one piece of memory, which is laid out once on the host and once on the device;
 * and scratch behind it. */
struct inputs {
    struct sdd_runs corner_rows, corners, vertices, level1, pieces; /* By old rows but for the first. */
    struct sdd_runs regular, others;         /* From rows of the new lists to those of the old ones. */
    struct sdd_runs regular_column, columns; /* The same for their columns, one by one. */
    uint32_t *corner, *at;                   /* Shape [n_touched] each: the touched pieces, and where they are. */
    int32_t *rank;                           /* Shape [n_touched]: their classes, from 1. */
    uint32_t *class_of;                      /* Shape [old n_classes]. */
    float *words;                            /* Shape [n_classes][SDD_TABLE_WORDS]. */
    uint32_t *wrong;                         /* What follows is scratch. */
    int32_t *read, *read_rank;
    void *scan;
};

/* ---- runs -------------------------------------------------------------------------------------------------------- */
/* Numbers whatever moves. */
static void put_all(const struct table_update *u, int is_real, struct inputs *in)
{
    const struct topology_edit *e = u->edit;
    const struct topology_runs regular = table_runs_of(&u->regular), others = table_runs_of(&u->others),
                               columns = table_runs_of(&u->columns);
    const int64_t V = e->vertices.n_old, new_V = e->vertices.n_new;
    struct sdd_runs *values[] = {&in->corners, &in->vertices, &in->level1, &in->pieces};
    for (int k = 0; k < 4; k++)
        values[k]->n = 0;
    table_put_rows(&e->corners, 1, is_real, &in->corner_rows);
    table_put_rows(&regular, 1, is_real, &in->regular);
    table_put_rows(&others, 1, is_real, &in->others);
    table_put_rows(&regular, SDD_TABLE_REGULAR, is_real, &in->regular_column);
    table_put_rows(&columns, 1, is_real, &in->columns);
    table_put_values(&e->corners, 0, 0, is_real, &in->corners);
    table_put_values(&e->vertices, 0, 0, is_real, &in->vertices);
    table_put_values(&e->vertices, 0, 0, is_real, &in->level1);
    table_put_values(&e->faces, V, new_V, is_real, &in->level1);
    table_put_values(&e->edges, V + e->faces.n_old, new_V + e->faces.n_new, is_real, &in->level1);
    table_put_values(&regular, 0, 0, is_real, &in->pieces);
    table_put_values(&others, SDD_TABLE_OTHER, SDD_TABLE_OTHER, is_real, &in->pieces);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */
/* Lays out what is uploaded. Returns its bytes. */
static int64_t lay_out_host(const struct table_update *u, struct arena *a, struct inputs *in)
{
    struct sdd_runs *all[] = {&in->corner_rows, &in->corners, &in->vertices,       &in->level1, &in->pieces,
                              &in->regular,     &in->others,  &in->regular_column, &in->columns};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        table_lay_out_runs(a, all[k]);
    in->corner = ARENA(a, uint32_t, u->n_touched);
    in->at = ARENA(a, uint32_t, u->n_touched);
    in->rank = ARENA(a, int32_t, u->n_touched);
    in->class_of = ARENA(a, uint32_t, u->old->n_classes);
    in->words = ARENA(a, float, u->t->n_classes *SDD_TABLE_WORDS);
    in->wrong = ARENA(a, uint32_t, 1);
    return a->used;
}

static void lay_out(const struct table_update *u, struct arena *a, struct inputs *in)
{
    const int64_t n = table_first_rows(&u->t->mesh);
    (void)lay_out_host(u, a, in);
    in->read = ARENA(a, int32_t, n);
    in->read_rank = ARENA(a, int32_t, n);
    in->scan = ARENA(a, char, u->d->b->scan_scratch(u->d->dev, n));
}

static void fill(const struct table_update *u, struct inputs *in)
{
    put_all(u, 1, in);
    for (int64_t i = 0; i < u->n_touched; i++) {
        in->corner[i] = u->touched[i].corner;
        in->at[i] = u->touched[i].at;
        in->rank[i] = (int32_t)u->touched[i].class_of + 1;
    }
    memcpy(in->class_of, u->class_of, (size_t)u->old->n_classes * sizeof *in->class_of);
    memcpy(in->words, u->t->words, (size_t)u->t->n_classes * SDD_TABLE_WORDS * sizeof *in->words);
}

static int upload(struct table_update *u, struct inputs *out, struct sdd_error *err)
{
    struct inputs here = {0};
    struct arena count = {NULL, 0}, host = {NULL, 0}, device = {NULL, 0}, none = {NULL, 0};
    put_all(u, 0, &here);
    *out = here;
    lay_out(u, &count, out);
    const int64_t bytes = lay_out_host(u, &none, &here);
    host.base = table_update_memory(u, bytes, 1, err);
    int rc = host.base ? block_take(u->d, count.used, &u->scratch, err) : SDD_ENO_MEMORY;
    if (rc)
        return rc;
    (void)lay_out_host(u, &host, &here);
    fill(u, &here);
    device.base = u->scratch.memory;
    lay_out(u, &device, out);
    dev_upload(u->d, u->scratch.memory, host.base, bytes);
    dev_fill(u->d, out->read, 0, table_first_rows(&u->t->mesh) * (int64_t)sizeof *out->read);
    return SDD_OK;
}

/* ---- arrays ------------------------------------------------------------------------------------------------------ */
static void stream_pieces(const struct table_update *u, const struct inputs *in)
{
    const struct tabulated *old = u->old, *t = u->t;
    const int64_t quads = SDD_TABLE_REGULAR * t->n_regular_quads, regular = SDD_TABLE_REGULAR * t->n_regular;
    struct table_update_pieces_args pieces[2] = {
        {old->regular, t->regular, in->regular, in->corners, t->mesh, NULL, t->n_regular},
        {old->other, t->other, in->others, in->corners, t->mesh, in->class_of, t->n_others}};
    for (int k = 0; k < 2; k++)
        if (pieces[k].rows.n > 0)
            DEV_LAUNCH(u->d, table_update_pieces, pieces + k,
                       (pieces[k].n + TABLE_UPDATE_PIECES - 1) / TABLE_UPDATE_PIECES);
    table_stream(u->d, old->regular_column, t->regular_column, 0, quads, &in->regular_column, &in->vertices, 0);
    table_stream(u->d, old->regular_column, t->regular_column, quads, regular, &in->regular_column, &in->level1, 0);
    table_stream(u->d, old->column, t->column, 0, t->n_column, &in->columns, &in->level1, 0);
    table_stream(u->d, old->location, t->location, 0, t->mesh.n_corners, &in->corner_rows, &in->pieces, 0);
}

/* Makes the touched pieces, of which the bicubic ones come first, and marks the rows that all pieces read. */
static void make_touched(const struct table_update *u, const struct inputs *in)
{
    const struct tabulated *t = u->t;
    int64_t n = 0;
    while (n < u->n_touched && u->touched[n].list != SDD_TABLE_IN_OTHERS)
        n++;
    struct table_columns_args regular = {.mesh = t->mesh,
                                         .piece = in->corner,
                                         .at = in->at,
                                         .n_regular_quads = t->n_regular_quads,
                                         .quad = t->regular,
                                         .column = t->regular_column,
                                         .read = (uint32_t *)in->read};
    struct table_columns_args others = {.mesh = t->mesh,
                                        .piece = in->corner + n,
                                        .at = in->at + n,
                                        .rank = in->rank + n,
                                        .classes = t->classes,
                                        .words = in->words,
                                        .quad = t->other,
                                        .column = t->column,
                                        .wrong = in->wrong,
                                        .read = (uint32_t *)in->read};
    struct table_locations_args locations[2] = {{in->corner, t->location, 0, in->at},
                                                {in->corner + n, t->location, SDD_TABLE_OTHER, in->at + n}};
    const int64_t quads = SDD_TABLE_REGULAR * t->n_regular_quads;
    struct table_read_args bicubic = {t->regular_column + quads, (uint32_t *)in->read},
                           columns = {t->column, (uint32_t *)in->read};
    DEV_LAUNCH(u->d, table_columns, &regular, n);
    DEV_LAUNCH(u->d, table_columns, &others, u->n_touched - n);
    DEV_LAUNCH(u->d, table_locations, locations, n);
    DEV_LAUNCH(u->d, table_locations, locations + 1, u->n_touched - n);
    DEV_LAUNCH(u->d, table_read, &bicubic, SDD_TABLE_REGULAR * t->n_regular - quads);
    DEV_LAUNCH(u->d, table_read, &columns, t->n_column);
}

int table_update_run(struct table_update *u, int smooth_triangles, struct sdd_error *err)
{
    struct tabulated *t = u->t;
    struct table_isolated s;
    struct inputs in;
    int rc = table_update_isolated(u, &s, err);
    t->n_isolated_rows = s.n;
    if (!rc)
        rc = table_take_pieces(u->d, t, err);
    if (!rc)
        rc = upload(u, &in, err);
    if (rc)
        return rc;
    stream_pieces(u, &in);
    make_touched(u, &in);
    if (t->n_isolated_rows) {
        struct compact_args isolated = {s.flag, s.rank, t->isolated};
        DEV_LAUNCH(u->d, compact, &isolated, t->mesh.n_vertices);
    }
    const struct table_reading reading = {in.read, in.read_rank, in.wrong, in.scan};
    rc = table_list_rows(u->d, &t->mesh, smooth_triangles, t, &reading, err);
    return rc == SDD_EUNSUPPORTED ? TABLE_ANEW : rc;
}
