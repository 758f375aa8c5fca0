/* SPDX-License-Identifier: Apache-2.0 */
/* subd_updates.c: the calls that make a new version of a mesh: positions and edits. */
#include "subd_internal.h"
#include "subdd.pb-c.h"
#include <stdlib.h>

#define MAX_BATCH 65536 /* Limits the edits or ranges in one message; the server limits the body. */

int subd_check_version(int64_t version, struct subd_error *err)
{
    if (version < 0)
        return subd_fail(err, SUBD_EUSAGE, "%lld is no version of a mesh: they count from 1, and 0 is any",
                         (long long)version);
    return SUBD_OK;
}

static int put(subd_client *c, struct subd_request *r, int64_t version, struct subd_mesh_info *out,
               struct subd_error *err)
{
    r->method = "PUT";
    r->accept = SUBD_PROTOBUF;
    r->if_version = version;
    r->finish = subd_finish_info;
    r->out = out;
    return subd_request_start(c, r, err);
}

int subd_positions_body(subd_client *c, const char *id, int64_t version, const struct subd_body *body,
                        struct subd_mesh_info *out, struct subd_error *err)
{
    struct subd_request r = {0};
    int rc;
    if ((rc = SUBD_NEED(err, c, id, body)) || (rc = subd_check_version(version, err)) ||
        (rc = subd_take_body(&r.body, body, __func__, err)))
        return rc;
    subd_text_mesh_path(&r.path, id, "/positions");
    return put(c, &r, version, out, err);
}

int subd_points_body(struct subd_body *to, const float *points, int64_t n_vertices, struct subd_error *err)
{
    if (n_vertices < 0 || n_vertices > INT32_MAX)
        return subd_fail(err, SUBD_EUSAGE, "%lld is no number of vertices", (long long)n_vertices);
    *to = (struct subd_body){"application/octet-stream", points, (size_t)n_vertices * 12};
    return SUBD_OK;
}

/* The query has no `first`, so the server takes all vertices or refuses; a wrong count is never taken for a range. */
int subd_positions(subd_client *c, const char *id, int64_t version, const float *points, int64_t n_vertices,
                   struct subd_mesh_info *out, struct subd_error *err)
{
    struct subd_body body;
    int rc;
    if ((rc = SUBD_NEED(err, c, id, points)) || (rc = subd_points_body(&body, points, n_vertices, err)))
        return rc;
    return subd_positions_body(c, id, version, &body, out, err);
}

/* A protobuf field that borrows n numbers of four bytes. protobuf-c has no const, but packing only reads. */
static ProtobufCBinaryData blob(const void *data, int64_t n)
{
    return (ProtobufCBinaryData){(size_t)n * 4, (uint8_t *)(uintptr_t)data};
}

/* protobuf-c wants an array of pointers to rows. One allocation holds both, the pointers first. */
static void *rows_of(int n, size_t row_bytes, void ***pointers)
{
    size_t head = ((size_t)n * sizeof(void *) + 15) & ~(size_t)15;
    char *memory = calloc(1, head + (size_t)n * row_bytes);
    *pointers = (void **)(void *)memory;
    for (int i = 0; memory && i < n; i++)
        (*pointers)[i] = memory + head + (size_t)i * row_bytes;
    return memory;
}

static int pack_ranges(struct subd_request *r, const struct subd_range *ranges, int n, struct subd_error *err)
{
    Subdd__V1__Positions w = SUBDD__V1__POSITIONS__INIT;
    void **rows, *memory = rows_of(n, sizeof(Subdd__V1__PositionRange), &rows);
    int rc = SUBD_OK;
    if (!memory)
        return subd_fail(err, SUBD_ENO_MEMORY, "no memory to pack positions");
    for (int i = 0; i < n; i++) {
        Subdd__V1__PositionRange *row = rows[i];
        subdd__v1__position_range__init(row);
        row->first = (uint32_t)ranges[i].first;
        row->points = blob(ranges[i].points, ranges[i].n * 3);
    }
    w.ranges = (Subdd__V1__PositionRange **)rows;
    w.n_ranges = (size_t)n;
    r->body = (struct subd_body){SUBD_PROTOBUF, NULL, subdd__v1__positions__get_packed_size(&w)};
    if (r->body.bytes > INT32_MAX)
        rc = subd_fail(err, SUBD_EUSAGE, "the ranges have %zu bytes, above the 2 GiB that a message holds",
                       r->body.bytes);
    else if (!(r->owned = malloc(r->body.bytes + 1)))
        rc = subd_fail(err, SUBD_ENO_MEMORY, "no memory to pack positions");
    else
        subdd__v1__positions__pack(&w, r->owned);
    r->body.data = r->owned;
    free(memory);
    return rc;
}

int subd_positions_ranges(subd_client *c, const char *id, int64_t version, const struct subd_range *ranges,
                          int n_ranges, struct subd_mesh_info *out, struct subd_error *err)
{
    struct subd_request r = {0};
    int rc;
    if ((rc = SUBD_NEED(err, c, id, ranges)) || (rc = subd_check_version(version, err)))
        return rc;
    for (int i = 0; i < n_ranges && n_ranges <= MAX_BATCH; i++)
        if (!ranges[i].points || ranges[i].first < 0 || ranges[i].n < 1 || ranges[i].first > INT32_MAX ||
            ranges[i].n > INT32_MAX / 12)
            return subd_fail(err, SUBD_EUSAGE, "range %d has no points, or is not inside any mesh", i);
    if (n_ranges < 1 || n_ranges > MAX_BATCH)
        return subd_fail(err, SUBD_EUSAGE, "%d is no number of ranges", n_ranges);
    if (n_ranges > 1 && (rc = pack_ranges(&r, ranges, n_ranges, err)) != SUBD_OK)
        return rc;
    subd_text_mesh_path(&r.path, id, "/positions");
    if (n_ranges == 1) { /* One range is sent as it is, without a copy. */
        subd_text_add(&r.path, "?first=%lld", (long long)ranges->first);
        r.body = (struct subd_body){"application/octet-stream", ranges->points, (size_t)ranges->n * 12};
    }
    return put(c, &r, version, out, err);
}

/* ---- edits ------------------------------------------------------------------------------------------------- */

/* The message of one edit, whichever it is. */
union operation {
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
    Subdd__V1__Edges edges;
    Subdd__V1__EdgesAt edges_at;
    Subdd__V1__IdsAt ids_at;
    Subdd__V1__SplitFaces split_faces;
    Subdd__V1__ExtrudeFaces extrude_faces;
};

/* A cast turns one enum into the other. */
_Static_assert((int)SUBD_ADD_VERTICES == (int)SUBDD__V1__EDIT__OP_ADD_VERTICES &&
                   (int)SUBD_MERGE_VERTICES == (int)SUBDD__V1__EDIT__OP_MERGE_VERTICES,
               "enum subd_edit_op follows subdd.proto");

static int encode_primvar(union operation *o, const struct subd_edit *e)
{
    Subdd__V1__Primvar p;
    if (!e->primvar || !subd_primvar_pack(&p, e->primvar))
        return 0;
    if (e->op == SUBD_PUT_PRIMVAR) {
        o->put_primvar = p;
    } else if (e->op == SUBD_SET_PRIMVAR) {
        subdd__v1__set_primvar__init(&o->set_primvar);
        o->set_primvar.name = p.name;
        o->set_primvar.ids = blob(e->ids, e->n_ids);
        o->set_primvar.values = p.values;
    } else {
        subdd__v1__primvar_name__init(&o->remove_primvar);
        o->remove_primvar.name = p.name;
    }
    return 1;
}

static int encode_modelling(union operation *o, const struct subd_edit *e, ProtobufCBinaryData ids,
                            ProtobufCBinaryData values)
{
    switch (e->op) {
    case SUBD_FLIP_EDGES:
    case SUBD_DISSOLVE_EDGES:
        subdd__v1__edges__init(&o->edges);
        o->edges.edges = ids;
        return 1;
    case SUBD_SPLIT_EDGES:
    case SUBD_COLLAPSE_EDGES:
    case SUBD_LOOP_CUT:
        subdd__v1__edges_at__init(&o->edges_at);
        o->edges_at.edges = ids;
        o->edges_at.t = values;
        return 1;
    case SUBD_INSET_FACES:
    case SUBD_MERGE_VERTICES:
        subdd__v1__ids_at__init(&o->ids_at);
        o->ids_at.ids = ids;
        o->ids_at.t = values;
        return 1;
    case SUBD_SPLIT_FACES:
        subdd__v1__split_faces__init(&o->split_faces);
        o->split_faces.ids = ids;
        o->split_faces.edges = blob(e->counts, e->n_counts);
        return 1;
    case SUBD_EXTRUDE_FACES:
        subdd__v1__extrude_faces__init(&o->extrude_faces);
        o->extrude_faces.ids = ids;
        o->extrude_faces.by = values;
        return 1;
    default: return 0;
    }
}

static int encode(Subdd__V1__Edit *to, union operation *o, const struct subd_edit *e)
{
    ProtobufCBinaryData ids = blob(e->ids, e->n_ids), values = blob(e->values, e->n_values);
    subdd__v1__edit__init(to);
    to->op_case = (Subdd__V1__Edit__OpCase)e->op;
    to->add_vertices = &o->add_vertices; /* All members of the oneof are pointers in the same place. */
    switch (e->op) {
    case SUBD_ADD_VERTICES:
        subdd__v1__add_vertices__init(&o->add_vertices);
        o->add_vertices.points = values;
        return 1;
    case SUBD_REMOVE_VERTICES:
    case SUBD_REMOVE_FACES:
    case SUBD_POKE_FACES:
    case SUBD_TRIANGULATE_FACES:
    case SUBD_REVERSE_FACES:
    case SUBD_DISSOLVE_VERTICES:
    case SUBD_DISSOLVE_FACES:
        subdd__v1__ids__init(&o->ids);
        o->ids.ids = ids;
        return 1;
    case SUBD_ADD_FACES:
        subdd__v1__add_faces__init(&o->add_faces);
        o->add_faces.face_vertex_indices = ids;
        o->add_faces.face_vertex_counts = blob(e->counts, e->n_counts);
        o->add_faces.st = values;
        return 1;
    case SUBD_SET_POSITIONS:
        subdd__v1__set_positions__init(&o->set_positions);
        o->set_positions.ids = ids;
        o->set_positions.points = values;
        return 1;
    case SUBD_SET_CREASES:
        subdd__v1__set_creases__init(&o->set_creases);
        o->set_creases.edges = ids;
        o->set_creases.sharpnesses = values;
        return 1;
    case SUBD_SET_CORNERS:
        subdd__v1__set_corners__init(&o->set_corners);
        o->set_corners.ids = ids;
        o->set_corners.sharpnesses = values;
        return 1;
    case SUBD_SET_HOLES:
        subdd__v1__set_holes__init(&o->set_holes);
        o->set_holes.ids = ids;
        o->set_holes.hole = e->hole != 0;
        return 1;
    case SUBD_SET_UVS:
        subdd__v1__set_uvs__init(&o->set_uvs);
        o->set_uvs.ids = ids;
        o->set_uvs.st = values;
        return 1;
    case SUBD_SET_PRIMVAR:
    case SUBD_PUT_PRIMVAR:
    case SUBD_REMOVE_PRIMVAR: return encode_primvar(o, e);
    default: return encode_modelling(o, e, ids, values);
    }
}

static int has_sound_lengths(const struct subd_edit *e)
{
    const int64_t most = INT32_MAX / 4;
    return e->n_ids >= 0 && e->n_ids <= most && e->n_counts >= 0 && e->n_counts <= most && e->n_values >= 0 &&
           e->n_values <= most && (e->ids || !e->n_ids) && (e->counts || !e->n_counts) && (e->values || !e->n_values);
}

struct edit_row {
    Subdd__V1__Edit edit; /* It comes first, so that a pointer to the row is a pointer to it. */
    union operation operation;
};

static int pack_edits(struct subd_request *r, const struct subd_edit *edits, int n, struct subd_error *err)
{
    Subdd__V1__EditBatch w = SUBDD__V1__EDIT_BATCH__INIT;
    void **rows, *memory = rows_of(n, sizeof(struct edit_row), &rows);
    int rc = SUBD_OK;
    if (!memory)
        return subd_fail(err, SUBD_ENO_MEMORY, "no memory to pack edits");
    for (int i = 0; i < n && rc == SUBD_OK; i++) {
        struct edit_row *row = rows[i];
        if (!has_sound_lengths(&edits[i]) || !encode(&row->edit, &row->operation, &edits[i]))
            rc = subd_fail(err, SUBD_EUSAGE,
                           "edit %d has an unknown operation, an absurd length, or an array that is NULL", i);
    }
    w.edits = (Subdd__V1__Edit **)rows;
    w.n_edits = (size_t)n;
    if (rc == SUBD_OK) {
        r->body = (struct subd_body){SUBD_PROTOBUF, NULL, subdd__v1__edit_batch__get_packed_size(&w)};
        if (r->body.bytes > INT32_MAX || !(r->owned = malloc(r->body.bytes + 1)))
            rc = subd_fail(err, SUBD_ENO_MEMORY, "no memory to pack edits of %zu bytes", r->body.bytes);
        else
            subdd__v1__edit_batch__pack(&w, r->owned);
        r->body.data = r->owned;
    }
    free(memory);
    return rc;
}

static int check_edited(int64_t version, struct subd_error *err)
{
    if (version < 1)
        return subd_fail(err, SUBD_EUSAGE, "edits need the version that they were made for, not %lld",
                         (long long)version);
    return SUBD_OK;
}

static int post_edits(subd_client *c, struct subd_request *r, const char *id, int64_t version, const char *key,
                      struct subd_edit_result *out, struct subd_error *err)
{
    r->method = "POST";
    r->accept = SUBD_PROTOBUF;
    r->if_version = version;
    r->idempotency_key = key;
    r->rebases = c->rebases;
    r->finish = subd_finish_edit;
    r->out = out;
    r->large = 1;
    subd_text_mesh_path(&r->path, id, "/edits");
    return subd_request_start(c, r, err);
}

int subd_edits(subd_client *c, const char *id, int64_t version, const struct subd_edit *edits, int n_edits,
               const char *idempotency_key, struct subd_edit_result *out, struct subd_error *err)
{
    struct subd_request r = {0};
    int rc;
    if (out)
        *out = (struct subd_edit_result){0};
    if ((rc = SUBD_NEED(err, c, id, edits)) || (rc = check_edited(version, err)))
        return rc;
    if (n_edits < 1 || n_edits > MAX_BATCH)
        return subd_fail(err, SUBD_EUSAGE, "%d is no number of edits", n_edits);
    if ((rc = pack_edits(&r, edits, n_edits, err)) != SUBD_OK)
        return rc;
    return post_edits(c, &r, id, version, idempotency_key, out, err);
}

int subd_edits_body(subd_client *c, const char *id, int64_t version, const struct subd_body *body,
                    const char *idempotency_key, struct subd_edit_result *out, struct subd_error *err)
{
    struct subd_request r = {0};
    int rc;
    if (out)
        *out = (struct subd_edit_result){0};
    if ((rc = SUBD_NEED(err, c, id, body)) || (rc = check_edited(version, err)) ||
        (rc = subd_take_body(&r.body, body, __func__, err)))
        return rc;
    return post_edits(c, &r, id, version, idempotency_key, out, err);
}
