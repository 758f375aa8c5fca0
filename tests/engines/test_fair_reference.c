/* SPDX-License-Identifier: Apache-2.0 */
/* test_fair_reference.c: conformal flow (sdd_fair.h) against the reference in double, where that and Python's scipy are
 * there: energies within 1e-4, positions within 1e-4 of the diagonal after each step. */
#include "tests/engines/flow.h"
#include "tests/env.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

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
    char path[] = "/tmp/subdd-fair-XXXXXX", command[4096];
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
    const struct sdd_fair_report r = flow_step(w);
    double energy, *want = flow_array(3 * w->n_vertices, sizeof *want), worst = 0;
    float *got = flow_points(w);
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
    w.counts = flow_array(w.n_faces, sizeof *w.counts);
    w.vertices = flow_array(w.n_corners, sizeof *w.vertices);
    w.points = flow_array(3 * w.n_vertices, sizeof *w.points);
    get(file, w.counts, w.n_faces, sizeof *w.counts);
    get(file, w.vertices, w.n_corners, sizeof *w.vertices);
    get(file, w.points, 3 * w.n_vertices, sizeof *w.points);
    get(file, &energy, 1, sizeof energy);
    flow_open(&w, 0);
    flow_begin(&w, tau, head[4]);
    assert_true(fabs(sdd_fair_energy(w.fair) - energy) <= 1e-6 * energy);
    for (int i = 0; i < head[3]; i++)
        compare_step(&w, file, name, diagonal(&w));
    fclose(file);
    flow_close(&w);
    flow_free_arrays(&w);
}

int main(void)
{
    static char *cases[] = {"sphere", "bumpy-whole", "bumpy",   "cap-free", "cap-direction", "cap-fixed",
                            "spot",   "spot-cut",    "suzanne", "torus",    "bunny"};
    enum { N_CASES = sizeof cases / sizeof *cases };
    struct CMUnitTest tests[N_CASES];
    for (int i = 0; i < N_CASES; i++)
        tests[i] = (struct CMUnitTest){cases[i], test_reference, NULL, NULL, cases[i]};
    return _cmocka_run_group_tests("fair reference", tests, N_CASES, NULL, NULL);
}
