/* SPDX-License-Identifier: Apache-2.0 */
/* walk.h: neighbours by a walk over the faces of a mesh, which shares no code with the library, and rows as they came
 * over HTTP. Edges that three faces share are fine; a face that uses an edge twice is not. Everything here asserts. */
#ifndef TESTS_HTTP_WALK_H
#define TESTS_HTTP_WALK_H
#include "tests/http/daemon.h"

struct walk_mesh {
    int64_t n_vertices, n_faces;
    int64_t *begin; /* [n_faces + 1] */
    uint32_t *corner;
    int64_t n_edges;
    uint64_t *edge; /* lower vertex << 32 | higher vertex, ascending */
};
struct walk_rows {
    int64_t n;
    int64_t *offset; /* [n + 1] */
    uint32_t *id;
    uint8_t *sign; /* NULL but of FE */
};
/* walk_obj: the mesh of an OBJ whose f lines have vertices alone. walk_faces: of faces of one size. */
void walk_obj(const char *obj, struct walk_mesh *out);
void walk_faces(int64_t n_vertices, const uint32_t *corner, int64_t n_faces, int size, struct walk_mesh *out);
void walk_mesh_free(struct walk_mesh *m);
/* walk_relation: the rows of a relation; with ring above 1 those of VV or FF. */
void walk_relation(const struct walk_mesh *m, const char *relation, int ring, struct walk_rows *out);
/* walk_frame: the rows in a frame of neighbours, whose layout is checked. */
void walk_frame(const struct answer *a, struct walk_rows *out);
void walk_rows_free(struct walk_rows *r);
/* walk_same: rows are equal; the first that is not ends the test. walk_same_row: one of each. */
void walk_same(const struct walk_rows *got, const struct walk_rows *due, const char *what);
void walk_same_row(const struct walk_rows *got, int64_t i, const struct walk_rows *due, int64_t k, const char *what);

#endif
