/* SPDX-License-Identifier: Apache-2.0 */
/* refine_values.h: refines values by the same rules as positions, over all levels: over the control mesh, or over the
 * mesh of a face-varying channel, whose seams are its boundaries. This serves the schemes catmullClark and loop, and
 * gives limits with surface = limit. */
#ifndef SDD_REFINE_VALUES_H
#define SDD_REFINE_VALUES_H
#include "gpu/grid/quad_location.h"
#include "gpu/mesh/topology.h"

/* What a run over the levels works with. */
struct smooth {
    const sdd_topology *topology;
    struct sdd_control mesh; /* The mesh on the current level; under chaikin with the parts of that level. */
    int width;               /* Floats in a row. */
    struct sdd_float2 *weights;
    float *parts[2]; /* The memory of chaikin_lay_out. */
    /* Buffer k holds the rows of the levels last - k, last - k - 2 and so on. Buffer 0 has room for the last level only
     * where limits are made from it. */
    float *buffer[2];
};
/* smooth_levels: queues the steps from the control rows to those of r->level, which go to `last`. Then s->mesh is on
 * that level.
 * Errors  SDD_ECANCELLED */
int smooth_levels(struct smooth *s, const float *from, float *last, const struct sdd_refine_request *r,
                  struct sdd_error *err) SDD_MUST_CHECK;

/* smooth_scratch: the exact bytes of scratch memory that smooth_run needs. */
int64_t smooth_scratch(const sdd_topology *t, const struct sdd_control *mesh, int width,
                       const struct sdd_refine_request *r);
/* smooth_run: queues the refinement of `values`, which have the rows of the mesh, to `out`, which has the rows of
 * r->level. Both are on the device and have `width` floats a row.
 * Errors  SDD_ECANCELLED, SDD_ENO_MEMORY */
int smooth_run(const sdd_topology *t, const struct sdd_control *mesh, int width, const struct sdd_refine_request *r,
               const float *values, float *out, void *scratch, struct sdd_error *err) SDD_MUST_CHECK;

#endif
