/* SPDX-License-Identifier: Apache-2.0 */
/* update_lists.c: where each piece is in the lists of the new mesh (update.h). Pieces that stay keep their order within
 * each list and class, so what the host needs is where the others go and come. */
#include "gpu/engines/tabulated/update.h"
#include "gpu/engines/tabulated/classify.h"
#include "gpu/engines/tabulated/kernels/table_update_find.k.h"
#include "gpu/engines/tabulated/kernels/table_update_kinds.k.h"

/* ---- questions --------------------------------------------------------------------------------------------------- */
/* What the device is asked: where touched pieces belong. */
struct questions {
    struct sdd_table_ask *ask; /* Shape [n_touched]. */
    uint32_t *place;           /* Shape [n_touched]. */
};

static void lay_out(const struct table_update *u, struct arena *a, struct questions *q)
{
    q->ask = ARENA(a, struct sdd_table_ask, u->n_touched);
    q->place = ARENA(a, uint32_t, u->n_touched);
}

/* The part of an old list where a touched piece belongs. Where its class is new there is none. */
static struct sdd_table_ask ask_of(const struct table_update *u, const struct touched *p)
{
    const struct tabulated *old = u->old;
    if (p->list == SDD_TABLE_IN_QUADS)
        return (struct sdd_table_ask){p->key, 0, (uint32_t)old->n_regular_quads, 0};
    if (p->list == SDD_TABLE_IN_BICUBIC)
        return (struct sdd_table_ask){p->key, (uint32_t)old->n_regular_quads, (uint32_t)old->n_regular, 0};
    const uint32_t k = u->old_class[p->class_of];
    if (k == SDD_NONE)
        return (struct sdd_table_ask){0, 0, 0, 1};
    return (struct sdd_table_ask){p->key, (uint32_t)u->old_classes[k].first, (uint32_t)u->old_classes[k + 1].first, 1};
}

static int ask(struct table_update *u, struct sdd_error *err)
{
    sdd_device *d = u->d;
    const int64_t n = u->n_touched;
    struct arena count = {NULL, 0}, host = {NULL, 0}, device = {NULL, 0};
    struct questions here, there;
    lay_out(u, &count, &here);
    host.base = table_update_memory(u, count.used, 1, err);
    int rc = host.base ? block_take(d, count.used, &u->scratch, err) : SDD_ENO_MEMORY;
    if (rc)
        return rc;
    device.base = u->scratch.memory;
    lay_out(u, &host, &here);
    lay_out(u, &device, &there);
    for (int64_t i = 0; i < n; i++)
        here.ask[i] = ask_of(u, u->touched + i);
    struct table_update_find_args find = {there.ask, u->old->regular, u->old->other, there.place};
    dev_upload(d, there.ask, here.ask, n * (int64_t)sizeof *here.ask);
    DEV_LAUNCH(d, table_update_find, &find, n);
    dev_download(d, here.place, there.place, n * (int64_t)sizeof *here.place);
    rc = table_update_finish(u, err);
    for (int64_t i = 0; i < n && !rc; i++)
        u->touched[i].place = here.place[i];
    return rc;
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */
/* A part of a list, all of whose pieces are alike: old pieces [from, end), and what goes and comes. */
struct part {
    int64_t from, end, to;
    const uint32_t *lost; /* Shape [n_lost]: old pieces, ascending. */
    struct touched *come; /* Shape [n_come], ascending by corner. */
    int64_t n_lost, n_come;
    const struct sdd_table_table *old, *new; /* The class before and after; NULL for bicubic pieces. */
};

static void add_pieces(struct table_update *u, const struct part *p, int64_t from, int64_t to, int64_t n)
{
    if (!p->new) {
        table_runs_add(&u->regular, from, to, n);
        return;
    }
    table_runs_add(&u->others, from, to, n);
    if (p->old)
        table_runs_add(&u->columns, p->old->column + (from - p->old->first) * p->old->n_columns,
                       p->new->column + (to - p->new->first) * p->new->n_columns, n * p->new->n_columns);
}

/* Goes along a part. Returns where it ends in the new list. */
static int64_t list_part(struct table_update *u, const struct part *p)
{
    int64_t from = p->from, to = p->to, lost = 0, come = 0;
    for (;;) {
        const int64_t next = lost < p->n_lost ? p->lost[lost] & ~SDD_TABLE_OTHER : p->end;
        const int64_t stop = come < p->n_come && p->come[come].place < next ? p->come[come].place : next;
        add_pieces(u, p, from, to, stop - from);
        to += stop - from;
        from = stop;
        if (come < p->n_come && p->come[come].place == stop)
            p->come[come++].at = (uint32_t)to++;
        else if (lost < p->n_lost)
            lost++, from++;
        else
            return to;
    }
}

/* How many of the lost pieces from `lost` on are before `end`. */
static int64_t lost_before(const struct table_update *u, int64_t lost, int64_t end)
{
    int64_t n = 0;
    while (lost + n < u->n_lost && u->lost[lost + n] < (uint32_t)end)
        n++;
    return n;
}

/* How many touched pieces from `come` on are of a list and a class. */
static int64_t come_of(const struct table_update *u, int64_t come, uint32_t list, int64_t class_of)
{
    int64_t n = 0;
    while (come + n < u->n_touched && u->touched[come + n].list == list &&
           u->touched[come + n].class_of == (uint32_t)class_of)
        n++;
    return n;
}

static int64_t list_regular(struct table_update *u, int64_t *come)
{
    const int64_t ends[2] = {u->old->n_regular_quads, u->old->n_regular};
    int64_t from = 0, to = 0, lost = 0;
    for (uint32_t list = SDD_TABLE_IN_QUADS; list <= SDD_TABLE_IN_BICUBIC; list++) {
        struct part p = {.from = from, .end = ends[list], .to = to, .lost = u->lost + lost, .come = u->touched + *come};
        p.n_lost = lost_before(u, lost, ends[list]);
        p.n_come = come_of(u, *come, list, 0);
        to = list_part(u, &p);
        from = ends[list];
        lost += p.n_lost;
        *come += p.n_come;
    }
    return lost;
}

/* The new classes, in order. A class that is gone has lost all its pieces. */
static void list_others(struct table_update *u, int64_t lost, int64_t come)
{
    for (int64_t k = 0; k < u->t->n_classes; k++) {
        const uint32_t old = u->old_class[k];
        struct part p = {.to = u->heads[k], .come = u->touched + come, .new = u->classes + k};
        p.n_come = come_of(u, come, SDD_TABLE_IN_OTHERS, k);
        if (old != SDD_NONE) {
            p.old = u->old_classes + old;
            p.from = p.old->first;
            p.end = u->old_classes[old + 1].first;
            while (lost < u->n_lost && (u->lost[lost] & ~SDD_TABLE_OTHER) < p.from)
                lost++;
            p.lost = u->lost + lost;
            p.n_lost = lost_before(u, lost, p.end | SDD_TABLE_OTHER);
            lost += p.n_lost;
        }
        (void)list_part(u, &p);
        come += p.n_come;
    }
}

static int take_runs(struct table_update *u, struct table_runs *r, int64_t n_old, int64_t n_new, struct sdd_error *err)
{
    *r = (struct table_runs){.n_old = n_old, .n_new = n_new};
    r->run = table_update_memory(u, u->n_lost + u->n_touched + u->old->n_classes + 2, sizeof *r->run, err);
    return r->run ? SDD_OK : SDD_ENO_MEMORY;
}

int table_update_lists(struct table_update *u, struct sdd_error *err)
{
    struct tabulated *t = u->t;
    u->classes = table_update_memory(u, t->n_classes, sizeof *u->classes, err);
    if (!u->classes)
        return SDD_ENO_MEMORY;
    if (!table_take_classes(t, t->n_classes))
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for classes of pieces");
    int rc = table_update_words(u, t->words, err);
    for (int64_t k = 0; k < t->n_classes && !rc; k++)
        t->description[k] = table_class_of(t->words + SDD_TABLE_WORDS * k);
    if (!rc)
        rc = ask(u, err);
    if (!rc && t->n_classes)
        rc = table_take_lists(u->d, t, u->heads, u->classes, err);
    if (!rc && larger(t->n_column, u->old->n_column) >= UINT32_MAX)
        rc = TABLE_ANEW;
    if (!rc)
        rc = take_runs(u, &u->regular, u->old->n_regular, t->n_regular, err);
    if (!rc)
        rc = take_runs(u, &u->others, u->old->n_others, t->n_others, err);
    if (!rc)
        rc = take_runs(u, &u->columns, u->old->n_column, t->n_column, err);
    if (rc)
        return rc;
    int64_t come = 0;
    const int64_t lost = list_regular(u, &come);
    list_others(u, lost, come);
    return SDD_OK;
}
