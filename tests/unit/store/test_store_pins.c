/* SPDX-License-Identifier: Apache-2.0 */
/* Which meshes are pinned, as the store remembers it. */
#include "tests/unit/sample.h"
#include "tests/unit/store/faulty_vfs.h"
#include "tests/unit/store/store_files.h"
#include "tests/unit/tempdir.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#define OK(call)                                                                                                       \
    do {                                                                                                               \
        struct sdd_error err = {0};                                                                                    \
        if (call)                                                                                                      \
            fail_msg("%s: %s", #call, err.text);                                                                       \
    } while (0)

/* Pins are kept, in the order of ids, and go with their meshes. */
static void test_pins(void **state)
{
    char *dir = tempdir();
    struct mesh *m = sample_cube();
    struct store *s = store_reopen(dir);
    const struct store_change in_films = {.principal = "ann", .kind = "create", .workspace = "films"};
    struct store_pinned *pins;
    bool changed;
    int n;
    (void)state;
    OK(store_create(s, "m_1", m, 5, NULL, NULL, &err));
    store_author(s, &in_films);
    OK(store_create(s, "m_2", m, 5, NULL, NULL, &err));
    OK(store_pin(s, "m_2", true, &changed, &err));
    assert_true(changed);
    OK(store_pin(s, "m_2", true, &changed, &err));
    assert_false(changed);
    OK(store_pin(s, "m_1", true, &changed, &err));
    store_close(s);
    s = store_reopen(dir);
    OK(store_pins(s, &pins, &n, &err));
    assert_int_equal(n, 2);
    assert_string_equal(pins[0].id, "m_1");
    assert_string_equal(pins[0].workspace, "");
    assert_string_equal(pins[1].id, "m_2");
    assert_string_equal(pins[1].workspace, "films");
    free(pins);
    OK(store_pin(s, "m_1", false, &changed, &err));
    assert_true(changed);
    OK(store_pin(s, "m_1", false, &changed, &err));
    assert_false(changed);
    OK(store_rename(s, "m_2", 1, "other", 6, NULL, &err)); /* A new version is pinned, too. */
    OK(store_pins(s, &pins, &n, &err));
    assert_int_equal(n, 1);
    free(pins);
    OK(store_delete(s, "m_2", STORE_ANY_VERSION, NULL, 0, &err));
    OK(store_pins(s, &pins, &n, &err));
    assert_int_equal(n, 0);
    free(pins);
    OK(store_pin(s, "m_2", true, &changed, &err)); /* There is no such mesh. */
    assert_false(changed);
    store_close(s);
    mesh_free(m);
    tempdir_remove(dir);
}

/* A pin that cannot be stored is none. */
static void test_fault(void **state)
{
    char *dir = tempdir();
    struct mesh *m = sample_cube();
    struct store_pinned *pins;
    struct sdd_error err = {0};
    bool changed;
    int n;
    (void)state;
    faulty_vfs_register();
    struct store *s = store_reopen(dir);
    OK(store_create(s, "m_1", m, 5, NULL, NULL, &err));
    faulty = (struct faulty_vfs){FAULTY_FULL, 0, 0, 0};
    assert_int_equal(store_pin(s, "m_1", true, &changed, &err), SDD_ESTORE_FULL);
    assert_int_equal(faulty.n_faults, 1);
    faulty.kind = FAULTY_NONE;
    assert_false(changed);
    OK(store_pins(s, &pins, &n, &err));
    assert_int_equal(n, 0);
    free(pins);
    store_close(s);
    faulty_vfs_unregister();
    mesh_free(m);
    tempdir_remove(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pins), cmocka_unit_test(test_fault)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
