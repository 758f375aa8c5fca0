/* SPDX-License-Identifier: Apache-2.0 */
/* cache.c: keeps payloads for the next request and counts those that answers send, for refine/. */
#include "server/resident/cache.h"
#include "server/resident/slots.h"
#include <stdio.h>
#include <stdlib.h>

void cache_init(struct cache *c, int64_t limit, atomic_llong *sending, struct metrics *metrics,
                struct executor *compute)
{
    *c = (struct cache){.limit = limit, .sending = sending, .metrics = metrics, .compute = compute};
    list_init(&c->lru);
}

static void destroy(struct task *task, void *user)
{
    struct cached *entry = CONTAINER(task, struct cached, task);
    (void)user;
    payload_fini(&entry->payload);
    sdd_result_free(entry->result);
    free(entry);
}

void cached_free(struct cache *c, struct cached *entry)
{
    if (!entry)
        return;
    entry->task.run = destroy;
    executor_post(c->compute, &entry->task);
}

void cache_drop(struct cache *c, struct cached *entry)
{
    if (!entry->kept)
        return;
    entry->kept = false;
    table_remove(&c->table, &entry->node);
    list_remove(&entry->lru);
    list_remove(&entry->of_slot);
    c->bytes -= entry->payload.bytes;
    metrics_set(c->metrics, M_CACHE_BYTES, c->bytes);
    if (--entry->references == 0)
        cached_free(c, entry);
}

void cache_fini(struct cache *c)
{
    while (!list_empty(&c->lru))
        cache_drop(c, CONTAINER(c->lru.next, struct cached, lru));
    table_fini(&c->table);
}

struct cached *cache_find(struct cache *c, const char *key)
{
    struct table_node *node = table_find(&c->table, key);
    struct cached *entry = node ? CONTAINER(node, struct cached, node) : NULL;
    if (entry)
        list_append(&c->lru, &entry->lru);
    return entry;
}

void cache_keep(struct cache *c, struct slot *slot, struct cached *entry)
{
    if (entry->payload.bytes > c->limit || table_find(&c->table, entry->key) ||
        !table_add(&c->table, &entry->node, entry->key))
        return;
    entry->kept = true;
    entry->references++;
    list_append(&c->lru, &entry->lru);
    list_append(&slot->frames, &entry->of_slot);
    c->bytes += entry->payload.bytes;
    while (c->bytes > c->limit)
        cache_drop(c, CONTAINER(c->lru.next, struct cached, lru));
    metrics_set(c->metrics, M_CACHE_BYTES, c->bytes);
}

void cache_forget(struct cache *c, struct slot *slot)
{
    while (!list_empty(&slot->frames))
        cache_drop(c, CONTAINER(slot->frames.next, struct cached, of_slot));
}

void cached_ref(struct cache *c, struct cached *entry)
{
    entry->references++;
    if (entry->sending++ == 0)
        atomic_fetch_add(c->sending, entry->payload.bytes);
}

void cached_unref(struct cache *c, struct cached *entry)
{
    if (--entry->sending == 0)
        atomic_fetch_sub(c->sending, entry->payload.bytes);
    if (--entry->references == 0)
        cached_free(c, entry);
}

int cached_create(const char *key, const struct payload_about *about, sdd_result *result, struct cached **out,
                  struct sdd_error *err)
{
    struct cached *entry = calloc(1, sizeof *entry);
    int rc = SDD_ENO_MEMORY;
    *out = NULL;
    if (entry)
        rc = payload_make(about, &sdd_result_info(result)->plan, &entry->payload, err);
    else
        (void)sdd_fail(err, rc, "", "out of memory");
    if (rc) {
        sdd_result_free(result);
        free(entry);
        return rc;
    }
    snprintf(entry->key, sizeof entry->key, "%s", key);
    entry->result = result;
    atomic_init(&entry->there, 0);
    *out = entry;
    return SDD_OK;
}
