/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/http/fake_daemon.h"
#include "gpu/device/device.h"
#include "gpu/device/fake/backend_fake.h"
#include "server/serve.h"
#include <signal.h>

/* ---- in the child ----------------------------------------------------------------------------------------------- */
static void on_arm(int number, siginfo_t *info, void *context)
{
    int value = info->si_value.sival_int;
    (void)number, (void)context;
    sdd_fake_arm(value >> 2, (value & 3) == FOREVER, (value & 3) == STICKY);
}

static int open_fake(const struct sdd_device_config *config, sdd_device **out, struct sdd_error *err)
{
    return sdd_device_wrap(sdd_backend_fake(), 0, 1, config->memory_limit, out, err);
}

int fake_daemon(int argc, char **argv)
{
    struct sigaction action = {.sa_sigaction = on_arm, .sa_flags = SA_SIGINFO | SA_RESTART};
    struct config config;
    struct text error = {0};
    sigaction(SIGRTMIN, &action, NULL);
    if (!config_load(&config, argc, argv, &error))
        return EXIT_USAGE;
    return serve(&config, open_fake);
}

/* ---- in the test ------------------------------------------------------------------------------------------------ */
void fake_arm(const struct daemon *d, int k, enum fake_how how)
{
    const union sigval value = {.sival_int = k << 2 | (int)how};
    struct answer a;
    assert_int_equal(sigqueue(d->pid, SIGRTMIN, value), 0);
    http_get(d, "/v1/health/live", &a); /* the signal has been taken when the loop has turned */
    answer_free(&a);
}
