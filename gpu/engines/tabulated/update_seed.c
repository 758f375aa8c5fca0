/* SPDX-License-Identifier: Apache-2.0 */
/* update_seed.c: what an edit leaves of a mesh's pieces for the mesh after it (update.h). All seeds of a device are in
 * a list that is kept with it, so that their memory can be had back (sdd_device_spare). */
#include "gpu/engines/tabulated/update.h"
#include <stdlib.h>
#include <string.h>

#define N_KINDS 5 /* The kinds of rows of an edit. */
/* A mesh is classified anew where more than one in so many vertices is dirty, and more than a few. */
#define SEED_SHARE 8
#define SEED_FEW 64

/* ---- the seeds of a device --------------------------------------------------------------------------------------- */
struct seeds {
    struct table_seed *first;
    int64_t bytes; /* Of the older meshes' pieces and tables that seeds alone hold. */
};

static void *create(void)
{
    return calloc(1, sizeof(struct seeds));
}

static void free_seeds(sdd_device *d, void *what)
{
    (void)d; /* Topologies go before the device, and their seeds with them. */
    free(what);
}

static int64_t bytes_of(const void *what)
{
    const struct seeds *all = what;
    return all->bytes;
}

static int spare(sdd_device *d, void *what)
{
    int some = 0;
    struct seeds *all = what;
    for (struct table_seed *s = all->first, *next; s; s = next) {
        next = s->next;
        if (s->is_used || !s->old->is_orphaned)
            continue;
        some = 1;
        table_seed_free(d, s->owner);
    }
    return some;
}

static const struct kept_ops seeds_ops = {.create = create, .bytes = bytes_of, .free = free_seeds, .spare = spare};

/* ---- edits ------------------------------------------------------------------------------------------------------- */
/* Where all rows are that stay in both edits. With `to` NULL it only counts the runs. */
static int64_t join_runs(const struct topology_runs *a, const struct topology_runs *b, struct topology_run *to)
{
    int64_t n = 0;
    for (int64_t i = 0, k = 0; i < a->n && k < b->n;) {
        const struct topology_run *p = a->run + i, *q = b->run + k;
        const int64_t p_end = p->to + p->n, q_end = q->from + q->n;
        const int64_t first = p->to > q->from ? p->to : q->from, end = p_end < q_end ? p_end : q_end;
        if (first < end) {
            if (to)
                to[n] = (struct topology_run){first - p->to + p->from, first - q->from + q->to, end - first};
            n++;
        }
        i += p_end <= q_end;
        k += q_end <= p_end;
    }
    return n;
}

/* The rows of an edit as runs that stay where they are, so that an edit can be joined to none. */
static struct topology_runs all_rows(const struct topology_run *all, int64_t n)
{
    return (struct topology_runs){all, n > 0, n, n};
}

/* Both edits, one after the other. The runs go into memory; where it is NULL, only its size is returned. */
static size_t join_edits(const struct topology_edit *a, const struct topology_edit *b, char *memory,
                         struct topology_edit *out)
{
    const struct topology_runs *first[] = {&a->vertices, &a->faces, &a->edges, &a->corners, &a->control};
    const struct topology_runs *second[] = {&b->vertices, &b->faces, &b->edges, &b->corners, &b->control};
    struct topology_runs *both[] = {&out->vertices, &out->faces, &out->edges, &out->corners, &out->control};
    size_t used = 0;
    for (int k = 0; k < N_KINDS; k++) {
        struct topology_run *run = memory ? (struct topology_run *)(void *)(memory + used) : NULL;
        const int64_t n = join_runs(first[k], second[k], run);
        *both[k] = (struct topology_runs){run, n, first[k]->n_old, second[k]->n_new};
        used += (size_t)n * sizeof *run;
    }
    return used;
}

/* The dirty vertices of the second edit, and what the dirty ones of the first have become, ascending. Returns how many
 * there are. */
static int64_t join_dirty(const struct topology_edit *a, const struct topology_edit *b, uint32_t *to)
{
    int64_t n = 0, k = 0;
    for (int64_t i = 0; i < a->n_dirty; i++) {
        const uint32_t v = topology_runs_to(&b->control, a->dirty[i]);
        if (v == SDD_NONE)
            continue;
        while (k < b->n_dirty && b->dirty[k] < v)
            to[n++] = b->dirty[k++];
        k += k < b->n_dirty && b->dirty[k] == v;
        to[n++] = v;
    }
    while (k < b->n_dirty)
        to[n++] = b->dirty[k++];
    return n;
}

/* ---- seeds ------------------------------------------------------------------------------------------------------- */
static struct table_seed *make(struct tabulated *old, const struct topology_edit *a, const struct topology_edit *b)
{
    struct topology_edit none;
    const size_t runs = join_edits(a, b, NULL, &none), rows = (size_t)(a->n_dirty + b->n_dirty) * sizeof *a->dirty;
    struct table_seed *s = malloc(sizeof *s + runs + rows);
    if (!s)
        return NULL;
    char *memory = (char *)(s + 1);
    uint32_t *dirty = (uint32_t *)(void *)(memory + runs);
    *s = (struct table_seed){.old = old};
    (void)join_edits(a, b, memory, &s->edit);
    s->edit.dirty = dirty;
    s->edit.n_dirty = join_dirty(a, b, dirty);
    return s;
}

/* An edit that leaves all as it is. */
static struct topology_edit no_edit(const struct topology_edit *next, struct topology_run all[N_KINDS])
{
    const int64_t n[N_KINDS] = {next->vertices.n_old, next->faces.n_old, next->edges.n_old, next->corners.n_old,
                                next->control.n_old};
    for (int k = 0; k < N_KINDS; k++)
        all[k] = (struct topology_run){0, 0, n[k]};
    return (struct topology_edit){.vertices = all_rows(all, n[0]),
                                  .faces = all_rows(all + 1, n[1]),
                                  .edges = all_rows(all + 2, n[2]),
                                  .corners = all_rows(all + 3, n[3]),
                                  .control = all_rows(all + 4, n[4])};
}

struct table_seed *table_seed_create(sdd_device *d, struct tabulated *old, struct tabulated *owner,
                                     const struct topology_edit *edit)
{
    struct sdd_error none;
    struct topology_run all[N_KINDS];
    const struct topology_edit as_it_was = no_edit(edit, all);
    struct table_seed *before = old->ready ? NULL : old->seed;
    struct tabulated *from = old->ready ? old : before ? before->old : NULL;
    struct seeds *seeds = from ? kept_get(&d->kept, &seeds_ops, &none) : NULL;
    struct table_seed *s = seeds ? make(from, before ? &before->edit : &as_it_was, edit) : NULL;
    if (!s || s->edit.n_dirty > edit->control.n_new / SEED_SHARE + SEED_FEW) {
        free(s);
        return NULL;
    }
    from->n_seeds++;
    s->owner = owner;
    s->next = seeds->first;
    s->at = &seeds->first;
    if (s->next)
        s->next->at = &s->next;
    seeds->first = s;
    owner->seed = s;
    return s;
}

void table_seed_free(sdd_device *d, struct tabulated *owner)
{
    struct table_seed *s = owner->seed;
    if (!s)
        return;
    struct tabulated *old = s->old;
    owner->seed = NULL;
    *s->at = s->next;
    if (s->next)
        s->next->at = s->at;
    if (--old->n_seeds == 0 && old->is_orphaned) {
        struct seeds *all = kept_find(&d->kept, &seeds_ops);
        all->bytes -= tabulated_bytes(old);
        tabulated_free(d, old);
    }
    free(s->old_class);
    free(s);
}

int table_seeds_hold(sdd_device *d, struct tabulated *old)
{
    struct seeds *all = old->n_seeds > 0 ? kept_find(&d->kept, &seeds_ops) : NULL;
    if (!all)
        return 0;
    old->is_orphaned = 1;
    all->bytes += tabulated_bytes(old);
    return 1;
}
