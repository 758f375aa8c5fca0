/* SPDX-License-Identifier: Apache-2.0 */
/* dice.h: the random numbers of tests and benchmarks: the same everywhere for the same seed. */
#ifndef TESTS_ORACLE_DICE_H
#define TESTS_ORACLE_DICE_H
#include <stdint.h>

struct dice {
    uint64_t state;
};
/* dice_of: neighbouring seeds have nothing in common (the finish of splitmix64). */
static inline struct dice dice_of(uint64_t seed)
{
    uint64_t z = seed + 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    struct dice d = {z ^ (z >> 31)};
    return d;
}
static inline uint32_t dice_next(struct dice *d)
{
    d->state = d->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(d->state >> 33);
}
/* dice_from: low .. high, both included. */
static inline int dice_from(struct dice *d, int low, int high)
{
    return low + (int)(dice_next(d) % (uint32_t)(high - low + 1));
}
static inline int dice_one_in(struct dice *d, uint32_t n)
{
    return dice_next(d) % n == 0;
}
/* dice_real: [-1, 1). */
static inline double dice_real(struct dice *d)
{
    return (double)dice_next(d) / 1073741824.0 - 1;
}
/* dice_shuffle: the numbers 0 .. n - 1 in any order. */
static inline void dice_shuffle(struct dice *d, int32_t *out, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        out[i] = i;
    for (int32_t i = 1; i < n; i++) {
        int32_t k = dice_from(d, 0, i), kept = out[k];
        out[k] = out[i];
        out[i] = kept;
    }
}
#endif
