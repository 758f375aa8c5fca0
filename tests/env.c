/* SPDX-License-Identifier: Apache-2.0 */
#include "env.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* exe_path: `tail` seen from the folder that holds tests/ with this executable somewhere below it, in buf; NULL when it
 * is not there. */
static const char *exe_path(char *buf, size_t size, const char *tail)
{
    char exe[2048], *tests = NULL;
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    if (n < 0)
        return NULL;
    exe[n] = '\0';
    for (char *at = exe; (at = strstr(at, "/tests/")); at++)
        tests = at; /* the last one: the checkout itself may lie in a folder of that name */
    if (!tests)
        return NULL;
    *tests = '\0';
    int len = snprintf(buf, size, "%s/%s", exe, tail);
    return len < (int)size && access(buf, R_OK) == 0 ? buf : NULL;
}

const char *test_bin_dir(void)
{
    static char buf[4096];
    const char *dir = getenv("SUBDD_BIN");
    if (dir)
        return dir;
    return exe_path(buf, sizeof buf, "bin") ? buf : "build/bin";
}

const char *test_shapes_dir(void)
{
    static char buf[4096];
    const char *dir = getenv("SUBDD_SHAPES");
    if (dir)
        return dir;
    return exe_path(buf, sizeof buf, "shapes") ? buf : "tests/shapes";
}

const char *test_shared_dir(void)
{
    const char *dir = getenv("SUBDD_SHARED");
    if (!dir)
        dir = "../shared";
    return access(dir, R_OK) == 0 ? dir : NULL;
}

const char *test_module_path(void)
{
    static char buf[4096];
    return exe_path(buf, sizeof buf, "lib/libsdd_cuda.so") ? buf : NULL;
}

const char *test_backend(void)
{
    const char *backend = getenv("SUBDD_TEST_BACKEND");
    return backend && *backend ? backend : "cpu";
}

__attribute__((constructor)) static void set_filter(void)
{
    const char *glob = getenv("SUBDD_TEST_FILTER");
    if (glob && *glob)
        cmocka_set_test_filter(glob);
    setvbuf(stdout, NULL, _IOLBF, 0); /* what a test printed before it crashed is in the log */
}
