/* SPDX-License-Identifier: Apache-2.0 */
/* json.c: reads JSON bodies: meshes, positions and edits, for the routes that take them. The fields are those of
 * proto/subdd.proto under their ProtoJSON names, and arrays are JSON arrays. */
#include "server/mesh/formats/json_text.h"
#include "gpu/sdd/sdd_fair.h"
#include "gpu/sdd/sdd_fields.h"
#include "server/mesh/formats/codec.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { N_OPTIONS = 6 };

/* Parses the body and makes the arena for what is read. The arena may take 4 times the body, because a number of 2
 * characters becomes 4 bytes. */
static int begin(const void *body, size_t bytes, cJSON **json, struct arena **arena, struct sdd_error *err)
{
    *arena = NULL;
    int rc = json_parse(body, bytes, json, err);
    if (rc)
        return rc;
    *arena = arena_create(4 * (int64_t)bytes + (1 << 20));
    return *arena ? SDD_OK : sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for the body");
}

/* Reads the options, which may stand in "options" or beside the arrays. The same option in both places is an error. */
static int read_options(const cJSON *object, const cJSON *const *flat, struct sdd_options *o, struct sdd_error *err)
{
    const char *names[N_OPTIONS];
    const cJSON *inner[N_OPTIONS] = {0};
    for (int i = 0; i < N_OPTIONS; i++)
        names[i] = sdd_option_table[i].name;
    int rc = object ? json_fields(object, "options", names, N_OPTIONS, inner, err) : SDD_OK;
    for (int i = 0; i < N_OPTIONS && !rc; i++) {
        const char *token = NULL;
        if (inner[i] && flat[i])
            return sdd_fail(err, SDD_EINVALID, names[i], "%s is there more than once", names[i]);
        rc = json_string(inner[i] ? inner[i] : flat[i], names[i], &token, err);
        if (!rc && token)
            rc = mesh_option_set(o, names[i], token, err);
    }
    return rc;
}

/* Reads an array of names and writes them one after the other. */
static int read_names(const cJSON *array, const char *field, struct arena *arena, struct set_names *out,
                      struct sdd_error *err)
{
    int64_t bytes = 0, n;
    int rc = array ? json_list(array, field, "a string", &n, err) : SDD_OK;
    if (rc || !array)
        return rc;
    for (const cJSON *i = array->child; i; i = i->next) {
        if (!cJSON_IsString(i))
            return sdd_fail(err, SDD_EINVALID, field, "%s[%lld] is not a string", field, (long long)out->n);
        bytes += (int64_t)strlen(i->valuestring) + 1;
        out->n++;
    }
    char *to = arena_array(arena, bytes, 1);
    if (!to)
        return arena_fail(arena, field, err);
    out->text = to;
    out->bytes = bytes;
    for (const cJSON *i = array->child; i; i = i->next)
        to = stpcpy(to, i->valuestring) + 1;
    return SDD_OK;
}

static int read_primvar(const cJSON *json, const char *where, struct arena *arena, struct primvar_array *out,
                        struct sdd_error *err)
{
    enum { NAME, INTERPOLATION, TYPE, WIDTH, VALUES, INDICES, SETS, ALL };
    static const char *const names[ALL] = {"name", "interpolation", "type", "width", "values", "indices", "setNames"};
    const char *name = "", *interpolation = "", *type = NULL;
    const cJSON *f[ALL];
    char field[ALL][PRIMVAR_WHERE_SIZE + 24];
    int64_t width = 1;
    int rc = json_fields(json, where, names, ALL, f, err);
    for (int i = 0; i < ALL; i++)
        (void)snprintf(field[i], sizeof field[i], "%s.%s", where, names[i]);
    if (!rc)
        rc = json_string(f[NAME], field[NAME], &name, err);
    if (!rc)
        rc = json_string(f[INTERPOLATION], field[INTERPOLATION], &interpolation, err);
    if (!rc)
        rc = json_string(f[TYPE], field[TYPE], &type, err);
    if (!rc)
        rc = json_int(f[WIDTH], field[WIDTH], 1, SDD_MAX_PRIMVAR_WIDTH, &width, err);
    if (!rc)
        rc = primvar_author(out, where, name, interpolation, type, width, err);
    if (rc)
        return rc;
    struct i32s integers = {0};
    struct f32s floats = {0};
    rc = out->info.type == PRIMVAR_I32 ? json_i32s(arena, f[VALUES], field[VALUES], &integers, err)
                                       : json_f32s(arena, f[VALUES], field[VALUES], &floats, err);
    out->values = integers.v ? (const void *)integers.v : floats.v;
    out->n_words = integers.n + floats.n;
    if (!rc)
        rc = json_i32s(arena, f[INDICES], field[INDICES], &out->indices, err);
    return rc ? rc : read_names(f[SETS], field[SETS], arena, &out->sets, err);
}

static int read_primvars(const cJSON *array, struct arena *arena, struct mesh_arrays *a, struct sdd_error *err)
{
    char where[PRIMVAR_WHERE_SIZE];
    int64_t n;
    if (!array)
        return SDD_OK;
    int rc = json_list(array, "primvars", "an object", &n, err);
    if (!rc)
        rc = primvars_count(n, err);
    for (const cJSON *item = array->child; item && !rc; item = item->next) {
        (void)snprintf(where, sizeof where, "primvars[%d]", a->n_primvars);
        rc = read_primvar(item, where, arena, &a->primvars[a->n_primvars++], err);
    }
    return rc;
}

static const struct {
    const char *name;
    size_t at;
    bool floats;
} mesh_fields[] = {
    {"points", offsetof(struct mesh_arrays, points), true},
    {"faceVertexCounts", offsetof(struct mesh_arrays, face_counts), false},
    {"faceVertexIndices", offsetof(struct mesh_arrays, face_vertices), false},
    {"creaseIndices", offsetof(struct mesh_arrays, crease_indices), false},
    {"creaseLengths", offsetof(struct mesh_arrays, crease_lengths), false},
    {"creaseSharpnesses", offsetof(struct mesh_arrays, crease_sharpnesses), true},
    {"cornerIndices", offsetof(struct mesh_arrays, corner_indices), false},
    {"cornerSharpnesses", offsetof(struct mesh_arrays, corner_sharpnesses), true},
    {"holeIndices", offsetof(struct mesh_arrays, hole_indices), false},
    {"st", offsetof(struct mesh_arrays, uvs), true},
    {"stIndices", offsetof(struct mesh_arrays, uv_indices), false},
};

/* The members that say what coordinates mean. */
enum { UP_AXIS, METERS_PER_UNIT, TRANSFORM, N_STAGE };
static const char *const stage_fields[N_STAGE] = {"upAxis", "metersPerUnit", "transform"};

static int read_stage(const cJSON *const f[N_STAGE], struct mesh_arrays *a, struct sdd_error *err)
{
    struct mesh_stage *s = &a->stage;
    struct sdd_error why = {0};
    const char *axis = NULL;
    int rc = json_string(f[UP_AXIS], stage_fields[UP_AXIS], &axis, err);
    if (!rc)
        rc = mesh_up_axis_set(axis, &s->up_axis, a->losses, err);
    if (!rc)
        rc = json_number(f[METERS_PER_UNIT], stage_fields[METERS_PER_UNIT], &s->meters_per_unit, err);
    if (rc)
        return rc;
    int bad = json_doubles(f[TRANSFORM], stage_fields[TRANSFORM], s->transform, 16, &why);
    s->has_transform = f[TRANSFORM] && !bad;
    return losses_take(a->losses, bad, &why, stage_fields[TRANSFORM], "it is left out", err);
}

static int read_mesh(const cJSON *json, struct arena *arena, struct mesh **out, struct losses *losses,
                     struct sdd_error *err)
{
    enum { NAME, OPTIONS, ARRAYS, N_ARRAYS = sizeof mesh_fields / sizeof *mesh_fields, FLAT = ARRAYS + N_ARRAYS };
    enum { IDS = FLAT + N_OPTIONS, PRIMVARS = IDS + 2, STAGE, ALL = STAGE + N_STAGE };
    const char *names[ALL] = {"name", "options"}, *name = "";
    const cJSON *f[ALL];
    struct mesh_arrays a = {.losses = losses};
    for (int i = 0; i < N_ARRAYS; i++)
        names[ARRAYS + i] = mesh_fields[i].name;
    for (int i = 0; i < N_OPTIONS; i++)
        names[FLAT + i] = sdd_option_table[i].name;
    names[IDS] =
        "vertexIds"; /* A downloaded mesh has ids. They are accepted but not used, as a new mesh gets its own. */
    names[IDS + 1] = "faceIds";
    names[PRIMVARS] = "primvars";
    memcpy(names + STAGE, stage_fields, sizeof stage_fields);
    int rc = json_fields(json, "", names, ALL, f, err);
    if (!rc)
        rc = json_string(f[NAME], "name", &name, err);
    if (!rc && f[NAME])
        rc = mesh_name_check(name, err);
    if (!rc)
        rc = read_options(f[OPTIONS], f + FLAT, &a.options, err);
    for (int i = 0; i < N_ARRAYS && !rc; i++) {
        void *to = (char *)&a + mesh_fields[i].at;
        rc = mesh_fields[i].floats ? json_f32s(arena, f[ARRAYS + i], mesh_fields[i].name, to, err)
                                   : json_i32s(arena, f[ARRAYS + i], mesh_fields[i].name, to, err);
    }
    if (!rc)
        rc = read_primvars(f[PRIMVARS], arena, &a, err);
    if (!rc)
        rc = read_stage(f + STAGE, &a, err);
    if (!rc)
        rc = mesh_build(&a, out, err);
    if (!rc)
        memcpy((*out)->name, name, strlen(name) + 1); /* mesh_name_check has checked its length. */
    return rc;
}

int mesh_from_json(const void *body, size_t bytes, struct mesh **out, struct losses *losses, struct sdd_error *err)
{
    cJSON *json;
    struct arena *arena;
    *out = NULL;
    int rc = begin(body, bytes, &json, &arena, err);
    if (!rc)
        rc = read_mesh(json, arena, out, losses, err);
    arena_free(arena);
    cJSON_Delete(json);
    return rc;
}

int name_from_json(const void *body, size_t bytes, char name[MESH_NAME_SIZE], bool *given, struct sdd_error *err)
{
    static const char *const names[] = {"name"};
    const char *value = "";
    const cJSON *member = NULL;
    cJSON *json;
    int rc = json_parse(body, bytes, &json, err);
    if (!rc)
        rc = json_fields(json, "", names, 1, &member, err);
    *given = member != NULL;
    if (!rc && member && !cJSON_IsNull(member)) {
        rc = json_string(member, "name", &value, err);
        if (!rc)
            rc = mesh_name_check(value, err);
    }
    if (!rc)
        memcpy(name, value, strlen(value) + 1); /* mesh_name_check has checked its length. */
    cJSON_Delete(json);
    return rc;
}

int revert_from_json(const void *body, size_t bytes, int64_t *version, struct sdd_error *err)
{
    static const char *const names[] = {"version"};
    const cJSON *member = NULL;
    cJSON *json;
    int rc = json_parse(body, bytes, &json, err);
    if (!rc)
        rc = json_fields(json, "", names, 1, &member, err);
    if (!rc)
        rc = member ? json_int(member, "version", 1, INT64_MAX, version, err)
                    : sdd_fail(err, SDD_EINVALID, "version", "version is missing: which one comes back");
    cJSON_Delete(json);
    return rc;
}

/* ---- bodies that are one list ---- */
/* How to read a body that has one array: positions or edits. */
struct list_form {
    const char *name;  /* The name of the array, which is the body's only member. */
    size_t list_bytes; /* The size of the struct that the items belong to. */
    size_t item_bytes; /* The size of an item. */
    int (*read)(const cJSON *item, int64_t index, struct arena *arena, void *out, struct sdd_error *err);
};
struct list {
    int64_t n;
    void *items; /* [n] Each has item_bytes. */
    void *of;    /* Memory of list_bytes for the struct that the items belong to. */
    struct arena *arena;
};

static int read_items(const cJSON *json, const struct list_form *form, struct list *out, struct sdd_error *err)
{
    const cJSON *array;
    int rc = json_fields(json, "", &form->name, 1, &array, err);
    if (!rc)
        rc = json_list(array, form->name, "an object", &out->n, err);
    if (rc)
        return rc;
    int64_t i = 0;
    out->of = arena_alloc(out->arena, (int64_t)form->list_bytes);
    char *items = out->items = arena_array(out->arena, out->n, form->item_bytes);
    if (!out->of || !items)
        return arena_fail(out->arena, form->name, err);
    for (const cJSON *item = array->child; item && !rc; item = item->next, i++)
        rc = form->read(item, i, out->arena, items + (size_t)i * form->item_bytes, err);
    return rc;
}

/* Reads a body that has one array. On error the arena is freed and out->of is NULL. */
static int read_list(const void *body, size_t bytes, const struct list_form *form, struct list *out,
                     struct sdd_error *err)
{
    cJSON *json;
    int rc = begin(body, bytes, &json, &out->arena, err);
    if (!rc)
        rc = read_items(json, form, out, err);
    cJSON_Delete(json);
    if (!rc)
        return SDD_OK;
    arena_free(out->arena);
    out->of = NULL;
    return rc;
}

static int read_range(const cJSON *item, int64_t index, struct arena *arena, void *to, struct sdd_error *err)
{
    static const char *const names[] = {"first", "points"};
    const cJSON *f[2];
    struct position_range *out = to;
    struct f32s points = {0};
    int64_t first = 0;
    int rc = json_fields(item, "ranges", names, 2, f, err);
    if (!rc)
        rc = json_int(f[0], "first", 0, INT32_MAX, &first, err);
    if (!rc)
        rc = json_f32s(arena, f[1], "points", &points, err);
    if (!rc && points.n % 3)
        rc = sdd_fail(err, SDD_EMESH, "points", "ranges[%lld] has %lld numbers, which is no multiple of 3",
                      (long long)index, (long long)points.n);
    *out = (struct position_range){first, points.n / 3, points.v};
    return rc;
}

int positions_from_json(const void *body, size_t bytes, struct positions **out, struct sdd_error *err)
{
    static const struct list_form form = {"ranges", sizeof(struct positions), sizeof(struct position_range),
                                          read_range};
    struct list list = {0};
    int rc = read_list(body, bytes, &form, &list, err);
    *out = list.of;
    if (*out)
        **out = (struct positions){list.n, list.items, list.arena};
    return rc;
}

static int read_ids(const cJSON *json, struct i64s *list, struct sdd_error *err)
{
    static const char *const names[] = {"ids"};
    const cJSON *array;
    int rc = json_fields(json, "", names, 1, &array, err);
    if (!rc && !array)
        rc = sdd_fail(err, SDD_EINVALID, "ids", "ids is missing; it is an array of ids");
    return rc ? rc : json_i64s(array, "ids", list, err);
}

int ids_from_json(const void *body, size_t bytes, struct i64s *list, struct sdd_error *err)
{
    cJSON *json;
    *list = (struct i64s){0};
    int rc = json_parse(body, bytes, &json, err);
    if (rc)
        return rc;
    rc = read_ids(json, list, err);
    cJSON_Delete(json);
    return rc;
}

static int read_smooth(const cJSON *json, struct sdd_smooth_request *out, struct sdd_error *err)
{
    static const char *const names[] = {"method", "iterations", "strength", "boundary"};
    const cJSON *f[4];
    const char *method = "", *boundary = "kept";
    int64_t iterations = out->iterations;
    double strength = (double)out->strength;
    if (cJSON_HasObjectItem(json, "store"))
        return sdd_fail(err, SDD_EINVALID, "store", "store belongs into the query: POST .../smooth?store=true");
    int rc = json_fields(json, "", names, 4, f, err);
    if (!rc)
        rc = json_string(f[0], "method", &method, err);
    if (!rc)
        rc = sdd_smoothing_find(method, &out->method, err);
    if (!rc)
        rc = json_int(f[1], "iterations", INT32_MIN, INT32_MAX, &iterations, err);
    if (!rc && json_number(f[2], "strength", &strength, err))
        rc = sdd_fail(err, SDD_EQUERY, "strength", "strength is not a number; it must be above 0 and at most 1");
    if (!rc)
        rc = json_string(f[3], "boundary", &boundary, err);
    if (!rc && strcmp(boundary, "kept") != 0 && strcmp(boundary, "along") != 0)
        rc = sdd_fail(err, SDD_EQUERY, "boundary", "boundary is kept or along, not \"%.20s\"", boundary);
    out->boundary = *boundary == 'a' ? SDD_SMOOTH_BOUNDARY_ALONG : SDD_SMOOTH_BOUNDARY_KEPT;
    out->iterations = (int)iterations;
    out->strength = (float)strength;
    return rc;
}

int smooth_from_json(const void *body, size_t bytes, struct sdd_smooth_request *out, struct sdd_error *err)
{
    cJSON *json;
    int rc = json_parse(body, bytes, &json, err);
    if (rc)
        return rc;
    rc = read_smooth(json, out, err);
    cJSON_Delete(json);
    return rc;
}

/* Reads a number of a flow, which is a whole one from `least` to `most`. */
static int read_count(const cJSON *item, const char *field, int64_t least, int64_t most, int *out,
                      struct sdd_error *err)
{
    int64_t n = *out;
    if (json_int(item, field, least, most, &n, err)) {
        (void)sdd_fail(err, SDD_EQUERY, field, "%s is a whole number from %lld to %lld", field, (long long)least,
                       (long long)most);
        err->available = most;
        return err->code;
    }
    *out = (int)n;
    return SDD_OK;
}

static int read_fair(const cJSON *json, struct sdd_fair_request *out, int *steps, struct sdd_error *err)
{
    static const char *const names[] = {"steps", "tau", "boundary", "solves", "exactness", "level"};
    static const char *const boundaries[] = {"free", "direction", "fixed"};
    const cJSON *f[6];
    const char *boundary = boundaries[out->boundary];
    int rc = json_fields(json, "", names, 6, f, err);
    if (!rc)
        rc = read_count(f[0], "steps", 1, FAIR_MAX_STEPS, steps, err);
    if (!rc && (json_number(f[1], "tau", &out->tau, err) || !(out->tau > 0 && out->tau <= 1)))
        rc = sdd_fail(err, SDD_EQUERY, "tau", "tau is a number above 0 and at most 1");
    if (!rc)
        rc = json_string(f[2], "boundary", &boundary, err);
    for (out->boundary = 0; !rc && strcmp(boundary, boundaries[out->boundary]) != 0;)
        if (++out->boundary == SDD_FAIR_N_BOUNDARIES)
            return sdd_fail(err, SDD_EQUERY, "boundary", "boundary is free, direction or fixed, not \"%.20s\"",
                            boundary);
    if (!rc)
        rc = read_count(f[3], "solves", 1, SDD_FAIR_MAX_SOLVES, &out->solves, err);
    if (!rc)
        rc = json_bool(f[4], "exactness", &out->exactness, err);
    return rc ? rc : read_count(f[5], "level", 0, SDD_MAX_LEVEL, &out->level, err);
}

int fair_from_json(const void *body, size_t bytes, struct sdd_fair_request *out, int *steps, struct sdd_error *err)
{
    cJSON *json;
    int rc = json_parse(body, bytes, &json, err);
    if (rc)
        return rc;
    rc = read_fair(json, out, steps, err);
    cJSON_Delete(json);
    return rc;
}

/* An operation and the names of its members; NULL marks a member that it does not have. `primvar` is the member that
 * names a primvar. */
struct edit_form {
    const char *name, *ids, *counts, *values, *flag, *primvar;
};
static const struct edit_form edit_forms[] = {
    [EDIT_ADD_VERTICES] = {"addVertices", NULL, NULL, "points", NULL},
    [EDIT_REMOVE_VERTICES] = {"removeVertices", "ids", NULL, NULL, NULL},
    [EDIT_ADD_FACES] = {"addFaces", "faceVertexIndices", "faceVertexCounts", "st", NULL},
    [EDIT_REMOVE_FACES] = {"removeFaces", "ids", NULL, NULL, NULL},
    [EDIT_SET_POSITIONS] = {"setPositions", "ids", NULL, "points", NULL},
    [EDIT_SET_CREASES] = {"setCreases", "edges", NULL, "sharpnesses", NULL},
    [EDIT_SET_CORNERS] = {"setCorners", "ids", NULL, "sharpnesses", NULL},
    [EDIT_SET_HOLES] = {"setHoles", "ids", NULL, NULL, "hole"},
    [EDIT_SET_UVS] = {"setUvs", "ids", NULL, "st", NULL},
    [EDIT_SET_PRIMVAR] = {"setPrimvar", "ids", NULL, "values", NULL, "name"},
    [EDIT_PUT_PRIMVAR] = {.name = "putPrimvar"}, /* Its members are those of a Primvar; see read_put. */
    [EDIT_REMOVE_PRIMVAR] = {"removePrimvar", NULL, NULL, NULL, NULL, "name"},
    [EDIT_FLIP_EDGES] = {"flipEdges", "edges", NULL, NULL, NULL},
    [EDIT_SPLIT_EDGES] = {"splitEdges", "edges", NULL, "t", NULL},
    [EDIT_COLLAPSE_EDGES] = {"collapseEdges", "edges", NULL, "t", NULL},
    [EDIT_SPLIT_FACES] = {"splitFaces", "ids", "edges", NULL, NULL},
    [EDIT_POKE_FACES] = {"pokeFaces", "ids", NULL, NULL, NULL},
    [EDIT_TRIANGULATE_FACES] = {"triangulateFaces", "ids", NULL, NULL, NULL},
    [EDIT_EXTRUDE_FACES] = {"extrudeFaces", "ids", NULL, "by", NULL},
    [EDIT_INSET_FACES] = {"insetFaces", "ids", NULL, "t", NULL},
    [EDIT_REVERSE_FACES] = {"reverseFaces", "ids", NULL, NULL, NULL},
    [EDIT_LOOP_CUT] = {"loopCut", "edges", NULL, "t", NULL},
    [EDIT_DISSOLVE_VERTICES] = {"dissolveVertices", "ids", NULL, NULL, NULL},
    [EDIT_DISSOLVE_EDGES] = {"dissolveEdges", "edges", NULL, NULL, NULL},
    [EDIT_DISSOLVE_FACES] = {"dissolveFaces", "ids", NULL, NULL, NULL},
    [EDIT_MERGE_VERTICES] = {"mergeVertices", "ids", NULL, "t", NULL},
};
enum { N_FORMS = sizeof edit_forms / sizeof *edit_forms };

/* Reads the name of the primvar that an edit changes. Its new values are read as integers too, because only the mesh
 * knows whether the primvar has integers. */
static int read_named(const cJSON *name, const cJSON *values, const struct edit_form *form, struct arena *arena,
                      int64_t index, struct edit *e, struct sdd_error *err)
{
    char where[PRIMVAR_WHERE_SIZE];
    const char *text = "";
    struct i32s integers = {0};
    struct primvar_array *p = arena_alloc(arena, sizeof *p);
    if (!p)
        return arena_fail(arena, "edits", err);
    (void)snprintf(where, sizeof where, "edits[%lld].%s", (long long)index, form->name);
    int rc = json_string(name, "name", &text, err);
    if (!rc)
        rc = primvar_name(p, where, text, err);
    if (!rc && values && !json_i32s(arena, values, form->values, &integers, NULL))
        p->values = integers.v;
    e->primvar = p;
    return rc;
}

static int read_members(const cJSON *json, const struct edit_form *form, struct arena *arena, int64_t index,
                        struct edit *e, struct sdd_error *err)
{
    enum { IDS, COUNTS, VALUES, FLAG, PRIMVAR, ALL };
    const char *const all[ALL] = {form->ids, form->counts, form->values, form->flag, form->primvar};
    const char *names[ALL] = {0};
    char where[PRIMVAR_WHERE_SIZE];
    const cJSON *found[ALL] = {0}, *f[ALL] = {0};
    struct i32s ids = {0}, counts = {0};
    struct f32s values = {0};
    int n = 0, hole = 0;
    for (int i = 0; i < ALL; i++)
        if (all[i])
            names[n++] = all[i];
    (void)snprintf(where, sizeof where, "edits[%lld].%s", (long long)index, form->name);
    int rc = json_fields(json, where, names, n, found, err);
    if (rc)
        return rc;
    n = 0;
    for (int i = 0; i < ALL; i++)
        if (all[i])
            f[i] = found[n++];
    rc = json_i32s(arena, f[IDS], form->ids, &ids, err);
    if (!rc)
        rc = json_i32s(arena, f[COUNTS], form->counts, &counts, err);
    if (!rc)
        rc = json_f32s(arena, f[VALUES], form->values, &values, err);
    if (!rc && form->flag && !f[FLAG])
        rc = sdd_fail(err, SDD_EINVALID, form->flag, "edits[%lld].%s: %s is missing", (long long)index, form->name,
                      form->flag);
    if (!rc)
        rc = json_bool(f[FLAG], form->flag, &hole, err);
    if (!rc)
        rc = edit_set(e, (enum edit_op)(form - edit_forms), index, ids, counts, values, err);
    e->hole = hole;
    return rc || !form->primvar ? rc : read_named(f[PRIMVAR], f[VALUES], form, arena, index, e, err);
}

static int read_put(const cJSON *json, struct arena *arena, int64_t index, struct edit *e, struct sdd_error *err)
{
    char where[PRIMVAR_WHERE_SIZE];
    struct primvar_array *p = arena_alloc(arena, sizeof *p);
    if (!p)
        return arena_fail(arena, "edits", err);
    (void)snprintf(where, sizeof where, "edits[%lld].putPrimvar", (long long)index);
    *e = (struct edit){.op = EDIT_PUT_PRIMVAR, .primvar = p};
    return read_primvar(json, where, arena, p, err);
}

/* Puts the edit before an error that does not name it. */
static int name_edit(int64_t index, int form, struct sdd_error *err)
{
    char text[sizeof err->text - 64]; /* The name of the edit takes the rest. */
    if (err->code == SDD_ENO_MEMORY || strncmp(err->text, "edits[", 6) == 0)
        return err->code;
    (void)snprintf(text, sizeof text, "%.*s", (int)sizeof text - 1, err->text);
    (void)snprintf(err->text, sizeof err->text, "edits[%lld].%s: %s", (long long)index, edit_forms[form].name, text);
    return err->code;
}

static int read_edit(const cJSON *json, int64_t index, struct arena *arena, void *to, struct sdd_error *err)
{
    char where[PRIMVAR_WHERE_SIZE];
    const char *names[N_FORMS];
    struct edit *e = to;
    const cJSON *f[N_FORMS];
    int given = -1;
    for (int i = 0; i < N_FORMS; i++)
        names[i] = edit_forms[i].name;
    (void)snprintf(where, sizeof where, "edits[%lld]", (long long)index);
    int rc = json_fields(json, where, names, N_FORMS, f, err);
    for (int i = 0; i < N_FORMS && !rc; i++) {
        if (!f[i])
            continue;
        if (given >= 0)
            return sdd_fail(err, SDD_EINVALID, "edits", "edits[%lld] has both %s and %s", (long long)index,
                            names[given], names[i]);
        given = i;
    }
    if (!rc && given < 0)
        rc = sdd_fail(err, SDD_EINVALID, "edits", "edits[%lld] has no operation", (long long)index);
    if (!rc && given == EDIT_PUT_PRIMVAR)
        return read_put(f[given], arena, index, e, err);
    if (!rc)
        rc = read_members(f[given], &edit_forms[given], arena, index, e, err);
    return rc && given >= 0 ? name_edit(index, given, err) : rc;
}

int edits_from_json(const void *body, size_t bytes, struct edit_batch **out, struct sdd_error *err)
{
    static const struct list_form form = {"edits", sizeof(struct edit_batch), sizeof(struct edit), read_edit};
    struct list list = {0};
    int rc = read_list(body, bytes, &form, &list, err);
    *out = list.of;
    if (*out)
        **out = (struct edit_batch){list.n, list.items, list.arena};
    return rc;
}
