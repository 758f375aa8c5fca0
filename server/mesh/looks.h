/* SPDX-License-Identifier: Apache-2.0 */
/* looks.h: what of a mesh is probably not meant: allowed, and refined by the rules, but not into what its author sees.
 *
 *   unwelded   vertices at open edges that lie exactly where others do: the surface comes apart there
 *   flipped    edges along which both faces run in one direction: they are infinitely sharp
 *   twice      faces that have the vertices of another one */
#ifndef SUBDD_MESH_LOOKS_H
#define SUBDD_MESH_LOOKS_H
#include "server/base/text.h"
#include "server/mesh/mesh.h"

struct mesh_looks {
    int64_t open, coincident; /* Vertices at open edges, and those among them that lie where another does. */
    int64_t flipped;          /* Edges of two faces. */
    int64_t twice;            /* Faces that have the vertices of an earlier one. */
    bool estimated;           /* There are so many of them that a sample was counted. */
};
/* mesh_look: counts all that. The mesh must have its n_edges and manifold. Where memory is short it finds nothing.
 * Cost    nothing for a mesh that is closed and manifold, else a pass over the corners, three when it is not manifold,
 *         and 8 bytes a vertex */
void mesh_look(const struct mesh *m, struct mesh_looks *out);
/* mesh_looks_print: adds a line for each of the three that was found. */
void mesh_looks_print(const struct mesh_looks *l, struct text *lines);

#endif
