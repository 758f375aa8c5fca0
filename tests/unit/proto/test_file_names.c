/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of a mesh's name in each format that does not take all names. */
#include "proto/files/file_names.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#define KANJI "\xe6\x97\xa5\xe6\x9c\xac"

static void test_rows(void **state)
{
    static const struct {
        const char *name, *usd, *obj, *stl;
    } rows[] = {
        {"Cube_2", "Cube_2", "Cube_2", "Cube_2"},
        {"_", "_", "_", "_"},
        {"", "", "", ""},
        {"7up", "_7up", "7up", "7up"},
        {"a b", "a_b", "a_b", "a b"},
        {"a/b:c|d.e-f", "a_b_c_d_e_f", "a/b:c|d.e-f", "a/b:c|d.e-f"},
        {"#1 \\", "_1__", "_1__", "#1 \\"},
        {"COLOR=red", "COLOR_red", "COLOR=red", "COLOR_red"},
        {"\"q\"", "_q_", "\"q\"", "\"q\""},
        {KANJI "1", "__1", KANJI "1", "__1"},
        {"\xc3\xa9\xf0\x9f\x98\x80", "__", "\xc3\xa9\xf0\x9f\x98\x80", "__"},
        {"@[`{", "____", "@[`{", "@[`{"}, /* The neighbours of the letters in ASCII. */
        {"/9:0", "_9_0", "/9:0", "/9:0"},
    };
    char out[FILE_NAME_SIZE];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_string_equal(file_name_valid(FILE_NAME_USD, rows[i].name, out), rows[i].usd);
        assert_string_equal(file_name_valid(FILE_NAME_OBJ, rows[i].name, out), rows[i].obj);
        assert_string_equal(file_name_valid(FILE_NAME_STL, rows[i].name, out), rows[i].stl);
    }
}

/* Every byte: a prim's name has nothing but what USD's grammar has, and no name grows past its room. */
static void test_all_bytes(void **state)
{
    char name[FILE_NAME_SIZE + 20] = "", out[FILE_NAME_SIZE + 1];
    (void)state;
    for (int c = 1; c < 256; c++) {
        name[0] = (char)c;
        name[1] = (char)c;
        name[2] = 0;
        out[FILE_NAME_SIZE] = 7;
        file_name_valid(FILE_NAME_USD, name, out);
        for (const char *s = out; *s; s++)
            assert_true(*s == '_' || (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9'));
        assert_false(*out >= '0' && *out <= '9');
    }
    memset(name, '7', sizeof name - 1);
    assert_int_equal(strlen(file_name_valid(FILE_NAME_USD, name, out)), FILE_NAME_SIZE - 1);
    assert_int_equal(strlen(file_name_valid(FILE_NAME_OBJ, name, out)), FILE_NAME_SIZE - 1);
    assert_int_equal(out[FILE_NAME_SIZE], 7);
    name[255] = 0;
    assert_int_equal(strlen(file_name_valid(FILE_NAME_USD, name, out)), 256); /* Nothing of a longest name is lost. */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_all_bytes)};
    return cmocka_run_group_tests_name("proto/file_names", tests, NULL, NULL);
}
