/* SPDX-License-Identifier: Apache-2.0 */
/* levels.h: the door of refinement level by level, by the kernels of the mesh matrix: one step, all steps, the
 * crease sharpness that goes along (chaikin), and what is made of the last level (limits, normals, tangents).
 * Positions are refined over the control mesh, UVs and other face-varying values over the mesh of their channel.
 * This is for schemes catmullClark and loop, and for bilinear where it says so; sqrt3 has sqrt3_levels.h. Engines,
 * patches and primvars stand on this room. It knows meshes and the contract of engines, but no engine. */
#ifndef SDD_LEVELS_H
#define SDD_LEVELS_H
#include "gpu/engine_api/engine_api.h"
#include "gpu/rules/limit_ring.h"

#define LEVELS_METHOD "mesh-matrix" /* A result names this method for points that these steps alone have made. */

/* ---- one step ---------------------------------------------------------------------------------------------------- */
/* What each step needs: the mesh on the level it starts from, and the width of the rows that are refined. */
struct step_rows {
    const sdd_topology *topology;
    struct sdd_control mesh;
    struct sdd_width width;
    const struct sdd_float2 *weights; /* Device memory, step_weights rows. */
};

/* step_run: refines rows of `level` (from 0, the control rows) in grid order to those of the next level. */
void step_run(const struct step_rows *s, const float *from, float *to, int level);
/* Memory for the rings of points that limits follow on (rules/limit_ring.h), and how many points there may be. */
struct follow {
    struct sdd_limit_rings rings;
    int64_t n_points; /* 0 if nothing is followed. */
};
/* follow_lay_out: lays it out for a surface on a level of the mesh of a channel, or of the control mesh where c is
 * NULL. */
void follow_lay_out(const sdd_topology *t, const struct topology_channel *c, int level, int surface, struct arena *a,
                    struct follow *out);
/* step_limits: moves rows of `level` >= 1 to their limits, of surface `limit` or `limitAtLevel`. The limits of
 * positions come with normals from other kernels. */
void step_limits(const struct step_rows *s, const struct follow *f, const float *from, float *to, int level,
                 int surface);

/* step_weights: the number of rows in the table of Loop's weights by valence (loop_rule.h); 0 for quads. */
int64_t step_weights(const sdd_topology *t);
/* step_upload_weights: makes that table in double and queues its upload to `to`.
 * Errors  SDD_ENO_MEMORY */
int step_upload_weights(const sdd_topology *t, struct sdd_float2 *to, struct sdd_error *err) SDD_MUST_CHECK;

/* ---- crease method chaikin --------------------------------------------------------------------------------------- */
/* chaikin_last: the last level whose parts a request reads. Limits read what becomes of those of its own level. */
int chaikin_last(const struct sdd_refine_request *r);
/* The sharpness of the parts of semi-sharp position edges is refined along with positions and primvars. Nothing happens
 * where no edge is semi-sharp.
 * chaikin_lay_out: lays out memory for the parts on the levels up to `last`: parts[0] for even levels, parts[1] for odd
 * ones. */
void chaikin_lay_out(const sdd_topology *t, int last, struct arena *a, float *parts[2]);
/* chaikin_reach: gives m the parts on `level` and, unless that is `last`, queues those of the next level. Before the
 * call m is on level - 1; for level 0 it comes from topology_control or topology_channel_control. */
void chaikin_reach(const sdd_topology *t, float *const parts[2], int level, int last, struct sdd_control *m);

/* ---- all steps --------------------------------------------------------------------------------------------------- */
/* What a run over the levels works with. */
struct refine_levels {
    const sdd_topology *topology;
    struct sdd_control mesh; /* The mesh on the current level; under chaikin with the parts of that level. */
    int width;               /* Floats in a row. */
    struct sdd_float2 *weights;
    float *parts[2]; /* The memory of chaikin_lay_out. */
    int last_parts;  /* The level that it was laid out for. */
    /* Buffer k holds the rows of the levels last - k, last - k - 2 and so on. Buffer 0 has room for the last level only
     * where limits are made from it. */
    float *buffer[2];
};
/* refine_levels: queues the steps from the control rows to those of last_level, which go to `last`. Then s->mesh is on
 * that level. It serves bilinear too, for positions.
 * Errors  SDD_ECANCELLED */
int refine_levels(struct refine_levels *s, const float *from, float *last, int last_level, const atomic_int *cancel,
                  struct sdd_error *err) SDD_MUST_CHECK;

/* refine_values_scratch: the exact bytes that refine_values_run needs. Of `rows` it reads only the mesh, the width and
 * the request. */
int64_t refine_values_scratch(const struct engine_rows *rows);
/* refine_values_run: queues the steps of rows of values (engine_api.h), level by level.
 * Errors  SDD_ECANCELLED, SDD_ENO_MEMORY */
int refine_values_run(const struct engine_rows *rows, struct sdd_error *err) SDD_MUST_CHECK;

/* ---- the last level ---------------------------------------------------------------------------------------------- */
/* finish_in_place: whether the points of the last level are the result, so that they are not written again. */
int finish_in_place(const struct sdd_refine_request *r);
/* Tables in device memory that limits and normals are made with. A table with 0 rows is not needed. */
struct finish_tables {
    struct sdd_float2 *angle;   /* The table of topology_angles. */
    struct sdd_float2 *weights; /* The table of step_weights. */
    int64_t n_angles, n_weights;
    struct follow follow;
};
void finish_lay_out_tables(const sdd_topology *t, const struct sdd_refine_request *r, struct arena *a,
                           struct finish_tables *out);
/* finish_upload_tables: queues the upload of both.
 * Errors  SDD_ENO_MEMORY */
int finish_upload_tables(const sdd_topology *t, const struct finish_tables *l, struct sdd_error *err) SDD_MUST_CHECK;
/* finish_level: queues what is asked for beyond `from`, the points of the last level, and the isolated points. It
 * serves bilinear too. */
void finish_level(const struct engine_run *run, const struct sdd_control *m, const struct finish_tables *l,
                  const float *from);
/* finish_rows: does the same for the n grid points in `rows` alone, or for the first n where that is NULL. */
void finish_rows(const struct engine_run *run, const struct sdd_control *m, const struct finish_tables *l,
                 const float *from, const uint32_t *rows, int64_t n);

/* split_normals_scratch: the exact bytes that split_normals_run works in. */
int64_t split_normals_scratch(const sdd_topology *t, const struct sdd_refine_request *r);
/* split_normals_run: queues normals over the grid of the cut mesh (topology.h), which there must be, with
 * the mesh and the scratch of an engine's run. Not for sqrt3.
 * Errors  SDD_ECANCELLED, SDD_ENO_MEMORY */
int split_normals_run(const struct engine_run *run, float *normals, struct sdd_error *err) SDD_MUST_CHECK;

#endif
