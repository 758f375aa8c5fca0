/* SPDX-License-Identifier: Apache-2.0 */
/* store_work.h: random changes to a few meshes of a store, and a check of what a crash has left of them.
 *
 * The content of a mesh follows from its number, its version and the kinds of its last changes, so that a check needs
 * no copy of it. */
#ifndef TESTS_STORE_WORK_H
#define TESTS_STORE_WORK_H
#include "server/store/store.h"

enum { WORK_MESHES = 4, WORK_VERSIONS = 6 }; /* The meshes keep so many versions, of 1 MiB in all. */
enum { WORK_LIVES = 64, WORK_KINDS = 1024 }; /* Meshes, and changes of each, that are remembered. */

struct store_work {                     /* plain data: may live in memory shared with a child */
    int64_t acked[WORK_MESHES];         /* version that was acknowledged; 0: there is no such mesh                   */
    int64_t next[WORK_MESHES];          /* as acked, but for meshes of a commit under way: their version afterwards */
    int64_t answer[WORK_MESHES];        /* serial of the last answer that was recorded; 0: none                     */
    int64_t life[WORK_MESHES], n_lives; /* a number for each mesh that was created, as which it was created_ms */
    unsigned char kinds[WORK_LIVES][WORK_KINDS]; /* of the change that made each version */
    int64_t n_acked, n_edits, n_together, serial, ready;
    bool together; /* some changes are parts of one commit, also several of one mesh */
    uint64_t random;
};

uint64_t work_random(struct store_work *w);
/* work_same: fails the test unless m has what the version of a mesh has. */
void work_same(const struct store_work *w, int mesh, const struct store_info *info, const struct mesh *m);
/* work_step: one change, or several in one commit. Result  what the store said */
int work_step(struct store *s, struct store_work *w);
/* work_check: fails the test unless every mesh is as acknowledged or, whole, as the change under way would leave it;
 * takes what it finds as acknowledged. */
void work_check(struct store *s, struct store_work *w);

#endif
