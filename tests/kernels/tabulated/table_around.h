/* SPDX-License-Identifier: Apache-2.0 */
/* table_around.h: the fan of faces around each corner's vertex, found by trying all corners, and its class in numbers
 * (gpu/engines/tabulated/class.h): the oracle of tabulated's classes. */
#ifndef TESTS_TAB_AROUND_H
#define TESTS_TAB_AROUND_H
#include "tests/kernels/wild.h"

enum { MOST_OF_FAN = 32 }; /* what tables are made for */

struct fans {
    const struct wild_case *k;
    uint32_t *mate; /* [C] the corner that has the edge of this one from the other side */
};
void fans_init(struct fans *f, const struct wild_case *k);
void fans_fini(struct fans *f);

/* Corners counterclockwise, from the first of an open fan, or from the one that is asked about. */
struct fan {
    int32_t n, open, own;
    uint32_t *quad; /* [C] */
};
void fan_find(const struct fans *f, uint32_t c, struct fan *out);
/* fan_words: n, k, open, own, the vertex, several, the edges of the fan. Result: how many; 0: no table. */
int32_t fan_words(const struct fans *f, uint32_t c, const struct fan *fan, float *words);
/* on_level_1: sharpness, of that on level 0. */
float on_level_1(float s);

#endif
