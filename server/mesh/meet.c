/* SPDX-License-Identifier: Apache-2.0 */
/* meet.c: finds where two changes of one version of a mesh are in each other's way (changes.h). */
#include "server/mesh/changes.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the one change needs: vertices as a list of ids, which ascends once it is sorted. */
struct needs {
    int32_t *vertices;
    int64_t n, room;
    int64_t next_vertex_id, next_face_id; /* Elements from these on do not count. */
};

static void need(struct needs *n, int32_t id)
{
    if (id < n->next_vertex_id)
        n->vertices[n->n++] = id;
}

static bool is_changed_face(const struct mesh_changes *c, const struct mesh_named *named, int32_t id)
{
    return mesh_has_id(c->faces, c->n_faces, id) || (named && mesh_has_id(named->faces, named->n_faces, id));
}

/* Needs the vertices of those faces of a mesh that the change has changed or named; with n->vertices NULL it only
 * counts them. */
static void need_faces(struct needs *n, const struct mesh *m, const struct mesh_changes *c,
                       const struct mesh_named *named)
{
    for (int64_t f = 0, corner = 0; f < m->n_faces; corner += m->face_counts[f++]) {
        if (!is_changed_face(c, named, m->face_ids[f]))
            continue;
        n->room += m->face_counts[f];
        for (int32_t k = 0; n->vertices && k < m->face_counts[f]; k++)
            need(n, m->vertex_ids[m->face_vertices[corner + k]]);
    }
}

static int list_needs(struct needs *n, const struct mesh *base, struct mesh_change mine, const struct mesh_named *named,
                      struct sdd_error *err)
{
    const struct mesh_changes *c = mine.changes;
    n->room = c->n_vertices + (named ? named->n_vertices : 0);
    need_faces(n, base, c, named);
    need_faces(n, mine.mesh, c, named);
    n->vertices = mesh_alloc(n->room, sizeof *n->vertices, err);
    if (!n->vertices)
        return SDD_ENO_MEMORY;
    for (int64_t i = 0; i < c->n_vertices; i++)
        need(n, c->vertices[i]);
    for (int64_t i = 0; named && i < named->n_vertices; i++)
        need(n, named->vertices[i]);
    need_faces(n, base, c, named);
    need_faces(n, mine.mesh, c, named);
    qsort(n->vertices, (size_t)n->n, sizeof *n->vertices, mesh_compare_ids);
    return SDD_OK;
}

static void meet_vertex(struct mesh_meeting *out, int32_t id)
{
    if (out->n_vertices < MESH_MEETING_LISTED)
        out->vertices[out->n_vertices] = id;
    out->n_vertices++;
}

static void meet_face(struct mesh_meeting *out, int32_t id)
{
    for (int64_t i = 0; i < out->n_faces && i < MESH_MEETING_LISTED; i++)
        if (out->faces[i] == id)
            return;
    if (out->n_faces < MESH_MEETING_LISTED)
        out->faces[out->n_faces] = id;
    out->n_faces++;
}

/* The faces of a mesh that the other change has changed, and that the one change has changed, too, or has around it. */
static void meet_faces(const struct needs *n, const struct mesh *m, const struct mesh_changes *mine,
                       const struct mesh_named *named, const struct mesh_changes *theirs, struct mesh_meeting *out)
{
    for (int64_t f = 0, corner = 0; f < m->n_faces; corner += m->face_counts[f++]) {
        const int32_t id = m->face_ids[f];
        if (!mesh_has_id(theirs->faces, theirs->n_faces, id))
            continue;
        bool meets = id < n->next_face_id && is_changed_face(mine, named, id);
        for (int32_t k = 0; !meets && k < m->face_counts[f]; k++)
            meets = mesh_has_id(n->vertices, n->n, m->vertex_ids[m->face_vertices[corner + k]]);
        if (meets)
            meet_face(out, id);
    }
}

static void meet_rest(const struct mesh_changes *a, const struct mesh_changes *b, struct mesh_meeting *out)
{
    for (int i = 0; i < a->n_layers; i++)
        for (int k = 0; k < b->n_layers; k++)
            if ((a->layers[i].whole || b->layers[k].whole) && strcmp(a->layers[i].name, b->layers[k].name) == 0)
                snprintf(out->what, sizeof out->what, "primvar %s", a->layers[i].name);
    if (a->name && b->name)
        snprintf(out->what, sizeof out->what, "name");
    if (a->options && b->options)
        snprintf(out->what, sizeof out->what, "options");
    if (a->stage && b->stage)
        snprintf(out->what, sizeof out->what, "stage");
}

int mesh_changes_meet(const struct mesh *base, struct mesh_change mine, const struct mesh_named *named, bool renumbered,
                      struct mesh_change theirs, struct mesh_meeting *out, struct sdd_error *err)
{
    const struct mesh_changes *a = mine.changes, *b = theirs.changes;
    struct needs n = {.next_vertex_id = renumbered ? base->next_vertex_id : INT64_MAX,
                      .next_face_id = renumbered ? base->next_face_id : INT64_MAX};
    memset(out, 0, sizeof *out);
    if (named)
        qsort(named->faces, (size_t)named->n_faces, sizeof *named->faces, mesh_compare_ids);
    int rc = list_needs(&n, base, mine, named, err);
    for (int64_t i = 0; i < n.n && !rc; i++)
        if ((i == 0 || n.vertices[i] != n.vertices[i - 1]) && mesh_has_id(b->vertices, b->n_vertices, n.vertices[i]))
            meet_vertex(out, n.vertices[i]);
    if (!rc) {
        meet_faces(&n, base, a, named, b, out);
        meet_faces(&n, theirs.mesh, a, named, b, out);
        meet_rest(a, b, out);
    }
    free(n.vertices);
    return rc;
}
