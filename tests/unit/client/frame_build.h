/* SPDX-License-Identifier: Apache-2.0 */
/* frame_build.h: frames for tests of the parser: change the messages and contents, then render and parse. */
#ifndef TESTS_FRAME_BUILD_H
#define TESTS_FRAME_BUILD_H
#include "client/lib/subd_frame.h"
#include "subdd.pb-c.h"

enum { VERTICES = 500, FACES = 300, PATCHES = 150, QUADS = FACES - PATCHES };

struct built {
    Subdd__V1__FrameHeader header;
    Subdd__V1__Block blocks[SUBD_MAX_BLOCKS], *pointers[SUBD_MAX_BLOCKS];
    const void *contents[SUBD_MAX_BLOCKS]; /* into the arrays below */
    size_t content_bytes[SUBD_MAX_BLOCKS];
    int n_blocks;
    float positions[VERTICES][3], normals[VERTICES][3], box[6];
    uint16_t fractions[VERTICES][4], pairs[VERTICES][2];
    uint32_t indices[FACES][4], patches[PATCHES][16], patch_params[PATCHES][4], face_params[QUADS][4], params[FACES][4];
    uint32_t offsets[FACES + 1];
    uint8_t signs[2 * FACES];
    const char *relation; /* What was asked for, of neighbours; else NULL. */
    unsigned char bytes[65536];
    size_t n;
};
struct built *frame_of_refine(void);  /* positions, indices, normals; level 2 */
struct built *frame_of_patches(void); /* the five blocks; level 2             */
/* Positions, indices, then primvars: weight (vertex, 2 wide), tint (constant), material (uniform, i32), map
 * (faceVarying, 2 wide, VERTICES values) and its indices, face_params; level 2 */
struct built *frame_of_primvars(void);
/* Positions (unorm16), indices, normals (oct16), UVs (f16) and their indices; level 2 */
struct built *frame_of_compact(void);
/* Offsets and ids, and of FE signs: ROWS rows of two, of this relation; level 2, without digests. frame_parse expects
 * those that frame_verdict parses are asked for by f->relation. */
enum { ROWS = FACES };
struct built *frame_of_rows(const char *relation);
void frame_digest(struct built *f, int i);
/* frame_render: writes header and contents; blocks that lie outside are left out, for it is the table that is under
 * test. */
void frame_render(struct built *f);
/* frame_parse: feeds pieces of `step` bytes, each in memory of its own size. */
int frame_parse(const unsigned char *bytes, size_t n, size_t step, const struct subd_refine *request,
                struct subd_frame *out, struct subd_error *err);
/* The same of rows of this relation. */
int frame_parse_rows(const unsigned char *bytes, size_t n, size_t step, const struct subd_refine *request,
                     const char *relation, struct subd_frame *out, struct subd_error *err);
/* frame_verdict: renders, parses at once and in small pieces; both must say the same. */
int frame_verdict(struct built *f, const struct subd_refine *request);

#endif
