/* SPDX-License-Identifier: Apache-2.0 */
/* primvars.c: the primvars of a mesh while a batch is applied, for apply.c and close.c. Their rows grow and close up
 * with the mesh, and the batch can set values and put or remove whole primvars. */
#include "server/base/shared.h"
#include "server/mesh/edits/close.h"
#include <stdio.h>
#include <string.h>

void edits_primvars_fini(struct edit_work *w)
{
    for (int i = 0; i < w->n_primvars; i++) {
        shared_free(w->primvars[i].rows);
        edits_channel_fini(&w->primvars[i].channel);
    }
}

/* An upper bound of the rows that the batch sets of a faceVarying primvar. */
static int64_t count_set(const struct primvar_info *p, const struct edit_batch *b)
{
    int64_t n = 0;
    for (int64_t i = 0; i < b->n_edits; i++)
        if (b->edits[i].op == EDIT_SET_PRIMVAR && strcmp(b->edits[i].primvar->info.name, p->name) == 0)
            n += b->edits[i].n_values;
    return n / p->width;
}

/* The most rows that a primvar can have during the batch, not counting those that EDIT_SET_PRIMVAR sets. */
static int64_t rows_room(const struct primvar *p, const struct mesh *m, const struct edit_room *room)
{
    int64_t rows = primvar_rows(p->info.interpolation, room->n_vertices, room->n_faces);
    return rows < 0 ? p->info.n_values + (room->n_corners - m->n_corners) : rows;
}

/* Refuses a batch that would create more zeros than PRIMVARS_MAX_MADE bytes. */
static int admit(const struct mesh *m, const struct edit_room *room, struct sdd_error *err)
{
    int64_t made = 0, bytes;
    bool fits = true;
    for (int i = 0; i < m->n_primvars; i++) {
        const struct primvar *p = &m->primvars[i];
        fits &= size_mul(rows_room(p, m, room) - p->info.n_values, 4 * (int64_t)p->info.width, &bytes) &&
                size_add(made, bytes, &made);
    }
    if (fits && made <= PRIMVARS_MAX_MADE)
        return SDD_OK;
    int rc = sdd_fail(err, SDD_ETOO_LARGE, "edits",
                      "the primvars of what the batch adds would have %lld bytes; add it in several batches",
                      (long long)made);
    if (err)
        err->needed = made, err->available = PRIMVARS_MAX_MADE;
    return rc;
}

static int init(struct edit_primvar *p, const struct primvar *from, const struct mesh *m, const struct edit_batch *b,
                const struct edit_room *room, struct sdd_error *err)
{
    p->info = from->info;
    p->sets = from->sets;
    if (!from->indices) {
        p->rows = shared_ref(from->values);
        return SDD_OK;
    }
    int64_t rows = rows_room(from, m, room) + count_set(&p->info, b);
    if (rows > INT32_MAX)
        return sdd_fail(err, SDD_ETOO_LARGE, "edits", "primvar %s would pass 2^31 rows", p->info.name);
    p->channel = (struct edit_channel){.width = p->info.width,
                                       .n_values = p->info.n_values,
                                       .n_old = p->info.n_values,
                                       .need = rows,
                                       .old_of = from->indices,
                                       .of = shared_ref(from->indices),
                                       .values = shared_ref(from->values)};
    return SDD_OK;
}

int edits_primvars_init(struct edit_work *w, const struct edit_batch *b, struct sdd_error *err)
{
    const struct mesh *m = w->old;
    int rc = admit(m, &w->need, err);
    for (int i = 0; i < m->n_primvars && !rc; i++)
        rc = init(&w->primvars[w->n_primvars++], &m->primvars[i], m, b, &w->need, err);
    return rc;
}

int edits_primvars_reserve(struct edit_work *w, const struct edit *e, struct sdd_error *err)
{
    int rc = admit(w->old, &w->need, err);
    for (int i = 0; i < w->n_primvars && !rc; i++) {
        struct edit_channel *c = &w->primvars[i].channel;
        if (!c->of)
            continue;
        if (e->op == EDIT_ADD_FACES)
            c->need += e->n_corners;
        if (e->op == EDIT_SET_PRIMVAR && strcmp(e->primvar->info.name, w->primvars[i].info.name) == 0)
            c->need += e->n_values / c->width;
        if (c->need > INT32_MAX)
            rc = sdd_fail(err, SDD_ETOO_LARGE, "edits", "primvar %s would pass 2^31 rows", w->primvars[i].info.name);
    }
    return rc;
}

/* How many rows the values of a class other than faceVarying have now. */
static int64_t rows_now(const struct edit_work *w, const struct edit_primvar *p)
{
    return primvar_rows(p->info.interpolation, w->n_vertices, w->n_faces);
}

int edits_primvars_grow(struct edit_work *w, bool faces, int64_t first, int64_t first_corner, struct sdd_error *err)
{
    int rc = SDD_OK;
    for (int i = 0; i < w->n_primvars && !rc; i++) {
        struct edit_primvar *p = &w->primvars[i];
        const int64_t bytes = 4 * (int64_t)p->info.width, n = rows_now(w, p);
        if (p->channel.of && faces)
            rc = edits_channel_extend(&p->channel, first_corner, w->n_corners - first_corner, NULL, err);
        if (p->channel.of || p->info.interpolation == SDD_CONSTANT || (p->info.interpolation == SDD_UNIFORM) != faces)
            continue;
        rc = edits_write(&p->rows, n, first, n - first, bytes, err);
        if (!rc)
            memset(p->rows + first * bytes, 0, (size_t)((n - first) * bytes));
    }
    return rc;
}

/* ---- operations ---- */
static struct edit_primvar *find(struct edit_work *w, const char *name)
{
    for (int i = 0; i < w->n_primvars; i++)
        if (!w->primvars[i].removed && strcmp(w->primvars[i].info.name, name) == 0)
            return &w->primvars[i];
    return NULL;
}

static int find_put(const struct edit_work *w, const char *name)
{
    int i = 0;
    while (i < w->n_puts && strcmp(w->puts[i]->info.name, name) != 0)
        i++;
    return i;
}

static int set(struct edit_work *w, struct edit_primvar *p, const struct edit *e, struct sdd_error *err)
{
    const struct primvar_array *a = e->primvar;
    const void *values = p->info.type == PRIMVAR_I32 ? a->values : e->values;
    size_t row_bytes = 4 * (size_t)p->info.width;
    int64_t rows = e->n_values / p->info.width;
    char field[PRIMVAR_WHERE_SIZE + 24];
    (void)snprintf(field, sizeof field, "%s.values", a->where);
    if (!values)
        return sdd_fail(err, SDD_EMESH, field, "%s: %s takes integers", field, p->info.name);
    if (e->n_values % p->info.width)
        return sdd_fail(err, SDD_EMESH, field, "%s has %lld numbers, which is no multiple of width %d", field,
                        (long long)e->n_values, p->info.width);
    int rc = primvar_check(&p->info, values, e->n_values, true, a->where, err);
    for (int64_t i = 0; i < e->n_values && p->sets.n && !rc; i++)
        rc = set_names_check_value(&p->sets, ((const int32_t *)values)[i], i, a->where, err);
    if (rc)
        return rc;
    if (p->info.interpolation == SDD_FACE_VARYING)
        return edits_channel_set(w, &p->channel, e, values, rows, "setPrimvar", field, err);
    bool constant = p->info.interpolation == SDD_CONSTANT;
    if (rows != (constant ? 1 : e->n) || (constant && e->n))
        return sdd_fail(err, SDD_EMESH, field, "%s has %lld rows for %lld ids; %s is %s", field, (long long)rows,
                        (long long)e->n, p->info.name, primvar_interpolation(p->info.interpolation));
    for (int64_t i = 0, row = 0; i < rows; i++) {
        if (!constant)
            rc = p->info.interpolation == SDD_UNIFORM ? edits_find_face(w, e->ids[i], &row, err)
                                                      : edits_find_vertex(w, e->ids[i], &row, err);
        if (!rc)
            rc = edits_write(&p->rows, rows_now(w, p), row, 1, (int64_t)row_bytes, err);
        if (rc)
            return rc;
        memcpy(p->rows + (size_t)row * row_bytes, (const char *)values + (size_t)i * row_bytes, row_bytes);
    }
    return SDD_OK;
}

int edits_primvars_apply(struct edit_work *w, const struct edit *e, struct sdd_error *err)
{
    const char *name = e->primvar->info.name;
    struct edit_primvar *old = find(w, name);
    int put = find_put(w, name);
    if (old && e->op == EDIT_SET_PRIMVAR)
        return set(w, old, e, err);
    if (!old && put == w->n_puts && e->op != EDIT_PUT_PRIMVAR)
        return sdd_fail(err, SDD_EMESH, "edits", "edits[%lld]: there is no primvar %s", (long long)w->edit, name);
    if (e->op == EDIT_SET_PRIMVAR)
        return sdd_fail(err, SDD_EMESH, "edits", "edits[%lld]: this batch puts primvar %s, with all its values",
                        (long long)w->edit, name);
    if (old)
        old->removed = true;
    if (put < w->n_puts)
        w->puts[put] = w->puts[--w->n_puts];
    if (e->op == EDIT_REMOVE_PRIMVAR)
        return SDD_OK;
    int rc = primvars_count(w->n_puts + 1, err);
    if (!rc)
        rc = primvar_check(&e->primvar->info, e->primvar->values, e->primvar->n_words, true, e->primvar->where, err);
    if (!rc)
        w->puts[w->n_puts++] = e->primvar;
    return rc;
}

/* ---- closing up ---- */
struct edit_channel *edits_next_channel(struct edit_work *w, int *at)
{
    if (*at == 0) {
        ++*at;
        if (w->st.of && w->st.n_values)
            return &w->st;
    }
    while (*at <= w->n_primvars) {
        struct edit_primvar *p = &w->primvars[(*at)++ - 1];
        if (p->channel.of && !p->removed)
            return &p->channel;
    }
    return NULL;
}

int edits_primvars_count(const struct edit_work *w, struct sdd_error *err)
{
    int64_t n = w->n_puts;
    for (int i = 0; i < w->n_primvars; i++)
        n += !w->primvars[i].removed;
    return primvars_count(n, err);
}

/* Moves a primvar into the new mesh. */
static int give(struct edit_primvar *p, struct mesh *to, struct sdd_error *err)
{
    struct primvar *made = &to->primvars[to->n_primvars++];
    made->info = p->info;
    made->values = p->rows ? (void *)p->rows : p->channel.values;
    made->indices = p->channel.of;
    p->rows = NULL;
    p->channel.values = NULL;
    p->channel.of = NULL;
    return set_names_copy(&p->sets, &made->sets, err);
}

int edits_primvars_close(struct edit_work *w, const struct edit_gaps *vertices, const struct edit_gaps *faces,
                         const struct edit_gaps *corners, struct mesh *to, struct sdd_error *err)
{
    int rc = SDD_OK;
    if (!w->n_primvars && !w->n_puts)
        return SDD_OK;
    to->primvars = edits_grown(w->n_primvars + w->n_puts, sizeof *to->primvars, err);
    if (!to->primvars)
        return SDD_ENO_MEMORY;
    for (int i = 0; i < w->n_primvars && !rc; i++) {
        struct edit_primvar *p = &w->primvars[i];
        const bool uniform = p->info.interpolation == SDD_UNIFORM;
        if (p->removed)
            continue;
        if (p->channel.of) {
            rc = edits_channel_close(w, &p->channel, corners, err);
            p->info.n_values = (int32_t)(p->channel.n_values - p->channel.removed.n);
        } else if (p->info.interpolation != SDD_CONSTANT) {
            rc =
                edits_close_rows(&p->rows, rows_now(w, p), 4 * (int64_t)p->info.width, uniform ? faces : vertices, err);
            p->info.n_values = (int32_t)(uniform ? to->n_faces : to->n_vertices);
        }
        if (!rc)
            rc = give(p, to, err);
    }
    return rc ? rc : primvars_add(to, w->puts, w->n_puts, NULL, err);
}

/* The channel that primvar k has in the old mesh, or SDD_NO_ROW when it has none. */
static int64_t old_channel(const struct mesh *m, int k)
{
    int64_t channel = m->n_uvs > 0;
    for (int i = 0; i < k; i++)
        channel += primvar_has_channel(&m->primvars[i].info);
    return primvar_has_channel(&m->primvars[k].info) ? channel : SDD_NO_ROW;
}

int edits_primvars_delta(struct edit_work *w, const struct mesh *to, struct mesh_delta *out, struct sdd_error *err)
{
    int rc = SDD_OK;
    for (int i = 0; i < to->n_primvars && !rc; i++) {
        struct edit_primvar *p = find(w, to->primvars[i].info.name);
        if (!primvar_has_channel(&to->primvars[i].info))
            continue;
        if (p)
            rc = edits_channel_delta(&p->channel, old_channel(w->old, (int)(p - w->primvars)), out, err);
        else /* The batch put it as a whole. */
            rc = mesh_delta_channel(out, SDD_NO_ROW, 0, 0, NULL, 0, err);
    }
    return rc;
}
