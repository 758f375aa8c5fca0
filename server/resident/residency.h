/* SPDX-License-Identifier: Apache-2.0 */
/* residency.h: meshes on the device, under its memory limit, least recently used out first. Topologies are shared
 * by id.
 * Threads  the compute thread, but for resident_create, resident_bytes, resident_plan, residency_published and
 * resident_release */
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

struct resident {     /* the device state of one mesh */
    struct task task; /* of its release                                    */
    struct list lru;
    atomic_llong bytes; /* on the device, with its topology; 0: not resident */
    int64_t version;    /* of the positions that are there                   */
    struct residency *home;
    struct topology_entry *topology;
    sdd_mesh *mesh;       /* NULL: not resident                                */
    sdd_history *history; /* Of its frames; it stays when the mesh leaves the device. Any thread that holds the mesh. */
};

struct residency *residency_create(sdd_device *device, struct metrics *metrics); /* NULL: out of memory */
void residency_free(struct residency *r);                                        /* every resident must be released */

struct resident *resident_create(void); /* not resident yet; NULL: out of memory */
int64_t resident_bytes(const struct resident *m);
/* resident_release: the compute thread frees it, after all that was posted before. NULL is fine. */
void resident_release(struct executor *compute, struct resident *m);

/* resident_load: makes m hold `mesh`, evicting others when memory is short. phases (may be NULL) gets the time it took.
 * Errors  those of sdd_topology_create and sdd_mesh_create; on error m is not resident */
int resident_load(struct residency *r, struct resident *m, const struct mesh *mesh, const char *topology_id,
                  int64_t version, double phases[N_PHASES], struct sdd_error *err) SDD_MUST_CHECK;
/* resident_load_edited: resident_load of a mesh that an edit has made of the one in `edit->from`. While that one is on
 * the device the new topology comes from its topology and the delta, else from the mesh alone; it is the same. */
struct resident_edit {
    const struct resident *from; /* NULL: it is not on the device          */
    const char *topology_id;     /* that the edit was made for             */
    const struct sdd_topology_delta *delta;
};
int resident_load_edited(struct residency *r, struct resident *m, const struct resident_edit *edit,
                         const struct mesh *mesh, const char *topology_id, int64_t version, double phases[N_PHASES],
                         struct sdd_error *err) SDD_MUST_CHECK;
void resident_touch(struct residency *r, struct resident *m);
void resident_drop(struct residency *r, struct resident *m); /* off the device */
sdd_topology *resident_topology(const struct resident *m);
/* resident_plan: makes *plan for the topology of m, unless *plan is of that topology already; a plan of another one,
 * which has left the device, is freed first. Any thread that holds the mesh may call it, and does not wait for the
 * compute thread. *rc is the result. Returns false when the mesh (NULL: none) is not resident. */
bool resident_plan(struct residency *r, const struct resident *m, const struct sdd_refine_request *request,
                   sdd_plan **plan, int *rc, struct sdd_error *err) SDD_MUST_CHECK;
/* resident_copy: a mesh of its own for who must not see later versions, or brings points of their own (NULL: those of
 * `mesh`, which is m's current version). m is resident. Errors as resident_load; the caller frees it. */
int resident_copy(struct residency *r, const struct resident *m, const struct mesh *mesh, const float *points,
                  sdd_mesh **out, struct sdd_error *err) SDD_MUST_CHECK;
/* resident_measure: after a refine: tables may have been made that stay with the topology, where m still is. */
void resident_measure(struct residency *r, struct resident *m);
/* residency_make_room: evicts what was unused longest, but not `keep`. false: nothing is left to evict, or
 * `needed` bytes (0: unknown) would not fit then either. */
bool residency_make_room(struct residency *r, const struct resident *keep, int64_t needed);
/* residency_available: device bytes that could be had, were all but `keep` evicted. */
int64_t residency_available(const struct residency *r, const struct resident *keep);
/* residency_published: the same as it was at the last residency_publish; any thread. */
int64_t residency_published(const struct residency *r, const struct resident *keep);
/* residency_publish: device memory and launches into the metrics. */
void residency_publish(struct residency *r);

#endif
