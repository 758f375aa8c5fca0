/* SPDX-License-Identifier: Apache-2.0 */
/* osd.h: OpenSubdiv as a witness: Far::TopologyRefiner::RefineUniform and Far::PrimvarRefiner in double precision. */
#ifndef TESTS_ORACLE_OSD_H
#define TESTS_ORACLE_OSD_H
#include "tests/oracle/refined.h"
#ifdef __cplusplus
extern "C" {
#endif

/* osd_refine: refines points[V][3] and uvs[U][2] (NULL without UVs) to `level` >= 1. The mesh must be manifold: the
 * limit tangents of OpenSubdiv overrun the heap at edges of many faces. */
void osd_refine(const struct sdd_mesh_desc *desc, const float *points, const float *uvs, int level,
                struct refined *out);

/* osd_is_manifold: 0 when a vertex with faces, and so one at every bad edge, is non-manifold to OpenSubdiv. */
int osd_is_manifold(const struct sdd_mesh_desc *desc);

#ifdef __cplusplus
}
#endif
#endif
