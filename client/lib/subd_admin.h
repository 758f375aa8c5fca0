/* SPDX-License-Identifier: Apache-2.0 */
/* subd_admin.h: the calls of libsubd for those who run a daemon; they need a token with scope admin. subd.h has the
 * rules. */
#ifndef SUBD_ADMIN_H
#define SUBD_ADMIN_H
#include "subd.h"

#ifdef __cplusplus
extern "C" {
#endif
/* subd_pin: PUT pin: the mesh is on the device and stays there, over restarts too. *out, which may be NULL, tells of
 * it.
 * subd_unpin: DELETE pin.
 * Errors  SUBD_EHTTP 507 when pinned meshes have all of the device that they may, 404 when none is to be unpinned */
SUBD_API int subd_pin(subd_client *c, const char *id, struct subd_mesh_info *out,
                      struct subd_error *err) SUBD_MUST_CHECK;
SUBD_API int subd_unpin(subd_client *c, const char *id, struct subd_error *err) SUBD_MUST_CHECK;
/* subd_quarantine_end: DELETE quarantine: all versions of the mesh are evaluated again that have ended the daemon.
 * Errors  SUBD_EHTTP 404 when none is in quarantine */
SUBD_API int subd_quarantine_end(subd_client *c, const char *id, struct subd_error *err) SUBD_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
