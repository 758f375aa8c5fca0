/* SPDX-License-Identifier: Apache-2.0 */
/* digest_piece: XXH64 (seed 0) of each 1,024-byte piece of a block, which is one level of the digest tree (digest.h).
 * Shapes  data[bytes] u8, 8-byte aligned -> out[ceil(bytes / 1024)] u64
 * Launch  item, n = pieces
 * Cost    every byte read once
 * Result  XXH64 as the xxHash specification has it, for lengths that are multiples of 4.
 * Threads any queue
 * Source  xxHash fast digest algorithm, XXH64 */
#ifndef SDD_K_DIGEST_PIECE_H
#define SDD_K_DIGEST_PIECE_H
#include "gpu/kernel/kernel.h"

#define SDD_DIGEST_PIECE 1024
#define SDD_DIGEST_AHEAD 256 /* A CPU asks for words this far ahead, because blocks are in none of its caches. */

struct digest_piece_args {
    const uint64_t *data;
    uint64_t *out;
    int64_t bytes;
};

#define SDD_XXH_P1 0x9E3779B185EBCA87u
#define SDD_XXH_P2 0xC2B2AE3D27D4EB4Fu
#define SDD_XXH_P3 0x165667B19E3779F9u
#define SDD_XXH_P4 0x85EBCA77C2B2AE63u
#define SDD_XXH_P5 0x27D4EB2F165667C5u

SDD_FN uint64_t sdd_rotl(uint64_t x, int32_t r)
{
    return x << r | x >> (64 - r);
}

SDD_FN uint64_t sdd_xxh_round(uint64_t acc, uint64_t lane)
{
    return sdd_rotl(acc + lane * SDD_XXH_P2, 31) * SDD_XXH_P1;
}

SDD_FN uint64_t sdd_xxh_merge(uint64_t h, uint64_t acc)
{
    return (h ^ sdd_xxh_round(0, acc)) * SDD_XXH_P1 + SDD_XXH_P4;
}

SDD_FN void k_digest_piece(int64_t i, const struct digest_piece_args *a)
{
    const uint64_t *p = a->data + i * (SDD_DIGEST_PIECE / 8);
    int64_t left = a->bytes - i * SDD_DIGEST_PIECE;
    uint64_t n = (uint64_t)(left < SDD_DIGEST_PIECE ? left : SDD_DIGEST_PIECE), h = SDD_XXH_P5, k = 0;
    if (n >= 32) {
        uint64_t v0 = SDD_XXH_P1 + SDD_XXH_P2, v1 = SDD_XXH_P2, v2 = 0, v3 = 0u - SDD_XXH_P1;
        for (; k + 32 <= n; k += 32, p += 4) {
            v0 = sdd_xxh_round(v0, p[0]);
            v1 = sdd_xxh_round(v1, p[1]);
            v2 = sdd_xxh_round(v2, p[2]);
            v3 = sdd_xxh_round(v3, p[3]);
#ifndef __CUDACC__
            __builtin_prefetch(p + SDD_DIGEST_AHEAD);
#endif
        }
        h = sdd_rotl(v0, 1) + sdd_rotl(v1, 7) + sdd_rotl(v2, 12) + sdd_rotl(v3, 18);
        h = sdd_xxh_merge(sdd_xxh_merge(sdd_xxh_merge(sdd_xxh_merge(h, v0), v1), v2), v3);
    }
    h += n;
    for (; k + 8 <= n; k += 8, p++)
        h = sdd_rotl(h ^ sdd_xxh_round(0, *p), 27) * SDD_XXH_P1 + SDD_XXH_P4;
    if (k + 4 <= n)
        h = sdd_rotl(h ^ (uint64_t) * (const uint32_t *)p * SDD_XXH_P1, 23) * SDD_XXH_P2 + SDD_XXH_P3;
    h = (h ^ h >> 33) * SDD_XXH_P2;
    h = (h ^ h >> 29) * SDD_XXH_P3;
    a->out[i] = h ^ h >> 32;
}
#endif
