/* SPDX-License-Identifier: Apache-2.0 */
/* tile_vertex_faces: for each vertex, the sum of the values of the faces around it, and their number.
 * Shapes  tiles (tiles.h), value[F][3] f32 -> sum[V][3] f32, count[V] i32, for each vertex that a tile owns
 * Launch  tile, n tiles
 * Cost    2 B read a corner, 6 B a face and 4 B a vertex of a tile, 12 B (cached) a face of a vertex; 16 B written a
 *         vertex
 * Result  The faces of a vertex are added in ascending order of the mesh's numbers, so the sums do not depend on how
 *         the mesh is cut.
 * Threads any queue
 * Source  Mahmoud et al. 2021, RXMesh: the query VF */
#ifndef SDD_K_TILE_VERTEX_FACES_H
#define SDD_K_TILE_VERTEX_FACES_H
#include "gpu/kernel/tile.h"
#include "gpu/tiles/tiles.h"

enum { tile_vertex_faces_threads = 256 };

struct tile_vertex_faces_args {
    struct sdd_tiles tiles;
    const float *value;
    float *sum;
    int32_t *count;
};

/* Puts the n faces of a row in ascending order of the mesh's numbers. Rows are short. */
SDD_FN void sdd_tile_sort(uint16_t *row, int32_t n, const uint32_t *id)
{
    for (int32_t i = 1; i < n; i++) {
        const uint16_t face = row[i];
        int32_t at = i;
        for (; at > 0 && id[row[at - 1]] > id[face]; at--)
            row[at] = row[at - 1];
        row[at] = face;
    }
}

SDD_FN void k_tile_vertex_faces(int64_t tile, const struct tile_vertex_faces_args *a)
{
    SDD_SHARED(uint16_t, corner_vertex, SDD_TILE_CORNERS);
    SDD_SHARED(uint16_t, row, SDD_TILE_CORNERS); /* The faces of each vertex, vertex after vertex. */
    SDD_SHARED(uint32_t, id, SDD_TILE_FACES);
    SDD_SHARED(int32_t, end, SDD_TILE_VERTICES); /* Where the row of each vertex ends. */
    SDD_SHARED(int32_t, scratch, SDD_TILE_VERTICES);
    const struct sdd_tile t = a->tiles.tile[tile];
    const uint16_t *face_end = a->tiles.face_end + t.first_face;

    SDD_EACH (c, t.n_corners)
        corner_vertex[c] = a->tiles.corner_vertex[t.first_corner + c];
    SDD_EACH (f, t.n_faces)
        id[f] = a->tiles.face[t.first_face + f];
    SDD_EACH (v, t.n_vertices)
        end[v] = 0;
    SDD_SYNC;
    SDD_EACH (c, t.n_corners)
        (void)sdd_tile_add(end + corner_vertex[c], 1);
    SDD_SYNC;
    sdd_tile_scan(end, scratch, t.n_vertices);
    SDD_EACH (f, t.n_faces) /* Each entry of `end` begins at the start of its row and moves to its end. */
        for (int32_t c = f > 0 ? face_end[f - 1] : 0; c < face_end[f]; c++)
            row[sdd_tile_add(end + corner_vertex[c], 1)] = (uint16_t)f;
    SDD_SYNC;
    SDD_EACH (v, t.n_owned) {
        const int32_t first = v > 0 ? end[v - 1] : 0, n = end[v] - first;
        const uint32_t vertex = a->tiles.vertex[t.first_vertex + v];
        struct sdd_vec3 sum = sdd_vec3_of(0.0f, 0.0f, 0.0f);
        sdd_tile_sort(row + first, n, id);
        for (int32_t i = 0; i < n; i++) {
            const float *value = a->value + 3 * (size_t)id[row[first + i]];
            sum = sdd_add(sum, sdd_vec3_of(value[0], value[1], value[2]));
        }
        sdd_put_vec3(a->sum, vertex, sum);
        a->count[vertex] = n;
    }
}
#endif
