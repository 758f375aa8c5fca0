/* SPDX-License-Identifier: Apache-2.0 */
/* storage.h: the daemon's store, with its gauges and whether it can still write. */
#ifndef SUBDD_STORAGE_H
#define SUBDD_STORAGE_H
#include "server/base/log.h"
#include "server/base/metrics.h"
#include "server/base/settings.h"
#include "server/store/store.h"

struct storage {
    struct store *store; /* The storage thread's. */
    struct metrics *metrics;
    atomic_bool broken; /* The store cannot write any more. The storage thread sets it, and any thread reads it. */
};
/* storage_open: opens the store, logs what was lost since it was closed, and accepts that with --accept-data-loss. It
 * may still wait for that afterwards (store_loss). */
int storage_open(struct storage *s, const struct config *config, struct log *log, struct sdd_error *err) SDD_MUST_CHECK;
/* storage_measure: sets the gauges, on the storage thread or before it runs. */
void storage_measure(struct storage *s);
/* storage_result: must follow each call of the store, on the storage thread, with its result rc. It sets the gauges and
 * notes when the store is broken. Returns rc. */
int storage_result(struct storage *s, int rc);
/* storage_commit_begin, storage_commit_end: the hooks of jobs/ (struct jobs_hooks). */
bool storage_commit_begin(struct storage *s);
int storage_commit_end(struct storage *s, struct sdd_error *err);

#endif
