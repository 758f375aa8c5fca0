/* SPDX-License-Identifier: Apache-2.0 */
/* shape.h: a test mesh from an OBJ file, read by the daemon's own reader. */
#ifndef TESTS_ORACLE_SHAPE_H
#define TESTS_ORACLE_SHAPE_H
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
#include "gpu/sdd/sdd.h"

struct mesh;
struct shape {
    char name[64], head[256];  /* file name without .obj; the file's first line without '#' */
    struct mesh *mesh;         /* owns what desc, points and uvs point to */
    struct sdd_mesh_desc desc; /* options may be changed by the test      */
    const float *points, *uvs; /* uvs is NULL without UVs                 */
    double diagonal;           /* of the bounding box of the points       */
};
/* shape_load: reads DIR/NAME.obj. On error (the reader's) only name and head are filled. */
int shape_load(const char *dir, const char *name, struct shape *out, struct sdd_error *err) SDD_MUST_CHECK;
void shape_free(struct shape *s);

/* shape_list: the names in a folder, sorted, NULL-terminated, or NULL when it cannot be read. shape_list_free frees. */
char **shape_list(const char *dir, size_t *n);
void shape_list_free(char **names);

#ifdef __cplusplus
}
#endif
#endif
