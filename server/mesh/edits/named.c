/* SPDX-License-Identifier: Apache-2.0 */
/* named.c: lists what a batch names, for the edits that are to follow others' changes: an edit may set what it names
 * to what that is already, so that comparing meshes would not show it. */
#include "server/mesh/edits/work.h"
#include <string.h>

bool edits_names_faces(const struct edit *e, const struct mesh *m)
{
    switch (e->op) {
    case EDIT_REMOVE_FACES:
    case EDIT_SET_HOLES:
    case EDIT_SET_UVS:
    case EDIT_SPLIT_FACES:
    case EDIT_POKE_FACES:
    case EDIT_TRIANGULATE_FACES:
    case EDIT_EXTRUDE_FACES:
    case EDIT_INSET_FACES:
    case EDIT_REVERSE_FACES:
    case EDIT_DISSOLVE_FACES: return true;
    case EDIT_SET_PRIMVAR:
        for (int i = 0; i < m->n_primvars; i++)
            if (strcmp(m->primvars[i].info.name, e->primvar->info.name) == 0)
                return m->primvars[i].info.interpolation == SDD_UNIFORM ||
                       m->primvars[i].info.interpolation == SDD_FACE_VARYING;
        return false;
    default: return false;
    }
}

int edits_ids_each(enum edit_op op)
{
    switch (op) {
    case EDIT_SET_CREASES:
    case EDIT_FLIP_EDGES:
    case EDIT_SPLIT_EDGES:
    case EDIT_COLLAPSE_EDGES:
    case EDIT_LOOP_CUT:
    case EDIT_DISSOLVE_EDGES: return 2;
    default: return 1;
    }
}

/* Adds ids to a list. Negative ones are those of elements that the batch adds. */
static void add(int32_t *list, int64_t *n, const int32_t *ids, int64_t n_ids)
{
    for (int64_t i = 0; ids && i < n_ids; i++)
        if (ids[i] >= 0)
            list[(*n)++] = ids[i];
}

int edits_named(const struct edit_batch *b, const struct mesh *m, struct mesh_named *out, struct mesh_changes *changes,
                struct sdd_error *err)
{
    int64_t room = 0;
    for (int64_t i = 0; i < b->n_edits; i++)
        room += 4 * b->edits[i].n + b->edits[i].n_corners;
    *out = (struct mesh_named){.vertices = mesh_alloc(room, sizeof(int32_t), err)};
    out->faces = out->vertices ? mesh_alloc(room, sizeof(int32_t), err) : NULL;
    if (!out->faces)
        return SDD_ENO_MEMORY;
    for (int64_t i = 0; i < b->n_edits; i++) {
        const struct edit *e = &b->edits[i];
        if (edits_names_faces(e, m))
            add(out->faces, &out->n_faces, e->ids, e->n);
        else
            add(out->vertices, &out->n_vertices, e->ids, edits_ids_each(e->op) * e->n);
        if (e->op == EDIT_SPLIT_FACES) /* Between two vertices of each. */
            add(out->vertices, &out->n_vertices, e->counts, 2 * e->n);
        add(out->vertices, &out->n_vertices, e->corners, e->n_corners);
        if (e->primvar)
            mesh_changes_layer(changes, e->primvar->info.name, e->op != EDIT_SET_PRIMVAR || !e->n);
    }
    return SDD_OK;
}
