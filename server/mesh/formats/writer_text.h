/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_text.h: what the writers of text files (OBJ, USDA) share. */
#ifndef SUBDD_MESH_TEXT_H
#define SUBDD_MESH_TEXT_H
#include "server/mesh/mesh.h"
#include "server/base/text.h"
#include <stdio.h>

/* mesh_to_text: what `write` writes of m; *out is malloc'ed. Errors  SDD_ENO_MEMORY */
int mesh_to_text(const struct mesh *m, void (*write)(FILE *f, const struct mesh *m), void **out, size_t *bytes,
                 struct sdd_error *err) SDD_MUST_CHECK;
/* mesh_ids_lost: a warning in *lost (NULL: none is wanted) when a file without ids gives the elements other ones. */
void mesh_ids_lost(const struct mesh *m, struct text *lost);

#endif
