/* SPDX-License-Identifier: Apache-2.0 */
/* glb.h: a binary glTF file while it is written, for glb.c (the JSON and the arrays) and glb_split.c (vertices at
 * seams, and where the surface stands). glTF has triangles, and each vertex has one row of everything. A vertex whose
 * corners differ in something (UVs, split normals, colours of corners or faces) keeps what its first corner has. Each
 * further combination is a copy of the vertex behind all vertices. */
#ifndef SUBDD_FILES_GLB_H
#define SUBDD_FILES_GLB_H
#include "proto/files/parts.h"

#define GLB_NONE UINT32_MAX /* glTF does not allow this index either. */
enum { GLB_MAX_COLUMNS = 3 + SURFACE_MAX_PRIMVARS };

enum glb_kind { GLB_POSITION, GLB_NORMAL, GLB_UV, GLB_COLOUR, GLB_OTHER };
/* An attribute of the vertices. */
struct glb_column {
    enum glb_kind kind;
    const struct surface_rows *rows;
    const uint32_t *corners; /* [C] The row of each corner; NULL where vertices have rows. */
    bool constant;           /* One row for all. */
    char name[80];           /* In glTF. */
};

struct glb {
    struct glb_column columns[GLB_MAX_COLUMNS];
    int n_columns;
    struct glb_copy {
        uint32_t vertex, corner;
        uint32_t next; /* The next copy of the same vertex; GLB_NONE at the end. */
    } * copies;
    /* Where no column is of corners, both are NULL. */
    uint32_t *corner; /* [V] The corner whose rows each vertex keeps; GLB_NONE without a face. */
    uint32_t *first;  /* [V] The first copy of each vertex; GLB_NONE without one. */
    int64_t n_vertices, n_copies, room;
    /* Faces by their materials, and the first corner of each where they differ in size. */
    const struct surface_primvar *materials; /* NULL without any; then the rest is not set. */
    struct surface_sorted sorted;
    uint32_t *face_first;
    /* Where points go: p (rows 0 to 2) + row 3. Normals go by `turn`. `moves` is false where both stay as they are. */
    double place[4][3], turn[3][3], node[16];
    bool moves, flips, has_node; /* `flips`: triangles turn over. */
};

/* glb_place: finds where points and normals go: to metres, and Y up. What else the transform does is the node's matrix,
 * or is done to the points where such a matrix cannot. */
void glb_place(struct surface_file *f, struct glb *t);
void glb_point(const struct glb *t, const float p[3], float out[3]);
void glb_normal(const struct glb *t, const float n[3], float out[3]);

/* glb_split: makes the copies. */
void glb_split(struct surface_file *f, struct glb *t);
/* glb_find: the vertex or copy that has what this corner has. */
uint32_t glb_find(const struct glb *t, uint32_t vertex, uint32_t corner);
/* glb_row: the row of a column for vertex or copy i; GLB_NONE without one. */
int64_t glb_row(const struct glb *t, const struct glb_column *c, int64_t i);

#endif
