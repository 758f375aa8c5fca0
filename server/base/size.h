/* SPDX-License-Identifier: Apache-2.0 */
/* size.h: the one place where sizes that come from outside are multiplied and added: 64 bits, checked. */
#ifndef SUBDD_SIZE_H
#define SUBDD_SIZE_H
#include <stdbool.h>
#include <stdint.h>

/* size_mul, size_add: *out = a op b; false (and *out is 0) when a or b is negative or the result passes int64. */
static inline bool size_mul(int64_t a, int64_t b, int64_t *out)
{
    bool ok = a >= 0 && b >= 0 && !__builtin_mul_overflow(a, b, out);
    if (!ok)
        *out = 0;
    return ok;
}

static inline bool size_add(int64_t a, int64_t b, int64_t *out)
{
    bool ok = a >= 0 && b >= 0 && !__builtin_add_overflow(a, b, out);
    if (!ok)
        *out = 0;
    return ok;
}

/* A borrowed array and its length. */
struct i32s {
    const int32_t *v;
    int64_t n;
};
struct f32s {
    const float *v;
    int64_t n;
};

#endif
