/* SPDX-License-Identifier: Apache-2.0 */
/* scheme.h: what the subdivision schemes differ in. A topology points to its scheme, so no host code asks which one
 * it has. Rooms above that launch different kernels for the schemes have tables of their own, with a row for each
 * kind. */
#ifndef SDD_SCHEME_H
#define SDD_SCHEME_H
#include "gpu/sdd/sdd.h"

/* What a face is split into: quads around its middle, four triangles, or three triangles around its middle, whose
 * outer edges are then flipped. */
enum scheme_kind { SCHEME_QUADS, SCHEME_TRIANGLES, SCHEME_SQRT3, SCHEME_KINDS };

/* The sizes of a refined mesh. Faces exclude holes; edges do not. */
struct scheme_counts {
    int64_t vertices, faces, edges, uvs;
};

struct scheme {
    enum scheme_kind kind;
    int face_corners; /* Corners of a refined face. */
    int most_corners; /* The largest number of corners of a control face. */
    /* The first level whose vertices form a grid. Level L has 2^(L - first_level) faces along a side of it. */
    int first_level;
    int is_linear; /* Whether points are plain means. Then sharpness does not count, and a point is its own limit. */
    /* Whether vertex primvars, and face-varying values off their seams, are refined as positions are. */
    int refines_values;
    int has_grids; /* Whether refined faces and UVs are formulas over the topology. Otherwise an engine makes them. */
    /* The number of points of a grid over these numbers of vertices and edges and the faces of the topology. Under
     * sqrt3 it is the grid of triangles. */
    int64_t (*grid_points)(const struct sdd_topology_info *i, int64_t n_vertices, int64_t n_edges, int level);
    int64_t (*points)(const sdd_topology *t, int level); /* The number of points of the control mesh on a level. */
    void (*count)(const sdd_topology *t, int level, struct scheme_counts *out);
};

extern const struct scheme scheme_table[]; /* Indexed by enum sdd_scheme. */

#endif
