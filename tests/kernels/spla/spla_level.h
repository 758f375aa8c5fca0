/* SPDX-License-Identifier: Apache-2.0 */
/* spla_level.h: one level of a manifold mesh as tables of vertex pairs, refined by looking everything up there: the
 * oracle of the kernels that take meshes apart and put them together in the algebra. For small meshes. Points are
 * numbered [vertices | face points | edge points], triangles' [vertices | edge points]. */
#ifndef TESTS_SPLA_LEVEL_H
#define TESTS_SPLA_LEVEL_H
#include "gpu/engines/spla/kernels/spla_edge.dev.h"
#include "tests/oracle/refined.h"

struct spla_level {
    int level, triangles;
    int V, F, C, E;
    int32_t *first, *vert, *place, *corner_face; /* [F + 1], [C], [C] place in its face, [C]                  */
    int32_t *faces, *along, *number;             /* [V][V]: faces of edge ij; the one from i to j, -1; number, -1 */
    int32_t *home, (*at)[3];                     /* triangles: [F] control triangle, [C] barycentric places  */
};

/* spla_level_of: the control mesh. spla_level_next: a step. */
void spla_level_of(struct spla_level *l, const struct grid *g);
void spla_level_next(const struct spla_level *l, struct spla_level *to);
void spla_level_free(struct spla_level *l);

/* As kernels want it (launch.h): the mesh matrix, with pointers or reduced; its rows; E, F and the edge numbers. */
struct sdd_spla spla_level_in(const struct spla_level *l);
struct sdd_spla spla_level_rows(const struct spla_level *l);
struct sdd_adjacency spla_level_around(const struct spla_level *l);

#endif
