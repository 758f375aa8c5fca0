/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a delta of a frame: a byte that says whether digests count (1: not), u32 length of a frame of level 2,
 * the frame, the delta. What is applied leaves a sound frame. */
#include "client/lib/subd_internal.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void promised(const struct subd_frame *f)
{
    const struct subd_block *points = subd_frame_find(f, SUBD_POSITIONS), *faces = subd_frame_find(f, SUBD_INDICES);
    if (!points || !faces || points->count != f->vertices || faces->count != f->faces)
        abort();
    for (int64_t i = 0; i < faces->count * faces->components; i++)
        if (((const uint32_t *)faces->data)[i] >= f->vertices)
            abort();
    volatile float sum = 0;
    for (int64_t i = 0; i < points->count * 3; i++)
        sum += ((const float *)points->data)[i];
    for (int64_t i = 0; i < f->head_bytes; i++)
        sum += ((const unsigned char *)f->head)[i];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct subd_refine request = SUBD_INIT(subd_refine, .level = 2, .include = SUBD_POSITIONS | SUBD_INDICES);
    struct subd_frame frame = {0};
    struct subd_frame_parser p;
    struct subd_error err;
    uint32_t n;
    if (size < 5)
        return 0;
    request.skip_digests = data[0] & 1;
    memcpy(&n, data + 1, 4);
    data += 5, size -= 5;
    n = n < size ? n : (uint32_t)size;
    int rc = subd_frame_begin(&p, &request, n, &frame, &err);
    p.roomy = n & 1;
    if (rc == SUBD_OK)
        rc = subd_frame_feed(&p, data, n);
    const int end = subd_frame_end(&p);
    if (rc == SUBD_OK && end == SUBD_OK) {
        const int64_t version = frame.version + 1;
        unsigned char *body = malloc(size - n + 1); /* Aligned, and of its own size, as it comes from subd_watch. */
        if (!body)
            abort();
        memcpy(body, data + n, size - n);
        rc = subd_delta_apply(&frame, &request, version, 1 << 20, body, size - n, &err);
        free(body);
        if (rc == SUBD_OK)
            promised(&frame);
        else if (rc > 0)
            abort();
    }
    subd_frame_free(&frame);
    return 0;
}
