/* SPDX-License-Identifier: Apache-2.0 */
/* usda_read.h: reads USDA text for the tests of its reader. All fail the test when something else comes. */
#ifndef TESTS_USDA_READ_H
#define TESTS_USDA_READ_H
#include "server/mesh/formats/codec.h"

#define HEAD "#usda 1.0\n"
#define FACE "int[] faceVertexCounts = [4]\nint[] faceVertexIndices = [0, 1, 2, 3]\n"
#define QUAD "point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]\n" FACE
#define MESH(more) HEAD "def Mesh \"m\"\n{\n" QUAD more "}\n"

/* usda_reads: the mesh of a text, whose warnings must be these. The caller frees it. */
struct mesh *usda_reads(const char *text, const char *says);
struct mesh *usda_reads_ask(const char *text, const struct usda_ask *ask, const char *says);
/* usda_refused: the text is refused with this code and a sentence that has `says`. */
void usda_refused(const char *text, int code, const char *says);
void usda_refused_ask(const char *text, const struct usda_ask *ask, int code, const char *says);
/* usda_primvar: a primvar that the mesh must have like this. */
const struct primvar *usda_primvar(const struct mesh *m, const char *name, int interpolation, int type, int width,
                                   int n_values);

#endif
