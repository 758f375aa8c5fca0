/* SPDX-License-Identifier: Apache-2.0 */
/* cache.h: refined results with their payloads: those that are kept for the next request, within --cache-bytes, and
 * those that answers still send. The bytes of an entry are counted once: in the pool, from before it is made until its
 * memory is free again; or in the cache, from cache_keep until nobody keeps or sends it. A complete entry is freed on
 * the reaper's thread, which does nothing else; one whose bytes have not all come on the compute thread, to which its
 * result belongs.
 * Threads  the loop's, except for cached_create */
#ifndef SUBDD_CACHE_H
#define SUBDD_CACHE_H
#include "server/base/pool.h"
#include "server/mesh/mesh.h"
#include "server/jobs/executor.h"
#include "server/resident/payload.h"
#include "server/base/metrics.h"
#include "server/base/table.h"

#define CACHE_KEY_SIZE 160

struct slot;

/* One payload. It does not change any more once all its bytes are there. */
struct cached {
    struct table_node node;
    struct list lru, of_slot; /* It is in no list when it is not kept. */
    struct task task;         /* The task that frees it. */
    char key[CACHE_KEY_SIZE];
    struct payload payload;
    sdd_result *result;
    struct mesh *mesh;  /* The control mesh that the result is of, where the next one may be made from it; or NULL. */
    int64_t mesh_bytes; /* These count as the payload's do. */
    void *block;        /* Or the malloc'ed memory of its only block. */
    atomic_llong there; /* How many of its bytes, from the first on, can be read; the others are still to come. */
    bool lost;          /* The others will never come. */
    int references;     /* The answers that send it, and one more when the cache keeps it. */
    bool kept;
    bool based;      /* A client has it and may be sent the next version as a delta. */
    int age;         /* How many versions came after its own. */
    int64_t claim;   /* Its bytes in the pool, or 0 once the cache counts it. */
    int64_t counted; /* Its bytes in cache->bytes, or 0. */
    struct cache *cache;
};
struct cache {
    struct table table;
    struct list lru;      /* The entry that was unused longest first. */
    int64_t bytes, limit; /* `bytes` are those of entries that are kept, or were and are still sent. */
    struct pool *pool;
    struct metrics *metrics;
    struct executor *compute, *reaper;
};
void cache_init(struct cache *c, int64_t limit, struct pool *pool, struct metrics *metrics, struct executor *compute,
                struct executor *reaper);
void cache_fini(struct cache *c);
/* cache_supersede: the mesh of the slot has another version. Entries that are `based` stay until there are CACHE_PAST
 * versions after theirs, unless the room is needed for others; all others are dropped. */
#define CACHE_PAST 3
void cache_supersede(struct cache *c, struct slot *slot);
/* cache_find: the entry that is kept under a key, or NULL. It becomes the most recently used one; the caller gets no
 * reference. */
struct cached *cache_find(struct cache *c, const char *key);
/* cache_keep: keeps an entry under its key until the mesh of its slot changes. It does nothing when the slot is
 * gone, the key is taken, memory is out, or there is no room for it beside the entries that are being sent. */
void cache_keep(struct cache *c, struct slot *slot, struct cached *entry);
/* cache_drop: stops keeping an entry, which is freed when no answer sends it. */
void cache_drop(struct cache *c, struct cached *entry);
/* cache_forget: drops the entries of a mesh that has a new version or is gone. */
void cache_forget(struct cache *c, struct slot *slot);
/* cached_ref, cached_unref: an answer holds a reference while it sends. The entry is freed with the last reference. */
void cached_ref(struct cached *entry);
void cached_unref(struct cache *c, struct cached *entry);
/* cached_create: makes the entry of a result, of which no bytes are there yet. `claim` are the bytes that were taken of
 * the pool for it; the entry gives them back.
 * Threads  the compute thread
 * Owner    it takes the result and the claim over; on error it frees the result, and the claim stays the caller's
 * Errors   SDD_ENO_MEMORY */
int cached_create(const char *key, const struct payload_about *about, sdd_result *result, int64_t claim,
                  struct cached **out, struct sdd_error *err) SDD_MUST_CHECK;
/* cached_of_block: the entry of a payload whose one block lies in this malloc'ed memory. It takes all three over.
 * Result  NULL when out of memory; then they stay the caller's */
struct cached *cached_of_block(const struct payload *payload, void *block, int64_t claim);
/* cached_free: frees an entry that has no references. NULL is fine. */
void cached_free(struct cache *c, struct cached *entry);

#endif
