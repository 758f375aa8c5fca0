/* SPDX-License-Identifier: Apache-2.0 */
/* test_blender.c: limit surfaces of meshes with creases and corners against Blender's Subdivision Surface modifier, as
 * sets of points. Blender has creases c of 0 to 1, in steps of 1/255 at edges, and takes them for a sharpness 10 c^2.
 * It isolates features to level 10 before it goes to the limit, so sharpness that is left at the level compared, and an
 * infinite crease that ends inside, tell whether our limits follow them on. */
#include "server/mesh/mesh.h"
#include "tests/env.h"
#include "tests/oracle/cases.h"
#include "tests/http/spawn.h"
#include "tests/unit/tempdir.h"
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { LEVEL = 3 };
static const char *const names[] = {
    "crease_loop_1.5",    "crease_loop_10",  "crease_across_10",      "crease_dart_soft", "crease_ngons",
    "mixed_2_0.5_corner", "mixed_four",      "corner_on_soft_crease", "strip_creases",    "crease_at_grid_corner",
    "crease_loop_4",      "crease_loop_9.5", "crease_edge_4",         "crease_all_4",     "corner_4",
    "corner_9.5",         "crease_dart"};
enum { N = sizeof names / sizeof *names };
extern char **environ;

/* The crease that Blender can have; the sharpness becomes what it takes that for. */
static double crease_of(float *sharpness)
{
    double c = round(sqrt(fmin((double)*sharpness, 10) / 10) * 255) / 255;
    *sharpness = (float)(10 * c * c);
    return c;
}

static void write_mesh(FILE *to, const struct shape *s, const char *dir)
{
    const struct sdd_mesh_desc *d = &s->desc;
    fprintf(to, "{\"name\": \"%s\", \"out\": \"%s/%s\", \"level\": %d, \"boundary\": \"%s\", \"points\": [", s->name,
            dir, s->name, LEVEL, d->options.boundary == SDD_BOUNDARY_EDGE_ONLY ? "ALL" : "PRESERVE_CORNERS");
    for (int64_t v = 0; v < d->n_vertices; v++)
        fprintf(to, "%s[%.9g, %.9g, %.9g]", v ? ", " : "", (double)s->points[3 * v], (double)s->points[3 * v + 1],
                (double)s->points[3 * v + 2]);
    fprintf(to, "], \"faces\": [");
    for (int64_t f = 0, c = 0; f < d->n_faces; c += d->face_counts[f++])
        for (int32_t k = 0; k < d->face_counts[f]; k++)
            fprintf(to, "%s%d%s",
                    k   ? ", "
                    : f ? ", ["
                        : "[",
                    d->face_vertices[c + k], k + 1 < d->face_counts[f] ? "" : "]");
    fprintf(to, "], \"creases\": [");
    for (int64_t i = 0; i < d->n_creases; i++)
        fprintf(to, "%s[%d, %d, %.9g]", i ? ", " : "", d->crease_edges[2 * i], d->crease_edges[2 * i + 1],
                crease_of(&s->mesh->crease_sharpness[i]));
    fprintf(to, "], \"corners\": [");
    for (int64_t i = 0; i < d->n_corner_tags; i++)
        fprintf(to, "%s[%d, %.9g]", i ? ", " : "", d->corner_vertices[i], crease_of(&s->mesh->corner_sharpness[i]));
    fprintf(to, "]}");
}

/* Runs Blender on the list; -1: it is not installed, else its exit code. */
static int run_blender(const char *script, const char *list, const char *log)
{
    char *const argv[] = {"blender",
                          "-b",
                          "--factory-startup",
                          "--python-exit-code",
                          "7",
                          "-P",
                          (char *)(uintptr_t)script,
                          "--",
                          (char *)(uintptr_t)list,
                          NULL};
    posix_spawn_file_actions_t files;
    pid_t pid;
    int status = 0;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 1, log, O_WRONLY | O_CREAT, 0600);
    posix_spawn_file_actions_adddup2(&files, 1, 2);
    int rc = posix_spawnp(&pid, argv[0], &files, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    if (rc != 0 || waitpid(pid, &status, 0) != pid)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* The largest distance of a point of a to the nearest of b. */
static double apart(const double *a, int64_t n_a, const double *b, int64_t n_b)
{
    double worst = 0;
    for (int64_t i = 0; i < n_a; i++) {
        double nearest = INFINITY;
        for (int64_t j = 0; j < n_b; j++) {
            double x = a[3 * i] - b[3 * j], y = a[3 * i + 1] - b[3 * j + 1], z = a[3 * i + 2] - b[3 * j + 2];
            nearest = fmin(nearest, x * x + y * y + z * z);
        }
        worst = fmax(worst, nearest);
    }
    return sqrt(worst);
}

static int compare(sdd_device *device, const struct shape *s, const char *dir)
{
    char path[5200];
    size_t bytes;
    struct refined ours;
    struct sdd_error err = {0};
    struct sdd_mesh_desc d = s->desc;
    d.n_uvs = 0;
    snprintf(path, sizeof path, "%s/%.63s", dir, s->name);
    char *theirs = slurp(path, &bytes);
    sdd_mesh *mesh = NULL;
    if (!theirs || library_mesh(device, &d, s->points, NULL, &mesh, &err) != SDD_OK ||
        library_surfaces(mesh, "auto", 0, LEVEL, SDD_SURFACE_LIMIT, &ours, &err) != SDD_OK) {
        printf("%s: %s\n", s->name, theirs ? err.text : "Blender wrote nothing");
        free(theirs);
        sdd_mesh_free(mesh);
        return 1;
    }
    sdd_mesh_free(mesh);
    int64_t n = (int64_t)bytes / 12;
    double *points = xalloc(3 * n, sizeof *points);
    for (int64_t i = 0; i < 3 * n; i++) {
        float x;
        memcpy(&x, theirs + 4 * i, sizeof x);
        points[i] = (double)x;
    }
    double a = apart(ours.limits, ours.n_vertices, points, n), b = apart(points, n, ours.limits, ours.n_vertices);
    double most = fmax(a, b) / s->diagonal;
    printf("%-24s %5lld points, Blender %5lld, apart by %.2g of the bounding box\n", s->name,
           (long long)ours.n_vertices, (long long)n, most);
    int bad = n != ours.n_vertices || !(most <= 1e-5);
    refined_free(&ours);
    free(points);
    free(theirs);
    return bad;
}

static void test_blender(void **state)
{
    (void)state;
    struct shape shapes[N];
    char script[4096], list[4096], log[4096], *dir = tempdir();
    int bad = 0;
    snprintf(script, sizeof script, "%s/../oracle/blender_limits.py", test_shapes_dir());
    snprintf(list, sizeof list, "%s/meshes.json", dir);
    snprintf(log, sizeof log, "%s/log", dir);
    FILE *to = fopen(list, "w");
    assert_non_null(to);
    for (int i = 0; i < N; i++) {
        struct sdd_error err = {0};
        assert_int_equal(shape_load(test_shapes_dir(), names[i], &shapes[i], &err), SDD_OK);
        fputs(i ? ",\n" : "[", to);
        write_mesh(to, &shapes[i], dir);
    }
    fputs("]\n", to);
    fclose(to);
    int rc = access(script, R_OK) == 0 ? run_blender(script, list, log) : -1;
    sdd_device *device = open_device(0);
    for (int i = 0; i < N; i++) {
        bad += rc == 0 ? compare(device, &shapes[i], dir) : 0;
        shape_free(&shapes[i]);
    }
    sdd_device_close(device);
    if (rc > 0)
        printf("%s\n", slurp(log, &(size_t){0}));
    tempdir_remove(dir);
    if (rc < 0) {
        printf("skip: Blender is not installed (deploy/install-deps blender), or its script is not here\n");
        skip();
    }
    assert_int_equal(rc, 0);
    assert_int_equal(bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_blender)};
    return cmocka_run_group_tests_name("Blender, a second opinion", tests, NULL, NULL);
}
