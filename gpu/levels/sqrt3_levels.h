/* SPDX-License-Identifier: Apache-2.0 */
/* sqrt3_levels.h: scheme sqrt3 of engine mesh-matrix, and what engines spla and subdivision-matrix share with it: the
 * faces of each level, which no formula makes, and the tables of weights. Functions check, scratch and run are those of
 * engine_api.h. */
#ifndef SDD_SQRT3_LEVELS_H
#define SDD_SQRT3_LEVELS_H
#include "gpu/levels/levels.h"
#include "gpu/engine_api/engine_api.h"
#include "gpu/rules/sqrt3_grid.h"

int sqrt3_check(const sdd_topology *t, const struct sdd_refine_request *r, struct sdd_error *err) SDD_MUST_CHECK;
int64_t sqrt3_scratch(const sdd_topology *t, const struct sdd_refine_request *r);
/* sqrt3_run: `rows` names the n vertices whose normals and tangents are wanted; NULL means all. */
int sqrt3_run(const struct engine_run *run, const uint32_t *rows, int64_t n, struct sdd_error *err) SDD_MUST_CHECK;

/* Tables by the size of the ring, made in double: alpha / n of a step and beta / n of the limit in `weights`, cosine
 * and sine of 2 pi / n in `angle`. */
struct sqrt3_tables {
    struct sdd_float2 *weights, *angle;
    struct follow follow;
    int64_t n_weights, n_angles; /* Rows of the tables; 0 where a table is not needed. */
    /* UV values by corner: uv[0] of levels divisible by 4, uv[1] of the other even levels. */
    struct sdd_float2 *uv[2];
};
void sqrt3_lay_out_tables(const sdd_topology *t, const struct sdd_refine_request *r, struct arena *a,
                          struct sqrt3_tables *out);
int sqrt3_upload_tables(const sdd_topology *t, const struct sqrt3_tables *l, struct sdd_error *err) SDD_MUST_CHECK;

/* The faces of two levels at a time; those of parity k are in row k. Without `fans` no vertex has a first half-edge. */
struct sqrt3_levels {
    uint32_t *vert[2], *twin[2], *first[2];
    float *sharp[2];
    int fans;
};
/* sqrt3_lay_out_levels: lays out the memory of levels 1 to `last`. */
void sqrt3_lay_out_levels(const sdd_topology *t, int last, int fans, struct arena *a, struct sqrt3_levels *out);
/* sqrt3_first_level: queues the control mesh as level 0. */
struct sdd_sqrt3 sqrt3_first_level(const sdd_topology *t, const struct sqrt3_levels *l);
/* sqrt3_next_level: queues the next level, which m becomes. */
void sqrt3_next_level(const sdd_topology *t, struct sdd_sqrt3 *m, const struct sqrt3_levels *l);

/* sqrt3_last_points: the last level whose points are made; 0 if no points are wanted. */
int sqrt3_last_points(const sdd_topology *t, const struct sdd_refine_request *r);
/* sqrt3_indices: queues the request's indices, from the faces of its level. */
void sqrt3_indices(const struct engine_run *run, const uint32_t *vert);
/* sqrt3_last_uvs: the even level from whose faces the request's UVs are made, or -1 if none are wanted. */
int sqrt3_last_uvs(const struct sdd_refine_request *r);
/* sqrt3_uvs: queues the step of the UVs from m to the next even level, or to the request's level. It may be called on
 * any level of a run. */
void sqrt3_uvs(const struct engine_run *run, const struct sdd_sqrt3 *m, const struct sqrt3_tables *l);
/* sqrt3_finish: queues limits, normals and isolated points of the n vertices in `rows`, or of all where that is NULL. m
 * and `from` are on the level that sqrt3_last_points names. */
void sqrt3_finish(const struct engine_run *run, const struct sdd_sqrt3 *m, const struct sqrt3_tables *l,
                  const float *from, const uint32_t *rows, int64_t n);

#endif
