/* SPDX-License-Identifier: Apache-2.0 */
/* storage.c: watches the store for the steps that use it: sets its gauges, and notes when it fails. */
#include "server/operation/storage.h"

void storage_measure(struct storage *s)
{
    int64_t database, log;
    store_bytes(s->store, &database, &log);
    metrics_set(s->metrics, M_STORE_DATABASE, database);
    metrics_set(s->metrics, M_STORE_LOG, log);
    metrics_set(s->metrics, M_MESHES_DISK, store_meshes(s->store));
}

int storage_result(struct storage *s, int rc)
{
    if (rc == SDD_ESTORE && store_failed(s->store))
        atomic_store(&s->broken, true);
    storage_measure(s);
    return rc;
}
