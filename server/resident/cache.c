/* SPDX-License-Identifier: Apache-2.0 */
/* cache.c: keeps payloads for the next request and counts those that answers send, for refine/. */
#include "server/resident/cache.h"
#include "server/resident/slots.h"
#include <stdio.h>
#include <stdlib.h>

void cache_init(struct cache *c, int64_t limit, struct pool *pool, struct metrics *metrics, struct executor *compute,
                struct executor *reaper)
{
    *c = (struct cache){.limit = limit, .pool = pool, .metrics = metrics, .compute = compute, .reaper = reaper};
    list_init(&c->lru);
}

static void count(struct cache *c, int64_t bytes)
{
    c->bytes += bytes;
    metrics_set(c->metrics, M_CACHE_BYTES, c->bytes);
}

/* Frees the memory first, so that what the pool gives next is there. */
static void destroy(struct task *task, void *user)
{
    struct cached *entry = CONTAINER(task, struct cached, task);
    struct cache *c = entry->cache;
    const int64_t claim = entry->claim;
    (void)user;
    payload_fini(&entry->payload);
    sdd_result_free(entry->result);
    mesh_free(entry->mesh);
    free(entry->block);
    free(entry);
    pool_give(c->pool, POOL_FRAMES, claim);
}

void cached_free(struct cache *c, struct cached *entry)
{
    if (!entry)
        return;
    entry->task.run = destroy;
    entry->cache = c;
    count(c, -entry->counted);
    executor_post(atomic_load(&entry->there) == entry->payload.bytes ? c->reaper : c->compute, &entry->task);
}

void cache_drop(struct cache *c, struct cached *entry)
{
    if (!entry->kept)
        return;
    entry->kept = false;
    table_remove(&c->table, &entry->node);
    list_remove(&entry->lru);
    list_remove(&entry->of_slot);
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

/* Drops the entries that were unused longest and that nobody sends, until `bytes` fit beside the others. Returns false,
 * and drops nothing, when they cannot. */
static bool make_room(struct cache *c, int64_t bytes)
{
    int64_t over = c->bytes + bytes - c->limit, idle = 0;
    for (struct list *at = c->lru.next; at != &c->lru && idle < over; at = at->next) {
        const struct cached *entry = CONTAINER(at, struct cached, lru);
        idle += entry->references == 1 ? entry->counted : 0;
    }
    if (idle < over)
        return false;
    for (struct list *at = c->lru.next, *next; over > 0; at = next) {
        struct cached *entry = CONTAINER(at, struct cached, lru);
        next = at->next;
        if (entry->references > 1)
            continue;
        over -= entry->counted;
        cache_drop(c, entry);
    }
    return true;
}

void cache_keep(struct cache *c, struct slot *slot, struct cached *entry)
{
    const int64_t bytes = entry->payload.bytes + entry->mesh_bytes;
    if (slot->gone || table_find(&c->table, entry->key) || !make_room(c, bytes) ||
        !table_add(&c->table, &entry->node, entry->key))
        return;
    entry->kept = true;
    entry->references++;
    entry->counted = bytes;
    list_append(&c->lru, &entry->lru);
    list_append(&slot->frames, &entry->of_slot);
    count(c, entry->counted);
    pool_give(c->pool, POOL_FRAMES, entry->claim);
    entry->claim = 0;
}

void cache_supersede(struct cache *c, struct slot *slot)
{
    while (!list_empty(&slot->frames)) {
        struct cached *entry = CONTAINER(slot->frames.next, struct cached, of_slot);
        if (entry->based)
            list_append(&slot->past, &entry->of_slot);
        else
            cache_drop(c, entry);
    }
    for (struct list *at = slot->past.next, *next; at != &slot->past; at = next) {
        struct cached *entry = CONTAINER(at, struct cached, of_slot);
        next = at->next;
        if (++entry->age > CACHE_PAST)
            cache_drop(c, entry);
    }
}

void cache_forget(struct cache *c, struct slot *slot)
{
    while (!list_empty(&slot->past))
        cache_drop(c, CONTAINER(slot->past.next, struct cached, of_slot));
    while (!list_empty(&slot->frames))
        cache_drop(c, CONTAINER(slot->frames.next, struct cached, of_slot));
}

void cached_ref(struct cached *entry)
{
    entry->references++;
}

void cached_unref(struct cache *c, struct cached *entry)
{
    if (--entry->references == 0)
        cached_free(c, entry);
}

int cached_create(const char *key, const struct payload_about *about, sdd_result *result, int64_t claim,
                  struct cached **out, struct sdd_error *err)
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
    entry->claim = claim;
    atomic_init(&entry->there, 0);
    *out = entry;
    return SDD_OK;
}

struct cached *cached_of_block(const struct payload *payload, void *block, int64_t claim)
{
    struct cached *entry = calloc(1, sizeof *entry);
    if (!entry)
        return NULL;
    entry->payload = *payload;
    entry->payload.blocks[0].data = block;
    entry->block = block;
    entry->claim = claim;
    entry->references = 1;
    atomic_init(&entry->there, payload->bytes);
    return entry;
}
