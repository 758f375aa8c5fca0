/* SPDX-License-Identifier: Apache-2.0 */
/* Memory runs out at every k-th allocation, once and from then on, in queries, fields and smoothing, on cages and on
 * levels: each says so, and leaks nothing. */
#include "tests/failing_malloc.h"
#ifndef FAILING_MALLOC_SKIPS
#include "gpu/sdd/sdd_fields.h"
#include "gpu/sdd/sdd_queries.h"

/* Two triangles and a quad, an isolated vertex; and the same with a third triangle at one edge. */
static const int32_t counts[] = {3, 3, 4, 3}, vertices[] = {0, 1, 4, 0, 4, 3, 1, 2, 5, 4, 1, 4, 6};
static const float points[] = {0, 0, 0, 1, 0, 0.2f, 2, 0, 0, 0, 1, 0, 1.3f, 0.8f, 0.5f, 2, 1, 0, 9, 9, 9};
static const struct sdd_mesh_desc descs[] = {
    {.n_vertices = 7, .n_faces = 3, .n_corners = 10, .face_counts = counts, .face_vertices = vertices},
    {.n_vertices = 7, .n_faces = 4, .n_corners = 13, .face_counts = counts, .face_vertices = vertices}};
static const int64_t some[] = {2, 5, 2};

/* Calls with a device and a mesh of its own, so that what these keep is made again. */
static int with_mesh(int which, int (*call)(sdd_topology *t, sdd_mesh *m, struct sdd_error *err))
{
    const struct sdd_device_config config = {.backend = "cpu", .threads = 1};
    sdd_device *device = NULL;
    sdd_topology *t = NULL;
    sdd_mesh *m = NULL;
    struct sdd_error err = {0};
    int rc = sdd_device_open(&config, &device, &err);
    if (!rc)
        rc = sdd_topology_create(device, descs + which, &t, &err);
    if (!rc)
        rc = sdd_mesh_create(t, points, NULL, &m, &err);
    if (!rc)
        rc = call(t, m, &err);
    sdd_mesh_free(m);
    sdd_topology_unref(t);
    if (device)
        sdd_device_close(device);
    return rc;
}

static int query(sdd_topology *t, sdd_mesh *m, struct sdd_error *err)
{
    int rc = SDD_OK;
    (void)m;
    for (int k = 0; k < 3 * SDD_N_RELATIONS && !rc; k++) {
        const struct sdd_query_request r = {.relation = k / 3,
                                            .level = k % 3 == 2 ? 2 : 0,
                                            .ring = k / 3 == SDD_VV || k / 3 == SDD_FF ? 1 + k % 2 : 1,
                                            .count = SDD_ALL_ROWS,
                                            .ids = k % 3 == 1 ? some : NULL,
                                            .n_ids = k / 3 == SDD_FV || k / 3 == SDD_FE || k / 3 == SDD_FF ? 1 : 3};
        sdd_query_plan *plan;
        sdd_rows *rows = NULL;
        rc = sdd_query_plan_create(t, &r, NULL, &plan, err);
        if (!rc)
            rc = sdd_query(t, plan, 0, sdd_query_plan_info(plan)->n_rows, NULL, &rows, err);
        sdd_rows_free(rows);
        sdd_query_plan_free(plan);
    }
    return rc;
}

static int fields(sdd_topology *t, sdd_mesh *m, struct sdd_error *err)
{
    int rc = SDD_OK;
    (void)t;
    for (int k = 0; k < 2 * SDD_N_FIELDS && !rc; k++) {
        const int what = k / 2;
        const struct sdd_field_request r = {
            .what = what, .level = k % 2, .sources = some, .n_sources = what == SDD_FIELD_GEODESIC ? 3 : 0};
        sdd_values *v = NULL;
        rc = sdd_field(m, &r, NULL, &v, err);
        sdd_values_free(v);
    }
    return rc;
}

static int smooth(sdd_topology *t, sdd_mesh *m, struct sdd_error *err)
{
    struct sdd_topology_info info;
    sdd_topology_info(t, &info);
    const int n = info.manifold ? SDD_N_SMOOTHINGS : SDD_SMOOTH_IMPLICIT_FLOW; /* The last is for manifold meshes. */
    int rc = SDD_OK;
    for (int k = 0; k < 2 * n && !rc; k++) {
        const struct sdd_smooth_request r = {k / 2, 2, 0.5f, k % 2, 0, k % 2};
        sdd_values *v = NULL;
        rc = sdd_smooth(m, &r, NULL, &v, err);
        sdd_values_free(v);
    }
    return rc;
}

static int query_plain(void)
{
    return with_mesh(0, query);
}
static int query_fins(void)
{
    return with_mesh(1, query);
}
static int fields_plain(void)
{
    return with_mesh(0, fields);
}
static int fields_fins(void)
{
    return with_mesh(1, fields);
}
static int smooth_plain(void)
{
    return with_mesh(0, smooth);
}
static int smooth_fins(void)
{
    return with_mesh(1, smooth);
}

static void test_queries(void **state)
{
    (void)state;
    torture(query_plain, 0);
    torture(query_fins, 0);
}
static void test_fields(void **state)
{
    (void)state;
    torture(fields_plain, 0);
    torture(fields_fins, 0);
}
static void test_smoothing(void **state)
{
    (void)state;
    torture(smooth_plain, 0);
    torture(smooth_fins, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_queries), cmocka_unit_test(test_fields),
                                       cmocka_unit_test(test_smoothing)};
    return cmocka_run_group_tests_name("memory of neighbours", tests, NULL, NULL);
}
#endif
