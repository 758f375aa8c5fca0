/* SPDX-License-Identifier: Apache-2.0 */
/* slots.h: what is in memory of each mesh: its record, its host copy, its device state, its cached payloads, and the
 * jobs on it. The store is the truth, so a slot can be dropped whenever nobody uses it.
 * Threads  the loop's, except for what a job holds (struct slot) */
#ifndef SUBDD_SLOTS_H
#define SUBDD_SLOTS_H
#include "server/base/metrics.h"
#include "server/base/pool.h"
#include "server/base/table.h"
#include "server/jobs/jobs.h"
#include "server/store/store.h"

#define SLOTS_MAX_COLD 16384 /* How many records are kept of meshes without a host copy, device state or payloads. */

struct cache;
struct resident;

/* Slots are found by a key: the id of a mesh for its present version, and for an earlier one "ID@VERSION". What an
 * earlier version consists of never changes. */
#define SLOT_KEY_SIZE (STORE_ID_SIZE + 24)

/* While a job holds the turn, its steps may read and write known, info, host and what resident points to, on their own
 * threads, and nobody else reads those. While there are readers, known, info and host are set and do not change, and
 * what resident points to belongs to the compute thread. Everything else is the loop's. */
struct slot {
    struct table_node node;
    struct list lru;
    char id[STORE_ID_SIZE], key[SLOT_KEY_SIZE];
    int64_t version;    /* Of the key; STORE_ANY_VERSION for the present one. */
    bool pinned;        /* The slot stays, and its host copy goes last. */
    bool gone;          /* The mesh was deleted: nobody finds the slot, which goes with its last user. */
    int users;          /* How many jobs hold the turn or wait for it. */
    struct turns turns; /* The turns of these jobs. */
    bool known;         /* info is the record of the version. */
    struct store_info info;
    struct mesh *host;         /* The host copy of the current version, or NULL. */
    int64_t host_bytes;        /* The size of host, as it is counted in slots->host_bytes. */
    struct resident *resident; /* The device state, or NULL. */
    struct list frames;        /* The payloads of this mesh in the cache (cache.h), */
    struct list past;          /* and those of versions before, for deltas. */
};
struct slots {
    struct table table;
    struct list lru;                /* All slots, the one that was unused longest first. */
    int64_t n_earlier;              /* How many of them are of earlier versions. */
    int64_t host_bytes, host_limit; /* The limit is of copies that nobody uses. */
    struct pool *pool;              /* It counts host copies beside all else. */
    struct metrics *metrics;
    struct executor *compute; /* It frees device state. */
    struct executor *reaper;  /* It frees host copies. */
};
void slots_init(struct slots *slots, int64_t host_limit, struct pool *pool, struct metrics *metrics,
                struct executor *compute, struct executor *reaper);
/* slots_fini: frees all slots and releases their device state. There must be no jobs, and the cache must be empty. */
void slots_fini(struct slots *slots);
/* slot_get: the slot of a version of a mesh, made when there is none. Returns NULL when memory is out or the id is too
 * long to be one. */
struct slot *slot_get(struct slots *slots, const char *id, int64_t version);
/* slot_find: the slot of the present version of a mesh, or NULL. */
struct slot *slot_find(const struct slots *slots, const char *id);
void slot_use(struct slots *slots, struct slot *slot);
/* slot_unuse: ends one use. After the last one it counts the host copy as it is now, drops the slot when the mesh
 * turned out not to exist, and evicts host copies when there are too many. */
void slot_unuse(struct slots *slots, struct slot *slot);
/* slot_forget: drops everything that is held of a mesh which is gone. The slot itself stays until its last user is
 * gone. */
void slot_forget(struct slots *slots, struct slot *slot);
/* slots_forget_versions: the same for the earlier versions of a mesh before `oldest` (INT64_MAX: all). Who uses one now
 * still may. */
void slots_forget_versions(struct slots *slots, struct cache *cache, const char *id, int64_t oldest);
/* slots_evict: drops the host copies that were unused longest, this many bytes of them if there are as many. */
void slots_evict(struct slots *slots, int64_t bytes);
/* slot_drop_host: frees the host copy. */
void slot_drop_host(struct slots *slots, struct slot *slot);
const char *slot_residency(const struct slot *slot); /* "device", "host" or "disk". */

#endif
