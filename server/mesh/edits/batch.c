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

static const char *const op_names[] = {"addVertices",  "removeVertices", "addFaces",   "removeFaces",
                                       "setPositions", "setCreases",     "setCorners", "setHoles",
                                       "setUvs",       "setPrimvar",     "putPrimvar", "removePrimvar"};

const char *edit_op_name(enum edit_op op)
{
    return op_names[op];
}

static int bad_length(int64_t index, enum edit_op op, const char *array, int64_t n, struct sdd_error *err)
{
    return sdd_fail(err, SDD_EMESH, array, "edits[%lld].%s: %s has %lld numbers, which does not fit the rest",
                    (long long)index, op_names[op], array, (long long)n);
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
    return corners == e->n_corners ? SDD_OK : bad_length(index, e->op, "faceVertexIndices", e->n_corners, err);
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
};

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
            return bad_length(index, op, "st", values.n, err);
        e->n_values = values.n / 2;
        return check_counts(e, index, err);
    case EDIT_SET_CREASES:
        if (ids.n % 2)
            return bad_length(index, op, "edges", ids.n, err);
        e->n = ids.n / 2;
        width = 1;
        break;
    case EDIT_SET_CORNERS: width = 1; break;
    case EDIT_SET_POSITIONS: width = 3; break;
    case EDIT_SET_UVS:
        if (values.n % 2)
            return bad_length(index, op, "st", values.n, err);
        e->n_values = values.n / 2;
        return SDD_OK;
    case EDIT_SET_PRIMVAR: return SDD_OK; /* Only the mesh knows how wide a row is, so edits_apply checks it. */
    case EDIT_PUT_PRIMVAR:
    case EDIT_REMOVE_PRIMVAR:
    case EDIT_REMOVE_VERTICES:
    case EDIT_REMOVE_FACES:
    case EDIT_SET_HOLES: break;
    }
    if (values.n != width * e->n)
        return bad_length(index, op, width == 1 ? "sharpnesses" : "points", values.n, err);
    if (width)
        e->n_values = e->n;
    return width == 1 ? check_sharpness(e, index, err) : SDD_OK;
}
