/* SPDX-License-Identifier: Apache-2.0 */
/* payload.c: lays out the payload of a refined result, for cache.c and for the streams and plans of refine/ and api/.
 * */
#include "server/resident/payload.h"
#include "server/base/chars.h"
#include "subdd.pb-c.h"
#include <stdlib.h>
#include <string.h>

const char *semantic_name(int semantic)
{
    switch (semantic) {
    case SDD_POSITIONS: return "positions";
    case SDD_NORMALS: return "normals";
    case SDD_NORMAL_INDICES: return "normal_indices";
    case SDD_TANGENTS: return "tangents";
    case SDD_INDICES: return "indices";
    case SDD_UVS: return "uvs";
    case SDD_PATCHES: return "patches";
    case SDD_PATCH_PARAMS: return "patch_params";
    case SDD_FACE_PARAMS: return "face_params";
    case SDD_PRIMVARS: return "primvar";
    case SDD_PRIMVAR_INDICES: return "primvar_indices";
    case PAYLOAD_OFFSETS: return "offsets";
    case PAYLOAD_IDS: return "ids";
    case PAYLOAD_SIGNS: return "signs";
    case PAYLOAD_GAUSSIAN: return "gaussian";
    case PAYLOAD_MEAN: return "mean";
    case PAYLOAD_GEODESIC: return "geodesic";
    default: return "uv_indices";
    }
}

const char *block_type(const struct sdd_block *b, const struct primvar_info *primvars)
{
    if (b->semantic == SDD_PRIMVARS)
        return primvar_type(primvars[b->primvar].type);
    switch (b->format) {
    case SDD_UNORM16_BOX: return "unorm16";
    case SDD_OCT16: return "oct16";
    case SDD_F16: return "f16";
    case SDD_F32: return "f32";
    case PAYLOAD_U8: return "u8";
    case PAYLOAD_U64: return "u64";
    default: return "u32";
    }
}

/* The bytes of one number. */
static int format_bytes(int format)
{
    switch (format) {
    case SDD_F32:
    case SDD_U32: return 4;
    case PAYLOAD_U8: return 1;
    case PAYLOAD_U64: return 8;
    default: return 2;
    }
}

static const char *const surfaces[SDD_N_SURFACES] = {
    [SDD_SURFACE_REFINED] = "refined", [SDD_SURFACE_LIMIT] = "limit", [SDD_SURFACE_LIMIT_AT_LEVEL] = "limitAtLevel"};

const char *surface_name(int surface)
{
    return surfaces[surface];
}

int surface_find(const char *name)
{
    int surface = SDD_N_SURFACES - 1;
    while (surface >= 0 && strcmp(name, surfaces[surface]) != 0)
        surface--;
    return surface;
}

static int64_t aligned(int64_t n)
{
    return (n + PAYLOAD_ALIGN - 1) / PAYLOAD_ALIGN * PAYLOAD_ALIGN;
}

struct box {
    float low[3], high[3];
};

/* Fills in the header of a block. *box holds the block's box until the message is packed. */
static void fill_block(Subdd__V1__Block *b, const struct sdd_block *from, const struct payload_about *about,
                       struct box *box)
{
    const struct primvar_info *primvars = about->primvars;
    subdd__v1__block__init(b);
    b->semantic = chars_proto(semantic_name(from->semantic));
    b->type = chars_proto(block_type(from, primvars));
    if (from->semantic & (SDD_PRIMVARS | SDD_PRIMVAR_INDICES))
        b->name = chars_proto(primvars[from->primvar].name);
    if (from->semantic == SDD_PRIMVARS)
        b->interpolation = chars_proto(primvar_interpolation(primvars[from->primvar].interpolation));
    if (from->format == SDD_UNORM16_BOX) { /* The box of a plan has zeros, which take as many bytes. */
        memcpy(box->low, from->low, sizeof box->low);
        memcpy(box->high, from->high, sizeof box->high);
        b->box = (ProtobufCBinaryData){sizeof *box, (uint8_t *)box};
    }
    b->components = (uint32_t)from->components;
    b->count = (uint64_t)from->count;
    b->stride = (uint32_t)(from->components * format_bytes(from->format));
    b->bytes = (uint64_t)from->bytes;
    b->codec = chars_proto("raw");
    if (about->undigested)
        return;
    b->digest_kind = chars_proto("xxh64-tree-1k");
    b->digest = from->digest ? from->digest : 1; /* A plan has no digest yet, but the field must take its 8 bytes. */
}

static size_t put_varint(unsigned char *out, size_t v)
{
    size_t n = 0;
    for (; v > 127; v >>= 7)
        out[n++] = (unsigned char)(v & 127) | 128;
    out[n++] = (unsigned char)v;
    return n;
}

/* Lays out the blocks and returns the size of the header. The header has the offsets, and these depend on its size.
 * Both only grow, so they settle in a few rounds. */
static int64_t lay_out(struct payload *f, Subdd__V1__FrameHeader *h)
{
    unsigned char varint[10];
    for (size_t before = 0;;) {
        size_t bytes = subdd__v1__frame_header__get_packed_size(h);
        int64_t at = aligned((int64_t)(put_varint(varint, bytes) + bytes));
        f->head_bytes = (size_t)at;
        for (int i = 0; i < f->n_blocks; i++) {
            h->blocks[i]->offset = (uint64_t)at;
            f->blocks[i].offset = at;
            f->bytes = at + f->blocks[i].bytes;
            at = aligned(f->bytes);
        }
        if (f->n_blocks == 0)
            f->bytes = (int64_t)f->head_bytes;
        if (bytes == before)
            return (int64_t)bytes;
        before = bytes;
    }
}

/* The names of face sets of a block, or NULL. */
static const struct set_names *sets_of(const struct payload_about *about, const struct sdd_block *b)
{
    return about->sets && b->semantic == SDD_PRIMVARS ? &about->sets[b->primvar] : NULL;
}

/* Copies the names of face sets into the payload, and points the messages to them. *pointers has one for each name;
 * the caller frees it. */
static int take_sets(const struct payload_about *about, const struct sdd_plan_info *plan, struct payload *f,
                     Subdd__V1__Block *blocks, char ***pointers, struct sdd_error *err)
{
    size_t n = 0;
    for (int i = 0; i < plan->n_blocks; i++)
        n += sets_of(about, &plan->blocks[i]) ? (size_t)sets_of(about, &plan->blocks[i])->n : 0;
    char **to = *pointers = n ? malloc(n * sizeof *to) : NULL;
    if (n && !to)
        return sdd_fail(err, SDD_ENO_MEMORY, "", "out of memory");
    for (int i = 0; i < plan->n_blocks && n; i++) {
        const struct set_names *sets = sets_of(about, &plan->blocks[i]);
        if (sets && set_names_copy(sets, &f->blocks[i].sets, err))
            return SDD_ENO_MEMORY;
        const char *name = f->blocks[i].sets.text;
        blocks[i].set_names = to;
        blocks[i].n_set_names = (size_t)f->blocks[i].sets.n;
        for (size_t k = 0; k < blocks[i].n_set_names; k++, name = set_names_next(name))
            *to++ = chars_proto(name);
    }
    return SDD_OK;
}

static void take_stage(Subdd__V1__FrameHeader *h, const struct mesh_stage *s)
{
    h->up_axis = chars_proto(mesh_up_axis_name(s->up_axis));
    h->meters_per_unit = s->meters_per_unit;
    if (s->has_transform)
        h->transform = (ProtobufCBinaryData){sizeof s->transform, (uint8_t *)(uintptr_t)s->transform};
}

static void take_rows(Subdd__V1__FrameHeader *h, const struct payload_rows *r)
{
    h->relation = chars_proto(r->relation);
    h->ring = (uint32_t)r->ring;
    h->oriented = r->oriented;
    h->unreached = (uint64_t)r->unreached;
}

int payload_make(const struct payload_about *about, const struct sdd_plan_info *plan, struct payload *out,
                 struct sdd_error *err)
{
    Subdd__V1__FrameHeader h = SUBDD__V1__FRAME_HEADER__INIT;
    Subdd__V1__Block blocks[SDD_MAX_BLOCKS], *pointers[SDD_MAX_BLOCKS];
    struct box boxes[SDD_MAX_BLOCKS];
    char **names = NULL;
    *out = (struct payload){.n_blocks = plan->n_blocks};
    for (int i = 0; i < plan->n_blocks; i++) {
        fill_block(&blocks[i], &plan->blocks[i], about, &boxes[i]);
        pointers[i] = &blocks[i];
        out->blocks[i].data = plan->blocks[i].data;
        out->blocks[i].bytes = plan->blocks[i].bytes;
    }
    h.mesh_id = chars_proto(about->mesh_id);
    h.version = (uint64_t)about->version;
    h.topology_id = chars_proto(about->topology_id);
    h.level = (uint32_t)about->level;
    h.surface = chars_proto(about->rows ? "" : surface_name(about->surface));
    h.method = chars_proto(plan->method);
    h.backend = chars_proto(about->backend);
    h.vertices = (uint64_t)plan->n_vertices;
    h.faces = (uint64_t)plan->n_faces;
    h.edges = (uint64_t)plan->n_edges;
    h.n_blocks = (size_t)plan->n_blocks;
    h.blocks = pointers;
    if (about->stage)
        take_stage(&h, about->stage);
    if (about->rows)
        take_rows(&h, about->rows);
    int rc = take_sets(about, plan, out, blocks, &names, err);
    int64_t bytes = rc ? 0 : lay_out(out, &h);
    out->head = rc ? NULL : calloc(1, out->head_bytes);
    if (out->head)
        subdd__v1__frame_header__pack(&h, out->head + put_varint(out->head, (size_t)bytes));
    else
        payload_fini(out);
    free(names);
    return out->head ? SDD_OK : sdd_fail(err, SDD_ENO_MEMORY, "", "out of memory");
}

void payload_fini(struct payload *f)
{
    free(f->head);
    f->head = NULL;
    for (int i = 0; i < f->n_blocks; i++)
        set_names_free(&f->blocks[i].sets);
}

int64_t payload_there(const struct payload *f, int64_t bytes)
{
    for (int i = 0; i < f->n_blocks; i++) {
        if (bytes < f->blocks[i].bytes)
            return f->blocks[i].offset + bytes;
        bytes -= f->blocks[i].bytes;
    }
    return f->bytes;
}

const unsigned char *payload_span(const struct payload *f, int64_t at, int64_t *n)
{
    *n = (int64_t)f->head_bytes - at;
    if (*n > 0)
        return f->head + at;
    for (int i = 0; i < f->n_blocks; i++) {
        const int64_t inside = at - f->blocks[i].offset;
        *n = inside < 0 ? -inside : f->blocks[i].bytes - inside;
        if (*n > 0)
            return inside < 0 ? NULL : f->blocks[i].data + inside;
    }
    *n = 0;
    return NULL;
}

void payload_read(const struct payload *f, int64_t at, void *out, size_t n)
{
    unsigned char *to = out;
    while (n) {
        int64_t left;
        const unsigned char *from = payload_span(f, at, &left);
        const size_t take = (uint64_t)left < n ? (size_t)left : n;
        if (from)
            memcpy(to, from, take);
        else
            memset(to, 0, take);
        to += take;
        at += (int64_t)take;
        n -= take;
    }
}
