/* SPDX-License-Identifier: Apache-2.0 */
/* frames.h: a frame as bytes that came over HTTP, checked without libsubd. Everything here asserts. */
#ifndef TESTS_HTTP_FRAMES_H
#define TESTS_HTTP_FRAMES_H
#include "subdd.pb-c.h"
#include "tests/http/daemon.h"

/* frame_header: unpacks it, *end is where the first block may be. Freed by the message's own function. */
Subdd__V1__FrameHeader *frame_header(const struct answer *a, size_t *end);
/* frame_check: offsets aligned and in order, sizes as the counts say, padding zero, digests right. */
void frame_check(const struct answer *a);
/* frames_same: have they the same blocks? */
bool frames_same(const struct answer *a, const struct answer *b);

#endif
