/* SPDX-License-Identifier: Apache-2.0 */
/* subd_info.c: reads the protobuf answers that describe meshes, for the calls that return a mesh, a list of meshes or
 * the result of edits. */
#include "subd_internal.h"
#include "subdd.pb-c.h"
#include <stdlib.h>
#include <string.h>

static int copy_primvars(struct subd_mesh_info *to, const Subdd__V1__MeshInfo *from)
{
    if (from->n_primvars > SUBD_MAX_PRIMVARS)
        return SUBD_EPROTOCOL;
    to->n_primvars = (int)from->n_primvars;
    for (int i = 0; i < to->n_primvars; i++) {
        const Subdd__V1__PrimvarInfo *p = from->primvars[i];
        struct subd_primvar_info *q = &to->primvars[i];
        if (p->width > INT32_MAX || p->values > INT64_MAX || p->sets > INT64_MAX)
            return SUBD_EPROTOCOL;
        subd_copy_text(q->name, sizeof q->name, p->name);
        subd_copy_text(q->interpolation, sizeof q->interpolation, p->interpolation);
        subd_copy_text(q->type, sizeof q->type, p->type);
        q->width = (int)p->width;
        q->values = (int64_t)p->values;
        q->sets = (int64_t)p->sets;
    }
    return SUBD_OK;
}

int subd_info_copy(struct subd_mesh_info *to, const Subdd__V1__MeshInfo *from)
{
    const Subdd__V1__Options *o = from->options;
    memset(to, 0, sizeof *to);
    if (from->vertices > INT64_MAX || from->faces > INT64_MAX || from->corners > INT64_MAX || from->edges > INT64_MAX ||
        from->uvs > INT64_MAX || from->version > INT64_MAX || from->device_bytes > INT64_MAX ||
        from->host_bytes > INT64_MAX || from->bandwidth_before > INT64_MAX || from->bandwidth_after > INT64_MAX ||
        strlen(from->id) >= sizeof to->id || !*from->id)
        return SUBD_EPROTOCOL;
    subd_copy_text(to->id, sizeof to->id, from->id);
    subd_copy_text(to->name, sizeof to->name, from->name);
    subd_copy_text(to->topology_id, sizeof to->topology_id, from->topology_id);
    subd_copy_text(to->residency, sizeof to->residency, from->residency);
    subd_copy_text(to->created, sizeof to->created, from->created);
    subd_copy_text(to->updated, sizeof to->updated, from->updated);
    if (o) {
        const char *tokens[SUBD_N_OPTIONS] = {
            o->subdivision_scheme,        o->interpolate_boundary, o->face_varying_linear_interpolation,
            o->triangle_subdivision_rule, o->crease_method,        o->orientation};
        for (int i = 0; i < SUBD_N_OPTIONS; i++)
            subd_copy_text(to->options[i], sizeof to->options[i], tokens[i]);
    }
    subd_copy_text(to->up_axis, sizeof to->up_axis, from->up_axis);
    to->meters_per_unit = from->meters_per_unit;
    to->version = (int64_t)from->version;
    to->vertices = (int64_t)from->vertices;
    to->faces = (int64_t)from->faces;
    to->corners = (int64_t)from->corners;
    to->edges = (int64_t)from->edges;
    to->uvs = (int64_t)from->uvs;
    to->manifold = from->manifold;
    to->quarantined = from->quarantined;
    to->pinned = from->pinned;
    to->device_bytes = (int64_t)from->device_bytes;
    to->host_bytes = (int64_t)from->host_bytes;
    to->bandwidth_before = (int64_t)from->bandwidth_before;
    to->bandwidth_after = (int64_t)from->bandwidth_after;
    return copy_primvars(to, from);
}

int subd_is_protobuf(const subd_client *c)
{
    return strcmp(c->call.media_type, SUBD_PROTOBUF) == 0 || strcmp(c->call.media_type, "application/x-protobuf") == 0;
}

static int unreadable(const subd_client *c, struct subd_error *err)
{
    return subd_is_protobuf(c) ? subd_fail(err, SUBD_EPROTOCOL, "the server's answer cannot be read")
                               : subd_fail_stranger(c, err);
}

int subd_finish_info(subd_client *c, void *out, struct subd_error *err)
{
    Subdd__V1__MeshInfo *m = subd_is_protobuf(c)
                                 ? subdd__v1__mesh_info__unpack(NULL, c->call.answer_bytes, (uint8_t *)c->call.answer)
                                 : NULL;
    struct subd_mesh_info info;
    int rc = m ? subd_info_copy(&info, m) : SUBD_EPROTOCOL;
    if (rc == SUBD_OK && m->n_warnings) { /* The headers may have the first of them alone. */
        c->n_warnings = 0;
        for (size_t i = 0; i < m->n_warnings && c->n_warnings < SUBD_MAX_WARNINGS; i++)
            subd_copy_text(c->warnings[c->n_warnings++], sizeof *c->warnings, m->warnings[i]);
    }
    subdd__v1__mesh_info__free_unpacked(m, NULL);
    if (rc != SUBD_OK)
        return unreadable(c, err);
    if (out)
        *(struct subd_mesh_info *)out = info;
    return SUBD_OK;
}

int subd_finish_list(subd_client *c, void *out, struct subd_error *err)
{
    struct subd_mesh_list *l = out;
    Subdd__V1__MeshList *m = subd_is_protobuf(c)
                                 ? subdd__v1__mesh_list__unpack(NULL, c->call.answer_bytes, (uint8_t *)c->call.answer)
                                 : NULL;
    int rc = SUBD_OK;
    if (!m)
        return unreadable(c, err);
    if (m->n_meshes && !(l->meshes = calloc(m->n_meshes, sizeof *l->meshes)))
        rc = subd_fail(err, SUBD_ENO_MEMORY, "no memory for a list of %zu meshes", m->n_meshes);
    for (size_t i = 0; i < m->n_meshes && rc == SUBD_OK; i++, l->n++)
        if ((rc = subd_info_copy(&l->meshes[i], m->meshes[i])) != SUBD_OK)
            unreadable(c, err);
    subd_copy_text(l->next, sizeof l->next, m->next);
    subdd__v1__mesh_list__free_unpacked(m, NULL);
    if (rc != SUBD_OK)
        subd_mesh_list_free(l);
    return rc;
}

int subd_list(subd_client *c, const char *after, int limit, struct subd_mesh_list *out, struct subd_error *err)
{
    int rc = SUBD_NEED(err, c, out);
    return rc == SUBD_OK ? subd_list_named(c, NULL, after, limit, out, err) : rc;
}

void subd_mesh_list_free(struct subd_mesh_list *l)
{
    if (!l)
        return;
    free(l->meshes);
    memset(l, 0, sizeof *l);
}

/* Copies an array of ids out of its bytes, which must be whole int32s. */
static int copy_ids(const ProtobufCBinaryData *from, int32_t **to, int64_t *n)
{
    if (from->len % sizeof(int32_t) != 0)
        return SUBD_EPROTOCOL;
    if (!(*to = malloc(from->len ? from->len : 1)))
        return SUBD_ENO_MEMORY;
    if (from->len)
        memcpy(*to, from->data, from->len);
    *n = (int64_t)(from->len / sizeof(int32_t));
    return SUBD_OK;
}

int subd_finish_edit(subd_client *c, void *out, struct subd_error *err)
{
    struct subd_edit_result *r = out, ignored = {0};
    Subdd__V1__EditResult *m =
        subd_is_protobuf(c) ? subdd__v1__edit_result__unpack(NULL, c->call.answer_bytes, (uint8_t *)c->call.answer)
                            : NULL;
    int rc = m && m->mesh ? SUBD_OK : SUBD_EPROTOCOL;
    if (!r)
        r = &ignored;
    if (rc == SUBD_OK)
        rc = subd_info_copy(&r->mesh, m->mesh);
    if (rc == SUBD_OK)
        rc = copy_ids(&m->new_vertex_ids, &r->new_vertex_ids, &r->n_new_vertices);
    if (rc == SUBD_OK)
        rc = copy_ids(&m->new_face_ids, &r->new_face_ids, &r->n_new_faces);
    if (rc == SUBD_OK)
        r->passed_over = (int64_t)m->n_passed_over;
    subdd__v1__edit_result__free_unpacked(m, NULL);
    if (rc != SUBD_OK || r == &ignored)
        subd_edit_result_free(r);
    return rc == SUBD_OK          ? SUBD_OK
           : rc == SUBD_EPROTOCOL ? unreadable(c, err)
                                  : subd_fail(err, rc, "no memory for the new ids");
}

void subd_edit_result_free(struct subd_edit_result *r)
{
    if (!r)
        return;
    free(r->new_vertex_ids);
    free(r->new_face_ids);
    memset(r, 0, sizeof *r);
}
