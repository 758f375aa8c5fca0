/* SPDX-License-Identifier: Apache-2.0 */
/* smooth.h: values that are refined by the same rules as positions: over the control mesh, or over the mesh of a
 * face-varying channel, whose seams are its boundaries. Schemes catmullClark and loop; limits with surface = limit. */
#ifndef SDD_SMOOTH_H
#define SDD_SMOOTH_H
#include "gpu/grid/quad_location.h"
#include "gpu/mesh/topology.h"

/* A run over the levels: what it works with. */
struct smooth {
    const sdd_topology *topology;
    struct sdd_control mesh; /* goes along: under chaikin it has the parts of its level */
    int width;               /* floats a row */
    struct sdd_float2 *weights;
    float *parts[2];  /* chaikin.h */
    float *buffer[2]; /* buffer k: rows of the levels last - k, last - k - 2, .. but the last itself */
};
/* smooth_levels: from the control rows to those of r->level, which go to `last`; queues. s->mesh is on that level then.
 * Errors  SDD_ECANCELLED */
int smooth_levels(struct smooth *s, const float *from, float *last, const struct sdd_refine_request *r,
                  struct sdd_error *err) SDD_MUST_CHECK;

/* smooth_scratch: exact bytes that smooth_run needs. */
int64_t smooth_scratch(const sdd_topology *t, const struct sdd_control *mesh, int width,
                       const struct sdd_refine_request *r);
/* smooth_run: values [rows of the mesh][width] -> out [rows of r->level][width], all on the device; queues.
 * Errors  SDD_ECANCELLED, SDD_ENO_MEMORY */
int smooth_run(const sdd_topology *t, const struct sdd_control *mesh, int width, const struct sdd_refine_request *r,
               const float *values, float *out, void *scratch, struct sdd_error *err) SDD_MUST_CHECK;

#endif
