/* SPDX-License-Identifier: Apache-2.0 */
/* timing.h: what the benchmarks share: a clock, medians, meshes to measure on, the device's own bandwidth. */
#ifndef TESTS_BENCH_TIMING_H
#define TESTS_BENCH_TIMING_H
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
#include "gpu/sdd/sdd.h"
#include "tests/oracle/shape.h"

double now_ms(void);
double median(double *values, int n); /* sorts them */

/* A closed mesh of nx * ny quads without tags: a torus. Free with free() on its three arrays. */
struct torus {
    struct sdd_mesh_desc desc;
    float *points;
};
void torus_make(int nx, int ny, struct torus *out);
void torus_free(struct torus *t);

/* bench_mesh: FILE.obj of the shared folder without its UVs; where that is absent, or `file` is NULL, a torus of
 * nx * ny quads. */
struct bench_mesh {
    char name[64];
    struct shape shape;
    struct torus torus;
    struct sdd_mesh_desc desc;
    const float *points;
};
void bench_mesh_open(struct bench_mesh *m, const char *file, int nx, int ny);
void bench_mesh_close(struct bench_mesh *m);

/* bandwidth: GB/s that the device reaches by itself with `bytes`, medians of 11: copying (read and written bytes count)
 * and writing alone. */
struct bandwidth {
    double copy, write;
};
struct bandwidth device_bandwidth(sdd_device *device, int64_t bytes);
/* store_bandwidth: GB/s, the best of 11, that `threads` threads reach with non-temporal stores alone. Needs AVX. */
double store_bandwidth(int threads, int64_t bytes);
/* launch_ms: device time of a launch with next to no work, the median of 101. */
double launch_ms(sdd_device *device);

/* cooler: overwrites memory that is larger than the caches. */
struct cooler {
    sdd_device *device;
    void *memory;
    int64_t bytes;
};
void cooler_open(struct cooler *c, sdd_device *device, int64_t bytes);
void cooler_run(struct cooler *c);
void cooler_close(struct cooler *c);

#ifdef __cplusplus
}
#endif
#endif
