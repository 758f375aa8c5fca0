/* SPDX-License-Identifier: Apache-2.0 */
/* test_patches_contract.c: what sdd_patches promises beside geometry: what it refuses, limits, cancelling, memory, the
 * same bits on any number of threads, and that hostile meshes are stopped early. */
#include "tests/engines/fixture.h"
#include "tests/env.h"
#include "tests/oracle/refined.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int ask(sdd_mesh *m, int level, int surface, int64_t max_bytes, sdd_result **out, struct sdd_error *err)
{
    const struct sdd_patches_request r = {level, surface, max_bytes, NULL};
    memset(err, 0, sizeof *err);
    int rc = sdd_patches(m, &r, out, err);
    assert_true((rc == SDD_OK) == (*out != NULL));
    if (rc) {
        assert_int_equal(err->code, rc);
        assert_true(err->text[0]);
    }
    return rc;
}

static void test_refused(void **state)
{
    struct fixture f;
    struct sdd_error err;
    sdd_result *out;
    (void)state;
    fixture_open(&f, "octahedron", 0, 0);
    for (int level = -1; level <= SDD_MAX_PATCH_LEVEL + 1; level += level < 0 ? 1 : SDD_MAX_PATCH_LEVEL + 1) {
        assert_int_equal(ask(f.mesh, level, 0, 0, &out, &err), SDD_EINVALID);
        assert_string_equal(err.field, "level");
    }
    assert_int_equal(ask(f.mesh, 1, SDD_N_SURFACES, 0, &out, &err), SDD_EINVALID);
    assert_string_equal(err.field, "surface");
    for (int scheme = SDD_SCHEME_LOOP; scheme <= SDD_SCHEME_SQRT3; scheme++) {
        struct sdd_mesh_desc d = f.shape.desc;
        sdd_topology *t;
        sdd_mesh *m;
        d.options.scheme = scheme;
        assert_int_equal(sdd_topology_create(f.device, &d, &t, &err), SDD_OK);
        assert_int_equal(sdd_mesh_create(t, f.shape.points, NULL, &m, &err), SDD_OK);
        assert_int_equal(ask(m, 2, 0, 0, &out, &err), SDD_EUNSUPPORTED);
        assert_string_equal(err.field, "scheme");
        sdd_mesh_free(m);
        sdd_topology_unref(t);
    }
    const struct sdd_patches_request silent = {0, 0, 0, NULL};
    assert_int_equal(sdd_patches(f.mesh, &silent, &out, NULL), SDD_EINVALID);
    fixture_close(&f);
}

static void test_cancelled(void **state)
{
    struct fixture f;
    struct sdd_error err = {0};
    sdd_result *out;
    atomic_int cancel = 1;
    const struct sdd_patches_request r = {5, SDD_SURFACE_LIMIT, 0, &cancel};
    (void)state;
    fixture_open(&f, "genus2_mixed", 0, 0);
    int64_t used = fixture_used(&f);
    assert_int_equal(sdd_patches(f.mesh, &r, &out, &err), SDD_ECANCELLED);
    assert_null(out);
    assert_int_equal(fixture_used(&f), used);
    cancel = 0;
    assert_int_equal(sdd_patches(f.mesh, &r, &out, &err), SDD_OK);
    sdd_result_free(out);
    fixture_close(&f);
}

/* One byte less than the result has is too little, exactly that is enough; `needed` never tells more than that. */
static void test_max_bytes(void **state)
{
    static const char *const names[] = {"cube",         "crease_ngons",      "hole_crease",
                                        "random_open0", "nonmanifold/soup1", "grid4x3"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int surface = 0; surface < SDD_N_SURFACES; surface++) {
            struct fixture f;
            struct sdd_error err;
            sdd_result *out;
            fixture_open(&f, names[i], 0, 0);
            int64_t used = fixture_used(&f);
            assert_int_equal(ask(f.mesh, 6, surface, 0, &out, &err), SDD_OK);
            int64_t bytes = sdd_result_info(out)->plan.host_bytes;
            assert_true(sdd_result_info(out)->plan.device_bytes > 0);
            sdd_result_free(out);
            assert_int_equal(ask(f.mesh, 6, surface, bytes, &out, &err), SDD_OK);
            sdd_result_free(out);
            for (int64_t less = 1; less < bytes; less *= 3) {
                assert_int_equal(ask(f.mesh, 6, surface, bytes - less, &out, &err), SDD_ETOO_LARGE);
                assert_int_equal(err.available, bytes - less);
                assert_true(err.needed > bytes - less && err.needed <= bytes);
            }
            assert_int_equal(fixture_used(&f), used);
            fixture_close(&f);
        }
}

/* As much memory as the plan says is enough, a byte less is not. */
static void test_memory(void **state)
{
    struct fixture f;
    struct sdd_error err;
    struct sdd_topology_info info;
    sdd_result *out;
    (void)state;
    fixture_open(&f, "random_mixed0", 1, 0);
    assert_int_equal(ask(f.mesh, 6, SDD_SURFACE_LIMIT, 0, &out, &err), SDD_OK);
    uint64_t digest = sdd_result_info(out)->plan.blocks[1].digest;
    int64_t enough = fixture_used(&f) + sdd_result_info(out)->plan.device_bytes;
    sdd_topology_info(f.topology, &info);
    assert_true(enough > info.build_bytes + 1);
    sdd_result_free(out);
    fixture_close(&f);
    for (int less = 0; less < 2; less++) {
        fixture_open(&f, "random_mixed0", 1, enough - less);
        int64_t used = fixture_used(&f);
        assert_int_equal(ask(f.mesh, 6, SDD_SURFACE_LIMIT, 0, &out, &err), less ? SDD_ENO_MEMORY : SDD_OK);
        if (less) /* told of all that it takes, not of the piece that was too much */
            assert_true(err.needed == enough - used && err.available == enough - used - 1);
        if (!less)
            assert_true(sdd_result_info(out)->plan.blocks[1].digest == digest);
        sdd_result_free(out);
        fixture_close(&f);
    }
}

static void test_threads(void **state)
{
    static const char *const names[] = {"random_mixed1", "random_creases0", "valence60", "nonmanifold/wall_creased"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        uint64_t want[5] = {0};
        for (int threads = 1; threads <= 3; threads++) {
            struct fixture f;
            struct sdd_error err;
            sdd_result *out;
            fixture_open(&f, names[i], threads, 0);
            assert_int_equal(ask(f.mesh, 6, SDD_SURFACE_LIMIT, 0, &out, &err), SDD_OK);
            for (int k = 0; k < 5; k++) {
                uint64_t digest = sdd_result_info(out)->plan.blocks[k].digest;
                want[k] = threads == 1 ? digest : want[k];
                assert_true(digest == want[k]);
            }
            sdd_result_free(out);
            fixture_close(&f);
        }
    }
}

/* ---- hostile meshes -------------------------------------------------------------------------------------------- */
struct hostile {
    float *points;
    int32_t *counts, *vertices, *creases;
    float *sharpness;
    struct sdd_mesh_desc desc;
};

static void hostile_free(struct hostile *h)
{
    free(h->points), free(h->counts), free(h->vertices), free(h->creases), free(h->sharpness);
}

/* n quads around one vertex. */
static void make_fan(struct hostile *h, int32_t n)
{
    *h = (struct hostile){xalloc(3 * (2 * n + 1), 4), xalloc(n, 4), xalloc(4 * n, 4), NULL, NULL, {0}};
    for (int32_t i = 0; i < n; i++) {
        const int32_t quad[4] = {2 * n, 2 * i, 2 * i + 1, (2 * i + 2) % (2 * n)};
        h->counts[i] = 4;
        memcpy(h->vertices + 4 * i, quad, sizeof quad);
    }
    for (int32_t i = 0; i < 3 * (2 * n + 1); i++)
        h->points[i] = sinf((float)i);
    h->desc = (struct sdd_mesh_desc){.n_vertices = 2 * n + 1, .n_faces = n, .n_corners = 4 * n};
    h->desc.face_counts = h->counts, h->desc.face_vertices = h->vertices;
}

/* A grid all of whose edges are nearly infinitely sharp: every face is split at every level. */
static void make_creased(struct hostile *h, int32_t side)
{
    const int32_t row = side + 1, V = row * row, F = side * side;
    *h = (struct hostile){xalloc(3 * V, 4), xalloc(F, 4), xalloc(4 * F, 4), xalloc(4 * V, 4), xalloc(2 * V, 4), {0}};
    int32_t n = 0;
    for (int32_t v = 0; v < V; v++) {
        const int32_t x = v % row, y = v / row;
        h->points[3 * v] = (float)x, h->points[3 * v + 1] = (float)y;
        h->points[3 * v + 2] = sinf((float)v);
        if (v % row < side)
            h->creases[2 * n] = v, h->creases[2 * n + 1] = v + 1, h->sharpness[n++] = 9.5f;
        if (v / row < side)
            h->creases[2 * n] = v, h->creases[2 * n + 1] = v + row, h->sharpness[n++] = 9.5f;
    }
    for (int32_t f = 0; f < F; f++) {
        const int32_t v = f / side * row + f % side, quad[4] = {v, v + 1, v + row + 1, v + row};
        h->counts[f] = 4;
        memcpy(h->vertices + 4 * f, quad, sizeof quad);
    }
    h->desc = (struct sdd_mesh_desc){.n_vertices = V, .n_faces = F, .n_corners = 4 * F, .n_creases = n};
    h->desc.face_counts = h->counts, h->desc.face_vertices = h->vertices;
    h->desc.crease_edges = h->creases, h->desc.crease_sharpness = h->sharpness;
}

static void expect_stopped(const struct hostile *h, int level, int64_t max_bytes, int64_t memory, int code)
{
    struct sdd_device_config config = {
        .backend = test_backend(), .module_path = test_module_path(), .memory_limit = memory};
    struct sdd_device_info before, after;
    struct sdd_error err = {0};
    sdd_device *d = NULL;
    sdd_topology *t = NULL;
    sdd_mesh *m = NULL;
    sdd_result *out;
    assert_int_equal(sdd_device_open(&config, &d, &err), SDD_OK);
    if (sdd_topology_create(d, &h->desc, &t, &err) || sdd_mesh_create(t, h->points, NULL, &m, &err))
        fail_msg("%s", err.text);
    sdd_device_info(d, &before);
    int rc = ask(m, level, SDD_SURFACE_LIMIT, max_bytes, &out, &err);
    if (rc != code)
        fail_msg("%d, not %d: %s", rc, code, err.text);
    sdd_result_free(out);
    sdd_device_info(d, &after);
    assert_int_equal(after.memory_used, before.memory_used);
    sdd_mesh_free(m);
    sdd_topology_unref(t);
    sdd_device_close(d);
}

static void test_hostile(void **state)
{
    struct hostile h;
    const int64_t MiB = 1 << 20;
    (void)state;
    make_fan(&h, 65535);
    expect_stopped(&h, 10, 40 * MiB, 4096 * MiB, SDD_ETOO_LARGE);
    expect_stopped(&h, 10, 0, 200 * MiB, SDD_ENO_MEMORY);
    expect_stopped(&h, 2, 0, 4096 * MiB, SDD_OK);
    hostile_free(&h);
    make_creased(&h, 20);
    expect_stopped(&h, 10, 4 * MiB, 4096 * MiB, SDD_ETOO_LARGE);
    expect_stopped(&h, 10, 0, 100 * MiB, SDD_ENO_MEMORY);
    hostile_free(&h);
    make_creased(&h, 1);
    expect_stopped(&h, 7, 0, 4096 * MiB, SDD_OK);
    hostile_free(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_refused),   cmocka_unit_test(test_cancelled),
                                       cmocka_unit_test(test_max_bytes), cmocka_unit_test(test_memory),
                                       cmocka_unit_test(test_threads),   cmocka_unit_test(test_hostile)};
    return cmocka_run_group_tests_name("patches, contract", tests, NULL, NULL);
}
