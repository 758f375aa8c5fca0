/* SPDX-License-Identifier: Apache-2.0 */
/* timing.c: clocks, meshes and bandwidths of the benchmarks. */
#include "tests/bench/timing.h"
#include "gpu/device/device.h"
#include "gpu/mesh/kernels/point_check.k.h"
#include "tests/env.h"
#include "tests/oracle/refined.h"
#include <immintrin.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

double median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, order);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

void torus_make(int nx, int ny, struct torus *out)
{
    const double tau = 6.283185307179586;
    int64_t n = (int64_t)nx * ny;
    int32_t *counts = xalloc(n, sizeof *counts), *vertices = xalloc(4 * n, sizeof *vertices);
    memset(out, 0, sizeof *out);
    out->points = xalloc(3 * n, sizeof *out->points);
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++) {
            int64_t v = (int64_t)j * nx + i;
            int i1 = (i + 1) % nx, j1 = (j + 1) % ny;
            double a = tau * i / nx, b = tau * j / ny, r = 3 + cos(b) * (1 + 0.1 * sin(5 * a));
            int32_t quad[4] = {(int32_t)v, j * nx + i1, j1 * nx + i1, j1 * nx + i};
            memcpy(&vertices[4 * v], quad, sizeof quad);
            counts[v] = 4;
            out->points[3 * v] = (float)(r * cos(a));
            out->points[3 * v + 1] = (float)(r * sin(a));
            out->points[3 * v + 2] = (float)sin(b);
        }
    out->desc.n_vertices = out->desc.n_faces = n;
    out->desc.n_corners = 4 * n;
    out->desc.face_counts = counts;
    out->desc.face_vertices = vertices;
}

void torus_free(struct torus *t)
{
    free((void *)(uintptr_t)t->desc.face_counts);
    free((void *)(uintptr_t)t->desc.face_vertices);
    free(t->points);
}

void bench_mesh_open(struct bench_mesh *m, const char *file, int nx, int ny)
{
    const char *shared = test_shared_dir();
    char dir[4096], path[4200];
    struct sdd_error err = {0};
    memset(m, 0, sizeof *m);
    snprintf(dir, sizeof dir, "%s/data", shared ? shared : "");
    snprintf(path, sizeof path, "%s/%s.obj", dir, file ? file : "");
    FILE *there = shared && file ? fopen(path, "rb") : NULL;
    if (there)
        fclose(there);
    if (there && shape_load(dir, file, &m->shape, &err) == SDD_OK) {
        snprintf(m->name, sizeof m->name, "%s", file);
        m->desc = m->shape.desc;
        m->desc.n_uvs = 0;
        m->points = m->shape.points;
        return;
    }
    snprintf(m->name, sizeof m->name, "torus of %d quads", nx * ny);
    if (file)
        printf("skip: no %s.obj here (SUBDD_SHARED); a %s instead\n", file, m->name);
    torus_make(nx, ny, &m->torus);
    m->desc = m->torus.desc;
    m->points = m->torus.points;
}

void bench_mesh_close(struct bench_mesh *m)
{
    torus_free(&m->torus);
    shape_free(&m->shape);
}

static void must(int rc, const struct sdd_error *err)
{
    if (rc != SDD_OK)
        oracle_die("device: %s", err->text);
}

struct bandwidth device_bandwidth(sdd_device *device, int64_t bytes)
{
    enum { RUNS = 11 };
    struct sdd_error err = {0};
    struct bandwidth out;
    void *a, *b;
    double copy[RUNS], write[RUNS];
    must(dev_alloc(device, bytes, &a, &err), &err);
    must(dev_alloc(device, bytes, &b, &err), &err);
    for (int i = -1; i < RUNS; i++) { /* the first touches the pages */
        dev_mark(device, 0);
        dev_copy(device, b, a, bytes);
        dev_mark(device, 1);
        dev_fill(device, a, i & 255, bytes);
        dev_mark(device, 2);
        must(dev_finish(device, &err), &err);
        copy[i < 0 ? 0 : i] = dev_elapsed(device, 0, 1);
        write[i < 0 ? 0 : i] = dev_elapsed(device, 1, 2);
    }
    dev_free(device, a, bytes);
    dev_free(device, b, bytes);
    out.copy = 2 * (double)bytes / median(copy, RUNS) * 1e-9;
    out.write = (double)bytes / median(write, RUNS) * 1e-9;
    return out;
}

__attribute__((target("avx"))) static void store_past_caches(float *to, int64_t n)
{
    const __m256 value = _mm256_set1_ps(1);
    for (int64_t i = 0; i < n; i += 8)
        _mm256_stream_ps(to + i, value);
    _mm_sfence();
}

double store_bandwidth(int threads, int64_t bytes)
{
    const int64_t part = bytes / threads / 4096 * 4096; /* of each thread */
    char *memory = aligned_alloc(4096, (size_t)(part * threads));
    double best = 0;
    if (!memory)
        oracle_die("no memory to write to");
    for (int run = -1; run < 11; run++) { /* the first touches the pages */
        double start = now_ms();
#pragma omp parallel for num_threads(threads) schedule(static, 1)
        for (int k = 0; k < threads; k++)
            store_past_caches((float *)(void *)(memory + k * part), part / (int64_t)sizeof(float));
        double rate = (double)(part * threads) / (now_ms() - start) * 1e-6;
        best = run >= 0 && rate > best ? rate : best;
    }
    free(memory);
    return best;
}

double launch_ms(sdd_device *device)
{
    enum { RUNS = 101 };
    struct sdd_error err = {0};
    double times[RUNS];
    void *memory; /* an error word, then one point */
    must(dev_alloc(device, 64, &memory, &err), &err);
    dev_fill(device, memory, 0, 64);
    struct point_check_args args = {(const float *)memory + 2, memory, 1};
    for (int i = -1; i < RUNS; i++) {
        dev_mark(device, 0);
        DEV_LAUNCH(device, point_check, &args, 1);
        dev_mark(device, 1);
        must(dev_finish(device, &err), &err);
        times[i < 0 ? 0 : i] = dev_elapsed(device, 0, 1) * 1e3;
    }
    dev_free(device, memory, 64);
    return median(times, RUNS);
}

void cooler_open(struct cooler *c, sdd_device *device, int64_t bytes)
{
    struct sdd_error err = {0};
    c->device = device;
    c->bytes = bytes;
    must(dev_alloc(device, bytes, &c->memory, &err), &err);
}

void cooler_run(struct cooler *c)
{
    struct sdd_error err = {0};
    dev_fill(c->device, c->memory, 1, c->bytes);
    must(dev_finish(c->device, &err), &err);
}

void cooler_close(struct cooler *c)
{
    dev_free(c->device, c->memory, c->bytes);
}
