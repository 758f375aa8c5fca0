/* SPDX-License-Identifier: Apache-2.0 */
/* triangles.h: any mesh as one of triangles, for the schemes that take nothing else. */
#ifndef TESTS_ORACLE_TRIANGLES_H
#define TESTS_ORACLE_TRIANGLES_H
#include <stdatomic.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
#include "gpu/sdd/sdd.h"

struct triangles { /* what the description points to afterwards */
    int32_t *counts, *vertices, *uvs, *holes;
};
int triangles_only(const struct sdd_mesh_desc *d);
/* triangles_cut: each face as a fan of triangles from its first corner; tags still name edges of the mesh. */
struct triangles triangles_cut(struct sdd_mesh_desc *d);
void triangles_free(struct triangles *t);

#ifdef __cplusplus
}
#endif
#endif
