/* SPDX-License-Identifier: Apache-2.0 */
/* subd_blocks.c: takes the bytes of a frame for subd_request.c. It stores blocks in their memory or passes them to a
 * sink, and verifies them while they are in cache. */
#include "subd_internal.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PIECE 1024
#define WINDOW (1024 * PIECE) /* A sink gets at most so many bytes at a time. */
#define HUGE_PAGE ((size_t)2 << 20)

int subd_frame_begin(struct subd_frame_parser *p, const struct subd_refine *request, int64_t total_bytes,
                     struct subd_frame *frame, struct subd_error *err)
{
    void *memory = frame->memory;
    size_t memory_bytes = frame->memory_bytes;
    memset(frame, 0, sizeof *frame);
    frame->memory = memory;
    frame->memory_bytes = memory_bytes;
    memset(p, 0, sizeof *p);
    p->request = request;
    p->frame = frame;
    p->total_bytes = total_bytes;
    p->err = err;
    if (total_bytes < 2)
        return subd_fail(err, SUBD_EPROTOCOL, "the refined frame has no known length, or is too short to be one");
    return SUBD_OK;
}

/* Fresh pages cost more than the copy into them. So large frames use huge pages, and later frames reuse the memory. */
static unsigned char *reserve(struct subd_frame *f, size_t bytes, struct subd_error *err)
{
    size_t alignment = bytes >= 2 * HUGE_PAGE ? HUGE_PAGE : 64;
    if (bytes <= f->memory_bytes)
        return f->memory;
    free(f->memory);
    f->memory_bytes = 0;
    bytes = (bytes + alignment - 1) / alignment * alignment;
    f->memory = aligned_alloc(alignment, bytes);
    if (!f->memory) {
        subd_fail(err, SUBD_ENO_MEMORY, "no memory for a frame of %zu bytes", bytes);
        return NULL;
    }
    f->memory_bytes = bytes;
    if (alignment == HUGE_PAGE)
        madvise(f->memory, bytes, MADV_HUGEPAGE); /* It may fail, and nothing depends on it. */
    return f->memory;
}

/* Writes the head of the body for frame->head: the varint, with as many bytes as it came with, and the header. */
static void keep_head(struct subd_frame_parser *p, unsigned char *to)
{
    p->frame->head = to;
    p->frame->head_bytes = p->position;
    for (int i = 0; i < p->varint_bytes; i++)
        *to++ = (unsigned char)(p->header_bytes >> 7 * i & 0x7F) | (i + 1 < p->varint_bytes ? 0x80 : 0);
    memcpy(to, p->header, (size_t)p->header_bytes);
}

/* Moves the transform and the names of face sets from p->words to the frame's memory. */
static void keep_words(struct subd_frame_parser *p, char *to)
{
    struct subd_frame *f = p->frame;
    if (!p->words)
        return;
    memcpy(to, p->words, p->words_bytes);
    if (f->transform)
        f->transform = (const double *)(const void *)to;
    for (int i = 0; i < f->n_blocks; i++)
        if (f->blocks[i].set_names)
            f->blocks[i].set_names = to + (f->blocks[i].set_names - p->words);
}

void subd_frame_keep(struct subd_frame_parser *p, char *to)
{
    keep_words(p, to);
    keep_head(p, (unsigned char *)to + p->words_bytes);
}

/* What a block takes of the frame's memory. */
static size_t span_of(const struct subd_frame_parser *p, const struct subd_block *b)
{
    return ((size_t)b->bytes + (p->roomy ? (size_t)b->bytes / 32 + 4096 : 0) + 63) & ~(size_t)63;
}

/* Finds memory for every block, or for the window of a sink, and for the words and the head. */
static int place(struct subd_frame_parser *p)
{
    struct subd_frame *f = p->frame;
    size_t own = (size_t)p->position + p->words_bytes + (p->request->sink ? WINDOW : 0) + (p->roomy ? 4096 : 0);
    unsigned char *memory;
    for (int i = 0; i < f->n_blocks && !p->request->sink; i++) {
        struct subd_block *b = &f->blocks[i];
        b->data = p->request->place ? p->request->place(p->request->place_arg, f, b) : NULL;
        if (!b->data)
            own += span_of(p, b);
        else if ((uintptr_t)b->data % 4 != 0)
            return subd_fail(p->err, SUBD_EUSAGE, "memory for a block must be aligned to 4 bytes");
    }
    if (!(memory = reserve(f, own, p->err)))
        return SUBD_ENO_MEMORY;
    if (p->request->sink) {
        p->window = (char *)memory;
        memory += WINDOW;
    }
    for (int i = 0; i < f->n_blocks && !p->window; i++) {
        struct subd_block *b = &f->blocks[i];
        if (b->data)
            continue;
        b->data = memory;
        memory += span_of(p, b);
    }
    subd_frame_keep(p, (char *)memory);
    return SUBD_OK;
}

/* The indices in a block must be below this. INT64_MAX means that it holds no indices, or that they cannot be checked:
 * UV indices may come without their UVs. */
int64_t subd_index_limit(const struct subd_frame_parser *p, const struct subd_block *b)
{
    const struct subd_frame *f = p->frame;
    const struct subd_block *uvs = subd_frame_find(f, SUBD_UVS);
    if (b->semantic & (SUBD_INDICES | SUBD_PATCHES))
        return f->vertices;
    if (b->semantic == SUBD_IDS)
        return subd_ids_limit(f, p->relation);
    if (b->semantic == SUBD_PRIMVAR_INDICES)
        return subd_frame_primvar(f, b->name, SUBD_PRIMVAR)->count; /* subd_frame_primvars made sure of it. */
    if (b->semantic == SUBD_NORMAL_INDICES)
        return subd_frame_find(f, SUBD_NORMALS)->count; /* They are asked for together. */
    return b->semantic == SUBD_UV_INDICES && uvs ? uvs->count : INT64_MAX;
}

static const char *name_of(const struct subd_block *b)
{
    int kind = 0;
    while (b->semantic >> (kind + 1))
        kind++;
    return subd_kinds[kind].name;
}

static int check_indices(struct subd_frame_parser *p, const struct subd_block *b, const uint32_t *v, size_t n,
                         int64_t limit)
{
    uint32_t top = 0;
    for (size_t i = 0; i < n; i++)
        top = v[i] > top ? v[i] : top;
    if (n && top >= limit)
        return subd_fail(p->err, SUBD_EPROTOCOL, "the frame's %s hold %u, of %lld", name_of(b), top, (long long)limit);
    return SUBD_OK;
}

/* Checks rows of parent, corner, u | v << 16, flags. The sizes of the control mesh are unknown here, so parents are not
 * checked. When the parent is a quad, patches have corner 0 and refined faces a corner below 4. */
static int check_params(struct subd_frame_parser *p, const struct subd_block *b, const uint32_t *v, size_t rows)
{
    uint32_t corners = p->request->include & SUBD_PATCHES ? 1 : 4;
    for (; rows--; v += 4) {
        unsigned level = v[3] & SUBD_PATCH_LEVEL_MASK, of_polygon = (v[3] & SUBD_PATCH_OF_POLYGON) != 0;
        int last = level == (unsigned)p->frame->level;
        if ((b->semantic == SUBD_FACE_PARAMS ? !last : level > (unsigned)p->frame->level) || level < of_polygon ||
            (!of_polygon && v[1] >= corners) || ((v[2] & 0xFFFF) | v[2] >> 16) >> (level - of_polygon))
            return subd_fail(p->err, SUBD_EPROTOCOL, "the frame's %s hold a row that cannot be: %u %u %u %#x",
                             name_of(b), v[0], v[1], v[2], v[3]);
    }
    return SUBD_OK;
}

static int check_piece(struct subd_frame_parser *p, const struct subd_block *b, const void *at, size_t bytes,
                       int64_t limit)
{
    if (limit != INT64_MAX)
        return check_indices(p, b, at, bytes / 4, limit);
    if (b->semantic == SUBD_OFFSETS)
        return subd_check_offsets(p, b, at, bytes);
    return b->semantic & (SUBD_PATCH_PARAMS | SUBD_FACE_PARAMS) ? check_params(p, b, at, bytes / 16) : SUBD_OK;
}

/* Passes verified bytes to the sink when the window is full; with `last`, also what is left of the block. */
static int deliver(struct subd_frame_parser *p, const struct subd_block *b, int last)
{
    int64_t n = p->checked - p->window_at;
    if (!p->window || n == 0 || (n < WINDOW && !last))
        return SUBD_OK;
    if (p->request->sink(p->request->sink_arg, p->frame, b, p->window_at, p->window, (size_t)n) != 0)
        return subd_fail(p->err, SUBD_ECANCELLED, "the sink cancelled the call");
    p->window_at = p->checked;
    return SUBD_OK;
}

/* Verifies the pieces of the block that are full; with `last`, also the shorter last one. */
static int verify(struct subd_frame_parser *p, const struct subd_block *b, int last)
{
    int64_t limit = subd_index_limit(p, b);
    int rc;
    while (p->checked < p->in_block) {
        int64_t n = p->in_block - p->checked < PIECE ? p->in_block - p->checked : PIECE;
        const char *at = p->window ? p->window + (p->checked - p->window_at) : (const char *)b->data + p->checked;
        if (n < PIECE && !last)
            return SUBD_OK;
        if ((rc = check_piece(p, b, at, (size_t)n, limit)) != SUBD_OK)
            return rc;
        if (p->digest && b->digest)
            subd_digest_piece(p->digest, at, (size_t)n);
        p->checked += n;
    }
    return deliver(p, b, last);
}

/* Closes the current block if it is full and opens the next one; empty blocks are full at once. */
static int advance(struct subd_frame_parser *p)
{
    int rc;
    for (; p->current < p->frame->n_blocks; p->current++, p->in_block = p->checked = p->window_at = 0) {
        const struct subd_block *b = &p->frame->blocks[p->order[p->current]];
        if (p->in_block == 0 && p->digest)
            subd_digest_begin(p->digest);
        if (p->in_block < b->bytes)
            return SUBD_OK;
        if ((rc = verify(p, b, 1)) != SUBD_OK)
            return rc;
        if (p->digest && b->digest && subd_digest_end(p->digest) != b->digest)
            return subd_fail(p->err, SUBD_EDIGEST, "block %d of the frame does not match its digest",
                             p->order[p->current]);
    }
    return SUBD_OK;
}

void subd_frame_recheck_begin(struct subd_frame_parser *p)
{
    p->window = NULL;
    p->in_block = p->checked = p->window_at = 0;
    if (p->digest)
        subd_digest_begin(p->digest);
}

int subd_frame_recheck_to(struct subd_frame_parser *p, const struct subd_block *b, int64_t bytes)
{
    const int last = bytes == b->bytes;
    int rc;
    p->in_block = bytes;
    if ((rc = verify(p, b, last)) != SUBD_OK || !last || !p->digest || subd_digest_end(p->digest) == b->digest)
        return rc;
    return subd_fail(p->err, SUBD_EDIGEST, "%s made by a delta do not match their digest", name_of(b));
}

/* Takes bytes of the varint and of the header; *taken says how many. */
static int take_header(struct subd_frame_parser *p, const unsigned char *data, size_t bytes, size_t *taken)
{
    size_t n = 0, have;
    int rc;
    *taken = 0;
    while (!p->header) {
        if (n == bytes)
            return SUBD_OK;
        if (p->varint_bytes == 3)
            return subd_fail(p->err, SUBD_EPROTOCOL, "the frame's header is longer than %d bytes",
                             SUBD_FRAME_MAX_HEADER);
        p->header_bytes |= (uint64_t)(data[n] & 0x7F) << (7 * p->varint_bytes++);
        p->position++;
        *taken = n + 1;
        if (data[n++] & 0x80)
            continue;
        if (p->header_bytes == 0 || p->header_bytes > SUBD_FRAME_MAX_HEADER ||
            (int64_t)p->header_bytes > p->total_bytes - p->position)
            return subd_fail(p->err, SUBD_EPROTOCOL, "the frame's header has %llu bytes",
                             (unsigned long long)p->header_bytes);
        if (!(p->header = malloc((size_t)p->header_bytes)))
            return subd_fail(p->err, SUBD_ENO_MEMORY, "no memory for a frame's header");
    }
    have = (size_t)(p->position - p->varint_bytes);
    if (bytes - n > (size_t)p->header_bytes - have)
        bytes = n + (size_t)p->header_bytes - have;
    memcpy(p->header + have, data + n, bytes - n);
    p->position += (int64_t)(bytes - n);
    *taken = bytes;
    if (p->position < p->varint_bytes + (int64_t)p->header_bytes)
        return SUBD_OK;
    if (!p->request->skip_digests && !(p->digest = malloc(sizeof *p->digest)))
        return subd_fail(p->err, SUBD_ENO_MEMORY, "no memory for a digest");
    if ((rc = subd_frame_header(p, p->position)) != SUBD_OK || (rc = place(p)) != SUBD_OK)
        return rc;
    return advance(p);
}

static int in_header(const struct subd_frame_parser *p)
{
    return !p->header || p->position < p->varint_bytes + (int64_t)p->header_bytes;
}

/* Takes bytes of the gap before the current block, of the block, or behind the last block. */
static int take_block(struct subd_frame_parser *p, const unsigned char *data, size_t bytes, size_t *taken)
{
    struct subd_block *b = p->current < p->frame->n_blocks ? &p->frame->blocks[p->order[p->current]] : NULL;
    int64_t want = b ? b->offset + p->in_block - p->position : INT64_MAX;
    int gap = want > 0, rc;
    if (!gap)
        want = b->bytes - p->in_block;
    if (!gap && p->window && want > WINDOW - (p->in_block - p->window_at))
        want = WINDOW - (p->in_block - p->window_at);
    *taken = bytes < (uint64_t)want ? bytes : (size_t)want;
    p->position += (int64_t)*taken;
    if (gap)
        return SUBD_OK;
    memcpy(p->window ? p->window + (p->in_block - p->window_at) : (char *)b->data + p->in_block, data, *taken);
    p->in_block += (int64_t)*taken;
    if ((rc = verify(p, b, 0)) != SUBD_OK)
        return rc;
    return advance(p);
}

int subd_frame_feed(struct subd_frame_parser *p, const void *data, size_t bytes)
{
    const unsigned char *at = data;
    size_t taken;
    if (!p->failure && bytes > (uint64_t)(p->total_bytes - p->position))
        p->failure = subd_fail(p->err, SUBD_EPROTOCOL, "the frame is longer than it said");
    for (; bytes && !p->failure; at += taken, bytes -= taken)
        p->failure = in_header(p) ? take_header(p, at, bytes, &taken) : take_block(p, at, bytes, &taken);
    return p->failure;
}

int subd_frame_end(struct subd_frame_parser *p)
{
    if (!p->failure && (in_header(p) || p->current < p->frame->n_blocks))
        p->failure = subd_fail(p->err, SUBD_EPROTOCOL, "the frame ended before its last block");
    if (p->failure) {
        p->frame->n_blocks = 0;
        p->frame->head_bytes = 0;
        p->frame->transform = NULL;
    }
    free(p->header);
    free(p->words);
    free(p->digest);
    p->words = NULL;
    p->header = NULL;
    p->digest = NULL;
    return p->failure;
}
