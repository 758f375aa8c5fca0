/* SPDX-License-Identifier: Apache-2.0 */
/* test_refused.c: every mesh of shapes/refused is refused with the code and the words that its first line names, by the
 * reader, the topology builder or the mesh, and the device is as before. */
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

static char dir[4096];
static sdd_device *device;

static int64_t memory_used(void)
{
    struct sdd_device_info info;
    sdd_device_info(device, &info);
    return info.memory_used;
}

static int create(const struct shape *s, struct sdd_error *err)
{
    sdd_topology *topology = NULL;
    sdd_mesh *mesh = NULL;
    int rc = sdd_topology_create(device, &s->desc, &topology, err);
    if (rc == SDD_OK)
        rc = sdd_mesh_create(topology, s->points, s->uvs, &mesh, err);
    assert_true(rc == SDD_OK || !mesh);
    sdd_mesh_free(mesh);
    sdd_topology_unref(topology);
    return rc;
}

static void test_refused(void **state)
{
    struct shape s;
    struct sdd_error err = {0};
    int64_t used = memory_used();
    int rc = shape_load(dir, *state, &s, &err);
    if (rc == SDD_OK)
        rc = create(&s, &err);
    shape_free(&s);
    char code[64] = "", *words;
    assert_memory_equal(s.head, "expect: ", 8);
    words = s.head + 8 + strcspn(s.head + 8, " ");
    snprintf(code, sizeof code, "%.*s", (int)(words - s.head - 8), s.head + 8);
    words += *words == ' ';
    if (rc == SDD_OK)
        fail_msg("%s: taken", s.name);
    if (rc != err.code || strcmp(sdd_err_code(rc), code) != 0 || !strstr(err.text, words))
        fail_msg("%s: got %s \"%s\" (%d), expected %s \"...%s...\"", s.name, sdd_err_code(rc), err.text, rc, code,
                 words);
    assert_int_equal(memory_used(), used);
}

int main(void)
{
    size_t n;
    snprintf(dir, sizeof dir, "%s/refused", test_shapes_dir());
    char **names = shape_list(dir, &n);
    if (n < 20)
        oracle_die("%s has %zu shapes", dir, n);
    struct CMUnitTest *tests = xalloc((int64_t)n, sizeof *tests);
    for (size_t i = 0; i < n; i++)
        tests[i] = (struct CMUnitTest){.name = names[i], .test_func = test_refused, .initial_state = names[i]};
    device = open_device(0);
    int failed = _cmocka_run_group_tests("refused meshes", tests, n, NULL, NULL);
    sdd_device_close(device);
    free(tests);
    shape_list_free(names);
    return failed;
}
