/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_matrix.h: what the two forms of the mesh matrix share: the tables of weights and angles, and the last step, from
 * a level's points in grid order to limits and normals. */
#ifndef SDD_MESH_MATRIX_H
#define SDD_MESH_MATRIX_H
#include "gpu/engine_api/engine.h"
#include "gpu/grid/quad_location.h"

struct mesh_matrix_tables {
    struct sdd_float2 *angle, *weights; /* topology_angles; loop_rule.h */
    int64_t n_angles, n_weights;        /* 0: not needed                */
};
void mesh_matrix_lay_out_tables(const sdd_topology *t, const struct sdd_refine_request *r, struct arena *a,
                                struct mesh_matrix_tables *out);
int mesh_matrix_upload_tables(const sdd_topology *t, const struct mesh_matrix_tables *l,
                              struct sdd_error *err) SDD_MUST_CHECK;

/* mesh_matrix_in_place: are the points of the last level the result? Then finish is not to write them again. */
int mesh_matrix_in_place(const struct sdd_refine_request *r);
/* mesh_matrix_finish: what is asked for beyond `from`, the points of the last level; and isolated points.
 * mesh_matrix_finish_rows: of n rows alone. */
void mesh_matrix_finish(const struct engine_run *run, const struct sdd_control *m, const struct mesh_matrix_tables *l,
                        const float *from);
void mesh_matrix_finish_rows(const struct engine_run *run, const struct sdd_control *m,
                             const struct mesh_matrix_tables *l, const float *from, const uint32_t *rows, int64_t n);

#endif
