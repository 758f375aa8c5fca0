/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a refined frame, in pieces: the first byte says how long a piece is and whether digests count. */
#include "client/subd_frame.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What the library promises of a frame that it lets through. */
static void promised(const struct subd_frame *f)
{
    const struct subd_block *indices = subd_frame_find(f, SUBD_INDICES),
                            *positions = subd_frame_find(f, SUBD_POSITIONS);
    if (!indices || !positions || positions->bytes != f->vertices * 12 || indices->count != f->faces)
        abort();
    for (int64_t i = 0; i < indices->count * indices->components; i++)
        if (((const uint32_t *)indices->data)[i] >= f->vertices)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct subd_refine request = {.level = 1};
    struct subd_frame frame = {0};
    struct subd_frame_parser p;
    struct subd_error err = {0};
    size_t step;
    int rc;
    if (size < 2)
        return 0;
    step = (*data & 127u) + 1;
    request.skip_digests = *data++ >> 7; /* without them the fuzzer gets further */
    size--;
    rc = subd_frame_begin(&p, &request, (int64_t)size, &frame, &err);
    for (size_t i = 0; i < size && rc == SUBD_OK; i += step)
        rc = subd_frame_feed(&p, data + i, size - i < step ? size - i : step);
    if (rc == SUBD_OK)
        rc = subd_frame_end(&p);
    else
        subd_frame_end(&p);
    if (rc == SUBD_OK)
        promised(&frame);
    else if (frame.n_blocks || !*err.text)
        abort();
    subd_frame_free(&frame);
    return 0;
}
