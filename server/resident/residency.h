/* SPDX-License-Identifier: Apache-2.0 */
/* residency.h: keeps meshes on the device within its memory limit, and evicts the least recently used first. Meshes
 * whose topologies have the same id share one.
 * Threads  the compute thread, except for resident_create, resident_bytes, resident_plan, residency_published and
 *          resident_release */
#ifndef SUBDD_RESIDENCY_H
#define SUBDD_RESIDENCY_H
#include "gpu/sdd/sdd_history.h"
#include "gpu/sdd/sdd_update.h"
#include "server/jobs/executor.h"
#include "server/mesh/mesh.h"
#include "server/base/metrics.h"
#include "server/base/table.h"

struct residency;
struct topology_entry;

struct resident {     /* The device state of one mesh. */
    struct task task; /* The task that releases it. */
    struct list lru;
    atomic_llong bytes; /* The bytes on the device, with its topology; 0 when it is not resident. */
    uint64_t touched;   /* When it was used last. */
    atomic_bool pinned; /* It is not evicted. */
    int64_t version;    /* The version of the positions on the device. */
    struct residency *home;
    struct topology_entry *topology;
    sdd_mesh *mesh; /* NULL when it is not resident. */
    /* The history of its frames, which stays when the mesh leaves the device. Any thread that holds the mesh may use
     * it. */
    sdd_history *history;
    /* The names of the face sets of each primvar, from the first time that the mesh is loaded. They stay as they are,
     * so any thread that holds the mesh may read them once it was resident. */
    struct set_names sets[SDD_MAX_PRIMVARS];
    bool has_sets;
};

struct residency *residency_create(sdd_device *device, struct metrics *metrics); /* Returns NULL when out of memory. */
void residency_free(struct residency *r); /* Every resident must be released before. */

struct resident *resident_create(void); /* It is not resident yet. Returns NULL when out of memory. */
int64_t resident_bytes(const struct resident *m);
/* resident_release: has the compute thread free m after all tasks posted before. NULL is fine. */
void resident_release(struct executor *compute, struct resident *m);

/* resident_load: makes m hold `mesh`, and evicts others when memory is short. `phases` gets the time it took and may be
 * NULL.
 * Errors  those of sdd_topology_create and sdd_mesh_create; on error m is not resident */
int resident_load(struct residency *r, struct resident *m, const struct mesh *mesh, const char *topology_id,
                  int64_t version, double phases[N_PHASES], struct sdd_error *err) SDD_MUST_CHECK;
/* resident_load_edited: does the same for a mesh that an edit has made from the one in `edit->from`. While that one is
 * on the device, the new topology is made from its topology and the delta, else from the mesh alone. Both ways give the
 * same topology. */
struct resident_edit {
    struct resident *from;   /* NULL when it is not on the device. */
    const char *topology_id; /* The topology that the edit was made for. */
    const struct sdd_topology_delta *delta;
};
int resident_load_edited(struct residency *r, struct resident *m, const struct resident_edit *edit,
                         const struct mesh *mesh, const char *topology_id, int64_t version, double phases[N_PHASES],
                         struct sdd_error *err) SDD_MUST_CHECK;
void resident_touch(struct residency *r, struct resident *m);
void resident_drop(struct residency *r, struct resident *m); /* Removes the mesh from the device. */
sdd_topology *resident_topology(const struct resident *m);
/* resident_plan: makes *plan for the topology of m, unless *plan is for that topology already. A plan for another one,
 * which has left the device, is freed first. Any thread that holds the mesh may call it, and does not wait for the
 * compute thread. *rc is the result. Returns false when m is NULL or not resident. */
bool resident_plan(struct residency *r, const struct resident *m, const struct sdd_refine_request *request,
                   sdd_plan **plan, int *rc, struct sdd_error *err) SDD_MUST_CHECK;
/* resident_pin: m, which is resident, is not evicted from now on. Pinned meshes have at most this part of the device.
 * resident_unpin: it may be again.
 * resident_inherit_pin: pins m, which is to take the place of `old`, when that is pinned and m fits into that part.
 * Errors  SDD_ENO_MEMORY, with what it needs and what is left of that part */
int resident_pin(struct residency *r, struct resident *m, int percent, struct sdd_error *err) SDD_MUST_CHECK;
void resident_unpin(struct residency *r, struct resident *m);
void resident_inherit_pin(struct residency *r, struct resident *m, struct resident *old, int percent);
/* resident_copy: makes a separate mesh for a caller that must not see later versions or that brings points of its own.
 * When `points` is NULL it gets those of `mesh`, which is the current version of m. m must be resident. The errors are
 * those of resident_load, and the caller frees the mesh. */
int resident_copy(struct residency *r, const struct resident *m, const struct mesh *mesh, const float *points,
                  sdd_mesh **out, struct sdd_error *err) SDD_MUST_CHECK;
/* resident_measure: counts the bytes of m again after a refine, which may have built tables that stay with the
 * topology. It does nothing when m is no longer resident. */
void resident_measure(struct residency *r, struct resident *m);
/* residency_make_room: gives back what edits have left of tables (sdd_device_spare), or, where that is nothing, evicts
 * the least recently used mesh that is neither `keep` nor pinned. Returns false when there is none, or when `needed`
 * bytes would not fit even after all evictions. `needed` is 0 when it is not known. */
bool residency_make_room(struct residency *r, const struct resident *keep, int64_t needed);
/* residency_guard: until it is called with 0, nothing that was used since this time of CLOCK_MONOTONIC is evicted: a
 * task that is paused works with it. Returns the time before. */
uint64_t residency_guard(struct residency *r, uint64_t since);
/* residency_available: returns the device bytes that would be free if all meshes but `keep` and pinned ones were
 * evicted. */
int64_t residency_available(const struct residency *r, const struct resident *keep);
/* residency_published: returns the same value as of the last residency_publish. Any thread may call it. */
int64_t residency_published(const struct residency *r, const struct resident *keep);
/* residency_publish: writes device memory and launches to the metrics. */
void residency_publish(struct residency *r);

#endif
