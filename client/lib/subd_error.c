/* SPDX-License-Identifier: Apache-2.0 */
/* subd_error.c: fills the error record, from a sentence or from the server's problem document (RFC 9457) in JSON or
 * protobuf. All other files of the library report errors through it. */
#include "subd_internal.h"
#include "subdd.pb-c.h"
#include <cjson/cJSON.h>
#include <limits.h>
#include <stdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int subd_fail(struct subd_error *err, int code, const char *format, ...)
{
    va_list args;
    if (!err)
        return code;
    memset(err, 0, sizeof *err);
    err->code = code;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    return code;
}

int subd_fail_stranger(const subd_client *c, struct subd_error *err)
{
    return subd_fail(err, SUBD_EPROTOCOL, "the server at %.160s answered (status %d, %.60s) as no subdd does",
                     c->server, c->call.status, *c->call.media_type ? c->call.media_type : "no media type");
}

void subd_copy_text(char *to, size_t room, const char *from)
{
    size_t n = 0;
    for (; from && from[n] && n + 1 < room; n++) {
        unsigned char c = (unsigned char)from[n];
        to[n] = c < 32 || c == 127 || (c == 0xC2 && (unsigned char)(from[n + 1] - 0x80) < 32) ? '?' : from[n];
    }
    to[n] = 0;
}

const char *subd_code_name(int code)
{
    switch (code) {
    case SUBD_OK: return "ok";
    case SUBD_PENDING: return "pending";
    case SUBD_UNCHANGED: return "unchanged";
    case SUBD_EUSAGE: return "usage";
    case SUBD_ENETWORK: return "network";
    case SUBD_ETIMEOUT: return "timeout";
    case SUBD_EHTTP: return "http";
    case SUBD_EPROTOCOL: return "protocol";
    case SUBD_EDIGEST: return "digest";
    case SUBD_ECANCELLED: return "cancelled";
    case SUBD_ENO_MEMORY: return "no_memory";
    default: return "unknown";
    }
}

static const char *text_of(const cJSON *o, const char *key)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(o, key));
}

/* Reads numbers and strings alike, as ProtoJSON writes 64-bit integers as strings. */
static int64_t integer_of(const cJSON *o, const char *key)
{
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(o, key);
    if (cJSON_IsString(v))
        return strtoll(v->valuestring, NULL, 10);
    return cJSON_IsNumber(v) && v->valuedouble >= -9e15 && v->valuedouble <= 9e15 ? (int64_t)v->valuedouble : 0;
}

static int decode_json(struct subd_error *err, const char *body, size_t bytes)
{
    cJSON *o = cJSON_ParseWithLength(body, bytes);
    const char *detail = text_of(o, "detail");
    int ok = cJSON_IsObject(o);
    if (ok) {
        subd_copy_text(err->text, sizeof err->text, detail ? detail : text_of(o, "title"));
        subd_copy_text(err->problem, sizeof err->problem, text_of(o, "code"));
        subd_copy_text(err->field, sizeof err->field, text_of(o, "field"));
        subd_copy_text(err->request_id, sizeof err->request_id, text_of(o, "instance"));
        err->current_version = integer_of(o, "currentVersion");
        err->limit = integer_of(o, "limit");
        err->needed = integer_of(o, "needed");
        err->available = integer_of(o, "available");
        err->retry_after_ms = integer_of(o, "retryAfterMs");
    }
    cJSON_Delete(o);
    return ok;
}

static int decode_protobuf(struct subd_error *err, const char *body, size_t bytes)
{
    struct subd_budget budget;
    ProtobufCAllocator *memory = subd_budget_begin(&budget, bytes);
    Subdd__V1__Problem *p = subdd__v1__problem__unpack(memory, bytes, (const uint8_t *)body);
    if (!p)
        return 0;
    subd_copy_text(err->text, sizeof err->text, *p->detail ? p->detail : p->title);
    subd_copy_text(err->problem, sizeof err->problem, p->code);
    subd_copy_text(err->field, sizeof err->field, p->field);
    subd_copy_text(err->request_id, sizeof err->request_id, p->instance);
    err->current_version = (int64_t)p->current_version;
    err->limit = p->limit;
    err->needed = p->needed;
    err->available = p->available;
    subdd__v1__problem__free_unpacked(p, memory);
    return 1;
}

void subd_prims_free(struct subd_prim *prims, int n)
{
    for (int i = 0; i < n; i++)
        free((char *)(uintptr_t)prims[i].path);
    free(prims);
}

static int add_prim(struct subd_prim *to, const char *path, int64_t vertices, int64_t faces)
{
    *to = (struct subd_prim){path ? strdup(path) : NULL, vertices, faces};
    return to->path != NULL;
}

static struct subd_prim *prims_of_json(const char *body, size_t bytes, int *n)
{
    cJSON *o = cJSON_ParseWithLength(body, bytes);
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(o, "prims"), *row;
    const int size = cJSON_IsArray(list) ? cJSON_GetArraySize(list) : 0;
    struct subd_prim *prims = size ? calloc((size_t)size, sizeof *prims) : NULL;
    for (row = prims ? list->child : NULL; row; row = row->next)
        *n += add_prim(&prims[*n], text_of(row, "path"), integer_of(row, "vertices"), integer_of(row, "faces"));
    cJSON_Delete(o);
    return prims;
}

static struct subd_prim *prims_of_protobuf(const char *body, size_t bytes, int *n)
{
    struct subd_budget budget;
    ProtobufCAllocator *memory = subd_budget_begin(&budget, bytes);
    Subdd__V1__Problem *p = subdd__v1__problem__unpack(memory, bytes, (const uint8_t *)body);
    struct subd_prim *prims = p && p->n_prims ? calloc(p->n_prims, sizeof *prims) : NULL;
    for (size_t i = 0; prims && i < p->n_prims && i < INT_MAX; i++)
        *n += add_prim(&prims[*n], p->prims[i]->path, p->prims[i]->vertices, p->prims[i]->faces);
    subdd__v1__problem__free_unpacked(p, memory);
    return prims;
}

struct subd_prim *subd_decode_prims(const char *media_type, const char *body, size_t bytes, int *n)
{
    *n = 0;
    return strstr(media_type, "json")       ? prims_of_json(body, bytes, n)
           : strstr(media_type, "protobuf") ? prims_of_protobuf(body, bytes, n)
                                            : NULL;
}

int subd_decode_problem(struct subd_error *err, int status, const char *media_type, const char *body, size_t bytes)
{
    memset(err, 0, sizeof *err);
    if (strstr(media_type, "json"))
        decode_json(err, body, bytes);
    else if (strstr(media_type, "protobuf"))
        decode_protobuf(err, body, bytes);
    if (!*err->text)
        snprintf(err->text, sizeof err->text, "the server answered with status %d and said no more", status);
    err->code = SUBD_EHTTP;
    err->http_status = status;
    return SUBD_EHTTP;
}

int subd_failed_problem(struct subd_error *err, int status, const char *json)
{
    struct subd_error own;
    cJSON *o = cJSON_ParseWithLength(json, strlen(json));
    const int told = (int)fmin(fmax(subd_json_number(o, "status"), 0), 999);
    cJSON_Delete(o);
    return subd_decode_problem(err ? err : &own, told ? told : status, "application/json", json, strlen(json));
}

/* ---- the network ------------------------------------------------------------------------------------------------- */

/* A deadline has passed: which one, by how far the call got. */
static int timed_out(subd_client *c, const char *why)
{
    const struct subd_config *k = &c->config;
    curl_off_t total = 0, connected = 0;
    curl_easy_getinfo(c->easy, CURLINFO_TOTAL_TIME_T, &total);
    curl_easy_getinfo(c->easy, CURLINFO_PRETRANSFER_TIME_T, &connected);
    if (k->request_timeout_ms && total >= 1000 * k->request_timeout_ms)
        return subd_fail(c->call.err, SUBD_ETIMEOUT, "%.160s did not answer within the %lld ms of request_timeout_ms",
                         c->server, (long long)k->request_timeout_ms);
    if (!connected)
        return subd_fail(c->call.err, SUBD_ETIMEOUT,
                         "no connection with %.160s within the %lld ms of connect_timeout_ms (%s)", c->server,
                         (long long)k->connect_timeout_ms, why);
    return subd_fail(c->call.err, SUBD_ETIMEOUT, "no byte came from %.160s for the %lld ms of stall_timeout_ms",
                     c->server, (long long)k->stall_timeout_ms);
}

int subd_network_error(subd_client *c, CURLcode cc)
{
    /* A sentence: its beginning, the server, the rest, and curl's own words. */
    static const struct {
        CURLcode cause;
        int code;
        const char *before, *after;
    } causes[] = {
        {CURLE_URL_MALFORMAT, SUBD_EUSAGE, "the server ", " is no URL: it is written http://HOST:PORT"},
        {CURLE_COULDNT_RESOLVE_HOST, SUBD_ENETWORK, "no address is known for the host of ", ": check its name"},
        {CURLE_COULDNT_CONNECT, SUBD_ENETWORK, "cannot reach a subdd at ", ": does it run, and listen there?"},
        {CURLE_PEER_FAILED_VERIFICATION, SUBD_ENETWORK, "the certificate of ",
         " is not trusted: ca_file names a file with its authority"},
        {CURLE_SSL_CACERT_BADFILE, SUBD_EUSAGE, "the ca_file for ", " cannot be read: it holds certificates as PEM"},
        {CURLE_SSL_CONNECT_ERROR, SUBD_ENETWORK, "there is no TLS connection with ", ": does it speak https?"},
        {CURLE_UNSUPPORTED_PROTOCOL, SUBD_EPROTOCOL, "what listens at ", " does not speak HTTP"},
        {CURLE_WEIRD_SERVER_REPLY, SUBD_EPROTOCOL, "the answer of ", " is no sound HTTP"},
        {CURLE_GOT_NOTHING, SUBD_ENETWORK, "the server ", " closed the connection without an answer"},
        {CURLE_PARTIAL_FILE, SUBD_ENETWORK, "the server ", " broke off in the middle of its answer"},
        {CURLE_SEND_ERROR, SUBD_ENETWORK, "the connection to ", " broke while the request was sent"},
        {CURLE_RECV_ERROR, SUBD_ENETWORK, "the connection to ", " broke before the answer was complete"},
    };
    const char *why = *c->curl_text ? c->curl_text : curl_easy_strerror(cc);
    if (cc == CURLE_OPERATION_TIMEDOUT)
        return timed_out(c, why);
    if (cc == CURLE_OUT_OF_MEMORY)
        return subd_fail(c->call.err, SUBD_ENO_MEMORY, "no memory for a request");
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        if (causes[i].cause == cc)
            return subd_fail(c->call.err, causes[i].code, "%s%.120s%s (%.160s)", causes[i].before, c->server,
                             causes[i].after, why);
    return subd_fail(c->call.err, SUBD_ENETWORK, "the exchange with %.120s broke (%.160s)", c->server, why);
}
