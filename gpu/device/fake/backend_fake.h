/* SPDX-License-Identifier: Apache-2.0 */
/* backend_fake.h: the CPU backend with faults on order, for torture tests. Every call that may fail is counted;
 * the k-th fails: an allocation with SDD_ENO_MEMORY, any other call with SDD_EDEVICE. Fresh memory holds 0xCD
 * bytes; what was written before or behind an allocation aborts with a message when it is freed.
 * Threads one at a time for all fake devices: the count is one for the process */
#ifndef SDD_BACKEND_FAKE_H
#define SDD_BACKEND_FAKE_H
#include "gpu/backend/backend.h"

#define SDD_FAKE_POISON 0xCD /* what fresh memory holds */

const struct sdd_backend *sdd_backend_fake(void);
/* sdd_fake_arm: counts from 0 again; the k-th call from now (1 is the next) fails, 0 lets all pass. forever: all
 * after the k-th fail too, each with its own error. sticky: all after it fail with SDD_EDEVICE, as on a lost GPU. */
void sdd_fake_arm(int64_t k, int forever, int sticky);
int64_t sdd_fake_calls(void); /* fallible calls since sdd_fake_arm */
int64_t sdd_fake_live(void);  /* devices and allocations that are open or not yet freed */

#endif
