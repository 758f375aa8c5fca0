/* SPDX-License-Identifier: Apache-2.0 */
/* test_fair.c: the laws of conformal flow (sdd_fair.h), its refusals, its plan and its faults, on meshes of this test's
 * own. test_fair_reference.c compares it with the reference. */
#include "gpu/device/device.h"
#include "gpu/device/fake/backend_fake.h"
#include "gpu/sdd/sdd_pause.h"
#include "tests/engines/flow.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A bumpy sphere of quads, those of a cube; without the last ones where n_faces is lower. */
enum { SIDE = 9, BALL_FACES = 6 * SIDE * SIDE, BALL_VERTICES = BALL_FACES + 2 };

static int32_t ball_vertex(int32_t (*cell)[3], int32_t *n, const int32_t at[3])
{
    for (int32_t v = 0; v < *n; v++)
        if (memcmp(cell[v], at, sizeof *cell) == 0)
            return v;
    memcpy(cell[*n], at, sizeof *cell);
    return (*n)++;
}

/* The corners of a quad of a side of the cube, against the clock from outside. */
static void ball_corner(int side, int32_t u, int32_t v, int32_t at[3])
{
    const int axis = side / 2;
    at[axis] = side % 2 ? SIDE : 0;
    at[(axis + 1) % 3] = side % 2 ? u : v;
    at[(axis + 2) % 3] = side % 2 ? v : u;
}

static void make_ball(struct flow *w, int32_t n_faces)
{
    static const int32_t corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    static int32_t cell[BALL_VERTICES][3];
    int32_t n = 0;
    *w = (struct flow){.n_vertices = BALL_VERTICES, .n_faces = n_faces, .n_corners = 4 * n_faces};
    w->counts = flow_array(BALL_FACES, sizeof *w->counts);
    w->vertices = flow_array(4 * BALL_FACES, sizeof *w->vertices);
    w->points = flow_array(3 * (BALL_VERTICES + 1), sizeof *w->points);
    for (int32_t f = 0; f < BALL_FACES; f++) {
        w->counts[f] = 4;
        for (int k = 0; k < 4; k++) {
            int32_t at[3];
            ball_corner(f / SIDE / SIDE, f / SIDE % SIDE + corner[k][0], f % SIDE + corner[k][1], at);
            w->vertices[4 * f + k] = ball_vertex(cell, &n, at);
        }
    }
    assert_int_equal(n, BALL_VERTICES);
    for (int32_t v = 0; v < n; v++) {
        double p[3], size = 0;
        for (int c = 0; c < 3; c++) {
            p[c] = 2. * cell[v][c] / SIDE - 1;
            size += p[c] * p[c];
        }
        for (int c = 0; c < 3; c++)
            w->points[3 * v + c] = (float)(p[c] / sqrt(size) * (1 + 0.2 * sin(3 * p[0]) * cos(2 * p[1] + p[2])));
    }
}

/* Flows and gives the points; the mesh is closed. */
static float *flow_of(struct flow *w, int threads, int steps, int boundary, struct sdd_fair_report *last)
{
    flow_open(w, threads);
    flow_begin(w, 0.5, boundary);
    for (int i = 0; i < steps; i++)
        *last = flow_step(w);
    float *p = flow_points(w);
    flow_close(w);
    return p;
}

/* The same surface turned, three times as large, elsewhere, with its faces in another order. */
static void test_similar(void **state)
{
    static const float turn[3][3] = {{0.36f, 0.48f, -0.8f}, {-0.8f, 0.6f, 0}, {0.48f, 0.64f, 0.6f}};
    struct flow w;
    struct sdd_fair_report r[2];
    float *p[2];
    (void)state;
    make_ball(&w, BALL_FACES);
    p[0] = flow_of(&w, 0, 2, SDD_FAIR_FREE, r);
    for (int32_t i = 0; i < BALL_FACES / 2; i++)
        for (int k = 0; k < 4; k++) {
            int32_t *a = w.vertices + 4 * i + k, *b = w.vertices + 4 * (BALL_FACES - 1 - i) + k, c = *a;
            *a = *b;
            *b = c;
        }
    for (float *q = w.points; q < w.points + 3 * BALL_VERTICES; q += 3) {
        const float x[3] = {3 * q[0], 3 * q[1], 3 * q[2]};
        for (int c = 0; c < 3; c++)
            q[c] = turn[c][0] * x[0] + turn[c][1] * x[1] + turn[c][2] * x[2] + (float)c;
    }
    p[1] = flow_of(&w, 0, 2, SDD_FAIR_FREE, r + 1);
    for (int32_t v = 0; v < BALL_VERTICES; v++)
        for (int c = 0; c < 3; c++) {
            const float *x = p[0] + 3 * v;
            const float want = 3 * (turn[c][0] * x[0] + turn[c][1] * x[1] + turn[c][2] * x[2]) + (float)c;
            assert_true(fabsf(p[1][3 * v + c] - want) < 1e-5f);
        }
    assert_true(fabs(r[1].energy - r[0].energy) < 1e-5);
    free(p[0]), free(p[1]);
    flow_free_arrays(&w);
}

/* A ball without its last side: its rim stays to the bit, and so does a vertex that no face uses. */
static void test_fixed_rim(void **state)
{
    struct flow w;
    struct sdd_fair_report r;
    int moved = 0;
    (void)state;
    make_ball(&w, BALL_FACES - SIDE * SIDE);
    float *p = flow_of(&w, 0, 2, SDD_FAIR_FIXED, &r);
    for (int32_t v = 0; v < BALL_VERTICES; v++) {
        int inside = 0, used = 0;
        for (int32_t c = 0; c < w.n_corners; c++)
            used |= w.vertices[c] == v;
        for (int32_t c = w.n_corners; c < 4 * BALL_FACES; c++)
            inside |= w.vertices[c] == v;
        const int same = memcmp(p + 3 * v, w.points + 3 * v, 3 * sizeof *p) == 0;
        assert_true(same || (used && !inside));
        moved += !same;
    }
    assert_true(moved > BALL_VERTICES / 2 && r.energy < r.energy_before);
    free(p);
    flow_free_arrays(&w);
}

/* A ball becomes as round as its few faces allow, not quite 4 pi: then steps end, and say so, and nothing moves. */
static void test_stops(void **state)
{
    struct flow w;
    struct sdd_fair_report r = {0};
    (void)state;
    make_ball(&w, BALL_FACES);
    flow_open(&w, 0);
    flow_begin(&w, 1, SDD_FAIR_FREE);
    for (int i = 0; i < 200 && !r.stopped; i++)
        r = flow_step(&w);
    assert_true(r.stopped && r.energy == r.energy_before && r.energy < 4.2 * 3.1416);
    float *before = flow_points(&w);
    r = flow_step(&w);
    float *after = flow_points(&w);
    assert_true(r.stopped && r.spin_iterations == 0 && r.distortion.largest - 1 < 1e-6);
    assert_memory_equal(after, before, 3 * BALL_VERTICES * sizeof *before);
    free(before), free(after);
    flow_close(&w);
    flow_free_arrays(&w);
}

static void refused(struct flow *w, const struct sdd_fair_request *r, int code, const char *field, const char *says)
{
    struct sdd_error err = {0};
    sdd_fair *fair;
    struct sdd_device_info before, after;
    sdd_device_info(w->device, &before);
    assert_int_equal(sdd_fair_begin(w->mesh, r, &fair, &err), code);
    assert_null(fair);
    assert_string_equal(err.field, field);
    assert_non_null(strstr(err.text, says));
    sdd_device_info(w->device, &after);
    assert_int_equal(after.memory_used, before.memory_used);
}

static void test_refusals(void **state)
{
    struct flow w;
    struct sdd_fair_request r = flow_ask(0.25, SDD_FAIR_FREE);
    (void)state;
    make_ball(&w, BALL_FACES);
    memcpy(w.points + 3 * w.vertices[4 * 7 + 1], w.points + 3 * w.vertices[4 * 7], 3 * sizeof *w.points);
    flow_open(&w, 0);
    refused(&w, &r, SDD_EMESH, "points", "without area");
    r.tau = 0, refused(&w, &r, SDD_EINVALID, "tau", "0");
    r.tau = 1.5, refused(&w, &r, SDD_EINVALID, "tau", "1.5");
    r.tau = NAN, refused(&w, &r, SDD_EINVALID, "tau", "nan");
    r = flow_ask(1, 3), refused(&w, &r, SDD_EINVALID, "boundary", "3");
    r = flow_ask(1, -1), refused(&w, &r, SDD_EINVALID, "boundary", "-1");
    r = flow_ask(1, 0), r.solves = 0, refused(&w, &r, SDD_EINVALID, "solves", "0");
    r.solves = 21, refused(&w, &r, SDD_EINVALID, "solves", "21");
    r = flow_ask(1, 0), r.level = -1, refused(&w, &r, SDD_EINVALID, "level", "-1");
    r.level = 16, refused(&w, &r, SDD_EINVALID, "level", "16; 0 to 15");
    r.level = 15, refused(&w, &r, SDD_ETOO_LARGE, "level", "take a lower level");
    flow_close(&w);
    r = flow_ask(1, 0);
    memcpy(w.vertices + 4, w.vertices, 4 * sizeof *w.vertices); /* The same face twice. */
    flow_open(&w, 0);
    refused(&w, &r, SDD_EMESH, "faceVertexIndices", "manifold");
    flow_close(&w);
    flow_free_arrays(&w);
}

static void make_torus(struct flow *w, int32_t around, int32_t tube)
{
    *w = (struct flow){.n_vertices = around * tube, .n_faces = around * tube, .n_corners = 4 * around * tube};
    w->counts = flow_array(w->n_faces, sizeof *w->counts);
    w->vertices = flow_array(w->n_corners, sizeof *w->vertices);
    w->points = flow_array(3 * w->n_vertices, sizeof *w->points);
    for (int32_t i = 0; i < w->n_vertices; i++) {
        const int32_t u = i / tube, v = i % tube, next = (u + 1) % around * tube, up = (v + 1) % tube;
        const int32_t quad[4] = {i, next + v, next + up, u * tube + up};
        const double a = 2 * M_PI * u / around, b = 2 * M_PI * v / tube;
        const double r = 0.5 + 0.08 * sin(3 * a) * cos(2 * sin(b)) + 0.05 * sin(5 * cos(a) * (1 + 0.5 * cos(b)));
        w->counts[i] = 4;
        memcpy(w->vertices + 4 * i, quad, sizeof quad);
        w->points[3 * i] = (float)((1 + r * cos(b)) * cos(a));
        w->points[3 * i + 1] = (float)((1 + r * cos(b)) * sin(a));
        w->points[3 * i + 2] = (float)(r * sin(b));
    }
}

/* The same bits with one thread, with several, and on the device of the test: with one level that has launches of its
 * own, and with more. */
static void test_same_bits(void **state)
{
    static const int32_t around[2] = {40, 75};
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct flow w;
        struct sdd_fair_report r[3] = {{0}};
        float *p[3];
        make_torus(&w, around[k], 2 * around[k] / 3);
        for (int i = 0; i < 3; i++) {
            w.backend = i < 2 ? "cpu" : NULL;
            p[i] = flow_of(&w, 2 * i + 1, 1, SDD_FAIR_FREE, r + i);
        }
        for (int i = 1; i < 3; i++) {
            assert_memory_equal(p[i], p[0], 3 * (size_t)w.n_vertices * sizeof **p);
            assert_memory_equal(r + i, r, sizeof *r);
        }
        assert_true(r[0].energy < r[0].energy_before && r[0].tau == 0.5 && !r[0].stopped);
        for (int i = 0; i < 3; i++)
            free(p[i]);
        flow_free_arrays(&w);
    }
}

/* Stops the work at a pause. */
static int stop_at(void *user)
{
    return --*(int *)user == 0;
}

/* A step that is cancelled midway leaves everything as it was: what follows has the same bits. */
static void test_cancelled_midway(void **state)
{
    struct flow w;
    struct sdd_fair_report report;
    struct sdd_error err = {0};
    int n_cancelled = 0;
    (void)state;
    make_ball(&w, BALL_FACES);
    float *want = flow_of(&w, 0, 2, SDD_FAIR_FREE, &report);
    flow_open(&w, 0);
    for (int n = 1; n <= 4; n++) {
        flow_begin(&w, 0.5, SDD_FAIR_FREE);
        for (int i = 0; i < 2; i++) {
            int left = n;
            sdd_device_on_pause(w.device, stop_at, &left);
            const int rc = sdd_fair_step(w.fair, &report, &err);
            sdd_device_on_pause(w.device, NULL, NULL);
            assert_true(rc == SDD_OK || rc == SDD_ECANCELLED);
            n_cancelled += rc != SDD_OK;
            if (rc)
                (void)flow_step(&w);
        }
        float *p = flow_points(&w);
        assert_memory_equal(p, want, 3 * BALL_VERTICES * sizeof *p);
        free(p);
        sdd_fair_free(w.fair);
        w.fair = NULL;
    }
    assert_true(n_cancelled > 0);
    flow_close(&w);
    flow_free_arrays(&w);
    free(want);
}

/* A bumpy torus shears around its handle, unless it is kept exact. */
static void test_handles(void **state)
{
    struct flow w;
    (void)state;
    make_torus(&w, 40, 24);
    flow_open(&w, 0);
    for (int exact = 0; exact < 2; exact++) {
        struct sdd_fair_request r = flow_ask(0.25, SDD_FAIR_FREE);
        struct sdd_fair_report report;
        struct sdd_error err = {0};
        r.exactness = exact;
        assert_int_equal(sdd_fair_begin(w.mesh, &r, &w.fair, &err), SDD_OK);
        (void)flow_step(&w);
        report = flow_step(&w);
        assert_true(exact ? report.exactness < 2e-3 : report.exactness > 0.02);
        assert_true((report.exact_iterations > 0) == exact);
        sdd_fair_free(w.fair);
        w.fair = NULL;
    }
    flow_close(&w);
    flow_free_arrays(&w);
}

/* A flow on a device whose k-th call fails. What is left then is freed as ever. Returns 0 once there are no k calls. */
static int fails_at(struct flow *w, int level, int64_t k)
{
    struct sdd_fair_request r = flow_ask(0.5, SDD_FAIR_FREE);
    struct sdd_fair_report report;
    struct sdd_error err = {0};
    r.level = level;
    flow_open_fake(w);
    sdd_fake_arm(k, 0, 0);
    int rc = sdd_fair_begin(w->mesh, &r, &w->fair, &err);
    if (!rc)
        rc = sdd_fair_step(w->fair, &report, &err);
    const int failed = sdd_fake_calls() >= k;
    assert_int_equal(rc != SDD_OK, failed);
    assert_true(!failed || rc == SDD_ENO_MEMORY || rc == SDD_EDEVICE);
    sdd_fake_arm(0, 0, 0);
    flow_close(w);
    assert_int_equal(sdd_fake_live(), 0);
    return failed;
}

static void test_faults(void **state)
{
    struct flow w;
    (void)state;
    make_torus(&w, 6, 5);
    for (int level = 0; level < 2; level++)
        for (int64_t k = 1; fails_at(&w, level, k); k += 1 + k / 60) {
        }
    flow_free_arrays(&w);
}

/* A slab of cells with holes, each of which is a handle: a hole at every second cell of every second row. */
enum { SLAB_WIDE = 27, SLAB_HIGH = 11, SLAB_GENUS = 65, SLAB_CELLS = SLAB_WIDE * SLAB_HIGH - SLAB_GENUS };

static int is_cell(int32_t x, int32_t y)
{
    return x >= 0 && y >= 0 && x < SLAB_WIDE && y < SLAB_HIGH && !(x % 2 && y % 2);
}

static void add_quad(struct flow *w, int32_t a, int32_t b, int32_t c, int32_t d)
{
    const int32_t quad[4] = {a, b, c, d};
    w->counts[w->n_faces++] = 4;
    memcpy(w->vertices + w->n_corners, quad, sizeof quad);
    w->n_corners += 4;
}

static void make_slab(struct flow *w)
{
    static const int32_t way[4][2] = {{0, -1}, {1, 0}, {0, 1}, {-1, 0}};
    enum { ROW = SLAB_WIDE + 1, LAYER = ROW * (SLAB_HIGH + 1) };
    *w = (struct flow){.n_vertices = 2 * LAYER};
    w->counts = flow_array(6 * SLAB_CELLS, sizeof *w->counts);
    w->vertices = flow_array(24 * SLAB_CELLS, sizeof *w->vertices);
    w->points = flow_array(6 * LAYER, sizeof *w->points);
    for (int32_t i = 0; i < 2 * LAYER; i++) {
        w->points[3 * i] = (float)(i % ROW);
        const int32_t y = i % LAYER / ROW, z = i / LAYER;
        w->points[3 * i + 1] = (float)y;
        w->points[3 * i + 2] = (float)z;
    }
    for (int32_t y = 0; y < SLAB_HIGH; y++)
        for (int32_t x = 0; x < SLAB_WIDE; x++) {
            const int32_t v = y * ROW + x, c[4] = {v, v + 1, v + 1 + ROW, v + ROW};
            if (!is_cell(x, y))
                continue;
            add_quad(w, c[3], c[2], c[1], c[0]);
            add_quad(w, c[0] + LAYER, c[1] + LAYER, c[2] + LAYER, c[3] + LAYER);
            for (int k = 0; k < 4; k++)
                if (!is_cell(x + way[k][0], y + way[k][1]))
                    add_quad(w, c[k], c[(k + 1) % 4], c[(k + 1) % 4] + LAYER, c[k] + LAYER);
        }
}

static void test_genus(void **state)
{
    struct flow w;
    struct sdd_fair_request r = flow_ask(0.25, SDD_FAIR_FREE);
    (void)state;
    make_slab(&w);
    flow_open(&w, 0);
    refused(&w, &r, SDD_EUNSUPPORTED, "exactness", "genus 65; at most 64");
    r.exactness = 0;
    struct sdd_error err = {0};
    assert_int_equal(sdd_fair_begin(w.mesh, &r, &w.fair, &err), SDD_OK);
    flow_close(&w);
    flow_free_arrays(&w);
}

/* A ball that is stretched far beyond what its matrices can hold: the step fails, and nothing has moved. */
static void test_no_convergence(void **state)
{
    struct flow w;
    struct sdd_fair_report report;
    struct sdd_error err = {0};
    (void)state;
    make_ball(&w, BALL_FACES);
    for (int32_t v = 0; v < BALL_VERTICES; v++) {
        w.points[3 * v] *= 1e8f;
        w.points[3 * v + 2] *= 1e-8f;
    }
    flow_open(&w, 0);
    flow_begin(&w, 1, SDD_FAIR_FREE);
    const int rc = sdd_fair_step(w.fair, &report, &err);
    assert_int_equal(rc, SDD_ECONVERGENCE);
    assert_non_null(strstr(err.text, "step 1: the residual of the"));
    float *p = flow_points(&w);
    assert_memory_equal(p, w.points, 3 * BALL_VERTICES * sizeof *p);
    free(p);
    flow_close(&w);
    flow_free_arrays(&w);
}

static void test_plan_and_cancel(void **state)
{
    struct flow w;
    atomic_int cancel = 0;
    struct sdd_fair_request r = flow_ask(0.5, SDD_FAIR_FREE);
    struct sdd_fair_info info;
    struct sdd_fair_report report;
    struct sdd_error err = {0};
    struct sdd_device_info before, after;
    (void)state;
    make_ball(&w, BALL_FACES);
    flow_open(&w, 0);
    r.cancel = &cancel;
    assert_int_equal(sdd_fair_plan(w.topology, &r, &info, &err), SDD_OK);
    sdd_device_info(w.device, &before);
    assert_int_equal(sdd_fair_begin(w.mesh, &r, &w.fair, &err), SDD_OK);
    sdd_device_info(w.device, &after);
    assert_int_equal(after.memory_used - before.memory_used, info.device_bytes);
    assert_true(info.n_vertices == BALL_VERTICES && info.n_triangles == 2 * BALL_FACES && info.n_components == 1);
    assert_memory_equal(sdd_fair_info(w.fair), &info, sizeof info);
    cancel = 1;
    assert_int_equal(sdd_fair_step(w.fair, &report, &err), SDD_ECANCELLED);
    float *p = flow_points(&w);
    assert_memory_equal(p, w.points, 3 * BALL_VERTICES * sizeof *p);
    cancel = 0;
    report = flow_step(&w);
    assert_int_equal(report.step, 1);
    sdd_device_info(w.device, &after);
    assert_int_equal(after.memory_used - before.memory_used, info.device_bytes);
    free(p);
    flow_close(&w);
    flow_free_arrays(&w);
}

/* The mesh of a level, as sdd_refine gives it. */
static struct flow refined(struct flow *w, int level)
{
    const struct sdd_refine_request r = {.level = level, .include = SDD_POSITIONS | SDD_INDICES};
    struct sdd_error err = {0};
    sdd_plan *plan;
    sdd_result *result;
    flow_open(w, 0);
    assert_int_equal(sdd_plan_create(w->mesh, &r, &plan, &err), SDD_OK);
    assert_int_equal(sdd_refine(w->mesh, plan, NULL, &result, &err), SDD_OK);
    const struct sdd_block *b = sdd_result_info(result)->plan.blocks;
    struct flow out = {
        .n_vertices = (int32_t)b[0].count, .n_faces = (int32_t)b[1].count, .n_corners = (int32_t)(4 * b[1].count)};
    out.counts = flow_array(out.n_faces, sizeof *out.counts);
    out.vertices = flow_array(out.n_corners, sizeof *out.vertices);
    out.points = flow_array(3 * out.n_vertices, sizeof *out.points);
    for (int32_t f = 0; f < out.n_faces; f++)
        out.counts[f] = 4;
    memcpy(out.points, b[0].data, (size_t)b[0].bytes);
    memcpy(out.vertices, b[1].data, (size_t)b[1].bytes);
    sdd_result_free(result);
    sdd_plan_free(plan);
    flow_close(w);
    return out;
}

/* A level flows as the mesh of its faces does, to the bit; a hole of the control mesh is a rim there. A device with as
 * much memory as the plan says serves, and one with a byte less does not. */
static void check_level(struct flow *w, int level)
{
    struct flow alone = refined(w, level);
    struct sdd_fair_report last = {0}, report;
    float *want = flow_of(&alone, 0, 2, SDD_FAIR_FREE, &last);
    struct sdd_fair_request r = flow_ask(0.5, SDD_FAIR_FREE);
    struct sdd_fair_info info;
    struct sdd_error err = {0};
    r.level = level;
    flow_open(w, 0);
    assert_int_equal(sdd_fair_plan(w->topology, &r, &info, &err), SDD_OK);
    assert_int_equal(info.n_points, alone.n_vertices);
    w->device->limit = w->device->used + info.device_bytes + info.build_bytes - 1;
    assert_int_equal(sdd_fair_begin(w->mesh, &r, &w->fair, &err), SDD_ENO_MEMORY);
    w->device->limit++;
    const int64_t before = w->device->used;
    assert_int_equal(sdd_fair_begin(w->mesh, &r, &w->fair, &err), SDD_OK);
    assert_int_equal(w->device->used, before + info.device_bytes);
    (void)flow_step(w);
    report = flow_step(w);
    float *got = flow_points(w);
    assert_memory_equal(got, want, 3 * (size_t)info.n_points * sizeof *got);
    assert_memory_equal(&report, &last, sizeof last);
    free(want), free(got);
    flow_close(w);
    flow_free_arrays(&alone);
}

/* On a large smooth mesh strengths rise from row to row: groups have to be found there all the same. */
static void test_smooth_mesh(void **state)
{
    struct flow w;
    struct sdd_fair_request r = flow_ask(0.25, SDD_FAIR_FREE);
    struct sdd_error err = {0};
    (void)state;
    make_torus(&w, 800, 100);
    r.exactness = 0;
    flow_open(&w, 0);
    assert_int_equal(sdd_fair_begin(w.mesh, &r, &w.fair, &err), SDD_OK);
    const struct sdd_fair_report report = flow_step(&w);
    assert_true(report.point_iterations < 150 && report.spin_iterations < 600); /* Without, 492 and 1,632. */
    flow_close(&w);
    flow_free_arrays(&w);
}

static void test_levels(void **state)
{
    struct flow w;
    struct sdd_fair_request r = flow_ask(0.5, SDD_FAIR_FREE);
    (void)state;
    make_torus(&w, 12, 7);
    check_level(&w, 1);
    w.holes = flow_array(w.n_faces, sizeof *w.holes);
    for (int32_t f = 0; f < w.n_faces; f++)
        w.holes[f] = f;
    w.n_holes = 1;
    check_level(&w, 2);
    w.n_holes = w.n_faces;
    r.level = 1;
    flow_open(&w, 0);
    refused(&w, &r, SDD_EQUERY, "level", "all faces are holes");
    flow_close(&w);
    flow_free_arrays(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits),        cmocka_unit_test(test_similar),
                                       cmocka_unit_test(test_fixed_rim),        cmocka_unit_test(test_stops),
                                       cmocka_unit_test(test_refusals),         cmocka_unit_test(test_plan_and_cancel),
                                       cmocka_unit_test(test_handles),          cmocka_unit_test(test_genus),
                                       cmocka_unit_test(test_no_convergence),   cmocka_unit_test(test_faults),
                                       cmocka_unit_test(test_cancelled_midway), cmocka_unit_test(test_levels),
                                       cmocka_unit_test(test_smooth_mesh)};
    return cmocka_run_group_tests_name("fair", tests, NULL, NULL);
}
