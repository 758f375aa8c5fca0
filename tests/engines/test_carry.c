/* SPDX-License-Identifier: Apache-2.0 */
/* test_carry.c: a result that is carried over from the mesh before a change is, bit for bit, the one that is made as a
 * whole, and so is the next one that is carried from it: after points have moved and creases and corners have come,
 * gone and changed, on grids of triangles, quads and hexagons with random tags under all options, and on copies of all
 * shapes. What has not changed by the map of pieces has not; what cannot be carried is not. */
#include "tests/env.h"
#include "tests/oracle/cases.h"
#include "tests/oracle/random_mesh.h"
#include "tests/refine_once.h"
#include "gpu/sdd/sdd_carry.h"
#include "gpu/sdd/sdd_pause.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIDE = 16, EDITS = 4, EDITS_OF_SHAPE = 2, COPIES = 8, ROOM = 64, MOST_VERTICES = 8000 };
static const float sharpnesses[] = {0, 0.5f, 1.5f, 3, 10};
static sdd_device *device;
static int64_t n_carried, n_whole, n_shared;

static uint32_t below(struct dice *d, uint32_t n)
{
    return dice_next(d) % n;
}

/* A control mesh of its own, with room for tags. */
struct cage {
    struct sdd_mesh_desc d;
    float *points, *crease_sharpness, *corner_sharpness;
    int32_t *counts, *vertices, *creases, *corners, *holes;
};

static void *times(const void *from, int64_t rows, int64_t width, int copies, int64_t room, int64_t step)
{
    int32_t *to = malloc((size_t)(rows * width * copies + room) * 4 + 4);
    assert_non_null(to);
    for (int c = 0; c < copies; c++)
        for (int64_t i = 0; i < rows * width; i++)
            to[c * rows * width + i] = ((const int32_t *)from)[i] + (int32_t)(c * step);
    return to;
}

static void cage_make(const struct sdd_mesh_desc *d, const float *points, int n, struct cage *out)
{
    struct cage c = {.d = {.options = d->options}};
    c.points = times(points, d->n_vertices, 3, n, 0, 0);
    c.counts = times(d->face_counts, d->n_faces, 1, n, 0, 0);
    c.vertices = times(d->face_vertices, d->n_corners, 1, n, 0, d->n_vertices);
    c.creases = times(d->crease_edges, d->n_creases, 2, n, 2 * ROOM, d->n_vertices);
    c.crease_sharpness = times(d->crease_sharpness, d->n_creases, 1, n, ROOM, 0);
    c.corners = times(d->corner_vertices, d->n_corner_tags, 1, n, ROOM, d->n_vertices);
    c.corner_sharpness = times(d->corner_sharpness, d->n_corner_tags, 1, n, ROOM, 0);
    c.holes = times(d->hole_faces, d->n_holes, 1, n, 0, d->n_faces);
    c.d.n_vertices = d->n_vertices * n;
    c.d.n_faces = d->n_faces * n;
    c.d.n_corners = d->n_corners * n;
    c.d.n_creases = d->n_creases * n;
    c.d.n_corner_tags = d->n_corner_tags * n;
    c.d.n_holes = d->n_holes * n;
    c.d.face_counts = c.counts;
    c.d.face_vertices = c.vertices;
    c.d.crease_edges = c.creases;
    c.d.crease_sharpness = c.crease_sharpness;
    c.d.corner_vertices = c.corners;
    c.d.corner_sharpness = c.corner_sharpness;
    c.d.hole_faces = c.holes;
    *out = c;
}

static void cage_free(struct cage *c)
{
    void *const all[] = {c->points,           c->counts,  c->vertices,         c->creases,
                         c->crease_sharpness, c->corners, c->corner_sharpness, c->holes};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

/* ---- tags ---- */
/* Sets the sharpness of an edge (width 2) or a vertex in a list that ascends; 0 removes it. */
static void set_tag(int32_t *rows, float *sharpness, int64_t *n, int width, const int32_t *tag, float to)
{
    int64_t i = 0;
    while (i < *n &&
           (rows[i * width] < tag[0] || (rows[i * width] == tag[0] && rows[i * width + width - 1] < tag[width - 1])))
        i++;
    const int there = i < *n && memcmp(rows + i * width, tag, (size_t)width * 4) == 0;
    const size_t behind = (size_t)(*n - i);
    if (there && to == 0) {
        memmove(rows + i * width, rows + (i + 1) * width, (behind - 1) * (size_t)width * 4);
        memmove(sharpness + i, sharpness + i + 1, (behind - 1) * 4);
        --*n;
    } else if (to != 0) {
        if (!there) {
            memmove(rows + (i + 1) * width, rows + i * width, behind * (size_t)width * 4);
            memmove(sharpness + i + 1, sharpness + i, behind * 4);
            ++*n;
        }
        memcpy(rows + i * width, tag, (size_t)width * 4);
        sharpness[i] = to;
    }
}

static void crease(struct cage *c, struct dice *dice, int64_t face, float to)
{
    int64_t first = 0;
    for (int64_t f = 0; f < face; f++)
        first += c->counts[f];
    const int64_t n = c->counts[face], k = (int64_t)below(dice, (uint32_t)n);
    const int32_t a = c->vertices[first + k], b = c->vertices[first + (k + 1) % n];
    if (a != b)
        set_tag(c->creases, c->crease_sharpness, &c->d.n_creases, 2, (int32_t[]){a < b ? a : b, a < b ? b : a}, to);
}

static void corner(struct cage *c, int32_t vertex, float to)
{
    set_tag(c->corners, c->corner_sharpness, &c->d.n_corner_tags, 1, &vertex, to);
}

static float any_sharpness(struct dice *dice)
{
    return sharpnesses[below(dice, sizeof sharpnesses / sizeof *sharpnesses)];
}

/* Changes something at one place. An isolated vertex may move too. */
static void edit(struct cage *c, struct dice *dice)
{
    const int64_t face = below(dice, (uint32_t)c->d.n_faces);
    const int32_t at = c->vertices[below(dice, (uint32_t)c->d.n_corners)];
    switch (below(dice, 8)) {
    case 0: break;
    case 1:
    case 2: crease(c, dice, face, any_sharpness(dice)); break;
    case 3: corner(c, at, any_sharpness(dice)); break;
    case 4: c->points[3 * below(dice, (uint32_t)c->d.n_vertices) + 1] += 0.25f; break;
    case 5:
        crease(c, dice, face, 10);
        corner(c, c->vertices[0], 2.5f);
        break;
    default: c->points[3 * at + (int32_t)below(dice, 3)] += 0.125f;
    }
}

/* ---- the law ---- */
static void same_blocks(const char *label, const sdd_result *got, const sdd_result *want, const sdd_result *base)
{
    const struct sdd_plan_info *a = &sdd_result_info(got)->plan, *b = &sdd_result_info(want)->plan,
                               *old = &sdd_result_info(base)->plan;
    assert_int_equal(a->n_blocks, b->n_blocks);
    assert_true(a->n_vertices == b->n_vertices && a->n_faces == b->n_faces && a->n_edges == b->n_edges);
    for (int k = 0; k < a->n_blocks; k++) {
        const struct sdd_block *x = a->blocks + k, *y = b->blocks + k;
        const unsigned char *changed = sdd_result_changed(got, base, k);
        assert_true(x->semantic == y->semantic && x->count == y->count && x->bytes == y->bytes);
        if (memcmp(x->data, y->data, (size_t)x->bytes) != 0)
            fail_msg("%s: block %d differs", label, k);
        if (x->digest != y->digest)
            fail_msg("%s: the digest of block %d differs", label, k);
        assert_non_null(changed);
        for (int64_t i = 0; i < x->bytes; i += 1024)
            if (!changed[i / 1024] && memcmp((const char *)x->data + i, (const char *)old->blocks[k].data + i,
                                             (size_t)(x->bytes - i < 1024 ? x->bytes - i : 1024)) != 0)
                fail_msg("%s: block %d has changed at byte %lld", label, k, (long long)i);
        n_shared += x->data == old->blocks[k].data;
    }
    assert_null(sdd_result_changed(got, want, 0));
}

static sdd_mesh *mesh_of(const char *label, const struct cage *c, sdd_topology **t)
{
    struct sdd_error err = {0};
    sdd_mesh *m = NULL;
    if (sdd_topology_create(device, &c->d, t, &err) || sdd_mesh_create(*t, c->points, NULL, &m, &err))
        fail_msg("%s: %s", label, err.text);
    return m;
}

static void check_edits(const char *label, const struct cage *first, const struct sdd_refine_request *r,
                        struct dice *dice, int keep, int edits)
{
    const struct sdd_run run = {.keep_pieces = keep};
    struct cage before;
    sdd_topology *t;
    sdd_result *base;
    struct sdd_error err = {0};
    cage_make(&first->d, first->points, 1, &before);
    sdd_mesh *m = mesh_of(label, &before, &t);
    if (run_once(m, r, &run, &base, &err))
        fail_msg("%s: %s", label, err.text);
    for (int i = 0; i < edits; i++) {
        struct cage now;
        sdd_result *whole, *carried;
        sdd_plan *plan;
        cage_make(&before.d, before.points, 1, &now);
        edit(&now, dice);
        sdd_mesh_free(m);
        sdd_topology_unref(t);
        m = mesh_of(label, &now, &t);
        assert_int_equal(run_once(m, r, &run, &whole, &err), SDD_OK);
        assert_int_equal(sdd_plan_create_for_topology(t, r, &plan, &err), SDD_OK);
        const struct sdd_cage a = {&now.d, now.points}, b = {&before.d, before.points};
        assert_int_equal(sdd_carry(m, plan, &a, &b, base, NULL, &carried, &err), SDD_OK);
        sdd_plan_free(plan);
        if (carried)
            same_blocks(label, carried, whole, base);
        n_carried += carried != NULL;
        n_whole += !carried;
        sdd_result_free(base);
        base = carried ? carried : whole;
        if (carried)
            sdd_result_free(whole);
        cage_free(&before);
        before = now;
    }
    sdd_result_free(base);
    sdd_mesh_free(m);
    sdd_topology_unref(t);
    cage_free(&before);
}

static void check_cage(const char *name, const struct cage *c, struct dice *dice, int edits)
{
    const int level = level_that_fits(&c->d, 3, MOST_VERTICES);
    for (int surface = SDD_SURFACE_REFINED; surface < SDD_N_SURFACES; surface++)
        for (int normals = 0; normals < 2; normals++) {
            if (edits < EDITS && normals != surface % 2)
                continue;
            const struct sdd_refine_request r = {.level = 1 + (int)below(dice, (uint32_t)level),
                                                 .surface = surface,
                                                 .include = SDD_POSITIONS | SDD_INDICES |
                                                            (normals ? SDD_NORMALS | SDD_FACE_PARAMS : 0),
                                                 .method = "mesh-matrix"};
            char label[160];
            snprintf(label, sizeof label, "%s scheme %d level %d surface %d normals %d", name, c->d.options.scheme,
                     r.level, surface, normals);
            check_edits(label, c, &r, dice, normals, edits);
        }
}

/* ---- grids ---- */
static int32_t at(int x, int y, int closed)
{
    const int side = closed ? SIDE : SIDE + 1;
    return (int32_t)(y % side * side + x % side);
}

static void add_face(struct tagged_mesh *m, struct dice *dice, int n, const int32_t *v)
{
    const int turn = (int)below(dice, (uint32_t)n);
    for (int k = 0; k < n; k++)
        m->vertices[m->n_corners++] = v[(k + turn) % n];
    m->counts[m->n_faces++] = n;
}

/* Squares, some of them cut into triangles and some merged to hexagons; closed ones are tori. */
static void make_grid(struct dice *dice, int triangles, struct tagged_mesh *m)
{
    const int closed = (int)below(dice, 2), side = closed ? SIDE : SIDE + 1;
    *m = (struct tagged_mesh){.n_vertices = side * side};
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++)
            for (int k = 0; k < 3; k++)
                m->points[at(x, y, closed)][k] = (float)(k == 0 ? x : k == 1 ? y : 0) + (float)below(dice, 100) / 250;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            const int32_t a = at(x, y, closed), b = at(x + 1, y, closed), c = at(x + 1, y + 1, closed),
                          d = at(x, y + 1, closed), e = at(x + 2, y, closed), f = at(x + 2, y + 1, closed);
            const uint32_t kind = below(dice, 6);
            if (triangles || kind == 0) {
                add_face(m, dice, 3, kind % 2 ? (int32_t[]){a, b, c} : (int32_t[]){a, b, d});
                add_face(m, dice, 3, kind % 2 ? (int32_t[]){a, c, d} : (int32_t[]){b, c, d});
            } else if (kind == 1 && x + 2 <= SIDE - 1) {
                add_face(m, dice, 6, (int32_t[]){a, b, e, f, c, d});
                x++;
            } else {
                add_face(m, dice, 4, (int32_t[]){a, b, c, d});
            }
        }
}

static void test_grids(void **state)
{
    static const int boundaries[] = {SDD_BOUNDARY_EDGE_AND_CORNER, SDD_BOUNDARY_EDGE_ONLY};
    static struct tagged_mesh m;
    (void)state;
    for (int seed = 0; seed < 18; seed++) {
        struct dice dice = dice_of((uint64_t)seed);
        struct sdd_mesh_desc d;
        struct cage c;
        char name[32];
        make_grid(&dice, seed % 3 == 0, &m);
        tagged_desc(&m, &d);
        d.options = (struct sdd_options){.scheme = seed % 3 == 0 ? SDD_SCHEME_LOOP : SDD_SCHEME_CATMULL_CLARK,
                                         .boundary = boundaries[below(&dice, 2)],
                                         .triangle_rule = seed % 3 == 1 ? SDD_TRIANGLE_SMOOTH : 0,
                                         .crease_method = (int32_t)below(&dice, 2),
                                         .orientation = (int32_t)below(&dice, 2)};
        cage_make(&d, m.points[0], 1, &c);
        for (int i = (int)below(&dice, 3) * 12; i > 0; i--) {
            crease(&c, &dice, below(&dice, (uint32_t)c.d.n_faces), any_sharpness(&dice));
            corner(&c, c.vertices[below(&dice, (uint32_t)c.d.n_corners)], i % 4 ? 0 : any_sharpness(&dice));
        }
        snprintf(name, sizeof name, "grid %d", seed);
        check_cage(name, &c, &dice, EDITS);
        cage_free(&c);
    }
    print_message("%lld carried, %lld made as a whole, %lld blocks shared\n", (long long)n_carried, (long long)n_whole,
                  (long long)n_shared);
    assert_true(n_carried > 2 * n_whole && n_shared > n_carried);
}

/* ---- shapes ---- */
static void check_scheme(const struct shape *s, struct sdd_mesh_desc *d)
{
    struct dice dice = dice_of((uint64_t)d->n_corners * 31 + (uint64_t)d->options.scheme);
    struct cage c;
    if (d->options.scheme == SDD_SCHEME_SQRT3)
        return;
    d->options.crease_method = (int32_t)below(&dice, 2);
    cage_make(d, s->points, COPIES, &c);
    check_cage(s->name, &c, &dice, EDITS_OF_SHAPE);
    cage_free(&c);
}

static void check_shape(const struct shape *s)
{
    if (s->desc.n_corners < 400)
        for_each_scheme(s, check_scheme);
}

static void test_shapes(void **state)
{
    (void)state;
    n_carried = n_whole = n_shared = 0;
    for_each_shape("", 100, check_shape);
    for_each_shape("nonmanifold", 20, check_shape);
    print_message("%lld carried, %lld made as a whole, %lld blocks shared\n", (long long)n_carried, (long long)n_whole,
                  (long long)n_shared);
    assert_true(n_carried > n_whole / 2);
}

/* ---- large frames ---- */
struct stop {
    atomic_int cancel;
    int n, at; /* The pauses so far, and the one that cancels; 0 for none. */
};

static int count_pause(void *user)
{
    struct stop *s = user;
    if (++s->n == s->at)
        atomic_store(&s->cancel, 1);
    return 0;
}

/* Other work gets the device while large blocks are copied, and who cancels meanwhile does not wait for the rest. */
static void test_pauses(void **state)
{
    static struct tagged_mesh m;
    const struct sdd_refine_request r = {.level = 6, .include = SDD_POSITIONS | SDD_INDICES, .method = "mesh-matrix"};
    const struct sdd_run keep = {.keep_pieces = 1};
    struct dice dice = dice_of(5);
    struct sdd_device_info used, after;
    struct sdd_error err = {0};
    struct sdd_mesh_desc d;
    struct cage before, now;
    sdd_topology *t;
    sdd_result *base, *out;
    sdd_plan *plan;
    int n_pauses = 0;
    (void)state;
    make_grid(&dice, 0, &m);
    tagged_desc(&m, &d);
    cage_make(&d, m.points[0], 1, &before);
    cage_make(&d, m.points[0], 1, &now);
    now.points[5] += 0.5f;
    sdd_mesh *mesh = mesh_of("large", &now, &t);
    assert_int_equal(sdd_plan_create_for_topology(t, &r, &plan, &err), SDD_OK);
    assert_int_equal(sdd_mesh_set_points(mesh, 0, d.n_vertices, before.points, &err), SDD_OK);
    assert_int_equal(sdd_refine(mesh, plan, &keep, &base, &err), SDD_OK);
    assert_int_equal(sdd_mesh_set_points(mesh, 0, d.n_vertices, now.points, &err), SDD_OK);
    const struct sdd_cage a = {&now.d, now.points}, b = {&before.d, before.points};
    const int64_t bytes = sdd_result_info(base)->plan.blocks[0].bytes;
    assert_true(bytes > 8 << 20);
    sdd_device_info(device, &used);
    for (int at = 0; at <= n_pauses; at++) {
        struct stop s = {.at = at};
        const struct sdd_run run = {.cancel = &s.cancel};
        sdd_device_on_pause(device, count_pause, &s);
        const int rc = sdd_carry(mesh, plan, &a, &b, base, &run, &out, &err);
        sdd_device_on_pause(device, NULL, NULL);
        n_pauses = at ? n_pauses : s.n;
        assert_int_equal(rc, at ? SDD_ECANCELLED : SDD_OK);
        assert_true(at ? !out : out != NULL);
        if (at > n_pauses - 5) /* While rows are copied and digested it ends at once. */
            assert_int_equal(s.n, at ? at : n_pauses);
        sdd_device_info(device, &after);
        assert_int_equal(after.memory_used, used.memory_used);
        sdd_result_free(out);
    }
    print_message("%d pauses\n", n_pauses);
    sdd_result_free(base);
    sdd_plan_free(plan);
    sdd_mesh_free(mesh);
    sdd_topology_unref(t);
    cage_free(&before);
    cage_free(&now);
}

static int open_it(void **state)
{
    (void)state;
    device = open_device(2);
    return 0;
}

static int close_it(void **state)
{
    (void)state;
    sdd_device_close(device);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_grids), cmocka_unit_test(test_shapes),
                                       cmocka_unit_test(test_pauses)};
    return cmocka_run_group_tests(tests, open_it, close_it);
}
