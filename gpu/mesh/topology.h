/* SPDX-License-Identifier: Apache-2.0 */
/* topology.h: what a control topology holds on the device, for all of gpu/. It is immutable once sdd_topology_create
 * has returned, except for what is kept with it.
 * Letters: V vertices, F faces, C corners, E edges, B boundary edges, H boundary loops (ghost faces), S visible
 * corners.
 * Corner arrays have C real rows and then B ghost rows, one for each boundary edge, which close the surface. A mesh
 * that is not manifold has no ghosts (H = 0), but its twins are numbered as if it had. */
#ifndef SDD_TOPOLOGY_H
#define SDD_TOPOLOGY_H
#include "gpu/device/device.h"
#include "gpu/grid/quad_location.h"
#include "gpu/mesh/scheme.h"

/* The allocations of a topology, each of which is made once its size is known. */
enum {
    SDD_PART_MESH,
    SDD_PART_CORNERS,
    SDD_PART_EDGES,
    SDD_PART_LISTS,
    SDD_PART_ROWS,
    SDD_PART_CUT_CORNERS,
    SDD_PART_CUT_ROWS,
    SDD_N_PARTS
};

/* The feature vertices of a mesh, as grid/features.h has them for kernels. There are none where there is no
 * edge_sharp. */
struct topology_feature_vertices {
    uint8_t *flag;  /* In SDD_PART_EDGES. */
    uint32_t *list; /* In SDD_PART_LISTS. */
    int64_t n;
};

/* One set of face-varying indices. It is a mesh of its own over the same faces, whose vertices are the values. Where
 * channels are smooth (topology_has_smooth_channels), each vertex that shares a value has a row of its own: behind
 * the rows of the values come rows for all vertices of a value but the lowest one, ascending by value and vertex.
 * Channels that are not smooth have nothing after `value`. */
struct topology_channel {
    int64_t n_values, n_rows, n_edges;
    uint32_t *vert, *edge; /* Shape [C]: the row and the edge of each corner; in SDD_PART_MESH. */
    uint32_t *edge_corner; /* Shape [E'], in SDD_PART_EDGES. */
    uint32_t *value;       /* Shape [n_rows - n_values]: the value of each further row; in SDD_PART_ROWS. */
    uint32_t *twin;        /* Shape [C], SDD_NONE at seams and boundaries; in SDD_PART_MESH. */
    uint32_t *corner;      /* Shape [C]: the corners, those of a row next to each other; in SDD_PART_MESH. */
    uint32_t *begin, *end; /* Shape [n_rows]: where the corners of each row lie in `corner`; in SDD_PART_EDGES. */
    float *edge_sharp;     /* Shape [E'], in SDD_PART_EDGES. */
    float *vert_sharp;     /* Shape [n_rows], in SDD_PART_EDGES. */
    struct topology_feature_vertices feature_vertices;
    uint32_t *chaikin_row; /* Shape [E'] (grid/control.h), in SDD_PART_LISTS; NULL where no edge is semi-sharp. */
};

/* The smallest and the largest size of the faces, and how many faces have it: so that it is known when the last one
 * goes. */
struct face_sizes {
    int32_t least, most;
    int64_t n_least, n_most;
};

struct sdd_topology {
    int refs;
    int is_updated; /* Whether it was made from an older one, without a build. */
    sdd_device *device;
    uint64_t serial; /* No other topology of the device has it, so that a plan knows its own. */
    struct sdd_topology_info info;
    const struct scheme *scheme;
    struct face_sizes sizes;
    int *sharers; /* How many topologies have SDD_PART_MESH and SDD_PART_CORNERS together, this one among them. */
    struct device_block part[SDD_N_PARTS];
    char fault[160]; /* The first element that is not manifold, in words; "" if there is none. */

    /* These arrays lie in SDD_PART_MESH. */
    int32_t *face_end;               /* Shape [F]: the inclusive scan of the face sizes. */
    uint32_t *vert_begin, *vert_end; /* Shape [V]: where the corners of each vertex lie in vert_corner. */
    uint32_t *vert_corner;           /* Shape [C]: the real corners, sorted by vertex. */
    /* These arrays lie in SDD_PART_CORNERS. */
    uint32_t *vert, *twin, *edge; /* Shape [C + B]. */
    struct sdd_faces faces;       /* The faces of C + B corners. */
    /* These arrays lie in SDD_PART_EDGES. */
    uint32_t *edge_corner; /* Shape [E]: the lowest corner of each edge. */
    float *edge_sharp;     /* Shape [E]; NULL for a closed mesh without creases. */
    float *vert_sharp;     /* Shape [V]; NULL where no vertex is sharp. */
    struct topology_feature_vertices feature_vertices;
    /* These arrays lie in SDD_PART_LISTS. */
    uint32_t *ghost_first; /* Shape [H]: a ghost corner of each loop. */
    uint32_t *visible;     /* Shape [S]: the corners of faces that are no holes; NULL where that is all. */
    uint32_t *isolated;    /* Shape [n_isolated]. */
    /* The next three are for crease method chaikin (grid/control.h). They are NULL where no edge is semi-sharp, and
     * under schemes without creases. */
    uint32_t *chaikin_row;  /* Shape [E]. */
    uint32_t *chaikin_edge; /* Shape [n_semisharp]: the edge of each row. */
    float *chaikin_part;    /* Shape [n_semisharp]: the sharpness of each row on level 0. */

    int n_channels; /* The UVs, if there are any, and then the channels of sdd_mesh_desc.channels. */
    struct topology_channel *channel;
    /* The control mesh cut along its infinitely sharp edges, with a row for each sector of a vertex (cut_sectors.k.h);
     * NULL where nothing is cut. Its arrays lie in SDD_PART_CUT_CORNERS and SDD_PART_CUT_ROWS. Only normals are made
     * over it, so it has neither feature vertices nor sharp vertices. */
    struct topology_channel *cut, cut_mesh;
    /* Shape [1 + n_channels]: what is kept with the control mesh, and then with each channel. */
    struct kept_list *kept;
    int64_t n_visible;   /* Visible corners, which is S. */
    int64_t n_semisharp; /* Semi-sharp edges under chaikin. */
    float semisharp;     /* The sharpest of the authored creases and corners below 10; 0 if there is none. */
    int has_infinite;    /* Whether a crease of 10 or more is authored. */
    int chaikin_levels;  /* The number of levels after which nothing semi-sharp is left. */
    int64_t n_open;      /* Corners whose edge has no face across; their twins are C, C + 1 and so on, in order. */
};

/* The control mesh, or the mesh of a smooth channel, as kernels see it on level 0. A channel that is NULL stands for
 * the control mesh. */
struct sdd_control topology_control(const sdd_topology *t);
struct sdd_control topology_channel_control(const sdd_topology *t, const struct topology_channel *c);
/* topology_kept_find: what code above keeps with the mesh of a channel, or with the control mesh where c is NULL
 * (gpu/device/kept.h). NULL if it has not been made. */
void *topology_kept_find(const sdd_topology *t, const struct topology_channel *c, const struct kept_ops *ops);
/* topology_kept_get: returns the same, and makes it first if need be. NULL and SDD_ENO_MEMORY if there is no memory. */
void *topology_kept_get(const sdd_topology *t, const struct topology_channel *c, const struct kept_ops *ops,
                        struct sdd_error *err) SDD_MUST_CHECK;
/* Whether face-varying values are smooth off their seams. Otherwise they are linear over the control faces. */
int topology_has_smooth_channels(const sdd_topology *t);
/* Grid order over the control mesh, or over the mesh of a channel. */
struct sdd_grid topology_grid(const sdd_topology *t, int level);
struct sdd_grid topology_channel_grid(const sdd_topology *t, const struct topology_channel *c, int level);
/* topology_sharp_points: how many points of a level have to be looked at for sharpness that goes on to change, or an
 * infinite crease that ends (rules/limit_ring.h): control vertices and the points of control edges, or under sqrt3 all
 * points. c is as for topology_channel_control. */
int64_t topology_sharp_points(const sdd_topology *t, const struct topology_channel *c, int level);
int64_t topology_points(const sdd_topology *t, int level); /* The points of the control mesh on a level. */
/* The points of the grid over the mesh of a channel, or over the control mesh where c is NULL. */
int64_t topology_channel_points(const sdd_topology *t, const struct topology_channel *c, int level);
/* topology_primvar_channel: the channel of a face-varying primvar, which is row `channel` of sdd_mesh_desc.channels. */
const struct topology_channel *topology_primvar_channel(const sdd_topology *t, int channel);

/* topology_angles: the number of rows in the table of the cosine and sine of 2 pi / n that limit normals need. Here n
 * goes up to twice the largest valence or face size. */
int64_t topology_angles(const sdd_topology *t);
/* topology_upload_angles: makes that table in double and queues its upload to `to`.
 * Errors  SDD_ENO_MEMORY */
int topology_upload_angles(const sdd_topology *t, struct sdd_float2 *to, struct sdd_error *err) SDD_MUST_CHECK;

#endif
