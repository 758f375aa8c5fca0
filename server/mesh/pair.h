/* SPDX-License-Identifier: Apache-2.0 */
/* pair.h: which rows of two versions of a mesh are the same element, for changes.c and merge.c. An element keeps its id
 * for ever, while its row may move. */
#ifndef SUBDD_MESH_PAIR_H
#define SUBDD_MESH_PAIR_H
#include "gpu/sdd/sdd_update.h"
#include "server/mesh/mesh.h"
#include <stdbool.h>

/* For each row of one mesh that of the other, or SDD_NO_ROW. A zeroed pair is empty. */
struct mesh_pair {
    int32_t *vertex_to, *face_to;     /* [n_vertices], [n_faces] of the first mesh: rows of the second. */
    int32_t *vertex_from, *face_from; /* The other way round. */
};
/* mesh_pair_init: Cost  linear where ids ascend, else n log n. Errors  SDD_ENO_MEMORY; mesh_pair_fini still follows */
int mesh_pair_init(struct mesh_pair *p, const struct mesh *from, const struct mesh *to,
                   struct sdd_error *err) SDD_MUST_CHECK;
void mesh_pair_fini(struct mesh_pair *p);
/* mesh_compare_ids: the order of two ids, for qsort and bsearch. */
int mesh_compare_ids(const void *a, const void *b);
/* mesh_has_id: whether an ascending list has an id. */
bool mesh_has_id(const int32_t *ids, int64_t n, int32_t id);
/* mesh_face_starts: makes the first corner of each face, and behind them the number of corners.
 * Owner   the caller frees *out
 * Errors  SDD_ENO_MEMORY */
int mesh_face_starts(const struct mesh *m, int64_t **out, struct sdd_error *err) SDD_MUST_CHECK;

/* What a mesh has besides its positions, seen in one way: a primvar, or the UVs as the faceVarying primvar st. All of
 * it is borrowed. */
struct mesh_layer {
    struct primvar_info info;
    const char *values;     /* [n_values][4 * width] bytes. */
    const int32_t *indices; /* [C] for faceVarying ones, else NULL. */
    struct set_names sets;
};
enum { MESH_LAYERS = SDD_MAX_PRIMVARS + 1 };
/* mesh_layers: fills out with the layers of a mesh and returns how many it has. */
int mesh_layers(const struct mesh *m, struct mesh_layer out[MESH_LAYERS]);
/* mesh_layer_find: the layer of a name, or NULL. */
const struct mesh_layer *mesh_layer_find(const struct mesh_layer *layers, int n, const char *name);
/* mesh_layer_alike: whether rows of one can stand in the other. */
bool mesh_layer_alike(const struct mesh_layer *a, const struct mesh_layer *b);

#endif
