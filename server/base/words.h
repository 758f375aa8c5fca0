/* SPDX-License-Identifier: Apache-2.0 */
/* words.h: a growing array of 4-byte numbers, floats or integers, for parsers of OBJ and USDA, which learn only at the
 * end of the file how many there are. */
#ifndef SUBDD_WORDS_H
#define SUBDD_WORDS_H
#include "gpu/sdd/err.h"
#include "server/base/size.h"

/* A zeroed array is empty. The owner calls free(p). */
struct words {
    union {
        float *f;
        int32_t *i;
        void *p;
    };
    int64_t n, cap; /* The numbers that it holds, and those that it has room for. */
};
/* words_room: makes room for n more numbers and leaves w->n as it is. It doubles the array, but goes no further than
 * about body_bytes numbers unless it must, because in a text of body_bytes bytes there cannot be more.
 * Errors  SDD_ENO_MEMORY naming `field`; *w is then as before */
int words_room(struct words *w, int64_t n, int64_t body_bytes, const char *field, struct sdd_error *err)
    __attribute__((warn_unused_result));
/* words_i32s, words_f32s: the array as integers or floats, borrowed until it grows or is freed. */
static inline struct i32s words_i32s(const struct words *w)
{
    return (struct i32s){w->i, w->n};
}
static inline struct f32s words_f32s(const struct words *w)
{
    return (struct f32s){w->f, w->n};
}

#endif
