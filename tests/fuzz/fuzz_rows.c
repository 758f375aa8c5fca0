/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a frame of neighbours, in pieces: the first byte says how long a piece is, and which relation was asked
 * for (its three highest bits). */
#include "client/lib/subd_internal.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t offset_at(const struct subd_block *b, int64_t i)
{
    return strcmp(b->type, "u64") == 0 ? ((const uint64_t *)b->data)[i] : ((const uint32_t *)b->data)[i];
}

/* What the library promises of rows that it lets through: they can be walked. */
static void promised(const struct subd_frame *f, const char *relation)
{
    const struct subd_block *offsets = subd_frame_find(f, SUBD_OFFSETS), *ids = subd_frame_find(f, SUBD_IDS);
    const struct subd_block *signs = subd_frame_find(f, SUBD_SIGNS);
    const int64_t limit = subd_ids_limit(f, relation);
    uint64_t sum = 0;
    if (!offsets || !ids || offsets->count < 1 || offset_at(offsets, 0) != 0 ||
        offset_at(offsets, offsets->count - 1) != (uint64_t)ids->count)
        abort();
    for (int64_t i = 0; i + 1 < offsets->count; i++)
        for (uint64_t k = offset_at(offsets, i); k < offset_at(offsets, i + 1); k++) {
            if (((const uint32_t *)ids->data)[k] >= limit)
                abort();
            sum += signs ? ((const uint8_t *)signs->data)[k] : 1;
        }
    if ((strcmp(relation, "FE") == 0) != (signs != NULL) || sum > 255 * (uint64_t)ids->count)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const relations[] = {"VV", "VE", "VF", "EV", "EF", "FV", "FE", "FF"};
    struct subd_refine request = {.level = 0, .include = SUBD_OFFSETS | SUBD_IDS};
    struct subd_frame_parser p;
    struct subd_frame frame = {0};
    struct subd_error err = {0};
    if (size < 2)
        return 0;
    const size_t step = (*data & 15u) + 1;
    const char *relation = relations[*data++ >> 5];
    size--;
    if (strcmp(relation, "FE") == 0)
        request.include |= SUBD_SIGNS;
    int rc = subd_frame_begin(&p, &request, (int64_t)size, &frame, &err);
    p.relation = relation;
    for (size_t i = 0; i < size && rc == SUBD_OK; i += step)
        rc = subd_frame_feed(&p, data + i, size - i < step ? size - i : step);
    const int end = subd_frame_end(&p);
    rc = rc == SUBD_OK ? end : rc;
    if (rc == SUBD_OK)
        promised(&frame, relation);
    else if (frame.n_blocks || !*err.text)
        abort();
    subd_frame_free(&frame);
    return 0;
}
