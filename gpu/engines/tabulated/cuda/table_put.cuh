/* SPDX-License-Identifier: Apache-2.0 */
/* table_put.cuh: how the CUDA forms of table_points and its variants store rows: in several formats, and many at a time
 * from shared memory. */
#ifndef SDD_TABLE_PUT_CUH
#define SDD_TABLE_PUT_CUH
#include "gpu/engines/tabulated/kernels/table_pieces.dev.h"

/* The formats of rows. table_dense_batch is the same as table_dense. It exists because code that both kernels share is
 * compiled worse in both. */
enum table_form { table_strided, table_dense, table_dense_batch, table_unorm16, table_oct16, table_f16 };

/* The number of words of a row, and how N components become one. */
template <int N, int FORM> struct table_row {
    static constexpr int words = FORM == table_unorm16 ? 2 : FORM == table_oct16 || FORM == table_f16 ? 1 : N;
    sdd_quantise_facts *facts;
    float low[FORM == table_unorm16 ? 3 : 1], scale[FORM == table_unorm16 ? 3 : 1];

    /* The facts have been written, because the launch before waited for the one that wrote them, or this one did. */
    __device__ __forceinline__ table_row(const table_points_args &a)
    {
        facts = a.as.facts;
        if constexpr (FORM == table_unorm16) {
#pragma unroll
            for (int k = 0; k < 3; k++) {
                low[k] = facts->low[k];
                scale[k] = facts->scale[k];
            }
        }
    }

    __device__ __forceinline__ void put(const float *p, float *to) const
    {
        if constexpr (FORM == table_unorm16) {
            uint2 out;
            out.x = sdd_unorm16(p[0], low[0], scale[0]) | (uint32_t)sdd_unorm16(p[1], low[1], scale[1]) << 16;
            out.y = sdd_unorm16(p[2], low[2], scale[2]);
            *(uint2 *)to = out;
        } else if constexpr (FORM == table_f16) {
            *(sdd_u16x2 *)to = sdd_f16_row(facts, p[0], p[1]);
        } else {
#pragma unroll
            for (int k = 0; k < N; k++)
                to[k] = p[k];
        }
    }
};

/* Returns the lane, and computes it at each call, because values that were computed from it earlier would occupy
 * registers. */
static __device__ __forceinline__ int table_lane()
{
    int lane;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

/* Returns how many words after a multiple of 16 bytes the row begins. A run in shared memory is misaligned as much. */
template <int W, int FORM> static __device__ __forceinline__ int table_phase(const table_points_args &a, uint32_t row)
{
    return FORM != table_strided ? (int)(((uintptr_t)a.to / sizeof *a.to + (uint32_t)W * row) % 4) : 0;
}

/* Stores n words, LEAST to MOST, as rows of W words. Where rows have no gaps, each lane stores 16 bytes at a time, and
 * long runs are stored in whole cache lines. The words begin table_phase after `from`. Each of GROUPS groups of lanes
 * of a warp stores a run of its own. */
template <int W, int FORM, int GROUPS, int LEAST, int MOST>
static __device__ __forceinline__ void table_rows_put(const table_points_args &a, uint32_t row, const float *from,
                                                      int n)
{
    constexpr int lanes = 32 / GROUPS, words = 4 * lanes; /* The words stored at a time. */
    const int lane = table_lane() % lanes;
    if constexpr (FORM != table_strided) {
        constexpr int unit = MOST > 128 && words >= 32 ? 32 : words >= 32 ? 8 : 4; /* Lines or sectors. */
        float *to = a.to + (size_t)W * row;
        const int before = (int)((uintptr_t)to / sizeof *to % unit), i = 4 * lane - before;
        const int head = min(-before & 3, n), tail = (n - head) & 3, k = lane < 4 ? lane : n - tail + lane - 4;
        from += before & 3;
#pragma unroll
        for (int at = 0; at < MOST + unit - 1; at += words)
            if ((at > 0 || i >= 0) && (at + words <= LEAST || i + at + 4 <= n))
                *(float4 *)(to + i + at) = *(const float4 *)(from + i + at);
        if (lane < 4 ? lane < head : lane < 4 + tail) /* Both ends have less than 16 bytes. */
            to[k] = from[k];
        if (lanes == 4 && lane < tail)
            to[n - tail + lane] = from[n - tail + lane];
    } else {
        for (int i = lane; i < n; i += lanes)
            a.to[(size_t)a.width.stride * (row + i / W) + i % W] = from[i];
    }
}
#endif
