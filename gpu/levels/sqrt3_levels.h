/* SPDX-License-Identifier: Apache-2.0 */
/* sqrt3_levels.h: scheme sqrt3 level by level: check, scratch and run as engine_api.h has them, and the faces that no
 * formula makes. Below: what engines share that make a part of it in another way. */
#ifndef SDD_SQRT3_LEVELS_H
#define SDD_SQRT3_LEVELS_H
#include "gpu/engine_api/engine_api.h"
#include "gpu/rules/sqrt3_grid.h"

int sqrt3_check(const sdd_topology *t, const struct sdd_refine_request *r, struct sdd_error *err) SDD_MUST_CHECK;
int64_t sqrt3_scratch(const sdd_topology *t, const struct sdd_refine_request *r);
/* rows: the n of which normals and tangents are wanted; NULL: of all. */
int sqrt3_run(const struct engine_run *run, const uint32_t *rows, int64_t n, struct sdd_error *err) SDD_MUST_CHECK;

/* By the size of the ring, made in double: alpha / n of a step and beta / n of the limit; cos and sin of 2 pi / n. */
struct sqrt3_tables {
    struct sdd_float2 *weights, *angle;
    int64_t n_weights, n_angles; /* 0: not needed */
    struct sdd_float2 *uv[2];    /* by corner, of even levels that are and that are not divided by 4 */
};
void sqrt3_lay_out_tables(const sdd_topology *t, const struct sdd_refine_request *r, struct arena *a,
                          struct sqrt3_tables *out);
int sqrt3_upload_tables(const sdd_topology *t, const struct sqrt3_tables *l, struct sdd_error *err) SDD_MUST_CHECK;

/* The faces of two levels at a time: those of parity k are in row k. Without `fans` no vertex knows its own. */
struct sqrt3_levels {
    uint32_t *vert[2], *twin[2], *first[2];
    float *sharp[2];
    int fans;
};
/* sqrt3_lay_out_levels: for levels 1 to `last`. sqrt3_first_level: the control mesh; sqrt3_next_level: m becomes the
 * next level; both queue. */
void sqrt3_lay_out_levels(const sdd_topology *t, int last, int fans, struct arena *a, struct sqrt3_levels *out);
struct sdd_sqrt3 sqrt3_first_level(const sdd_topology *t, const struct sqrt3_levels *l);
void sqrt3_next_level(const sdd_topology *t, struct sdd_sqrt3 *m, const struct sqrt3_levels *l);

/* sqrt3_last_points: the level to which points go, 0 if none are wanted. */
int sqrt3_last_points(const sdd_topology *t, const struct sdd_refine_request *r);
/* sqrt3_indices: the request's indices, of its level with those faces. */
void sqrt3_indices(const struct engine_run *run, const uint32_t *vert);
/* sqrt3_last_uvs: the even level from whose faces the request's UVs are made, -1 if none are wanted. */
int sqrt3_last_uvs(const struct sdd_refine_request *r);
/* sqrt3_uvs: the step of the UVs from m to its next even level, or to the request's. m is any level of a run. */
void sqrt3_uvs(const struct engine_run *run, const struct sdd_sqrt3 *m, const struct sqrt3_tables *l);
/* sqrt3_finish: limits, normals and isolated points, of all rows (NULL) or n of them; m and `from` are of the level to
 * which points go. */
void sqrt3_finish(const struct engine_run *run, const struct sdd_sqrt3 *m, const struct sqrt3_tables *l,
                  const float *from, const uint32_t *rows, int64_t n);

#endif
