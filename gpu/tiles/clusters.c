/* SPDX-License-Identifier: Apache-2.0 */
/* clusters.c: cuts the faces of a mesh into clusters, for tiles.c, by Lloyd's rounds on the graph of faces that
 * share edges. Each component begins with a seed for about every SPACING of its faces. In a round all clusters grow
 * from their seeds, a step at a time, until no face is left, and are then peeled from their boundaries; the face
 * that goes last is the new seed. From the fifth round on clusters that are too large get more seeds. Where several
 * clusters or faces could be taken, the lowest is, so all devices find the same ones.
 * Source  Mahmoud et al. 2021, RXMesh: the patching algorithm, which takes what comes first or at random */
#include "gpu/tiles/internal.h"
#include "gpu/tiles/cluster_bounds.k.h"
#include "gpu/tiles/kernels/cluster_centres.k.h"
#include "gpu/tiles/kernels/cluster_components.k.h"
#include "gpu/tiles/kernels/cluster_grow.k.h"
#include "gpu/tiles/kernels/cluster_keys.k.h"
#include "gpu/tiles/kernels/cluster_more.k.h"
#include "gpu/tiles/kernels/cluster_own.k.h"
#include "gpu/tiles/kernels/cluster_peel.k.h"
#include "gpu/tiles/kernels/cluster_seeds.k.h"
#include "gpu/tiles/kernels/cluster_sow.k.h"
#include "gpu/tiles/kernels/cluster_split.k.h"
#include "gpu/tiles/kernels/cluster_take.k.h"

enum {
    /* Faces for each first seed. So much fewer than a tile may own that few clusters become too large, for which there
     * are more rounds. */
    SPACING = 256,
    LEAST_ROUNDS = 4, /* After fewer the clusters are not round yet, and their ribbons large. */
    FIRST_MORE = 5,   /* From this round on seeds are added. RXMesh adds them in every fifth. */
    MOST_ROUNDS = 30, /* Then what is too large falls apart. */
    STEPS = 32        /* The most that are queued before the host asks whether anything changed. */
};

struct finding {
    struct clusters c;
    uint32_t *other; /* Shape [F]: takes turns with c.label, then with `peeled`. */
    uint32_t *peeled, *seed;
    uint64_t *keys, *sorted;
    int32_t *values, *flag, *rank, *more, *large;
    uint32_t *changed; /* Shape [1 + STEPS]: of the step before, and of those that are queued. */
    void *scratch;
};

static void lay_out(const struct tiling *w, struct arena *a, void *what)
{
    struct finding *m = what;
    const int64_t most = w->F + w->F / SDD_TILE_OWNED + 1; /* What falls apart leaves its old cluster empty. */
    m->c.label = ARENA(a, uint32_t, w->F);
    m->c.begin = ARENA(a, uint32_t, most);
    m->c.end = ARENA(a, uint32_t, most);
    m->c.face = ARENA(a, int32_t, w->F);
    m->other = ARENA(a, uint32_t, w->F);
    m->peeled = ARENA(a, uint32_t, w->F);
    m->seed = ARENA(a, uint32_t, w->F);
    m->keys = ARENA(a, uint64_t, w->F);
    m->sorted = ARENA(a, uint64_t, w->F);
    m->values = ARENA(a, int32_t, w->F);
    m->flag = ARENA(a, int32_t, w->F);
    m->rank = ARENA(a, int32_t, w->F);
    m->more = ARENA(a, int32_t, w->F);
    m->large = ARENA(a, int32_t, w->F);
    m->changed = ARENA(a, uint32_t, 1 + STEPS);
    m->scratch = ARENA(a, char,
                       larger(w->device->b->sort_scratch(w->device->dev, w->F, w->face_bits + 1),
                              w->device->b->scan_scratch(w->device->dev, w->F)));
}

static int64_t bytes_of(int64_t n)
{
    return n * (int64_t)sizeof(uint32_t);
}

static void swap(uint32_t **a, uint32_t **b)
{
    uint32_t *other = *a;
    *a = *b;
    *b = other;
}

/* How many steps are queued at a time. Where the host has to wait for an answer this costs more than launches that do
 * nothing, and on a CPU these cost more. */
static int steps_at_once(const struct tiling *w)
{
    return w->device->b->unified ? STEPS / 8 : STEPS;
}

/* Queues steps, each of which reads *now and writes *next before they are swapped, until one changes nothing. A step
 * gets the word in which the one before has said whether it changed anything. */
typedef void step(struct tiling *w, struct finding *m, uint32_t *now, uint32_t *next, uint32_t *changed, uint32_t n);
static const uint32_t *word_before(const uint32_t *changed, uint32_t n)
{
    return n > 0 ? changed - 1 : NULL;
}

static int repeat(struct tiling *w, struct finding *m, step *queue, uint32_t **now, uint32_t **next,
                  struct sdd_error *err)
{
    const int steps = steps_at_once(w);
    uint32_t last = 0;
    for (uint32_t n = 0;;) {
        int rc = tiling_cancelled(w, err);
        if (rc)
            return rc;
        if (n > 0)
            dev_copy(w->device, m->changed, m->changed + steps, sizeof *m->changed);
        dev_fill(w->device, m->changed + 1, 0, bytes_of(steps));
        for (int k = 1; k <= steps; k++, n++) {
            queue(w, m, *now, *next, m->changed + k, n);
            swap(now, next);
        }
        dev_download(w->device, &last, m->changed + steps, sizeof last);
        rc = dev_finish(w->device, err);
        if (rc || !last)
            return rc;
    }
}

static void queue_components(struct tiling *w, struct finding *m, uint32_t *now, uint32_t *next, uint32_t *changed,
                             uint32_t n)
{
    struct cluster_components_args a = {w->neighbors, now, word_before(changed, n), next, changed};
    (void)m;
    dev_copy(w->device, next, now, bytes_of(w->F));
    DEV_LAUNCH(w->device, cluster_components, &a, w->F);
}

static void queue_growth(struct tiling *w, struct finding *m, uint32_t *now, uint32_t *next, uint32_t *changed,
                         uint32_t n)
{
    struct cluster_grow_args a = {w->neighbors, now, word_before(changed, n), next, changed};
    (void)m;
    DEV_LAUNCH(w->device, cluster_grow, &a, w->F);
}

static void queue_peeling(struct tiling *w, struct finding *m, uint32_t *now, uint32_t *next, uint32_t *changed,
                          uint32_t n)
{
    struct cluster_peel_args a = {w->neighbors, m->c.label, now, word_before(changed, n), next, changed, n};
    DEV_LAUNCH(w->device, cluster_peel, &a, w->F);
}

/* Lists the faces of each label, of which there are n. */
static void list_faces(struct tiling *w, struct finding *m, int64_t n)
{
    struct cluster_keys_args keys = {m->c.label, m->keys, m->values};
    struct cluster_bounds_args bounds = {m->sorted, m->c.begin, m->c.end, w->F, 0};
    dev_fill(w->device, m->c.begin, 0, bytes_of(n));
    dev_fill(w->device, m->c.end, 0, bytes_of(n));
    DEV_LAUNCH(w->device, cluster_keys, &keys, w->F);
    dev_sort(w->device, m->keys, m->sorted, m->values, m->c.face, w->F, id_bits(n), m->scratch);
    DEV_LAUNCH(w->device, cluster_bounds, &bounds, w->F);
}

/* Brings the last of n ranks. */
static int read_rank(struct tiling *w, const int32_t *rank, int64_t n, int64_t *out, struct sdd_error *err)
{
    int32_t last = 0;
    dev_download(w->device, &last, rank + n - 1, sizeof last);
    int rc = dev_finish(w->device, err);
    *out = last;
    return rc;
}

/* The first seeds. The components take the place of labels. */
static int first_seeds(struct tiling *w, struct finding *m, struct sdd_error *err)
{
    struct cluster_own_args own = {m->c.label};
    DEV_LAUNCH(w->device, cluster_own, &own, w->F);
    int rc = repeat(w, m, queue_components, &m->c.label, &m->other, err);
    if (rc)
        return rc;
    list_faces(w, m, w->F);
    struct cluster_seeds_args seeds = {m->sorted, m->c.begin, m->flag, SPACING};
    struct cluster_take_args take = {m->c.face, m->flag, m->rank, m->seed};
    DEV_LAUNCH(w->device, cluster_seeds, &seeds, w->F);
    dev_scan(w->device, m->flag, m->rank, w->F, m->scratch);
    DEV_LAUNCH(w->device, cluster_take, &take, w->F);
    return read_rank(w, m->rank, w->F, &w->n, err);
}

/* Lets all clusters grow from their seeds, and lists their faces. */
static int grow(struct tiling *w, struct finding *m, struct sdd_error *err)
{
    struct cluster_sow_args sow = {m->seed, m->c.label};
    dev_fill(w->device, m->c.label, 0xff, bytes_of(w->F));
    DEV_LAUNCH(w->device, cluster_sow, &sow, w->n);
    int rc = repeat(w, m, queue_growth, &m->c.label, &m->other, err);
    if (!rc)
        list_faces(w, m, w->n);
    return rc;
}

/* Finds the centres of all clusters, and adds seeds where a cluster is too large. *n_large gets how many are. */
static int move_seeds(struct tiling *w, struct finding *m, int add, int64_t *n_large, struct sdd_error *err)
{
    sdd_device *d = w->device;
    int64_t n_more = 0;
    int rc = repeat(w, m, queue_peeling, &m->peeled, &m->other, err);
    if (rc)
        return rc;
    struct cluster_centres_args centres = {
        m->c.begin, m->c.end, (const uint32_t *)m->c.face, m->peeled, m->seed, m->more, m->large, SDD_TILE_OWNED, add};
    struct cluster_more_args more = {m->c.begin, m->c.end, (const uint32_t *)m->c.face, m->more, m->rank,
                                     m->seed,    w->n};
    DEV_LAUNCH(d, cluster_centres, &centres, w->n);
    dev_scan(d, m->large, m->large, w->n, m->scratch);
    dev_scan(d, m->more, m->rank, w->n, m->scratch);
    DEV_LAUNCH(d, cluster_more, &more, w->n);
    rc = read_rank(w, m->large, w->n, n_large, err);
    if (!rc)
        rc = read_rank(w, m->rank, w->n, &n_more, err);
    w->n += n_more;
    return rc;
}

/* Lets clusters fall apart that no number of seeds has made small, around a face of hundreds of corners for example. */
static int split(struct tiling *w, struct finding *m, struct sdd_error *err)
{
    int64_t n_more = 0;
    struct cluster_split_args a = {m->c.begin, m->c.end, m->flag, NULL, m->c.label, SDD_TILE_OWNED, (uint32_t)w->n};
    DEV_LAUNCH(w->device, cluster_split, &a, w->F);
    dev_scan(w->device, m->flag, m->rank, w->F, m->scratch);
    a.rank = m->rank;
    DEV_LAUNCH(w->device, cluster_split, &a, w->F);
    int rc = read_rank(w, m->rank, w->F, &n_more, err);
    w->n += n_more; /* What has fallen apart stays as clusters without faces. */
    if (!rc)
        list_faces(w, m, w->n);
    return rc;
}

int clusters_find(struct tiling *w, struct clusters *out, struct device_block *block, struct sdd_error *err)
{
    struct finding m;
    int64_t n_large = 0, n = 0;
    int rc = tiling_allocate(w, lay_out, &m, block, err);
    if (!rc)
        rc = first_seeds(w, &m, err);
    for (int round = 1; !rc; round++) {
        const int add = round < MOST_ROUNDS && round >= FIRST_MORE;
        rc = grow(w, &m, err);
        n = w->n; /* Seeds that are added now are of the next round. */
        if (!rc)
            rc = move_seeds(w, &m, add, &n_large, err);
        if (rc || round == MOST_ROUNDS || (n_large == 0 && round >= LEAST_ROUNDS))
            break;
    }
    w->n = n;
    if (!rc && n_large > 0)
        rc = split(w, &m, err);
    *out = m.c;
    return rc;
}
