/* SPDX-License-Identifier: Apache-2.0 */
/* Memory limits of control groups, read from folders that look like a kernel's: both versions, nested groups, groups
 * without a limit, containers that see a part of the tree, and files that are not there. */
#include "server/base/container.h"
#include "tests/unit/tempdir.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#define V2 "30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
#define V1 "33 30 0:29 / /sys/fs/cgroup/memory rw,nosuid shared:9 - cgroup cgroup rw,memory\n"
#define OTHERS                                                                                                         \
    "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n34 30 0:30 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"

/* Writes a file of the tree, with the folders that it needs. */
static void put(const char *root, const char *path, const char *text)
{
    char name[512];
    (void)snprintf(name, sizeof name, "%s%s", root, path);
    for (char *at = name + strlen(root) + 1; (at = strchr(at, '/')); *at++ = '/') {
        *at = 0;
        (void)mkdir(name, 0700);
    }
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static int set_up(void **state)
{
    *state = tempdir();
    return 0;
}

static int tear_down(void **state)
{
    tempdir_remove(*state);
    return 0;
}

static void test_version_2(void **state)
{
    const char *root = *state;
    assert_true(container_limit(root) == INT64_MAX); /* There is nothing at all. */
    put(root, "/proc/self/cgroup", "0::/a/b/c\n");
    assert_true(container_limit(root) == INT64_MAX); /* Nothing is mounted. */
    put(root, "/proc/self/mountinfo", OTHERS V2);
    assert_true(container_limit(root) == INT64_MAX); /* The groups have no files, as the root group has none. */
    put(root, "/sys/fs/cgroup/a/b/c/memory.max", "max\n");
    assert_true(container_limit(root) == INT64_MAX);
    put(root, "/sys/fs/cgroup/a/memory.max", "3000000\n");
    assert_int_equal(container_limit(root), 3000000);
    put(root, "/sys/fs/cgroup/a/b/memory.high", "2000000\n");
    assert_int_equal(container_limit(root), 2000000);
    put(root, "/sys/fs/cgroup/a/b/c/memory.max", "1000000\n");
    assert_int_equal(container_limit(root), 1000000);
    put(root, "/sys/fs/cgroup/a/other/memory.max", "5\n"); /* It is not around this process. */
    assert_int_equal(container_limit(root), 1000000);
    put(root, "/sys/fs/cgroup/a/b/c/memory.max", "99999999999999999999999\n");
    assert_int_equal(container_limit(root), 2000000);
    put(root, "/sys/fs/cgroup/a/b/memory.high", "nonsense\n");
    assert_int_equal(container_limit(root), 3000000);
}

/* A container whose mount begins at its own group, with and without a view of its own of the paths. */
static void test_container(void **state)
{
    const char *root = *state;
    put(root, "/proc/self/mountinfo", "30 24 0:26 /box/7 /sys/fs/cgroup rw - cgroup2 cgroup rw\n");
    put(root, "/proc/self/cgroup", "0::/box/7/inner\n");
    put(root, "/sys/fs/cgroup/memory.max", "2147483648\n");
    assert_int_equal(container_limit(root), 2147483648);
    put(root, "/sys/fs/cgroup/inner/memory.max", "1073741824\n");
    assert_int_equal(container_limit(root), 1073741824);
    put(root, "/proc/self/cgroup", "0::/box/77\n"); /* not below the mount */
    assert_int_equal(container_limit(root), 2147483648);
    put(root, "/proc/self/mountinfo", V2);
    put(root, "/proc/self/cgroup", "0::/../inner\n");
    assert_int_equal(container_limit(root), 2147483648);
    put(root, "/proc/self/cgroup", "0::/\n");
    assert_int_equal(container_limit(root), 2147483648);
}

static void test_version_1(void **state)
{
    const char *root = *state;
    put(root, "/proc/self/cgroup", "5:cpu,cpuacct:/x\n4:hugetlb,memory:/docker/9\n1:name=systemd:/docker/9\n0::/\n");
    put(root, "/proc/self/mountinfo", OTHERS V1);
    put(root, "/sys/fs/cgroup/cpu/x/memory.limit_in_bytes", "7\n"); /* the wrong controller */
    assert_true(container_limit(root) == INT64_MAX);
    put(root, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put(root, "/sys/fs/cgroup/memory/docker/memory.limit_in_bytes", "4000000\n");
    assert_int_equal(container_limit(root), 4000000);
    put(root, "/sys/fs/cgroup/memory/docker/9/memory.limit_in_bytes", "2000000\n");
    assert_int_equal(container_limit(root), 2000000);
    /* Both versions at once: the lesser limit counts. */
    put(root, "/proc/self/mountinfo", OTHERS V1 "35 30 0:31 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
    put(root, "/sys/fs/cgroup/unified/memory.max", "1000000\n");
    assert_int_equal(container_limit(root), 1000000);
}

static void test_hostile(void **state)
{
    const char *root = *state;
    put(root, "/proc/self/cgroup", "0::/a b\n");
    put(root, "/proc/self/mountinfo",
        "\n- cgroup2 x\n1 2 3 - cgroup2\n1 2 3 4 - cgroup2 a b\nno dash here\n"
        "30 24 0:26 / /sys/fs/c\\040g\\134 rw - cgroup2 cgroup2 rw\n");
    put(root, "/sys/fs/c g\\/a b/memory.max", "123456\n");
    assert_int_equal(container_limit(root), 123456);
    put(root, "/proc/self/cgroup", "garbage\n0\n:\n");
    assert_true(container_limit(root) == INT64_MAX);
}

static void test_here(void **state)
{
    (void)state;
    assert_true(container_memory() > 1 << 20);
}

#define WITH_TREE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
int main(void)
{
    const struct CMUnitTest tests[] = {WITH_TREE(test_version_2), WITH_TREE(test_container), WITH_TREE(test_version_1),
                                       WITH_TREE(test_hostile), cmocka_unit_test(test_here)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
