/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/engines/same_as.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ULPS 4 /* of the largest coordinate or value */

/* NULL: refused for its forms. */
static sdd_result *refine(sdd_mesh *mesh, const char *method, int level, int surface, const struct shape *s)
{
    const int sqrt3 = s->desc.options.scheme == SDD_SCHEME_SQRT3;
    char refusal[80];
    const struct sdd_refine_request r = {.level = level,
                                         .surface = surface,
                                         .include = SDD_POSITIONS | (s->uvs ? SDD_UVS : 0) | (sqrt3 ? 0 : SDD_PRIMVARS),
                                         .primvars = !sqrt3,
                                         .method = method};
    struct sdd_error err = {0};
    sdd_result *result = NULL;
    int rc = sdd_refine(mesh, &r, &result, &err);
    snprintf(refusal, sizeof refusal, "engine %s does not do this mesh", method);
    if (rc == SDD_EUNSUPPORTED && strstr(err.text, refusal))
        return NULL;
    if (rc != SDD_OK)
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

/* Five floats a vertex, of no pattern. */
static struct sdd_primvar primvar_of(const struct shape *s)
{
    float *values = xalloc(5 * s->desc.n_vertices, sizeof *values);
    for (int64_t i = 0; i < 5 * s->desc.n_vertices; i++)
        values[i] = (float)((i * 7919 + 31) % 1009) / 1009.0f - 0.5f;
    return (struct sdd_primvar){.interpolation = SDD_VERTEX, .width = 5, .values = values};
}

static void make(sdd_device *on, const struct shape *s, const struct sdd_primvar *five, sdd_topology **t, sdd_mesh **m)
{
    struct sdd_error err = {0};
    if (sdd_topology_create(on, &s->desc, t, &err) || sdd_mesh_create(*t, s->points, s->uvs, m, &err) ||
        sdd_mesh_set_primvars(*m, 1, five, &err))
        fail_msg("%s: %s", s->name, err.text);
}

/* 0: refused. */
static int check_surface(struct same_as *t, const struct shape *s, int level, int surface, sdd_mesh *m, sdd_mesh *other)
{
    char label[160];
    sdd_result *a = refine(m, t->method, level, surface, s);
    snprintf(label, sizeof label, "%s level %d surface %d", s->name, level, surface);
    if (!a)
        return 0;
    sdd_result *b = refine(m, "mesh-matrix", level, surface, s), *c = refine(other, t->method, level, surface, s);
    const struct sdd_plan *p = &sdd_result_info(a)->plan, *q = &sdd_result_info(b)->plan,
                          *r = &sdd_result_info(c)->plan;
    assert_int_equal(p->n_blocks, (s->uvs ? 2 : 1) + (s->desc.options.scheme != SDD_SCHEME_SQRT3));
    for (int k = 0; k < p->n_blocks; k++) {
        const int is_points = p->blocks[k].semantic == SDD_POSITIONS;
        double ulp = is_points ? ulp_of(s->points, 3 * s->desc.n_vertices) : 0x1p-24; /* of 0.5 */
        if (p->blocks[k].semantic == SDD_UVS)
            ulp = ulp_of(s->uvs, 2 * s->desc.n_uvs);
        compare(t, label, p->blocks + k, q->blocks + k, ulp);
        if (p->blocks[k].digest != r->blocks[k].digest)
            fail_msg("%s: block %d has other bits on two threads", label, p->blocks[k].semantic);
        t->digests = t->digests * 31 + p->blocks[k].digest;
    }
    sdd_result_free(a);
    sdd_result_free(b);
    sdd_result_free(c);
    return 1;
}

int same_as_shape(struct same_as *a, const struct shape *s, int first_level, int last_level)
{
    sdd_topology *t[2] = {NULL};
    sdd_mesh *m[2] = {NULL};
    struct sdd_primvar five = primvar_of(s);
    int refused = 0;
    for (int k = 0; k < 2; k++)
        make(a->device[k], s, &five, &t[k], &m[k]);
    for (int level = first_level; level <= last_level; level++)
        for (int surface = SDD_SURFACE_REFINED; surface <= SDD_SURFACE_LIMIT; surface++)
            refused += !check_surface(a, s, level, surface, m[0], m[1]);
    for (int k = 0; k < 2; k++) {
        sdd_mesh_free(m[k]);
        sdd_topology_unref(t[k]);
    }
    free((void *)(uintptr_t)five.values);
    a->n_refused += refused;
    a->n_compared += 2 * (last_level - first_level + 1) - refused;
    return refused;
}

void same_as_open(struct same_as *a)
{
    for (int k = 0; k < 2; k++)
        a->device[k] = open_device(k + 1);
}

void same_as_close(struct same_as *a)
{
    print_message("%d frames compared, at most %.2f ulps apart; %d refused; digest of all %016llx\n", a->n_compared,
                  a->worst, a->n_refused, (unsigned long long)a->digests);
    for (int k = 0; k < 2; k++)
        sdd_device_close(a->device[k]);
}
