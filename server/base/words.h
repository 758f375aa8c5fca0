/* SPDX-License-Identifier: Apache-2.0 */
/* words.h: an array of 4-byte numbers that grows, for readers that know only at the end how many there are. */
#ifndef SUBDD_WORDS_H
#define SUBDD_WORDS_H
#include "gpu/sdd/err.h"
#include "server/base/size.h"

/* Zeroed, it is empty. The owner frees p. */
struct words {
    union {
        float *f;
        int32_t *i;
        void *p;
    };
    int64_t n, cap;
};
/* words_room: makes room for n more numbers. It doubles the array, but not far beyond the length of the body in bytes,
 * as a body has no more numbers than bytes.
 * Errors  SDD_ENO_MEMORY naming `field` */
int words_room(struct words *w, int64_t n, int64_t body_bytes, const char *field, struct sdd_error *err)
    __attribute__((warn_unused_result));
static inline struct i32s words_i32s(const struct words *w)
{
    return (struct i32s){w->i, w->n};
}
static inline struct f32s words_f32s(const struct words *w)
{
    return (struct f32s){w->f, w->n};
}

#endif
