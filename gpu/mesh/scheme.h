/* SPDX-License-Identifier: Apache-2.0 */
/* scheme.h: what the subdivision schemes differ in, so that no host code asks which one it has: a topology points to
 * its scheme. Rooms above that launch different kernels for them have a table of their own with a row for each kind. */
#ifndef SDD_SCHEME_H
#define SDD_SCHEME_H
#include "gpu/sdd/sdd.h"

/* What faces are split into: quads around the middle of a face, the quarters of a triangle, or three triangles around
 * its middle, whose outer edges are then turned. */
enum scheme_kind { SCHEME_QUADS, SCHEME_TRIANGLES, SCHEME_SQRT3, SCHEME_KINDS };

struct scheme_counts { /* of a refined mesh */
    int64_t vertices, faces, edges, uvs;
};

struct scheme {
    enum scheme_kind kind;
    int face_corners;   /* of a refined face */
    int most_corners;   /* of a control face */
    int first_level;    /* the first whose vertices are a grid: level L has 2^(L - first_level) faces along a line */
    int is_linear;      /* points are means: no sharpness counts, and a point is its own limit */
    int refines_values; /* vertex primvars, and face-varying values off their seams, are refined as positions are */
    int has_grids;      /* refined faces and UVs are formulas over the topology; else an engine makes them */
    /* Points of a grid over so many vertices and edges, and the faces; under sqrt3 those of triangles. */
    int64_t (*grid_points)(const struct sdd_topology_info *i, int64_t n_vertices, int64_t n_edges, int level);
    int64_t (*points)(const sdd_topology *t, int level);
    void (*count)(const sdd_topology *t, int level, struct scheme_counts *out); /* faces without holes; all edges */
};

extern const struct scheme scheme_table[]; /* by enum sdd_scheme */

#endif
