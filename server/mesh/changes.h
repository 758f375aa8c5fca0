/* SPDX-License-Identifier: Apache-2.0 */
/* changes.h: which elements two versions of a mesh differ in, by their ids, and whether two changes of one version get
 * in each other's way. Undo, rebase, leases and news use it.
 *
 *   mesh_changes_find(base, mine), mesh_changes_find(base, theirs) -> mesh_changes_meet -> mesh_merge (merge.h) */
#ifndef SUBDD_MESH_CHANGES_H
#define SUBDD_MESH_CHANGES_H
#include "server/mesh/pair.h"

struct mesh_changes {
    /* Vertices that came, went or moved, or have another sharpness, another crease at one of their edges, or other
     * values of primvars. */
    int64_t n_vertices;
    int32_t *vertices; /* [n_vertices] Ids, which ascend. */
    /* Faces that came or went, or have other corners, or other values of primvars there, or became holes or none. */
    int64_t n_faces;
    int32_t *faces; /* [n_faces] Ids, which ascend. */
    bool name, options, stage;
    int n_layers;
    struct mesh_layer_change {
        char name[PRIMVAR_NAME_SIZE];
        bool whole; /* Only one version has it, or they have it in two forms; or the value of a constant differs. */
    } layers[2 * MESH_LAYERS];
};
/* mesh_changes_find: Cost  linear where ids ascend. Errors  SDD_ENO_MEMORY; mesh_changes_fini still follows */
int mesh_changes_find(const struct mesh *from, const struct mesh *to, struct mesh_changes *out,
                      struct sdd_error *err) SDD_MUST_CHECK;
void mesh_changes_fini(struct mesh_changes *c);
/* mesh_changes_layer: adds that a primvar has changed. */
void mesh_changes_layer(struct mesh_changes *c, const char *name, bool whole);

/* What a batch of edits names, besides what it changes: it may set what it names to what that is already. */
struct mesh_named {
    int64_t n_vertices, n_faces;
    int32_t *vertices, *faces; /* In any order. */
};

#define MESH_MEETING_LISTED 64
/* Where two changes are in each other's way. */
struct mesh_meeting {
    int64_t n_vertices, n_faces;
    int32_t vertices[MESH_MEETING_LISTED], faces[MESH_MEETING_LISTED]; /* The first of them. */
    char what[PRIMVAR_NAME_SIZE + 16];                                 /* "primvar heat", or ""; also name, options. */
};
static inline bool mesh_meeting_is(const struct mesh_meeting *m)
{
    return m->n_vertices || m->n_faces || *m->what;
}
/* mesh_changes_meet: of two changes of `base`, finds what `theirs` did to elements that `mine` changed, named or needs:
 * those, the vertices of its faces, and the faces around all these. When nothing is found, both orders of the changes
 * give the same mesh. `named` may be NULL. Elements that came with mine and have ids of base->next_*_id and more do not
 * count with `renumbered`, because they are to get other ids.
 * Cost    linear in the meshes
 * Errors  SDD_ENO_MEMORY */
struct mesh_change {
    const struct mesh *mesh; /* What the change made of base. */
    const struct mesh_changes *changes;
};
int mesh_changes_meet(const struct mesh *base, struct mesh_change mine, const struct mesh_named *named, bool renumbered,
                      struct mesh_change theirs, struct mesh_meeting *out, struct sdd_error *err) SDD_MUST_CHECK;

#endif
