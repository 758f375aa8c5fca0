/* SPDX-License-Identifier: Apache-2.0 */
/* channels.c: the values that corners name by index, that is UVs and faceVarying primvars, while a batch is applied:
 * for apply.c, primvars.c and close.c. */
#include "server/base/shared.h"
#include "server/mesh/edits/close.h"
#include <stdlib.h>
#include <string.h>

static int bad_rows(const struct edit_work *w, int64_t rows, const char *op, const char *field, struct sdd_error *err)
{
    return sdd_fail(err, SDD_EMESH, field, "edits[%lld].%s: %lld values do not match the corners of its faces",
                    (long long)w->edit, op, (long long)rows);
}

int edits_channel_open(struct edit_work *w, struct edit_channel *c, struct sdd_error *err)
{
    c->of = mesh_array(w->n_corners, sizeof *c->of, err);
    if (!c->of)
        return SDD_ENO_MEMORY;
    memset(c->of, 0xff, (size_t)w->n_corners * sizeof *c->of); /* -1 */
    return SDD_OK;
}

/* Adds n values, which are zeros without `values`. */
static int add_values(struct edit_channel *c, const float *values, int64_t n, struct sdd_error *err)
{
    const int64_t bytes = c->width * (int64_t)sizeof *values;
    int rc = edits_write(&c->values, c->n_values + n, c->n_values, n, bytes, err);
    if (rc || !n)
        return rc;
    if (values)
        memcpy(c->values + c->width * c->n_values, values, (size_t)(n * bytes));
    else
        memset(c->values + c->width * c->n_values, 0, (size_t)(n * bytes));
    c->n_values += n;
    return SDD_OK;
}

int edits_channel_extend(struct edit_channel *c, int64_t first, int64_t n, const float *values, struct sdd_error *err)
{
    int rc = edits_write(&c->of, first + n, first, n, sizeof *c->of, err);
    for (int64_t i = 0; i < n && !rc; i++)
        c->of[first + i] = (int32_t)(c->n_values + i);
    return rc ? rc : add_values(c, values, n, err);
}

int edits_channel_set(struct edit_work *w, struct edit_channel *c, const struct edit *e, const float *values,
                      int64_t rows, const char *op, const char *field, struct sdd_error *err)
{
    int64_t used = 0;
    int rc = c->of ? SDD_OK : edits_channel_open(w, c, err);
    for (int64_t i = 0; i < e->n && !rc; i++) {
        int64_t f;
        rc = edits_find_face(w, e->ids[i], &f, err);
        if (rc)
            return rc;
        const int64_t n = w->face_counts[f], first = edits_first(w, f);
        if (n > rows - used)
            return bad_rows(w, rows, op, field, err);
        rc = edits_add(&c->set, (int32_t)f, err);
        if (!rc)
            rc = edits_write(&c->of, w->n_corners, first, n, sizeof *c->of, err);
        for (int64_t k = 0; k < n && !rc; k++)
            c->of[first + k] = (int32_t)(c->n_values + used++);
    }
    if (!rc && used != rows)
        rc = bad_rows(w, rows, op, field, err);
    return rc ? rc : add_values(c, values, used, err);
}

int edits_channel_faces(struct edit_work *w, struct edit_channel *c, struct sdd_error *err)
{
    int rc = SDD_OK;
    int64_t n = 0;
    for (int64_t f = w->n_old_faces; f < w->n_faces && !rc; f++)
        rc = edits_add(&c->set, (int32_t)f, err);
    edits_sort(&c->set);
    for (int64_t i = 0; i < c->set.n; i++)
        if (i == 0 || c->set.v[i] != c->set.v[i - 1])
            c->set.v[n++] = c->set.v[i];
    c->set.n = n;
    return rc;
}

/* ---- equal values at a vertex become one ---- */
struct corner_sort {
    const struct edit_work *w;
    const struct edit_channel *c;
};

/* Orders corners by vertex and then by the bits of their values. */
static int compare_values(const struct corner_sort *s, int32_t a, int32_t b)
{
    const struct edit_channel *c = s->c;
    int32_t va = s->w->corners[a], vb = s->w->corners[b];
    if (va != vb)
        return va < vb ? -1 : 1;
    return memcmp(c->values + c->width * c->of[a], c->values + c->width * c->of[b], (size_t)c->width * sizeof(float));
}

static int compare(const void *pa, const void *pb, void *sort)
{
    int32_t a = *(const int32_t *)pa, b = *(const int32_t *)pb;
    int order = compare_values(sort, a, b);
    return order ? order : (a > b) - (a < b);
}

/* Takes n corners at one vertex whose values are equal. Those that name a new value now name the oldest of these
 * values. */
static void weld_group(struct edit_channel *c, const int32_t *corners, int64_t n)
{
    int32_t oldest = INT32_MAX;
    for (int64_t i = 0; i < n; i++)
        if (c->of[corners[i]] < oldest)
            oldest = c->of[corners[i]];
    for (int64_t i = 0; i < n; i++)
        if (c->of[corners[i]] >= c->n_old)
            c->of[corners[i]] = oldest;
}

/* Marks, or unmarks, the vertices at which the batch has set values. */
static void mark_new(struct edit_work *w, const struct edit_channel *ch, bool mark)
{
    for (int64_t i = 0; i < ch->set.n; i++)
        for (int64_t c = edits_first(w, ch->set.v[i]), end = edits_end(w, ch->set.v[i]); c < end; c++) {
            unsigned char *state = &w->vertex_state[w->corners[c]];
            *state &= (unsigned char)~VERTEX_NEW;
            if (mark && edits_face_live(w, ch->set.v[i]) && ch->of[c] >= ch->n_old)
                *state |= VERTEX_NEW;
        }
}

static int weld(struct edit_work *w, struct edit_channel *c, struct sdd_error *err)
{
    struct corner_sort sort = {w, c};
    int32_t *corners = mesh_alloc(w->near.n, sizeof *corners, err);
    int64_t n = 0;
    if (!corners)
        return SDD_ENO_MEMORY;
    mark_new(w, c, true);
    for (int64_t i = 0, f = 0, first = 0; i < w->near.n; i++) {
        edits_seek(w, w->near.v[i], &f, &first);
        if ((w->vertex_state[w->corners[w->near.v[i]]] & VERTEX_NEW) && edits_face_live(w, f))
            corners[n++] = w->near.v[i];
    }
    qsort_r(corners, (size_t)n, sizeof *corners, compare, &sort);
    for (int64_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && compare_values(&sort, corners[i], corners[end]) == 0;)
            end++;
        weld_group(c, corners + i, end - i);
    }
    mark_new(w, c, false);
    free(corners);
    return SDD_OK;
}

/* ---- unused values are dropped ---- */
enum { VALUE_ASKED = 1, VALUE_USED = 2 };

/* Asks for the old values of a face whose corners have lost them. */
static int ask(const struct edit_work *w, const struct edit_channel *ch, int32_t f, unsigned char *state,
               struct edit_wanted *x, struct ints *asked, struct sdd_error *err)
{
    int rc = SDD_OK;
    for (int64_t c = edits_first(w, f), end = edits_end(w, f); c < end && f < w->n_old_faces && !rc; c++) {
        const int32_t value = ch->old_of[c];
        if (state[value] & VALUE_ASKED)
            continue;
        state[value] |= VALUE_ASKED;
        x->low = value < x->low ? value : x->low;
        x->high = value > x->high ? value : x->high;
        rc = edits_add(asked, value, err);
    }
    return rc;
}

/* Marks the values that are asked for and that corners still name: those of faces with new values, and of all others as
 * they were. */
static int mark_used(const struct edit_work *w, const struct edit_channel *ch, unsigned char *state,
                     const struct edit_wanted *x, struct sdd_error *err)
{
    struct ints found = {0};
    int rc = x->high < 0 ? SDD_OK : edits_scan(ch->old_of, 0, w->n_old_corners, x, &found, err);
    for (int64_t i = 0, f = 0, first = 0; i < found.n; i++) {
        edits_seek(w, found.v[i], &f, &first);
        if (ch->of[found.v[i]] == ch->old_of[found.v[i]] && edits_face_live(w, f))
            state[ch->of[found.v[i]]] |= VALUE_USED;
    }
    for (int64_t i = 0; i < ch->set.n; i++)
        for (int64_t c = edits_first(w, ch->set.v[i]), end = edits_end(w, ch->set.v[i]);
             c < end && edits_face_live(w, ch->set.v[i]); c++)
            state[ch->of[c]] |= VALUE_USED;
    free(found.v);
    return rc;
}

static int list_unused(struct edit_work *w, struct edit_channel *ch, unsigned char *state, struct sdd_error *err)
{
    struct edit_wanted x = {INT32_MAX, -1, state, VALUE_ASKED};
    struct ints asked = {0};
    int rc = SDD_OK;
    for (int64_t i = 0; i < w->dead_faces.n && ch->n_old && !rc; i++)
        rc = ask(w, ch, w->dead_faces.v[i], state, &x, &asked, err);
    for (int64_t i = 0; i < ch->set.n && ch->n_old && !rc; i++)
        rc = ask(w, ch, ch->set.v[i], state, &x, &asked, err);
    if (!rc) {
        edits_list_marked(&asked, state, VALUE_ASKED, ch->n_old);
        rc = mark_used(w, ch, state, &x, err);
    }
    for (int64_t i = 0; i < asked.n && !rc; i++)
        if (!(state[asked.v[i]] & VALUE_USED))
            rc = edits_add(&ch->removed, asked.v[i], err);
    for (int64_t i = ch->n_old; i < ch->n_values && !rc; i++)
        if (!(state[i] & VALUE_USED))
            rc = edits_add(&ch->removed, (int32_t)i, err);
    free(asked.v);
    return rc;
}

int edits_channel_settle(struct edit_work *w, struct edit_channel *ch, struct sdd_error *err)
{
    if (!ch->set.n && !w->dead_faces.n)
        return SDD_OK;
    int rc = ch->n_values > ch->n_old ? weld(w, ch, err) : SDD_OK;
    unsigned char *state = rc ? NULL : edits_grown(ch->n_values, 1, err);
    if (!state)
        return SDD_ENO_MEMORY;
    rc = list_unused(w, ch, state, err);
    free(state);
    return rc;
}

int edits_channel_close(struct edit_work *w, struct edit_channel *c, const struct edit_gaps *corners,
                        struct sdd_error *err)
{
    struct edit_gaps values = {0};
    int rc = edits_gaps(w, &c->removed, false, &values, err);
    if (!rc)
        rc = edits_close_rows(&c->values, c->n_values, c->width * (int64_t)sizeof *c->values, &values, err);
    if (!rc)
        rc = edits_close_indices(&c->of, w->n_corners, corners, &c->removed, err);
    free(values.v);
    return rc;
}

int edits_channel_delta(struct edit_channel *c, int64_t from, struct mesh_delta *out, struct sdd_error *err)
{
    return mesh_delta_channel(out, from, c->n_old, c->n_values, c->removed.v, c->removed.n, err);
}

void edits_channel_fini(struct edit_channel *c)
{
    shared_free(c->of);
    shared_free(c->values);
    free(c->set.v);
    free(c->removed.v);
}
