/* SPDX-License-Identifier: Apache-2.0 */
/* idempotency.h: the header Idempotency-Key, with which a client can repeat a request and be sure that its change is
 * made only once. */
#ifndef SUBDD_IDEMPOTENCY_H
#define SUBDD_IDEMPOTENCY_H
#include "server/operation/operation.h"

#define KEY_SIZE 256
struct idempotency {
    char key[KEY_SIZE], principal[OWNER_SIZE];
    char *request; /* The method and target, which are part of the digest. */
    unsigned char digest[32];
    bool replay; /* `found` has the first answer. */
    struct store_answer found;
    void *block; /* The memory of `found`. */
};
/* idempotency_create: what is known of a request's key. Returns NULL when it has answered the request with an error: a
 * malformed key, or no memory. */
struct idempotency *idempotency_create(struct request *r, const char *key);
void idempotency_free(struct idempotency *i);
/* idempotency_digest: computes the digest of the request; without a key it does nothing. Any thread may call it. Errors
 * SDD_EINTERNAL */
int idempotency_digest(struct mesh_job *j);
/* idempotency_find: looks for the first answer, on the storage thread.
 * Result  JOB_DONE when it was found, SDD_OK when not or without a key, else an error
 * Errors  SDD_EKEY_REUSED (the key came with another request), those of the store */
int idempotency_find(struct mesh_job *j);
/* step_digest, step_find_once: the steps by which a job that needs the record alone begins, on any thread and on the
 * storage thread: idempotency_digest, and idempotency_find with step_find. Their skips skip what is known or not asked
 * for. */
int step_digest(struct job *job);
bool skip_digest(const struct job *job);
int step_find_once(struct job *job);
bool skip_find_once(const struct job *job);
/* idempotency_record: fills *out with the answer to store with the change, and returns it; NULL without a key. It
 * borrows from the job and from location and etag, which may be "". */
const struct store_answer *idempotency_record(struct mesh_job *j, struct store_answer *out, int status,
                                              const char *location, const char *etag);
/* idempotency_replay: gives the first answer again, on the loop. Returns false when there is none. */
bool idempotency_replay(struct mesh_job *j);

#endif
