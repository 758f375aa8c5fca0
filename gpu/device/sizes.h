/* SPDX-License-Identifier: Apache-2.0 */
/* sizes.h: what memory is laid out and keys are sorted with. */
#ifndef SDD_SIZES_H
#define SDD_SIZES_H
#include <stdint.h>

static inline int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* id_bits: the least number of bits that ids below n fit in, from 1. */
static inline int id_bits(int64_t n)
{
    int bits = 1;
    while ((int64_t)1 << bits < n)
        bits++;
    return bits;
}

#endif
