/* SPDX-License-Identifier: Apache-2.0 */
/* update_run.c: makes the arrays of a new topology from those of the old one, for a topology update (update.h). Each
 * array is read and written once; then rows that the host knows are patched, and the vertices around them are looked
 * at. The stages from "tags" on are those of a build. */
#include "gpu/mesh/update.h"
#include "gpu/mesh/kernels/face_tables.k.h"
#include "gpu/mesh/kernels/update_fans.k.h"
#include "gpu/mesh/kernels/update_isolated.k.h"
#include "gpu/mesh/kernels/update_patch.k.h"
#include "gpu/mesh/kernels/update_rows.tile.h"
#include "gpu/mesh/kernels/update_valences.k.h"

#define N_NUMBERINGS 5

/* What the host knows, in one piece of memory; once on the host, and once on the device. */
struct tables {
    struct {
        uint32_t *start, *shift;
    } rows[N_NUMBERINGS], values[N_NUMBERINGS];
    struct patch patch[N_PATCHES];
    uint32_t *touched;
};

/* ---- numberings -------------------------------------------------------------------------------------------------- */
/* The rows of a numbering. Corners come in two parts. */
struct extent {
    struct numbering *r;
    int64_t n_old, n_new, ghosts_from, ghosts_to; /* Ghosts begin there; at the end if there are none. */
};

static void list_numberings(struct update *u, struct extent out[N_NUMBERINGS])
{
    const struct sdd_topology_info *i = &u->old->info;
    const struct sdd_mesh_desc *m = u->desc;
    const int64_t B = i->n_boundary_edges;
    const struct extent all[N_NUMBERINGS] = {
        {&u->vertices, i->n_vertices, m->n_vertices, i->n_vertices, m->n_vertices},
        {&u->faces, i->n_faces, m->n_faces, i->n_faces, m->n_faces},
        {&u->corners, i->n_corners + B, m->n_corners + u->n_boundary_edges, i->n_corners, m->n_corners},
        {&u->slots, i->n_corners, m->n_corners, i->n_corners, m->n_corners},
        {&u->edges, i->n_edges, u->n_edges, i->n_edges, u->n_edges},
    };
    for (int k = 0; k < N_NUMBERINGS; k++)
        out[k] = all[k];
}

/* Adds runs for new rows, which get some old rows of their part for now, because each must name one; patches follow.
 * Returns the number of runs. With NULL it only counts. */
static int64_t add_new(const struct extent *e, int64_t first, int64_t end, int64_t n, uint32_t *start, uint32_t *shift)
{
    while (first < end) {
        const int is_ghost = first >= e->ghosts_to && e->ghosts_from < e->n_old;
        const int64_t base = is_ghost ? e->ghosts_from : 0, room = is_ghost ? e->n_old - base : e->ghosts_from;
        int64_t some = end - first < room ? end - first : room;
        if (first < e->ghosts_to && first + some > e->ghosts_to)
            some = e->ghosts_to - first;
        if (start) {
            start[n] = (uint32_t)first;
            shift[n] = (uint32_t)(base - first);
        }
        first += some;
        n++;
    }
    return n;
}

static int64_t fill_rows(const struct extent *e, uint32_t *start, uint32_t *shift)
{
    int64_t at = 0, n = 0;
    for (int64_t k = 0; k < e->r->n; k++) {
        const struct run *run = e->r->run + k;
        n = add_new(e, at, run->to, n, start, shift);
        if (start) {
            start[n] = (uint32_t)run->to;
            shift[n] = (uint32_t)(run->from - run->to);
        }
        n++;
        at = run->to + run->n;
    }
    return add_new(e, at, e->n_new, n, start, shift);
}

/* What a row that has gone maps to does not matter. */
static int64_t fill_values(const struct extent *e, uint32_t *start, uint32_t *shift)
{
    for (int64_t k = 0; k < e->r->n && start; k++) {
        start[k] = k ? (uint32_t)e->r->run[k].from : 0;
        shift[k] = (uint32_t)(e->r->run[k].to - e->r->run[k].from);
    }
    if (e->r->n == 0 && start)
        *start = *shift = 0;
    return larger(e->r->n, 1);
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */
static void lay_out_tables(const struct update *u, const struct extent e[N_NUMBERINGS], struct arena *a,
                           struct tables *out)
{
    for (int k = 0; k < N_NUMBERINGS; k++) {
        e[k].r->rows.n = (int32_t)fill_rows(e + k, NULL, NULL);
        e[k].r->values.n = (int32_t)fill_values(e + k, NULL, NULL);
        out->rows[k].start = ARENA(a, uint32_t, e[k].r->rows.n);
        out->rows[k].shift = ARENA(a, uint32_t, e[k].r->rows.n);
        out->values[k].start = ARENA(a, uint32_t, e[k].r->values.n);
        out->values[k].shift = ARENA(a, uint32_t, e[k].r->values.n);
    }
    for (int k = 0; k < N_PATCHES; k++) {
        out->patch[k].row = ARENA(a, uint32_t, u->patch[k].n);
        out->patch[k].value = ARENA(a, uint32_t, u->patch[k].n);
    }
    out->touched = ARENA(a, uint32_t, u->n_touched);
}

static void fill_tables(const struct update *u, const struct extent e[N_NUMBERINGS], const struct tables *to)
{
    for (int k = 0; k < N_NUMBERINGS; k++) {
        (void)fill_rows(e + k, to->rows[k].start, to->rows[k].shift);
        (void)fill_values(e + k, to->values[k].start, to->values[k].shift);
    }
    for (int k = 0; k < N_PATCHES; k++)
        for (int64_t i = 0; i < u->patch[k].n; i++) {
            to->patch[k].row[i] = u->patch[k].row[i];
            to->patch[k].value[i] = u->patch[k].value[i];
        }
    for (int64_t i = 0; i < u->n_touched; i++)
        to->touched[i] = u->touched[i].vertex;
}

static int upload_tables(struct update *u, struct tables *out, struct sdd_error *err)
{
    struct extent e[N_NUMBERINGS];
    struct arena count = {NULL, 0}, host = {NULL, 0}, device = {NULL, 0};
    list_numberings(u, e);
    lay_out_tables(u, e, &count, out);
    host.base = update_memory(u, count.used, 1, err);
    int rc = host.base ? block_take(u->d, count.used, &u->tables, err) : SDD_ENO_MEMORY;
    if (rc)
        return rc;
    lay_out_tables(u, e, &host, out);
    fill_tables(u, e, out);
    device.base = u->tables.memory;
    lay_out_tables(u, e, &device, out);
    dev_upload(u->d, u->tables.memory, host.base, count.used);
    for (int k = 0; k < N_NUMBERINGS; k++) {
        e[k].r->rows.start = out->rows[k].start;
        e[k].r->rows.shift = out->rows[k].shift;
        e[k].r->values.start = out->values[k].start;
        e[k].r->values.shift = out->values[k].shift;
    }
    return SDD_OK;
}

/* ---- arrays ------------------------------------------------------------------------------------------------------ */
/* Queues the making of rows [first, n) of an array. in[0] is old row in_first, out[0] is row `first`. */
static void stream(const struct update *u, const uint32_t *in, int64_t in_first, uint32_t *out, int64_t first,
                   int64_t n, const struct numbering *rows, const struct numbering *values, int ends)
{
    const struct update_rows_args a = {
        .in = in,
        .out = out,
        .rows = rows->rows,
        .values = values->values,
        .n = n,
        .in_first = (uint32_t)in_first,
        .out_first = (uint32_t)first,
        .ends = (uint32_t)ends,
    };
    struct update_rows_args args = a;
    DEV_LAUNCH(u->d, update_rows, &args, (n - first + UPDATE_ROWS - 1) / UPDATE_ROWS);
}

static void patch_rows(const struct update *u, const struct tables *t, int which, uint32_t *out)
{
    struct update_patch_args a = {t->patch[which].row, t->patch[which].value, out};
    DEV_LAUNCH(u->d, update_patch, &a, u->patch[which].n);
}

static void run_vertices(const struct update *u, const struct tables *tables)
{
    const sdd_topology *old = u->old, *t = u->b.t;
    struct update_isolated_args isolated = {t->vert_end, t->vert_begin};
    stream(u, old->vert_begin, 0, t->vert_begin, 0, u->b.V, &u->vertices, &u->slots, 0);
    stream(u, old->vert_end, 0, t->vert_end, 0, u->b.V, &u->vertices, &u->slots, 1);
    stream(u, old->vert_corner, 0, t->vert_corner, 0, u->b.C, &u->slots, &u->corners, 0);
    DEV_LAUNCH(u->d, update_isolated, &isolated, u->b.V);
    patch_rows(u, tables, PATCH_BEGIN, t->vert_begin);
    patch_rows(u, tables, PATCH_END, t->vert_end);
    patch_rows(u, tables, PATCH_SLOTS, t->vert_corner);
}

static void run_faces(struct update *u, const struct tables *tables)
{
    const sdd_topology *old = u->old, *t = u->b.t;
    const int64_t C = u->b.C, old_C = old->info.n_corners, B = u->b.B;
    struct face_tables_args faces = {t->face_end, u->b.face, u->b.next, u->b.prev};
    stream(u, (const uint32_t *)old->face_end, 0, (uint32_t *)t->face_end, 0, u->b.F, &u->faces, &u->corners, 1);
    patch_rows(u, tables, PATCH_FACE_END, (uint32_t *)t->face_end);
    if (t->faces.n_uniform == 0)
        DEV_LAUNCH(u->d, face_tables, &faces, u->b.F);
    if (old->info.n_boundary_edges == 0 || B == 0)
        return;
    const int64_t in = old_C - old->faces.n_uniform, out = C - t->faces.n_uniform;
    stream(u, old->faces.next + in, old_C, u->b.next + out, C, C + B, &u->corners, &u->corners, 0);
    stream(u, old->faces.prev + in, old_C, u->b.prev + out, C, C + B, &u->corners, &u->corners, 0);
}

static void run_corners(const struct update *u, const struct tables *tables)
{
    const sdd_topology *old = u->old, *t = u->b.t;
    const int64_t n = u->b.C + u->b.B;
    stream(u, old->vert, 0, t->vert, 0, n, &u->corners, &u->vertices, 0);
    stream(u, old->twin, 0, t->twin, 0, n, &u->corners, &u->corners, 0);
    stream(u, old->edge, 0, t->edge, 0, n, &u->corners, &u->edges, 0);
    stream(u, old->edge_corner, 0, t->edge_corner, 0, u->b.E, &u->edges, &u->corners, 0);
    patch_rows(u, tables, PATCH_VERT, t->vert);
    patch_rows(u, tables, PATCH_TWIN, t->twin);
    patch_rows(u, tables, PATCH_EDGE, t->edge);
    patch_rows(u, tables, PATCH_EDGE_CORNER, t->edge_corner);
}

/* Looks at the fans of the touched vertices. The largest valence is that of the old mesh, or of one of them; but where
 * one of them may have had it, and none has as much now, all vertices are asked. */
static void run_fans(struct update *u, const struct tables *tables)
{
    const sdd_topology *t = u->b.t;
    const int64_t most = u->old->info.max_valence;
    const int all = u->had_corners + 1 >= most && u->most_corners < most;
    const uint64_t had = (uint64_t) ~(uint32_t)most << 32;
    struct update_fans_args fans = {.vertex = tables->touched,
                                    .mesh = topology_control(t),
                                    .next = u->b.next,
                                    .prev = u->b.prev,
                                    .fan_error = u->b.words + W_FAN,
                                    .most_edges = u->b.words + W_MOST_EDGES};
    struct update_valences_args valences = {t->vert_begin, t->vert_end, t->vert + u->b.C, u->b.words + W_MOST_EDGES,
                                            u->b.V};
    build_start_words(&u->b);
    if (!all)
        dev_upload(u->d, u->b.words + W_MOST_EDGES, &had, sizeof had);
    DEV_LAUNCH(u->d, update_fans, &fans, u->n_touched);
    DEV_LAUNCH(u->d, update_valences, &valences, all ? u->b.V + u->b.B : 0);
}

static void lay_out_words(struct build *b, struct arena *a)
{
    b->words = ARENA(a, uint64_t, N_WORDS);
}

/* Makes the arrays up to those of edges. */
static int run_arrays(struct update *u, struct sdd_error *err)
{
    struct build *b = &u->b;
    struct tables tables;
    int rc = build_allocate_parts(b, err);
    if (!rc)
        rc = build_allocate(b, lay_out_words, &b->faces, err);
    if (!rc)
        rc = upload_tables(u, &tables, err);
    if (rc)
        return rc;
    run_vertices(u, &tables);
    run_faces(u, &tables);
    run_corners(u, &tables);
    run_fans(u, &tables);
    rc = build_read_words(b, err);
    return rc ? rc : b->word[W_FAN] != ~0ull ? UPDATE_ANEW : SDD_OK;
}

/* ---- the record -------------------------------------------------------------------------------------------------- */
/* The sizes of the new mesh's faces. They are counted only where the last face of an extreme size has gone. */
static struct face_sizes sizes_of(const struct update *u)
{
    struct face_sizes s = u->old->sizes;
    for (int64_t i = 0; i < u->n_gone_faces; i++) {
        const int64_t size = u->gone_face[i].end - u->gone_face[i].begin;
        s.n_least -= size == s.least;
        s.n_most -= size == s.most;
    }
    for (int64_t i = 0; i < u->n_new_faces; i++) {
        const int32_t size = (int32_t)(u->new_face[i].end - u->new_face[i].begin);
        s.n_least = size < s.least ? 1 : s.n_least + (size == s.least);
        s.n_most = size > s.most ? 1 : s.n_most + (size == s.most);
        s.least = size < s.least ? size : s.least;
        s.most = size > s.most ? size : s.most;
    }
    if (s.n_least == 0 || s.n_most == 0)
        (void)topology_face_sizes(u->desc, &s);
    return s;
}

int update_run(struct update *u, sdd_topology **out, struct sdd_error *err)
{
    const struct face_sizes sizes = sizes_of(u);
    struct build *b = &u->b;
    sdd_topology *t;
    int rc = topology_new(u->d, u->desc, &sizes, &t, err);
    if (rc)
        return topology_done(t, rc, out, err);
    build_init(b, t, u->desc);
    b->E = t->info.n_edges = u->n_edges;
    b->B = b->G = t->info.n_boundary_edges = u->n_boundary_edges;
    t->info.manifold = 1;
    t->is_updated = 1;
    rc = run_arrays(u, err);
    if (!rc)
        rc = build_finish(b, err);
    build_end(b, rc);
    block_give(u->d, &u->tables);
    return topology_done(t, rc == SDD_EMESH ? UPDATE_ANEW : rc, out, err);
}
