/* SPDX-License-Identifier: Apache-2.0 */
/* faces.h: makes struct sdd_faces and struct sdd_feature_vertices of an oracle's mesh, for kernels under test. */
#ifndef TESTS_FACES_H
#define TESTS_FACES_H
#include "gpu/grid/faces.h"
#include "gpu/grid/features.h"
#include "tests/kernels/brute.h"

/* faces_of: makes it in host memory, with tables for all corners. */
struct sdd_faces faces_of(const struct brute *b);
/* faces_in: makes it on the device, for the first n corners (C, or C + B with ghosts). If all faces are triangles or
 * all are quads, every second call leaves out the tables. */
struct sdd_faces faces_in(const struct brute *b, int64_t n);
/* feature_flags: says of each of n vertices what feature_vertices must say, if every edge has two ends. The caller
 * frees it. features_in: copies it to the device. */
unsigned char *feature_flags(const uint32_t *vert, const uint32_t *next, const uint32_t *edge_corner,
                             const float *edge_sharp, int64_t n_edges, const float *vert_sharp, int64_t n);
struct sdd_feature_vertices features_in(const unsigned char *flag, int64_t n);

#endif
