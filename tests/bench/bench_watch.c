/* SPDX-License-Identifier: Apache-2.0 */
/* bench_watch.c: measures watchers that take deltas: how many bytes a version takes after edits of up to twelve faces,
 * and how long it takes from the answer to the edit until the new frame is whole in the client's memory. Against it: a
 * full GET of the same frame over loopback, by itself (the edit is made to a twin of the mesh, so the frame is made for
 * the GET), and from the cache. A third of the edits move vertices, a third set creases, a third change the faces. The
 * first frame made by deltas and the last one are compared with whole ones. A mesh of the shared folder is replaced by
 * a torus when it is not there. */
#include "client/lib/subd_watch.h"
#include "tests/bench/timing.h"
#include "tests/http/client.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EDITS = 75, MOST_FACES = 12, KINDS = 3 };
static const char *const kinds[KINDS] = {"positions", "creases", "faces"};

struct run {
    subd_client *editor;
    const char *id, *twin;
    const struct subd_refine *request;
    struct subd_frame whole;
    double began, percent[EDITS], ms[KINDS][EDITS], get[KINDS][EDITS], cached[KINDS][EDITS];
    int n, n_of[KINDS], kind;
    uint32_t seed;
};

static void stop_if(int bad, const char *what)
{
    if (!bad)
        return;
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static int64_t below(struct run *r, int64_t n)
{
    r->seed = r->seed * 1664525u + 1013904223u;
    return (int64_t)(r->seed >> 8) % n;
}

static int64_t *first_corners(const struct subd_mesh *m)
{
    int64_t *first = malloc((size_t)(m->n_faces + 1) * sizeof *first);
    stop_if(!first, "no memory");
    first[0] = 0;
    for (int64_t f = 0; f < m->n_faces; f++)
        first[f + 1] = first[f] + m->face_counts[f];
    return first;
}

static int touches(const struct subd_mesh *m, const int64_t *first, int64_t a, int64_t b)
{
    for (int64_t i = first[a]; i < first[a + 1]; i++)
        for (int64_t k = first[b]; k < first[b + 1]; k++)
            if (m->face_vertices[i] == m->face_vertices[k])
                return 1;
    return 0;
}

/* A face and those around it, and around these. */
static int patch(struct run *r, const struct subd_mesh *m, const int64_t *first, int64_t faces[MOST_FACES])
{
    const int most = 1 + (int)below(r, MOST_FACES);
    int n = 1;
    faces[0] = below(r, m->n_faces);
    for (int at = 0; at < n; at++)
        for (int64_t f = 0; f < m->n_faces && n < most; f++) {
            int known = 0;
            for (int i = 0; i < n; i++)
                known |= faces[i] == f;
            if (!known && touches(m, first, faces[at], f))
                faces[n++] = f;
        }
    return n;
}

/* Up to twelve faces are cut in two, moved, or creased along an edge. The seed says which. */
static void edit(struct run *r, const char *id)
{
    struct subd_cage cage = {0};
    struct subd_edit e[2] = {0};
    int64_t faces[MOST_FACES];
    int32_t ids[16 * MOST_FACES], more[16 * MOST_FACES], counts[2 * MOST_FACES];
    float values[48 * MOST_FACES];
    int n_ids = 0, n_values = 0, n_more = 0, n_counts = 0;
    stop_if(subd_cage_arrays(r->editor, id, &cage, NULL), "no cage");
    const struct subd_mesh *m = cage.mesh;
    int64_t *first = first_corners(m);
    const int n = patch(r, m, first, faces);
    r->kind = r->n % KINDS;
    for (int i = 0; i < n; i++) {
        const int32_t *v = m->face_vertices + first[faces[i]], size = m->face_counts[faces[i]];
        if (r->kind == 2) {
            if (size < 4 || size > 8)
                continue;
            ids[n_ids++] = cage.face_ids[faces[i]];
            counts[n_counts++] = 3, counts[n_counts++] = size - 1;
            for (int k = 0; k < size + 2; k++)
                more[n_more++] = cage.vertex_ids[v[k < 3 ? k : k == 3 ? 0 : k - 2]];
            continue;
        }
        ids[n_ids++] = cage.vertex_ids[v[0]];
        if (r->kind)
            ids[n_ids++] = cage.vertex_ids[v[1]];
        for (int k = 0; k < (r->kind ? 1 : 3); k++)
            values[n_values++] = r->kind ? 2 : m->points[3 * v[0] + k] + 0.01f * (float)below(r, 10);
    }
    const enum subd_edit_op ops[KINDS] = {SUBD_SET_POSITIONS, SUBD_SET_CREASES, SUBD_REMOVE_FACES};
    e[0] = (struct subd_edit){.op = ops[r->kind], .ids = ids, .n_ids = n_ids, .values = values, .n_values = n_values};
    e[1] =
        (struct subd_edit){.op = SUBD_ADD_FACES, .ids = more, .n_ids = n_more, .counts = counts, .n_counts = n_counts};
    struct subd_error err;
    if (subd_edits(r->editor, id, cage.version, e, r->kind == 2 ? 2 : 1, NULL, NULL, &err))
        stop_if(1, err.text);
    r->began = now_ms();
    free(first);
    subd_cage_free(&cage);
}

static int is_same(const struct subd_frame *a, const struct subd_frame *b)
{
    int same = a->version == b->version && a->n_blocks == b->n_blocks;
    for (int i = 0; i < a->n_blocks && same; i++)
        same = a->blocks[i].bytes == b->blocks[i].bytes &&
               memcmp(a->blocks[i].data, b->blocks[i].data, (size_t)a->blocks[i].bytes) == 0;
    return same;
}

static double get(struct run *r, const char *id)
{
    const double start = now_ms();
    stop_if(subd_refine(r->editor, id, r->request, &r->whole, NULL), "no frame");
    return now_ms() - start;
}

static int changed(void *arg, const struct subd_frame *frame, const struct subd_news *news)
{
    struct run *r = arg;
    const double ms = now_ms() - r->began;
    if (news->version > 1) {
        const int i = r->n_of[r->kind];
        r->cached[r->kind][i] = get(r, r->id);
        r->ms[r->kind][i] = ms;
        r->n_of[r->kind]++;
        r->percent[r->n++] = 100.0 * (double)news->bytes / (double)frame->frame_bytes;
        if (r->n == 1 || r->n == EDITS)
            stop_if(!is_same(frame, &r->whole), "a frame that deltas made differs from the whole one");
    }
    if (r->n == EDITS)
        return 1;
    const uint32_t seed = r->seed;
    edit(r, r->twin);
    r->get[r->kind][r->n_of[r->kind]] = get(r, r->twin);
    r->seed = seed;
    edit(r, r->id);
    return 0;
}

static void measure(subd_client *watcher, subd_client *editor, const char *file, int nx, int ny, int level)
{
    const struct subd_refine request = SUBD_INIT(subd_refine, .level = level);
    struct run *r = calloc(1, sizeof *r);
    struct bench_mesh m;
    struct subd_mesh_info info, twin;
    struct subd_frame frame = {0};
    struct subd_error err;
    stop_if(!r, "no memory");
    bench_mesh_open(&m, file, nx, ny);
    const struct subd_mesh mesh = SUBD_INIT(subd_mesh, .points = m.points, .face_counts = m.desc.face_counts,
                                            .face_vertices = m.desc.face_vertices, .n_vertices = m.desc.n_vertices,
                                            .n_faces = m.desc.n_faces, .n_corners = m.desc.n_corners);
    if (subd_push_mesh(editor, &mesh, NULL, &info, &err) || subd_push_mesh(editor, &mesh, NULL, &twin, &err))
        stop_if(1, err.text);
    *r = (struct run){.editor = editor, .id = info.id, .twin = twin.id, .request = &request, .seed = 11};
    const struct subd_watch watch = SUBD_INIT(subd_watch, .changed = changed, .arg = r);
    if (subd_watch(watcher, info.id, &request, &watch, &frame, &err))
        stop_if(1, err.text);
    printf("%s, level %d, %.1f M faces, frames of %.0f MB: median of %d edits of up to %d faces %.2f %% of the frame\n",
           m.name, level, (double)frame.faces / 1e6, (double)frame.frame_bytes / 1e6, EDITS, MOST_FACES,
           median(r->percent, EDITS));
    for (int k = 0; k < KINDS; k++) {
        const int n = r->n_of[k];
        const double ms = median(r->ms[k], n), whole = median(r->get[k], n), cached = median(r->cached[k], n);
        printf("  %-9s  to the whole frame %6.1f ms; full GET %6.1f ms: %.2f of it; from the cache %6.1f ms: %.2f\n",
               kinds[k], ms, whole, ms / whole, cached, ms / cached);
    }
    subd_frame_free(&frame);
    subd_frame_free(&r->whole);
    stop_if(subd_delete(editor, info.id, 0, NULL) || subd_delete(editor, twin.id, 0, NULL), "the meshes stay");
    bench_mesh_close(&m);
    free(r);
}

int main(void)
{
    static const char *const options[] = {"--cache-bytes", "3G", "--log-level", "warn", NULL};
    struct daemon d = {0};
    daemon_start(&d, options);
    subd_client *watcher = client_start(&d), *editor = client_start(&d);
    measure(watcher, editor, NULL, 50, 29, 6);
    measure(watcher, editor, "spot_quadrangulated", 61, 48, 5);
    subd_close(watcher);
    subd_close(editor);
    daemon_stop(&d);
    return 0;
}
