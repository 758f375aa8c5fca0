/* SPDX-License-Identifier: Apache-2.0 */
/* subdivision_matrix.h: the door of subdivision matrices (Driscoll 2014): the points of a level, their limits and limit
 * tangents, as multiples of the control points. A level is a matrix over the level before, made by asking the rules of
 * the mesh matrix (kernel/probe.h); the product of all levels stays with the topology, and a frame is one product with
 * a vector. engine.c is the engine over them; matrix_market/ writes them as text. The room stands on levels/, patches/
 * and sparse/, and knows no other engine. */
#ifndef SDD_SUBDIVISION_MATRIX_H
#define SDD_SUBDIVISION_MATRIX_H
#include "gpu/sparse/matrix_apply.k.h"
#include "gpu/mesh/topology.h"

#define MATRIX_METHOD "subdivision-matrix"

/* Rows that a matrix makes; points and limits are in the order of enum sdd_surface. */
enum matrix_of { MATRIX_POINTS, MATRIX_LIMITS, MATRIX_TANGENTS_1, MATRIX_TANGENTS_2, N_MATRICES };

struct matrix {
    struct device_block memory;
    struct sdd_matrix m;
    int64_t n_entries;
    int level; /* 0: none */
};

/* The matrices of a control mesh, or of a channel's mesh: of each kind that of the last level that was asked for.
 * Zeros: nothing is there yet. */
struct matrices {
    struct matrix of[N_MATRICES];
    struct device_block bare_memory;
    uint32_t *bare; /* rows that no mask of tangents is for, with the tangents */
    int64_t n_bare;
};

/* matrices_prepare: makes, and keeps with the mesh of a channel (NULL: the control mesh), those of the request's level
 * that are missing. The bits of `wanted` are 1 << enum matrix_of: both tangents or none, and under sqrt3 points of the
 * request's surface alone. Where rows are bare, the points are made along with the tangents, but under sqrt3.
 * Errors  SDD_ETOO_LARGE (2^31 entries), SDD_ENO_MEMORY, SDD_ECANCELLED, SDD_EDEVICE */
int matrices_prepare(const sdd_topology *t, const struct topology_channel *c, const struct sdd_refine_request *r,
                     unsigned wanted, const atomic_int *cancel, struct sdd_error *err) SDD_MUST_CHECK;
const struct matrices *matrices_of(const sdd_topology *t, const struct topology_channel *c); /* NULL: none were made */
/* matrix_rows: rows [first, first + n) of a matrix times x, rows of `width` floats; queues. */
void matrix_rows(sdd_device *d, const struct matrix *m, int width, const float *x, int64_t first, int64_t n, float *y);
/* matrices_normals: limit normals and tangents but of bare rows; queues. Either may be NULL. */
void matrices_normals(sdd_device *d, const struct matrices *all, const float *x, float *normals, float *tangents);

#endif
