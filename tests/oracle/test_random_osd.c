/* SPDX-License-Identifier: Apache-2.0 */
/* test_random_osd.c: random tagged meshes (random_mesh.h) by every engine against OpenSubdiv. A failure prints its seed
 * and options, is cut down to what fails, and that is left in the build folder. SUBDD_SEEDS=n runs n meshes (100);
 * SUBDD_SEED=n runs that one alone. */
#include "tests/env.h"
#include "tests/oracle/cases.h"
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

static const struct tolerances tolerance = {1e-5, 1e-5, 5e-3};

/* What is not built yet: the option whose refusal is counted, and what stands for it until then. To be empty. */
static struct {
    const char *option;
    int32_t instead, count;
} not_built[] = {{"faceVaryingLinearInterpolation", SDD_FVAR_ALL, 0}, {"creaseMethod", SDD_CREASE_UNIFORM, 0}};

/* What an engine says when it does not do a mesh; everything else is a failure. */
static const char *const refusals[] = {"engine edge-friend does catmullClark, not ",
                                       "engine edge-friend needs manifold",
                                       "engine mesh-matrix-spla does not do this: "};

static sdd_device *device;
static int32_t ran[8], refused[8]; /* by engine */
static int32_t unsound;            /* meshes that OpenSubdiv has wrong */

static int by_engine(const struct tagged_mesh *m, const char *method, struct refined *out, struct sdd_error *err)
{
    struct sdd_mesh_desc desc;
    tagged_desc(m, &desc);
    return library_refine(device, method, &desc, m->points[0], m->n_uvs > 0 ? m->uvs[0] : NULL, m->level, out, err);
}

static int may_refuse(const struct sdd_error *err)
{
    int may = 0;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        may |= err->code == SDD_EUNSUPPORTED && strstr(err->text, refusals[i]) != NULL;
    return may;
}

/* Options that are not built are replaced, and counted. */
static void only_what_is_built(struct tagged_mesh *m)
{
    for (size_t i = 0; i < sizeof not_built / sizeof *not_built; i++) {
        struct refined none;
        struct sdd_error err = {0};
        int rc = by_engine(m, "auto", &none, &err);
        refined_free(&none);
        for (int row = 0; row < sdd_n_options && rc == SDD_EUNSUPPORTED; row++)
            for (size_t k = 0; k < sizeof not_built / sizeof *not_built; k++)
                if (strcmp(sdd_option_table[row].name, not_built[k].option) == 0 &&
                    strcmp(err.field, not_built[k].option) == 0) {
                    memcpy((char *)&m->options + sdd_option_table[row].offset, &not_built[k].instead, sizeof(int32_t));
                    not_built[k].count++;
                }
    }
}

struct trial {
    witness_fn *witness;
    const char *label; /* NULL: nothing is printed or counted */
};

static int trial_engine(const struct trial *t, const struct tagged_mesh *m, int engine, const struct refined *want)
{
    const char *method = sdd_engine_table[engine].name;
    struct sdd_error err = {0};
    struct refined got;
    char label[128];
    int bad = 0, rc = by_engine(m, method, &got, &err);
    snprintf(label, sizeof label, "%s, %s", t->label ? t->label : "", method);
    if (rc == SDD_OK)
        bad = compare_refined(t->label ? label : NULL, &got, want, tagged_diagonal(m), 1, tolerance);
    else if (!may_refuse(&err))
        bad = 1;
    if (rc != SDD_OK && bad && t->label)
        printf("%s: refused: %s: %s\n", label, sdd_err_code(rc), err.text);
    if (t->label)
        (rc == SDD_OK ? ran : refused)[engine]++;
    refined_free(&got);
    return bad;
}

static int trial_fails(const struct tagged_mesh *m, void *context)
{
    const struct trial *t = context;
    struct sdd_mesh_desc desc;
    struct refined want;
    int bad = 0;
    tagged_desc(m, &desc);
    if (tagged_bow_tie(m) || !osd_is_sound(&desc)) { /* cutting down may make one */
        unsound += t->label != NULL;
        return 0;
    }
    t->witness(&desc, m->points[0], m->n_uvs > 0 ? m->uvs[0] : NULL, m->level, &want);
    for (int e = 0; sdd_engine_table[e].name; e++)
        bad += trial_engine(t, m, e, &want);
    refined_free(&want);
    return bad > 0;
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
    char label[64];
    struct trial t = {osd_refine, label};
    snprintf(label, sizeof label, "seed %llu", (unsigned long long)seed);
    random_mesh(seed, &m);
    if (tagged_bow_tie(&m))
        fail_msg("seed %llu has a UV bow-tie", (unsigned long long)seed);
    only_what_is_built(&m);
    if (!trial_fails(&m, &t))
        return 0;
    tell(seed, &m, &t);
    return 1;
}

static void test_random(void **state)
{
    (void)state;
    const char *only = getenv("SUBDD_SEED"), *count = getenv("SUBDD_SEEDS");
    uint64_t first = only ? strtoull(only, NULL, 10) : 1, n = only ? 1 : count ? strtoull(count, NULL, 10) : 100;
    int bad = 0;
    for (uint64_t seed = first; seed < first + n; seed++)
        bad += check_seed(seed);
    printf("%llu random meshes, %d failed; OpenSubdiv contradicts itself on %d\n", (unsigned long long)n, bad, unsound);
    for (int e = 0; sdd_engine_table[e].name; e++)
        printf("  %-16s took %d, refused %d\n", sdd_engine_table[e].name, ran[e], refused[e]);
    for (size_t i = 0; i < sizeof not_built / sizeof *not_built; i++)
        if (not_built[i].count > 0)
            printf("  not built: %s, %d times\n", not_built[i].option, not_built[i].count);
    assert_int_equal(bad, 0);
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
        struct trial t = {witness, NULL};
        struct tagged_mesh m;
        random_mesh(seed, &m);
        only_what_is_built(&m);
        if (!trial_fails(&m, &t))
            continue;
        shrink(&m, trial_fails, &t);
        assert_in_range(m.n_faces, 1, faces); /* a face may meet itself */
        assert_int_equal(m.n_creases, creases);
        assert_int_equal(m.n_corner_tags + m.n_holes, 0);
        assert_int_equal(m.n_uvs > 0, with_uvs);
        assert_int_equal(m.level, 1);
        m.options.fvar = none.fvar; /* while UVs are built under `all` alone */
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shrinks), cmocka_unit_test(test_random)};
    device = open_device(0);
    int failed = cmocka_run_group_tests_name("random tagged meshes against OpenSubdiv", tests, NULL, NULL);
    sdd_device_close(device);
    return failed;
}
