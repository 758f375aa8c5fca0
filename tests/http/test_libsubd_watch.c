/* SPDX-License-Identifier: Apache-2.0 */
/* subd_watch over a daemon: after each of many random edits the frame that deltas have made is, in every bit, the one
 * that the daemon sends as a whole; and how a watch ends and goes on. */
#include "client/lib/subd_watch.h"
#include "tests/http/canned.h"
#include "tests/http/client.h"
#include "tests/http/torus.h"
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct daemon d;
static subd_client *watcher, *editor;

static int start(void **state)
{
    (void)state;
    daemon_start(&d, NULL);
    watcher = client_start(&d);
    editor = client_start(&d);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    subd_close(watcher);
    subd_close(editor);
    daemon_stop(&d);
    return 0;
}

/* ---- random edits ------------------------------------------------------------------------------------------------ */
static uint32_t seed;

static int below(int64_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (int)((seed >> 8) % (uint32_t)n);
}

static int64_t corner_of(const struct subd_mesh *m, int64_t face)
{
    int64_t at = 0;
    for (int64_t f = 0; f < face; f++)
        at += m->face_counts[f];
    return at;
}

/* One of: a vertex moves, an edge gets a crease, a face goes, a face is made two, a face becomes a hole or none. */
static int edit(const char *id, const struct subd_cage *cage)
{
    const struct subd_mesh *m = cage->mesh;
    const int64_t f = below(m->n_faces), at = corner_of(m, f);
    const int n = m->face_counts[f];
    int32_t ids[8], more[12], counts[2];
    float values[16];
    struct subd_edit e[2] = {0};
    int n_edits = 1;
    for (int k = 0; k < n && k < 8; k++)
        ids[k] = cage->vertex_ids[m->face_vertices[at + k]];
    switch (below(5)) {
    case 0:
        values[0] = (float)below(100) / 50, values[1] = (float)below(100) / 50, values[2] = (float)below(100) / 50;
        e[0] = (struct subd_edit){.op = SUBD_SET_POSITIONS, .ids = ids, .n_ids = 1, .values = values, .n_values = 3};
        break;
    case 1:
        values[0] = (float)below(40) / 10;
        e[0] = (struct subd_edit){.op = SUBD_SET_CREASES, .ids = ids, .n_ids = 2, .values = values, .n_values = 1};
        break;
    case 2:
        ids[0] = cage->face_ids[f];
        e[0] = (struct subd_edit){.op = SUBD_REMOVE_FACES, .ids = ids, .n_ids = 1};
        break;
    case 3:
        if (n < 4 || n > 8)
            return SUBD_EHTTP;
        for (int k = 0; k < 3; k++)
            more[k] = ids[k];
        more[3] = ids[0];
        for (int k = 2; k < n; k++)
            more[k + 2] = ids[k];
        counts[0] = 3, counts[1] = n - 1;
        for (int k = 0; k < 16; k++)
            values[k] = (float)below(100) / 100;
        ids[0] = cage->face_ids[f];
        e[0] = (struct subd_edit){.op = SUBD_REMOVE_FACES, .ids = ids, .n_ids = 1};
        e[1] = (struct subd_edit){.op = SUBD_ADD_FACES, .ids = more, .n_ids = n + 2, .counts = counts, .n_counts = 2};
        if (m->n_uvs)
            e[1].values = values, e[1].n_values = 2 * (n + 2);
        n_edits = n + 2 <= 8 || !m->n_uvs ? 2 : 0;
        break;
    default:
        ids[0] = cage->face_ids[f];
        e[0] = (struct subd_edit){.op = SUBD_SET_HOLES, .ids = ids, .n_ids = 1, .hole = below(2)};
    }
    return n_edits ? subd_edits(editor, id, cage->version, e, n_edits, NULL, NULL, NULL) : SUBD_EHTTP;
}

static void edit_once(const char *id)
{
    for (int tries = 0; tries < 100; tries++) {
        struct subd_cage cage = {0};
        assert_int_equal(subd_cage_arrays(editor, id, &cage, NULL), SUBD_OK);
        const int rc = edit(id, &cage);
        subd_cage_free(&cage);
        if (rc == SUBD_OK)
            return;
        assert_int_equal(rc, SUBD_EHTTP); /* What would make an invalid mesh is refused. */
    }
    fail_msg("no edit is possible");
}

/* ---- the frames of a walk ---------------------------------------------------------------------------------------- */
struct walk {
    const char *id;
    const struct subd_refine *request;
    int64_t last, bytes, whole_bytes;
    int n, deltas, ends_at;
};

static void assert_same(const struct subd_frame *a, const struct subd_frame *b)
{
    assert_int_equal(a->version, b->version);
    assert_int_equal(a->n_blocks, b->n_blocks);
    assert_int_equal(a->vertices, b->vertices);
    assert_int_equal(a->faces, b->faces);
    assert_int_equal(a->head_bytes, b->head_bytes);
    assert_memory_equal(a->head, b->head, (size_t)a->head_bytes);
    for (int i = 0; i < a->n_blocks; i++) {
        assert_int_equal(a->blocks[i].semantic, b->blocks[i].semantic);
        assert_int_equal(a->blocks[i].bytes, b->blocks[i].bytes);
        if (a->blocks[i].bytes && memcmp(a->blocks[i].data, b->blocks[i].data, (size_t)a->blocks[i].bytes) != 0)
            fail_msg("version %lld: block %d differs", (long long)a->version, i);
    }
}

static int changed(void *arg, const struct subd_frame *frame, const struct subd_news *news)
{
    struct walk *w = arg;
    struct subd_frame whole = {0};
    assert_int_equal(news->version, frame->version);
    assert_true(!news->base || news->base == w->last);
    assert_int_equal(subd_refine(editor, w->id, w->request, &whole, NULL), SUBD_OK);
    assert_same(frame, &whole);
    w->last = news->version;
    w->deltas += news->base != 0;
    w->bytes += news->base ? news->bytes : 0;
    w->whole_bytes += news->base ? frame->frame_bytes : 0;
    subd_frame_free(&whole);
    if (++w->n >= w->ends_at)
        return 1;
    edit_once(w->id);
    return 0;
}

static void push_as(const char *obj, const char *scheme, struct subd_mesh_info *info)
{
    const struct subd_body body = {"model/obj", obj, strlen(obj)};
    struct subd_push p = SUBD_INIT(subd_push, .name = NULL);
    p.options[SUBD_SCHEME] = scheme;
    assert_int_equal(subd_push(editor, &body, &p, info, NULL), SUBD_OK);
}

static void push(const char *obj, struct subd_mesh_info *info)
{
    push_as(obj, NULL, info);
}

/* A grid with UVs and a seam in the middle. */
static char *uv_grid(int n)
{
    const size_t room = (size_t)n * (size_t)n * 200 + 4096;
    char *obj = malloc(room);
    size_t at = 0;
    for (int y = 0; y <= n; y++)
        for (int x = 0; x <= n; x++)
            at += (size_t)snprintf(obj + at, room - at, "v %d %d %g\nvt %g %g\nvt %g %g\n", x, y, 0.1 * ((x * y) % 3),
                                   (double)x / n, (double)y / n, 2 + (double)x / n, (double)y / n);
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            const int v[4] = {y * (n + 1) + x, y * (n + 1) + x + 1, (y + 1) * (n + 1) + x + 1, (y + 1) * (n + 1) + x};
            at += (size_t)snprintf(obj + at, room - at, "f");
            for (int k = 0; k < 4; k++)
                at += (size_t)snprintf(obj + at, room - at, " %d/%d", v[k] + 1, 2 * v[k] + 1 + (x >= n / 2));
            at += (size_t)snprintf(obj + at, room - at, "\n");
        }
    return obj;
}

/* A grid of triangles. */
static char *triangles(int n)
{
    const size_t room = (size_t)n * (size_t)n * 200 + 4096;
    char *obj = malloc(room);
    size_t at = 0;
    for (int v = 0; v < (n + 1) * (n + 1); v++)
        at += (size_t)snprintf(obj + at, room - at, "v %d %d %d\n", v % (n + 1), v / (n + 1), v % 3);
    for (int i = 0; i < n * n; i++) {
        const int v = i / n * (n + 1) + i % n + 1;
        at += (size_t)snprintf(obj + at, room - at, "f %d %d %d\nf %d %d %d\n", v, v + 1, v + n + 2, v, v + n + 2,
                               v + n + 1);
    }
    return obj;
}

/* A grid whose vertices have colours. */
static char *coloured(int n)
{
    const size_t room = (size_t)n * (size_t)n * 200 + 4096;
    char *obj = malloc(room);
    size_t at = 0;
    for (int v = 0; v < (n + 1) * (n + 1); v++)
        at += (size_t)snprintf(obj + at, room - at, "v %d %d 0 %g 0.5 %g\n", v % (n + 1), v / (n + 1), v % 7 / 7.0,
                               v % 5 / 5.0);
    for (int i = 0; i < n * n; i++) {
        const int v = i / n * (n + 1) + i % n + 1;
        at += (size_t)snprintf(obj + at, room - at, "f %d %d %d %d\n", v, v + 1, v + n + 2, v + n + 1);
    }
    return obj;
}

static char *read_shape(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "tests/shapes/%s.obj", name);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    char *text = calloc(1, 1 << 20);
    assert_true(fread(text, 1, (1 << 20) - 1, f) > 0);
    fclose(f);
    return text;
}

static void walk(const char *what, char *obj, const char *scheme, const struct subd_refine *request, int versions)
{
    struct subd_mesh_info info;
    struct subd_frame frame = {0};
    struct subd_error err = {0};
    push_as(obj, scheme, &info);
    free(obj);
    struct walk w = {.id = info.id, .request = request, .ends_at = versions};
    const struct subd_watch watch = SUBD_INIT(subd_watch, .changed = changed, .arg = &w);
    const int rc = subd_watch(watcher, info.id, request, &watch, &frame, &err);
    if (rc != SUBD_OK)
        fail_msg("%s, after %d versions: %s", what, w.n, err.text);
    print_message("%s: %d of %d versions by deltas of %.1f %% of the frame\n", what, w.deltas, versions - 1,
                  100.0 * (double)w.bytes / (double)(w.whole_bytes + 1));
    assert_int_equal(w.n, versions);
    assert_true(w.deltas > versions / 2);
    subd_frame_free(&frame);
    assert_int_equal(subd_delete(editor, info.id, 0, NULL), SUBD_OK);
}

static void test_random_edits(void **state)
{
    const unsigned all = SUBD_POSITIONS | SUBD_INDICES | SUBD_NORMALS;
    const struct subd_refine plain = SUBD_INIT(subd_refine, .level = 4, .include = all),
                             uvs = SUBD_INIT(subd_refine, .level = 3, .include = all | SUBD_UVS | SUBD_UV_INDICES),
                             split = SUBD_INIT(subd_refine, .level = 3, .include = all | SUBD_NORMAL_INDICES),
                             limit = SUBD_INIT(subd_refine, .level = 2, .surface = "limit",
                                               .include = all | SUBD_TANGENTS | SUBD_FACE_PARAMS),
                             compact = SUBD_INIT(subd_refine, .level = 3, .include = all,
                                                 .compact = SUBD_POSITIONS | SUBD_NORMALS),
                             all_primvars = SUBD_INIT(subd_refine, .level = 3, .include = all, .primvars = "*"),
                             first = SUBD_INIT(subd_refine, .level = 1);
    (void)state;
    seed = 7;
    walk("torus", torus_obj(12, 1), NULL, &plain, 60);
    walk("grid with UVs", uv_grid(10), NULL, &uvs, 60);
    walk("grid", grid_obj(12), NULL, &plain, 60);
    walk("n-gons with creases, split normals", read_shape("crease_ngons"), NULL, &split, 40);
    walk("creases on boundaries, limit surface", read_shape("crease_to_boundary_1.5"), NULL, &limit, 40);
    walk("large faces, compact", read_shape("cap_of_large_faces"), NULL, &compact, 40);
    walk("triangles, loop", triangles(10), "loop", &plain, 40);
    walk("bilinear", uv_grid(8), "bilinear", &uvs, 40);
    walk("colours", coloured(8), NULL, &all_primvars, 40);
    walk("level 1", grid_obj(12), NULL, &first, 40);
}

/* ---- how it goes on and ends ------------------------------------------------------------------------------------- */
static int stop_at_once(void *arg, const struct subd_frame *frame, const struct subd_news *news)
{
    (void)frame;
    *(struct subd_news *)arg = *news;
    return 1;
}

static int delete_mesh(void *arg, const struct subd_frame *frame, const struct subd_news *news)
{
    (void)news;
    (void)arg;
    assert_int_equal(subd_delete(editor, frame->mesh_id, 0, NULL), SUBD_OK);
    return 0;
}

/* A frame of an earlier call is where the next one goes on, by a delta while the daemon has that version. One that the
 * program has changed meanwhile does not match its digest, and comes as a whole. */
static void test_goes_on(void **state)
{
    /* Of one engine: `auto` may go over to tables between two frames, whose heads then differ. */
    const struct subd_refine request = SUBD_INIT(subd_refine, .level = 3, .method = "mesh-matrix");
    struct subd_news news;
    const struct subd_watch watch = SUBD_INIT(subd_watch, .changed = stop_at_once, .arg = &news),
                            whole = SUBD_INIT(subd_watch, .no_deltas = 1, .changed = stop_at_once, .arg = &news),
                            ending = SUBD_INIT(subd_watch, .changed = delete_mesh);
    struct subd_frame frame = {0}, now = {0};
    struct subd_mesh_info info;
    struct subd_error err = {0};
    float point[3] = {1, 2, 3};
    const struct subd_range range = {0, 1, point};
    char *obj = grid_obj(8);
    (void)state;
    push(obj, &info);
    free(obj);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(subd_watch(watcher, info.id, &request, i == 2 ? &whole : &watch, &frame, &err), SUBD_OK);
        assert_int_equal(news.version, i + 1);
        assert_int_equal(news.base, i == 1 ? i : 0);
        assert_int_equal(subd_refine(editor, info.id, &request, &now, NULL), SUBD_OK);
        assert_same(&frame, &now);
        if (i == 2)
            memset(frame.blocks[0].data, 0, (size_t)frame.blocks[0].bytes);
        point[0] += 1;
        assert_int_equal(subd_positions_ranges(editor, info.id, 0, &range, 1, NULL, NULL), SUBD_OK);
    }
    assert_int_equal(subd_watch(watcher, info.id, &request, &ending, &frame, &err), SUBD_EHTTP);
    assert_int_equal(err.http_status, 404);
    assert_string_equal(err.problem, "not_found");
    subd_frame_free(&frame);
    subd_frame_free(&now);
}

/* Memory of the program: blocks that grow are asked for again, and hold what they held. */
struct places {
    void *data[4];
    int n_asked, moved;
};

static void *place(void *arg, const struct subd_frame *frame, const struct subd_block *b)
{
    struct places *p = arg;
    const int i = (int)(b - frame->blocks);
    p->data[i] = realloc(p->data[i], (size_t)b->bytes);
    p->n_asked++;
    return p->data[i];
}

static void test_placed(void **state)
{
    struct places places = {0};
    const struct subd_refine request = SUBD_INIT(subd_refine, .level = 3, .place = place, .place_arg = &places),
                             plain = SUBD_INIT(subd_refine, .level = 3);
    struct subd_frame frame = {0};
    struct subd_mesh_info info;
    char *obj = grid_obj(8);
    (void)state;
    seed = 3;
    push(obj, &info);
    free(obj);
    struct walk w = {.id = info.id, .request = &plain, .ends_at = 40};
    const struct subd_watch watch = SUBD_INIT(subd_watch, .changed = changed, .arg = &w);
    assert_int_equal(subd_watch(watcher, info.id, &request, &watch, &frame, NULL), SUBD_OK);
    for (int i = 0; i < frame.n_blocks; i++)
        assert_ptr_equal(frame.blocks[i].data, places.data[i]);
    assert_true(places.n_asked > 2);
    for (int i = 0; i < 4; i++)
        free(places.data[i]);
    subd_frame_free(&frame);
    assert_int_equal(subd_delete(editor, info.id, 0, NULL), SUBD_OK);
}

static int take_event(void *arg, const struct subd_mesh_event *e)
{
    struct subd_mesh_event *to = arg;
    to->version += e->version;
    snprintf(to->kind, sizeof to->kind, "%s", e->kind);
    return strcmp(e->kind, "version") == 0 && e->version == 3;
}

static void test_events(void **state)
{
    struct subd_mesh_event seen = {0};
    const struct subd_events events = SUBD_INIT(subd_events, .since = 1, .heard = take_event, .arg = &seen);
    struct subd_mesh_info info;
    struct subd_error err = {0};
    (void)state;
    push(CUBE, &info);
    assert_int_equal(subd_rename(editor, info.id, 0, "two", NULL, NULL), SUBD_OK);
    assert_int_equal(subd_rename(editor, info.id, 0, "three", NULL, NULL), SUBD_OK);
    assert_int_equal(subd_events(watcher, info.id, &events, &err), SUBD_OK);
    assert_int_equal(seen.version, 5); /* 2 and 3 */
    assert_int_equal(subd_delete(editor, info.id, 0, NULL), SUBD_OK);
    assert_int_equal(subd_events(watcher, info.id, &events, &err), SUBD_EHTTP);
    assert_int_equal(err.http_status, 404);
}

/* The form for programs that poll: the call goes on while the program does other things, and can be given up. */
static void test_polled(void **state)
{
    const struct subd_refine request = SUBD_INIT(subd_refine, .level = 2);
    struct subd_frame frame = {0};
    struct subd_mesh_info info;
    struct subd_error err = {0};
    char *obj = grid_obj(4);
    int rc;
    (void)state;
    seed = 5;
    push(obj, &info);
    free(obj);
    struct walk w = {.id = info.id, .request = &request, .ends_at = 10};
    const struct subd_watch watch = SUBD_INIT(subd_watch, .changed = changed, .arg = &w);
    subd_nonblocking(watcher, 1);
    for (int given_up = 0; given_up < 2; given_up++) {
        rc = subd_watch(watcher, info.id, &request, &watch, &frame, &err);
        assert_int_equal(rc, SUBD_PENDING);
        assert_int_equal(
            subd_events(watcher, info.id, &(struct subd_events)SUBD_INIT(subd_events, .heard = take_event), &err),
            SUBD_EUSAGE); /* One call at a time. */
        for (int i = 0; rc == SUBD_PENDING; i++) {
            struct pollfd fds[SUBD_MAX_FDS];
            int timeout, n = subd_poll_set(watcher, fds, &timeout);
            assert_true(poll(fds, (nfds_t)n, timeout) >= 0);
            if (given_up && i == 3)
                subd_cancel(watcher);
            rc = subd_step(watcher);
        }
        assert_int_equal(rc, given_up ? SUBD_ECANCELLED : SUBD_OK);
        w.ends_at = 100000;
    }
    subd_uncancel(watcher);
    subd_nonblocking(watcher, 0);
    assert_true(w.n >= 10);
    subd_frame_free(&frame);
    assert_int_equal(subd_delete(editor, info.id, 0, NULL), SUBD_OK);
}

/* ---- servers that lie -------------------------------------------------------------------------------------------- */
#define OK_HEAD "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: application/vnd.subdd.watch\r\n\r\n"

/* An answer of one record, which has the bytes of `body`, whatever its head says. */
static struct canned record(char *to, uint64_t length, uint64_t version, uint32_t kind, uint32_t zero, const char *body)
{
    size_t n = strlen(OK_HEAD);
    memcpy(to, OK_HEAD, n);
    memcpy(to + n, &length, 8);
    memcpy(to + n + 8, &version, 8);
    memcpy(to + n + 16, &kind, 4);
    memcpy(to + n + 20, &zero, 4);
    memcpy(to + n + 24, body, strlen(body));
    return (struct canned){.bytes = to, .n = n + 24 + strlen(body)};
}

static void assert_watch(const struct canned *answers, int n, int rc, int status, const char *text)
{
    const struct subd_refine request = SUBD_INIT(subd_refine, .level = 1);
    struct subd_news news;
    const struct subd_watch watch = SUBD_INIT(subd_watch, .changed = stop_at_once, .arg = &news);
    struct subd_frame frame = {0};
    struct subd_error err = {0};
    canned_server *server = canned_start(answers, n);
    const struct subd_config config = SUBD_INIT(subd_config, .server = canned_url(server));
    subd_client *c;
    assert_int_equal(subd_open(&config, &c, NULL), SUBD_OK);
    const int got = subd_watch(c, "m", &request, &watch, &frame, &err);
    if (got != rc || !strstr(err.text, text))
        fail_msg("%d and not %d: %s", got, rc, err.text);
    assert_int_equal(err.http_status, status);
    subd_close(c);
    subd_frame_free(&frame);
    free(canned_stop(server));
}

static void test_lies(void **state)
{
    static const char problem[] =
        "{\"status\":422,\"code\":\"unsupported\",\"field\":\"primvars\",\"detail\":\"gone\"}";
    char bytes[2][512];
    struct canned a[2];
    (void)state;
    a[0] = record(bytes[0], (uint64_t)1 << 62, 1, 1, 0, "");
    assert_watch(a, 1, SUBD_EPROTOCOL, 0, "max_frame_bytes");
    a[0] = record(bytes[0], UINT64_MAX, 1, 1, 0, "");
    assert_watch(a, 1, SUBD_EPROTOCOL, 0, "head of a record");
    a[0] = record(bytes[0], (uint64_t)4 << 40, 1, 2, 0, "");
    assert_watch(a, 1, SUBD_EPROTOCOL, 0, "max_frame_bytes");
    a[0] = record(bytes[0], 0, 1, 0, 1, "");
    assert_watch(a, 1, SUBD_EPROTOCOL, 0, "head of a record");
    a[0] = record(bytes[0], 40, 1, 1, 0, "this is no frame of a mesh, not at all..");
    assert_watch(a, 1, SUBD_EPROTOCOL, 0, "");
    a[0] = record(bytes[0], strlen(problem), 1, 4, 0, problem);
    assert_watch(a, 1, SUBD_EHTTP, 422, "gone");
    a[0] = record(bytes[0], 5, 1, 9, 0, "12345"); /* Later daemons may send more kinds. */
    assert_watch(a, 1, SUBD_ENETWORK, 0, "ended the stream");
    /* A delta of a frame that is not there has the whole one asked for, but not for ever. */
    a[0] = record(bytes[0], 32, 2, 2, 0,
                  "\1\1\1\1\1\1\1\1"
                  "abcdefghijklmnopqrstuvwx");
    memset(bytes[0] + a[0].n - 24, 0, 24);
    bytes[0][a[0].n - 24] = 100;
    a[1] = a[0];
    assert_watch(a, 2, SUBD_EDIGEST, 0, "another version");
    a[0] = (struct canned){.bytes = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nhi"};
    assert_watch(a, 1, SUBD_EPROTOCOL, 0, "text/html");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_edits), cmocka_unit_test(test_goes_on),
                                       cmocka_unit_test(test_placed),       cmocka_unit_test(test_events),
                                       cmocka_unit_test(test_polled),       cmocka_unit_test(test_lies)};
    return cmocka_run_group_tests(tests, start, stop);
}
