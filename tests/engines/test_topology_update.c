/* SPDX-License-Identifier: Apache-2.0 */
/* test_topology_update.c: sdd_topology_update gives what sdd_topology_create gives of the same mesh, and refuses deltas
 * that do not fit. The edits, and so the deltas, are the daemon's own. */
#include "gpu/engines/tabulated/internal.h"
#include "gpu/mesh/topology.h"
#include "gpu/sdd/sdd_pause.h"
#include "gpu/sdd/sdd_update.h"
#include "server/mesh/formats/codec.h"
#include "tests/engines/fixture.h"
#include "tests/engines/same_tables.h"
#include "tests/engines/same_topology.h"
#include "tests/env.h"
#include "tests/refine_once.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void apply(const struct mesh *m, const char *json, struct edit_result *r)
{
    struct edit_batch *b;
    struct sdd_error err = {0};
    if (edits_from_json(json, strlen(json), &b, &err))
        fail_msg("%s: %s", json, err.text);
    if (edits_apply(m, b, r, &err))
        fail_msg("%s: %s", json, err.text);
    edit_batch_free(b);
}

static sdd_result *refined(sdd_topology *t, const struct mesh *m, int level)
{
    sdd_mesh *mesh;
    sdd_result *result = NULL;
    struct sdd_error err = {0};
    int uvs = m->n_uvs ? SDD_UVS | SDD_UV_INDICES : 0;
    struct sdd_refine_request r = fixture_ask(level, SDD_SURFACE_REFINED, EVERYTHING | uvs);
    assert_int_equal(sdd_mesh_create(t, m->points, m->uvs, &mesh, &err), SDD_OK);
    assert_int_equal(refine_once(mesh, &r, &result, &err), SDD_OK);
    sdd_mesh_free(mesh);
    return result;
}

static void same_info(const sdd_topology *a, const sdd_topology *b)
{
    struct sdd_topology_info p, q;
    sdd_topology_info(a, &p);
    sdd_topology_info(b, &q);
    assert_int_equal(p.n_vertices, q.n_vertices);
    assert_int_equal(p.n_faces, q.n_faces);
    assert_int_equal(p.n_corners, q.n_corners);
    assert_int_equal(p.n_edges, q.n_edges);
    assert_int_equal(p.n_boundary_edges, q.n_boundary_edges);
    assert_int_equal(p.n_boundaries, q.n_boundaries);
    assert_int_equal(p.n_isolated, q.n_isolated);
    assert_int_equal(p.n_holes, q.n_holes);
    assert_int_equal(p.n_uvs, q.n_uvs);
    assert_int_equal(p.n_uv_edges, q.n_uv_edges);
    assert_int_equal(p.max_valence, q.max_valence);
    assert_int_equal(p.has_creases, q.has_creases);
    assert_int_equal(p.manifold, q.manifold);
    assert_int_equal(p.device_bytes, q.device_bytes);
}

static void same_surface(sdd_topology *a, sdd_topology *b, const struct mesh *m)
{
    same_info(a, b);
    for (int level = 1; level <= 3; level++) {
        sdd_result *p = refined(a, m, level), *q = refined(b, m, level);
        const struct sdd_plan_info *x = &sdd_result_info(p)->plan, *y = &sdd_result_info(q)->plan;
        assert_int_equal(x->n_blocks, y->n_blocks);
        for (int k = 0; k < x->n_blocks; k++) {
            assert_int_equal(x->blocks[k].bytes, y->blocks[k].bytes);
            assert_true(x->blocks[k].digest == y->blocks[k].digest);
            assert_memory_equal(x->blocks[k].data, y->blocks[k].data, (size_t)x->blocks[k].bytes);
        }
        sdd_result_free(p);
        sdd_result_free(q);
    }
}

/* Removes the first face and gives the mesh another, on the first edge of the last; tags and a move. */
static void edit_shape(const struct mesh *m, struct edit_result *r)
{
    char json[900];
    const int32_t *v = m->face_vertices + m->n_corners - m->face_counts[m->n_faces - 1];
    (void)snprintf(json, sizeof json,
                   "{\"edits\":[{\"addVertices\":{\"points\":[3,2,1]}},"
                   "{\"addFaces\":{\"faceVertexCounts\":[3],\"faceVertexIndices\":[%d,%d,-1]%s}},"
                   "{\"setCreases\":{\"edges\":[%d,%d],\"sharpnesses\":[1.5]}},"
                   "{\"setCorners\":{\"ids\":[%d],\"sharpnesses\":[2]}},{\"setHoles\":{\"ids\":[%d],\"hole\":true}},"
                   "{\"setPositions\":{\"ids\":[%d],\"points\":[1,1,1]}}%s]}",
                   v[1], v[0], m->n_uvs ? ",\"st\":[0,0,1,0,0,1]" : "", v[0], v[1], v[1], (int)m->n_faces - 1, v[0],
                   m->n_faces > 1 ? ",{\"removeFaces\":{\"ids\":[0]}}" : "");
    apply(m, json, r);
}

static void test_same_as_create(void **state)
{
    static const char *const names[] = {"box",         "genus2_mixed",        "uv_islands_mixed",    "hole_last",
                                        "isolated",    "crease_all_2.7",      "single_triangle",     "grid_holed",
                                        "crease_dart", "nonmanifold/soup_uv", "nonmanifold/moebius", "random_open1"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct fixture f;
        struct edit_result r;
        struct sdd_mesh_desc desc;
        struct sdd_topology_delta delta;
        struct sdd_error err = {0};
        sdd_topology *created, *updated;
        fixture_open(&f, names[i], 0, 0);
        edit_shape(f.shape.mesh, &r);
        mesh_desc(r.mesh, &desc);
        mesh_delta_desc(&r.delta, &delta);
        if (sdd_topology_create(f.device, &desc, &created, &err))
            fail_msg("%s: %s", names[i], err.text);
        if (sdd_topology_update(f.topology, &desc, &delta, &updated, &err))
            fail_msg("%s: %s", names[i], err.text);
        sdd_mesh_free(f.mesh); /* what is new does not hang on what was */
        sdd_topology_unref(f.topology);
        f.mesh = NULL;
        f.topology = NULL;
        same_topology(created, updated, names[i]);
        same_surface(created, updated, r.mesh);
        sdd_topology_unref(created);
        sdd_topology_unref(updated);
        edit_result_free(&r);
        fixture_close(&f);
    }
}

/* A grid with UVs, of 20 vertices and 12 faces; face 0 goes, one comes. */
static void open_grid(struct fixture *f)
{
    fixture_open(f, "uv_shared", 0, 0);
    assert_int_equal(f->shape.desc.n_vertices, 20);
    assert_int_equal(f->shape.desc.n_faces, 12);
    assert_true(f->shape.desc.n_uvs > 0);
}

/* An edit that changes tags alone shares the faces with the mesh before. They stay while either has them. */
static void test_tags_share(void **state)
{
    static const char *const json[] = {
        "{\"edits\":[{\"setCreases\":{\"edges\":[0,1],\"sharpnesses\":[3]}}]}",
        "{\"edits\":[{\"setCorners\":{\"ids\":[4],\"sharpnesses\":[2]}}]}",
        "{\"edits\":[{\"setHoles\":{\"ids\":[2],\"hole\":true}}]}",
    };
    (void)state;
    for (int last_is_old = 0; last_is_old < 2; last_is_old++)
        for (size_t i = 0; i < sizeof json / sizeof *json; i++) {
            struct fixture f;
            struct edit_result r;
            struct sdd_mesh_desc desc;
            struct sdd_topology_delta delta;
            struct sdd_error err = {0};
            sdd_topology *created, *updated;
            open_grid(&f);
            apply(f.shape.mesh, json[i], &r);
            mesh_desc(r.mesh, &desc);
            mesh_delta_desc(&r.delta, &delta);
            assert_int_equal(sdd_topology_create(f.device, &desc, &created, &err), SDD_OK);
            assert_int_equal(sdd_topology_update(f.topology, &desc, &delta, &updated, &err), SDD_OK);
            assert_true(updated->is_updated && updated->vert == f.topology->vert);
            same_topology(created, updated, json[i]);
            if (last_is_old) {
                sdd_result *before = refined(f.topology, f.shape.mesh, 2);
                sdd_topology_unref(updated);
                sdd_result *after = refined(f.topology, f.shape.mesh, 2);
                assert_true(sdd_result_info(before)->plan.blocks[0].digest ==
                            sdd_result_info(after)->plan.blocks[0].digest);
                sdd_result_free(before);
                sdd_result_free(after);
            } else {
                sdd_mesh_free(f.mesh);
                sdd_topology_unref(f.topology);
                f.mesh = NULL;
                f.topology = NULL;
                same_surface(created, updated, r.mesh);
                sdd_topology_unref(updated);
            }
            sdd_topology_unref(created);
            edit_result_free(&r);
            fixture_close(&f);
        }
}

/* Other work on the device gives the old topology back while the new one is made. */
static int give_back(void *user)
{
    struct fixture *f = user;
    sdd_mesh_free(f->mesh);
    sdd_topology_unref(f->topology);
    f->mesh = NULL;
    f->topology = NULL;
    sdd_device_trim(f->device);
    return 0;
}

static void test_old_goes_meanwhile(void **state)
{
    struct fixture f;
    struct edit_result r;
    struct sdd_mesh_desc desc;
    struct sdd_topology_delta delta;
    struct sdd_error err = {0};
    sdd_topology *created, *updated;
    (void)state;
    open_grid(&f);
    apply(f.shape.mesh, "{\"edits\":[{\"pokeFaces\":{\"ids\":[3]}}]}", &r);
    mesh_desc(r.mesh, &desc);
    mesh_delta_desc(&r.delta, &delta);
    assert_int_equal(sdd_topology_create(f.device, &desc, &created, &err), SDD_OK);
    sdd_device_on_pause(f.device, give_back, &f);
    assert_int_equal(sdd_topology_update(f.topology, &desc, &delta, &updated, &err), SDD_OK);
    sdd_device_on_pause(f.device, NULL, NULL);
    assert_null(f.topology);
    assert_true(updated->is_updated);
    same_topology(created, updated, "an update whose old topology went");
    sdd_topology_unref(created);
    sdd_topology_unref(updated);
    edit_result_free(&r);
    fixture_close(&f);
}

/* A cage with tables, and one of its faces poked: both ways. */
struct poked {
    struct fixture f;
    struct edit_result r;
    sdd_topology *created, *updated;
};

/* The grid, or a cage of triangles under Loop. */
static void open_cage(struct fixture *f, int scheme)
{
    struct sdd_error err = {0};
    if (scheme == SDD_SCHEME_CATMULL_CLARK) {
        open_grid(f);
        return;
    }
    fixture_open(f, "icosahedron", 0, 0);
    sdd_mesh_free(f->mesh);
    sdd_topology_unref(f->topology);
    f->shape.mesh->options.scheme = scheme;
    mesh_desc(f->shape.mesh, &f->shape.desc);
    assert_int_equal(sdd_topology_create(f->device, &f->shape.desc, &f->topology, &err), SDD_OK);
    assert_int_equal(sdd_mesh_create(f->topology, f->shape.points, NULL, &f->mesh, &err), SDD_OK);
}

static void open_poked(struct poked *p, int scheme)
{
    struct sdd_mesh_desc desc;
    struct sdd_topology_delta delta;
    struct sdd_error err = {0};
    open_cage(&p->f, scheme);
    apply(p->f.shape.mesh, "{\"edits\":[{\"pokeFaces\":{\"ids\":[3]}}]}", &p->r);
    mesh_desc(p->r.mesh, &desc);
    mesh_delta_desc(&p->r.delta, &delta);
    assert_int_equal(tabulated_prepare(p->f.topology, NULL, 3, SDD_SURFACE_REFINED, 1, &err), SDD_OK);
    assert_int_equal(sdd_topology_create(p->f.device, &desc, &p->created, &err), SDD_OK);
    assert_int_equal(sdd_topology_update(p->f.topology, &desc, &delta, &p->updated, &err), SDD_OK);
}

static void close_poked(struct poked *p, int are_from_older)
{
    struct sdd_topology_info info;
    assert_int_equal(same_tables(p->created, p->updated, 3, SDD_SURFACE_REFINED, 1, "poked"), are_from_older);
    assert_int_equal(sdd_device_sparable(p->f.device), 0);
    sdd_topology_info(p->updated, &info);
    const int64_t used = fixture_used(&p->f);
    sdd_topology_unref(p->updated);
    assert_int_equal(fixture_used(&p->f), used - info.device_bytes);
    sdd_topology_unref(p->created);
    edit_result_free(&p->r);
    fixture_close(&p->f);
}

static const int with_tables[] = {SDD_SCHEME_CATMULL_CLARK, SDD_SCHEME_LOOP};

/* What an edit leaves of the old tables is of neither topology once the old one has gone, can be had back, and goes
 * when the tables are made. Those are the same either way. */
static void test_tables_are_left(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        const int spared = k % 2;
        struct poked p;
        struct sdd_topology_info info;
        open_poked(&p, with_tables[k / 2]);
        assert_int_equal(sdd_device_sparable(p.f.device), 0); /* The old topology has them still. */
        assert_int_equal(sdd_device_spare(p.f.device), 0);
        (void)give_back(&p.f);
        sdd_topology_info(p.updated, &info);
        const int64_t left = sdd_device_sparable(p.f.device), made = info.device_bytes + p.created->info.device_bytes;
        assert_true(left > 0);
        assert_int_equal(fixture_used(&p.f), made + left);
        if (spared) {
            assert_int_equal(sdd_device_spare(p.f.device), 1);
            assert_int_equal(sdd_device_spare(p.f.device), 0);
            assert_int_equal(fixture_used(&p.f), made);
        }
        close_poked(&p, !spared);
    }
}

/* Patches of the old mesh stand on its topology, and go with it; so does what else no mesh after it reads: the first
 * pass, or under Loop the tables. */
static void test_only_what_is_read_is_left(void **state)
{
    const struct sdd_refine_request high = {
        .level = TABULATED_MAX_LEVEL + 1, .include = SDD_POSITIONS, .method = "tabulated"};
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct poked p;
        struct sdd_error err = {0};
        sdd_result *rows;
        open_poked(&p, with_tables[k]);
        const struct tabulated *old = tabulated_of(p.f.topology, NULL);
        int64_t left = old->pieces.bytes + old->lists.bytes + old->surface[SDD_SURFACE_REFINED].memory.bytes;
        if (with_tables[k] == SDD_SCHEME_LOOP)
            left = old->rows.bytes + old->terms.bytes + old->triangles.memory.bytes;
        else {
            assert_int_equal(rows_once(p.f.mesh, &high, 0, 9, &rows, &err), SDD_OK);
            sdd_result_free(rows);
            assert_non_null(old->surface[SDD_SURFACE_REFINED].adaptive);
        }
        (void)give_back(&p.f);
        assert_int_equal(sdd_device_sparable(p.f.device), left);
        assert_int_equal(fixture_used(&p.f), p.updated->info.device_bytes + p.created->info.device_bytes + left);
        close_poked(&p, 1);
    }
}

/* Other work on the device is short of memory while tables are made from what an edit left. */
static int spare(void *user)
{
    struct fixture *f = user;
    (void)sdd_device_spare(f->device);
    return 0;
}

static void test_spared_meanwhile(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct poked p;
        struct sdd_error err = {0};
        open_poked(&p, with_tables[k]);
        (void)give_back(&p.f);
        sdd_device_on_pause(p.f.device, spare, &p.f);
        assert_int_equal(tabulated_prepare(p.updated, NULL, 3, SDD_SURFACE_REFINED, 1, &err), SDD_OK);
        sdd_device_on_pause(p.f.device, NULL, NULL);
        close_poked(&p, 1);
    }
}

/* A vertex and a value lose their last face under Loop, but both stay: then they are rows of their own. */
static void test_rows_lose_their_faces(void **state)
{
    static const int32_t counts[] = {3, 3, 3, 3}, strip[] = {0, 1, 2, 2, 1, 3, 2, 3, 4, 4, 3, 5};
    const int32_t last = 3, dirty[] = {3, 4, 5};
    struct sdd_channel_delta channel = {.values = {.n_old = 6}};
    struct sdd_topology_delta delta = {.vertices = {.n_old = 6},
                                       .faces = {.n_old = 4, .n_removed = 1, .removed = &last},
                                       .n_dirty_vertices = 3,
                                       .dirty_vertices = dirty,
                                       .n_channels = 1,
                                       .channels = &channel};
    struct fixture f;
    struct sdd_error err = {0};
    sdd_topology *old, *created, *updated;
    (void)state;
    fixture_open(&f, "icosahedron", 0, 0);
    struct sdd_mesh_desc desc = f.shape.desc;
    desc.options.scheme = SDD_SCHEME_LOOP;
    desc.options.boundary = SDD_BOUNDARY_EDGE_ONLY; /* Else a corner would stay where it is anyway. */
    desc.options.fvar = SDD_FVAR_NONE;
    desc.n_vertices = desc.n_uvs = 6;
    desc.n_faces = 4;
    desc.n_corners = 12;
    desc.face_counts = counts;
    desc.face_vertices = desc.uv_indices = strip;
    assert_int_equal(sdd_topology_create(f.device, &desc, &old, &err), SDD_OK);
    assert_int_equal(tabulated_prepare(old, NULL, 2, SDD_SURFACE_LIMIT, 0, &err), SDD_OK);
    assert_int_equal(tabulated_prepare(old, old->channel, 2, SDD_SURFACE_LIMIT, 0, &err), SDD_OK);
    desc.n_faces--;
    desc.n_corners -= 3;
    assert_int_equal(sdd_topology_create(f.device, &desc, &created, &err), SDD_OK);
    assert_int_equal(sdd_topology_update(old, &desc, &delta, &updated, &err), SDD_OK);
    assert_int_equal(same_tables(created, updated, 2, SDD_SURFACE_LIMIT, 0, "rows without faces"), 2);
    sdd_topology_unref(created);
    sdd_topology_unref(updated);
    sdd_topology_unref(old);
    fixture_close(&f);
}

/* ---- what is refused ---- */
struct bad { /* a delta that was good, with its arrays to be spoilt */
    struct sdd_mesh_desc desc;
    struct sdd_topology_delta d;
    struct sdd_channel_delta channel;
    int32_t removed[20], added[20], dirty_vertices[20], dirty_faces[20], values[20];
};

enum spoilt {
    FEW_VERTICES,
    MANY_FACES,
    FAR_FACE,
    LOW_FACE,
    SWAPPED_FACES,
    FACE_TWICE,
    MORE_GONE,
    LESS_NEW,
    NEGATIVE,
    FAR_NEW,
    NEW_FACE_CLEAN,
    NEW_VERTEX_CLEAN,
    DIRTY_FAR,
    DIRTY_LOW,
    DIRTY_TWICE,
    DIRTY_MANY,
    NO_CHANNELS,
    LEAST_CHANNELS,
    FAR_CHANNEL,
    LOW_CHANNEL,
    VALUES_OF_NEW,
    FEW_VALUES,
    FAR_VALUE,
    OTHER_OPTIONS,
    N_SPOILT
};
static const char *const says[N_SPOILT] = {
    "the delta is of 19 vertices; the old mesh has 20",
    "the delta is of 13 faces; the old mesh has 12",
    "removed row 0 of faces is 12; they ascend, and the mesh has 12",
    "removed row 0 of faces is -1",
    "removed row 1 of faces is 3",
    "removed row 1 of faces is 2",
    "2 of 12 faces are gone and 1 are new; the new mesh has 12",
    "0 of 20 vertices are gone and 0 are new; the new mesh has 21",
    "-1 of 12 faces are gone",
    "added row 0 of faces is 12",
    "row 11 of faces is new but not dirty",
    "row 20 of vertices is new but not dirty",
    "of faces is 12",
    "dirty row 0 of vertices is -1",
    "dirty row 1 of vertices",
    "22 vertices are dirty; the new mesh has 21",
    "the delta has 0 channels; the new mesh has 0 and UVs",
    "channels; the new mesh has 0 and UVs",
    "comes from channel 1; the old mesh has 1",
    "comes from channel -2",
    "a new channel has no old values",
    "values; the old mesh has",
    "removed row 0 of values is",
    "the options are not those of the old mesh",
};

/* Removes the faces a and b, and adds two. */
static void two_faces(struct bad *b, int32_t first, int32_t second)
{
    b->d.faces.n_removed = b->d.faces.n_added = 2;
    b->removed[0] = first, b->removed[1] = second;
    b->added[0] = 10, b->added[1] = 11;
}

static void spoil(struct bad *b, enum spoilt how)
{
    switch (how) {
    case FEW_VERTICES: b->d.vertices.n_old--; break;
    case MANY_FACES: b->d.faces.n_old++; break;
    case FAR_FACE: b->removed[0] = 12; break;
    case LOW_FACE: b->removed[0] = -1; break;
    case SWAPPED_FACES: two_faces(b, 4, 3); break;
    case FACE_TWICE: two_faces(b, 2, 2); break;
    case MORE_GONE: b->d.faces.n_removed = 2, b->removed[1] = 1; break;
    case LESS_NEW: b->d.vertices.n_added = 0; break;
    case NEGATIVE: b->d.faces.n_removed = -1; break;
    case FAR_NEW: b->added[0] = 12; break;
    case NEW_FACE_CLEAN: b->d.n_dirty_faces--; break;
    case NEW_VERTEX_CLEAN: b->d.n_dirty_vertices--; break;
    case DIRTY_FAR: b->dirty_faces[b->d.n_dirty_faces - 1] = (int32_t)b->desc.n_faces; break;
    case DIRTY_LOW: b->dirty_vertices[0] = -1; break;
    case DIRTY_TWICE: b->dirty_vertices[1] = b->dirty_vertices[0]; break;
    case DIRTY_MANY: b->d.n_dirty_vertices = b->desc.n_vertices + 1; break;
    case NO_CHANNELS: b->d.n_channels = 0; break;
    case LEAST_CHANNELS: b->d.n_channels = INT64_MIN; break;
    case FAR_CHANNEL: b->channel.from = 1; break;
    case LOW_CHANNEL: b->channel.from = -2; break;
    case VALUES_OF_NEW: b->channel.from = SDD_NO_ROW; break;
    case FEW_VALUES: b->channel.values.n_old--; break;
    case FAR_VALUE:
        b->channel.values.n_removed++;
        b->channel.values.n_added++;
        b->values[0] = (int32_t)b->channel.values.n_old;
        break;
    case OTHER_OPTIONS: b->desc.options.boundary = SDD_BOUNDARY_NONE; break;
    case N_SPOILT: break;
    }
}

static void copy(int32_t to[20], const int32_t **rows, int64_t n)
{
    assert_true(n < 20);
    for (int64_t i = 0; i < n; i++)
        to[i] = (*rows)[i];
    *rows = to;
}

static void bad_init(struct bad *b, struct edit_result *r)
{
    mesh_desc(r->mesh, &b->desc);
    mesh_delta_desc(&r->delta, &b->d);
    copy(b->removed, &b->d.faces.removed, b->d.faces.n_removed);
    copy(b->added, &b->d.faces.added, b->d.faces.n_added);
    copy(b->dirty_vertices, &b->d.dirty_vertices, b->d.n_dirty_vertices);
    copy(b->dirty_faces, &b->d.dirty_faces, b->d.n_dirty_faces);
    b->channel = r->delta.channels[0];
    copy(b->values, &b->channel.values.removed, b->channel.values.n_removed);
    b->d.channels = &b->channel;
}

static void test_refused(void **state)
{
    (void)state;
    struct fixture f;
    open_grid(&f);
    int64_t used = fixture_used(&f);
    for (int i = 0; i < N_SPOILT; i++) {
        struct edit_result r;
        struct bad b;
        struct sdd_error err = {0};
        sdd_topology *t = f.topology;
        edit_shape(f.shape.mesh, &r);
        bad_init(&b, &r);
        spoil(&b, (enum spoilt)i);
        int rc = sdd_topology_update(f.topology, &b.desc, &b.d, &t, &err);
        if (rc != SDD_EINVALID || !strstr(err.text, says[i]) || strcmp(err.field, "delta") != 0)
            fail_msg("%d: %d %s, not: %s", i, rc, err.text, says[i]);
        assert_null(t);
        assert_int_equal(fixture_used(&f), used);
        edit_result_free(&r);
    }
    fixture_close(&f);
}

/* A good delta to a bad mesh: the mesh's own error. */
static void test_bad_mesh(void **state)
{
    (void)state;
    struct fixture f;
    struct edit_result r;
    struct bad b;
    struct sdd_error want = {0}, err = {0};
    sdd_topology *t;
    open_grid(&f);
    edit_shape(f.shape.mesh, &r);
    r.mesh->face_vertices[3] = 99;
    bad_init(&b, &r);
    assert_int_equal(sdd_topology_create(f.device, &b.desc, &t, &want), SDD_EMESH);
    assert_int_equal(sdd_topology_update(f.topology, &b.desc, &b.d, &t, &err), SDD_EMESH);
    assert_string_equal(err.text, want.text);
    assert_null(t);
    edit_result_free(&r);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_as_create),
                                       cmocka_unit_test(test_tags_share),
                                       cmocka_unit_test(test_old_goes_meanwhile),
                                       cmocka_unit_test(test_tables_are_left),
                                       cmocka_unit_test(test_only_what_is_read_is_left),
                                       cmocka_unit_test(test_spared_meanwhile),
                                       cmocka_unit_test(test_rows_lose_their_faces),
                                       cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_bad_mesh)};
    return cmocka_run_group_tests_name("sdd_topology_update", tests, NULL, NULL);
}
