/* SPDX-License-Identifier: Apache-2.0 */
/* usda_primvars.c: reads the primvars of a Mesh for usda_reader.c, and decides which of them are the UVs and which a
 * mesh can keep. */
#include "server/mesh/formats/usda_primvars.h"
#include "server/base/chars.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char prefix[] = "primvars:", suffix[] = ":indices";
enum { PREFIX = sizeof prefix - 1, SUFFIX = sizeof suffix - 1 };

/* ---- names and types --------------------------------------------------------------------------------------------- */

/* The names that types had before 2016, which USD still reads. */
static bool old_type_of(struct usda_span name, struct usda_type *out)
{
    static const char *const threes[] = {"Color",  "ColorFloat",  "Point",  "PointFloat",
                                         "Normal", "NormalFloat", "Vector", "VectorFloat"};
    *out = (struct usda_type){.width = 3};
    for (size_t i = 0; i < sizeof threes / sizeof *threes; i++)
        if (usda_span_is(name, threes[i]))
            return true;
    if (name.bytes != 5 || memcmp(name.text, "Vec", 3) != 0 || !memchr("234", name.text[3], 3) ||
        !memchr("fdhi", name.text[4], 4))
        return false;
    *out = (struct usda_type){.width = name.text[3] - '0', .integer = name.text[4] == 'i'};
    return true;
}

/* Fills *out from USD's name of a type. Returns false when it is not numbers or has more than four components. */
static bool type_of(struct usda_span name, struct usda_type *out, bool *coordinate)
{
    static const struct {
        const char *stem;
        bool integer;
        bool role; /* The name goes on with the number of components and a letter for their type, as in color3f. */
    } stems[] = {{"float", false, false}, {"double", false, false}, {"half", false, false},  {"int64", true, false},
                 {"int", true, false},    {"uint", true, false},    {"uchar", true, false},  {"color", false, true},
                 {"normal", false, true}, {"point", false, true},   {"vector", false, true}, {"texCoord", false, true},
                 {"quat", false, false}};
    for (size_t i = 0; i < sizeof stems / sizeof *stems; i++) {
        const size_t n = strlen(stems[i].stem);
        const char *at = name.text + n, *end = name.text + name.bytes;
        if (name.bytes < n || memcmp(name.text, stems[i].stem, n) != 0)
            continue;
        *coordinate = strcmp(stems[i].stem, "texCoord") == 0;
        if (strcmp(stems[i].stem, "quat") == 0) {
            *out = (struct usda_type){.width = 4};
            return end - at == 1 && memchr("fhd", *at, 3);
        }
        const bool wide = at < end && *at >= '2' && *at <= '4';
        *out = (struct usda_type){.width = wide ? *at - '0' : 1, .integer = stems[i].integer};
        at += wide;
        if (stems[i].role && wide && at < end && memchr("fhd", *at, 3))
            at++;
        else if (stems[i].role)
            return false;
        if (at == end)
            return true;
    }
    *coordinate = false;
    return old_type_of(name, out);
}

bool usda_primvar_name(const char *name)
{
    size_t n = strlen(name);
    for (size_t i = 0; i <= n; i++) /* No part between colons may be empty or begin with a digit. */
        if ((i == 0 || name[i - 1] == ':') && (!name[i] || name[i] == ':' || (name[i] >= '0' && name[i] <= '9')))
            return false;
    return n < PRIMVAR_NAME_SIZE && !(n >= SUFFIX && strcmp(name + n - SUFFIX, suffix) == 0) &&
           strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_:") == n;
}

/* True for names under which programs keep UVs as plain pairs of floats: st, uv0, uv_1, UVMap, map1. */
static bool is_uv_name(const char *name)
{
    static const char *const names[] = {"st", "uv", "uvmap", "uvset"};
    size_t n = strlen(name);
    while (n && name[n - 1] >= '0' && name[n - 1] <= '9')
        n--;
    n -= n && name[n - 1] == '_';
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (n == strlen(names[i]) && strncasecmp(name, names[i], n) == 0)
            return true;
    return strcasecmp(name, "map1") == 0;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

struct primvars_reader {
    struct usda_primvars *p;
    const struct usda_stage *stage;
    const struct usda_ask *ask;
    struct losses *losses;
    struct sdd_error *err;
    int32_t mesh, prim; /* The Mesh, and the prim whose fields are seen: it, or one above. */
};

/* Takes the interpolation and elementSize in the metadata of a field, which begins at the current token "(". An
 * elementSize that is no integer is kept as 0, which take_one refuses. */
static int take_metadata(struct usda_lexer *lx, struct usda_primvar *p)
{
    char shown[CHARS_SHOW_SIZE];
    int rc = usda_next(lx);
    while (!rc && lx->kind != ')' && lx->kind != USDA_END) {
        const struct usda_span name = usda_token(lx);
        rc = usda_next(lx);
        if (rc || lx->kind != '=')
            continue;
        rc = usda_next(lx);
        const char *at = lx->text;
        if (!rc && usda_span_is(name, "interpolation") && lx->kind == USDA_STRING)
            (void)snprintf(p->interpolation, sizeof p->interpolation, "%.15s", chars_show(lx->text, lx->bytes, shown));
        if (!rc && usda_span_is(name, "elementSize") && chars_i64(&at, at + lx->bytes, &p->element_size) != 1)
            p->element_size = 0;
        if (!rc)
            rc = usda_skip(lx, NULL);
    }
    return rc;
}

static int lose(struct primvars_reader *r, const char *name, int64_t line, const char *why)
{
    char kind[LOSS_KIND_SIZE];
    (void)snprintf(kind, sizeof kind, "primvar %.70s", name);
    return losses_add(r->losses, name, kind, r->err, "line %lld: primvars:%s is not kept: %s", (long long)line, name,
                      why);
}

static int too_many(struct losses *l, const char *name, int64_t line, struct sdd_error *err)
{
    return losses_add(l, "primvars", "primvars", err, "line %lld: primvars:%s is not kept: a mesh has at most %d",
                      (long long)line, name, SDD_MAX_PRIMVARS);
}

/* The primvar of a name, added when it is new. *p is NULL when there are too many. */
static int primvar_of(struct primvars_reader *r, const char *name, int64_t line, struct usda_primvar **p)
{
    *p = NULL;
    for (int i = 0; i < r->p->n && !*p; i++)
        if (strcmp(r->p->v[i].name, name) == 0)
            *p = &r->p->v[i];
    if (*p)
        return SDD_OK;
    if (r->p->n == USDA_MAX_PRIMVARS)
        return too_many(r->losses, name, line, r->err);
    *p = &r->p->v[r->p->n++];
    **p = (struct usda_primvar){.element_size = 1, .interpolation = "constant", .line = line};
    memcpy((*p)->name, name, strlen(name) + 1);
    return SDD_OK;
}

/* Sees a field: notes the primvar to which it belongs, and its metadata. Values are read later. */
static int see(void *arg, const struct usda_field *f)
{
    struct primvars_reader *r = arg;
    char name[PRIMVAR_NAME_SIZE], shown[CHARS_SHOW_SIZE];
    struct usda_declaration d;
    struct usda_primvar *p;
    struct usda_lexer lx;
    struct usda_type type;
    bool there, coordinate;
    if (f->kind == USDA_META || f->kind == USDA_REL || f->kind == USDA_CONNECTED)
        return SDD_OK;
    int rc = usda_field_open(r->stage->layer, f, &lx, &d, &there, r->err);
    if (rc || d.name.bytes <= PREFIX || memcmp(d.name.text, prefix, PREFIX) != 0)
        return rc;
    d.name = (struct usda_span){d.name.text + PREFIX, d.name.bytes - PREFIX};
    const bool indices = d.name.bytes > SUFFIX && memcmp(d.name.text + d.name.bytes - SUFFIX, suffix, SUFFIX) == 0;
    d.name.bytes -= indices ? SUFFIX : 0;
    (void)snprintf(name, sizeof name, "%.*s", (int)(d.name.bytes < sizeof name ? d.name.bytes : 0), d.name.text);
    if (usda_span_is(d.name, "normals")) /* As the attribute of that name: a surface has its own. */
        return SDD_OK;
    const bool numbers = type_of(d.type, &type, &coordinate);
    if (!numbers || !usda_primvar_name(name)) {
        char what[CHARS_SHOW_SIZE + 60], full[CHARS_SHOW_SIZE];
        if (r->prim != r->mesh)
            return SDD_OK;
        (void)snprintf(what, sizeof what, "its type %s is none of numbers that a mesh keeps",
                       chars_show(d.type.text, d.type.bytes, shown));
        return lose(r, chars_show(d.name.text, d.name.bytes, full), f->line,
                    numbers ? "no primvar can have this name" : what);
    }
    if ((rc = primvar_of(r, name, f->line, &p)) || !p || indices)
        return rc;
    if (p->prim != r->prim) {
        p->element_size = 1;
        memcpy(p->interpolation, "constant", sizeof "constant");
    }
    p->prim = r->prim;
    p->line = f->line;
    p->type = type;
    p->type.lone = !d.list;
    p->type.any = true;
    p->is_uv = type.width == 2 && !type.integer && d.list && (coordinate || is_uv_name(name));
    if (!rc && lx.kind == '=')
        rc = usda_next(&lx);
    if (!rc && (there || lx.kind == USDA_NAME))
        rc = usda_skip(&lx, NULL);
    return rc || lx.kind != '(' ? rc : take_metadata(&lx, p);
}

/* Reads the values or the indices of a primvar. What is wrong in them is a loss. */
static int read_array(struct primvars_reader *r, struct usda_primvar *p, bool indices)
{
    char name[PRIMVAR_NAME_SIZE + PREFIX + SUFFIX];
    static const struct usda_type integers = {.width = 1, .integer = true};
    struct usda_lexer lx;
    struct sdd_error why = {0};
    bool *there = indices ? &p->has_indices : &p->has_values;
    (void)snprintf(name, sizeof name, "%s%s%s", prefix, p->name, indices ? suffix : "");
    int rc = usda_value(r->stage, usda_find(r->stage, p->prim, name, false), r->ask, &lx, NULL, there, r->losses, &why);
    if (!rc && *there)
        rc = usda_numbers(&lx, name, indices ? integers : p->type, (int64_t)r->stage->layer->bytes,
                          indices ? &p->indices : &p->values);
    if (rc == SDD_ENO_MEMORY || rc == SDD_ECANCELLED || (rc && r->losses && r->losses->strict)) {
        if (r->err)
            *r->err = why;
        return rc;
    }
    if (!rc)
        return SDD_OK;
    p->has_values = p->has_indices = false;
    char kind[LOSS_KIND_SIZE];
    (void)snprintf(kind, sizeof kind, "primvar %.70s", p->name);
    return losses_add(r->losses, p->name, kind, r->err, "%s: primvars:%s is not kept", why.text, p->name);
}

int usda_primvars_read(struct usda_primvars *p, const struct usda_stage *stage, int32_t prim,
                       const struct usda_ask *ask, struct losses *losses, struct sdd_error *err)
{
    struct primvars_reader r = {.p = p, .stage = stage, .ask = ask, .losses = losses, .err = err, .mesh = prim};
    int32_t line[USDA_MAX_DEPTH + 1]; /* The prim, and those above it. */
    int n = 0, rc = SDD_OK;
    for (int32_t at = prim; at > 0 && n <= USDA_MAX_DEPTH; at = stage->prims[at].parent)
        line[n++] = at;
    while (n-- > 0 && !rc) { /* From the root on, so that a nearer one wins. */
        r.prim = line[n];
        rc = usda_each(stage, r.prim, see, &r);
    }
    for (int i = 0; i < p->n && !rc; i++) {
        struct usda_primvar *v = &p->v[i];
        if (v->prim != prim && strcmp(v->interpolation, "constant") != 0)
            continue;
        rc = read_array(&r, v, false);
        if (!rc && v->has_values)
            rc = read_array(&r, v, true);
    }
    return rc;
}

/* ---- taking ------------------------------------------------------------------------------------------------------ */

/* The primvar that is the UVs: st; else the first that is_uv says of. *others counts further ones. */
static struct usda_primvar *find_uvs(struct usda_primvars *p, int *others)
{
    struct usda_primvar *uvs = NULL;
    *others = 0;
    for (int i = 0; i < p->n; i++)
        if (p->v[i].is_uv && p->v[i].has_values && strcmp(p->v[i].name, "st") == 0)
            return &p->v[i];
    for (int i = 0; i < p->n; i++) {
        if (!p->v[i].is_uv || !p->v[i].has_values)
            continue;
        *others += uvs != NULL;
        uvs = uvs ? uvs : &p->v[i];
    }
    return uvs;
}

/* The row of values that corner c of face f has, which uses vertex v: by the class of the primvar. */
static int64_t row_of(const struct usda_primvar *p, char class, int64_t f, int64_t c, int32_t v)
{
    const int64_t row = class == 'c' ? 0 : class == 'u' ? f : class == 'v' ? v : c;
    if (!p->has_indices)
        return row;
    return row >= 0 && row < p->indices.n ? p->indices.i[row] : -1;
}

/* How many values, or indices where there are some, a class wants; -1 for a class that is not known. *class becomes the
 * letter that row_of takes. */
static int64_t rows_of(const char *interpolation, const struct mesh_arrays *a, char *class)
{
    static const char *const names[] = {"constant", "uniform", "vertex", "varying", "faceVarying"};
    static const char letters[] = "cuvvf";
    const int64_t rows[] = {1, a->face_counts.n, a->points.n / 3, a->points.n / 3, a->face_vertices.n};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(interpolation, names[i]) == 0) {
            *class = letters[i];
            return rows[i];
        }
    return -1;
}

/* Files are about whose elementSize says how many values there are in all. What fits the mesh with 1 and not with it is
 * read with 1. */
static void fit_element_size(struct usda_primvar *p, const struct mesh_arrays *a)
{
    char class;
    const int64_t rows = p->values.n / p->type.width;
    int64_t top = -1;
    for (int64_t i = 0; p->has_indices && i < p->indices.n; i++)
        top = p->indices.i[i] > top ? p->indices.i[i] : top;
    if (p->element_size > 1 && (p->has_indices ? top < rows && top >= rows / p->element_size
                                               : rows == rows_of(p->interpolation, a, &class) && rows != 1))
        p->element_size = 1;
}

/* Makes a the UVs of a primvar of any class: mesh_build wants a row of values for each face corner. A length or class
 * that is wrong is a loss; rows that are not there are found by mesh_build. */
static int take_uvs(struct usda_primvar *p, struct mesh_arrays *a, struct sdd_error *err)
{
    char class = 0;
    const int64_t wanted = rows_of(p->interpolation, a, &class), n = a->face_vertices.n,
                  given = p->has_indices ? p->indices.n : p->values.n / 2;
    if (wanted < 0 || p->element_size != 1)
        return losses_add(a->losses, "st", "st", err,
                          "line %lld: primvars:%s has interpolation \"%s\" and elementSize %lld: the UVs are left out",
                          (long long)p->line, p->name, p->interpolation, (long long)p->element_size);
    if (given != wanted)
        return losses_add(a->losses, "st", "st", err,
                          "line %lld: primvars:%s has %lld %s, %s wants %lld: the UVs are left out", (long long)p->line,
                          p->name, (long long)given, p->has_indices ? "indices" : "values", p->interpolation,
                          (long long)wanted);
    struct words rows = {0};
    int rc = words_room(&rows, n, n, "st", err);
    for (int64_t f = 0; f < a->face_counts.n && !rc; f++)
        for (int32_t k = 0; k < a->face_counts.v[f] && rows.n < n; k++, rows.n++)
            rows.i[rows.n] = (int32_t)row_of(p, class, f, rows.n, a->face_vertices.v[rows.n]);
    free(p->indices.p);
    p->indices = rows;
    a->uvs = words_f32s(&p->values);
    a->uv_indices = words_i32s(&p->indices);
    return rc;
}

/* An st that is no UVs, because of its type, has another name as a primvar. */
static void rename_st(const struct usda_primvars *all, struct usda_primvar *p)
{
    char name[PRIMVAR_NAME_SIZE];
    (void)snprintf(name, sizeof name, "st_%s", p->interpolation);
    for (int i = 0; i < all->n; i++)
        if (strcmp(all->v[i].name, name) == 0)
            return;
    memcpy(p->name, name, sizeof name);
}

/* Adds a primvar to a, or tells why it cannot be kept. */
static int take_one(struct usda_primvar *p, struct mesh_arrays *a, struct sdd_error *err)
{
    struct sdd_error why = {0};
    int64_t width = p->type.width;
    const bool constant = strcmp(p->interpolation, "constant") == 0;
    if (p->element_size < 1 || p->element_size > SDD_MAX_PRIMVAR_WIDTH)
        (void)snprintf(why.text, sizeof why.text, "its elementSize is not 1 to %d", SDD_MAX_PRIMVAR_WIDTH);
    else if (a->n_primvars == SDD_MAX_PRIMVARS)
        return too_many(a->losses, p->name, p->line, err);
    else {
        width *= p->element_size;
        if (constant && !p->has_indices) /* The whole array is the one row of the mesh. */
            width = p->values.n;
        struct primvar_array *to = &a->primvars[a->n_primvars];
        if (primvar_author(to, p->name, p->name, p->interpolation, p->type.integer ? "i32" : "f32", width, &why) ==
            SDD_OK) {
            to->values = p->values.p;
            to->n_words = p->values.n;
            if (p->has_indices)
                to->indices = words_i32s(&p->indices);
            a->n_primvars++;
            return SDD_OK;
        }
    }
    char kind[LOSS_KIND_SIZE];
    (void)snprintf(kind, sizeof kind, "primvar %.70s", p->name);
    return losses_add(a->losses, p->name, kind, err, "line %lld: primvars:%s is not kept: %.160s", (long long)p->line,
                      p->name, why.text);
}

int usda_primvars_take(struct usda_primvars *p, struct mesh_arrays *a, struct sdd_error *err)
{
    int others, rc = SDD_OK;
    struct usda_primvar *uvs = find_uvs(p, &others);
    for (int i = 0; i < p->n; i++)
        if (p->v[i].has_values)
            fit_element_size(&p->v[i], a);
    if (uvs)
        rc = take_uvs(uvs, a, err);
    if (!rc && uvs && others)
        rc =
            losses_add(a->losses, "st", "UVs", err,
                       "line %lld: primvars:%s is taken as the UVs, as the first of %d of texture coordinates of which "
                       "none is st; the others stay primvars",
                       (long long)uvs->line, uvs->name, others + 1);
    for (int i = 0; i < p->n && !rc; i++) {
        struct usda_primvar *v = &p->v[i];
        if (v == uvs || !v->has_values)
            continue;
        if (strcmp(v->name, "st") == 0)
            rename_st(p, v);
        rc = take_one(v, a, err);
    }
    return rc;
}

void usda_primvars_free(struct usda_primvars *p)
{
    for (int i = 0; i < p->n; i++) {
        free(p->v[i].values.p);
        free(p->v[i].indices.p);
    }
    p->n = 0;
}
