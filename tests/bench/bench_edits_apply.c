/* SPDX-License-Identifier: Apache-2.0 */
/* bench_edits_apply.c: times edits_apply alone on grids of 3 k, 100 k and 1 M quads: the host side of an edit. Each
 * edit of a row is applied to the mesh that the one before it made, as in the daemon; the old mesh is freed outside
 * the time. Medians of 15, of the thread's processor time, as nothing else runs for it. Every new mesh is checked to
 * have the counts that the edit makes. */
#include "server/base/shared.h"
#include "server/base/text.h"
#include "server/mesh/edits/edits.h"
#include "server/mesh/formats/codec.h"
#include "tests/bench/timing.h"
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS = 15, WARM = 2, MANY = 1000 };

static void stop_if(int bad, const char *what)
{
    if (!bad)
        return;
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static struct mesh *grid(int32_t n, int mapped)
{
    const int64_t vertices = (int64_t)(n + 1) * (n + 1), faces = (int64_t)n * n;
    float *points = malloc((size_t)vertices * 12), *uvs = malloc((size_t)vertices * 8);
    int32_t *counts = malloc((size_t)faces * 4), *corners = malloc((size_t)faces * 16);
    struct sdd_error err = {0};
    struct mesh *m;
    stop_if(!points || !uvs || !counts || !corners, "no memory");
    for (int64_t v = 0; v < vertices; v++) {
        const float x = (float)(v % (n + 1)), y = (float)(v / (n + 1));
        memcpy(points + 3 * v, (const float[]){x, y, 0}, 12);
        memcpy(uvs + 2 * v, (const float[]){x, y}, 8);
    }
    for (int64_t f = 0; f < faces; f++) {
        const int32_t v = (int32_t)(f / n * (n + 1) + f % n);
        counts[f] = 4;
        memcpy(corners + 4 * f, (const int32_t[]){v, v + 1, v + n + 2, v + n + 1}, 16);
    }
    struct mesh_arrays a = {
        .points = {points, 3 * vertices}, .face_counts = {counts, faces}, .face_vertices = {corners, 4 * faces}};
    if (mapped) {
        a.uvs = (struct f32s){uvs, 2 * vertices};
        a.uv_indices = (struct i32s){corners, 4 * faces};
    }
    stop_if(mesh_build(&a, &m, &err), err.text);
    free(points), free(uvs), free(counts), free(corners);
    return m;
}

/* The edits of each row, for the k-th time: `v` is a vertex inside the grid and `f` the face at it, away from those of
 * other times. */
enum { POKE, CREASE, EXTRUDE, REMOVE, DISSOLVE, MOVE, ADD, POKE_UV, POKES, CREASES, ROWS };
static const char *const names[ROWS] = {"pokeFaces",        "setCreases",       "extrudeFaces", "removeFaces (middle)",
                                        "dissolveVertices", "setPositions",     "addFaces",     "pokeFaces, with UVs",
                                        "pokeFaces, 1,000", "setCreases, 1,000"};
/* What it adds to the counts of vertices and faces. */
static const int adds[ROWS][2] = {{1, 3}, {0, 0}, {4, 4}, {0, -1},      {-1, -3},
                                  {0, 0}, {1, 1}, {1, 3}, {1000, 3000}, {0, 0}};

static struct edit_batch *batch(int kind, int32_t n, int k)
{
    const long long f = (long long)(n / 2) * n + 3 * k + 2, v = f / n * (n + 1) + f % n;
    struct text body = {0};
    struct edit_batch *b;
    struct sdd_error err = {0};
    text_puts(&body, "{\"edits\":[{");
    switch (kind) {
    case POKE:
    case POKE_UV: text_printf(&body, "\"pokeFaces\":{\"ids\":[%lld]}", f); break;
    case CREASE: text_printf(&body, "\"setCreases\":{\"edges\":[%lld,%lld],\"sharpnesses\":[1.5]}", v, v + 1); break;
    case EXTRUDE: text_printf(&body, "\"extrudeFaces\":{\"ids\":[%lld],\"by\":[1]}", f); break;
    case REMOVE: text_printf(&body, "\"removeFaces\":{\"ids\":[%lld]}", f); break;
    case DISSOLVE: text_printf(&body, "\"dissolveVertices\":{\"ids\":[%lld]}", v); break;
    case MOVE: text_printf(&body, "\"setPositions\":{\"ids\":[%lld],\"points\":[1,2,%d]}", v, k); break;
    case POKES:
        text_puts(&body, "\"pokeFaces\":{\"ids\":[");
        for (int i = 0; i < MANY; i++)
            text_printf(&body, "%s%d", i ? "," : "", MANY * k + i);
        text_puts(&body, "]}");
        break;
    case CREASES:
        text_puts(&body, "\"setCreases\":{\"edges\":[");
        for (int i = 0; i < MANY; i++)
            text_printf(&body, "%s%d,%d", i ? "," : "", i, i + n + 1);
        text_puts(&body, "],\"sharpnesses\":[");
        for (int i = 0; i < MANY; i++)
            text_printf(&body, "%s%d", i ? "," : "", 1 + k % 5);
        text_puts(&body, "]}");
        break;
    default:
        text_printf(&body,
                    "\"addVertices\":{\"points\":[1,2,3]}},{\"addFaces\":{\"faceVertexCounts\":[3],"
                    "\"faceVertexIndices\":[%d,%d,-1]}",
                    k, k + 1);
    }
    text_puts(&body, "}]}");
    stop_if(edits_from_json(body.data, body.bytes, &b, &err), err.text);
    text_free(&body);
    return b;
}

static double cpu_ms(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void row(int kind, int32_t n)
{
    double ms[RUNS], made[RUNS];
    struct mesh *m = grid(n, kind == POKE_UV);
    for (int k = 0; k < WARM + RUNS; k++) {
        struct edit_batch *b = batch(kind, n, k);
        struct edit_result r;
        struct sdd_error err = {0};
        const int64_t before = shared_stats().made;
        double start = cpu_ms();
        stop_if(edits_apply(m, b, &r, &err), err.text);
        ms[k < WARM ? 0 : k - WARM] = cpu_ms() - start;
        made[k < WARM ? 0 : k - WARM] = (double)(shared_stats().made - before);
        stop_if(r.mesh->n_vertices != m->n_vertices + adds[kind][0] || r.mesh->n_faces != m->n_faces + adds[kind][1],
                "the counts are wrong");
        mesh_free(m);
        m = r.mesh;
        r.mesh = NULL;
        edit_result_free(&r);
        edit_batch_free(b);
    }
    printf("  %-22s %9lld quads %9.3f ms, %6.0f KB made of %lld\n", names[kind], (long long)n * n, median(ms, RUNS),
           median(made, RUNS) * 1e-3, (long long)mesh_bytes(m) / 1000);
    mesh_free(m);
}

/* With arguments, only the rows that begin with the first, on the grid of the second. */
int main(int argc, char **argv)
{
    static const int32_t sizes[] = {55, 316, 1000};
    (void)mallopt(M_MMAP_THRESHOLD, 1 << 20); /* As the daemon does. */
    (void)mallopt(M_TRIM_THRESHOLD, 1 << 20);
    for (int kind = 0; kind < ROWS; kind++)
        for (int i = 0; i < 3; i++)
            if ((kind < POKES || sizes[i] * sizes[i] > (RUNS + WARM) * MANY) &&
                (argc < 2 || strncmp(names[kind], argv[1], strlen(argv[1])) == 0) &&
                (argc < 3 || strtol(argv[2], NULL, 10) == sizes[i]))
                row(kind, sizes[i]);
    return 0;
}
