/* SPDX-License-Identifier: Apache-2.0 */
/* draft.c: what a step of a modelling edit makes of the mesh, and the primitives that say so. */
#include "server/mesh/edits/modelling.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int modelling_fail(struct modelling *m, const char *format, ...)
{
    char text[200];
    va_list list;
    if (m->rc)
        return m->rc;
    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return m->rc = sdd_fail(m->err, SDD_EMESH, "edits", "edits[%lld].%s: %s", (long long)m->w->edit,
                            edit_name(m->e->op), text);
}

/* ---- lists ---- */
/* Makes room for one more row of a list. Returns false after an error. */
static bool fits(struct modelling *m, void *array, int64_t n, int64_t *room, int64_t bytes)
{
    if (m->rc)
        return false;
    if (n >= INT32_MAX)
        m->rc = sdd_fail(m->err, SDD_ETOO_LARGE, "edits", "edits[%lld] would make 2^31 rows", (long long)m->w->edit);
    else
        m->rc = edits_regrow(array, n, n ? 1 : 64, room, bytes, m->err);
    return !m->rc;
}

void ints_add(struct modelling *m, struct ints *list, int32_t value)
{
    if (fits(m, &list->v, list->n, &list->room, sizeof value))
        list->v[list->n++] = value;
}

void floats_add(struct modelling *m, struct floats *list, float value)
{
    if (fits(m, &list->v, list->n, &list->room, sizeof value))
        list->v[list->n++] = value;
}

static void mixes_clear(struct mixes *x)
{
    x->first.n = x->rows.n = x->weights.n = 0;
}

void draft_clear(struct draft *d)
{
    struct ints *const ints[] = {
        &d->vertices, &d->moved,  &d->moves,         &d->counts,           &d->like,  &d->kept, &d->joined,
        &d->corners,  &d->values, &d->removed_faces, &d->removed_vertices, &d->tagged};
    for (size_t i = 0; i < sizeof ints / sizeof *ints; i++)
        ints[i]->n = 0;
    mixes_clear(&d->vertex_mixes);
    mixes_clear(&d->corner_mixes);
    d->points.n = d->moved_points.n = d->sharpness.n = d->n_creases = 0;
}

static void mixes_fini(struct mixes *x)
{
    free(x->first.v);
    free(x->rows.v);
    free(x->weights.v);
}

void draft_fini(struct draft *d)
{
    struct ints *const ints[] = {
        &d->vertices, &d->moved,  &d->moves,         &d->counts,           &d->like,  &d->kept, &d->joined,
        &d->corners,  &d->values, &d->removed_faces, &d->removed_vertices, &d->tagged};
    for (size_t i = 0; i < sizeof ints / sizeof *ints; i++)
        free(ints[i]->v);
    mixes_fini(&d->vertex_mixes);
    mixes_fini(&d->corner_mixes);
    free(d->points.v);
    free(d->moved_points.v);
    free(d->sharpness.v);
    free(d->creases);
}

/* ---- mixes ---- */
int32_t mix_begin(struct modelling *m, struct mixes *x)
{
    ints_add(m, &x->first, (int32_t)x->rows.n);
    return (int32_t)x->first.n - 1;
}

void mix_add(struct modelling *m, struct mixes *x, int32_t row, float weight)
{
    ints_add(m, &x->rows, row);
    floats_add(m, &x->weights, weight);
}

int32_t mix_two(struct modelling *m, struct mixes *x, int32_t a, int32_t b, float t)
{
    int32_t mix = mix_begin(m, x);
    mix_add(m, x, a, 1 - t);
    mix_add(m, x, b, t);
    return mix;
}

/* The values of a row of the mesh (a corner without UVs has zeros), or those of an earlier sum. */
static const char *row_at(const struct source *s, const char *table, int32_t r)
{
    static const float none[2] = {0};
    int64_t bytes = 4 * s->width;
    if (r < 0)
        return table + (-1 - (int64_t)r) * bytes;
    if (s->of && s->of[r] < 0)
        return (const char *)none;
    return s->base + (s->of ? s->of[r] : r) * bytes;
}

static void evaluate(const struct mixes *x, int64_t k, const struct source *s, char *table)
{
    int64_t first = x->first.v[k], end = mix_end(x, k), best = first;
    for (int64_t i = first; i < end; i++)
        best = x->weights.v[i] > x->weights.v[best] ? i : best;
    if (s->integers || end == first + 1) {
        memcpy(table + 4 * s->width * k, row_at(s, table, x->rows.v[best]), (size_t)(4 * s->width));
        return;
    }
    for (int64_t j = 0; j < s->width; j++) {
        double sum = 0;
        for (int64_t i = first; i < end; i++) {
            float value;
            memcpy(&value, row_at(s, table, x->rows.v[i]) + 4 * j, 4);
            sum += (double)x->weights.v[i] * (double)value;
        }
        float value = (float)sum;
        memcpy(table + 4 * (s->width * k + j), &value, 4);
    }
}

void mixes_evaluate(const struct mixes *x, const struct source *s, char *table)
{
    for (int64_t k = 0; k < x->first.n; k++)
        evaluate(x, k, s, table);
}

/* The sum of points. With doubles on the way, a point half way between two is the same from either side. */
static void add_point(struct modelling *m, struct floats *points, int32_t mix)
{
    const struct mixes *x = &m->draft.vertex_mixes;
    for (int j = 0; j < 3 && !m->rc; j++) {
        double sum = 0;
        for (int64_t i = x->first.v[mix]; i < mix_end(x, mix); i++) {
            double value = 0;
            int32_t r = x->rows.v[i];
            for (int64_t k = r < 0 ? x->first.v[-1 - r] : 0; r < 0 && k < mix_end(x, -1 - (int64_t)r); k++)
                value += (double)x->weights.v[k] * (double)m->w->points[3 * (int64_t)x->rows.v[k] + j];
            sum += (double)x->weights.v[i] * (r < 0 ? value : (double)m->w->points[3 * (int64_t)r + j]);
        }
        floats_add(m, points, (float)sum);
    }
}

/* ---- drafting ---- */
int32_t draft_vertex(struct modelling *m, int32_t mix)
{
    ints_add(m, &m->draft.vertices, mix);
    add_point(m, &m->draft.points, mix);
    return (int32_t)(m->w->n_vertices + m->draft.vertices.n - 1);
}

void draft_move(struct modelling *m, int32_t vertex, int32_t mix)
{
    ints_add(m, &m->draft.moved, vertex);
    ints_add(m, &m->draft.moves, mix);
    add_point(m, &m->draft.moved_points, mix);
}

void draft_face(struct modelling *m, int32_t like, int32_t kept)
{
    ints_add(m, &m->draft.counts, 0);
    ints_add(m, &m->draft.like, like);
    ints_add(m, &m->draft.kept, kept);
}

void draft_corner_mix(struct modelling *m, int32_t vertex, int32_t mix)
{
    (void)view_step(m);
    ints_add(m, &m->draft.corners, vertex);
    ints_add(m, &m->draft.values, mix);
    if (!m->rc)
        m->draft.counts.v[m->draft.counts.n - 1]++;
}

void draft_corner(struct modelling *m, int32_t vertex, int32_t from)
{
    int32_t mix = mix_begin(m, &m->draft.corner_mixes);
    mix_add(m, &m->draft.corner_mixes, from, 1);
    draft_corner_mix(m, vertex, mix);
}

void draft_crease(struct modelling *m, int32_t a, int32_t b, float sharpness)
{
    struct draft *d = &m->draft;
    uint32_t bits; /* Those of positive floats ascend with them, so mesh_rows_clean takes the sharpest. */
    memcpy(&bits, &sharpness, sizeof bits);
    if (sharpness > 0 && fits(m, &d->creases, d->n_creases, &d->room_creases, sizeof *d->creases))
        d->creases[d->n_creases++] = (struct mesh_row){mesh_row_edge(a, b), bits, sharpness};
}

void draft_tag(struct modelling *m, int32_t vertex, float sharpness)
{
    if (sharpness <= 0)
        return;
    ints_add(m, &m->draft.tagged, vertex);
    floats_add(m, &m->draft.sharpness, sharpness);
}
