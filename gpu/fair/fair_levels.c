/* SPDX-License-Identifier: Apache-2.0 */
/* fair_levels.c: the preconditioner of conjugate gradients, one V-cycle of plain aggregation on L. Its levels are made
 * on the host from the L that the device has made, once for many steps, because conformal steps hardly change L: groups
 * come from mutual strongest neighbours, ties by the lower row, and coarse matrices are sums in order, so that every
 * backend has the same levels to the bit. The cycle itself runs on the device. */
#include "gpu/fair/internal.h"
#include "gpu/fair/kernels/fair_coarse.tile.h"
#include "gpu/fair/kernels/fair_correct.k.h"
#include "gpu/fair/kernels/fair_inner.tile.h"
#include "gpu/fair/kernels/fair_restrict.tile.h"
#include "gpu/fair/kernels/fair_smooth.k.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MATCHINGS 8 /* Rounds in which free rows look for a partner. */

/* A symmetric matrix in host memory. */
struct sparse {
    uint32_t n, *row, *column;
    double *value;
};

static void sparse_free(struct sparse *a)
{
    free(a->row);
    free(a->column);
    free(a->value);
    *a = (struct sparse){0};
}

static int sparse_take(struct sparse *a, uint32_t n, uint32_t n_entries)
{
    *a = (struct sparse){n, calloc((size_t)n + 1, 4), calloc((size_t)n_entries + 1, 4),
                         calloc((size_t)n_entries + 1, 8)};
    return a->row && a->column && a->value;
}

/* The strongest neighbour of a row among those whose group is wanted; SDD_NONE if there is none. */
static uint32_t strongest(const struct sparse *a, const uint32_t *group, uint32_t i, int grouped)
{
    uint32_t best = SDD_NONE;
    double most = grouped ? -INFINITY : 0.0;
    for (uint32_t e = a->row[i]; e < a->row[i + 1]; e++) {
        const uint32_t j = a->column[e];
        if (j != i && (group[j] != SDD_NONE) == grouped && -a->value[e] > most) {
            most = -a->value[e];
            best = j;
        }
    }
    return best;
}

/* Puts each row into a group, and returns how many groups there are. `best` and `joined` are scratch. */
static uint32_t match(const struct sparse *a, uint32_t *group, uint32_t *best, uint32_t *joined)
{
    uint32_t n = 0, before = SDD_NONE;
    memset(group, 0xff, a->n * sizeof *group);
    for (int round = 0; round < MATCHINGS && n != before; round++) {
        before = n;
        for (uint32_t i = 0; i < a->n; i++)
            best[i] = group[i] == SDD_NONE ? strongest(a, group, i, 0) : SDD_NONE;
        for (uint32_t i = 0; i < a->n; i++)
            if (best[i] != SDD_NONE && best[best[i]] == i && i < best[i])
                group[i] = group[best[i]] = n++;
    }
    for (uint32_t i = 0; i < a->n; i++) { /* On smooth meshes strengths rise from row to row, and few are mutual. */
        const uint32_t j = group[i] == SDD_NONE ? strongest(a, group, i, 0) : SDD_NONE;
        if (j != SDD_NONE)
            group[i] = group[j] = n++;
    }
    for (uint32_t i = 0; i < a->n; i++) {
        const uint32_t j = group[i] == SDD_NONE ? strongest(a, group, i, 1) : i;
        joined[i] = j == SDD_NONE ? SDD_NONE : group[j];
    }
    for (uint32_t i = 0; i < a->n; i++)
        group[i] = joined[i] == SDD_NONE ? n++ : joined[i];
    return n;
}

/* The members of each group, in order. */
static void list_members(const uint32_t *group, uint32_t n, uint32_t n_groups, uint32_t *begin, uint32_t *member)
{
    memset(begin, 0, ((size_t)n_groups + 1) * sizeof *begin);
    for (uint32_t i = 0; i < n; i++)
        begin[group[i] + 1]++;
    for (uint32_t g = 0; g < n_groups; g++)
        begin[g + 1] += begin[g];
    for (uint32_t i = 0; i < n; i++)
        member[begin[group[i]]++] = i;
    for (uint32_t g = n_groups; g > 0; g--)
        begin[g] = begin[g - 1];
    begin[0] = 0;
}

/* Sums the entries over groups, member by member. `sum` [n_groups] and `seen` [n_groups] are scratch. */
static void sum_groups(const struct sparse *a, const uint32_t *group, uint32_t n_groups, const uint32_t *begin,
                       const uint32_t *member, double *sum, uint32_t *seen, struct sparse *out)
{
    uint32_t n = 0;
    memset(seen, 0xff, n_groups * sizeof *seen);
    for (uint32_t g = 0; g < n_groups; g++) {
        const uint32_t first = n;
        out->row[g] = first;
        for (uint32_t k = begin[g]; k < begin[g + 1]; k++)
            for (uint32_t e = a->row[member[k]]; e < a->row[member[k] + 1]; e++) {
                const uint32_t to = group[a->column[e]];
                if (seen[to] != g) {
                    seen[to] = g;
                    sum[to] = 0.0;
                    out->column[n++] = to;
                }
                sum[to] += a->value[e];
            }
        qsort(out->column + first, n - first, sizeof *out->column, by_number);
        for (uint32_t e = first; e < n; e++)
            out->value[e] = sum[out->column[e]];
    }
    out->row[n_groups] = n;
}

/* Scratch of one level: arrays of as many numbers as it has rows, and one more. */
struct scratch {
    uint32_t *group, *second, *best, *begin, *member;
    double *sum;
};

static void scratch_free(struct scratch *s)
{
    free(s->group);
    free(s->second);
    free(s->best);
    free(s->begin);
    free(s->member);
    free(s->sum);
}

static int scratch_take(struct scratch *s, uint32_t n)
{
    uint32_t **const arrays[] = {&s->group, &s->second, &s->best, &s->begin, &s->member};
    int ok = 1;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        ok &= (*arrays[i] = calloc((size_t)n + 1, sizeof **arrays[i])) != NULL;
    s->sum = calloc((size_t)n + 1, sizeof *s->sum);
    return ok && s->sum;
}

/* One matching: groups of about two, and the matrix between them. */
static int halve(const struct sparse *a, uint32_t *group, struct scratch *s, struct sparse *out)
{
    const uint32_t n = match(a, group, s->best, s->member);
    if (!sparse_take(out, n, a->row[a->n]))
        return 0;
    list_members(group, a->n, n, s->begin, s->member);
    sum_groups(a, group, n, s->begin, s->member, s->sum, s->best, out);
    return 1;
}

/* Two matchings: groups of about four in s->group, their members, and the matrix between them. */
static int coarsen(const struct sparse *a, struct scratch *s, struct sparse *out)
{
    struct sparse half = {0};
    const int ok = scratch_take(s, a->n) && halve(a, s->group, s, &half) && halve(&half, s->second, s, out);
    for (uint32_t i = 0; i < a->n && ok; i++)
        s->group[i] = s->second[s->group[i]];
    if (ok)
        list_members(s->group, a->n, out->n, s->begin, s->member);
    sparse_free(&half);
    return ok;
}

/* The inverse of a + s (all ones), less what that adds: the pseudo-inverse where constants are the kernel of a. By
 * elimination in place, without pivots because it is positive. Returns 0 where it is not. One row is all kernel. */
static int invert(const struct sparse *a, double *out)
{
    const uint32_t n = a->n;
    double trace = 0.0;
    memset(out, 0, (size_t)n * n * sizeof *out);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t e = a->row[i]; e < a->row[i + 1]; e++) {
            out[i * n + a->column[e]] = a->value[e];
            trace += a->column[e] == i ? a->value[e] : 0.0;
        }
    const double s = trace / n / n;
    if (n == 1) {
        out[0] = 0.0;
        return 1;
    }
    for (uint32_t i = 0; i < n * n; i++)
        out[i] += s;
    for (uint32_t k = 0; k < n; k++) {
        const double pivot = out[k * n + k];
        if (!(pivot > 1e-12 * s))
            return 0;
        out[k * n + k] = 1.0;
        for (uint32_t j = 0; j < n; j++)
            out[k * n + j] /= pivot;
        for (uint32_t i = 0; i < n; i++) {
            const double factor = out[i * n + k];
            if (i == k || factor == 0.0)
                continue;
            out[i * n + k] = 0.0;
            for (uint32_t j = 0; j < n; j++)
                out[i * n + j] -= factor * out[k * n + j];
        }
    }
    for (uint32_t i = 0; i < n * n; i++)
        out[i] -= 1.0 / (s * n * n);
    return 1;
}

/* Downloads the L of a part; columns are rows of the part. */
static int read_laplacian(sdd_fair *f, const struct fair_part *p, struct sparse *a, struct sdd_error *err)
{
    if (!sparse_take(a, p->n, p->n_entries))
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for a matrix of %u entries", p->n_entries);
    dev_download(f->device, a->row, f->row + p->first, ((int64_t)p->n + 1) * 4);
    dev_download(f->device, a->column, f->column + p->first_entry, (int64_t)p->n_entries * 4);
    dev_download(f->device, a->value, f->laplacian + p->first_entry, (int64_t)p->n_entries * 8);
    const int rc = dev_finish(f->device, err);
    for (uint32_t i = 0; i <= p->n; i++)
        a->row[i] -= p->first_entry;
    for (uint32_t e = 0; e < p->n_entries && !rc; e++)
        a->column[e] -= p->first;
    return rc;
}

/* ---- on the device ----------------------------------------------------------------------------------------------- */
void fair_lay_out_levels(struct fair_parts *p, int64_t n_entries, struct arena *a, struct fair_arrays *l)
{
    int64_t n_dense = 0;
    for (int64_t k = 0; k < p->n_parts; k++) {
        const int64_t n = p->part[k].n < FAIR_LAST ? p->part[k].n : FAIR_LAST;
        p->part[k].first_dense = n_dense;
        n_dense += n * n;
    }
    l->row = ARENA(a, uint32_t, p->n_rows + FAIR_LEVELS * p->n_parts);
    l->column = ARENA(a, uint32_t, n_entries);
    l->value = ARENA(a, double, n_entries);
    l->inverse = ARENA(a, double, p->n_rows);
    l->group = ARENA(a, uint32_t, 2 * p->n_rows);
    l->begin = ARENA(a, uint32_t, 2 * p->n_rows + FAIR_LEVELS * p->n_parts);
    l->member = ARENA(a, uint32_t, 2 * p->n_rows);
    l->dense = ARENA(a, double, n_dense);
    l->b = ARENA(a, double, 8 * p->n_rows);
    l->x = ARENA(a, double, 8 * p->n_rows);
    l->y = ARENA(a, double, 8 * p->n_rows);
}

/* Where the next level of a part goes, in the part's own piece of each array. */
struct place {
    const sdd_fair *f;
    size_t row, entry, inverse, group, begin; /* `group` counts vectors and members too. */
};

static struct place place_of(const sdd_fair *f, const struct fair_part *p)
{
    const size_t index = (size_t)(p - f->parts.part);
    return (struct place){f,        p->first + FAIR_LEVELS * index, p->first_entry,
                          p->first, 2 * (size_t)p->first,           2 * (size_t)p->first + FAIR_LEVELS * index};
}

/* The vectors of a level, and its matrix unless that is L itself. */
static void place_level(struct place *at, const struct sparse *a, struct fair_on_level *l, int is_first)
{
    const struct fair_arrays *to = &at->f->arrays;
    l->level.n = a->n;
    l->b = to->b + 4 * at->group;
    l->x = l->out = to->x + 4 * at->group;
    l->y = to->y + 4 * at->group;
    l->level.group = to->group + at->group;
    l->begin = to->begin + at->begin;
    l->member = to->member + at->group;
    at->group += a->n;
    if (is_first)
        return;
    l->level.row = to->row + at->row;
    l->level.column = to->column + at->entry;
    l->level.value = to->value + at->entry;
    l->level.inverse = to->inverse + at->inverse;
    at->row += a->n + 1;
    at->entry += a->row[a->n];
    at->inverse += a->n;
}

static void upload(const sdd_fair *f, const void *to, const void *from, size_t n, size_t item)
{
    dev_upload(f->device, (void *)(uintptr_t)to, from, (int64_t)(n * item));
}

static void upload_matrix(const sdd_fair *f, const struct sparse *a, const struct fair_on_level *l, double *inverse)
{
    for (uint32_t i = 0; i < a->n; i++)
        for (uint32_t e = a->row[i]; e < a->row[i + 1]; e++)
            if (a->column[e] == i)
                inverse[i] = a->value[e] > 0.0 ? FAIR_DAMPING / a->value[e] : 0.0;
    upload(f, l->level.row, a->row, (size_t)a->n + 1, 4);
    upload(f, l->level.column, a->column, a->row[a->n], 4);
    upload(f, l->level.value, a->value, a->row[a->n], 8);
    upload(f, l->level.inverse, inverse, a->n, 8);
}

/* The first level is L as it is now, and solves what conjugate gradients ask for. */
static void place_first(const sdd_fair *f, const struct fair_part *p, struct fair_on_level *l)
{
    const size_t at = 4 * (size_t)p->first;
    l->level.row = f->row + p->first;
    l->level.column = f->column;
    l->level.column_base = p->first;
    l->level.value = f->laplacian;
    l->level.inverse = f->relax + p->first;
    l->b = f->r + at;
    l->out = f->z + at;
}

/* Makes the last level's inverse where it is small enough, and uploads it. */
static int finish_last(sdd_fair *f, struct fair_part *p, const struct sparse *a, struct sdd_error *err)
{
    double *inverse = NULL;
    int rc = SDD_OK;
    p->has_dense = p->n_levels > 0 && a->n <= FAIR_LAST;
    if (p->has_dense) {
        inverse = calloc((size_t)a->n * a->n + 1, sizeof *inverse);
        if (!inverse)
            return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for the inverse of %u rows", a->n);
        p->has_dense = invert(a, inverse);
    }
    if (p->has_dense)
        upload(f, f->arrays.dense + p->first_dense, inverse, (size_t)a->n * a->n, sizeof *inverse);
    rc = dev_finish(f->device, err);
    free(inverse);
    return rc;
}

/* Adds a level below `a`, and replaces `a` by its matrix. The first level always has one below, because the inverse of
 * L alone would drop what is constant, which X does not. Returns 0 where there is none: it is small, hardly smaller
 * than the one before, or out of the part's piece of memory. */
static int add_level(sdd_fair *f, struct fair_part *p, struct place *at, struct sparse *a, struct sdd_error *err,
                     int *rc)
{
    struct scratch s = {0};
    struct sparse next = {0};
    struct fair_on_level *l = p->level + p->n_levels;
    int more = p->n_levels == 0 || (a->n > FAIR_LAST && p->n_levels + 1 < FAIR_LEVELS);
    if (more && !coarsen(a, &s, &next)) {
        *rc = sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for levels below %u rows", a->n);
        more = 0;
    }
    more = more && next.n < a->n - a->n / 8 && at->inverse + next.n <= (size_t)p->first + p->n &&
           at->entry + next.row[next.n] <= (size_t)p->first_entry + p->n_entries;
    if (more) {
        upload(f, l->level.group, s.group, a->n, 4);
        upload(f, l->begin, s.begin, (size_t)next.n + 1, 4);
        upload(f, l->member, s.member, a->n, 4);
        at->begin += next.n + 1;
        place_level(at, &next, l + 1, 0);
        upload_matrix(f, &next, l + 1, s.sum);
        *rc = dev_finish(f->device, err);
        p->n_levels++;
        sparse_free(a);
        *a = next;
        next = (struct sparse){0};
    }
    sparse_free(&next);
    scratch_free(&s);
    return more && !*rc;
}

int fair_make_levels(sdd_fair *f, struct fair_part *p, struct sdd_error *err)
{
    struct sparse a = {0};
    struct place at = place_of(f, p);
    if (!p->level)
        p->level = calloc(p->n > FAIR_LAST ? FAIR_LEVELS : 2, sizeof *p->level);
    if (!p->level)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for levels below %u rows", p->n);
    int rc = read_laplacian(f, p, &a, err);
    if (!rc) {
        p->n_levels = 0;
        place_level(&at, &a, p->level, 1);
        place_first(f, p, p->level);
        while (add_level(f, p, &at, &a, err, &rc)) {
        }
    }
    if (!rc)
        rc = finish_last(f, p, &a, err);
    sparse_free(&a);
    return rc;
}

/* The first of the levels that are made in one launch; one behind the last where that is too large. */
static int first_coarse(const struct fair_part *p)
{
    int k = p->n_levels + 1;
    while (k > 1 && p->level[k - 1].level.n <= FAIR_COARSE_ROWS && p->n_levels - (k - 1) <= FAIR_COARSE_LEVELS)
        k--;
    return k;
}

static void queue_last(sdd_fair *f, const struct fair_part *p, int first)
{
    const struct fair_on_level *l = p->level + p->n_levels;
    struct fair_coarse_args coarse = {.dense = p->has_dense ? f->arrays.dense + p->first_dense : NULL,
                                      .solver = f->solver,
                                      .n_levels = p->n_levels - first};
    struct fair_smooth_args smooth = {l->level, l->b, l->out, f->solver};
    if (first > p->n_levels) {
        DEV_LAUNCH(f->device, fair_smooth, &smooth, l->level.n);
        return;
    }
    memcpy(coarse.level, p->level + first, (size_t)(coarse.n_levels + 1) * sizeof *coarse.level);
    DEV_LAUNCH(f->device, fair_coarse, &coarse, 1);
}

void fair_cycle(sdd_fair *f, const struct fair_part *p)
{
    const int first = first_coarse(p), n = first < p->n_levels ? first : p->n_levels;
    double *part = f->part + 2 * fair_tiles(p->n); /* Nobody reads those of other levels than the first. */
    for (int k = 0; k < n; k++) {
        const struct fair_on_level *l = p->level + k, *next = l + 1;
        struct fair_smooth_args smooth = {l->level, l->b, l->x, f->solver};
        struct fair_restrict_args restrict_ = {l->level, l->b,    l->x,      l->begin,     l->member,
                                               l->y,     next->b, f->solver, next->level.n};
        DEV_LAUNCH(f->device, fair_smooth, &smooth, l->level.n);
        DEV_LAUNCH(f->device, fair_restrict, &restrict_, (next->level.n + FAIR_GROUPS - 1) / FAIR_GROUPS);
    }
    queue_last(f, p, first);
    for (int k = n - 1; k >= 0; k--) {
        const struct fair_on_level *l = p->level + k;
        struct fair_correct_args correct = {l->level, l->b, l->x, l[1].out, l->y, f->solver};
        struct fair_inner_args relax = {l->level,  l->b,       l->y, f->rim + p->first, l->out, part,
                                        f->solver, l->level.n, 0};
        DEV_LAUNCH(f->device, fair_correct, &correct, l->level.n);
        if (k > 0)
            DEV_LAUNCH(f->device, fair_inner, &relax, fair_tiles(l->level.n));
    }
}
