/* SPDX-License-Identifier: Apache-2.0 */
/* redo_face.h: an edit that takes a face away and puts it back: a delta from a mesh to itself, for tests of
 * sdd_topology_update that have no edits. */
#ifndef TESTS_REDO_FACE_H
#define TESTS_REDO_FACE_H
#include "gpu/sdd/sdd_update.h"

/* redo_face: makes the topology of desc from `old`, which is of desc too. */
int redo_face(const sdd_topology *old, const struct sdd_mesh_desc *desc, int32_t face, sdd_topology **out,
              struct sdd_error *err) SDD_MUST_CHECK;

#endif
