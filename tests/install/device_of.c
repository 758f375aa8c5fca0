/* SPDX-License-Identifier: Apache-2.0 */
/* device_of.c: a program of a user of libsdd, built by tests/install against what was installed: it opens the CPU as a
 * device and prints its backend. */
#include <sdd.h>
#include <stdio.h>

int main(void)
{
    const struct sdd_device_config config = {.backend = "cpu"};
    struct sdd_device_info info;
    struct sdd_error err = {0};
    sdd_device *device = NULL;
    if (sdd_device_open(&config, &device, &err)) {
        fprintf(stderr, "device_of: %s\n", err.text);
        return 1;
    }
    sdd_device_info(device, &info);
    printf("%s\n", info.backend);
    sdd_device_close(device);
    return 0;
}
