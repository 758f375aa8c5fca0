/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/engines/same_as.h"
#include "tests/oracle/dice.h"
#include "tests/refine_once.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ULPS 4             /* of the largest coordinate or value */
#define MOST_NORMALS 20000 /* those that are compared with cost more */

/* compact: what can be, and nothing else. */
static sdd_result *refine(sdd_mesh *mesh, const char *method, int level, int surface, const struct shape *s,
                          int normals, int compact)
{
    const int sqrt3 = s->desc.options.scheme == SDD_SCHEME_SQRT3;
    const int some = SDD_POSITIONS | (normals ? SDD_NORMALS : 0) | (s->uvs ? SDD_UVS : 0);
    const struct sdd_refine_request r = {.level = level,
                                         .surface = surface,
                                         .include = some | (sqrt3 || compact ? 0 : SDD_PRIMVARS),
                                         .compact = compact ? some : 0,
                                         .primvars = !sqrt3,
                                         .method = method};
    struct sdd_error err = {0};
    sdd_result *result = NULL;
    if (refine_once(mesh, &r, &result, &err) != SDD_OK)
        fail_msg("%s level %d by %s: %s", s->name, level, method, err.text);
    assert_string_equal(sdd_result_info(result)->plan.method, method);
    return result;
}

/* One ulp of the largest of some values. */
static double ulp_of(const float *values, int64_t n)
{
    double scale = 0;
    for (int64_t i = 0; i < n; i++)
        scale = fmax(scale, fabs((double)values[i]));
    return scale > 0 ? scale * 0x1p-23 : 1;
}

static void compare(struct same_as *t, const char *label, const struct sdd_block *got, const struct sdd_block *want,
                    double ulp)
{
    const float *p = got->data, *q = want->data;
    assert_true(got->semantic == want->semantic && got->count == want->count && got->bytes == want->bytes);
    for (int64_t i = 0; i < got->components * got->count; i++) {
        double off = fabs((double)p[i] - (double)q[i]) / ulp;
        if (!(off <= ULPS))
            fail_msg("%s: block %d: value %lld of %lld is %.9g and %.9g, %g ulps apart", label, got->semantic,
                     (long long)i, (long long)(got->components * got->count), (double)p[i], (double)q[i], off);
        t->worst = fmax(t->worst, off);
    }
}

/* Where normals are known: not where those of mesh-matrix are others as soon as the control points are off by an ulp,
 * nor where one has none: the other may then have what rounding has left. It takes differences of points that are
 * rounded, and half as long on each level. */
static void compare_normals(struct same_as *t, const char *label, int level, const struct sdd_block *got,
                            const struct sdd_block *want, const struct sdd_block *rough)
{
    const float *p = got->data, *q = want->data, *r = rough->data;
    assert_true(got->semantic == want->semantic && got->count == want->count && got->bytes == want->bytes);
    for (int64_t v = 0; v < 3 * got->count; v += 3) {
        double off = 0, unsure = 0, square = 0, wanted = 0;
        for (int k = 0; k < 3; k++) {
            off = fmax(off, fabs((double)p[v + k] - (double)q[v + k]));
            unsure = fmax(unsure, fabs((double)r[v + k] - (double)q[v + k]));
            square += (double)p[v + k] * (double)p[v + k];
            wanted += (double)q[v + k] * (double)q[v + k];
        }
        if (!(square == 0 || fabs(square - 1) < 1e-5))
            fail_msg("%s: normal %lld has length %g", label, (long long)(v / 3), sqrt(square));
        int sure = unsure <= 1e-3 && square > 0 && wanted > 0;
        t->n_unsure += !sure;
        t->n_normals++;
        if (sure && !(off <= 5e-3 * fmax(1, ldexp(1, level - 3))))
            fail_msg("%s: normal %lld of %lld is (%g, %g, %g), not (%g, %g, %g), which is sure to %g", label,
                     (long long)(v / 3), (long long)got->count, (double)p[v], (double)p[v + 1], (double)p[v + 2],
                     (double)q[v], (double)q[v + 1], (double)q[v + 2], unsure);
        if (sure)
            t->worst_normal = fmax(t->worst_normal, off);
    }
}

/* The control points, each coordinate off by an ulp of the largest. */
static void spoil(sdd_mesh *m, const struct shape *s)
{
    struct sdd_error err = {0};
    struct dice dice = dice_of(7);
    float *points = xalloc(3 * s->desc.n_vertices, sizeof *points);
    const float ulp = (float)ulp_of(s->points, 3 * s->desc.n_vertices);
    for (int64_t i = 0; i < 3 * s->desc.n_vertices; i++)
        points[i] = s->points[i] + (dice_one_in(&dice, 2) ? ulp : -ulp);
    if (sdd_mesh_set_points(m, 0, s->desc.n_vertices, points, &err))
        fail_msg("%s: %s", s->name, err.text);
    free(points);
}

/* Five floats a vertex, of no pattern. */
static struct sdd_primvar primvar_of(const struct shape *s)
{
    float *values = xalloc(5 * s->desc.n_vertices, sizeof *values);
    for (int64_t i = 0; i < 5 * s->desc.n_vertices; i++)
        values[i] = (float)((i * 7919 + 31) % 1009) / 1009.0f - 0.5f;
    return (struct sdd_primvar){.interpolation = SDD_VERTEX, .width = 5, .values = values};
}

/* On one thread, on two, and on one with spoilt points. */
struct meshes {
    struct sdd_primvar five;
    sdd_topology *t[3];
    sdd_mesh *m[3];
};

static void make(struct same_as *a, const struct shape *s, struct meshes *of)
{
    struct sdd_error err = {0};
    of->five = primvar_of(s);
    for (int k = 0; k < 3; k++)
        if (sdd_topology_create(a->device[k % 2], &s->desc, &of->t[k], &err) ||
            sdd_mesh_create(of->t[k], s->points, s->uvs, &of->m[k], &err) ||
            sdd_mesh_set_primvars(of->m[k], 1, &of->five, &err))
            fail_msg("%s: %s", s->name, err.text);
    spoil(of->m[2], s);
}

static void drop(struct meshes *of)
{
    for (int k = 0; k < 3; k++) {
        sdd_mesh_free(of->m[k]);
        sdd_topology_unref(of->t[k]);
    }
    free((void *)(uintptr_t)of->five.values);
}

static void compare_blocks(struct same_as *t, const struct shape *s, int level, int surface,
                           const struct sdd_plan_info *got, const struct sdd_plan_info *want,
                           const struct sdd_plan_info *rough)
{
    char label[160];
    snprintf(label, sizeof label, "%s level %d surface %d", s->name, level, surface);
    assert_int_equal(got->n_blocks, want->n_blocks);
    for (int k = 0; k < got->n_blocks; k++) {
        const struct sdd_block *b = got->blocks + k;
        double ulp = b->semantic == SDD_POSITIONS ? ulp_of(s->points, 3 * s->desc.n_vertices)
                     : b->semantic == SDD_UVS     ? ulp_of(s->uvs, 2 * s->desc.n_uvs)
                                                  : 0x1p-24; /* of 0.5 */
        if (b->semantic == SDD_NORMALS && rough)
            compare_normals(t, label, level, b, want->blocks + k, rough->blocks + k);
        else
            compare(t, label, b, want->blocks + k, ulp);
        t->digests = t->digests * 31 + b->digest;
    }
}

static void same_blocks(const struct shape *s, int level, const struct sdd_plan_info *p, const struct sdd_plan_info *q)
{
    for (int k = 0; k < p->n_blocks; k++)
        if (p->blocks[k].digest != q->blocks[k].digest)
            fail_msg("%s level %d: block %d has other bits on two threads", s->name, level, p->blocks[k].semantic);
}

/* test_compact looks at what they say. */
static void check_compact(struct same_as *t, const struct shape *s, int level, int surface, const struct meshes *of,
                          int normals)
{
    sdd_result *got = refine(of->m[0], t->method, level, surface, s, normals, 1);
    sdd_result *again = refine(of->m[1], t->method, level, surface, s, normals, 1);
    const struct sdd_plan_info *p = &sdd_result_info(got)->plan;
    same_blocks(s, level, p, &sdd_result_info(again)->plan);
    for (int k = 0; k < p->n_blocks; k++)
        t->compact_digests = t->compact_digests * 31 + p->blocks[k].digest;
    sdd_result_free(got);
    sdd_result_free(again);
}

static void check_surface(struct same_as *t, const struct shape *s, int level, int surface, const struct meshes *of)
{
    int normals = level <= level_that_fits(&s->desc, t->normals, MOST_NORMALS);
    sdd_result *got = refine(of->m[0], t->method, level, surface, s, normals, 0);
    sdd_result *again = refine(of->m[1], t->method, level, surface, s, normals, 0);
    sdd_result *want = refine(of->m[0], "mesh-matrix", level, surface, s, normals, 0);
    sdd_result *rough = normals ? refine(of->m[2], "mesh-matrix", level, surface, s, normals, 0) : NULL;
    const struct sdd_plan_info *p = &sdd_result_info(got)->plan, *q = &sdd_result_info(again)->plan;
    compare_blocks(t, s, level, surface, p, &sdd_result_info(want)->plan, rough ? &sdd_result_info(rough)->plan : NULL);
    same_blocks(s, level, p, q);
    check_compact(t, s, level, surface, of, normals);
    sdd_result_free(got);
    sdd_result_free(again);
    sdd_result_free(want);
    sdd_result_free(rough);
    t->n_compared++;
}

void same_as_shape(struct same_as *a, const struct shape *s, int first_level, int last_level)
{
    struct meshes of;
    make(a, s, &of);
    for (int level = first_level; level <= last_level; level++)
        for (int surface = SDD_SURFACE_REFINED; surface < SDD_N_SURFACES; surface++)
            check_surface(a, s, level, surface, &of);
    drop(&of);
}

void same_as_open(struct same_as *a)
{
    for (int k = 0; k < 2; k++)
        a->device[k] = open_device(k + 1);
}

void same_as_close(struct same_as *a)
{
    print_message(
        "%d frames compared, at most %.2f ulps apart; %lld normals, but for %lld at most %.2g apart; digest of "
        "all %016llx, compact %016llx\n",
        a->n_compared, a->worst, (long long)a->n_normals, (long long)a->n_unsure, a->worst_normal,
        (unsigned long long)a->digests, (unsigned long long)a->compact_digests);
    for (int k = 0; k < 2; k++)
        sdd_device_close(a->device[k]);
}
