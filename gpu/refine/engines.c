/* SPDX-License-Identifier: Apache-2.0 */
/* engines.c: THE engine table: what users see of each, and what runs it, row by row. */
#include "gpu/engine_api/capabilities.h"
#include "gpu/engine_api/engine.h"

const struct sdd_engine_info sdd_engine_table[] = {
    {"mesh-matrix",
     "catmullClark, loop and bilinear of any mesh, manifold or not, and sqrt3; after the control mesh only points are "
     "held",
     mesh_matrix_schemes},
    {"edge-friend", "breadth-first Catmull-Clark of manifold meshes, one launch a level", edge_friend_schemes},
    {"mesh-matrix-spla",
     "catmullClark, loop and sqrt3 of manifold meshes without creases, in sparse linear algebra; "
     "the reference of mesh-matrix",
     mesh_matrix_spla_schemes},
    {"tabulated",
     "catmullClark to level 10, from tables to level 6 or else from patches, and loop to level 6, from tables, which "
     "stay with the topology: for frames of which only positions are new",
     tabulated_schemes},
    {"subdivision-matrix",
     "a level, or its limit, as one product of a sparse matrix with the control points; the matrix stays with the "
     "topology",
     subdivision_matrix_schemes},
    {NULL, NULL, NULL},
};
const struct engine *const sdd_engines[] = {&sdd_engine_mesh_matrix,        &sdd_engine_edge_friend,
                                            &sdd_engine_mesh_matrix_spla,   &sdd_engine_tabulated,
                                            &sdd_engine_subdivision_matrix, NULL};
