/* SPDX-License-Identifier: Apache-2.0 */
/* random_edits.h: batches of random edits of all kinds, as JSON. Many of them are refused. */
#ifndef TESTS_RANDOM_EDITS_H
#define TESTS_RANDOM_EDITS_H
#include "server/mesh/mesh.h"

struct random_edits {
    uint64_t x; /* the state of the random numbers, not 0 */
    const struct mesh *m;
    char text[4000]; /* the edits, without the brackets around them */
    size_t used;
};
/* random_pick: a number in [0, n), or 0. */
int32_t random_pick(struct random_edits *w, int64_t n);
/* random_edits_make: makes the text of a batch for m; primvars that it sets are those of sample_primvars_json. */
void random_edits_make(struct random_edits *w, const struct mesh *m);

#endif
