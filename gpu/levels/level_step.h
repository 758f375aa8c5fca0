/* SPDX-License-Identifier: Apache-2.0 */
/* steps.h: a level of points to the next by the kernels of the mesh matrix: positions over the control mesh, UVs over
 * the mesh of a face-varying channel, and what else is refined as they are. Schemes catmullClark and loop. */
#ifndef SDD_STEPS_H
#define SDD_STEPS_H
#include "gpu/grid/quad_location.h"
#include "gpu/mesh/topology.h"

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

#endif
