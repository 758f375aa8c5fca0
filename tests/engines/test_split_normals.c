/* SPDX-License-Identifier: Apache-2.0 */
/* test_split_normals.c: split normals under catmullClark, loop and bilinear, on every shape, manifold or not. A vertex
 * with one row has the normal that it has without splitting. A row of a vertex with several is the limit from its side:
 * it is held against the faces of a far finer level at that corner, wherever these agree among themselves. Every engine
 * gives the same bits. */
#include "gpu/mesh/mesh.h"
#include "tests/env.h"
#include "tests/oracle/cases.h"
#include "tests/oracle/triangles.h"
#include "tests/refine_once.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FINE 7           /* The level whose faces are the witness. */
#define MOST_FINE 500000 /* Its vertices. */
#define PLANE 0.9998     /* The cosine within which the fine faces around a row agree, so that there is a plane. */
#define STILL 0.002
#define NEAR 0.9995 /* The cosine within which the row agrees with them. */
#define ALL (SDD_POSITIONS | SDD_INDICES | SDD_NORMALS)

static sdd_device *device;
static int64_t n_single, n_sides, n_planes, n_meshes_split;

static sdd_result *refine(sdd_mesh *mesh, const char *label, const char *method, int level, int surface, int include)
{
    const struct sdd_refine_request r = {.level = level, .surface = surface, .include = include, .method = method};
    struct sdd_error err = {0};
    sdd_result *result = NULL;
    int rc = refine_once(mesh, &r, &result, &err);
    if (rc && rc != SDD_EUNSUPPORTED)
        fail_msg("%s level %d by %s: %s", label, level, method, err.text);
    return result;
}

/* ---- the witness ------------------------------------------------------------------------------------------------- */
static void normal_at(const float *p, const uint32_t *face, int n, int corner, double out[3])
{
    const float *at = p + 3 * (size_t)face[corner], *on = p + 3 * (size_t)face[(corner + 1) % n],
                *off = p + 3 * (size_t)face[(corner + n - 1) % n];
    double a[3], b[3], length;
    for (int k = 0; k < 3; k++)
        a[k] = (double)on[k] - (double)at[k], b[k] = (double)off[k] - (double)at[k];
    for (int k = 0; k < 3; k++)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
    length = sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]);
    for (int k = 0; k < 3; k++)
        out[k] = length > 0 ? out[k] / length : 0;
}

/* The face of level `fine` that lies in corner `corner` of face f of level 1. Both are in grid order. */
static int64_t fine_face(int fine, int size, int64_t f, int corner)
{
    const int64_t m = (int64_t)1 << (size == 4 ? fine - 1 : fine), s = m / 2, last = m - 1;
    if (size == 4)
        return f * m * m + (corner > 1 ? last : 0) * m + (corner == 1 || corner == 2 ? last : 0);
    const int64_t of = f / 4, x = f % 2, y = f / 2 % 2;
    int64_t at[2] = {x * s + (corner == 1 ? s - 1 : 0), y * s + (corner == 2 ? s - 1 : 0)};
    if (x + y == 2) /* The inverted one: (s, 0), (s, s), (0, s), whose fine faces count from the far end. */
        at[0] = m - 1 - (corner == 2 ? 0 : s - 1), at[1] = m - 1 - (corner == 0 ? 0 : s - 1);
    return (of * m + at[1]) * m + at[0];
}

/* What the fine faces of one row say: the sum of their normals, and whether they agree. */
struct witness {
    double sum[3], first[3];
    int n, split, stays, size;
};

/* The normal of the corner of the fine face, to first order in the size of the faces. */
static void fine_normal(const sdd_result *fine, int level, int size, int64_t corner, double out[3])
{
    const uint32_t *faces = block_of(fine, SDD_INDICES)->data;
    const int64_t f = fine_face(level, size, corner / size, (int)(corner % size));
    normal_at(block_of(fine, SDD_POSITIONS)->data, faces + f * size, size, (int)(corner % size), out);
}

/* Two levels cancel what is of first order in the error. Two such normals, from three levels, differ by less than STILL
 * where the rest has gone too; at some vertices that takes more levels than there are. */
static void corner_normal(sdd_result *const fine[3], int size, int64_t corner, struct witness *to)
{
    double n[3][3], length = 0, dot = 0, rest = 0;
    for (int k = 0; k < 3; k++)
        fine_normal(fine[k], FINE - k, size, corner, n[k]);
    for (int k = 0; k < 3; k++) {
        const double coarse = 2 * n[1][k] - n[2][k];
        n[0][k] = 2 * n[0][k] - n[1][k];
        rest += (n[0][k] - coarse) * (n[0][k] - coarse);
        length += n[0][k] * n[0][k];
    }
    if (to->n++ == 0)
        memcpy(to->first, n[0], sizeof n[0]);
    for (int k = 0; k < 3; k++)
        to->sum[k] += n[0][k] / sqrt(length), dot += n[0][k] * to->first[k];
    to->split |= !(dot > PLANE * length) || rest > STILL * STILL;
}

static struct witness *witnesses(sdd_result *const fine[3], const sdd_result *split, const float *points,
                                 int64_t n_points)
{
    const struct sdd_block *indices = block_of(split, SDD_NORMAL_INDICES), *positions = block_of(split, SDD_POSITIONS);
    const uint32_t *rows = indices->data, *vertices = block_of(split, SDD_INDICES)->data;
    struct witness *w = calloc((size_t)block_of(split, SDD_NORMALS)->count, sizeof *w);
    assert_non_null(w);
    for (int64_t c = 0; c < indices->components * indices->count; c++) {
        const size_t v = vertices[c];
        corner_normal(fine, indices->components, c, w + rows[c]);
        w[rows[c]].size = indices->components;
        w[rows[c]].stays = vertices[c] < n_points &&
                           memcmp((const float *)positions->data + 3 * v, points + 3 * v, 3 * sizeof *points) == 0;
    }
    return w;
}

/* Where a vertex stays, as a corner does, a side of several faces has no tangent plane in general. Where it does not, a
 * side of one face comes near its plane too slowly: its two tangents shrink at different rates. Under loop the mask
 * across a boundary of more than three faces is OpenSubdiv's (Hoppe 1994), which is not that of the limit. */
static void check_sides(const char *label, const struct sdd_block *normals, const struct witness *w,
                        const uint8_t *is_side)
{
    const float *n = normals->data;
    for (int64_t row = 0; row < normals->count; row++, n += 3) {
        const double *s = w[row].sum, length = sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
        const double dot = ((double)n[0] * s[0] + (double)n[1] * s[1] + (double)n[2] * s[2]) / length;
        if (!is_side[row] || w[row].split || w[row].stays != (w[row].n == 1) || (w[row].size == 3 && w[row].n > 3) ||
            !(length > 0.5))
            continue;
        n_planes++;
        if (dot < NEAR)
            fail_msg("%s: normal %lld is (%g, %g, %g), the %d fine faces of its side have (%g, %g, %g)", label,
                     (long long)row, (double)n[0], (double)n[1], (double)n[2], w[row].n, s[0] / length, s[1] / length,
                     s[2] / length);
    }
}

/* ---- one mesh ---------------------------------------------------------------------------------------------------- */
/* Checks that a row belongs to one vertex, and that the only row of a vertex is the vertex's normal. Marks the rows of
 * vertices with several. */
static uint8_t *check_rows(const char *label, const sdd_result *split, const sdd_result *whole, int holes)
{
    const struct sdd_block *n = block_of(split, SDD_NORMALS), *rows = block_of(split, SDD_NORMAL_INDICES),
                           *i = block_of(split, SDD_INDICES), *v = block_of(whole, SDD_NORMALS);
    const uint32_t *row = rows->data, *vertex = i->data;
    const int64_t corners = rows->count * rows->components, n_vertices = sdd_result_info(split)->plan.n_vertices;
    uint32_t *vertex_of = malloc((size_t)n->count * sizeof *vertex_of);
    int *count = calloc((size_t)n_vertices, sizeof *count);
    uint8_t *is_side = calloc((size_t)n->count, 1);
    assert_true(vertex_of && count && is_side);
    assert_true(rows->components == i->components && rows->count == i->count && n->components == 3);
    memset(vertex_of, 0xff, (size_t)n->count * sizeof *vertex_of);
    for (int64_t c = 0; c < corners; c++) {
        assert_true(row[c] < n->count);
        if (vertex_of[row[c]] == UINT32_MAX)
            count[vertex[c]]++;
        else if (vertex_of[row[c]] != vertex[c])
            fail_msg("%s: normal %u is of two vertices", label, row[c]);
        vertex_of[row[c]] = vertex[c];
    }
    for (int64_t c = 0; c < corners; c++) {
        const float *a = (const float *)n->data + 3 * (size_t)row[c],
                    *b = (const float *)v->data + 3 * (size_t)vertex[c];
        is_side[row[c]] = count[vertex[c]] > 1;
        /* The other sides of a vertex may have holes alone. */
        if (count[vertex[c]] == 1 && (!holes || n->count == v->count) && memcmp(a, b, 12) != 0)
            fail_msg("%s: normal %u is (%g, %g, %g), that of vertex %u (%g, %g, %g)", label, row[c], (double)a[0],
                     (double)a[1], (double)a[2], vertex[c], (double)b[0], (double)b[1], (double)b[2]);
        n_single += count[vertex[c]] == 1;
        n_sides += count[vertex[c]] > 1;
    }
    free(vertex_of);
    free(count);
    return is_side;
}

static void same_by_all(sdd_mesh *mesh, const char *label, int level, int surface, const sdd_result *want)
{
    const struct sdd_engine_info *e;
    const struct sdd_block *a = block_of(want, SDD_NORMALS);
    for (int row = 0; (e = sdd_engine(row)); row++) {
        sdd_result *r = refine(mesh, label, e->name, level, surface, SDD_NORMAL_INDICES);
        if (!r)
            continue;
        const struct sdd_block *b = block_of(r, SDD_NORMALS);
        /* Where nothing is split they are the engine's own. */
        if (a->bytes != b->bytes)
            fail_msg("%s level %d: %s has %lld split normals", label, level, e->name, (long long)b->count);
        if (b->count > sdd_result_info(r)->plan.n_vertices && memcmp(a->data, b->data, (size_t)a->bytes) != 0)
            fail_msg("%s level %d: %s has other split normals", label, level, e->name);
        assert_int_equal(sdd_result_info(r)->plan.n_blocks, 2);
        sdd_result_free(r);
    }
}

static void check_mesh(sdd_mesh *mesh, const struct sdd_mesh_desc *d, const float *points, const char *name)
{
    struct sdd_topology_info info;
    sdd_topology_info(mesh->topology, &info);
    /* Faces of a soup use a vertex twice, and then they have no normal there. At vertices that are not manifold
     * sharpness is not followed on. */
    const int fine_fits = (info.manifold || (strncmp(name, "soup", 4) != 0 && !(mesh->topology->semisharp > 0))) &&
                          d->n_corners << 2 * FINE < 4 * (int64_t)MOST_FINE;
    for (int level = 1; level <= 2; level++)
        for (int surface = SDD_SURFACE_REFINED; surface < SDD_N_SURFACES; surface++) {
            char label[160];
            snprintf(label, sizeof label, "%s scheme %d level %d surface %d", name, d->options.scheme, level, surface);
            sdd_result *whole = refine(mesh, label, "mesh-matrix", level, surface, ALL);
            sdd_result *split = refine(mesh, label, "mesh-matrix", level, surface, ALL | SDD_NORMAL_INDICES);
            assert_true(whole && split);
            const struct sdd_block *n = block_of(split, SDD_NORMALS);
            uint8_t *is_side = check_rows(label, split, whole, info.n_holes > 0);
            n_meshes_split += n->count > block_of(whole, SDD_NORMALS)->count;
            if (level == 2 && surface == SDD_SURFACE_LIMIT)
                same_by_all(mesh, label, level, surface, split);
            if (fine_fits && surface == SDD_SURFACE_LIMIT && level == 1) {
                const int both = SDD_POSITIONS | SDD_INDICES;
                sdd_result *fine[3];
                for (int k = 0; k < 3; k++)
                    fine[k] = refine(mesh, label, "mesh-matrix", FINE - k, surface, both);
                struct witness *w = witnesses(fine, split, points, d->n_vertices);
                check_sides(label, n, w, is_side);
                free(w);
                for (int k = 0; k < 3; k++)
                    sdd_result_free(fine[k]);
            }
            free(is_side);
            sdd_result_free(whole);
            sdd_result_free(split);
        }
}

static void check_scheme(const struct shape *s, int scheme, int chaikin)
{
    struct sdd_mesh_desc d = s->desc;
    struct sdd_error err = {0};
    struct triangles cut = {0};
    sdd_mesh *mesh = NULL;
    d.options.scheme = scheme;
    if (chaikin)
        d.options.crease_method = SDD_CREASE_CHAIKIN;
    if (scheme == SDD_SCHEME_LOOP && !triangles_only(&d))
        cut = triangles_cut(&d);
    if (library_mesh(device, &d, s->points, s->uvs, &mesh, &err))
        fail_msg("%s: %s", s->name, err.text);
    check_mesh(mesh, &d, s->points, s->name);
    sdd_mesh_free(mesh);
    triangles_free(&cut);
}

static void check_folder(const char *folder, int scheme, int chaikin)
{
    size_t n;
    char dir[4096];
    snprintf(dir, sizeof dir, "%s/%s", test_shapes_dir(), folder);
    char **names = shape_list(dir, &n);
    assert_true(names && n > 20);
    for (size_t i = 0; i < n; i++) {
        struct shape s;
        struct sdd_error err = {0};
        if (shape_load(dir, names[i], &s, &err) != SDD_OK)
            fail_msg("%s: %s", names[i], err.text);
        if (s.desc.n_corners < 700 && (!chaikin || s.desc.n_creases > 0))
            check_scheme(&s, scheme, chaikin);
        shape_free(&s);
    }
    shape_list_free(names);
}

static void check_all(int scheme, int chaikin, int64_t least_planes)
{
    n_single = n_sides = n_planes = n_meshes_split = 0;
    check_folder("", scheme, chaikin);
    check_folder("nonmanifold", scheme, chaikin);
    print_message("%lld corners of vertices with one normal, %lld with several; %lld sides held against fine faces\n",
                  (long long)n_single, (long long)n_sides, (long long)n_planes);
    assert_true(n_meshes_split > 20 && n_planes >= least_planes);
}

static void test_catmull_clark(void **state)
{
    (void)state;
    check_all(SDD_SCHEME_CATMULL_CLARK, 0, 200);
}

static void test_chaikin(void **state)
{
    (void)state;
    check_all(SDD_SCHEME_CATMULL_CLARK, 1, 100);
}

static void test_loop(void **state)
{
    (void)state;
    check_all(SDD_SCHEME_LOOP, 0, 200);
}

static void test_bilinear(void **state)
{
    (void)state;
    check_all(SDD_SCHEME_BILINEAR, 0, 200);
    assert_true(n_single > 0);
}

/* A cube all of whose edges are infinitely sharp is six squares at every level: each face corner has one of the axes.
 */
static void test_hard_cube(void **state)
{
    (void)state;
    struct shape s;
    struct sdd_error err = {0};
    assert_int_equal(shape_load(test_shapes_dir(), "crease_all_10", &s, &err), SDD_OK);
    sdd_mesh *mesh = NULL;
    float points[24];
    for (int k = 0; k < 24; k++) /* The shape is a cube that was shaken. */
        points[k] = s.points[k] > 0 ? 1.0f : -1.0f;
    assert_int_equal(library_mesh(device, &s.desc, points, s.uvs, &mesh, &err), SDD_OK);
    for (int level = 1; level <= 4; level++)
        for (int surface = 0; surface < SDD_N_SURFACES; surface++) {
            sdd_result *r = refine(mesh, "hard cube", "auto", level, surface, SDD_NORMAL_INDICES);
            const struct sdd_block *n = block_of(r, SDD_NORMALS), *rows = block_of(r, SDD_NORMAL_INDICES);
            int seen[6] = {0};
            for (int64_t c = 0; c < rows->count * 4; c++) {
                const float *v = (const float *)n->data + 3 * (size_t)((const uint32_t *)rows->data)[c];
                int axis = fabsf(v[0]) > 0.5f ? 0 : fabsf(v[1]) > 0.5f ? 1 : 2;
                for (int k = 0; k < 3; k++)
                    assert_true(fabs(fabs((double)v[k]) - (k == axis)) < 1e-6);
                seen[2 * axis + (v[axis] > 0)]++;
            }
            for (int k = 0; k < 6; k++)
                assert_int_equal(seen[k], 16 << 2 * (level - 1));
            sdd_result_free(r);
        }
    sdd_mesh_free(mesh);
    shape_free(&s);
}

/* Compact split normals are those of the floats; sqrt3 has none, and says so. */
static void test_compact_and_refused(void **state)
{
    (void)state;
    struct shape s;
    struct sdd_error err = {0};
    sdd_mesh *mesh = NULL;
    sdd_result *r;
    assert_int_equal(shape_load(test_shapes_dir(), "crease_all_10", &s, &err), SDD_OK);
    assert_int_equal(library_mesh(device, &s.desc, s.points, s.uvs, &mesh, &err), SDD_OK);
    struct sdd_refine_request ask = {.level = 2, .include = SDD_NORMAL_INDICES, .compact = SDD_NORMALS};
    assert_int_equal(refine_once(mesh, &ask, &r, &err), SDD_OK);
    assert_int_equal(block_of(r, SDD_NORMALS)->format, SDD_OCT16);
    assert_int_equal(block_of(r, SDD_NORMALS)->components, 2);
    sdd_result_free(r);
    sdd_mesh_free(mesh);
    struct triangles cut = triangles_cut(&s.desc);
    s.desc.options.scheme = SDD_SCHEME_SQRT3;
    assert_int_equal(library_mesh(device, &s.desc, s.points, s.uvs, &mesh, &err), SDD_OK);
    ask.compact = 0;
    assert_int_equal(refine_once(mesh, &ask, &r, &err), SDD_EUNSUPPORTED);
    assert_string_equal(err.field, "normals");
    assert_non_null(strstr(err.text, "no engine does split normals under sqrt3"));
    sdd_mesh_free(mesh);
    triangles_free(&cut);
    shape_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_catmull_clark), cmocka_unit_test(test_chaikin),
        cmocka_unit_test(test_loop),          cmocka_unit_test(test_bilinear),
        cmocka_unit_test(test_hard_cube),     cmocka_unit_test(test_compact_and_refused),
    };
    device = open_device(0);
    int failed = cmocka_run_group_tests_name("split normals", tests, NULL, NULL);
    sdd_device_close(device);
    return failed;
}
