/* SPDX-License-Identifier: Apache-2.0 */
/* renamed.h: the same mesh by other names: new ids for vertices and faces, every face starts at another corner, tags in
 * the opposite order. */
#ifndef TESTS_RENAMED_H
#define TESTS_RENAMED_H
#include "tests/oracle/shape.h"

struct renamed {
    struct shape shape;
    int32_t *vertex, *face, *corner; /* old -> new */
};
void renamed_init(const struct shape *s, struct renamed *r);
void renamed_free(struct renamed *r);

#endif
