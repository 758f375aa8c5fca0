/* SPDX-License-Identifier: Apache-2.0 */
/* size.h: the one place where sizes from outside are multiplied and added, in 64 bits and with checks; and arrays with
 * their length. */
#ifndef SUBDD_SIZE_H
#define SUBDD_SIZE_H
#include <stdbool.h>
#include <stdint.h>

/* size_mul: *out = a * b. Returns false, with *out 0, when a or b is negative or the product passes int64. */
static inline bool size_mul(int64_t a, int64_t b, int64_t *out)
{
    bool ok = a >= 0 && b >= 0 && !__builtin_mul_overflow(a, b, out);
    if (!ok)
        *out = 0;
    return ok;
}

/* size_add: *out = a + b. Returns false, with *out 0, when a or b is negative or the sum passes int64. */
static inline bool size_add(int64_t a, int64_t b, int64_t *out)
{
    bool ok = a >= 0 && b >= 0 && !__builtin_add_overflow(a, b, out);
    if (!ok)
        *out = 0;
    return ok;
}

/* These are borrowed arrays with their length in numbers. */
struct i32s {
    const int32_t *v;
    int64_t n;
};
struct f32s {
    const float *v;
    int64_t n;
};

#endif
