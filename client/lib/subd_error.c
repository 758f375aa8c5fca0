/* SPDX-License-Identifier: Apache-2.0 */
/* subd_error.c: fills the error record, from a sentence or from the server's problem document (RFC 9457) in JSON or
 * protobuf. All other files of the library report errors through it. */
#include "subd_internal.h"
#include "subdd.pb-c.h"
#include <cjson/cJSON.h>
#include <stdio.h>
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
    Subdd__V1__Problem *p = subdd__v1__problem__unpack(NULL, bytes, (const uint8_t *)body);
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
    subdd__v1__problem__free_unpacked(p, NULL);
    return 1;
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
