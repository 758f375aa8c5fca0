/* SPDX-License-Identifier: Apache-2.0 */
/* update_vertices.c: where the corners that go and come belong in the order of vertices, for a topology update
 * (update.h). A slot is a place in vert_corner, or in the list of corners of a smooth channel. */
#include "gpu/mesh/update.h"
#include "gpu/mesh/kernels/update_find.k.h"
#include <stdlib.h>
#include <string.h>

/* Lists the vertices of gone and new corners, and the new ones. */
static int list_touched(struct update *u, struct view *v, struct sdd_error *err)
{
    const int64_t most = u->n_gone + u->n_come + v->delta->n_added;
    uint32_t *row = update_memory(u, most, sizeof *row, err);
    int64_t n = 0;
    v->touched = row ? update_memory(u, most, sizeof *v->touched, err) : NULL;
    if (!v->touched)
        return SDD_ENO_MEMORY;
    for (int64_t i = 0; i < u->n_gone; i++)
        if ((row[n] = update_to(&v->vertices, v->gone[i].vert)) != SDD_NONE)
            n++;
    for (int64_t i = 0; i < u->n_come; i++)
        row[n++] = v->come[i].vert;
    for (int64_t i = 0; i < v->delta->n_added; i++)
        row[n++] = (uint32_t)v->delta->added[i];
    update_sort(row, n);
    for (int64_t i = 0; i < n; i++)
        if (i == 0 || row[i] != row[i - 1])
            v->touched[v->n_touched++].vertex = row[i];
    return SDD_OK;
}

static uint64_t pair(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}

/* Writes the questions for slots: of gone corners, of new ones, and where those of touched vertices and of gone ones
 * begin and end. */
static void write_slots(const struct update *u, const struct view *v, uint64_t *key)
{
    for (int64_t i = 0; i < u->n_gone; i++)
        *key++ = pair(2 * v->gone[i].vert + 1, 2 * v->gone[i].corner + 1);
    for (int64_t i = 0; i < u->n_come; i++)
        *key++ = pair(update_place(&v->vertices, v->come[i].vert), update_place(&u->corners, v->come[i].corner));
    for (int64_t i = 0; i < v->n_touched; i++) {
        const uint32_t place = update_place(&v->vertices, v->touched[i].vertex);
        *key++ = pair(place, 0);
        *key++ = pair(place + place % 2, 0);
    }
    for (int64_t i = 0; i < v->delta->n_removed; i++) {
        *key++ = pair(2 * (uint32_t)v->delta->removed[i] + 1, 0);
        *key++ = pair(2 * (uint32_t)v->delta->removed[i] + 2, 0);
    }
}

static int64_t n_slot_questions(const struct update *u, const struct view *v)
{
    return v->slot_corner ? u->n_gone + u->n_come + 2 * (v->n_touched + v->delta->n_removed) : 0;
}

/* Writes the questions for ghosts, of the corners across gone ones and of new ones, and for the edges of new ones. */
static void write_edges(const struct update *u, const struct view *v, uint64_t *ghost, uint64_t *edge)
{
    for (int64_t i = 0; i < u->n_gone; i++)
        *ghost++ = v->gone[i].twin < u->old->info.n_corners ? 2 * v->gone[i].twin + 1 : 0;
    for (int64_t i = 0; i < u->n_come; i++) {
        const struct new_corner *c = v->come + i;
        *ghost++ = update_place(&u->corners, c->corner);
        *edge++ =
            pair(update_place(&v->vertices, (uint32_t)(c->key >> 32)), update_place(&v->vertices, (uint32_t)c->key));
    }
}

/* The answers to the questions. */
struct places {
    uint32_t *slot, *slot_found, *ghost, *edge, *edge_found;
};

static void take_edges(const struct update *u, const struct view *v, const struct places *p)
{
    for (int64_t i = 0; i < u->n_gone; i++)
        v->gone[i].border = p->ghost[i];
    for (int64_t i = 0; i < u->n_come; i++) {
        v->come[i].border = p->ghost[u->n_gone + i];
        v->come[i].edge = p->edge[i];
        memcpy(v->come[i].found, p->edge_found + 3 * i, sizeof v->come[i].found);
    }
}

static void take_slots(const struct update *u, const struct view *v, const struct places *p)
{
    const uint32_t *slot = p->slot;
    for (int64_t i = 0; i < u->n_gone; i++)
        v->gone[i].slot = *slot++;
    for (int64_t i = 0; i < u->n_come; i++)
        v->come[i].slot = *slot++;
    for (int64_t i = 0; i < v->n_touched; i++, slot += 2) {
        v->touched[i].begin = slot[0];
        v->touched[i].end = slot[1];
        v->touched[i].owner = p->slot_found[3 * (slot - p->slot) + 2];
    }
}

/* Asks where everything belongs. Those of the places that are of slots of gone vertices become *bounds. */
static int ask_places(struct update *u, const struct view *v, const uint32_t **bounds, struct sdd_error *err)
{
    const int64_t n_corners = u->n_gone + u->n_come, n_slots = n_slot_questions(u, v);
    const int64_t n_ghosts = v->kind == VIEW_CONTROL ? n_corners : 0;
    uint64_t *key = update_memory(u, n_slots + n_corners + u->n_come, sizeof *key, err);
    uint32_t *place = key ? update_memory(u, 4 * n_slots + n_corners + 4 * u->n_come, sizeof *place, err) : NULL;
    if (!place)
        return SDD_ENO_MEMORY;
    uint64_t *ghost_key = key + n_slots, *edge_key = ghost_key + n_corners;
    const struct places p = {place, place + n_slots, place + 4 * n_slots, place + 4 * n_slots + n_corners,
                             place + 4 * n_slots + n_corners + u->n_come};
    if (n_slots > 0)
        write_slots(u, v, key);
    write_edges(u, v, ghost_key, edge_key);
    const struct question q[] = {{SDD_FIND_SLOTS, NULL, key, n_slots, p.slot, p.slot_found},
                                 {SDD_FIND_GHOSTS, NULL, ghost_key, n_ghosts, p.ghost, NULL},
                                 {SDD_FIND_EDGES, NULL, edge_key, u->n_come, p.edge, p.edge_found}};
    int rc = update_ask(u, v, q, 3, err);
    take_edges(u, v, &p);
    if (n_slots > 0)
        take_slots(u, v, &p);
    *bounds = p.slot + n_slots - (n_slots > 0 ? 2 * v->delta->n_removed : 0);
    return rc;
}

/* Orders new corners as slots are. */
static int compare_slots(const void *a, const void *b)
{
    const struct new_corner *x = a, *y = b;
    if (x->vert != y->vert)
        return x->vert < y->vert ? -1 : 1;
    return (x->corner > y->corner) - (x->corner < y->corner);
}

/* Whether all corners of a vertex of a channel, those that stay and n new ones, are of one control vertex. */
static int is_of_one(const struct update *u, const struct touched_vertex *t, int stays, const struct new_corner *come,
                     int64_t n)
{
    const uint32_t owner = stays ? update_to(&u->view->vertices, t->owner) : come->owner;
    for (int64_t i = 0; i < n; i++)
        if (come[i].owner != owner)
            return 0;
    return 1;
}

/* Notes where the corners of touched vertices are now. `gone` are the old slots that go, and v->come is in the order of
 * slots. A value that several vertices share would need more rows, and with them another numbering. */
static int bound_vertices(struct update *u, struct view *v, const uint32_t *gone)
{
    struct patch *begin = v->patch + PATCH_BEGIN, *end = v->patch + PATCH_END;
    int64_t k = 0;
    for (int64_t i = 0; i < v->n_touched; i++) {
        const struct touched_vertex *t = v->touched + i;
        const int64_t before = update_before(gone, u->n_gone, t->begin), first = t->begin - before + k;
        const int64_t n_gone = update_before(gone, u->n_gone, t->end) - before, had = t->end - t->begin;
        int64_t n_come = 0;
        while (k + n_come < u->n_come && v->come[k + n_come].vert == t->vertex)
            n_come++;
        if (v->kind == VIEW_SMOOTH && !is_of_one(u, t, had > n_gone, v->come + k, n_come))
            return UPDATE_ANEW;
        const int64_t n = had - n_gone + n_come;
        k += n_come;
        begin->row[i] = end->row[i] = t->vertex;
        begin->value[i] = (uint32_t)(n > 0 ? first : 0);
        end->value[i] = (uint32_t)(n > 0 ? first + n : 0);
        if (v->kind == VIEW_CONTROL) {
            u->most_corners = larger(u->most_corners, n);
            u->had_corners = larger(u->had_corners, had);
        }
    }
    begin->n = end->n = v->n_touched;
    return SDD_OK;
}

static int slot_memory(struct update *u, struct view *v, struct sdd_error *err)
{
    int rc = update_patch_memory(u, v->patch + PATCH_BEGIN, v->n_touched, err);
    if (!rc)
        rc = update_patch_memory(u, v->patch + PATCH_END, v->n_touched, err);
    return rc ? rc : update_patch_memory(u, v->patch + PATCH_SLOTS, u->n_come, err);
}

/* Numbers the slots. No vertex that goes may have a corner left, and no face of the control mesh may have a vertex
 * twice. */
static int number_slots(struct update *u, struct view *v, const uint32_t *bounds, struct sdd_error *err)
{
    uint32_t *gone = update_memory(u, u->n_gone, sizeof *gone, err);
    int rc = gone ? slot_memory(u, v, err) : SDD_ENO_MEMORY;
    if (rc)
        return rc;
    for (int64_t i = 0; i < u->n_gone; i++)
        gone[i] = v->gone[i].slot;
    update_sort(gone, u->n_gone);
    for (int64_t i = 0; i < v->delta->n_removed; i++, bounds += 2) {
        const int64_t had = (int64_t)bounds[1] - bounds[0];
        if (update_before(gone, u->n_gone, bounds[1]) - update_before(gone, u->n_gone, bounds[0]) != had)
            return UPDATE_ANEW;
        if (v->kind == VIEW_CONTROL)
            u->had_corners = larger(u->had_corners, had);
    }
    qsort(v->come, (size_t)u->n_come, sizeof *v->come, compare_slots);
    struct patch *p = v->patch + PATCH_SLOTS;
    for (int64_t i = 0; i < u->n_come; i++) {
        const struct new_corner *c = v->come + i;
        if (i > 0 && v->kind == VIEW_CONTROL && c->vert == c[-1].vert && c->face == c[-1].face)
            return UPDATE_ANEW;
        p->row[i] = (uint32_t)(c->slot - update_before(gone, u->n_gone, c->slot) + i);
        p->value[i] = c->corner;
    }
    p->n = u->n_come;
    rc = bound_vertices(u, v, gone);
    return rc ? rc
              : update_number_rows(u, &v->slots, u->old->info.n_corners, u->desc->n_corners, gone, u->n_gone, p->row,
                                   p->n, err);
}

int update_vertices(struct update *u, struct view *v, struct sdd_error *err)
{
    const uint32_t *bounds;
    int rc = list_touched(u, v, err);
    if (!rc)
        rc = ask_places(u, v, &bounds, err);
    return rc || v->kind == VIEW_LINEAR ? rc : number_slots(u, v, bounds, err);
}
