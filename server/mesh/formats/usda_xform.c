/* SPDX-License-Identifier: Apache-2.0 */
/* usda_xform.c: where a Mesh stands on the stage of a USDA file, for usda_reader.c: the matrices of UsdGeomXformable's
 * ops, of the Mesh and of all prims above it, as one. */
#include "server/base/chars.h"
#include "server/mesh/formats/usda_parts.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_OPS 64 /* In the xformOpOrder of a prim; further ones are a loss. */

/* Points are row vectors, so that p * a * b is first a, then b. */
struct matrix {
    double m[4][4];
};
static const struct matrix identity = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}};

static struct matrix product(const struct matrix *a, const struct matrix *b)
{
    struct matrix out = {0};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 4; k++)
                out.m[i][j] += a->m[i][k] * b->m[k][j];
    return out;
}

/* Inverts a matrix by Gauss and Jordan with pivots. Returns false when it has no inverse. */
static bool invert(struct matrix *a)
{
    struct matrix from = *a, to = identity;
    for (int c = 0; c < 4; c++) {
        int pivot = c;
        for (int r = c + 1; r < 4; r++)
            pivot = fabs(from.m[r][c]) > fabs(from.m[pivot][c]) ? r : pivot;
        const double p = from.m[pivot][c];
        if (!(fabs(p) > 0))
            return false;
        for (int k = 0; k < 4; k++) {
            const double x = from.m[pivot][k], y = to.m[pivot][k];
            from.m[pivot][k] = from.m[c][k];
            to.m[pivot][k] = to.m[c][k];
            from.m[c][k] = x / p;
            to.m[c][k] = y / p;
        }
        for (int r = 0; r < 4; r++) {
            const double x = from.m[r][c];
            for (int k = 0; k < 4 && r != c; k++) {
                from.m[r][k] -= x * from.m[c][k];
                to.m[r][k] -= x * to.m[c][k];
            }
        }
    }
    *a = to;
    return true;
}

/* The rotation about an axis, 0 to 2, by an angle in degrees. Quarter turns are exact. */
static struct matrix rotation(int axis, double degrees)
{
    struct matrix out = identity;
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    const double turns = degrees / 90, radians = degrees * (3.14159265358979323846 / 180);
    const bool quarter = turns == floor(turns) && fabs(turns) < 1e9;
    const int q = quarter ? (int)(((int64_t)turns % 4 + 4) % 4) : 0;
    const double c = quarter ? (q == 0) - (q == 2) : cos(radians), s = quarter ? (q == 1) - (q == 3) : sin(radians);
    out.m[i][i] = out.m[j][j] = c;
    out.m[i][j] = s;
    out.m[j][i] = -s;
    return out;
}

/* The rotation of a quaternion (w, x, y, z). */
static struct matrix orientation(const double q[4])
{
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const struct matrix out = {{{1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (z * x - y * w), 0},
                                {2 * (x * y - z * w), 1 - 2 * (z * z + x * x), 2 * (y * z + x * w), 0},
                                {2 * (z * x + y * w), 2 * (y * z - x * w), 1 - 2 * (y * y + x * x), 0},
                                {0, 0, 0, 1}}};
    return out;
}

/* Reads n numbers out of tuples. */
static int read_doubles(struct usda_lexer *lx, int n, double *out)
{
    int rc = SDD_OK;
    for (int i = 0; i < n && !rc; i++) {
        while (!rc && (lx->kind == '(' || lx->kind == ')' || lx->kind == ','))
            rc = usda_next(lx);
        if (!rc)
            rc = usda_double(lx, &out[i]);
        if (!rc && !isfinite(out[i]))
            rc = usda_fail(lx, SDD_EMALFORMED, "a number of a transform is not finite");
    }
    return rc;
}

/* Makes the matrix of an op of this type, such as "rotateXYZ", of its value. *known is false for other types. */
static int make_op(struct usda_lexer *lx, struct usda_span type, struct matrix *out, bool *known)
{
    double v[16] = {0};
    char name[16];
    (void)snprintf(name, sizeof name, "%.*s", (int)(type.bytes < 15 ? type.bytes : 0), type.text);
    const size_t n = strlen(name);
    const char last = n ? name[n - 1] : 0;
    const bool axis = last >= 'X' && last <= 'Z';
    int rc = SDD_OK;
    *known = true;
    *out = identity;
    if (strcmp(name, "transform") == 0)
        return read_doubles(lx, 16, &out->m[0][0]);
    if (strcmp(name, "orient") == 0) {
        rc = read_doubles(lx, 4, v);
        *out = orientation(v);
    } else if (strcmp(name, "translate") == 0) {
        rc = read_doubles(lx, 3, out->m[3]);
    } else if (strcmp(name, "scale") == 0) {
        rc = read_doubles(lx, 3, v);
        for (int k = 0; k < 3; k++)
            out->m[k][k] = v[k];
    } else if (axis && n == 10 && strncmp(name, "translate", 9) == 0) {
        rc = read_doubles(lx, 1, &out->m[3][last - 'X']);
    } else if (axis && n == 6 && strncmp(name, "scale", 5) == 0) {
        rc = read_doubles(lx, 1, &out->m[last - 'X'][last - 'X']);
    } else if (axis && n == 7 && strncmp(name, "rotate", 6) == 0) {
        rc = read_doubles(lx, 1, v);
        *out = rotation(last - 'X', v[0]);
    } else if (axis && n == 9 && strncmp(name, "rotate", 6) == 0 && strspn(name + 6, "XYZ") == 3) {
        rc = read_doubles(lx, 3, v);
        for (const char *a = name + 6; *a; a++) { /* About the first axis first. */
            const struct matrix r = rotation(*a - 'X', v[*a - 'X']);
            *out = product(out, &r);
        }
    } else {
        *known = false;
    }
    return rc;
}

static int lose(const struct usda_part *p, int64_t line, struct usda_span name, const char *why)
{
    char shown[CHARS_SHOW_SIZE];
    return losses_add(p->losses, "transform", "xformOp", p->err, "line %lld: %s of xformOpOrder is left out: %.160s",
                      (long long)line, chars_show(name.text, name.bytes, shown), why);
}

/* Puts the op of this name before those in *m, since the last of an order is the first to be applied. */
static int add_op(const struct usda_part *p, int32_t prim, struct usda_span name, int64_t line, struct matrix *m)
{
    static const char back[] = "!invert!", space[] = "xformOp:";
    struct usda_span op = name;
    const bool inverse = op.bytes > 8 && memcmp(op.text, back, 8) == 0;
    if (inverse)
        op = (struct usda_span){op.text + 8, op.bytes - 8};
    char attribute[128];
    (void)snprintf(attribute, sizeof attribute, "%.*s", (int)(op.bytes < sizeof attribute ? op.bytes : 0), op.text);
    struct sdd_error why = {0};
    struct usda_lexer lx;
    struct matrix own;
    bool there, known = strncmp(attribute, space, 8) == 0;
    int rc =
        usda_value(p->stage, usda_find(p->stage, prim, attribute, false), p->ask, &lx, NULL, &there, p->losses, &why);
    if (!rc && (!known || !there))
        return lose(p, line, name, "it has no value");
    const char *type = attribute + 8, *end = strchr(type, ':');
    if (!rc)
        rc = make_op(&lx, (struct usda_span){type, end ? (size_t)(end - type) : strlen(type)}, &own, &known);
    if (rc)
        return lose(p, line, name, why.text);
    if (!known)
        return lose(p, line, name, "this kind of op is not known");
    if (inverse && !invert(&own))
        return lose(p, line, name, "its matrix has no inverse");
    *m = product(&own, m);
    return SDD_OK;
}

/* Makes the matrix of a prim. *resets is set when what is above it has no effect. */
static int local_matrix(const struct usda_part *p, int32_t prim, struct matrix *m, bool *resets)
{
    struct usda_lexer lx;
    bool there;
    *m = identity;
    int n = 0, rc = usda_value(p->stage, usda_find(p->stage, prim, "xformOpOrder", false), p->ask, &lx, NULL, &there,
                               NULL, p->err);
    if (rc || !there || lx.kind != '[')
        return rc;
    for (rc = usda_next(&lx); !rc && lx.kind != ']' && lx.kind != USDA_END; rc = rc ? rc : usda_next(&lx)) {
        if (lx.kind != USDA_STRING)
            continue;
        if (usda_span_is(usda_token(&lx), "!resetXformStack!")) {
            *resets = true;
            *m = identity;
        } else if (n++ == MAX_OPS) {
            return lose(p, lx.line, usda_token(&lx), "there are too many ops");
        } else {
            rc = add_op(p, prim, usda_token(&lx), lx.line, m);
        }
    }
    return rc;
}

int usda_xform(const struct usda_part *p, int32_t prim, struct mesh_stage *out)
{
    struct matrix all = identity;
    bool resets = false;
    int rc = SDD_OK;
    for (int32_t at = prim; at > 0 && !resets && !rc; at = p->stage->prims[at].parent) {
        struct matrix own;
        rc = local_matrix(p, at, &own, &resets);
        if (!rc)
            all = product(&all, &own);
    }
    if (rc)
        return rc;
    for (int i = 0; i < 16; i++)
        if (!isfinite((&all.m[0][0])[i]))
            return losses_add(p->losses, "transform", "transform", p->err,
                              "the transform of the Mesh is not finite and left out");
    out->has_transform = memcmp(&all, &identity, sizeof all) != 0;
    memcpy(out->transform, &all, sizeof out->transform);
    return SDD_OK;
}
