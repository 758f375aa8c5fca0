/* SPDX-License-Identifier: Apache-2.0 */
/* test_random_primvars.c: what random tagged meshes carry along, against OpenSubdiv: a vertex primvar refines as
 * positions of its values would, a face-varying one as UVs over its own channel, a varying one as positions under
 * bilinear, on both surfaces. Masks are linear, so further components are made of the first. SUBDD_SEEDS and SUBDD_SEED
 * as in test_random_osd.c. */
#include "tests/env.h"
#include "tests/oracle/cases.h"
#include "tests/oracle/judge.h"
#include "tests/oracle/osd.h"
#include "tests/oracle/random_mesh.h"
#include "tests/refine_once.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { VERTEX, VARYING, CORNERS, N_PRIMVARS };
enum { VERTEX_WIDTH = 4, VARYING_WIDTH = 3, CORNERS_WIDTH = 5 };
static const char *const names[] = {"vertex", "varying", "face-varying"};
static const int widths[] = {VERTEX_WIDTH, VARYING_WIDTH, CORNERS_WIDTH};

struct carried {
    struct tagged_mesh mesh, channel; /* the channel's indices and values are the UVs of a second mesh */
    struct sdd_mesh_desc desc;
    struct sdd_channel row;
    struct sdd_primvar primvars[N_PRIMVARS];
    float vertex[TAGGED_VERTICES][VERTEX_WIDTH], values[TAGGED_VERTICES][3], corners[TAGGED_UVS][CORNERS_WIDTH];
};
static sdd_device *device;
static int64_t compared[N_PRIMVARS];

static void carry(uint64_t seed, struct carried *c)
{
    struct dice d = dice_of(~seed);
    random_mesh(seed, &c->mesh);
    c->channel = c->mesh;
    c->channel.n_uvs = 0;
    random_uvs(&d, &c->channel);
    for (int32_t v = 0; v < c->mesh.n_vertices; v++) {
        for (int k = 0; k < 3; k++)
            c->vertex[v][k] = c->values[v][k] = (float)dice_real(&d);
        c->vertex[v][3] = c->vertex[v][0] + c->vertex[v][1];
    }
    for (int32_t i = 0; i < c->channel.n_uvs; i++) {
        const float u = c->channel.uvs[i][0], v = c->channel.uvs[i][1];
        const float five[CORNERS_WIDTH] = {u, v, u + v, 2 * u, -v};
        memcpy(c->corners[i], five, sizeof five);
    }
    tagged_desc(&c->mesh, &c->desc);
    c->row = (struct sdd_channel){c->channel.n_uvs, c->channel.uv_indices};
    c->desc.n_channels = 1;
    c->desc.channels = &c->row;
    c->primvars[VERTEX] = (struct sdd_primvar){SDD_VERTEX, VERTEX_WIDTH, 0, c->vertex};
    c->primvars[VARYING] = (struct sdd_primvar){SDD_VARYING, VARYING_WIDTH, 0, c->values};
    c->primvars[CORNERS] = (struct sdd_primvar){SDD_FACE_VARYING, CORNERS_WIDTH, 0, c->corners};
}

/* ---- what is expected: rows of the primvar's width, by refined vertex or by corner of a refined face ------------ */
/* Linear over the triangles of scheme loop. */
static void linear_in_triangles(const struct carried *c, double *out)
{
    struct grid g;
    const int64_t m = (int64_t)1 << c->mesh.level;
    grid_init(&g, &c->desc);
    for (int32_t v = 0; v < c->mesh.n_vertices; v++)
        for (int k = 0; k < 3; k++)
            out[3 * v + k] = (double)c->values[v][k];
    for (int64_t f = 0; f < g.n_faces; f++)
        for (int64_t at = 0; at < (m + 1) * (m + 1); at++) {
            const int64_t i = at % (m + 1), j = at / (m + 1);
            const int32_t *v = &g.vertices[3 * f];
            for (int k = 0; k < 3 && i + j <= m; k++)
                out[3 * (int64_t)tri_vertex(&g, c->mesh.level, 3 * f, i, j) + k] =
                    ((double)c->values[v[0]][k] * (double)(m - i - j) + (double)c->values[v[1]][k] * (double)i +
                     (double)c->values[v[2]][k] * (double)j) /
                    (double)m;
        }
    grid_fini(&g);
}

static double *expected(const struct carried *c, int primvar, int surface, int64_t *n)
{
    struct sdd_mesh_desc d = c->desc;
    struct refined want;
    const int corners = primvar == CORNERS, width = widths[primvar];
    if (corners) {
        d.n_uvs = c->channel.n_uvs;
        d.uv_indices = c->channel.uv_indices;
    }
    if (primvar == VARYING && d.options.scheme != SDD_SCHEME_LOOP)
        d.options.scheme = SDD_SCHEME_BILINEAR;
    osd_refine(&d, c->values[0], corners ? c->channel.uvs[0] : NULL, c->mesh.level, &want);
    *n = corners ? want.size * want.n_faces : want.n_vertices;
    double *out = xalloc(*n * width, sizeof *out);
    for (int64_t i = 0; i < *n; i++) {
        const double *uv = corners ? (surface != SDD_SURFACE_REFINED ? want.limit_uvs : want.uvs) + 2 * i : NULL;
        const double *p = (surface != SDD_SURFACE_REFINED ? want.limits : want.points) + (corners ? 0 : 3 * i);
        const double of_uv[CORNERS_WIDTH] = {corners ? uv[0] : 0, corners ? uv[1] : 0, corners ? uv[0] + uv[1] : 0,
                                             corners ? 2 * uv[0] : 0, corners ? -uv[1] : 0};
        const double of_point[VERTEX_WIDTH] = {p[0], p[1], p[2], p[0] + p[1]};
        memcpy(&out[i * width], corners ? of_uv : of_point, (size_t)width * sizeof *out);
    }
    if (primvar == VARYING && d.options.scheme == SDD_SCHEME_LOOP)
        linear_in_triangles(c, out);
    refined_free(&want);
    return out;
}

/* ---- what is got ------------ */
static double *got_rows(const sdd_result *r, int primvar, int64_t n)
{
    const struct sdd_plan_info *p = &sdd_result_info(r)->plan;
    const struct sdd_block *values = NULL, *indices = NULL;
    const int width = widths[primvar];
    for (int k = 0; k < p->n_blocks; k++) {
        if (p->blocks[k].semantic == SDD_PRIMVARS)
            values = &p->blocks[k];
        if (p->blocks[k].semantic == SDD_PRIMVAR_INDICES)
            indices = &p->blocks[k];
    }
    const struct sdd_block *rows = primvar == CORNERS ? indices : values;
    if (!values || !rows || values->components != width ||
        rows->count * (primvar == CORNERS ? rows->components : 1) != n)
        oracle_die("the blocks of a %s primvar are not those of %lld rows", names[primvar], (long long)n);
    double *out = xalloc(n * width, sizeof *out);
    for (int64_t i = 0; i < n; i++) {
        int64_t row = primvar == CORNERS ? (int64_t)((const uint32_t *)indices->data)[i] : i;
        if (row >= values->count)
            oracle_die("row %lld of %lld values", (long long)row, (long long)values->count);
        for (int k = 0; k < width; k++)
            out[i * width + k] = (double)((const float *)values->data)[row * width + k];
    }
    return out;
}

static int differs(const char *label, const double *got, const double *want, int64_t n, int width)
{
    double worst = 0, most = 1;
    int64_t at = 0;
    for (int64_t i = 0; i < n * width; i++) {
        double d = fabs(got[i] - want[i]);
        most = fmax(most, fabs(want[i]));
        if (!(d <= worst)) {
            worst = d;
            at = i;
        }
    }
    if (worst <= 1e-5 * most)
        return 0;
    printf("%s: row %lld component %lld: got %.9g, expected %.9g\n", label, (long long)(at / width),
           (long long)(at % width), got[at], want[at]);
    return 1;
}

/* One primvar by one engine on one surface. */
static int check(const struct carried *c, sdd_mesh *mesh, const char *label, const char *method, int primvar,
                 int surface)
{
    struct sdd_refine_request r = {.level = c->mesh.level, .surface = surface, .method = method};
    struct sdd_error err = {0};
    sdd_result *result = NULL;
    char text[800];
    int64_t n;
    r.include = SDD_PRIMVARS | (primvar == CORNERS ? SDD_PRIMVAR_INDICES : 0);
    r.primvars = 1u << primvar;
    snprintf(text, sizeof text, "%s, %s, %s%s", label, method, names[primvar],
             surface != SDD_SURFACE_REFINED ? ", limit" : "");
    if (refine_once(mesh, &r, &result, &err) != SDD_OK) {
        if (judge_may_refuse(&err))
            return 0;
        printf("%s: refused: %s: %s\n", text, sdd_err_code(err.code), err.text);
        return 1;
    }
    double *want = expected(c, primvar, surface, &n), *got = got_rows(result, primvar, n);
    int bad = differs(text, got, want, n, widths[primvar]);
    compared[primvar]++;
    free(want);
    free(got);
    sdd_result_free(result);
    return bad;
}

static int check_seed(uint64_t seed)
{
    static struct carried c;
    struct sdd_error err = {0};
    sdd_mesh *mesh = NULL;
    char label[600], options[512];
    int bad = 0;
    carry(seed, &c);
    snprintf(label, sizeof label, "seed %llu: %s", (unsigned long long)seed,
             tagged_options(&c.mesh, options, sizeof options));
    const float *uvs = c.mesh.n_uvs > 0 ? c.mesh.uvs[0] : NULL;
    if (!osd_is_sound(&c.desc))
        return 0;
    if (library_mesh(device, &c.desc, c.mesh.points[0], uvs, &mesh, &err) != SDD_OK ||
        sdd_mesh_set_primvars(mesh, N_PRIMVARS, c.primvars, &err) != SDD_OK)
        fail_msg("%s: %s", label, err.text);
    for (int e = 0; sdd_engine(e); e++)
        for (int k = 0; k < 2 * N_PRIMVARS; k++)
            bad += check(&c, mesh, label, sdd_engine(e)->name, k / 2,
                         k % 2 ? SDD_SURFACE_LIMIT_AT_LEVEL : SDD_SURFACE_REFINED);
    sdd_mesh_free(mesh);
    return bad > 0;
}

static void test_primvars(void **state)
{
    (void)state;
    const char *only = getenv("SUBDD_SEED"), *count = getenv("SUBDD_SEEDS");
    uint64_t first = only ? strtoull(only, NULL, 10) : 1, n = count ? strtoull(count, NULL, 10) : only ? 1 : 100;
    int bad = 0;
    for (uint64_t seed = first; seed < first + n; seed++)
        bad += check_seed(seed);
    for (int k = 0; k < N_PRIMVARS; k++)
        printf("%s primvars: %lld compared\n", names[k], (long long)compared[k]);
    assert_int_equal(bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_primvars)};
    device = open_device(1);
    int failed = cmocka_run_group_tests_name("primvars of random meshes against OpenSubdiv", tests, NULL, NULL);
    sdd_device_close(device);
    return failed;
}
