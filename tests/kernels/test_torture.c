/* SPDX-License-Identifier: Apache-2.0 */
/* Fault torture without a GPU: the k-th call on the device fails (once, from then on, or as on a lost GPU), then
 * the k-th host allocation, for every k until all goes well. Each time: a clean error, nothing leaked, and a fresh
 * device works. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gpu/engines/tabulated/internal.h"
#include "gpu/device/device.h"
#include "gpu/device/fake/backend_fake.h"
#include "gpu/sdd/sdd.h"
#include "tests/engines/redo_face.h"
#include "tests/env.h"
#include "tests/kernels/parity_device.h"
#include "tests/oracle/shape.h"
#include "tests/query_once.h"
#include "tests/refine_once.h"

/* ---- the k-th host allocation ------------------------------------------------------------------------------ */
/* Replaces malloc for the process and fails calls that come from libsdd's own code; those of others, the OpenMP
 * runtime's among them, pass. Not under sanitizers, which have their own. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define HOST_FAULTS 0
#else
#define HOST_FAULTS 1
#endif

static int64_t host_calls, host_k; /* host_k 0: not armed */
static int host_forever;

#if HOST_FAULTS
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static int is_of_libsdd(const void *code)
{
    Dl_info it, libsdd;
    return dladdr(code, &it) && dladdr((const void *)(uintptr_t)sdd_backend_fake, &libsdd) &&
           it.dli_fbase == libsdd.dli_fbase;
}

static int host_fault(const void *caller)
{
    if (host_k == 0 || !is_of_libsdd(caller))
        return 0;
    host_calls++;
    const int fails = host_calls == host_k || (host_forever && host_calls > host_k);
    if (fails)
        errno = ENOMEM;
    return fails;
}

void *malloc(size_t n)
{
    return host_fault(__builtin_return_address(0)) ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
    return host_fault(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
    return host_fault(__builtin_return_address(0)) ? NULL : __libc_realloc(p, n);
}

void *aligned_alloc(size_t align, size_t n)
{
    return host_fault(__builtin_return_address(0)) ? NULL : __libc_memalign(align, n);
}
#endif

/* ---- one run: all that a client does, until something fails ----------------------------------------------- */
struct outcome {
    int code; /* of what failed, SDD_OK when nothing did          */
    const char *step;
    struct sdd_error err;
    uint64_t digest[3]; /* before, after new points, after bad points       */
    int64_t used;       /* device bytes held at the end                     */
    int after;          /* what the device says of itself after the failure */
    int is_anew;        /* 1 when tables after an edit were made anew, for want of memory to make them otherwise */
};

/* Not while host allocations fail: it has no way to say so. */
static int digest_is_right(const struct sdd_block *b)
{
    const int64_t k = host_k;
    host_k = 0;
    const int right = b->digest == sdd_digest(b->data, b->bytes);
    host_k = k;
    return right;
}

static void keep_digests(sdd_result *result, uint64_t *digest)
{
    const struct sdd_plan_info *plan = &sdd_result_info(result)->plan;
    for (int i = 0; i < plan->n_blocks; i++) {
        assert_true(digest_is_right(plan->blocks + i));
        *digest = *digest * 31 + plan->blocks[i].digest;
    }
    sdd_result_free(result);
}

static int refine(sdd_mesh *mesh, const char *method, int surface, uint64_t *digest, struct sdd_error *err)
{
    const struct sdd_refine_request request = {.level = 2,
                                               .surface = surface,
                                               .include = SDD_POSITIONS | SDD_NORMALS | SDD_INDICES |
                                                          (surface != SDD_SURFACE_REFINED ? SDD_TANGENTS : 0),
                                               .method = method};
    sdd_result *result;
    int rc = refine_once(mesh, &request, &result, err);
    if (rc) {
        assert_null(result);
        return rc;
    }
    keep_digests(result, digest);
    return SDD_OK;
}

/* A batch of two. */
static int refine_batch(sdd_mesh *mesh, uint64_t *digest, struct sdd_error *err)
{
    const struct sdd_refine_request request = {.level = 2, .include = SDD_POSITIONS, .method = "tabulated"};
    sdd_mesh *meshes[2] = {mesh, mesh};
    sdd_result *results[2];
    int rc = batch_once(meshes, 2, &request, results, err);
    for (int k = 0; k < 2; k++) {
        if (rc)
            assert_null(results[k]);
        else
            keep_digests(results[k], digest);
    }
    return rc;
}

static int patches(sdd_mesh *mesh, uint64_t *digest, struct sdd_error *err)
{
    const struct sdd_patches_request request = {2, SDD_SURFACE_LIMIT, 0, NULL};
    sdd_result *result;
    int rc = sdd_patches(mesh, &request, &result, err);
    if (rc) {
        assert_null(result);
        return rc;
    }
    keep_digests(result, digest);
    return SDD_OK;
}

/* Rows of each way that they are made. */
static int queries(sdd_topology *t, uint64_t *digest, struct sdd_error *err)
{
    static const struct {
        int relation, ring, oriented, way, level;
    } way[] = {{SDD_FE, 1, 0, 0, 0},
               {SDD_FF, 1, 0, 0, 0},
               {SDD_VF, 1, 1, 0, 0},
               {SDD_VV, 2, 0, 0, 0},
               {SDD_FF, 2, 0, 0, 0},
               {SDD_VV, 1, 0, 0, 1},
               {SDD_EF, 1, 0, QUERY_TRANSPOSE, 0},
               {SDD_FF, 1, 0, QUERY_KEPT, 0}};
    static const int64_t some[] = {3, 3, 5}; /* their fans are manifold */
    int rc = SDD_OK;
    for (size_t k = 0; !rc && k < sizeof way / sizeof *way; k++) {
        const struct sdd_query_request r = {.relation = way[k].relation,
                                            .ring = way[k].ring,
                                            .level = way[k].level,
                                            .oriented = way[k].oriented,
                                            .count = SDD_ALL_ROWS,
                                            .ids = way[k].relation <= SDD_VF ? some : NULL,
                                            .n_ids = 3};
        uint64_t one = 0;
        rc = query_once(t, &r, way[k].way, &one, err);
        *digest = *digest * 31 + one;
    }
    return rc;
}

static int use_mesh(sdd_topology *t, sdd_mesh *mesh, const struct shape *s, struct outcome *o)
{
    const float far_away[6] = {1e31f, 0, 0, 0, 0, 0}, near_by[6] = {0.5f, 0.25f, 0.125f, 1, 2, 3};
    const int64_t n = s->desc.n_vertices < 2 ? 1 : 2;
    struct sdd_error err;
    o->step = "refine";
    int rc = refine(mesh, "auto", SDD_SURFACE_REFINED, &o->digest[0], &o->err);
    if (!rc)
        rc = refine(mesh, "auto", SDD_SURFACE_LIMIT, &o->digest[0], &o->err);
    if (!rc)
        rc = refine(mesh, "mesh-matrix", SDD_SURFACE_REFINED, &o->digest[0], &o->err);
    if (!rc)
        rc = refine(mesh, "mesh-matrix", SDD_SURFACE_LIMIT, &o->digest[0], &o->err);
    if (!rc && strcmp(s->name, "corner_on_crease") == 0) /* one: tables take many steps */
        rc = refine(mesh, "tabulated", SDD_SURFACE_LIMIT, &o->digest[0], &o->err);
    if (!rc && strcmp(s->name, "corner_on_crease") == 0)
        rc = refine_batch(mesh, &o->digest[0], &o->err);
    int for_spla = s->desc.n_creases == 0 && s->desc.n_corner_tags == 0 && !strchr(s->name, '/');
    if (!rc && for_spla && s->desc.options.scheme != SDD_SCHEME_BILINEAR)
        rc = refine(mesh, "mesh-matrix-spla", SDD_SURFACE_LIMIT, &o->digest[0], &o->err);
    o->step = rc ? o->step : "queries";
    if (!rc && (strcmp(s->name, "isolated") == 0 || strstr(s->name, "edge_used_thrice")))
        rc = queries(t, &o->digest[0], &o->err);
    o->step = rc ? o->step : "patches";
    if (!rc && s->desc.options.scheme == SDD_SCHEME_CATMULL_CLARK)
        rc = patches(mesh, &o->digest[0], &o->err);
    o->step = "set points";
    if (!rc)
        rc = sdd_mesh_set_points(mesh, 0, n, near_by, &o->err);
    if (!rc)
        rc = refine(mesh, "auto", SDD_SURFACE_REFINED, &o->digest[1], &o->err);
    if (!rc) {
        o->step = "set bad points";
        rc = sdd_mesh_set_points(mesh, 0, n, far_away, &err);
        if (rc == SDD_EMESH)
            rc = refine(mesh, "auto", SDD_SURFACE_REFINED, &o->digest[2], &o->err);
        else
            o->err = err;
    }
    return rc;
}

/* The topology after an edit and, of two shapes, its tables from those of the older one, which goes before they are
 * asked for. */
static int update(sdd_topology *topology, const struct shape *s, struct outcome *o)
{
    struct sdd_error *err = &o->err;
    const int tables = strcmp(s->name, "corner_on_crease") == 0 ||
                       (strcmp(s->name, "octahedron") == 0 && s->desc.options.scheme == SDD_SCHEME_LOOP);
    sdd_topology *twin = NULL, *updated = NULL;
    sdd_mesh *mesh = NULL;
    int rc = tables ? sdd_topology_create(topology->device, &s->desc, &twin, err) : SDD_OK;
    if (!rc && tables)
        rc = tabulated_prepare(twin, NULL, 1, SDD_SURFACE_REFINED, 0, err);
    if (!rc)
        rc = redo_face(tables ? twin : topology, &s->desc, 0, &updated, err);
    assert_true(rc == SDD_OK || !updated);
    sdd_topology_unref(twin);
    if (!rc && tables)
        rc = sdd_mesh_create(updated, s->points, s->uvs, &mesh, err);
    if (!rc && tables)
        rc = refine(mesh, "tabulated", SDD_SURFACE_REFINED, &o->digest[0], err);
    o->is_anew = !rc && tables && !tabulated_of(updated, NULL)->is_updated;
    sdd_mesh_free(mesh);
    sdd_topology_unref(updated);
    return rc;
}

static void run(const struct sdd_backend *b, const struct shape *s, struct outcome *o)
{
    sdd_device *device = NULL;
    sdd_topology *topology = NULL;
    sdd_mesh *mesh = NULL;
    struct sdd_device_info info = {0};
    memset(o, 0, sizeof *o);
    o->step = "open";
    int rc = sdd_device_wrap(b, 0, 2, 0, &device, &o->err);
    if (!rc) {
        o->step = "probe";
        rc = sdd_device_probe(device, &o->err);
    } else {
        assert_null(device);
    }
    if (!rc) {
        o->step = "topology";
        rc = sdd_topology_create(device, &s->desc, &topology, &o->err);
        assert_true(rc == SDD_OK || !topology);
    }
    if (!rc) {
        o->step = "update";
        rc = update(topology, s, o);
    }
    if (!rc) {
        o->step = "mesh";
        rc = sdd_mesh_create(topology, s->points, s->uvs, &mesh, &o->err);
        assert_true(rc == SDD_OK || !mesh);
    }
    if (!rc)
        rc = use_mesh(topology, mesh, s, o);
    o->code = rc;
    sdd_mesh_free(mesh);
    sdd_topology_unref(topology);
    if (device) {
        struct sdd_error err;
        o->after = rc ? sdd_device_probe(device, &err) : SDD_OK;
        sdd_device_info(device, &info);
        sdd_device_close(device);
    }
    o->used = info.memory_used;
}

static void expect_clean(const struct shape *s, const char *kind, int64_t k, int forever, int sticky,
                         const struct outcome *o, const struct outcome *good)
{
    char at[160];
    snprintf(at, sizeof at, "%s, %s, k = %lld, %s: %d \"%.60s\"", s->name, kind, (long long)k, o->step, o->code,
             o->err.text);
    if (sdd_fake_live() != 0 || o->used != 0)
        fail_msg("%s: %lld things leaked, %lld bytes held", at, (long long)sdd_fake_live(), (long long)o->used);
    const int did_without = o->is_anew && memcmp(o->digest, good->digest, sizeof good->digest) == 0;
    if (o->code == SDD_OK && !did_without)
        fail_msg("%s: a failed call was not noticed", at);
    if (o->code == SDD_OK)
        return;
    if (o->code != SDD_ENO_MEMORY && o->code != SDD_EDEVICE)
        fail_msg("%s: neither no_memory nor device", at);
    if (o->err.code != o->code || !o->err.text[0])
        fail_msg("%s: the error record says %d", at, o->err.code);
    if (sticky && strcmp(o->step, "open") != 0 && o->after != SDD_EDEVICE)
        fail_msg("%s: then the lost device says %d", at, o->after);
    if (!sticky && !forever && o->code == SDD_ENO_MEMORY && o->after != SDD_OK)
        fail_msg("%s: then the device says %d, though it only lacked memory once", at, o->after);
    struct outcome again;
    sdd_fake_arm(0, 0, 0);
    run(sdd_backend_fake(), s, &again);
    if (again.code || memcmp(again.digest, good->digest, sizeof good->digest) != 0 || sdd_fake_live() != 0)
        fail_msg("%s: a fresh device does not work: %s", at, again.err.text);
}

/* Shapes that between them take every branch: boundaries, creases, corners, holes, UVs, n-gons, isolated points, edges
 * and vertices that are not manifold. */
static const struct {
    const char *name;
    int scheme;
} shapes[] = {
    {"cube", SDD_SCHEME_CATMULL_CLARK},
    {"single_quad", SDD_SCHEME_CATMULL_CLARK},
    {"crease_ngons", SDD_SCHEME_CATMULL_CLARK},
    {"corner_on_crease", SDD_SCHEME_CATMULL_CLARK},
    {"hole_open", SDD_SCHEME_CATMULL_CLARK},
    {"uv_islands_mixed", SDD_SCHEME_CATMULL_CLARK},
    {"isolated", SDD_SCHEME_CATMULL_CLARK},
    {"random_open0", SDD_SCHEME_CATMULL_CLARK},
    {"nonmanifold/edge_used_thrice", SDD_SCHEME_CATMULL_CLARK},
    {"nonmanifold/soup_uv", SDD_SCHEME_CATMULL_CLARK},
    {"crease_ngons", SDD_SCHEME_BILINEAR},
    {"octahedron", SDD_SCHEME_LOOP},
    {"fan_open3", SDD_SCHEME_LOOP},
    {"octahedron", SDD_SCHEME_SQRT3},
    {"fan_open3", SDD_SCHEME_SQRT3},
    {"fan_creases", SDD_SCHEME_SQRT3},
    {"uv_triangles", SDD_SCHEME_SQRT3},
};

static void torture_device(const struct shape *s, const char *kind, int forever, int sticky)
{
    struct outcome good, o;
    sdd_fake_arm(0, 0, 0);
    run(sdd_backend_fake(), s, &good);
    if (good.code)
        fail_msg("%s: %s: %s", s->name, good.step, good.err.text);
    assert_false(good.is_anew);
    const int64_t calls = sdd_fake_calls();
    for (int64_t k = 1; k <= calls; k++) {
        sdd_fake_arm(k, forever, sticky);
        run(sdd_backend_fake(), s, &o);
        expect_clean(s, kind, k, forever, sticky, &o, &good);
    }
    sdd_fake_arm(calls + 1, forever, sticky);
    run(sdd_backend_fake(), s, &o);
    assert_int_equal(o.code, SDD_OK);
    assert_memory_equal(o.digest, good.digest, sizeof good.digest);
    print_message("%s, scheme %d, %s: %lld calls\n", s->name, s->desc.options.scheme, kind, (long long)calls);
}

static void each_shape(void (*torture)(const struct shape *, const char *, int, int), const char *kind, int forever,
                       int sticky)
{
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        struct shape s;
        struct sdd_error err;
        if (shape_load(test_shapes_dir(), shapes[i].name, &s, &err))
            fail_msg("%s: %s", shapes[i].name, err.text);
        s.desc.options.scheme = shapes[i].scheme;
        torture(&s, kind, forever, sticky);
        shape_free(&s);
    }
}

static void test_device_call_fails_once(void **state)
{
    (void)state;
    each_shape(torture_device, "device call once", 0, 0);
}

static void test_device_calls_fail_forever(void **state)
{
    (void)state;
    each_shape(torture_device, "device calls forever", 1, 0);
}

static void test_device_is_lost(void **state)
{
    (void)state;
    each_shape(torture_device, "device lost", 0, 1);
}

static void torture_host(const struct shape *s, const char *kind, int forever, int sticky)
{
    struct outcome good, o;
    int64_t k = 0;
    sdd_fake_arm(0, 0, 0);
    run(sdd_backend_fake(), s, &good);
    assert_int_equal(good.code, SDD_OK);
    for (;;) {
        host_calls = 0;
        host_forever = forever;
        host_k = ++k;
        run(sdd_backend_fake(), s, &o);
        host_k = 0;
        if (host_calls < k)
            break;
        expect_clean(s, kind, k, forever, sticky, &o, &good);
        assert_true(o.code == SDD_ENO_MEMORY || (o.code == SDD_OK && o.is_anew));
    }
    assert_int_equal(o.code, SDD_OK);
    assert_true(k > 10);
    print_message("%s, scheme %d, %s: %lld allocations\n", s->name, s->desc.options.scheme, kind, (long long)k - 1);
}

static void test_host_allocation_fails(void **state)
{
    (void)state;
    if (!HOST_FAULTS) {
        print_message("skip: a sanitizer owns malloc\n");
        skip();
    }
    each_shape(torture_host, "host allocation once", 0, 0);
    each_shape(torture_host, "host allocations forever", 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_call_fails_once),
        cmocka_unit_test(test_device_calls_fail_forever),
        cmocka_unit_test(test_device_is_lost),
        cmocka_unit_test(test_host_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
