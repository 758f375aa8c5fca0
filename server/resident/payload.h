/* SPDX-License-Identifier: Apache-2.0 */
/* payload.h: a refined result as the bytes that answers send, application/vnd.subdd.frame: a varint with the length of
 * the header, the message FrameHeader, padding to 64 bytes, and the blocks. Its
 * bytes depend only on mesh version, request and backend (timings are in Server-Timing), so that one entity tag can
 * name them. The blocks stay where the compute library put them. */
#ifndef SUBDD_PAYLOAD_H
#define SUBDD_PAYLOAD_H
#include "server/mesh/primvars.h"
#include "server/mesh/stage.h"
#include <stddef.h>

#define PAYLOAD_ALIGN 64

/* Blocks of neighbours and fields (gpu/sdd/sdd_queries.h, sdd_fields.h), beside those of struct sdd_block. */
enum payload_semantic {
    PAYLOAD_OFFSETS = 1 << 16,
    PAYLOAD_IDS = 1 << 17,
    PAYLOAD_SIGNS = 1 << 18,
    PAYLOAD_GAUSSIAN = 1 << 19,
    PAYLOAD_MEAN = 1 << 20,
    PAYLOAD_GEODESIC = 1 << 21
};
enum payload_format { PAYLOAD_U8 = 16, PAYLOAD_U64 };
struct payload_rows {     /* What the header of neighbours, or of fields, says. */
    const char *relation; /* "" of fields. */
    int ring, oriented;
    int64_t unreached; /* Vertices that no source of distances reaches. */
};

/* What the header of a payload says besides the plan. All pointers are borrowed. */
struct payload_about {
    const char *mesh_id, *topology_id, *backend;
    int64_t version;
    int level, surface;
    const struct primvar_info *primvars; /* The primvars of the mesh, of which blocks have the row. */
    bool undigested;                     /* The header has no digests, because it is sent before the blocks are made. */
    const struct mesh_stage *stage;      /* NULL says nothing of it. */
    const struct set_names *sets;        /* The names of face sets of each primvar; NULL when there are none. */
    const struct payload_rows *rows;     /* NULL of all but neighbours and fields, which have no surface. */
};
/* A payload. */
struct payload {
    unsigned char *head; /* The varint, the header and the padding. */
    size_t head_bytes;
    int n_blocks;
    struct {
        const unsigned char *data;
        int64_t offset, bytes;
        struct set_names sets; /* Of a primvar; the payload's own. */
    } blocks[SDD_MAX_BLOCKS];
    int64_t bytes; /* The size of the whole payload. */
};
/* payload_make: makes the payload of a plan. If the plan is that of a result, and so has data, the payload can be read
 * as long as the result lives. A plan alone gives a payload of the same size.
 * Errors  SDD_ENO_MEMORY */
int payload_make(const struct payload_about *about, const struct sdd_plan_info *plan, struct payload *out,
                 struct sdd_error *err) SDD_MUST_CHECK;
void payload_fini(struct payload *f);
/* payload_there: how many bytes of the payload are there when the first `bytes` of its blocks are, counted one block
 * after the other. */
int64_t payload_there(const struct payload *f, int64_t bytes);
/* payload_span: the bytes at position `at`; *n becomes how many there are. Returns NULL for *n zeros of padding before
 * a block. */
const unsigned char *payload_span(const struct payload *f, int64_t at, int64_t *n);
/* payload_read: copies the bytes [at, at + n) of the payload, which must not go past its end. */
void payload_read(const struct payload *f, int64_t at, void *out, size_t n);

/* These are the names in headers and plans: for example "positions", "f32" or "oct16", and "refined", "limit" or
 * "limitAtLevel". surface_find: the surface of a name, or -1. */
const char *semantic_name(int semantic);
const char *block_type(const struct sdd_block *b, const struct primvar_info *primvars);
const char *surface_name(int surface);
int surface_find(const char *name);

#endif
