/* SPDX-License-Identifier: Apache-2.0 */
/* merge_work.h: the mesh that merge.c and merge_layers.c make of two, while they make it. */
#ifndef SUBDD_MESH_MERGE_WORK_H
#define SUBDD_MESH_MERGE_WORK_H
#include "server/mesh/merge.h"

enum { MERGE_MINE, MERGE_THEIRS }; /* The two meshes, as indices. */

/* A vertex or a face of the new mesh. */
struct merge_element {
    int32_t id;
    int32_t row[2]; /* In each of the two meshes, or SDD_NO_ROW. */
    int from;       /* From which of them it is taken. */
};
struct merge_elements {
    int64_t n;
    struct merge_element *list; /* [n] In the order of the new rows. */
    int32_t *to[2];             /* The new row of each row of both meshes, or SDD_NO_ROW. */
};
struct merge {
    const struct mesh *mesh[2];
    const struct mesh_changes *changes; /* Of mine. */
    struct sdd_error *err;
    struct mesh_pair pair; /* From mine to theirs. */
    int64_t *starts[2];
    struct merge_elements vertices, faces;
    float *points, *crease_sharpness, *tag_sharpness;
    int32_t *vertex_ids, *face_counts, *face_ids, *corners, *crease_edges, *tag_vertices, *holes;
    int64_t n_corners, n_creases, n_tags, n_holes;
    struct mesh_layer layers[2][MESH_LAYERS];
    int n_layers[2];
    void *made[2 * MESH_LAYERS]; /* What merge_layers has allocated. */
    int n_made;
    struct mesh_arrays arrays; /* merge_layers fills UVs and primvars, and merge.c the rest. */
};
/* merge_layers: fills in the UVs and primvars. Errors  SDD_ENO_MEMORY, SDD_ETOO_LARGE */
int merge_layers(struct merge *m) SDD_MUST_CHECK;
void merge_layers_fini(struct merge *m);

#endif
