/* SPDX-License-Identifier: Apache-2.0 */
/* subd_frame.c: reads and checks the header of a frame and its table of blocks (subd_frame.h). subd_blocks.c takes the
 * bytes that follow. */
#include "subd_internal.h"
#include "subdd.pb-c.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT 64

const struct subd_kind subd_kinds[SUBD_N_KINDS] = {
    {"positions", "f32", 3},
    {"normals", "f32", 3},
    {"indices", "u32", 4},
    {"uvs", "f32", 2},
    {"uv_indices", "u32", 4},
    {"patches", "u32", 16},
    {"patch_params", "u32", 4},
    {"face_params", "u32", 4},
    {"primvar", NULL, 0}, /* subd_block_primvar checks its type and width. */
    {"primvar_indices", "u32", 4},
    {"tangents", "f32", 6},
    {"normal_indices", "u32", 4},
    {"offsets", NULL, 1}, /* u32 or u64. */
    {"ids", "u32", 1},
    {"signs", "u8", 1},
    {"gaussian", "f32", 1},
    {"mean", "f32", 1},
    {"geodesic", "f32", 1},
};

/* Ids have 32 bits, so no true count of elements is larger; the ids in all rows may be more. With these limits no
 * product below can overflow. */
#define MAX_ROWS ((uint64_t)UINT32_MAX)
#define MAX_IDS ((uint64_t)1 << 48)

static uint32_t bytes_of(const char *type)
{
    return strstr(type, "16") ? 2 : strcmp(type, "u64") == 0 ? 8 : strcmp(type, "u8") == 0 ? 1 : 4;
}

/* Refined faces may be triangles, as some schemes make those; the faces beside patches are always quads. */
static int components_fit(int kind, uint32_t components, unsigned include)
{
    const int of_faces = SUBD_INDICES | SUBD_UV_INDICES | SUBD_PRIMVAR_INDICES | SUBD_NORMAL_INDICES;
    return components == (uint32_t)subd_kinds[kind].components || 1 << kind == SUBD_PRIMVAR ||
           (components == 3 && 1 << kind & of_faces && !(include & SUBD_PATCHES));
}

static int is_shaped(const Subdd__V1__Block *b, int kind, unsigned include, const struct subd_compact *compact)
{
    if (compact)
        return strcmp(b->type, compact->type) == 0 && b->components == (uint32_t)compact->components;
    if (1 << kind == SUBD_OFFSETS && strcmp(b->type, "u32") != 0 && strcmp(b->type, "u64") != 0)
        return 0;
    return (!subd_kinds[kind].type || strcmp(b->type, subd_kinds[kind].type) == 0) &&
           components_fit(kind, b->components, include);
}

/* Reads the box of a unorm16 block. Returns 0 when it is missing or wrong, or when another block has one. */
static int take_box(struct subd_block *to, const Subdd__V1__Block *b)
{
    if (strcmp(b->type, "unorm16") != 0)
        return b->box.len == 0;
    if (b->box.len != sizeof to->low + sizeof to->high)
        return 0;
    memcpy(to->low, b->box.data, sizeof to->low);
    memcpy(to->high, b->box.data + sizeof to->low, sizeof to->high);
    for (int k = 0; k < 3; k++)
        if (!(isfinite(to->low[k]) && isfinite(to->high[k]) && to->low[k] <= to->high[k]))
            return 0;
    return 1;
}

static int check_block(struct subd_block *to, const Subdd__V1__Block *b, const struct subd_refine *request,
                       unsigned include, unsigned wanted, struct subd_error *err)
{
    const struct subd_compact *compact;
    int kind = 0;
    while (kind < SUBD_N_KINDS && strcmp(subd_kinds[kind].name, b->semantic) != 0)
        kind++;
    if (kind == SUBD_N_KINDS || !(wanted & 1u << kind))
        return subd_fail(err, SUBD_EPROTOCOL, "the frame has a block that was not asked for, or one twice");
    compact = request->compact & 1u << kind ? subd_compact_find(1 << kind) : NULL;
    if (!is_shaped(b, kind, include, compact) || !take_box(to, b))
        return subd_fail(err, SUBD_EPROTOCOL, "block %s is not of the type and width that it has",
                         subd_kinds[kind].name);
    if ((*b->codec && strcmp(b->codec, "raw") != 0) ||
        (*b->digest_kind ? strcmp(b->digest_kind, "xxh64-tree-1k") != 0 : b->digest != 0))
        return subd_fail(err, SUBD_EPROTOCOL, "block %s has a codec or digest that is not known here",
                         subd_kinds[kind].name);
    if (b->count > (1u << kind & (SUBD_IDS | SUBD_SIGNS) ? MAX_IDS : MAX_ROWS) ||
        b->stride != bytes_of(b->type) * b->components || b->bytes != b->count * b->stride)
        return subd_fail(err, SUBD_EPROTOCOL, "block %s has a size that is not its count times its stride",
                         subd_kinds[kind].name);
    to->semantic = 1 << kind;
    to->components = (int)b->components;
    to->count = (int64_t)b->count;
    to->bytes = (int64_t)b->bytes;
    to->digest = b->digest;
    subd_copy_text(to->name, sizeof to->name, b->name);
    subd_copy_text(to->interpolation, sizeof to->interpolation, b->interpolation);
    subd_copy_text(to->type, sizeof to->type, b->type);
    return SUBD_OK;
}

/* Checks the offsets, which may be any 64-bit value until then, and sorts the blocks by them. It sorts by insertion, as
 * servers send blocks in order. */
static int place_blocks(struct subd_frame *f, const Subdd__V1__FrameHeader *h, int64_t first_byte, int64_t total_bytes,
                        int order[SUBD_MAX_BLOCKS], struct subd_error *err)
{
    int64_t end = first_byte;
    for (int i = 0; i < f->n_blocks; i++) {
        uint64_t offset = h->blocks[i]->offset;
        int k = i;
        if (offset % ALIGNMENT != 0 || offset > (uint64_t)total_bytes ||
            f->blocks[i].bytes > total_bytes - (int64_t)offset)
            return subd_fail(err, SUBD_EPROTOCOL, "a block of the frame is not aligned or not inside its %lld bytes",
                             (long long)total_bytes);
        f->blocks[i].offset = (int64_t)offset;
        for (; k > 0 && f->blocks[order[k - 1]].offset > f->blocks[i].offset; k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    for (int k = 0; k < f->n_blocks; k++) {
        if (f->blocks[order[k]].offset < end)
            return subd_fail(err, SUBD_EPROTOCOL, "blocks of the frame overlap");
        end = f->blocks[order[k]].offset + f->blocks[order[k]].bytes;
    }
    return SUBD_OK;
}

/* How many rows a block must have by the counts of the header. The header does not count UV values and split normals,
 * and has only the sum of patches and the faces beside them, so any count is right there. */
static int64_t rows_due(const struct subd_frame *f, const struct subd_block *b, unsigned include)
{
    if (include & SUBD_PATCHES)
        return b->semantic == SUBD_POSITIONS ? f->vertices : b->count;
    switch (b->semantic) {
    case SUBD_NORMALS: return include & SUBD_NORMAL_INDICES ? b->count : f->vertices;
    case SUBD_POSITIONS:
    case SUBD_GAUSSIAN:
    case SUBD_MEAN:
    case SUBD_GEODESIC:
    case SUBD_TANGENTS: return f->vertices;
    case SUBD_INDICES:
    case SUBD_FACE_PARAMS:
    case SUBD_PRIMVAR_INDICES:
    case SUBD_NORMAL_INDICES:
    case SUBD_UV_INDICES: return f->faces;
    default: return b->count;
    }
}

static int check_tiles(const struct subd_frame *f, struct subd_error *err)
{
    int64_t patches = subd_frame_find(f, SUBD_PATCHES)->count, faces = subd_frame_find(f, SUBD_INDICES)->count;
    if (subd_frame_find(f, SUBD_PATCH_PARAMS)->count == patches &&
        subd_frame_find(f, SUBD_FACE_PARAMS)->count == faces && patches + faces == f->faces)
        return SUBD_OK;
    return subd_fail(err, SUBD_EPROTOCOL, "the frame's patches and faces are not as many as its counts say");
}

static int read_table(struct subd_frame *f, const Subdd__V1__FrameHeader *h, unsigned include,
                      const struct subd_refine *request, struct subd_error *err)
{
    const char *primvars = request->primvars;
    int n_primvars = 0;
    unsigned primvar_blocks = primvars ? SUBD_PRIMVAR_BLOCKS : 0, wanted = include | primvar_blocks;
    int rc;
    if (h->n_blocks > SUBD_MAX_BLOCKS)
        return subd_fail(err, SUBD_EPROTOCOL, "the frame has %zu blocks, of %d at most", h->n_blocks, SUBD_MAX_BLOCKS);
    for (size_t i = 0; i < h->n_blocks; i++, f->n_blocks++) {
        struct subd_block *b = &f->blocks[i];
        if ((rc = check_block(b, h->blocks[i], request, include, wanted, err)) != SUBD_OK)
            return rc;
        wanted &= ~(unsigned)b->semantic | primvar_blocks; /* check_block refuses a second one, except for primvars. */
        if (b->count != rows_due(f, b, include))
            return subd_fail(err, SUBD_EPROTOCOL, "block %s has %lld rows, the frame %lld", h->blocks[i]->semantic,
                             (long long)b->count, (long long)rows_due(f, b, include));
        if (b->semantic & SUBD_PRIMVAR_BLOCKS && (rc = subd_block_primvar(f, b, err)) != SUBD_OK)
            return rc;
        n_primvars += b->semantic == SUBD_PRIMVAR;
        if (n_primvars > SUBD_MAX_PRIMVARS)
            return subd_fail(err, SUBD_EPROTOCOL, "the frame has more than %d primvars", SUBD_MAX_PRIMVARS);
    }
    if (wanted & ~primvar_blocks)
        return subd_fail(err, SUBD_EPROTOCOL, "the frame lacks a block that was asked for");
    if (primvars && (rc = subd_frame_primvars(f, primvars, err)) != SUBD_OK)
        return rc;
    if (include & SUBD_IDS)
        return subd_check_rows(f, err);
    return include & SUBD_PATCHES ? check_tiles(f, err) : SUBD_OK;
}

static void copy_warnings(struct subd_frame *f, const Subdd__V1__FrameHeader *h)
{
    for (size_t i = 0; i < h->n_warnings && f->n_warnings < (int)(sizeof f->warnings / sizeof *f->warnings); i++)
        subd_copy_text(f->warnings[f->n_warnings++], sizeof *f->warnings, h->warnings[i]);
}

/* Keeps the transform and the names of face sets, whose pointers lead into p->words until subd_blocks.c moves them. */
static int take_words(struct subd_frame_parser *p, const Subdd__V1__FrameHeader *h)
{
    struct subd_frame *f = p->frame;
    size_t bytes = h->transform.len;
    char *to;
    if (h->transform.len && h->transform.len != 16 * sizeof(double))
        return subd_fail(p->err, SUBD_EPROTOCOL, "the frame's transform is no matrix of 16 numbers");
    for (size_t i = 0; i < h->n_blocks; i++) {
        const Subdd__V1__Block *b = h->blocks[i];
        if (!subd_sets_fit(b->n_set_names, b->interpolation, b->type, (int)b->components))
            return subd_fail(p->err, SUBD_EPROTOCOL, "block %s has names of face sets, which it cannot have",
                             b->semantic);
        for (size_t k = 0; k < b->n_set_names; k++)
            bytes += strlen(b->set_names[k]) + 1;
    }
    subd_copy_text(f->up_axis, sizeof f->up_axis, h->up_axis);
    f->meters_per_unit = h->meters_per_unit;
    p->words_bytes = bytes;
    to = p->words = bytes ? malloc(bytes) : NULL;
    if (bytes && !to)
        return subd_fail(p->err, SUBD_ENO_MEMORY, "no memory for the names in a frame");
    if (to && h->transform.len) {
        memcpy(to, h->transform.data, h->transform.len);
        f->transform = (const double *)(const void *)to;
        to += h->transform.len;
    }
    for (size_t i = 0; i < h->n_blocks; i++)
        for (size_t k = 0; k < h->blocks[i]->n_set_names; k++) {
            size_t n = strlen(h->blocks[i]->set_names[k]) + 1;
            if (k == 0)
                f->blocks[i].set_names = to;
            subd_copy_text(to, n, h->blocks[i]->set_names[k]);
            f->blocks[i].n_set_names++;
            to += n;
        }
    return SUBD_OK;
}

int subd_frame_header(struct subd_frame_parser *p, int64_t first_byte)
{
    struct subd_budget budget;
    Subdd__V1__FrameHeader *h = subdd__v1__frame_header__unpack(subd_budget_begin(&budget, (size_t)p->header_bytes),
                                                                (size_t)p->header_bytes, p->header);
    struct subd_frame *f = p->frame;
    unsigned include = p->request->include ? p->request->include : SUBD_POSITIONS | SUBD_INDICES;
    int rc = SUBD_EPROTOCOL;
    if (!h)
        return subd_fail(p->err, SUBD_EPROTOCOL, "the frame's header cannot be read");
    if (h->vertices > MAX_ROWS || h->faces > MAX_ROWS || h->edges > 2 * MAX_ROWS || h->version > INT64_MAX) {
        rc = subd_fail(p->err, SUBD_EPROTOCOL, "the frame's counts are absurd");
        goto out;
    }
    if (h->level != (uint32_t)p->request->level) {
        rc = subd_fail(p->err, SUBD_EPROTOCOL, "level %d was asked for, the frame has level %u", p->request->level,
                       h->level);
        goto out;
    }
    if (p->relation && strcmp(p->relation, h->relation) != 0) {
        rc = subd_fail(p->err, SUBD_EPROTOCOL, "%.8s was asked for, the frame has %.8s", p->relation, h->relation);
        goto out;
    }
    subd_copy_text(f->mesh_id, sizeof f->mesh_id, h->mesh_id);
    subd_copy_text(f->topology_id, sizeof f->topology_id, h->topology_id);
    subd_copy_text(f->surface, sizeof f->surface, h->surface);
    subd_copy_text(f->method, sizeof f->method, h->method);
    subd_copy_text(f->backend, sizeof f->backend, h->backend);
    f->version = (int64_t)h->version;
    f->level = (int)h->level;
    f->vertices = (int64_t)h->vertices;
    f->faces = (int64_t)h->faces;
    f->edges = (int64_t)h->edges;
    f->frame_bytes = p->total_bytes;
    copy_warnings(f, h);
    rc = read_table(f, h, include, p->request, p->err);
    if (rc == SUBD_OK)
        rc = take_words(p, h);
    if (rc == SUBD_OK)
        rc = place_blocks(f, h, first_byte, p->total_bytes, p->order, p->err);
out:
    subdd__v1__frame_header__free_unpacked(h, NULL);
    return rc;
}

const struct subd_block *subd_frame_find(const struct subd_frame *f, int semantic)
{
    for (int i = 0; f && i < f->n_blocks; i++)
        if (f->blocks[i].semantic == semantic)
            return &f->blocks[i];
    return NULL;
}

void subd_frame_free(struct subd_frame *f)
{
    if (!f)
        return;
    free(f->memory);
    memset(f, 0, sizeof *f);
}
