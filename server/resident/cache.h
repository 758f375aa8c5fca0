/* SPDX-License-Identifier: Apache-2.0 */
/* cache.h: refined frames: those kept for the next request, under --cache-bytes, and those that answers still send.
 * An entry is freed on the compute thread, where its result belongs. Loop only, but for cached_create. */
#ifndef SUBDD_CACHE_H
#define SUBDD_CACHE_H
#include "server/jobs/executor.h"
#include "server/resident/payload.h"
#include "server/base/metrics.h"
#include "server/base/table.h"

#define CACHE_KEY_SIZE 160

struct slot;

struct cached { /* one frame, immutable once all of it is there */
    struct table_node node;
    struct list lru, of_slot; /* in no list when it is not kept */
    struct task task;         /* of its freeing                 */
    char key[CACHE_KEY_SIZE];
    struct frame frame;
    sdd_result *result;
    atomic_llong there; /* its first bytes, which can be read; the others come */
    bool lost;          /* .. or never will */
    int references;     /* answers that send it, and the cache */
    bool kept;
    int64_t sending; /* answers that send it                */
};
struct cache {
    struct table table;
    struct list lru; /* longest unused first */
    int64_t bytes, limit;
    atomic_llong *sending; /* bytes of frames that answers hold */
    struct metrics *metrics;
    struct executor *compute;
};
void cache_init(struct cache *c, int64_t limit, atomic_llong *sending, struct metrics *metrics,
                struct executor *compute);
void cache_fini(struct cache *c);
struct cached *cache_find(struct cache *c, const char *key); /* moves it to the recent end; not referenced; or NULL */
/* cache_keep: keeps an entry under its key, when it fits, until its slot's mesh changes. */
void cache_keep(struct cache *c, struct slot *slot, struct cached *entry);
void cache_drop(struct cache *c, struct cached *entry); /* keeps it no more */
void cache_forget(struct cache *c, struct slot *slot);  /* the mesh has a new version or is gone */
/* An answer holds a reference while it sends. The last one frees. */
void cached_ref(struct cache *c, struct cached *entry);
void cached_unref(struct cache *c, struct cached *entry);
/* cached_create: takes the result; nothing of it is there. Compute thread. Errors  SDD_ENO_MEMORY, and the result is
 * freed */
int cached_create(const char *key, const struct frame_about *about, sdd_result *result, struct cached **out,
                  struct sdd_error *err) SDD_MUST_CHECK;
void cached_free(struct cache *c, struct cached *entry); /* one that no one references yet; NULL is fine */

#endif
