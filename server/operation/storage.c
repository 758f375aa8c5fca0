/* SPDX-License-Identifier: Apache-2.0 */
/* storage.c: opens the store, and watches it for the steps that use it: sets its gauges, and notes when it fails. */
#include "server/operation/storage.h"
#include "server/base/clock.h"
#include "server/jobs/jobs.h"

static void log_lost(const struct store_lost *l, struct log *log)
{
    const long long version = l->version, found = l->found;
    if (!version)
        log_event(log, LOG_ERROR, "data-loss", "mesh %s: it was deleted, and is there again", l->id);
    else if (found > 0)
        log_event(log, LOG_ERROR, "data-loss", "mesh %s: version %lld was acknowledged, version %lld is there", l->id,
                  version, found);
    else
        log_event(log, LOG_ERROR, "data-loss", "mesh %s: version %lld was acknowledged, and the mesh is %s", l->id,
                  version, found ? "damaged" : "not there");
}

static void log_loss(const struct store_loss *loss, struct log *log)
{
    if (*loss->text)
        log_event(log, loss->waits ? LOG_ERROR : LOG_WARNING, loss->waits ? "data-loss" : "store", "%s", loss->text);
    for (int i = 0; i < loss->n_listed; i++)
        log_lost(&loss->listed[i], log);
    if (loss->accepted_ms)
        log_event(log, LOG_WARNING, "data-loss",
                  "%lld changes were lost before, which was accepted at Unix time %lld s", (long long)loss->accepted,
                  (long long)loss->accepted_ms / 1000);
}

int storage_open(struct storage *s, const struct config *config, struct log *log, struct sdd_error *err)
{
    int rc = store_open(config->data_dir, &s->store, err);
    if (rc)
        return rc;
    const struct store_loss *loss = store_loss(s->store);
    store_keep(s->store, config->history_versions, config->history_bytes);
    log_loss(loss, log);
    if (loss->waits && config->accept_data_loss) {
        rc = store_accept_loss(s->store, now_ms(), err);
        if (!rc)
            log_event(log, LOG_WARNING, "data-loss", "accepted by --accept-data-loss, which later starts do not need");
    }
    log_flush(log);
    metrics_set(s->metrics, M_STORE_LOST, loss->waits ? loss->n : 0);
    metrics_set(s->metrics, M_STORE_LOST_ACCEPTED, loss->accepted);
    return rc;
}

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
    if (!store_is_together(s->store))
        storage_measure(s);
    return rc;
}

_Static_assert(JOB_TOGETHER <= STORE_TOGETHER, "each job makes one version");

bool storage_commit_begin(struct storage *s)
{
    return store_together(s->store, &(struct sdd_error){0}) == SDD_OK;
}

int storage_commit_end(struct storage *s, struct sdd_error *err)
{
    return storage_result(s, store_together_end(s->store, err));
}
