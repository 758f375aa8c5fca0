/* SPDX-License-Identifier: Apache-2.0 */
/* subd_frame.h: reads a refined frame as it arrives. No I/O: bytes are fed in pieces of any size.
 *
 *   varint header length | FrameHeader | zeros up to 64 | blocks at the offsets of the header's table
 *
 * Nothing in the frame is believed: the header's length is capped, the table must be for what was asked, inside the
 * body, aligned and without overlaps; digests are verified and indices range-checked while the bytes are in cache. */
#ifndef SUBD_FRAME_H
#define SUBD_FRAME_H
#include "subd_patches.h"

#define SUBD_FRAME_MEDIA_TYPE "application/vnd.subdd.frame"
#define SUBD_FRAME_MAX_HEADER 65536

struct subd_digest { /* xxh64-tree-1k of bytes that come in order; each level holds up to 128 values of the one below */
    int64_t counts[10];
    uint64_t values[10][128];
};
void subd_digest_begin(struct subd_digest *d);
void subd_digest_piece(struct subd_digest *d, const void *data, size_t bytes); /* 1,024 bytes, or fewer for the last */
uint64_t subd_digest_end(struct subd_digest *d);

struct subd_frame_parser {
    /* set by the caller */
    const struct subd_refine *request;
    struct subd_frame *frame;
    int64_t total_bytes; /* of the body, from Content-Length */
    struct subd_error *err;
    /* the parser's own */
    int failure;           /* what feeding ended with          */
    int64_t position;      /* bytes taken so far               */
    uint64_t header_bytes; /* 0 until the varint is complete   */
    int varint_bytes, order[SUBD_MAX_BLOCKS], current;
    int64_t in_block, checked; /* of the current block: bytes stored, bytes verified */
    char *window;              /* where bytes stand that go to a sink; NULL: blocks have their place */
    int64_t window_at;         /* byte of the current block with which it begins */
    unsigned char *header;     /* freed by subd_frame_end          */
    struct subd_digest *digest;
};
/* subd_frame_begin: clears *frame but its memory.
 * Errors  SUBD_EPROTOCOL when the body cannot be a frame */
int subd_frame_begin(struct subd_frame_parser *p, const struct subd_refine *request, int64_t total_bytes,
                     struct subd_frame *frame, struct subd_error *err);
int subd_frame_feed(struct subd_frame_parser *p, const void *data, size_t bytes);
/* subd_frame_end: releases the parser. Returns what feeding failed with, or SUBD_EPROTOCOL when the frame is not
 * complete. Call once, whatever happened. */
int subd_frame_end(struct subd_frame_parser *p);

/* What each semantic must look like: subd_kinds[i] for bit 1 << i. */
struct subd_kind {
    const char *name, *type;
    int components;
};
enum { SUBD_N_KINDS = 11 };
extern const struct subd_kind subd_kinds[SUBD_N_KINDS];
#define SUBD_REFINE_BLOCKS                                                                                             \
    (SUBD_POSITIONS | SUBD_NORMALS | SUBD_INDICES | SUBD_UVS | SUBD_UV_INDICES | SUBD_FACE_PARAMS | SUBD_TANGENTS)
#define SUBD_COMPACT_BLOCKS (SUBD_POSITIONS | SUBD_NORMALS | SUBD_UVS)
/* What those of them are that are asked for in 16 bits. NULL: no such block. */
struct subd_compact {
    int semantic;
    const char *type;
    int components, width; /* as it comes; decoded */
};
const struct subd_compact *subd_compact_find(int semantic);
#define SUBD_PRIMVAR_BLOCKS (SUBD_PRIMVAR | SUBD_PRIMVAR_INDICES)
#define SUBD_PATCH_BLOCKS (SUBD_POSITIONS | SUBD_PATCHES | SUBD_PATCH_PARAMS | SUBD_INDICES | SUBD_FACE_PARAMS)
/* subd_block_primvar: is what has been read of a block of a primvar one of the shapes that there are?
 * subd_frame_primvars: are the frame's those that were asked for, each once, with indices where they belong? */
int subd_block_primvar(const struct subd_frame *f, const struct subd_block *b, struct subd_error *err);
int subd_frame_primvars(const struct subd_frame *f, const char *asked, struct subd_error *err);
/* subd_frame_header: unpacks and checks the header once it is complete; fills frame and order. Blocks may lie in
 * [first_byte, total_bytes). */
int subd_frame_header(struct subd_frame_parser *p, int64_t first_byte);

#endif
