/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of refined levels: those of the refined mesh, by loops over its faces. */
#include "tests/kernels/launch.h"
#include <stdlib.h>
#include "tests/kernels/fields/held.h"
#include "tests/kernels/poly.h"
#include "tests/refine_once.h"

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
