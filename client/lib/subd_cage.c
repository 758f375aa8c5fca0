/* SPDX-License-Identifier: Apache-2.0 */
/* subd_cage.c: fetches a control mesh as arrays. They stay where protobuf-c has unpacked them, so nothing is copied,
 * and are checked against each other before the caller sees them. */
#include "subd_internal.h"
#include "subdd.pb-c.h"
#include <stdlib.h>
#include <string.h>

/* What `memory` of a cage points to. */
struct held {
    Subdd__V1__Mesh *message;
    struct subd_mesh mesh;
    struct subd_primvar primvars[SUBD_MAX_PRIMVARS];
    struct subd_set_names sets[SUBD_MAX_PRIMVARS];
};

/* ---- arrays that fit together ------------------------------------------------------------------------------------ */

static const int32_t *integers(const ProtobufCBinaryData *b)
{
    return (const int32_t *)(const void *)b->data; /* malloc aligned it. */
}

static const float *floats(const ProtobufCBinaryData *b)
{
    return (const float *)(const void *)b->data;
}

/* Counts the rows of `width` numbers. Returns -1 when the bytes are no whole rows. */
static int64_t rows(const ProtobufCBinaryData *b, size_t width)
{
    return b->len % (4 * width) ? -1 : (int64_t)(b->len / (4 * width));
}

/* Whether there are n numbers, each from `least` to below `limit`. */
static int within(const ProtobufCBinaryData *b, int64_t n, int32_t least, int64_t limit)
{
    if (n < 0 || rows(b, 1) != n)
        return 0;
    for (int64_t i = 0; i < n; i++)
        if (integers(b)[i] < least || integers(b)[i] >= limit)
            return 0;
    return 1;
}

static int64_t sum(const ProtobufCBinaryData *b)
{
    int64_t total = 0;
    for (size_t i = 0; i < b->len / 4; i++)
        total += integers(b)[i];
    return total;
}

static int take_faces(struct subd_mesh *to, const Subdd__V1__Mesh *m)
{
    to->n_vertices = rows(&m->points, 3);
    to->n_faces = rows(&m->face_vertex_counts, 1);
    to->n_corners = rows(&m->face_vertex_indices, 1);
    to->points = floats(&m->points);
    to->face_counts = integers(&m->face_vertex_counts);
    to->face_vertices = integers(&m->face_vertex_indices);
    return to->n_vertices >= 0 && within(&m->face_vertex_counts, to->n_faces, 1, to->n_corners + 1) &&
           sum(&m->face_vertex_counts) == to->n_corners &&
           within(&m->face_vertex_indices, to->n_corners, 0, to->n_vertices);
}

static int take_tags(struct subd_mesh *to, const Subdd__V1__Mesh *m)
{
    to->n_crease_indices = rows(&m->crease_indices, 1);
    to->n_creases = rows(&m->crease_lengths, 1);
    to->n_crease_sharpnesses = rows(&m->crease_sharpnesses, 1);
    to->n_corner_tags = rows(&m->corner_indices, 1);
    to->n_holes = rows(&m->hole_indices, 1);
    to->crease_indices = integers(&m->crease_indices);
    to->crease_lengths = integers(&m->crease_lengths);
    to->crease_sharpnesses = floats(&m->crease_sharpnesses);
    to->corner_vertices = integers(&m->corner_indices);
    to->corner_sharpnesses = floats(&m->corner_sharpnesses);
    to->hole_faces = integers(&m->hole_indices);
    return within(&m->crease_indices, to->n_crease_indices, 0, to->n_vertices) &&
           within(&m->crease_lengths, to->n_creases, 2, to->n_crease_indices + 1) &&
           sum(&m->crease_lengths) == to->n_crease_indices &&
           (to->n_crease_sharpnesses == to->n_creases ||
            to->n_crease_sharpnesses == to->n_crease_indices - to->n_creases) &&
           within(&m->corner_indices, to->n_corner_tags, 0, to->n_vertices) &&
           rows(&m->corner_sharpnesses, 1) == to->n_corner_tags &&
           within(&m->hole_indices, to->n_holes, 0, to->n_faces);
}

static int take_uvs(struct subd_mesh *to, const Subdd__V1__Mesh *m)
{
    to->n_uvs = rows(&m->st, 2);
    to->uvs = floats(&m->st);
    to->uv_indices = integers(&m->st_indices);
    return to->n_uvs >= 0 && within(&m->st_indices, to->n_uvs ? to->n_corners : 0, 0, to->n_uvs);
}

/* How many elements of the mesh a primvar of this class has a value for; -1 when there is no such class. */
static int64_t elements(const struct subd_mesh *m, const char *interpolation)
{
    if (strcmp(interpolation, "constant") == 0)
        return 1;
    if (strcmp(interpolation, "uniform") == 0)
        return m->n_faces;
    if (strcmp(interpolation, "vertex") == 0 || strcmp(interpolation, "varying") == 0)
        return m->n_vertices;
    return strcmp(interpolation, "faceVarying") == 0 ? m->n_corners : -1;
}

/* Text as a terminal may show it. Empty text is protobuf-c's own and cannot be written to. */
static char *clean(char *text)
{
    if (*text)
        subd_copy_text(text, strlen(text) + 1, text);
    return text;
}

static int take_primvar(struct subd_primvar *to, const struct subd_mesh *mesh, const Subdd__V1__Primvar *p)
{
    int64_t n = elements(mesh, p->interpolation), values;
    to->width = p->width ? (int)p->width : 1;
    if (n < 0 || p->width > 256 || (*p->type && strcmp(p->type, "f32") != 0 && strcmp(p->type, "i32") != 0))
        return 0;
    values = rows(&p->values, (size_t)to->width);
    to->name = clean(p->name);
    to->interpolation = p->interpolation;
    to->type = *p->type ? p->type : "f32";
    to->values = p->values.data;
    to->n_values = values * to->width;
    to->indices = integers(&p->indices);
    to->n_indices = rows(&p->indices, 1);
    return values >= 0 && (p->indices.len ? within(&p->indices, n, 0, values) : values == n);
}

static int take_primvars(struct held *h, const Subdd__V1__Mesh *m)
{
    if (m->n_primvars > SUBD_MAX_PRIMVARS)
        return 0;
    h->mesh.primvars = h->primvars;
    h->mesh.n_primvars = (int)m->n_primvars;
    h->mesh.sets = h->sets;
    for (size_t i = 0; i < m->n_primvars; i++) {
        Subdd__V1__Primvar *p = m->primvars[i];
        if (!take_primvar(&h->primvars[i], &h->mesh, p) ||
            !subd_sets_fit(p->n_set_names, p->interpolation, p->type, (int)p->width))
            return 0;
        for (size_t k = 0; k < p->n_set_names; k++)
            clean(p->set_names[k]);
        h->sets[i] = (struct subd_set_names){(const char *const *)p->set_names, (int64_t)p->n_set_names};
    }
    return 1;
}

static int take_stage(struct subd_mesh *to, Subdd__V1__Mesh *m)
{
    if (m->transform.len && m->transform.len != 16 * sizeof(double))
        return 0;
    to->up_axis = *m->up_axis ? clean(m->up_axis) : NULL;
    to->meters_per_unit = m->meters_per_unit;
    to->transform = (const double *)(const void *)(m->transform.len ? m->transform.data : NULL);
    return 1;
}

/* ---- the answer -------------------------------------------------------------------------------------------------- */

static Subdd__V1__Mesh *unpack(subd_client *c)
{
    struct subd_budget b;
    return subd_is_protobuf(c) ? subdd__v1__mesh__unpack(subd_budget_begin(&b, c->call.answer_bytes),
                                                         c->call.answer_bytes, (const uint8_t *)c->call.answer)
                               : NULL;
}

static void take_words(struct subd_cage *to, Subdd__V1__Mesh *m)
{
    const Subdd__V1__Options *o = m->options;
    char *tokens[SUBD_N_OPTIONS] = {0};
    if (o) {
        tokens[SUBD_SCHEME] = o->subdivision_scheme;
        tokens[SUBD_INTERPOLATE_BOUNDARY] = o->interpolate_boundary;
        tokens[SUBD_FACE_VARYING] = o->face_varying_linear_interpolation;
        tokens[SUBD_TRIANGLE_RULE] = o->triangle_subdivision_rule;
        tokens[SUBD_CREASE_METHOD] = o->crease_method;
        tokens[SUBD_ORIENTATION] = o->orientation;
    }
    for (int i = 0; i < SUBD_N_OPTIONS; i++)
        if (tokens[i] && *tokens[i])
            to->options[i] = clean(tokens[i]);
    to->name = clean(m->name);
}

static int finish_arrays(subd_client *c, void *out, struct subd_error *err)
{
    struct subd_cage *to = out;
    struct held *h = calloc(1, sizeof *h);
    Subdd__V1__Mesh *m;
    if (!h)
        return subd_fail(err, SUBD_ENO_MEMORY, "no memory for a control mesh");
    to->memory = h;
    h->message = unpack(c);
    if (!(m = h->message)) {
        subd_cage_free(to);
        return subd_fail(err, SUBD_EPROTOCOL, "the server's control mesh cannot be read");
    }
    h->mesh.size = sizeof h->mesh;
    to->mesh = &h->mesh;
    to->vertex_ids = integers(&m->vertex_ids);
    to->face_ids = integers(&m->face_ids);
    to->version = strtoll(c->call.etag + strcspn(c->call.etag, "0123456789"), NULL, 10);
    if (!take_faces(&h->mesh, m) || !take_tags(&h->mesh, m) || !take_uvs(&h->mesh, m) || !take_primvars(h, m) ||
        !take_stage(&h->mesh, m) || !within(&m->vertex_ids, h->mesh.n_vertices, 0, INT64_MAX) ||
        !within(&m->face_ids, h->mesh.n_faces, 0, INT64_MAX) || to->version < 1) {
        subd_cage_free(to);
        return subd_fail(err, SUBD_EPROTOCOL, "the arrays of the server's control mesh do not fit together");
    }
    take_words(to, h->message);
    return SUBD_OK;
}

int subd_cage_arrays(subd_client *c, const char *id, struct subd_cage *out, struct subd_error *err)
{
    struct subd_request r = {.method = "GET", .accept = SUBD_PROTOBUF, .finish = finish_arrays, .out = out, .large = 1};
    if (out)
        memset(out, 0, sizeof *out);
    int rc = SUBD_NEED(err, c, id, out);
    if (rc != SUBD_OK)
        return rc;
    subd_text_mesh_path(&r.path, id, "/cage");
    return subd_request_start(c, &r, err);
}

void subd_cage_free(struct subd_cage *cage)
{
    struct held *h;
    if (!cage)
        return;
    h = cage->memory;
    if (h)
        subdd__v1__mesh__free_unpacked(h->message, NULL);
    free(h);
    memset(cage, 0, sizeof *cage);
}
