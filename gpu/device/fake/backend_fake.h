/* SPDX-License-Identifier: Apache-2.0 */
/* backend_fake.h: the CPU backend with injected faults, for tests that let each call fail in turn. Every backend call
 * that may fail is counted, and the one that sdd_fake_arm chose fails: an allocation with SDD_ENO_MEMORY, any other
 * call with SDD_EDEVICE. Fresh memory holds SDD_FAKE_POISON bytes. If anything was written just before or after an
 * allocation, freeing it aborts with a message.
 * Threads one at a time for all fake devices, because they share one count */
#ifndef SDD_BACKEND_FAKE_H
#define SDD_BACKEND_FAKE_H
#include "gpu/backend/backend.h"

#define SDD_FAKE_POISON 0xCD /* Each byte of fresh memory holds this. */

/* sdd_backend_fake: the table of the backend, which is static. */
const struct sdd_backend *sdd_backend_fake(void);
/* sdd_fake_arm: counts from 0 again, so that the k-th call from now fails; 1 is the next call, and 0 lets all calls
 * pass. What happens after the k-th call: all calls pass; or, with `forever`, all fail in the way that they would as
 * the k-th; or, with `sticky`, all fail with SDD_EDEVICE, as on a lost GPU. `forever` wins over `sticky`. */
void sdd_fake_arm(int64_t k, int forever, int sticky);
int64_t sdd_fake_calls(void); /* The calls that may fail, counted since sdd_fake_arm. */
int64_t sdd_fake_live(void);  /* The open devices and the allocations not freed yet, in sum. */

#endif
