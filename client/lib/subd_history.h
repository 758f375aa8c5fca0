/* SPDX-License-Identifier: Apache-2.0 */
/* subd_history.h: the calls of libsubd about earlier versions of a mesh. subd.h has the rules. An earlier
 * version is refined by subd_refine.at. */
#ifndef SUBD_HISTORY_H
#define SUBD_HISTORY_H
#include "subd.h"

#ifdef __cplusplus
extern "C" {
#endif
struct subd_version {
    int64_t version;
    char change[16];         /* create, positions, edits, smooth, rename, revert, undo, redo; "" when not known. */
    char principal[72];      /* The name of the token that made it; "" without tokens. */
    char updated[40];        /* RFC 3339. */
    int64_t edits;           /* Of a batch; else 0. */
    int64_t of;              /* The version that was undone or redone, or that came back; else 0. */
    int64_t vertices, faces; /* Of the version. */
};
struct subd_version_list {
    int64_t n, next; /* next: `before` of the next page; 0 on the last one. */
    struct subd_version *versions;
};
/* subd_versions: GET versions: up to `limit` versions that can be read, the latest first, of those before `before`.
 * With 0 it begins at the present one, and the server chooses the limit.
 * Owner   subd_version_list_free frees the list
 * Errors  SUBD_EUSAGE (before, limit) */
SUBD_API int subd_versions(subd_client *c, const char *id, int64_t before, int limit, struct subd_version_list *out,
                           struct subd_error *err) SUBD_MUST_CHECK;
SUBD_API void subd_version_list_free(struct subd_version_list *list); /* NULL is fine. */
/* subd_version_kinds: the kinds of edits of the batch that made list->versions[i], each once, with blanks between them;
 * "" where it was no batch, or is not known. The list owns it. */
SUBD_API const char *subd_version_kinds(const struct subd_version_list *list, int64_t i);
/* subd_cage_at: subd_cage of an earlier version, or with version 0 of the present one.
 * Errors  SUBD_EUSAGE (version); SUBD_EHTTP 410 when it is not kept any more */
SUBD_API int subd_cage_at(subd_client *c, const char *id, int64_t version, const char *media_type, char **data,
                          size_t *bytes, struct subd_error *err) SUBD_MUST_CHECK;

/* The calls below make a new version, of which *out, which may be NULL, tells. With version 0 they take any present
 * version, else only this one. A key makes a repeated call the same call; NULL is none.
 * Errors  SUBD_EUSAGE (version); SUBD_EHTTP 404, 410 when the version that would come back is not there, 412 when the
 *         mesh has another version */
/* subd_revert: POST revert: the earlier version `to` becomes the next one. */
SUBD_API int subd_revert(subd_client *c, const char *id, int64_t version, int64_t to, const char *idempotency_key,
                         struct subd_mesh_info *out, struct subd_error *err) SUBD_MUST_CHECK;
/* subd_undo: POST undo: undoes the last change that was made with this client's token and is not undone; what others
 * have changed since stays.
 * subd_redo: POST redo: redoes what was undone last, unless a change with this token came after it.
 * Errors  also SUBD_EHTTP 409 with problem "nothing_to_undo", or "changed_since" when others have changed the same
 *         elements, vertices of its faces or the faces around these */
SUBD_API int subd_undo(subd_client *c, const char *id, int64_t version, const char *idempotency_key,
                       struct subd_mesh_info *out, struct subd_error *err) SUBD_MUST_CHECK;
SUBD_API int subd_redo(subd_client *c, const char *id, int64_t version, const char *idempotency_key,
                       struct subd_mesh_info *out, struct subd_error *err) SUBD_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
