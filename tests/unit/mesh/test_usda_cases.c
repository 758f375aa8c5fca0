/* SPDX-License-Identifier: Apache-2.0 */
/* Users' USDA files, rebuilt small (tests/shapes/cases): what each gives. */
#include "tests/env.h"
#include "tests/unit/mesh/usda_read.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* A file of tests/shapes/cases as text. */
static char *load(const char *name)
{
    char path[4096], *text;
    long n;
    (void)snprintf(path, sizeof path, "%s/cases/%s", test_shapes_dir(), name);
    FILE *f = fopen(path, "rb");
    if (!f)
        fail_msg("%s is not there", path);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    n = ftell(f);
    rewind(f);
    text = malloc((size_t)n + 1);
    assert_int_equal(fread(text, 1, (size_t)n, f), n);
    text[n] = 0;
    fclose(f);
    return text;
}

static const char property[] = "line 8: the property a of the Mesh is not kept (and 2 more)\n";
static const struct {
    const char *name, *says;
    struct usda_ask ask;
    int vertices, faces, uvs, primvars;
} taken[] = {
    {"usda_asset_escape.usda", property, {0}, 4, 1, 0, 0},
    {"usda_colour_nan.usda",
     "line 8: displayColor.values[4] is nan; it must be finite and within +-1e+30; primvar displayColor is left out\n",
     {0},
     4,
     1,
     0,
     0},
    {"usda_colour_to_ply.usda", "", {0}, 4, 1, 0, 1},
    {"usda_geomsubset.usda", "", {0}, 6, 2, 0, 1},
    {"usda_inactive_sibling.usda", "", {0}, 4, 1, 0, 0},
    {"usda_orphan_crease.usda",
     "line 9: a crease names the edge of vertices 5 and 7, which no face has; it is left out\n",
     {0},
     8,
     4,
     0,
     0},
    {"usda_scheme_none.usda", "", {.options = 1}, 8, 6, 0, 0},
    {"usda_short_primvar.usda",
     "line 8: wear.values has 3 rows; vertex wear wants 4; primvar wear is left out\n",
     {0},
     4,
     1,
     0,
     0},
    {"usda_single_sample.usda", "", {0}, 4, 1, 0, 0},
    {"usda_skelroot.usda",
     "line 5: Skeleton \"Rig\" is not kept: it is no Mesh\n"
     "the points are as the file has them: skeletons and blend shapes are not applied\n",
     {0},
     4,
     1,
     0,
     0},
    {"usda_slash_comments.usda", "line 11: the property note of the Mesh is not kept\n", {0}, 4, 1, 0, 0},
    {"usda_text.usd", "", {0}, 4, 1, 0, 0},
    {"usda_twice_authored.usda", "", {0}, 4, 1, 0, 0},
    {"usda_two_meshes.usda", "", {.prim = "/Table/Leg"}, 4, 1, 0, 0},
    {"usda_two_meshes.usda", "", {.prim = "Top"}, 4, 1, 0, 0},
    {"usda_uv_map1.usda", "", {0}, 4, 1, 4, 0},
    {"usda_uv_vertex.usda", "", {0}, 4, 1, 4, 0},
    {"usda_variant_mesh.usda", "", {0}, 4, 1, 0, 0},
    {"usda_z_up.usda", "", {0}, 4, 1, 0, 0},
};

static void test_taken(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        char *text = load(taken[i].name);
        struct mesh *m = usda_reads_ask(text, &taken[i].ask, taken[i].says);
        if (m->n_vertices != taken[i].vertices || m->n_faces != taken[i].faces || m->n_uvs != taken[i].uvs ||
            m->n_primvars != taken[i].primvars)
            fail_msg("%s gave %lld vertices, %lld faces, %lld UVs, %d primvars", taken[i].name,
                     (long long)m->n_vertices, (long long)m->n_faces, (long long)m->n_uvs, m->n_primvars);
        assert_true(fabsf(m->points[0]) <= 1); /* Those that must not be taken begin at 9. */
        mesh_free(m);
        free(text);
    }
}

static void test_refused(void **state)
{
    static const struct {
        const char *name;
        int code;
        const char *says;
    } rows[] = {
        {"usda_scheme_none.usda", SDD_EINVALID, "--scheme catmullClark"},
        {"usda_two_meshes.usda", SDD_EINVALID, "(/Table/Top, /Table/Leg): ask for one by its path"},
        {"binary_magic.usdc", SDD_EMALFORMED, "this is binary USD; only its text form is read: usdcat"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = load(rows[i].name);
        usda_refused(text, rows[i].code, rows[i].says);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_taken), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
