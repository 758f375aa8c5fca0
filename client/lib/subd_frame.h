/* SPDX-License-Identifier: Apache-2.0 */
/* subd_frame.h: reads a refined frame as it arrives. It does no I/O: its caller feeds it the bytes, in pieces of any
 * size. The body of a frame is
 *
 *   varint header length | FrameHeader | zeros up to 64 | blocks at the offsets of the header's table
 *
 * Nothing in the frame is trusted. The length of the header is limited; its table must list the blocks that were asked
 * for, aligned, inside the body and without overlaps; digests are verified and indices checked against their ranges
 * while the bytes are in cache. */
#ifndef SUBD_FRAME_H
#define SUBD_FRAME_H
#include "subd_fields.h"
#include "subd_neighbors.h"
#include "subd_patches.h"

#define SUBD_FRAME_MEDIA_TYPE "application/vnd.subdd.frame"
/* Of a header with all names of face sets that a mesh may have. Its length takes 3 bytes at most. */
#define SUBD_FRAME_MAX_HEADER ((1 << 21) - 1)

/* The digest xxh64-tree-1k of bytes that come in order. Each level holds up to 128 values of the level below. */
struct subd_digest {
    int64_t counts[10];
    uint64_t values[10][128];
};
void subd_digest_begin(struct subd_digest *d);
/* subd_digest_piece: takes the next 1,024 bytes; only the last piece may be shorter. */
void subd_digest_piece(struct subd_digest *d, const void *data, size_t bytes);
uint64_t subd_digest_end(struct subd_digest *d);

struct subd_frame_parser {
    /* subd_frame_begin stores its arguments in these. */
    const struct subd_refine *request;
    struct subd_frame *frame;
    int64_t total_bytes; /* Length of the body, from Content-Length. */
    struct subd_error *err;
    int roomy;            /* 1, set after subd_frame_begin, leaves room for blocks that grow (subd_delta.c). */
    const char *relation; /* That of neighbours, set after subd_frame_begin; NULL of other frames. */
    /* These are the parser's own. */
    int failure;                /* The first error, after which bytes are ignored. */
    int64_t position;           /* Bytes of the body taken so far. */
    uint64_t header_bytes;      /* Length of the header, which is complete once `header` is not NULL. */
    int varint_bytes;           /* Bytes of the varint taken so far. */
    int order[SUBD_MAX_BLOCKS]; /* Rows of frame->blocks by ascending offset. */
    int current;                /* The block that is being taken, as a row of `order`. */
    int64_t in_block;           /* Bytes of the current block that are stored. */
    int64_t checked;            /* Bytes of the current block that are verified. */
    char *window;               /* Holds bytes on their way to a sink; NULL when blocks are stored. */
    int64_t window_at;          /* The byte of the current block at which the window begins. */
    uint64_t last_offset;       /* Of the block of offsets, as far as it is verified. */
    unsigned char *header;      /* subd_frame_end frees it. */
    struct subd_digest *digest; /* NULL when digests are not verified; subd_frame_end frees it. */
    /* The transform, if there is one, and the names of face sets, until the frame has memory. subd_frame_end frees
     * it. */
    char *words;
    size_t words_bytes;
};
/* subd_frame_begin: prepares a parser and clears *frame, except for its memory.
 * Errors  SUBD_EPROTOCOL when the length of the body is unknown or too short for a frame */
int subd_frame_begin(struct subd_frame_parser *p, const struct subd_refine *request, int64_t total_bytes,
                     struct subd_frame *frame, struct subd_error *err);
/* subd_frame_feed: takes the next bytes of the body. It returns SUBD_OK or the first error. */
int subd_frame_feed(struct subd_frame_parser *p, const void *data, size_t bytes);
/* subd_frame_end: releases the parser and returns the first error, or SUBD_EPROTOCOL when the frame is incomplete.
 * After an error the frame has no blocks. It must be called once after subd_frame_begin, whatever happened. */
int subd_frame_end(struct subd_frame_parser *p);

/* These serve deltas, which change a frame that is there.
 * subd_frame_keep: moves words and head of the parser to the frame's memory, at `to`.
 * subd_index_limit: the indices in a block must be below this; INT64_MAX when it holds none.
 * subd_frame_recheck_begin, subd_frame_recheck_to: verify a block up to this byte, once that much of it is there; at
 * its end its digest must be that of the header.
 * Errors  SUBD_EDIGEST, SUBD_EPROTOCOL */
void subd_frame_keep(struct subd_frame_parser *p, char *to);
int64_t subd_index_limit(const struct subd_frame_parser *p, const struct subd_block *b);
void subd_frame_recheck_begin(struct subd_frame_parser *p);
int subd_frame_recheck_to(struct subd_frame_parser *p, const struct subd_block *b, int64_t bytes);

/* subd_kinds[i] says what a block of semantic 1 << i must look like. */
struct subd_kind {
    const char *name, *type;
    int components;
};
enum { SUBD_N_KINDS = 18 };
extern const struct subd_kind subd_kinds[SUBD_N_KINDS];
#define SUBD_REFINE_BLOCKS                                                                                             \
    (SUBD_POSITIONS | SUBD_NORMALS | SUBD_INDICES | SUBD_UVS | SUBD_UV_INDICES | SUBD_FACE_PARAMS | SUBD_TANGENTS |    \
     SUBD_NORMAL_INDICES)
#define SUBD_COMPACT_BLOCKS (SUBD_POSITIONS | SUBD_NORMALS | SUBD_UVS)
/* What a block looks like when it is compact. */
struct subd_compact {
    int semantic;
    const char *type;
    int components; /* Numbers in a row as it comes. */
    int width;      /* Numbers in a row once it is decoded. */
};
/* subd_compact_find: the compact form of this semantic, or NULL when it has none. */
const struct subd_compact *subd_compact_find(int semantic);
/* These check frames of neighbours (subd_frame_rows.c).
 * subd_check_rows: whether blocks have the counts of each other.
 * subd_check_offsets: the next offsets, at p->checked of their block.
 * subd_ids_limit: no id of this relation is as large. */
int subd_check_rows(const struct subd_frame *f, struct subd_error *err);
int subd_check_offsets(struct subd_frame_parser *p, const struct subd_block *b, const void *at, size_t bytes);
int64_t subd_ids_limit(const struct subd_frame *f, const char *relation);
#define SUBD_PRIMVAR_BLOCKS (SUBD_PRIMVAR | SUBD_PRIMVAR_INDICES)
#define SUBD_PATCH_BLOCKS (SUBD_POSITIONS | SUBD_PATCHES | SUBD_PATCH_PARAMS | SUBD_INDICES | SUBD_FACE_PARAMS)
/* subd_block_primvar: checks name, type and shape of a primvar block that is about to be added to the frame. */
int subd_block_primvar(const struct subd_frame *f, const struct subd_block *b, struct subd_error *err);
/* subd_frame_primvars: checks that the frame has the primvars in `asked` and no others, and that exactly the
 * faceVarying ones have indices. */
int subd_frame_primvars(const struct subd_frame *f, const char *asked, struct subd_error *err);
/* subd_sets_fit: whether a primvar of this class, type and width can have so many names of face sets. */
int subd_sets_fit(size_t n, const char *interpolation, const char *type, int width);
/* subd_frame_header: unpacks and checks the header once it is complete, and fills frame and order. Blocks may lie in
 * [first_byte, total_bytes). */
int subd_frame_header(struct subd_frame_parser *p, int64_t first_byte);

#endif
