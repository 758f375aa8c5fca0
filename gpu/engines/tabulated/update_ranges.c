/* SPDX-License-Identifier: Apache-2.0 */
/* update_ranges.c: runs of rows that move, and ranges that move with their items. */
#include "gpu/engines/tabulated/update_ranges.h"
#include "gpu/mesh/update_rows.tile.h"
#include <stdlib.h>

void *table_memory(struct table_block **list, int64_t n, size_t item, struct sdd_error *err)
{
    struct table_block *block = calloc(1, sizeof *block + 8 + (size_t)(n + 1) * item);
    if (!block) {
        (void)sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for the pieces that an edit touches");
        return NULL;
    }
    block->next = *list;
    *list = block;
    return (char *)block + sizeof *block + 8;
}

void table_memory_free(struct table_block *list)
{
    for (struct table_block *next; list; list = next) {
        next = list->next;
        free(list);
    }
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */
void table_runs_add(struct table_runs *r, int64_t from, int64_t to, int64_t n)
{
    struct topology_run *last = r->run + (r->n > 0 ? r->n - 1 : 0);
    if (n == 0)
        return;
    if (r->n > 0 && last->from + last->n == from && last->to + last->n == to)
        last->n += n;
    else
        r->run[r->n++] = (struct topology_run){from, to, n};
}

/* The host may write what kernels may only read. */
static uint32_t *writable(const uint32_t *p)
{
    return (uint32_t *)(uintptr_t)p;
}

static void put(struct sdd_runs *to, int is_real, int64_t start, int64_t shift)
{
    if (is_real) {
        writable(to->start)[to->n] = (uint32_t)start;
        writable(to->shift)[to->n] = (uint32_t)shift;
    }
    to->n++;
}

static void put_new(struct sdd_runs *to, int is_real, int64_t first, int64_t end, int64_t n_old)
{
    for (; first < end; first += n_old)
        put(to, is_real, first, -first);
}

void table_put_rows(const struct topology_runs *r, int64_t each, int is_real, struct sdd_runs *to)
{
    int64_t at = 0;
    to->n = 0;
    for (int64_t k = 0; k < r->n && r->n_old > 0; k++) {
        const struct topology_run *run = r->run + k;
        put_new(to, is_real, each * at, each * run->to, each * r->n_old);
        put(to, is_real, each * run->to, each * (run->from - run->to));
        at = run->to + run->n;
    }
    if (r->n_old > 0)
        put_new(to, is_real, each * at, each * r->n_new, each * r->n_old);
}

void table_put_values(const struct topology_runs *r, int64_t from, int64_t to_first, int is_real, struct sdd_runs *to)
{
    if (r->n == 0 && to->n == 0)
        put(to, is_real, 0, 0);
    for (int64_t k = 0; k < r->n; k++)
        put(to, is_real, to->n == 0 ? 0 : from + r->run[k].from, to_first + r->run[k].to - from - r->run[k].from);
}

void table_lay_out_runs(struct arena *a, struct sdd_runs *r)
{
    r->start = ARENA(a, uint32_t, r->n);
    r->shift = ARENA(a, uint32_t, r->n);
}

void table_stream(sdd_device *d, const uint32_t *in, uint32_t *out, int64_t first, int64_t n,
                  const struct sdd_runs *rows, const struct sdd_runs *values, uint32_t ends)
{
    struct update_rows_args a = {.in = in,
                                 .out = out + first,
                                 .rows = *rows,
                                 .values = *values,
                                 .n = n,
                                 .out_first = (uint32_t)first,
                                 .ends = ends};
    if (rows->n > 0)
        DEV_LAUNCH(d, update_rows, &a, (n - first + UPDATE_ROWS - 1) / UPDATE_ROWS);
}

/* ---- ranges ------------------------------------------------------------------------------------------------------ */
/* The runs of `all` without the items that are made. */
static void take_out(const struct topology_runs *all, struct table_ranges *r)
{
    int64_t made = 0;
    for (int64_t k = 0; k < all->n; k++) {
        const struct topology_run *run = all->run + k;
        const int64_t end = run->to + run->n, shift = run->from - run->to;
        while (made < r->n_made && r->made[made] < run->to)
            made++;
        for (int64_t at = run->to; at < end;) {
            const int64_t next = made < r->n_made && r->made[made] < end ? r->made[made++] : end;
            table_runs_add(&r->items, at + shift, at, next - at);
            at = next + 1;
        }
    }
}

int table_ranges_items(struct table_block **memory, const struct topology_runs *all, struct table_ranges *r,
                       struct sdd_error *err)
{
    const int64_t most = all->n + r->n_made;
    uint32_t **words[] = {&r->first, &r->last, &r->begin, &r->stop};
    r->items = (struct table_runs){.n_old = all->n_old, .n_new = all->n_new};
    r->items.run = table_memory(memory, most, sizeof *r->items.run, err);
    r->size = r->items.run ? table_memory(memory, r->n_made, sizeof *r->size, err) : NULL;
    r->end = r->size ? table_memory(memory, r->n_made, sizeof *r->end, err) : NULL;
    if (!r->end)
        return SDD_ENO_MEMORY;
    for (int k = 0; k < 4; k++)
        if (!(*words[k] = table_memory(memory, most, sizeof **words[k], err)))
            return SDD_ENO_MEMORY;
    take_out(all, r);
    int64_t n = r->n_made;
    for (int64_t k = 0; k < r->items.n; k++) {
        r->first[k] = (uint32_t)r->items.run[k].from;
        r->last[k] = (uint32_t)(r->items.run[k].from + r->items.run[k].n - 1);
        n += r->items.run[k].n;
    }
    return n == all->n_new ? SDD_OK : TABLE_ANEW;
}

int table_ranges_place(struct table_block **memory, struct table_ranges *r, int64_t n_old, struct sdd_error *err)
{
    int64_t at = 0, made = 0;
    r->content = (struct table_runs){.n_old = n_old};
    r->content.run = table_memory(memory, r->items.n, sizeof *r->content.run, err);
    if (!r->content.run)
        return SDD_ENO_MEMORY;
    for (int64_t k = 0; k <= r->items.n; k++) {
        for (; made < r->n_made && (k == r->items.n || r->made[made] < r->items.run[k].to); made++)
            r->end[made] = (uint32_t)(at += r->size[made]);
        if (k == r->items.n)
            break;
        const int64_t n = (int64_t)r->stop[k] - r->begin[k];
        table_runs_add(&r->content, r->begin[k], at, n);
        at += n;
    }
    r->content.n_new = at;
    return at > INT32_MAX ? TABLE_ANEW : SDD_OK;
}
