/* SPDX-License-Identifier: Apache-2.0 */
/* backend_fake.h: the CPU backend with faults on order, for torture tests. Every call that may fail is counted. The
 * k-th fails: an allocation with SDD_ENO_MEMORY, any other call with SDD_EDEVICE. Fresh memory holds 0xCD bytes. If
 * anything was written just before or behind an allocation, freeing it aborts with a message.
 * Threads one at a time for all fake devices, because the process has only one count */
#ifndef SDD_BACKEND_FAKE_H
#define SDD_BACKEND_FAKE_H
#include "gpu/backend/backend.h"

#define SDD_FAKE_POISON 0xCD /* Each byte of fresh memory holds this. */

const struct sdd_backend *sdd_backend_fake(void);
/* sdd_fake_arm: counts from 0 again, so that the k-th call from now fails; 1 is the next call, and 0 lets all calls
 * pass. With `forever` all calls after the k-th fail too, each with its own error. With `sticky` all calls after it
 * fail with SDD_EDEVICE, as on a lost GPU. */
void sdd_fake_arm(int64_t k, int forever, int sticky);
int64_t sdd_fake_calls(void); /* Calls that may fail, since sdd_fake_arm. */
int64_t sdd_fake_live(void);  /* Open devices and allocations that are not freed yet. */

#endif
