/* SPDX-License-Identifier: Apache-2.0 */
/* subd welds what it pushes: vertices of one position become one, and values that differ stay with their corners. */
#include "tests/http/imports.h"
#include <string.h>

static void test_no_weld(void **state)
{
    char *told;
    cJSON *cage;
    (void)state;
    if (import_skips())
        skip();
    cage = PUSH(&told, "text.stl", "--no-weld");
    assert_int_equal(length(cage, "points"), 3 * 36);
    import_tells(told, "the mesh looks unwelded: 36 of its 36 vertices at open edges");
    cJSON_Delete(cage);
    ran_fails(RUN("push", "text.stl", "--no-weld", "--weld", "1"), 2, "contradict");
    ran_fails(RUN("push", "text.stl", "--weld", "-1"), 2, "it takes a distance in the mesh's units");
    ran_fails(RUN("push", "text.stl", "--weld", "nan"), 2, "it takes a distance");
}

/* Within a distance the first vertex of the file stays where it is. */
static void test_weld_distance(void **state)
{
    cJSON *cage;
    (void)state;
    if (import_skips())
        skip();
    import_write_stl("shaken.stl", 0, 1e-4f);
    cage = PUSH(NULL, "shaken.stl");
    assert_true(length(cage, "points") > 3 * 8);
    cJSON_Delete(cage);
    cage = PUSH(NULL, "shaken.stl", "--weld", "0.001");
    assert_int_equal(length(cage, "points"), 3 * 8);
    for (int i = 0; i < 3; i++)
        assert_true((float)number(cage, "points", i) == import_corner(0, 0)[i] + 1e-4f * (float)i);
    cJSON_Delete(cage);
}

/* Two tetrahedra that touch in an edge become one mesh there, and keep their vertex apart from that of a third, which
 * they only touch in a point. --weld joins that, too. */
static void test_touching(void **state)
{
    static const float tips[3][3] = {{1, 1, 1}, {-1, -1, -1}, {-1, 1, 1}};
    FILE *f;
    cJSON *cage;
    (void)state;
    if (import_skips())
        skip();
    f = import_create("touching.stl");
    fprintf(f, "solid t\n");
    for (int t = 0; t < 3; t++) {
        const float x = tips[t][0], y = tips[t][1], z = tips[t][2];
        const float p[4][3] = {{0, 0, 0}, {x, 0, 0}, {x, y, 0}, {x, y, z}};
        static const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
        for (int i = 0; i < 4; i++) {
            fprintf(f, "facet normal 0 0 0\nouter loop\n");
            for (int k = 0; k < 3; k++)
                fprintf(f, "vertex %g %g %g\n", (double)p[faces[i][k]][0], (double)p[faces[i][k]][1],
                        (double)p[faces[i][k]][2]);
            fprintf(f, "endloop\nendfacet\n");
        }
    }
    fprintf(f, "endsolid t\n");
    assert_int_equal(fclose(f), 0);
    cage = PUSH(NULL, "touching.stl");
    assert_int_equal(length(cage, "points"), 3 * 10);
    cJSON_Delete(cage);
    cage = PUSH(NULL, "touching.stl", "--weld", "0");
    assert_int_equal(length(cage, "points"), 3 * 9);
    cJSON_Delete(cage);
}

/* A file that knows its vertices keeps them, wherever they lie; only its seam is welded. */
static void test_seam_of_ply(void **state)
{
    cJSON *cage;
    (void)state;
    if (import_skips())
        skip();
    write_text(served.dir, "seam.ply",
               "ply\nformat ascii 1.0\nelement vertex 11\nproperty float x\nproperty float y\nproperty float z\n"
               "element face 6\nproperty list uchar int vertex_indices\nend_header\n"
               "0 0 0\n1 0 0\n1 1 0\n0 1 0\n1 0 0\n2 0 0\n2 1 0\n1 1 0\n"
               "2 1 0\n3 1 0\n3 2 0\n4 0 1 2 3\n4 4 5 6 7\n3 8 9 10\n3 8 10 9\n3 8 9 10\n3 8 10 9\n");
    cage = PUSH(NULL, "seam.ply");
    assert_int_equal(length(cage, "points"), 3 * 9);
    cJSON_Delete(cage);
}

/* Faces that fall together go, and those that lose a corner stay; values of what is gone go with it. */
static void test_collapse(void **state)
{
    char *told;
    cJSON *cage;
    (void)state;
    if (import_skips())
        skip();
    write_text(
        served.dir, "thin.off",
        "OFF\n8 3 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n1.01 0 0\n2 0 0\n2 1 0\n1.01 1 0\n4 0 1 2 3\n4 1 4 7 2\n4 4 5 6 7\n");
    cage = PUSH(&told, "thin.off", "--weld", "0.1");
    import_tells(told, "1 faces have fewer than three corners once their vertices are welded, and are left out");
    assert_int_equal(length(cage, "points"), 18);
    assert_int_equal(length(cage, "faceVertexCounts"), 2);
    cJSON_Delete(cage);
    write_text(served.dir, "cut.off", "OFF\n4 1 0\n0 0 0\n1 0 0\n1 0.01 0\n0 1 0\n4 0 1 2 3\n");
    cage = PUSH(&told, "cut.off", "--weld", "0.1");
    import_tells(told, "1 faces have fewer corners");
    assert_int_equal(length(cage, "points"), 9);
    assert_true(number(cage, "faceVertexCounts", 0) == 3);
    cJSON_Delete(cage);
    ran_expect(
        shell_run(served.dir, "subd push thin.off --weld 10 2>err; test $? = 2 && grep -q 'no face is left' err"), 0);
}

/* OBJ is welded only when asked; tags, UVs and primvars come through, and no second mesh stays. */
static void test_weld_obj(void **state)
{
    const int before = import_meshes();
    char *told;
    cJSON *cage;
    (void)state;
    write_text(served.dir, "split.obj",
               "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 1 -0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\n"
               "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvt 0.5 0\nf 1/1 2/2 3/3 4/4\nf 5/2 6/5 7/4 8/3\n"
               "t crease 2/1/0 4 5 3\nt corner 1/1/0 5 2\nt hole 1/0/0 1\nt interpolateboundary 1/0/0 2\n");
    cage = PUSH(&told, "split.obj");
    import_tells(told, "the mesh looks unwelded: 4 of its 8 vertices");
    assert_int_equal(length(cage, "points"), 24);
    cJSON_Delete(cage);
    cage = PUSH(&told, "split.obj", "--weld", "0");
    import_tells(told, "8 vertices are welded into 6 by their positions, UVs are kept for each corner");
    assert_int_equal(length(cage, "points"), 18);
    assert_true(number(cage, "creaseIndices", 0) == 1);
    assert_true(number(cage, "creaseIndices", 1) == 4);
    assert_true(number(cage, "creaseSharpnesses", 0) == 3);
    assert_true(number(cage, "cornerIndices", 0) == 4);
    assert_true(number(cage, "holeIndices", 0) == 1);
    assert_true(number(cage, "stIndices", 1) == number(cage, "stIndices", 4)); /* One value at one vertex. */
    assert_int_equal(length(cage, "st"), 2 * 6);
    assert_string_equal(word(cage, "name"), "split");
    assert_string_equal(cJSON_GetStringValue(member(member(cage, "options"), "interpolateBoundary")), "edgeOnly");
    cJSON_Delete(cage);
    assert_int_equal(import_meshes(), before + 2);
}

/* Primvars of every class: what differs where vertices become one is kept for each corner. */
static void test_weld_primvars(void **state)
{
    cJSON *cage;
    const cJSON *p;
    (void)state;
    write_text(served.dir, "split.json",
               "{\"points\": [0,0,0, 1,0,0, 1,1,0, 0,1,0, 1,0,0, 2,0,0, 2,1,0, 1,1,0], \"faceVertexCounts\": [4,4],"
               "\"faceVertexIndices\": [0,1,2,3, 4,5,6,7], \"primvars\": ["
               "{\"name\": \"same\", \"interpolation\": \"vertex\", \"values\": [0,1,2,3,1,4,5,2]},"
               "{\"name\": \"other\", \"interpolation\": \"varying\", \"values\": [0,1,2,3,1,4,5,9]},"
               "{\"name\": \"face\", \"interpolation\": \"uniform\", \"type\": \"i32\", \"values\": [7,8]},"
               "{\"name\": \"all\", \"interpolation\": \"constant\", \"values\": [5]},"
               "{\"name\": \"map\", \"interpolation\": \"faceVarying\", \"values\": [0,1,2,3],"
               "\"indices\": [0,1,2,3,1,0,0,3]}]}");
    cage = PUSH(NULL, "split.json", "--weld", "0");
    p = primvar(cage, "same");
    assert_string_equal(word(p, "interpolation"), "vertex");
    assert_int_equal(length(p, "values"), 6);
    assert_true(number(p, "values", 5) == 5);
    p = primvar(cage, "other");
    assert_string_equal(word(p, "interpolation"), "faceVarying");
    assert_int_equal(length(p, "values"), 7);
    assert_true(number(p, "indices", 1) == number(p, "indices", 4));
    assert_true(number(p, "indices", 2) != number(p, "indices", 7));
    assert_true(number(p, "values", (int)number(p, "indices", 7)) == 9);
    assert_int_equal(length(primvar(cage, "face"), "values"), 2);
    assert_int_equal(length(primvar(cage, "all"), "values"), 1);
    p = primvar(cage, "map");
    assert_true(number(p, "indices", 1) == number(p, "indices", 4));
    assert_true(number(p, "indices", 2) != number(p, "indices", 7));
    cJSON_Delete(cage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_weld),       cmocka_unit_test(test_weld_distance), cmocka_unit_test(test_touching),
        cmocka_unit_test(test_seam_of_ply),   cmocka_unit_test(test_collapse),      cmocka_unit_test(test_weld_obj),
        cmocka_unit_test(test_weld_primvars),
    };
    return cmocka_run_group_tests(tests, import_start, import_stop);
}
