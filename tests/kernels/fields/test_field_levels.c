/* SPDX-License-Identifier: Apache-2.0 */
/* Fields and smoothing of refined levels: those of the refined mesh, some of them by loops over its faces. */
#include "tests/kernels/launch.h"
#include <stdlib.h>
#include "tests/kernels/fields/held.h"
#include "tests/kernels/poly.h"
#include "tests/refine_once.h"

static void same(int rc, int due_rc, sdd_values *v, sdd_values *due, const struct sdd_error *err)
{
    assert_int_equal(rc, due_rc);
    if (rc) { /* a triangle without area, or a mesh that is not manifold */
        assert_int_equal(rc, SDD_EQUERY);
        assert_string_equal(err[0].text, err[1].text);
        return;
    }
    const struct sdd_values_info *i = sdd_values_info(v), *j = sdd_values_info(due);
    assert_int_equal(i->n_rows, j->n_rows);
    assert_int_equal(i->components, j->components);
    assert_int_equal(i->n_unreached, j->n_unreached);
    assert_memory_equal(i->values, j->values, (size_t)j->bytes);
    sdd_values_free(v), sdd_values_free(due);
}

/* Each field and each smoothing of a level has the bits of that of the refined mesh. */
static void check_as_mesh(const struct held *h, const struct held *fine)
{
    const int64_t source = fine->n.V - 1;
    sdd_values *v, *due;
    struct sdd_error err[2] = {{0}};
    for (int what = 0; what < SDD_N_FIELDS; what++) {
        const int n = what == SDD_FIELD_GEODESIC;
        const struct sdd_field_request own = {.what = what, .sources = &source, .n_sources = n};
        const struct sdd_field_request of_level = {.what = what, .sources = &source, .n_sources = n, .level = 2};
        const int rc = sdd_field(h->mesh, &of_level, NULL, &v, err);
        const int due_rc = sdd_field(fine->mesh, &own, NULL, &due, err + 1);
        same(rc, due_rc, v, due, err);
    }
    for (int k = 0; k < 2 * SDD_N_SMOOTHINGS; k++) {
        const struct sdd_smooth_request own = {k / 2, 2, 0.5f, k % 2, 0, 0}, of_level = {k / 2, 2, 0.5f, k % 2, 0, 2};
        const int rc = sdd_smooth(h->mesh, &of_level, NULL, &v, err);
        const int due_rc = sdd_smooth(fine->mesh, &own, NULL, &due, err + 1);
        same(rc, due_rc, v, due, err);
    }
}

/* The fields of a level are those of the refined mesh. */
static void check_level(const struct poly *p)
{
    struct held h, fine;
    const struct sdd_refine_request r = {.level = 2, .include = SDD_POSITIONS | SDD_INDICES};
    struct sdd_error err = {0};
    sdd_result *refined;
    held_init(&h, &p->desc, p->points, p->uvs, 2);
    assert_int_equal(refine_once(h.mesh, &r, &refined, &err), SDD_OK);
    const struct sdd_plan_info *i = &sdd_result_info(refined)->plan;
    int32_t *counts = xalloc(i->blocks[1].count + 1, sizeof *counts);
    for (int64_t f = 0; f < i->blocks[1].count; f++)
        counts[f] = i->blocks[1].components;
    const struct sdd_mesh_desc desc = {.n_vertices = i->n_vertices,
                                       .n_faces = i->blocks[1].count,
                                       .n_corners = i->blocks[1].count * i->blocks[1].components,
                                       .face_counts = counts,
                                       .face_vertices = i->blocks[1].data};
    if (desc.n_faces > 0) {
        held_init(&fine, &desc, i->blocks[0].data, NULL, 1);
        double *want = xalloc(3 * fine.n.V, sizeof *want);
        check_as_mesh(&h, &fine);
        for (int what = SDD_FIELD_NORMALS; what <= SDD_FIELD_GAUSSIAN; what++) {
            const struct sdd_field_request ask = {.what = what, .level = 2};
            struct sdd_values_info plan;
            sdd_values *v;
            assert_int_equal(sdd_field_plan(h.mesh, &ask, &plan, &err), SDD_OK);
            assert_int_equal(sdd_field(h.mesh, &ask, NULL, &v, &err), SDD_OK);
            assert_int_equal(sdd_values_info(v)->bytes, plan.bytes);
            assert_int_equal(sdd_values_info(v)->n_rows, fine.n.V);
            what == SDD_FIELD_NORMALS ? held_normals(&fine, want) : held_gaussian(&fine, want);
            held_near(sdd_field_name(what), v, want, NULL);
            sdd_values_free(v);
        }
        free(want);
        held_fini(&fine);
    }
    free(counts);
    sdd_result_free(refined);
    held_fini(&h);
}

static void test_levels(void **state)
{
    (void)state;
    poly_each_random(20, 80, check_level);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_levels)};
    return LAUNCH_GROUP("fields of levels", tests);
}
