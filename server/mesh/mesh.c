/* SPDX-License-Identifier: Apache-2.0 */
/* mesh.c: copies, checks and measures the control mesh of mesh.h, and hands it to the compute library. */
#include "server/mesh/mesh.h"
#include "server/base/shared.h"
#include "server/mesh/encode.h"
#include "server/base/chars.h"
#include "server/mesh/topology_id.h"
#include <stdlib.h>
#include <string.h>

/* Calls f on each array of m. */
static void each_array(struct mesh *m, void (*f)(void *array))
{
    void *const arrays[] = {
        m->points,           m->face_counts, m->face_vertices, m->crease_edges, m->crease_sharpness, m->corner_vertices,
        m->corner_sharpness, m->hole_faces,  m->uvs,           m->uv_indices,   m->vertex_ids,       m->face_ids};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        f(arrays[i]);
    for (int i = 0; i < m->n_primvars; i++) {
        f(m->primvars[i].values);
        f(m->primvars[i].indices);
    }
}

void mesh_free(struct mesh *m)
{
    if (!m)
        return;
    each_array(m, shared_free);
    for (int i = 0; i < m->n_primvars; i++)
        set_names_free(&m->primvars[i].sets);
    free(m->primvars);
    mesh_topology_free(m->topology);
    free(m);
}

void mesh_seal(struct mesh *m)
{
    each_array(m, shared_seal);
}

void mesh_as_arrays(const struct mesh *m, struct mesh_arrays *out)
{
    *out = (struct mesh_arrays){
        .options = m->options,
        .stage = m->stage,
        .points = {m->points, 3 * m->n_vertices},
        .face_counts = {m->face_counts, m->n_faces},
        .face_vertices = {m->face_vertices, m->n_corners},
        .crease_indices = {m->crease_edges, 2 * m->n_creases},
        .crease_sharpnesses = {m->crease_sharpness, m->n_creases},
        .crease_pairs = 1,
        .corner_indices = {m->corner_vertices, m->n_corner_tags},
        .corner_sharpnesses = {m->corner_sharpness, m->n_corner_tags},
        .hole_indices = {m->hole_faces, m->n_holes},
        .uvs = {m->uvs, 2 * m->n_uvs},
        .uv_indices = {m->uv_indices, m->n_uvs ? m->n_corners : 0},
        .vertex_ids = {m->vertex_ids, m->n_vertices},
        .face_ids = {m->face_ids, m->n_faces},
        .next_vertex_id = m->next_vertex_id,
        .next_face_id = m->next_face_id,
    };
    primvars_arrays(m, out);
}

static void add_owner(void *array)
{
    (void)shared_ref(array);
}

int mesh_copy(const struct mesh *m, struct mesh **out, struct sdd_error *err)
{
    struct mesh *to = malloc(sizeof *to);
    int rc = SDD_OK;
    *out = NULL;
    if (!to)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for a mesh");
    *to = *m;
    to->topology = NULL; /* Each mesh keeps its own, */
    to->primvars = NULL; /* and has this also where no primvar is left in it. */
    if (m->n_primvars) {
        to->primvars = malloc((size_t)m->n_primvars * sizeof *to->primvars);
        if (!to->primvars) {
            free(to);
            return sdd_fail(err, SDD_ENO_MEMORY, "", "no memory for primvars");
        }
        memcpy(to->primvars, m->primvars, (size_t)m->n_primvars * sizeof *to->primvars);
    }
    each_array(to, add_owner);
    for (int i = 0; i < m->n_primvars; i++) {
        to->primvars[i].sets = (struct set_names){0};
        rc = rc ? rc : set_names_copy(&m->primvars[i].sets, &to->primvars[i].sets, err);
    }
    if (rc)
        mesh_free(to);
    else
        *out = to;
    return rc;
}

static int check_range(const int32_t *v, int64_t n, int64_t limit, const char *field, struct sdd_error *err)
{
    for (int64_t i = 0; i < n; i++)
        if (v[i] < 0 || v[i] >= limit)
            return sdd_fail(err, SDD_EMESH, field, "%s[%lld] is %d of %lld", field, (long long)i, v[i],
                            (long long)limit);
    return SDD_OK;
}

int mesh_check_indices(const struct mesh *m, struct sdd_error *err)
{
    int rc = check_range(m->face_vertices, m->n_corners, m->n_vertices, "faceVertexIndices", err);
    if (!rc)
        rc = check_range(m->crease_edges, 2 * m->n_creases, m->n_vertices, "creaseIndices", err);
    if (!rc)
        rc = check_range(m->corner_vertices, m->n_corner_tags, m->n_vertices, "cornerIndices", err);
    if (!rc)
        rc = check_range(m->hole_faces, m->n_holes, m->n_faces, "holeIndices", err);
    if (!rc && m->n_uvs)
        rc = check_range(m->uv_indices, m->n_corners, m->n_uvs, "stIndices", err);
    return rc;
}

void mesh_desc(const struct mesh *m, struct sdd_mesh_desc *out)
{
    *out = (struct sdd_mesh_desc){
        .n_vertices = m->n_vertices,
        .n_faces = m->n_faces,
        .n_corners = m->n_corners,
        .face_counts = m->face_counts,
        .face_vertices = m->face_vertices,
        .n_creases = m->n_creases,
        .crease_edges = m->crease_edges,
        .crease_sharpness = m->crease_sharpness,
        .n_corner_tags = m->n_corner_tags,
        .corner_vertices = m->corner_vertices,
        .corner_sharpness = m->corner_sharpness,
        .n_holes = m->n_holes,
        .hole_faces = m->hole_faces,
        .n_uvs = m->n_uvs,
        .uv_indices = m->uv_indices,
        .n_channels = m->n_channels,
        .channels = m->channels,
        .options = m->options,
    };
}

int64_t mesh_bytes(const struct mesh *m)
{
    int64_t words = 3 * m->n_vertices + m->n_faces + m->n_corners * (m->n_uvs ? 2 : 1) + 3 * m->n_creases +
                    2 * m->n_corner_tags + m->n_holes + 2 * m->n_uvs + m->n_vertices + m->n_faces;
    return (int64_t)sizeof *m + 4 * words + primvars_bytes(m) + mesh_topology_bytes(m->topology);
}

int mesh_name_check(const char *name, struct sdd_error *err)
{
    size_t n = strlen(name);
    const char *wrong = !n                                     ? "is empty"
                        : n >= MESH_NAME_SIZE                  ? "is too long"
                        : !chars_utf8(name, n)                 ? "is not UTF-8"
                        : chars_control(name)                  ? "holds a control character"
                        : name[0] == ' ' || name[n - 1] == ' ' ? "begins or ends with a space"
                                                               : NULL;
    if (!wrong)
        return SDD_OK;
    int rc =
        sdd_fail(err, SDD_EINVALID, "name",
                 "the name %s; a name has 1 to %d bytes of UTF-8 without control characters, and no space at either "
                 "end",
                 wrong, MESH_NAME_SIZE - 1);
    if (err)
        err->available = MESH_NAME_SIZE - 1;
    return rc;
}

int mesh_option_set(struct sdd_options *o, const char *name, const char *token, struct sdd_error *err)
{
    char shown[CHARS_SHOW_SIZE];
    return sdd_option_set(o, name, chars_show(token, strlen(token), shown), err);
}
