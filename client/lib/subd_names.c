/* SPDX-License-Identifier: Apache-2.0 */
/* subd_names.c: finds a mesh by what a person calls it, lists the meshes of one name, and renames them. */
#include "subd_internal.h"
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN 3   /* So many meshes are asked for, as more would not change the result. */
#define MAX_ID 23 /* No id is longer, and no `after` of a list may be. */

int subd_list_named(subd_client *c, const char *name, const char *after, int limit, struct subd_mesh_list *out,
                    struct subd_error *err)
{
    struct subd_request r = {.method = "GET", .accept = SUBD_PROTOBUF, .finish = subd_finish_list, .out = out};
    int rc = SUBD_NEED(err, c, out);
    if (rc != SUBD_OK)
        return rc;
    memset(out, 0, sizeof *out);
    if (limit < 0)
        return subd_fail(err, SUBD_EUSAGE, "%d is no number of meshes", limit);
    subd_text_list_path(&r.path, name, after, limit);
    return subd_request_start(c, &r, err);
}

int subd_rename(subd_client *c, const char *id, int64_t version, const char *name, struct subd_mesh_info *out,
                struct subd_error *err)
{
    struct subd_request r = {
        .method = "PATCH", .accept = SUBD_PROTOBUF, .if_version = version, .finish = subd_finish_info, .out = out};
    int rc;
    if ((rc = SUBD_NEED(err, c, id)) || (rc = subd_check_version(version, err)))
        return rc;
    cJSON *o = cJSON_CreateObject();
    cJSON *member = name ? cJSON_AddStringToObject(o, "name", name) : cJSON_AddNullToObject(o, "name");
    char *body = member ? cJSON_PrintUnformatted(o) : NULL;
    cJSON_Delete(o);
    if (!body)
        return subd_fail(err, SUBD_ENO_MEMORY, "no memory for a name");
    r.owned = body;
    r.body = (struct subd_body){"application/merge-patch+json", body, strlen(body)};
    subd_text_mesh_path(&r.path, id, "");
    return subd_request_start(c, &r, err);
}

/* ---- find ------------------------------------------------------------------------------------------------------ */

enum { BY_ID, BY_NAME, BY_PREFIX };

/* Can the text be an id, or the beginning of one? */
static int like_id(const char *text)
{
    size_t n = strlen(text);
    return n > 2 && n <= MAX_ID && strncmp(text, "m_", 2) == 0 &&
           strspn(text + 2, "0123456789abcdefghijklmnopqrstuvwxyz") == n - 2;
}

static int end(struct subd_search *s, int rc)
{
    if (rc < 0 && s->err)
        *s->err = s->own;
    return rc;
}

static int not_found(struct subd_search *s)
{
    subd_fail(&s->own, SUBD_EHTTP,
              "no mesh has the id or the name \"%s\", and no id begins with it; `subd ls` lists the meshes", s->text);
    s->own.http_status = 404;
    subd_copy_text(s->own.problem, sizeof s->own.problem, "not_found");
    return SUBD_EHTTP;
}

static int ambiguous(struct subd_search *s, int n)
{
    const struct subd_mesh_info *m = s->list.meshes;
    const char *more = n > 2 ? " and others" : "";
    if (s->step == BY_NAME)
        subd_fail(&s->own, SUBD_EUSAGE,
                  "more than one mesh is called \"%s\": %s, %s%s; give the id of one, or rename it", s->text, m[0].id,
                  m[1].id, more);
    else
        subd_fail(&s->own, SUBD_EUSAGE, "more than one id begins with \"%s\": %s, %s%s; give more of it", s->text,
                  m[0].id, m[1].id, more);
    subd_copy_text(s->own.problem, sizeof s->own.problem, "ambiguous");
    return SUBD_EUSAGE;
}

static int next(subd_client *c, int rc);

static int look(subd_client *c)
{
    struct subd_search *s = &c->search;
    struct subd_request r = {.method = "GET", .accept = SUBD_PROTOBUF, .then = next};
    if (s->step == BY_ID) {
        r.finish = subd_finish_info;
        r.out = s->out;
        subd_text_mesh_path(&r.path, s->text, "");
    } else {
        r.finish = subd_finish_list;
        r.out = &s->list;
        subd_text_list_path(&r.path, s->step == BY_NAME ? s->text : NULL, s->step == BY_NAME ? NULL : s->text, SHOWN);
    }
    return end(s, subd_request_start(c, &r, &s->own));
}

/* Takes the answer of one step, and ends the search or goes on to the next step. */
static int next(subd_client *c, int rc)
{
    struct subd_search *s = &c->search;
    int n = 0, tried = s->step;
    if (tried == BY_ID && rc == SUBD_EHTTP && s->own.http_status == 404) {
        s->step = BY_NAME;
        return look(c);
    }
    if (tried == BY_ID || rc != SUBD_OK)
        return end(s, rc);
    while (n < s->list.n && (tried == BY_NAME || strncmp(s->list.meshes[n].id, s->text, strlen(s->text)) == 0))
        n++;
    if (n == 1)
        *s->out = s->list.meshes[0];
    else if (n > 1)
        rc = ambiguous(s, n);
    subd_mesh_list_free(&s->list);
    if (n > 0)
        return end(s, rc);
    if (tried == BY_PREFIX || !like_id(s->text))
        return end(s, not_found(s));
    s->step = BY_PREFIX;
    return look(c);
}

int subd_find(subd_client *c, const char *text, struct subd_mesh_info *out, struct subd_error *err)
{
    struct subd_search *s;
    int rc = SUBD_NEED(err, c, text, out);
    if (rc != SUBD_OK)
        return rc;
    if (c->call.active)
        return subd_fail(err, SUBD_EUSAGE, "this client has a call under way");
    if (!*text || strlen(text) >= sizeof s->text)
        return subd_fail(err, SUBD_EUSAGE,
                         "a mesh is found by its id, a name of at most %zu bytes, or the beginning of an "
                         "id",
                         sizeof s->text - 1);
    s = &c->search;
    *s = (struct subd_search){.step = like_id(text) ? BY_ID : BY_NAME, .out = out, .err = err};
    memcpy(s->text, text, strlen(text) + 1);
    return look(c);
}
