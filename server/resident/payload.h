/* SPDX-License-Identifier: Apache-2.0 */
/* payload.h: a refined result as the bytes of application/vnd.subdd.frame: varint, FrameHeader, padding to 64, blocks.
 * The bytes depend on mesh version, request and backend alone (timings go into Server-Timing), so one entity tag
 * names them. The blocks stay where the compute library put them. */
#ifndef SUBDD_PAYLOAD_H
#define SUBDD_PAYLOAD_H
#include "server/mesh/primvars.h"
#include <stddef.h>

#define FRAME_ALIGN 64

struct frame_about { /* borrowed */
    const char *mesh_id, *topology_id, *backend;
    int64_t version;
    int level, surface;
    const struct primvar_info *primvars; /* of the mesh, which blocks name by row */
    bool undigested;                     /* the header is sent before the block is made: no digest */
};
struct frame {
    unsigned char *head; /* with its padding */
    size_t head_bytes;
    int n_blocks;
    struct {
        const unsigned char *data;
        int64_t offset, bytes;
    } blocks[SDD_MAX_BLOCKS];
    int64_t bytes; /* of the whole frame */
};
/* frame_make: the frame of a plan. With data in the plan (a result) the frame can be read while the result lives;
 * a plan alone gives the same sizes. Errors  SDD_ENO_MEMORY */
int frame_make(const struct frame_about *about, const struct sdd_plan_info *plan, struct frame *out,
               struct sdd_error *err) SDD_MUST_CHECK;
void frame_fini(struct frame *f);
/* frame_there: how many of its bytes there are when its blocks' first `bytes` are, one block after the other. */
int64_t frame_there(const struct frame *f, int64_t bytes);
/* frame_span: what stands at byte `at`, and how many bytes follow there. NULL: zeros, before a block. */
const unsigned char *frame_span(const struct frame *f, int64_t at, int64_t *n);
/* frame_read: bytes [at, at + n) of the frame, n no more than what is left. */
void frame_read(const struct frame *f, int64_t at, void *out, size_t n);

const char *semantic_name(int semantic);                                                /* "positions" */
const char *block_type(const struct sdd_block *b, const struct primvar_info *primvars); /* "f32", "oct16" */
const char *surface_name(int surface);                                                  /* "refined", "limit" */

#endif
