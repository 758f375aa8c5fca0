/* SPDX-License-Identifier: Apache-2.0 */
/* update_edges.c: which edges and ghosts go and come with an edit, for a topology update (update.h). An edge is touched
 * when a corner of it goes or comes. As both meshes are manifold it has at most two corners before, and after; but in
 * a linear channel it may have any number, of which only the lowest counts. */
#include "gpu/mesh/update.h"
#include <stdlib.h>
#include <string.h>

#define NO_KEY (~(uint64_t)0) /* Of an edge one of whose vertices goes. */

/* An edge of the old mesh that is touched, with the corner of it that stays, if any does: the only one or, in a linear
 * channel, the lowest. */
struct touched_edge {
    uint64_t key;
    uint32_t edge, ghost;   /* Old numbers; SDD_NONE where it is no boundary. */
    uint32_t corner, start; /* The corner and its vertex; SDD_NONE if there is none. */
    uint32_t border;        /* As of struct gone_corner. */
    int32_t is_found;       /* A new corner has found it; else one that goes names it. */
};

/* A touched edge that the new mesh has. */
struct live_edge {
    uint32_t edge;            /* The old number, or SDD_NONE; then the new one. */
    uint32_t place;           /* How many old edges are before it, if it is new. */
    uint32_t corner[2], ends; /* Its corners, and where the edge of the first one ends. */
    uint32_t border;          /* How many old ghosts are of corners before the first one. */
    int32_t n;                /* The number of corners. An edge of one corner gets a new ghost. */
};

/* What is listed on the way. */
struct edge_lists {
    struct touched_edge *old;
    struct live_edge *live;
    uint32_t *gone, *gone_ghost; /* Old numbers. */
    int64_t n_old, n_live, n_gone, n_gone_ghosts;
};

static int compare_edges(const void *a, const void *b)
{
    const struct touched_edge *x = a, *y = b;
    if (x->edge != y->edge)
        return x->edge < y->edge ? -1 : 1;
    return x->is_found - y->is_found;
}

static int compare_keys(const void *a, const void *b)
{
    const struct touched_edge *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

static int compare_come(const void *a, const void *b)
{
    const struct new_corner *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->corner > y->corner) - (x->corner < y->corner);
}

/* Of an edge one of whose corners goes. */
static struct touched_edge of_gone(const struct update *u, const struct view *view, const struct gone_corner *c)
{
    const uint32_t C = (uint32_t)u->old->info.n_corners;
    const uint32_t v = update_to(&view->vertices, c->vert), w = update_to(&view->vertices, c->after);
    struct touched_edge e = {.edge = c->edge, .ghost = SDD_NONE, .start = w, .border = c->border};
    if (view->kind == VIEW_CONTROL && c->twin >= C)
        e.ghost = c->twin - C;
    e.corner = c->twin < C ? update_to(&u->corners, c->twin) : SDD_NONE;
    e.key = v == SDD_NONE || w == SDD_NONE ? NO_KEY : v < w ? (uint64_t)v << 32 | w : (uint64_t)w << 32 | v;
    return e;
}

/* Of an edge to which a corner comes. */
static struct touched_edge of_new(const struct update *u, const struct view *view, const struct new_corner *c)
{
    const uint32_t C = (uint32_t)u->old->info.n_corners, twin = c->found[1];
    const uint32_t one = update_to(&u->corners, c->found[0]),
                   other = twin < C ? update_to(&u->corners, twin) : SDD_NONE;
    const uint32_t v = update_to(&view->vertices, c->found[2]);
    struct touched_edge e = {.key = c->key, .edge = c->edge, .ghost = SDD_NONE, .is_found = 1};
    if (view->kind == VIEW_CONTROL && twin >= C)
        e.ghost = twin - C;
    e.corner = one != SDD_NONE ? one : other;
    e.start = one != SDD_NONE ? v : v == c->vert ? c->after : c->vert;
    return e;
}

/* Finds the lowest corners of edges of a linear channel that stay. The edges ascend. */
static int find_lowest(struct update *u, const struct view *v, struct touched_edge *e, int64_t n, struct sdd_error *err)
{
    uint32_t *edge = update_memory(u, n, sizeof *edge, err);
    uint32_t *lowest = edge ? update_memory(u, n, sizeof *lowest, err) : NULL;
    int64_t n_lost = 0;
    if (!lowest)
        return SDD_ENO_MEMORY;
    for (int64_t i = 0; i < n; i++)
        edge[i] = e[i].edge;
    const struct question q = {-1, v->edge_corner, edge, n, lowest, NULL};
    int rc = update_ask(u, v, &q, 1, err);
    for (int64_t i = 0; i < n && !rc; i++) {
        e[i].corner = update_to(&u->corners, lowest[i]);
        if (e[i].corner == SDD_NONE)
            edge[n_lost++] = e[i].edge;
    }
    if (rc || n_lost == 0)
        return rc;
    rc = update_ask_lowest(u, v, edge, n_lost, lowest, err);
    for (int64_t i = 0, k = 0; i < n && !rc; i++)
        if (e[i].corner == SDD_NONE)
            e[i].corner = update_to(&u->corners, lowest[k++]);
    return rc;
}

/* Lists the touched edges of the old mesh, in the order of keys. A manifold edge both of whose corners stay takes no
 * further one, and a gone vertex may leave no corner behind. */
static int list_old(struct update *u, struct view *v, struct edge_lists *l, struct sdd_error *err)
{
    struct touched_edge *e = l->old = update_memory(u, u->n_gone + u->n_come, sizeof *e, err);
    int64_t n = 0;
    if (!e)
        return SDD_ENO_MEMORY;
    for (int64_t i = 0; i < u->n_gone; i++)
        e[n++] = of_gone(u, v, v->gone + i);
    for (int64_t i = 0; i < u->n_come; i++) {
        const struct new_corner *c = v->come + i;
        if (c->found[0] == SDD_NONE)
            continue;
        if (c->found[1] < u->old->info.n_corners && update_to(&u->corners, c->found[0]) != SDD_NONE &&
            update_to(&u->corners, c->found[1]) != SDD_NONE)
            return UPDATE_ANEW;
        e[n++] = of_new(u, v, c);
    }
    qsort(e, (size_t)n, sizeof *e, compare_edges);
    for (int64_t i = 0; i < n; i++)
        if (i == 0 || e[i].edge != e[i - 1].edge)
            e[l->n_old++] = e[i];
    int rc = v->kind == VIEW_LINEAR ? find_lowest(u, v, e, l->n_old, err) : SDD_OK;
    for (int64_t i = 0; i < l->n_old && !rc; i++)
        if (e[i].key == NO_KEY && e[i].corner != SDD_NONE)
            rc = UPDATE_ANEW;
    qsort(e, (size_t)l->n_old, sizeof *e, compare_keys);
    return rc;
}

/* Whether two corners can be the two of a manifold edge. They run along it in opposite directions. */
static int are_twins(const struct touched_edge *old, const struct new_corner *c, int64_t n)
{
    const uint32_t start = n == 2 ? c[1].vert : old->start;
    return start != c->vert && (n < 2 || c[0].face != c[1].face);
}

/* Joins the corners of an edge: the one that stays of `old`, which may be NULL, and n new ones, which ascend. */
static int join(struct edge_lists *l, int is_linear, const struct touched_edge *old, struct new_corner *c, int64_t n)
{
    const int stays = old && old->corner != SDD_NONE;
    if (old && old->ghost != SDD_NONE)
        l->gone_ghost[l->n_gone_ghosts++] = old->ghost;
    if (stays + n == 0) {
        l->gone[l->n_gone++] = old->edge;
        return SDD_OK;
    }
    if (!is_linear && (stays + n > 2 || (n > 0 && c->vert == c->after) || (stays + n == 2 && !are_twins(old, c, n))))
        return UPDATE_ANEW;
    struct live_edge *e = l->live + l->n_live++;
    *e = (struct live_edge){.edge = old ? old->edge : SDD_NONE, .n = stays + n == 1 ? 1 : 2};
    e->corner[0] = n > 0 ? c[0].corner : old->corner;
    if (e->n == 2)
        e->corner[1] = stays ? old->corner : c[1].corner;
    for (int64_t i = n - 1; i >= 0; i--) {
        e->place = c[i].edge;
        c[i].edge = (uint32_t)(l->n_live - 1);
    }
    if (n > 0) {
        e->ends = c->after;
        e->border = c->border;
    } else {
        const uint32_t low = (uint32_t)old->key, high = (uint32_t)(old->key >> 32);
        e->ends = old->start == low ? high : low;
        e->border = old->border;
    }
    return SDD_OK;
}

/* Goes along the old edges and the new corners, both in the order of keys. */
static int join_all(struct update *u, struct view *v, struct edge_lists *l)
{
    int64_t i = 0, k = 0;
    qsort(v->come, (size_t)u->n_come, sizeof *v->come, compare_come);
    while (i < l->n_old || k < u->n_come) {
        const struct touched_edge *old = i < l->n_old ? l->old + i : NULL;
        struct new_corner *c = v->come + k;
        int64_t n = 0;
        if (old && k < u->n_come && old->key > c->key)
            old = NULL;
        if (!old || (k < u->n_come && old->key == c->key))
            while (k + n < u->n_come && c[n].key == c->key)
                n++;
        int rc = join(l, v->kind == VIEW_LINEAR, old, c, n);
        if (rc)
            return rc;
        i += old != NULL;
        k += n;
    }
    return SDD_OK;
}

/* Numbers the edges, of which new ones come in the order of keys. */
static int number_edges(struct update *u, struct view *v, struct edge_lists *l, struct sdd_error *err)
{
    uint32_t *come = update_memory(u, l->n_live, sizeof *come, err);
    int64_t n = 0;
    if (!come)
        return SDD_ENO_MEMORY;
    update_sort(l->gone, l->n_gone);
    for (int64_t i = 0; i < l->n_live; i++) {
        const struct live_edge *e = l->live + i;
        if (e->edge == SDD_NONE) {
            come[n] = (uint32_t)(e->place - update_before(l->gone, l->n_gone, e->place) + n);
            n++;
        }
    }
    v->n_edges = v->n_old_edges - l->n_gone + n;
    int rc = update_number_rows(u, &v->edges, v->n_old_edges, v->n_edges, l->gone, l->n_gone, come, n, err);
    n = 0;
    for (int64_t i = 0; i < l->n_live; i++) {
        struct live_edge *e = l->live + i;
        e->edge = e->edge == SDD_NONE ? come[n++] : update_to(&v->edges, e->edge);
    }
    for (int64_t i = 0; i < u->n_come; i++)
        v->come[i].edge = l->live[v->come[i].edge].edge;
    return rc;
}

static int compare_borders(const void *a, const void *b)
{
    const struct live_edge *x = a, *y = b;
    return (x->corner[0] > y->corner[0]) - (x->corner[0] < y->corner[0]);
}

/* Numbers the ghosts, in the order of the corners across, and puts them behind the corners. The live edges are in the
 * order of their first corners afterwards. */
static int number_ghosts(struct update *u, struct edge_lists *l, uint32_t *ghost, struct sdd_error *err)
{
    const int64_t B = u->old->info.n_boundary_edges;
    struct ranges gone = {update_memory(u, l->n_gone_ghosts, sizeof *gone.at, err), 0};
    struct ranges come = {gone.at ? update_memory(u, l->n_live, sizeof *come.at, err) : NULL, 0};
    int64_t n = 0;
    if (!come.at)
        return SDD_ENO_MEMORY;
    update_sort(l->gone_ghost, l->n_gone_ghosts);
    qsort(l->live, (size_t)l->n_live, sizeof *l->live, compare_borders);
    for (int64_t i = 0; i < l->n_gone_ghosts; i++)
        update_ranges(&gone, l->gone_ghost[i], 1);
    for (int64_t i = 0; i < l->n_live; i++) {
        const struct live_edge *e = l->live + i;
        if (e->n == 2)
            continue;
        ghost[i] = (uint32_t)(e->border - update_before(l->gone_ghost, l->n_gone_ghosts, e->border) + n++);
        update_ranges(&come, ghost[i], 1);
    }
    u->n_boundary_edges = B - l->n_gone_ghosts + n;
    return update_number(u, &u->corners, (struct topology_run){u->old->info.n_corners, u->desc->n_corners, 0}, B,
                         u->n_boundary_edges, gone, come, err);
}

static void put(struct patch *p, uint32_t row, uint32_t value)
{
    p->row[p->n] = row;
    p->value[p->n++] = value;
}

/* Notes what is known of touched corners and edges. */
static int note(struct update *u, struct view *v, const struct edge_lists *l, const uint32_t *ghost,
                struct sdd_error *err)
{
    const uint32_t C = (uint32_t)u->desc->n_corners;
    const int64_t n_twins = v->kind == VIEW_CONTROL ? l->n_live : 0;
    struct patch *p = v->patch;
    int rc = update_patch_memory(u, p + PATCH_VERT, u->n_come + n_twins, err);
    if (!rc)
        rc = update_patch_memory(u, p + PATCH_EDGE, u->n_come + n_twins, err);
    if (!rc)
        rc = update_patch_memory(u, p + PATCH_TWIN, 2 * n_twins, err);
    if (!rc)
        rc = update_patch_memory(u, p + PATCH_EDGE_CORNER, l->n_live, err);
    if (rc)
        return rc;
    for (int64_t i = 0; i < u->n_come; i++) {
        put(p + PATCH_VERT, v->come[i].corner, v->come[i].vert);
        put(p + PATCH_EDGE, v->come[i].corner, v->come[i].edge);
    }
    for (int64_t i = 0; i < l->n_live; i++) {
        const struct live_edge *e = l->live + i;
        put(p + PATCH_EDGE_CORNER, e->edge, e->n == 2 && e->corner[1] < e->corner[0] ? e->corner[1] : e->corner[0]);
    }
    for (int64_t i = 0; i < n_twins; i++) {
        const struct live_edge *e = l->live + i;
        const uint32_t across = e->n == 2 ? e->corner[1] : C + ghost[i];
        put(p + PATCH_TWIN, e->corner[0], across);
        put(p + PATCH_TWIN, across, e->corner[0]);
        if (e->n == 1) {
            put(p + PATCH_VERT, across, e->ends);
            put(p + PATCH_EDGE, across, e->edge);
        }
    }
    return SDD_OK;
}

int update_edges(struct update *u, struct view *v, struct sdd_error *err)
{
    const int64_t most = u->n_gone + u->n_come;
    struct edge_lists l = {.live = update_memory(u, most, sizeof *l.live, err)};
    l.gone = l.live ? update_memory(u, most, sizeof *l.gone, err) : NULL;
    l.gone_ghost = l.gone ? update_memory(u, most, sizeof *l.gone_ghost, err) : NULL;
    uint32_t *ghost = l.gone_ghost ? update_memory(u, most, sizeof *ghost, err) : NULL;
    if (!ghost)
        return SDD_ENO_MEMORY;
    int rc = list_old(u, v, &l, err);
    if (!rc)
        rc = join_all(u, v, &l);
    if (!rc)
        rc = number_edges(u, v, &l, err);
    if (!rc && v->kind == VIEW_CONTROL)
        rc = number_ghosts(u, &l, ghost, err);
    return rc ? rc : note(u, v, &l, ghost, err);
}
