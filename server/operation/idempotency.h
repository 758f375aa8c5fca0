/* SPDX-License-Identifier: Apache-2.0 */
/* idempotency.h: the header Idempotency-Key: a change that was answered once is not made again. */
#ifndef SUBDD_IDEMPOTENCY_H
#define SUBDD_IDEMPOTENCY_H
#include "server/operation/operation.h"

#define KEY_SIZE 256
struct idempotency {
    char key[KEY_SIZE], principal[TOKEN_NAME_SIZE];
    char *request; /* method and target, part of the digest */
    unsigned char digest[32];
    bool replay; /* found holds the first answer          */
    struct store_answer found;
    void *block;
};
struct idempotency *idempotency_create(struct request *r, const char *key); /* NULL: answered */
void idempotency_free(struct idempotency *i);
int idempotency_digest(struct mesh_job *j); /* any thread; nothing to do without a key */
int idempotency_find(struct mesh_job *j);   /* storage thread: JOB_DONE when the first answer was found */
/* The record to store with the change; NULL without a key. Lives as long as the job. location may be "". */
const struct store_answer *idempotency_record(struct mesh_job *j, struct store_answer *out, int status,
                                              const char *location, const char *etag);
bool idempotency_replay(struct mesh_job *j); /* loop: gives the first answer again; false: there is none */

#endif
