/* SPDX-License-Identifier: Apache-2.0 */
/* matrix.h: subdivision matrices (Driscoll 2014): the points of a level, their limits and limit tangents, as multiples
 * of the control points. A level is a matrix over the level before, made by asking the rules of the mesh matrix
 * (kernels/probe.h); the product of all levels stays with the topology, and a frame is one product with a vector. */
#ifndef SDD_MATRIX_H
#define SDD_MATRIX_H
#include "gpu/sparse/matrix_apply.k.h"
#include "gpu/mesh/topology.h"

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

#define MATRIX_ENTRIES INT32_MAX /* at most */

/* matrix_ends: of n counts of terms the ends of their rows, in the same place; *total: of all rows, in 64 bits. Where
 * these are more than MATRIX_ENTRIES, the counts stay. Waits.
 * Errors  SDD_ENO_MEMORY, SDD_EDEVICE */
int matrix_ends(sdd_device *d, int32_t *count, int64_t n, int64_t *total, struct sdd_error *err) SDD_MUST_CHECK;

/* matrices_prepare: makes those of the request's level that are missing; wanted: bits 1 << enum matrix_of, both
 * tangents or none; of sqrt3 points of the request's surface alone. Where rows are bare, the points are made along with
 * the tangents, but under sqrt3.
 * Errors  SDD_ETOO_LARGE (2^31 entries), SDD_ENO_MEMORY, SDD_ECANCELLED, SDD_EDEVICE */
int matrices_prepare(const sdd_topology *t, const struct sdd_control *mesh, struct matrices *all,
                     const struct sdd_refine_request *r, unsigned wanted, struct sdd_error *err) SDD_MUST_CHECK;
/* matrix_rows: rows [first, first + n) of a matrix times x, rows of `width` floats; queues. */
void matrix_rows(sdd_device *d, const struct matrix *m, int width, const float *x, int64_t first, int64_t n, float *y);
/* matrices_normals: limit normals and tangents but of bare rows; queues. Either may be NULL. */
void matrices_normals(sdd_device *d, const struct matrices *all, const float *x, float *normals, float *tangents);
int64_t matrices_bytes(const struct matrices *all); /* on the device */
void matrices_free(sdd_device *d, struct matrices *all);

/* ---- shared by matrix.c and matrix_pack.c ---------------------------------------------------------------------- */
/* Compressed rows in double, while they are made. */
struct csr {
    struct device_block ends, entries;
    int64_t n_rows, n_entries;
    int32_t *end;
    uint32_t *column;
    double *weight;
};
/* matrix_pack: the form in which it is applied. matrix_pack_as: that of k terms in ELL, or MATRIX_COMPRESSED rows.
 * matrix_model: the k that Bell and Garland's model says, without trying. Errors  SDD_ENO_MEMORY, SDD_EDEVICE */
#define MATRIX_COMPRESSED (-1)
int matrix_pack_as(sdd_device *d, const struct csr *from, int k, struct matrix *out,
                   struct sdd_error *err) SDD_MUST_CHECK;
int matrix_model(sdd_device *d, const struct csr *from, int *k, struct sdd_error *err) SDD_MUST_CHECK;
int matrix_pack(sdd_device *d, const struct csr *from, int64_t n_columns, struct matrix *out,
                struct sdd_error *err) SDD_MUST_CHECK;
void matrix_give(sdd_device *d, struct device_block *part);

#endif
