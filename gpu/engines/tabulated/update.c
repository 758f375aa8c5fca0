/* SPDX-License-Identifier: Apache-2.0 */
/* update.c: which pieces of a mesh are classified again after an edit, and of which classes they and all others are
 * (update.h). Work on the host is in proportion to the edit and to the number of classes. */
#include "gpu/engines/tabulated/update.h"
#include "gpu/engines/tabulated/classify.h"
#include "gpu/engines/tabulated/kernels/table_touched.k.h"
#include "gpu/engines/tabulated/kernels/table_update_kinds.k.h"
#include "gpu/kernel/compact.k.h"
#include "gpu/mesh/update_gather.k.h"
#include <stdlib.h>
#include <string.h>

#define UPDATE_SHARE 64 /* A mesh is classified anew where more than one in so many corners would be looked at. */
#define UPDATE_FEW 256  /* But not where these are few. */

void *table_update_memory(struct table_update *u, int64_t n, size_t item, struct sdd_error *err)
{
    struct table_block *block = calloc(1, sizeof *block + 8 + (size_t)(n + 1) * item);
    if (!block) {
        (void)sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for the pieces that an edit touches");
        return NULL;
    }
    block->next = u->memory;
    u->memory = block;
    return (char *)block + sizeof *block + 8;
}

/* Waits, and gives the scratch back. */
static int finish(struct table_update *u, struct sdd_error *err)
{
    int rc = dev_finish(u->d, err);
    if (rc)
        dev_drain(u->d);
    block_give(u->d, &u->scratch);
    return rc;
}

/* Takes the scratch that `count` has counted. */
static int take(struct table_update *u, const struct arena *count, struct arena *real, struct sdd_error *err)
{
    int rc = block_take(u->d, count->used, &u->scratch, err);
    *real = (struct arena){u->scratch.memory, 0};
    return rc;
}

/* Fetches rows of an array of the device. */
static int gather(struct table_update *u, const uint32_t *in, const uint32_t *row, int64_t n, uint32_t *out,
                  struct sdd_error *err)
{
    const int64_t bytes = n * (int64_t)sizeof *row;
    if (n == 0)
        return SDD_OK;
    int rc = block_take(u->d, 2 * bytes, &u->scratch, err);
    if (rc)
        return rc;
    uint32_t *rows = u->scratch.memory;
    struct update_gather_args a = {in, rows, rows + n};
    dev_upload(u->d, rows, row, bytes);
    DEV_LAUNCH(u->d, update_gather, &a, n);
    dev_download(u->d, out, rows + n, bytes);
    return finish(u, err);
}

/* ---- what is touched --------------------------------------------------------------------------------------------- */
struct touched_faces {
    uint32_t *vertex, *list;
    int32_t *flag, *rank;
    void *scan;
};

static void lay_out_faces(const struct table_update *u, struct arena *a, struct touched_faces *s)
{
    const int64_t F = u->t->mesh.n_faces;
    s->vertex = ARENA(a, uint32_t, u->edit->n_dirty);
    s->flag = ARENA(a, int32_t, F);
    s->rank = ARENA(a, int32_t, F);
    s->list = ARENA(a, uint32_t, F);
    s->scan = ARENA(a, char, u->d->b->scan_scratch(u->d->dev, F));
}

/* Lists the faces with a dirty vertex. */
static int find_faces(struct table_update *u, uint32_t **face, int64_t *n, struct sdd_error *err)
{
    sdd_device *d = u->d;
    const int64_t F = u->t->mesh.n_faces, word = (int64_t)sizeof **face;
    struct arena count = {NULL, 0}, real;
    struct touched_faces s;
    int32_t some = 0;
    lay_out_faces(u, &count, &s);
    int rc = take(u, &count, &real, err);
    if (rc)
        return rc;
    lay_out_faces(u, &real, &s);
    struct table_touched_args touched = {topology_control(u->topology), s.vertex, (uint32_t *)s.flag};
    struct compact_args list = {s.flag, s.rank, s.list};
    dev_upload(d, s.vertex, u->edit->dirty, u->edit->n_dirty * word);
    dev_fill(d, s.flag, 0, F * word);
    DEV_LAUNCH(d, table_touched, &touched, u->edit->n_dirty);
    dev_scan(d, s.flag, s.rank, F, s.scan);
    dev_download(d, &some, s.rank + (F - 1), sizeof some);
    rc = dev_finish(d, err);
    *n = some;
    *face = rc ? NULL : table_update_memory(u, some, sizeof **face, err);
    if (*face) {
        DEV_LAUNCH(d, compact, &list, F);
        dev_download(d, *face, s.list, some * word);
    }
    const int last = finish(u, err);
    return rc ? rc : *face ? last : SDD_ENO_MEMORY;
}

/* Lists the corners of those faces, and which old corners they are. */
static int list_touched(struct table_update *u, struct sdd_error *err)
{
    uint32_t *face, *row, *bound;
    int64_t n = 0;
    int rc = find_faces(u, &face, &n, err);
    if (rc)
        return rc;
    row = table_update_memory(u, 2 * n, sizeof *row, err);
    bound = row ? table_update_memory(u, 2 * n, sizeof *bound, err) : NULL;
    if (!bound)
        return SDD_ENO_MEMORY;
    for (int64_t i = 0; i < n; i++) {
        row[2 * i] = face[i] ? face[i] - 1 : 0;
        row[2 * i + 1] = face[i];
    }
    rc = gather(u, (const uint32_t *)u->t->mesh.face_end, row, 2 * n, bound, err);
    for (int64_t i = 0; i < n && !rc; i++) {
        bound[2 * i] = face[i] ? bound[2 * i] : 0;
        u->n_touched += bound[2 * i + 1] - bound[2 * i];
    }
    if (!rc && u->n_touched > u->t->mesh.n_corners / UPDATE_SHARE + UPDATE_FEW)
        rc = TABLE_ANEW;
    u->touched = rc ? NULL : table_update_memory(u, u->n_touched, sizeof *u->touched, err);
    if (!u->touched)
        return rc ? rc : SDD_ENO_MEMORY;
    struct touched *to = u->touched;
    for (int64_t i = 0; i < n; i++)
        for (uint32_t c = bound[2 * i]; c < bound[2 * i + 1]; c++)
            *to++ = (struct touched){.corner = c, .key = topology_runs_place(&u->edit->corners, c)};
    return SDD_OK;
}

/* Lists the old corners whose pieces leave the old lists: those that go and those that are looked at again. */
static int list_lost(struct table_update *u, struct sdd_error *err)
{
    const struct topology_runs *r = &u->edit->corners;
    int64_t most = u->n_touched + r->n_old, at = 0;
    for (int64_t k = 0; k < r->n; k++)
        most -= r->run[k].n;
    u->lost = table_update_memory(u, most, sizeof *u->lost, err);
    if (!u->lost)
        return SDD_ENO_MEMORY;
    for (int64_t k = 0; k <= r->n; k++) {
        for (const int64_t end = k < r->n ? r->run[k].from : r->n_old; at < end; at++)
            u->lost[u->n_lost++] = (uint32_t)at;
        at = k < r->n ? r->run[k].from + r->run[k].n : at;
    }
    for (int64_t i = 0; i < u->n_touched; i++)
        if (u->touched[i].key % 2)
            u->lost[u->n_lost++] = u->touched[i].key / 2;
    return SDD_OK;
}

static int compare_words(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Finds the pieces of the old corners that are lost, and sorts them: first those that are bicubic. */
static int find_lost(struct table_update *u, struct sdd_error *err)
{
    int rc = list_lost(u, err);
    uint32_t *piece = rc ? NULL : table_update_memory(u, u->n_lost, sizeof *piece, err);
    if (!piece)
        return rc ? rc : SDD_ENO_MEMORY;
    rc = gather(u, u->old->location, u->lost, u->n_lost, piece, err);
    qsort(piece, (size_t)u->n_lost, sizeof *piece, compare_words);
    u->lost = piece;
    return rc;
}

/* ---- classes ----------------------------------------------------------------------------------------------------- */
struct kinds {
    uint32_t *corner, *list, *none;
    uint64_t *key;
};

static void lay_out_kinds(int64_t n, struct arena *a, struct kinds *s)
{
    s->key = ARENA(a, uint64_t, n);
    s->corner = ARENA(a, uint32_t, n);
    s->list = ARENA(a, uint32_t, n);
    s->none = ARENA(a, uint32_t, 1);
}

static int compare_touched(const void *a, const void *b)
{
    const struct touched *x = a, *y = b;
    if (x->list != y->list)
        return x->list < y->list ? -1 : 1;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return (x->corner > y->corner) - (x->corner < y->corner);
}

/* Asks for the list and the class of each touched piece, and sorts them by both. */
static int ask_kinds(struct table_update *u, struct sdd_error *err)
{
    sdd_device *d = u->d;
    const int64_t n = u->n_touched, word = (int64_t)sizeof(uint32_t);
    struct arena count = {NULL, 0}, host = {NULL, 0}, real;
    struct kinds here, there;
    lay_out_kinds(n, &count, &here);
    host.base = table_update_memory(u, count.used, 1, err);
    int rc = host.base ? take(u, &count, &real, err) : SDD_ENO_MEMORY;
    if (rc)
        return rc;
    lay_out_kinds(n, &host, &here);
    lay_out_kinds(n, &real, &there);
    for (int64_t i = 0; i < n; i++)
        here.corner[i] = u->touched[i].corner;
    struct table_update_kinds_args a = {u->t->mesh, there.corner, there.key, there.list, there.none};
    dev_upload(d, there.corner, here.corner, n * word);
    dev_fill(d, there.none, 0, word);
    DEV_LAUNCH(d, table_update_kinds, &a, n);
    dev_download(d, here.key, there.key, n * (int64_t)sizeof *here.key);
    dev_download(d, here.list, there.list, n * word);
    dev_download(d, here.none, there.none, word);
    dev_download(d, u->old_classes, u->old->classes, u->old->n_classes * (int64_t)sizeof *u->old_classes);
    rc = finish(u, err);
    for (int64_t i = 0; i < n && !rc; i++) {
        u->touched[i].list = here.list[i];
        u->touched[i].hash = here.key[i];
    }
    qsort(u->touched, (size_t)n, sizeof *u->touched, compare_touched);
    u->old_classes[u->old->n_classes].first = u->old->n_others;
    return rc ? rc : *here.none ? TABLE_ANEW : SDD_OK;
}

static uint64_t hash_of(const struct tabulated *t, int64_t k)
{
    const float *words = t->words + SDD_TABLE_WORDS * k;
    return sdd_table_hash(words, (int32_t)words[SDD_TABLE_WORDS - 1]) | 1;
}

/* The touched pieces that are not bicubic, which come last. */
static int64_t first_other(const struct table_update *u)
{
    int64_t i = u->n_touched;
    while (i > 0 && u->touched[i - 1].list == SDD_TABLE_IN_OTHERS)
        i--;
    return i;
}

/* Merges the old classes that still have pieces with those of the touched pieces, in the order of their keys. */
static int merge_classes(struct table_update *u, struct sdd_error *err)
{
    const int64_t n_old = u->old->n_classes, first = first_other(u);
    const int64_t most = n_old + u->n_touched - first;
    u->class_of = table_update_memory(u, n_old, sizeof *u->class_of, err);
    u->old_class = u->class_of ? table_update_memory(u, most, sizeof *u->old_class, err) : NULL;
    u->heads = u->old_class ? table_update_memory(u, most, sizeof *u->heads, err) : NULL;
    if (!u->heads)
        return SDD_ENO_MEMORY;
    int64_t n = 0, at = 0, i = first, lost = 0;
    while (lost < u->n_lost && !(u->lost[lost] & SDD_TABLE_OTHER))
        lost++;
    for (int64_t k = 0; k < n_old || i < u->n_touched;) {
        const uint64_t key = k < n_old ? hash_of(u->old, k) : UINT64_MAX;
        const uint64_t next = i < u->n_touched ? u->touched[i].hash : UINT64_MAX;
        const int is_old = k < n_old && key <= next;
        int64_t some = is_old ? u->old_classes[k + 1].first - u->old_classes[k].first : 0;
        for (; is_old && lost < u->n_lost && (u->lost[lost] & ~SDD_TABLE_OTHER) < u->old_classes[k + 1].first; lost++)
            some--;
        for (; i < u->n_touched && u->touched[i].hash == (is_old ? key : next); i++, some++)
            u->touched[i].class_of = (uint32_t)n;
        if (is_old)
            u->class_of[k] = some ? (uint32_t)n : SDD_NONE;
        if (some) {
            u->old_class[n] = is_old ? (uint32_t)k : SDD_NONE;
            u->heads[n++] = (uint32_t)at;
        }
        at += some;
        k += is_old;
    }
    u->t->n_others = at;
    u->t->n_classes = n;
    return n > TABLE_MAX_CLASSES ? TABLE_ANEW : SDD_OK;
}

static int find_classes(struct table_update *u, struct sdd_error *err)
{
    u->old_classes = table_update_memory(u, u->old->n_classes, sizeof *u->old_classes, err);
    int rc = u->old_classes ? ask_kinds(u, err) : SDD_ENO_MEMORY;
    if (!rc)
        rc = merge_classes(u, err);
    if (rc)
        return rc;
    int64_t lost[2] = {0, 0}, come[2] = {0, 0};
    for (int64_t i = 0; i < u->n_lost && !(u->lost[i] & SDD_TABLE_OTHER); i++)
        lost[u->lost[i] >= u->old->n_regular_quads]++;
    for (int64_t i = 0; i < u->n_touched && u->touched[i].list < SDD_TABLE_IN_OTHERS; i++)
        come[u->touched[i].list]++;
    u->t->n_regular_quads = u->old->n_regular_quads - lost[0] + come[0];
    u->t->n_regular = u->old->n_regular - lost[0] - lost[1] + come[0] + come[1];
    return u->t->n_regular + u->t->n_others == u->t->mesh.n_corners ? SDD_OK : TABLE_ANEW;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */
/* Whether the seed is of this mesh, and its rows can be counted in 32 bits. */
static int fits(const struct table_update *u)
{
    const struct topology_edit *e = u->edit;
    const struct sdd_control *m = &u->t->mesh;
    return e->vertices.n_new == m->n_vertices && e->faces.n_new == m->n_faces && e->edges.n_new == m->n_edges &&
           e->corners.n_new == m->n_corners && e->corners.n_old == u->old->n_regular + u->old->n_others &&
           larger(e->corners.n_old, e->corners.n_new) < (INT64_C(1) << 32) / SDD_TABLE_REGULAR - UPDATE_FEW;
}

/* Leaves what the classes were, for their tables. */
static int keep_classes(const struct table_update *u, struct table_seed *s)
{
    const size_t bytes = (size_t)u->t->n_classes * sizeof *s->old_class;
    s->old_class = malloc(bytes + 1);
    if (s->old_class)
        memcpy(s->old_class, u->old_class, bytes);
    return s->old_class != NULL;
}

int table_update(const sdd_topology *topology, struct tabulated *t, int smooth_triangles, struct sdd_error *err)
{
    struct table_update u = {
        .d = topology->device, .topology = topology, .t = t, .old = t->seed->old, .edit = &t->seed->edit};
    int rc = fits(&u) ? list_touched(&u, err) : TABLE_ANEW;
    if (!rc)
        rc = find_lost(&u, err);
    if (!rc)
        rc = find_classes(&u, err);
    if (!rc)
        rc = table_update_lists(&u, err);
    if (!rc)
        rc = table_update_run(&u, smooth_triangles, err);
    if (!rc && !keep_classes(&u, t->seed))
        rc = sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for classes of pieces");
    if (rc)
        dev_drain(u.d);
    block_give(u.d, &u.scratch);
    block_give(u.d, &u.isolated);
    for (struct table_block *block = u.memory, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    return rc;
}
