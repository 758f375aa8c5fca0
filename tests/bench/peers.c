/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/peers.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "gpu/device/device.h"
#include "tests/bench/timing.h"
#include "tests/oracle/refined.h"
#define SDD_ROOM_KERNELS "tests/bench/peers.def"
#include "gpu/device/cpu/room_loops.h"

static const struct sdd_kernel_loop *const loops[N_PEERS] = {&sdd_loop_peer_gather,        &sdd_loop_peer_gather_kept,
                                                             &sdd_loop_peer_gather_staged, &sdd_loop_peer_copy,
                                                             &sdd_loop_peer_directed,      &sdd_loop_peer_normals};
static peer_launch_fn *launch;

int peers_open(sdd_device *d)
{
    char path[4096];
    if (d->b->unified)
        return 1;
    const ssize_t n = readlink("/proc/self/exe", path, sizeof path - 64);
    char *end = n > 0 ? memrchr(path, '/', (size_t)n) : NULL;
    if (!end)
        return 0;
    memcpy(end, "/../lib/libpeers_cuda.so", sizeof "/../lib/libpeers_cuda.so");
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *symbol = module ? dlsym(module, PEER_LAUNCH_SYMBOL) : NULL;
    if (!symbol) {
        printf("skip: sums and flat lists: %s\n", dlerror());
        return 0;
    }
    memcpy(&launch, &symbol, sizeof launch); /* ISO C has no cast from an object's address to a function's. */
    return 1;
}

double peer_seconds(sdd_device *d, int kernel, const void *args, size_t args_bytes, int64_t n)
{
    double seconds = 0;
    struct sdd_error err = {0};
    if (dev_finish(d, &err))
        oracle_die("%s", err.text);
    if (!d->b->unified) {
        const int rc = launch(kernel, args, args_bytes, n, &seconds);
        if (rc)
            oracle_die("CUDA error %d in kernel %d of the bench", rc, kernel);
        return seconds;
    }
    if (loops[kernel]->args_bytes != args_bytes)
        oracle_die("kernel %d of the bench has other arguments", kernel);
    const double start = now_ms();
    (void)loops[kernel]->run(args, 0, n, d->b->threads(d->dev), 0);
    return 1e-3 * (now_ms() - start);
}
