/* SPDX-License-Identifier: Apache-2.0 */
/* sample.h: small meshes for the tests of the server's data side. All fail the test when they cannot be made. */
#ifndef TESTS_SAMPLE_H
#define TESTS_SAMPLE_H
#include "server/mesh/formats/codec.h"

extern const char sample_cube_obj[];       /* 8 vertices, 6 quads, UVs, a crease, a corner */
struct mesh *sample_obj(const char *text); /* the caller frees all of these                */
struct mesh *sample_cube(void);
extern const char sample_primvars_json[]; /* the cube with one primvar of each class; map has a seam */
extern const char sample_sets_json[];     /* the cube with a stage, and face sets in primvars group and materialBind */
struct mesh *sample_json(const char *text);
struct mesh *sample_grid(int32_t columns, int32_t rows); /* of quads; its points are x, y, 0 */
struct edit_batch *sample_edits(const char *json);
void sample_same(const struct mesh *a, const struct mesh *b);  /* asserts equal in all but name and ids */
void sample_equal(const struct mesh *a, const struct mesh *b); /* with ids, and those to come */
/* sample_reordered: a grid whose rows are in another order than its ids. */
struct mesh *sample_reordered(void);

#endif
