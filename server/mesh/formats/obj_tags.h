/* SPDX-License-Identifier: Apache-2.0 */
/* obj_tags.h: OpenSubdiv's tag lines in an OBJ file, which carry creases, corners, holes and options. */
#ifndef SUBDD_OBJ_TAGS_H
#define SUBDD_OBJ_TAGS_H
#include "server/mesh/formats/obj_reader.h"

/* obj_tag: reads the rest of a line that began with "t".
 * Errors  SDD_EMALFORMED, SDD_EINVALID and SDD_EUNSUPPORTED naming line and tag, SDD_ENO_MEMORY */
int obj_tag(struct obj_reader *r) SDD_MUST_CHECK;

#endif
