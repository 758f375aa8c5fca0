/* SPDX-License-Identifier: Apache-2.0 */
/* slots.c: keeps the slots of the meshes in memory for the rooms that work on meshes, and evicts the least recently
 * used host copies and records. */
#include "server/resident/slots.h"
#include "server/resident/cache.h"
#include "server/resident/release.h"
#include "server/resident/residency.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void slots_init(struct slots *slots, int64_t host_limit, struct pool *pool, struct metrics *metrics,
                struct executor *compute, struct executor *reaper)
{
    *slots = (struct slots){
        .host_limit = host_limit, .pool = pool, .metrics = metrics, .compute = compute, .reaper = reaper};
    list_init(&slots->lru);
}

/* Counts the host copy as it is now. The pool counts what comes here, and pool_release what goes. */
static void count_host(struct slots *slots, struct slot *slot)
{
    int64_t bytes = slot->host ? mesh_bytes(slot->host) : 0;
    if (bytes == slot->host_bytes)
        return;
    if (slot->host)
        pool_add(slots->pool, POOL_MESHES, bytes - slot->host_bytes);
    metrics_add(slots->metrics, M_MESHES_HOST, (bytes > 0) - (slot->host_bytes > 0));
    slots->host_bytes += bytes - slot->host_bytes;
    slot->host_bytes = bytes;
    metrics_set(slots->metrics, M_HOST_BYTES, slots->host_bytes);
}

static void free_mesh(void *mesh)
{
    mesh_free(mesh);
}

void slot_drop_host(struct slots *slots, struct slot *slot)
{
    count_host(slots, slot);
    if (slot->host)
        pool_release(slots->reaper, slots->pool, POOL_MESHES, slot->host_bytes, slot->host, free_mesh);
    if (!slot->users)
        atomic_fetch_sub(&slots->pool->idle, slot->host_bytes);
    slot->host = NULL;
    count_host(slots, slot);
}

static void destroy(struct slots *slots, struct slot *slot)
{
    slot_forget(slots, slot);
    if (!slot->gone)
        table_remove(&slots->table, &slot->node);
    list_remove(&slot->lru);
    slots->n_earlier -= slot->version != STORE_ANY_VERSION;
    free(slot);
}

void slots_fini(struct slots *slots)
{
    while (!list_empty(&slots->lru))
        destroy(slots, CONTAINER(slots->lru.next, struct slot, lru));
    table_fini(&slots->table);
}

struct slot *slot_find(const struct slots *slots, const char *id)
{
    struct table_node *node = table_find(&slots->table, id);
    return node ? CONTAINER(node, struct slot, node) : NULL;
}

struct slot *slot_get(struct slots *slots, const char *id, int64_t version)
{
    char key[SLOT_KEY_SIZE];
    if (strlen(id) >= STORE_ID_SIZE)
        return NULL;
    (void)snprintf(key, sizeof key, version == STORE_ANY_VERSION ? "%s" : "%s@%lld", id, (long long)version);
    struct slot *slot = slot_find(slots, key);
    if (slot || !(slot = calloc(1, sizeof *slot)))
        return slot;
    memcpy(slot->id, id, strlen(id) + 1);
    memcpy(slot->key, key, sizeof key);
    slot->version = version;
    turns_init(&slot->turns);
    list_init(&slot->frames);
    list_init(&slot->past);
    list_append(&slots->lru, &slot->lru);
    if (table_add(&slots->table, &slot->node, slot->key)) {
        slots->n_earlier += version != STORE_ANY_VERSION;
        return slot;
    }
    list_remove(&slot->lru);
    free(slot);
    return NULL;
}

void slot_use(struct slots *slots, struct slot *slot)
{
    if (slot->users++ == 0)
        atomic_fetch_sub(&slots->pool->idle, slot->host_bytes);
}

static bool is_cold(const struct slot *slot)
{
    return !slot->users && !slot->pinned && !slot->host && list_empty(&slot->frames) && list_empty(&slot->past) &&
           !(slot->resident && resident_bytes(slot->resident));
}

void slots_evict(struct slots *slots, int64_t bytes)
{
    for (int pinned = 0; pinned < 2; pinned++)
        for (struct list *at = slots->lru.next, *next; at != &slots->lru && bytes > 0; at = next) {
            struct slot *slot = CONTAINER(at, struct slot, lru);
            next = at->next;
            if (slot->users || !slot->host || slot->pinned != pinned)
                continue;
            bytes -= slot->host_bytes;
            slot_drop_host(slots, slot);
            metrics_add(slots->metrics, M_EVICTIONS_HOST, 1);
        }
}

static void make_room(struct slots *slots)
{
    const int64_t over = -pool_left(slots->pool), above = slots->host_bytes - slots->host_limit;
    slots_evict(slots, over > above ? over : above);
    if (slots->table.n <= SLOTS_MAX_COLD)
        return;
    for (struct list *at = slots->lru.next, *next; at != &slots->lru && slots->table.n > SLOTS_MAX_COLD / 2;
         at = next) {
        struct slot *slot = CONTAINER(at, struct slot, lru);
        next = at->next;
        if (is_cold(slot))
            destroy(slots, slot);
    }
}

void slot_unuse(struct slots *slots, struct slot *slot)
{
    if (--slot->users)
        return;
    list_append(&slots->lru, &slot->lru);
    count_host(slots, slot);
    atomic_fetch_add(&slots->pool->idle, slot->host_bytes);
    if ((!slot->known && !slot->pinned) || slot->gone)
        destroy(slots, slot);
    make_room(slots);
}

void slot_forget(struct slots *slots, struct slot *slot)
{
    slot->known = false;
    slot->pinned = false;
    slot_drop_host(slots, slot);
    resident_release(slots->compute, slot->resident);
    slot->resident = NULL;
}

void slots_forget_versions(struct slots *slots, struct cache *cache, const char *id, int64_t oldest)
{
    if (!slots->n_earlier)
        return;
    for (struct list *at = slots->lru.next, *next; at != &slots->lru; at = next) {
        struct slot *slot = CONTAINER(at, struct slot, lru);
        next = at->next;
        if (slot->gone || slot->version == STORE_ANY_VERSION || slot->version >= oldest || strcmp(slot->id, id) != 0)
            continue;
        cache_forget(cache, slot);
        if (!slot->users) {
            destroy(slots, slot);
            continue;
        }
        table_remove(&slots->table, &slot->node);
        slot->gone = true;
    }
}

const char *slot_residency(const struct slot *slot)
{
    return slot->resident && resident_bytes(slot->resident) ? "device" : slot->host_bytes ? "host" : "disk";
}
