/* SPDX-License-Identifier: Apache-2.0 */
/* history.c: GET /v1/meshes/{id}/versions, and POST .../revert, .../undo and .../redo, by which an earlier version
 * becomes the next one. The ids of its elements are those that they had; new elements get ids that were never used. */
#include "server/api/events.h"
#include "server/api/others.h"
#include "server/api/replace.h"
#include "server/api/watcher.h"
#include "server/base/clock.h"
#include "server/mesh/formats/codec.h"
#include "server/mesh/topology_id.h"
#include "server/mesh/merge.h"
#include "server/operation/idempotency.h"
#include "server/operation/people.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- GET /v1/meshes/{id}/versions ------------------------------------------------------------------------------- */
enum { VERSIONS_DEFAULT = 100, VERSIONS_MAX = 1000 };

struct versions_job {
    struct mesh_job base;
    int64_t before, limit;
    int n, more;
    struct store_version *list;
};

static int versions_read(struct job *job)
{
    struct versions_job *v = (struct versions_job *)job;
    return storage_result(job_service(job)->storage,
                          store_history(job_service(job)->storage->store, slot_of(job)->id, v->before, (int)v->limit,
                                        &v->list, &v->n, &v->more, &job->err));
}

static void versions_answer(struct job *job)
{
    struct versions_job *v = (struct versions_job *)job;
    struct text body = {0};
    text_puts(&body, "{\"versions\":[");
    for (int i = 0; i < v->n; i++) {
        text_puts(&body, i ? "," : "");
        version_json(&body, &v->list[i], NULL);
    }
    text_puts(&body, "]");
    if (v->more && v->n)
        text_member_int(&body, "next", v->list[v->n - 1].version);
    text_puts(&body, "}\n");
    answer_text(job->request, 200, MEDIA_JSON, &body);
}

static void versions_free(struct job *job)
{
    free(((struct versions_job *)job)->list);
    mesh_job_free(job);
}

void api_versions(struct request *r)
{
    static const struct step steps[] = {
        {ON_STORE, PHASE_LOAD, step_find, skip_find}, {ON_STORE, PHASE_LOAD, versions_read, NULL}, {0}};
    static const struct job_ops ops = {steps, versions_answer, versions_free};
    struct sdd_error err = {0};
    struct versions_job *v = mesh_job_create(r, sizeof *v, false);
    if (!v)
        return;
    v->before = INT64_MAX;
    v->limit = VERSIONS_DEFAULT;
    int rc = query_int(&v->base.query, "before", 1, INT64_MAX, &v->before, &err);
    if (!rc)
        rc = query_int(&v->base.query, "limit", 1, VERSIONS_MAX, &v->limit, &err);
    if (rc) {
        answer_error(r, &err);
        versions_free(&v->base.job);
        return;
    }
    v->base.job.reader = true;
    mesh_job_start(r, &v->base, &ops);
}

/* ---- what is to come back --------------------------------------------------------------------------------------- */
enum way { REVERT, UNDO, REDO };
static const char *const kinds[] = {"revert", "undo", "redo"};

struct past_job {
    struct replace_job base;
    enum way way;
    int64_t of;      /* The change that is undone or redone, or the version that comes back by `revert`. */
    int64_t version; /* The version that comes back. */
    /* When others have changed the mesh since, the version on whose other side `version` is; else 0. What lies between
     * the two is put onto the present version. */
    int64_t onto;
    struct mesh *base_mesh;
    bool is_heard;    /* Somebody is told of the new version. */
    char others[256]; /* "; since then came versions 7 (edits by bob), 5 (...)": those that can be in the way. */
};

static bool is_kind(const struct store_version *v, enum way way)
{
    return strcmp(v->kind, kinds[way]) == 0;
}

static bool is_change(const struct store_version *v)
{
    return !is_kind(v, UNDO) && !is_kind(v, REDO);
}

/* Whether a change is undone, which the latest version that was made by undoing or redoing it says. */
static bool is_undone(const struct store_version *list, int n, int64_t change)
{
    for (int i = 0; i < n; i++)
        if (list[i].of == change && !is_change(&list[i]))
            return is_kind(&list[i], UNDO);
    return false;
}

/* Of n versions from the latest on, the number of the caller's last change that can be undone, or of the one undone
 * last that can be redone; 0 when there is none. A change of one's own ends what one can redo. */
static int64_t find_change(const struct store_version *list, int n, enum way way, const char *principal)
{
    for (int i = 0; i < n; i++) {
        const struct store_version *v = &list[i];
        if (strcmp(v->principal, principal) != 0)
            continue;
        if (is_change(v) && way == REDO)
            return 0;
        if (is_change(v) && strcmp(v->kind, "create") != 0 && *v->kind && !is_undone(list, n, v->version))
            return v->version;
        if (is_kind(v, UNDO) && way == REDO && is_undone(list, n, v->of))
            return v->of;
    }
    return 0;
}

static const struct store_version *find_version(const struct store_version *list, int n, int64_t version)
{
    for (int i = 0; i < n; i++)
        if (list[i].version == version)
            return &list[i];
    return NULL;
}

/* Whether the mesh has a change in the first of n versions: it came, and is not undone. */
static bool is_there(const struct store_version *list, int n, int64_t change)
{
    return n > 0 && change <= list->version && !is_undone(list, n, change);
}

/* Remembers which versions can be in the way, and who made them. What is to come back is put onto all that the mesh has
 * got or lost since the change. But nothing was in the way when it was last undone or redone, so what the mesh had, or
 * had not, then as now is not either. */
static void name_others(struct past_job *p, const struct store_version *list, int n)
{
    enum { NAMED = 3 };
    struct conflict *c = &p->base.base.conflict;
    struct text names = {0};
    int of = 0, last = 0;
    while (of < n && list[of].version != p->of)
        of++;
    while (last < of && (is_change(&list[last]) || list[last].of != p->of))
        last++;
    c->n_versions = 0;
    for (int i = 0; i < last; i++) {
        const struct store_version *v = &list[i];
        const int64_t change = is_change(v) ? v->version : v->of;
        const bool now = is_there(list, n, change);
        int later = 0; /* The latest version that did it, undid it or did it again. */
        while ((is_change(&list[later]) ? list[later].version : list[later].of) != change)
            later++;
        if (later < i)
            continue;
        if (now == is_there(list + last, n - last, change) || now == is_there(list + of, n - of, change))
            continue;
        if (c->n_versions < NAMED)
            text_printf(&names, "%s%lld (%s%s%s)", names.bytes ? ", " : "", (long long)v->version, v->kind,
                        *v->principal ? " by " : "", v->principal);
        if (c->n_versions < CONFLICT_LISTED)
            c->versions[c->n_versions] = v->version;
        c->n_versions++;
    }
    if (c->n_versions > NAMED)
        text_printf(&names, " and %lld more", (long long)c->n_versions - NAMED);
    if (c->n_versions)
        snprintf(p->others, sizeof p->others, "; since then came version%s %s", c->n_versions > 1 ? "s" : "",
                 names.data ? names.data : "");
    text_free(&names);
}

/* Finds what the caller wants to undo or redo. The versions before and after a change differ by it alone. So while the
 * mesh is what it was right after it, the one before comes back; and when others have changed it, what lies between the
 * two is put onto what they made. To redo is the same the other way round. */
static int choose(struct past_job *p, const struct store_version *list, int n)
{
    const char *who = p->base.base.principal;
    p->of = find_change(list, n, p->way, who);
    if (!p->of)
        return job_fail(&p->base.base.job, SDD_ENO_CHANGE, "", "there is nothing to %s%s%s in the %d version%s kept",
                        kinds[p->way], *who ? " of " : "", who, n, n == 1 ? "" : "s");
    p->version = p->way == UNDO ? p->of - 1 : p->of;
    const int64_t is_like = p->way == UNDO ? p->of : p->of - 1;
    const struct store_version *like = find_version(list, n, is_like);
    if (!like)
        return job_fail(&p->base.base.job, SDD_EGONE, "version",
                        "version %lld is not kept any more, so it cannot be told whether the mesh is as it was before",
                        (long long)is_like);
    p->onto = memcmp(like->content, list[0].content, sizeof like->content) != 0 ? is_like : 0;
    name_others(p, list, n);
    return SDD_OK;
}

static int find(struct job *job)
{
    struct past_job *p = (struct past_job *)job;
    int rc = idempotency_digest(&p->base.base);
    if (!rc)
        rc = storage_result(job_service(job)->storage, idempotency_find(&p->base.base));
    return rc ? rc : step_find(job);
}

static int choose_change(struct past_job *p)
{
    struct job *job = &p->base.base.job;
    struct storage *storage = job_service(job)->storage;
    struct store_version *list;
    int n, more;
    int rc = storage_result(storage, store_history(storage->store, slot_of(job)->id, INT64_MAX,
                                                   (int)job_service(job)->config->history_versions, &list, &n, &more,
                                                   &job->err));
    rc = rc ? rc : choose(p, list, n);
    free(list);
    return rc;
}

static int load(struct job *job)
{
    struct past_job *p = (struct past_job *)job;
    struct storage *storage = job_service(job)->storage;
    struct store_info info;
    int rc = p->way == REVERT ? SDD_OK : choose_change(p);
    if (!rc)
        rc = decode_begin(&p->base.base, 0);
    if (rc)
        return rc;
    if (p->onto && !p->base_mesh)
        rc = storage_result(storage,
                            store_load(storage->store, slot_of(job)->id, p->onto, &p->base_mesh, NULL, &job->err));
    if (!rc)
        rc = storage_result(storage,
                            store_load(storage->store, slot_of(job)->id, p->version, &p->base.mesh, &info, &job->err));
    if (!rc) {
        memcpy(p->base.info.topology_id, info.topology_id, sizeof info.topology_id);
        job->thing = operation_thing(info.topology_id);
        p->base.as = p->onto ? 0 : p->version;
    }
    return decode_end(&p->base.base, rc);
}

static bool is_loaded(const struct job *job)
{
    return ((const struct past_job *)job)->base.mesh;
}

static bool stands_alone(const struct job *job)
{
    return !((const struct past_job *)job)->onto;
}

/* Whether nobody has to know what the present version is changed in. */
static bool concerns_nobody(const struct job *job)
{
    return !((const struct past_job *)job)->is_heard && leases_none(job);
}

static bool skip_present(const struct job *job)
{
    return (stands_alone(job) && concerns_nobody(job)) || skip_load(job);
}

/* To revert may change everything; to undo or redo changes what it does. */
static int match(struct job *job)
{
    struct past_job *p = (struct past_job *)job;
    p->is_heard = watched_find(job_service(job)->watchers, slot_of(job)->id) != NULL;
    return p->way == REVERT ? step_change_all(job) : step_change(job);
}

/* Compares the version that is to be with the present one, for the news and for leases. */
static int compare(struct job *job)
{
    struct mesh_job *j = (struct mesh_job *)job;
    const struct mesh *from = j->slot->host, *to = ((const struct past_job *)job)->base.mesh;
    struct mesh_changes changes = {0};
    int rc = decode_begin(j, 0);
    if (rc)
        return rc;
    rc = mesh_changes_find(from, to, &changes, &job->err);
    if (!rc)
        touched_by_changes(&j->touched, &changes);
    if (!rc)
        rc = leases_allow(j, from, &changes);
    if (!rc)
        rc = leases_follow(j, from, to, (struct face_origins){0});
    mesh_changes_fini(&changes);
    return decode_end(j, rc);
}

/* Puts what was between the two versions onto the present one. */
static int merge(struct job *job)
{
    struct past_job *p = (struct past_job *)job;
    struct mesh_changes changes = {0};
    struct mesh *merged = NULL;
    const struct mesh_change mine = {p->base.mesh, &changes};
    char sentence[64];
    bool meets = false;
    int rc = decode_begin(&p->base.base, 2 * mesh_bytes(slot_of(job)->host));
    if (rc)
        return rc;
    rc = mesh_changes_find(p->base_mesh, p->base.mesh, &changes, &job->err);
    if (!rc)
        rc = others_meet(job, p->base_mesh, mine, NULL, false, slot_of(job)->host, &p->base.base.conflict, &meets);
    if (!rc && !meets)
        rc = mesh_merge(mine, slot_of(job)->host, &merged, &job->err);
    mesh_changes_fini(&changes);
    if (!rc && !meets)
        rc = mesh_topology_id_keep(merged, p->base.info.topology_id, &job->err);
    if (!rc && meets) {
        snprintf(sentence, sizeof sentence, "version %lld cannot be %s", (long long)p->of,
                 p->way == UNDO ? "undone" : "redone");
        rc = others_fail(job, SDD_ECHANGED, "version", sentence, p->others, &p->base.base.conflict);
    }
    rc = decode_end(&p->base.base, rc);
    if (rc) {
        mesh_free(merged);
        return rc;
    }
    mesh_free(p->base.mesh);
    p->base.mesh = merged;
    p->onto = 0;
    job->thing = operation_thing(p->base.info.topology_id);
    return SDD_OK;
}

static int build(struct job *job)
{
    return replace_build((struct replace_job *)job, NULL);
}

static int commit(struct job *job)
{
    struct past_job *p = (struct past_job *)job;
    struct mesh_job *j = &p->base.base;
    const struct store_change change = {.principal = j->principal, .kind = kinds[p->way], .of = p->of};
    const struct info_state state = replace_describe(&p->base, now_ms());
    if (j->media_out == MEDIA_PROTOBUF)
        info_proto(&j->answer, &p->base.info, &state);
    else {
        info_json(&j->answer, &p->base.info, &state);
        text_puts(&j->answer, "\n");
    }
    return replace_commit(&p->base, &change);
}

static int parse(struct job *job)
{
    struct past_job *p = (struct past_job *)job;
    int rc = revert_from_json(p->base.base.body, p->base.base.body_bytes, &p->of, &job->err);
    p->version = p->of;
    return rc;
}

static bool skip_parse(const struct job *job)
{
    return ((const struct past_job *)job)->way != REVERT;
}

static void past_free(struct job *job)
{
    mesh_free(((struct past_job *)job)->base_mesh);
    replace_free(job);
}

static void begin(struct request *r, enum way way)
{
    static const struct step steps[] = {{ON_HOST, PHASE_PARSE, parse, skip_parse},
                                        {ON_STORE, PHASE_LOAD, find, NULL},
                                        {ON_LOOP, -1, match, NULL},
                                        {ON_STORE, PHASE_LOAD, load, is_loaded},
                                        {ON_STORE, PHASE_LOAD, step_load, skip_present},
                                        {ON_LOOP, -1, step_settle_record, NULL},
                                        {ON_HOST, PHASE_PARSE, merge, stands_alone},
                                        {ON_HOST, PHASE_PARSE, compare, concerns_nobody},
                                        {ON_DEVICE, -1, build, NULL},
                                        {ON_STORE, PHASE_COMMIT, commit, NULL},
                                        {ON_LOOP, -1, replace_adopt, NULL},
                                        {0}};
    static const struct job_ops ops = {steps, replace_answer, past_free};
    struct past_job *p = mesh_job_create(r, sizeof *p, true);
    if (!p)
        return;
    p->way = way;
    p->base.base.evaluates = EVALUATES_OTHERS;
    mesh_job_start(r, &p->base.base, &ops);
}

void api_revert(struct request *r)
{
    if (request_header(r, "If-Match"))
        begin(r, REVERT);
    else
        answer_fail(r, SDD_EPRECONDITION, "if-match", "send If-Match with the version that is to be replaced");
}

void api_undo(struct request *r)
{
    begin(r, UNDO);
}

void api_redo(struct request *r)
{
    begin(r, REDO);
}
