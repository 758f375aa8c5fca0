/* SPDX-License-Identifier: Apache-2.0 */
/* subd_refine.c: the calls that fetch refined frames, their plans (what a refine will cost) and matrices. */
#include "subd_internal.h"
#include <cjson/cJSON.h>
#include <string.h>

/* Adds the query parameter `name`, with the names of the blocks as its value. */
static void add_blocks(struct subd_text *t, const char *name, unsigned blocks)
{
    const char *separator = "";
    subd_text_add(t, "&%s=", name);
    for (int i = 0; i < SUBD_N_KINDS; i++) {
        if (!(blocks & 1u << i))
            continue;
        subd_text_add(t, "%s%s", separator, subd_kinds[i].name);
        separator = ",";
    }
}

int subd_refine_take(struct subd_refine *r, const struct subd_refine *asked, struct subd_text *t, const char *id,
                     const char *leaf, struct subd_error *err)
{
    int rc = SUBD_TAKE(r, asked, subd_refine, err);
    if (rc != SUBD_OK)
        return rc;
    unsigned include = r->include ? r->include : SUBD_POSITIONS | SUBD_INDICES;
    if (include & SUBD_NORMAL_INDICES)
        r->include = include |= SUBD_NORMALS;
    if (r->level < 1 || r->level > SUBD_MAX_LEVEL || include & ~(unsigned)SUBD_REFINE_BLOCKS)
        return subd_fail(err, SUBD_EUSAGE, "level %d or the set of blocks %u is out of range", r->level, include);
    if (r->at < 0)
        return subd_fail(err, SUBD_EUSAGE, "%lld is no version", (long long)r->at);
    if (r->compact & ~(include & SUBD_COMPACT_BLOCKS))
        return subd_fail(err, SUBD_EUSAGE, "positions, normals and UVs that are asked for can be compact, not %u",
                         r->compact);
    subd_text_mesh_path(t, id, leaf);
    subd_text_add(t, "?level=%d", r->level);
    add_blocks(t, "include", include & ~(unsigned)SUBD_NORMAL_INDICES);
    subd_text_query(t, "normals", include & SUBD_NORMAL_INDICES ? "split" : NULL);
    if (r->compact)
        add_blocks(t, "compact", r->compact);
    subd_text_query(t, "primvars", r->primvars && *r->primvars ? r->primvars : NULL);
    subd_text_query(t, "surface", r->surface);
    subd_text_query(t, "method", r->method);
    if (r->at)
        subd_text_add(t, "&version=%lld", (long long)r->at);
    return SUBD_OK;
}

int subd_refine(subd_client *c, const char *id, const struct subd_refine *r, struct subd_frame *frame,
                struct subd_error *err)
{
    struct subd_refine own;
    struct subd_request q = {.method = "GET", .accept = SUBD_FRAME_MEDIA_TYPE, .frame = frame, .refine = &own};
    int rc;
    if ((rc = SUBD_NEED(err, c, id, r, frame)) || (rc = subd_refine_take(&own, r, &q.path, id, "/refined", err)))
        return rc;
    q.if_none_match = own.if_none_match;
    return subd_request_start(c, &q, err);
}

int subd_refine_pose_body(subd_client *c, const char *id, int64_t version, const struct subd_body *body,
                          const struct subd_refine *r, struct subd_frame *frame, struct subd_error *err)
{
    struct subd_refine own;
    struct subd_request q = {
        .method = "POST", .accept = SUBD_FRAME_MEDIA_TYPE, .if_version = version, .frame = frame, .refine = &own};
    int rc;
    if ((rc = SUBD_NEED(err, c, id, body, r, frame)) || (rc = subd_check_version(version, err)) ||
        (rc = subd_take_body(&q.body, body, __func__, err)) ||
        (rc = subd_refine_take(&own, r, &q.path, id, "/refined", err)))
        return rc;
    return subd_request_start(c, &q, err);
}

int subd_refine_pose(subd_client *c, const char *id, int64_t version, const float *points, int64_t n_vertices,
                     const struct subd_refine *r, struct subd_frame *frame, struct subd_error *err)
{
    struct subd_body body;
    int rc;
    if ((rc = SUBD_NEED(err, c, id, points, r, frame)) || (rc = subd_points_body(&body, points, n_vertices, err)))
        return rc;
    return subd_refine_pose_body(c, id, version, &body, r, frame, err);
}

int subd_matrix(subd_client *c, const char *id, const struct subd_matrix *r, struct subd_error *err)
{
    struct subd_matrix own;
    struct subd_request q = {.method = "GET", .accept = "text/plain", .matrix = &own};
    int rc;
    if ((rc = SUBD_NEED(err, c, id, r)) || (rc = SUBD_TAKE(&own, r, subd_matrix, err)))
        return rc;
    if (own.level < 1 || own.level > SUBD_MAX_LEVEL || !own.sink)
        return subd_fail(err, SUBD_EUSAGE, "level %d is out of range, or there is no sink", own.level);
    subd_text_mesh_path(&q.path, id, "/matrix");
    subd_text_add(&q.path, "?level=%d", own.level);
    subd_text_query(&q.path, "surface", own.surface);
    subd_text_query(&q.path, "what", own.what);
    return subd_request_start(c, &q, err);
}

/* ---- plan, which the server has only as JSON -------------------------------------------------------------------- */

static void read_blocks(struct subd_plan *p, const cJSON *blocks)
{
    const cJSON *b;
    cJSON_ArrayForEach(b, blocks)
    {
        const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(b, "semantic"));
        struct subd_block *to = &p->blocks[p->n_blocks];
        if (p->n_blocks == SUBD_MAX_BLOCKS)
            return;
        for (int i = 0; name && i < SUBD_N_KINDS; i++)
            if (strcmp(subd_kinds[i].name, name) == 0)
                to->semantic = 1 << i;
        to->components = (int)(subd_json_count(b, "components") & 0x1FF);
        to->count = subd_json_count(b, "count");
        to->bytes = subd_json_count(b, "bytes");
        subd_json_copy(to->name, sizeof to->name, b, "name");
        subd_json_copy(to->interpolation, sizeof to->interpolation, b, "interpolation");
        subd_json_copy(to->type, sizeof to->type, b, "type");
        p->n_blocks += to->semantic != 0;
    }
}

static int finish_plan(subd_client *c, void *out, struct subd_error *err)
{
    struct subd_plan *p = out;
    cJSON *o = c->call.answer ? cJSON_ParseWithLength(c->call.answer, c->call.answer_bytes) : NULL;
    if (!cJSON_IsObject(o)) {
        cJSON_Delete(o);
        return subd_fail(err, SUBD_EPROTOCOL, "the server's plan cannot be read");
    }
    subd_copy_text(p->method, sizeof p->method, cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(o, "method")));
    p->level = (int)(subd_json_count(o, "level") & 0x1F);
    p->vertices = subd_json_count(o, "vertices");
    p->faces = subd_json_count(o, "faces");
    p->edges = subd_json_count(o, "edges");
    p->frame_bytes = subd_json_count(o, "frameBytes");
    p->device_bytes = subd_json_count(o, "deviceBytes");
    p->host_bytes = subd_json_count(o, "hostBytes");
    p->available_device_bytes = subd_json_count(o, "availableDeviceBytes");
    p->estimated_ms = subd_json_number(o, "estimatedMs");
    p->fits = !cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(o, "fits"));
    p->needed = subd_json_count(o, "needed");
    p->limit = subd_json_count(o, "limit");
    read_blocks(p, cJSON_GetObjectItemCaseSensitive(o, "blocks"));
    cJSON_Delete(o);
    return SUBD_OK;
}

int subd_get_plan(subd_client *c, const char *id, const struct subd_refine *r, struct subd_plan *out,
                  struct subd_error *err)
{
    struct subd_request q = {.method = "GET", .accept = "application/json", .finish = finish_plan, .out = out};
    struct subd_refine own;
    int rc = SUBD_NEED(err, c, id, r, out);
    if (rc != SUBD_OK)
        return rc;
    memset(out, 0, sizeof *out);
    rc = subd_refine_take(&own, r, &q.path, id, "/plan", err);
    return rc == SUBD_OK ? subd_request_start(c, &q, err) : rc;
}
