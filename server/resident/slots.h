/* SPDX-License-Identifier: Apache-2.0 */
/* slots.h: what is in memory of each mesh: its record, its host copy, its device state, its frames, and who works
 * on it. The store is the truth; a slot can be dropped whenever nobody uses it. Loop only, but for what a job holds. */
#ifndef SUBDD_SLOTS_H
#define SUBDD_SLOTS_H
#include "server/base/metrics.h"
#include "server/base/table.h"
#include "server/jobs/jobs.h"
#include "server/store/store.h"

#define SLOTS_MAX_COLD 16384 /* records kept of meshes that hold no memory */

struct resident;

/* While a job holds the slot, its steps may read and write known, info, host and what resident points to on their own
 * threads; nobody else reads those, but for readers: while there are any, known, info and host are there and stay, and
 * what resident points to is the compute thread's. The rest is the loop's. */
struct slot {
    struct table_node node;
    struct list lru; /* all slots, longest unused first                    */
    char id[STORE_ID_SIZE];
    int users;          /* jobs that hold or wait for it                      */
    struct turns turns; /* of these jobs                                      */
    bool known;         /* info is that of the current version                */
    struct store_info info;
    struct mesh *host;         /* the current version, or NULL                       */
    int64_t host_bytes;        /* of host, as counted in slots->host_bytes           */
    struct resident *resident; /* device state, or NULL                              */
    struct list frames;        /* cached frames, see cache.h                         */
};
struct slots {
    struct table table;
    struct list lru;
    int64_t host_bytes, host_limit;
    struct metrics *metrics;
    struct executor *compute; /* frees device state        */
    struct executor *host;    /* frees host copies         */
};
void slots_init(struct slots *slots, int64_t host_limit, struct metrics *metrics, struct executor *compute,
                struct executor *host);
void slots_fini(struct slots *slots); /* no jobs; device state is released, frames must be gone */
/* slot_get: the slot of an id, made when there is none. NULL: out of memory, or an id too long to be one. */
struct slot *slot_get(struct slots *slots, const char *id);
struct slot *slot_find(const struct slots *slots, const char *id); /* or NULL */
void slot_use(struct slot *slot);
/* slot_unuse: counts the host copy as it is now, forgets a slot that turned out to be nothing, and makes room. */
void slot_unuse(struct slots *slots, struct slot *slot);
/* slot_forget: the mesh is gone or unreadable: all that is held of it goes, but the slot itself while it has users. */
void slot_forget(struct slots *slots, struct slot *slot);
void slot_drop_host(struct slots *slots, struct slot *slot); /* the host copy goes */
const char *slot_residency(const struct slot *slot);         /* "device", "host" or "disk" */

#endif
