/* SPDX-License-Identifier: Apache-2.0 */
/* subd_fields.c: fetches values at vertices, and smooths, for users of libsubd. */
#include "subd_internal.h"
#include <cjson/cJSON.h>
#include <string.h>

#define FIELDS (SUBD_NORMALS | SUBD_GAUSSIAN | SUBD_MEAN | SUBD_GEODESIC)

int subd_fields(subd_client *c, const char *id, const struct subd_fields *r, struct subd_frame *frame,
                struct subd_error *err)
{
    struct subd_fields own;
    struct subd_refine refine;
    struct subd_request q = {.method = "GET", .accept = SUBD_FRAME_MEDIA_TYPE, .frame = frame, .refine = &refine};
    int rc;
    if ((rc = SUBD_NEED(err, c, id, r, frame)) || (rc = SUBD_TAKE(&own, r, subd_fields, err)))
        return rc;
    if (!own.what || own.what & ~(unsigned)FIELDS || own.level < 0 || own.level > SUBD_MAX_LEVEL || own.n_sources < 0 ||
        (own.n_sources && !own.sources))
        return subd_fail(err, SUBD_EUSAGE, "the set of fields %u, level %d or n_sources %lld is out of range", own.what,
                         own.level, (long long)own.n_sources);
    refine =
        (struct subd_refine)SUBD_INIT(subd_refine, .level = own.level, .include = own.what,
                                      .skip_digests = own.skip_digests, .place = own.place, .place_arg = own.place_arg);
    q.if_none_match = own.if_none_match;
    subd_text_mesh_path(&q.path, id, "/fields");
    subd_text_add(&q.path, "?level=%d", own.level);
    const char *separator = "&what=";
    for (int i = 0; i < SUBD_N_KINDS; i++)
        if (own.what & 1u << i) {
            subd_text_add(&q.path, "%s%s", separator, subd_kinds[i].name);
            separator = ",";
        }
    for (int64_t i = 0; i < own.n_sources; i++)
        subd_text_add(&q.path, "%s%lu", i ? "," : "&sources=", (unsigned long)own.sources[i]);
    return subd_request_start(c, &q, err);
}

/* Makes the body of a smoothing, which the request frees, and says its level. */
static int take_smooth(struct subd_request *q, const struct subd_smooth *r, int most_level, int *level,
                       struct subd_error *err)
{
    struct subd_smooth own;
    int rc = SUBD_TAKE(&own, r, subd_smooth, err);
    if (rc != SUBD_OK)
        return rc;
    if (!own.method)
        return subd_fail(err, SUBD_EUSAGE, "the method of smoothing is NULL");
    if (own.level < 0 || own.level > most_level)
        return subd_fail(err, SUBD_EUSAGE, "level %d is out of range; 0 to %d are smoothed, and 0 is stored", own.level,
                         SUBD_MAX_LEVEL);
    *level = own.level;
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "method", own.method);
    cJSON_AddNumberToObject(o, "iterations", own.iterations ? own.iterations : 1);
    cJSON_AddNumberToObject(o, "strength", own.strength != 0 ? own.strength : 0.5);
    cJSON_AddStringToObject(o, "boundary", own.boundary ? own.boundary : "kept");
    char *text = cJSON_PrintUnformatted(o);
    cJSON_Delete(o);
    if (!text)
        return subd_fail(err, SUBD_ENO_MEMORY, "no memory for a request");
    q->owned = text;
    q->body = (struct subd_body){"application/json", text, strlen(text)};
    return SUBD_OK;
}

int subd_smooth(subd_client *c, const char *id, int64_t version, const struct subd_smooth *r, struct subd_frame *frame,
                struct subd_error *err)
{
    struct subd_refine refine = SUBD_INIT(subd_refine, .include = SUBD_POSITIONS);
    struct subd_request q = {
        .method = "POST", .accept = SUBD_FRAME_MEDIA_TYPE, .if_version = version, .frame = frame, .refine = &refine};
    int rc;
    if ((rc = SUBD_NEED(err, c, id, r, frame)) || (rc = subd_check_version(version, err)) ||
        (rc = take_smooth(&q, r, SUBD_MAX_LEVEL, &refine.level, err)))
        return rc;
    subd_text_mesh_path(&q.path, id, "/smooth");
    subd_text_add(&q.path, "?level=%d", refine.level);
    return subd_request_start(c, &q, err);
}

int subd_smooth_store(subd_client *c, const char *id, int64_t version, const struct subd_smooth *r,
                      struct subd_mesh_info *out, struct subd_error *err)
{
    struct subd_request q = {
        .method = "POST", .accept = SUBD_PROTOBUF, .if_version = version, .finish = subd_finish_info, .out = out};
    int rc, level;
    if ((rc = SUBD_NEED(err, c, id, r)) || (rc = subd_check_version(version, err)))
        return rc;
    if (version == 0)
        return subd_fail(err, SUBD_EUSAGE, "a new version is made of one that is named; version is 0");
    if ((rc = take_smooth(&q, r, 0, &level, err)))
        return rc;
    subd_text_mesh_path(&q.path, id, "/smooth");
    subd_text_query(&q.path, "store", "true");
    return subd_request_start(c, &q, err);
}
