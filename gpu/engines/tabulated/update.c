/* SPDX-License-Identifier: Apache-2.0 */
/* update.c: which pieces of a mesh are classified again after an edit, and of which classes they and all others are
 * (update.h). Work on the host is in proportion to the edit and to the number of classes. */
#include "gpu/engines/tabulated/update.h"
#include "gpu/engines/tabulated/classify.h"
#include "gpu/engines/tabulated/kernels/table_describe.k.h"
#include "gpu/engines/tabulated/kernels/table_touched.k.h"
#include "gpu/engines/tabulated/kernels/table_tri_describe.k.h"
#include "gpu/engines/tabulated/kernels/table_tri_keys.k.h"
#include "gpu/engines/tabulated/kernels/table_update_kinds.k.h"
#include "gpu/kernel/compact.k.h"
#include "gpu/mesh/isolated_flags.k.h"
#include "gpu/mesh/update_gather.k.h"
#include <stdlib.h>
#include <string.h>

#define UPDATE_SHARE 64 /* A mesh is classified anew where more than one in so many corners would be looked at. */
#define UPDATE_FEW 256  /* But not where these are few. */

int table_update_finish(struct table_update *u, struct sdd_error *err)
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

int table_update_gather(struct table_update *u, const uint32_t *in, const uint32_t *row, int64_t n, uint32_t *out,
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
    return table_update_finish(u, err);
}

/* ---- vertices without faces -------------------------------------------------------------------------------------- */
static void lay_out_isolated(const struct table_update *u, struct arena *a, struct table_isolated *s)
{
    s->flag = ARENA(a, int32_t, u->t->mesh.n_vertices);
    s->rank = ARENA(a, int32_t, u->t->mesh.n_vertices);
    s->scan = ARENA(a, char, u->d->b->scan_scratch(u->d->dev, u->t->mesh.n_vertices));
}

int table_update_isolated(struct table_update *u, struct table_isolated *s, struct sdd_error *err)
{
    const struct sdd_control *m = &u->t->mesh;
    const int is_control = m->vert == u->topology->vert;
    struct isolated_flags_args flags = {m->begin, m->end, NULL};
    struct arena count = {NULL, 0}, real = {NULL, 0};
    int32_t n = 0;
    *s = (struct table_isolated){0};
    if (is_control && u->topology->info.n_isolated == 0)
        return SDD_OK;
    lay_out_isolated(u, &count, s);
    int rc = block_take(u->d, count.used, &u->isolated, err);
    if (rc)
        return rc;
    real.base = u->isolated.memory;
    lay_out_isolated(u, &real, s);
    flags.flag = s->flag;
    DEV_LAUNCH(u->d, isolated_flags, &flags, m->n_vertices);
    dev_scan(u->d, s->flag, s->rank, m->n_vertices, s->scan);
    dev_download(u->d, &n, s->rank + (m->n_vertices - 1), sizeof n);
    rc = dev_finish(u->d, err);
    s->n = n;
    return rc;
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
static int find_faces(struct table_update *u, struct sdd_error *err)
{
    sdd_device *d = u->d;
    const int64_t F = u->t->mesh.n_faces, word = (int64_t)sizeof *u->face;
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
    u->n_faces = some;
    u->face = rc ? NULL : table_update_memory(u, some, sizeof *u->face, err);
    if (u->face) {
        DEV_LAUNCH(d, compact, &list, F);
        dev_download(d, u->face, s.list, some * word);
    }
    const int last = table_update_finish(u, err);
    return rc ? rc : u->face ? last : SDD_ENO_MEMORY;
}

/* Takes the memory of the touched pieces, unless they are too many. */
static int take_touched(struct table_update *u, struct sdd_error *err)
{
    const int64_t n = u->is_loop ? 4 * (int64_t)u->t->mesh.n_faces : u->t->mesh.n_corners;
    if (u->n_touched > n / UPDATE_SHARE + UPDATE_FEW)
        return TABLE_ANEW;
    u->touched = table_update_memory(u, u->n_touched, sizeof *u->touched, err);
    return u->touched ? SDD_OK : SDD_ENO_MEMORY;
}

/* Lists the corners of those faces, and which old corners they are. */
static int list_corners(struct table_update *u, struct sdd_error *err)
{
    const int64_t n = u->n_faces;
    const uint32_t *face = u->face;
    uint32_t *row = table_update_memory(u, 2 * n, sizeof *row, err);
    uint32_t *bound = row ? table_update_memory(u, 2 * n, sizeof *bound, err) : NULL;
    if (!bound)
        return SDD_ENO_MEMORY;
    for (int64_t i = 0; i < n; i++) {
        row[2 * i] = face[i] ? face[i] - 1 : 0;
        row[2 * i + 1] = face[i];
    }
    int rc = table_update_gather(u, (const uint32_t *)u->t->mesh.face_end, row, 2 * n, bound, err);
    for (int64_t i = 0; i < n && !rc; i++) {
        bound[2 * i] = face[i] ? bound[2 * i] : 0;
        u->n_touched += bound[2 * i + 1] - bound[2 * i];
    }
    if (!rc)
        rc = take_touched(u, err);
    if (rc)
        return rc;
    struct touched *to = u->touched;
    for (int64_t i = 0; i < n; i++)
        for (uint32_t c = bound[2 * i]; c < bound[2 * i + 1]; c++)
            *to++ = (struct touched){.corner = c, .key = topology_runs_place(&u->edit->corners, c)};
    return SDD_OK;
}

/* Lists the four pieces of each of those faces likewise. Of one that has come it matters only that it is new. */
static int list_triangles(struct table_update *u, struct sdd_error *err)
{
    u->n_touched = 4 * u->n_faces;
    int rc = take_touched(u, err);
    for (uint32_t i = 0; i < u->n_touched && !rc; i++) {
        const uint32_t face = u->face[i / 4], place = topology_runs_place(&u->edit->faces, face);
        u->touched[i] =
            (struct touched){.corner = 4 * face + i % 4, .key = place % 2 ? 2 * (4 * (place / 2) + i % 4) + 1 : 0};
    }
    return rc;
}

static int list_touched(struct table_update *u, struct sdd_error *err)
{
    int rc = find_faces(u, err);
    return rc ? rc : u->is_loop ? list_triangles(u, err) : list_corners(u, err);
}

/* Lists the old corners whose pieces leave the old lists: those that go and those that are looked at again. */
static int list_lost(struct table_update *u, struct sdd_error *err)
{
    const struct topology_runs *r = u->is_loop ? &u->edit->faces : &u->edit->corners;
    const int64_t each = u->is_loop ? 4 : 1;
    int64_t most = u->n_touched + each * r->n_old, at = 0;
    for (int64_t k = 0; k < r->n; k++)
        most -= each * r->run[k].n;
    u->lost = table_update_memory(u, most, sizeof *u->lost, err);
    if (!u->lost)
        return SDD_ENO_MEMORY;
    for (int64_t k = 0; k <= r->n; k++) {
        for (const int64_t end = each * (k < r->n ? r->run[k].from : r->n_old); at < end; at++)
            u->lost[u->n_lost++] = (uint32_t)at;
        at = k < r->n ? each * (r->run[k].from + r->run[k].n) : at;
    }
    for (int64_t i = 0; i < u->n_touched; i++)
        if (u->touched[i].key % 2)
            u->lost[u->n_lost++] = u->touched[i].key / 2;
    return SDD_OK;
}

/* Finds the pieces of the old corners that are lost, and sorts them: first those that are bicubic. */
static int find_lost(struct table_update *u, struct sdd_error *err)
{
    int rc = list_lost(u, err);
    uint32_t *piece = rc ? NULL : table_update_memory(u, u->n_lost, sizeof *piece, err);
    if (!piece)
        return rc ? rc : SDD_ENO_MEMORY;
    for (int64_t i = 0; i < u->n_lost && u->is_loop; i++)
        u->lost[i] *= 2; /* A record of a piece begins with its class. */
    const uint32_t *from = u->is_loop ? (const uint32_t *)u->old->triangles.piece : u->old->location;
    rc = table_update_gather(u, from, u->lost, u->n_lost, piece, err);
    for (int64_t i = 0; i < u->n_lost && u->is_loop && !rc; i++)
        piece[i] = (uint32_t)u->old_classes[piece[i]].first | SDD_TABLE_OTHER;
    qsort(piece, (size_t)u->n_lost, sizeof *piece, by_number);
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
    struct table_update_kinds_args quads = {u->t->mesh, there.corner, there.key, there.list, there.none};
    struct table_tri_keys_args triangles = {u->t->mesh, there.corner, there.key, NULL, there.none};
    dev_upload(d, there.corner, here.corner, n * word);
    dev_fill(d, there.none, 0, word);
    if (u->is_loop)
        DEV_LAUNCH(d, table_tri_keys, &triangles, n);
    else
        DEV_LAUNCH(d, table_update_kinds, &quads, n);
    dev_download(d, here.key, there.key, n * (int64_t)sizeof *here.key);
    if (!u->is_loop)
        dev_download(d, here.list, there.list, n * word);
    dev_download(d, here.none, there.none, word);
    dev_download(d, u->old_classes, u->was.classes, u->was.n_classes * (int64_t)sizeof *u->old_classes);
    rc = table_update_finish(u, err);
    for (int64_t i = 0; i < n && !rc; i++) {
        u->touched[i].list = u->is_loop ? SDD_TABLE_IN_OTHERS : here.list[i];
        u->touched[i].hash = here.key[i];
    }
    qsort(u->touched, (size_t)n, sizeof *u->touched, compare_touched);
    u->old_classes[u->was.n_classes].first = u->was.n_others;
    return rc ? rc : *here.none ? TABLE_ANEW : SDD_OK;
}

static uint64_t hash_of(const struct table_update *u, int64_t k)
{
    const float *words = u->was.words + u->was.n_words * k;
    return sdd_table_key_of(words, (int32_t)words[u->was.n_words - 1]);
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
    const int64_t n_old = u->was.n_classes, first = first_other(u);
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
        const uint64_t key = k < n_old ? hash_of(u, k) : UINT64_MAX;
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
    u->n_others = at;
    u->n_classes = n;
    return n > TABLE_MAX_CLASSES ? TABLE_ANEW : SDD_OK;
}

static int find_classes(struct table_update *u, struct sdd_error *err)
{
    u->old_classes = table_update_memory(u, u->was.n_classes, sizeof *u->old_classes, err);
    int rc = u->old_classes ? ask_kinds(u, err) : SDD_ENO_MEMORY;
    if (!rc)
        rc = find_lost(u, err);
    return rc ? rc : merge_classes(u, err);
}

/* Says how many pieces there are of each kind. */
static int count_pieces(struct table_update *u)
{
    u->t->n_others = u->n_others;
    u->t->n_classes = u->n_classes;
    int64_t lost[2] = {0, 0}, come[2] = {0, 0};
    for (int64_t i = 0; i < u->n_lost && !(u->lost[i] & SDD_TABLE_OTHER); i++)
        lost[u->lost[i] >= u->old->n_regular_quads]++;
    for (int64_t i = 0; i < u->n_touched && u->touched[i].list < SDD_TABLE_IN_OTHERS; i++)
        come[u->touched[i].list]++;
    u->t->n_regular_quads = u->old->n_regular_quads - lost[0] + come[0];
    u->t->n_regular = u->old->n_regular - lost[0] - lost[1] + come[0] + come[1];
    return u->t->n_regular + u->t->n_others == u->t->mesh.n_corners ? SDD_OK : TABLE_ANEW;
}

/* ---- words ------------------------------------------------------------------------------------------------------- */
/* What the device is asked of the new classes. */
struct describing {
    uint32_t *head, *piece; /* Shape [n] each: 0, 1, ..., and a piece of each class. */
    float *words;           /* Shape [n][was.n_words]. */
};

static void lay_out_describing(const struct table_update *u, int64_t n, struct arena *a, struct describing *s)
{
    s->head = ARENA(a, uint32_t, n);
    s->piece = ARENA(a, uint32_t, n);
    s->words = ARENA(a, float, n * u->was.n_words);
}

/* Lists a piece of each new class. Returns how many there are; with NULL it only counts them. */
static int64_t list_new(const struct table_update *u, struct describing *s)
{
    int64_t n = 0;
    uint32_t last = SDD_NONE;
    for (int64_t i = first_other(u); i < u->n_touched; i++) {
        const struct touched *p = u->touched + i;
        if (p->class_of == last || u->old_class[p->class_of] != SDD_NONE)
            continue;
        last = p->class_of;
        if (s) {
            s->head[n] = (uint32_t)n;
            s->piece[n] = p->corner;
        }
        n++;
    }
    return n;
}

static int describe_new(struct table_update *u, int64_t n, struct describing *here, struct sdd_error *err)
{
    sdd_device *d = u->d;
    struct arena count = {NULL, 0}, host = {NULL, 0}, real;
    struct describing there;
    lay_out_describing(u, n, &count, here);
    host.base = table_update_memory(u, count.used, 1, err);
    int rc = host.base ? take(u, &count, &real, err) : SDD_ENO_MEMORY;
    if (rc)
        return rc;
    lay_out_describing(u, n, &host, here);
    lay_out_describing(u, n, &real, &there);
    (void)list_new(u, here);
    struct table_describe_args quads = {u->t->mesh, there.head, there.piece, there.words};
    struct table_tri_describe_args triangles = {u->t->mesh, there.head, there.piece, there.words};
    dev_upload(d, there.head, here->head, n * (int64_t)sizeof *here->head);
    dev_upload(d, there.piece, here->piece, n * (int64_t)sizeof *here->piece);
    if (u->is_loop)
        DEV_LAUNCH(d, table_tri_describe, &triangles, n);
    else
        DEV_LAUNCH(d, table_describe, &quads, n);
    dev_download(d, here->words, there.words, n * u->was.n_words * (int64_t)sizeof *here->words);
    return table_update_finish(u, err);
}

int table_update_words(struct table_update *u, float *words, struct sdd_error *err)
{
    const int64_t n_words = u->was.n_words, n_new = list_new(u, NULL);
    struct describing here = {0};
    int rc = n_new ? describe_new(u, n_new, &here, err) : SDD_OK;
    for (int64_t k = 0; k < u->n_classes && !rc; k++) {
        const int is_new = u->old_class[k] == SDD_NONE;
        const float *from = is_new ? here.words : u->was.words + n_words * (int64_t)u->old_class[k];
        memcpy(words + n_words * k, from, (size_t)n_words * sizeof *from);
        here.words += is_new ? n_words : 0;
    }
    return rc;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */
/* Whether the seed is of this mesh, and its rows can be counted in 32 bits. */
static int fits(const struct table_update *u)
{
    const struct topology_edit *e = u->edit;
    const struct sdd_control *m = &u->t->mesh;
    const int is_of_old = u->is_loop ? u->old->n_rows == e->vertices.n_old + e->edges.n_old
                                     : u->old->n_regular + u->old->n_others == e->corners.n_old;
    return is_of_old && e->vertices.n_new == m->n_vertices && e->faces.n_new == m->n_faces &&
           e->edges.n_new == m->n_edges && e->corners.n_new == m->n_corners &&
           larger(e->corners.n_old, e->corners.n_new) < (INT64_C(1) << 32) / SDD_TABLE_REGULAR - UPDATE_FEW;
}

/* Leaves what the classes were, for their tables. */
static int keep_classes(const struct table_update *u, struct sdd_error *err)
{
    const size_t bytes = (size_t)u->n_classes * sizeof *u->old_class;
    uint32_t *old_class = u->t->seed->old_class = malloc(bytes + 1);
    if (!old_class)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for classes of pieces");
    memcpy(old_class, u->old_class, bytes);
    return SDD_OK;
}

static int update_quads(struct table_update *u, int smooth_triangles, struct sdd_error *err)
{
    int rc = count_pieces(u);
    if (!rc)
        rc = table_update_lists(u, err);
    if (!rc)
        rc = table_update_run(u, smooth_triangles, err);
    return rc ? rc : keep_classes(u, err);
}

/* Begins, with what the classes of the older mesh were. */
static struct table_update begin(const sdd_topology *topology, struct tabulated *t)
{
    struct table_update u = {
        .d = topology->device, .topology = topology, .t = t, .old = t->seed->old, .edit = &t->seed->edit};
    const struct table_triangles *old = &u.old->triangles;
    u.is_loop = topology->scheme->kind == SCHEME_TRIANGLES;
    u.was.n_classes = u.is_loop ? old->n_classes : u.old->n_classes;
    u.was.n_others = u.is_loop ? 4 * u.edit->faces.n_old : u.old->n_others;
    u.was.n_words = u.is_loop ? SDD_TRI_WORDS : SDD_TABLE_WORDS;
    u.was.words = u.is_loop ? old->words : u.old->words;
    u.was.classes = u.is_loop ? old->classes : u.old->classes;
    return u;
}

int table_update(const sdd_topology *topology, struct tabulated *t, int smooth_triangles, struct sdd_error *err)
{
    struct table_update u = begin(topology, t);
    int rc = fits(&u) ? list_touched(&u, err) : TABLE_ANEW;
    if (!rc)
        rc = find_classes(&u, err);
    if (!rc)
        rc = u.is_loop ? table_update_triangles(&u, err) : update_quads(&u, smooth_triangles, err);
    if (rc)
        dev_drain(u.d);
    block_give(u.d, &u.scratch);
    block_give(u.d, &u.isolated);
    table_memory_free(u.memory);
    return rc;
}
