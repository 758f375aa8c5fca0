/* SPDX-License-Identifier: Apache-2.0 */
/* topology_edit.h: where the rows of a mesh are after an edit, for code that keeps something with a topology and makes
 * it from what the topology before the edit has (kept_ops.update). */
#ifndef SDD_TOPOLOGY_EDIT_H
#define SDD_TOPOLOGY_EDIT_H
#include <stdint.h>

/* Rows from `from` of the old mesh on that are at `to` in the new one. */
struct topology_run {
    int64_t from, to, n;
};
/* The rows of one kind that stay. Runs ascend in both meshes; the rows between them have gone or come. */
struct topology_runs {
    const struct topology_run *run;
    int64_t n, n_old, n_new; /* The runs; the rows before and after. */
};

/* topology_runs_to: the new number of an old row, or SDD_NONE if it has gone. */
uint32_t topology_runs_to(const struct topology_runs *r, uint32_t old);
/* topology_runs_place: the doubled old number of a new row. That of old number i has 2 i + 1, and a row that has come
 * and stands before it has 2 i. */
uint32_t topology_runs_place(const struct topology_runs *r, uint32_t row);

/* An edit, of the control mesh or a channel, whose vertices are its rows. An edge between two vertices that stay is the
 * same edge wherever both meshes have one there. The arrays are borrowed. */
struct topology_edit {
    struct topology_runs vertices, faces, edges, corners;
    struct topology_runs control; /* The control vertices, also for a channel. */
    /* Shape [n_dirty]: the vertices of the new control mesh that are dirty (sdd_update.h), ascending, also for a
     * channel. Around all others faces and tags are what they were. */
    const uint32_t *dirty;
    int64_t n_dirty;
};

#endif
