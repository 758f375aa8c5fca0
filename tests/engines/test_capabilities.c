/* SPDX-License-Identifier: Apache-2.0 */
/* test_capabilities.c: what the engines' tables say is what they do, feature by feature, scheme by scheme; and the
 * docs/engines.md has that table. */
#include "tests/env.h"
#include "tests/oracle/cases.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/engine_api/capabilities.h"
#include "tests/refine_once.h"

/* Two triangles of a square with UVs; a third on their common edge makes it not manifold. */
static const float points[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1};
static const float uvs[] = {0, 0, 1, 0, 1, 1, 0, 1, 0, 0};
static const int32_t counts[] = {3, 3, 3}, corners[] = {0, 1, 2, 0, 2, 3, 0, 2, 4}, crease[] = {0, 2}, hole[] = {1};
static const float sharpness[] = {1.5f};
static const struct sdd_primvar primvars[] = {
    {SDD_CONSTANT, 3, 0, points}, {SDD_VARYING, 3, 0, points}, {SDD_VERTEX, 3, 0, points}};

static sdd_device *device;

/* The least mesh and request that need the feature. */
static void need(int feature, int scheme, struct sdd_mesh_desc *d, struct sdd_refine_request *r)
{
    *d = (struct sdd_mesh_desc){.n_vertices = 5,
                                .n_faces = 2,
                                .n_corners = 6,
                                .face_counts = counts,
                                .face_vertices = corners,
                                .crease_edges = crease,
                                .crease_sharpness = sharpness,
                                .hole_faces = hole,
                                .n_uvs = 5,
                                .uv_indices = corners};
    *r = (struct sdd_refine_request){.level = 2, .include = SDD_POSITIONS};
    struct sdd_options *o = &d->options;
    o->scheme = scheme;
    o->boundary = feature == FEATURE_EDGE_ONLY       ? SDD_BOUNDARY_EDGE_ONLY
                  : feature == FEATURE_BOUNDARY_NONE ? SDD_BOUNDARY_NONE
                                                     : SDD_BOUNDARY_EDGE_AND_CORNER;
    o->fvar = feature == FEATURE_FVAR_LINEAR ? SDD_FVAR_ALL : SDD_FVAR_CORNERS_PLUS1;
    o->triangle_rule = feature == FEATURE_SMOOTH_TRIANGLES;
    o->crease_method = feature == FEATURE_CHAIKIN;
    o->orientation = feature == FEATURE_LEFT_HANDED;
    if (feature == FEATURE_ANY_TOPOLOGY)
        d->n_faces = 3, d->n_corners = 9;
    d->n_creases = feature == FEATURE_CREASES || feature == FEATURE_CHAIKIN;
    d->n_holes = feature == FEATURE_HOLES;
    if (feature == FEATURE_NORMALS)
        r->include = SDD_NORMALS | SDD_TANGENTS, r->surface = SDD_SURFACE_LIMIT;
    if (feature == FEATURE_SPLIT_NORMALS)
        r->include = SDD_NORMAL_INDICES;
    if (feature == FEATURE_LIMIT)
        r->surface = SDD_SURFACE_LIMIT;
    if (feature == FEATURE_FVAR_LINEAR || feature == FEATURE_FVAR_SMOOTH)
        r->include = SDD_UVS | SDD_UV_INDICES;
    if (feature >= FEATURE_COPIED) {
        r->include = SDD_PRIMVARS | (feature == FEATURE_COPIED ? SDD_FACE_PARAMS : 0);
        r->primvars = 1u << (feature - FEATURE_COPIED);
    }
}

/* Has the feature any effect under the scheme? */
static int matters(int feature, int scheme)
{
    if (feature == FEATURE_SMOOTH_TRIANGLES)
        return scheme == SDD_SCHEME_CATMULL_CLARK;
    return scheme != SDD_SCHEME_BILINEAR ||
           (feature != FEATURE_CREASES && feature != FEATURE_CHAIKIN && feature != FEATURE_FVAR_SMOOTH);
}

static int runs(const struct sdd_mesh_desc *d, struct sdd_refine_request *r, const char *method, struct sdd_error *err)
{
    sdd_topology *t = NULL;
    sdd_mesh *m = NULL;
    sdd_result *result = NULL;
    r->method = method;
    int rc = sdd_topology_create(device, d, &t, err);
    if (!rc)
        rc = sdd_mesh_create(t, points, uvs, &m, err);
    if (!rc)
        rc = sdd_mesh_set_primvars(m, 3, primvars, err);
    if (!rc)
        rc = refine_once(m, r, &result, err);
    sdd_result_free(result);
    sdd_mesh_free(m);
    sdd_topology_unref(t);
    return rc;
}

static void test_tables(void **state)
{
    (void)state;
    int does = 0, does_not = 0;
    for (int feature = 0; feature < N_FEATURES; feature++)
        for (int scheme = 0; scheme <= SDD_SCHEME_SQRT3; scheme++) {
            int any = 0, rc;
            struct sdd_mesh_desc d;
            struct sdd_refine_request r;
            struct sdd_error err = {0};
            need(feature, scheme, &d, &r);
            if (!matters(feature, scheme))
                continue;
            const struct sdd_engine_info *e;
            for (int row = 0; (e = sdd_engine(row)); row++) {
                int says = e->schemes[feature] >> scheme & 1;
                rc = runs(&d, &r, e->name, &err);
                any |= says;
                does += says, does_not += !says;
                if (rc != (says ? SDD_OK : SDD_EUNSUPPORTED))
                    fail_msg("%s, scheme %d, %s: the table says %d, it says %s", e->name, scheme,
                             sdd_feature_table[feature].what, says, rc ? err.text : "that it does");
            }
            if ((rc = runs(&d, &r, "auto", &err)) != (any ? SDD_OK : SDD_EUNSUPPORTED))
                fail_msg("auto, scheme %d, %s: %s", scheme, sdd_feature_table[feature].what, err.text);
            if (rc)
                assert_string_equal(err.field, sdd_feature_table[feature].option);
        }
    print_message("%d that engines do, %d that they do not\n", does, does_not);
    assert_true(does > 80 && does_not > 60);
}

/* When no engine can, the error names the option and who comes closest. */
static void test_closest(void **state)
{
    (void)state;
    struct sdd_mesh_desc d;
    struct sdd_refine_request r;
    struct sdd_error err = {0};
    need(FEATURE_FVAR_SMOOTH, SDD_SCHEME_SQRT3, &d, &r);
    assert_int_equal(runs(&d, &r, "auto", &err), SDD_EUNSUPPORTED);
    assert_string_equal(err.field, "faceVaryingLinearInterpolation");
    assert_string_equal(err.text,
                        "no engine does UVs and faceVarying primvars, the other five under sqrt3; all else that "
                        "is asked mesh-matrix and mesh-matrix-spla and subdivision-matrix do");
    need(FEATURE_CREASES, SDD_SCHEME_LOOP, &d, &r);
    assert_int_equal(runs(&d, &r, "mesh-matrix-spla", &err), SDD_EUNSUPPORTED);
    assert_string_equal(err.text,
                        "engine mesh-matrix-spla does not do creases and corners, of any sharpness under loop; "
                        "engines that do: mesh-matrix and tabulated and subdivision-matrix");
}

/* No kernel writes a faceVarying primvar under sqrt3, so it is refused, also where its interpolation is linear. */
static void test_sqrt3_primvars(void **state)
{
    const struct sdd_primvar primvar = {.interpolation = SDD_FACE_VARYING, .width = 1};
    struct sdd_mesh_desc d;
    struct sdd_refine_request r;
    struct sdd_error err = {0};
    struct sdd_plan_info plan;
    sdd_topology *t;
    (void)state;
    need(FEATURE_FVAR_LINEAR, SDD_SCHEME_SQRT3, &d, &r);
    r.primvars = 1, r.n_primvars = 1, r.primvar_shapes = &primvar;
    assert_int_equal(sdd_topology_create(device, &d, &t, &err), SDD_OK);
    assert_int_equal(plan_once(t, &r, &plan, &err), SDD_OK);
    for (r.include = SDD_PRIMVARS; r.include; r.include = r.include == SDD_PRIMVARS ? SDD_PRIMVAR_INDICES : 0) {
        assert_int_equal(plan_once(t, &r, &plan, &err), SDD_EUNSUPPORTED);
        assert_string_equal(err.field, "primvars");
    }
    sdd_topology_unref(t);
}

/* A closed fan of n triangles: of the engines that do loop, those whose limits it keeps. */
static void fan_refused(int n, int level, const char *method, const char *says)
{
    float *at = calloc(3 * (size_t)n + 3, sizeof *at);
    int32_t *sizes = calloc((size_t)n, sizeof *sizes), *v = calloc(3 * (size_t)n, sizeof *v);
    struct sdd_mesh_desc d = {.n_vertices = n + 1,
                              .n_faces = n,
                              .n_corners = 3 * n,
                              .face_counts = sizes,
                              .face_vertices = v,
                              .options = {.scheme = SDD_SCHEME_LOOP}};
    const struct sdd_refine_request r = {.level = level, .include = SDD_POSITIONS, .method = method};
    struct sdd_error err = {0};
    sdd_topology *t;
    sdd_mesh *m;
    sdd_result *result;
    assert_true(at && sizes && v);
    for (int i = 0; i < n; i++) {
        sizes[i] = 3, v[3 * i] = 0, v[3 * i + 1] = 1 + i, v[3 * i + 2] = 1 + (i + 1) % n;
        at[3 * i + 3] = (float)i, at[3 * i + 4] = (float)(i % 7);
    }
    assert_int_equal(sdd_topology_create(device, &d, &t, &err), SDD_OK);
    assert_int_equal(sdd_mesh_create(t, at, NULL, &m, &err), SDD_OK);
    assert_int_equal(refine_once(m, &r, &result, &err), SDD_EUNSUPPORTED);
    assert_string_equal(err.text, says);
    sdd_mesh_free(m);
    sdd_topology_unref(t);
    free(at);
    free(sizes);
    free(v);
}

static void test_others(void **state)
{
    (void)state;
    fan_refused(33, 2, "tabulated",
                "no tables: a vertex has more than 32 triangles or a crease runs where surfaces touch; engines that "
                "do: mesh-matrix and mesh-matrix-spla and subdivision-matrix");
    fan_refused(34, 2, "tabulated", /* known before tables are tried, so to a plan as well */
                "no tables: a vertex has more than 32 triangles; engines that do: mesh-matrix and mesh-matrix-spla and "
                "subdivision-matrix");
    fan_refused(33, 7, "edge-friend",
                "engine edge-friend does not do scheme loop; engines that do: mesh-matrix and mesh-matrix-spla and "
                "subdivision-matrix");
    fan_refused(
        1025, 1, "subdivision-matrix",
        "engine subdivision-matrix does not do this mesh: a vertex or a face has 1025 corners, 1024 are allowed; "
        "engines that do: mesh-matrix and mesh-matrix-spla");
}

static void write_table(FILE *to)
{
    static const char letters[] = {[SDD_SCHEME_CATMULL_CLARK] = 'C',
                                   [SDD_SCHEME_LOOP] = 'L',
                                   [SDD_SCHEME_BILINEAR] = 'B',
                                   [SDD_SCHEME_SQRT3] = 'S'};
    fprintf(to, "| on `cpu` and `cuda` alike |");
    const struct sdd_engine_info *e;
    for (int row = 0; (e = sdd_engine(row)); row++)
        fprintf(to, " `%s` |", e->name);
    fprintf(to, "\n|---|");
    for (int row = 0; sdd_engine(row); row++)
        fprintf(to, "---|");
    for (int k = 0; k < N_FEATURES; k++) {
        fprintf(to, "\n| %s |", sdd_feature_table[k].what);
        for (int row = 0; (e = sdd_engine(row)); row++) {
            fprintf(to, e->schemes[k] ? " " : " - ");
            for (size_t s = 0; s < sizeof letters; s++)
                if (e->schemes[k] >> s & 1)
                    fprintf(to, "%c ", letters[s]);
            fprintf(to, "|");
        }
    }
    fprintf(to, "\n");
}

static void test_readme(void **state)
{
    (void)state;
    char *table = NULL, *text = NULL;
    size_t bytes = 0, room = 0;
    FILE *readme = fopen("docs/engines.md", "r"), *to = open_memstream(&table, &bytes);
    assert_non_null(to);
    write_table(to);
    fclose(to);
    if (!readme) {
        free(table);
        print_message("skipped: there is no docs/engines.md in this folder\n");
        skip();
        return;
    }
    ssize_t n = getdelim(&text, &room, 0, readme);
    fclose(readme);
    assert_true(n > 0);
    if (!strstr(text, table))
        fail_msg("docs/engines.md has another table of what engines do; it should be:\n%s", table);
    free(text);
    free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tables), cmocka_unit_test(test_closest),
                                       cmocka_unit_test(test_sqrt3_primvars), cmocka_unit_test(test_others),
                                       cmocka_unit_test(test_readme)};
    device = open_device(0);
    int failed = cmocka_run_group_tests_name("capabilities", tests, NULL, NULL);
    sdd_device_close(device);
    return failed;
}
