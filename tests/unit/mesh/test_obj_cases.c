/* SPDX-License-Identifier: Apache-2.0 */
/* Small files of shapes/cases, each made after a file that somebody has met: what comes of it, and what is said. */
#include "tests/env.h"
#include "tests/unit/sample.h"
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* A file that is taken, with so many vertices, faces and UVs, the names of its primvars, and the warnings' parts, or
 * NULL when there must be none. */
static const struct taken {
    const char *file;
    int vertices, faces, uvs;
    const char *primvars, *says;
} taken[] = {
    {"empty_slots", 4, 1, 0, "", NULL},
    {"slots_half", 4, 1, 0, "", NULL},
    {"slots_normals", 4, 1, 0, "", NULL},
    {"slots_mixed", 4, 1, 0, "", "line 9: a face corner has no texture coordinate"},
    {"slots_mixed_faces", 6, 2, 0, "", "line 11: a face corner has no texture coordinate"},
    {"trailing_slash", 4, 1, 4, "", NULL},
    {"uv_some_faces", 6, 2, 0, "materialBind ", "line 14: a face corner has no texture coordinate"},
    {"uv_some_corners", 4, 1, 0, "", "line 9: a face corner has no texture coordinate"},
    {"uv_first_faces_bare", 6, 2, 0, "", "line 11: a face corner has no texture coordinate"},
    {"uv_one_number", 4, 1, 4, "", NULL},
    {"uv_three_numbers", 4, 1, 4, "", "line 7: the third number of vt"},
    {"uv_range", 4, 1, 0, "", "line 9: texture coordinate 17 does not exist"},
    {"uv_zero", 4, 1, 0, "", "line 9: texture coordinate 0 does not exist"},
    {"uv_negative", 4, 1, 4, "", NULL},
    {"uv_negative_range", 4, 1, 0, "", "line 9: texture coordinate -9 does not exist"},
    {"uv_nan", 4, 1, 0, "", "line 6: a texture coordinate (vt) is not a finite number"},
    {"uv_inf", 4, 1, 0, "",
     "line 6: a texture coordinate (vt) is not a finite number; the UVs are left out (and 1 more)"},
    {"uv_qnan", 4, 1, 0, "",
     "line 6: a texture coordinate (vt) is not a finite number; the UVs are left out (and 1 more)"},
    {"uv_unused", 4, 1, 0, "", "line 5: vt is left out, as no face has one"},
    {"normal_nan", 4, 1, 0, "", NULL},
    {"colours", 4, 1, 0, "displayColor ", NULL},
    {"colours_bytes", 4, 1, 0, "displayColor ", NULL},
    {"colours_weights", 4, 1, 0, "displayColor ", NULL},
    {"colours_some", 4, 1, 0, "", "line 2: v has no colour"},
    {"colour_nan", 4, 1, 0, "", "line 2: a colour or weight of v is not a finite number"},
    {"colours_inf", 4, 1, 0, "", "line 1: a colour or weight of v is not a finite number"},
    {"vertices_of_8", 4, 1, 0, "", "line 1: v has neither 3 numbers, nor 4, 6 or 7"},
    {"vertices_of_5", 4, 1, 0, "", "line 1: v has neither 3 numbers, nor 4, 6 or 7"},
    {"weights", 4, 1, 0, "", "line 2: the weight 0.5 of v"},
    {"two_materials", 6, 2, 0, "materialBind ", NULL},
    {"groups", 6, 2, 0, "group ", NULL},
    {"names_missing", 6, 2, 0, "materialBind ", NULL},
    {"names_latin", 6, 2, 0, "materialBind ", "a name is not in UTF-8 and is read as Latin-1 (and 1 more)"},
    {"names_long", 6, 2, 0, "materialBind ", "line 7: the name of usemtl has more than 255 bytes"},
    {"objects", 6, 2, 0, "", "line 9: o begins another object"},
    {"skin_weights", 4, 1, 0, "", "line 5: vw is not known and skipped (and 1 more)"},
    {"curve_block", 8, 1, 0, "", "line 10: cstype is skipped"},
    {"surface_block", 4, 1, 0, "",
     "line 6: vp is skipped: curves and surfaces are not kept, only polygons (and 12 more)"},
    {"curve_without_end", 4, 1, 0, "", "line 1: cstype is skipped"},
    {"curve_continued", 4, 1, 0, "", "line 1: cstype is skipped"},
    {"display", 4, 1, 0, "", "line 1: mg is skipped"},
    {"superseded", 4, 1, 0, "", "line 1: bsp is skipped"},
    {"commands", 4, 1, 0, "", "line 1: call is skipped: no other file is read and no command is run (and 1 more)"},
    {"lines_points", 4, 1, 0, "", "line 5: l is skipped: lines and points are not kept, only faces (and 1 more)"},
    {"unknown_words", 4, 1, 0, "", "line 2: mtl is not known and skipped"},
    {"upper_case", 4, 1, 0, "", "line 6: V is not known and skipped"},
    {"dos_end", 4, 1, 0, "", NULL},
    {"dos_end_padded", 4, 1, 0, "", NULL},
    {"dos_end_behind_value", 4, 1, 0, "", NULL},
    {"nul_end", 4, 1, 0, "", NULL},
    {"continued_blank", 4, 1, 0, "", NULL},
    {"continued_tab_crlf", 4, 1, 0, "", NULL},
    {"continued_vertex", 4, 1, 0, "", NULL},
    {"comment_backslash", 4, 1, 0, "", NULL},
    {"bom_crlf", 4, 1, 0, "", NULL},
    {"cr_alone", 4, 1, 0, "", NULL},
    {"mixed_line_ends", 4, 1, 0, "", NULL},
    {"cr_and_one_lf", 4, 1, 0, "", NULL},
    {"tabs_and_blanks", 4, 1, 0, "", NULL},
    {"comments_behind", 4, 1, 0, "", NULL},
    {"long_line", 4, 1, 0, "", "line 6: vw is not known"},
    {"tag_orphan", 4, 1, 0, "", "a crease names the edge of vertices 0 and 2, which no face has"},
    {"tag_unknown", 4, 1, 0, "", "line 6: the tag \"weight\" is not known and skipped"},
    {"hard_cube", 8, 6, 0, "", NULL},
    {"fans_on_two_edges", 10, 5, 0, "", NULL},
};

static const char *const refused[][2] = {
    {"utf16", "this is text in UTF-16"},
    {"utf16_be", "this is text in UTF-16"},
    {"utf16_le", "this is text in UTF-16"},
    {"utf16_be_mark", "this is text in UTF-16"},
    {"html", "this is HTML or XML"},
    {"json", "this is JSON"},
    {"is_ply", "this is PLY"},
    {"is_stl", "this is STL"},
    {"is_off", "this is OFF"},
    {"is_zip", "this is a zip archive"},
    {"is_usdc", "this is binary USD (usdc)"},
    {"is_fbx", "this is FBX"},
    {"is_glb", "this is binary glTF"},
    {"is_prose", "line 1: \"Dear\" is no statement of OBJ"},
    {"is_binary", "line 1: byte 0x00 is no text"},
    {"face_of_two", "line 6: a face has 3 corners or more, this one has 2"},
    {"face_of_one", "line 5: a face has 3 corners or more, this one has 1"},
    {"vertex_comma", "line 2: \"1,0\" where a coordinate is wanted; numbers have a point"},
    {"vertex_qnan", "line 2: a coordinate is not finite"},
    {"vertex_nan", "line 2: a coordinate is not finite"},
    {"vertex_range", "line 5: vertex 5 does not exist; the file has 4"},
    {"vertex_negative_first", "line 1: vertex -1 does not exist; 0 are defined so far"},
    {"nul_inside", "line 3: byte 0x00 is no text"},
};

/* Reads a file of the folder as OBJ. */
static int read(const char *name, struct losses *l, struct mesh **m, struct sdd_error *err)
{
    char path[4200], text[200000];
    (void)snprintf(path, sizeof path, "%s/cases/obj_%s.obj", test_shapes_dir(), name);
    FILE *f = fopen(path, "rb");
    if (!f)
        fail_msg("%s is not there", path);
    size_t n = fread(text, 1, sizeof text, f);
    (void)fclose(f);
    assert_true(n < sizeof text);
    return mesh_from_obj(text, n, m, l, err);
}

/* The mesh as OBJ, which loses nothing of it, is the same mesh. */
static void check_again(const struct mesh *m)
{
    struct losses strict = {.strict = true};
    struct sdd_error err = {0};
    struct text lost = {0};
    struct mesh *back = NULL;
    void *text = NULL;
    size_t n = 0;
    assert_int_equal(mesh_to_obj(m, &text, &n, &lost, &err), SDD_OK);
    if (lost.bytes || mesh_from_obj(text, n, &back, &strict, &err))
        fail_msg("%s%s\n%s", (char *)text, lost.data ? lost.data : "", err.text);
    sample_same(m, back);
    free(text);
    mesh_free(back);
}

static void check_taken(const struct taken *t)
{
    struct losses l = {0}, strict = {.strict = true};
    struct sdd_error err = {0};
    struct text lines = {0};
    struct mesh *m;
    char primvars[200] = "";
    if (read(t->file, &l, &m, &err))
        fail_msg("%s: %s", t->file, err.text);
    losses_print(&l, &lines);
    for (int i = 0; i < m->n_primvars; i++)
        (void)snprintf(primvars + strlen(primvars), 70, "%s ", m->primvars[i].info.name);
    if (m->n_vertices != t->vertices || m->n_faces != t->faces || m->n_uvs != t->uvs ||
        strcmp(primvars, t->primvars) != 0)
        fail_msg("%s: %lld vertices, %lld faces, %lld UVs, primvars %s", t->file, (long long)m->n_vertices,
                 (long long)m->n_faces, (long long)m->n_uvs, primvars);
    if (t->says ? !lines.data || !strstr(lines.data, t->says) : lines.data != NULL)
        fail_msg("%s says %s", t->file, lines.data ? lines.data : "nothing");
    assert_int_equal(mesh_check_indices(m, &err), SDD_OK);
    check_again(m);
    mesh_free(m);
    text_free(&lines);
    assert_int_equal(read(t->file, &strict, &m, &err), t->says ? SDD_EMESH : SDD_OK);
    mesh_free(m);
}

static void test_taken(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        check_taken(&taken[i]);
}

static void test_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct losses l = {0};
        struct sdd_error err = {0};
        struct mesh *m;
        int rc = read(refused[i][0], &l, &m, &err);
        if (!rc || m || !strstr(err.text, refused[i][1]))
            fail_msg("%s: %d %s", refused[i][0], rc, err.text);
    }
}

/* Every file of the folder is in one of the tables. */
static void test_all(void **state)
{
    char path[4200];
    size_t n = 0;
    (void)state;
    (void)snprintf(path, sizeof path, "%s/cases", test_shapes_dir());
    DIR *dir = opendir(path);
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir));)
        n += strncmp(e->d_name, "obj_", 4) == 0;
    (void)closedir(dir);
    assert_int_equal(n, sizeof taken / sizeof *taken + sizeof refused / sizeof *refused);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_taken), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
