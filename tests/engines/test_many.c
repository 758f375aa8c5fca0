/* SPDX-License-Identifier: Apache-2.0 */
/* test_many.c: tests sdd_refine_batch. Each mesh of a batch has the digests that sdd_refine gives for it alone, for
 * every engine and scheme, for 1 to 65 meshes in any order. Bad requests are refused and leave nothing behind, and the
 * memory is as planned to the byte. */
#include "gpu/device/device.h"
#include "gpu/sdd/sdd.h"
#include "tests/engines/fixture.h"
#include "tests/env.h"
#include "tests/oracle/cases.h"
#include "tests/refine_once.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 65 };
static const int counts[] = {1, 2, 3, 64, MOST};

/* Meshes of one topology, and what each is alone. */
struct batch {
    sdd_topology *topology;
    sdd_mesh *meshes[MOST];
    uint64_t digests[MOST][SDD_MAX_BLOCKS];
};

static sdd_device *device;
static int64_t n_compared;

/* Poses in which every coordinate is another one. */
static void pose(const struct shape *s, int k, float *points)
{
    for (int64_t i = 0; i < 3 * s->desc.n_vertices; i++)
        points[i] = s->points[i] * (1 + 0.01f * (float)k) + 0.001f * (float)((i * 7 + k * 5) % 23);
}

static void crowd_open(struct batch *c, sdd_device *d, const struct shape *s, const struct sdd_mesh_desc *desc)
{
    struct sdd_error err = {0};
    float *points = xalloc(3 * s->desc.n_vertices, sizeof *points);
    memset(c, 0, sizeof *c);
    if (sdd_topology_create(d, desc, &c->topology, &err))
        fail_msg("%s: %s", s->name, err.text);
    for (int k = 0; k < MOST; k++) {
        pose(s, k, points);
        if (sdd_mesh_create(c->topology, points, s->uvs, c->meshes + k, &err))
            fail_msg("%s: %s", s->name, err.text);
    }
    free(points);
}

static void crowd_close(struct batch *c)
{
    for (int k = 0; k < MOST; k++)
        sdd_mesh_free(c->meshes[k]);
    sdd_topology_unref(c->topology);
}

static void refine_alone(struct batch *c, const struct sdd_refine_request *r)
{
    for (int k = 0; k < MOST; k++) {
        struct sdd_error err = {0};
        sdd_result *result;
        if (refine_once(c->meshes[k], r, &result, &err))
            fail_msg("%s", err.text);
        const struct sdd_plan_info *p = &sdd_result_info(result)->plan;
        for (int b = 0; b < p->n_blocks; b++)
            c->digests[k][b] = p->blocks[b].digest;
        sdd_result_free(result);
    }
}

/* n of the meshes, of which place k has mesh `order[k]`. */
static void check_batch(const char *label, const struct batch *c, const struct sdd_refine_request *r, int n,
                        const int *order)
{
    struct sdd_error err = {0};
    sdd_mesh *meshes[MOST] = {NULL};
    sdd_result *results[MOST];
    for (int k = 0; k < n; k++)
        meshes[k] = c->meshes[order[k]];
    if (batch_once(meshes, n, r, results, &err))
        fail_msg("%s: %d meshes: %s", label, n, err.text);
    for (int k = 0; k < n; k++) {
        const struct sdd_result_info *info = sdd_result_info(results[k]);
        for (int b = 0; b < info->plan.n_blocks; b++) {
            const struct sdd_block *block = info->plan.blocks + b;
            if (block->digest != c->digests[order[k]][b] || sdd_digest(block->data, block->bytes) != block->digest)
                fail_msg("%s: place %d of %d: block %d differs", label, k, n, block->semantic);
        }
        assert_true(info->n_launches > 0 && info->refine_seconds >= 0);
        n_compared++;
    }
    for (int k = 0; k < n; k++)
        sdd_result_free(results[k]);
}

/* What one mesh is refused, all are: here tables of triangles. */
static int is_refused(const char *label, const struct batch *c, const struct sdd_refine_request *r)
{
    struct sdd_error err = {0};
    sdd_result *results[3] = {NULL, NULL, NULL};
    if (!refine_once(c->meshes[0], r, results, &err)) {
        sdd_result_free(results[0]);
        return 0;
    }
    if (err.code != SDD_EUNSUPPORTED || batch_once(c->meshes, 3, r, results, &err) != SDD_EUNSUPPORTED)
        fail_msg("%s: %s", label, err.text);
    assert_true(!results[0] && !results[1] && !results[2]);
    return 1;
}

static void check_request(const char *label, struct batch *c, const struct sdd_refine_request *r)
{
    int order[MOST];
    if (is_refused(label, c, r))
        return;
    refine_alone(c, r);
    for (int k = 1; k < MOST; k++) /* or all this compares one thing */
        assert_true(c->digests[k][0] != c->digests[0][0]);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        for (int k = 0; k < counts[i]; k++)
            order[k] = k;
        check_batch(label, c, r, counts[i], order);
    }
    for (int k = 0; k < MOST; k++)
        order[k] = MOST - 1 - k;
    check_batch(label, c, r, MOST, order);
    for (int k = 0; k < MOST; k++) /* some are there more than once, next to each other and not */
        order[k] = k / 2 % 13;
    check_batch(label, c, r, MOST, order);
}

static void check_scheme(const struct shape *s, struct sdd_mesh_desc *d)
{
    const int uvs = s->uvs ? SDD_UVS | SDD_UV_INDICES : 0;
    const struct sdd_refine_request asks[] = {
        {.level = 3, .include = SDD_POSITIONS},
        {.level = 2, .surface = SDD_SURFACE_LIMIT, .include = SDD_POSITIONS},
        {.level = 2, .surface = SDD_SURFACE_LIMIT, .include = EVERYTHING | SDD_TANGENTS | uvs},
        {.level = 2, .include = SDD_POSITIONS | SDD_INDICES | uvs, .compact = SDD_POSITIONS | (uvs & SDD_UVS)}};
    struct batch c;
    crowd_open(&c, device, s, d);
    const struct sdd_engine_info *e;
    for (int row = 0; (e = sdd_engine(row)); row++)
        for (size_t i = 0; i < sizeof asks / sizeof *asks; i++) {
            struct sdd_refine_request r = asks[i];
            struct sdd_plan_info plan;
            char label[160];
            r.method = e->name;
            snprintf(label, sizeof label, "%s scheme %d by %s, request %zu", s->name, d->options.scheme, e->name, i);
            if (plan_once(c.topology, &r, &plan, NULL) == SDD_OK)
                check_request(label, &c, &r);
        }
    crowd_close(&c);
}

/* A plan for rows serves a batch as it serves one mesh. */
static void check_rows(const struct shape *s, struct sdd_mesh_desc *d)
{
    struct batch c;
    const struct sdd_engine_info *e;
    crowd_open(&c, device, s, d);
    for (int row = 0; (e = sdd_engine(row)); row++) {
        const struct sdd_refine_request r = {.level = 2, .include = SDD_POSITIONS, .method = e->name};
        struct sdd_error err = {0};
        sdd_plan *whole, *rows;
        sdd_result *alone, *results[3];
        if (sdd_plan_create_for_topology(c.topology, &r, &whole, &err))
            continue;
        assert_int_equal(sdd_plan_create_for_rows(whole, 3, 2, &rows, &err), SDD_OK);
        const int rc = sdd_refine_batch(c.meshes, 3, rows, NULL, results, &err);
        for (int k = 0; k < 3 && !rc; k++) {
            assert_int_equal(sdd_refine(c.meshes[k], rows, NULL, &alone, &err), SDD_OK);
            assert_true(sdd_result_info(alone)->plan.blocks->digest ==
                        sdd_result_info(results[k])->plan.blocks->digest);
            sdd_result_free(alone);
            sdd_result_free(results[k]);
            n_compared++;
        }
        assert_true(rc == SDD_OK || rc == SDD_EUNSUPPORTED);
        sdd_plan_free(rows);
        sdd_plan_free(whole);
    }
    crowd_close(&c);
}

/* Polygons, creases, boundaries, isolated vertices, UVs; surroundings that have no tables; faces that meet in a vertex
 * alone. */
static void test_digests(void **state)
{
    static const char *const names[] = {"cube", "uv_islands_mixed", "isolated", "valence60", "nonmanifold/bow_tie"};
    (void)state;
    device = open_device(1);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct shape s;
        struct sdd_error err = {0};
        if (shape_load(test_shapes_dir(), names[i], &s, &err))
            fail_msg("%s: %s", names[i], err.text);
        for_each_scheme(&s, check_scheme);
        for_each_scheme(&s, check_rows);
        shape_free(&s);
    }
    sdd_device_close(device);
    print_message("%lld results\n", (long long)n_compared);
}

/* ---- what a launch takes ---------------------------------------------------------------------------------------- */
static int64_t launches_of(const struct batch *c, const struct sdd_refine_request *r, int n)
{
    struct sdd_error err = {0};
    sdd_result *results[MOST];
    if (batch_once(c->meshes, n, r, results, &err))
        fail_msg("%s", err.text);
    const int64_t launches = sdd_result_info(results[0])->n_launches;
    for (int k = 0; k < n; k++)
        sdd_result_free(results[k]);
    return launches;
}

/* Of positions by tables, but for digests. */
static void test_one_launch(void **state)
{
    struct fixture f;
    struct batch c;
    (void)state;
    fixture_open(&f, "genus2_mixed", 1, 0);
    crowd_open(&c, f.device, &f.shape, &f.shape.desc);
    for (int surface = SDD_SURFACE_REFINED; surface < SDD_N_SURFACES; surface++) {
        struct sdd_refine_request r = fixture_ask(3, surface, SDD_POSITIONS);
        r.method = "tabulated";
        (void)launches_of(&c, &r, 1); /* makes tables */
        const int64_t one = launches_of(&c, &r, 1), two = launches_of(&c, &r, 2), of_digest = two - one;
        print_message("%lld launches, %lld of another mesh's digest\n", (long long)one, (long long)of_digest);
        assert_int_equal(launches_of(&c, &r, 64), one + 63 * of_digest);
        assert_int_equal(launches_of(&c, &r, 65), 2 * one + 63 * of_digest);
    }
    crowd_close(&c);
    fixture_close(&f);
}

/* ---- primvars: each mesh has values of its own ------------------------------------------------------------------ */
static void test_primvars(void **state)
{
    struct fixture f;
    struct sdd_error err = {0};
    sdd_mesh *meshes[3];
    sdd_result *results[3], *alone;
    (void)state;
    fixture_open(&f, "genus2_mixed", 1, 0);
    float *values = xalloc(6 * f.shape.desc.n_vertices, sizeof *values);
    for (int64_t i = 0; i < 6 * f.shape.desc.n_vertices; i++)
        values[i] = (float)(i % 31);
    for (int k = 0; k < 2; k++) {
        const struct sdd_primvar own = {SDD_VERTEX, 5, 0, values + k * f.shape.desc.n_vertices};
        assert_int_equal(sdd_mesh_create(f.topology, f.shape.points, f.shape.uvs, meshes + k, &err), SDD_OK);
        assert_int_equal(sdd_mesh_set_primvars(meshes[k], 1, &own, &err), SDD_OK);
    }
    meshes[2] = meshes[0];
    const struct sdd_engine_info *e;
    for (int row = 0; (e = sdd_engine(row)); row++) {
        struct sdd_refine_request r = fixture_ask(2, SDD_SURFACE_REFINED, SDD_POSITIONS | SDD_PRIMVARS);
        r.method = e->name;
        r.primvars = 1;
        if (refine_once(meshes[0], &r, &alone, &err) == SDD_EUNSUPPORTED)
            continue;
        sdd_result_free(alone);
        assert_int_equal(batch_once(meshes, 3, &r, results, &err), SDD_OK);
        for (int k = 0; k < 3; k++) {
            assert_int_equal(refine_once(meshes[k], &r, &alone, &err), SDD_OK);
            const struct sdd_plan_info *want = &sdd_result_info(alone)->plan, *got = &sdd_result_info(results[k])->plan;
            assert_int_equal(got->n_blocks, want->n_blocks);
            for (int b = 0; b < want->n_blocks; b++)
                if (got->blocks[b].components != want->blocks[b].components ||
                    got->blocks[b].digest != want->blocks[b].digest)
                    fail_msg("%s: mesh %d: block %d differs", e->name, k, want->blocks[b].semantic);
            sdd_result_free(alone);
        }
        for (int k = 0; k < 3; k++)
            sdd_result_free(results[k]);
    }
    struct sdd_refine_request r = fixture_ask(2, SDD_SURFACE_REFINED, SDD_POSITIONS | SDD_PRIMVARS);
    const struct sdd_primvar wider = {SDD_VERTEX, 6, 0, values}, varying = {SDD_VARYING, 5, 0, values};
    r.primvars = 1;
    for (int k = 0; k < 3; k++) { /* The plan is of the first mesh; the last has no primvars, or others than that. */
        meshes[2] = f.mesh;
        if (k)
            assert_int_equal(sdd_mesh_set_primvars(f.mesh, 1, k == 1 ? &wider : &varying, &err), SDD_OK);
        int64_t before = fixture_used(&f);
        assert_int_equal(batch_once(meshes, 3, &r, results, &err), SDD_EINVALID);
        assert_string_equal(err.field, "primvars");
        assert_true(!results[0] && !results[1] && !results[2] && fixture_used(&f) == before);
    }
    sdd_mesh_free(meshes[0]);
    sdd_mesh_free(meshes[1]);
    free(values);
    fixture_close(&f);
}

/* ---- refused ---------------------------------------------------------------------------------------------------- */
static void expect_refused(const struct fixture *f, sdd_mesh *const *meshes, int n, const struct sdd_refine_request *r,
                           const struct sdd_run *run, int code, const char *field)
{
    static const char none;
    struct sdd_error err = {0};
    sdd_result *results[3] = {(sdd_result *)(uintptr_t)&none, (sdd_result *)(uintptr_t)&none,
                              (sdd_result *)(uintptr_t)&none};
    const int64_t before = fixture_used(f);
    assert_int_equal(batch_once_as(meshes, n, r, run, results, &err), code);
    assert_true(err.code == code && *err.text);
    assert_string_equal(err.field, field);
    for (int k = 0; k < n && n <= 3; k++)
        assert_null(results[k]);
    assert_int_equal(fixture_used(f), before);
}

static void test_refused(void **state)
{
    struct fixture f;
    struct sdd_error err = {0};
    sdd_topology *other;
    sdd_mesh *meshes[3];
    atomic_int cancel = 1;
    (void)state;
    fixture_open(&f, "cube54", 1, 0);
    assert_int_equal(sdd_topology_create(f.device, &f.shape.desc, &other, &err), SDD_OK);
    meshes[0] = meshes[1] = f.mesh;
    assert_int_equal(sdd_mesh_create(other, f.shape.points, NULL, &meshes[2], &err), SDD_OK);
    struct sdd_refine_request r = fixture_ask(2, SDD_SURFACE_REFINED, EVERYTHING);
    expect_refused(&f, meshes, 0, &r, NULL, SDD_EINVALID, "meshes");
    expect_refused(&f, meshes, -1, &r, NULL, SDD_EINVALID, "meshes");
    expect_refused(&f, meshes, SDD_MAX_BATCH + 1, &r, NULL, SDD_EINVALID, "meshes");
    expect_refused(&f, meshes, 3, &r, NULL, SDD_EINVALID, "meshes");
    expect_refused(&f, meshes + 1, 2, &r, NULL, SDD_EINVALID, "meshes");
    r.level = SDD_MAX_LEVEL + 1;
    expect_refused(&f, meshes, 2, &r, NULL, SDD_EINVALID, "level");
    r.level = 3;
    r.method = "no-such";
    expect_refused(&f, meshes, 2, &r, NULL, SDD_EINVALID, "method");
    const struct sdd_engine_info *e;
    for (int row = 0; (e = sdd_engine(row)); row++) {
        sdd_result *result;
        r.method = e->name;
        assert_int_equal(refine_once(f.mesh, &r, &result, &err), SDD_OK); /* what stays with the topology */
        sdd_result_free(result);
        expect_refused(&f, meshes, 2, &r, &(struct sdd_run){.cancel = &cancel}, SDD_ECANCELLED, "");
    }
    sdd_mesh_free(meshes[2]);
    sdd_topology_unref(other);
    fixture_close(&f);
}

/* What is said to be needed is enough, and one byte less is not. */
static void test_memory(void **state)
{
    (void)state;
    const struct sdd_engine_info *e;
    for (int row = 0; (e = sdd_engine(row)); row++) {
        struct fixture f;
        struct batch c;
        struct sdd_plan_info plan;
        struct sdd_error err = {0};
        sdd_result *results[MOST];
        struct sdd_refine_request r = fixture_ask(3, SDD_SURFACE_REFINED, SDD_POSITIONS);
        r.method = e->name;
        fixture_open(&f, "genus2", 1, 0);
        crowd_open(&c, f.device, &f.shape, &f.shape.desc);
        (void)launches_of(&c, &r, 1); /* what stays with the topology */
        assert_int_equal(plan_once(c.topology, &r, &plan, &err), SDD_OK);
        const int64_t before = fixture_used(&f), limit = f.device->limit;
        f.device->limit = before + plan.device_bytes;
        (void)launches_of(&c, &r, 1);
        assert_int_equal(batch_once(c.meshes, MOST, &r, results, &err), SDD_ENO_MEMORY);
        assert_true(err.available == plan.device_bytes && err.needed > plan.device_bytes);
        assert_null(results[0]);
        assert_null(results[MOST - 1]);
        const int64_t needed = err.needed;
        f.device->limit = before + needed - 1;
        assert_int_equal(batch_once(c.meshes, MOST, &r, results, &err), SDD_ENO_MEMORY);
        assert_int_equal(err.needed, needed);
        f.device->limit = before + needed;
        (void)launches_of(&c, &r, MOST);
        assert_int_equal(fixture_used(&f), before);
        f.device->limit = limit;
        crowd_close(&c);
        fixture_close(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_digests), cmocka_unit_test(test_one_launch),
                                       cmocka_unit_test(test_primvars), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests_name("many", tests, NULL, NULL);
}
