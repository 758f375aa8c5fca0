/* SPDX-License-Identifier: Apache-2.0 */
/* subdivision_matrix.h: the door of subdivision matrices (Driscoll 2014): the points of a level, their limits and
 * limit tangents, as multiples of the control points. A level is a matrix over the level before, made by asking the
 * rules of the mesh matrix (kernel/probe.h). The product of all levels stays with the topology, and each set of
 * positions is one product with a vector. engine.c is the engine over the matrices; matrix_market/ writes them as
 * text. The room stands on levels/, patches/ and sparse/, and knows no other engine. */
#ifndef SDD_SUBDIVISION_MATRIX_H
#define SDD_SUBDIVISION_MATRIX_H
#include "gpu/sparse/matrix_apply.k.h"
#include "gpu/mesh/topology.h"

#define MATRIX_METHOD "subdivision-matrix"

/* What the rows of a matrix are. Points and limits are in the order of enum sdd_surface. */
enum matrix_of {
    MATRIX_POINTS,
    MATRIX_LIMITS,
    MATRIX_LIMITS_AT_LEVEL,
    MATRIX_TANGENTS_1,
    MATRIX_TANGENTS_2,
    N_MATRICES
};

struct matrix {
    struct device_block memory;
    struct sdd_matrix m;
    int64_t n_entries;
    int level;   /* 0 where there is no matrix. */
    int surface; /* That of the request it was made for; tangents depend on it. */
};

/* The matrices of a control mesh, or of the mesh of a channel: of each kind the one of the level that was last asked
 * for. Zeros mean that none has been made yet. */
struct matrices {
    struct matrix of[N_MATRICES];
    struct device_block bare_memory;
    uint32_t *bare; /* Shape [n_bare]: the rows that have no mask of tangents. It is made with the tangents. */
    int64_t n_bare;
};

/* matrices_prepare: makes the matrices of the request's level that are missing, and keeps them with the mesh of a
 * channel, or with the control mesh where c is NULL. `wanted` has the bits 1 << enum matrix_of, both tangents or none;
 * under sqrt3 only points of the request's surface. Where rows are bare, points are made along with the tangents,
 * except under sqrt3.
 * Errors  SDD_ETOO_LARGE (2^31 entries), SDD_ENO_MEMORY, SDD_ECANCELLED, SDD_EDEVICE */
int matrices_prepare(const sdd_topology *t, const struct topology_channel *c, const struct sdd_refine_request *r,
                     unsigned wanted, const atomic_int *cancel, struct sdd_error *err) SDD_MUST_CHECK;
/* matrices_of: the matrices that have been made, or NULL if there are none. */
const struct matrices *matrices_of(const sdd_topology *t, const struct topology_channel *c);
/* matrix_rows: queues the product of rows [first, first + n) of a matrix with x, whose rows have `width` floats. */
void matrix_rows(sdd_device *d, const struct matrix *m, int width, const float *x, int64_t first, int64_t n, float *y);
/* matrices_normals: queues limit normals and tangents, except for bare rows. Either may be NULL. */
void matrices_normals(sdd_device *d, const struct matrices *all, const float *x, float *normals, float *tangents);

#endif
