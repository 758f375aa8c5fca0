/* SPDX-License-Identifier: Apache-2.0 */
/* subd_history.c: lists earlier versions of a mesh, and brings them back, for users of libsubd. */
#include "subd_history.h"
#include "subd_internal.h"
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KINDS_ROOM 512 /* For the names of all kinds of edits there are. */

/* They lie behind the array of versions. */
static char *kinds_of(const struct subd_version_list *list, int64_t i)
{
    return (char *)(list->versions + list->n) + i * KINDS_ROOM;
}

const char *subd_version_kinds(const struct subd_version_list *list, int64_t i)
{
    return list && i >= 0 && i < list->n ? kinds_of(list, i) : "";
}

/* The names in an array, with blanks between them; of more than there is room for, the first. */
static void join_names(char *to, size_t room, const cJSON *names)
{
    const cJSON *each;
    size_t used = 0;
    to[0] = '\0';
    cJSON_ArrayForEach(each, names)
    {
        char name[64];
        if (!cJSON_IsString(each))
            continue;
        subd_copy_text(name, sizeof name, each->valuestring);
        if (used + strlen(name) + 2 > room)
            return;
        used += (size_t)snprintf(to + used, room - used, "%s%s", used ? " " : "", name);
    }
}

static int read_list(const cJSON *rows, struct subd_version_list *out, struct subd_error *err)
{
    const cJSON *row;
    const int n = cJSON_GetArraySize(rows);
    int64_t i = 0;
    out->versions = calloc((size_t)n + 1, sizeof *out->versions + KINDS_ROOM);
    if (!out->versions)
        return subd_fail(err, SUBD_ENO_MEMORY, "no memory for a list of versions");
    out->n = n;
    cJSON_ArrayForEach(row, rows)
    {
        struct subd_version *v = &out->versions[i];
        v->version = subd_json_count(row, "version");
        v->edits = subd_json_count(row, "edits");
        v->of = subd_json_count(row, "of");
        v->vertices = subd_json_count(row, "vertices");
        v->faces = subd_json_count(row, "faces");
        subd_json_copy(v->change, sizeof v->change, row, "change");
        subd_json_copy(v->principal, sizeof v->principal, row, "principal");
        subd_json_copy(v->updated, sizeof v->updated, row, "updated");
        join_names(kinds_of(out, i++), KINDS_ROOM, cJSON_GetObjectItemCaseSensitive(row, "kinds"));
    }
    return SUBD_OK;
}

static int finish_list(subd_client *c, void *out, struct subd_error *err)
{
    cJSON *o = c->call.answer ? cJSON_ParseWithLength(c->call.answer, c->call.answer_bytes) : NULL;
    const cJSON *rows = cJSON_GetObjectItemCaseSensitive(o, "versions");
    struct subd_version_list *list = out;
    int rc = cJSON_IsArray(rows) ? read_list(rows, list, err)
                                 : subd_fail(err, SUBD_EPROTOCOL, "the server's list of versions cannot be read");
    list->next = rc == SUBD_OK ? subd_json_count(o, "next") : 0;
    cJSON_Delete(o);
    return rc;
}

int subd_versions(subd_client *c, const char *id, int64_t before, int limit, struct subd_version_list *out,
                  struct subd_error *err)
{
    struct subd_request q = {.method = "GET", .accept = "application/json", .finish = finish_list, .out = out};
    int rc = SUBD_NEED(err, c, id, out);
    if (rc != SUBD_OK)
        return rc;
    memset(out, 0, sizeof *out);
    if (limit < 0 || before < 0)
        return subd_fail(err, SUBD_EUSAGE, "limit %d or before %lld is out of range", limit, (long long)before);
    subd_text_mesh_path(&q.path, id, "/versions");
    const char *separator = "?";
    if (before) {
        subd_text_add(&q.path, "?before=%lld", (long long)before);
        separator = "&";
    }
    if (limit)
        subd_text_add(&q.path, "%slimit=%d", separator, limit);
    return subd_request_start(c, &q, err);
}

void subd_version_list_free(struct subd_version_list *list)
{
    if (!list)
        return;
    free(list->versions);
    memset(list, 0, sizeof *list);
}

static int change(subd_client *c, const char *id, const char *leaf, struct subd_request *q, struct subd_mesh_info *out,
                  struct subd_error *err)
{
    q->method = "POST";
    q->accept = SUBD_PROTOBUF;
    q->finish = subd_finish_info;
    q->out = out;
    subd_text_mesh_path(&q->path, id, leaf);
    return subd_request_start(c, q, err);
}

int subd_revert(subd_client *c, const char *id, int64_t version, int64_t to, const char *idempotency_key,
                struct subd_mesh_info *out, struct subd_error *err)
{
    struct subd_request q = {.if_version = version ? version : SUBD_IF_ANY, .idempotency_key = idempotency_key};
    struct subd_text body = {0};
    int rc;
    if ((rc = SUBD_NEED(err, c, id)) || (rc = subd_check_version(version, err)))
        return rc;
    if (to < 1)
        return subd_fail(err, SUBD_EUSAGE, "%lld is no version", (long long)to);
    subd_text_add(&body, "{\"version\":%lld}", (long long)to);
    if (body.failed)
        return subd_fail(err, SUBD_ENO_MEMORY, "no memory for a request");
    q.owned = body.data;
    q.body = (struct subd_body){"application/json", body.data, body.bytes};
    return change(c, id, "/revert", &q, out, err);
}

int subd_undo(subd_client *c, const char *id, int64_t version, const char *idempotency_key, struct subd_mesh_info *out,
              struct subd_error *err)
{
    struct subd_request q = {.if_version = version, .idempotency_key = idempotency_key};
    int rc;
    if ((rc = SUBD_NEED(err, c, id)) || (rc = subd_check_version(version, err)))
        return rc;
    return change(c, id, "/undo", &q, out, err);
}

int subd_redo(subd_client *c, const char *id, int64_t version, const char *idempotency_key, struct subd_mesh_info *out,
              struct subd_error *err)
{
    struct subd_request q = {.if_version = version, .idempotency_key = idempotency_key};
    int rc;
    if ((rc = SUBD_NEED(err, c, id)) || (rc = subd_check_version(version, err)))
        return rc;
    return change(c, id, "/redo", &q, out, err);
}
