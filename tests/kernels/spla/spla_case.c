/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernels/spla/spla_case.h"
#include "tests/kernels/launch.h"
#include "tests/oracle/refined.h"
#include <stdlib.h>

static int column_size(uint64_t *seed, int most, int form)
{
    if (form == 2)
        return most;
    return random_below(seed, 4) == 0 ? 0 : random_below(seed, most + 1);
}

static void fill_column(struct spla_case *c, uint64_t *seed, int k, int size)
{
    for (int i = 0; i < size; i++) {
        int row = random_below(seed, c->n_rows), z = c->n_entries;
        while (c->at[row * c->n_cols + k] >= 0)
            row = (row + 1) % c->n_rows;
        c->at[row * c->n_cols + k] = z;
        c->rid[z] = (uint32_t)row;
        c->column[z] = k;
        if (c->val)
            c->val[z] = random_below(seed, size);
        c->n_entries++;
    }
}

void spla_case_random(struct spla_case *c, uint64_t *seed, int n_rows, int n_cols, int most, int form)
{
    const int room = n_cols * most;
    most = most > n_rows ? n_rows : most;
    *c = (struct spla_case){.n_rows = n_rows, .n_cols = n_cols, .size = form == 2 ? most : 0};
    c->ptr = form == 2 ? NULL : xalloc(n_cols + 1, sizeof *c->ptr);
    c->val = form == 0 ? xalloc(room, sizeof *c->val) : NULL;
    c->rid = xalloc(room, sizeof *c->rid);
    c->column = xalloc(room, sizeof *c->column);
    c->at = xalloc((int64_t)n_rows * n_cols, sizeof *c->at);
    for (int i = 0; i < n_rows * n_cols; i++)
        c->at[i] = -1;
    for (int k = 0; k < n_cols; k++) {
        fill_column(c, seed, k, column_size(seed, most, form));
        if (c->ptr)
            c->ptr[k + 1] = c->n_entries;
    }
}

void spla_case_free(struct spla_case *c)
{
    free(c->ptr);
    free(c->val);
    free(c->rid);
    free(c->column);
    free(c->at);
}

int spla_case_size(const struct spla_case *c, int column)
{
    int n = 0;
    for (int z = 0; z < c->n_entries; z++)
        n += c->column[z] == column;
    return n;
}

int spla_case_value(const struct spla_case *c, int entry)
{
    int before = 0;
    if (c->val)
        return c->val[entry];
    for (int z = 0; z < entry; z++)
        before += c->column[z] == c->column[entry];
    return before;
}

struct sdd_spla spla_case_in(const struct spla_case *c)
{
    struct sdd_spla m = {.n_rows = (uint32_t)c->n_rows, .n_cols = (uint32_t)c->n_cols, .size = c->size};
    m.n_entries = (uint32_t)c->n_entries;
    m.ptr = c->ptr ? launch_in(c->ptr, c->n_cols + 1, 4) : NULL;
    m.rid = launch_in(c->rid, c->n_entries, 4);
    m.val = c->val ? launch_in(c->val, c->n_entries, 4) : NULL;
    return m;
}

/* Steps round a cycle of n places. */
static int round_cycle(int i, int steps, int n)
{
    for (; steps > 0; steps--)
        i = i + 1 < n ? i + 1 : 0;
    for (; steps < 0; steps++)
        i = i > 0 ? i - 1 : n - 1;
    return i;
}

int spla_case_map(const struct sdd_map *q, int i, int j, int n)
{
    int sum = 0;
    if (q->kind == SDD_ACTION_TABLE)
        return i < q->size && j < q->size ? q->table[i * q->size + j] : 0;
    if (q->kind == SDD_ACTION_DIAGONAL)
        return n == 4 && i < 4 && j < 4 && (i - j == 2 || j - i == 2);
    for (int p = 0; p < q->n_powers; p++)
        sum += i < n && round_cycle(i, q->powers[p], n) == j;
    return sum;
}

struct spla_term spla_case_term(const struct spla_case *a, const struct spla_case *b, const struct sdd_map *q, int i,
                                int j)
{
    struct spla_term t = {0, 0, 0, -1};
    for (int k = 0; k < a->n_cols; k++) {
        int za = a->at[i * a->n_cols + k], zb = b->at[j * b->n_cols + k];
        if (za < 0 || zb < 0)
            continue;
        int v = spla_case_map(q, spla_case_value(a, za), spla_case_value(b, zb), spla_case_size(a, k));
        if (v == 0)
            continue;
        t.face = t.n ? t.face : k;
        t.sum += v;
        t.bits |= v;
        t.n++;
    }
    return t;
}
