/* SPDX-License-Identifier: Apache-2.0 */
/* tagged_mesh.h: a small control mesh in one piece of memory, so that it is copied by assignment and cut down at
 * will. */
#ifndef TESTS_ORACLE_TAGGED_MESH_H
#define TESTS_ORACLE_TAGGED_MESH_H
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include "gpu/sdd/sdd.h"

enum { TAGGED_FACES = 512, TAGGED_CORNERS = 2048, TAGGED_VERTICES = 1024, TAGGED_TAGS = 2048, TAGGED_UVS = 2560 };

struct tagged_mesh { /* names as in struct sdd_mesh_desc */
    int32_t n_vertices, n_faces, n_corners, n_creases, n_corner_tags, n_holes, n_uvs;
    int level;
    struct sdd_options options;
    int32_t counts[TAGGED_FACES], holes[TAGGED_FACES], vertices[TAGGED_CORNERS], uv_indices[TAGGED_CORNERS];
    int32_t creases[TAGGED_TAGS][2], corners[TAGGED_TAGS];
    float sharpness[TAGGED_TAGS], corner_sharpness[TAGGED_TAGS];
    float points[TAGGED_VERTICES][3], uvs[TAGGED_UVS][2];
};
/* tagged_desc: points into m. */
void tagged_desc(const struct tagged_mesh *m, struct sdd_mesh_desc *out);
/* tagged_keep_faces: those with keep[f]; tags that name an edge or a face that is gone go with it. */
void tagged_keep_faces(struct tagged_mesh *m, const unsigned char *keep);
/* tagged_compact: vertices without faces and UV values without corners go. */
void tagged_compact(struct tagged_mesh *m);
/* tagged_options: every option by name and the level, in words. */
const char *tagged_options(const struct tagged_mesh *m, char *text, size_t size);
/* tagged_write: an OBJ file with tags; what tags cannot say (scheme, orientation, level) is in its first line. */
void tagged_write(const struct tagged_mesh *m, const char *path);

/* An edge of the control mesh, by its ends, and the corners whose edge it is. */
struct tagged_edge {
    int32_t a, b; /* a < b */
    int32_t first, n_uses;
};
/* tagged_edges: all with two different ends, ascending; uses[first ..] are corners. Both have room for a row a corner.
 * Returns their number. */
int32_t tagged_edges(const struct tagged_mesh *m, struct tagged_edge *edges, int32_t *uses);
/* tagged_find: the root of i, where roots are their own parents; shortens the way. */
int32_t tagged_find(int32_t *parent, int32_t i);
/* tagged_next: the corner that follows corner c in its face. tagged_corner: the one at vertex v, an end of c's edge. */
int32_t tagged_next(const struct tagged_mesh *m, int32_t c);
int32_t tagged_corner(const struct tagged_mesh *m, int32_t c, int32_t v);
#endif
