/* SPDX-License-Identifier: Apache-2.0 */
/* subd_delta.c: makes a frame that of the next version, in place, by a delta (proto/README.md, "Deltas"). Everything in
 * the delta is checked before the first byte of the frame changes, and the digests of what changed afterwards. */
#include "proto/grid_rows.h"
#include "subd_internal.h"
#include <stdlib.h>
#include <string.h>

#define SLACK(bytes) ((bytes) + (bytes) / 32 + 4096) /* Room for the next versions, so that blocks need not move. */

/* What the delta has of one block. */
struct part {
    uint32_t mode, n_copies;
    int64_t n_rows, stride;
    const unsigned char *copies, *rows;
    struct grid_rows grid;
};
struct delta {
    struct subd_frame *frame, next; /* next: what its header says. */
    struct subd_frame_parser parser;
    const struct subd_refine *refine;
    struct subd_error *err;
    const unsigned char *at;
    size_t left;
    struct part parts[SUBD_MAX_BLOCKS];
};

static uint32_t word(const unsigned char *at)
{
    uint32_t v;
    memcpy(&v, at, sizeof v);
    return v;
}

static uint64_t long_word(const unsigned char *at)
{
    uint64_t v;
    memcpy(&v, at, sizeof v);
    return v;
}

static int broken(struct delta *d, const char *what)
{
    return subd_fail(d->err, SUBD_EPROTOCOL, "a delta %s", what);
}

static const unsigned char *take(struct delta *d, uint64_t bytes)
{
    const unsigned char *at = d->at;
    if (bytes > d->left)
        return NULL;
    d->at += bytes;
    d->left -= (size_t)bytes;
    return at;
}

/* ---- reading and checking ---------------------------------------------------------------------------------------- */
static int read_header(struct delta *d, const unsigned char *head, uint32_t bytes)
{
    struct subd_frame_parser *p = &d->parser;
    p->position = p->varint_bytes = 0;
    do {
        if (p->varint_bytes == 3 || (uint32_t)p->varint_bytes == bytes)
            return broken(d, "has no header");
        p->header_bytes |= (uint64_t)(head[p->varint_bytes] & 0x7F) << (7 * p->varint_bytes);
    } while (head[p->varint_bytes++] & 0x80);
    if (!p->header_bytes || p->header_bytes > bytes - (uint32_t)p->varint_bytes)
        return broken(d, "has a header that is longer than its head");
    if (!(p->header = malloc((size_t)p->header_bytes)))
        return subd_fail(d->err, SUBD_ENO_MEMORY, "no memory for a frame's header");
    memcpy(p->header, head + p->varint_bytes, (size_t)p->header_bytes);
    p->position = p->varint_bytes + (int64_t)p->header_bytes;
    return subd_frame_header(p, p->position);
}

/* The frame that the delta makes must have the blocks of the one that is there. If it has others this client was told
 * of another base, and needs the whole frame. */
static int check_blocks(struct delta *d)
{
    const struct subd_frame *f = d->frame, *n = &d->next;
    int same = f->n_blocks == n->n_blocks && strcmp(f->mesh_id, n->mesh_id) == 0;
    for (int i = 0; i < n->n_blocks && same; i++) {
        const struct subd_block *a = &f->blocks[i], *b = &n->blocks[i];
        same = a->semantic == b->semantic && a->components == b->components && strcmp(a->type, b->type) == 0 &&
               strcmp(a->name, b->name) == 0 && strcmp(a->interpolation, b->interpolation) == 0 && b->digest;
    }
    return same ? SUBD_OK : subd_fail(d->err, SUBD_EDIGEST, "a delta is of another frame than this one");
}

/* Both ends of copies ascend without an overlap, which is what lets them be moved within one buffer. */
static int check_rows(struct delta *d, const struct part *p, int64_t n_from, int64_t n_to)
{
    int64_t from = 0, to = 0, copied = 0;
    for (uint32_t i = 0; i < p->n_copies; i++) {
        const unsigned char *c = p->copies + (size_t)i * DELTA_COPY_BYTES;
        const int64_t f = word(c), t = word(c + 4), n = word(c + 8);
        if (f < from || t < to || n == 0 || f + n > n_from || t + n > n_to)
            return broken(d, "has copies that overlap, or of rows that there are not");
        from = f + n;
        to = t + n;
        copied += n;
    }
    return copied + p->n_rows == n_to ? SUBD_OK : broken(d, "has more or fewer rows than its block");
}

static int check_grid(struct delta *d, struct part *p, const struct subd_block *b)
{
    const uint64_t m = (uint64_t)1 << (d->next.level - 1);
    if (p->n_copies || b->components != 4 || strcmp(b->type, "u32") != 0 || p->n_rows < 1 ||
        (uint64_t)p->n_rows * m * m != (uint64_t)b->count)
        return broken(d, "has faces that are not those of its block");
    p->grid.level = d->next.level;
    p->grid.n_quads = p->n_rows;
    p->grid.quads = (const struct grid_quad *)(const void *)p->rows;
    if (p->grid.n_corners < p->n_rows || !grid_rows_fit(&p->grid) || grid_rows_points(&p->grid) > UINT32_MAX)
        return broken(d, "has faces of points that there are not");
    return SUBD_OK;
}

static int read_part(struct delta *d, struct part *p, const struct subd_block *from, const struct subd_block *b)
{
    const unsigned char *head = take(d, DELTA_BLOCK_BYTES);
    if (!head)
        return broken(d, "ends early");
    p->mode = word(head);
    p->n_copies = word(head + 4);
    const uint64_t rows = long_word(head + 8);
    p->stride = b->count ? b->bytes / b->count : 0;
    if (p->mode > DELTA_GRID || rows > (uint64_t)b->count || (p->mode == DELTA_SAME && (rows || p->n_copies)))
        return broken(d, "has a block of a mode that is not known here, or with too many rows");
    p->n_rows = (int64_t)rows;
    if (p->mode == DELTA_SAME)
        return from->bytes == b->bytes && from->digest == b->digest
                   ? SUBD_OK
                   : subd_fail(d->err, SUBD_EDIGEST, "a delta keeps a block that this frame has not");
    if (p->mode == DELTA_GRID) {
        const unsigned char *counts = take(d, DELTA_GRID_BYTES);
        if (!counts)
            return broken(d, "ends early");
        p->grid = (struct grid_rows){word(counts), word(counts + 4), word(counts + 8), word(counts + 12), 0, 0, NULL};
        p->stride = sizeof(struct grid_quad);
    }
    p->copies = take(d, (uint64_t)p->n_copies * DELTA_COPY_BYTES);
    p->rows = p->copies ? take(d, rows * (uint64_t)p->stride) : NULL;
    if (!p->rows)
        return broken(d, "ends early");
    return p->mode == DELTA_GRID ? check_grid(d, p, b) : check_rows(d, p, from->count, b->count);
}

static int read_delta(struct delta *d, int64_t version, int64_t max_frame_bytes)
{
    const unsigned char *head = take(d, DELTA_HEAD_BYTES);
    if (!head)
        return broken(d, "has no head");
    const uint64_t base = long_word(head), bytes = long_word(head + 8);
    const uint32_t head_bytes = word(head + 16);
    int rc;
    if (bytes < 2 || bytes > (uint64_t)max_frame_bytes || word(head + 20) || head_bytes % 4)
        return broken(d, "has a head that cannot be, or is of a frame above this client's max_frame_bytes");
    if (!d->frame->n_blocks || base != (uint64_t)d->frame->version)
        return subd_fail(d->err, SUBD_EDIGEST, "a delta is of another version than this frame");
    if (!(head = take(d, head_bytes)))
        return broken(d, "ends early");
    d->parser = (struct subd_frame_parser){
        .request = d->refine, .frame = &d->next, .total_bytes = (int64_t)bytes, .err = d->err};
    if ((rc = read_header(d, head, head_bytes)) || (rc = check_blocks(d)))
        return rc;
    if (d->next.version != version)
        return broken(d, "makes another version than its record says");
    for (int i = 0; i < d->next.n_blocks; i++)
        if ((rc = read_part(d, &d->parts[i], &d->frame->blocks[i], &d->next.blocks[i])))
            return rc;
    return d->left ? broken(d, "is longer than its blocks") : SUBD_OK;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */
static int is_own(const struct subd_frame *f, const void *p)
{
    return (const char *)p >= (const char *)f->memory && (const char *)p < (const char *)f->memory + f->memory_bytes;
}

/* How many bytes of the frame's memory there are from `p`, which is block k or (-1) the words, to what lies next. An
 * empty block may lie where the next one begins. */
static size_t room_of(const struct subd_frame *f, const char *p, int k, const char *words)
{
    const char *end = (const char *)f->memory + f->memory_bytes;
    for (int i = 0; i < f->n_blocks; i++) {
        const char *other = f->blocks[i].data;
        if (i != k && is_own(f, other) && other >= p && other < end)
            end = other;
    }
    if (k >= 0 && words >= p && words < end)
        end = words;
    return (size_t)(end - p);
}

static size_t round_up(size_t bytes)
{
    return (bytes + 63) & ~(size_t)63;
}

/* A block that shrinks has its last rows still to be moved. */
static size_t room_for(const struct delta *d, int i)
{
    const int64_t a = d->frame->blocks[i].bytes, b = d->next.blocks[i].bytes;
    return round_up(SLACK((size_t)(a > b ? a : b)));
}

/* Moves the blocks into new memory with room for those of the next frame, and for its words and head at the end. */
static char *move_all(struct delta *d, size_t words)
{
    struct subd_frame *f = d->frame;
    size_t total = round_up(SLACK(words));
    char *memory, *to;
    for (int i = 0; i < f->n_blocks; i++)
        if (is_own(f, f->blocks[i].data))
            total += room_for(d, i);
    if (!(memory = to = aligned_alloc(64, total)))
        return NULL;
    for (int i = 0; i < f->n_blocks; i++) {
        struct subd_block *b = &f->blocks[i];
        if (!is_own(f, b->data))
            continue;
        if (b->bytes)
            memcpy(to, b->data, (size_t)b->bytes);
        b->data = to;
        to += room_for(d, i);
    }
    free(f->memory);
    f->memory = memory;
    f->memory_bytes = total;
    return to;
}

/* Makes place for what the next frame has more. *words becomes where its words and its head go. */
static int make_room(struct delta *d, char **words)
{
    struct subd_frame *f = d->frame;
    const size_t need = d->parser.words_bytes + (size_t)d->parser.position;
    *words = f->transform ? (char *)(uintptr_t)f->transform : (char *)(uintptr_t)f->head;
    for (int i = 0; i < f->n_blocks; i++)
        if (f->blocks[i].set_names && f->blocks[i].set_names < *words)
            *words = (char *)(uintptr_t)f->blocks[i].set_names;
    int fits = *words && room_of(f, *words, -1, NULL) >= need;
    for (int i = 0; i < f->n_blocks; i++) {
        struct subd_block *b = &f->blocks[i];
        struct subd_block *to = &d->next.blocks[i];
        if (is_own(f, b->data)) {
            fits &= (int64_t)room_of(f, b->data, i, *words) >= to->bytes;
            continue;
        }
        if (to->bytes <= b->bytes)
            continue;
        to->data = b->data;
        void *grown = d->refine->place ? d->refine->place(d->refine->place_arg, &d->next, to) : NULL;
        if (!grown || (uintptr_t)grown % 4)
            return subd_fail(d->err, SUBD_EUSAGE, "`place` gave no memory, aligned to 4 bytes, for a block that grows");
        b->data = grown;
    }
    if (fits)
        return SUBD_OK;
    *words = move_all(d, need);
    return *words ? SUBD_OK : subd_fail(d->err, SUBD_ENO_MEMORY, "no memory for a frame that grows");
}

/* ---- the new block ----------------------------------------------------------------------------------------------- */
static void move_rows(unsigned char *data, const struct part *p, uint32_t i)
{
    const unsigned char *c = p->copies + (size_t)i * DELTA_COPY_BYTES;
    if (word(c) != word(c + 4))
        memmove(data + word(c + 4) * p->stride, data + word(c) * p->stride, (size_t)(word(c + 8) * p->stride));
}

/* Moves what goes down from the front on and what goes up from the back on, so that none of it is written over before
 * it has been moved; then the rows that came go between. */
static void put_rows(unsigned char *data, const struct part *p, int64_t count)
{
    const unsigned char *rows = p->rows;
    int64_t at = 0;
    for (uint32_t i = 0; i < p->n_copies; i++)
        if (word(p->copies + (size_t)i * DELTA_COPY_BYTES) > word(p->copies + (size_t)i * DELTA_COPY_BYTES + 4))
            move_rows(data, p, i);
    for (uint32_t i = p->n_copies; i--;)
        if (word(p->copies + (size_t)i * DELTA_COPY_BYTES) < word(p->copies + (size_t)i * DELTA_COPY_BYTES + 4))
            move_rows(data, p, i);
    for (uint32_t i = 0; i <= p->n_copies; i++) {
        const unsigned char *c = p->copies + (size_t)i * DELTA_COPY_BYTES;
        const int64_t end = i < p->n_copies ? word(c + 4) : count;
        const size_t n = (size_t)((end - at) * p->stride);
        if (n)
            memcpy(data + at * p->stride, rows, n);
        rows += n;
        at = i < p->n_copies ? end + word(c + 8) : end;
    }
}

/* Writes the faces of a quad, line by line; `lines` has room for two. */
static void put_quad(const struct grid_sides *s, uint32_t m, uint32_t *lines, uint32_t (*to)[4])
{
    uint32_t *low = lines, *high = lines + m + 1;
    grid_line(s, m, 0, low);
    for (uint32_t y = 1; y <= m; y++) {
        uint32_t *swap = low;
        grid_line(s, m, y, high);
        for (uint32_t x = 0; x < m; x++, to++) {
            (*to)[0] = low[x];
            (*to)[1] = low[x + 1];
            (*to)[2] = high[x + 1];
            (*to)[3] = high[x];
        }
        low = high;
        high = swap;
    }
}

/* Makes all faces, and verifies them while they are in cache. */
static int put_faces(struct delta *d, const struct subd_block *b, const struct grid_rows *g)
{
    const uint32_t m = (uint32_t)1 << (g->level - 1);
    const int64_t bytes = (int64_t)m * m * (int64_t)sizeof(uint32_t[4]);
    uint32_t *lines = malloc(2 * ((size_t)m + 1) * sizeof *lines);
    int rc = SUBD_OK;
    if (!lines)
        return subd_fail(d->err, SUBD_ENO_MEMORY, "no memory for a line of faces");
    subd_frame_recheck_begin(&d->parser);
    for (int64_t first = 0, end; first < g->n_quads && rc == SUBD_OK; first = end) {
        end = grid_face_end(g, first);
        for (int64_t k = first; k < end && rc == SUBD_OK; k++) {
            const struct grid_sides s = grid_quad_sides(g, first, end, k);
            put_quad(&s, m, lines, (uint32_t(*)[4])b->data + k * m * m);
            rc = subd_frame_recheck_to(&d->parser, b, (k + 1) * bytes);
        }
    }
    free(lines);
    return rc;
}

/* Makes the frame what the header of the next one says. The data of blocks stay where they are. */
static void take_header(struct delta *d, char *words)
{
    struct subd_frame *f = d->frame, next = d->next;
    for (int i = 0; i < next.n_blocks; i++)
        next.blocks[i].data = f->blocks[i].data;
    next.memory = f->memory;
    next.memory_bytes = f->memory_bytes;
    *f = next;
    d->parser.frame = f;
    subd_frame_keep(&d->parser, words);
}

static int recheck(struct delta *d, const struct subd_block *b)
{
    subd_frame_recheck_begin(&d->parser);
    return subd_frame_recheck_to(&d->parser, b, b->bytes);
}

static int apply(struct delta *d)
{
    struct subd_frame *f = d->frame;
    struct subd_frame before = *f;
    int64_t limits[SUBD_MAX_BLOCKS];
    char *words;
    int rc = make_room(d, &words);
    if (rc != SUBD_OK)
        return rc;
    for (int i = 0; i < f->n_blocks; i++)
        limits[i] = subd_index_limit(&(struct subd_frame_parser){.frame = &before}, &before.blocks[i]);
    take_header(d, words);
    for (int i = 0; i < f->n_blocks && rc == SUBD_OK; i++) {
        if (d->parts[i].mode == DELTA_ROWS)
            put_rows(f->blocks[i].data, &d->parts[i], f->blocks[i].count);
        else if (d->parts[i].mode == DELTA_GRID)
            rc = put_faces(d, &f->blocks[i], &d->parts[i].grid);
    }
    for (int i = 0; i < f->n_blocks && rc == SUBD_OK; i++)
        if (d->parts[i].mode == DELTA_ROWS || subd_index_limit(&d->parser, &f->blocks[i]) < limits[i])
            rc = recheck(d, &f->blocks[i]);
    if (rc != SUBD_OK)
        f->n_blocks = 0;
    return rc;
}

int subd_delta_apply(struct subd_frame *frame, const struct subd_refine *refine, int64_t version,
                     int64_t max_frame_bytes, const void *body, size_t bytes, struct subd_error *err)
{
    struct delta *d = calloc(1, sizeof *d);
    int rc;
    if (!d)
        return subd_fail(err, SUBD_ENO_MEMORY, "no memory for a delta");
    d->frame = frame;
    d->refine = refine;
    d->err = err;
    d->at = body;
    d->left = bytes;
    rc = read_delta(d, version, max_frame_bytes);
    if (rc == SUBD_OK && !refine->skip_digests && !(d->parser.digest = malloc(sizeof *d->parser.digest)))
        rc = subd_fail(err, SUBD_ENO_MEMORY, "no memory for a digest");
    if (rc == SUBD_OK)
        rc = apply(d);
    free(d->parser.header);
    free(d->parser.words);
    free(d->parser.digest);
    free(d);
    return rc;
}
