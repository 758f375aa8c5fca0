/* SPDX-License-Identifier: Apache-2.0 */
/* primvars.c: the primvars of a mesh while a batch is applied, for apply.c and close.c. Their rows grow and close up
 * with the mesh, and the batch can set values and put or remove whole primvars. */
#include "server/mesh/edits/work.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void edits_primvars_fini(struct edit_work *w)
{
    for (int i = 0; i < w->n_primvars; i++) {
        free(w->primvars[i].rows);
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
    int64_t rows = rows_room(from, m, room), row_bytes = 4 * (int64_t)from->info.width;
    p->info = from->info;
    p->sets = from->sets;
    if (!from->indices) {
        p->rows = edits_grown(from->values, p->info.n_values, rows, row_bytes, err);
        return p->rows ? SDD_OK : SDD_ENO_MEMORY;
    }
    rows += count_set(&p->info, b);
    if (rows > INT32_MAX)
        return sdd_fail(err, SDD_ETOO_LARGE, "edits", "primvar %s would pass 2^31 rows", p->info.name);
    p->channel = (struct edit_channel){
        .width = p->info.width, .n_values = p->info.n_values, .n_old = p->info.n_values, .need = rows, .room = rows};
    p->channel.of = edits_grown(from->indices, m->n_corners, room->n_corners, sizeof(int32_t), err);
    p->channel.values = edits_grown(from->values, p->info.n_values, rows, row_bytes, err);
    return p->channel.of && p->channel.values ? SDD_OK : SDD_ENO_MEMORY;
}

int edits_primvars_init(struct edit_work *w, const struct mesh *m, const struct edit_batch *b, struct sdd_error *err)
{
    w->old = m;
    int rc = admit(m, &w->room, err);
    for (int i = 0; i < m->n_primvars && !rc; i++)
        rc = init(&w->primvars[w->n_primvars++], &m->primvars[i], m, b, &w->room, err);
    return rc;
}

static int reserve_values(struct edit_work *w, struct edit_primvar *p, const struct edit *e, const struct edit_room *to,
                          struct sdd_error *err)
{
    struct edit_channel *c = &p->channel;
    if (e->op == EDIT_ADD_FACES)
        c->need += e->n_corners;
    if (e->op == EDIT_SET_PRIMVAR && strcmp(e->primvar->info.name, p->info.name) == 0)
        c->need += e->n_values / c->width;
    if (c->need > INT32_MAX)
        return sdd_fail(err, SDD_ETOO_LARGE, "edits", "primvar %s would pass 2^31 rows", p->info.name);
    int64_t room = c->need <= c->room ? c->room : c->need > c->room + c->room / 2 ? c->need : c->room + c->room / 2;
    int rc = edits_regrow(&c->values, c->n_values, c->room, room, 4 * c->width, err);
    if (!rc)
        c->room = room;
    return rc ? rc : edits_regrow(&c->of, w->n_corners, w->room.n_corners, to->n_corners, sizeof(int32_t), err);
}

int edits_primvars_reserve(struct edit_work *w, const struct edit *e, const struct edit_room *to, struct sdd_error *err)
{
    int rc = admit(w->old, &w->need, err);
    for (int i = 0; i < w->n_primvars && !rc; i++) {
        struct edit_primvar *p = &w->primvars[i];
        const int32_t class = p->info.interpolation;
        if (p->channel.of)
            rc = reserve_values(w, p, e, to, err);
        else if (class != SDD_CONSTANT)
            rc = edits_regrow(&p->rows, class == SDD_UNIFORM ? w->n_faces : w->n_vertices,
                              primvar_rows(class, w->room.n_vertices, w->room.n_faces),
                              primvar_rows(class, to->n_vertices, to->n_faces), 4 * (int64_t)p->info.width, err);
    }
    return rc;
}

void edits_primvars_corner(struct edit_work *w, int64_t corner)
{
    for (int i = 0; i < w->n_primvars; i++) {
        struct edit_channel *c = &w->primvars[i].channel;
        if (c->of)
            c->of[corner] = (int32_t)c->n_values++; /* The rows behind n_values are zeros. */
    }
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
static void close_rows(const struct edit_work *w, struct edit_primvar *p)
{
    bool faces = p->info.interpolation == SDD_UNIFORM;
    int64_t n = faces ? w->n_faces : w->n_vertices;
    size_t row = 4 * (size_t)p->info.width, kept = 0;
    for (int64_t i = 0; i < n; i++) {
        if (faces ? !edits_face_live(w, i) : (w->vertex_state[i] & VERTEX_DEAD) != 0)
            continue;
        if ((int64_t)kept != i)
            memcpy(p->rows + kept * row, p->rows + (size_t)i * row, row);
        kept++;
    }
    p->info.n_values = (int32_t)kept;
}

int edits_primvars_close(struct edit_work *w, struct sdd_error *err)
{
    int64_t n = w->n_puts;
    int rc = SDD_OK;
    for (int i = 0; i < w->n_primvars && !rc; i++) {
        struct edit_primvar *p = &w->primvars[i];
        if (p->removed)
            continue;
        n++;
        if (p->channel.of) {
            rc = edits_channel_close(w, &p->channel, err);
            p->info.n_values = (int32_t)p->channel.n_values;
        } else if (p->info.interpolation != SDD_CONSTANT)
            close_rows(w, p);
    }
    return rc ? rc : primvars_count(n, err);
}

void edits_primvars_arrays(const struct edit_work *w, struct mesh_arrays *out)
{
    for (int i = 0; i < w->n_primvars; i++) {
        const struct edit_primvar *p = &w->primvars[i];
        if (p->removed)
            continue;
        out->primvars[out->n_primvars++] =
            (struct primvar_array){.info = p->info,
                                   .values = p->rows ? (void *)p->rows : p->channel.values,
                                   .n_words = (int64_t)p->info.n_values * p->info.width,
                                   .indices = {p->channel.of, p->channel.of ? w->n_corners : 0},
                                   .sets = p->sets};
    }
    for (int i = 0; i < w->n_puts; i++)
        out->primvars[out->n_primvars++] = *w->puts[i];
}

/* The channel that primvar k has in the old mesh, or SDD_NO_ROW when it has none. */
static int64_t old_channel(const struct mesh *m, int k)
{
    int64_t channel = m->n_uvs > 0;
    for (int i = 0; i < k; i++)
        channel += primvar_has_channel(&m->primvars[i].info);
    return primvar_has_channel(&m->primvars[k].info) ? channel : SDD_NO_ROW;
}

void edits_primvars_delta(struct edit_work *w, const struct mesh *m, const struct mesh *to, struct mesh_delta *out)
{
    for (int i = 0; i < to->n_primvars; i++) {
        struct edit_primvar *p = find(w, to->primvars[i].info.name);
        if (!primvar_has_channel(&to->primvars[i].info))
            continue;
        if (p)
            edits_channel_delta(&p->channel, old_channel(m, (int)(p - w->primvars)), out);
        else
            mesh_delta_channel(out, SDD_NO_ROW, 0, NULL); /* The batch put it as a whole. */
    }
}
