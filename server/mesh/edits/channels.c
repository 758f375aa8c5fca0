/* SPDX-License-Identifier: Apache-2.0 */
/* channels.c: the values that corners name by index, that is UVs and faceVarying primvars, while a batch is applied:
 * for apply.c, primvars.c and close.c. */
#include "server/mesh/edits/work.h"
#include <stdlib.h>
#include <string.h>

static int bad_rows(const struct edit_work *w, int64_t rows, const char *op, const char *field, struct sdd_error *err)
{
    return sdd_fail(err, SDD_EMESH, field, "edits[%lld].%s: %lld values do not match the corners of its faces",
                    (long long)w->edit, op, (long long)rows);
}

int edits_channel_set(struct edit_work *w, struct edit_channel *c, const struct edit *e, const float *values,
                      int64_t rows, const char *op, const char *field, struct sdd_error *err)
{
    int64_t used = 0;
    for (int64_t i = 0; i < e->n; i++) {
        int64_t f;
        int rc = edits_find_face(w, e->ids[i], &f, err);
        if (rc)
            return rc;
        int64_t n = w->face_counts[f];
        if (n > rows - used)
            return bad_rows(w, rows, op, field, err);
        for (int64_t corner = w->face_first[f], k = 0; k < n; k++)
            c->of[corner + k] = (int32_t)(c->n_values + used++);
    }
    if (used != rows)
        return bad_rows(w, rows, op, field, err);
    if (used)
        memcpy(c->values + c->width * c->n_values, values, (size_t)(used * c->width) * sizeof(float));
    c->n_values += used;
    return SDD_OK;
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

/* Lists the live corners at vertices where the batch has set values. */
static int64_t list_corners(struct edit_work *w, const struct edit_channel *ch, int32_t *corners)
{
    int64_t n = 0;
    for (int64_t i = 0; i < w->n_vertices; i++)
        w->vertex_state[i] &= (unsigned char)~VERTEX_NEW;
    for (int64_t f = 0; f < w->n_faces; f++)
        for (int64_t c = w->face_first[f]; edits_face_live(w, f) && c < w->face_first[f + 1]; c++)
            if (ch->of[c] >= ch->n_old)
                w->vertex_state[w->corners[c]] |= VERTEX_NEW;
    for (int64_t f = 0; f < w->n_faces; f++)
        for (int64_t c = w->face_first[f]; edits_face_live(w, f) && c < w->face_first[f + 1]; c++)
            if (w->vertex_state[w->corners[c]] & VERTEX_NEW)
                corners[n++] = (int32_t)c;
    return n;
}

static int weld(struct edit_work *w, struct edit_channel *c, struct sdd_error *err)
{
    struct corner_sort sort = {w, c};
    int32_t *corners = mesh_alloc(w->n_corners, sizeof *corners, err);
    if (!corners)
        return SDD_ENO_MEMORY;
    int64_t n = list_corners(w, c, corners);
    qsort_r(corners, (size_t)n, sizeof *corners, compare, &sort);
    for (int64_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && compare_values(&sort, corners[i], corners[end]) == 0;)
            end++;
        weld_group(c, corners + i, end - i);
    }
    free(corners);
    return SDD_OK;
}

/* ---- unused values are dropped ---- */
int edits_channel_close(struct edit_work *w, struct edit_channel *ch, struct sdd_error *err)
{
    int rc = ch->n_values > ch->n_old ? weld(w, ch, err) : SDD_OK;
    int32_t *row_of = ch->value_to = rc ? NULL : mesh_alloc(ch->n_values, sizeof *row_of, err);
    int32_t kept = 0;
    int64_t corner = 0;
    if (!row_of)
        return SDD_ENO_MEMORY;
    for (int64_t i = 0; i < ch->n_values; i++)
        row_of[i] = SDD_NO_ROW;
    for (int64_t f = 0; f < w->n_faces; f++)
        for (int64_t c = w->face_first[f]; edits_face_live(w, f) && c < w->face_first[f + 1]; c++)
            row_of[ch->of[c]] = 0;
    for (int64_t i = 0; i < ch->n_values; i++) {
        if (row_of[i] == SDD_NO_ROW)
            continue;
        memmove(ch->values + ch->width * kept, ch->values + ch->width * i, (size_t)ch->width * sizeof(float));
        row_of[i] = kept++;
    }
    for (int64_t f = 0; f < w->n_faces; f++)
        for (int64_t c = w->face_first[f]; edits_face_live(w, f) && c < w->face_first[f + 1]; c++)
            ch->of[corner++] = row_of[ch->of[c]];
    ch->n_values = kept;
    return SDD_OK;
}

void edits_channel_delta(struct edit_channel *c, int64_t from, struct mesh_delta *out)
{
    bool is_new = from == SDD_NO_ROW;
    mesh_delta_channel(out, from, is_new ? 0 : c->n_old, is_new ? NULL : c->value_to);
    if (!is_new)
        c->value_to = NULL;
}

void edits_channel_fini(struct edit_channel *c)
{
    free(c->of);
    free(c->values);
    free(c->value_to);
}
