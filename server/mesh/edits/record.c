/* SPDX-License-Identifier: Apache-2.0 */
/* record.c: notes the primitives that a batch consists of as apply.c applies them, so that the store can keep them
 * instead of the mesh that they make. Modelling edits leave no trace there: what they do may become better, but what is
 * stored must go on meaning the same. */
#include "server/mesh/edits/work.h"
#include "server/base/pool.h"
#include <string.h>

#define SLACK (64 << 10) /* So that a small mesh can have any edit noted. */

/* How many numbers a primitive has for each of its elements: ids, and values where their number follows from that. */
static const struct {
    int ids, values;
} widths[EDIT_FLIP_EDGES] = {
    [EDIT_ADD_VERTICES] = {0, 3},  [EDIT_REMOVE_VERTICES] = {1, 0}, [EDIT_REMOVE_FACES] = {1, 0},
    [EDIT_SET_POSITIONS] = {1, 3}, [EDIT_SET_CREASES] = {2, 1},     [EDIT_SET_CORNERS] = {1, 1},
    [EDIT_SET_HOLES] = {1, 0},     [EDIT_SET_UVS] = {1, 0},         [EDIT_SET_PRIMVAR] = {1, 0},
};

int64_t edit_id_words(const struct edit *e)
{
    return e->n * widths[e->op].ids;
}

int64_t edit_value_words(const struct edit *e)
{
    if (e->op == EDIT_SET_PRIMVAR)
        return e->n_values;
    if (e->op == EDIT_ADD_FACES || e->op == EDIT_SET_UVS)
        return 2 * e->n_values;
    return e->n * widths[e->op].values;
}

/* Copies bytes into the arena; none become NULL. *whole becomes false when there is no room. */
static const void *copied(struct arena *a, const void *from, int64_t n, int64_t bytes, bool *whole)
{
    void *to = n && from ? arena_array(a, n, (size_t)bytes) : NULL;
    if (to)
        memcpy(to, from, (size_t)(n * bytes));
    *whole &= to || !n || !from;
    return to;
}

static const struct primvar_array *copied_primvar(struct arena *a, const struct edit *e, bool *whole)
{
    const struct primvar_array *from = e->primvar;
    if (!from)
        return NULL;
    struct primvar_array *to = arena_alloc(a, sizeof *to);
    *whole &= to != NULL;
    if (!to)
        return NULL;
    *to = *from;
    to->values = NULL;
    if (e->op != EDIT_PUT_PRIMVAR)
        return to;
    to->values = copied(a, from->values, from->n_words, 4, whole);
    to->indices.v = copied(a, from->indices.v, from->indices.n, sizeof(int32_t), whole);
    to->sets.text = copied(a, from->sets.text, from->sets.bytes, 1, whole);
    return to;
}

/* What EDIT_SET_PRIMVAR sets, in the type that the primvar has. */
static const void *values_of(const struct edit_work *w, const struct edit *e)
{
    for (int i = 0; e->op == EDIT_SET_PRIMVAR && i < w->n_primvars; i++) {
        const struct edit_primvar *p = &w->primvars[i];
        if (!p->removed && p->info.type == PRIMVAR_I32 && strcmp(p->info.name, e->primvar->info.name) == 0)
            return e->primvar->values;
    }
    return e->values;
}

static bool copy(const struct edit_work *w, struct arena *a, const struct edit *e, struct edit *to)
{
    bool whole = true;
    *to = *e;
    to->ids = copied(a, e->ids, edit_id_words(e), sizeof(int32_t), &whole);
    to->counts = copied(a, e->counts, e->op == EDIT_ADD_FACES ? e->n : 0, sizeof(int32_t), &whole);
    to->corners = copied(a, e->corners, e->n_corners, sizeof(int32_t), &whole);
    to->values = copied(a, values_of(w, e), edit_value_words(e), sizeof(float), &whole);
    struct primvar_array *p = (struct primvar_array *)(uintptr_t)copied_primvar(a, e, &whole);
    if (p && e->op == EDIT_SET_PRIMVAR)
        p->values = to->values;
    to->primvar = p;
    return whole;
}

static bool begin(struct edit_work *w)
{
    struct arena *a = arena_create(mesh_bytes(w->old) / 4 + SLACK);
    struct edit_batch *b = a ? arena_alloc(a, sizeof *b) : NULL;
    if (!b) {
        arena_free(a);
        return false;
    }
    *b = (struct edit_batch){0, NULL, a};
    w->notes.batch = b;
    return true;
}

static bool make_room(struct edit_notes *n)
{
    if (n->batch->edits && n->batch->n_edits < n->room)
        return true;
    const int64_t room = n->room ? 2 * n->room : 16;
    struct edit *edits = arena_array(n->batch->arena, room, sizeof *edits);
    if (!edits)
        return false;
    if (n->batch->edits)
        memcpy(edits, n->batch->edits, (size_t)n->batch->n_edits * sizeof *edits);
    n->batch->edits = edits;
    n->room = room;
    return true;
}

void edits_note(struct edit_work *w, const struct edit *e)
{
    struct edit_notes *n = &w->notes;
    if (n->too_many || e->op >= EDIT_FLIP_EDGES)
        return;
    if ((n->batch || begin(w)) && make_room(n) && copy(w, n->batch->arena, e, &n->batch->edits[n->batch->n_edits])) {
        n->batch->n_edits++;
        return;
    }
    claim_excuse(); /* Else an error of the batch itself would pass for want of memory. */
    n->too_many = true;
    edit_batch_free(n->batch);
    n->batch = NULL;
}
