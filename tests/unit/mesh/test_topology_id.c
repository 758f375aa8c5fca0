/* SPDX-License-Identifier: Apache-2.0 */
/* The id of a topology: after any edit it is that of the same mesh pushed afresh, every authored row changes it, and an
 * edit hashes no more than the chunks around it. tests/http/test_topology_id.py has the rule in another way. */
#include "server/mesh/topology_id.h"
#include "server/base/shared.h"
#include "server/base/stop.h"
#include "server/mesh/encode.h"
#include "server/mesh/edits/edits.h"
#include "tests/unit/random_edits.h"
#include "tests/unit/sample.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static int64_t n_made, n_changed; /* updates that were compared, and those that gave another id */

/* The id of m as of a mesh that nobody has hashed yet. */
static void fresh(const struct mesh *m, char id[MESH_TOPOLOGY_ID_SIZE])
{
    struct mesh alone = *m;
    struct sdd_error err = {0};
    alone.topology = NULL;
    if (mesh_topology_id(&alone, id, &err))
        fail_msg("%s", err.text);
}

/* ---- an edit and its reverse ---- */
/* The old row of each new one, or SDD_NO_ROW. */
static int32_t *old_rows(const struct mesh_rows_delta *d, int64_t n_new)
{
    int32_t *old = malloc((size_t)(n_new + 1) * sizeof *old);
    int32_t row = 0;
    for (int64_t i = 0, a = 0, r = 0; i < n_new; i++) {
        old[i] = SDD_NO_ROW;
        if (a < d->n_added && d->added[a] == i) {
            a++;
            continue;
        }
        while (r < d->n_removed && d->removed[r] == row)
            r++, row++;
        old[i] = row++;
    }
    return old;
}

/* The dirty rows of the mesh before, when it is what comes after: those that were removed, and the dirty ones that
 * stayed. The caller frees the result. */
static int32_t *dirty_before(const struct mesh_rows_delta *d, const int32_t *dirty, int64_t n_dirty, int64_t n_new,
                             int64_t *n)
{
    int32_t *old = old_rows(d, n_new), *out = malloc((size_t)(n_dirty + d->n_removed + 1) * sizeof *out);
    int64_t r = 0;
    *n = 0;
    for (int64_t i = 0; i < n_dirty; i++) {
        const int32_t row = old[dirty[i]];
        if (row == SDD_NO_ROW)
            continue;
        while (r < d->n_removed && d->removed[r] < row)
            out[(*n)++] = d->removed[r++];
        out[(*n)++] = row;
    }
    while (r < d->n_removed)
        out[(*n)++] = d->removed[r++];
    free(old);
    return out;
}

static struct mesh_rows_delta reversed(const struct mesh_rows_delta *d)
{
    return (struct mesh_rows_delta){d->n_added, d->n_removed, d->added, d->removed};
}

/* The id of m again, as of an edit that makes it of the mesh that came of it. Its rows come back in the middle, as no
 * edit puts them. */
static void check_reverse(const struct mesh *m, const struct edit_result *r)
{
    struct mesh_delta back = {.n_channels = m->n_channels + (m->n_uvs > 0)};
    const struct mesh_delta *d = &r->delta;
    struct mesh alone = *m;
    struct sdd_error err = {0};
    char id[MESH_TOPOLOGY_ID_SIZE], want[MESH_TOPOLOGY_ID_SIZE];
    for (int k = 0; k < back.n_channels; k++)
        back.channels[k].from = SDD_NO_ROW;
    for (int k = 0; k < d->n_channels; k++)
        if (d->channels[k].from != SDD_NO_ROW) {
            back.channels[d->channels[k].from].from = k;
            back.values[d->channels[k].from] = reversed(&d->values[k]);
        }
    back.vertices = reversed(&d->vertices);
    back.faces = reversed(&d->faces);
    back.dirty_vertices =
        dirty_before(&d->vertices, d->dirty_vertices, d->n_dirty_vertices, r->mesh->n_vertices, &back.n_dirty_vertices);
    back.dirty_faces = dirty_before(&d->faces, d->dirty_faces, d->n_dirty_faces, r->mesh->n_faces, &back.n_dirty_faces);
    alone.topology = NULL;
    if (mesh_topology_id_update(r->mesh, &alone, &back, id, &err))
        fail_msg("%s", err.text);
    fresh(m, want);
    assert_string_equal(id, want);
    mesh_topology_free(alone.topology);
    free(back.dirty_vertices);
    free(back.dirty_faces);
}

/* What a batch makes of m, or NULL where it is refused. Its id is compared. */
static struct mesh *edited(const struct mesh *m, const char *json)
{
    char text[4096], id[MESH_TOPOLOGY_ID_SIZE], want[MESH_TOPOLOGY_ID_SIZE];
    struct edit_result r;
    struct sdd_error err = {0};
    (void)snprintf(text, sizeof text, "{\"edits\":[%s]}", json);
    struct edit_batch *b = sample_edits(text);
    int rc = edits_apply(m, b, &r, &err);
    edit_batch_free(b);
    if (rc)
        return NULL;
    if (mesh_topology_id_update(m, r.mesh, &r.delta, id, &err))
        fail_msg("%s", err.text);
    fresh(r.mesh, want);
    if (strcmp(id, want) != 0)
        fail_msg("%s: the update gave %s, afresh it is %s", json, id, want);
    check_reverse(m, &r);
    n_made++;
    fresh(m, want);
    n_changed += strcmp(id, want) != 0;
    struct mesh *out = r.mesh;
    r.mesh = NULL;
    edit_result_free(&r);
    return out;
}

static struct mesh *kept(struct mesh *m)
{
    char id[MESH_TOPOLOGY_ID_SIZE];
    struct sdd_error err = {0};
    int64_t bytes = mesh_bytes(m);
    assert_int_equal(mesh_topology_id_keep(m, id, &err), SDD_OK);
    assert_true(mesh_bytes(m) > bytes);
    return m;
}

/* ---- meshes of many chunks ---- */
enum { ALL = 1, RANDOM = 2, SEAMS = 4 }; /* UVs, values, and tags of every kind; faces of 3 to 6 random corners */

/* Tags about every edge, vertex and face, and channels of a value a corner or, without SEAMS, a vertex. */
static struct mesh *tagged(const struct mesh *bare, int how, struct random_edits *w)
{
    const int64_t n = bare->n_corners;
    int32_t *edges = malloc((size_t)n * 8), *vertices = malloc((size_t)bare->n_vertices * 4),
            *holes = malloc((size_t)bare->n_faces * 4), *corners = malloc((size_t)n * 4);
    float *sharp = malloc((size_t)n * 4), *values = calloc((size_t)n, 8);
    struct mesh_arrays a;
    struct sdd_error err = {0};
    struct mesh *m;
    int64_t n_edges = 0, n_vertices = 0, n_holes = 0;
    for (int64_t f = 0, c = 0; f < bare->n_faces; c += bare->face_counts[f++]) {
        for (int64_t i = 0; i < bare->face_counts[f]; i++) {
            edges[2 * n_edges] = bare->face_vertices[c + i];
            edges[2 * n_edges + 1] = bare->face_vertices[c + (i + 1) % bare->face_counts[f]];
            corners[c + i] = (int32_t)(how & SEAMS ? c + i : bare->face_vertices[c + i]);
            sharp[c + i] = (float)(1 + random_pick(w, 9));
            values[2 * (c + i)] = (float)(c + i);
            n_edges += random_pick(w, 8) > 0;
        }
        holes[n_holes] = (int32_t)f;
        n_holes += random_pick(w, 3) == 0;
    }
    for (int32_t v = 0; v < bare->n_vertices; v++) {
        vertices[n_vertices] = v;
        n_vertices += random_pick(w, 8) > 0;
    }
    mesh_as_arrays(bare, &a);
    a.crease_indices = (struct i32s){edges, 2 * n_edges};
    a.crease_sharpnesses = (struct f32s){sharp, n_edges};
    a.corner_indices = (struct i32s){vertices, n_vertices};
    a.corner_sharpnesses = (struct f32s){sharp, n_vertices};
    a.hole_indices = (struct i32s){holes, n_holes};
    a.uvs = (struct f32s){values, 2 * (how & SEAMS ? n : bare->n_vertices)};
    a.uv_indices = (struct i32s){corners, n};
    a.n_primvars = 1;
    assert_int_equal(primvar_author(&a.primvars[0], "primvars[0]", "map", "faceVarying", "f32", 2, &err), SDD_OK);
    a.primvars[0].values = values;
    a.primvars[0].n_words = a.uvs.n;
    a.primvars[0].indices = a.uv_indices;
    if (mesh_build(&a, &m, &err))
        fail_msg("%s", err.text);
    free(edges), free(vertices), free(holes), free(corners), free(sharp), free(values);
    return m;
}

static struct mesh *soup(int64_t n_faces, int32_t n_vertices, struct random_edits *w)
{
    int32_t *counts = malloc((size_t)n_faces * 4), *corners = malloc((size_t)n_faces * 24);
    float *points = calloc((size_t)n_vertices, 12);
    struct sdd_error err = {0};
    struct mesh *m;
    int64_t n = 0;
    for (int64_t f = 0; f < n_faces; f++) {
        counts[f] = 3 + random_pick(w, 4);
        for (int32_t i = 0, first = random_pick(w, n_vertices); i < counts[f]; i++)
            corners[n++] = (first + 7 * i) % n_vertices;
    }
    const struct mesh_arrays a = {
        .points = {points, 3 * (int64_t)n_vertices}, .face_counts = {counts, n_faces}, .face_vertices = {corners, n}};
    if (mesh_build(&a, &m, &err))
        fail_msg("%s", err.text);
    free(counts), free(corners), free(points);
    return m;
}

static struct mesh *large(int how, struct random_edits *w)
{
    struct mesh *bare = how & RANDOM ? soup(3000, 2000, w) : sample_grid(70, 50);
    struct mesh *m = how & ALL ? tagged(bare, how, w) : bare;
    if (m != bare)
        mesh_free(bare);
    return kept(m);
}

/* ---- the tests ---- */
/* Batch after batch on what the last one made. */
static void test_random(void **state)
{
    static const int hows[] = {0, ALL, ALL | SEAMS, RANDOM, ALL | RANDOM, ALL | RANDOM | SEAMS};
    struct random_edits w = {.x = 88172645463325252u};
    (void)state;
    n_made = n_changed = 0;
    for (size_t k = 0; k < sizeof hows / sizeof *hows; k++) {
        struct mesh *m = large(hows[k], &w);
        for (int round = 0; round < 1600; round++) {
            random_batch(&w, m);
            struct mesh *next = edited(m, w.text);
            if (!next)
                continue;
            mesh_free(m);
            m = next;
        }
        mesh_free(m);
    }
    print_message("%lld batches, %lld of which changed the id\n", (long long)n_made, (long long)n_changed);
    assert_true(n_made > 3000 && n_changed > 2500);
}

/* Small meshes: of one chunk, of one face, and of none. */
static void test_small(void **state)
{
    static const char *const edits[] = {
        "{\"pokeFaces\":{\"ids\":[0]}}",
        "{\"removeFaces\":{\"ids\":[0]}}",
        "{\"addVertices\":{\"points\":[9,9,9]}}",
        "{\"setHoles\":{\"ids\":[0],\"hole\":true}}",
        "{\"setCorners\":{\"ids\":[1],\"sharpnesses\":[3]}}",
        "{\"setCreases\":{\"edges\":[0,1],\"sharpnesses\":[3]}}",
        "{\"setPositions\":{\"ids\":[0],\"points\":[5,5,5]}}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        struct mesh *one = kept(sample_grid(1, 1)), *few = kept(sample_grid(3, 2)), *next;
        assert_non_null(next = edited(one, edits[i]));
        mesh_free(next);
        assert_non_null(next = edited(few, edits[i]));
        mesh_free(next);
        mesh_free(one);
        mesh_free(few);
    }
    struct mesh *one = kept(sample_grid(1, 1)), *none = edited(one, edits[1]), *back;
    assert_int_equal(none->n_faces, 0);
    back = edited(none, "{\"addFaces\":{\"faceVertexCounts\":[4],\"faceVertexIndices\":[0,1,3,2]}}");
    char a[MESH_TOPOLOGY_ID_SIZE], b[MESH_TOPOLOGY_ID_SIZE];
    fresh(one, a);
    fresh(back, b);
    assert_string_equal(a, b);
    mesh_free(one);
    mesh_free(none);
    mesh_free(back);
}

#define INDICES "[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]"
/* A channel that is new, or in another place, is another one, though as many faces are as clean as before. */
static void test_channels(void **state)
{
    static const char *const edits[] = {
        "{\"putPrimvar\":{\"name\":\"map\",\"interpolation\":\"faceVarying\",\"values\":[4,5,6,7,8],"
        "\"indices\":" INDICES "}}",
        "{\"putPrimvar\":{\"name\":\"a\",\"interpolation\":\"faceVarying\",\"values\":[4],\"indices\":" INDICES "}}",
        "{\"removePrimvar\":{\"name\":\"map\"}},"
        "{\"putPrimvar\":{\"name\":\"a\",\"interpolation\":\"faceVarying\",\"values\":[4],\"indices\":" INDICES "}}",
        "{\"removePrimvar\":{\"name\":\"map\"}}"};
    (void)state;
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        struct mesh *m = kept(sample_json(sample_primvars_json)), *next = edited(m, edits[i]);
        assert_non_null(next);
        mesh_free(next);
        mesh_free(m);
    }
}

/* Every authored number of every part changes the id, and each in another way. */
static void test_every_row(void **state)
{
    struct random_edits w = {.x = 4711};
    char a[MESH_TOPOLOGY_ID_SIZE], b[MESH_TOPOLOGY_ID_SIZE];
    (void)state;
    struct mesh *bare = soup(300, 150, &w), *m = tagged(bare, ALL | SEAMS, &w);
    const struct {
        int32_t *words;
        int64_t n;
    } arrays[] = {{m->face_vertices, m->n_corners},
                  {m->uv_indices, m->n_corners},
                  {m->primvars[0].indices, m->n_corners},
                  {m->crease_edges, 2 * m->n_creases},
                  {(int32_t *)m->crease_sharpness, m->n_creases},
                  {m->corner_vertices, m->n_corner_tags},
                  {(int32_t *)m->corner_sharpness, m->n_corner_tags},
                  {&m->options.scheme, 6}};
    char(*seen)[MESH_TOPOLOGY_ID_SIZE] = calloc(20000, sizeof *seen);
    size_t n = 0;
    fresh(m, seen[n++]);
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        for (int64_t i = 0; i < arrays[k].n; i++) {
            arrays[k].words[i] ^= 1;
            fresh(m, seen[n++]);
            arrays[k].words[i] ^= 1;
        }
    for (int64_t f = 0; f + 1 < m->n_faces; f++) { /* a corner of one face goes to the next */
        m->face_counts[f]++, m->face_counts[f + 1]--;
        fresh(m, seen[n++]);
        m->face_counts[f]--, m->face_counts[f + 1]++;
    }
    for (int64_t i = 0; i + 1 < m->n_holes; i++) /* a hole goes to a face that is none, without passing another */
        if (m->hole_faces[i] + 1 < m->hole_faces[i + 1]) {
            m->hole_faces[i]++;
            fresh(m, seen[n++]);
            m->hole_faces[i]--;
        }
    int64_t *const counts[] = {&m->n_vertices, &m->n_uvs, &m->channels[0].n_values};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        ++*counts[i];
        fresh(m, seen[n++]);
        --*counts[i];
    }
    assert_true(n > 5000 && n < 20000);
    qsort(seen, n, sizeof *seen, (int (*)(const void *, const void *))strcmp);
    for (size_t i = 1; i < n; i++)
        assert_string_not_equal(seen[i - 1], seen[i]);
    fresh(m, a);
    m->points[0] = 7; /* none of these is topology */
    m->uvs[0] = 7;
    ((float *)m->primvars[0].values)[1] = 7;
    fresh(m, b);
    assert_string_equal(a, b);
    free(seen);
    mesh_free(bare);
    mesh_free(m);
}

/* Removes a vertex in the middle, so that all rows behind it, of which there are many chunks, have other numbers. */
static void test_removed_vertex(void **state)
{
    struct random_edits w = {.x = 99};
    char text[400];
    (void)state;
    struct mesh *m = large(ALL, &w);
    for (int i = 0; i < 30; i++) {
        const int32_t v = m->vertex_ids[200 + random_pick(&w, m->n_vertices - 400)];
        (void)snprintf(text, sizeof text, "{\"dissolveVertices\":{\"ids\":[%d]}}", v);
        struct mesh *next = edited(m, text);
        if (!next)
            continue;
        mesh_free(m);
        m = next;
    }
    assert_true(m->n_vertices < 71 * 51 - 10);
    mesh_free(m);
}

/* Faces without a cut among them, so that chunks end at the most that they may have, in faces or in corners. An edit at
 * the front moves all those ends. */
static void caps(int32_t n_faces, int32_t corners, const char *edit)
{
    int32_t *counts = malloc((size_t)n_faces * 4), *words = malloc((size_t)n_faces * (size_t)corners * 4);
    float *points = calloc((size_t)corners, 12);
    struct sdd_error err = {0};
    struct mesh *m, *next;
    for (int64_t f = 0; f < n_faces; f++) {
        counts[f] = corners;
        for (int32_t i = 0; i < corners; i++)
            words[f * corners + i] = i;
    }
    const struct mesh_arrays a = {.points = {points, 3 * (int64_t)corners},
                                  .face_counts = {counts, n_faces},
                                  .face_vertices = {words, (int64_t)n_faces * corners}};
    if (mesh_build(&a, &m, &err))
        fail_msg("%s", err.text);
    const int64_t bytes = mesh_bytes(m);
    next = edited(kept(m), edit);
    assert_true(mesh_bytes(m) - bytes < 1200); /* a few chunks, and not one for every 64 faces */
    assert_non_null(next);
    mesh_free(m);
    mesh_free(next);
    free(counts), free(words), free(points);
}

static void test_caps(void **state)
{
    static const char *const edits[] = {"{\"removeFaces\":{\"ids\":[5]}}", "{\"removeFaces\":{\"ids\":[9000]}}",
                                        "{\"removeFaces\":{\"ids\":[8191]}},{\"removeFaces\":{\"ids\":[8192]}}",
                                        "{\"setHoles\":{\"ids\":[8191],\"hole\":true}}"};
    (void)state;
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++)
        caps(8192 * 3, 3, edits[i]);
    caps(8192, 3, edits[0]);
    caps(8193, 3, edits[0]);
    caps(300, 1000, "{\"removeFaces\":{\"ids\":[5]}}");
    caps(3, 70000, "{\"removeFaces\":{\"ids\":[1]}}");
}

/* What is far from the edit is not looked at: here it is wrong, and the id still right. */
static void test_takes_over(void **state)
{
    char id[MESH_TOPOLOGY_ID_SIZE], want[MESH_TOPOLOGY_ID_SIZE];
    struct random_edits w = {.x = 3};
    struct edit_result r;
    struct sdd_error err = {0};
    (void)state;
    shared_use_files(false); /* Sealed arrays cannot be written. */
    struct mesh *bare = sample_grid(300, 200), *m = kept(tagged(bare, ALL | SEAMS, &w));
    struct edit_batch *b = sample_edits("{\"edits\":[{\"pokeFaces\":{\"ids\":[30100]}},"
                                        "{\"setHoles\":{\"ids\":[30200],\"hole\":true}},"
                                        "{\"setCorners\":{\"ids\":[30300],\"sharpnesses\":[2.5]}}]}");
    assert_int_equal(edits_apply(m, b, &r, &err), SDD_OK);
    fresh(r.mesh, want);
    int32_t *const far[] = {r.mesh->face_vertices + 4 * 11111,
                            r.mesh->face_vertices + 4 * 50000,
                            r.mesh->uv_indices + 4 * 11113,
                            r.mesh->uv_indices + 4 * 50001,
                            r.mesh->primvars[0].indices + 4 * 50002,
                            r.mesh->crease_edges + 2 * 11111,
                            (int32_t *)r.mesh->crease_sharpness + 50000,
                            r.mesh->corner_vertices + 11111,
                            (int32_t *)r.mesh->corner_sharpness + 50000};
    for (size_t i = 0; i < sizeof far / sizeof *far; i++)
        *far[i] ^= 1;
    r.mesh->face_counts[11112]++, r.mesh->face_counts[11113]--;
    assert_int_equal(mesh_topology_id_update(m, r.mesh, &r.delta, id, &err), SDD_OK);
    assert_string_equal(id, want);
    fresh(r.mesh, id);
    assert_string_not_equal(id, want);
    edit_result_free(&r);
    edit_batch_free(b);
    mesh_free(bare);
    mesh_free(m);
    shared_use_files(true);
}

/* A long hash ends when nobody waits for it, and leaves nothing behind. */
static void test_stop(void **state)
{
    const atomic_int stop = 1;
    char id[MESH_TOPOLOGY_ID_SIZE];
    struct sdd_error err = {0};
    struct mesh *m = sample_grid(3, 3);
    (void)state;
    stop_watch(&stop);
    assert_int_equal(mesh_topology_id_keep(m, id, &err), SDD_ECANCELLED);
    assert_null(m->topology);
    assert_string_equal(id, "");
    stop_watch(NULL);
    mesh_free(kept(m));
}

/* A copy shares arrays, but not what a mesh keeps of its topology: either may be freed first. */
static void test_copy(void **state)
{
    (void)state;
    for (int first = 0; first < 2; first++) {
        char id[2][MESH_TOPOLOGY_ID_SIZE], after[MESH_TOPOLOGY_ID_SIZE];
        struct mesh *m[2] = {kept(sample_grid(5, 4)), NULL};
        struct sdd_error err = {0};
        assert_int_equal(mesh_copy(m[0], &m[1], &err), SDD_OK);
        assert_non_null(m[0]->topology);
        for (int i = 0; i < 2; i++)
            assert_int_equal(mesh_topology_id_keep(m[i], id[i], &err), SDD_OK);
        assert_string_equal(id[0], id[1]);
        mesh_free(m[first]);
        assert_int_equal(mesh_topology_id_keep(m[!first], after, &err), SDD_OK);
        assert_string_equal(after, id[0]);
        mesh_free(m[!first]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),     cmocka_unit_test(test_small),          cmocka_unit_test(test_channels),
        cmocka_unit_test(test_every_row),  cmocka_unit_test(test_removed_vertex), cmocka_unit_test(test_caps),
        cmocka_unit_test(test_takes_over), cmocka_unit_test(test_stop),           cmocka_unit_test(test_copy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
