/* SPDX-License-Identifier: Apache-2.0 */
/* osd.h: OpenSubdiv as a witness: Far::TopologyRefiner::RefineUniform and Far::PrimvarRefiner in double precision. */
#ifndef TESTS_ORACLE_OSD_H
#define TESTS_ORACLE_OSD_H
#include "tests/oracle/refined.h"
#ifdef __cplusplus
extern "C" {
#endif

/* osd_refine: refines points[V][3] and uvs[U][2] (NULL without UVs) to `level` >= 1. Of a mesh that is not manifold no
 * limit normals are given: its tangents overrun OpenSubdiv's heap at edges of many faces. */
void osd_refine(const struct sdd_mesh_desc *desc, const float *points, const float *uvs, int level,
                struct refined *out);

/* osd_is_sound: does OpenSubdiv's own topology hold together? Where a face uses a vertex twice it may order the edges
 * of that vertex wrongly, loses one of them, and takes the vertex for a regular one, or takes the face's first corner
 * there for its second as well: no witness. */
int osd_is_sound(const struct sdd_mesh_desc *desc);

#ifdef __cplusplus
}
#endif
#endif
