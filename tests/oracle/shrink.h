/* SPDX-License-Identifier: Apache-2.0 */
/* shrink.h: what is left of a mesh that fails when all is taken away that does not matter to the failure. */
#ifndef TESTS_ORACLE_SHRINK_H
#define TESTS_ORACLE_SHRINK_H
#include "tests/oracle/tagged_mesh.h"

typedef int fails_fn(const struct tagged_mesh *m, void *context);
/* shrink: m must fail. Lowers the level, sets options to their defaults, drops UVs, faces, sharp edges, sharp vertices,
 * holes and vertices, joins UV values of a vertex, while it still fails. */
void shrink(struct tagged_mesh *m, fails_fn *fails, void *context);
#endif
