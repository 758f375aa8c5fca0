/* SPDX-License-Identifier: Apache-2.0 */
/* topology.h: what a control topology holds on the device. Shared inside gpu/; immutable once sdd_topology_create
 * returned, but for what is kept with it. Letters: V vertices, F faces, C corners, E edges, B boundary edges,
 * H boundary loops (ghost faces), S shown corners. Corner arrays have C real rows, then B ghost rows, one for each
 * boundary edge, that close the surface; a mesh that is not manifold has no ghosts (H = 0), but its twins are numbered
 * as if it had. */
#ifndef SDD_TOPOLOGY_H
#define SDD_TOPOLOGY_H
#include "gpu/device/device.h"
#include "gpu/grid/quad_location.h"

/* Its allocations, each made when its size is known. */
enum { SDD_PART_MESH, SDD_PART_CORNERS, SDD_PART_EDGES, SDD_PART_LISTS, SDD_PART_ROWS, SDD_N_PARTS };

/* kernels/features.h; empty where there is no edge_sharp. */
struct topology_feature_vertices {
    uint8_t *flag;  /* SDD_PART_EDGES */
    uint32_t *list; /* SDD_PART_LISTS */
    int64_t n;
};

/* One set of face-varying indices: a mesh of its own over the same faces, whose vertices are the values. Where channels
 * are smooth (topology_has_smooth_channels), a value that several vertices share has a row for each: after the values
 * come rows for all but its lowest vertex, ascending by value and vertex. Others have nothing after `value`. */
struct topology_channel {
    int64_t n_values, n_rows, n_edges;
    uint32_t *vert, *edge; /* [C] rows; SDD_PART_MESH                             */
    uint32_t *edge_corner; /* [E'] SDD_PART_EDGES                                 */
    uint32_t *value;       /* [n_rows - n_values] of the further rows; SDD_PART_ROWS */
    uint32_t *twin;        /* [C] SDD_NONE at seams and boundaries; SDD_PART_MESH */
    uint32_t *corner;      /* [C] corners, those of a row together; SDD_PART_MESH */
    uint32_t *begin, *end; /* [n_rows] rows of `corner`; SDD_PART_EDGES           */
    float *edge_sharp;     /* [E'] SDD_PART_EDGES                                 */
    float *vert_sharp;     /* [n_rows] SDD_PART_EDGES                             */
    struct topology_feature_vertices feature_vertices;
    uint32_t *chaikin_row; /* [E'] kernels/control.h, NULL: no edge is semi-sharp; SDD_PART_LISTS */
};

struct sdd_topology {
    int refs;
    sdd_device *device;
    uint64_t serial; /* No other topology of the device has it, so that a plan knows its own. */
    struct sdd_topology_info info;
    struct device_block part[SDD_N_PARTS];
    char fault[160]; /* the first element that is not manifold, in words; "" */

    /* SDD_PART_MESH */
    int32_t *face_end;               /* [F] inclusive scan of the face sizes              */
    uint32_t *vert_begin, *vert_end; /* [V] rows of vert_corner                           */
    uint32_t *vert_corner;           /* [C] real corners sorted by vertex                 */
    /* SDD_PART_CORNERS */
    uint32_t *vert, *twin, *edge; /* [C + B]                                           */
    struct sdd_faces faces;       /* of C + B corners                                  */
    /* SDD_PART_EDGES */
    uint32_t *edge_corner; /* [E] the lowest corner of each edge                */
    float *edge_sharp;     /* [E] NULL: closed and without creases              */
    float *vert_sharp;     /* [V] NULL: no sharp vertices                       */
    struct topology_feature_vertices feature_vertices;
    /* SDD_PART_LISTS */
    uint32_t *ghost_first; /* [H] a ghost corner of each loop                   */
    uint32_t *shown;       /* [S] corners of faces that are no holes; NULL: all */
    uint32_t *isolated;    /* [n_isolated]                                      */
    /* under chaikin, and a scheme that has creases (kernels/control.h); NULL: no edge is semi-sharp */
    uint32_t *chaikin_row;  /* [E]                                               */
    uint32_t *chaikin_edge; /* [n_semi] of each row                              */
    float *chaikin_part;    /* [n_semi] at level 0                               */

    int n_channels; /* the UVs, if there are any, then those of sdd_mesh_desc.channels */
    struct topology_channel *channel;
    struct kept_list *kept; /* [1 + n_channels] with the control mesh, with each channel */
    int64_t n_visible;
    int64_t n_semi;
    int chaikin_levels; /* as many levels on nothing is left of them */
    int64_t n_open;     /* corners whose edge has no face across: their twins are C, C + 1, .. in order */
};

/* The control mesh and, of smooth channels, the mesh of a channel, as kernels see them; on level 0. A
 * channel NULL is the control mesh. */
struct sdd_control topology_control(const sdd_topology *t);
struct sdd_control topology_channel_control(const sdd_topology *t, const struct topology_channel *c);
/* topology_kept_find: what code above keeps with the mesh of a channel, NULL: with the control mesh (gpu/device/kept.h).
 * topology_kept_get: the same, made where it is not there; NULL and SDD_ENO_MEMORY. */
void *topology_kept_find(const sdd_topology *t, const struct topology_channel *c, const struct kept_ops *ops);
void *topology_kept_get(const sdd_topology *t, const struct topology_channel *c, const struct kept_ops *ops,
                        struct sdd_error *err) SDD_MUST_CHECK;
/* Are face-varying values smooth off their seams? Else they are linear over the control faces. */
int topology_has_smooth_channels(const sdd_topology *t);
/* Grid order over the control mesh, or over the mesh of a channel. */
struct sdd_grid topology_grid(const sdd_topology *t, int level);
struct sdd_grid topology_channel_grid(const sdd_topology *t, const struct topology_channel *c, int level);
int topology_is_triangles(const sdd_topology *t); /* do refined faces have three corners? */
int topology_is_sqrt3(const sdd_topology *t);     /* .. in the order of kernels/sqrt3_grid.h, no grids? */
/* Points of a grid over n_vertices and n_edges and the faces; not under sqrt3. */
int64_t topology_grid_points(const sdd_topology *t, int64_t n_vertices, int64_t n_edges, int level);
int64_t topology_points(const sdd_topology *t, int level); /* grid points; of quads from level 1, of triangles from 0 */
int64_t topology_channel_points(const sdd_topology *t, const struct topology_channel *c, int level);
/* topology_primvar_channel: that of a face-varying primvar: row `channel` of sdd_mesh_desc.channels. */
const struct topology_channel *topology_primvar_channel(const sdd_topology *t, int channel);

/* topology_angles: rows of the table of cos and sin of 2 pi / n that limit normals need; n goes to twice the largest
 * valence or face size. topology_upload_angles: fills it, made in double. */
int64_t topology_angles(const sdd_topology *t);
int topology_upload_angles(const sdd_topology *t, struct sdd_float2 *to, struct sdd_error *err) SDD_MUST_CHECK;

#endif
