/* SPDX-License-Identifier: Apache-2.0 */
/* subd_people.h: the calls of libsubd for several people in one mesh: leases, presence, and edits that come late.
 * subd.h has the rules. */
#ifndef SUBD_PEOPLE_H
#define SUBD_PEOPLE_H
#include "subd.h"

#ifdef __cplusplus
extern "C" {
#endif
/* subd_rebase: with `on`, edits of this client that were made for an older version are applied to the present one when
 * nobody has touched since what they name, change or need; subd_edit_result.passed_over says how many versions came in
 * between. Else the server answers 412, as it does without. It begins with the next call. */
SUBD_API void subd_rebase(subd_client *c, int on);

/* subd_bulk: with `on`, what this client asks for waits for all that others ask for without it. It is meant for exports
 * and the like, and begins with the next call. */
SUBD_API void subd_bulk(subd_client *c, int on);

struct subd_lease {
    char lease[24];           /* Its id. */
    char principal[72];       /* The name of the holder's token; "" without tokens. */
    char client[72];          /* What the holder calls itself. */
    int64_t seconds, n_faces; /* How long it still lasts; 0 faces: the whole mesh, -1: all are gone. */
};
struct subd_lease_list {
    int64_t n;
    struct subd_lease *leases;
};
/* subd_lease_take: POST leases: has faces of a mesh to oneself for this time (1 to 3,600 seconds, 0: a minute), or with
 * no faces the whole mesh. client (NULL: none) is what others see beside the name of the token.
 * Shape   faces[n_faces] are ids
 * Errors  SUBD_EUSAGE (a length); SUBD_EHTTP 423 when somebody else holds any of it, 422 for no face */
SUBD_API int subd_lease_take(subd_client *c, const char *id, int64_t seconds, const int32_t *faces, int64_t n_faces,
                             const char *client, struct subd_lease *out, struct subd_error *err) SUBD_MUST_CHECK;
/* subd_lease_renew: PUT leases/{lease}: makes it last this long from now on. out may be NULL.
 * subd_lease_end: DELETE leases/{lease}.
 * Errors  SUBD_EHTTP 404 when it has ended, 403 when it is somebody else's */
SUBD_API int subd_lease_renew(subd_client *c, const char *id, const char *lease, int64_t seconds,
                              struct subd_lease *out, struct subd_error *err) SUBD_MUST_CHECK;
SUBD_API int subd_lease_end(subd_client *c, const char *id, const char *lease, struct subd_error *err) SUBD_MUST_CHECK;
/* subd_leases: GET leases. Owner  subd_lease_list_free frees the list */
SUBD_API int subd_leases(subd_client *c, const char *id, struct subd_lease_list *out,
                         struct subd_error *err) SUBD_MUST_CHECK;
SUBD_API void subd_lease_list_free(struct subd_lease_list *list); /* NULL is fine. */
/* subd_use_lease: from the next call on, this client names this lease as its own (NULL: none). A server without tokens
 * knows its holder by that alone; one with tokens by the token, and needs it not.
 * Errors  SUBD_EUSAGE when it is no id of a lease */
SUBD_API int subd_use_lease(subd_client *c, const char *lease, struct subd_error *err) SUBD_MUST_CHECK;
/* subd_presence_set: PUT presence: tells others that a client of this name is at the mesh, for this time (1 to 300
 * seconds, 0: 30), with up to 4 KiB of any JSON.
 * Errors  SUBD_EHTTP 400 when it is no JSON, 413 when it is longer */
SUBD_API int subd_presence_set(subd_client *c, const char *id, const char *client, int64_t seconds, const char *json,
                               struct subd_error *err) SUBD_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
