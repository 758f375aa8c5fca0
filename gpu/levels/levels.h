/* SPDX-License-Identifier: Apache-2.0 */
/* levels.h: the door of refinement level by level, by the kernels of the mesh matrix: one step, all steps, the crease
 * sharpness that goes along (chaikin), and what is made of the last level (limits, normals, tangents). Positions are
 * refined over the control mesh, UVs and other face-varying values over the mesh of their channel. Schemes
 * catmullClark and loop, and bilinear where it says so; sqrt3 has sqrt3_levels.h. Engines, patches and primvars stand
 * on this room; it knows meshes and the contract of engines, and no engine. */
#ifndef SDD_LEVELS_H
#define SDD_LEVELS_H
#include "gpu/engine_api/engine_api.h"
#include "gpu/grid/quad_location.h"

#define LEVELS_METHOD "mesh-matrix" /* what a result says of points that these steps alone have made */

/* ---- one step ---------------------------------------------------------------------------------------------------- */
/* What goes along: rows of `width`, floats of which are refined in each run. */
struct step_rows {
    const sdd_topology *topology;
    struct sdd_control mesh;
    struct sdd_width width;
    const struct sdd_float2 *weights; /* device, step_weights rows */
};

/* step_run: rows of `level` (from 0, the control rows) in grid order -> those of the next level. */
void step_run(const struct step_rows *s, const float *from, float *to, int level);
/* step_limits: rows of `level` >= 1 -> their limits; not for positions, whose limits come with normals. */
void step_limits(const struct step_rows *s, const float *from, float *to, int level);

/* step_weights: rows of the table of Loop's weights by valence (loop_rule.h), 0 under other schemes.
 * step_upload_weights: fills it, made in double. */
int64_t step_weights(const sdd_topology *t);
int step_upload_weights(const sdd_topology *t, struct sdd_float2 *to, struct sdd_error *err) SDD_MUST_CHECK;

/* ---- crease method chaikin --------------------------------------------------------------------------------------- */
/* The sharpness of the parts of semi-sharp position edges goes along with what is refined, positions or primvars.
 * Nothing happens where no edge is semi-sharp.
 * chaikin_lay_out: memory for the parts on the levels up to `last`: parts[0] of even levels, parts[1] of odd ones.
 * chaikin_reach: m, which was on level - 1 or comes from topology_control or topology_channel_control (level 0), gets
 * the parts on `level` and, but on the last, those of the next, which it queues. */
void chaikin_lay_out(const sdd_topology *t, int last, struct arena *a, float *parts[2]);
void chaikin_reach(const sdd_topology *t, float *const parts[2], int level, int last, struct sdd_control *m);

/* ---- all steps --------------------------------------------------------------------------------------------------- */
/* A run over the levels: what it works with. */
struct smooth {
    const sdd_topology *topology;
    struct sdd_control mesh; /* goes along: under chaikin it has the parts of its level */
    int width;               /* floats a row */
    struct sdd_float2 *weights;
    float *parts[2];  /* chaikin_lay_out */
    float *buffer[2]; /* buffer k: rows of the levels last - k, last - k - 2, .. but the last itself */
};
/* smooth_levels: from the control rows to those of last_level, which go to `last`; queues. s->mesh is on that level
 * then.
 * Errors  SDD_ECANCELLED */
int smooth_levels(struct smooth *s, const float *from, float *last, int last_level, const atomic_int *cancel,
                  struct sdd_error *err) SDD_MUST_CHECK;

/* smooth_scratch: exact bytes that smooth_run needs; of its rows it reads the mesh, the width and the request alone.
 * smooth_run: queues the rows that engine_api.h speaks of, level by level.
 * Errors  SDD_ECANCELLED, SDD_ENO_MEMORY */
int64_t smooth_scratch(const struct engine_rows *rows);
int smooth_run(const struct engine_rows *rows, struct sdd_error *err) SDD_MUST_CHECK;

/* ---- the last level ---------------------------------------------------------------------------------------------- */
/* finish_in_place: are the points of the last level the result? Then they are not written again. */
int finish_in_place(const struct sdd_refine_request *r);
struct finish_tables {
    struct sdd_float2 *angle, *weights; /* topology_angles; step_weights */
    int64_t n_angles, n_weights;        /* 0: not needed                */
};
void finish_lay_out_tables(const sdd_topology *t, const struct sdd_refine_request *r, struct arena *a,
                           struct finish_tables *out);
int finish_upload_tables(const sdd_topology *t, const struct finish_tables *l, struct sdd_error *err) SDD_MUST_CHECK;
/* finish_level: what is asked for beyond `from`, the points of the last level; and isolated points. Also bilinear.
 * finish_rows: of n rows alone. */
void finish_level(const struct engine_run *run, const struct sdd_control *m, const struct finish_tables *l,
                  const float *from);
void finish_rows(const struct engine_run *run, const struct sdd_control *m, const struct finish_tables *l,
                 const float *from, const uint32_t *rows, int64_t n);

#endif
