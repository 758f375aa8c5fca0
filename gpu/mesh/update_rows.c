/* SPDX-License-Identifier: Apache-2.0 */
/* update_rows.c: the numberings of a topology update, and its questions to the device (update.h). */
#include "gpu/mesh/update.h"
#include "gpu/mesh/kernels/update_find.k.h"
#include "gpu/mesh/update_gather.k.h"
#include "gpu/mesh/kernels/update_lowest.k.h"
#include <stdlib.h>
#include <string.h>

#define MOST_QUESTIONS 8

void *update_memory(struct update *u, int64_t n, size_t item, struct sdd_error *err)
{
    struct update_block *block = calloc(1, sizeof *block + 8 + (size_t)(n + 1) * item);
    if (!block) {
        (void)sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for what an edit changes");
        return NULL;
    }
    block->next = u->memory;
    u->memory = block;
    return (char *)block + sizeof *block + 8;
}

/* ---- numberings -------------------------------------------------------------------------------------------------- */
void update_ranges(struct ranges *r, int64_t first, int64_t n)
{
    if (n == 0)
        return;
    if (r->n > 0 && r->at[r->n - 1].first + r->at[r->n - 1].n == first)
        r->at[r->n - 1].n += n;
    else
        r->at[r->n++] = (struct range){first, n};
}

int update_number(struct update *u, struct numbering *r, struct topology_run part, int64_t n_old, int64_t n_new,
                  struct ranges gone, struct ranges come, struct sdd_error *err)
{
    struct topology_run *runs = update_memory(u, r->n + gone.n + come.n + 1, sizeof *runs, err);
    int64_t from = 0, to = 0, n = 1;
    if (!runs)
        return SDD_ENO_MEMORY;
    if (r->n > 0)
        memcpy(runs, r->run, (size_t)r->n * sizeof *runs);
    r->run = runs;
    for (int64_t i = 0, k = 0; n > 0; from += n, to += n) {
        if (i < gone.n && gone.at[i].first == from)
            from += gone.at[i++].n;
        if (k < come.n && come.at[k].first == to)
            to += come.at[k++].n;
        const int64_t left = (i < gone.n ? gone.at[i].first : n_old) - from;
        n = (k < come.n ? come.at[k].first : n_new) - to;
        n = left < n ? left : n;
        if (n > 0)
            runs[r->n++] = (struct topology_run){part.from + from, part.to + to, n};
    }
    return from - n == n_old && to - n == n_new ? SDD_OK : UPDATE_ANEW;
}

int update_number_rows(struct update *u, struct numbering *r, int64_t n_old, int64_t n_new, const uint32_t *gone,
                       int64_t n_gone, const uint32_t *come, int64_t n_come, struct sdd_error *err)
{
    struct ranges g = {update_memory(u, n_gone, sizeof *g.at, err), 0};
    struct ranges c = {g.at ? update_memory(u, n_come, sizeof *c.at, err) : NULL, 0};
    if (!c.at)
        return SDD_ENO_MEMORY;
    for (int64_t i = 0; i < n_gone; i++)
        update_ranges(&g, gone[i], 1);
    for (int64_t i = 0; i < n_come; i++)
        update_ranges(&c, come[i], 1);
    return update_number(u, r, (struct topology_run){0, 0, 0}, n_old, n_new, g, c, err);
}

int update_patch_memory(struct update *u, struct patch *p, int64_t n, struct sdd_error *err)
{
    p->row = update_memory(u, n, sizeof *p->row, err);
    p->value = p->row ? update_memory(u, n, sizeof *p->value, err) : NULL;
    return p->value ? SDD_OK : SDD_ENO_MEMORY;
}

uint32_t update_to(const struct numbering *r, uint32_t old)
{
    return topology_runs_to(&(struct topology_runs){.run = r->run, .n = r->n}, old);
}

uint32_t update_place(const struct numbering *r, uint32_t row)
{
    return topology_runs_place(&(struct topology_runs){.run = r->run, .n = r->n}, row);
}

int64_t update_before(const uint32_t *row, int64_t n, uint32_t limit)
{
    int64_t low = 0;
    while (low < n) {
        const int64_t middle = (low + n) / 2;
        if (row[middle] < limit)
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

void update_sort(uint32_t *row, int64_t n)
{
    qsort(row, (size_t)n, sizeof *row, by_number);
}

/* ---- questions --------------------------------------------------------------------------------------------------- */
/* A question on the device. */
struct asked {
    void *ask;
    uint32_t *answer, *found;
};

static int64_t ask_bytes(const struct question *q)
{
    return q->n * (int64_t)(q->what < 0 ? sizeof(uint32_t) : sizeof(uint64_t));
}

static void lay_out(const struct question *q, int n, struct arena *a, struct asked *out)
{
    for (int i = 0; i < n; i++) {
        out[i].ask = ARENA(a, char, ask_bytes(q + i));
        out[i].answer = ARENA(a, uint32_t, q[i].n);
        out[i].found = q[i].found ? ARENA(a, uint32_t, 3 * q[i].n) : NULL;
    }
}

static void find(const struct update *u, const struct view *v, const struct question *q, const struct asked *asked)
{
    const sdd_topology *t = u->old;
    const int is_edge = q->what == SDD_FIND_EDGES;
    struct update_find_args a = {.key = asked->ask,
                                 .place = asked->answer,
                                 .found = asked->found,
                                 .list = is_edge ? v->edge_corner : v->slot_corner,
                                 .vert = v->vert,
                                 .owner = is_edge ? v->vert : t->vert,
                                 .twin = v->twin,
                                 .faces = t->faces,
                                 .n_rows = is_edge ? v->n_old_edges : t->info.n_corners,
                                 .what = q->what};
    if (q->what == SDD_FIND_GHOSTS) {
        a.list = t->twin + t->info.n_corners;
        a.n_rows = t->info.n_boundary_edges;
    }
    DEV_LAUNCH(u->d, update_find, &a, q->n);
}

int update_ask(struct update *u, const struct view *v, const struct question *q, int n, struct sdd_error *err)
{
    struct arena count = {NULL, 0}, real = {NULL, 0};
    struct asked asked[MOST_QUESTIONS];
    struct device_block block = {NULL, 0};
    lay_out(q, n, &count, asked);
    int rc = count.used > 0 ? block_take(u->d, count.used, &block, err) : SDD_OK;
    if (rc || count.used == 0)
        return rc;
    real.base = block.memory;
    lay_out(q, n, &real, asked);
    for (int i = 0; i < n; i++) {
        struct update_gather_args gather = {q[i].in, asked[i].ask, asked[i].answer};
        dev_upload(u->d, asked[i].ask, q[i].ask, ask_bytes(q + i));
        if (q[i].what < 0)
            DEV_LAUNCH(u->d, update_gather, &gather, q[i].n);
        else
            find(u, v, q + i, asked + i);
        dev_download(u->d, q[i].answer, asked[i].answer, q[i].n * (int64_t)sizeof(uint32_t));
        if (q[i].found)
            dev_download(u->d, q[i].found, asked[i].found, 3 * q[i].n * (int64_t)sizeof(uint32_t));
    }
    rc = dev_finish(u->d, err);
    if (rc)
        dev_drain(u->d);
    block_give(u->d, &block);
    return rc;
}

int update_ask_lowest(struct update *u, const struct view *v, const uint32_t *edge, int64_t n, uint32_t *out,
                      struct sdd_error *err)
{
    const int64_t word = (int64_t)sizeof *out, n_rows = 2 * n + u->n_gone;
    struct device_block block = {NULL, 0};
    uint32_t *gone = update_memory(u, u->n_gone, sizeof *gone, err);
    int rc = gone ? block_take(u->d, n_rows * word, &block, err) : SDD_ENO_MEMORY;
    if (rc)
        return rc;
    for (int64_t i = 0; i < u->n_gone; i++) /* They ascend. */
        gone[i] = v->gone[i].corner;
    uint32_t *wanted = block.memory, *low = wanted + n, *going = low + n;
    struct update_lowest_args a = {v->edge, wanted, going, low, n, u->n_gone};
    dev_upload(u->d, wanted, edge, n * word);
    dev_upload(u->d, going, gone, u->n_gone * word);
    dev_fill(u->d, low, 0xff, n * word);
    DEV_LAUNCH(u->d, update_lowest, &a, u->old->info.n_corners);
    dev_download(u->d, out, low, n * word);
    rc = dev_finish(u->d, err);
    if (rc)
        dev_drain(u->d);
    block_give(u->d, &block);
    return rc;
}
