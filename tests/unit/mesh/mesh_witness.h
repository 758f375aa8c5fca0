/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_witness.h: is a mesh_delta right? Found in another way than the code's: by ids, one element after the other,
 * with a search of all tags for each. */
#ifndef TESTS_MESH_WITNESS_H
#define TESTS_MESH_WITNESS_H
#include "server/mesh/edits/edits.h"

/* witness_delta: fails the test unless `r` and its delta are what the batch makes of m. */
void witness_delta(const struct mesh *m, const struct edit_batch *b, const struct edit_result *r);

#endif
