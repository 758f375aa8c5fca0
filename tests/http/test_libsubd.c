/* SPDX-License-Identifier: Apache-2.0 */
/* libsubd against the real daemon: one test a route, and the event-loop form. */
#include "client/lib/subd.h"
#include "subdd.pb-c.h"
#include "tests/http/daemon.h"
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct daemon served;
static char url[64];
static subd_client *client;

static const float points[8][3] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                   {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
static const int32_t counts[6] = {4, 4, 4, 4, 4, 4};
static const int32_t corners[24] = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};
static const struct subd_mesh cube =
    SUBD_INIT(subd_mesh, .points = &points[0][0], .face_counts = counts, .face_vertices = corners, .n_vertices = 8,
              .n_faces = 6, .n_corners = 24);
static const char cube_obj[] = "v -1 -1 -1\nv 1 -1 -1\nv -1 1 -1\nv 1 1 -1\nv -1 -1 1\nv 1 -1 1\nv -1 1 1\nv 1 1 1\n"
                               "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
static const struct subd_body cube_body = {"model/obj", cube_obj, sizeof cube_obj - 1};

static subd_client *open_client(const struct subd_config *more)
{
    struct subd_config config = more ? *more : (struct subd_config)SUBD_INIT(subd_config);
    subd_client *c;
    config.server = url;
    assert_int_equal(subd_open(&config, &c, NULL), SUBD_OK);
    return c;
}

static int start(void **state)
{
    (void)state;
    daemon_start(&served, NULL);
    snprintf(url, sizeof url, "http://127.0.0.1:%d", served.port);
    client = open_client(NULL);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    subd_close(client);
    daemon_stop(&served);
    return 0;
}

/* Fails the test with the library's own sentence. */
static void ok(int rc, const struct subd_error *err)
{
    if (rc != SUBD_OK)
        fail_msg("%s: %s (%s)", subd_code_name(rc), err->text, err->problem);
}

static struct subd_mesh_info push_cube(void)
{
    struct subd_mesh_info info;
    struct subd_error err;
    ok(subd_push_mesh(client, &cube, NULL, &info, &err), &err);
    return info;
}

static void test_push_show_list_delete(void **state)
{
    struct subd_push push = SUBD_INIT(subd_push, .name = "the-cube", .options[SUBD_INTERPOLATE_BOUNDARY] = "edgeOnly");
    struct subd_mesh_info info, again, arrays = push_cube();
    struct subd_mesh_list list;
    struct subd_error err;
    int seen = 0;
    (void)state;
    ok(subd_push(client, &cube_body, &push, &info, &err), &err);
    assert_int_equal(info.version, 1);
    assert_int_equal(info.vertices, 8);
    assert_int_equal(info.faces, 6);
    assert_int_equal(info.edges, 12);
    assert_string_equal(info.name, "the-cube");
    assert_string_equal(info.options[SUBD_INTERPOLATE_BOUNDARY], "edgeOnly");
    assert_string_equal(info.options[SUBD_SCHEME], "catmullClark");
    assert_string_not_equal(info.topology_id, arrays.topology_id); /* options belong to a topology */
    ok(subd_show(client, info.id, &again, &err), &err);
    assert_string_equal(again.topology_id, info.topology_id);
    ok(subd_push(client, &cube_body, NULL, &again, &err), &err);
    assert_string_equal(again.topology_id, arrays.topology_id); /* OBJ and arrays say the same */
    for (char after[72] = "";; memcpy(after, list.next, sizeof after), subd_mesh_list_free(&list)) {
        ok(subd_list(client, after, 1, &list, &err), &err);
        for (int64_t i = 0; i < list.n; i++)
            seen += strcmp(list.meshes[i].id, info.id) == 0;
        if (!*list.next)
            break;
    }
    subd_mesh_list_free(&list);
    assert_int_equal(seen, 1);
    assert_int_equal(subd_delete(client, info.id, 99, &err), SUBD_EHTTP);
    assert_int_equal(err.http_status, 412);
    assert_int_equal(err.current_version, 1);
    ok(subd_delete(client, info.id, 1, &err), &err);
    assert_int_equal(subd_show(client, info.id, &again, &err), SUBD_EHTTP);
    assert_int_equal(err.http_status, 404);
    assert_string_equal(err.problem, "not_found");
    assert_true(*err.request_id);
}

static void test_refusals_name_the_fault(void **state)
{
    static const char bad[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n";
    struct subd_push push = SUBD_INIT(subd_push, .options[SUBD_SCHEME] = "loopy");
    struct subd_body body = {"model/obj", bad, sizeof bad - 1};
    struct subd_mesh_info info;
    struct subd_error err;
    (void)state;
    assert_int_equal(subd_push(client, &body, NULL, &info, &err), SUBD_EHTTP);
    assert_int_equal(err.http_status / 100, 4);
    assert_true(*err.problem && *err.text);
    assert_int_equal(subd_push(client, &cube_body, &push, &info, &err), SUBD_EHTTP);
    assert_int_equal(err.http_status, 400);
    assert_non_null(strstr(err.text, "catmullClark"));
}

static void test_refine(void **state)
{
    struct subd_mesh_info info = push_cube();
    struct subd_refine r = SUBD_INIT(subd_refine, .level = 3, .include = SUBD_POSITIONS | SUBD_INDICES | SUBD_NORMALS);
    struct subd_frame f = {0};
    const struct subd_block *positions;
    struct subd_error err;
    char etag[136];
    void *memory;
    (void)state;
    ok(subd_refine(client, info.id, &r, &f, &err), &err);
    assert_int_equal(f.vertices, 386);
    assert_int_equal(f.faces, 384);
    assert_int_equal(f.n_blocks, 3);
    assert_string_equal(f.mesh_id, info.id);
    assert_string_equal(f.topology_id, info.topology_id);
    positions = subd_frame_find(&f, SUBD_POSITIONS);
    for (int64_t i = 0; i < positions->count * 3; i++)
        assert_true(((const float *)positions->data)[i] >= -1 && ((const float *)positions->data)[i] <= 1);
    memory = f.memory;
    memcpy(etag, f.etag, sizeof etag);
    r.if_none_match = etag;
    assert_int_equal(subd_refine(client, info.id, &r, &f, &err), SUBD_UNCHANGED);
    assert_int_equal(f.vertices, 386); /* as it was */
    r.if_none_match = "\"other\"";
    ok(subd_refine(client, info.id, &r, &f, &err), &err);
    assert_ptr_equal(f.memory, memory); /* playback does not allocate */
    r = (struct subd_refine)SUBD_INIT(subd_refine, .level = 99);
    assert_int_equal(subd_refine(client, info.id, &r, &f, &err), SUBD_EUSAGE);
    r.level = 15; /* More faces than ids. */
    assert_int_equal(subd_refine(client, info.id, &r, &f, &err), SUBD_EHTTP);
    assert_int_equal(err.http_status / 100, 4);
    subd_frame_free(&f);
}

struct my_memory {
    float positions[386][3];
    int asked;
};

static void *give(void *arg, const struct subd_frame *f, const struct subd_block *b)
{
    struct my_memory *m = arg;
    assert_int_equal(f->vertices, 386);
    m->asked++;
    return b->semantic == SUBD_POSITIONS && b->bytes == sizeof m->positions ? m->positions : NULL;
}

static void test_refine_into_my_memory(void **state)
{
    static struct my_memory mine;
    struct subd_mesh_info info = push_cube();
    struct subd_refine r = SUBD_INIT(subd_refine, .level = 3, .place = give, .place_arg = &mine),
                       plain = SUBD_INIT(subd_refine, .level = 3, .skip_digests = 1);
    struct subd_frame f = {0}, g = {0};
    struct subd_error err;
    (void)state;
    ok(subd_refine(client, info.id, &r, &f, &err), &err);
    ok(subd_refine(client, info.id, &plain, &g, &err), &err);
    assert_int_equal(mine.asked, 2);
    assert_memory_equal(mine.positions, subd_frame_find(&g, SUBD_POSITIONS)->data, sizeof mine.positions);
    assert_memory_equal(f.blocks[1].data, g.blocks[1].data, (size_t)f.blocks[1].bytes);
    subd_frame_free(&f);
    subd_frame_free(&g);
}

static void test_plan_is_the_frame(void **state)
{
    struct subd_mesh_info info = push_cube();
    struct subd_refine r = SUBD_INIT(subd_refine, .level = 5, .include = SUBD_POSITIONS | SUBD_NORMALS | SUBD_INDICES);
    struct subd_frame f = {0};
    struct subd_plan p;
    struct subd_error err;
    (void)state;
    ok(subd_get_plan(client, info.id, &r, &p, &err), &err);
    ok(subd_refine(client, info.id, &r, &f, &err), &err);
    assert_int_equal(p.level, 5);
    assert_int_equal(p.fits, 1);
    assert_int_equal(p.vertices, f.vertices);
    assert_int_equal(p.faces, f.faces);
    assert_int_equal(p.edges, f.edges);
    assert_int_equal(p.n_blocks, f.n_blocks);
    assert_string_equal(p.method, f.method);
    for (int i = 0; i < p.n_blocks; i++) {
        const struct subd_block *b = subd_frame_find(&f, p.blocks[i].semantic);
        assert_non_null(b);
        assert_int_equal(b->bytes, p.blocks[i].bytes);
    }
    subd_frame_free(&f);
}

static void test_positions(void **state)
{
    struct subd_mesh_info info = push_cube();
    struct subd_refine r = SUBD_INIT(subd_refine, .level = 1);
    struct subd_frame f = {0};
    struct subd_error err;
    float moved[8][3];
    struct subd_range two[2] = {{1, 2, moved[1]}, {6, 1, moved[6]}}, one = {7, 1, moved[7]}, beyond = {7, 2, moved[6]};
    (void)state;
    for (int i = 0; i < 24; i++)
        moved[i / 3][i % 3] = 2 * points[i / 3][i % 3];
    ok(subd_positions(client, info.id, 1, &moved[0][0], 8, &info, &err), &err);
    assert_int_equal(info.version, 2);
    ok(subd_refine(client, info.id, &r, &f, &err), &err);
    assert_int_equal(f.version, 2);
    assert_true(((const float *)subd_frame_find(&f, SUBD_POSITIONS)->data)[0] < -1);
    ok(subd_positions_ranges(client, info.id, 2, two, 2, &info, &err), &err);
    ok(subd_positions_ranges(client, info.id, 3, &one, 1, &info, &err), &err);
    assert_int_equal(info.version, 4);
    ok(subd_positions_body(client, info.id, 0, &cube_body, &info, &err), &err);
    assert_int_equal(info.version, 5);
    assert_int_equal(subd_positions(client, info.id, 0, &moved[0][0], 7, &info, &err),
                     SUBD_EHTTP); /* not all of them */
    assert_int_equal(subd_positions_ranges(client, info.id, 0, &beyond, 1, &info, &err), SUBD_EHTTP);
    assert_int_equal(subd_positions(client, info.id, 2, &moved[0][0], 8, &info, &err), SUBD_EHTTP);
    assert_int_equal(err.http_status, 412);
    assert_int_equal(err.current_version, 5);
    subd_frame_free(&f);
}

struct sum { /* what a sink got */
    int64_t bytes;
    char data[4096];
};

static int take(void *arg, const struct subd_frame *f, const struct subd_block *b, int64_t at, const void *p, size_t n)
{
    struct sum *s = arg;
    assert_true(b == f->blocks && at == s->bytes && at + (int64_t)n <= (int64_t)sizeof s->data);
    memcpy(s->data + at, p, n);
    s->bytes += (int64_t)n;
    return 0;
}

/* The frame of a pose is that of a mesh that was moved there; a sink gets its bytes; the mesh stays. */
static void test_pose(void **state)
{
    struct subd_mesh_info info = push_cube(), other = push_cube();
    struct subd_refine r = SUBD_INIT(subd_refine, .level = 2, .include = SUBD_POSITIONS), to_sink = r;
    struct subd_frame f = {0}, g = {0};
    struct subd_error err;
    float moved[8][3];
    struct sum sum = {0};
    const struct subd_body body = {"application/octet-stream", moved, sizeof moved};
    (void)state;
    for (int i = 0; i < 24; i++)
        moved[i / 3][i % 3] = 3 * points[i / 3][i % 3] + (float)i;
    ok(subd_positions(client, other.id, 1, &moved[0][0], 8, &other, &err), &err);
    ok(subd_refine(client, other.id, &r, &g, &err), &err);
    ok(subd_refine_pose(client, info.id, 1, &moved[0][0], 8, &r, &f, &err), &err);
    assert_string_equal(f.etag, "");
    assert_int_equal(f.blocks[0].digest, g.blocks[0].digest);
    assert_memory_equal(f.blocks[0].data, g.blocks[0].data, (size_t)g.blocks[0].bytes);
    to_sink.sink = take;
    to_sink.sink_arg = &sum;
    ok(subd_refine_pose_body(client, info.id, 0, &body, &to_sink, &f, &err), &err);
    assert_null(f.blocks[0].data);
    assert_int_equal(sum.bytes, g.blocks[0].bytes);
    assert_memory_equal(sum.data, g.blocks[0].data, (size_t)sum.bytes);
    assert_int_equal(subd_refine_pose(client, info.id, 0, &moved[0][0], 7, &r, &f, &err), SUBD_EHTTP);
    assert_string_equal(err.field, "points");
    assert_int_equal(subd_refine_pose(client, info.id, 2, &moved[0][0], 8, &r, &f, &err), SUBD_EHTTP);
    assert_int_equal(err.current_version, 1);
    assert_int_equal(subd_refine_pose(client, info.id, -1, &moved[0][0], 8, &r, &f, &err), SUBD_EUSAGE);
    assert_int_equal(subd_refine_pose(client, info.id, 0, &moved[0][0], -8, &r, &f, &err), SUBD_EUSAGE);
    ok(subd_show(client, info.id, &info, &err), &err);
    assert_int_equal(info.version, 1);
    subd_frame_free(&f);
    subd_frame_free(&g);
}

static void test_edits(void **state)
{
    /* A box on top of the cube: the top goes, four vertices and five faces come; then a crease and a corner. */
    static const float above[4][3] = {{-1, -1, 2}, {1, -1, 2}, {-1, 1, 2}, {1, 1, 2}};
    static const int32_t top[1] = {1}, sizes[5] = {4, 4, 4, 4, 4}, edge[2] = {0, 1}, vertex[1] = {2};
    static const int32_t walls[20] = {4, 5, -2, -1, 5, 7, -4, -2, 7, 6, -3, -4, 6, 4, -1, -3, -1, -2, -4, -3};
    static const float sharp[1] = {3}, moved[3] = {-2, 1, -1};
    struct subd_edit batch[] = {
        {.op = SUBD_REMOVE_FACES, .ids = top, .n_ids = 1},
        {.op = SUBD_ADD_VERTICES, .values = &above[0][0], .n_values = 12},
        {.op = SUBD_ADD_FACES, .ids = walls, .n_ids = 20, .counts = sizes, .n_counts = 5},
        {.op = SUBD_SET_CREASES, .ids = edge, .n_ids = 2, .values = sharp, .n_values = 1},
        {.op = SUBD_SET_CORNERS, .ids = vertex, .n_ids = 1, .values = sharp, .n_values = 1},
        {.op = SUBD_SET_POSITIONS, .ids = vertex, .n_ids = 1, .values = moved, .n_values = 3},
    };
    static const char json[] = "{\"edits\": [{\"setCreases\": {\"edges\": [0, 1], \"sharpnesses\": [0]}}]}";
    struct subd_body body = {"application/json", json, sizeof json - 1};
    struct subd_mesh_info info = push_cube();
    struct subd_edit_result result;
    struct subd_error err;
    (void)state;
    ok(subd_edits(client, info.id, 1, batch, 6, NULL, &result, &err), &err);
    assert_int_equal(result.mesh.version, 2);
    assert_int_equal(result.mesh.vertices, 12);
    assert_int_equal(result.mesh.faces, 10);
    assert_int_equal(result.n_new_vertices, 4);
    assert_int_equal(result.n_new_faces, 5);
    assert_true(result.new_vertex_ids[0] >= 8 && result.new_face_ids[0] >= 6);
    subd_edit_result_free(&result);
    ok(subd_edits_body(client, info.id, 2, &body, "key-1", &result, &err), &err);
    assert_int_equal(result.mesh.version, 3);
    assert_int_equal(result.n_new_faces, 0);
    subd_edit_result_free(&result);
    assert_int_equal(subd_edits(client, info.id, 2, batch + 3, 1, NULL, &result, &err), SUBD_EHTTP);
    assert_int_equal(err.http_status, 412);
    assert_int_equal(err.current_version, 3);
    assert_string_equal(err.problem, "version_mismatch");
}

/* Each modelling edit on a cube of its own: as a struct and as JSON it makes the same mesh. */
static void test_modelling(void **state)
{
    static const int32_t edge[] = {0, 1}, faces[] = {0, 1}, diagonal[] = {0, 3, 4, 7}, both[] = {0, 1, 2, 3};
    static const float t[] = {0.25F}, up[] = {0, 0, 2}, one[] = {1}, each[] = {0.25F, 0.75F};
    const struct {
        struct subd_edit edit;
        const char *json;
    } cases[] = {{{.op = SUBD_FLIP_EDGES, .ids = edge, .n_ids = 2}, "\"flipEdges\":{\"edges\":[0,1]}"},
                 {{.op = SUBD_SPLIT_EDGES, .ids = both, .n_ids = 4, .values = each, .n_values = 2},
                  "\"splitEdges\":{\"edges\":[0,1,2,3],\"t\":[0.25,0.75]}"},
                 {{.op = SUBD_COLLAPSE_EDGES, .ids = edge, .n_ids = 2, .values = t, .n_values = 1},
                  "\"collapseEdges\":{\"edges\":[0,1],\"t\":[0.25]}"},
                 {{.op = SUBD_SPLIT_FACES, .ids = faces, .n_ids = 2, .counts = diagonal, .n_counts = 4},
                  "\"splitFaces\":{\"ids\":[0,1],\"edges\":[0,3,4,7]}"},
                 {{.op = SUBD_POKE_FACES, .ids = faces, .n_ids = 2}, "\"pokeFaces\":{\"ids\":[0,1]}"},
                 {{.op = SUBD_TRIANGULATE_FACES, .ids = faces, .n_ids = 2}, "\"triangulateFaces\":{\"ids\":[0,1]}"},
                 {{.op = SUBD_EXTRUDE_FACES, .ids = faces, .n_ids = 2, .values = up, .n_values = 3},
                  "\"extrudeFaces\":{\"ids\":[0,1],\"by\":[0,0,2]}"},
                 {{.op = SUBD_INSET_FACES, .ids = faces, .n_ids = 2, .values = t, .n_values = 1},
                  "\"insetFaces\":{\"ids\":[0,1],\"t\":[0.25]}"},
                 {{.op = SUBD_REVERSE_FACES, .ids = faces, .n_ids = 2}, "\"reverseFaces\":{\"ids\":[0,1]}"},
                 {{.op = SUBD_LOOP_CUT, .ids = edge, .n_ids = 2}, "\"loopCut\":{\"edges\":[0,1]}"},
                 {{.op = SUBD_DISSOLVE_VERTICES, .ids = edge, .n_ids = 1}, "\"dissolveVertices\":{\"ids\":[0]}"},
                 {{.op = SUBD_DISSOLVE_EDGES, .ids = edge, .n_ids = 2}, "\"dissolveEdges\":{\"edges\":[0,1]}"},
                 {{.op = SUBD_DISSOLVE_FACES, .ids = faces, .n_ids = 2}, "\"dissolveFaces\":{\"ids\":[0,1]}"},
                 {{.op = SUBD_MERGE_VERTICES, .ids = edge, .n_ids = 2, .values = one, .n_values = 1},
                  "\"mergeVertices\":{\"ids\":[0,1],\"t\":[1]}"}};
    struct subd_edit_result a, b;
    struct subd_error err;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char json[128];
        struct subd_mesh_info one_cube = push_cube(), other = push_cube();
        int n = snprintf(json, sizeof json, "{\"edits\":[{%s}]}", cases[i].json);
        const struct subd_body body = {"application/json", json, (size_t)n};
        ok(subd_edits(client, one_cube.id, 1, &cases[i].edit, 1, NULL, &a, &err), &err);
        ok(subd_edits_body(client, other.id, 1, &body, NULL, &b, &err), &err);
        assert_string_equal(a.mesh.topology_id, b.mesh.topology_id);
        assert_int_equal(a.n_new_vertices, b.n_new_vertices);
        assert_int_equal(a.n_new_faces, b.n_new_faces);
        /* Faces 0 and 1 share no edge or vertex, so dissolveFaces leaves both. */
        assert_int_equal(strcmp(a.mesh.topology_id, one_cube.topology_id) != 0,
                         cases[i].edit.op != SUBD_DISSOLVE_FACES);
        subd_edit_result_free(&a);
        subd_edit_result_free(&b);
    }
}

static void test_cage_comes_back(void **state)
{
    struct subd_mesh_info info = push_cube(), again;
    struct subd_body body = {.media_type = "model/obj"};
    Subdd__V1__Mesh *mesh;
    struct subd_error err;
    char *data;
    (void)state;
    ok(subd_cage(client, info.id, "model/obj", &data, &body.bytes, &err), &err);
    assert_int_equal(strlen(data), body.bytes);
    body.data = data;
    ok(subd_push(client, &body, NULL, &again, &err), &err);
    assert_string_equal(again.topology_id, info.topology_id);
    free(data);
    ok(subd_cage(client, info.id, "application/protobuf", &data, &body.bytes, &err), &err);
    mesh = subdd__v1__mesh__unpack(NULL, body.bytes, (const uint8_t *)data);
    assert_non_null(mesh);
    assert_int_equal(mesh->points.len, sizeof points);
    assert_int_equal(mesh->vertex_ids.len, 8 * 4);
    assert_memory_equal(mesh->face_vertex_indices.data, corners, sizeof corners);
    subdd__v1__mesh__free_unpacked(mesh, NULL);
    free(data);
}

static void test_daemonitself(void **state)
{
    struct subd_error err;
    char *json;
    (void)state;
    ok(subd_health(client, 0, &err), &err);
    ok(subd_health(client, 1, &err), &err);
    ok(subd_stat(client, &json, &err), &err);
    assert_non_null(strstr(json, "edge-friend"));
    free(json);
}

static int stop_half_way(void *arg, enum subd_phase phase, int64_t done, int64_t total)
{
    return *(int *)arg && phase == SUBD_RECEIVING && done > total / 10;
}

static void test_cancel_in_the_stream(void **state)
{
    int stop = 1;
    struct subd_config config = SUBD_INIT(subd_config, .progress = stop_half_way, .progress_arg = &stop);
    subd_client *c = open_client(&config);
    struct subd_mesh_info info = push_cube();
    struct subd_refine r = SUBD_INIT(subd_refine, .level = 9);
    struct subd_frame f = {0};
    struct subd_error err;
    (void)state;
    assert_int_equal(subd_refine(c, info.id, &r, &f, &err), SUBD_ECANCELLED);
    assert_int_equal(f.n_blocks, 0);
    stop = 0;
    ok(subd_refine(c, info.id, &r, &f, &err), &err); /* the client is as good as new */
    assert_int_equal(f.vertices, 1572866);
    subd_frame_free(&f);
    subd_close(c);
}

static void test_event_loop(void **state)
{
    enum { N = 4 };
    struct subd_refine r[N] = {
        SUBD_INIT(subd_refine, .level = 6), SUBD_INIT(subd_refine, .level = 5, .include = SUBD_NORMALS),
        SUBD_INIT(subd_refine, .level = 6, .surface = "limit"),
        SUBD_INIT(subd_refine, .level = 15)}; /* The daemon refuses this one: more faces than ids. */
    struct subd_mesh_info info = push_cube();
    struct subd_frame frames[N] = {{.level = 0}}, same = {0};
    struct subd_error errs[N], err;
    subd_client *c[N];
    int rc[N], pending = 0;
    (void)state;
    for (int i = 0; i < N; i++) {
        c[i] = open_client(NULL);
        subd_nonblocking(c[i], 1);
        rc[i] = subd_refine(c[i], info.id, &r[i], &frames[i], &errs[i]);
        assert_int_equal(rc[i], SUBD_PENDING);
        pending++;
    }
    assert_int_equal(subd_health(c[0], 0, &err), SUBD_EUSAGE); /* one call at a time */
    while (pending) {
        struct pollfd fds[N * SUBD_MAX_FDS];
        int n = 0, timeout = 1000, wait;
        for (int i = 0; i < N; i++) {
            if (rc[i] != SUBD_PENDING)
                continue;
            n += subd_poll_set(c[i], fds + n, &wait);
            timeout = wait < timeout ? wait : timeout;
        }
        poll(fds, (nfds_t)n, timeout);
        for (int i = 0; i < N; i++)
            if (rc[i] == SUBD_PENDING && (rc[i] = subd_step(c[i])) != SUBD_PENDING)
                pending--;
    }
    for (int i = 0; i < 3; i++)
        ok(rc[i], &errs[i]);
    assert_int_equal(rc[3], SUBD_EHTTP);
    ok(subd_refine(client, info.id, &r[0], &same, &err), &err);
    assert_memory_equal(frames[0].blocks[0].data, same.blocks[0].data, (size_t)same.blocks[0].bytes);
    assert_int_equal(frames[1].n_blocks, 1);
    assert_string_equal(frames[2].surface, "limit");
    subd_frame_free(&same);
    for (int i = 0; i < N; i++) {
        subd_frame_free(&frames[i]);
        subd_close(c[i]);
    }
    c[0] = open_client(NULL); /* closing with a call under way drops it */
    subd_nonblocking(c[0], 1);
    assert_int_equal(subd_refine(c[0], info.id, &r[0], &frames[0], &err), SUBD_PENDING);
    assert_int_equal(subd_step(c[0]), SUBD_PENDING);
    subd_close(c[0]);
    subd_frame_free(&frames[0]);
}

static void test_idempotency(void **state)
{
    struct subd_push push = SUBD_INIT(subd_push, .idempotency_key = "once-and-only-once");
    struct subd_mesh_info first, second;
    struct subd_error err;
    (void)state;
    ok(subd_push(client, &cube_body, &push, &first, &err), &err);
    ok(subd_push(client, &cube_body, &push, &second, &err), &err);
    assert_string_equal(first.id, second.id);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_push_show_list_delete),
        cmocka_unit_test(test_refusals_name_the_fault),
        cmocka_unit_test(test_refine),
        cmocka_unit_test(test_refine_into_my_memory),
        cmocka_unit_test(test_plan_is_the_frame),
        cmocka_unit_test(test_positions),
        cmocka_unit_test(test_pose),
        cmocka_unit_test(test_edits),
        cmocka_unit_test(test_modelling),
        cmocka_unit_test(test_cage_comes_back),
        cmocka_unit_test(test_daemonitself),
        cmocka_unit_test(test_cancel_in_the_stream),
        cmocka_unit_test(test_event_loop),
        cmocka_unit_test(test_idempotency),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
