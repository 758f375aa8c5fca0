/* SPDX-License-Identifier: Apache-2.0 */
/* storage.h: the daemon's store with what is watched of it: its gauges, and whether it can still write. */
#ifndef SUBDD_STORAGE_H
#define SUBDD_STORAGE_H
#include "server/base/metrics.h"
#include "server/store/store.h"

struct storage {
    struct store *store;     /* the storage thread's */
    struct metrics *metrics; /* any thread           */
    atomic_bool broken;      /* it cannot write any more; set on the storage thread */
};
/* storage_measure: sets the gauges. On the storage thread, or before it runs. */
void storage_measure(struct storage *s);
/* storage_result: on the storage thread, after each call that returned `rc`: measures, and notes that the store is
 * broken. Returns rc. */
int storage_result(struct storage *s, int rc);

#endif
