/* SPDX-License-Identifier: Apache-2.0 */
/* primitives.c: makes primitives of a draft. Ids and values are written into two lists, whose rooms are made first, as
 * the primitives point into them. */
#include "server/mesh/edits/modelling.h"
#include <string.h>

/* ---- room ---- */
/* How many numbers of 4 bytes the values take. */
static int64_t count_floats(const struct modelling *m)
{
    const struct draft *d = &m->draft;
    int64_t vertices = d->vertices.n + d->moved.n, n = 3 * vertices + d->n_creases + d->sharpness.n;
    n += 2 * (d->corner_mixes.first.n + d->corners.n);
    for (int i = 0; i < m->w->n_primvars; i++) {
        const struct edit_primvar *p = &m->w->primvars[i];
        bool corners = p->channel.of != NULL, faces = p->info.interpolation == SDD_UNIFORM;
        n += p->info.width * (corners ? d->corner_mixes.first.n + d->corners.n
                              : faces ? d->counts.n
                                      : vertices + d->vertex_mixes.first.n);
    }
    return n;
}

static int64_t count_words(const struct modelling *m)
{
    const struct draft *d = &m->draft;
    return 4 * d->counts.n + 2 * (d->vertices.n + d->moved.n) + d->corners.n + d->removed_faces.n +
           d->removed_vertices.n + 2 * d->n_creases + d->tagged.n;
}

static int make_room(struct modelling *m)
{
    int64_t words = count_words(m), floats = count_floats(m);
    if (words > INT32_MAX || floats > INT32_MAX)
        return m->rc =
                   sdd_fail(m->err, SDD_ETOO_LARGE, "edits", "edits[%lld] would make 2^31 rows", (long long)m->w->edit);
    m->rc = edits_regrow(&m->words.v, 0, words, &m->words.room, 4, m->err);
    if (!m->rc)
        m->rc = edits_regrow(&m->floats, 0, floats, &m->room_floats, 4, m->err);
    m->words.n = m->n_floats = 0;
    return m->rc;
}

static struct edit *add(struct modelling *m, enum edit_op op, int64_t n)
{
    struct edit *e = &m->primitives[m->n_primitives++];
    *e = (struct edit){.op = op, .n = n, .ids = m->words.v + m->words.n};
    return e;
}

static void word(struct modelling *m, int32_t value)
{
    m->words.v[m->words.n++] = value;
}

static char *take_floats(struct modelling *m, int64_t n)
{
    char *p = m->floats + 4 * m->n_floats;
    m->n_floats += n;
    return p;
}

/* The id of drafted face k; *n_new counts those that the step adds, which get the rows behind those of the mesh. */
static int32_t face_of_draft(const struct modelling *m, int64_t k, int64_t *n_new)
{
    int32_t kept = m->draft.kept.v[k];
    return kept >= 0 ? face_id(m, kept) : edits_face_name(m->w, m->w->n_faces + (*n_new)++);
}

/* ---- vertices ---- */
static void vertex_names(struct modelling *m)
{
    const struct draft *d = &m->draft;
    for (int64_t i = 0; i < d->vertices.n; i++)
        word(m, edits_vertex_name(m->w, m->w->n_vertices + i));
    for (int64_t i = 0; i < d->moved.n; i++)
        word(m, vertex_id(m, d->moved.v[i]));
}

static struct edit *set_primvar(struct modelling *m, const struct edit_primvar *p, int64_t n, const char *values,
                                int64_t rows)
{
    struct edit *e = add(m, EDIT_SET_PRIMVAR, n);
    struct primvar_array *name = &m->names[m->n_names++];
    memset(name, 0, sizeof *name);
    memcpy(name->where, "setPrimvar", sizeof "setPrimvar");
    name->info = p->info;
    name->values = values;
    e->primvar = name;
    e->n_values = rows * p->info.width;
    e->values = (const float *)(const void *)values;
    return e;
}

static void mix_vertices(struct modelling *m, const struct edit_primvar *p, const int32_t *ids)
{
    const struct draft *d = &m->draft;
    const struct source s = {p->rows, NULL, p->info.width, p->info.type == PRIMVAR_I32};
    int64_t bytes = 4 * s.width, n = d->vertices.n + d->moved.n;
    char *table = take_floats(m, d->vertex_mixes.first.n * s.width), *values = take_floats(m, n * s.width);
    mixes_evaluate(&d->vertex_mixes, &s, table);
    for (int64_t i = 0; i < n; i++) {
        int32_t mix = i < d->vertices.n ? d->vertices.v[i] : d->moves.v[i - d->vertices.n];
        memcpy(values + i * bytes, table + mix * bytes, (size_t)bytes);
    }
    set_primvar(m, p, n, values, n)->ids = ids;
}

static void make_vertices(struct modelling *m)
{
    const struct draft *d = &m->draft;
    int64_t n = d->vertices.n + d->moved.n;
    if (d->vertices.n) {
        struct edit *e = add(m, EDIT_ADD_VERTICES, d->vertices.n);
        e->ids = NULL;
        e->values = d->points.v;
        e->n_values = e->n;
    }
    if (!n)
        return;
    const int32_t *ids = m->words.v + m->words.n;
    vertex_names(m);
    if (d->moved.n) {
        struct edit *e = add(m, EDIT_SET_POSITIONS, d->moved.n);
        e->ids = ids + d->vertices.n;
        e->values = d->moved_points.v;
        e->n_values = e->n;
    }
    for (int i = 0; i < m->w->n_primvars; i++) {
        const struct edit_primvar *p = &m->w->primvars[i];
        if (!p->removed && (p->info.interpolation == SDD_VERTEX || p->info.interpolation == SDD_VARYING))
            mix_vertices(m, p, ids);
    }
}

/* ---- faces ---- */
static void make_new_faces(struct modelling *m)
{
    const struct draft *d = &m->draft;
    int64_t n = 0, corner = 0;
    for (int64_t i = 0; i < d->kept.n; i++)
        n += d->kept.v[i] < 0;
    if (!n)
        return;
    struct edit *e = add(m, EDIT_ADD_FACES, n);
    e->counts = e->ids;
    for (int64_t i = 0; i < d->counts.n; i++)
        if (d->kept.v[i] < 0)
            word(m, d->counts.v[i]);
    e->corners = m->words.v + m->words.n;
    for (int64_t i = 0; i < d->counts.n; i++)
        for (int32_t k = 0; k < d->counts.v[i]; k++, corner++)
            if (d->kept.v[i] < 0)
                word(m, vertex_id(m, d->corners.v[corner]));
    e->n_corners = m->words.v + m->words.n - e->corners;
    e->ids = NULL;
}

/* A face gets UVs when all corners that its values come from have some. */
static bool has_uvs(const struct modelling *m, int64_t corner, int32_t count)
{
    const struct mixes *x = &m->draft.corner_mixes;
    for (int64_t c = corner; c < corner + count; c++) {
        int64_t mix = m->draft.values.v[c];
        for (int64_t i = x->first.v[mix]; i < mix_end(x, mix); i++)
            if (x->rows.v[i] >= 0 && m->w->st.of[x->rows.v[i]] < 0)
                return false;
    }
    return true;
}

static void make_uvs(struct modelling *m)
{
    const struct draft *d = &m->draft;
    const struct source s = {(const char *)m->w->st.values, m->w->st.of, 2, false};
    int64_t n_new = 0, corner = 0;
    if (!d->counts.n || !m->w->st.n_values)
        return;
    char *table = take_floats(m, 2 * d->corner_mixes.first.n), *values = take_floats(m, 2 * d->corners.n);
    mixes_evaluate(&d->corner_mixes, &s, table);
    struct edit *e = add(m, EDIT_SET_UVS, 0);
    for (int64_t i = 0; i < d->counts.n; corner += d->counts.v[i++]) {
        int32_t name = face_of_draft(m, i, &n_new);
        if (!has_uvs(m, corner, d->counts.v[i]))
            continue;
        word(m, name);
        e->n++;
        for (int32_t k = 0; k < d->counts.v[i]; k++)
            memcpy(values + 8 * e->n_values++, table + 8 * (int64_t)d->values.v[corner + k], 8);
    }
    e->values = (const float *)(const void *)values;
    m->n_primitives -= e->n == 0;
}

static void mix_corners(struct modelling *m, const struct edit_primvar *p, const int32_t *ids)
{
    const struct draft *d = &m->draft;
    const struct source s = {(const char *)p->channel.values, p->channel.of, p->info.width,
                             p->info.type == PRIMVAR_I32};
    int64_t bytes = 4 * s.width;
    char *table = take_floats(m, d->corner_mixes.first.n * s.width), *values = take_floats(m, d->corners.n * s.width);
    mixes_evaluate(&d->corner_mixes, &s, table);
    for (int64_t i = 0; i < d->corners.n; i++)
        memcpy(values + i * bytes, table + d->values.v[i] * bytes, (size_t)bytes);
    set_primvar(m, p, d->counts.n, values, d->corners.n)->ids = ids;
}

static void copy_faces(struct modelling *m, const struct edit_primvar *p, const int32_t *ids)
{
    const struct draft *d = &m->draft;
    int64_t bytes = 4 * (int64_t)p->info.width;
    char *values = take_floats(m, d->counts.n * p->info.width);
    for (int64_t i = 0; i < d->counts.n; i++)
        memcpy(values + i * bytes, p->rows + d->like.v[i] * bytes, (size_t)bytes);
    set_primvar(m, p, d->counts.n, values, d->counts.n)->ids = ids;
}

static void make_faces(struct modelling *m)
{
    const struct draft *d = &m->draft;
    int64_t n_new = 0;
    make_new_faces(m);
    make_uvs(m);
    if (!d->counts.n)
        return;
    const int32_t *ids = m->words.v + m->words.n;
    for (int64_t i = 0; i < d->counts.n; i++)
        word(m, face_of_draft(m, i, &n_new));
    for (int i = 0; i < m->w->n_primvars; i++) {
        const struct edit_primvar *p = &m->w->primvars[i];
        if (p->removed || p->info.interpolation == SDD_CONSTANT)
            continue;
        if (p->channel.of)
            mix_corners(m, p, ids);
        else if (p->info.interpolation == SDD_UNIFORM)
            copy_faces(m, p, ids);
    }
    struct edit *e = add(m, EDIT_SET_HOLES, 0);
    e->hole = 1;
    for (int64_t i = 0; i < d->counts.n; i++)
        if (m->w->face_state[d->like.v[i]] & FACE_HOLE) {
            word(m, ids[i]);
            e->n++;
        }
    m->n_primitives -= e->n == 0;
}

/* ---- all ---- */
static void make_tags(struct modelling *m)
{
    struct draft *d = &m->draft;
    d->n_creases = mesh_rows_clean(d->creases, d->n_creases);
    if (d->n_creases) {
        struct edit *e = add(m, EDIT_SET_CREASES, d->n_creases);
        char *values = take_floats(m, e->n);
        for (int64_t i = 0; i < e->n; i++) {
            word(m, vertex_id(m, (int32_t)(d->creases[i].key >> 32)));
            word(m, vertex_id(m, (int32_t)(d->creases[i].key & UINT32_MAX)));
            memcpy(values + 4 * i, &d->creases[i].sharpness, 4);
        }
        e->values = (const float *)(const void *)values;
        e->n_values = e->n;
    }
    if (d->tagged.n) {
        struct edit *e = add(m, EDIT_SET_CORNERS, d->tagged.n);
        for (int64_t i = 0; i < e->n; i++)
            word(m, vertex_id(m, d->tagged.v[i]));
        e->values = d->sharpness.v;
        e->n_values = e->n;
    }
}

int draft_primitives(struct modelling *m)
{
    const struct draft *d = &m->draft;
    m->n_primitives = m->n_names = 0;
    if (m->rc || make_room(m))
        return m->rc;
    make_vertices(m);
    if (d->removed_faces.n) {
        add(m, EDIT_REMOVE_FACES, d->removed_faces.n);
        for (int64_t i = 0; i < d->removed_faces.n; i++)
            word(m, face_id(m, d->removed_faces.v[i]));
    }
    make_faces(m);
    make_tags(m);
    if (d->removed_vertices.n) {
        add(m, EDIT_REMOVE_VERTICES, d->removed_vertices.n);
        for (int64_t i = 0; i < d->removed_vertices.n; i++)
            word(m, vertex_id(m, d->removed_vertices.v[i]));
    }
    return SDD_OK;
}
