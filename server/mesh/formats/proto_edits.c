/* SPDX-License-Identifier: Apache-2.0 */
/* proto_edits.c: writes batches of edits and positions as protobuf, for the store, which keeps them as what made a
 * version. proto.c reads them. */
#include "server/base/chars.h"
#include "server/mesh/formats/codec.h"
#include "server/mesh/formats/proto.h"
#include "server/mesh/formats/wire_scan.h"
#include "subdd.pb-c.h"
#include <stdlib.h>
#include <string.h>

/* The message of one edit, with that of its operation. */
struct edit_message {
    Subdd__V1__Edit edit;
    union {
        Subdd__V1__AddVertices add_vertices;
        Subdd__V1__Ids ids;
        Subdd__V1__AddFaces add_faces;
        Subdd__V1__SetPositions set_positions;
        Subdd__V1__SetCreases set_creases;
        Subdd__V1__SetCorners set_corners;
        Subdd__V1__SetHoles set_holes;
        Subdd__V1__SetUvs set_uvs;
        Subdd__V1__SetPrimvar set_primvar;
        Subdd__V1__Primvar put_primvar;
        Subdd__V1__PrimvarName remove_primvar;
    } op;
};

static int fill_faces(const struct edit *e, Subdd__V1__AddFaces *to, struct sdd_error *err)
{
    subdd__v1__add_faces__init(to);
    int rc = proto_field(e->counts, e->n, &to->face_vertex_counts, err);
    if (!rc)
        rc = proto_field(e->corners, e->n_corners, &to->face_vertex_indices, err);
    return rc ? rc : proto_field(e->values, edit_value_words(e), &to->st, err);
}

static int fill_primvar(const struct primvar_array *p, struct arena *arena, Subdd__V1__Primvar *to,
                        struct sdd_error *err)
{
    const char *name = p->sets.text;
    subdd__v1__primvar__init(to);
    to->name = chars_proto(p->info.name);
    to->interpolation = chars_proto(primvar_interpolation(p->info.interpolation));
    to->type = chars_proto(primvar_type(p->info.type));
    to->width = (uint32_t)p->info.width;
    to->set_names = arena_array(arena, p->sets.n, sizeof *to->set_names);
    if (!to->set_names)
        return arena_fail(arena, "set_names", err);
    for (; to->n_set_names < (size_t)p->sets.n; name = set_names_next(name))
        to->set_names[to->n_set_names++] = chars_proto(name);
    int rc = proto_field(p->values, p->n_words, &to->values, err);
    return rc ? rc : proto_field(p->indices.v, p->indices.n, &to->indices, err);
}

/* Fills in ids and values, whose fields are those of the operation's message; NULL where it has none. */
static int fill_words(const struct edit *e, ProtobufCBinaryData *ids, ProtobufCBinaryData *values,
                      struct sdd_error *err)
{
    int rc = ids ? proto_field(e->ids, edit_id_words(e), ids, err) : SDD_OK;
    return rc || !values ? rc : proto_field(e->values, edit_value_words(e), values, err);
}

#define OPERATION(NAME, name, type, field)                                                                             \
    m->edit.op_case = SUBDD__V1__EDIT__OP_##NAME;                                                                      \
    m->edit.name = &m->op.field;                                                                                       \
    subdd__v1__##type##__init(&m->op.field)

static int fill(const struct edit *e, struct arena *arena, struct edit_message *m, struct sdd_error *err)
{
    subdd__v1__edit__init(&m->edit);
    switch (e->op) {
    case EDIT_ADD_VERTICES:
        OPERATION(ADD_VERTICES, add_vertices, add_vertices, add_vertices);
        return fill_words(e, NULL, &m->op.add_vertices.points, err);
    case EDIT_REMOVE_VERTICES:
        OPERATION(REMOVE_VERTICES, remove_vertices, ids, ids);
        return fill_words(e, &m->op.ids.ids, NULL, err);
    case EDIT_ADD_FACES:
        OPERATION(ADD_FACES, add_faces, add_faces, add_faces);
        return fill_faces(e, &m->op.add_faces, err);
    case EDIT_REMOVE_FACES:
        OPERATION(REMOVE_FACES, remove_faces, ids, ids);
        return fill_words(e, &m->op.ids.ids, NULL, err);
    case EDIT_SET_POSITIONS:
        OPERATION(SET_POSITIONS, set_positions, set_positions, set_positions);
        return fill_words(e, &m->op.set_positions.ids, &m->op.set_positions.points, err);
    case EDIT_SET_CREASES:
        OPERATION(SET_CREASES, set_creases, set_creases, set_creases);
        return fill_words(e, &m->op.set_creases.edges, &m->op.set_creases.sharpnesses, err);
    case EDIT_SET_CORNERS:
        OPERATION(SET_CORNERS, set_corners, set_corners, set_corners);
        return fill_words(e, &m->op.set_corners.ids, &m->op.set_corners.sharpnesses, err);
    case EDIT_SET_HOLES:
        OPERATION(SET_HOLES, set_holes, set_holes, set_holes);
        m->op.set_holes.hole = e->hole != 0;
        return fill_words(e, &m->op.set_holes.ids, NULL, err);
    case EDIT_SET_UVS:
        OPERATION(SET_UVS, set_uvs, set_uvs, set_uvs);
        return fill_words(e, &m->op.set_uvs.ids, &m->op.set_uvs.st, err);
    case EDIT_SET_PRIMVAR:
        OPERATION(SET_PRIMVAR, set_primvar, set_primvar, set_primvar);
        m->op.set_primvar.name = chars_proto(e->primvar->info.name);
        return fill_words(e, &m->op.set_primvar.ids, &m->op.set_primvar.values, err);
    case EDIT_PUT_PRIMVAR:
        OPERATION(PUT_PRIMVAR, put_primvar, primvar, put_primvar);
        return fill_primvar(e->primvar, arena, &m->op.put_primvar, err);
    case EDIT_REMOVE_PRIMVAR:
        OPERATION(REMOVE_PRIMVAR, remove_primvar, primvar_name, remove_primvar);
        m->op.remove_primvar.name = chars_proto(e->primvar->info.name);
        return SDD_OK;
    default: return sdd_fail(err, SDD_EINTERNAL, "edits", "%s is no primitive", edit_name(e->op));
    }
}

static int pack(const struct edit_batch *b, struct arena *arena, void **out, size_t *bytes, struct sdd_error *err)
{
    Subdd__V1__EditBatch message = SUBDD__V1__EDIT_BATCH__INIT;
    struct edit_message *m = arena_array(arena, b->n_edits, sizeof *m);
    message.edits = arena_array(arena, b->n_edits, sizeof *message.edits);
    if (!m || !message.edits)
        return arena_fail(arena, "edits", err);
    for (int64_t i = 0; i < b->n_edits; i++) {
        int rc = fill(&b->edits[i], arena, &m[i], err);
        if (rc)
            return rc;
        message.edits[message.n_edits++] = &m[i].edit;
    }
    return proto_pack(&message.base, out, bytes, err);
}

int edits_to_proto(const struct edit_batch *b, void **out, size_t *bytes, struct sdd_error *err)
{
    struct arena *arena = arena_create(INT64_MAX / 2);
    struct edit_batch *again = NULL;
    *out = NULL;
    int rc = arena ? pack(b, arena, out, bytes, err) : sdd_fail(err, SDD_ENO_MEMORY, "", "no memory");
    arena_free(arena);
    if (!rc) /* Who keeps this must be able to read it. */
        rc = edits_from_proto(*out, *bytes, &again, err);
    edit_batch_free(again);
    if (rc) {
        free(*out);
        *out = NULL;
    }
    return rc;
}

int positions_to_proto(const struct positions *p, void **out, size_t *bytes, struct sdd_error *err)
{
    Subdd__V1__Positions message = SUBDD__V1__POSITIONS__INIT;
    int rc = SDD_OK;
    *out = NULL;
    if (p->n_ranges > WIRE_MAX_ITEMS)
        return sdd_fail(err, SDD_ETOO_LARGE, "ranges", "%lld ranges do not fit one message", (long long)p->n_ranges);
    Subdd__V1__PositionRange *ranges = mesh_alloc(p->n_ranges, sizeof *ranges, err);
    message.ranges = ranges ? mesh_alloc(p->n_ranges, sizeof *message.ranges, err) : NULL;
    if (!message.ranges)
        rc = SDD_ENO_MEMORY;
    for (int64_t i = 0; i < p->n_ranges && !rc; i++) {
        subdd__v1__position_range__init(&ranges[i]);
        ranges[i].first = (uint32_t)p->ranges[i].first;
        rc = proto_field(p->ranges[i].points, 3 * p->ranges[i].n, &ranges[i].points, err);
        message.ranges[message.n_ranges++] = &ranges[i];
    }
    if (!rc)
        rc = proto_pack(&message.base, out, bytes, err);
    free(message.ranges);
    free(ranges);
    return rc;
}
