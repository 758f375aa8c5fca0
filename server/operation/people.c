/* SPDX-License-Identifier: Apache-2.0 */
/* people.c: keeps leases and presence, and ends them in time (people.h). */
#include "server/operation/people.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { FACES_TOLD = 64 }; /* In news; GET .../leases has more. */

void people_init(struct people *p)
{
    *p = (struct people){.next_end = UINT64_MAX};
    list_init(&p->leases);
    list_init(&p->present);
}

static void ends_at(struct people *p, uint64_t until)
{
    p->next_end = until < p->next_end ? until : p->next_end;
}

/* Ends what is of this mesh or connection, or has passed its time. */
static void remove_all(struct people *p, const char *mesh, const struct conn *conn, uint64_t until)
{
    p->next_end = UINT64_MAX;
    for (struct list *at = p->leases.next, *next; at != &p->leases; at = next) {
        struct lease *l = CONTAINER(at, struct lease, all);
        next = at->next;
        if ((mesh && strcmp(l->mesh, mesh) == 0) || l->until <= until)
            lease_end(p, l);
        else
            ends_at(p, l->until);
    }
    for (struct list *at = p->present.next, *next; at != &p->present; at = next) {
        struct present *x = CONTAINER(at, struct present, all);
        next = at->next;
        if ((mesh && strcmp(x->mesh, mesh) == 0) || (conn && x->conn == conn) || x->until <= until)
            present_end(p, x);
        else
            ends_at(p, x->until);
    }
}

void people_fini(struct people *p)
{
    p->news = NULL;
    remove_all(p, NULL, NULL, UINT64_MAX);
}

void people_tick(struct people *p, uint64_t now)
{
    if (now >= p->next_end)
        remove_all(p, NULL, NULL, now);
}

void people_forget_mesh(struct people *p, const char *mesh)
{
    remove_all(p, mesh, NULL, 0);
}

void people_conn_closed(struct people *p, const struct conn *c)
{
    remove_all(p, NULL, c, 0);
}

static int too_many(const char *what, int limit, struct sdd_error *err)
{
    int rc = sdd_fail(err, SDD_ETOO_LARGE, what, "%d %s are there already, as many as may be; wait until some end",
                      limit, what);
    err->available = limit;
    return rc;
}

/* ---- leases ---- */
void lease_json(struct text *out, const struct lease *l, int64_t listed)
{
    text_puts(out, "{");
    text_member(out, "lease", l->id);
    text_member(out, "principal", l->principal);
    if (*l->client)
        text_member(out, "client", l->client);
    text_member_int(out, "seconds", lease_seconds_left(l));
    if (l->faces) {
        text_member_int(out, "faces", l->n_faces);
        text_key(out, "faceIds");
        text_puts(out, "[");
        for (int64_t i = 0; i < l->n_faces && i < listed; i++)
            text_printf(out, "%s%d", i ? "," : "", l->faces[i]);
        text_puts(out, "]");
    }
    text_puts(out, "}");
}

static void tell(const struct people *p, const char *mesh, const char *kind, struct text *json)
{
    if (p->news && json->data && !json->failed)
        p->news(p->user, mesh, kind, json->data);
    text_free(json);
}

/* One that has ended lasts 0 seconds. */
static void tell_lease(const struct people *p, const struct lease *l)
{
    struct text json = {0};
    lease_json(&json, l, FACES_TOLD);
    tell(p, l->mesh, "lease", &json);
}

int leases_of(const struct people *p, const char *principal, const char *workspace, int64_t *n_faces)
{
    int n = 0;
    *n_faces = 0;
    for (struct list *at = p->leases.next; at != &p->leases; at = at->next) {
        const struct lease *l = CONTAINER(at, struct lease, all);
        if (strcmp(l->principal, principal) != 0 || strcmp(l->workspace, workspace) != 0)
            continue;
        *n_faces += l->n_faces + l->n_gone;
        n++;
    }
    return n;
}

static int check_limits(const struct people *p, const struct lease *l, struct sdd_error *err)
{
    int of_mesh = 0;
    int64_t n_faces;
    for (struct list *at = p->leases.next; at != &p->leases; at = at->next)
        of_mesh += strcmp(CONTAINER(at, struct lease, all)->mesh, l->mesh) == 0;
    if (of_mesh >= LEASES_MAX_OF_MESH)
        return too_many("leases", LEASES_MAX_OF_MESH, err);
    if (p->n_leases >= LEASES_MAX)
        return too_many("leases", LEASES_MAX, err);
    if (leases_of(p, l->principal, l->workspace, &n_faces) >= LEASES_MAX_OF_ONE)
        return too_many("leases", LEASES_MAX_OF_ONE, err);
    if (l->n_faces <= LEASES_MAX_FACES - n_faces)
        return SDD_OK;
    int rc = sdd_fail(err, SDD_ETOO_LARGE, "faces",
                      "all leases of one holder have at most %d faces, and yours have %lld; lease fewer, or the mesh",
                      LEASES_MAX_FACES, (long long)n_faces);
    err->needed = n_faces + l->n_faces;
    err->available = LEASES_MAX_FACES;
    return rc;
}

int lease_begin(struct people *p, struct lease *l, int64_t seconds, struct sdd_error *err)
{
    uint64_t random;
    int rc = check_limits(p, l, err);
    if (rc)
        return rc;
    if (getrandom(&random, sizeof random, 0) != sizeof random)
        return sdd_fail(err, SDD_EINTERNAL, "", "no random numbers");
    snprintf(l->id, sizeof l->id, "l_%016llx", (unsigned long long)random);
    l->refs++;
    list_append(&p->leases, &l->all);
    p->n_leases++;
    lease_renew(p, l, seconds);
    return SDD_OK;
}

void lease_renew(struct people *p, struct lease *l, int64_t seconds)
{
    l->until = uv_hrtime() + (uint64_t)seconds * 1000000000u;
    ends_at(p, l->until);
    tell_lease(p, l);
}

void lease_unref(struct lease *l)
{
    if (!l || --l->refs > 0)
        return;
    free(l->faces);
    free(l);
}

void lease_end(struct people *p, struct lease *l)
{
    l->until = 0;
    tell_lease(p, l);
    list_remove(&l->all);
    p->n_leases--;
    lease_unref(l);
}

void lease_put(struct people *p, struct lease *l, int32_t *faces, int64_t n_faces, int64_t n_gone)
{
    const bool same = n_faces == l->n_faces && memcmp(faces, l->faces, (size_t)n_faces * sizeof *faces) == 0;
    if (!l->until) { /* It is not on the list any more. */
        free(faces);
        return;
    }
    free(l->faces);
    l->faces = faces;
    l->n_faces = n_faces;
    l->n_gone = n_gone;
    if (!same)
        tell_lease(p, l);
}

struct lease *lease_find(const struct people *p, const char *mesh, const char *id, size_t n)
{
    for (struct list *at = p->leases.next; at != &p->leases; at = at->next) {
        struct lease *l = CONTAINER(at, struct lease, all);
        if (strcmp(l->mesh, mesh) == 0 && strlen(l->id) == n && memcmp(l->id, id, n) == 0)
            return l;
    }
    return NULL;
}

int64_t lease_seconds_left(const struct lease *l)
{
    const uint64_t now = uv_hrtime();
    return l->until > now ? (int64_t)((l->until - now + 999999999u) / 1000000000u) : 0;
}

bool leases_are_ids(const char *text)
{
    for (;;) {
        text += strspn(text, " \t");
        if (strncmp(text, "l_", 2) != 0 || strspn(text + 2, "0123456789abcdef") != LEASE_ID_SIZE - 4)
            return false;
        text += LEASE_ID_SIZE - 2;
        text += strspn(text, " \t");
        if (*text != ',')
            return !*text;
        text++;
    }
}

bool lease_is_his(const struct lease *l, const char *principal, const char *named)
{
    return strcmp(l->principal, principal) == 0 && (*principal || (named && strstr(named, l->id)));
}

/* ---- presence ---- */
static void tell_present(const struct people *p, const struct present *x, bool gone)
{
    struct text json = {0};
    text_puts(&json, "{");
    text_member(&json, "principal", x->principal);
    text_member(&json, "client", x->client);
    text_key(&json, gone ? "gone" : "state");
    text_puts(&json, gone ? "true" : x->state);
    text_puts(&json, "}");
    tell(p, x->mesh, "presence", &json);
}

int present_set(struct people *p, const struct present *told, struct sdd_error *err)
{
    struct present *x = NULL;
    int of_mesh = 0;
    for (struct list *at = p->present.next; at != &p->present; at = at->next) {
        struct present *other = CONTAINER(at, struct present, all);
        if (strcmp(other->mesh, told->mesh) != 0)
            continue;
        of_mesh++;
        if (strcmp(other->principal, told->principal) == 0 && strcmp(other->client, told->client) == 0)
            x = other;
    }
    if (!x && (of_mesh >= PRESENCE_MAX_OF_MESH || p->n_present >= PRESENCE_MAX))
        return too_many("presence", of_mesh >= PRESENCE_MAX_OF_MESH ? PRESENCE_MAX_OF_MESH : PRESENCE_MAX, err);
    if (!x && !(x = calloc(1, sizeof *x)))
        return sdd_fail(err, SDD_ENO_MEMORY, "", "out of memory");
    if (!x->all.next)
        p->n_present++;
    const bool same = x->all.next && strcmp(x->state, told->state) == 0;
    struct list at = x->all;
    *x = *told;
    x->all = at;
    list_append(&p->present, &x->all);
    ends_at(p, x->until);
    if (!same)
        tell_present(p, x, false);
    return SDD_OK;
}

void present_end(struct people *p, struct present *x)
{
    tell_present(p, x, true);
    list_remove(&x->all);
    p->n_present--;
    free(x);
}
