/* SPDX-License-Identifier: Apache-2.0 */
/* subd_frame_rows.c: checks frames of neighbours, for subd_frame.c and subd_blocks.c. */
#include "subd_internal.h"
#include <string.h>

int64_t subd_ids_limit(const struct subd_frame *f, const char *relation)
{
    return relation[1] == 'V' ? f->vertices : relation[1] == 'E' ? f->edges : f->faces;
}

int subd_check_offsets(struct subd_frame_parser *p, const struct subd_block *b, const void *at, size_t bytes)
{
    const int64_t n_ids = subd_frame_find(p->frame, SUBD_IDS)->count;
    const size_t width = strcmp(b->type, "u64") == 0 ? sizeof(uint64_t) : sizeof(uint32_t);
    int fine = 1;
    for (size_t i = 0; i < bytes; i += width) {
        uint64_t offset = 0; /* The low half comes first. */
        memcpy(&offset, (const char *)at + i, width);
        fine &= (p->checked > 0 || i > 0 || offset == 0) && offset >= p->last_offset && offset <= (uint64_t)n_ids;
        p->last_offset = offset;
    }
    if (p->checked + (int64_t)bytes == b->bytes)
        fine &= p->last_offset == (uint64_t)n_ids;
    return fine ? SUBD_OK
                : subd_fail(p->err, SUBD_EPROTOCOL, "the frame's offsets do not ascend from 0 to its %lld ids",
                            (long long)n_ids);
}

int subd_check_rows(const struct subd_frame *f, struct subd_error *err)
{
    const struct subd_block *signs = subd_frame_find(f, SUBD_SIGNS);
    if (subd_frame_find(f, SUBD_OFFSETS)->count < 1 || (signs && signs->count != subd_frame_find(f, SUBD_IDS)->count))
        return subd_fail(err, SUBD_EPROTOCOL, "the frame has no offsets, or not a sign for each of its ids");
    return SUBD_OK;
}
