/* SPDX-License-Identifier: Apache-2.0 */
/* planner.c: the histories by which method `auto` decides whether to build tables. A plan of a mesh carries the history
 * that is kept with the mesh; callers who plan for a topology hold one of their own. */
#include "gpu/refine/planner.h"
#include "gpu/engine_api/capabilities.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define N_KINDS 4

/* What is remembered of frames with the same level, surface and blocks beside positions. */
struct kind {
    uint64_t asked; /* The number of the latest request for the kind; 0 when the entry is unused. */
    int level, surface, around;
    int64_t positions;           /* The positions that the mesh had when the last frame was made. */
    const struct engine *engine; /* The engine with tables. */
    /* Whether positions changed between two frames, tables are built, and building them was refused. */
    int moved, built, refused;
};

struct sdd_history {
    atomic_int refs;
    pthread_mutex_t lock; /* Guards all members that follow. */
    uint64_t n_asked;
    struct kind kinds[N_KINDS];
};

sdd_history *sdd_history_create(void)
{
    sdd_history *h = calloc(1, sizeof *h);
    if (h && pthread_mutex_init(&h->lock, NULL)) {
        free(h);
        return NULL;
    }
    if (h)
        atomic_init(&h->refs, 1);
    return h;
}

sdd_history *planner_ref(sdd_history *h)
{
    atomic_fetch_add(&h->refs, 1);
    return h;
}

void sdd_history_free(sdd_history *h)
{
    if (!h || atomic_fetch_sub(&h->refs, 1) > 1)
        return;
    pthread_mutex_destroy(&h->lock);
    free(h);
}

/* ---- with a mesh ----------------------------------------------------------------------------------------------- */
static void *create(void)
{
    return sdd_history_create();
}

static void give_back(sdd_device *d, void *history)
{
    (void)d;
    sdd_history_free(history);
}

static const struct kept_ops history_ops = {.create = create, .free = give_back};

sdd_history *planner_history(sdd_mesh *m, struct sdd_error *err)
{
    return kept_get(&m->kept, &history_ops, err);
}

/* ---- the rule -------------------------------------------------------------------------------------------------- */
static int is_auto(const struct sdd_refine_request *r)
{
    return !r->method || strcmp(r->method, "auto") == 0;
}

const struct engine *planner_tables(const sdd_topology *t, const struct sdd_refine_request *r)
{
    const uint32_t needed = features_needed(t, r);
    struct sdd_error why;
    for (const struct engine *const *e = sdd_engines; *e && is_auto(r); e++)
        if ((*e)->pays && (*e)->pays(t, r) && !features_missing(t, &(*e)->info, needed) &&
            !engine_check(*e, t, r, &why))
            return *e;
    return NULL;
}

/* Finds the kind of the request's frames. Returns NULL when the history does not have it. The caller holds the lock. */
static struct kind *find(sdd_history *h, const struct sdd_refine_request *r)
{
    for (struct kind *k = h->kinds; k < h->kinds + N_KINDS; k++)
        if (k->asked && k->level == r->level && k->surface == r->surface && k->around == (r->include & ENGINE_AROUND))
            return k;
    return NULL;
}

/* Begins a kind in place of the least recently requested one. The caller holds the lock. */
static struct kind *begin(sdd_history *h, const struct sdd_plan *p)
{
    struct kind *oldest = h->kinds;
    for (struct kind *k = h->kinds + 1; k < h->kinds + N_KINDS; k++)
        oldest = k->asked < oldest->asked ? k : oldest;
    *oldest = (struct kind){.level = p->request.level,
                            .surface = p->request.surface,
                            .around = p->request.include & ENGINE_AROUND,
                            .engine = p->tables};
    return oldest;
}

int sdd_history_note(sdd_history *h, const sdd_plan *plan, int64_t positions, int posed)
{
    int moved, build;
    if (!plan->tables)
        return 0;
    pthread_mutex_lock(&h->lock);
    struct kind *k = find(h, &plan->request);
    moved = k && (posed || k->positions != positions);
    k = k ? k : begin(h, plan);
    k->moved |= moved;
    k->positions = positions;
    k->asked = ++h->n_asked;
    build = moved && !k->built && !k->refused;
    pthread_mutex_unlock(&h->lock);
    return build;
}

const char *sdd_history_method(sdd_history *h, const struct sdd_refine_request *r)
{
    const char *method = r->method;
    if (!is_auto(r) || !(r->include & SDD_POSITIONS))
        return method;
    pthread_mutex_lock(&h->lock);
    const struct kind *k = find(h, r);
    if (k && k->built)
        method = k->engine->info.name;
    pthread_mutex_unlock(&h->lock);
    return method;
}

int planner_wants_tables(sdd_history *h, const struct sdd_plan *p)
{
    pthread_mutex_lock(&h->lock);
    const struct kind *k = find(h, &p->request);
    const int wants = k && k->moved && !k->refused;
    pthread_mutex_unlock(&h->lock);
    return wants;
}

/* ---- tables ---------------------------------------------------------------------------------------------------- */
void planner_settle(sdd_history *h, const struct sdd_plan *p, int rc)
{
    pthread_mutex_lock(&h->lock);
    struct kind *k = find(h, &p->request);
    if (k) { /* Other kinds may have taken its place meanwhile. */
        k->built = rc == SDD_OK;
        k->refused = rc == SDD_EUNSUPPORTED || rc == SDD_ETOO_LARGE;
    }
    pthread_mutex_unlock(&h->lock);
}

void sdd_history_forget(sdd_history *h)
{
    pthread_mutex_lock(&h->lock);
    for (struct kind *k = h->kinds; k < h->kinds + N_KINDS; k++)
        k->built = 0;
    pthread_mutex_unlock(&h->lock);
}
