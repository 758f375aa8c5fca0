/* SPDX-License-Identifier: Apache-2.0 */
/* subd_people.c: leases, presence, and what a client says of itself with its edits, for users of libsubd. */
#include "subd_people.h"
#include "subd_internal.h"
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FACES (1 << 22) /* In one lease. */

void subd_rebase(subd_client *c, int on)
{
    if (c)
        c->rebases = on != 0;
}

void subd_bulk(subd_client *c, int on)
{
    if (c)
        c->bulk = on != 0;
}

int subd_use_lease(subd_client *c, const char *lease, struct subd_error *err)
{
    int rc = SUBD_NEED(err, c);
    if (rc != SUBD_OK)
        return rc;
    if (lease && (strncmp(lease, "l_", 2) != 0 || strlen(lease) >= sizeof c->lease ||
                  strspn(lease + 2, "0123456789abcdef") != strlen(lease + 2)))
        return subd_fail(err, SUBD_EUSAGE, "a lease is l_ and hexadecimal digits");
    memcpy(c->lease, lease ? lease : "", lease ? strlen(lease) + 1 : 1);
    return SUBD_OK;
}

static void read_lease(const cJSON *o, struct subd_lease *out)
{
    memset(out, 0, sizeof *out);
    subd_json_copy(out->lease, sizeof out->lease, o, "lease");
    subd_json_copy(out->principal, sizeof out->principal, o, "principal");
    subd_json_copy(out->client, sizeof out->client, o, "client");
    out->seconds = subd_json_count(o, "seconds");
    out->n_faces = subd_json_count(o, "faces");
    if (!out->n_faces && cJSON_HasObjectItem(o, "faces"))
        out->n_faces = -1;
}

static cJSON *parse(const subd_client *c)
{
    return c->call.answer ? cJSON_ParseWithLength(c->call.answer, c->call.answer_bytes) : NULL;
}

static int finish_lease(subd_client *c, void *out, struct subd_error *err)
{
    struct subd_lease ignored;
    cJSON *o = parse(c);
    read_lease(o, out ? out : &ignored);
    cJSON_Delete(o);
    if (out && !*((struct subd_lease *)out)->lease)
        return subd_fail(err, SUBD_EPROTOCOL, "the server's lease cannot be read");
    return SUBD_OK;
}

static int finish_list(subd_client *c, void *out, struct subd_error *err)
{
    struct subd_lease_list *list = out;
    cJSON *o = parse(c);
    const cJSON *row, *rows = cJSON_GetObjectItemCaseSensitive(o, "leases");
    int rc = SUBD_OK;
    if (!cJSON_IsArray(rows))
        rc = subd_fail(err, SUBD_EPROTOCOL, "the server's list of leases cannot be read");
    else if (!(list->leases = calloc((size_t)cJSON_GetArraySize(rows) + 1, sizeof *list->leases)))
        rc = subd_fail(err, SUBD_ENO_MEMORY, "no memory for a list of leases");
    else
        cJSON_ArrayForEach(row, rows) read_lease(row, &list->leases[list->n++]);
    cJSON_Delete(o);
    return rc;
}

/* Sends a JSON body that was written into `body`. */
static int send_json(subd_client *c, struct subd_request *q, struct subd_text *body, struct subd_error *err)
{
    if (body->failed) {
        free(body->data);
        free(q->path.data);
        return subd_fail(err, SUBD_ENO_MEMORY, "no memory for a request");
    }
    q->accept = "application/json";
    q->owned = body->data;
    q->body = (struct subd_body){"application/json", body->data, body->bytes};
    return subd_request_start(c, q, err);
}

static int check_seconds(int64_t seconds, struct subd_error *err)
{
    return seconds >= 0 ? SUBD_OK : subd_fail(err, SUBD_EUSAGE, "%lld is no number of seconds", (long long)seconds);
}

int subd_lease_take(subd_client *c, const char *id, int64_t seconds, const int32_t *faces, int64_t n_faces,
                    const char *client, struct subd_lease *out, struct subd_error *err)
{
    struct subd_request q = {.method = "POST", .finish = finish_lease, .out = out};
    struct subd_text body = {0};
    int rc;
    if ((rc = SUBD_NEED(err, c, id, out)) || (rc = check_seconds(seconds, err)))
        return rc;
    memset(out, 0, sizeof *out);
    if (n_faces < 0 || n_faces > MAX_FACES || (n_faces && !faces))
        return subd_fail(err, SUBD_EUSAGE, "%lld is no number of faces, or there are none", (long long)n_faces);
    cJSON *o = cJSON_CreateObject(), *list = n_faces ? cJSON_CreateIntArray(faces, (int)n_faces) : NULL;
    if (seconds)
        cJSON_AddNumberToObject(o, "seconds", (double)seconds);
    if (client)
        cJSON_AddStringToObject(o, "client", client);
    if (list)
        cJSON_AddItemToObject(o, "faces", list);
    char *text = cJSON_PrintUnformatted(o);
    if (text && (list || !n_faces))
        subd_text_add(&body, "%s", text);
    else
        body.failed = 1;
    cJSON_free(text);
    cJSON_Delete(o);
    subd_text_mesh_path(&q.path, id, "/leases");
    return send_json(c, &q, &body, err);
}

static void lease_path(struct subd_text *path, const char *id, const char *lease)
{
    subd_text_mesh_path(path, id, "/leases/");
    subd_text_escape(path, lease);
}

int subd_lease_renew(subd_client *c, const char *id, const char *lease, int64_t seconds, struct subd_lease *out,
                     struct subd_error *err)
{
    struct subd_request q = {.method = "PUT", .finish = finish_lease, .out = out};
    struct subd_text body = {0};
    int rc;
    if ((rc = SUBD_NEED(err, c, id, lease)) || (rc = check_seconds(seconds, err)))
        return rc;
    if (seconds)
        subd_text_add(&body, "{\"seconds\":%lld}", (long long)seconds);
    else
        subd_text_add(&body, "{}");
    lease_path(&q.path, id, lease);
    return send_json(c, &q, &body, err);
}

int subd_lease_end(subd_client *c, const char *id, const char *lease, struct subd_error *err)
{
    struct subd_request q = {.method = "DELETE"};
    int rc = SUBD_NEED(err, c, id, lease);
    if (rc != SUBD_OK)
        return rc;
    lease_path(&q.path, id, lease);
    return subd_request_start(c, &q, err);
}

int subd_leases(subd_client *c, const char *id, struct subd_lease_list *out, struct subd_error *err)
{
    struct subd_request q = {.method = "GET", .accept = "application/json", .finish = finish_list, .out = out};
    int rc = SUBD_NEED(err, c, id, out);
    if (rc != SUBD_OK)
        return rc;
    memset(out, 0, sizeof *out);
    subd_text_mesh_path(&q.path, id, "/leases");
    return subd_request_start(c, &q, err);
}

void subd_lease_list_free(struct subd_lease_list *list)
{
    if (!list)
        return;
    free(list->leases);
    memset(list, 0, sizeof *list);
}

int subd_presence_set(subd_client *c, const char *id, const char *client, int64_t seconds, const char *json,
                      struct subd_error *err)
{
    struct subd_request q = {.method = "PUT"};
    struct subd_text body = {0};
    char number[24];
    int rc;
    if ((rc = SUBD_NEED(err, c, id, client, json)) || (rc = check_seconds(seconds, err)))
        return rc;
    snprintf(number, sizeof number, "%lld", (long long)seconds);
    subd_text_add(&body, "%s", json);
    subd_text_mesh_path(&q.path, id, "/presence");
    subd_text_query(&q.path, "client", client);
    subd_text_query(&q.path, "seconds", seconds ? number : NULL);
    return send_json(c, &q, &body, err);
}
