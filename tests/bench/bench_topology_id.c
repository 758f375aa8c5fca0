/* SPDX-License-Identifier: Apache-2.0 */
/* The id of the topology of a million quads: afresh, beside SHA-256 of the whole encoding at once; and after an edit of
 * one face in the middle, from what the mesh before has kept. Each update is compared with the id afresh. */
#include "server/mesh/edits/edits.h"
#include "server/mesh/encode.h"
#include "server/mesh/topology_id.h"
#include "tests/bench/timing.h"
#include "tests/unit/sample.h"
#include <gnutls/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 21 };

static void held(int rc, const struct sdd_error *err)
{
    if (!rc)
        return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

static double hash_whole(const struct mesh *m)
{
    unsigned char digest[32];
    struct mesh_encoding e;
    gnutls_hash_hd_t sha;
    const double begin = now_ms();
    mesh_encode(m, &e);
    if (gnutls_hash_init(&sha, GNUTLS_DIG_SHA256) < 0)
        exit(1);
    for (int i = 0; i < e.n; i++)
        if (gnutls_hash(sha, e.parts[i].data, e.parts[i].bytes) < 0)
            exit(1);
    gnutls_hash_deinit(sha, digest);
    return now_ms() - begin;
}

/* Prints the median time of updates after one batch. */
static void measure_edit(const struct mesh *m, const char *what, const char *json)
{
    double ms[RUNS];
    struct edit_result r;
    struct sdd_error err = {0};
    char id[MESH_TOPOLOGY_ID_SIZE], want[MESH_TOPOLOGY_ID_SIZE];
    struct edit_batch *b = sample_edits(json);
    held(edits_apply(m, b, &r, &err), &err);
    held(mesh_topology_id(r.mesh, want, &err), &err);
    for (int i = 0; i < RUNS; i++) {
        const double begin = now_ms();
        held(mesh_topology_id_update(m, r.mesh, &r.delta, id, &err), &err);
        ms[i] = now_ms() - begin;
        if (strcmp(id, want) != 0)
            exit(1);
        mesh_topology_free(r.mesh->topology);
        r.mesh->topology = NULL;
    }
    printf("  %-44s %8.3f ms\n", what, median(ms, RUNS));
    edit_result_free(&r);
    edit_batch_free(b);
}

/* The grid with UVs, and with a crease on every edge of a face in eight. */
static struct mesh *dress(const struct mesh *grid)
{
    struct mesh_arrays a;
    struct mesh *m;
    struct sdd_error err = {0};
    const int64_t n = grid->n_corners / 8;
    int32_t *edges = malloc((size_t)n * 8);
    float *sharp = malloc((size_t)n * 4), *uvs = calloc((size_t)grid->n_corners, 8);
    for (int64_t i = 0; i < n; i++) {
        const int32_t *corners = grid->face_vertices + 32 * (i / 4);
        edges[2 * i] = corners[i % 4];
        edges[2 * i + 1] = corners[(i + 1) % 4];
        sharp[i] = 2;
    }
    mesh_as_arrays(grid, &a);
    a.crease_indices = (struct i32s){edges, 2 * n};
    a.crease_sharpnesses = (struct f32s){sharp, n};
    a.uvs = (struct f32s){uvs, 2 * grid->n_corners};
    held(mesh_build(&a, &m, &err), &err);
    free(edges);
    free(sharp);
    free(uvs);
    return m;
}

static void measure(struct mesh *m, const char *what)
{
    double fresh[RUNS], whole[RUNS];
    struct sdd_error err = {0};
    char id[MESH_TOPOLOGY_ID_SIZE], before[MESH_TOPOLOGY_ID_SIZE];
    const int64_t bytes = mesh_bytes(m);
    for (int i = 0; i < RUNS; i++) {
        const double begin = now_ms();
        held(mesh_topology_id(m, before, &err), &err);
        fresh[i] = now_ms() - begin;
        whole[i] = hash_whole(m);
    }
    held(mesh_topology_id_keep(m, id, &err), &err);
    if (strcmp(id, before) != 0)
        exit(1);
    printf("%s\n  %-44s %8.3f ms\n  %-44s %8.3f ms; keeping it takes %lld bytes\n", what,
           "SHA-256 of the encoding, for comparison", median(whole, RUNS), "afresh", median(fresh, RUNS),
           (long long)(mesh_bytes(m) - bytes));
    measure_edit(m, "a face in the middle is poked", "{\"edits\":[{\"pokeFaces\":{\"ids\":[500500]}}]}");
    measure_edit(m, "a face in the middle is a hole", "{\"edits\":[{\"setHoles\":{\"ids\":[500500],\"hole\":true}}]}");
    measure_edit(m, "a vertex in the middle is dissolved", "{\"edits\":[{\"dissolveVertices\":{\"ids\":[500500]}}]}");
}

int main(void)
{
    struct mesh *grid = sample_grid(1000, 1000), *dressed = dress(grid);
    measure(grid, "a million quads");
    measure(dressed, "the same with UVs of each corner and 500,000 creases");
    mesh_free(grid);
    mesh_free(dressed);
    return 0;
}
