/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/http/frames.h"
#include "gpu/sdd/sdd.h"
#include <string.h>

Subdd__V1__FrameHeader *frame_header(const struct answer *a, size_t *end)
{
    size_t at = 0, n = 0;
    for (int shift = 0;; shift += 7) {
        unsigned char c = (unsigned char)a->body[at++];
        n |= (size_t)(c & 127) << shift;
        if (c < 128)
            break;
    }
    assert_true(at + n <= a->bytes);
    *end = (at + n + 63) / 64 * 64;
    for (size_t i = at + n; i < *end; i++)
        assert_int_equal(a->body[i], 0);
    Subdd__V1__FrameHeader *h = subdd__v1__frame_header__unpack(NULL, n, (uint8_t *)a->body + at);
    assert_non_null(h);
    return h;
}

void frame_check(const struct answer *a)
{
    size_t at;
    Subdd__V1__FrameHeader *h = frame_header(a, &at);
    for (size_t i = 0; i < h->n_blocks; i++) {
        const Subdd__V1__Block *b = h->blocks[i];
        assert_int_equal(b->offset % 64, 0);
        assert_int_equal(b->offset, (at + 63) / 64 * 64);
        for (; at < b->offset; at++)
            assert_int_equal(a->body[at], 0);
        assert_int_equal(b->bytes, b->count * b->stride);
        assert_int_equal(b->stride, b->components * (strstr(b->type, "16") ? 2 : 4));
        assert_string_equal(b->codec, "raw");
        assert_string_equal(b->digest_kind, "xxh64-tree-1k");
        assert_true(b->offset + b->bytes <= a->bytes);
        assert_int_equal(b->digest, sdd_digest(a->body + b->offset, (int64_t)b->bytes));
        at += b->bytes;
    }
    assert_int_equal(at, a->bytes);
    subdd__v1__frame_header__free_unpacked(h, NULL);
}

bool frames_same(const struct answer *a, const struct answer *b)
{
    size_t end;
    Subdd__V1__FrameHeader *x = frame_header(a, &end), *y = frame_header(b, &end);
    bool same = x->n_blocks == y->n_blocks;
    for (size_t i = 0; i < x->n_blocks && same; i++)
        same = x->blocks[i]->bytes == y->blocks[i]->bytes && x->blocks[i]->digest == y->blocks[i]->digest &&
               !memcmp(a->body + x->blocks[i]->offset, b->body + y->blocks[i]->offset, x->blocks[i]->bytes);
    subdd__v1__frame_header__free_unpacked(x, NULL);
    subdd__v1__frame_header__free_unpacked(y, NULL);
    return same;
}
