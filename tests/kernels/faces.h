/* SPDX-License-Identifier: Apache-2.0 */
/* faces.h: struct sdd_faces and struct sdd_feature_vertices of an oracle's mesh, for kernels under test. */
#ifndef TESTS_FACES_H
#define TESTS_FACES_H
#include "gpu/grid/faces.h"
#include "gpu/grid/features.h"
#include "tests/kernels/brute.h"

/* faces_of: in host memory, tables for all corners. */
struct sdd_faces faces_of(const struct brute *b);
/* faces_in: on the device, of the first n corners (C, or with ghosts C + B). Where all faces are triangles or all are
 * quads, every second call gives them without tables. */
struct sdd_faces faces_in(const struct brute *b, int64_t n);
/* ruled_flags: of the n vertices of edges with two ends each, what feature_vertices says; the caller frees. ruled_in:
 * on the device. */
unsigned char *ruled_flags(const uint32_t *vert, const uint32_t *next, const uint32_t *edge_corner,
                           const float *edge_sharp, int64_t n_edges, const float *vert_sharp, int64_t n);
struct sdd_feature_vertices ruled_in(const unsigned char *flag, int64_t n);

#endif
