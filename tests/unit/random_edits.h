/* SPDX-License-Identifier: Apache-2.0 */
/* random_edits.h: random batches of edits of all kinds, as JSON. Some are refused. They know the primvars of
 * sample_primvars_json, and leave other meshes theirs. */
#ifndef TESTS_RANDOM_EDITS_H
#define TESTS_RANDOM_EDITS_H
#include "server/mesh/mesh.h"

struct random_edits {
    uint64_t x;     /* not 0 */
    bool collapses; /* edges collapse, too, which gives faces other values that no edit names */
    const struct mesh *m;
    char text[8000]; /* the edits of the last batch, without the brackets around them */
    size_t used;
};

/* random_pick: a number in [0, n), or 0. */
int32_t random_pick(struct random_edits *w, int64_t n);
/* random_batch: writes the next batch, for this mesh. */
void random_batch(struct random_edits *w, const struct mesh *m);

#endif
