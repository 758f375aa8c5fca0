/* SPDX-License-Identifier: Apache-2.0 */
/* subd_admin.h: the calls of libsubd for those who run a daemon; they need a token with scope admin. subd.h has the
 * rules. */
#ifndef SUBD_ADMIN_H
#define SUBD_ADMIN_H
#include "subd.h"

#ifdef __cplusplus
extern "C" {
#endif
/* subd_quarantine_end: DELETE quarantine: all versions of the mesh are evaluated again that have ended the daemon.
 * Errors  SUBD_EHTTP 404 when none is in quarantine */
SUBD_API int subd_quarantine_end(subd_client *c, const char *id, struct subd_error *err) SUBD_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
