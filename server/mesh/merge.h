/* SPDX-License-Identifier: Apache-2.0 */
/* merge.h: puts one change of a version of a mesh onto what another change made of it, element by element, so that one
 * person's change can be undone while those of others stay. */
#ifndef SUBDD_MESH_MERGE_H
#define SUBDD_MESH_MERGE_H
#include "server/mesh/changes.h"

/* mesh_merge: makes `theirs` with what `mine` changed, mesh_changes_meet having found nothing in the way. Elements that
 * mine has and theirs lacks come back with their ids. Rows are in the order of ids, where those of theirs are; else
 * what comes back is behind the others. What comes back has zeros in primvars that it never had.
 * Cost    linear in the meshes
 * Errors  SDD_ECHANGED when an element is not there that another needs; SDD_ENO_MEMORY, SDD_ETOO_LARGE */
int mesh_merge(struct mesh_change mine, const struct mesh *theirs, struct mesh **out,
               struct sdd_error *err) SDD_MUST_CHECK;

#endif
