/* SPDX-License-Identifier: Apache-2.0 */
/* residency.c: loads meshes and topologies onto the device for the jobs that work on them, and evicts them. */
#include "server/resident/residency.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#define PARTS_KEY_SIZE 24

/* What a topology shares with those before and after edits of tags. It is evicted with the last of them. */
struct parts {
    struct table_node node;
    char key[PARTS_KEY_SIZE]; /* The pointer that sdd_topology_shared returns. */
    int64_t bytes;
    int users;
    bool counted; /* By pinned_bytes. */
};
struct topology_entry {
    struct table_node node;
    char id[MESH_TOPOLOGY_ID_SIZE];
    sdd_topology *topology;
    struct parts *parts;
    int64_t bytes; /* With those of the parts. */
    int users;
    bool counted; /* By pinned_bytes. */
};
struct residency {
    sdd_device *device;
    struct metrics *metrics;
    struct table topologies, parts;
    struct list lru, pinned; /* Those that may be evicted, and those that may not. */
    int64_t topology_bytes, mesh_bytes, n_launches;
    uint64_t guarded_since;    /* See residency_guard; 0 when all may be evicted. */
    atomic_llong available;    /* The value at the last residency_publish. */
    pthread_mutex_t plan_lock; /* Guards the topology of every resident, because the loop may plan on it. */
};

struct residency *residency_create(sdd_device *device, struct metrics *metrics)
{
    struct residency *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->device = device;
    r->metrics = metrics;
    list_init(&r->lru);
    list_init(&r->pinned);
    pthread_mutex_init(&r->plan_lock, NULL);
    return r;
}

void residency_free(struct residency *r)
{
    if (!r)
        return;
    table_fini(&r->topologies);
    table_fini(&r->parts);
    pthread_mutex_destroy(&r->plan_lock);
    free(r);
}

struct resident *resident_create(void)
{
    struct resident *m = calloc(1, sizeof *m);
    if (m && !(m->history = sdd_history_create())) {
        free(m);
        return NULL;
    }
    return m;
}
int64_t resident_bytes(const struct resident *m)
{
    return atomic_load(&m->bytes);
}
sdd_topology *resident_topology(const struct resident *m)
{
    return m->topology->topology;
}

bool resident_plan(struct residency *r, const struct resident *m, const struct sdd_refine_request *request,
                   sdd_plan **plan, int *rc, struct sdd_error *err)
{
    pthread_mutex_lock(&r->plan_lock);
    const bool there = m && m->topology;
    *rc = SDD_OK;
    if (there && !(*plan && sdd_plan_is_of(*plan, m->topology->topology))) {
        sdd_plan_free(*plan);
        *rc = sdd_plan_create_for_topology(m->topology->topology, request, plan, err);
    }
    pthread_mutex_unlock(&r->plan_lock);
    return there;
}

/* Sets the topology of m under the lock. A topology may be freed only once no plan can reach it. */
static void set_topology(struct residency *r, struct resident *m, struct topology_entry *t)
{
    pthread_mutex_lock(&r->plan_lock);
    m->topology = t;
    pthread_mutex_unlock(&r->plan_lock);
}

/* ---- topologies ---------------------------------------------------------------------------------------------- */
static struct parts *join_parts(struct residency *r, const sdd_topology *t)
{
    char key[PARTS_KEY_SIZE];
    int64_t bytes;
    snprintf(key, sizeof key, "%p", sdd_topology_shared(t, &bytes));
    struct table_node *node = table_find(&r->parts, key);
    struct parts *p = node ? CONTAINER(node, struct parts, node) : calloc(1, sizeof *p);
    if (!node && p) {
        memcpy(p->key, key, sizeof key);
        p->bytes = bytes;
        if (!table_add(&r->parts, &p->node, p->key)) {
            free(p);
            return NULL;
        }
        r->topology_bytes += bytes;
    }
    if (p)
        p->users++;
    return p;
}

static void leave_parts(struct residency *r, struct parts *p)
{
    if (!p || --p->users)
        return;
    r->topology_bytes -= p->bytes;
    table_remove(&r->parts, &p->node);
    free(p);
}

static void leave_topology(struct residency *r, struct topology_entry *t)
{
    if (!t || --t->users)
        return;
    r->topology_bytes -= t->bytes - t->parts->bytes;
    leave_parts(r, t->parts);
    table_remove(&r->topologies, &t->node);
    sdd_topology_unref(t->topology);
    free(t);
}

/* Returns the topology that the edit was made for while it is on the device, else NULL. */
static const sdd_topology *edited_topology(const struct resident_edit *edit)
{
    const struct topology_entry *t = edit && edit->from ? edit->from->topology : NULL;
    return t && strcmp(t->id, edit->topology_id) == 0 ? t->topology : NULL;
}

static int make_topology(struct residency *r, const struct resident_edit *edit, const struct mesh *mesh, const char *id,
                         struct topology_entry **out, struct sdd_error *err)
{
    const sdd_topology *old = edited_topology(edit);
    struct sdd_topology_info info;
    struct sdd_mesh_desc desc;
    struct topology_entry *t = calloc(1, sizeof *t);
    if (!t) {
        (void)sdd_fail(err, SDD_ENO_MEMORY, "", "out of memory");
        return SDD_ENO_MEMORY;
    }
    mesh_desc(mesh, &desc);
    int rc = old ? sdd_topology_update(old, &desc, edit->delta, &t->topology, err)
                 : sdd_topology_create(r->device, &desc, &t->topology, err);
    struct table_node *same = rc ? NULL : table_find(&r->topologies, id);
    if (same) { /* A task inside this one has made it meanwhile. */
        sdd_topology_unref(t->topology);
        free(t);
        *out = CONTAINER(same, struct topology_entry, node);
        return SDD_OK;
    }
    snprintf(t->id, sizeof t->id, "%s", id);
    if (!rc && (!(t->parts = join_parts(r, t->topology)) || !table_add(&r->topologies, &t->node, t->id))) {
        leave_parts(r, t->parts);
        sdd_topology_unref(t->topology);
        rc = SDD_ENO_MEMORY;
        (void)sdd_fail(err, rc, "", "out of memory");
    }
    if (rc) {
        free(t);
        return rc;
    }
    sdd_topology_info(t->topology, &info);
    t->bytes = info.device_bytes;
    r->topology_bytes += t->bytes - t->parts->bytes;
    *out = t;
    return SDD_OK;
}

static int join_topology(struct residency *r, const struct resident_edit *edit, const struct mesh *mesh, const char *id,
                         struct topology_entry **out, struct sdd_error *err)
{
    struct table_node *node = table_find(&r->topologies, id);
    if (!node) {
        int rc = make_topology(r, edit, mesh, id, out, err);
        if (rc)
            return rc;
    } else
        *out = CONTAINER(node, struct topology_entry, node);
    (*out)->users++;
    return SDD_OK;
}

/* ---- meshes ---------------------------------------------------------------------------------------------------- */
void resident_drop(struct residency *r, struct resident *m)
{
    if (!m->mesh)
        return;
    r->mesh_bytes -= sdd_mesh_bytes(m->mesh);
    sdd_mesh_free(m->mesh);
    m->mesh = NULL;
    struct topology_entry *t = m->topology;
    set_topology(r, m, NULL);
    leave_topology(r, t);
    list_remove(&m->lru);
    atomic_store(&m->bytes, 0);
    sdd_history_forget(m->history);
    metrics_add(r->metrics, M_MESHES_DEVICE, -1);
}

static void release(struct task *task, void *user)
{
    struct resident *m = CONTAINER(task, struct resident, task);
    (void)user;
    if (m->home) {
        resident_drop(m->home, m);
        residency_publish(m->home);
    }
    sdd_history_free(m->history);
    for (int i = 0; i < SDD_MAX_PRIMVARS; i++)
        set_names_free(&m->sets[i]);
    free(m);
}

void resident_release(struct executor *compute, struct resident *m)
{
    if (!m)
        return;
    m->task.run = release;
    executor_post(compute, &m->task);
}

/* The bytes of a topology, without what was counted before. */
static int64_t count_once(struct topology_entry *t)
{
    const int64_t shared = t->parts->bytes;
    const int64_t bytes = (t->counted ? 0 : t->bytes - shared) + (t->parts->counted ? 0 : shared);
    t->counted = t->parts->counted = true;
    return bytes;
}

/* What the pinned meshes other than `but` take, without what they share with it. */
static int64_t pinned_bytes(const struct residency *r, const struct resident *but)
{
    int64_t bytes = 0;
    for (struct list *at = r->pinned.next; at != &r->pinned; at = at->next) {
        struct topology_entry *t = CONTAINER(at, struct resident, lru)->topology;
        t->counted = t->parts->counted = false;
    }
    if (but && but->topology)
        (void)count_once(but->topology);
    for (struct list *at = r->pinned.next; at != &r->pinned; at = at->next) {
        const struct resident *m = CONTAINER(at, struct resident, lru);
        if (m == but)
            continue;
        bytes += sdd_mesh_bytes(m->mesh) + count_once(m->topology);
    }
    return bytes;
}

int64_t residency_available(const struct residency *r, const struct resident *keep)
{
    struct sdd_device_info info;
    sdd_device_info(r->device, &info);
    int64_t kept = (keep ? resident_bytes(keep) : 0) + pinned_bytes(r, keep);
    return info.memory_limit - info.memory_used + sdd_device_sparable(r->device) + r->topology_bytes + r->mesh_bytes -
           kept;
}

int resident_pin(struct residency *r, struct resident *m, int percent, struct sdd_error *err)
{
    struct sdd_device_info info;
    sdd_device_info(r->device, &info);
    const int64_t limit = info.memory_limit / 100 * percent, taken = pinned_bytes(r, m), needed = resident_bytes(m);
    if (needed > limit - taken) {
        int rc = sdd_fail(err, SDD_ENO_MEMORY, "pin",
                          "pinned meshes may take %lld bytes of the device (--pinned-percent), others take %lld, and "
                          "this one needs %lld: unpin others",
                          (long long)limit, (long long)taken, (long long)needed);
        err->needed = needed;
        err->available = limit > taken ? limit - taken : 0;
        return rc;
    }
    atomic_store(&m->pinned, true);
    resident_touch(r, m);
    return SDD_OK;
}

void resident_inherit_pin(struct residency *r, struct resident *m, struct resident *old, int percent)
{
    struct sdd_error why; /* The caller sees whether m is pinned. */
    if (!atomic_load(&old->pinned))
        return;
    list_remove(&old->lru);
    int rc = resident_pin(r, m, percent, &why);
    (void)rc;
    if (old->mesh)
        resident_touch(r, old);
}

void resident_unpin(struct residency *r, struct resident *m)
{
    atomic_store(&m->pinned, false);
    if (m->mesh)
        resident_touch(r, m);
}

int64_t residency_published(const struct residency *r, const struct resident *keep)
{
    const int64_t kept = keep && !atomic_load(&keep->pinned) ? resident_bytes(keep) : 0;
    const int64_t left = atomic_load(&r->available) - kept;
    return left > 0 ? left : 0; /* What it shares with pinned ones is taken off twice. */
}

bool residency_make_room(struct residency *r, const struct resident *keep, int64_t needed)
{
    if (sdd_device_spare(r->device))
        return true;
    if (needed > residency_available(r, keep))
        return false; /* It would not fit even after all evictions. */
    for (struct list *at = r->lru.next; at != &r->lru; at = at->next) {
        struct resident *m = CONTAINER(at, struct resident, lru);
        if (m == keep)
            continue;
        if (r->guarded_since && m->touched >= r->guarded_since)
            break; /* So were all that follow. */
        resident_drop(r, m);
        metrics_add(r->metrics, M_EVICTIONS_DEVICE, 1);
        return true;
    }
    sdd_device_trim(r->device);
    return false;
}

void resident_touch(struct residency *r, struct resident *m)
{
    m->touched = uv_hrtime();
    list_append(atomic_load(&m->pinned) ? &r->pinned : &r->lru, &m->lru);
}

uint64_t residency_guard(struct residency *r, uint64_t since)
{
    const uint64_t before = r->guarded_since;
    r->guarded_since = since;
    return before;
}

static int make_mesh(sdd_topology *t, const struct mesh *mesh, const float *points, sdd_mesh **out,
                     struct sdd_error *err)
{
    struct primvar_info infos[SDD_MAX_PRIMVARS];
    struct sdd_primvar primvars[SDD_MAX_PRIMVARS];
    int n = primvars_list(mesh, infos);
    int rc = sdd_mesh_create(t, points, mesh->uvs, out, err);
    primvars_shapes(infos, n, primvars);
    for (int i = 0; i < n; i++)
        primvars[i].values = mesh->primvars[i].values;
    if (!rc && n && (rc = sdd_mesh_set_primvars(*out, n, primvars, err))) {
        sdd_mesh_free(*out);
        *out = NULL;
    }
    return rc;
}

static int load_once(struct residency *r, struct resident *m, const struct resident_edit *edit, const struct mesh *mesh,
                     const char *topology_id, double phases[N_PHASES], struct sdd_error *err)
{
    struct topology_entry *t;
    uint64_t start = uv_hrtime();
    int rc = join_topology(r, edit, mesh, topology_id, &t, err);
    uint64_t middle = uv_hrtime();
    if (!rc && (rc = make_mesh(t->topology, mesh, mesh->points, &m->mesh, err)))
        leave_topology(r, t);
    if (!rc)
        set_topology(r, m, t);
    if (phases) {
        phases[PHASE_TOPOLOGY] += (double)(middle - start) * 1e-9;
        phases[PHASE_UPLOAD] += (double)(uv_hrtime() - middle) * 1e-9;
    }
    return rc;
}

static int keep_sets(struct resident *m, const struct mesh *mesh, struct sdd_error *err)
{
    int rc = SDD_OK;
    for (int i = 0; i < mesh->n_primvars && !m->has_sets && !rc; i++) {
        set_names_free(&m->sets[i]); /* Of an earlier try, for which memory was out. */
        rc = set_names_copy(&mesh->primvars[i].sets, &m->sets[i], err);
    }
    m->has_sets = !rc;
    return rc;
}

int resident_load_edited(struct residency *r, struct resident *m, const struct resident_edit *edit,
                         const struct mesh *mesh, const char *topology_id, int64_t version, double phases[N_PHASES],
                         struct sdd_error *err)
{
    int rc;
    resident_drop(r, m);
    m->home = r;
    if ((rc = keep_sets(m, mesh, err)))
        return rc;
    if (edit && edit->from && edit->from->mesh)
        resident_touch(r, edit->from); /* A task inside this one must not evict it. */
    while ((rc = load_once(r, m, edit, mesh, topology_id, phases, err)) == SDD_ENO_MEMORY &&
           residency_make_room(r, m, err->needed)) {
    }
    if (rc) {
        m->mesh = NULL;
        return rc;
    }
    m->version = version;
    r->mesh_bytes += sdd_mesh_bytes(m->mesh);
    atomic_store(&m->bytes, sdd_mesh_bytes(m->mesh) + m->topology->bytes);
    resident_touch(r, m);
    metrics_add(r->metrics, M_MESHES_DEVICE, 1);
    return SDD_OK;
}

int resident_load(struct residency *r, struct resident *m, const struct mesh *mesh, const char *topology_id,
                  int64_t version, double phases[N_PHASES], struct sdd_error *err)
{
    return resident_load_edited(r, m, NULL, mesh, topology_id, version, phases, err);
}

int resident_copy(struct residency *r, const struct resident *m, const struct mesh *mesh, const float *points,
                  sdd_mesh **out, struct sdd_error *err)
{
    int rc;
    do
        rc = make_mesh(m->topology->topology, mesh, points ? points : mesh->points, out, err);
    while (rc == SDD_ENO_MEMORY && residency_make_room(r, m, err->needed));
    return rc;
}

void resident_measure(struct residency *r, struct resident *m)
{
    struct topology_entry *t = m->topology;
    struct sdd_topology_info info;
    if (!t)
        return;
    sdd_topology_info(t->topology, &info);
    r->topology_bytes += info.device_bytes - t->bytes;
    t->bytes = info.device_bytes;
    atomic_store(&m->bytes, sdd_mesh_bytes(m->mesh) + t->bytes);
}

void residency_publish(struct residency *r)
{
    struct sdd_device_info info;
    sdd_device_info(r->device, &info);
    const int64_t topology_bytes = r->topology_bytes + sdd_device_sparable(r->device);
    metrics_set(r->metrics, M_DEVICE_TOPOLOGY, topology_bytes);
    metrics_set(r->metrics, M_DEVICE_POSITIONS, r->mesh_bytes);
    metrics_set(r->metrics, M_DEVICE_SCRATCH, info.memory_used - topology_bytes - r->mesh_bytes);
    metrics_set(r->metrics, M_DEVICE_LIMIT, info.memory_limit);
    metrics_set(r->metrics, M_DEVICE_PINNED, pinned_bytes(r, NULL));
    atomic_store(&r->available, residency_available(r, NULL));
    metrics_add(r->metrics, M_LAUNCHES, info.n_launches - r->n_launches);
    r->n_launches = info.n_launches;
}
