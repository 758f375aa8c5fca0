/* SPDX-License-Identifier: Apache-2.0 */
/* pins.h: loads pinned meshes again after a start. */
#ifndef SUBDD_PINS_H
#define SUBDD_PINS_H
#include "server/operation/operation.h"

/* pins_restore: begins to. The loop does it, behind all that clients ask for. Before the loop runs.
 * Errors  those of the store */
int pins_restore(struct service *s, struct sdd_error *err) SDD_MUST_CHECK;

#endif
