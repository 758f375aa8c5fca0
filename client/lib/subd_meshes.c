/* SPDX-License-Identifier: Apache-2.0 */
/* subd_meshes.c: the calls about a whole mesh (push, show, delete, cage) and about the daemon (stat, health). */
#include "subd_history.h"
#include "subd_internal.h"
#include "subdd.pb-c.h"
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

/* Takes r->path and r->owned over, even when it fails. */
static int push(subd_client *c, struct subd_request *r, const struct subd_push *asked, struct subd_mesh_info *out,
                struct subd_error *err)
{
    struct subd_push p;
    int rc = SUBD_TAKE(&p, asked, subd_push, err);
    if (rc != SUBD_OK) {
        free(r->owned);
        return rc;
    }
    r->method = "POST";
    r->accept = SUBD_PROTOBUF;
    r->finish = subd_finish_info;
    r->out = out;
    subd_text_add(&r->path, "/v1/meshes");
    subd_text_query(&r->path, "name", p.name);
    for (int i = 0; i < SUBD_N_OPTIONS; i++)
        subd_text_query(&r->path, subd_option_name((enum subd_option)i), p.options[i]);
    subd_text_query(&r->path, "reorder", p.reorder);
    subd_text_query(&r->path, "prim", p.prim);
    subd_text_query(&r->path, "time", p.time);
    subd_text_query(&r->path, "strict", p.strict ? "true" : NULL);
    r->idempotency_key = p.idempotency_key;
    return subd_request_start(c, r, err);
}

int subd_push(subd_client *c, const struct subd_body *body, const struct subd_push *p, struct subd_mesh_info *out,
              struct subd_error *err)
{
    struct subd_request r = {0};
    int rc;
    if ((rc = SUBD_NEED(err, c, body)) || (rc = subd_take_body(&r.body, body, __func__, err)))
        return rc;
    return push(c, &r, p, out, err);
}

/* Makes a protobuf field borrow an array of n numbers. Returns 0 when the array is missing or passes the 2 GiB of a
 * message. */
static int borrow(ProtobufCBinaryData *field, const void *data, int64_t n)
{
    if (n < 0 || n > INT32_MAX / 4 || (n && !data))
        return 0;
    field->len = (size_t)n * 4;
    field->data = (uint8_t *)(uintptr_t)data; /* protobuf-c has no const, but packing only reads. */
    return 1;
}

int subd_primvar_pack(Subdd__V1__Primvar *to, const struct subd_primvar *from)
{
    subdd__v1__primvar__init(to);
    to->name = (char *)(uintptr_t)(from->name ? from->name : "");
    to->interpolation = (char *)(uintptr_t)(from->interpolation ? from->interpolation : "");
    to->type = (char *)(uintptr_t)(from->type ? from->type : "");
    to->width = (uint32_t)from->width;
    return borrow(&to->values, from->values, from->n_values) && borrow(&to->indices, from->indices, from->n_indices);
}

/* Makes the message borrow the names. Returns 0 when one is missing. */
static int pack_sets(Subdd__V1__Primvar *to, const struct subd_set_names *from)
{
    if (!from || !from->n)
        return 1;
    if (from->n < 0 || !from->names)
        return 0;
    for (int64_t i = 0; i < from->n; i++)
        if (!from->names[i])
            return 0;
    to->set_names = (char **)(uintptr_t)from->names;
    to->n_set_names = (size_t)from->n;
    return 1;
}

static int set_primvars(Subdd__V1__Mesh *w, const struct subd_mesh *m, Subdd__V1__Primvar *primvars,
                        Subdd__V1__Primvar **pointers)
{
    if (m->n_primvars < 0 || m->n_primvars > SUBD_MAX_PRIMVARS || (m->n_primvars && !m->primvars))
        return 0;
    w->n_primvars = (size_t)m->n_primvars;
    w->primvars = pointers;
    for (int i = 0; i < m->n_primvars; i++)
        if (!subd_primvar_pack(pointers[i] = &primvars[i], &m->primvars[i]) ||
            !pack_sets(&primvars[i], m->sets ? &m->sets[i] : NULL))
            return 0;
    return 1;
}

static void pack_stage(Subdd__V1__Mesh *w, const struct subd_mesh *m)
{
    w->up_axis = (char *)(uintptr_t)(m->up_axis ? m->up_axis : "");
    w->meters_per_unit = m->meters_per_unit;
    if (m->transform)
        w->transform = (ProtobufCBinaryData){16 * sizeof(double), (uint8_t *)(uintptr_t)m->transform};
}

/* Makes *w borrow the arrays of a mesh. */
static int pack_mesh(Subdd__V1__Mesh *w, const struct subd_mesh *m, Subdd__V1__Primvar *primvars,
                     Subdd__V1__Primvar **pointers, struct subd_error *err)
{
    subdd__v1__mesh__init(w);
    pack_stage(w, m);
    if (m->n_vertices > INT32_MAX || m->n_uvs > INT32_MAX || !borrow(&w->points, m->points, 3 * m->n_vertices) ||
        !borrow(&w->face_vertex_counts, m->face_counts, m->n_faces) ||
        !borrow(&w->face_vertex_indices, m->face_vertices, m->n_corners) ||
        !borrow(&w->crease_indices, m->crease_indices, m->n_crease_indices) ||
        !borrow(&w->crease_lengths, m->crease_lengths, m->n_creases) ||
        !borrow(&w->crease_sharpnesses, m->crease_sharpnesses, m->n_crease_sharpnesses) ||
        !borrow(&w->corner_indices, m->corner_vertices, m->n_corner_tags) ||
        !borrow(&w->corner_sharpnesses, m->corner_sharpnesses, m->n_corner_tags) ||
        !borrow(&w->hole_indices, m->hole_faces, m->n_holes) || !borrow(&w->st, m->uvs, 2 * m->n_uvs) ||
        !borrow(&w->st_indices, m->uv_indices, m->n_uvs ? m->n_corners : 0) || !set_primvars(w, m, primvars, pointers))
        return subd_fail(err, SUBD_EUSAGE,
                         "an array of the mesh is missing, or larger than the 2 GiB that a message holds, or there are "
                         "more than %d primvars",
                         SUBD_MAX_PRIMVARS);
    return SUBD_OK;
}

int subd_push_mesh(subd_client *c, const struct subd_mesh *m, const struct subd_push *p, struct subd_mesh_info *out,
                   struct subd_error *err)
{
    Subdd__V1__Mesh w;
    Subdd__V1__Primvar primvars[SUBD_MAX_PRIMVARS], *pointers[SUBD_MAX_PRIMVARS];
    struct subd_request r = {0};
    struct subd_mesh mesh;
    size_t bytes;
    int rc;
    if ((rc = SUBD_NEED(err, c, m)) || (rc = SUBD_TAKE(&mesh, m, subd_mesh, err)) ||
        (rc = pack_mesh(&w, &mesh, primvars, pointers, err)))
        return rc;
    bytes = subdd__v1__mesh__get_packed_size(&w);
    if (bytes > INT32_MAX)
        return subd_fail(err, SUBD_EUSAGE, "the mesh has %zu bytes, above the 2 GiB that a message holds", bytes);
    if (!(r.owned = malloc(bytes + 1)))
        return subd_fail(err, SUBD_ENO_MEMORY, "no memory to pack a mesh of %zu bytes", bytes);
    subdd__v1__mesh__pack(&w, r.owned);
    r.body = (struct subd_body){SUBD_PROTOBUF, r.owned, bytes};
    return push(c, &r, p, out, err);
}

int subd_show(subd_client *c, const char *id, struct subd_mesh_info *out, struct subd_error *err)
{
    struct subd_request r = {.method = "GET", .accept = SUBD_PROTOBUF, .finish = subd_finish_info, .out = out};
    int rc = SUBD_NEED(err, c, id, out);
    if (rc != SUBD_OK)
        return rc;
    subd_text_mesh_path(&r.path, id, "");
    return subd_request_start(c, &r, err);
}

static int finish_gone(subd_client *c, void *out, struct subd_error *err)
{
    (void)out;
    return c->call.status == 204 ? SUBD_OK : subd_fail_stranger(c, err);
}

int subd_delete(subd_client *c, const char *id, int64_t version, struct subd_error *err)
{
    struct subd_request r = {.method = "DELETE", .accept = SUBD_PROTOBUF, .if_version = version, .finish = finish_gone};
    int rc;
    if ((rc = SUBD_NEED(err, c, id)) || (rc = subd_check_version(version, err)))
        return rc;
    subd_text_mesh_path(&r.path, id, "");
    return subd_request_start(c, &r, err);
}

/* Hands the answer itself over to the caller. */
static int finish_text(subd_client *c, void *out, struct subd_error *err)
{
    char **to = out;
    if (!c->call.answer && !(c->call.answer = calloc(1, 1)))
        return subd_fail(err, SUBD_ENO_MEMORY, "no memory for an answer");
    *to = c->call.answer;
    if (c->call.out_bytes)
        *c->call.out_bytes = c->call.answer_bytes;
    c->call.answer = NULL;
    return SUBD_OK;
}

static int is_json(const subd_client *c)
{
    return strcmp(c->call.media_type, "application/json") == 0;
}

static int finish_cage(subd_client *c, void *out, struct subd_error *err)
{
    const char *type = c->call.media_type;
    int ours = strcmp(type, "model/obj") == 0 || strcmp(type, "model/vnd.usda") == 0 ||
               strcmp(type, SUBD_PROTOBUF) == 0 || is_json(c);
    return ours ? finish_text(c, out, err) : subd_fail_stranger(c, err);
}

static int finish_stat(subd_client *c, void *out, struct subd_error *err)
{
    return is_json(c) ? finish_text(c, out, err) : subd_fail_stranger(c, err);
}

static int finish_health(subd_client *c, void *out, struct subd_error *err)
{
    cJSON *o = is_json(c) && c->call.answer ? cJSON_ParseWithLength(c->call.answer, c->call.answer_bytes) : NULL;
    int ours = cJSON_IsString(cJSON_GetObjectItemCaseSensitive(o, "status"));
    (void)out;
    cJSON_Delete(o);
    return ours ? SUBD_OK : subd_fail_stranger(c, err);
}

static int fetch_cage(subd_client *c, const char *id, int64_t version, const char *media_type, char **data,
                      size_t *bytes, struct subd_error *err)
{
    struct subd_request r = {
        .method = "GET", .accept = media_type, .finish = finish_cage, .out = data, .out_bytes = bytes, .large = 1};
    *data = NULL;
    *bytes = 0;
    subd_text_mesh_path(&r.path, id, "/cage");
    if (version)
        subd_text_add(&r.path, "?version=%lld", (long long)version);
    return subd_request_start(c, &r, err);
}

int subd_cage(subd_client *c, const char *id, const char *media_type, char **data, size_t *bytes,
              struct subd_error *err)
{
    int rc = SUBD_NEED(err, c, id, media_type, data, bytes);
    return rc ? rc : fetch_cage(c, id, 0, media_type, data, bytes, err);
}

int subd_cage_at(subd_client *c, const char *id, int64_t version, const char *media_type, char **data, size_t *bytes,
                 struct subd_error *err)
{
    int rc = SUBD_NEED(err, c, id, media_type, data, bytes);
    rc = rc ? rc : subd_check_version(version, err);
    return rc ? rc : fetch_cage(c, id, version, media_type, data, bytes, err);
}

int subd_stat(subd_client *c, char **json, struct subd_error *err)
{
    struct subd_request r = {.method = "GET", .accept = "application/json", .finish = finish_stat, .out = json};
    int rc = SUBD_NEED(err, c, json);
    if (rc != SUBD_OK)
        return rc;
    *json = NULL;
    subd_text_add(&r.path, "/v1");
    return subd_request_start(c, &r, err);
}

int subd_health(subd_client *c, int ready, struct subd_error *err)
{
    struct subd_request r = {.method = "GET", .accept = "application/json", .finish = finish_health};
    int rc = SUBD_NEED(err, c);
    if (rc != SUBD_OK)
        return rc;
    subd_text_add(&r.path, "/v1/health/%s", ready ? "ready" : "live");
    return subd_request_start(c, &r, err);
}
