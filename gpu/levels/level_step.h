/* SPDX-License-Identifier: Apache-2.0 */
/* level_step.h: one level of points to the next by the kernels of the mesh matrix: positions over the control mesh, UVs
 * over the mesh of a face-varying channel, and whatever else is refined like them. This serves the schemes catmullClark
 * and loop. */
#ifndef SDD_LEVEL_STEP_H
#define SDD_LEVEL_STEP_H
#include "gpu/grid/quad_location.h"
#include "gpu/mesh/topology.h"

/* What each step needs: the mesh on the level it starts from, and the width of the rows that are refined. */
struct step_rows {
    const sdd_topology *topology;
    struct sdd_control mesh;
    struct sdd_width width;
    const struct sdd_float2 *weights; /* Device memory, step_weights rows. */
};

/* step_run: refines rows of `level` (from 0, the control rows) in grid order to those of the next level. */
void step_run(const struct step_rows *s, const float *from, float *to, int level);
/* step_limits: moves rows of `level` >= 1 to their limits. The limits of positions come with normals from other
 * kernels. */
void step_limits(const struct step_rows *s, const float *from, float *to, int level);

/* step_weights: the number of rows in the table of Loop's weights by valence (loop_rule.h), 0 under other schemes. */
int64_t step_weights(const sdd_topology *t);
/* step_upload_weights: fills that table, made in double. */
int step_upload_weights(const sdd_topology *t, struct sdd_float2 *to, struct sdd_error *err) SDD_MUST_CHECK;

#endif
