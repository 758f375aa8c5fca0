/* SPDX-License-Identifier: Apache-2.0 */
/* edited.h: changes of the mesh m_a in a store, for tests of versions that edits make. Each makes the next version
 * and returns its mesh, which the caller frees, as are those that it is given. All fail the test when they cannot be
 * made. */
#ifndef TESTS_EDITED_H
#define TESTS_EDITED_H
#include "server/store/store.h"

/* edited_begin: m becomes version 1 of a new store in dir, which keeps so many versions; returns m. */
struct mesh *edited_begin(struct store **s, const char *dir, struct mesh *m, int64_t versions);
/* edited_batch: edits as JSON, without the brackets around them; NULL when they are refused. */
struct mesh *edited_batch(struct store *s, const struct mesh *m, const char *edits);
struct mesh *edited_poke(struct store *s, const struct mesh *m, int face);
struct mesh *edited_move(struct store *s, const struct mesh *m, int64_t first, int64_t n, float to);
struct mesh *edited_name(struct store *s, const struct mesh *m, int number);
/* edited_undo: as undo does: what an earlier version was, with the ids to come of the present one. */
struct mesh *edited_undo(struct store *s, const struct mesh *m, const struct mesh *old, int64_t version);
void edited_take(struct mesh **m, struct mesh *next); /* *m is freed, and becomes next */
/* edited_has: a version is what was acknowledged; ids to come are those of the present one. */
void edited_has(struct store *s, int64_t version, const struct mesh *want, const struct mesh *now);
int64_t edited_count(const char *dir, const char *what); /* what SELECT what gives, while the store is closed */
/* edited_look: the same of an open store, which is closed for it. It forgets how many versions it keeps. */
int64_t edited_look(struct store **s, const char *dir, const char *what);

#endif
