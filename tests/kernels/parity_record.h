/* SPDX-License-Identifier: Apache-2.0 */
/* parity_record.h: what a run of test_parity puts on record, so that runs can be compared. */
#ifndef TESTS_PARITY_RECORD_H
#define TESTS_PARITY_RECORD_H
#include "gpu/mesh/mesh.h"

#define MAX_VALUES 8192

/* All that a run has to say: digests, counts and error codes, in order. */
struct record {
    int n;
    uint64_t value[MAX_VALUES];
    char error[256]; /* the last one's sentence */
};

void record_note(struct record *r, uint64_t value);
void record_error(struct record *r, int code, const struct sdd_error *err);
/* record_queries: each relation as it is, and those that can be oriented or have rings.
 * record_by_tiles: rows by tiles, as far as these serve the relation.
 * record_fields: each field, and each way of smoothing.
 * record_flow: two steps of conformal flow; meshes that may not flow have that on the record. A solve is thousands of
 * launches, so large meshes are left out. */
void record_queries(sdd_topology *t, struct record *r);
void record_by_tiles(sdd_topology *t, struct record *r);
void record_fields(sdd_mesh *mesh, int64_t n_vertices, struct record *r);
void record_flow(sdd_mesh *mesh, const struct sdd_mesh_desc *d, struct record *r);
#endif
