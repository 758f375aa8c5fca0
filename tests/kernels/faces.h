/* SPDX-License-Identifier: Apache-2.0 */
/* faces.h: struct sdd_faces of an oracle's mesh, for kernels under test. */
#ifndef TESTS_FACES_H
#define TESTS_FACES_H
#include "gpu/kernels/faces.h"
#include "tests/kernels/brute.h"

/* faces_of: in host memory, tables for all corners. */
struct sdd_faces faces_of(const struct brute *b);
/* faces_in: on the device, of the first n corners (C, or with ghosts C + B). Where all faces are triangles or all are
 * quads, every second call gives them without tables. */
struct sdd_faces faces_in(const struct brute *b, int64_t n);

#endif
