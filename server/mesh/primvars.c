/* SPDX-License-Identifier: Apache-2.0 */
/* primvars.c: checks authored primvars, builds those of a mesh from them and describes them, for the codecs, for edits,
 * for the store and for requests that ask for primvars by name. */
#include "server/base/chars.h"
#include "server/base/shared.h"
#include "server/mesh/mesh.h"
#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct primvar_info) == 80, "no padding: it is stored as it stands");

static const char *const interpolations[] = {
    [SDD_CONSTANT] = "constant", [SDD_UNIFORM] = "uniform",          [SDD_VARYING] = "varying",
    [SDD_VERTEX] = "vertex",     [SDD_FACE_VARYING] = "faceVarying",
};
enum { N_INTERPOLATIONS = sizeof interpolations / sizeof *interpolations };
static const char *const types[] = {[PRIMVAR_F32] = "f32", [PRIMVAR_I32] = "i32"};

const char *primvar_interpolation(int32_t interpolation)
{
    return interpolations[interpolation];
}

const char *primvar_type(int32_t type)
{
    return types[type];
}

int64_t primvar_rows(int32_t interpolation, int64_t n_vertices, int64_t n_faces)
{
    switch (interpolation) {
    case SDD_CONSTANT: return 1;
    case SDD_UNIFORM: return n_faces;
    case SDD_FACE_VARYING: return -1;
    default: return n_vertices;
    }
}

int primvar_follows_surface(int32_t interpolation)
{
    return interpolation != SDD_CONSTANT && interpolation != SDD_UNIFORM;
}

int primvar_has_channel(const struct primvar_info *p)
{
    return p->interpolation == SDD_FACE_VARYING && p->n_values > 0;
}

void primvars_shapes(const struct primvar_info *infos, int n, struct sdd_primvar out[SDD_MAX_PRIMVARS])
{
    int32_t channel = 0;
    for (int i = 0; i < n; i++)
        out[i] = (struct sdd_primvar){.interpolation = infos[i].interpolation,
                                      .width = infos[i].width,
                                      .channel = primvar_has_channel(&infos[i]) ? channel++ : 0};
}

/* ---- authored primvars ---- */
static void join(char field[PRIMVAR_WHERE_SIZE + 24], const char *where, const char *member)
{
    (void)snprintf(field, PRIMVAR_WHERE_SIZE + 24, "%s.%s", where, member);
}

int primvar_name(struct primvar_array *out, const char *where, const char *name, struct sdd_error *err)
{
    char field[PRIMVAR_WHERE_SIZE + 24];
    memset(out, 0, sizeof *out);
    (void)snprintf(out->where, sizeof out->where, "%s", where);
    size_t n = strlen(name), good = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_:");
    join(field, where, "name");
    if (strcmp(name, "st") == 0)
        return sdd_fail(err, SDD_EINVALID, field, "%s: st has fields of its own, st and stIndices", field);
    if (n && good == n && n < PRIMVAR_NAME_SIZE && !isdigit((unsigned char)*name) && *name != ':') {
        memcpy(out->info.name, name, n);
        return SDD_OK;
    }
    int rc = sdd_fail(err, SDD_EINVALID, field, "%s is 1 to %d characters, [A-Za-z_][A-Za-z0-9_:]*", field,
                      PRIMVAR_NAME_SIZE - 1);
    if (err)
        err->available = PRIMVAR_NAME_SIZE - 1;
    return rc;
}

static int read_token(const char *token, const char *const *tokens, int n, const char *field, int32_t *out,
                      struct sdd_error *err)
{
    char shown[CHARS_SHOW_SIZE], list[64] = "";
    for (int i = 0; i < n; i++) {
        if (strcmp(token, tokens[i]) == 0) {
            *out = i;
            return SDD_OK;
        }
        (void)snprintf(list + strlen(list), sizeof list - strlen(list), i ? ", %s" : "%s", tokens[i]);
    }
    return sdd_fail(err, SDD_EINVALID, field, "%s is one of %s, not \"%s\"", field, list,
                    chars_show(token, strlen(token), shown));
}

int primvar_author(struct primvar_array *out, const char *where, const char *name, const char *interpolation,
                   const char *type, int64_t width, struct sdd_error *err)
{
    char field[PRIMVAR_WHERE_SIZE + 24];
    int rc = primvar_name(out, where, name, err);
    if (rc)
        return rc;
    join(field, where, "interpolation");
    rc = read_token(interpolation, interpolations, N_INTERPOLATIONS, field, &out->info.interpolation, err);
    join(field, where, "type");
    if (!rc && type && *type)
        rc = read_token(type, types, 2, field, &out->info.type, err);
    if (!rc && out->info.type != PRIMVAR_F32 && primvar_follows_surface(out->info.interpolation))
        rc = sdd_fail(err, SDD_EINVALID, field, "%s: %s values are f32; i32 is for constant and uniform", field,
                      interpolation);
    if (rc)
        return rc;
    join(field, where, "width");
    out->info.width = (int32_t)width;
    if (width >= 1 && width <= SDD_MAX_PRIMVAR_WIDTH)
        return SDD_OK;
    rc = sdd_fail(err, SDD_EINVALID, field, "%s is %lld; rows have 1 to %d numbers", field, (long long)width,
                  SDD_MAX_PRIMVAR_WIDTH);
    if (err)
        err->available = SDD_MAX_PRIMVAR_WIDTH;
    return rc;
}

int primvar_check(const struct primvar_info *p, const void *values, int64_t n_words, bool all, const char *where,
                  struct sdd_error *err)
{
    const float *v = values, limit = primvar_follows_surface(p->interpolation) ? SDD_MAX_COORDINATE : FLT_MAX;
    char field[PRIMVAR_WHERE_SIZE + 24];
    if (p->type != PRIMVAR_F32 || (!all && !primvar_follows_surface(p->interpolation)))
        return SDD_OK;
    join(field, where, "values");
    for (int64_t i = 0; i < n_words; i++)
        if (!(fabsf(v[i]) <= limit))
            return sdd_fail(err, SDD_EMESH, field, "%s[%lld] is %g; it must be finite and within +-%g", field,
                            (long long)i, (double)v[i], (double)limit);
    return SDD_OK;
}

/* ---- primvars of a mesh ---- */
int primvars_count(int64_t n, struct sdd_error *err)
{
    if (n <= SDD_MAX_PRIMVARS)
        return SDD_OK;
    int rc = sdd_fail(err, SDD_ETOO_LARGE, "primvars", "a mesh has %d primvars at most, not %lld", SDD_MAX_PRIMVARS,
                      (long long)n);
    if (err)
        err->needed = n, err->available = SDD_MAX_PRIMVARS;
    return rc;
}

static int check_indices(const struct primvar_array *a, int64_t rows, struct sdd_error *err)
{
    char field[PRIMVAR_WHERE_SIZE + 24];
    join(field, a->where, "indices");
    for (int64_t i = 0; i < a->indices.n; i++)
        if (a->indices.v[i] < 0 || a->indices.v[i] >= rows)
            return sdd_fail(err, SDD_EMESH, field, "%s[%lld] is %d of %lld rows", field, (long long)i, a->indices.v[i],
                            (long long)rows);
    return SDD_OK;
}

/* Checks the lengths of values and indices. *rows becomes the number of rows of values; `wanted` is how many rows, or
 * indices if there are any, the class needs. */
static int check_shape(const struct primvar_array *a, int64_t wanted, int64_t *rows, struct sdd_error *err)
{
    const struct primvar_info *p = &a->info;
    char field[PRIMVAR_WHERE_SIZE + 24];
    join(field, a->where, "values");
    *rows = a->n_words / p->width;
    if (a->n_words % p->width)
        return sdd_fail(err, SDD_EMESH, field, "%s has %lld numbers, which is no multiple of width %d", field,
                        (long long)a->n_words, p->width);
    if (*rows > INT32_MAX)
        return sdd_fail(err, SDD_ETOO_LARGE, field, "%s has %lld rows of at most %d", field, (long long)*rows,
                        INT32_MAX);
    if (a->indices.n)
        join(field, a->where, "indices");
    if ((a->indices.n ? a->indices.n : *rows) == wanted)
        return check_indices(a, *rows, err);
    return sdd_fail(err, SDD_EMESH, field, "%s has %lld rows; %s %s wants %lld", field,
                    (long long)(a->indices.n ? a->indices.n : *rows), interpolations[p->interpolation], p->name,
                    (long long)wanted);
}

static int copy_values(struct primvar *p, const struct primvar_array *a, struct sdd_error *err)
{
    size_t row = (size_t)p->info.width * 4;
    bool expand = a->indices.n && p->info.interpolation != SDD_FACE_VARYING;
    p->values = mesh_array(p->info.n_values, (int64_t)row, err);
    if (!p->values)
        return SDD_ENO_MEMORY;
    for (int64_t i = 0; expand && i < p->info.n_values; i++)
        memcpy((char *)p->values + (size_t)i * row, (const char *)a->values + (size_t)a->indices.v[i] * row, row);
    if (!expand && a->n_words)
        memcpy(p->values, a->values, (size_t)a->n_words * 4);
    return SDD_OK;
}

static int copy_indices(struct primvar *p, const struct primvar_array *a, int64_t n_corners, struct sdd_error *err)
{
    p->indices = mesh_array(n_corners, sizeof *p->indices, err);
    if (!p->indices)
        return SDD_ENO_MEMORY;
    for (int64_t i = 0; i < n_corners; i++)
        p->indices[i] = a->indices.n ? a->indices.v[i] : (int32_t)i;
    return SDD_OK;
}

/* What the primvars of a mesh take together. */
struct totals {
    int64_t made;         /* The bytes that indices create beyond those that were sent. */
    int64_t names, bytes; /* Of face sets. */
};

/* Builds one primvar, without the names of its sets. */
static int build(struct primvar *p, const struct primvar_array *a, const struct mesh *m, bool all, int64_t *made,
                 struct sdd_error *err)
{
    bool corners = a->info.interpolation == SDD_FACE_VARYING;
    int64_t rows = 0, wanted = primvar_rows(a->info.interpolation, m->n_vertices, m->n_faces);
    int rc = check_shape(a, corners ? m->n_corners : wanted, &rows, err);
    if (!rc)
        rc = primvar_check(&a->info, a->values, a->n_words, all, a->where, err);
    if (rc)
        return rc;
    *p = (struct primvar){.info = a->info};
    p->info.n_values = (int32_t)(corners ? rows : wanted);
    *made += corners || wanted < rows ? 0 : (wanted - rows) * a->info.width * 4;
    if (*made > PRIMVARS_MAX_MADE) {
        rc = sdd_fail(err, SDD_ETOO_LARGE, "primvars", "the indices of primvars make %lld bytes of values",
                      (long long)*made);
        if (err)
            err->needed = *made, err->available = PRIMVARS_MAX_MADE;
        return rc;
    }
    rc = copy_values(p, a, err);
    return rc || !corners ? rc : copy_indices(p, a, m->n_corners, err);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct primvar *)a)->info.name, ((const struct primvar *)b)->info.name);
}

static bool is_there(const struct mesh *m, const char *name)
{
    int i = 0;
    while (i < m->n_primvars && strcmp(m->primvars[i].info.name, name) != 0)
        i++;
    return i < m->n_primvars;
}

/* Adds a primvar to m, unless there is something wrong with it and a loss may be made of that. */
static int add(struct mesh *m, const struct primvar_array *a, struct totals *t, struct losses *l, struct sdd_error *err)
{
    struct primvar *p = &m->primvars[m->n_primvars];
    struct sdd_error why = {0};
    char kind[PRIMVAR_NAME_SIZE + 8], done[PRIMVAR_NAME_SIZE + 24];
    int bad = is_there(m, a->info.name)
                  ? sdd_fail(&why, l ? SDD_EMESH : SDD_EINVALID, "primvars", "primvar %s is there twice", a->info.name)
                  : build(p, a, m, l != NULL, &t->made, &why);
    (void)snprintf(kind, sizeof kind, "primvar %s", a->info.name);
    (void)snprintf(done, sizeof done, "%s is left out", kind);
    if (!bad) {
        m->n_primvars++;
        return set_names_build(p, a, &t->names, &t->bytes, l, err);
    }
    shared_free(p->values);
    shared_free(p->indices);
    memset(p, 0, sizeof *p);
    return losses_take(l, bad, &why, kind, done, err);
}

int primvars_add(struct mesh *m, const struct primvar_array *const *arrays, int n, struct losses *l,
                 struct sdd_error *err)
{
    struct totals t = {0};
    int rc = SDD_OK;
    for (int i = 0; i < m->n_primvars; i++) {
        t.names += m->primvars[i].sets.n;
        t.bytes += m->primvars[i].sets.bytes;
    }
    for (int i = 0; i < n && !rc; i++)
        rc = add(m, arrays[i], &t, l, err);
    if (rc)
        return rc;
    qsort(m->primvars, (size_t)m->n_primvars, sizeof *m->primvars, by_name);
    for (int i = 0; i < m->n_primvars; i++)
        if (primvar_has_channel(&m->primvars[i].info))
            m->channels[m->n_channels++] = (struct sdd_channel){m->primvars[i].info.n_values, m->primvars[i].indices};
    return SDD_OK;
}

int primvars_build(struct mesh *m, const struct mesh_arrays *a, struct sdd_error *err)
{
    const struct primvar_array *arrays[SDD_MAX_PRIMVARS];
    if (!a->n_primvars)
        return SDD_OK;
    m->primvars = calloc((size_t)a->n_primvars, sizeof *m->primvars);
    if (!m->primvars)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for primvars");
    for (int i = 0; i < a->n_primvars; i++)
        arrays[i] = &a->primvars[i];
    return primvars_add(m, arrays, a->n_primvars, a->losses, err);
}

void primvars_arrays(const struct mesh *m, struct mesh_arrays *out)
{
    out->n_primvars = m->n_primvars;
    for (int i = 0; i < m->n_primvars; i++) {
        const struct primvar *p = &m->primvars[i];
        out->primvars[i] = (struct primvar_array){
            .info = p->info,
            .values = p->values,
            .n_words = (int64_t)p->info.n_values * p->info.width,
            .indices = {p->indices, p->indices ? m->n_corners : 0},
            .sets = p->sets,
        };
    }
}

int64_t primvars_bytes(const struct mesh *m)
{
    int64_t bytes = m->n_primvars * (int64_t)sizeof *m->primvars;
    for (int i = 0; i < m->n_primvars; i++) {
        const struct primvar *p = &m->primvars[i];
        bytes += 4 * ((int64_t)p->info.n_values * p->info.width + (p->indices ? m->n_corners : 0)) + p->sets.bytes;
    }
    return bytes;
}

int primvars_list(const struct mesh *m, struct primvar_info infos[SDD_MAX_PRIMVARS])
{
    for (int i = 0; i < m->n_primvars; i++)
        infos[i] = m->primvars[i].info;
    return m->n_primvars;
}

int primvar_find(const struct primvar_info *infos, int n, const char *name)
{
    int i = 0;
    while (i < n && strcmp(infos[i].name, name) != 0)
        i++;
    return i < n ? i : -1;
}
