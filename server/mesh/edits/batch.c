/* SPDX-License-Identifier: Apache-2.0 */
/* batch.c: makes the edits of a batch for the codecs. It checks that an edit has the arrays that its operation needs
 * and that their lengths agree. */
#include "server/mesh/edits/edits.h"
#include <math.h>

void edit_batch_free(struct edit_batch *b)
{
    if (b)
        arena_free(b->arena);
}

static const char *const op_names[] = {
    "addVertices",   "removeVertices", "addFaces",      "removeFaces", "setPositions",     "setCreases",
    "setCorners",    "setHoles",       "setUvs",        "setPrimvar",  "putPrimvar",       "removePrimvar",
    "flipEdges",     "splitEdges",     "collapseEdges", "splitFaces",  "pokeFaces",        "triangulateFaces",
    "extrudeFaces",  "insetFaces",     "reverseFaces",  "loopCut",     "dissolveVertices", "dissolveEdges",
    "dissolveFaces", "mergeVertices"};

const char *edit_name(enum edit_op op)
{
    return op_names[op];
}

uint32_t edit_kinds(const struct edit_batch *b)
{
    uint32_t kinds = 0;
    for (int64_t i = 0; i < b->n_edits; i++)
        kinds |= UINT32_C(1) << b->edits[i].op;
    return kinds;
}

/* Fails because of an array of n numbers where it takes as many, followed by `of`: what they are. */
static int bad_length(int64_t index, enum edit_op op, const char *array, int64_t n, int64_t takes, const char *of,
                      struct sdd_error *err)
{
    return sdd_fail(err, SDD_EMESH, array, "edits[%lld].%s: %s has %lld number%s; it takes %lld%s", (long long)index,
                    op_names[op], array, (long long)n, n == 1 ? "" : "s", (long long)takes, of);
}

static int check_sharpness(const struct edit *e, int64_t index, struct sdd_error *err)
{
    for (int64_t i = 0; i < e->n; i++)
        if (!isfinite(e->values[i]) || e->values[i] < 0)
            return sdd_fail(err, SDD_EMESH, "sharpnesses",
                            "edits[%lld].%s: sharpnesses[%lld] is %g; it must be 0 or more", (long long)index,
                            op_names[e->op], (long long)i, (double)e->values[i]);
    return SDD_OK;
}

static int check_counts(const struct edit *e, int64_t index, struct sdd_error *err)
{
    int64_t corners = 0;
    for (int64_t i = 0; i < e->n; i++) {
        if (e->counts[i] < 1)
            return sdd_fail(err, SDD_EMESH, "faceVertexCounts", "edits[%lld].addFaces: face %lld has %d vertices",
                            (long long)index, (long long)i, e->counts[i]);
        corners += e->counts[i];
    }
    return corners == e->n_corners ? SDD_OK
                                   : bad_length(index, e->op, "faceVertexIndices", e->n_corners, corners,
                                                ", the sum of faceVertexCounts", err);
}

/* Fails because an array that the operation needs is missing. Such an edit would do nothing and yet make a new version.
 * */
static int missing(int64_t index, enum edit_op op, const char *array, struct sdd_error *err)
{
    return sdd_fail(err, SDD_EINVALID, array, "edits[%lld].%s: %s is missing or empty", (long long)index, op_names[op],
                    array);
}

/* The arrays that each operation needs, by the names that errors give them. NULL marks an array that it can do without.
 * */
static const struct {
    const char *ids, *counts, *values;
} needed[] = {
    [EDIT_ADD_VERTICES] = {NULL, NULL, "points"},
    [EDIT_REMOVE_VERTICES] = {"ids", NULL, NULL},
    [EDIT_ADD_FACES] = {"faceVertexIndices", "faceVertexCounts", NULL},
    [EDIT_REMOVE_FACES] = {"ids", NULL, NULL},
    [EDIT_SET_POSITIONS] = {"ids", NULL, "points"},
    [EDIT_SET_CREASES] = {"edges", NULL, "sharpnesses"},
    [EDIT_SET_CORNERS] = {"ids", NULL, "sharpnesses"},
    [EDIT_SET_HOLES] = {"ids", NULL, NULL},
    [EDIT_SET_UVS] = {"ids", NULL, "st"},
    [EDIT_SET_PRIMVAR] = {NULL, NULL, "values"},
    [EDIT_PUT_PRIMVAR] = {NULL, NULL, NULL},
    [EDIT_REMOVE_PRIMVAR] = {NULL, NULL, NULL},
    [EDIT_FLIP_EDGES] = {"edges", NULL, NULL},
    [EDIT_SPLIT_EDGES] = {"edges", NULL, NULL},
    [EDIT_COLLAPSE_EDGES] = {"edges", NULL, NULL},
    [EDIT_SPLIT_FACES] = {"ids", "edges", NULL},
    [EDIT_POKE_FACES] = {"ids", NULL, NULL},
    [EDIT_TRIANGULATE_FACES] = {"ids", NULL, NULL},
    [EDIT_EXTRUDE_FACES] = {"ids", NULL, NULL},
    [EDIT_INSET_FACES] = {"ids", NULL, NULL},
    [EDIT_REVERSE_FACES] = {"ids", NULL, NULL},
    [EDIT_LOOP_CUT] = {"edges", NULL, NULL},
    [EDIT_DISSOLVE_VERTICES] = {"ids", NULL, NULL},
    [EDIT_DISSOLVE_EDGES] = {"edges", NULL, NULL},
    [EDIT_DISSOLVE_FACES] = {"ids", NULL, NULL},
    [EDIT_MERGE_VERTICES] = {"ids", NULL, NULL},
};

/* ---- modelling edits ---- */
/* Checks the parameters t of a modelling edit: none, one for all elements, or one for each; between 0 and 1. `ends`
 * says that 0 and 1 are allowed, too. */
static int check_t(const struct edit *e, int64_t index, bool ends, struct sdd_error *err)
{
    if (e->n_values > 1 && e->n_values != e->n)
        return bad_length(index, e->op, "t", e->n_values, e->n, ", or 1 for all", err);
    for (int64_t i = 0; i < e->n_values; i++)
        if (!(ends ? e->values[i] >= 0 && e->values[i] <= 1 : e->values[i] > 0 && e->values[i] < 1))
            return sdd_fail(err, SDD_EMESH, "t", "edits[%lld].%s: t[%lld] is %g; it must be %s", (long long)index,
                            op_names[e->op], (long long)i, (double)e->values[i],
                            ends ? "0 to 1" : "between 0 and 1, without these");
    return SDD_OK;
}

/* Checks the parameter `by` of an extrusion: nothing, a distance, or a vector. */
static int check_by(const struct edit *e, int64_t index, struct sdd_error *err)
{
    if (e->n_values > 1 && e->n_values != 3)
        return bad_length(index, e->op, "by", e->n_values, 1, " for a distance or 3 for a vector", err);
    for (int64_t i = 0; i < e->n_values; i++)
        if (!(fabsf(e->values[i]) <= SDD_MAX_COORDINATE))
            return sdd_fail(err, SDD_EMESH, "by", "edits[%lld].%s: by[%lld] is %g; it must be finite and within +-%g",
                            (long long)index, op_names[e->op], (long long)i, (double)e->values[i],
                            (double)SDD_MAX_COORDINATE);
    return SDD_OK;
}

static int set_modelling(struct edit *e, int64_t index, int64_t n_counts, struct sdd_error *err)
{
    const char *ids = needed[e->op].ids;
    if (ids[0] == 'e') { /* edges */
        if (e->n % 2)
            return bad_length(index, e->op, ids, e->n, 2, " for each edge", err);
        e->n /= 2;
    }
    switch (e->op) {
    case EDIT_SPLIT_EDGES:
    case EDIT_LOOP_CUT:
    case EDIT_INSET_FACES: return check_t(e, index, false, err);
    case EDIT_COLLAPSE_EDGES: return check_t(e, index, true, err);
    case EDIT_EXTRUDE_FACES: return check_by(e, index, err);
    case EDIT_MERGE_VERTICES:
        if (e->n < 2)
            return sdd_fail(err, SDD_EMESH, "ids", "edits[%lld].mergeVertices: ids has 1 vertex; name two or more",
                            (long long)index);
        return e->n_values > 1 ? bad_length(index, e->op, "t", e->n_values, 1, "", err) : check_t(e, index, true, err);
    case EDIT_SPLIT_FACES:
        if (n_counts != 2 * e->n)
            return bad_length(index, e->op, "edges", n_counts, 2 * e->n, ", two for each face", err);
        break;
    default: break;
    }
    return e->n_values ? bad_length(index, e->op, "t", e->n_values, 0, "", err) : SDD_OK;
}

int edit_set(struct edit *e, enum edit_op op, int64_t index, struct i32s ids, struct i32s counts, struct f32s values,
             struct sdd_error *err)
{
    *e =
        (struct edit){.op = op, .n = ids.n, .ids = ids.v, .counts = counts.v, .values = values.v, .n_values = values.n};
    if (needed[op].counts && !counts.n)
        return missing(index, op, needed[op].counts, err);
    if (needed[op].ids && !ids.n)
        return missing(index, op, needed[op].ids, err);
    if (needed[op].values && !values.n)
        return missing(index, op, needed[op].values, err);
    if (op >= EDIT_FLIP_EDGES)
        return set_modelling(e, index, counts.n, err);
    int width = 0; /* How many values each of the n elements has; 0 when the operation takes no values. */
    switch (op) {
    case EDIT_ADD_VERTICES:
        e->n = values.n / 3;
        width = 3;
        break;
    case EDIT_ADD_FACES:
        *e = (struct edit){.op = op, .n = counts.n, .counts = counts.v, .values = values.v, .n_values = values.n};
        e->corners = ids.v;
        e->n_corners = ids.n;
        if (values.n && values.n != 2 * ids.n)
            return bad_length(index, op, "st", values.n, 2 * ids.n, ", two for each corner", err);
        e->n_values = values.n / 2;
        return check_counts(e, index, err);
    case EDIT_SET_CREASES:
        if (ids.n % 2)
            return bad_length(index, op, "edges", ids.n, 2, " for each edge", err);
        e->n = ids.n / 2;
        width = 1;
        break;
    case EDIT_SET_CORNERS: width = 1; break;
    case EDIT_SET_POSITIONS: width = 3; break;
    case EDIT_SET_UVS:
        if (values.n % 2)
            return bad_length(index, op, "st", values.n, 2, " for each corner", err);
        e->n_values = values.n / 2;
        return SDD_OK;
    case EDIT_SET_PRIMVAR: return SDD_OK; /* Only the mesh knows how wide a row is, so edits_apply checks it. */
    case EDIT_PUT_PRIMVAR:
    case EDIT_REMOVE_PRIMVAR:
    case EDIT_REMOVE_VERTICES:
    case EDIT_REMOVE_FACES:
    case EDIT_SET_HOLES:
    default: break;
    }
    if (values.n != width * e->n)
        return bad_length(index, op, width == 1 ? "sharpnesses" : "points", values.n,
                          op == EDIT_ADD_VERTICES ? 3 : width * e->n, op == EDIT_ADD_VERTICES ? " for each vertex" : "",
                          err);
    if (width)
        e->n_values = e->n;
    return width == 1 ? check_sharpness(e, index, err) : SDD_OK;
}
