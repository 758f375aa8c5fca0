/* SPDX-License-Identifier: Apache-2.0 */
/* test_primvars.c: what refines along with the positions, on every shape. What is linear is held against scheme
 * bilinear, which OpenSubdiv's witness has seen; face params against where they say the corners are; the rest are laws.
 */
#include "tests/engines/fixture.h"
#include "tests/env.h"
#include "tests/oracle/cases.h"
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

enum { CONSTANT, UNIFORM, VARYING, CORNERS, N_PRIMVARS };
#define WIDE 7 /* of the face-varying one: the UVs, then multiples of them */

struct under_test {
    struct sdd_mesh_desc desc; /* with a channel */
    struct sdd_channel channel;
    struct sdd_primvar primvars[N_PRIMVARS];
    uint32_t constant[3], *uniform;
    float *corners;
    sdd_topology *topology;
    sdd_mesh *mesh;
};

static void fill(struct under_test *u, const struct shape *s, int scheme)
{
    u->desc = s->desc;
    u->desc.options.scheme = scheme;
    u->desc.options.fvar = SDD_FVAR_ALL;
    u->channel = (struct sdd_channel){s->desc.n_uvs, s->desc.uv_indices};
    u->desc.n_channels = s->uvs ? 1 : 0;
    u->desc.channels = &u->channel;
    u->uniform = xalloc(2 * s->desc.n_faces, sizeof *u->uniform);
    u->corners = xalloc(WIDE * s->desc.n_uvs, sizeof *u->corners);
    for (int k = 0; k < 3; k++)
        u->constant[k] = 0x7fc00000u + (uint32_t)k; /* NaNs: words are copied, whatever they are */
    for (int64_t f = 0; f < s->desc.n_faces; f++)
        u->uniform[2 * f] = (uint32_t)f, u->uniform[2 * f + 1] = ~(uint32_t)f;
    for (int64_t i = 0; s->uvs && i < s->desc.n_uvs; i++)
        for (int k = 0; k < WIDE; k++)
            u->corners[WIDE * i + k] = s->uvs[2 * i + k % 2] * (float)(1 << k / 2);
    u->primvars[CONSTANT] = (struct sdd_primvar){SDD_CONSTANT, 3, 0, u->constant};
    u->primvars[UNIFORM] = (struct sdd_primvar){SDD_UNIFORM, 2, 0, u->uniform};
    u->primvars[VARYING] = (struct sdd_primvar){SDD_VARYING, 3, 0, s->points};
    u->primvars[CORNERS] = (struct sdd_primvar){SDD_FACE_VARYING, WIDE, 0, u->corners};
}

/* A shape that the scheme refuses has no mesh. */
static void open_shape(struct under_test *u, sdd_device *device, const struct shape *s, int scheme)
{
    struct sdd_error err = {0};
    memset(u, 0, sizeof *u);
    fill(u, s, scheme);
    if (sdd_topology_create(device, &u->desc, &u->topology, &err))
        return;
    assert_int_equal(sdd_mesh_create(u->topology, s->points, s->uvs, &u->mesh, &err), SDD_OK);
    int n = s->uvs ? N_PRIMVARS : CORNERS;
    if (sdd_mesh_set_primvars(u->mesh, n, u->primvars, &err))
        fail_msg("%s: %s", s->name, err.text);
}

static void close_shape(struct under_test *u)
{
    sdd_mesh_free(u->mesh);
    sdd_topology_unref(u->topology);
    free(u->uniform);
    free(u->corners);
}

static sdd_result *refine(const struct under_test *u, const char *name, int level, int include, uint32_t primvars)
{
    struct sdd_refine_request r = {.level = level, .include = include, .primvars = primvars, .method = fixture_method};
    struct sdd_error err = {0};
    struct sdd_plan_info plan;
    sdd_result *result = NULL;
    r.primvar_shapes = sdd_mesh_primvars(u->mesh, &r.n_primvars);
    if (plan_once(u->topology, &r, &plan, &err) || refine_once(u->mesh, &r, &result, &err))
        fail_msg("%s: %s", name, err.text);
    assert_int_equal(plan.n_blocks, sdd_result_info(result)->plan.n_blocks);
    assert_int_equal(plan.device_bytes, sdd_result_info(result)->plan.device_bytes);
    return result;
}

static const struct sdd_block *block(const sdd_result *r, int semantic, int primvar)
{
    const struct sdd_plan_info *p = &sdd_result_info(r)->plan;
    for (int k = 0; k < p->n_blocks; k++)
        if (p->blocks[k].semantic == semantic && (primvar < 0 || p->blocks[k].primvar == primvar))
            return &p->blocks[k];
    fail_msg("there is no block %d of primvar %d", semantic, primvar);
    return NULL;
}

/* ---- face params ------------------------------------------------------------------------------------------------ */
/* The place that params[4] give to corner `turn` of a refined face, linear over the control face. */
static void place(const struct sdd_mesh_desc *d, const float *points, const int64_t *first, const uint32_t *params,
                  int turn, int size, double out[3])
{
    int64_t f = params[0], n = d->face_counts[f];
    int polygon = (params[3] & SDD_PATCH_OF_POLYGON) != 0, level = (int)(params[3] & SDD_PATCH_LEVEL_MASK);
    double side = (double)((int64_t)1 << (polygon ? level - 1 : level));
    double at[3] = {0}, corner[4][3] = {{0}};
    int left = d->options.orientation == SDD_LEFT_HANDED;
    for (int64_t k = 0; k < n; k++) {
        int64_t authored = left ? (n - k) % n : k;
        const float *p = points + 3 * (int64_t)d->face_vertices[first[f] + authored];
        int64_t mine = params[1];
        for (int x = 0; x < 3; x++) {
            at[x] += (double)p[x] / (double)n;
            if (!polygon) {
                if (k < 4)
                    corner[k][x] = p[x];
                continue;
            }
            corner[0][x] += k == mine ? (double)p[x] : 0;
            corner[1][x] += k == mine || k == (mine + 1) % n ? (double)p[x] / 2 : 0;
            corner[3][x] += k == mine || k == (mine + n - 1) % n ? (double)p[x] / 2 : 0;
        }
    }
    if (polygon)
        memcpy(corner[2], at, sizeof at);
    int turned = (params[3] & SDD_FACE_TURNED) != 0, q = polygon || size == 3 ? turn : (turn + (int)params[1]) % 4;
    static const int du[] = {0, 1, 1, 0}, dv[] = {0, 0, 1, 1}, tu[2][3] = {{0, 1, 0}, {1, 1, 0}},
                     tv[2][3] = {{0, 0, 1}, {0, 1, 1}};
    double u = ((double)(params[2] & 0xffff) + (size == 3 ? tu[turned][turn] : du[q])) / side;
    double v = ((double)(params[2] >> 16) + (size == 3 ? tv[turned][turn] : dv[q])) / side;
    for (int x = 0; x < 3; x++)
        out[x] = size == 3 ? corner[0][x] * (1 - u - v) + corner[1][x] * u + corner[2][x] * v
                           : (corner[0][x] * (1 - u) + corner[1][x] * u) * (1 - v) +
                                 (corner[3][x] * (1 - u) + corner[2][x] * u) * v;
}

static int64_t check_params(const struct under_test *u, const struct shape *s, const sdd_result *r, const float *at)
{
    const struct sdd_block *params = block(r, SDD_FACE_PARAMS, -1), *faces = block(r, SDD_INDICES, -1);
    const uint32_t *p = params->data, *v = faces->data;
    int64_t *first = xalloc(u->desc.n_faces, sizeof *first);
    for (int64_t f = 1; f < u->desc.n_faces; f++)
        first[f] = first[f - 1] + u->desc.face_counts[f - 1];
    assert_int_equal(params->count, faces->count);
    for (int64_t i = 0; i < faces->count; i++)
        for (int k = 0; k < faces->components; k++) {
            double want[3];
            place(&u->desc, s->points, first, p + 4 * i, k, faces->components, want);
            for (int x = 0; x < 3; x++)
                if (!(fabs((double)at[3 * (int64_t)v[faces->components * i + k] + x] - want[x]) <= 1e-5 * s->diagonal))
                    fail_msg("%s: corner %d of face %lld is not where its params say", s->name, k, (long long)i);
        }
    free(first);
    return faces->count;
}

/* ---- primvars --------------------------------------------------------------------------------------------------- */
static void check_copies(const struct under_test *u, const sdd_result *r)
{
    const struct sdd_block *constant = block(r, SDD_PRIMVARS, CONSTANT), *uniform = block(r, SDD_PRIMVARS, UNIFORM);
    const uint32_t *p = block(r, SDD_FACE_PARAMS, -1)->data, *word = uniform->data;
    assert_int_equal(constant->count, 1);
    assert_memory_equal(constant->data, u->constant, sizeof u->constant);
    for (int64_t i = 0; i < uniform->count; i++)
        assert_true(word[2 * i] == p[4 * i] && word[2 * i + 1] == ~p[4 * i]);
}

/* The UVs went another way, as channel 0; multiples by powers of two keep their bits. */
static void check_corners(const sdd_result *r)
{
    const struct sdd_block *wide = block(r, SDD_PRIMVARS, CORNERS), *uvs = block(r, SDD_UVS, -1);
    const struct sdd_block *rows = block(r, SDD_PRIMVAR_INDICES, CORNERS), *uv_rows = block(r, SDD_UV_INDICES, -1);
    const float *got = wide->data, *want = uvs->data;
    assert_int_equal(wide->count, uvs->count);
    assert_int_equal(rows->bytes, uv_rows->bytes);
    assert_memory_equal(rows->data, uv_rows->data, (size_t)rows->bytes);
    for (int64_t i = 0; i < wide->count; i++)
        for (int k = 0; k < WIDE; k++)
            if (got[WIDE * i + k] != want[2 * i + k % 2] * (float)(1 << k / 2))
                fail_msg("value %lld of the face-varying primvar is not that of the UVs", (long long)i);
}

static void check_varying(const struct shape *s, const sdd_result *r, const float *linear)
{
    const struct sdd_block *varying = block(r, SDD_PRIMVARS, VARYING);
    const float *got = varying->data;
    for (int64_t i = 0; i < 3 * varying->count; i++)
        if (!(fabsf(got[i] - linear[i]) <= 1e-6 * s->diagonal + 1e-6 * fabs((double)linear[i])))
            fail_msg("%s: varying value %lld is %g, bilinear positions have %g", s->name, (long long)(i / 3),
                     (double)got[i], (double)linear[i]);
}

static int64_t check_shape(sdd_device *device, const struct shape *s, int scheme, int level)
{
    struct under_test u, linear;
    int64_t n = 0;
    open_shape(&u, device, s, scheme);
    open_shape(&linear, device, s, SDD_SCHEME_BILINEAR);
    if (u.mesh && linear.mesh) {
        int uvs = s->uvs ? SDD_UVS | SDD_UV_INDICES | SDD_PRIMVAR_INDICES : 0;
        sdd_result *r = refine(&u, s->name, level, SDD_INDICES | SDD_FACE_PARAMS | SDD_PRIMVARS | uvs, s->uvs ? 15 : 7);
        sdd_result *flat = refine(&linear, s->name, level, SDD_POSITIONS, 0);
        const float *at = block(flat, SDD_POSITIONS, -1)->data;
        if (scheme == SDD_SCHEME_LOOP) /* in its own grid varying is linear, and so checks the params */
            at = block(r, SDD_PRIMVARS, VARYING)->data;
        else
            check_varying(s, r, at);
        n = check_params(&u, s, r, at);
        check_copies(&u, r);
        if (s->uvs)
            check_corners(r);
        sdd_result_free(flat);
        sdd_result_free(r);
    }
    close_shape(&u);
    close_shape(&linear);
    return n;
}

static void test_shapes(void **state)
{
    (void)state;
    sdd_device *device = open_device(0);
    int64_t faces[SDD_SCHEME_SQRT3] = {0};
    size_t n;
    const char *folders[] = {test_shapes_dir(), NULL};
    char odd[4096];
    (void)snprintf(odd, sizeof odd, "%s/nonmanifold", test_shapes_dir());
    folders[1] = odd;
    for (int folder = 0; folder < 2; folder++) {
        char **names = shape_list(folders[folder], &n);
        for (size_t i = 0; i < n; i++) {
            struct shape s;
            struct sdd_error err = {0};
            assert_int_equal(shape_load(folders[folder], names[i], &s, &err), SDD_OK);
            for (int scheme = 0; scheme < SDD_SCHEME_SQRT3; scheme++)
                for (int level = 1; level <= 3 && s.desc.n_corners < 3000; level++)
                    faces[scheme] += check_shape(device, &s, scheme, level);
            shape_free(&s);
        }
        shape_list_free(names);
    }
    print_message("refined faces: catmullClark %lld, loop %lld, bilinear %lld\n", (long long)faces[0],
                  (long long)faces[1], (long long)faces[2]);
    assert_true(faces[0] > 100000 && faces[1] > 10000 && faces[2] > 100000);
    sdd_device_close(device);
}

static void test_refused(void **state)
{
    (void)state;
    struct fixture f;
    float values[64] = {0};
    struct sdd_error err = {0};
    fixture_open(&f, "box", 0, 0);
    const struct sdd_primvar bad[] = {{7, 1, 0, values},
                                      {-1, 1, 0, values},
                                      {SDD_VERTEX, 0, 0, values},
                                      {SDD_VERTEX, SDD_MAX_PRIMVAR_WIDTH + 1, 0, values},
                                      {SDD_FACE_VARYING, 1, 0, values},
                                      {SDD_FACE_VARYING, 1, -1, values}};
    int64_t before = fixture_used(&f);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(sdd_mesh_set_primvars(f.mesh, 1, bad + i, &err), SDD_EINVALID);
        assert_string_equal(err.field, "primvars");
    }
    assert_int_equal(sdd_mesh_set_primvars(f.mesh, SDD_MAX_PRIMVARS + 1, bad, &err), SDD_EINVALID);
    struct sdd_primvar varying = {SDD_VARYING, 1, 0, values};
    values[3] = NAN;
    assert_int_equal(sdd_mesh_set_primvars(f.mesh, 1, &varying, &err), SDD_EMESH);
    values[3] = 2e30f;
    assert_int_equal(sdd_mesh_set_primvars(f.mesh, 1, &varying, &err), SDD_EMESH);
    assert_int_equal(fixture_used(&f), before);
    values[3] = 1;
    assert_int_equal(sdd_mesh_set_primvars(f.mesh, 1, &varying, &err), SDD_OK);
    struct sdd_refine_request r = fixture_ask(1, SDD_SURFACE_REFINED, SDD_PRIMVARS);
    sdd_result *result = NULL;
    assert_int_equal(refine_once(f.mesh, &r, &result, &err), SDD_EINVALID); /* names none */
    r.primvars = 2;
    assert_int_equal(refine_once(f.mesh, &r, &result, &err), SDD_EINVALID); /* there is but one */
    r.primvars = 1;
    assert_int_equal(refine_once(f.mesh, &r, &result, &err), SDD_OK);
    sdd_result_free(result);
    assert_int_equal(sdd_mesh_set_primvars(f.mesh, 0, NULL, &err), SDD_OK);
    assert_int_equal(fixture_used(&f), before);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shapes), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests_name("primvars", tests, NULL, NULL);
}
