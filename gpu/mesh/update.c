/* SPDX-License-Identifier: Apache-2.0 */
/* update.c: the topology after an edit, for callers that know what the edit changed (sdd_update.h): the delta is
 * checked against both meshes, and then the topology is made from the old one (update.h) where that can be done and
 * pays. Otherwise, and wherever something is odd on the way, it is built anew, which says what is wrong with it. */
#include "gpu/mesh/update.h"
#include <stdlib.h>
#include <string.h>

/* A topology is built anew where an edit touches more than one in so many faces, unless these are few: what is done for
 * each of them then takes longer than a build. A GPU builds faster, and the host's part is the same. */
#define UPDATE_SHARE 200
#define UPDATE_SHARE_GPU 1000
#define UPDATE_FEW 64

/* Checks that a list of rows ascends within [0, n). `what` says which rows they are. */
static int check_list(const char *what, const char *kind, const int32_t *rows, int64_t n_rows, int64_t n,
                      struct sdd_error *err)
{
    int64_t last = -1;
    for (int64_t i = 0; i < n_rows; last = rows[i++])
        if (rows[i] <= last || rows[i] >= n)
            return sdd_fail(err, SDD_EINVALID, "delta", "%s row %lld of %s is %d; they ascend, and the mesh has %lld",
                            what, (long long)i, kind, rows[i], (long long)n);
    return SDD_OK;
}

static int check_rows(const char *kind, const struct sdd_rows_delta *r, int64_t n_old, int64_t n_new,
                      struct sdd_error *err)
{
    if (r->n_old != n_old)
        return sdd_fail(err, SDD_EINVALID, "delta", "the delta is of %lld %s; the old mesh has %lld",
                        (long long)r->n_old, kind, (long long)n_old);
    if (r->n_removed < 0 || r->n_added < 0 || r->n_removed > n_old || r->n_added > n_new ||
        n_old - r->n_removed + r->n_added != n_new)
        return sdd_fail(err, SDD_EINVALID, "delta", "%lld of %lld %s are gone and %lld are new; the new mesh has %lld",
                        (long long)r->n_removed, (long long)n_old, kind, (long long)r->n_added, (long long)n_new);
    int rc = check_list("removed", kind, r->removed, r->n_removed, n_old, err);
    return rc ? rc : check_list("added", kind, r->added, r->n_added, n_new, err);
}

/* Checks the dirty rows, among which the added ones must be. */
static int check_dirty(const char *kind, const struct sdd_rows_delta *r, const int32_t *dirty, int64_t n_dirty,
                       int64_t n_new, struct sdd_error *err)
{
    if (n_dirty < 0 || n_dirty > n_new)
        return sdd_fail(err, SDD_EINVALID, "delta", "%lld %s are dirty; the new mesh has %lld", (long long)n_dirty,
                        kind, (long long)n_new);
    int rc = check_list("dirty", kind, dirty, n_dirty, n_new, err);
    for (int64_t i = 0, at = 0; i < r->n_added && !rc; i++) {
        while (at < n_dirty && dirty[at] < r->added[i])
            at++;
        if (at == n_dirty || dirty[at] != r->added[i])
            rc = sdd_fail(err, SDD_EINVALID, "delta", "row %d of %s is new but not dirty", r->added[i], kind);
    }
    return rc;
}

static int check_channel(const sdd_topology *old, const struct sdd_channel_delta *c, int64_t n_new,
                         struct sdd_error *err)
{
    if (c->from < SDD_NO_ROW || c->from >= old->n_channels)
        return sdd_fail(err, SDD_EINVALID, "delta", "a channel comes from channel %lld; the old mesh has %d",
                        (long long)c->from, old->n_channels);
    if (c->from != SDD_NO_ROW)
        return check_rows("values", &c->values, old->channel[c->from].n_values, n_new, err);
    if (c->values.n_old || c->values.n_removed || c->values.n_added)
        return sdd_fail(err, SDD_EINVALID, "delta", "a new channel has no old values");
    return SDD_OK;
}

static int check_delta(const sdd_topology *old, const struct sdd_mesh_desc *desc, const struct sdd_topology_delta *d,
                       struct sdd_error *err)
{
    const int uvs = desc->n_uvs > 0;
    if (memcmp(&old->info.options, &desc->options, sizeof desc->options) != 0)
        return sdd_fail(err, SDD_EINVALID, "delta", "the options are not those of the old mesh");
    if (d->n_channels < 0 || d->n_channels > 1 + SDD_MAX_PRIMVARS || d->n_channels - uvs != desc->n_channels)
        return sdd_fail(err, SDD_EINVALID, "delta", "the delta has %lld channels; the new mesh has %lld%s",
                        (long long)d->n_channels, (long long)desc->n_channels, uvs ? " and UVs" : "");
    int rc = check_rows("vertices", &d->vertices, old->info.n_vertices, desc->n_vertices, err);
    if (!rc)
        rc = check_rows("faces", &d->faces, old->info.n_faces, desc->n_faces, err);
    if (!rc)
        rc = check_dirty("vertices", &d->vertices, d->dirty_vertices, d->n_dirty_vertices, desc->n_vertices, err);
    if (!rc)
        rc = check_dirty("faces", &d->faces, d->dirty_faces, d->n_dirty_faces, desc->n_faces, err);
    for (int64_t k = 0; k < d->n_channels && !rc; k++)
        rc = check_channel(old, &d->channels[k], k < uvs ? desc->n_uvs : desc->channels[k - uvs].n_values, err);
    return rc;
}

/* ---- the fast way ------------------------------------------------------------------------------------------------ */
/* Whether the topology can be made from the old one, and whether that pays. Meshes that are not manifold have edges and
 * vertices that are split, which is found by looking at all of them; and so have smooth channels whose values several
 * vertices share. */
static int is_fast(const sdd_topology *old, const struct sdd_mesh_desc *desc, const struct sdd_topology_delta *d)
{
    const int share = old->device->b->unified ? UPDATE_SHARE : UPDATE_SHARE_GPU;
    const int64_t most = larger(old->info.n_faces / share, UPDATE_FEW);
    int64_t rows = d->vertices.n_added + d->vertices.n_removed;
    if (!old->info.manifold || topology_check(desc, NULL))
        return 0;
    for (int64_t k = 0; k < d->n_channels; k++) {
        const struct sdd_channel_delta *c = d->channels + k;
        if (c->from == SDD_NO_ROW || old->channel[c->from].n_rows > old->channel[c->from].n_values)
            return 0;
        rows = larger(rows, c->values.n_added + c->values.n_removed);
    }
    return d->n_dirty_faces + d->faces.n_removed <= most && rows <= 4 * most;
}

static struct view control_view(const struct update *u)
{
    const sdd_topology *t = u->old;
    return (struct view){.kind = VIEW_CONTROL,
                         .vert = t->vert,
                         .edge = t->edge,
                         .twin = t->twin,
                         .edge_corner = t->edge_corner,
                         .begin = t->vert_begin,
                         .end = t->vert_end,
                         .slot_corner = t->vert_corner,
                         .indices = u->desc->face_vertices,
                         .delta = &u->delta->vertices,
                         .n_new = u->desc->n_vertices,
                         .n_old_edges = t->info.n_edges};
}

static struct view channel_view(const struct update *u, int k)
{
    const struct sdd_channel_delta *d = u->delta->channels + k;
    const struct topology_channel *c = u->old->channel + d->from;
    const struct sdd_mesh_desc *m = u->desc;
    const int uvs = m->n_uvs > 0;
    return (struct view){.kind = topology_has_smooth_channels(u->old) ? VIEW_SMOOTH : VIEW_LINEAR,
                         .vert = c->vert,
                         .edge = c->edge,
                         .twin = c->twin,
                         .edge_corner = c->edge_corner,
                         .begin = c->begin,
                         .end = c->end,
                         .slot_corner = c->corner,
                         .indices = k < uvs ? m->uv_indices : m->channels[k - uvs].indices,
                         .delta = &d->values,
                         .n_new = k < uvs ? m->n_uvs : m->channels[k - uvs].n_values,
                         .n_old_edges = c->n_edges};
}

static int run_update(struct update *u, sdd_topology **out, struct sdd_error *err)
{
    u->n_views = 1 + (int)u->delta->n_channels;
    u->view = update_memory(u, u->n_views, sizeof *u->view, err);
    if (!u->view)
        return SDD_ENO_MEMORY;
    for (int k = 0; k < u->n_views; k++)
        u->view[k] = k ? channel_view(u, k - 1) : control_view(u);
    int rc = update_find(u, err);
    for (int k = 0; k < u->n_views && !rc; k++)
        rc = update_vertices(u, u->view + k, err);
    for (int k = 0; k < u->n_views && !rc; k++)
        rc = update_edges(u, u->view + k, err);
    return rc ? rc : update_run(u, out, err);
}

/* The corners of a numbering come before its ghosts. */
static struct topology_runs runs_of(const struct numbering *r, int64_t n_old, int64_t n_new)
{
    int64_t n = 0;
    while (n < r->n && r->run[n].from < n_old)
        n++;
    return (struct topology_runs){r->run, n, n_old, n_new};
}

/* Lets what is kept with the old topology become what is kept with the new one. */
static void update_kept(const struct update *u, sdd_topology *t)
{
    const struct sdd_topology_info *old = &u->old->info, *new = &t->info;
    struct topology_edit edit = {.faces = runs_of(&u->faces, old->n_faces, new->n_faces),
                                 .corners = runs_of(&u->corners, old->n_corners, new->n_corners),
                                 .dirty = (const uint32_t *)u->delta->dirty_vertices,
                                 .n_dirty = u->delta->n_dirty_vertices};
    for (int k = 0; k < u->n_views; k++) {
        const struct view *v = u->view + k;
        const int64_t from = k ? 1 + u->delta->channels[k - 1].from : 0;
        edit.vertices = runs_of(&v->vertices, v->delta->n_old, v->n_new);
        if (k == 0)
            edit.control = edit.vertices;
        edit.edges = runs_of(&v->edges, v->n_old_edges, v->n_edges);
        kept_update(u->d, t->kept + k, u->old->kept + from, &edit);
    }
}

static int update(const sdd_topology *old, const struct sdd_mesh_desc *desc, const struct sdd_topology_delta *d,
                  sdd_topology **out, struct sdd_error *err)
{
    struct update u = {.old = old, .desc = desc, .delta = d, .d = old->device};
    /* Other work on the device may give the old topology back meanwhile. Only its references change. */
    sdd_topology *held = sdd_topology_ref((sdd_topology *)(uintptr_t)old);
    int rc = run_update(&u, out, err);
    if (!rc)
        update_kept(&u, *out);
    for (struct update_block *block = u.memory, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    sdd_topology_unref(held);
    return rc;
}

int sdd_topology_update(const sdd_topology *old, const struct sdd_mesh_desc *desc,
                        const struct sdd_topology_delta *delta, sdd_topology **out, struct sdd_error *err)
{
    *out = NULL;
    int rc = check_delta(old, desc, delta, err);
    if (rc)
        return rc;
    sdd_device *device = old->device;
    rc = is_fast(old, desc, delta) ? update(old, desc, delta, out, err) : UPDATE_ANEW;
    return rc == UPDATE_ANEW ? sdd_topology_create(device, desc, out, err) : rc;
}
