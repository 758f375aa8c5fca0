/* SPDX-License-Identifier: Apache-2.0 */
/* merge_layers.c: the UVs and primvars of a mesh that is made of two (merge_work.h). Values at corners that two faces
 * shared are shared again, so that no seam opens and none closes. */
#include "server/mesh/merge_work.h"
#include <stdlib.h>
#include <string.h>

void merge_layers_fini(struct merge *m)
{
    for (int i = 0; i < m->n_made; i++)
        free(m->made[i]);
}

/* Memory that merge_layers_fini frees, zeroed. */
static void *make(struct merge *m, int64_t n, int64_t bytes)
{
    void *p = mesh_alloc(n, bytes, m->err);
    if (p)
        memset(m->made[m->n_made++] = p, 0, (size_t)(n * bytes));
    return p;
}

/* A layer of the new mesh and where it comes from. */
struct source {
    const struct mesh_layer *of[2]; /* The layer in each mesh, or NULL where that has none whose rows fit. */
    struct primvar_info info;
    struct set_names sets;
    int first; /* The mesh that is asked first for an element that comes from neither in particular; -1: its own. */
};

/* Rows of values for each vertex or face. An element that has none keeps its zeros. */
static void gather_rows(const struct source *s, const struct merge_elements *e, char *out)
{
    const size_t row = 4 * (size_t)s->info.width;
    for (int64_t i = 0; i < e->n; i++) {
        const struct merge_element *x = &e->list[i];
        int from = s->first < 0 ? x->from : s->first;
        if (!s->of[from] || x->row[from] == SDD_NO_ROW)
            from = !from;
        if (s->of[from] && x->row[from] != SDD_NO_ROW)
            memcpy(out + (size_t)i * row, s->of[from]->values + (size_t)x->row[from] * row, row);
    }
}

/* The values of a faceVarying layer: first those of theirs, behind them those of mine that theirs has not, and then a
 * row of zeros for each corner without a value. */
struct corner_values {
    const struct source *source;
    int64_t first[2];   /* Where the rows of each mesh begin. */
    int64_t n;          /* How many rows there are with those of zeros. */
    int32_t *as_theirs; /* [rows of mine] The row of theirs that is the same one, or SDD_NO_ROW. */
};

static bool same_vertex(const struct merge *m, int64_t mine, int64_t theirs)
{
    return m->pair.vertex_to[m->mesh[MERGE_MINE]->face_vertices[mine]] == m->mesh[MERGE_THEIRS]->face_vertices[theirs];
}

/* Finds which rows of mine are rows of theirs: they stand at the same corner of a face that both left alone. */
static void pair_values(const struct merge *m, struct corner_values *v)
{
    const struct mesh_layer *mine = v->source->of[MERGE_MINE], *theirs = v->source->of[MERGE_THEIRS];
    const size_t row = 4 * (size_t)v->source->info.width;
    for (int64_t i = 0; i < m->faces.n; i++) {
        const struct merge_element *e = &m->faces.list[i];
        if (e->from == MERGE_MINE || e->row[MERGE_MINE] == SDD_NO_ROW)
            continue;
        const int64_t a = m->starts[MERGE_MINE][e->row[MERGE_MINE]], b = m->starts[MERGE_THEIRS][e->row[MERGE_THEIRS]];
        const int32_t n = m->mesh[MERGE_THEIRS]->face_counts[e->row[MERGE_THEIRS]];
        for (int32_t k = 0; k < n && n == m->mesh[MERGE_MINE]->face_counts[e->row[MERGE_MINE]]; k++) {
            const int32_t x = mine->indices[a + k], y = theirs->indices[b + k];
            if (v->as_theirs[x] == SDD_NO_ROW && same_vertex(m, a + k, b + k) &&
                memcmp(mine->values + (size_t)x * row, theirs->values + (size_t)y * row, row) == 0)
                v->as_theirs[x] = y;
        }
    }
}

static int32_t row_of_corner(const struct merge *m, struct corner_values *v, const struct merge_element *e, int32_t k)
{
    const struct source *s = v->source;
    int from = s->first < 0 ? e->from : s->first;
    if (!s->of[from] || e->row[from] == SDD_NO_ROW)
        from = !from;
    /* Another mesh may have the face with other corners. */
    if (!s->of[from] || e->row[from] == SDD_NO_ROW ||
        m->mesh[from]->face_counts[e->row[from]] != m->mesh[e->from]->face_counts[e->row[e->from]])
        return (int32_t)v->n++;
    const int32_t value = s->of[from]->indices[m->starts[from][e->row[from]] + k];
    if (from == MERGE_MINE && v->as_theirs[value] != SDD_NO_ROW)
        return v->as_theirs[value];
    return (int32_t)(v->first[from] + value);
}

/* Drops the rows that no corner has. Returns how many are left. */
static int64_t close_up(char *values, size_t row, int64_t n, int32_t *indices, int64_t n_corners, int32_t *to)
{
    int64_t kept = 0;
    memset(to, 0, (size_t)n * sizeof *to);
    for (int64_t c = 0; c < n_corners; c++)
        to[indices[c]] = 1;
    for (int64_t i = 0; i < n; i++) {
        if (!to[i])
            continue;
        memmove(values + (size_t)kept * row, values + (size_t)i * row, row);
        to[i] = (int32_t)kept++;
    }
    for (int64_t c = 0; c < n_corners; c++)
        indices[c] = to[indices[c]];
    return kept;
}

static int gather_corners(struct merge *m, struct source *s, char **values, int32_t **indices)
{
    const int64_t mine = s->of[MERGE_MINE] ? s->of[MERGE_MINE]->info.n_values : 0,
                  theirs = s->of[MERGE_THEIRS] ? s->of[MERGE_THEIRS]->info.n_values : 0,
                  room = mine + theirs + m->n_corners;
    const size_t row = 4 * (size_t)s->info.width;
    struct corner_values v = {s, {theirs, 0}, mine + theirs, mesh_alloc(mine, sizeof(int32_t), m->err)};
    int32_t *to = mesh_alloc(room, sizeof *to, m->err);
    int64_t corner = 0;
    *values = make(m, room, (int64_t)row);
    *indices = *values ? make(m, m->n_corners, sizeof **indices) : NULL;
    int rc = !v.as_theirs || !to || !*indices ? SDD_ENO_MEMORY
             : room > INT32_MAX ? sdd_fail(m->err, SDD_ETOO_LARGE, "", "%s would pass 2^31 rows", s->info.name)
                                : SDD_OK;
    if (!rc) {
        memset(v.as_theirs, 0xff, (size_t)mine * sizeof *v.as_theirs); /* SDD_NO_ROW is -1. */
        if (theirs)
            memcpy(*values, s->of[MERGE_THEIRS]->values, (size_t)theirs * row);
        if (mine)
            memcpy(*values + (size_t)theirs * row, s->of[MERGE_MINE]->values, (size_t)mine * row);
        if (mine && theirs)
            pair_values(m, &v);
        for (int64_t i = 0; i < m->faces.n; i++)
            for (int32_t k = 0; k < m->face_counts[i]; k++)
                (*indices)[corner++] = row_of_corner(m, &v, &m->faces.list[i], k);
        s->info.n_values = (int32_t)close_up(*values, row, v.n, *indices, m->n_corners, to);
    }
    free(v.as_theirs);
    free(to);
    return rc;
}

static int add(struct merge *m, struct source *s)
{
    const bool corners = s->info.interpolation == SDD_FACE_VARYING, faces = s->info.interpolation == SDD_UNIFORM;
    const int64_t rows = s->info.interpolation == SDD_CONSTANT ? 1 : faces ? m->faces.n : m->vertices.n;
    char *values = NULL;
    int32_t *indices = NULL;
    int rc = SDD_OK;
    if (corners)
        rc = gather_corners(m, s, &values, &indices);
    else if (!(values = make(m, rows, 4 * (int64_t)s->info.width)))
        rc = SDD_ENO_MEMORY;
    else if (s->info.interpolation == SDD_CONSTANT) {
        const int from = s->first >= 0 && s->of[s->first] ? s->first : MERGE_THEIRS;
        memcpy(values, s->of[from]->values, 4 * (size_t)s->info.width);
    } else
        gather_rows(s, faces ? &m->faces : &m->vertices, values);
    if (rc)
        return rc;
    if (!corners)
        s->info.n_values = (int32_t)rows;
    if (strcmp(s->info.name, "st") == 0) {
        m->arrays.uvs = (struct f32s){(float *)(void *)values, 2 * (int64_t)s->info.n_values};
        m->arrays.uv_indices = (struct i32s){indices, s->info.n_values ? m->n_corners : 0};
        return SDD_OK;
    }
    m->arrays.primvars[m->arrays.n_primvars++] =
        (struct primvar_array){.info = s->info,
                               .values = values,
                               .n_words = (int64_t)s->info.n_values * s->info.width,
                               .indices = {indices, corners ? m->n_corners : 0},
                               .sets = s->sets};
    return SDD_OK;
}

static bool changed_whole(const struct mesh_changes *c, const char *name)
{
    for (int i = 0; i < c->n_layers; i++)
        if (c->layers[i].whole && strcmp(c->layers[i].name, name) == 0)
            return true;
    return false;
}

/* Adds the layer of this name: as mine has it when mine has put, removed or replaced it, else as theirs has it. */
static int add_named(struct merge *m, const char *name)
{
    const bool whole = changed_whole(m->changes, name);
    const struct mesh_layer *of[2];
    for (int k = 0; k < 2; k++)
        of[k] = mesh_layer_find(m->layers[k], m->n_layers[k], name);
    const struct mesh_layer *like = of[whole ? MERGE_MINE : MERGE_THEIRS];
    struct source s = {.first = whole ? MERGE_MINE : -1};
    if (!like)
        return SDD_OK;
    for (int k = 0; k < 2; k++)
        s.of[k] = of[k] && mesh_layer_alike(of[k], like) ? of[k] : NULL;
    s.info = like->info;
    s.sets = like->sets;
    if (m->arrays.n_primvars == SDD_MAX_PRIMVARS && strcmp(name, "st") != 0)
        return primvars_count(SDD_MAX_PRIMVARS + 1, m->err);
    return add(m, &s);
}

int merge_layers(struct merge *m)
{
    int rc = SDD_OK;
    for (int k = 0; k < 2; k++)
        m->n_layers[k] = mesh_layers(m->mesh[k], m->layers[k]);
    for (int i = 0; i < m->n_layers[MERGE_THEIRS] && !rc; i++)
        rc = add_named(m, m->layers[MERGE_THEIRS][i].info.name);
    for (int i = 0; i < m->n_layers[MERGE_MINE] && !rc; i++) {
        const char *name = m->layers[MERGE_MINE][i].info.name;
        if (!mesh_layer_find(m->layers[MERGE_THEIRS], m->n_layers[MERGE_THEIRS], name))
            rc = add_named(m, name);
    }
    return rc;
}
