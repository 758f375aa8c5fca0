/* SPDX-License-Identifier: Apache-2.0 */
/* test_random_osd.c: random tagged meshes (random_mesh.h) by every engine against OpenSubdiv. A failure prints its seed
 * and options, is cut down to what fails, and that is left in the build folder. SUBDD_SEEDS=n runs n meshes (100);
 * SUBDD_SEED=n runs that one alone, both together as many from that one on. */
#include "tests/env.h"
#include "tests/oracle/judge.h"
#include "tests/oracle/osd.h"
#include "tests/oracle/random_mesh.h"
#include "tests/oracle/shrink.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct trial {
    struct judge *judge;
    const char *label; /* NULL: nothing is printed or counted */
};
static struct judge against_osd = {.witness = osd_refine};
static int unsound; /* meshes that OpenSubdiv has wrong */

static int trial_fails(const struct tagged_mesh *m, void *context)
{
    struct trial *t = context;
    struct sdd_mesh_desc desc;
    tagged_desc(m, &desc);
    if (uv_bow_tie(&desc) || !osd_is_sound(&desc)) { /* cutting down may make one */
        unsound += t->label != NULL;
        return 0;
    }
    const float *uvs = m->n_uvs > 0 ? m->uvs[0] : NULL;
    return judge_differs(t->judge, t->label, &desc, m->points[0], uvs, m->level) > 0;
}

static void tell(uint64_t seed, struct tagged_mesh *m, struct trial *t)
{
    const char *build = getenv("SUBDD_BUILD");
    char text[512], path[4096];
    printf("seed %llu: %s\n", (unsigned long long)seed, tagged_options(m, text, sizeof text));
    t->label = NULL;
    shrink(m, trial_fails, t);
    snprintf(path, sizeof path, "%s/random_%llu.obj", build ? build : "build", (unsigned long long)seed);
    if (access(build ? build : "build", W_OK) != 0)
        snprintf(path, sizeof path, "/tmp/random_%llu.obj", (unsigned long long)seed);
    tagged_write(m, path);
    printf("seed %llu cut down to %d faces, %d sharp edges, %d sharp vertices, %d UVs: %s: in %s\n",
           (unsigned long long)seed, m->n_faces, m->n_creases, m->n_corner_tags, m->n_uvs,
           tagged_options(m, text, sizeof text), path);
    t->label = "what is left";
    trial_fails(m, t);
}

static int check_seed(uint64_t seed)
{
    struct tagged_mesh m;
    struct sdd_mesh_desc desc;
    char label[64];
    struct trial t = {&against_osd, label};
    snprintf(label, sizeof label, "seed %llu", (unsigned long long)seed);
    random_mesh(seed, &m);
    tagged_desc(&m, &desc);
    if (uv_bow_tie(&desc))
        fail_msg("seed %llu has a UV bow-tie", (unsigned long long)seed);
    if (!trial_fails(&m, &t))
        return 0;
    tell(seed, &m, &t);
    return 1;
}

static void test_random(void **state)
{
    (void)state;
    const char *only = getenv("SUBDD_SEED"), *count = getenv("SUBDD_SEEDS");
    uint64_t first = only ? strtoull(only, NULL, 10) : 1, n = count ? strtoull(count, NULL, 10) : only ? 1 : 100;
    int bad = 0;
    for (uint64_t seed = first; seed < first + n; seed++)
        bad += check_seed(seed);
    printf("%llu random meshes, %d failed; OpenSubdiv contradicts itself on %d\n", (unsigned long long)n, bad, unsound);
    judge_tell(&against_osd);
    assert_int_equal(bad, 0);
}

/* Seed 51211 cut down: the first face has vertex 3 twice, and in the fan there the third face lies between the two. */
static void test_unsound(void **state)
{
    (void)state;
    static const int32_t counts[] = {9, 4, 4};
    int32_t corners[] = {4, 8, 3, 0, 2, 5, 6, 3, 1, 3, 6, 5, 7, 8, 4, 1, 3};
    const struct sdd_mesh_desc d = {
        .n_vertices = 10, .n_faces = 3, .n_corners = 17, .face_counts = counts, .face_vertices = corners};
    assert_false(osd_is_sound(&d));
    corners[2] = 9; /* without the first use */
    assert_true(osd_is_sound(&d));
    corners[2] = 3, corners[16] = 9; /* without what lies between */
    assert_true(osd_is_sound(&d));
}

/* ---- does the shrinker find what matters? ------------------------------------------------------------------------ */
/* Wrong by one point where an edge of sharpness 2 is; else right. */
static void wrong_at_two(const struct sdd_mesh_desc *d, const float *points, const float *uvs, int level,
                         struct refined *out)
{
    osd_refine(d, points, uvs, level, out);
    for (int64_t i = 0; i < d->n_creases; i++)
        if (d->crease_sharpness[i] >= 2 && d->crease_sharpness[i] <= 2)
            out->points[0] += 1;
}

/* Wrong where a vertex has two UV values. */
static void wrong_at_seams(const struct sdd_mesh_desc *d, const float *points, const float *uvs, int level,
                           struct refined *out)
{
    osd_refine(d, points, uvs, level, out);
    for (int64_t c = 1; c < d->n_corners && d->n_uvs > 0; c++)
        for (int64_t k = 0; k < c; k++)
            if (d->face_vertices[c] == d->face_vertices[k] && d->uv_indices[c] != d->uv_indices[k])
                out->uvs[0] += 1;
}

/* Of `n` meshes those at which the witness is wrong are cut down to so little; returns how many those were. */
static int cut_down(witness_fn *witness, uint64_t n, int faces, int creases, int with_uvs)
{
    static const struct sdd_options none;
    int found = 0;
    for (uint64_t seed = 1; seed <= n; seed++) {
        struct judge judge = {.device = against_osd.device, .witness = witness};
        struct trial t = {&judge, NULL};
        struct tagged_mesh m;
        random_mesh(seed, &m);
        if (!trial_fails(&m, &t))
            continue;
        shrink(&m, trial_fails, &t);
        assert_in_range(m.n_faces, 1, faces); /* a face may meet itself */
        assert_int_equal(m.n_creases, creases);
        assert_int_equal(m.n_corner_tags + m.n_holes, 0);
        assert_int_equal(m.n_uvs > 0, with_uvs);
        assert_int_equal(m.level, 1);
        assert_memory_equal(&m.options, &none, sizeof none);
        found++;
    }
    return found;
}

static void test_shrinks(void **state)
{
    (void)state;
    assert_true(cut_down(wrong_at_two, 12, 1, 1, 0) > 3);
    assert_true(cut_down(wrong_at_seams, 6, 2, 0, 1) > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shrinks), cmocka_unit_test(test_unsound),
                                       cmocka_unit_test(test_random)};
    against_osd.device = open_device(1); /* small meshes: threads would wait for each other */
    int failed = cmocka_run_group_tests_name("random tagged meshes against OpenSubdiv", tests, NULL, NULL);
    sdd_device_close(against_osd.device);
    return failed;
}
