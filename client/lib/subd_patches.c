/* SPDX-License-Identifier: Apache-2.0 */
/* subd_patches.c: fetches a surface as B-spline patches and evaluates them, for users of libsubd. */
#include "subd_internal.h"

int subd_patches(subd_client *c, const char *id, const struct subd_patches *r, struct subd_frame *frame,
                 struct subd_error *err)
{
    struct subd_patches own;
    struct subd_refine refine;
    struct subd_request q = {.method = "GET", .accept = SUBD_FRAME_MEDIA_TYPE, .frame = frame, .refine = &refine};
    int rc;
    if ((rc = SUBD_NEED(err, c, id, r, frame)) || (rc = SUBD_TAKE(&own, r, subd_patches, err)))
        return rc;
    if (own.level < 1 || own.level > SUBD_MAX_PATCH_LEVEL)
        return subd_fail(err, SUBD_EUSAGE, "level %d is out of range: patches have levels 1 to %d", own.level,
                         SUBD_MAX_PATCH_LEVEL);
    refine = (struct subd_refine)SUBD_INIT(subd_refine, .level = own.level, .include = SUBD_PATCH_BLOCKS,
                                           .surface = own.surface, .skip_digests = own.skip_digests, .place = own.place,
                                           .place_arg = own.place_arg);
    q.if_none_match = own.if_none_match;
    subd_text_mesh_path(&q.path, id, "/patches");
    subd_text_add(&q.path, "?level=%d", own.level);
    subd_text_query(&q.path, "surface", own.surface);
    return subd_request_start(c, &q, err);
}

/* ---- evaluation ------------------------------------------------------------------------------------------------ */

/* Computes four control points beyond a boundary edge. Each is the point of the row inside the edge, mirrored in the
 * point on the edge. `to`, `edge` and `inner` are the first point of each row, and `step` leads to the next. */
static void mirror(double p[16][3], int to, int edge, int inner, int step)
{
    for (int i = 0; i < 4; i++, to += step, edge += step, inner += step)
        for (int k = 0; k < 3; k++)
            p[to][k] = 2 * p[edge][k] - p[inner][k];
}

static int control_points(const struct subd_frame *f, int64_t patch, double p[16][3])
{
    const struct subd_block *positions = subd_frame_find(f, SUBD_POSITIONS), *rows = subd_frame_find(f, SUBD_PATCHES),
                            *params = subd_frame_find(f, SUBD_PATCH_PARAMS);
    const uint32_t *row;
    uint32_t flags;
    if (!positions || !rows || !params || patch < 0 || patch >= rows->count)
        return SUBD_EUSAGE;
    row = (const uint32_t *)rows->data + 16 * patch;
    flags = ((const uint32_t *)params->data)[4 * patch + 3];
    for (int i = 0; i < 16; i++)
        for (int k = 0; k < 3; k++)
            p[i][k] = ((const float *)positions->data)[3 * (int64_t)row[i] + k];
    /* Columns come before rows: a point beyond two edges is then computed from points that exist by now. */
    if (flags & SUBD_PATCH_BOUNDARY << 3)
        mirror(p, 0, 1, 2, 4);
    if (flags & SUBD_PATCH_BOUNDARY << 1)
        mirror(p, 3, 2, 1, 4);
    if (flags & SUBD_PATCH_BOUNDARY << 0)
        mirror(p, 0, 4, 8, 1);
    if (flags & SUBD_PATCH_BOUNDARY << 2)
        mirror(p, 12, 8, 4, 1);
    return SUBD_OK;
}

int subd_patch_points(const struct subd_frame *f, int64_t patch, float points[16][3])
{
    double p[16][3];
    int rc = points ? control_points(f, patch, p) : SUBD_EUSAGE;
    for (int i = 0; i < 48 && rc == SUBD_OK; i++)
        points[i / 3][i % 3] = (float)p[i / 3][i % 3];
    return rc;
}

/* Values and slopes of the four uniform cubic B-splines over one span. */
static void basis(double t, double value[4], double slope[4])
{
    double s = 1 - t;
    value[0] = s * s * s / 6;
    value[1] = (3 * t * t * t - 6 * t * t + 4) / 6;
    value[2] = (3 * s * s * s - 6 * s * s + 4) / 6;
    value[3] = t * t * t / 6;
    slope[0] = -s * s / 2;
    slope[1] = 1.5 * t * t - 2 * t;
    slope[2] = 2 * s - 1.5 * s * s;
    slope[3] = t * t / 2;
}

static void sum(double p[16][3], const double along_u[4], const double along_v[4], float out[3])
{
    for (int k = 0; k < 3; k++) {
        double total = 0;
        for (int j = 0; j < 4; j++)
            total += along_v[j] * (along_u[0] * p[4 * j][k] + along_u[1] * p[4 * j + 1][k] +
                                   along_u[2] * p[4 * j + 2][k] + along_u[3] * p[4 * j + 3][k]);
        out[k] = (float)total;
    }
}

int subd_patch_evaluate(const struct subd_frame *f, int64_t patch, float u, float v, float point[3], float du[3],
                        float dv[3])
{
    double p[16][3], bu[4], bv[4], su[4], sv[4];
    if (!point || !(u >= 0 && u <= 1 && v >= 0 && v <= 1) || control_points(f, patch, p) != SUBD_OK)
        return SUBD_EUSAGE;
    basis(u, bu, su);
    basis(v, bv, sv);
    sum(p, bu, bv, point);
    if (du)
        sum(p, su, bv, du);
    if (dv)
        sum(p, bu, sv, dv);
    return SUBD_OK;
}
