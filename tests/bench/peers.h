/* SPDX-License-Identifier: Apache-2.0 */
/* peers.h: runs the kernels of peers.dev.h on memory of a device. */
#ifndef TESTS_BENCH_PEERS_H
#define TESTS_BENCH_PEERS_H
#include "gpu/sdd/sdd.h"
#include "tests/bench/peers.dev.h"

/* peers_open: whether the kernels are there for the device's backend. On CUDA they are a module of their own,
 * libpeers_cuda.so, which is made where nvcc is. peer_seconds: launches one, waits, and returns its time. */
int peers_open(sdd_device *device);
double peer_seconds(sdd_device *device, int kernel, const void *args, size_t args_bytes, int64_t n);

#endif
