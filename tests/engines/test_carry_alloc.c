/* SPDX-License-Identifier: Apache-2.0 */
/* Memory runs out at every k-th allocation, once and from then on, while a result is carried over and freed together
 * with its base: there is a right result or none, and nothing leaks. */
#include "tests/failing_malloc.h"
#ifndef FAILING_MALLOC_SKIPS
#include "gpu/sdd/sdd_carry.h"
#include "tests/refine_once.h"

enum { SIDE = 20, SIZE = SIDE + 1 };
static int32_t counts[SIDE * SIDE], vertices[SIDE * SIDE][4];
static float points[SIZE * SIZE][3], moved[SIZE * SIZE][3];
static const struct sdd_mesh_desc desc = {.n_vertices = SIZE * SIZE,
                                          .n_faces = SIDE * SIDE,
                                          .n_corners = 4 * SIDE * SIDE,
                                          .face_counts = counts,
                                          .face_vertices = vertices[0]};
static int n_carried;

static int carry(sdd_topology *t, sdd_mesh *m, struct sdd_error *err)
{
    const struct sdd_refine_request r = {.level = 3, .include = SDD_POSITIONS | SDD_INDICES, .method = "mesh-matrix"};
    const struct sdd_run run = {.keep_pieces = 1};
    const struct sdd_cage now = {&desc, moved[0]}, before = {&desc, points[0]};
    sdd_plan *plan = NULL;
    sdd_result *base = NULL, *out = NULL;
    int rc = sdd_plan_create_for_topology(t, &r, &plan, err);
    if (!rc)
        rc = sdd_refine(m, plan, &run, &base, err);
    if (!rc)
        rc = sdd_carry(m, plan, &now, &before, base, NULL, &out, err);
    sdd_result_free(base);
    for (int k = 0; out && k < 2; k++) {
        const struct sdd_block *b = sdd_result_info(out)->plan.blocks + k;
        assert_true(b->digest == sdd_digest(b->data, b->bytes));
    }
    n_carried += out != NULL;
    sdd_result_free(out);
    sdd_plan_free(plan);
    return rc;
}

static int run(void)
{
    const struct sdd_device_config config = {.backend = "cpu", .threads = 1};
    sdd_device *device = NULL;
    sdd_topology *t = NULL;
    sdd_mesh *m = NULL;
    struct sdd_error err = {0};
    int rc = sdd_device_open(&config, &device, &err);
    if (!rc)
        rc = sdd_topology_create(device, &desc, &t, &err);
    if (!rc)
        rc = sdd_mesh_create(t, points[0], NULL, &m, &err);
    if (!rc)
        rc = carry(t, m, &err);
    sdd_mesh_free(m);
    sdd_topology_unref(t);
    if (device)
        sdd_device_close(device);
    return rc;
}

static void test_allocations(void **state)
{
    (void)state;
    for (int v = 0; v < SIZE * SIZE; v++) {
        points[v][0] = moved[v][0] = (float)(v % SIZE);
        points[v][1] = moved[v][1] = (float)(v / SIZE);
    }
    moved[SIZE * SIDE / 2][2] = 1;
    for (int f = 0; f < SIDE * SIDE; f++) {
        const int32_t at = f / SIDE * SIZE + f % SIDE;
        counts[f] = 4;
        memcpy(vertices[f], (int32_t[]){at, at + 1, at + SIZE + 1, at + SIZE}, sizeof vertices[f]);
    }
    torture(run, 0);
    assert_true(n_carried >= 3); /* With all memory, and without some digests. */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_allocations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
