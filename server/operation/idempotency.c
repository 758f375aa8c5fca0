/* SPDX-License-Identifier: Apache-2.0 */
/* idempotency.c: gives a repeated request with an Idempotency-Key its first answer again, even after a crash, for the
 * routes that create, change and delete meshes. */
#include "server/operation/idempotency.h"
#include "server/base/clock.h"
#include <gnutls/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_visible(const char *s)
{
    for (; *s; s++)
        if (*s < 0x21 || *s > 0x7e)
            return false;
    return true;
}

struct idempotency *idempotency_create(struct request *r, const char *key)
{
    size_t n = strlen(key);
    struct text request = {0};
    struct idempotency *i = calloc(1, sizeof *i);
    text_printf(&request, "%s %s\n", r->method, r->conn->target);
    if (n == 0 || n >= KEY_SIZE || !is_visible(key)) {
        struct sdd_error err;
        (void)sdd_fail(&err, SDD_EINVALID, "idempotency-key", "Idempotency-Key has 1 to %d visible ASCII characters",
                       KEY_SIZE - 1);
        err.available = KEY_SIZE - 1;
        answer_error(r, &err);
    } else if (!i || request.failed)
        answer_fail(r, SDD_ENO_MEMORY, "", "out of memory");
    else {
        memcpy(i->key, key, n + 1);
        memcpy(i->principal, r->owner, sizeof i->principal);
        i->request = request.data;
        return i;
    }
    text_free(&request);
    free(i);
    return NULL;
}

void idempotency_free(struct idempotency *i)
{
    if (!i)
        return;
    free(i->request);
    free(i->block);
    free(i);
}

int idempotency_digest(struct mesh_job *j)
{
    gnutls_hash_hd_t hash;
    if (!j->key)
        return SDD_OK;
    if (gnutls_hash_init(&hash, GNUTLS_DIG_SHA256))
        return job_fail(&j->job, SDD_EINTERNAL, "", "SHA-256 is not there");
    gnutls_hash(hash, j->key->request, strlen(j->key->request));
    gnutls_hash(hash, j->body, j->body_bytes);
    gnutls_hash_deinit(hash, j->key->digest);
    return SDD_OK;
}

int idempotency_find(struct mesh_job *j)
{
    int found = 0;
    if (!j->key)
        return SDD_OK;
    int rc = store_idempotent_find(job_service(&j->job)->storage->store, j->key->principal, j->key->key, j->key->digest,
                                   now_ms(), &j->key->found, &j->key->block, &found, &j->job.err);
    j->key->replay = !rc && found;
    return rc ? rc : found ? JOB_DONE : SDD_OK;
}

int step_digest(struct job *job)
{
    return idempotency_digest((struct mesh_job *)job);
}

bool skip_digest(const struct job *job)
{
    return !((const struct mesh_job *)job)->key;
}

int step_find_once(struct job *job)
{
    int rc = storage_result(job_service(job)->storage, idempotency_find((struct mesh_job *)job));
    return rc || skip_find(job) ? rc : step_find(job);
}

bool skip_find_once(const struct job *job)
{
    return skip_find(job) && skip_digest(job);
}

const struct store_answer *idempotency_record(struct mesh_job *j, struct store_answer *out, int status,
                                              const char *location, const char *etag)
{
    if (!j->key)
        return NULL;
    *out = (struct store_answer){.principal = j->key->principal,
                                 .key = j->key->key,
                                 .status = status,
                                 .media_type = media_name((enum media)j->media_out),
                                 .location = location,
                                 .etag = etag,
                                 .body = j->answer.data,
                                 .bytes = (int64_t)j->answer.bytes};
    memcpy(out->digest, j->key->digest, sizeof out->digest);
    return out;
}

bool idempotency_replay(struct mesh_job *j)
{
    struct request *r = j->job.request;
    if (!j->key || !j->key->replay)
        return false;
    const struct store_answer *a = &j->key->found;
    if (a->bytes)
        answer_copy(r, a->status, a->media_type, a->body, (size_t)a->bytes);
    else
        answer_empty(r, a->status);
    if (*a->location)
        answer_header(r, "Location", a->location);
    if (*a->etag)
        answer_header(r, "ETag", a->etag);
    answer_header(r, "Idempotency-Replayed", "true");
    return true;
}
