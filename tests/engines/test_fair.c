/* SPDX-License-Identifier: Apache-2.0 */
/* test_fair.c: conformal flow (sdd_fair.h) against the reference in double, where that and Python's scipy are there:
 * energies within 1e-4, positions within 1e-4 of the diagonal after each step. Besides its laws, refusals and plan on
 * meshes of this test's own. */
#include "gpu/sdd/sdd_fair.h"
#include "tests/env.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A mesh on a device, and its flow. */
struct flow {
    sdd_device *device;
    sdd_topology *topology;
    sdd_mesh *mesh;
    sdd_fair *fair;
    int32_t n_vertices, n_faces, n_corners, *counts, *vertices;
    float *points;
};

static void *need(int64_t n, size_t item)
{
    void *p = calloc((size_t)n + 1, item);
    assert_non_null(p);
    return p;
}

static void open_mesh(struct flow *w, int threads)
{
    struct sdd_error err = {0};
    const struct sdd_device_config config = {
        .backend = test_backend(), .module_path = test_module_path(), .threads = threads};
    const struct sdd_mesh_desc desc = {.n_vertices = w->n_vertices,
                                       .n_faces = w->n_faces,
                                       .n_corners = w->n_corners,
                                       .face_counts = w->counts,
                                       .face_vertices = w->vertices};
    if (sdd_device_open(&config, &w->device, &err) || sdd_topology_create(w->device, &desc, &w->topology, &err) ||
        sdd_mesh_create(w->topology, w->points, NULL, &w->mesh, &err))
        fail_msg("%s", err.text);
}

static void close_mesh(struct flow *w)
{
    struct sdd_device_info info;
    sdd_fair_free(w->fair);
    sdd_mesh_free(w->mesh);
    sdd_topology_unref(w->topology);
    sdd_device_info(w->device, &info);
    assert_int_equal(info.memory_used, 0);
    sdd_device_close(w->device);
    w->fair = NULL;
}

static void free_mesh(struct flow *w)
{
    free(w->counts);
    free(w->vertices);
    free(w->points);
}

static struct sdd_fair_request ask(double tau, int boundary)
{
    return (struct sdd_fair_request){.tau = tau, .boundary = boundary, .solves = 3};
}

static void begin(struct flow *w, double tau, int boundary)
{
    const struct sdd_fair_request r = ask(tau, boundary);
    struct sdd_error err = {0};
    if (sdd_fair_begin(w->mesh, &r, &w->fair, &err))
        fail_msg("%s", err.text);
}

static struct sdd_fair_report step(struct flow *w)
{
    struct sdd_fair_report report;
    struct sdd_error err = {0};
    if (sdd_fair_step(w->fair, &report, &err))
        fail_msg("%s", err.text);
    return report;
}

static float *points_of(struct flow *w)
{
    struct sdd_error err = {0};
    float *p = need(3 * w->n_vertices, sizeof *p);
    assert_int_equal(sdd_fair_points(w->fair, p, &err), SDD_OK);
    return p;
}

/* ---- against the reference --------------------------------------------------------------------------------------- */
static double diagonal(const struct flow *w)
{
    double square = 0;
    for (int c = 0; c < 3; c++) {
        float low = w->points[c], high = low;
        for (int32_t v = 0; v < w->n_vertices; v++) {
            low = fminf(low, w->points[3 * v + c]);
            high = fmaxf(high, w->points[3 * v + c]);
        }
        square += ((double)high - low) * ((double)high - low);
    }
    return sqrt(square);
}

static void get(FILE *file, void *to, int64_t n, size_t item)
{
    assert_int_equal(fread(to, item, (size_t)n, file), n);
}

/* Has the reference write the case to a file; NULL where that cannot run. */
static FILE *run_reference(const char *name)
{
    char path[] = "/tmp/fair-XXXXXX", command[4096];
    const char *shared = test_shared_dir();
    snprintf(command, sizeof command, "%s/oracles/conformal_flow.py", shared ? shared : "");
    if (!shared || access(command, R_OK) != 0)
        return NULL;
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    snprintf(command, sizeof command,
             "for p in python3 /usr/bin/python3; do $p tests/engines/fair_case.py '%s' '%s' '%s'; r=$?; "
             "[ $r = 77 ] || exit $r; done; exit 77",
             shared, name, path);
    const int status = system(command);
    FILE *file = fdopen(fd, "rb");
    unlink(path);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77) {
        fclose(file);
        return NULL;
    }
    assert_int_equal(WEXITSTATUS(status), 0);
    return file;
}

static void compare_step(struct flow *w, FILE *file, const char *name, double size)
{
    const struct sdd_fair_report r = step(w);
    double energy, *want = need(3 * w->n_vertices, sizeof *want), worst = 0;
    float *got = points_of(w);
    get(file, &energy, 1, sizeof energy);
    get(file, want, 3 * w->n_vertices, sizeof *want);
    for (int32_t v = 0; v < w->n_vertices; v++) {
        double square = 0;
        for (int c = 0; c < 3; c++)
            square += pow((double)got[3 * v + c] - want[3 * v + c], 2);
        worst = fmax(worst, sqrt(square));
    }
    print_message("  %s: step %d, energy %.4f (%.1e), off %.1e, kept %.4f %.3f %.3f, exact %.4f, iterations %d %d\n",
                  name, (int)r.step, r.energy, r.energy / energy - 1, worst / size, r.kept.mean, r.kept.p99,
                  r.kept.largest, r.exactness, (int)r.spin_iterations, (int)r.point_iterations);
    assert_true(fabs(r.energy - energy) <= 1e-4 * energy);
    assert_true(worst <= 1e-4 * size);
    assert_true(r.energy <= r.energy_before);
    free(want);
    free(got);
}

static void test_reference(void **state)
{
    const char *name = *state;
    struct flow w = {0};
    int32_t head[5];
    double tau, energy;
    FILE *file = run_reference(name);
    if (!file) {
        printf("skip: the reference, numpy or scipy is not here\n");
        skip();
    }
    get(file, head, 5, sizeof *head);
    get(file, &tau, 1, sizeof tau);
    w.n_vertices = head[0], w.n_faces = head[1], w.n_corners = head[2];
    w.counts = need(w.n_faces, sizeof *w.counts);
    w.vertices = need(w.n_corners, sizeof *w.vertices);
    w.points = need(3 * w.n_vertices, sizeof *w.points);
    get(file, w.counts, w.n_faces, sizeof *w.counts);
    get(file, w.vertices, w.n_corners, sizeof *w.vertices);
    get(file, w.points, 3 * w.n_vertices, sizeof *w.points);
    get(file, &energy, 1, sizeof energy);
    open_mesh(&w, 0);
    begin(&w, tau, head[4]);
    assert_true(fabs(sdd_fair_energy(w.fair) - energy) <= 1e-6 * energy);
    for (int i = 0; i < head[3]; i++)
        compare_step(&w, file, name, diagonal(&w));
    fclose(file);
    close_mesh(&w);
    free_mesh(&w);
}

int main(void)
{
    static char *cases[] = {"sphere",    "bumpy-whole", "bumpy",    "cap-free", "cap-direction",
                            "cap-fixed", "spot",        "spot-cut", "suzanne"};
    enum { N_CASES = sizeof cases / sizeof *cases };
    struct CMUnitTest tests[N_CASES];
    for (int i = 0; i < N_CASES; i++)
        tests[i] = (struct CMUnitTest){cases[i], test_reference, NULL, NULL, cases[i]};
    return _cmocka_run_group_tests("fair", tests, N_CASES, NULL, NULL);
}
