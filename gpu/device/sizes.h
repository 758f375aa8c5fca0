/* SPDX-License-Identifier: Apache-2.0 */
/* sizes.h: small helpers for all host code that lays out memory and sorts keys. */
#ifndef SDD_SIZES_H
#define SDD_SIZES_H
#include <stdint.h>

static inline int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* id_bits: the least number of bits that hold every id below n; at least 1. */
static inline int id_bits(int64_t n)
{
    int bits = 1;
    while ((int64_t)1 << bits < n)
        bits++;
    return bits;
}

/* by_number: the order of u32 for qsort, ascending. */
static inline int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

#endif
