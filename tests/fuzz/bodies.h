/* SPDX-License-Identifier: Apache-2.0 */
/* bodies.h: what a fuzzer does with a body once it is decoded: as much as a request would, short of the device. */
#ifndef TESTS_FUZZ_BODIES_H
#define TESTS_FUZZ_BODIES_H
#include "server/mesh/formats/codec.h"
#include "server/mesh/encode.h"
#include "server/mesh/merge.h"
#include <stdlib.h>
#include <string.h>

static const char body_cube[] =
    "{\"points\":[-1,-1,-1,1,-1,-1,1,1,-1,-1,1,-1,-1,-1,1,1,-1,1,1,1,1,-1,1,1],\"faceVertexCounts\":[4,4,4,4,4,4],"
    "\"faceVertexIndices\":[0,3,2,1,4,5,6,7,0,1,5,4,1,2,6,5,2,3,7,6,3,0,4,7],\"creaseIndices\":[4,5],"
    "\"creaseLengths\":[2],\"creaseSharpnesses\":[2],\"st\":[0,0,1,0,1,1,0,1],"
    "\"stIndices\":[0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3],\"primvars\":["
    "{\"name\":\"c\",\"interpolation\":\"constant\",\"type\":\"i32\",\"values\":[7]},"
    "{\"name\":\"f\",\"interpolation\":\"faceVarying\",\"values\":[0,1,2,3],"
    "\"indices\":[0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3]},"
    "{\"name\":\"u\",\"interpolation\":\"uniform\",\"type\":\"i32\",\"values\":[0,1,2,3,4,5],"
    "\"setNames\":[\"a\",\"b\",\"c\",\"d\",\"e\"]},"
    "{\"name\":\"v\",\"interpolation\":\"vertex\",\"width\":2,\"values\":[0,0,1,1,2,2,3,3,4,4,5,5,6,6,7,7]}]}";

/* A decoded mesh survives a copy, both encodings and the store's form. */
static inline void body_mesh(int rc, struct mesh *m, const struct sdd_error *err)
{
    struct mesh *copy;
    void *bytes;
    size_t n;
    char id[MESH_TOPOLOGY_ID_SIZE];
    if ((rc == SDD_OK) != (m != NULL) || (rc && !err->text[0]) || rc == SDD_ENO_MEMORY)
        abort();
    if (rc)
        return;
    if (mesh_copy(m, &copy, NULL) || mesh_topology_id(m, id, NULL))
        abort();
    if (mesh_to_proto(copy, &bytes, &n, NULL) == SDD_OK)
        free(bytes);
    mesh_free(copy);
    mesh_free(m);
}

/* Reads a mesh as a strict request does, and as one that loses what is wrong. Then all that is left but the faces'
 * vertices is in range. */
static inline void body_read(int (*read)(const void *, size_t, struct mesh **, struct losses *, struct sdd_error *),
                             const void *data, size_t size)
{
    struct losses losses = {0}, strict = {.strict = true};
    struct sdd_error err = {0}, why = {0};
    struct text lines = {0};
    struct mesh *m;
    int rc = read(data, size, &m, &losses, &err);
    if (!rc && mesh_check_indices(m, &why) && strcmp(why.field, "faceVertexIndices") != 0)
        abort();
    body_mesh(rc, m, &err);
    losses_print(&losses, &lines);
    text_free(&lines);
    int strictly = read(data, size, &m, &strict, &err);
    if (strict.n || (strictly == SDD_OK) != (rc == SDD_OK && !losses.n))
        abort();
    body_mesh(strictly, m, &err);
}

static inline void body_positions(int rc, struct positions *p, const struct sdd_error *err)
{
    struct mesh *cube;
    if ((rc == SDD_OK) != (p != NULL) || (rc && !err->text[0]) || rc == SDD_ENO_MEMORY)
        abort();
    if (rc)
        return;
    if (mesh_from_json(body_cube, strlen(body_cube), &cube, NULL, NULL))
        abort();
    if (positions_check(p, cube->n_vertices, 0, NULL) == SDD_OK && positions_open(p, cube, NULL) == SDD_OK)
        positions_apply(p, cube);
    mesh_free(cube);
    positions_free(p);
}

static inline bool body_same(const void *a, const void *b, int64_t n)
{
    return n == 0 || memcmp(a, b, (size_t)n * 4) == 0;
}

/* Whether two meshes are the same but for the order of the values that corners name. */
static inline bool body_is(const struct mesh *a, const struct mesh *b)
{
    struct mesh_changes c;
    bool same =
        a->n_vertices == b->n_vertices && a->n_faces == b->n_faces && a->n_corners == b->n_corners &&
        a->n_creases == b->n_creases && a->n_corner_tags == b->n_corner_tags && a->n_holes == b->n_holes &&
        a->n_uvs == b->n_uvs && a->n_primvars == b->n_primvars && a->n_channels == b->n_channels &&
        body_same(a->points, b->points, 3 * a->n_vertices) && body_same(a->vertex_ids, b->vertex_ids, a->n_vertices) &&
        body_same(a->face_ids, b->face_ids, a->n_faces) && body_same(a->face_counts, b->face_counts, a->n_faces) &&
        body_same(a->face_vertices, b->face_vertices, a->n_corners) &&
        body_same(a->crease_edges, b->crease_edges, 2 * a->n_creases) &&
        body_same(a->crease_sharpness, b->crease_sharpness, a->n_creases) &&
        body_same(a->corner_vertices, b->corner_vertices, a->n_corner_tags) &&
        body_same(a->corner_sharpness, b->corner_sharpness, a->n_corner_tags) &&
        body_same(a->hole_faces, b->hole_faces, a->n_holes);
    if (mesh_changes_find(a, b, &c, NULL))
        abort();
    same = same && !c.n_vertices && !c.n_faces && !c.n_layers && !c.name && !c.options && !c.stage;
    mesh_changes_fini(&c);
    return same;
}

/* To undo the edits, as when others had changed the mesh since, gives the mesh that was. */
static inline void body_undo(const struct mesh *was, const struct mesh *now)
{
    struct mesh_changes changes;
    struct mesh *back = NULL;
    struct sdd_error why = {0};
    const struct mesh_change mine = {was, &changes};
    int rc = mesh_changes_find(now, was, &changes, &why);
    if (!rc)
        rc = mesh_merge(mine, now, &back, &why);
    if (rc || !body_is(was, back))
        abort();
    mesh_changes_fini(&changes);
    mesh_free(back);
}

static inline void body_edits(int rc, struct edit_batch *b, const struct sdd_error *err)
{
    struct mesh *cube;
    struct edit_result r;
    struct sdd_error why = {0};
    if ((rc == SDD_OK) != (b != NULL) || (rc && !err->text[0]) || rc == SDD_ENO_MEMORY)
        abort();
    if (rc)
        return;
    if (mesh_from_json(body_cube, strlen(body_cube), &cube, NULL, NULL))
        abort();
    rc = edits_apply(cube, b, &r, &why);
    if (rc ? !why.text[0] || r.mesh : mesh_check_indices(r.mesh, NULL))
        abort();
    if (!rc)
        body_undo(cube, r.mesh);
    edit_result_free(&r);
    mesh_free(cube);
    edit_batch_free(b);
}

#endif
