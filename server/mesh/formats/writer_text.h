/* SPDX-License-Identifier: Apache-2.0 */
/* writer_text.h: what the writers of text files (JSON, OBJ and USDA) share. */
#ifndef SUBDD_MESH_TEXT_H
#define SUBDD_MESH_TEXT_H
#include "server/mesh/mesh.h"
#include "server/base/text.h"
#include <stdio.h>

/* mesh_to_text: makes a text of what `write` writes of m.
 * Owner   *out is malloc'ed, and the caller frees it
 * Errors  SDD_ENO_MEMORY */
int mesh_to_text(const struct mesh *m, void (*write)(FILE *f, const struct mesh *m), void **out, size_t *bytes,
                 struct sdd_error *err) SDD_MUST_CHECK;
/* mesh_to_text_with: the same for a writer that needs more than the mesh. */
typedef void mesh_writer(FILE *f, const struct mesh *m, const void *context);
int mesh_to_text_with(const struct mesh *m, mesh_writer *write, const void *context, void **out, size_t *bytes,
                      struct sdd_error *err) SDD_MUST_CHECK;
/* mesh_ids_lost: adds a line to *lost (unless it is NULL) when the elements have ids that a file without ids cannot
 * keep. */
void mesh_ids_lost(const struct mesh *m, struct text *lost);

#endif
