/* SPDX-License-Identifier: Apache-2.0 */
/* update_run.c: makes the arrays of a new topology from those of the old one, for a topology update (update.h). Each
 * array is read and written once; then rows that the host knows are patched, and the vertices around them are looked
 * at. The stages from "tags" on are those of a build. */
#include "gpu/mesh/update.h"
#include "gpu/mesh/kernels/face_tables.k.h"
#include "gpu/mesh/kernels/feature_vertices.k.h"
#include "gpu/mesh/kernels/update_bytes.tile.h"
#include "gpu/mesh/kernels/update_fans.k.h"
#include "gpu/mesh/kernels/update_features.k.h"
#include "gpu/mesh/update_patch.k.h"
#include "gpu/mesh/update_rows.tile.h"
#include "gpu/mesh/kernels/update_valences.k.h"

/* The rows of a numbering. Corners come in two parts. */
struct extent {
    struct numbering *r;
    int64_t n_old, n_new, ghosts_from, ghosts_to; /* Ghosts begin there; at the end if there are none. */
};

/* What the host knows, in one piece of memory, which is laid out once on the host and once on the device. */
struct tables {
    struct extent *extent; /* Shape [n_extents]. */
    struct patch *patch;   /* Shape [n_patches]: those of u->face_end and of the views, in order. */
    int n_extents, n_patches;
};

/* ---- numberings -------------------------------------------------------------------------------------------------- */
static struct extent of_rows(struct numbering *r, int64_t n_old, int64_t n_new)
{
    return (struct extent){r, n_old, n_new, n_old, n_new};
}

/* Lists all numberings, each of which is as the device gets it. */
static int list_numberings(struct update *u, struct tables *t, struct sdd_error *err)
{
    const struct sdd_topology_info *i = &u->old->info;
    const struct sdd_mesh_desc *m = u->desc;
    struct extent *e = t->extent = update_memory(u, 2 + 3 * u->n_views, sizeof *e, err);
    t->patch = e ? update_memory(u, 1 + N_PATCHES * u->n_views, sizeof *t->patch, err) : NULL;
    if (!t->patch)
        return SDD_ENO_MEMORY;
    *e++ = of_rows(&u->faces, i->n_faces, m->n_faces);
    *e++ = (struct extent){&u->corners, i->n_corners + i->n_boundary_edges, m->n_corners + u->n_boundary_edges,
                           i->n_corners, m->n_corners};
    for (struct view *v = u->view; v < u->view + u->n_views; v++) {
        *e++ = of_rows(&v->vertices, v->delta->n_old, v->n_new);
        *e++ = of_rows(&v->edges, v->n_old_edges, v->n_edges);
        if (v->slot_corner)
            *e++ = of_rows(&v->slots, i->n_corners, m->n_corners);
    }
    t->n_extents = (int)(e - t->extent);
    t->n_patches = 1 + N_PATCHES * u->n_views;
    return SDD_OK;
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
        const struct topology_run *run = e->r->run + k;
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
static const struct patch *patch_of(const struct update *u, int k)
{
    return k == 0 ? &u->face_end : &u->view[(k - 1) / N_PATCHES].patch[(k - 1) % N_PATCHES];
}

static struct sdd_runs lay_out_runs(struct arena *a, int64_t n)
{
    uint32_t *start = ARENA(a, uint32_t, n), *shift = ARENA(a, uint32_t, n);
    return (struct sdd_runs){start, shift, (int32_t)n};
}

static void lay_out_tables(struct update *u, struct arena *a, struct tables *t)
{
    for (int k = 0; k < t->n_extents; k++) {
        const struct extent *e = t->extent + k;
        e->r->rows = lay_out_runs(a, fill_rows(e, NULL, NULL));
        e->r->values = lay_out_runs(a, fill_values(e, NULL, NULL));
    }
    for (int k = 0; k < t->n_patches; k++) {
        t->patch[k].n = patch_of(u, k)->n;
        t->patch[k].row = ARENA(a, uint32_t, t->patch[k].n);
        t->patch[k].value = ARENA(a, uint32_t, t->patch[k].n);
    }
    for (int k = 0; k < u->n_views; k++)
        u->view[k].touched_rows = ARENA(a, uint32_t, u->view[k].n_touched);
    u->dirty = ARENA(a, uint32_t, u->delta->n_dirty_vertices);
}

/* The host may write what kernels may only read. */
static uint32_t *writable(const uint32_t *p)
{
    return (uint32_t *)(uintptr_t)p;
}

static void fill_tables(const struct update *u, const struct tables *t)
{
    for (int k = 0; k < t->n_extents; k++) {
        const struct extent *e = t->extent + k;
        (void)fill_rows(e, writable(e->r->rows.start), writable(e->r->rows.shift));
        (void)fill_values(e, writable(e->r->values.start), writable(e->r->values.shift));
    }
    for (int k = 0; k < t->n_patches; k++)
        for (int64_t i = 0; i < t->patch[k].n; i++) {
            t->patch[k].row[i] = patch_of(u, k)->row[i];
            t->patch[k].value[i] = patch_of(u, k)->value[i];
        }
    for (int k = 0; k < u->n_views; k++)
        for (int64_t i = 0; i < u->view[k].n_touched; i++)
            writable(u->view[k].touched_rows)[i] = u->view[k].touched[i].vertex;
    for (int64_t i = 0; i < u->delta->n_dirty_vertices; i++)
        writable(u->dirty)[i] = (uint32_t)u->delta->dirty_vertices[i];
}

static int upload_tables(struct update *u, struct tables *out, struct sdd_error *err)
{
    struct arena count = {NULL, 0}, host = {NULL, 0}, device = {NULL, 0};
    int rc = list_numberings(u, out, err);
    if (rc)
        return rc;
    lay_out_tables(u, &count, out);
    host.base = update_memory(u, count.used, 1, err);
    rc = host.base ? block_take(u->d, count.used, &u->tables, err) : SDD_ENO_MEMORY;
    if (rc)
        return rc;
    lay_out_tables(u, &host, out);
    fill_tables(u, out);
    device.base = u->tables.memory;
    lay_out_tables(u, &device, out);
    dev_upload(u->d, u->tables.memory, host.base, count.used);
    return SDD_OK;
}

/* ---- arrays ------------------------------------------------------------------------------------------------------ */
static void launch_rows(const struct update *u, struct update_rows_args *a)
{
    DEV_LAUNCH(u->d, update_rows, a, (a->n - a->out_first + UPDATE_ROWS - 1) / UPDATE_ROWS);
}

/* Queues the making of n rows of an array from an old one. */
static void stream(const struct update *u, const uint32_t *in, uint32_t *out, int64_t n, const struct numbering *rows,
                   const struct numbering *values)
{
    struct update_rows_args a = {.in = in, .out = out, .rows = rows->rows, .values = values->values, .n = n};
    launch_rows(u, &a);
}

static void patch_rows(const struct update *u, const struct patch *p, uint32_t *out)
{
    struct update_patch_args a = {p->row, p->value, out};
    DEV_LAUNCH(u->d, update_patch, &a, p->n);
}

/* The new arrays of a view. */
struct view_arrays {
    uint32_t *vert, *edge, *edge_corner, *begin, *end, *slot_corner;
    int64_t n_corners; /* With ghosts. */
};

static struct view_arrays arrays_of(const struct update *u, int k)
{
    const sdd_topology *t = u->b.t;
    if (k == 0)
        return (struct view_arrays){t->vert,     t->edge,        t->edge_corner, t->vert_begin,
                                    t->vert_end, t->vert_corner, u->b.C + u->b.B};
    const struct topology_channel *c = t->channel + k - 1;
    return (struct view_arrays){c->vert, c->edge, c->edge_corner, c->begin, c->end, c->corner, u->b.C};
}

/* Where the slots of vertices begin and end. */
static void stream_bounds(const struct update *u, const struct view *v, const struct view_arrays *to)
{
    struct update_rows_args a = {.in = v->end,
                                 .out = to->end,
                                 .rows = v->vertices.rows,
                                 .values = v->slots.values,
                                 .n = v->n_new,
                                 .ends = 1,
                                 .begin = v->begin,
                                 .new_begin = to->begin};
    launch_rows(u, &a);
}

/* Makes the arrays that all views have, and then the slots of those that have some. */
static void run_view(const struct update *u, const struct view *v, const struct view_arrays *to,
                     const struct patch *patch)
{
    stream(u, v->vert, to->vert, to->n_corners, &u->corners, &v->vertices);
    stream(u, v->edge, to->edge, to->n_corners, &u->corners, &v->edges);
    stream(u, v->edge_corner, to->edge_corner, v->n_edges, &v->edges, &u->corners);
    patch_rows(u, patch + PATCH_VERT, to->vert);
    patch_rows(u, patch + PATCH_EDGE, to->edge);
    patch_rows(u, patch + PATCH_EDGE_CORNER, to->edge_corner);
    if (!v->slot_corner)
        return;
    stream_bounds(u, v, to);
    stream(u, v->slot_corner, to->slot_corner, u->b.C, &v->slots, &u->corners);
    patch_rows(u, patch + PATCH_BEGIN, to->begin);
    patch_rows(u, patch + PATCH_END, to->end);
    patch_rows(u, patch + PATCH_SLOTS, to->slot_corner);
}

/* Brings the rows of ghosts in a table of corners. */
static void stream_ghosts(const struct update *u, const uint32_t *in, uint32_t *out)
{
    const sdd_topology *old = u->old;
    const int64_t C = u->b.C, old_C = old->info.n_corners;
    struct update_rows_args a = {.in = in + (old_C - old->faces.n_uniform),
                                 .out = out + (C - u->b.t->faces.n_uniform),
                                 .rows = u->corners.rows,
                                 .values = u->corners.values,
                                 .n = C + u->b.B,
                                 .in_first = (uint32_t)old_C,
                                 .out_first = (uint32_t)C};
    launch_rows(u, &a);
}

static void run_faces(struct update *u, const struct patch *ends)
{
    const sdd_topology *old = u->old, *t = u->b.t;
    struct face_tables_args tables = {t->face_end, u->b.face, u->b.next, u->b.prev};
    struct update_rows_args faces = {.in = (const uint32_t *)old->face_end,
                                     .out = (uint32_t *)t->face_end,
                                     .rows = u->faces.rows,
                                     .values = u->corners.values,
                                     .n = u->b.F,
                                     .ends = 1};
    launch_rows(u, &faces);
    patch_rows(u, ends, faces.out);
    if (t->faces.n_uniform == 0)
        DEV_LAUNCH(u->d, face_tables, &tables, u->b.F);
    if (old->info.n_boundary_edges == 0 || u->b.B == 0)
        return;
    stream_ghosts(u, old->faces.next, u->b.next);
    stream_ghosts(u, old->faces.prev, u->b.prev);
}

/* Looks at the fans of the touched vertices. The largest valence is that of the old mesh, or of one of them; but where
 * one of them may have had it, and none has as much now, all vertices are asked. */
static void run_fans(struct update *u)
{
    const sdd_topology *t = u->b.t;
    const int64_t most = u->old->info.max_valence;
    const int all = u->had_corners + 1 >= most && u->most_corners < most;
    const uint64_t had = (uint64_t) ~(uint32_t)most << 32;
    struct update_fans_args fans = {.vertex = u->view->touched_rows,
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
    DEV_LAUNCH(u->d, update_fans, &fans, u->view->n_touched);
    DEV_LAUNCH(u->d, update_valences, &valences, all ? u->b.V + u->b.B : 0);
}

static void lay_out_words(struct build *b, struct arena *a)
{
    b->words = ARENA(a, uint64_t, N_WORDS);
}

/* Whether the edit has left all faces, vertices and values as they are: then it has changed tags at most. */
static int keeps_mesh(const struct update *u)
{
    int keeps = u->n_gone_faces + u->n_new_faces == 0 && u->n_views == 1 + u->old->n_channels;
    for (int k = 0; k < u->n_views; k++)
        keeps &= u->view[k].delta->n_removed + u->view[k].delta->n_added == 0 &&
                 (k == 0 || u->delta->channels[k - 1].from == k - 1);
    return keeps;
}

/* Copies what stands beside the sharpness of edges, as the rest is shared. */
static void copy_edges(struct update *u)
{
    const int64_t word = (int64_t)sizeof(uint32_t);
    const uint64_t most = (uint64_t) ~(uint32_t)u->old->info.max_valence << 32;
    for (int k = 0; k < u->n_views; k++) {
        const struct view *v = u->view + k;
        const struct view_arrays to = arrays_of(u, k);
        dev_copy(u->d, to.edge_corner, v->edge_corner, v->n_edges * word);
        if (k > 0 && v->slot_corner) {
            dev_copy(u->d, to.begin, v->begin, v->n_new * word);
            dev_copy(u->d, to.end, v->end, v->n_new * word);
        }
    }
    build_start_words(&u->b);
    dev_upload(u->d, u->b.words + W_MOST_EDGES, &most, sizeof most);
}

/* Makes the arrays up to those of edges. */
static int run_arrays(struct update *u, struct sdd_error *err)
{
    struct build *b = &u->b;
    struct tables tables;
    b->kept = keeps_mesh(u) ? u->old : NULL;
    int rc = build_allocate_parts(b, err);
    if (!rc)
        rc = build_allocate(b, lay_out_words, &b->faces, err);
    if (!rc)
        rc = upload_tables(u, &tables, err);
    if (rc)
        return rc;
    if (b->kept) {
        copy_edges(u);
        return SDD_OK;
    }
    for (int k = 0; k < u->n_views; k++) {
        const struct view_arrays to = arrays_of(u, k);
        run_view(u, u->view + k, &to, tables.patch + 1 + N_PATCHES * k);
    }
    stream(u, u->old->twin, b->t->twin, b->C + b->B, &u->corners, &u->corners);
    patch_rows(u, tables.patch + 1 + PATCH_TWIN, b->t->twin);
    run_faces(u, tables.patch);
    run_fans(u);
    rc = build_read_words(b, err);
    return rc ? rc : b->word[W_FAN] != ~0ull ? UPDATE_ANEW : SDD_OK;
}

/* ---- what stages of the build ask -------------------------------------------------------------------------------- */
static int run_features(struct update *u, int k)
{
    const sdd_topology *old = u->old, *t = u->b.t;
    const struct view *v = u->view + 1 + k;
    const struct topology_channel *c = k < 0 ? NULL : t->channel + k;
    const uint8_t *flag =
        c ? old->channel[u->delta->channels[k].from].feature_vertices.flag : old->feature_vertices.flag;
    uint8_t *out = c ? c->feature_vertices.flag : t->feature_vertices.flag;
    struct update_bytes_args bytes = {flag, out, v->vertices.rows, v->n_new};
    struct feature_vertices_args rows = {topology_channel_control(t, c), c ? v->touched_rows : u->dirty, out};
    struct update_features_args around = {topology_control(t), topology_channel_control(t, c), u->dirty, out};
    if (!flag)
        return 0;
    DEV_LAUNCH(u->d, update_bytes, &bytes, (v->n_new + UPDATE_BYTES - 1) / UPDATE_BYTES);
    DEV_LAUNCH(u->d, feature_vertices, &rows, c ? v->n_touched : u->delta->n_dirty_vertices);
    if (c)
        DEV_LAUNCH(u->d, update_features, &around, u->delta->n_dirty_vertices);
    return 1;
}

static void run_channel_vertices(struct update *u, int k)
{
    static const struct numbering as_they_are;
    const struct view *v = u->view + 1 + k;
    const struct topology_channel *c = u->b.t->channel + k;
    const float *sharp = u->old->channel[u->delta->channels[k].from].vert_sharp;
    struct update_patch_args zeros = {v->touched_rows, NULL, (uint32_t *)c->vert_sharp};
    stream(u, (const uint32_t *)sharp, zeros.out, v->n_new, &v->vertices, &as_they_are);
    DEV_LAUNCH(u->d, update_patch, &zeros, v->n_touched);
    build_channel_vertices(&u->b, c, u->dirty, u->delta->n_dirty_vertices);
}

static const struct shortcuts run_shortcuts = {run_features, run_channel_vertices};

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
    b->E = t->info.n_edges = u->view->n_edges;
    b->B = b->G = t->info.n_boundary_edges = u->n_boundary_edges;
    for (int k = 0; k < t->n_channels; k++) {
        t->channel[k].n_rows = t->channel[k].n_values;
        t->channel[k].n_edges = u->view[1 + k].n_edges;
    }
    t->info.n_uv_edges = t->info.n_uvs ? t->channel[0].n_edges : 0;
    t->info.manifold = 1;
    t->is_updated = 1;
    b->update = u;
    b->shortcuts = &run_shortcuts;
    rc = run_arrays(u, err);
    if (!rc)
        rc = build_finish(b, err);
    build_end(b, rc);
    block_give(u->d, &u->tables);
    return topology_done(t, rc == SDD_EMESH ? UPDATE_ANEW : rc, out, err);
}
