/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/engines/same_topology.h"
#include "gpu/mesh/topology.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Two topologies that are being compared. */
struct pair {
    const sdd_topology *a, *b;
    const char *what;
};

static void same_array(const struct pair *p, const char *name, const void *a, const void *b, int64_t n, size_t item)
{
    struct sdd_error err = {0};
    sdd_device *d = p->a->device;
    if (!a != !b)
        fail_msg("%s: %s is there in one of them", p->what, name);
    if (!a || n == 0)
        return;
    char *x = malloc((size_t)n * item), *y = malloc((size_t)n * item);
    assert_true(x && y);
    dev_download(d, x, a, n * (int64_t)item);
    dev_download(d, y, b, n * (int64_t)item);
    assert_int_equal(dev_finish(d, &err), SDD_OK);
    for (int64_t i = 0; i < n; i++)
        if (memcmp(x + (size_t)i * item, y + (size_t)i * item, item) != 0) {
            uint32_t u = 0, v = 0;
            memcpy(&u, x + (size_t)i * item, item);
            memcpy(&v, y + (size_t)i * item, item);
            fail_msg("%s: row %lld of %lld of %s is %u, not %u", p->what, (long long)i, (long long)n, name, v, u);
        }
    free(x);
    free(y);
}

#define SAME(field, n) same_array(p, #field, p->a->field, p->b->field, (n), sizeof *p->a->field)
#define SAME_OF(name, x, y, field, n) same_array(p, name #field, (x)->field, (y)->field, (n), sizeof *(x)->field)

static void same_number(const struct pair *p, const char *name, int64_t a, int64_t b)
{
    if (a != b)
        fail_msg("%s: %s is %lld, not %lld", p->what, name, (long long)b, (long long)a);
}
#define SAME_NUMBER(field) same_number(p, #field, (int64_t)p->a->field, (int64_t)p->b->field)

static void same_info(const struct pair *p)
{
    SAME_NUMBER(info.n_vertices);
    SAME_NUMBER(info.n_faces);
    SAME_NUMBER(info.n_corners);
    SAME_NUMBER(info.n_edges);
    SAME_NUMBER(info.n_boundary_edges);
    SAME_NUMBER(info.n_boundaries);
    SAME_NUMBER(info.n_isolated);
    SAME_NUMBER(info.n_holes);
    SAME_NUMBER(info.n_uvs);
    SAME_NUMBER(info.n_uv_edges);
    SAME_NUMBER(info.max_valence);
    SAME_NUMBER(info.max_face_size);
    SAME_NUMBER(info.min_face_size);
    SAME_NUMBER(info.has_creases);
    SAME_NUMBER(info.n_channels);
    SAME_NUMBER(info.manifold);
    SAME_NUMBER(info.device_bytes);
    SAME_NUMBER(sizes.n_least);
    SAME_NUMBER(sizes.n_most);
    SAME_NUMBER(n_channels);
    SAME_NUMBER(n_visible);
    SAME_NUMBER(n_semisharp);
    SAME_NUMBER(has_infinite);
    SAME_NUMBER(chaikin_levels);
    SAME_NUMBER(n_open);
    SAME_NUMBER(feature_vertices.n);
    SAME_NUMBER(faces.n_uniform);
    SAME_NUMBER(faces.size);
    assert_true(p->a->semisharp == p->b->semisharp);
    assert_string_equal(p->a->fault, p->b->fault);
    assert_memory_equal(&p->a->info.options, &p->b->info.options, sizeof p->a->info.options);
    for (int k = 0; k < SDD_N_PARTS; k++)
        assert_int_equal(p->a->part[k].bytes, p->b->part[k].bytes);
}

static void same_channel(const struct pair *p, const struct topology_channel *x, const struct topology_channel *y)
{
    const int64_t C = p->a->info.n_corners;
    same_number(p, "n_values", x->n_values, y->n_values);
    same_number(p, "n_rows", x->n_rows, y->n_rows);
    same_number(p, "channel edges", x->n_edges, y->n_edges);
    same_number(p, "channel features", x->feature_vertices.n, y->feature_vertices.n);
    SAME_OF("channel.", x, y, vert, C);
    SAME_OF("channel.", x, y, edge, C);
    SAME_OF("channel.", x, y, twin, C);
    SAME_OF("channel.", x, y, corner, C);
    SAME_OF("channel.", x, y, edge_corner, x->n_edges);
    SAME_OF("channel.", x, y, value, x->n_rows - x->n_values);
    SAME_OF("channel.", x, y, begin, x->n_rows);
    SAME_OF("channel.", x, y, end, x->n_rows);
    SAME_OF("channel.", x, y, edge_sharp, x->n_edges);
    SAME_OF("channel.", x, y, vert_sharp, x->n_rows);
    SAME_OF("channel.", x, y, feature_vertices.flag, x->n_rows);
    SAME_OF("channel.", x, y, feature_vertices.list, x->feature_vertices.n);
    SAME_OF("channel.", x, y, chaikin_row, x->n_edges);
}

void same_topology(const sdd_topology *a, const sdd_topology *b, const char *what)
{
    const struct pair pair = {a, b, what}, *p = &pair;
    const struct sdd_topology_info *i = &a->info;
    same_info(p);
    const int64_t rows = i->n_corners + (i->manifold ? i->n_boundary_edges : 0), tables = rows - a->faces.n_uniform;
    SAME(face_end, i->n_faces);
    SAME(vert_begin, i->n_vertices);
    SAME(vert_end, i->n_vertices);
    SAME(vert_corner, i->n_corners);
    SAME(vert, rows);
    SAME(edge, rows);
    SAME(twin, rows);
    SAME(faces.next, tables);
    SAME(faces.prev, tables);
    SAME(faces.face, tables);
    SAME(edge_corner, i->n_edges);
    SAME(edge_sharp, i->n_edges);
    SAME(vert_sharp, i->n_vertices);
    SAME(feature_vertices.flag, i->n_vertices);
    SAME(feature_vertices.list, a->feature_vertices.n);
    SAME(ghost_first, i->n_boundaries);
    SAME(visible, a->n_visible);
    SAME(isolated, i->n_isolated);
    SAME(chaikin_row, i->n_edges);
    SAME(chaikin_edge, a->n_semisharp);
    SAME(chaikin_part, a->n_semisharp);
    for (int k = 0; k < a->n_channels; k++)
        same_channel(p, a->channel + k, b->channel + k);
    same_number(p, "cut", a->cut != NULL, b->cut != NULL);
    if (a->cut)
        same_channel(p, a->cut, b->cut);
}
