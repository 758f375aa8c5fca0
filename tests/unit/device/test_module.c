/* SPDX-License-Identifier: Apache-2.0 */
/* Opening the CUDA module: absent, not a module, of another build, without a driver. `auto` goes on with the CPU
 * and says why; `cuda` is an error that says why. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "abi.h"
#include "gpu/backend/backend.h"
#include "gpu/sdd/sdd.h"
#include "tests/env.h"
#include "tests/kernels/parity_device.h"

static void expect_no_module(const char *path)
{
    char reason[160] = "";
    const struct sdd_device_config want_auto = {"auto", path, 1, 1 << 20, 0, 0},
                                   want_cuda = {"cuda", path, 1, 1 << 20, 0, 0};
    struct sdd_device_info info;
    struct sdd_error err = {0};
    sdd_device *device = NULL;
    assert_null(sdd_backend_load(path, reason, sizeof reason));
    assert_true(reason[0]);
    assert_int_equal(sdd_device_open(&want_auto, &device, &err), SDD_OK);
    sdd_device_info(device, &info);
    sdd_device_close(device);
    assert_string_equal(info.backend, "cpu");
    assert_string_equal(info.detail, reason);
    assert_int_equal(sdd_device_open(&want_cuda, &device, &err), SDD_EDEVICE);
    assert_null(device);
    assert_int_equal(err.code, SDD_EDEVICE);
    assert_string_equal(err.field, "backend");
    assert_non_null(strstr(err.text, reason));
    print_message("%s: %s\n", path, reason);
}

static void test_absent(void **state)
{
    (void)state;
    expect_no_module("/nowhere/libsdd_cuda.so");
    expect_no_module("libsdd_cuda.so"); /* never the current directory or the loader's path */
    expect_no_module("");
}

static void test_not_a_module(void **state)
{
    char path[] = "/tmp/subdd_module_XXXXXX";
    struct link_map *map = NULL;
    (void)state;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "no library\n", 11), 11);
    close(fd);
    expect_no_module(path);
    unlink(path);

    void *libm = dlopen("libm.so.6", RTLD_NOW);
    assert_non_null(libm);
    assert_int_equal(dlinfo(libm, RTLD_DI_LINKMAP, &map), 0);
    expect_no_module(map->l_name); /* a library without our symbol */
    dlclose(libm);
}

static const char *module_or_skip(void)
{
    const char *path = test_module_path();
    if (!path) {
        print_message("skip: the CUDA module was not built\n");
        skip();
    }
    return path;
}

static void test_another_build(void **state)
{
    sdd_backend_entry_fn *entry = NULL;
    (void)state;
    void *module = dlopen(module_or_skip(), RTLD_NOW | RTLD_LOCAL);
    if (!module)
        fail_msg("%s", dlerror());
    void *symbol = dlsym(module, SDD_BACKEND_ENTRY);
    assert_non_null(symbol);
    memcpy(&entry, &symbol, sizeof entry);
    assert_null(entry("of another build"));
    assert_null(entry(""));
    assert_null(entry(NULL));
    assert_non_null(entry(SDD_ABI_HASH));
    assert_string_equal(entry(SDD_ABI_HASH)->abi, SDD_ABI_HASH);
    assert_string_equal(entry(SDD_ABI_HASH)->name, "cuda");
}

static void test_driver_or_not(void **state)
{
    const char *path = module_or_skip();
    char reason[160] = "";
    (void)state;
    const struct sdd_backend *cuda = sdd_backend_load(path, reason, sizeof reason);
    if (!cuda) {
        assert_string_not_equal(test_backend(), "cuda"); /* who asks for it must have it */
        expect_no_module(path);
        return;
    }
    const struct sdd_device_config config = {"auto", path, 0, 0, 0, 0};
    struct sdd_device_info info;
    struct sdd_error err = {0};
    sdd_device *device = NULL;
    assert_ptr_equal(sdd_backend_load(path, reason, sizeof reason), cuda);
    if (sdd_device_open(&config, &device, &err))
        fail_msg("%s", err.text);
    sdd_device_info(device, &info);
    print_message("%s, %lld bytes\n", info.name, (long long)info.memory_limit);
    assert_string_equal(info.backend, "cuda");
    assert_string_equal(info.detail, "");
    assert_true(info.name[0] && info.memory_limit > 0);
    assert_int_equal(sdd_device_probe(device, &err), SDD_OK);
    assert_int_equal(sdd_device_probe(device, &err), SDD_OK);
    sdd_device_info(device, &info);
    assert_int_equal(info.memory_used, 0);
    sdd_device_close(device);
    void *second = NULL;
    char name[96];
    assert_int_not_equal(cuda->open(999, 0, &second, name, sizeof name, &err), SDD_OK); /* there is no such GPU */
    assert_null(second);
    assert_true(err.text[0]);
}

static void test_bad_config(void **state)
{
    const struct sdd_device_config config = {"vulkan", NULL, 0, 0, 0, 0};
    struct sdd_error err = {0};
    sdd_device *device = NULL;
    (void)state;
    assert_int_equal(sdd_device_open(&config, &device, &err), SDD_EINVALID);
    assert_null(device);
    assert_non_null(strstr(err.text, "auto, cpu, cuda"));
    struct sdd_device_config huge = {"cpu", NULL, 1, INT64_MAX, 0, 0};
    assert_int_equal(sdd_device_open(&huge, &device, &err), SDD_EINVALID);
    assert_null(device);
    assert_string_equal(err.field, "memory_limit");
    const char *most = strstr(err.text, "at most ");
    assert_non_null(most);
    huge.memory_limit = strtoll(most + strlen("at most "), NULL, 10);
    assert_int_equal(sdd_device_open(&huge, &device, &err), SDD_OK);
    sdd_device_close(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_absent),        cmocka_unit_test(test_not_a_module), cmocka_unit_test(test_another_build),
        cmocka_unit_test(test_driver_or_not), cmocka_unit_test(test_bad_config),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
