/* SPDX-License-Identifier: Apache-2.0 */
/* proto.c: reads and writes protobuf bodies for the routes that take or answer meshes, positions and edits. Arrays are
 * `bytes` fields of little-endian words, so nothing is converted. */
#include "server/mesh/formats/codec.h"
#include "server/base/chars.h"
#include "server/mesh/encode.h"
#include "server/mesh/formats/proto.h"
#include "server/mesh/formats/wire_scan.h"
#include "subdd.pb-c.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A decoder may use this much more than 4 times the body, so that small bodies have room, and the many small objects
 * that names of face sets become. */
#define ARENA_SLACK (12 << 20)

/* Scans and unpacks a body. The message lives in *arena, which the caller frees, also on failure. Returns NULL with the
 * error in *rc. */
static void *unpack(const ProtobufCMessageDescriptor *type, const void *body, size_t bytes, struct arena **arena,
                    int *rc, struct sdd_error *err)
{
    int64_t cap = 0;
    *rc = bytes ? wire_scan(type, body, bytes, err) : sdd_fail(err, SDD_EMALFORMED, "body", "the body is empty");
    if (*rc)
        return NULL;
    if (bytes > INT64_MAX || !size_mul((int64_t)bytes, 4, &cap) || !size_add(cap, ARENA_SLACK, &cap)) {
        *rc = sdd_fail(err, SDD_ETOO_LARGE, "body", "the body is too large");
        return NULL;
    }
    *arena = arena_create(cap);
    void *message = *arena ? protobuf_c_message_unpack(type, arena_allocator(*arena), bytes, body) : NULL;
    if (!*arena)
        *rc = sdd_fail(err, SDD_ENO_MEMORY, "", "no memory");
    else if (!message)
        *rc = arena_failed(*arena) ? arena_fail(*arena, "the unpacked body", err)
                                   : sdd_fail(err, SDD_EMALFORMED, "body", "the body is no %s", type->short_name);
    return message;
}

static int words(ProtobufCBinaryData b, const char *field, const void **v, int64_t *n, struct sdd_error *err)
{
    *v = b.data;
    *n = (int64_t)(b.len / 4);
    if (b.len % 4 == 0)
        return SDD_OK;
    return sdd_fail(err, SDD_EMESH, field, "%s has %zu bytes, which is no multiple of 4", field, b.len);
}
static int i32_words(ProtobufCBinaryData b, const char *field, struct i32s *out, struct sdd_error *err)
{
    return words(b, field, (const void **)&out->v, &out->n, err);
}
static int f32_words(ProtobufCBinaryData b, const char *field, struct f32s *out, struct sdd_error *err)
{
    return words(b, field, (const void **)&out->v, &out->n, err);
}

static int set_options(const Subdd__V1__Options *from, struct sdd_options *o, struct sdd_error *err)
{
    if (!from)
        return SDD_OK;
    const struct {
        const char *name, *token;
    } given[] = {
        {"subdivisionScheme", from->subdivision_scheme},
        {"interpolateBoundary", from->interpolate_boundary},
        {"faceVaryingLinearInterpolation", from->face_varying_linear_interpolation},
        {"triangleSubdivisionRule", from->triangle_subdivision_rule},
        {"creaseMethod", from->crease_method},
        {"orientation", from->orientation},
    };
    int rc = SDD_OK;
    for (size_t i = 0; i < sizeof given / sizeof *given && !rc; i++)
        if (given[i].token[0])
            rc = mesh_option_set(o, given[i].name, given[i].token, err);
    return rc;
}

/* Writes the names one after the other. */
static int join(char *const *names, size_t n, struct arena *arena, struct set_names *out, struct sdd_error *err)
{
    int64_t bytes = 0;
    for (size_t i = 0; i < n; i++)
        bytes += (int64_t)strlen(names[i]) + 1;
    char *to = n ? arena_array(arena, bytes, 1) : NULL;
    if (n && !to)
        return arena_fail(arena, "set_names", err);
    *out = (struct set_names){to, (int64_t)n, bytes};
    for (size_t i = 0; i < n; i++)
        to = stpcpy(to, names[i]) + 1;
    return SDD_OK;
}

/* Fills *out with a primvar, whose arrays are borrowed from the message. */
static int author(const Subdd__V1__Primvar *from, const char *where, struct arena *arena, struct primvar_array *out,
                  struct sdd_error *err)
{
    char field[PRIMVAR_WHERE_SIZE + 24];
    int rc =
        primvar_author(out, where, from->name, from->interpolation, from->type, from->width ? from->width : 1, err);
    (void)snprintf(field, sizeof field, "%s.values", where);
    if (!rc)
        rc = words(from->values, field, &out->values, &out->n_words, err);
    (void)snprintf(field, sizeof field, "%s.indices", where);
    if (!rc)
        rc = i32_words(from->indices, field, &out->indices, err);
    return rc ? rc : join(from->set_names, from->n_set_names, arena, &out->sets, err);
}

static int set_primvars(const Subdd__V1__Mesh *from, struct arena *arena, struct mesh_arrays *a, struct sdd_error *err)
{
    char where[PRIMVAR_WHERE_SIZE], kind[PRIMVAR_NAME_SIZE + 8];
    struct sdd_error why = {0};
    int rc = primvars_count((int64_t)from->n_primvars, err);
    for (size_t i = 0; i < from->n_primvars && !rc; i++) {
        (void)snprintf(where, sizeof where, "primvars[%zu]", i);
        (void)snprintf(kind, sizeof kind, "primvar %.63s", from->primvars[i]->name);
        int bad = author(from->primvars[i], where, arena, &a->primvars[a->n_primvars], &why);
        a->n_primvars += !bad;
        rc = losses_take(a->losses, bad, &why, kind, "the primvar is left out", err);
    }
    return rc;
}

static int set_uvs(const Subdd__V1__Mesh *from, struct mesh_arrays *a, struct sdd_error *err)
{
    struct sdd_error why = {0};
    int bad = f32_words(from->st, "st", &a->uvs, &why);
    if (!bad)
        bad = i32_words(from->st_indices, "st_indices", &a->uv_indices, &why);
    if (bad)
        a->uvs.n = a->uv_indices.n = 0;
    return losses_take(a->losses, bad, &why, "st", "the UVs are left out", err);
}

static int set_stage(const Subdd__V1__Mesh *from, struct mesh_arrays *a, struct sdd_error *err)
{
    struct mesh_stage *s = &a->stage;
    struct sdd_error why = {0};
    int bad = SDD_OK, rc = mesh_up_axis_set(from->up_axis, &s->up_axis, a->losses, err);
    if (rc)
        return rc;
    s->meters_per_unit = from->meters_per_unit;
    s->has_transform = from->transform.len == sizeof s->transform;
    if (s->has_transform)
        memcpy(s->transform, from->transform.data, sizeof s->transform);
    else if (from->transform.len)
        bad = sdd_fail(&why, SDD_EMESH, "transform", "transform has %zu bytes; it is %zu, or empty",
                       from->transform.len, sizeof s->transform);
    return losses_take(a->losses, bad, &why, "transform", "it is left out", err);
}

static int build(const Subdd__V1__Mesh *from, struct arena *arena, struct mesh **out, struct losses *losses,
                 struct sdd_error *err)
{
    struct mesh_arrays a = {.losses = losses};
    /* A downloaded mesh has vertex_ids and face_ids. They are ignored, because a new mesh numbers its own elements. */
    int rc = from->name[0] ? mesh_name_check(from->name, err) : SDD_OK;
    if (!rc)
        rc = set_options(from->options, &a.options, err);
    if (!rc)
        rc = f32_words(from->points, "points", &a.points, err);
    if (!rc)
        rc = i32_words(from->face_vertex_counts, "face_vertex_counts", &a.face_counts, err);
    if (!rc)
        rc = i32_words(from->face_vertex_indices, "face_vertex_indices", &a.face_vertices, err);
    if (!rc)
        rc = i32_words(from->crease_indices, "crease_indices", &a.crease_indices, err);
    if (!rc)
        rc = i32_words(from->crease_lengths, "crease_lengths", &a.crease_lengths, err);
    if (!rc)
        rc = f32_words(from->crease_sharpnesses, "crease_sharpnesses", &a.crease_sharpnesses, err);
    if (!rc)
        rc = i32_words(from->corner_indices, "corner_indices", &a.corner_indices, err);
    if (!rc)
        rc = f32_words(from->corner_sharpnesses, "corner_sharpnesses", &a.corner_sharpnesses, err);
    if (!rc)
        rc = i32_words(from->hole_indices, "hole_indices", &a.hole_indices, err);
    if (!rc)
        rc = set_uvs(from, &a, err);
    if (!rc)
        rc = set_primvars(from, arena, &a, err);
    if (!rc)
        rc = set_stage(from, &a, err);
    if (!rc)
        rc = mesh_build(&a, out, err);
    if (!rc)
        memcpy((*out)->name, from->name, strlen(from->name) + 1); /* mesh_name_check has checked its length. */
    return rc;
}

int mesh_from_proto(const void *body, size_t bytes, struct mesh **out, struct losses *losses, struct sdd_error *err)
{
    struct arena *arena = NULL;
    *out = NULL;
    int rc;
    const Subdd__V1__Mesh *m = unpack(&subdd__v1__mesh__descriptor, body, bytes, &arena, &rc, err);
    if (m)
        rc = build(m, arena, out, losses, err);
    arena_free(arena);
    return rc;
}

int positions_from_proto(const void *body, size_t bytes, struct positions **out, struct sdd_error *err)
{
    struct arena *arena = NULL;
    struct positions *p = NULL;
    *out = NULL;
    int rc;
    const Subdd__V1__Positions *m = unpack(&subdd__v1__positions__descriptor, body, bytes, &arena, &rc, err);
    if (!m)
        goto fail;
    p = arena_alloc(arena, sizeof *p);
    struct position_range *ranges = arena_array(arena, (int64_t)m->n_ranges, sizeof *ranges);
    if (!p || !ranges) {
        rc = arena_fail(arena, "ranges", err);
        goto fail;
    }
    *p = (struct positions){(int64_t)m->n_ranges, ranges, arena};
    for (size_t i = 0; i < m->n_ranges; i++) {
        struct f32s floats;
        rc = f32_words(m->ranges[i]->points, "points", &floats, err);
        if (!rc && floats.n % 3)
            rc = sdd_fail(err, SDD_EMESH, "points", "ranges[%zu] has %lld numbers, which is no multiple of 3", i,
                          (long long)floats.n);
        if (rc)
            goto fail;
        ranges[i] = (struct position_range){m->ranges[i]->first, floats.n / 3, floats.v};
    }
    *out = p;
    return SDD_OK;
fail:
    arena_free(arena);
    return rc;
}

int ids_from_proto(const void *body, size_t bytes, struct i64s *list, struct sdd_error *err)
{
    static const unsigned char none[] = {0};
    struct arena *arena = NULL;
    int rc;
    if (!bytes) /* A message of no ids has no bytes. */
        return ids_from_octets(none, 0, list, err);
    const Subdd__V1__Ids *m = unpack(&subdd__v1__ids__descriptor, body, bytes, &arena, &rc, err);
    if (m)
        rc = ids_from_octets(m->ids.data, m->ids.len, list, err);
    arena_free(arena);
    return rc;
}

/* Reads the primvar of an edit. *out is NULL when the edit is not about a primvar. */
static int edit_primvar(const Subdd__V1__Edit *m, int64_t index, struct arena *arena, const struct primvar_array **out,
                        struct sdd_error *err)
{
    bool set = m->op_case == SUBDD__V1__EDIT__OP_SET_PRIMVAR, put = m->op_case == SUBDD__V1__EDIT__OP_PUT_PRIMVAR;
    char where[PRIMVAR_WHERE_SIZE];
    *out = NULL;
    if (!set && !put && m->op_case != SUBDD__V1__EDIT__OP_REMOVE_PRIMVAR)
        return SDD_OK;
    struct primvar_array *p = arena_alloc(arena, sizeof *p);
    if (!p)
        return arena_fail(arena, "edits", err);
    (void)snprintf(where, sizeof where, "edits[%lld].%s", (long long)index,
                   set   ? "setPrimvar"
                   : put ? "putPrimvar"
                         : "removePrimvar");
    *out = p;
    if (put)
        return author(m->put_primvar, where, arena, p, err);
    int rc = primvar_name(p, where, set ? m->set_primvar->name : m->remove_primvar->name, err);
    if (set)
        p->values = m->set_primvar->values.data;
    return rc;
}

/* The operation of an edit and its arrays. */
struct edit_parts {
    enum edit_op op;
    ProtobufCBinaryData ids, counts, values;
    int hole;
};

/* The modelling edits, whose numbers are those of their operations in the same order. */
static int modelling_parts(const Subdd__V1__Edit *m, int64_t index, struct edit_parts *o, struct sdd_error *err)
{
    _Static_assert((int)SUBDD__V1__EDIT__OP_FLIP_EDGES - (int)EDIT_FLIP_EDGES ==
                       (int)SUBDD__V1__EDIT__OP_MERGE_VERTICES - (int)EDIT_MERGE_VERTICES,
                   "enum edit_op follows subdd.proto");
    o->op = (enum edit_op)((int)m->op_case - (int)SUBDD__V1__EDIT__OP_FLIP_EDGES + (int)EDIT_FLIP_EDGES);
    switch (m->op_case) {
    case SUBDD__V1__EDIT__OP_FLIP_EDGES: o->ids = m->flip_edges->edges; break;
    case SUBDD__V1__EDIT__OP_SPLIT_EDGES: o->ids = m->split_edges->edges, o->values = m->split_edges->t; break;
    case SUBDD__V1__EDIT__OP_COLLAPSE_EDGES: o->ids = m->collapse_edges->edges, o->values = m->collapse_edges->t; break;
    case SUBDD__V1__EDIT__OP_SPLIT_FACES: o->ids = m->split_faces->ids, o->counts = m->split_faces->edges; break;
    case SUBDD__V1__EDIT__OP_POKE_FACES: o->ids = m->poke_faces->ids; break;
    case SUBDD__V1__EDIT__OP_TRIANGULATE_FACES: o->ids = m->triangulate_faces->ids; break;
    case SUBDD__V1__EDIT__OP_EXTRUDE_FACES: o->ids = m->extrude_faces->ids, o->values = m->extrude_faces->by; break;
    case SUBDD__V1__EDIT__OP_INSET_FACES: o->ids = m->inset_faces->ids, o->values = m->inset_faces->t; break;
    case SUBDD__V1__EDIT__OP_REVERSE_FACES: o->ids = m->reverse_faces->ids; break;
    case SUBDD__V1__EDIT__OP_LOOP_CUT: o->ids = m->loop_cut->edges, o->values = m->loop_cut->t; break;
    case SUBDD__V1__EDIT__OP_DISSOLVE_VERTICES: o->ids = m->dissolve_vertices->ids; break;
    case SUBDD__V1__EDIT__OP_DISSOLVE_EDGES: o->ids = m->dissolve_edges->edges; break;
    case SUBDD__V1__EDIT__OP_DISSOLVE_FACES: o->ids = m->dissolve_faces->ids; break;
    case SUBDD__V1__EDIT__OP_MERGE_VERTICES: o->ids = m->merge_vertices->ids, o->values = m->merge_vertices->t; break;
    default: return sdd_fail(err, SDD_EINVALID, "edits", "edits[%lld] has no operation", (long long)index);
    }
    return SDD_OK;
}

static int find_parts(const Subdd__V1__Edit *m, int64_t index, struct edit_parts *o, struct sdd_error *err)
{
    memset(o, 0, sizeof *o);
    switch (m->op_case) {
    case SUBDD__V1__EDIT__OP_ADD_VERTICES: o->op = EDIT_ADD_VERTICES, o->values = m->add_vertices->points; break;
    case SUBDD__V1__EDIT__OP_REMOVE_VERTICES: o->op = EDIT_REMOVE_VERTICES, o->ids = m->remove_vertices->ids; break;
    case SUBDD__V1__EDIT__OP_ADD_FACES:
        o->op = EDIT_ADD_FACES, o->counts = m->add_faces->face_vertex_counts,
        o->ids = m->add_faces->face_vertex_indices;
        o->values = m->add_faces->st;
        break;
    case SUBDD__V1__EDIT__OP_REMOVE_FACES: o->op = EDIT_REMOVE_FACES, o->ids = m->remove_faces->ids; break;
    case SUBDD__V1__EDIT__OP_SET_POSITIONS:
        o->op = EDIT_SET_POSITIONS, o->ids = m->set_positions->ids, o->values = m->set_positions->points;
        break;
    case SUBDD__V1__EDIT__OP_SET_CREASES:
        o->op = EDIT_SET_CREASES, o->ids = m->set_creases->edges, o->values = m->set_creases->sharpnesses;
        break;
    case SUBDD__V1__EDIT__OP_SET_CORNERS:
        o->op = EDIT_SET_CORNERS, o->ids = m->set_corners->ids, o->values = m->set_corners->sharpnesses;
        break;
    case SUBDD__V1__EDIT__OP_SET_HOLES:
        o->op = EDIT_SET_HOLES, o->ids = m->set_holes->ids, o->hole = m->set_holes->hole;
        break;
    case SUBDD__V1__EDIT__OP_SET_PRIMVAR:
        o->op = EDIT_SET_PRIMVAR, o->ids = m->set_primvar->ids, o->values = m->set_primvar->values;
        break;
    case SUBDD__V1__EDIT__OP_PUT_PRIMVAR: o->op = EDIT_PUT_PRIMVAR; break;
    case SUBDD__V1__EDIT__OP_REMOVE_PRIMVAR: o->op = EDIT_REMOVE_PRIMVAR; break;
    case SUBDD__V1__EDIT__OP_SET_UVS: o->op = EDIT_SET_UVS, o->ids = m->set_uvs->ids, o->values = m->set_uvs->st; break;
    default: return modelling_parts(m, index, o, err);
    }
    return SDD_OK;
}

static int edit_from(const Subdd__V1__Edit *m, int64_t index, struct arena *arena, struct edit *e,
                     struct sdd_error *err)
{
    const struct primvar_array *primvar;
    struct edit_parts o;
    struct i32s id_words, count_words;
    struct f32s value_words;
    int rc = find_parts(m, index, &o, err);
    if (!rc)
        rc = i32_words(o.ids, "ids", &id_words, err);
    if (!rc)
        rc = i32_words(o.counts, o.op == EDIT_SPLIT_FACES ? "edges" : "face_vertex_counts", &count_words, err);
    if (!rc)
        rc = f32_words(o.values, "values", &value_words, err);
    if (!rc)
        rc = edit_set(e, o.op, index, id_words, count_words, value_words, err);
    e->hole = o.hole;
    if (!rc)
        rc = edit_primvar(m, index, arena, &primvar, err);
    if (!rc)
        e->primvar = primvar;
    return rc;
}

int edits_from_proto(const void *body, size_t bytes, struct edit_batch **out, struct sdd_error *err)
{
    struct arena *arena = NULL;
    *out = NULL;
    int rc;
    const Subdd__V1__EditBatch *m = unpack(&subdd__v1__edit_batch__descriptor, body, bytes, &arena, &rc, err);
    if (!m)
        goto fail;
    struct edit_batch *b = arena_alloc(arena, sizeof *b);
    struct edit *edits = arena_array(arena, (int64_t)m->n_edits, sizeof *edits);
    if (!b || !edits) {
        rc = arena_fail(arena, "edits", err);
        goto fail;
    }
    *b = (struct edit_batch){(int64_t)m->n_edits, edits, arena};
    for (size_t i = 0; i < m->n_edits && !rc; i++)
        rc = edit_from(m->edits[i], (int64_t)i, arena, &edits[i], err);
    if (rc)
        goto fail;
    *out = b;
    return SDD_OK;
fail:
    arena_free(arena);
    return rc;
}

int proto_field(const void *v, int64_t n, ProtobufCBinaryData *out, struct sdd_error *err)
{
    int64_t bytes;
    if (!size_mul(n, 4, &bytes) || bytes > INT32_MAX - 16)
        return sdd_fail(err, SDD_ETOO_LARGE, "", "an array of %lld numbers does not fit a protobuf field",
                        (long long)n);
    *out = (ProtobufCBinaryData){(size_t)bytes, (uint8_t *)(uintptr_t)v};
    return SDD_OK;
}

/* `names` gets a pointer to each name of the primvar's sets. */
static int fill_primvar(const struct primvar *p, int64_t n_corners, char **names, Subdd__V1__Primvar *out,
                        struct sdd_error *err)
{
    const char *name = p->sets.text;
    subdd__v1__primvar__init(out);
    for (int64_t i = 0; i < p->sets.n; i++, name = set_names_next(name))
        names[i] = chars_proto(name);
    out->set_names = names;
    out->n_set_names = (size_t)p->sets.n;
    out->name = chars_proto(p->info.name);
    out->interpolation = chars_proto(primvar_interpolation(p->info.interpolation));
    out->type = chars_proto(primvar_type(p->info.type));
    out->width = (uint32_t)p->info.width;
    int rc = proto_field(p->values, (int64_t)p->info.n_values * p->info.width, &out->values, err);
    return rc ? rc : proto_field(p->indices, p->indices ? n_corners : 0, &out->indices, err);
}

static int fill(const struct mesh *m, const int32_t *lengths, Subdd__V1__Mesh *out, struct sdd_error *err)
{
    const struct {
        const void *v;
        int64_t n;
        ProtobufCBinaryData *to;
    } fields[] = {
        {m->points, 3 * m->n_vertices, &out->points},
        {m->face_counts, m->n_faces, &out->face_vertex_counts},
        {m->face_vertices, m->n_corners, &out->face_vertex_indices},
        {m->crease_edges, 2 * m->n_creases, &out->crease_indices},
        {lengths, m->n_creases, &out->crease_lengths},
        {m->crease_sharpness, m->n_creases, &out->crease_sharpnesses},
        {m->corner_vertices, m->n_corner_tags, &out->corner_indices},
        {m->corner_sharpness, m->n_corner_tags, &out->corner_sharpnesses},
        {m->hole_faces, m->n_holes, &out->hole_indices},
        {m->uvs, 2 * m->n_uvs, &out->st},
        {m->uv_indices, m->n_uvs ? m->n_corners : 0, &out->st_indices},
        {m->vertex_ids, m->n_vertices, &out->vertex_ids},
        {m->face_ids, m->n_faces, &out->face_ids},
    };
    int rc = SDD_OK;
    for (size_t i = 0; i < sizeof fields / sizeof *fields && !rc; i++)
        rc = proto_field(fields[i].v, fields[i].n, fields[i].to, err);
    return rc;
}

static void fill_stage(const struct mesh_stage *s, Subdd__V1__Mesh *out)
{
    out->up_axis = chars_proto(mesh_up_axis_name(s->up_axis));
    out->meters_per_unit = s->meters_per_unit;
    if (s->has_transform)
        out->transform = (ProtobufCBinaryData){sizeof s->transform, (uint8_t *)(uintptr_t)s->transform};
}

static int fill_primvars(const struct mesh *m, char **names, Subdd__V1__Primvar *to, Subdd__V1__Primvar **pointers,
                         Subdd__V1__Mesh *out, struct sdd_error *err)
{
    int rc = SDD_OK;
    for (int i = 0; i < m->n_primvars && !rc; i++) {
        rc = fill_primvar(&m->primvars[i], m->n_corners, names, &to[i], err);
        names += m->primvars[i].sets.n;
        pointers[i] = &to[i];
    }
    out->n_primvars = (size_t)m->n_primvars;
    out->primvars = pointers;
    return rc;
}

int proto_pack(const ProtobufCMessage *message, void **out, size_t *bytes, struct sdd_error *err)
{
    *bytes = protobuf_c_message_get_packed_size(message);
    *out = mesh_alloc((int64_t)*bytes, 1, err);
    if (!*out)
        return SDD_ENO_MEMORY;
    (void)protobuf_c_message_pack(message, *out);
    return SDD_OK;
}

int mesh_to_proto(const struct mesh *m, void **out, size_t *bytes, struct sdd_error *err)
{
    Subdd__V1__Options options = SUBDD__V1__OPTIONS__INIT;
    Subdd__V1__Mesh message = SUBDD__V1__MESH__INIT;
    Subdd__V1__Primvar primvars[SDD_MAX_PRIMVARS], *pointers[SDD_MAX_PRIMVARS];
    int64_t n_names = 0;
    char **tokens[] = {
        &options.subdivision_scheme,        &options.interpolate_boundary, &options.face_varying_linear_interpolation,
        &options.triangle_subdivision_rule, &options.crease_method,        &options.orientation};
    *out = NULL;
    for (int i = 0; i < 6; i++)
        *tokens[i] = chars_proto(sdd_option_token(&m->options, i));
    for (int i = 0; i < m->n_primvars; i++)
        n_names += m->primvars[i].sets.n;
    int32_t *lengths = mesh_alloc(m->n_creases, sizeof *lengths, err);
    char **names = lengths ? mesh_alloc(n_names, sizeof *names, err) : NULL;
    int rc = names ? SDD_OK : SDD_ENO_MEMORY;
    for (int64_t i = 0; i < m->n_creases && !rc; i++)
        lengths[i] = 2;
    message.name = chars_proto(m->name);
    message.options = &options;
    fill_stage(&m->stage, &message);
    if (!rc)
        rc = fill(m, lengths, &message, err);
    if (!rc)
        rc = fill_primvars(m, names, primvars, pointers, &message, err);
    if (!rc)
        rc = proto_pack(&message.base, out, bytes, err);
    free(lengths);
    free(names);
    return rc;
}
